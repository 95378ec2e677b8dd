//! Files that cannot be read or written.

use ::say::Say;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file is of no use.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum FileComplaint {
    /// A file that the command line names cannot be read.
    #[say(
        en = "cannot read {given}{path}: {source}",
        zh = "无法读取{given} {path}：{source}",
        hint(from = given)
    )]
    Unreadable {
        /// What it is for.
        given: Given,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder of results cannot be written.
    #[say(en = "cannot write into {path}: {source}", zh = "无法写入目录 {path}：{source}")]
    OutFolder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file that `prony ab -e` names cannot be written.
    #[say(en = "cannot write {path}: {source}", zh = "无法写入 {path}：{source}")]
    Percentiles {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The lock file of an experiment cannot be read or written.
    #[say(transparent = LockWords::of(path, act))]
    Lock {
        /// What cannot be done with it.
        act: LockAct,
        /// The file.
        path: PathBuf,
    },
    /// The system refuses something with the files of results; the cause is told below.
    #[say(en = "cannot {act} {path}", zh = "无法{act} {path}")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum Given {
    /// An experiment.
    #[say(
        en = "",
        zh = "",
        hint(en = "experiments/ has files that are ready to run", zh = "experiments/ 中有可直接运行的文件")
    )]
    Experiment,
    /// The requests of `prony load --mix`.
    #[say(en = "the mix, ", zh = "请求清单")]
    Mix,
    /// The sessions of `prony load --scenario`.
    #[say(en = "the scenario, ", zh = "场景")]
    Scenario,
    /// A JMeter plan.
    #[say(en = "the JMeter plan, ", zh = "JMeter 测试计划")]
    Jmx,
    /// The body of a request.
    #[say(en = "the body, ", zh = "请求体")]
    Body,
    /// Anything else: certificates to trust, data to post.
    #[say(en = "", zh = "")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum OutAct {
    /// Make a folder.
    #[say(en = "make the folder", zh = "创建目录")]
    MakeFolder,
    /// Remove what an earlier report left.
    #[say(en = "remove", zh = "删除")]
    Remove,
    /// Write a file.
    #[say(en = "write", zh = "写入")]
    Write,
    /// Read the earlier results.
    #[say(en = "read", zh = "读取")]
    Read,
}

/// What is wrong with a lock file.
#[derive(Say)]
enum LockWords<'a> {
    #[say(en = "cannot read the lock file {path}: {error}", zh = "无法读取锁文件 {path}：{error}")]
    Read { path: &'a Path, error: &'a io::Error },
    #[say(
        en = "{path} is no lock file of prony: {problem}",
        zh = "{path} 不是 prony 的锁文件：{problem}",
        hint(
            en = "fetch it again from your repository, or write it anew by --update",
            zh = "请从代码仓库重新取得它，或用 --update 重写"
        )
    )]
    Parse { path: &'a Path, problem: &'a str },
    #[say(en = "cannot write the lock file {path}: {error}", zh = "无法写入锁文件 {path}：{error}")]
    Write { path: &'a Path, error: &'a io::Error },
}

impl<'a> LockWords<'a> {
    fn of(path: &'a Path, act: &'a LockAct) -> Self {
        match act {
            LockAct::Read(error) => Self::Read { path, error },
            LockAct::Parse(problem) => Self::Parse { path, problem },
            LockAct::Write(error) => Self::Write { path, error },
        }
    }
}
