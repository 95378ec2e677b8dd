//! A Jetty distribution: its base folder, its command, and the meaning of its log.
//!
//! Jetty's own `start.jar` starts it, because that knows the class path of the modules. It does not fork as long as no
//! module asks for JVM options.

use crate::error::{Error, FileAct};
use crate::files::catalog::template;
use crate::files::certificate::{Certificate, key_store};
use crate::files::log::Trouble;
use crate::files::tree;
use crate::programs::system::{StartContext, System, fresh, java, release_after};
use crate::tools::war;
use ask::arm::settings::Settings;
use ask::arm::{Http2Way, Threads};
use ask::kind::Kind;
use own::OwnBase;
use record::configuration::ConfigurationChange;
use record::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

mod own;

/// A Jetty distribution and the application that it serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jetty {
    /// The folder of the unpacked distribution.
    pub home: PathBuf,
    /// The WAR of the application; the base folder where that has the application.
    pub war: PathBuf,
    /// The modules that differ between its versions, by what they are for: `deploy`, `annotations`, `max_connections`, and `web_socket` if the WAR
    /// uses that.
    pub modules: BTreeMap<String, String>,
    /// The user's own base folder.
    pub base: Option<PathBuf>,
    /// The path of the application, where the arm says it.
    pub context_path: Option<String>,
}

impl System for Jetty {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        if let Some(own) = &self.base {
            return self.prepare_own(own, start);
        }
        let base = fresh(start.work, "base", &["resources", "start.d", "temp", "webapps", "work"])?;
        let name = own::deployed_name(self.context_path.as_deref().unwrap_or_default(), &self.war);
        let war = base.join("webapps").join(name);
        tree::copy(&self.war, &war).map_err(|error| Error::io(FileAct::Copy, &war, error))?;
        for (file, text) in [
            ("start.d/prony.ini", self.ini(start.settings, start.address(), start.certificate)),
            ("resources/jetty-logging.properties", template("jetty/jetty-logging.properties").to_owned()),
        ] {
            let path = base.join(file);
            fs::write(&path, text).map_err(|error| Error::io(FileAct::Write, &path, error))?;
        }
        let mut command = java(start, &base)?;
        command.arg("-jar").arg(self.home.join("start.jar"));
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        if line.contains("Address already in use") {
            return Some(Trouble::PortTaken);
        }
        // Jetty does not end when an application fails: it answers 503 for it.
        let failed = ["Failed startup of context", "Unable to start", "Unknown module"];
        failed.iter().any(|words| line.contains(words)).then_some(Trouble::Failed)
    }

    /// Its class is `oejs.Server` from 12 on and `Server` in 10 and 11; 9.4 writes only how long it took.
    fn is_up(&self, line: &str) -> bool {
        let started = line.split_once("Started ").map(|(_, started)| started);
        started
            .is_some_and(|what| ["oejs.Server@", "Server@", "@"].iter().any(|start| what.starts_with(start)))
    }

    fn effective(&self, log: &str) -> Effective {
        Effective {
            server: release_after(log, " jetty-").map(|version| format!("Jetty/{version}")),
            protocol_handler: connector(log),
            ..Effective::default()
        }
    }

    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        match &self.base {
            Some(_) => Ok(()), // The connectors are the user's, and so is what the log tells.
            None => check_connector(server, settings, log),
        }
    }

    fn encrypts_itself(&self) -> Result<bool, Error> {
        let own = self.base.as_deref().map(|base| OwnBase::read(base, &self.home)).transpose()?;
        Ok(own.is_some_and(|own| own.is_encrypted()))
    }

    fn application(&self) -> &Path {
        &self.war
    }
}

