//! [`ServiceImage`]: the image of a service, which a container runs.

use crate::diagnostic::Diagnostic;
use crate::image;
use crate::node::{Node, Table};
use crate::surroundings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The image of a service. The words of its command replace those of the image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceImage {
    /// Its name, as the engines know it: `postgres:16`.
    pub name: String,
    /// The port on which it listens in its container; `None` is the only one that the image exposes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Variables of its environment, beside those of the image; `{host}` and `{port}` stand for where it has to listen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Folders that its container gets, as the engines write them, and places that get a volume of their own: `/data`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<String>,
}

impl ServiceImage {
    /// Reads the keys `image`, `port`, `environment` and `volumes` of a service; `None` where it has no image.
    pub(super) fn read(table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Option<Self> {
        table.get("image")?;
        Some(Self {
            name: table.read("image", problems, image::name).unwrap_or_default(),
            port: table.read("port", problems, port),
            environment: table.read("environment", problems, surroundings::environment).unwrap_or_default(),
            volumes: table.read("volumes", problems, image::volumes).unwrap_or_default(),
        })
    }

    /// Makes relative folders start from this folder.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        image::volumes_relative_to(&mut self.volumes, folder);
    }
}

/// Reads the port on which a service listens in its container.
pub(super) fn port(node: &Node) -> Result<u16, Diagnostic> {
    node.integer(1..=65535).map(|port| port as u16)
}
