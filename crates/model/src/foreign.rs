//! [`Foreign`]: a server that the catalog does not know, started by a command of the user's own.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::origin::URL;
use crate::service;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A server that the catalog does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    /// Program and arguments; `{host}` and `{port}` stand for where it has to listen.
    pub command: Vec<String>,
    /// Where it is started; `None` is where prony was.
    pub folder: Option<PathBuf>,
    /// The path that shows that it is ready; `None` is the one that is loaded.
    pub ready_path: Option<String>,
    /// The body there; `None` takes the first answer's.
    pub ready_body: Option<String>,
}

/// What `server` says for it.
pub const COMMAND: &str = "command";

/// Keys of an arm that say something about a JVM or a server of the catalog.
pub(crate) const OF_THE_CATALOG: [&str; 18] = [
    "jdk",
    "connector",
    "tls",
    "threads",
    "min_threads",
    "accept_count",
    "max_connections",
    "heap",
    "jvm_options",
    "app",
    "war",
    "jar",
    "package",
    "properties",
    "attributes",
    "migrate",
    "access_log",
    "expect",
];
impl Foreign {
    /// The keys `command` and `ready` of an arm whose `server` is `server`; `None` for one of the catalog.
    pub(crate) fn read(
        table: &mut Table<'_>,
        node: &Node,
        server: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let command = table.read("command", problems, service::command);
        let ready = table.read("ready", problems, ready);
        if server.is_empty() {
            return None; // What is wrong with it has been said.
        }
        if server != COMMAND {
            let hint = "write server = \"command\" for a server of your own";
            if server != URL {
                refuse(
                    (node, problems),
                    &["command", "ready"],
                    &format!("`{server}`"),
                    hint,
                );
            }
            return None;
        }
        let hint = "take it out, or put it into the command's own arguments";
        refuse((node, problems), &OF_THE_CATALOG, "a command", hint);
        if command.is_none() && entry(node, COMMAND).is_none() {
            let hint = "write command = [\"./my-server\", \"--port\", \"{port}\"]";
            let said = "this arm has no `command`";
            problems.push(Diagnostic::new(node.span.clone(), said).hint(hint));
        }
        let (ready_path, ready_body) = ready.unwrap_or_default();
        Some(Self {
            command: command?,
            folder: None,
            ready_path,
            ready_body,
        })
    }

    /// What an arm without a name is called.
    pub fn name(&self) -> String {
        let program = &self.command[0];
        let file = Path::new(program).file_name();
        file.map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned())
    }
}

/// Says of every one of these keys that it has no place in an arm.
pub(crate) fn refuse((node, problems): (&Node, &mut Vec<Diagnostic>), keys: &[&str], what: &str, hint: &str) {
    for key in keys {
        if let Some(value) = entry(node, key) {
            let said = format!("`{key}` says nothing to {what}");
            problems.push(Diagnostic::new(value.span.clone(), said).hint(hint));
        }
    }
}

/// `{ path = "/health", body = "ok" }`.
fn ready(node: &Node) -> Result<(Option<String>, Option<String>), Diagnostic> {
    let mut problems = Vec::new();
    let mut table = Table::open(node, "`ready`")?;
    let path = table.read("path", &mut problems, path);
    let body = table.read("body", &mut problems, |node| node.text().map(str::to_owned));
    table.finish(&mut problems);
    problems.into_iter().next().map_or(Ok((path, body)), Err)
}

/// A path that prony knows nothing about.
pub(crate) fn path(node: &Node) -> Result<String, Diagnostic> {
    let path = node.text()?;
    if path.starts_with('/') && !path.contains(char::is_whitespace) {
        return Ok(path.to_owned());
    }
    let message = format!("`{path}` is not a path");
    Err(Diagnostic::new(node.span.clone(), message).hint("it begins with / and has no spaces"))
}

/// The value of a key of a table, if it has it.
fn entry<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let Value::Table(entries) = &node.value else {
        return None;
    };
    let named = |(name, _): &&(Node, Node)| matches!(&name.value, Value::Text(text) if text == key);
    entries.iter().find(named).map(|(_, value)| value)
}
