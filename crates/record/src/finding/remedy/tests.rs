//! Tests of the words of remedies.

use super::*;
use crate::finding::Examples as _;
use crate::words::assertions::assert_said_apart;
use crate::words::codes;
use say::{Language, text};

const SERVERS: [Kind; 6] = [
    Kind::Tomcat,
    Kind::SpringBootTomcat,
    Kind::Jetty,
    Kind::SpringBootJetty,
    Kind::SpringBootUndertow,
    Kind::Command,
];
/// What every server that is known limits.
const NAMES: [SettingName; 3] = [SettingName::Threads, SettingName::MaxConnections, SettingName::AcceptCount];

fn size_heap(collector: Option<&str>) -> Remedy {
    Remedy::SizeHeap {
        percent: 70,
        to: Bytes(358 << 20),
        heap: Bytes(128 << 20),
        memory: Bytes(512 << 20),
        collector: collector.map(str::to_owned),
        parallel: None,
    }
}

/// Remedies; few of their forms have numbers of their own.
fn plain() -> Vec<Remedy> {
    let property = |ignored_by: Option<&str>| Remedy::SetProperty {
        property: "server.jetty.threads.max".to_owned(),
        to: 550,
        ignored_by: ignored_by.map(str::to_owned),
        sizing: None,
    };
    vec![
        Remedy::MeasureAgain,
        Remedy::FreeCpusForGenerator,
        Remedy::EnlargeGenerator,
        Remedy::SparePorts,
        Remedy::RaiseGeneratorFiles,
        Remedy::RaiseServerFiles,
        Remedy::ReadServerLog,
        Remedy::RaiseTasks,
        property(None),
        property(Some("4.0.1")),
        Remedy::KeepConnections,
        Remedy::FindWhoCloses,
        Remedy::KeepIdleConnections,
        Remedy::SpareHandshakes { closed_by: ClosedBy::Load },
        Remedy::SpareHandshakes { closed_by: ClosedBy::Server },
        Remedy::RaiseCpuQuota { to: Cpus(1.5) },
        Remedy::TellProcessors { count: 1, to: Cpus(1.5) },
        Remedy::MeasureWhenQuiet,
        Remedy::WarmUpLonger,
        Remedy::AcceptFullCpu,
        Remedy::AcceptAnswers,
        Remedy::AvoidKeys,
        Remedy::WriteAtOnce,
        Remedy::LogWithoutWaiting,
        Remedy::AcceptSharedCpu,
        Remedy::SpareCpu,
        Remedy::SpareWork { work: None, method: None, times: 2.1 },
        Remedy::SpareWork { work: None, method: Some("shop.Orders.find:42".to_owned()), times: 2.1 },
        Remedy::StopAskingForCollections,
        Remedy::ReuseDirectBuffers,
    ]
}

/// What to change in what requests wait for, and where to look.
fn of_waits() -> Vec<Remedy> {
    vec![
        Remedy::WidenLink,
        Remedy::WaitElsewhere,
        Remedy::GiveBack { product: "HikariCP".to_owned() },
        Remedy::GiveBack { product: "other".to_owned() },
        Remedy::FindHolders { product: None },
        Remedy::FindHolders { product: Some("HikariCP".to_owned()) },
        Remedy::RaiseRate { setting: None },
        Remedy::RaiseRate { setting: Some("limitForPeriod".to_owned()) },
        Remedy::HoldLockShorter,
        Remedy::HoldWriteLockShorter,
        Remedy::PrepareOutsideLock,
        Remedy::AskOutsideLock,
        Remedy::FindPeriodic { every: Seconds(2.01) },
        Remedy::OrderLocks,
        Remedy::UseNewerJdk,
        Remedy::RelieveBackend,
        Remedy::EndAnswers,
        Remedy::BufferAccessLog,
        Remedy::SyncTogether,
        Remedy::SeparateCpus,
        Remedy::DumpThreads,
        Remedy::LookAtPlaces,
    ]
}

/// What to change in the memory of a server.
fn of_memory() -> Vec<Remedy> {
    vec![
        Remedy::EnlargeHeap { to: Bytes(570 << 20) },
        Remedy::BoundKeeper { kind: KeeperKind::Cache, to: Some(Bytes(512 << 20)) },
        size_heap(None),
        size_heap(Some("`Serial`")),
        Remedy::SizeHeap {
            percent: 70,
            to: Bytes(716 << 20),
            heap: Bytes(256 << 20),
            memory: Bytes(900 << 20),
            collector: Some("`Serial`".to_owned()),
            parallel: Some(2),
        },
        Remedy::RaiseMemoryLimit { to: Bytes(420 << 20) },
    ]
}

/// What to change in how HTTP/2 is spoken.
fn of_streams() -> Vec<Remedy> {
    let mut all = vec![Remedy::UseMoreConnections];
    let limited = [Kind::Tomcat, Kind::Jetty, Kind::SpringBootUndertow, Kind::Command];
    all.extend(limited.map(|server| {
        let setting = ServerSetting { server, name: SettingName::MaxStreams };
        Remedy::RaiseLimit { setting, to: Some(550), sizing: None }
    }));
    for of_connection in [false, true] {
        let settings = [None, Some("initialWindowSize".to_owned())];
        all.extend(settings.map(|setting| Remedy::WidenWindow { of_connection, setting }));
    }
    let ended = [(Kind::Tomcat, true), (Kind::Jetty, true), (Kind::Jetty, false)];
    all.extend(ended.map(|(server, is_defence)| Remedy::LetConnectionsLive { server, is_defence }));
    all
}

