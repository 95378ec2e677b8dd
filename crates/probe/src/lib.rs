//! Telemetry: readings of processes, sockets, control groups and the host from the kernel, and of JVMs from their
//! performance data.
//!
//! Everything is read from outside: no call enters a server. A reading is one or two system calls or one small file. A
//! value that this kernel does not provide is `None`, or is documented to be 0.

pub mod answers;
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

use say::Say;

pub use sampler::{SampledServer, SampledService, Sampler};

/// A reading that could not be taken.
#[derive(Debug, Say)]
#[say(error)]
pub enum Error {
    /// The CPU clock of a process cannot be read: the process has ended, or belongs to another user.
    #[say(
        en = "cannot read the CPU clock of process {pid}: {source:text}",
        zh = "无法读取进程 {pid} 的 CPU 时钟：{source:text}"
    )]
    CpuClock {
        /// The process.
        pid: u32,
        /// The system's error.
        source: nix::errno::Errno,
    },
    /// The kernel does not answer questions about sockets.
    #[say(
        en = "cannot ask the kernel about sockets: {source:text}",
        zh = "无法向内核查询监听中的套接字：{source:text}"
    )]
    SockDiag {
        /// The system's error.
        source: rustix::io::Errno,
    },
    /// The thread of the sampler could not be started.
    #[say(
        en = "cannot start the thread that reads telemetry: {source}",
        zh = "无法启动读取遥测数据的线程：{source}"
    )]
    Thread {
        /// The system's error.
        source: std::io::Error,
    },
    /// A file under /proc cannot be read, mostly because the process has ended.
    #[say(en = "cannot read {path}: {source}", zh = "无法读取 {path}：{source}")]
    Proc {
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The performance data of a JVM is not in the known format.
    #[say(
        en = "cannot read the performance data of a JVM, {path}: {flaw}",
        zh = "无法读取 JVM 的性能数据 {path}：{flaw}"
    )]
    PerfData {
        path: String,
        /// How it differs from the format.
        flaw: PerfDataFlaw,
    },
}

/// What is wrong with the performance data of a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum PerfDataFlaw {
    /// It ends within its head.
    #[say(en = "it is too short", zh = "文件过短")]
    Short,
    /// It is something else.
    #[say(en = "it does not begin as performance data does", zh = "开头不是性能数据的格式")]
    OtherFormat,
    /// Another version of the format, or of another kind of machine.
    #[say(en = "its version or its byte order is not known here", zh = "其版本或字节序未知")]
    OtherVersion,
    /// An entry is cut off.
    #[say(en = "an entry reaches beyond its end", zh = "有条目超出了文件末尾")]
    Cut,
    /// Times in it cannot be read without that.
    #[say(en = "it does not tell the frequency of its clock", zh = "其中没有时钟频率")]
    NoFrequency,
}

/// Reads a file under /proc or /sys as text.
fn read(path: &str) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::Proc { path: path.to_owned(), source })
}
