//! A Jetty distribution: its base folder, its command, and what its log means.
//!
//! It is started by its own `start.jar`, which knows the class path of its modules and does not fork as long as no module
//! asks for options of the JVM.

use crate::error::Error;
use crate::files::catalog::template;
use crate::files::certificate::{Certificate, key_store};
use crate::files::log::Trouble;
use crate::programs::system::{Start, System, fresh, java, release_after};
use model::arm::Threads;
use model::arm::settings::Settings;
use model::kind::Kind;
use model::outcome::Effective;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Jetty distribution and the application that it serves as its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jetty {
    /// Its unpacked tree.
    pub home: PathBuf,
    /// The application.
    pub war: PathBuf,
}

impl System for Jetty {
    fn prepare(&self, start: &Start<'_>) -> Result<Command, Error> {
        let base = fresh(
            start.work,
            "base",
            &["resources", "start.d", "temp", "webapps", "work"],
        )?;
        let war = base.join("webapps/ROOT.war");
        fs::copy(&self.war, &war).map_err(|error| Error::io("copy", &war, error))?;
        for (file, text) in [
            (
                "start.d/prony.ini",
                ini(start.settings, start.port, start.certificate),
            ),
            (
                "resources/jetty-logging.properties",
                template("jetty/jetty-logging.properties").to_owned(),
            ),
        ] {
            let path = base.join(file);
            fs::write(&path, text).map_err(|error| Error::io("write", &path, error))?;
        }
        let mut command = java(start, &base)?;
        command.arg("-jar").arg(self.home.join("start.jar"));
        Ok(command)
    }

    fn judge(&self, line: &str) -> Option<Trouble> {
        if line.contains("Address already in use") {
            return Some(Trouble::PortTaken);
        }
        // Jetty answers 503 for an application that failed, and lives on.
        let failed = ["Failed startup of context", "Unable to start", "Unknown module"];
        failed
            .iter()
            .any(|words| line.contains(words))
            .then_some(Trouble::Failed)
    }

    fn is_up(&self, line: &str) -> bool {
        line.contains("Started oejs.Server@")
    }

    fn said(&self, log: &str) -> Effective {
        Effective {
            server: release_after(log, " jetty-").map(|version| format!("Jetty/{version}")),
            protocol_handler: connector(log),
            ..Effective::default()
        }
    }

    fn prove(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        prove_connector(server, settings, log)
    }

    fn application(&self) -> &Path {
        &self.war
    }
}

/// `ServerConnector (ssl, http/1.1)`, from `Started oejs.ServerConnector@1b2{SSL, (ssl, http/1.1)}{127.0.0.1:8443}`: the class,
/// and what the connector peels off one after the other.
pub(crate) fn connector(log: &str) -> Option<String> {
    let mut lines = log.lines().filter_map(|line| line.split_once("Started "));
    let (class, rest) = lines.find_map(|(_, said)| {
        said.split_once('@')
            .filter(|(class, _)| class.ends_with("Connector"))
    })?;
    let protocols = rest.split_once('(')?.1.split_once(')')?.0;
    let class = class.rsplit(['.', '$']).next().unwrap_or(class); // Boot's own is a class within a class.
    Some(format!("{class} ({protocols})"))
}

/// Refuses a Jetty whose log names another connector than the arm asks for.
pub(crate) fn prove_connector(server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
    let found = connector(log);
    let is = |what: &str| found.as_ref().is_some_and(|found| found.contains(what));
    if is("http/1.1") && is("(ssl, ") == settings.tls.is_some() {
        return Ok(());
    }
    let asked = settings.tls.map_or(
        "ServerConnector (http/1.1)",
        |_| "ServerConnector (ssl, http/1.1)",
    );
    Err(Error::other_handler(server, asked, found))
}

/// Modules and settings. What the arm does not set is left out, so that Jetty's default rules.
fn ini(settings: &Settings, port: u16, certificate: Option<&Certificate>) -> String {
    // Annotations: without them an application that registers its servlets by code deploys, and answers with a listing.
    let mut modules = vec!["ee11-deploy", "ee11-annotations", "jmx"];
    // The connector's settings have the module's name in theirs.
    let scheme = if certificate.is_some() { "ssl" } else { "http" };
    modules.push(if certificate.is_some() { "https" } else { "http" });
    let mut lines = vec![
        ("jetty.deploy.scanInterval".to_owned(), "0".to_owned()),
        (format!("jetty.{scheme}.host"), "127.0.0.1".to_owned()),
        (format!("jetty.{scheme}.port"), port.to_string()),
    ];
    lines.extend(certificate.map(ssl_context).into_iter().flatten());
    let named = settings.named(Kind::Jetty);
    lines
        .extend(named.map(|(name, value)| (name.replace("jetty.http.", &format!("jetty.{scheme}.")), value)));
    if settings.threads == Some(Threads::Virtual) {
        modules.push("threadpool-virtual");
    }
    if settings.max_connections.is_some() {
        modules.push("network-connection-limit");
    }
    if settings.access_log.is_some() {
        modules.push("requestlog");
    }
    lines.extend(settings.properties.clone());
    let modules = modules.iter().map(|module| format!("--module={module}\n"));
    let lines = lines.into_iter().map(|(name, value)| format!("{name}={value}\n"));
    modules.chain(lines).collect()
}

