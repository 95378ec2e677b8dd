//! A server that runs already: prony neither starts it nor reads its log.

use crate::error::Error;
use crate::files::log::Trouble;
use crate::programs::system::{StartContext, System};
use ask::origin::Origin;
use record::outcome::Effective;
use std::path::Path;
use std::process::Command;

impl System for Origin {
    /// Always fails: prony does not start such a server.
    fn prepare(&self, _start: &StartContext<'_>) -> Result<Command, Error> {
        Err(Error::NobodyThere { origin: self.clone() })
    }

    fn trouble(&self, _line: &str) -> Option<Trouble> {
        None
    }

    fn is_up(&self, _line: &str) -> bool {
        true
    }

    /// Nothing is known. Asking its JVM would change a process that is not ours.
    fn effective(&self, _log: &str) -> Effective {
        Effective::default()
    }

    fn application(&self) -> &Path {
        Path::new("")
    }

    fn is_java(&self) -> bool {
        false
    }
}
