//! [`OwnJar`]: an executable jar of the reader's own, and what a Spring Boot application in it takes.

use crate::ability::Ability;
use crate::arm::{Known, TlsStack};
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// An executable jar of the reader's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnJar {
    /// Its file.
    pub path: PathBuf,
    /// What it is told after its name; `{host}` and `{port}` stand for where it has to listen.
    pub arguments: Vec<String>,
}

/// A Spring Boot application, as its jar tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// The version of Boot.
    pub version: String,
    /// The server inside.
    pub embedded: Embedded,
}

/// The server inside a Spring Boot application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedded {
    /// Boot's default.
    Tomcat,
    /// In the place of Tomcat.
    Jetty,
}

/// What `server` says for it.
pub const JAR: &str = "jar";

/// Keys of an arm that say nothing to any jar.
const OF_OTHERS: [&str; 8] = [
    "connector",
    "app",
    "war",
    "namespace",
    "migrate",
    "package",
    "attributes",
    "access_log",
];

/// Keys of an arm that prony can say in Spring Boot's words only.
const OF_BOOT: [&str; 6] = [
    "tls",
    "threads",
    "min_threads",
    "accept_count",
    "max_connections",
    "properties",
];

impl OwnJar {
    /// The keys `jar` and `arguments` of an arm whose `server` is `server`; `None` for every other.
    pub(crate) fn read(
        table: &mut Table<'_>,
        node: &Node,
        server: &str,
        known: &Known,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let path = table.read("jar", problems, |node| node.text().map(PathBuf::from));
        let arguments = table.read("arguments", problems, |node| {
            node.list()?
                .iter()
                .map(|word| word.text().map(str::to_owned))
                .collect()
        });
        let mut refuse = |keys: &[&'static str], said: &str, hint: &str| {
            for key in keys {
                if let Some(value) = table.get(key) {
                    let problem = Diagnostic::new(value.span.clone(), format!("`{key}` {said}"));
                    problems.push(problem.hint(hint));
                }
            }
        };
        if server.is_empty() && path.is_none() {
            return None; // What is wrong with it has been said.
        }
        if server != JAR {
            let hint = "write server = \"jar\" for an executable jar of your own";
            refuse(&["jar", "arguments"], "belongs to server = \"jar\"", hint);
            return None;
        }
        refuse(&OF_OTHERS, "says nothing to a jar", "take it out");
        let Some(path) = path else {
            let problem = Diagnostic::new(node.span.clone(), "this arm has no `jar`");
            problems.push(problem.hint("write { server = \"jar\", jar = \"target/app.jar\" }"));
            return None;
        };
        match known.jars.iter().find(|(jar, _)| *jar == path) {
            Some((_, None)) => refuse(
                &OF_BOOT,
                "is for Spring Boot, which this jar is not",
                "say it in the jar's own words: in `arguments`, `environment` or `jvm_options`",
            ),
            Some((_, Some(boot))) => {
                let hint = "write properties = { \"name\" = \"value\" }";
                refuse(&["arguments"], "is for jars without Spring Boot", hint);
                if boot.embedded == Embedded::Jetty {
                    let hint = "take it out: the report shows the length that the kernel has";
                    refuse(
                        &["accept_count"],
                        "has no property in Spring Boot with Jetty",
                        hint,
                    );
                }
            }
            None => {}
        }
        Some(Self {
            path,
            arguments: arguments.unwrap_or_default(),
        })
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

    /// Reads its path as from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        self.path = folder.join(&self.path);
    }
}

impl Boot {
    /// What an arm can ask of it: PEM files came with Boot 2.7, virtual threads with 3.2.
    pub fn ability(&self) -> Ability {
        let mut numbers = self.version.split('.').map(|part| part.parse().unwrap_or(0));
        let release: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let tls = (release >= (2, 7)).then_some(TlsStack::Jsse);
        Ability {
            java: if release >= (3, 0) { 17 } else { 8 },
            tls: tls.into_iter().collect(),
            virtual_threads: release >= (3, 2),
            ..Ability::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn known() -> Known {
        let boot = |version: &str, embedded| {
            let version = version.to_owned();
            Some(Boot { version, embedded })
        };
        Known {
            jars: vec![
                ("new.jar".into(), boot("4.0.1", Embedded::Tomcat)),
                ("old.jar".into(), boot("2.6.15", Embedded::Tomcat)),
                ("jetty.jar".into(), boot("4.0.1", Embedded::Jetty)),
                ("plain.jar".into(), None),
            ],
            ..Known::default()
        }
    }

    fn parsed(arm: &str) -> Result<Experiment, String> {
        let text = format!("arms = [\n{{ server = \"jar\", jar = \"base.jar\" }},\n{{ {arm} }}]");
        Experiment::parse(&text, "f", &known()).map_err(|rejected| rejected.render("f", &text, false))
    }

    #[test]
    fn a_jar_is_called_by_its_file_and_takes_what_is_in_it() {
        let all = "threads = \"virtual\", min_threads = 5, accept_count = 10, max_connections = 300, tls = \"jsse\"";
        let read = parsed(&format!(
            "server = \"jar\", jar = \"new.jar\", {all}, properties = {{ a = 1 }}"
        ));
        let arm = read.expect("possible").arms.remove(1);
        assert_eq!((arm.name.as_str(), arm.version.as_str()), ("new.jar", "new.jar"));
        let read = parsed("server = \"jar\", jar = \"plain.jar\", arguments = [\"--port={port}\"]");
        let read = read.expect("possible");
        assert_eq!(read.workload.path, "/");
        assert!(read.arms[1].jar.as_ref().is_some_and(OwnJar::names_its_port));
    }

    #[test]
    fn what_a_jar_does_not_take_is_refused_with_what_would_work() {
        for (arm, message, hint) in [
            ("server = \"jar\"", "this arm has no `jar`", "target/app.jar"),
            (
                "server = \"jar\", jar = \"new.jar\", connector = \"nio\"",
                "`connector` says nothing to a jar",
                "out",
            ),
            (
                "server = \"jar\", jar = \"new.jar\", tls = \"openssl\"",
                "cannot encrypt by `openssl`",
                "\"jsse\"",
            ),
            (
                "server = \"jar\", jar = \"new.jar\", arguments = [\"a\"]",
                "for jars without Spring Boot",
                "properties",
            ),
            (
                "server = \"jar\", jar = \"old.jar\", threads = \"virtual\"",
                "no virtual threads",
                "threads = 200",
            ),
            (
                "server = \"jar\", jar = \"old.jar\", tls = \"jsse\"",
                "cannot encrypt by `jsse`",
                "leave it out",
            ),
            (
                "server = \"jar\", jar = \"new.jar\", jdk = 11",
                "needs JDK 17",
                "jdk = 17",
            ),
            (
                "server = \"jar\", jar = \"jetty.jar\", accept_count = 5",
                "no property in Spring Boot with Jetty",
                "kernel",
            ),
            (
                "server = \"jar\", jar = \"plain.jar\", threads = 5",
                "`threads` is for Spring Boot",
                "`arguments`",
            ),
            (
                "server = \"command\", command = [\"x\", \"{port}\"], arguments = [\"a\"]",
                "belongs to server = \"jar\"",
                "jar",
            ),
        ] {
            let refused = parsed(arm).expect_err(arm);
            assert!(
                refused.contains(message) && refused.contains(hint),
                "{arm}: {refused}"
            );
            assert!(refused.contains("f:3:"), "{refused}");
        }
    }
}
