//! A server of the user's own: any command that listens where it is told.

use crate::error::Error;
use crate::files::log::Trouble;
use crate::programs::system::{Start, System};
use crate::tools::tool;
use crate::tools::tool::with_address;
use model::outcome::Effective;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command, as its arm gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments; `{host}` and `{port}` stand for where it has to listen.
    pub arguments: Vec<String>,
    /// Where it is started; `None` is where prony was.
    pub folder: Option<PathBuf>,
}

impl CommandLine {
    /// Finds the program of a command: a path counts from the folder, a name is looked for on the PATH.
    pub fn find(words: &[String], folder: Option<PathBuf>) -> Result<Self, Error> {
        let (first, arguments) = words
            .split_first()
            .map_or(("", words), |(first, rest)| (first, rest));
        let path = match &folder {
            // By its parts, which leaves out the `.` of `./serve`.
            Some(folder) if first.contains('/') => folder.join(first).components().collect(),
            _ => PathBuf::from(first),
        };
        let program = tool::find(&path).ok_or_else(|| Error::NoProgram {
            what: "the command".to_owned(),
            program: path.display().to_string(),
            package: None,
        })?;
        Ok(Self {
            program,
            arguments: arguments.to_vec(),
            folder,
        })
    }
}

impl System for CommandLine {
    fn prepare(&self, start: &Start<'_>) -> Result<Command, Error> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, start.port));
        let mut command = start.command(&self.program);
        command.args(self.arguments.iter().map(|word| with_address(word, address)));
        command.current_dir(self.folder.as_deref().unwrap_or(Path::new(".")));
        Ok(command)
    }

    fn judge(&self, line: &str) -> Option<Trouble> {
        port_taken(line)
    }

    /// Nothing is known of what it says: its answer is awaited as long as there is patience.
    fn is_up(&self, _line: &str) -> bool {
        false
    }

    fn said(&self, _log: &str) -> Effective {
        Effective::default()
    }

    fn application(&self) -> &Path {
        &self.program
    }

    fn is_java(&self) -> bool {
        false
    }
}

/// Whether a program says that its port is held, in the words of the C library, which most pass on.
pub(crate) fn port_taken(line: &str) -> Option<Trouble> {
    let taken = line.to_ascii_lowercase().contains("address already in use");
    taken.then_some(Trouble::PortTaken)
}