/// The connector in a log: `ServerConnector (ssl, http/1.1)` from `Started oejs.ServerConnector@1b2{SSL, (ssl,
/// http/1.1)}…`. It consists of the class and the layers of protocols, from the outside to the inside.
pub(crate) fn connector(log: &str) -> Option<String> {
    let mut lines = log.lines().filter_map(|line| line.split_once("Started "));
    let (class, rest) = lines
        .find_map(|(_, started)| started.split_once('@').filter(|(class, _)| class.ends_with("Connector")))?;
    let protocols = rest.split_once('(')?.1.split_once(')')?.0;
    let class = class.rsplit(['.', '$']).next().unwrap_or(class); // Spring Boot's is a nested class.
    Some(format!("{class} ({protocols})"))
}

/// Fails if the log of a Jetty does not name the connector that the arm asks for.
pub(crate) fn check_connector(server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
    let found = connector(log);
    let layers = found.iter().flat_map(|found| found.split(['(', ')'])).nth(1).unwrap_or_default();
    let has = |layer: &str| layers.split(", ").any(|one| one == layer);
    let speaks = |way: &Http2Way| has(way.id()) == (settings.http2_way() == Some(*way));
    if has("http/1.1") && has("ssl") == settings.tls.is_some() && Http2Way::ALL.iter().all(speaks) {
        return Ok(());
    }
    let asked = match (settings.tls, settings.http2_way()) {
        (_, Some(Http2Way::PriorKnowledge)) => "ServerConnector (http/1.1, h2c)",
        (_, Some(Http2Way::Alpn)) => "ServerConnector (ssl, alpn, h2, http/1.1)",
        (None, None) => "ServerConnector (http/1.1)",
        (Some(_), None) => "ServerConnector (ssl, http/1.1)",
    };
    Err(Error::other_handler(server, asked, found))
}

impl Jetty {
    /// Prepares a copy of the user's own base folder.
    fn prepare_own(&self, own: &Path, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp"])?;
        let own = OwnBase::read(own, &self.home)?;
        own.write(&base, self.own_war(), self.context_path.as_deref())?;
        let mut command = java(start, &base)?;
        command.arg("-jar").arg(self.home.join("start.jar")).args(own.properties(start.address()));
        Ok(command)
    }

    /// The WAR of the arm, where the application is not that of the base folder.
    fn own_war(&self) -> Option<&Path> {
        let war = (self.base.as_ref() != Some(&self.war)).then_some(&self.war);
        war.map(PathBuf::as_path)
    }

    /// What is changed in the user's own configuration.
    pub(crate) fn changes(&self) -> Result<Vec<ConfigurationChange>, Error> {
        let Some(base) = &self.base else {
            return Ok(Vec::new());
        };
        Ok(OwnBase::read(base, &self.home)?.changes(self.own_war(), self.context_path.as_deref())?)
    }

    /// The modules and settings for Jetty. Jetty's default applies to what the arm does not set.
    pub(super) fn ini(
        &self,
        settings: &Settings,
        at: SocketAddr,
        certificate: Option<&Certificate>,
    ) -> String {
        let own = |purpose: &str| self.modules.get(purpose).map(String::as_str);
        let mut modules = vec!["jmx"];
        modules.extend(own("deploy"));
        modules.extend(own("annotations"));
        modules.extend(own(WEB_SOCKET));
        // The names of the connector's settings contain the name of its module.
        let scheme = if certificate.is_some() { "ssl" } else { "http" };
        modules.push(if certificate.is_some() { "https" } else { "http" });
        let http2 = if certificate.is_some() { "http2" } else { "http2c" };
        modules.extend(settings.http2_way().map(|_| http2));
        let mut lines = vec![
            ("jetty.deploy.scanInterval".to_owned(), "0".to_owned()),
            (format!("jetty.{scheme}.host"), at.ip().to_string()),
            (format!("jetty.{scheme}.port"), at.port().to_string()),
        ];
        lines.extend(certificate.map(ssl_context).into_iter().flatten());
        let limits_by = own("max_connections");
        let named = settings.named(Kind::Jetty).map(|(name, value)| match limits_by {
            Some(OLD_LIMIT) if name == LIMIT_PROPERTY => (OLD_LIMIT_PROPERTY.to_owned(), value),
            _ => {
                let name = name.replace("jetty.http.", &format!("jetty.{scheme}."));
                (name.replace("jetty.http2c.", &format!("jetty.{http2}.")), value)
            }
        });
        lines.extend(named);
        if settings.threads == Some(Threads::Virtual) {
            modules.push("threadpool-virtual");
        }
        modules.extend(limits_by.filter(|_| settings.max_connections.is_some()));
        if settings.access_log.is_some() {
            modules.push("requestlog");
        }
        lines.extend(settings.properties.clone());
        let modules = modules.iter().map(|module| format!("--module={module}\n"));
        let lines = lines.into_iter().map(|(name, value)| format!("{name}={value}\n"));
        modules.chain(lines).collect()
    }
}

