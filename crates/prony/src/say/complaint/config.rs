//! What is wrong with the configuration of a user, and with sinks.

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
    /// A sink is not given as `FORMAT=ADDRESS`. What was given is not quoted, because it may hold a password.
    NoSink,
    /// The address of a sink holds a password.
    PasswordInSink,
    /// The file with the authorization of a sink cannot be used.
    Authorization {
        /// The file.
        path: PathBuf,
        /// What the system says; `None` when others may read the file, or when it holds no value of a header.
        source: Option<io::Error>,
    },
}

/// The forms of a sink.
const FORMS: &str = "influx=http://HOST:8086/write?db=NAME, prometheus=http://HOST:9090/api/v1/write, \
                     otlp=http://HOST:4318/v1/metrics, opensearch=http://HOST:9200, statsd=HOST:8125";

impl ConfigComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::Unreadable { path, source } => plain(format!("cannot read {}: {source}", path.display())),
            Self::Mistake { path, line, what } => hinted(
                format!("{} line {line}: {what}", path.display()),
                "the file has `store = \"postgres://USER@HOST/DATABASE\"` and tables `[[sink]]`",
            ),
            Self::NoStore { path } => hinted(
                "no store of a team is known",
                format!(
                    "name it by --store postgres://USER@HOST/DATABASE, by PRONY_STORE, or as `store` in {}",
                    path.display()
                ),
            ),
            Self::NoSink => hinted("a sink is FORMAT=ADDRESS", format!("for example {FORMS}")),
            Self::PasswordInSink => hinted(
                "the address of a sink has a user or a password in it, which others could read",
                "put the value of the header Authorization into a file (chmod 600), and name it as `authorization_file` of the `[[sink]]` in config.toml",
            ),
            Self::Authorization {
                path,
                source: Some(source),
            } => plain(format!("cannot read {}: {source}", path.display())),
            Self::Authorization { path, source: None } => hinted(
                format!(
                    "{} can be read by others or is no value of a header, and is not used",
                    path.display()
                ),
                format!(
                    "write one line such as `Basic …` or `Bearer …` into it, and chmod 600 {}",
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
                "该文件可含 `store = \"postgres://USER@HOST/DATABASE\"` 和 `[[sink]]` 表",
            ),
            Self::NoStore { path } => hinted(
                "不知道团队的存储在哪里",
                format!(
                    "请用 --store postgres://USER@HOST/DATABASE、PRONY_STORE，或 {} 中的 `store` 指定",
                    path.display()
                ),
            ),
            Self::NoSink => hinted("输出目标应写为 FORMAT=ADDRESS", format!("例如 {FORMS}")),
            Self::PasswordInSink => hinted(
                "输出目标的地址中含有用户名或密码，他人可能读到",
                "请将 Authorization 头的值写入一个文件（chmod 600），并在 config.toml 的 `[[sink]]` 中以 `authorization_file` 指定",
            ),
            Self::Authorization {
                path,
                source: Some(source),
            } => plain(format!("无法读取 {}：{source}", path.display())),
            Self::Authorization { path, source: None } => hinted(
                format!("{} 可被他人读取，或不是一个头的值，因此未使用", path.display()),
                format!(
                    "请在其中写一行 `Basic …` 或 `Bearer …`，并执行 chmod 600 {}",
                    path.display()
                ),
            ),
        }
    }
}
