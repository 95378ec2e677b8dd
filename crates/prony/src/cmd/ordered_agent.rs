//! `prony __agent`: makes shares of a load on a host of a fleet.

use super::SubCommand;
use crate::call::Call;
use crate::failure::Failure;
use crate::run_id;
use clap::Args;
use std::path::PathBuf;
use sut::WorkFolder;

/// Only prony itself calls this: it makes shares of a load as its standard input orders.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct OrderedAgentArgs {
    /// The folder of prony there.
    folder: PathBuf,
}

impl SubCommand for OrderedAgentArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        sut::work::clean(&self.folder)?;
        let folder = WorkFolder::create(&self.folder, run_id::seed()?)?;
        fleet::serve_as_ordered(folder.path()).map_err(Failure::usage)
    }
}
