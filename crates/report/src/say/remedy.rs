//! Remedies as sentences: what to change. Their texts are in the files of the causes that they remedy.

use super::finding::{client, connections, cpu, memory, network, pools, threads, unknown, waits};
use super::setting::setting;
use super::sizing::sizing;
use crate::words::Lang;
use ::say::spaced;
use model::arm::keys;
use model::finding::{Remedy, ServerSetting, SettingName};

/// What to change.
pub fn remedy(remedy: &Remedy, lang: Lang) -> String {
    let words = match remedy {
        Remedy::MeasureAgain => client::MEASURE_AGAIN.to(lang).to_owned(),
        Remedy::FreeCpusForGenerator => client::FREE_CPUS_FOR_GENERATOR.to(lang).to_owned(),
        Remedy::EnlargeGenerator => client::ENLARGE_GENERATOR.to(lang).to_owned(),
        Remedy::SparePorts => client::SPARE_PORTS.to(lang).to_owned(),
        Remedy::RaiseGeneratorFiles => client::RAISE_GENERATOR_FILES.to(lang).to_owned(),
        Remedy::RaiseServerFiles => client::RAISE_SERVER_FILES.to(lang).to_owned(),
        Remedy::ReadServerLog => client::READ_SERVER_LOG.to(lang).to_owned(),
        Remedy::RaiseLimit { setting, to, .. } => raise_limit(*setting, *to, lang),
        Remedy::RaiseTasks => threads::RAISE_TASKS.to(lang).to_owned(),
        Remedy::SetProperty { property, to, ignored_by, .. } => {
            threads::set_property(property, *to, ignored_by.as_deref(), lang)
        }
        Remedy::KeepConnections => connections::KEEP_CONNECTIONS.to(lang).to_owned(),
        Remedy::FindWhoCloses => connections::FIND_WHO_CLOSES.to(lang).to_owned(),
        Remedy::LiftRequestsPerConnection { server } => connections::lift_requests(*server, lang),
        Remedy::SpareHandshakes { closed_by } => network::spare_handshakes(*closed_by).to(lang).to_owned(),
        Remedy::RaiseCpuQuota { to } => cpu::raise_quota(*to, lang),
        Remedy::MeasureWhenQuiet => cpu::MEASURE_WHEN_QUIET.to(lang).to_owned(),
        Remedy::WarmUpLonger => cpu::WARM_UP_LONGER.to(lang).to_owned(),
        Remedy::AcceptFullCpu => cpu::ACCEPT_FULL_CPU.to(lang).to_owned(),
        Remedy::AcceptSharedCpu => cpu::ACCEPT_SHARED_CPU.to(lang).to_owned(),
        Remedy::SpareCpu => cpu::SPARE_CPU.to(lang).to_owned(),
        Remedy::EnlargeHeap { to } => memory::enlarge_heap(*to, lang),
        Remedy::RaiseMemoryLimit { to } => memory::raise_limit(*to, lang),
        Remedy::WidenLink => network::WIDEN_LINK.to(lang).to_owned(),
        Remedy::EnlargePool { pool, to, .. } => pools::enlarge(pool, *to, lang),
        Remedy::WaitElsewhere => threads::WAIT_ELSEWHERE.to(lang).to_owned(),
        Remedy::RaiseRate { setting } => pools::raise_rate(setting.as_deref(), lang),
        Remedy::HoldLockShorter => waits::HOLD_LOCK_SHORTER.to(lang).to_owned(),
        Remedy::UseNewerJdk => waits::USE_NEWER_JDK.to(lang).to_owned(),
        Remedy::RelieveBackend => waits::RELIEVE_BACKEND.to(lang).to_owned(),
        Remedy::BufferAccessLog => waits::BUFFER_ACCESS_LOG.to(lang).to_owned(),
        Remedy::WriteLater { server } => waits::write_later(*server, lang),
        Remedy::SyncTogether => waits::SYNC_TOGETHER.to(lang).to_owned(),
        Remedy::SeparateCpus => unknown::SEPARATE_CPUS.to(lang).to_owned(),
        Remedy::DumpThreads => unknown::DUMP_THREADS.to(lang).to_owned(),
        Remedy::LookAtPlaces => unknown::LOOK_AT_PLACES.to(lang).to_owned(),
        Remedy::Legacy(says) => says.clone(),
    };
    let words = words + &sizing(remedy, lang);
    match lang {
        Lang::En => words,
        Lang::Zh => spaced(&words),
    }
}

