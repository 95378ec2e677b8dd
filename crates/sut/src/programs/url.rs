//! A server that runs already: nothing of it is started or read.

use crate::error::Error;
use crate::files::log::Trouble;
use crate::programs::system::{Start, System};
use model::origin::Origin;
use model::outcome::Effective;
use std::path::Path;
use std::process::Command;

impl System for Origin {
    /// It is not ours to start.
    fn prepare(&self, _start: &Start<'_>) -> Result<Command, Error> {
        Err(Error::NobodyThere { origin: *self })
    }

    fn judge(&self, _line: &str) -> Option<Trouble> {
        None
    }

    fn is_up(&self, _line: &str) -> bool {
        true
    }

    /// Nothing: to ask its JVM would be to change a process that is not ours.
    fn said(&self, _log: &str) -> Effective {
        Effective::default()
    }

    fn application(&self) -> &Path {
        Path::new("")
    }

    fn is_java(&self) -> bool {
        false
    }
}
