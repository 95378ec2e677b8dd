//! Locks between processes. The kernel releases them when their holder dies, for whatever reason.

use crate::error::{Error, FileAct};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// A lock, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock; the stop flag ends the wait.
    pub(crate) fn wait(path: &Path, stop: &AtomicBool) -> Result<Self, Error> {
        loop {
            if let Some(lock) = Self::attempt(path)? {
                return Ok(lock);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            sleep(Duration::from_millis(50));
        }
    }

    /// Takes the lock; `None` if another process holds it.
    pub(crate) fn attempt(path: &Path) -> Result<Option<Self>, Error> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::io(FileAct::Make, folder, error))?;
        }
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|error| Error::io(FileAct::Open, path, error))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(None),
            Err(error) => Err(Error::io(FileAct::Lock, path, error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_holds_a_lock_and_stop_ends_the_wait() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/lock");
        let held = Lock::attempt(&path).expect("no error").expect("free");
        assert!(Lock::attempt(&path).expect("no error").is_none());
        assert!(matches!(Lock::wait(&path, &AtomicBool::new(true)), Err(Error::Interrupted)));
        drop(held);
        assert!(Lock::wait(&path, &AtomicBool::new(false)).is_ok());
    }
}
