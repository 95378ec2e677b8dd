//! A Spring Boot application: an executable jar with its server inside, told what an arm asks for by Boot's properties.

use crate::certificate::Certificate;
use crate::error::Error;
use crate::jetty;
use crate::log::Trouble;
use crate::program::{Start, System, fresh, java, release_after};
use crate::spec::ServerSpec;
use crate::tomcat;
use model::arm::Threads;
pub use model::jar::Embedded;
use model::outcome::Effective;
use model::takes::AccessLog;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Spring Boot application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpringBoot {
    /// The application with its server.
    pub form: Form,
    /// The server inside.
    pub embedded: Embedded,
}

/// How it is packaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// An executable jar.
    Jar(PathBuf),
    /// A program, compiled by native-image.
    Native(PathBuf),
}

impl Form {
    /// Its file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Jar(path) | Self::Native(path) => path,
        }
    }
}

impl System for SpringBoot {
    fn prepare(&self, start: &Start<'_>) -> Result<Command, Error> {
        let base = fresh(start.work, "base", &["temp", "native"])?;
        let mut command = match &self.form {
            Form::Jar(jar) => {
                let mut command = java(start, &base)?;
                if start.certificate.is_some() {
                    // Empty where Java encrypts: Boot 2.7's Tomcat takes the tcnative that it finds, asked or not.
                    let native = base.join("native");
                    start
                        .spec
                        .tcnative
                        .iter()
                        .try_for_each(|tcnative| tcnative.link(&native))?;
                    command.arg(format!("-Djava.library.path={}", native.display()));
                }
                command.arg("-jar").arg(jar);
                command
            }
            Form::Native(program) => {
                let mut command = start.command(program);
                command.current_dir(&base).args(start.spec.jvm.native_arguments());
                command
            }
        };
        for (name, value) in self.properties(start.spec, start.port, start.certificate) {
            command.arg(format!("--{name}={value}"));
        }
        Ok(command)
    }

    fn judge(&self, line: &str) -> Option<Trouble> {
        // Boot names its port as `Port 8080 was already in use`, and passes Jetty's and Tomcat's own words on.
        if line.contains("was already in use") || line.contains("Address already in use") {
            return Some(Trouble::PortTaken);
        }
        let failed = ["APPLICATION FAILED TO START", "Application run failed"];
        failed
            .iter()
            .any(|words| line.contains(words))
            .then_some(Trouble::Failed)
    }

    fn is_up(&self, line: &str) -> bool {
        line.contains(" Started ") && line.contains(" seconds")
    }

    fn said(&self, log: &str) -> Effective {
        let inside = match self.embedded {
            Embedded::Tomcat => {
                release_after(log, "[Apache Tomcat/").map(|version| format!("Tomcat/{version}"))
            }
            Embedded::Jetty => release_after(log, " jetty-").map(|version| format!("Jetty/{version}")),
        };
        let boot =
            release_after(log, ":: Spring Boot ::").map(|version| format!(" in Spring Boot {version}"));
        Effective {
            server: inside.map(|inside| inside + &boot.unwrap_or_default()),
            protocol_handler: match self.embedded {
                Embedded::Tomcat => tomcat::protocol_handler(log),
                Embedded::Jetty => jetty::connector(log),
            },
            tls: tomcat::libraries(log),
            ..Effective::default()
        }
    }

    /// The log says what encrypts, unless a jar of the reader's own keeps it elsewhere.
    fn prove(&self, spec: &ServerSpec, log: &str) -> Result<(), Error> {
        match self.embedded {
            Embedded::Tomcat if tomcat::protocol_handler(log).is_some() => tomcat::prove_handler(spec, log),
            Embedded::Jetty if jetty::connector(log).is_some() => jetty::prove_connector(spec, log),
            Embedded::Tomcat | Embedded::Jetty => Ok(()),
        }
    }
}

impl SpringBoot {
    /// What the arm asks for in Boot's words; its own `properties` take the place of ours. Given twice on a command line, a
    /// property would be a list.
    fn properties(
        &self,
        spec: &ServerSpec,
        port: u16,
        certificate: Option<&Certificate>,
    ) -> Vec<(String, String)> {
        let mut known = vec![
            ("server.address", "127.0.0.1".to_owned()),
            ("server.port", port.to_string()),
            // Graceful, the default, would wait half a minute for connections that the load keeps open.
            ("server.shutdown", "immediate".to_owned()),
        ];
        if spec.threads == Some(Threads::Virtual) {
            known.push(("spring.threads.virtual.enabled", "true".to_owned()));
        }
        known.extend(certificate.map(ssl).into_iter().flatten());
        known.extend(match self.embedded {
            Embedded::Tomcat => of_tomcat(spec, matches!(self.form, Form::Jar(_))),
            Embedded::Jetty => of_jetty(spec),
        });
        let own = |name: &str| spec.properties.iter().any(|(own, _)| own == name);
        let ours = known.into_iter().filter(|(name, _)| !own(name));
        let ours = ours.map(|(name, value)| (name.to_owned(), value));
        ours.chain(spec.properties.iter().cloned()).collect()
    }
}

