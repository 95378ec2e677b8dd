//! `prony clean`: removes what killed runs left behind.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::{self, print};
use crate::say::cleaned::Cleaned;
use model::units::Bytes;

pub(crate) fn run(args: &args::Clean) -> Result<(), Failure> {
    let home = Home::find()?;
    let cleaned = sut::work::clean(&home.cache)?;
    let mut cache = None;
    if args.cache {
        let size = folder_size(&home.cache);
        if home.cache.exists() {
            std::fs::remove_dir_all(&home.cache)?;
        }
        cache = Some(Bytes(size));
    }
    let cleaned = Cleaned {
        folders: cleaned.folders,
        servers: cleaned.processes,
        cache,
    };
    print(&cleaned.text(output::of_locale()))
}

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