/// What to change in how other programs are asked.
fn of_back_ends() -> Vec<Remedy> {
    let mut all = vec![
        Remedy::AskSideBySide,
        Remedy::KeepAddresses,
        Remedy::FreeClient,
        Remedy::SeparateTasks,
        Remedy::ComputeOnce,
        Remedy::FindWhyPoolCloses { product: "HikariCP".to_owned() },
        Remedy::RetryLess,
        Remedy::EnlargeCodeCache,
        Remedy::EndTransactionSooner,
        Remedy::PageByKey,
        Remedy::ExplainStatement { table: None },
        Remedy::ExplainStatement { table: Some("article".to_owned()) },
    ];
    let stores = [Store::Sql, Store::Cache, Store::Documents, Store::Service];
    all.extend(
        stores.iter().flat_map(|store| {
            [None, Some(7.5)].map(|at_most| Remedy::AskTogether { store: *store, at_most })
        }),
    );
    let kept = [(Store::Sql, false), (Store::Service, false), (Store::Service, true)];
    all.extend(kept.map(|(store, tls)| Remedy::KeepBackendConnections { store, tls, pool: None }));
    let pools = ["DBCP", "UCP"].map(str::to_owned);
    all.extend(pools.map(|pool| Remedy::KeepBackendConnections {
        store: Store::Sql,
        tls: false,
        pool: Some(pool),
    }));
    all
}

/// A remedy for each form of its sentence.
fn examples() -> Vec<Remedy> {
    let mut all = plain();
    all.extend(CpuWork::ALL.map(|work| Remedy::SpareWork { work: Some(work), method: None, times: 1.7 }));
    all.extend(Leaked::ALL.map(|what| Remedy::MendLeak { what }));
    all.extend(KeeperKind::ALL.map(|kind| Remedy::BoundKeeper { kind, to: None }));
    let settings =
        SERVERS.iter().flat_map(|server| NAMES.map(|name| ServerSetting { server: *server, name }));
    all.extend(
        settings
            .flat_map(|setting| [None, Some(550)].map(|to| Remedy::RaiseLimit { setting, to, sizing: None })),
    );
    let pools = Bounded::examples().into_iter().flat_map(|pool| [(pool.clone(), None), (pool, Some(71))]);
    all.extend(pools.map(|(pool, to)| Remedy::EnlargePool { pool, to, sizing: None }));
    all.extend(of_back_ends());
    all.extend(of_streams());
    all.extend(of_waits());
    all.extend(of_memory());
    let tomcats = [Kind::Tomcat, Kind::SpringBootTomcat, Kind::Command];
    all.extend(tomcats.map(|server| Remedy::LiftRequestsPerConnection { server }));
    let told = [Kind::Tomcat, Kind::SpringBootTomcat, Kind::Jetty, Kind::Command];
    all.extend(told.map(|server| Remedy::WriteLater { server }));
    all
}

#[test]
fn every_remedy_is_said_in_both_languages_with_its_numbers() {
    let examples = examples();
    assert_said_apart(&examples);
    let stored: Vec<String> =
        examples.iter().map(|remedy| serde_json::to_string(remedy).expect("JSON")).collect();
    for (remedy, stored) in examples.iter().zip(&stored) {
        assert_eq!(serde_json::from_str::<Remedy>(stored).expect("a remedy"), *remedy);
    }
    for code in codes::<Remedy>(r#"{"code":"?"}"#) {
        assert!(stored.iter().any(|remedy| remedy.contains(&format!("\"code\":\"{code}\""))), "{code}");
    }
}

#[test]
fn a_key_is_told_only_where_the_arm_takes_it() {
    let of = |server, name| {
        let setting = ServerSetting { server, name };
        text(&Remedy::RaiseLimit { setting, to: Some(71), sizing: None }, Language::En)
    };
    assert_eq!(
        of(Kind::Command, SettingName::AcceptCount),
        "raise the backlog of its listener to 71 (net.core.somaxconn caps it), keep connections, or connect more slowly"
    );
    assert_eq!(of(Kind::Command, SettingName::Threads), "raise the limit of its worker threads to 71");
    for name in NAMES {
        let told = |server| of(server, name).contains(&format!("`{} = 71`", name.key()));
        assert!(!told(Kind::Command) && !told(Kind::Jar) && !told(Kind::Running));
        assert!(told(Kind::Tomcat) && told(Kind::SpringBootTomcat) && told(Kind::SpringBootUndertow));
    }
}

#[test]
fn a_limit_is_called_what_the_server_calls_it() {
    let threads = |server, language| {
        let setting = ServerSetting { server, name: SettingName::Threads };
        text(&Remedy::RaiseLimit { setting, to: Some(550), sizing: None }, language)
    };
    assert_eq!(
        threads(Kind::Tomcat, Language::En),
        "raise the Connector's `maxThreads` to 550 (`threads = 550`)"
    );
    assert_eq!(
        threads(Kind::Tomcat, Language::Zh),
        "将 Connector 的 `maxThreads` 提高到 550（`threads = 550`）"
    );
    assert_eq!(
        threads(Kind::SpringBootJetty, Language::En),
        "raise `server.jetty.threads.max` to 550 (`threads = 550`)"
    );
}
