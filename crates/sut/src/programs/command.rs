//! A server that the user starts by a command: any program that listens on the address that its arguments give.

use crate::error::{Error, Startable};
use crate::files::log::Trouble;
use crate::programs::system::{StartContext, System};
use crate::tools::tool;
use record::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command of an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {
    /// The file of the program.
    pub program: PathBuf,
    /// Its arguments; `{host}` and `{port}` stand for the address on which it has to listen, and `{certificate}` and `{key}` for the files
    /// with which it encrypts.
    pub arguments: Vec<String>,
    /// The folder in which it is started; `None` is the folder in which prony was started.
    pub folder: Option<PathBuf>,
}

impl CommandLine {
    /// Finds the program of a command. A path is relative to the folder; a name is looked for on the PATH.
    pub fn find(words: &[String], folder: Option<PathBuf>) -> Result<Self, Error> {
        let line = Self::elsewhere(words, folder);
        let program = tool::find(&line.program).ok_or_else(|| Error::NoProgram {
            what: Startable::Command,
            program: line.program.display().to_string(),
            package: None,
        })?;
        Ok(Self { program, ..line })
    }

    /// A command for another host, where its program is looked for.
    pub fn elsewhere(words: &[String], folder: Option<PathBuf>) -> Self {
        let (first, arguments) = words.split_first().map_or(("", words), |(first, rest)| (first, rest));
        let path = match &folder {
            // Collecting the components drops the `.` of `./serve`.
            Some(folder) if first.contains('/') => folder.join(first).components().collect(),
            _ => PathBuf::from(first),
        };
        Self { program: path, arguments: arguments.to_vec(), folder }
    }
}

impl System for CommandLine {
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let mut command = start.command(&self.program);
        command.args(self.arguments.iter().map(|word| start.filled(word)));
        command.current_dir(self.folder.as_deref().unwrap_or(Path::new(".")));
        Ok(command)
    }

    fn trouble(&self, line: &str) -> Option<Trouble> {
        port_taken(line)
    }

    /// The log of an unknown program cannot be read: a wrong answer is not final, and is asked again until the timeout.
    fn is_up(&self, _line: &str) -> bool {
        false
    }

    fn effective(&self, _log: &str) -> Effective {
        Effective::default()
    }

    fn application(&self) -> &Path {
        &self.program
    }

    fn is_java(&self) -> bool {
        false
    }
}

/// Whether a log line says that the port is taken, in the words of the C library, which most programs pass on.
pub(crate) fn port_taken(line: &str) -> Option<Trouble> {
    let taken = line.to_ascii_lowercase().contains("address already in use");
    taken.then_some(Trouble::PortTaken)
}
