//! [`ResultFile`]: the file in which the coordinator keeps every delta before it acknowledges it.

use crate::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A file of frames, each after its length (u32, big-endian). What is written survives the coordinator, but not a power failure.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
}

impl ResultFile {
    /// Creates a file that does not exist yet.
    ///
    /// # Errors
    ///
    /// When the system refuses it.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).mode(0o600).open(path);
        Ok(Self { path: path.to_owned(), file: file.map_err(failed)? })
    }

    /// Opens a file that another process has begun, to add to it. A frame at its end that was not written completely is cut off.
    ///
    /// # Errors
    ///
    /// When the system refuses it.
    pub fn reopen(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        let whole: usize = read_results(path)?.iter().map(|frame| frame.len() + 4).sum();
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Adds a frame.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn add(&mut self, frame: &[u8]) -> Result<(), Error> {
        let mut bytes = (frame.len() as u32).to_be_bytes().to_vec();
        bytes.extend_from_slice(frame);
        self.file.write_all(&bytes).map_err(|source| Error::File { path: self.path.clone(), source })
    }
}

/// Returns the frames of a result file. A frame at its end that was not written completely is left out: it was not acknowledged.
///
/// # Errors
///
/// When the file cannot be read.
pub fn read_results(path: &Path) -> Result<Vec<Vec<u8>>, Error> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(failed)?;
    file.read_to_end(&mut bytes).map_err(failed)?;
    let mut rest = bytes.as_slice();
    let mut frames = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let Some((frame, behind)) = behind.split_at_checked(u32::from_be_bytes(*length) as usize) else {
            break;
        };
        frames.push(frame.to_vec());
        rest = behind;
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_was_cut_off_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet").join("run");
        let mut file = ResultFile::create(&path).unwrap();
        file.add(b"one").unwrap();
        file.add(b"").unwrap();
        file.add(b"three").unwrap();
        assert_eq!(read_results(&path).unwrap(), [&b"one"[..], b"", b"three"]);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(read_results(&path).unwrap(), [&b"one"[..], b""]);
        assert!(ResultFile::create(&path).is_err(), "results are not overwritten");
        let mut again = ResultFile::reopen(&path).unwrap();
        again.add(b"four").unwrap();
        assert_eq!(read_results(&path).unwrap(), [&b"one"[..], b"", b"four"]);
    }
}
