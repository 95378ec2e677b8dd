//! Telemetry: what the kernel says of a process and of the host, and a JVM of itself. Promises: each reading is one or two system calls or one
//! small file; a value that this kernel does not have is `None`, never 0.

pub mod disk;
pub mod host;
pub mod jvm;
pub mod limits;
pub mod listener;
pub mod net;
pub mod process;
mod sampler;
pub mod tcp;
pub mod threads;

pub use sampler::{Sampler, ServiceTarget, Target};

/// A reading that could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The process is gone, or not ours to look at.
    #[error("cannot read the CPU clock of process {pid}: {source}")]
    CpuClock {
        /// Which process.
        pid: u32,
        /// What the kernel said.
        source: nix::errno::Errno,
    },
    /// The kernel does not tell of its sockets.
    #[error("cannot ask the kernel about listening sockets: {source}")]
    SockDiag {
        /// What the kernel said.
        source: rustix::io::Errno,
    },
    /// A thread could not be started.
    #[error("cannot start the thread that reads telemetry: {source}")]
    Thread {
        /// What the kernel said.
        source: std::io::Error,
    },
    /// A file under /proc that should be there.
    #[error("cannot read {path}: {source}")]
    Proc {
        /// Which file.
        path: String,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// The performance data of a JVM in a format that is not known here.
    #[error("cannot read the performance data of a JVM, {path}: {what}")]
    PerfData {
        /// Which file.
        path: String,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Reads a file under /proc or /sys.
fn read(path: &str) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Proc {
        path: path.to_owned(),
        source,
    })
}
