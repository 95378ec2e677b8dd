//! What the errors of this crate are about, as values that know their words. Text in them comes from other programs, libraries or the
//! system.

use super::MavenTrouble;
use say::Say;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// An operation on a file or a program; completes "cannot …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum FileAct {
    #[say(en = "await", zh = "等待")]
    Await,
    #[say(en = "copy", zh = "复制")]
    Copy,
    #[say(en = "find", zh = "找到")]
    Find,
    #[say(en = "keep", zh = "保存")]
    Keep,
    #[say(en = "link", zh = "链接")]
    Link,
    #[say(en = "lock", zh = "锁定")]
    Lock,
    #[say(en = "make", zh = "创建")]
    Make,
    #[say(en = "make a certificate in", zh = "生成证书")]
    MakeCertificate,
    #[say(en = "move to", zh = "移动到")]
    MoveTo,
    #[say(en = "open", zh = "打开")]
    Open,
    #[say(en = "read", zh = "读取")]
    Read,
    #[say(en = "remove", zh = "删除")]
    Remove,
    #[say(en = "start", zh = "启动")]
    Start,
    #[say(en = "trust", zh = "信任")]
    Trust,
    #[say(en = "write", zh = "写入")]
    Write,
}

/// What Maven was to do; completes "Maven could not …".
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum MavenTask {
    /// To copy an artifact, given by its coordinates.
    #[say(en = "fetch {0}", zh = "下载 {0}")]
    Fetch(String),
    /// To copy the jars of an assembled release.
    #[say(en = "fetch the {count} jars of {release}", zh = "下载 {release} 的 {count} 个 jar")]
    FetchJars { count: usize, release: String },
    /// To build an application.
    #[say(
        en = "build the application {application} ({packaging})",
        zh = "构建应用 {application}（{packaging}）"
    )]
    Build { application: String, packaging: String },
    /// To list the versions of an artifact.
    #[say(en = "list the versions of {0}", zh = "列出 {0} 的版本")]
    ListVersions(String),
    /// To print its version.
    #[say(en = "say its version", zh = "显示版本")]
    ShowVersion,
}

/// An operation on a file or a program at its path; completes "cannot …".
#[derive(Say)]
pub(super) enum Deed<'a> {
    #[say(en = "{0} {1}", zh = "{0} {1}")]
    Any(FileAct, &'a Path),
    #[say(en = "make a certificate in {0}", zh = "在 {0} 中生成证书")]
    MakeCertificate(&'a Path),
}

impl<'a> Deed<'a> {
    pub(super) const fn of(act: FileAct, path: &'a Path) -> Self {
        match act {
            FileAct::MakeCertificate => Self::MakeCertificate(path),
            act => Self::Any(act, path),
        }
    }
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

/// What to do about a file with a wrong checksum.
#[derive(Say)]
pub(super) enum ChecksumCure<'a> {
    #[say(
        en = "the lock file of the experiment names another file: find out why it changed; `--update` writes the lock file anew",
        zh = "实验的锁文件中记载的是另一个文件：请查明变化的原因；`--update` 会重写锁文件"
    )]
    LockFile,
    #[say(
        en = "nothing was unpacked; delete {0} and run this again",
        zh = "未解压任何内容；请删除 {0} 后重试"
    )]
    Copy(&'a Path),
    #[say(
        en = "nothing was unpacked; delete this version in Maven's local repository and run this again; if it comes back, the repository or a mirror in between serves another file",
        zh = "未解压任何内容；请删除 Maven 本地仓库中的这一版本后重试；若再次出现，说明仓库或中间的镜像提供的是另一个文件"
    )]
    Repository,
}

impl<'a> ChecksumCure<'a> {
    pub(super) const fn of(written: ChecksumSource, copy: Option<&'a Path>) -> Self {
        match (written, copy) {
            (ChecksumSource::LockFile, _) => Self::LockFile,
            (_, Some(copy)) => Self::Copy(copy),
            (_, None) => Self::Repository,
        }
    }
}

/// The beginning of a checksum.
pub(super) fn abbreviate(checksum: &str) -> String {
    format!("{}…", checksum.get(..16).unwrap_or(checksum))
}

/// A program that downloads, which did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Downloader {
    /// Maven.
    #[say(
        en = "Maven could not fetch",
        zh = "Maven 无法下载",
        hint(en = "{trouble}", zh = "{trouble}"),
        trouble = MavenTrouble::Unknown
    )]
    Maven,
    /// pip.
    #[say(
        en = "pip could not download",
        zh = "pip 无法下载",
        hint(
            en = "the first run needs the network; proxies and mirrors are those of pip.conf",
            zh = "首次运行需要网络；代理和镜像取自 pip.conf"
        )
    )]
    Pip,
}

/// What is wrong with an archive of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum ArchiveFlaw {
    /// It is truncated.
    #[say(en = "it ends too early", zh = "文件不完整")]
    Cut,
    /// An entry would be unpacked outside of the folder.
    #[say(en = "an entry leaves its folder ({0})", zh = "有条目超出其目录（{0}）")]
    LeavesFolder(String),
    /// An entry is neither a file nor a folder, but of this kind.
    #[say(en = "it holds a link or device ({0})", zh = "其中有链接或设备（{0}）")]
    NoFile(String),
    /// There is no Java in the wheel of a JDK.
    #[say(en = "it holds no Java", zh = "其中没有 Java")]
    NoJava,
    /// A class of `bin/bootstrap.jar` is in none of the jars of an assembled release.
    #[say(
        en = "bin/bootstrap.jar: none of the new jars has {0}",
        zh = "bin/bootstrap.jar：新的 jar 中都没有 {0}"
    )]
    NoClass(String),
    /// What a library says of it.
    #[say(en = "{0}", zh = "{0}")]
    Unreadable(String),
}

