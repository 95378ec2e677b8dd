//! A Tomcat distribution: its base folder, its command, and the meaning of its log.
//!
//! Its own `catalina.sh run` starts it and not `java` directly. The script knows the class path, the `--add-opens` and the
//! system properties that *this* version needs (they differ between versions), so a new version needs no code here. It
//! `exec`s Java, so our child is the JVM and the guard's death signal stays set. The cost is 6 to 20 ms of shell in the
//! start-up time (measured), the same for every Tomcat.

use crate::error::{Error, FileAct};
use crate::files::catalog::template;
use crate::files::certificate::Certificate;
use crate::files::log::Trouble;
use crate::programs::jvm::Gc;
use crate::programs::system::{StartContext, System, fresh};
use ask::arm::settings::Settings;
use ask::arm::{AccessLog, Http2Way};
use ask::configuration::OwnConfiguration;
pub use attributes::ConnectorAttributes;
use minijinja::{Environment, context};
use own::OwnFiles;
use record::configuration::ConfigurationChange;
use record::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

mod attributes;
mod connector;
mod own;
mod server_xml;

/// A Tomcat distribution and the application that it serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tomcat {
    /// The folder of the unpacked distribution.
    pub home: PathBuf,
    /// The WAR of the application.
    pub war: PathBuf,
    /// Whether Tomcat migrates the WAR from javax to jakarta at every start.
    pub migrates: bool,
    /// What reports print after the version: that the distribution is assembled.
    pub label: Option<String>,
    /// The user's own configuration of it.
    pub own: OwnConfiguration,
    /// The path of the application, where the arm says it.
    pub context_path: Option<String>,
}

impl System for Tomcat {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = self.prepare_base(start)?;
        let mut options = start.java_options()?;
        if let Some(tcnative) = start.tcnative {
            let folder = base.join("native");
            tcnative.link(&folder)?;
            options.push(format!("-Djava.library.path={}", folder.display()));
        }
        let mut command = start.command(self.home.join("bin/catalina.sh"));
        command.arg("run").current_dir(&base).env("CATALINA_HOME", &self.home).env("CATALINA_BASE", &base);
        match &self.own.setenv {
            None => command.env("CATALINA_OPTS", quoted(&options)),
            Some(_) => {
                let collector = start.jvm.gc.map(Gc::option);
                let (heap, others): (Vec<String>, Vec<String>) =
                    options.into_iter().partition(|option| option.starts_with("-Xm"));
                options = others;
                options.retain(|option| Some(option.as_str()) != collector);
                command.env(own::HEAP, heap.join(" "));
                let collector = collector.map_or_else(String::new, str::to_owned);
                command.env(own::OPTIONS, quoted(&options)).env(own::COLLECTOR, collector)
            }
        };
        Ok(command)
    }

    /// Tomcat does not end when its connector fails, so only the log tells.
    fn trouble(&self, line: &str) -> Option<Trouble> {
        match self.own.has_server_xml() {
            true => trouble_of_own(line),
            false => trouble(line),
        }
    }

    fn is_up(&self, line: &str) -> bool {
        line.contains("Server startup in")
    }

    fn effective(&self, log: &str) -> Effective {
        let words = version(log).into_iter().chain(self.label.clone());
        let server = words.collect::<Vec<_>>().join(", ");
        Effective {
            server: (!server.is_empty()).then_some(server),
            protocol_handler: self.handler_in(log),
            tls: libraries(log),
            ..Effective::default()
        }
    }

    /// Tomcat uses the libraries that it finds installed, and only its log tells which.
    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        match self.own.has_server_xml() {
            true => Ok(()), // The connectors are the user's, and so is what the log tells.
            false => check_handler(server, settings, log),
        }
    }

    fn encrypts_itself(&self) -> Result<bool, Error> {
        Ok(self.own_files()?.is_some_and(|files| files.is_encrypted()))
    }

    fn application(&self) -> &Path {
        &self.war
    }
}

