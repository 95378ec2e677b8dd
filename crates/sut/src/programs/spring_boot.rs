//! A Spring Boot application: an executable jar with its server inside. The settings of an arm become properties of Boot.

use crate::error::Error;
use crate::files::certificate::Certificate;
use crate::files::log::Trouble;
use crate::programs::jetty;
use crate::programs::launcher;
use crate::programs::system::{
    StartContext, System, fresh, java, release_after, system_properties, with_own,
};
use crate::programs::tomcat;
use crate::tools::tool::with_address;
use ask::arm::settings::Settings;
use ask::arm::{AccessLog, Threads};
pub use ask::jar::Embedded;
use ask::kind::Kind;
use record::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Spring Boot application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpringBoot {
    /// The file of the application with its server.
    pub form: Form,
    /// The embedded server.
    pub embedded: Embedded,
    /// Arguments of the user's own, in addition to the properties; `{host}` and `{port}` stand for where it listens.
    pub arguments: Vec<String>,
}

/// How a Spring Boot application is packaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// An executable jar.
    Jar(PathBuf),
    /// A native program, compiled by native-image.
    Native(PathBuf),
}

impl Form {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Jar(path) | Self::Native(path) => path,
        }
    }
}

impl System for SpringBoot {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp", "native"])?;
        let properties = self.properties(start.settings, start.address(), start.certificate).into_iter();
        let (system, boot): (Vec<_>, Vec<_>) = properties.partition(|(name, _)| name.starts_with(NETTY));
        let mut command = match &self.form {
            Form::Jar(jar) => {
                let mut command = java(start, &base)?;
                if start.certificate.is_some() {
                    // The folder stays empty where Java encrypts: the Tomcat of Boot 2.7 uses any tcnative that it finds.
                    let native = base.join("native");
                    start.tcnative.map_or(Ok(()), |tcnative| tcnative.link(&native))?;
                    command.arg(format!("-Djava.library.path={}", native.display()));
                }
                command.args(system_properties(system));
                command.arg("-jar").arg(jar);
                command
            }
            Form::Native(program) => {
                let mut command = start.command(program);
                command.current_dir(&base).args(start.jvm.native_arguments());
                command
            }
        };
        for (name, value) in boot.into_iter().filter(|(name, _)| !self.sets(name)) {
            command.arg(format!("--{name}={value}"));
        }
        let address = start.address();
        command.args(self.arguments.iter().map(|word| with_address(word, address)));
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        // Boot writes `Port 8080 was already in use`, or passes on the words of Jetty or Tomcat.
        if line.contains("was already in use") || line.contains("Address already in use") {
            return Some(Trouble::PortTaken);
        }
        let failed = ["APPLICATION FAILED TO START", "Application run failed"];
        failed.iter().any(|words| line.contains(words)).then_some(Trouble::Failed)
    }

    fn is_up(&self, line: &str) -> bool {
        line.contains(" Started ") && line.contains(" seconds")
    }

    fn effective(&self, log: &str) -> Effective {
        let inside = match self.embedded {
            Embedded::Tomcat => {
                release_after(log, "[Apache Tomcat/").map(|version| format!("Tomcat/{version}"))
            }
            Embedded::Jetty => release_after(log, " jetty-").map(|version| format!("Jetty/{version}")),
            Embedded::Undertow => {
                release_after(log, "Undertow - ").map(|version| format!("Undertow/{version}"))
            }
            Embedded::Netty => scheme(log).map(|_| "Netty".to_owned()), // Nobody logs its version.
        };
        let boot =
            release_after(log, ":: Spring Boot ::").map(|version| format!(" in Spring Boot {version}"));
        Effective {
            server: inside.map(|inside| inside + &boot.unwrap_or_default()),
            protocol_handler: match self.embedded {
                Embedded::Tomcat => tomcat::protocol_handler(log).map(|name| tomcat::with_http2(name, log)),
                Embedded::Jetty => jetty::connector(log),
                Embedded::Undertow | Embedded::Netty => scheme(log),
            },
            tls: tomcat::libraries(log),
            virtual_threads: launcher::virtual_threads(log),
            ..Effective::default()
        }
    }

    /// The log names the TLS stack, unless the user's jar logs elsewhere.
    fn check(&self, server: &str, settings: &Settings, log: &str) -> Result<(), Error> {
        match self.embedded {
            Embedded::Tomcat if tomcat::protocol_handler(log).is_some() => {
                tomcat::check_handler(server, settings, log)
            }
            Embedded::Jetty if jetty::connector(log).is_some() => {
                jetty::check_connector(server, settings, log)
            }
            Embedded::Undertow | Embedded::Netty if scheme(log).is_some() => {
                launcher::check_scheme(server, settings, scheme(log))
            }
            _ => Ok(()),
        }
    }

    fn application(&self) -> &Path {
        self.form.path()
    }

    /// A native image is no JVM.
    fn is_java(&self) -> bool {
        matches!(self.form, Form::Jar(_))
    }
}

