//! Files that the command line names: what is read from them, and what is written that must not be there.

use crate::failure::Failure;
use say::Say;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Why a file is of no use.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum FileComplaint {
    /// It cannot be read.
    #[say(
        en = "cannot read {given}{path}: {source}",
        zh = "无法读取{given} {path}：{source}",
        hint(from = given)
    )]
    Unreadable {
        /// What it is for.
        given: Given,
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is there already, and would be overwritten.
    #[say(
        en = "{path} is there already, and is left as it is",
        zh = "{path} 已存在，未作改动",
        hint(en = "name another file, or remove this one", zh = "请指定另一个文件，或删除该文件")
    )]
    Exists { path: PathBuf },
    /// It cannot be written.
    #[say(en = "cannot write {path}: {source}", zh = "无法写入 {path}：{source}")]
    Unwritable {
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

/// Returns a function that turns an I/O error with a file into a failure.
pub(crate) fn unreadable(given: Given, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::usage(FileComplaint::Unreadable { given, path, source })
}

/// Fails if a file exists.
pub(crate) fn refuse_existing(file: &Path) -> Result<(), Failure> {
    match file.exists() {
        true => Err(exists(file)),
        false => Ok(()),
    }
}

fn exists(file: &Path) -> Failure {
    Failure::usage(FileComplaint::Exists { path: file.to_owned() })
}

/// Writes a file that must not exist.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::usage(FileComplaint::Unwritable { path: path.to_owned(), source }),
    })
}
