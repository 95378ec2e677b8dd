//! [`OwnCommand`]: the user's own command that starts a server which is not in the catalog.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::slip::{Advice, RequestSlip, TableName};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The user's own command that starts a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCommand {
    /// Program and arguments; `{host}` and `{port}` stand for where it has to listen.
    pub command: Vec<String>,
    /// The folder in which it is started; `None` is the one in which prony was.
    pub folder: Option<PathBuf>,
    /// The path that shows that it is ready; `None` is the one that is loaded.
    pub ready_path: Option<String>,
    /// The body at that path; `None` takes the body of the first answer.
    pub ready_body: Option<String>,
}

/// The value of the key `server` for such an arm.
pub const COMMAND: &str = "command";

impl OwnCommand {
    /// Whether it names no program.
    pub(crate) const fn is_empty(&self) -> bool {
        self.command.is_empty()
    }

    /// Returns the name of an arm that has none of its own: the file name of its program.
    pub fn name(&self) -> String {
        let program = self.command.first().cloned().unwrap_or_default();
        let file = Path::new(&program).file_name();
        file.map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned())
    }
}

/// Reads `{ path = "/health", body = "ok" }`: the path, and the body there, that show that a server is ready.
pub(crate) fn ready(node: &Node) -> Result<(Option<String>, Option<String>), Diagnostic> {
    let mut problems = Vec::new();
    let mut table = Table::open(node, TableName::Key("`ready`"))?;
    let path = table.read("path", &mut problems, path);
    let body = table.read("body", &mut problems, Node::owned_text);
    table.finish(&mut problems);
    problems.into_iter().next().map_or(Ok((path, body)), Err)
}

/// Reads a path on a server of the user's own: only its form can be checked.
pub(crate) fn path(node: &Node) -> Result<String, Diagnostic> {
    let path = node.text()?;
    if path.starts_with('/') && !path.contains(char::is_whitespace) {
        return Ok(path.to_owned());
    }
    let problem = node.refuse(RequestSlip::NotAPath(path.to_owned()));
    Err(problem.hint(Advice::PathForm))
}