/// Why a jar cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum JarFlaw {
    /// Its manifest names no main class.
    #[say(en = "its manifest has no Main-Class", zh = "其清单中没有 Main-Class")]
    NoMainClass,
    /// What a library says of it.
    #[say(en = "{0}", zh = "{0}")]
    Unreadable(String),
}

/// What was last seen of a server or service that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(display)]
pub enum LastSeen {
    /// Nobody listened on its port.
    #[say(en = "the port was never opened", zh = "端口一直没有打开")]
    Closed,
    /// It accepted a connection and did not answer.
    #[say(en = "the port was open and nothing was answered", zh = "端口已打开，但没有应答")]
    Silent,
    /// It closed a connection without an answer; with the system's error.
    #[say(en = "the connection ended without an answer: {0}", zh = "连接已断开而没有应答：{0}")]
    Ended(String),
    /// It gave an answer.
    #[say(
        en = "status {status}, {length} bytes of body: {start:?}",
        zh = "状态码 {status}，响应体 {length} 字节：{start:?}"
    )]
    Answer {
        status: u16,
        /// The length of the body in bytes.
        length: usize,
        start: String,
    },
    /// It did not answer.
    #[say(en = "no answer", zh = "没有应答")]
    NoAnswer,
    /// It could not be asked; with the system's error.
    #[say(en = "no answer: {0}", zh = "没有应答：{0}")]
    Unreachable(String),
    /// It did not answer within this many seconds.
    #[say(en = "no answer within {0} s", zh = "{0} s 内没有应答")]
    Late(u64),
    /// The command in its container did not end well.
    #[say(en = "`{command}` ended with {outcome}", zh = "`{command}` 以 {outcome} 结束")]
    Command {
        command: Box<str>,
        /// Its status, and the last line that it wrote.
        outcome: Box<str>,
    },
    /// A service that was asked at this address.
    #[say(en = "asked at {0}", zh = "询问地址为 {0}")]
    Asked(SocketAddr),
}

/// What was to be started.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Startable {
    /// A server, with its version.
    #[say(en = "{0}", zh = "{0}")]
    Server(String),
    /// A side service.
    #[say(en = "the service {0}", zh = "服务 {0}")]
    Service(String),
    /// The command of an arm.
    #[say(en = "the command", zh = "该命令")]
    Command,
    /// The link between the load and the servers.
    #[say(en = "the link", zh = "该链路")]
    Link,
}

/// The process that holds a port.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(en = "{name} (process {pid})", zh = "{name}，进程 {pid}")]
pub struct PortHolder {
    pub name: String,
    pub pid: u32,
}

/// What is left of a server that was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Remnant {
    /// Processes with these ids.
    #[say(en = "the processes {0:?}", zh = "进程 {0:?}")]
    Processes(Vec<u32>),
    /// A listener on this port.
    #[say(en = "a listener on port {0}", zh = "端口 {0} 上的监听")]
    Listener(u16),
}

/// A resource that can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Resource {
    /// Memory.
    #[say(en = "memory", zh = "内存")]
    Memory,
    /// CPU time.
    #[say(en = "CPU", zh = "CPU")]
    Cpu,
}

/// Why memory and CPU cannot be limited.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum NoLimitsReason {
    /// The kernel does not have this controller.
    #[say(en = "this kernel offers no control group for {0}", zh = "此内核没有用于 {0} 的控制组")]
    NoController(&'static str),
    /// The children of this group cannot have limits.
    #[say(en = "{0} cannot be divided into groups with limits", zh = "{0} 无法划分为带限制的子组")]
    Indivisible(PathBuf),
    /// The system refused to make or set a group.
    #[say(en = "{folder}: {error}", zh = "{folder}：{error}")]
    Refused { folder: PathBuf, error: String },
    /// A limit was set without effect.
    #[say(
        en = "{by} did not limit the {resource} of the server",
        zh = "对服务器的{resource}限制没有生效（{by}）"
    )]
    NoEffect {
        /// What should limit it: `cgroup v1`.
        by: String,
        resource: Resource,
    },
}

/// Why there cannot be a link.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum NoNetworkReason {
    /// The user is not root.
    #[say(en = "only root may make network namespaces", zh = "只有 root 可以创建网络命名空间")]
    NotRoot,
    /// `unshare` ended, with this status.
    #[say(en = "unshare ended with {0}", zh = "unshare 已退出（{0}）")]
    Ended(String),
    /// `unshare` runs without a new namespace.
    #[say(en = "unshare makes no namespace", zh = "unshare 没有创建命名空间")]
    NoNamespace,
    /// The thread cannot enter a namespace; with the system's error.
    #[say(en = "{0}", zh = "{0}")]
    NoEntry(String),
    /// A command failed.
    #[say(en = "`{command}`: {output}", zh = "`{command}`：{output}")]
    Command { command: String, output: String },
}

/// Why the settings of a server cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum UnreadableReason {
    /// What the program that reads them wrote, or how it ended.
    #[say(en = "{0}", zh = "{0}")]
    Output(String),
    /// The program does not answer.
    #[say(en = "the program that looks into it does not answer", zh = "读取设置的程序没有应答")]
    NoAnswer,
}
