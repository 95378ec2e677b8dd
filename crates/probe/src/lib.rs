//! Telemetry: readings of processes, sockets, control groups and the host from the kernel, and of JVMs from their
//! performance data.
//!
//! Everything is read from outside: no call enters a server. A reading is one or two system calls or one small file. A
//! value that this kernel does not provide is `None`, or is documented to be 0.

pub mod compilers;
pub mod disk;
pub mod host;
pub mod jvm;
pub mod limits;
pub mod listener;
pub mod net;
mod netlink;
pub mod peers;
pub mod process;
mod sampler;
pub mod tcp;
pub mod threads;
pub mod topology;

pub use sampler::{SampledServer, SampledService, Sampler};

/// A reading that could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The CPU clock of a process cannot be read: the process has ended, or belongs to another user.
    #[error("cannot read the CPU clock of process {pid}: {source}")]
    CpuClock {
        /// The process.
        pid: u32,
        /// The system's error.
        source: nix::errno::Errno,
    },
    /// The kernel does not answer questions about sockets.
    #[error("cannot ask the kernel about sockets: {source}")]
    SockDiag {
        /// The system's error.
        source: rustix::io::Errno,
    },
    /// The thread of the sampler could not be started.
    #[error("cannot start the thread that reads telemetry: {source}")]
    Thread {
        /// The system's error.
        source: std::io::Error,
    },
    /// A file under /proc cannot be read, mostly because the process has ended.
    #[error("cannot read {path}: {source}")]
    Proc {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The performance data of a JVM is not in the known format.
    #[error("cannot read the performance data of a JVM, {path}: {flaw}")]
    PerfData {
        /// The file.
        path: String,
        /// How it differs from the format.
        flaw: PerfDataFlaw,
    },
}

/// What is wrong with the performance data of a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerfDataFlaw {
    /// It ends within its head.
    #[error("it is too short")]
    Short,
    /// It is something else.
    #[error("it does not begin as performance data does")]
    OtherFormat,
    /// Another version of the format, or of another kind of machine.
    #[error("its version or its byte order is not known here")]
    OtherVersion,
    /// An entry is cut off.
    #[error("an entry reaches beyond its end")]
    Cut,
    /// Times in it cannot be read without that.
    #[error("it does not tell the frequency of its clock")]
    NoFrequency,
}

/// Reads a file under /proc or /sys as text.
fn read(path: &str) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Proc {
        path: path.to_owned(),
        source,
    })
}
