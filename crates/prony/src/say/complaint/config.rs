//! What is wrong with the configuration of a user.

use crate::say::{Message, hinted, plain};
use std::io;
use std::path::PathBuf;

/// Why a configuration is of no use.
#[derive(Debug)]
pub(crate) enum ConfigComplaint {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no TOML, or has keys that are not known.
    Mistake {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        what: String,
    },
    /// No store of a team is known.
    NoStore {
        /// The file in which it could be.
        path: PathBuf,
    },
}

impl ConfigComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::Unreadable { path, source } => plain(format!("cannot read {}: {source}", path.display())),
            Self::Mistake { path, line, what } => hinted(
                format!("{} line {line}: {what}", path.display()),
                "the file has `store = \"postgres://USER@HOST/DATABASE\"`",
            ),
            Self::NoStore { path } => hinted(
                "no store of a team is known",
                format!(
                    "name it by --store postgres://USER@HOST/DATABASE, by PRONY_STORE, or as `store` in {}",
                    path.display()
                ),
            ),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::Unreadable { path, source } => plain(format!("无法读取 {}：{source}", path.display())),
            Self::Mistake { path, line, what } => hinted(
                format!("{} 第 {line} 行：{what}", path.display()),
                "该文件可写 `store = \"postgres://USER@HOST/DATABASE\"`",
            ),
            Self::NoStore { path } => hinted(
                "不知道团队的存储在哪里",
                format!(
                    "请用 --store postgres://USER@HOST/DATABASE、PRONY_STORE，或 {} 中的 `store` 指定",
                    path.display()
                ),
            ),
        }
    }
}