/// The advice to raise a limit of the server, to a number if it is known.
fn raise_limit(limit: ServerSetting, to: Option<u64>, lang: Lang) -> String {
    let name = setting(limit, lang);
    let Some(to) = to else {
        return match lang {
            Lang::En => format!("raise {name}"),
            Lang::Zh => format!("提高{name}"),
        };
    };
    let key = is_a_key(limit).then(|| format!("`{} = {to}`", limit.name.key()));
    let capped = (limit.name == SettingName::AcceptCount).then(|| match lang {
        Lang::En => "net.core.somaxconn caps it".to_owned(),
        Lang::Zh => "受 net.core.somaxconn 限制".to_owned(),
    });
    let details: Vec<String> = key.into_iter().chain(capped).collect();
    let (details, instead) = match lang {
        Lang::En => (details.join("; "), instead_in_english(limit.name)),
        Lang::Zh => (details.join("，"), instead_in_chinese(limit.name)),
    };
    match (details.as_str(), lang) {
        ("", Lang::En) => format!("raise {name} to {to}{instead}"),
        ("", Lang::Zh) => format!("将{name}提高到 {to}{instead}"),
        (details, Lang::En) => format!("raise {name} to {to} ({details}){instead}"),
        (details, Lang::Zh) => format!("将{name}提高到 {to}（{details}）{instead}"),
    }
}

/// Whether an arm with that server takes a key for the limit. What prony knows nothing about has to be set in its own way.
fn is_a_key(limit: ServerSetting) -> bool {
    let key = keys::find(limit.name.key());
    key.is_some_and(|key| key.called_on(limit.server).is_some())
}

const fn instead_in_english(limit: SettingName) -> &'static str {
    match limit {
        SettingName::Threads => "",
        SettingName::MaxConnections => ", or use fewer connections",
        SettingName::AcceptCount => ", keep connections, or connect more slowly",
    }
}