impl SpringBoot {
    const fn kind(&self) -> Kind {
        match self.embedded {
            Embedded::Tomcat => Kind::SpringBootTomcat,
            Embedded::Jetty => Kind::SpringBootJetty,
            Embedded::Undertow => Kind::SpringBootUndertow,
            Embedded::Netty => Kind::SpringBootNetty,
        }
    }

    /// Whether an argument of the user's own sets this property. One that a command line has twice would become a list.
    fn sets(&self, property: &str) -> bool {
        let value = |word: &String| Some(word.strip_prefix("--")?.strip_prefix(property)?.starts_with('='));
        self.arguments.iter().filter_map(value).any(|is_set| is_set)
    }

    /// The settings of the arm as properties of Boot. The arm's own `properties` replace ours: a property that a command
    /// line has twice would become a list.
    pub(super) fn properties(
        &self,
        settings: &Settings,
        at: SocketAddr,
        certificate: Option<&Certificate>,
    ) -> Vec<(String, String)> {
        let mut known = vec![
            ("server.address", at.ip().to_string()),
            ("server.port", at.port().to_string()),
            // The default, graceful, would wait half a minute for connections that the load keeps open.
            ("server.shutdown", "immediate".to_owned()),
        ];
        if settings.threads == Some(Threads::Virtual) {
            known.push(("spring.threads.virtual.enabled", "true".to_owned()));
        }
        known.extend(certificate.map(ssl).into_iter().flatten());
        if settings.http2_way().is_some() {
            known.push(("server.http2.enabled", "true".to_owned()));
        }
        known.extend(match self.embedded {
            Embedded::Tomcat => tomcat_properties(settings, matches!(self.form, Form::Jar(_))),
            Embedded::Jetty => jetty_properties(settings),
            Embedded::Undertow => undertow_properties(settings),
            Embedded::Netty => Vec::new(),
        });
        known.extend(settings.named(self.kind()));
        with_own(known, settings)
    }
}

