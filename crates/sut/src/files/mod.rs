//! The lowest layer: files on the disk and in the kernel's own file systems. It knows [`crate::error`] and nothing else.

pub mod catalog;
pub(crate) mod certificate;
pub(crate) mod cgroup;
pub(crate) mod gclog;
pub(crate) mod jvmlog;
pub(crate) mod lock;
pub(crate) mod log;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod tree;
pub(crate) mod unpack;
pub mod work;
pub(crate) mod worktree;