/// What the module is for that a WAR needs which uses WebSocket.
const WEB_SOCKET: &str = "web_socket";

/// The modules of a release for a WAR. Each module makes every start longer, so that the one for WebSocket is there only if the WAR uses that.
pub(super) fn modules_for(war: &Path, of_release: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut modules = of_release.clone();
    if !war::uses_web_socket(war) {
        modules.remove(WEB_SOCKET);
    }
    modules
}

/// The module that limits connections before 12.1, and the name of its setting.
const OLD_LIMIT: &str = "connectionlimit";
const OLD_LIMIT_PROPERTY: &str = "jetty.connectionlimit.maxConnections";
/// The setting of the module that does so from 12.1 on.
const LIMIT_PROPERTY: &str = "jetty.networkConnectionLimit.maxNetworkConnectionCount";

fn ssl_context(certificate: &Certificate) -> [(String, String); 3] {
    [
        ("jetty.sslContext.keyStorePath".to_owned(), certificate.store.display().to_string()),
        ("jetty.sslContext.keyStoreType".to_owned(), key_store::FORMAT.to_owned()),
        ("jetty.sslContext.keyStorePassword".to_owned(), key_store::PASSWORD.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::arm::{HttpVersion, TlsStack};

    fn jetty() -> Jetty {
        Jetty {
            home: "/j".into(),
            war: "/app.war".into(),
            modules: modules("network-connection-limit"),
            base: None,
            context_path: None,
        }
    }

    fn modules(limit: &str) -> BTreeMap<String, String> {
        let modules =
            [("deploy", "ee11-deploy"), ("annotations", "ee11-annotations"), ("max_connections", limit)];
        let owned = |(purpose, module): (&str, &str)| (purpose.to_owned(), module.to_owned());
        modules.map(owned).into()
    }

    #[test]
    fn only_the_settings_of_the_arm_are_written() {
        let mut settings = Settings::default();
        let plain = jetty().ini(&settings, ([127, 0, 0, 1], 8123).into(), None);
        assert!(plain.contains("jetty.http.port=8123\n"), "{plain}");
        assert!(!plain.contains("threadPool") && !plain.contains("connection-limit"), "{plain}");
        settings.threads = Some(Threads::Virtual);
        settings.accept_count = Some(10);
        settings.max_connections = Some(300);
        let tasks = "jetty.threadPool.virtual.maxConcurrentTasks";
        settings.properties.insert(tasks.to_owned(), "0".to_owned());
        let full = jetty().ini(&settings, ([127, 0, 0, 1], 8123).into(), None);
        for line in [
            "--module=ee11-deploy",
            "--module=ee11-annotations",
            "--module=threadpool-virtual",
            "--module=network-connection-limit",
            "jetty.http.acceptQueueSize=10",
            "jetty.networkConnectionLimit.maxNetworkConnectionCount=300",
            "jetty.threadPool.virtual.maxConcurrentTasks=0",
        ] {
            assert!(full.lines().any(|one| one == line), "{line} in {full}");
        }
        let old = Jetty { modules: modules(OLD_LIMIT), ..jetty() };
        let old = old.ini(&settings, ([127, 0, 0, 1], 8123).into(), None);
        assert!(
            old.contains("--module=connectionlimit\n")
                && old.contains("jetty.connectionlimit.maxConnections=300\n"),
            "{old}"
        );
    }

    #[test]
    fn the_connector_is_checked_by_the_log() {
        let mut settings = Settings::default();
        let line =
            |connector| format!("INFO :oejs.AbstractConnector:main: Started {connector}{{127.0.0.1:8123}}\n");
        let plain = line("oejs.ServerConnector@1b2{HTTP/1.1, (http/1.1)}");
        let encrypted = line("SslServerCustomizer$SslValidatingServerConnector@1b2{SSL, (ssl, http/1.1)}");
        let handler = jetty().effective(&encrypted).protocol_handler;
        assert_eq!(handler.as_deref(), Some("SslValidatingServerConnector (ssl, http/1.1)"));
        jetty().check("server:1", &settings, &plain).expect("as asked for");
        assert!(jetty().check("server:1", &settings, &encrypted).is_err());
        settings.tls = Some(TlsStack::Jsse);
        jetty().check("server:1", &settings, &encrypted).expect("as asked for");
        let error = jetty().check("server:1", &settings, &plain).expect_err("in the clear");
        let end = "runs `ServerConnector (http/1.1)` and not `ServerConnector (ssl, http/1.1)`, which was asked for";
        assert!(error.to_string().ends_with(end), "{error}");
        assert!(jetty().check("server:1", &settings, "").is_err(), "nothing proves it");
    }

    #[test]
    fn http2_is_a_module_of_its_own_and_checked_by_the_log() {
        let mut settings =
            Settings { http: Some(HttpVersion::Two), max_streams: Some(7), ..Settings::default() };
        let clear = jetty().ini(&settings, ([127, 0, 0, 1], 8123).into(), None);
        for line in ["--module=http", "--module=http2c", "jetty.http2c.maxConcurrentStreams=7"] {
            assert!(clear.lines().any(|one| one == line), "{line} in {clear}");
        }
        let line = |protocols: &str| {
            format!(
                "INFO :oejs.AbstractConnector:main: Started oejs.ServerConnector@1b2{{X, ({protocols})}}{{127.0.0.1:8123}}\n"
            )
        };
        jetty().check("server:1", &settings, &line("http/1.1, h2c")).expect("as asked for");
        let error = jetty().check("server:1", &settings, &line("http/1.1")).expect_err("HTTP/1.1 only");
        assert!(error.to_string().contains("`ServerConnector (http/1.1, h2c)`"), "{error}");
        settings.tls = Some(TlsStack::Jsse);
        jetty().check("server:1", &settings, &line("ssl, alpn, h2, http/1.1")).expect("as asked for");
        assert!(jetty().check("server:1", &settings, &line("ssl, http/1.1")).is_err());
        settings.http = None;
        assert!(jetty().check("server:1", &settings, &line("ssl, alpn, h2, http/1.1")).is_err(), "unasked");
    }

    #[test]
    fn a_log_shows_the_version_and_failures() {
        let jetty = jetty();
        let log = "2026-11-21 10:00:00.000:INFO :oejs.Server:main: jetty-12.1.12; built: x; jvm 25\n";
        assert_eq!(jetty.effective(log).server.as_deref(), Some("Jetty/12.1.12"));
        for line in [
            "INFO :oejs.Server:main: Started oejs.Server@1b{STARTING}[12.1.12,sto=0] @1234ms",
            "INFO :oejs.Server:main: Started Server@1b{STARTING}[11.0.24,sto=0] @1234ms",
            "INFO:oejs.Server:main: Started @1234ms",
        ] {
            assert!(jetty.is_up(line), "{line}");
        }
        let connector =
            "INFO:oejs.AbstractConnector:main: Started ServerConnector@1b{HTTP/1.1, (http/1.1)}{127.0.0.1:8}";
        assert!(!jetty.is_up(connector));
        assert_eq!(
            jetty.trouble("Caused by: java.net.BindException: Address already in use"),
            Some(Trouble::PortTaken)
        );
        assert_eq!(
            jetty.trouble("WARN :oeje11w.WebAppContext:main: Failed startup of context x"),
            Some(Trouble::Failed)
        );
    }
}
