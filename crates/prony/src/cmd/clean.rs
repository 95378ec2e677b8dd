//! `prony clean`: removes the work folders and ends the servers and containers that killed runs left behind.

use super::SubCommand;
use crate::call::Call;
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::print;
use clap::Args;
use model::units::Bytes;
use say::Say;
use sut::Guard;

/// Remove what killed runs left behind.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Also remove the downloaded servers and built applications.
    #[arg(long)]
    cache: bool,
}

/// What was left behind and is gone now, a line each.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "removed {folders} work folders, ended {servers} servers\n\
          {contained?removed {} containers\n}{cache?removed downloads and builds: {}\n}",
    zh = "已删除 {folders} 个工作目录，结束 {servers} 个服务器\n\
          {contained?已删除 {} 个容器\n}{cache?已删除下载与构建内容：{}\n}",
    contained = (*containers > 0).then_some(containers)
)]
struct CleanSummary {
    /// Work folders.
    folders: usize,
    /// Servers that were still running.
    servers: usize,
    /// Containers of servers.
    containers: usize,
    /// Downloads and builds, where they were to be removed.
    cache: Option<Bytes>,
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
        print(&say::text(&cleaned, language::from_locale()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{assert_golden, check_words};

    #[test]
    fn what_was_cleaned_keeps_its_words() {
        for (containers, cache) in [(0, None), (56, Some(Bytes(5 << 30)))] {
            let cleaned = CleanSummary { folders: 12, servers: 34, containers, cache };
            check_words(&cleaned);
        }
        assert_golden("what_was_cleaned");
    }
}
