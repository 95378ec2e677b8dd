//! [`UserConfig`]: what a user sets once for all runs, in the file `config.toml`.

use crate::failure::Failure;
use crate::home::Home;
use crate::say::complaint::ConfigComplaint;
use serde::Deserialize;
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
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => {
                let path = path.to_owned();
                return Err(Failure::usage(ConfigComplaint::Unreadable { path, source }));
            }
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

/// The store that an option names, or else that of the configuration.
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
