//! A server in an image of the user's: any program that listens on the port of its arm.

use crate::error::Error;
use crate::files::log::Trouble;
use crate::programs::command::port_taken;
use crate::programs::system::{StartContext, System};
use crate::tools::container::ImageId;
use crate::tools::tool::with_address;
use record::outcome::Effective;
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;

/// The image of an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageProgram {
    /// The image as the engine knows it.
    pub image: ImageId,
    /// The words that replace the image's own words; without any the image keeps its own. `{host}` and `{port}` stand
    /// for where it has to listen.
    pub arguments: Vec<String>,
}

impl System for ImageProgram {
    /// Returns a command whose program is the image, for the engine to run.
    fn prepare(&self, start: &StartContext<'_>) -> Result<Command, Error> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, start.port));
        // No variables of ours: PATH and JAVA_HOME are the image's own.
        let mut command = start.guard.command(&self.image.id);
        command.args(self.arguments.iter().map(|word| with_address(word, address)));
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
        Effective { server: Some(self.image.to_string()), ..Effective::default() }
    }

    fn application(&self) -> &Path {
        Path::new("")
    }

    fn is_java(&self) -> bool {
        false
    }
}