fn ssl_context(certificate: &Certificate) -> [(String, String); 3] {
    [
        (
            "jetty.sslContext.keyStorePath".to_owned(),
            certificate.store.display().to_string(),
        ),
        (
            "jetty.sslContext.keyStoreType".to_owned(),
            key_store::FORMAT.to_owned(),
        ),
        (
            "jetty.sslContext.keyStorePassword".to_owned(),
            key_store::PASSWORD.to_owned(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::arm::TlsStack;

    fn jetty() -> Jetty {
        Jetty {
            home: "/j".into(),
            war: "/app.war".into(),
        }
    }

    #[test]
    fn what_the_arm_sets_is_set_and_nothing_else() {
        let mut settings = Settings::default();
        let plain = ini(&settings, 8123, None);
        assert!(plain.contains("jetty.http.port=8123\n"), "{plain}");
        assert!(
            !plain.contains("threadPool") && !plain.contains("connection-limit"),
            "{plain}"
        );
        settings.threads = Some(Threads::Virtual);
        settings.accept_count = Some(10);
        settings.max_connections = Some(300);
        let tasks = "jetty.threadPool.virtual.maxConcurrentTasks";
        settings.properties.insert(tasks.to_owned(), "0".to_owned());
        let full = ini(&settings, 8123, None);
        for line in [
            "--module=threadpool-virtual",
            "--module=network-connection-limit",
            "jetty.http.acceptQueueSize=10",
            "jetty.networkConnectionLimit.maxNetworkConnectionCount=300",
            "jetty.threadPool.virtual.maxConcurrentTasks=0",
        ] {
            assert!(full.lines().any(|one| one == line), "{line} in {full}");
        }
    }

    #[test]
    fn its_connector_is_proved_by_its_log() {
        let mut settings = Settings::default();
        let line =
            |connector| format!("INFO :oejs.AbstractConnector:main: Started {connector}{{127.0.0.1:8123}}\n");
        let plain = line("oejs.ServerConnector@1b2{HTTP/1.1, (http/1.1)}");
        let encrypted = line("SslServerCustomizer$SslValidatingServerConnector@1b2{SSL, (ssl, http/1.1)}");
        let said = jetty().said(&encrypted).protocol_handler;
        assert_eq!(
            said.as_deref(),
            Some("SslValidatingServerConnector (ssl, http/1.1)")
        );
        jetty()
            .prove("server:1", &settings, &plain)
            .expect("as asked for");
        assert!(jetty().prove("server:1", &settings, &encrypted).is_err());
        settings.tls = Some(TlsStack::Jsse);
        jetty()
            .prove("server:1", &settings, &encrypted)
            .expect("as asked for");
        let error = jetty()
            .prove("server:1", &settings, &plain)
            .expect_err("in the clear");
        let said = "runs `ServerConnector (http/1.1)` and not `ServerConnector (ssl, http/1.1)`, which was asked for";
        assert!(error.to_string().ends_with(said), "{error}");
        assert!(
            jetty().prove("server:1", &settings, "").is_err(),
            "nothing proves it"
        );
    }

    #[test]
    fn a_log_says_what_runs_and_what_failed() {
        let jetty = jetty();
        let log = "2026-11-21 10:00:00.000:INFO :oejs.Server:main: jetty-12.1.12; built: x; jvm 25\n";
        assert_eq!(jetty.said(log).server.as_deref(), Some("Jetty/12.1.12"));
        assert!(
            jetty.is_up("INFO :oejs.Server:main: Started oejs.Server@1b{STARTING}[12.1.12,sto=0] @1234ms")
        );
        assert_eq!(
            jetty.judge("Caused by: java.net.BindException: Address already in use"),
            Some(Trouble::PortTaken)
        );
        assert_eq!(
            jetty.judge("WARN :oeje11w.WebAppContext:main: Failed startup of context x"),
            Some(Trouble::Failed)
        );
    }
}
