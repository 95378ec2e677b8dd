//! Helidon SE, started by the launcher in `apps/`: a folder with the application and its libraries. Helidon reads its settings
//! from system properties.

use crate::error::Error;
use crate::files::certificate::{Certificate, key_store};
use crate::files::log::Trouble;
use crate::programs::launcher;
use crate::programs::system::{
    StartContext, System, fresh, java, release_after, system_properties, with_own,
};
use model::arm::settings::Settings;
use model::kind::Kind;
use model::outcome::{Effective, Limit};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An application on Helidon SE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Helidon {
    /// The folder of the application and its libraries.
    pub folder: PathBuf,
}

impl System for Helidon {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = java(start, &base)?;
        let properties = properties(start.settings, start.address(), start.certificate);
        command.args(system_properties(properties));
        command.arg("-jar").arg(self.folder.join("run.jar"));
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        launcher::trouble(line)
    }

    fn is_up(&self, line: &str) -> bool {
        launcher::is_up(line)
    }

    /// Helidon serves every request by a virtual thread.
    fn effective(&self, log: &str) -> Effective {
        Effective {
            server: release_after(log, "Helidon SE ").map(|version| format!("Helidon/{version}")),
            protocol_handler: launcher::scheme(log),
            virtual_threads: limit(log, "prony: most requests at a time: "),
            max_connections: limit(log, "prony: most connections: "),
            ..Effective::default()
        }
    }

    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        launcher::check_scheme(server, settings, launcher::scheme(log))
    }

    fn application(&self) -> &Path {
        &self.folder
    }
}

/// The classes that Helidon lets in from outside beside those of its own: those with which prony asks the JVM for its settings. By
/// default there are none.
const READABLE: (&str, &str) = (
    "helidon.serialFilter.pattern",
    "java.**;javax.management.**;sun.**;com.sun.**;jdk.**",
);

/// A limit that the launcher has read back from Helidon; -1 is none.
fn limit(log: &str, words: &str) -> Option<Limit> {
    let most: i64 = release_after(log, words)?.parse().ok()?;
    Some(u64::try_from(most).map_or(Limit::None, Limit::At))
}

/// The settings of the arm as properties of Helidon. Helidon's default applies to what the arm does not set.
fn properties(
    settings: &Settings,
    at: SocketAddr,
    certificate: Option<&Certificate>,
) -> Vec<(String, String)> {
    let mut known = vec![
        ("server.host", at.ip().to_string()),
        ("server.port", at.port().to_string()),
        (READABLE.0, READABLE.1.to_owned()),
    ];
    if let Some(certificate) = certificate {
        let store = certificate.store.display().to_string();
        known.extend([
            ("server.tls.private-key.keystore.resource.path", store),
            (
                "server.tls.private-key.keystore.type",
                key_store::FORMAT.to_owned(),
            ),
            (
                "server.tls.private-key.keystore.passphrase",
                key_store::PASSWORD.to_owned(),
            ),
            // Helidon would look for an entry of the name 1.
            (
                "server.tls.private-key.keystore.key.alias",
                key_store::ALIAS.to_owned(),
            ),
            (
                "server.tls.private-key.keystore.cert-chain.alias",
                key_store::ALIAS.to_owned(),
            ),
        ]);
    }
    known.extend(settings.named(Kind::Helidon));
    with_own(known, settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_properties_of_helidon() {
        let settings = Settings {
            accept_count: Some(10),
            max_connections: Some(300),
            ..Settings::default()
        };
        let all = properties(&settings, ([127, 0, 0, 1], 8123).into(), None);
        for (name, value) in [
            ("server.port", "8123"),
            ("server.backlog", "10"),
            ("server.max-tcp-connections", "300"),
        ] {
            assert!(
                all.contains(&(name.to_owned(), value.to_owned())),
                "{name}: {all:?}"
            );
        }
        assert_eq!(all.len(), 5, "{all:?}");
    }

    #[test]
    fn a_log_shows_what_runs_and_its_limits() {
        let helidon = Helidon { folder: "/a".into() };
        let log = "INFO: Helidon SE 4.3.0 features: [Config, WebServer]\nprony: listens for http\n\
                   prony: most requests at a time: -1\nprony: most connections: 300\n";
        let effective = helidon.effective(log);
        assert_eq!(effective.server.as_deref(), Some("Helidon/4.3.0"));
        assert_eq!(effective.virtual_threads, Some(Limit::None));
        assert_eq!(effective.max_connections, Some(Limit::At(300)));
    }
}