fn ssl(certificate: &Certificate) -> [(&'static str, String); 2] {
    let url = |file: &Path| format!("file:{}", file.display());
    [
        ("server.ssl.certificate", url(&certificate.file)),
        ("server.ssl.certificate-private-key", url(&certificate.key)),
    ]
}

fn of_tomcat(spec: &ServerSpec, mbeans: bool) -> Vec<(&'static str, String)> {
    let mut properties = vec![
        // Its MBeans say what took effect; outside of Boot Tomcat has them always. A native image can have none.
        ("server.tomcat.mbeanregistry.enabled", mbeans.to_string()),
        ("server.tomcat.max-keep-alive-requests", "-1".to_owned()),
    ];
    let limits = [
        ("server.tomcat.threads.max", pool(spec)),
        ("server.tomcat.threads.min-spare", spec.min_threads),
        ("server.tomcat.accept-count", spec.accept_count),
        ("server.tomcat.max-connections", spec.max_connections),
    ];
    properties.extend(set(&limits));
    if spec.tls.is_some() {
        // Boot keeps the line quiet that names the connector and with it what encrypts.
        let level = "logging.level.org.apache.coyote.http11.Http11NioProtocol";
        properties.push((level, "info".to_owned()));
    }
    if let Some(log) = spec.access_log {
        properties.push(("server.tomcat.accesslog.enabled", "true".to_owned()));
        let buffered = log == AccessLog::Buffered;
        properties.push(("server.tomcat.accesslog.buffered", buffered.to_string()));
    }
    properties
}

fn of_jetty(spec: &ServerSpec) -> Vec<(&'static str, String)> {
    let limits = [
        ("server.jetty.threads.max", pool(spec)),
        ("server.jetty.threads.min", spec.min_threads),
        // Boot has no property for it; the launcher in apps/ has.
        ("prony.jetty.accept-queue", spec.accept_count),
        ("server.jetty.max-connections", spec.max_connections),
    ];
    let mut properties = set(&limits);
    if spec.access_log.is_some() {
        properties.push(("server.jetty.accesslog.enabled", "true".to_owned()));
    }
    properties
}

fn pool(spec: &ServerSpec) -> Option<u32> {
    match spec.threads {
        Some(Threads::Platform(count)) => Some(count),
        Some(Threads::Virtual) | None => None,
    }
}

fn set(limits: &[(&'static str, Option<u32>)]) -> Vec<(&'static str, String)> {
    let given = |(name, value): &(&'static str, Option<u32>)| Some((*name, (*value)?.to_string()));
    limits.iter().filter_map(given).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;
    use crate::spec::tests::spec;

    fn properties(embedded: Embedded, change: impl FnOnce(&mut ServerSpec)) -> Vec<String> {
        let boot = SpringBoot {
            form: Form::Jar("/app.jar".into()),
            embedded,
        };
        let mut spec = spec(Program::SpringBoot(boot.clone()));
        change(&mut spec);
        let properties = boot.properties(&spec, 8123, None).into_iter();
        properties
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    #[test]
    fn an_arm_is_said_in_the_words_of_the_server_inside() {
        let all = |spec: &mut ServerSpec| {
            spec.threads = Some(Threads::Platform(50));
            spec.min_threads = Some(5);
            spec.accept_count = Some(10);
            spec.max_connections = Some(300);
        };
        let tomcat = properties(Embedded::Tomcat, all);
        for property in [
            "server.port=8123",
            "server.tomcat.threads.max=50",
            "server.tomcat.threads.min-spare=5",
            "server.tomcat.accept-count=10",
            "server.tomcat.max-connections=300",
        ] {
            assert!(tomcat.iter().any(|one| one == property), "{property}: {tomcat:?}");
        }
        let jetty = properties(Embedded::Jetty, all);
        assert!(
            jetty.iter().any(|one| one == "prony.jetty.accept-queue=10"),
            "{jetty:?}"
        );
        assert!(!jetty.iter().any(|one| one.contains("tomcat")), "{jetty:?}");
    }

    #[test]
    fn the_arms_own_properties_take_the_place_of_ours() {
        let own = properties(Embedded::Tomcat, |spec| {
            spec.threads = Some(Threads::Virtual);
            spec.properties = vec![("server.shutdown".to_owned(), "graceful".to_owned())];
        });
        let shutdown: Vec<&String> = own
            .iter()
            .filter(|one| one.starts_with("server.shutdown"))
            .collect();
        assert_eq!(shutdown, ["server.shutdown=graceful"]);
        assert!(own.iter().any(|one| one == "spring.threads.virtual.enabled=true"));
    }

    #[test]
    fn a_log_says_what_runs_and_what_failed() {
        let boot = |embedded| SpringBoot {
            form: Form::Jar("/app.jar".into()),
            embedded,
        };
        let log = " :: Spring Boot ::                (v4.0.1)\n\n\
                   INFO o.a.c.c.StandardEngine : Starting Servlet engine: [Apache Tomcat/11.0.15]\n";
        let tomcat = boot(Embedded::Tomcat);
        assert_eq!(
            tomcat.said(log).server.as_deref(),
            Some("Tomcat/11.0.15 in Spring Boot 4.0.1")
        );
        let log =
            " :: Spring Boot ::  (v4.0.1)\nINFO [main] o.e.j.s.Server : jetty-12.1.5; built: 2025-12-03\n";
        let jetty = boot(Embedded::Jetty);
        assert_eq!(
            jetty.said(log).server.as_deref(),
            Some("Jetty/12.1.5 in Spring Boot 4.0.1")
        );
        assert!(tomcat.is_up(
            "INFO p.l.SpringBootLauncher : Started SpringBootLauncher in 2.3 seconds (process running for 3)"
        ));
        assert_eq!(
            tomcat.judge("Web server failed to start. Port 8080 was already in use."),
            Some(Trouble::PortTaken)
        );
        assert_eq!(tomcat.judge("APPLICATION FAILED TO START"), Some(Trouble::Failed));
        assert_eq!(tomcat.judge("INFO Tomcat initialized with port 8080"), None);
    }
}
