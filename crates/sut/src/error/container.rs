//! [`ContainerError`]: why a server cannot run in a container.

/// Why a server cannot run in a container.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    /// No engine is installed, or none works.
    #[error("no container engine works here: {}", .tried.join("; "))]
    NoEngine {
        /// What was tried, each with what it said: `podman: …`.
        tried: Vec<String>,
    },
    /// The engine has no such image and cannot fetch it.
    #[error("{engine} has no image {image} and cannot fetch it{}", super::first_line(.lines))]
    NoImage {
        /// The engine: `podman`.
        engine: String,
        /// The name of the image.
        image: String,
        /// What the engine wrote.
        lines: Vec<String>,
    },
    /// The engine describes an image in a way that prony does not understand.
    #[error("{engine} does not tell the id of the image {image}")]
    NoDigest {
        engine: String,
        /// The name of the image.
        image: String,
    },
    /// The engine puts its containers into the network of the machine, where the link is not.
    #[error("a container of {engine} cannot be put behind a link")]
    BehindLink { engine: String },
}

impl ContainerError {
    /// What the user can do about it.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::NoEngine { .. } => {
                "install podman and runc (Debian: apt-get install podman runc), or start docker; or take out `container`".to_owned()
            }
            Self::NoImage { engine, image, .. } => format!("see what `{engine} pull {image}` says"),
            Self::NoDigest { engine, image } => format!("see what `{engine} image inspect {image}` says"),
            Self::BehindLink { .. } => "install podman, or take out [link]".to_owned(),
        }
    }
}
