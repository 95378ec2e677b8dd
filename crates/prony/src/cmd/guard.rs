//! `prony __guard`: becomes a server that ends when prony dies.

use super::SubCommand;
use crate::call::Call;
use crate::failure::Failure;
use clap::Args;
use std::ffi::OsString;

/// Only prony itself calls this: it ends the server when prony dies.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct GuardArgs {
    /// The process id of the parent, then the command of the server.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

impl SubCommand for GuardArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        Err(Failure::exit(sut::guard::main(&self.command)))
    }
}
