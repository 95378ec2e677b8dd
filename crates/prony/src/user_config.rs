//! [`UserConfig`]: what a user sets once for all runs, in the file `config.toml`.

use crate::failure::Failure;
use crate::files::{Given, unreadable};
use crate::home::Home;
use say::Say;
use serde::Deserialize;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use store::{TeamAddress, TeamError};

/// The environment variable that replaces `store` of the file; empty, there is no store.
const STORE_VARIABLE: &str = "PRONY_STORE";

/// The configuration of this user.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserConfig {
    /// The store of the team, to which each run is pushed when it has ended.
    pub(crate) store: Option<TeamAddress>,
    /// Where the figures of each run are sent while it lasts.
    pub(crate) sinks: Vec<SinkEntry>,
}

/// A `[[sink]]` of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SinkEntry {
    /// `FORMAT=ADDRESS`, as `--sink` takes it.
    pub(crate) to: String,
    /// The file that holds the value of the header `Authorization`.
    pub(crate) authorization_file: Option<PathBuf>,
}

/// Why a configuration is of no use.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ConfigComplaint {
    /// The file is no TOML, or has keys that are not known.
    #[say(
        en = "{path} line {line}: {what}",
        zh = "{path} 第 {line} 行：{what}",
        hint(
            en = "the file has `store = \"postgres://USER@HOST/DATABASE\"` and tables `[[sink]]`",
            zh = "该文件可含 `store = \"postgres://USER@HOST/DATABASE\"` 和 `[[sink]]` 表"
        )
    )]
    Mistake {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        what: String,
    },
    /// No store of a team is known.
    #[say(
        en = "no store of a team is known",
        zh = "不知道团队的存储在哪里",
        hint(
            en = "name it by --store postgres://USER@HOST/DATABASE, by PRONY_STORE, or as `store` in {path}",
            zh = "请用 --store postgres://USER@HOST/DATABASE、PRONY_STORE，或 {path} 中的 `store` 指定"
        )
    )]
    NoStore {
        /// The file in which it could be.
        path: PathBuf,
    },
    /// A sink is not given as `FORMAT=ADDRESS`. What was given is not quoted, because it may hold a password.
    #[say(
        en = "a sink is FORMAT=ADDRESS",
        zh = "输出目标应写为 FORMAT=ADDRESS",
        hint(en = "for example {forms}", zh = "例如 {forms}")
    )]
    NoSink {
        /// An example of each kind.
        forms: String,
    },
    /// The address of a sink holds a password.
    #[say(
        en = "the address of a sink has a user or a password in it, which others could read",
        zh = "输出目标的地址中含有用户名或密码，他人可能读到",
        hint(
            en = "put the value of the header Authorization into a file (chmod 600), and name it as \
                  `authorization_file` of the `[[sink]]` in config.toml",
            zh = "请将 Authorization 头的值写入一个文件（chmod 600），并在 config.toml 的 `[[sink]]` 中以 \
                  `authorization_file` 指定"
        )
    )]
    PasswordInSink,
    /// The page of a sink cannot be served.
    #[say(
        en = "the figures cannot be shown at {address}: {source}",
        zh = "无法在 {address} 上提供数据：{source}",
        hint(
            en = "another run may use this port: give each run its own, or use prometheus=URL",
            zh = "可能有另一个运行在使用此端口：请让每个运行使用自己的端口，或使用 prometheus=URL"
        )
    )]
    CannotListen {
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The file with the authorization of a sink cannot be used.
    #[say(
        en = "{refused?cannot read {path}: {}|{path} can be read by others or is no value of a header, and is not used}",
        zh = "{refused?无法读取 {path}：{}|{path} 可被他人读取，或不是一个头的值，因此未使用}",
        hint(
            en = "{refused?|write one line such as `Basic …` or `Bearer …` into it, and chmod 600 {path}}",
            zh = "{refused?|请在其中写一行 `Basic …` 或 `Bearer …`，并执行 chmod 600 {path}}"
        )
    )]
    Authorization {
        path: PathBuf,
        /// What the system says; `None` when others may read the file, or when it holds no value of a header.
        refused: Option<io::Error>,
    },
}

/// The file as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    store: Option<String>,
    #[serde(default, rename = "sink")]
    sinks: Vec<SinkEntry>,
}

impl UserConfig {
    /// Reads the file and the environment; a file that does not exist sets nothing.
    pub(crate) fn read(home: &Home) -> Result<Self, Failure> {
        let file = ConfigFile::read(&home.config)?;
        let store = match std::env::var(STORE_VARIABLE) {
            Ok(set) => Some(set).filter(|set| !set.is_empty()),
            Err(_) => file.store,
        };
        let store = store.map(|store| TeamAddress::parse(&store)).transpose();
        let folder = home.config.parent().unwrap_or(&home.config);
        Ok(Self {
            store: store.map_err(Failure::of_team)?,
            sinks: file.sinks.into_iter().map(|sink| sink.relative_to(folder)).collect(),
        })
    }
}

impl ConfigFile {
    fn read(path: &Path) -> Result<Self, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(unreadable(Given::Other, path)(source)),
        };
        // Only the message and the line are told: the line itself may hold a secret.
        toml::from_str(&text).map_err(|error| {
            let begin = error.span().map_or(0, |span| span.start.min(text.len()));
            Failure::usage(ConfigComplaint::Mistake {
                path: path.to_owned(),
                line: text.as_bytes()[..begin].iter().filter(|byte| **byte == b'\n').count() + 1,
                what: error.message().to_owned(),
            })
        })
    }
}

impl SinkEntry {
    /// The entry whose file is looked for in this folder unless its path is absolute.
    fn relative_to(self, folder: &Path) -> Self {
        Self { authorization_file: self.authorization_file.map(|file| folder.join(file)), ..self }
    }
}

/// The store that an option names, or else the store of the configuration.
pub(crate) fn chosen_store(named: Option<&str>, home: &Home) -> Result<TeamAddress, Failure> {
    match named {
        Some(url) => TeamAddress::parse(url).map_err(Failure::of_team),
        None => {
            let known = UserConfig::read(home)?.store;
            known.ok_or_else(|| Failure::usage(ConfigComplaint::NoStore { path: home.config.clone() }))
        }
    }
}

impl Failure {
    /// The failure for an error of the team's store; what the user names wrongly has the exit code of a mistake.
    pub(crate) fn of_team(error: TeamError) -> Self {
        let code = match &error {
            TeamError::NotAnAddress
            | TeamError::PasswordInAddress
            | TeamError::NoSuchEncryption { .. }
            | TeamError::Certificates { .. }
            | TeamError::Unknown { .. }
            | TeamError::ManyFit { .. }
            | TeamError::Conflict { .. } => crate::failure::Code::Usage,
            _ => crate::failure::Code::Internal,
        };
        Self::new(code, error)
    }
}
