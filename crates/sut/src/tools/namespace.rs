//! The network namespace of a thread.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

/// The namespace that this thread is in.
pub(crate) const CURRENT: &str = "/proc/thread-self/ns/net";

/// The network namespace of the thread that reads it.
#[derive(Debug)]
pub(crate) struct NamespaceHere {
    file: File,
    /// The inode by which the kernel knows it.
    id: u64,
}

impl NamespaceHere {
    pub(crate) fn read() -> io::Result<Self> {
        let file = File::open(CURRENT)?;
        let id = file.metadata()?.ino();
        Ok(Self { file, id })
    }

    /// Moves this thread there.
    pub(crate) fn enter(&self) -> io::Result<()> {
        Ok(move_to(&self.file)?)
    }
}

impl PartialEq for NamespaceHere {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// Moves this thread into a namespace.
pub(crate) fn move_to(namespace: &File) -> rustix::io::Result<()> {
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
}
