//! What the errors of this crate are about, as values: `Display` is their English, `prony::say` has their Chinese. Text in them
//! comes from other programs, libraries or the system.

use std::net::SocketAddr;
use std::path::PathBuf;
use thiserror::Error;

/// An operation on a file or a program; completes "cannot …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FileAct {
    #[error("await")]
    Await,
    #[error("copy")]
    Copy,
    #[error("find")]
    Find,
    #[error("keep")]
    Keep,
    #[error("link")]
    Link,
    #[error("lock")]
    Lock,
    #[error("make")]
    Make,
    #[error("make a certificate in")]
    MakeCertificate,
    #[error("move to")]
    MoveTo,
    #[error("open")]
    Open,
    #[error("read")]
    Read,
    #[error("remove")]
    Remove,
    #[error("start")]
    Start,
    #[error("trust")]
    Trust,
    #[error("write")]
    Write,
}

/// What Maven was to do; completes "Maven could not …".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MavenTask {
    /// To copy an artifact, given by its coordinates.
    #[error("fetch {0}")]
    Fetch(String),
    /// To copy the jars of an assembled release.
    #[error("fetch the {count} jars of {release}")]
    FetchJars { count: usize, release: String },
    /// To build an application.
    #[error("build the application {application} ({packaging})")]
    Build {
        /// Its name.
        application: String,
        /// The label of the packaging.
        packaging: String,
    },
    /// To list the versions of an artifact.
    #[error("list the versions of {0}")]
    ListVersions(String),
    /// To print its version.
    #[error("say its version")]
    ShowVersion,
}

/// Where the checksum of a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumSource {
    /// In the catalog.
    Catalog,
    /// In the lock file of the experiment.
    LockFile,
    /// In the cache, where it was written when the file was downloaded.
    Cache,
}

/// A program that downloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Downloader {
    /// Maven.
    Maven,
    /// pip.
    Pip,
}

/// What is wrong with an archive of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArchiveFlaw {
    /// It is truncated.
    #[error("it ends too early")]
    Cut,
    /// An entry would be unpacked outside of the folder.
    #[error("an entry leaves its folder ({0})")]
    LeavesFolder(String),
    /// An entry is neither a file nor a folder, but of this kind.
    #[error("it holds a link or device ({0})")]
    NoFile(String),
    /// There is no Java in the wheel of a JDK.
    #[error("it holds no Java")]
    NoJava,
    /// A class of `bin/bootstrap.jar` is in none of the jars of an assembled release.
    #[error("bin/bootstrap.jar: none of the new jars has {0}")]
    NoClass(String),
    /// What a library says of it.
    #[error("{0}")]
    Unreadable(String),
}

/// What to do where there is no native-image.
pub(super) const NO_NATIVE_IMAGE: &str =
    "install GraalVM for the Java of the application, and set GRAALVM_HOME to its folder";

/// What to do about a jar that native-image does not compile.
pub(super) fn native_hint(jar: &std::path::Path) -> String {
    let jar = jar.display();
    format!("`native-image -jar {jar}` shows all of it; reflection and resources need reachability metadata")
}

/// Why a jar cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JarFlaw {
    /// Its manifest names no main class.
    #[error("its manifest has no Main-Class")]
    NoMainClass,
    /// What a library says of it.
    #[error("{0}")]
    Unreadable(String),
}

/// What was last seen of a server or service that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LastSeen {
    /// Nobody listened on its port.
    #[error("the port was never opened")]
    Closed,
    /// It accepted a connection and did not answer.
    #[error("the port was open and nothing was answered")]
    Silent,
    /// It closed a connection without an answer; with the system's error.
    #[error("the connection ended without an answer: {0}")]
    Ended(String),
    /// It gave an answer.
    #[error("status {status}, {length} bytes of body: {start:?}")]
    Answer {
        status: u16,
        /// The length of the body in bytes.
        length: usize,
        /// The start of the body.
        start: String,
    },
    /// It did not answer.
    #[error("no answer")]
    NoAnswer,
    /// It could not be asked; with the system's error.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// It did not answer within this many seconds.
    #[error("no answer within {0} s")]
    Late(u64),
    /// A service that was asked at this address.
    #[error("asked at {0}")]
    Asked(SocketAddr),
}

/// What was to be started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Startable {
    /// A server, with its version.
    #[error("{0}")]
    Server(String),
    /// A side service.
    #[error("the service {0}")]
    Service(String),
    /// The command of an arm.
    #[error("the command")]
    Command,
    /// The link between the load and the servers.
    #[error("the link")]
    Link,
}

/// The process that holds a port.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} (process {pid})")]
pub struct PortHolder {
    pub name: String,
    /// Its id.
    pub pid: u32,
}

/// What is left of a server that was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Remnant {
    /// Processes with these ids.
    #[error("the processes {0:?}")]
    Processes(Vec<u32>),
    /// A listener on this port.
    #[error("a listener on port {0}")]
    Listener(u16),
}

/// A resource that can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Resource {
    /// Memory.
    #[error("memory")]
    Memory,
    /// CPU time.
    #[error("CPU")]
    Cpu,
}

/// Why memory and CPU cannot be limited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoLimitsReason {
    /// The kernel does not have this controller.
    #[error("this kernel offers no control group for {0}")]
    NoController(&'static str),
    /// The children of this group cannot have limits.
    #[error("{} cannot be divided into groups with limits", .0.display())]
    Indivisible(PathBuf),
    /// The system refused to make or set a group.
    #[error("{}: {error}", .folder.display())]
    Refused {
        /// The folder of the group.
        folder: PathBuf,
        /// The system's error.
        error: String,
    },
    /// A limit was set without effect.
    #[error("{by} did not limit the {resource} of the server")]
    NoEffect {
        /// What should limit it: `cgroup v1`.
        by: String,
        /// What is not limited.
        resource: Resource,
    },
}

/// Why there cannot be a link.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoNetworkReason {
    /// The user is not root.
    #[error("only root may make network namespaces")]
    NotRoot,
    /// `unshare` ended, with this status.
    #[error("unshare ended with {0}")]
    Ended(String),
    /// `unshare` runs without a new namespace.
    #[error("unshare makes no namespace")]
    NoNamespace,
    /// The thread cannot enter a namespace; with the system's error.
    #[error("{0}")]
    NoEntry(String),
    /// A command failed.
    #[error("`{command}`: {output}")]
    Command { command: String, output: String },
}

/// Why the settings of a server cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnreadableReason {
    /// What the program that reads them wrote, or how it ended.
    #[error("{0}")]
    Output(String),
    /// The program does not answer.
    #[error("the program that looks into it does not answer")]
    NoAnswer,
}
