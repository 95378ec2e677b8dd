//! [`OwnJar`]: an executable jar of the user's own, and what a Spring Boot application in it takes.

use crate::ability::Ability;
use crate::arm::choices::{Http2Way, TlsStack};
use crate::kind::Kind;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// An executable jar of the user's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnJar {
    pub path: PathBuf,
    /// The arguments after its name; `{host}` and `{port}` stand for where it has to listen.
    pub arguments: Vec<String>,
}

/// A Spring Boot application, as its jar describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// The version of Boot.
    pub version: String,
    /// The server inside.
    pub embedded: Embedded,
}

/// The server inside a Spring Boot application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Embedded {
    /// Boot's default.
    Tomcat,
    /// Jetty in the place of Tomcat.
    Jetty,
    /// Undertow in the place of Tomcat.
    Undertow,
    /// Netty, with WebFlux in the place of servlets.
    Netty,
}

/// The value of the key `server` for such an arm.
pub const JAR: &str = "jar";

impl OwnJar {
    /// Whether it names no file.
    pub(crate) fn is_empty(&self) -> bool {
        self.path.as_os_str().is_empty()
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Whether its arguments say where to listen.
    pub fn names_its_port(&self) -> bool {
        self.arguments.iter().any(|word| word.contains("{port}"))
    }

    /// Makes its path start from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        self.path = folder.join(&self.path);
    }
}

impl Boot {
    /// Returns the kind of its server.
    pub const fn kind(&self) -> Kind {
        match self.embedded {
            Embedded::Tomcat => Kind::SpringBootTomcat,
            Embedded::Jetty => Kind::SpringBootJetty,
            Embedded::Undertow => Kind::SpringBootUndertow,
            Embedded::Netty => Kind::SpringBootNetty,
        }
    }

