//! [`Takes`]: what every release of a server takes from an arm, whatever its version; the rest is refused with its line.

use crate::arm::Known;
use crate::diagnostic::Diagnostic;
use crate::node::Table;
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

/// What every release of a server takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Packages of applications, the usual one first.
    pub packages: Vec<Package>,
    /// The key of an arm for settings that have none of their own.
    pub settings: &'static str,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn known() -> Known {
        let takes = |packages: &[Package], settings| Takes {
            packages: packages.to_vec(),
            settings,
        };
        let server = |name: &str| (name.to_owned(), vec!["1".to_owned()]);
        Known {
            servers: vec![server("tomcat"), server("boot")],
            apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
            takes: vec![
                ("tomcat".to_owned(), takes(&[Package::War], "attributes")),
                (
                    "boot".to_owned(),
                    takes(&[Package::Jar, Package::Native], "properties"),
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