/// Fails if the log of a Tomcat does not name the connector that the arm asks for.
pub(crate) fn check_handler(server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
    let asked = connector::handler(settings);
    // The connector of Tomcat 7 blocks, where the arm names none.
    let is_default = |found: &str| settings.connector.is_none() && found == "http-bio";
    match protocol_handler(log).map(|name| with_http2(name, log)) {
        Some(found) if found == asked || is_default(&found) => Ok(()),
        found => Err(Error::other_handler(server, &asked, found)),
    }
}

impl Tomcat {
    /// Prepares the folder CATALINA_BASE.
    fn prepare_base(&self, start: &StartContext<'_>) -> Result<PathBuf, Error> {
        let folders = ["bin", "conf", "lib", "logs", "native", "temp", "work", "webapps", "webapps-javaee"];
        let base = fresh(start.work, "base", &folders)?;
        let conf = base.join("conf");
        // These are the distribution's defaults for applications; we replace the rest of its conf, the server.xml.
        for file in ["web.xml", "context.xml", "catalina.properties"] {
            own::copy(&self.home.join("conf").join(file), &conf.join(file))?;
        }
        // The user's own server.xml may name the other files of the distribution, such as its users.
        if self.own.has_server_xml() {
            own::copy_distribution(&self.home.join("conf"), &conf)?;
        }
        write(&conf.join("logging.properties"), template("tomcat/logging.properties"))?;
        let path = self.context_path.as_deref();
        match OwnFiles::read(&self.own, &self.war, path, start.address())? {
            Some(files) => files.write(&base, &self.war, path, self.migrates)?,
            None => {
                let deployed = if self.migrates { own::MIGRATED } else { "webapps" };
                let name = own::deployed_name(path.unwrap_or_default(), &self.war);
                own::copy(&self.war, &base.join(deployed).join(name))?;
                let xml = server_xml(start.settings, start.address(), start.certificate);
                write(&conf.join("server.xml"), &xml)?;
            }
        }
        own::copy_parts(&self.own, &base)?;
        Ok(base)
    }

    /// What is changed in the user's own configuration.
    pub(crate) fn changes(&self) -> Result<Vec<ConfigurationChange>, Error> {
        Ok(self.own_files()?.map(OwnFiles::changes).unwrap_or_default())
    }

    /// The user's own files, to be looked at.
    fn own_files(&self) -> Result<Option<OwnFiles<'_>>, Error> {
        let anywhere = (Ipv4Addr::LOCALHOST, 0).into();
        Ok(OwnFiles::read(&self.own, &self.war, self.context_path.as_deref(), anywhere)?)
    }

    /// The attributes of the connectors for HTTP in the user's own server.xml.
    pub fn own_attributes(&self) -> Result<Vec<String>, Error> {
        Ok(self.own_files()?.map(OwnFiles::attributes).unwrap_or_default())
    }

    /// The protocol handler in its log; of several in the user's own configuration the one that is loaded.
    fn handler_in(&self, log: &str) -> Option<String> {
        if !self.own.has_server_xml() {
            return protocol_handler(log).map(|name| with_http2(name, log));
        }
        let started = log.split("Starting ProtocolHandler [\"").skip(1);
        let names = started.filter_map(|rest| rest.split('"').next());
        let names: Vec<&str> = names.map(handler).filter(|name| name.starts_with("http")).collect();
        let plain = names.iter().find(|name| name.starts_with("http-"));
        plain.or(names.first()).map(|name| (*name).to_owned())
    }
}

