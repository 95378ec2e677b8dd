//! [`OwnConfiguration`]: the user's own configuration of a Tomcat or a Jetty, in which prony changes only ports and folders.

use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::slip::{ArmSlip, Hint};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The user's own configuration of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnConfiguration {
    /// The folder `conf` of a Tomcat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conf: Option<PathBuf>,
    /// A file in the place of `conf/server.xml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_xml: Option<PathBuf>,
    /// A file in the place of `conf/context.xml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_xml: Option<PathBuf>,
    /// The file `bin/setenv.sh` of a Tomcat, which sets the options of its JVM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setenv: Option<PathBuf>,
    /// The folder `lib` of a Tomcat, such as that with the drivers of its data sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lib: Option<PathBuf>,
    /// The base folder of a Jetty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jetty_base: Option<PathBuf>,
}

/// The keys of an arm that name a part of a Tomcat's configuration.
pub(crate) const OF_TOMCAT: [&str; 5] = ["conf", "server_xml", "context_xml", "setenv", "lib"];
/// The key of an arm that names the base folder of a Jetty.
pub(crate) const OF_JETTY: &str = "jetty_base";

impl OwnConfiguration {
    /// Whether nothing is the user's own.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether connectors and hosts are the user's own, and not set by the keys of the arm.
    pub const fn has_server_xml(&self) -> bool {
        self.conf.is_some() || self.server_xml.is_some()
    }

    /// All files and folders that it names.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let all =
            [&self.conf, &self.server_xml, &self.context_xml, &self.setenv, &self.lib, &self.jetty_base];
        all.into_iter().flatten()
    }

    /// All files and folders that it names, to be changed.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let all = [
            &mut self.conf,
            &mut self.server_xml,
            &mut self.context_xml,
            &mut self.setenv,
            &mut self.lib,
            &mut self.jetty_base,
        ];
        all.into_iter().flatten()
    }

    /// Makes relative paths start from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        self.paths_mut().for_each(|path| *path = folder.join(&*path));
    }
}

/// Reads the key `context_path`: `/shop`, or `/` for the root.
pub(crate) fn context_path(node: &Node) -> Result<String, Diagnostic> {
    let path = node.text()?;
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || ['#', '?', '%'].contains(&c);
    if !path.starts_with('/') || path.contains(is_odd) || path.len() > 1 && path.ends_with('/') {
        let problem = node.refuse(ArmSlip::ContextPath(path.to_owned()));
        return Err(problem.hint(Hint::write("context_path = \"/shop\"")));
    }
    Ok(path.trim_end_matches('/').to_owned())
}
