//! Undertow, embedded by the launcher in `apps/`: an executable jar that reads its settings from arguments NAME=VALUE.

use crate::error::Error;
use crate::files::certificate::{Certificate, key_store};
use crate::files::log::Trouble;
use crate::programs::launcher;
use crate::programs::system::{StartContext, System, fresh, java, release_after};
use model::arm::Threads;
use model::arm::settings::Settings;
use model::kind::Kind;
use model::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An application in an embedded Undertow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undertow {
    /// The executable jar of the application with its server.
    pub jar: PathBuf,
}

impl System for Undertow {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = java(start, &base)?;
        command.arg("-jar").arg(&self.jar);
        command.args(arguments(start.settings, start.address(), start.certificate));
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        launcher::trouble(line)
    }

    fn is_up(&self, line: &str) -> bool {
        launcher::is_up(line)
    }

    fn effective(&self, log: &str) -> Effective {
        Effective {
            server: version(log),
            protocol_handler: launcher::scheme(log),
            virtual_threads: launcher::virtual_threads(log),
            ..Effective::default()
        }
    }

    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        launcher::check_scheme(server, settings, launcher::scheme(log))
    }

    fn application(&self) -> &Path {
        &self.jar
    }
}

/// The name and version in a log: `Undertow/2.3.26.Final`.
pub(crate) fn version(log: &str) -> Option<String> {
    release_after(log, "Undertow - ").map(|version| format!("Undertow/{version}"))
}

/// The arguments for the launcher. Undertow's default applies to what the arm does not set.
fn arguments(arm: &Settings, at: SocketAddr, certificate: Option<&Certificate>) -> Vec<String> {
    let virtual_threads = arm.threads == Some(Threads::Virtual);
    let known = [
        ("port", Some(at.port().to_string())),
        ("host", (!at.ip().is_loopback()).then(|| at.ip().to_string())),
        ("threads", virtual_threads.then(|| "virtual".to_owned())),
        (
            "key-store",
            certificate.map(|certificate| certificate.store.display().to_string()),
        ),
        (
            "key-store-type",
            certificate.map(|_| key_store::FORMAT.to_owned()),
        ),
        (
            "key-store-password",
            certificate.map(|_| key_store::PASSWORD.to_owned()),
        ),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let ours = known
        .chain(arm.named(Kind::Undertow))
        .map(|(name, value)| format!("{name}={value}"));
    let further = arm
        .properties
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    ours.chain(further).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::arm::TlsStack;
    use model::outcome::Limit;

    #[test]
    fn only_the_settings_of_the_arm_are_written() {
        let mut settings = Settings::default();
        assert_eq!(
            arguments(&settings, ([127, 0, 0, 1], 8123).into(), None),
            ["port=8123"]
        );
        settings.threads = Some(Threads::Virtual);
        settings.max_connections = Some(300);
        assert_eq!(
            arguments(&settings, ([127, 0, 0, 1], 8123).into(), None),
            ["port=8123", "threads=virtual", "max-connections=300"]
        );
    }

    #[test]
    fn a_log_shows_what_runs() {
        let undertow = Undertow { jar: "/a.jar".into() };
        let log = "INFO: starting server: Undertow - 2.3.26.Final\nprony: listens for https\n\
                   prony: requests are served by java.util.concurrent.ThreadPerTaskExecutor\n";
        let effective = undertow.effective(log);
        assert_eq!(effective.server.as_deref(), Some("Undertow/2.3.26.Final"));
        assert_eq!(effective.virtual_threads, Some(Limit::None));
        assert_eq!(effective.protocol_handler.as_deref(), Some("https"));
        let mut settings = Settings::default();
        let error = undertow
            .check("server:1", &settings, log)
            .expect_err("it encrypts unasked");
        let expected = "server:1 runs `https` and not `http`, which was asked for";
        assert_eq!(error.to_string(), expected);
        settings.tls = Some(TlsStack::Jsse);
        undertow.check("server:1", &settings, log).expect("as asked for");
        assert!(
            undertow.check("server:1", &settings, "").is_err(),
            "nothing proves it"
        );
    }
}
