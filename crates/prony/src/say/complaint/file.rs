//! Files that cannot be read or written.

use crate::say::{Message, hinted, plain};
use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Why a file is of no use.
#[derive(Debug)]
pub(crate) enum FileComplaint {
    /// A file that the command line names cannot be read.
    Unreadable {
        /// What it is for.
        given: Given,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder of results cannot be written.
    OutFolder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file that `prony ab -e` names cannot be written.
    Percentiles {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The lock file of an experiment cannot be read or written.
    Lock {
        /// What cannot be done with it.
        act: LockAct,
        /// The file.
        path: PathBuf,
    },
    /// The system refuses something with the files of results; the cause is told below.
    Out {
        /// What was tried.
        act: OutAct,
        /// On which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What a file is for that the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// An experiment.
    Experiment,
    /// The requests of `prony load --mix`.
    Mix,
    /// The sessions of `prony load --scenario`.
    Scenario,
    /// The body of a request.
    Body,
    /// Anything else: certificates to trust, data to post.
    Other,
}

/// What cannot be done with a lock file, and why.
#[derive(Debug)]
pub(crate) enum LockAct {
    /// Read it; with what the system says.
    Read(io::Error),
    /// Understand it; with what is wrong in it.
    Parse(String),
    /// Write it; with what the system says.
    Write(io::Error),
}

/// What is done with the files of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutAct {
    /// Make a folder.
    MakeFolder,
    /// Remove what an earlier report left.
    Remove,
    /// Write a file.
    Write,
    /// Read the earlier results.
    Read,
}

impl FileComplaint {
    /// The cause that the message does not tell by itself.
    pub(super) fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Out { source, .. } => Some(source),
            Self::Unreadable { .. }
            | Self::OutFolder { .. }
            | Self::Percentiles { .. }
            | Self::Lock { .. } => None,
        }
    }

    pub(super) fn english(&self) -> Message {
        match self {
            Self::Unreadable { given, path, source } => {
                let path = path.display();
                match given {
                    Given::Experiment => hinted(
                        format!("cannot read {path}: {source}"),
                        "experiments/ has files that are ready to run",
                    ),
                    Given::Mix => plain(format!("cannot read the mix, {path}: {source}")),
                    Given::Scenario => plain(format!("cannot read the scenario, {path}: {source}")),
                    Given::Body => plain(format!("cannot read the body, {path}: {source}")),
                    Given::Other => plain(format!("cannot read {path}: {source}")),
                }
            }
            Self::OutFolder { path, source } => {
                plain(format!("cannot write into {}: {source}", path.display()))
            }
            Self::Percentiles { path, source } => plain(format!("cannot write {}: {source}", path.display())),
            Self::Lock { act, path } => {
                let path = path.display();
                match act {
                    LockAct::Read(error) => plain(format!("cannot read the lock file {path}: {error}")),
                    LockAct::Parse(problem) => hinted(
                        format!("{path} is no lock file of prony: {problem}"),
                        "fetch it again from your repository, or write it anew by --update",
                    ),
                    LockAct::Write(error) => plain(format!("cannot write the lock file {path}: {error}")),
                }
            }
            Self::Out { act, path, .. } => {
                let path = path.display();
                plain(match act {
                    OutAct::MakeFolder => format!("cannot make the folder {path}"),
                    OutAct::Remove => format!("cannot remove {path}"),
                    OutAct::Write => format!("cannot write {path}"),
                    OutAct::Read => format!("cannot read {path}"),
                })
            }
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::Unreadable { given, path, source } => {
                let path = path.display();
                match given {
                    Given::Experiment => hinted(
                        format!("无法读取 {path}：{source}"),
                        "experiments/ 中有可直接运行的文件",
                    ),
                    Given::Mix => plain(format!("无法读取请求清单 {path}：{source}")),
                    Given::Scenario => plain(format!("无法读取场景 {path}：{source}")),
                    Given::Body => plain(format!("无法读取请求体 {path}：{source}")),
                    Given::Other => plain(format!("无法读取 {path}：{source}")),
                }
            }
            Self::OutFolder { path, source } => plain(format!("无法写入目录 {}：{source}", path.display())),
            Self::Percentiles { path, source } => plain(format!("无法写入 {}：{source}", path.display())),
            Self::Lock { act, path } => {
                let path = path.display();
                match act {
                    LockAct::Read(error) => plain(format!("无法读取锁文件 {path}：{error}")),
                    LockAct::Parse(problem) => hinted(
                        format!("{path} 不是 prony 的锁文件：{problem}"),
                        "请从代码仓库重新取得它，或用 --update 重写",
                    ),
                    LockAct::Write(error) => plain(format!("无法写入锁文件 {path}：{error}")),
                }
            }
            Self::Out { act, path, .. } => {
                let path = path.display();
                plain(match act {
                    OutAct::MakeFolder => format!("无法创建目录 {path}"),
                    OutAct::Remove => format!("无法删除 {path}"),
                    OutAct::Write => format!("无法写入 {path}"),
                    OutAct::Read => format!("无法读取 {path}"),
                })
            }
        }
    }
}