fn ssl(certificate: &Certificate) -> [(&'static str, String); 2] {
    let url = |file: &Path| format!("file:{}", file.display());
    [
        ("server.ssl.certificate", url(&certificate.file)),
        ("server.ssl.certificate-private-key", url(&certificate.key)),
    ]
}

fn tomcat_properties(settings: &Settings, mbeans: bool) -> Vec<(&'static str, String)> {
    let mut properties = vec![
        // The MBeans tell which settings took effect; outside of Boot Tomcat always has them. A native image can have
        // none.
        ("server.tomcat.mbeanregistry.enabled", mbeans.to_string()),
        ("server.tomcat.max-keep-alive-requests", "-1".to_owned()),
    ];
    if settings.tls.is_some() || settings.http2_way().is_some() {
        // By default Boot suppresses the lines that name the connector and with it the TLS stack, and the protocols.
        let level = "logging.level.org.apache.coyote.http11.Http11NioProtocol";
        properties.push((level, "info".to_owned()));
    }
    if let Some(log) = settings.access_log {
        properties.push(("server.tomcat.accesslog.enabled", "true".to_owned()));
        let buffered = log == AccessLog::Buffered;
        properties.push(("server.tomcat.accesslog.buffered", buffered.to_string()));
    }
    properties
}

fn jetty_properties(settings: &Settings) -> Vec<(&'static str, String)> {
    let enabled = |_| ("server.jetty.accesslog.enabled", "true".to_owned());
    settings.access_log.map(enabled).into_iter().collect()
}

fn undertow_properties(settings: &Settings) -> Vec<(&'static str, String)> {
    let enabled = |_| ("server.undertow.accesslog.enabled", "true".to_owned());
    let log = settings.access_log.map(enabled);
    // Below the high-water mark, which is the limit, it would otherwise accept nothing until all connections are closed.
    let low = "server.undertow.options.socket.connection-low-water";
    let low = settings.max_connections.map(|most| (low, most.to_string()));
    log.into_iter().chain(low).collect()
}

/// How the names of properties begin that Netty reads from the JVM and Boot does not pass on.
const NETTY: &str = "reactor.netty.";

/// The scheme in `Netty started on port 8080 (http)`, which Boot logs for Undertow in the same words.
fn scheme(log: &str) -> Option<String> {
    let line = log.lines().find(|line| line.contains(" started on port"))?;
    let (_, inside) = line.rsplit_once('(')?;
    Some(inside.split(')').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(embedded: Embedded, change: impl FnOnce(&mut Settings)) -> Vec<String> {
        let boot = SpringBoot { form: Form::Jar("/app.jar".into()), embedded, arguments: Vec::new() };
        let mut settings = Settings::default();
        change(&mut settings);
        let properties = boot.properties(&settings, ([127, 0, 0, 1], 8123).into(), None).into_iter();
        properties.map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn settings_become_properties_of_the_embedded_server() {
        let all = |settings: &mut Settings| {
            settings.threads = Some(Threads::Platform(50));
            settings.min_threads = Some(5);
            settings.accept_count = Some(10);
            settings.max_connections = Some(300);
        };
        let tomcat = properties(Embedded::Tomcat, all);
        assert!(tomcat.iter().any(|one| one == "server.port=8123"), "{tomcat:?}");
        let jetty = properties(Embedded::Jetty, all);
        assert!(jetty.iter().any(|one| one == "prony.jetty.accept-queue=10"), "{jetty:?}");
        assert!(!jetty.iter().any(|one| one.contains("tomcat")), "{jetty:?}");
        let undertow = properties(Embedded::Undertow, all);
        let low = "server.undertow.options.socket.connection-low-water=300";
        assert!(undertow.iter().any(|one| one == low), "{undertow:?}");
        let netty = properties(Embedded::Netty, all);
        assert!(netty.iter().any(|one| one == "reactor.netty.ioWorkerCount=50"), "{netty:?}");
    }

    #[test]
    fn the_arms_own_properties_replace_ours() {
        let own = properties(Embedded::Tomcat, |settings| {
            settings.threads = Some(Threads::Virtual);
            let shutdown = ("server.shutdown".to_owned(), "graceful".to_owned());
            settings.properties.extend([shutdown]);
        });
        let shutdown: Vec<&String> = own.iter().filter(|one| one.starts_with("server.shutdown")).collect();
        assert_eq!(shutdown, ["server.shutdown=graceful"]);
        assert!(own.iter().any(|one| one == "spring.threads.virtual.enabled=true"));
    }

    #[test]
    fn an_argument_replaces_our_property_of_that_name() {
        let boot = SpringBoot {
            form: Form::Jar("/app.jar".into()),
            embedded: Embedded::Tomcat,
            arguments: vec!["--server.port={port}".to_owned(), "server.shutdown".to_owned()],
        };
        assert!(boot.sets("server.port") && !boot.sets("server") && !boot.sets("server.shutdown"));
    }

    #[test]
    fn a_log_shows_the_versions_and_failures() {
        let boot =
            |embedded| SpringBoot { form: Form::Jar("/app.jar".into()), embedded, arguments: Vec::new() };
        let log = " :: Spring Boot ::                (v4.0.1)\n\n\
                   INFO o.a.c.c.StandardEngine : Starting Servlet engine: [Apache Tomcat/11.0.15]\n";
        let tomcat = boot(Embedded::Tomcat);
        assert_eq!(tomcat.effective(log).server.as_deref(), Some("Tomcat/11.0.15 in Spring Boot 4.0.1"));
        let log =
            " :: Spring Boot ::  (v4.0.1)\nINFO [main] o.e.j.s.Server : jetty-12.1.5; built: 2025-12-03\n";
        let jetty = boot(Embedded::Jetty);
        assert_eq!(jetty.effective(log).server.as_deref(), Some("Jetty/12.1.5 in Spring Boot 4.0.1"));
        let log = " :: Spring Boot ::  (v3.5.6)\nINFO o.s.b.w.e.n.NettyWebServer : Netty started on port 8123 (https)\n";
        let netty = boot(Embedded::Netty).effective(log);
        assert_eq!(netty.server.as_deref(), Some("Netty in Spring Boot 3.5.6"));
        assert_eq!(netty.protocol_handler.as_deref(), Some("https"));
        let unasked = boot(Embedded::Netty).check("server:1", &Settings::default(), log);
        assert!(unasked.is_err(), "it encrypts unasked");
        assert!(tomcat.is_up(
            "INFO p.l.SpringBootLauncher : Started SpringBootLauncher in 2.3 seconds (process running for 3)"
        ));
        assert_eq!(
            tomcat.trouble("Web server failed to start. Port 8080 was already in use."),
            Some(Trouble::PortTaken)
        );
        assert_eq!(tomcat.trouble("APPLICATION FAILED TO START"), Some(Trouble::Failed));
        assert_eq!(tomcat.trouble("INFO Tomcat initialized with port 8080"), None);
    }
}