pub(super) fn server_xml(
    settings: &Settings,
    address: SocketAddr,
    certificate: Option<&Certificate>,
) -> String {
    let mut environment = Environment::new();
    let added = environment.add_template("server.xml", template("tomcat/server.xml"));
    let values = context! {
        address => address.ip().to_string(),
        port => address.port(),
        attributes => connector::attributes(settings),
        http2 => settings.http2_way().is_some(),
        upgrade => connector::upgrade_attributes(settings),
        listener => connector::listener(settings),
        certificate => certificate.map(|certificate| certificate.file.display().to_string()),
        key => certificate.map(|certificate| certificate.key.display().to_string()),
        access_log => settings.access_log.is_some(),
        buffered => (settings.access_log != Some(AccessLog::Unbuffered)).to_string(),
    };
    added
        .and_then(|()| environment.get_template("server.xml")?.render(values))
        .unwrap_or_else(|error| panic!("catalog/tomcat/server.xml: {error}"))
}

/// The arguments as one quoted word for `catalina.sh`, which passes it to `eval`.
fn quoted(arguments: &[String]) -> String {
    let quote = |argument: &String| format!("'{}'", argument.replace('\'', r"'\''"));
    arguments.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::io(FileAct::Write, path, error))
}

fn trouble(line: &str) -> Option<Trouble> {
    if line.contains("Address already in use") {
        return Some(Trouble::PortTaken);
    }
    let failed = ["Failed to initialize component", "Failed to start component"];
    if line.contains("SEVERE") || failed.iter().any(|words| line.contains(words)) {
        return Some(Trouble::Failed);
    }
    let ignored = [
        "SetPropertiesRule",
        "SetAllPropertiesRule",
        "did not find a matching property",
        "failed to set property",
    ];
    if line.contains("WARNING") && ignored.iter().any(|words| line.contains(words)) {
        return Some(Trouble::Failed);
    }
    None
}

/// What a line of the log tells of a Tomcat with the user's own configuration. Of that, something may fail on this machine that is not measured,
/// such as a connector whose key store is elsewhere, or is not known to this version, and the server runs all the same, as it does where the
/// user starts it. Connectors that are not loaded are on ports that the kernel chooses, which Tomcat calls `auto-1`.
fn trouble_of_own(line: &str) -> Option<Trouble> {
    if line.contains("Address already in use") {
        return Some(Trouble::PortTaken);
    }
    let fails = ["Failed to initialize component [Connector[", "Failed to start component [Connector["];
    let is_loaded = !line.contains("auto-");
    (is_loaded && fails.iter().any(|words| line.contains(words))).then_some(Trouble::Failed)
}

/// The version in a log: `Tomcat/10.1.29` from `Server version name:   Apache Tomcat/10.1.29`. Tomcat 9.0.12 writes
/// `Server version:` only.
fn version(log: &str) -> Option<String> {
    let line = log.lines().find(|line| line.contains("Server version"))?;
    let name = line.split_once("Apache ")?.1.trim();
    Some(name.to_owned())
}

/// The protocol handler in a log: `http-nio` from `Starting ProtocolHandler ["http-nio-127.0.0.1-8080"]`. The line with
/// `Initializing` proves nothing, because it comes before a failure, too.
pub(crate) fn protocol_handler(log: &str) -> Option<String> {
    let name = log.split_once("Starting ProtocolHandler [\"")?.1.split('"').next()?;
    Some(handler(name).to_owned())
}

/// The name of a handler, and the protocol of HTTP/2 that its log says it speaks: `http-nio, h2c`.
pub(crate) fn with_http2(name: String, log: &str) -> String {
    let spoken = Http2Way::ALL.into_iter().find(|way| log.contains(connector::http2_words(*way)));
    spoken.map_or(name.clone(), |way| format!("{name}, {}", way.id()))
}

/// A handler's name without its address: `http-nio` from `http-nio-127.0.0.1-8080`.
pub(crate) fn handler(name: &str) -> &str {
    let before_number = |(at, _): &(usize, &str)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let end = name.match_indices('-').find(before_number);
    end.map_or(name, |(end, _)| &name[..end])
}

