//! [`OwnCommand`]: how a server is started that the catalog does not know: by a command of the user's own.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::slip::{Advice, RequestSlip, TableName};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How a server is started that the catalog does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCommand {
    /// Program and arguments; `{host}` and `{port}` stand for where it has to listen.
    pub command: Vec<String>,
    /// Where it is started; `None` is where prony was.
    pub folder: Option<PathBuf>,
    /// The path that shows that it is ready; `None` is the one that is loaded.
    pub ready_path: Option<String>,
    /// The body there; `None` takes the first answer's.
    pub ready_body: Option<String>,
}

/// What the key `server` says for it.
pub const COMMAND: &str = "command";

impl OwnCommand {
    /// Whether it names no program.
    pub(crate) const fn is_empty(&self) -> bool {
        self.command.is_empty()
    }

    /// What an arm without a name is called.
    pub fn name(&self) -> String {
        let program = &self.command[0];
        let file = Path::new(program).file_name();
        file.map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned())
    }
}

/// `{ path = "/health", body = "ok" }`.
pub(crate) fn ready(node: &Node) -> Result<(Option<String>, Option<String>), Diagnostic> {
    let mut problems = Vec::new();
    let mut table = Table::open(node, TableName::Key("`ready`"))?;
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
    let problem = node.refuse(RequestSlip::NotAPath(path.to_owned()));
    Err(problem.hint(Advice::PathForm))
}
