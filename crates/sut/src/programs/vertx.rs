//! Vert.x, started by the launcher in `apps/`: an executable jar that reads its settings from arguments NAME=VALUE.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::log::Trouble;
use crate::programs::launcher;
use crate::programs::system::{StartContext, System, fresh, java, release_after, with_own};
use model::arm::settings::Settings;
use model::kind::Kind;
use model::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An application on Vert.x.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vertx {
    /// The executable jar of the application with its server.
    pub jar: PathBuf,
}

impl System for Vertx {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let mut command = java(start, &base)?;
        command.arg("-jar").arg(&self.jar);
        let arguments = arguments(start.settings, start.address(), start.certificate).into_iter();
        command.args(arguments.map(|(name, value)| format!("{name}={value}")));
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
            server: release_after(log, "prony: runs Vert.x ").map(|version| format!("Vert.x/{version}")),
            protocol_handler: launcher::scheme(log),
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

/// The arguments for the launcher: fields of Vert.x's HttpServerOptions, and what the launcher itself takes. Vert.x's default
/// applies to what the arm does not set.
fn arguments(
    settings: &Settings,
    at: SocketAddr,
    certificate: Option<&Certificate>,
) -> Vec<(String, String)> {
    let path = |file: &Path| file.display().to_string();
    let mut known = vec![("port", at.port().to_string())];
    known.extend((!at.ip().is_loopback()).then(|| ("host", at.ip().to_string())));
    known.extend(certificate.map(|certificate| ("certificate", path(&certificate.file))));
    known.extend(certificate.map(|certificate| ("key", path(&certificate.key))));
    known.extend(settings.named(Kind::Vertx));
    with_own(known, settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::arm::Threads;

    #[test]
    fn settings_become_arguments_of_the_launcher() {
        let mut settings = Settings::default();
        let plain = arguments(&settings, ([127, 0, 0, 1], 8123).into(), None);
        assert_eq!(plain, [("port".to_owned(), "8123".to_owned())]);
        settings.threads = Some(Threads::Platform(2));
        settings.accept_count = Some(10);
        let own = ("acceptBacklog".to_owned(), "20".to_owned());
        settings.properties.extend([own.clone()]);
        let all = arguments(&settings, ([127, 0, 0, 1], 8123).into(), None);
        assert_eq!(all[1], ("instances".to_owned(), "2".to_owned()));
        assert_eq!(all[2..], [own], "the arm's own property replaces ours");
    }

    #[test]
    fn a_log_shows_what_runs() {
        let vertx = Vertx { jar: "/a.jar".into() };
        let log = "prony: runs Vert.x 5.0.4 with 1 instances of the verticle\nprony: listens for http\n";
        let effective = vertx.effective(log);
        assert_eq!(effective.server.as_deref(), Some("Vert.x/5.0.4"));
        assert_eq!(effective.protocol_handler.as_deref(), Some("http"));
        assert!(vertx.check("server:1", &Settings::default(), log).is_ok());
    }
}