    /// Returns what an arm can ask of it: HTTP/2 over clear text came with Boot 2.5 (on Jetty with a library that the jar may lack), PEM files with
    /// 2.7, virtual threads with 3.2, but event loops have none.
    pub fn ability(&self) -> Ability {
        let mut numbers = self.version.split('.').map(|part| part.parse().unwrap_or(0));
        let release: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let tls = (release >= (2, 7)).then_some(TlsStack::Jsse);
        Ability {
            java: if release >= (3, 0) { 17 } else { 8 },
            tls: tls.into_iter().collect(),
            http2: if release >= (2, 5) { Http2Way::ALL.into() } else { Vec::new() },
            virtual_threads: release >= (3, 2) && self.embedded != Embedded::Netty,
            ..Ability::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available::Available;
    use crate::experiment::Experiment;

    fn known() -> Available {
        let boot = |version: &str, embedded| {
            let version = version.to_owned();
            Some(Boot { version, embedded })
        };
        Available {
            jars: vec![
                ("new.jar".into(), boot("4.0.1", Embedded::Tomcat)),
                ("old.jar".into(), boot("2.6.15", Embedded::Tomcat)),
                ("jetty.jar".into(), boot("4.0.1", Embedded::Jetty)),
                ("flux.jar".into(), boot("4.0.1", Embedded::Netty)),
                ("plain.jar".into(), None),
            ],
            ..Available::default()
        }
    }

    fn parsed(arm: &str) -> Result<Experiment, String> {
        let text = format!("arms = [\n{{ server = \"jar\", jar = \"base.jar\" }},\n{{ {arm} }}]");
        Experiment::parse(&text, "f", &known()).map_err(|rejected| rejected.render("f", &text, false))
    }

    #[test]
    fn a_jar_is_called_by_its_file_and_takes_what_is_in_it() {
        let all = "threads = \"virtual\", min_threads = 5, accept_count = 10, max_connections = 300, tls = \"jsse\"";
        let read = parsed(&format!("server = \"jar\", jar = \"new.jar\", {all}, properties = {{ a = 1 }}"));
        let arm = read.expect("possible").arms.remove(1);
        assert_eq!((arm.name.as_str(), arm.version.as_str()), ("new.jar", "new.jar"));
        let read = parsed("server = \"jar\", jar = \"new.jar\", arguments = [\"--shop.stock=8\"]");
        let own = read.expect("possible").arms.remove(1).jar.expect("a jar");
        assert_eq!(own.arguments, ["--shop.stock=8"]);
        let read = parsed("server = \"jar\", jar = \"plain.jar\", arguments = [\"--port={port}\"]");
        let read = read.expect("possible");
        assert_eq!(read.workload.path, "/");
        assert!(read.arms[1].jar.as_ref().is_some_and(OwnJar::names_its_port));
        for arm in [
            "server = \"jar\", jar = \"plain.jar\", arguments = [\"{port}\", \"{certificate}\", \"{key}\"], tls = \"own\"",
            "server = \"command\", command = [\"x\", \"{port}\", \"{key_store}\"], tls = \"own\"",
        ] {
            assert_eq!(parsed(arm).expect(arm).arms[1].settings.tls, Some(TlsStack::Own));
        }
    }

    /// What a file asks of a jar that it does not take: the arm, a part of the message and a part of the hint.
    const REFUSED: [(&str, &str, &str); 15] = [
        ("server = \"jar\"", "this arm has no `jar`", "target/app.jar"),
        (
            "server = \"jar\", jar = \"new.jar\", connector = \"nio\"",
            "`connector` does not apply to a jar",
            "out",
        ),
        ("server = \"jar\", jar = \"new.jar\", tls = \"openssl\"", "cannot encrypt by `openssl`", "\"jsse\""),
        ("server = \"jar\", jar = \"old.jar\", threads = \"virtual\"", "no virtual threads", "threads = 200"),
        ("server = \"jar\", jar = \"old.jar\", tls = \"jsse\"", "cannot encrypt by `jsse`", "leave it out"),
        ("server = \"jar\", jar = \"new.jar\", jdk = 11", "needs JDK 17", "jdk = 17"),
        (
            "server = \"jar\", jar = \"jetty.jar\", accept_count = 5",
            "no property in Spring Boot with Jetty",
            "kernel",
        ),
        (
            "server = \"jar\", jar = \"flux.jar\", threads = \"virtual\"",
            "no virtual threads",
            "threads = 200",
        ),
        (
            "server = \"jar\", jar = \"flux.jar\", max_connections = 5",
            "no setting for `max_connections`",
            "out",
        ),
        ("server = \"jar\", jar = \"plain.jar\", threads = 5", "`threads` is for Spring Boot", "`arguments`"),
        (
            "server = \"jar\", jar = \"plain.jar\", arguments = [\"{certificate}\", \"{key}\"], tls = \"jsse\"",
            "cannot encrypt by `jsse`",
            "tls = \"own\"",
        ),
        (
            "server = \"jar\", jar = \"plain.jar\", arguments = [\"{port}\"], tls = \"own\"",
            "nothing tells this server where its certificate is",
            "{certificate}",
        ),
        (
            "server = \"command\", command = [\"x\", \"{port}\"], tls = \"own\"",
            "nothing tells this server where its certificate is",
            "{certificate}",
        ),
        ("server = \"jar\", jar = \"new.jar\", tls = \"own\"", "cannot encrypt by `own`", "\"jsse\""),
        (
            "server = \"command\", command = [\"x\", \"{port}\"], arguments = [\"a\"]",
            "belongs to server = \"jar\"",
            "jar",
        ),
    ];

    #[test]
    fn what_a_jar_does_not_take_is_refused_with_what_would_work() {
        for (arm, message, hint) in REFUSED {
            let refused = parsed(arm).expect_err(arm);
            assert!(refused.contains(message) && refused.contains(hint), "{arm}: {refused}");
            assert!(refused.contains("f:3:"), "{refused}");
        }
    }
}