const fn instead_in_chinese(limit: SettingName) -> &'static str {
    match limit {
        SettingName::Threads => "",
        SettingName::MaxConnections => "，或减少连接",
        SettingName::AcceptCount => "、保持连接，或放慢建立连接",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::{assert_said_in_both_languages, assert_told_apart};
    use model::finding::{Bounded, ClosedBy, Lent};
    use model::kind::Kind;
    use model::units::Bytes;

    const SERVERS: [Kind; 6] = [
        Kind::Tomcat,
        Kind::SpringBootTomcat,
        Kind::Jetty,
        Kind::SpringBootJetty,
        Kind::SpringBootUndertow,
        Kind::Command,
    ];

    /// The remedy that the list below holds after this one. A new remedy does not compile until it stands here.
    fn next(remedy: &Remedy) -> Option<Remedy> {
        let property = |ignored_by: Option<&str>| Remedy::SetProperty {
            property: "server.jetty.threads.max".to_owned(),
            to: 550,
            ignored_by: ignored_by.map(str::to_owned),
            sizing: None,
        };
        Some(match remedy {
            Remedy::MeasureAgain => Remedy::FreeCpusForGenerator,
            Remedy::FreeCpusForGenerator => Remedy::EnlargeGenerator,
            Remedy::EnlargeGenerator => Remedy::SparePorts,
            Remedy::SparePorts => Remedy::RaiseGeneratorFiles,
            Remedy::RaiseGeneratorFiles => Remedy::RaiseServerFiles,
            Remedy::RaiseServerFiles => Remedy::ReadServerLog,
            Remedy::ReadServerLog => Remedy::RaiseTasks,
            Remedy::RaiseTasks => property(None),
            Remedy::SetProperty { ignored_by: None, .. } => property(Some("4.0.1")),
            Remedy::SetProperty { .. } => Remedy::KeepConnections,
            Remedy::KeepConnections => Remedy::FindWhoCloses,
            Remedy::FindWhoCloses => Remedy::SpareHandshakes { closed_by: ClosedBy::Load },
            Remedy::SpareHandshakes { closed_by: ClosedBy::Load } => {
                Remedy::SpareHandshakes { closed_by: ClosedBy::Server }
            }
            Remedy::SpareHandshakes { .. } => Remedy::RaiseCpuQuota { to: 1.5 },
            Remedy::RaiseCpuQuota { .. } => Remedy::MeasureWhenQuiet,
            Remedy::MeasureWhenQuiet => Remedy::WarmUpLonger,
            Remedy::WarmUpLonger => Remedy::AcceptFullCpu,
            Remedy::AcceptFullCpu => Remedy::AcceptSharedCpu,
            Remedy::AcceptSharedCpu => Remedy::SpareCpu,
            Remedy::SpareCpu => Remedy::EnlargeHeap { to: Bytes(570 << 20) },
            Remedy::EnlargeHeap { .. } => Remedy::RaiseMemoryLimit { to: Bytes(420 << 20) },
            Remedy::RaiseMemoryLimit { .. } => Remedy::WidenLink,
            Remedy::WidenLink => Remedy::WaitElsewhere,
            Remedy::WaitElsewhere => Remedy::RaiseRate { setting: None },
            Remedy::RaiseRate { setting: None } => {
                Remedy::RaiseRate { setting: Some("limitForPeriod".to_owned()) }
            }
            Remedy::RaiseRate { .. } => Remedy::HoldLockShorter,
            Remedy::HoldLockShorter => Remedy::UseNewerJdk,
            Remedy::UseNewerJdk => Remedy::RelieveBackend,
            Remedy::RelieveBackend => Remedy::BufferAccessLog,
            Remedy::BufferAccessLog => Remedy::SyncTogether,
            Remedy::SyncTogether => Remedy::SeparateCpus,
            Remedy::SeparateCpus => Remedy::DumpThreads,
            Remedy::DumpThreads => Remedy::LookAtPlaces,
            // These depend on the server or on the application, except the last, which is the same in all languages.
            Remedy::LookAtPlaces
            | Remedy::EnlargePool { .. }
            | Remedy::RaiseLimit { .. }
            | Remedy::LiftRequestsPerConnection { .. }
            | Remedy::WriteLater { .. }
            | Remedy::Legacy(_) => return None,
        })
    }

    /// The remedies for every limit of every kind of server.
    fn limits() -> Vec<Remedy> {
        let names = [SettingName::Threads, SettingName::MaxConnections, SettingName::AcceptCount];
        let settings =
            SERVERS.iter().flat_map(|server| names.map(|name| ServerSetting { server: *server, name }));
        let limits = settings
            .flat_map(|setting| [None, Some(550)].map(|to| Remedy::RaiseLimit { setting, to, sizing: None }));
        limits.collect()
    }

    /// The remedies for everything of which an application has a limited number.
    fn pools() -> Vec<Remedy> {
        let library = |lends, setting: Option<&str>| Bounded::Library {
            product: "HikariCP".to_owned(),
            lends,
            setting: setting.map(str::to_owned),
        };
        let pools = [
            library(Lent::Connections, Some("maximumPoolSize")),
            library(Lent::Connections, None),
            Bounded::Permits,
            Bounded::Queue,
            Bounded::Threads { names: "quotes-#".to_owned() },
            Bounded::Client { peer: "10.0.0.1:80".to_owned() },
            Bounded::OneConnection { product: "PostgreSQL".to_owned() },
        ];
        // Does not compile when there is a new kind: then it has to stand in the list, too.
        pools.iter().for_each(|pool| match pool {
            Bounded::Library { .. }
            | Bounded::Permits
            | Bounded::Queue
            | Bounded::Threads { .. }
            | Bounded::Client { .. }
            | Bounded::OneConnection { .. } => {}
        });
        let both = pools.into_iter().flat_map(|pool| [(pool.clone(), None), (pool, Some(71))]);
        both.map(|(pool, to)| Remedy::EnlargePool { pool, to, sizing: None }).collect()
    }

    #[test]
    fn every_remedy_is_said_in_both_languages_with_its_numbers() {
        let mut all: Vec<Remedy> = std::iter::successors(Some(Remedy::MeasureAgain), next).collect();
        assert_eq!(all.len(), 34);
        all.extend(limits());
        all.extend(pools());
        let tomcats = [Kind::Tomcat, Kind::SpringBootTomcat, Kind::Command];
        all.extend(tomcats.map(|server| Remedy::LiftRequestsPerConnection { server }));
        let told = [Kind::Tomcat, Kind::SpringBootTomcat, Kind::Jetty, Kind::Command];
        all.extend(told.map(|server| Remedy::WriteLater { server }));
        assert_told_apart(all.iter(), remedy);
        for one in &all {
            assert_said_in_both_languages(&remedy(one, Lang::En), &remedy(one, Lang::Zh));
            let stored = serde_json::to_string(one).expect("JSON");
            assert_eq!(serde_json::from_str::<Remedy>(&stored).expect("a remedy"), *one);
        }
    }

    #[test]
    fn a_key_is_told_only_where_the_arm_takes_it() {
        let of = |server, name| {
            let setting = ServerSetting { server, name };
            remedy(&Remedy::RaiseLimit { setting, to: Some(71), sizing: None }, Lang::En)
        };
        assert_eq!(
            of(Kind::Command, SettingName::AcceptCount),
            "raise the backlog of its listener to 71 (net.core.somaxconn caps it), keep connections, or connect more slowly"
        );
        assert_eq!(of(Kind::Command, SettingName::Threads), "raise the limit of its worker threads to 71");
        for name in [SettingName::Threads, SettingName::MaxConnections, SettingName::AcceptCount] {
            let told = |server| of(server, name).contains(&format!("`{} = 71`", name.key()));
            assert!(!told(Kind::Command) && !told(Kind::Jar) && !told(Kind::Running));
            assert!(told(Kind::Tomcat) && told(Kind::SpringBootTomcat) && told(Kind::SpringBootUndertow));
        }
    }

    #[test]
    fn a_limit_is_called_what_the_server_calls_it() {
        let threads = |server| Remedy::RaiseLimit {
            setting: ServerSetting { server, name: SettingName::Threads },
            to: Some(550),
            sizing: None,
        };
        assert_eq!(
            remedy(&threads(Kind::Tomcat), Lang::En),
            "raise the Connector's `maxThreads` to 550 (`threads = 550`)"
        );
        assert_eq!(
            remedy(&threads(Kind::Tomcat), Lang::Zh),
            "将 Connector 的 `maxThreads` 提高到 550（`threads = 550`）"
        );
        assert_eq!(
            remedy(&threads(Kind::SpringBootJetty), Lang::En),
            "raise `server.jetty.threads.max` to 550 (`threads = 550`)"
        );
    }
}
