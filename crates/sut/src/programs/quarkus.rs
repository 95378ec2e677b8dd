//! Quarkus, which builds the application into a folder and starts it itself. It reads its settings from system properties.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::log::Trouble;
use crate::programs::command::port_taken;
use crate::programs::launcher;
use crate::programs::system::{
    StartContext, System, fresh, java, release_after, system_properties, with_own,
};
use model::arm::settings::Settings;
use model::kind::Kind;
use model::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An application on Quarkus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarkus {
    /// The folder that Quarkus has built.
    pub folder: PathBuf,
}

impl System for Quarkus {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = java(start, &base)?;
        let properties = properties(start.settings, start.address(), start.certificate);
        command.args(system_properties(properties));
        command.arg("-jar").arg(self.folder.join("quarkus-run.jar"));
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        let taken = || {
            line.contains("seems to be in use by another process")
                .then_some(Trouble::PortTaken)
        };
        let failed = || {
            line.contains("Failed to start application")
                .then_some(Trouble::Failed)
        };
        port_taken(line).or_else(taken).or_else(failed)
    }

    fn is_up(&self, line: &str) -> bool {
        line.contains(BANNER) && line.contains("started in")
    }

    fn effective(&self, log: &str) -> Effective {
        Effective {
            server: release_after(log, BANNER).map(|version| format!("Quarkus/{version}")),
            protocol_handler: scheme(log),
            virtual_threads: launcher::virtual_threads(log),
            ..Effective::default()
        }
    }

    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        launcher::check_scheme(server, settings, scheme(log))
    }

    fn application(&self) -> &Path {
        &self.folder
    }
}

/// What stands before the version in the line that Quarkus logs when it is up.
const BANNER: &str = "(powered by Quarkus ";

/// The scheme in `Listening on: https://127.0.0.1:8443`.
fn scheme(log: &str) -> Option<String> {
    let (_, address) = log.split_once("Listening on: ")?;
    Some(address.split_once("://")?.0.to_owned())
}

/// The settings of the arm as properties of Quarkus. Quarkus's default applies to what the arm does not set.
fn properties(
    settings: &Settings,
    at: SocketAddr,
    certificate: Option<&Certificate>,
) -> Vec<(String, String)> {
    let mut known = vec![("quarkus.http.host", at.ip().to_string())];
    match certificate {
        Some(certificate) => known.extend([
            ("quarkus.http.ssl-port", at.port().to_string()),
            ("quarkus.http.insecure-requests", "disabled".to_owned()),
            (
                "quarkus.http.ssl.certificate.files",
                certificate.file.display().to_string(),
            ),
            (
                "quarkus.http.ssl.certificate.key-files",
                certificate.key.display().to_string(),
            ),
        ]),
        None => known.push(("quarkus.http.port", at.port().to_string())),
    }
    known.extend(settings.named(Kind::Quarkus));
    with_own(known, settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::arm::Threads;

    #[test]
    fn settings_become_properties_of_quarkus() {
        let settings = Settings {
            threads: Some(Threads::Platform(50)),
            accept_count: Some(10),
            ..Settings::default()
        };
        let all = properties(&settings, ([127, 0, 0, 1], 8123).into(), None);
        for (name, value) in [
            ("quarkus.http.port", "8123"),
            ("quarkus.thread-pool.max-threads", "50"),
            ("quarkus.http.accept-backlog", "10"),
        ] {
            assert!(
                all.contains(&(name.to_owned(), value.to_owned())),
                "{name}: {all:?}"
            );
        }
    }

    #[test]
    fn a_log_shows_what_runs() {
        let quarkus = Quarkus { folder: "/a".into() };
        let line = "2026-11-23 10:00:00,1 INFO  [io.quarkus] (main) hello 1 on JVM (powered by Quarkus 3.15.1) \
                    started in 0.9s. Listening on: https://127.0.0.1:8123";
        assert!(quarkus.is_up(line));
        let effective = quarkus.effective(line);
        assert_eq!(effective.server.as_deref(), Some("Quarkus/3.15.1"));
        assert_eq!(effective.protocol_handler.as_deref(), Some("https"));
        assert!(
            quarkus.check("server:1", &Settings::default(), line).is_err(),
            "it encrypts unasked"
        );
        let taken = "ERROR [io.quarkus.runtime.ApplicationLifecycleManager] (main) Port 8123 seems to be in use by another process.";
        assert_eq!(quarkus.trouble(taken), Some(Trouble::PortTaken));
    }
}
