//! The folders of prony: downloads are in the XDG cache folder, runs in the XDG data folder and what a user sets in the XDG configuration
//! folder, or all in `PRONY_HOME`.

use crate::failure::Failure;
use say::Say;
use std::env::var_os;
use std::path::PathBuf;

/// The folders of prony for one user.
#[derive(Debug)]
pub(crate) struct Home {
    /// Downloads, builds and work folders of runs. It may be deleted at any time.
    pub(crate) cache: PathBuf,
    /// Stored runs.
    pub(crate) data: PathBuf,
    /// The file with what the user sets for all runs; it need not exist.
    pub(crate) config: PathBuf,
}

/// No folder for what prony keeps.
#[derive(Debug, Say)]
#[say(
    error,
    en = "neither PRONY_HOME nor HOME is set",
    zh = "PRONY_HOME 和 HOME 都未设置",
    hint(
        en = "set PRONY_HOME to a folder for downloads and stored runs",
        zh = "请将 PRONY_HOME 设为用于存放下载内容和运行记录的目录"
    )
)]
pub(crate) struct NoHome;

impl Home {
    /// Finds the folders by the environment variables.
    pub(crate) fn find() -> Result<Self, Failure> {
        if let Some(home) = folder("PRONY_HOME") {
            let home = std::path::absolute(&home)?;
            return Ok(Self {
                cache: home.join("cache"),
                data: home.join("data"),
                config: home.join("config.toml"),
            });
        }
        let user = folder("HOME");
        let under = |xdg: &str, usual: &str| {
            let root = folder(xdg).or_else(|| user.as_ref().map(|user| user.join(usual)));
            root.map(|root| root.join("prony"))
        };
        match (
            under("XDG_CACHE_HOME", ".cache"),
            under("XDG_DATA_HOME", ".local/share"),
            under("XDG_CONFIG_HOME", ".config"),
        ) {
            (Some(cache), Some(data), Some(config)) => {
                Ok(Self { cache, data, config: config.join("config.toml") })
            }
            _ => Err(Failure::usage(NoHome)),
        }
    }
}

/// Returns the path in an environment variable, unless it is unset or empty.
fn folder(variable: &str) -> Option<PathBuf> {
    var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