/// The loaded versions of tcnative and OpenSSL, from the log lines `Loaded Apache Tomcat Native library [1.2.35] using …`
/// and `OpenSSL successfully initialized [OpenSSL 3.0.19 27 Jan 2026]`.
pub(crate) fn libraries(log: &str) -> Option<String> {
    let bracketed = |line: &str| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned());
    let after = |words: &str| bracketed(log.split_once(words)?.1.lines().next()?);
    let tcnative = after("Tomcat Native library ").map(|version| format!("tcnative {version}"));
    let openssl = after("OpenSSL successfully initialized");
    let short = |version: String| version.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let loaded: Vec<String> = [tcnative, openssl.map(short)].into_iter().flatten().collect();
    (!loaded.is_empty()).then(|| loaded.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::arm::{Connector, HttpVersion, Threads, TlsStack};
    use std::collections::BTreeMap;

    fn tomcat() -> Tomcat {
        Tomcat {
            home: "/t".into(),
            war: "/app.war".into(),
            migrates: false,
            label: None,
            own: OwnConfiguration::default(),
            context_path: None,
        }
    }

    fn connector(settings: &Settings) -> String {
        let xml = server_xml(settings, ([127, 0, 0, 1], 8123).into(), None);
        xml.lines().find(|line| line.contains("<Connector")).expect("a connector").trim().to_owned()
    }

    #[test]
    fn what_the_arm_does_not_set_is_left_to_the_server() {
        let expected = r#"<Connector address="127.0.0.1" port="8123" maxKeepAliveRequests="-1"/>"#;
        assert_eq!(connector(&Settings::default()), expected);
        let xml = server_xml(&Settings::default(), ([127, 0, 0, 1], 8123).into(), None);
        assert!(xml.contains(r#"<Server port="-1">"#));
        assert!(!xml.contains("AccessLogValve"));
    }

    #[test]
    fn the_settings_of_the_arm_are_written() {
        let mut settings = Settings {
            connector: Some(Connector::Nio2),
            threads: Some(Threads::Platform(50)),
            accept_count: Some(10),
            attributes: BTreeMap::from([("server".to_owned(), "<&\"".to_owned())]),
            access_log: Some(AccessLog::Unbuffered),
            ..Settings::default()
        };
        let line = connector(&settings);
        assert!(line.contains(r#"maxThreads="50" acceptCount="10""#), "{line}");
        assert!(line.contains("Http11Nio2Protocol"), "{line}");
        assert!(line.contains(r#"server="&lt;&amp;&quot;""#), "{line}");
        settings.attributes = BTreeMap::from([("maxKeepAliveRequests".to_owned(), "20".to_owned())]);
        assert!(connector(&settings).contains(r#"maxKeepAliveRequests="20""#));
        assert_eq!(connector(&settings).matches("maxKeepAliveRequests").count(), 1);
        let unbuffered = r#"AccessLogValve" buffered="false" directory"#;
        assert!(server_xml(&settings, ([127, 0, 0, 1], 1).into(), None).contains(unbuffered));
        settings.threads = Some(Threads::Virtual);
        assert!(connector(&settings).contains(r#"useVirtualThreads="true""#));
    }

    #[test]
    fn http2_is_written_with_its_limits_and_checked_by_the_log() {
        let mut settings = Settings {
            http: Some(HttpVersion::Two),
            max_streams: Some(50),
            attributes: BTreeMap::from([("UpgradeProtocol.overheadCountFactor".to_owned(), "0".to_owned())]),
            ..Settings::default()
        };
        let xml = server_xml(&settings, ([127, 0, 0, 1], 8123).into(), None);
        let element = r#"<UpgradeProtocol className="org.apache.coyote.http2.Http2Protocol" maxConcurrentStreams="50" overheadCountFactor="0"/>"#;
        assert!(xml.contains(element) && xml.contains("</Connector>"), "{xml}");
        assert_eq!(
            (xml.matches("overheadCountFactor").count(), xml.matches("SSLHostConfig").count()),
            (1, 0)
        );
        let started = "Starting ProtocolHandler [\"http-nio-127.0.0.1-8123\"]";
        let upgrade = "The [\"http-nio-1\"] connector has been configured to support HTTP upgrade to [h2c]";
        let log = format!("{upgrade}\n{started}");
        tomcat().check("server:1", &settings, &log).expect("as asked for");
        assert_eq!(tomcat().effective(&log).protocol_handler.as_deref(), Some("http-nio, h2c"));
        let error = tomcat().check("server:1", &settings, started).expect_err("HTTP/1.1 only");
        assert!(error.to_string().contains("runs `http-nio` and not `http-nio, h2c`"), "{error}");
        (settings.tls, settings.max_streams) = (Some(TlsStack::Jsse), None);
        let alpn = "The [\"https-jsse-nio-1\"] connector has been configured to support negotiation to [h2] via ALPN";
        let log = format!("{alpn}\nStarting ProtocolHandler [\"https-jsse-nio-127.0.0.1-8123\"]");
        tomcat().check("server:1", &settings, &log).expect("as asked for");
    }

    #[test]
    fn the_tls_stack_is_always_written_and_checked() {
        let mut settings = Settings::default();
        let line = |settings: &Settings, handler: &str| {
            let log = format!("INFO Starting ProtocolHandler [\"{handler}-127.0.0.1-8123\"]");
            tomcat().check("server:1", settings, &log).expect(handler);
            connector(settings)
        };
        line(&settings, "http-nio");
        line(&settings, "http-bio");
        settings.tls = Some(TlsStack::Jsse);
        assert!(line(&settings, "https-jsse-nio").contains("jsse.JSSEImplementation"));
        settings.connector = Some(Connector::Nio2);
        settings.tls = Some(TlsStack::OpenSsl);
        assert!(line(&settings, "https-openssl-nio2").contains("openssl.OpenSSLImplementation"));
        assert!(
            server_xml(&settings, ([127, 0, 0, 1], 1).into(), None).contains("core.AprLifecycleListener")
        );
        settings.tls = Some(TlsStack::OpenSslFfm);
        assert!(line(&settings, "https-opensslffm-nio2").contains("panama.OpenSSLImplementation"));
        assert!(
            server_xml(&settings, ([127, 0, 0, 1], 1).into(), None).contains("core.OpenSSLLifecycleListener")
        );
        settings.connector = Some(Connector::Apr);
        settings.tls = Some(TlsStack::OpenSsl);
        assert!(!line(&settings, "https-openssl-apr").contains("sslImplementationName"));
    }

    #[test]
    fn an_error_names_the_connector_that_runs_instead() {
        let settings = Settings { tls: Some(TlsStack::OpenSsl), ..Settings::default() };
        let error = tomcat().check(
            "server:1",
            &settings,
            "Starting ProtocolHandler [\"https-jsse-nio-127.0.0.1-1\"]",
        );
        assert_eq!(
            error.expect_err("another").to_string(),
            "server:1 runs `https-jsse-nio` and not `https-openssl-nio`, which was asked for"
        );
        let failed = "Initializing ProtocolHandler [\"https-openssl-nio-127.0.0.1-1\"]";
        assert!(tomcat().check("server:1", &settings, failed).is_err(), "it is printed before a failure");
    }

    #[test]
    fn the_libraries_that_were_loaded_are_named() {
        let log = "INFO [main] x Loaded Apache Tomcat Native library [1.2.35] using APR version [1.7.2].\n\
                   INFO [main] y OpenSSL successfully initialized [OpenSSL 3.0.19 27 Jan 2026]\n";
        assert_eq!(libraries(log).as_deref(), Some("tcnative 1.2.35, OpenSSL 3.0.19"));
        let old = "Loaded APR based Apache Tomcat Native library [1.2.35] using APR version [1.7.2].";
        assert_eq!(libraries(old).as_deref(), Some("tcnative 1.2.35"));
        let ffm = "OpenSSL successfully initialized using FFM [OpenSSL 3.0.19 27 Jan 2026]";
        assert_eq!(libraries(ffm).as_deref(), Some("OpenSSL 3.0.19"));
        assert_eq!(libraries(""), None);
    }

    #[test]
    fn options_reach_the_jvm_whatever_they_hold() {
        let words = ["-Da=b c".to_owned(), "-Dq='x'".to_owned(), "$HOME".to_owned()];
        let script = format!("eval printf \"%s\\\\\\\\n\" \"{}\"", quoted(&words).replace('$', "\\$"));
        let output = Command::new("sh").args(["-c", &script]).output().expect("sh runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "-Da=b c\n-Dq='x'\n$HOME\n");
    }

    #[test]
    fn a_log_shows_failures() {
        let severe = "21-Nov-2026 SEVERE [main] x Failed to initialize component [Connector[\"http-nio-1\"]]";
        assert_eq!(trouble(severe), Some(Trouble::Failed));
        let misspelt = "21-Nov-2026 WARNING [main] org.apache.tomcat.util.digester.SetPropertiesRule.begin Match \
                        [Server/Service/Connector] failed to set property [maxThreds] to [50]";
        assert_eq!(trouble(misspelt), Some(Trouble::Failed));
        let old = "WARNING [main] x [SetAllPropertiesRule]{Server/Service/Connector} Setting property \
                   'useVirtualThreads' to 'true' did not find a matching property.";
        assert_eq!(trouble(old), Some(Trouble::Failed));
        assert_eq!(
            trouble("Caused by: java.net.BindException: Address already in use"),
            Some(Trouble::PortTaken)
        );
        assert_eq!(trouble("INFO [main] Server startup in [71] milliseconds"), None);
        assert_eq!(trouble("WARNING [main] Creation of SecureRandom took [1000] milliseconds"), None);
    }

    #[test]
    fn a_log_shows_the_version_and_the_handler() {
        let log = "INFO Server version name:   Apache Tomcat/9.0.95\nInitializing ProtocolHandler [\"http-apr-1\"]\n\
                   INFO: Starting ProtocolHandler [\"http-nio-127.0.0.1-18080\"]\n";
        assert_eq!(version(log).as_deref(), Some("Tomcat/9.0.95"));
        let old = "INFO [main] x.log Server version:        Apache Tomcat/9.0.12\nServer built:  Sep 4 2018";
        assert_eq!(version(old).as_deref(), Some("Tomcat/9.0.12"));
        assert_eq!(protocol_handler(log).as_deref(), Some("http-nio"));
        assert_eq!(protocol_handler("Initializing ProtocolHandler [\"http-apr-1\"]"), None);
    }
    #[test]
    fn what_is_not_loaded_may_fail_with_the_users_own_configuration() {
        let own = OwnConfiguration { server_xml: Some("/server.xml".into()), ..OwnConfiguration::default() };
        let users = Tomcat { own, ..tomcat() };
        let fails = "SEVERE [main] x Failed to initialize component [Connector";
        let attribute =
            "WARNING [main] x Setting property [sslProtocol] to [TLS] did not find a matching property.";
        for (line, of_users) in [
            (format!("{fails}[\"http-nio-127.0.0.1-4711\"]]"), Some(Trouble::Failed)),
            (format!("{fails}[HTTP/1.1-auto-1]]"), None),
            (format!("{fails}[\"https-jsse-nio-127.0.0.1-auto-2\"]]"), None),
            (attribute.to_owned(), None),
            ("SEVERE [main] x Error deploying configuration descriptor [manager.xml]".to_owned(), None),
        ] {
            assert_eq!(users.trouble(&line), of_users, "{line}");
            assert_eq!(tomcat().trouble(&line), Some(Trouble::Failed), "{line}");
        }
        let taken = "java.net.BindException: Address already in use";
        assert_eq!(users.trouble(taken), Some(Trouble::PortTaken));
    }
}
