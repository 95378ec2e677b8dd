//! Micronaut, started by the launcher in `apps/`. It reads its settings from system properties.

use crate::error::Error;
use crate::files::certificate::{Certificate, key_store};
use crate::files::log::Trouble;
use crate::programs::launcher;
use crate::programs::system::{
    StartContext, System, fresh, java, release_after, system_properties, with_own,
};
use model::arm::Threads;
use model::arm::settings::Settings;
use model::kind::Kind;
use model::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An application on Micronaut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Micronaut {
    /// The executable jar of the application with its server.
    pub jar: PathBuf,
}

impl System for Micronaut {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = java(start, &base)?;
        let properties = properties(start.settings, start.address(), start.certificate);
        command.args(system_properties(properties));
        command.arg("-jar").arg(&self.jar);
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        let failed = || {
            line.contains("Error starting Micronaut server")
                .then_some(Trouble::Failed)
        };
        launcher::trouble(line).or_else(failed)
    }

    fn is_up(&self, line: &str) -> bool {
        line.contains("Startup completed in ")
    }

    fn effective(&self, log: &str) -> Effective {
        Effective {
            server: release_after(log, "prony: runs Micronaut ")
                .map(|version| format!("Micronaut/{version}")),
            protocol_handler: scheme(log),
            virtual_threads: launcher::virtual_threads(log),
            ..Effective::default()
        }
    }

    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        launcher::check_scheme(server, settings, scheme(log))
    }

    fn application(&self) -> &Path {
        &self.jar
    }
}

/// The scheme in `Server Running: http://127.0.0.1:8080`.
fn scheme(log: &str) -> Option<String> {
    let (_, address) = log.split_once("Server Running: ")?;
    Some(address.split_once("://")?.0.to_owned())
}

/// The settings of the arm as properties of Micronaut. Micronaut's default applies to what the arm does not set.
fn properties(
    settings: &Settings,
    at: SocketAddr,
    certificate: Option<&Certificate>,
) -> Vec<(String, String)> {
    let mut known = vec![("micronaut.server.host", at.ip().to_string())];
    match certificate {
        Some(certificate) => known.extend([
            ("micronaut.server.ssl.enabled", "true".to_owned()),
            ("micronaut.server.ssl.port", at.port().to_string()),
            (
                "micronaut.server.ssl.key-store.path",
                format!("file:{}", certificate.store.display()),
            ),
            (
                "micronaut.server.ssl.key-store.type",
                key_store::FORMAT.to_owned(),
            ),
            (
                "micronaut.server.ssl.key-store.password",
                key_store::PASSWORD.to_owned(),
            ),
        ]),
        None => known.push(("micronaut.server.port", at.port().to_string())),
    }
    if settings.threads == Some(Threads::Virtual) {
        // By default methods run on the event loops. This moves them to the executor for blocking work, whose threads are virtual.
        known.push(("micronaut.server.thread-selection", "blocking".to_owned()));
    }
    known.extend(settings.named(Kind::Micronaut));
    with_own(known, settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_become_properties_of_micronaut() {
        let mut settings = Settings {
            threads: Some(Threads::Platform(2)),
            ..Settings::default()
        };
        let has = |settings: &Settings, name: &str, value: &str| {
            properties(settings, ([127, 0, 0, 1], 8123).into(), None)
                .contains(&(name.to_owned(), value.to_owned()))
        };
        assert!(has(&settings, "micronaut.server.port", "8123"));
        let loops = "micronaut.netty.event-loops.default.num-threads";
        assert!(has(&settings, loops, "2"));
        settings.threads = Some(Threads::Virtual);
        assert!(has(&settings, "micronaut.server.thread-selection", "blocking"));
    }

    #[test]
    fn a_log_shows_what_runs() {
        let micronaut = Micronaut { jar: "/a.jar".into() };
        let log = "prony: runs Micronaut 4.7.1\n10:00:00.000 [main] INFO  io.micronaut.runtime.Micronaut - \
                   Startup completed in 612ms. Server Running: https://127.0.0.1:8123\n";
        let effective = micronaut.effective(log);
        assert_eq!(effective.server.as_deref(), Some("Micronaut/4.7.1"));
        assert_eq!(effective.protocol_handler.as_deref(), Some("https"));
        assert!(log.lines().any(|line| micronaut.is_up(line)));
        assert!(
            micronaut.check("server:1", &Settings::default(), log).is_err(),
            "it encrypts unasked"
        );
    }
}
