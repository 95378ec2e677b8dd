//! `prony clean`: removes the work folders and ends the servers and containers that killed runs left behind.

use super::SubCommand;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::say::cleaned::CleanSummary;
use clap::Args;
use model::units::Bytes;
use sut::Guard;

/// Remove what killed runs left behind.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Also remove the downloaded servers and built applications.
    #[arg(long)]
    cache: bool,
}

impl SubCommand for CleanArgs {
    fn run(&self, _: &Call) -> Result<(), Failure> {
        let home = Home::find()?;
        let cleaned = sut::work::clean(&home.cache)?;
        let containers = sut::container::clean(&Guard::this_program());
        let mut cache = None;
        if self.cache {
            let size = folder_size(&home.cache);
            if home.cache.exists() {
                std::fs::remove_dir_all(&home.cache)?;
            }
            cache = Some(Bytes(size));
        }
        let cleaned =
            CleanSummary { folders: cleaned.folders, servers: cleaned.processes, containers, cache };
        print(&::say::text(&cleaned, language::from_locale()))
    }
}

/// Returns the size of all files in a folder and its sub-folders, in bytes.
fn folder_size(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => folder_size(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
