//! `prony clean`: removes the work folders and ends the servers and containers that killed runs left behind.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use crate::say::cleaned::CleanSummary;
use model::units::Bytes;
use sut::Guard;

pub(crate) fn run(args: &args::CleanArgs) -> Result<(), Failure> {
    let home = Home::find()?;
    let cleaned = sut::work::clean(&home.cache)?;
    let containers = sut::container::clean(&Guard::this_program());
    let mut cache = None;
    if args.cache {
        let size = folder_size(&home.cache);
        if home.cache.exists() {
            std::fs::remove_dir_all(&home.cache)?;
        }
        cache = Some(Bytes(size));
    }
    let cleaned = CleanSummary { folders: cleaned.folders, servers: cleaned.processes, containers, cache };
    print(&::say::text(&cleaned, language::from_locale()))
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
