//! [`Piece`]: what is sent to another host, in a folder named by its hash.

use crate::error::{Error, FileAct};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The last file of a piece: where it is, all others are, too.
pub(super) const END: &str = ".end";

/// A file or a folder that a host needs, as an archive.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The hash of the archive, which names the folder into which it is unpacked.
    pub(super) hash: String,
    /// The name of the file or folder within.
    pub(super) file: String,
    pub(super) archive: Vec<u8>,
}

impl Piece {
    /// The piece with this file or folder.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or_default();
        Self::named(path, &name.to_string_lossy())
    }

    /// The piece with this file or folder, which has another name there.
    pub(super) fn named(path: &Path, name: &str) -> Result<Self, Error> {
        let read = |error| Error::io(FileAct::Read, path, error);
        let mut archive = tar::Builder::new(Vec::new());
        archive.mode(tar::HeaderMode::Deterministic);
        if path.is_dir() {
            archive.append_dir_all(name, path).map_err(read)?;
        } else {
            let content = fs::read(path).map_err(read)?;
            let mode = fs::metadata(path).map_err(read)?.permissions().mode();
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(mode & 0o777 | 0o400);
            archive.append_data(&mut header, name, content.as_slice()).map_err(read)?;
        }
        let mut end = tar::Header::new_gnu();
        end.set_size(0);
        end.set_mode(0o644);
        archive.append_data(&mut end, END, io::empty()).map_err(read)?;
        let archive = archive.into_inner().map_err(read)?;
        let digest = Sha256::digest(&archive);
        let hash = digest.iter().take(16).fold(String::new(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        Ok(Self { hash, file: name.to_owned(), archive })
    }

    /// Unpacks it as the shell there does.
    #[cfg(test)]
    pub(super) fn unpack_into(&self, folder: &Path) {
        let mut archive = tar::Archive::new(self.archive.as_slice());
        archive.unpack(folder.join(&self.hash)).expect("unpacked");
    }
}
