//! `prony __agent`: makes shares of a load on a host of a fleet.

use super::SubCommand;
use super::agent::usage;
use crate::call::Call;
use crate::failure::{Code, Failure};
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
        let internal = |error| Failure::new(Code::Internal, error);
        sut::work::clean(&self.folder).map_err(internal)?;
        let folder = WorkFolder::create(&self.folder, run_id::seed()?).map_err(internal)?;
        fleet::serve_as_ordered(folder.path()).map_err(usage)
    }
}
