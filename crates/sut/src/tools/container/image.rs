//! [`ImageId`]: an image as an engine knows it.

use super::engine::Engine;
use crate::error::{ContainerError, Error};
use crate::files::work::WorkFolder;
use crate::tools::site::Site;
use crate::tools::tool;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::AtomicBool;

/// An image as an engine knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageId {
    /// Its name: `registry/app:1.2`.
    pub name: String,
    /// Its id, by which it is run: another image may get the name during a run.
    pub id: String,
    /// The digest of its manifest, which is the same on every machine: `sha256:…`; the id where the engine knows none.
    pub digest: String,
}

impl Display for ImageId {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}", self.name, self.digest)
    }
}

impl Engine {
    /// Finds an image, and fetches it if the engine does not have it yet.
    ///
    /// # Errors
    /// There is no such image, the engine does not describe it, or the stop flag was raised.
    pub fn image(&self, name: &str, site: &Site, stop: &AtomicBool) -> Result<ImageId, Error> {
        if let Some(image) = self.present(name) {
            return Ok(image);
        }
        let work = WorkFolder::create(&site.cache, 0)?;
        let pulled = tool::run(self.command(&["pull", "--quiet", name]), &work, stop, None)?;
        if !pulled.status.success() {
            let lines = pulled.output.lines().rev().filter(|line| !line.trim().is_empty());
            return Err(Error::from(ContainerError::NoImage {
                engine: self.name.clone(),
                image: name.to_owned(),
                lines: lines.take(1).map(str::to_owned).collect(),
            }));
        }
        self.present(name).ok_or_else(|| {
            Error::from(ContainerError::NoDigest { engine: self.name.clone(), image: name.to_owned() })
        })
    }

    /// The port on which a container of an image listens: the only one that it exposes.
    ///
    /// # Errors
    /// It exposes none, or several.
    pub fn exposed_port(&self, image: &ImageId) -> Result<u16, Error> {
        let format = "--format={{range $port, $_ := .Config.ExposedPorts}}{{$port}} {{end}}";
        let answer = self.ask(&["image", "inspect", format, &image.id]).unwrap_or_default();
        let tcp = answer.split_whitespace().map(|port| port.strip_suffix("/tcp").unwrap_or(port));
        let exposed: Vec<String> = tcp.map(str::to_owned).collect();
        match exposed.as_slice() {
            [port] => port.parse().ok(),
            _ => None,
        }
        .ok_or_else(|| Error::from(ContainerError::NoPort { image: image.name.clone(), exposed }))
    }

    fn present(&self, name: &str) -> Option<ImageId> {
        let ask = |format: &str| {
            let answer = self.ask(&["image", "inspect", &format!("--format={format}"), name])?;
            let answer = answer.trim().to_owned();
            (!answer.is_empty()).then_some(answer)
        };
        let id = ask("{{.Id}}")?;
        // podman knows the digest of every image, docker only of those that came from a registry.
        let digest = ask("{{.Digest}}").or_else(|| {
            let digest = ask("{{range .RepoDigests}}{{.}} {{end}}")?;
            Some(digest.split_whitespace().next()?.split_once('@')?.1.to_owned())
        });
        Some(ImageId { name: name.to_owned(), digest: digest.unwrap_or_else(|| id.clone()), id })
    }
}
