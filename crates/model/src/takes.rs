//! [`Takes`]: what every release of a server takes from an arm, whatever its version; the rest is refused with its line.

use crate::arm::Known;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use serde::{Deserialize, Serialize};

/// How an application is packaged for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Package {
    /// Deployed in a server that is there already.
    War,
    /// An executable jar with the server inside.
    Jar,
    /// The same compiled to a program of its own.
    Native,
}

impl Package {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::War, Self::Jar, Self::Native];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::War => "war",
            Self::Jar => "jar",
            Self::Native => "native",
        }
    }
}

/// How a server writes a line about each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessLog {
    /// As the server does by itself: collected, and written now and then.
    Buffered,
    /// Before the request is done with.
    Unbuffered,
}

/// What every release of a server takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Packages of applications, the usual one first.
    pub packages: Vec<Package>,
    /// The key of an arm for settings that have none of their own.
    pub settings: &'static str,
    /// The access logs that prony can have it write.
    pub access_logs: Vec<AccessLog>,
}

/// The keys for settings that have none of their own.
const SETTINGS: [&str; 2] = ["attributes", "properties"];

/// The key `package` of an arm; what this server does not take is a problem.
pub(crate) fn read(
    table: &mut Table<'_>,
    server: Option<&str>,
    known: &Known,
    problems: &mut Vec<Diagnostic>,
) -> Option<Package> {
    let package = table.read("package", problems, |node| {
        node.one_of(&Package::ALL, Package::id)
    });
    let server = server?;
    let (_, takes) = known.takes.iter().find(|(name, _)| name == server)?;
    let wrong = package.filter(|package| !takes.packages.contains(package));
    if let (Some(package), Some(node)) = (wrong, table.get("package")) {
        let ids: Vec<&str> = takes.packages.iter().map(|package| package.id()).collect();
        let message = format!("`{server}` does not run a `{}`", package.id());
        problems
            .push(Diagnostic::new(node.span.clone(), message).hint(format!("it takes: {}", ids.join(", "))));
    }
    for key in SETTINGS.into_iter().filter(|key| *key != takes.settings) {
        if let Some(node) = table.get(key) {
            let message = format!("`{server}` has no `{key}`");
            let hint = format!("its settings are its `{}`", takes.settings);
            problems.push(Diagnostic::new(node.span.clone(), message).hint(hint));
        }
    }
    package
}

/// The key `access_log` of an arm: `true`, `false` or `"unbuffered"`; what this server does not take is a problem.
pub(crate) fn access_log(
    table: &mut Table<'_>,
    server: Option<&str>,
    known: &Known,
    problems: &mut Vec<Diagnostic>,
) -> Option<AccessLog> {
    let log = table.read("access_log", problems, read_access_log).flatten()?;
    let server = server?;
    let (_, takes) = known.takes.iter().find(|(name, _)| name == server)?;
    if let (false, Some(node)) = (takes.access_logs.contains(&log), table.get("access_log")) {
        let message = format!("prony cannot have `{server}` write such an access log");
        let hint = match takes.access_logs[..] {
            [] => "leave it out, or set it by the server's own `properties`",
            _ => "write access_log = true",
        };
        problems.push(Diagnostic::new(node.span.clone(), message).hint(hint));
    }
    Some(log)
}

fn read_access_log(node: &Node) -> Result<Option<AccessLog>, Diagnostic> {
    match &node.value {
        Value::Bool(true) => Ok(Some(AccessLog::Buffered)),
        Value::Bool(false) => Ok(None),
        Value::Text(text) if text == "unbuffered" => Ok(Some(AccessLog::Unbuffered)),
        Value::Text(text) => Err(node
            .unknown_word(text, &["unbuffered"])
            .hint("write true, false or \"unbuffered\"")),
        _ => Err(node.expected("true, false or \"unbuffered\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn known() -> Known {
        let takes = |packages: &[Package], settings, access_logs: &[AccessLog]| Takes {
            packages: packages.to_vec(),
            settings,
            access_logs: access_logs.to_vec(),
        };
        let server = |name: &str| (name.to_owned(), vec!["1".to_owned()]);
        Known {
            servers: vec![server("tomcat"), server("boot")],
            apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
            takes: vec![
                (
                    "tomcat".to_owned(),
                    takes(
                        &[Package::War],
                        "attributes",
                        &[AccessLog::Buffered, AccessLog::Unbuffered],
                    ),
                ),
                (
                    "boot".to_owned(),
                    takes(
                        &[Package::Jar, Package::Native],
                        "properties",
                        &[AccessLog::Buffered],
                    ),
                ),
            ],
            ..Known::default()
        }
    }

    /// What is said of an arm.
    fn said(arm: &str) -> String {
        let text = format!("arms = [\"tomcat:1\",\n{arm}]");
        match Experiment::parse(&text, "f", &known()) {
            Ok(_) => String::new(),
            Err(rejected) => rejected.render("f", &text, false),
        }
    }

    #[test]
    fn what_a_server_does_not_take_is_refused_with_what_it_takes() {
        let refused = said("{ server = \"tomcat:1\", package = \"native\" }");
        assert!(refused.contains("`tomcat` does not run a `native`"), "{refused}");
        assert!(
            refused.contains("it takes: war") && refused.contains("f:2:"),
            "{refused}"
        );
        let refused = said("{ server = \"boot:1\", attributes = { maxThreads = 5 } }");
        assert!(refused.contains("its settings are its `properties`"), "{refused}");
        let refused = said("{ server = \"boot:1\", package = \"natve\" }");
        assert!(refused.contains("did you mean \"native\"?"), "{refused}");
        let refused = said("{ server = \"boot:1\", properties = { \"server.port\" = 80 } }");
        assert!(refused.contains("`server.port` is set by prony"), "{refused}");
        let refused = said("{ server = \"boot:1\", properties = { a = 1.5 } }");
        assert!(
            refused.contains("expected a string, an integer, true or false"),
            "{refused}"
        );
    }

    #[test]
    fn an_access_log_is_buffered_or_not_or_not_to_be_had() {
        assert_eq!(
            said("{ name = \"b\", server = \"tomcat:1\", access_log = \"unbuffered\" }"),
            ""
        );
        assert_eq!(said("{ server = \"boot:1\", access_log = true }"), "");
        let refused = said("{ server = \"boot:1\", access_log = \"unbuffered\" }");
        assert!(
            refused.contains("prony cannot have `boot` write such an access log"),
            "{refused}"
        );
        assert!(refused.contains("write access_log = true"), "{refused}");
        let refused = said("{ server = \"boot:1\", access_log = \"slow\" }");
        assert!(refused.contains("`slow` is not known here"), "{refused}");
        assert!(said("{ server = \"boot:1\", access_log = 1 }").contains("expected true, false or"));
    }

    #[test]
    fn what_it_takes_is_read() {
        let boot =
            "{ server = \"boot:1\", package = \"native\", properties = { a = 1, b = true, c = \"x\" } }";
        assert_eq!(said(boot), "");
        assert_eq!(
            said("{ name = \"b\", server = \"tomcat:1\", attributes = { a = 1 }, package = \"war\" }"),
            ""
        );
    }
}
