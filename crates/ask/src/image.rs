//! [`OwnImage`]: the user's own image, which podman or docker runs.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::slip::{ArmSlip, Hint};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The user's own image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnImage {
    /// Its name, as the engines know it: `registry/app:1.2`.
    pub image: String,
    /// Folders and volumes that the container gets, as the engines write them: `/data:/data:ro`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<String>,
}

/// The value of the key `server` for such an arm, and the key that names the image.
pub const IMAGE: &str = "image";

impl OwnImage {
    /// Whether it names no image.
    pub(crate) const fn is_empty(&self) -> bool {
        self.image.is_empty()
    }

    /// Makes relative folders start from this folder.
    pub(crate) fn relative_to(&mut self, folder: &Path) {
        volumes_relative_to(&mut self.volumes, folder);
    }
}

/// Makes relative folders of volumes start from this folder. A name without a dot in front names a volume.
pub(crate) fn volumes_relative_to(volumes: &mut [String], folder: &Path) {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for volume in volumes {
        if volume.starts_with('.') {
            // Collecting the components drops the `.` of `./data`.
            let path: std::path::PathBuf = folder.join(&*volume).components().collect();
            *volume = path.to_string_lossy().into_owned();
        }
    }
}

/// Reads the key `image` of an arm.
pub(crate) fn name(node: &Node) -> Result<String, Diagnostic> {
    let name = node.text()?;
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
    // An engine would take a name that begins with a dash for an option.
    if name.is_empty() || name.starts_with('-') || name.contains(is_odd) {
        let problem = node.refuse(ArmSlip::Image(name.to_owned()));
        return Err(problem.hint(Hint::write("image = \"registry/app:1.2\"")));
    }
    Ok(name.to_owned())
}

/// Reads the key `volumes` of an arm.
pub(crate) fn volumes(node: &Node) -> Result<Vec<String>, Diagnostic> {
    let read = |node: &Node| {
        let volume = node.text()?;
        let parts: Vec<&str> = volume.split(':').collect();
        let is_right = match parts.as_slice() {
            [place] => place.starts_with('/'), // A fresh volume of its own.
            [from, place] | [from, place, _] => {
                !from.is_empty() && !from.starts_with('-') && place.starts_with('/')
            }
            _ => false,
        };
        if is_right {
            return Ok(volume.to_owned());
        }
        let problem = node.refuse(ArmSlip::Volume(volume.to_owned()));
        Err(problem.hint(Hint::write("volumes = [\"./data:/data:ro\"]")))
    };
    match &node.value {
        Value::Text(_) => read(node).map(|volume| vec![volume]),
        _ => node.list()?.iter().map(read).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_relative_to_the_file_and_volumes_have_names() {
        let mut image = OwnImage {
            image: "a".to_owned(),
            volumes: ["./data:/data:ro", "/srv:/srv", "cache:/cache"].map(str::to_owned).into(),
        };
        image.relative_to(Path::new("/home/x"));
        assert_eq!(image.volumes, ["/home/x/data:/data:ro", "/srv:/srv", "cache:/cache"]);
    }
}
