//! `prony __host`: runs a server on another host.

use super::SubCommand;
use crate::call::Call;
use crate::failure::{Code, Failure};
use clap::Args;
use std::path::PathBuf;

/// Only prony itself calls this: it runs a server on another host.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct HostArgs {
    /// The folder of prony there.
    folder: PathBuf,
}

impl SubCommand for HostArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        // The prony that has started this one tells why.
        lab::serve_host(&self.folder).map_err(|_| Failure::reported(Code::Internal))
    }
}
