//! What an arm cannot have: values that are none, and keys that do not fit its server.

use crate::units::Bytes;

/// A value that an arm cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmSlip {
    #[error("an arm's name has 1 to 60 printable characters")]
    Name,
    #[error("`{0}` is neither a version of a JDK nor a folder")]
    Jdk(String),
    #[error("a heap of {0} is too small for a server")]
    SmallHeap(Bytes),
    #[error("no server starts within {0} of memory")]
    SmallMemory(Bytes),
    #[error("`memory`: a heap of {heap} leaves nothing of {memory} for the JVM itself")]
    HeapFillsMemory { heap: Bytes, memory: Bytes },
    #[error("`heap` and `jvm_options` both set the size of the heap")]
    HeapTwice,
    #[error("`{0}` is set by prony")]
    SetByProny(String),
    #[error("`{0}` is not an HTTP address")]
    NotAnAddress(String),
    /// Neither the address nor the name of another machine.
    #[error("`{0}` is no host: write ssh://USER@BOX, ssh://USER@BOX:PORT, or a name such as arm64")]
    NotAHost(String),
    /// The arm is on another machine, and the link on this one.
    #[error("`{0}` is on another host, and a `[link]` is between processes of this machine")]
    BeyondLink(String),
    /// A container on another machine.
    #[error("`container` and `host` exclude each other: containers run on this machine")]
    ContainerElsewhere,
    #[error("`{0}` has a path")]
    AddressWithPath(String),
    #[error("`{0}` is not on this machine")]
    OtherMachine(String),
    #[error("the command is empty")]
    NoBuildCommand,
    #[error("`{0}` is not a revision")]
    NotARevision(String),
    #[error("`{0}` is not the name of an image")]
    Image(String),
    #[error("`{0}` does not say what the container gets, and where")]
    Volume(String),
    #[error("`{0}` cannot be set in an environment")]
    Variable(String),
    #[error("`{0}` runs already, and cannot be put behind a link")]
    RunsBeforeLink(String),
}

/// A command or a service that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceSlip {
    #[error("a command begins with its program")]
    NoProgram,
    #[error("the command does not say where to listen")]
    NoPort,
    #[error("`{0}` does not say when it is ready")]
    Ready(String),
}

/// A key that does not fit the server of its arm. `release` is `NAME:VERSION`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitSlip {
    #[error("`{key}` {why}")]
    Misplaced { key: &'static str, why: Misplacement },
    #[error("`accept_count` has no property in Spring Boot with {0}")]
    AcceptCountInBoot(&'static str),
    #[error("`{server}` does not run a `{package}`")]
    Package { server: String, package: &'static str },
    #[error("`{server}` has no `{key}`")]
    FurtherSettings { server: String, key: &'static str },
    #[error("prony cannot have `{0}` write such an access log")]
    AccessLog(String),
    #[error("`{server}` has no setting for `{key}`")]
    NoSetting { server: String, key: &'static str },
    #[error("{release} has no connector `{connector}`")]
    Connector {
        release: String,
        connector: &'static str,
    },
    #[error("{release} cannot encrypt by `{tls}`")]
    Tls { release: String, tls: &'static str },
    #[error("{0} has no virtual threads")]
    VirtualThreads(String),
    #[error("`{0}` builds a `war` or `jar` of your own, and this arm names none")]
    NothingToBuild(&'static str),
    #[error("{0} deploys no WAR")]
    NoWar(String),
    #[error("{0} speaks javax, and this WAR jakarta")]
    JakartaOnJavax(String),
    #[error("there is nothing to migrate for {0}")]
    NothingToMigrate(String),
    #[error("{0} does not migrate WARs itself")]
    DoesNotMigrate(String),
    #[error("the connector `apr` encrypts by OpenSSL only")]
    AprWithoutOpenSsl,
    #[error("{need} JDK {least} or newer, and not {asked}")]
    OldJava { need: JavaNeed, least: u32, asked: u32 },
}

/// Why an arm does not take a key, as the rest of a sentence that begins with the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplacement {
    #[error("belongs to server = \"jar\"")]
    ForJars,
    #[error("is for Spring Boot, which this jar is not")]
    ForSpringBoot,
    #[error("does not apply to `{0}`")]
    NotForServer(String),
    #[error("does not apply to a server that runs already")]
    NotForUrls,
    #[error("does not apply to a command")]
    NotForCommands,
    #[error("does not apply to a jar")]
    NotForJars,
    #[error("does not apply to a Spring Boot jar, which is made native from its sources")]
    NotForBootJars,
}

/// What needs a certain release of Java at least, as the beginning of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JavaNeed {
    #[error("this server needs")]
    Server,
    #[error("virtual threads need")]
    VirtualThreads,
    #[error("OpenSSL by FFM needs")]
    OpenSslFfm,
}
