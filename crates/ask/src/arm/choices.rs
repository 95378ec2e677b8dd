//! The values of those keys of an arm that are neither numbers nor free text.

use model::jdk::JdkName;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a server talks to its sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Connector {
    /// Java's selectors.
    Nio,
    /// Java's asynchronous channels.
    Nio2,
    /// The Apache Portable Runtime, a library in C.
    Apr,
}

impl Connector {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Nio, Self::Nio2, Self::Apr];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Nio => "nio",
            Self::Nio2 => "nio2",
            Self::Apr => "apr",
        }
    }
}

/// Who chooses something in the place of prony.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftTo {
    /// The JVM, by the CPUs and the memory that it sees.
    Jvm,
}

impl LeftTo {
    /// All variants.
    pub const ALL: [Self; 1] = [Self::Jvm];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Jvm => "jvm",
        }
    }
}

/// What encrypts a server's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TlsStack {
    /// Java's own.
    Jsse,
    /// OpenSSL, called by the library tcnative.
    OpenSsl,
    /// OpenSSL, called by Java's foreign function interface.
    OpenSslFfm,
    /// That of a jar or a command of the user's, whose arguments name the files of the certificate.
    Own,
}

impl TlsStack {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Jsse, Self::OpenSsl, Self::OpenSslFfm, Self::Own];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Jsse => "jsse",
            Self::OpenSsl => "openssl",
            Self::OpenSslFfm => "openssl-ffm",
            Self::Own => "own",
        }
    }
}

/// The version of HTTP that the load speaks with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpVersion {
    /// HTTP/1.1.
    One,
    /// HTTP/2: over TLS by ALPN, over clear text by prior knowledge.
    Two,
}

impl HttpVersion {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::One => "1.1",
            Self::Two => "2",
        }
    }
}

/// How a connection comes to speak HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http2Way {
    /// Over clear text: the client begins with it, and has to know that the server expects it.
    PriorKnowledge,
    /// Over TLS: the two agree on it in the handshake.
    Alpn,
}

impl Http2Way {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::PriorKnowledge, Self::Alpn];

    /// The name that ALPN and `Upgrade` give the protocol, which is also the name in the catalog.
    pub const fn id(self) -> &'static str {
        match self {
            Self::PriorKnowledge => "h2c",
            Self::Alpn => "h2",
        }
    }
}

/// Which JDK runs an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum JdkChoice {
    /// One of this feature release: 17.
    Release(u32),
    /// One of this version, and perhaps of this vendor: `21.0.8`, `temurin-21`.
    Named(JdkName),
    /// The one in this folder.
    Home(PathBuf),
}

impl JdkChoice {
    /// Returns its feature release, where the choice tells it.
    pub fn release(&self) -> Option<u32> {
        match self {
            Self::Release(release) => Some(*release),
            Self::Named(name) => Some(name.release()),
            Self::Home(_) => None,
        }
    }
}

/// What serves requests inside the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Threads {
    /// A pool of at most so many platform threads.
    Platform(u32),
    /// A virtual thread for every request.
    Virtual,
}

impl Threads {
    /// The size of the pool; `None` where there is no pool.
    pub const fn pool(self) -> Option<u32> {
        match self {
            Self::Platform(count) => Some(count),
            Self::Virtual => None,
        }
    }
}

/// How an application is packaged for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Package {
    /// Deployed into a server of its own.
    War,
    /// An executable jar with the server inside.
    Jar,
    /// Such a jar compiled to a native program by native-image.
    Native,
}

impl Package {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::War, Self::Jar, Self::Native];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::War => "war",
            Self::Jar => "jar",
            Self::Native => "native",
        }
    }
}

/// How a server writes a line about each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessLog {
    /// The server collects lines and writes them now and then, as it does by itself.
    Buffered,
    /// The server writes each line before the request ends.
    Unbuffered,
}

impl AccessLog {
    /// The word in reports.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Buffered => "buffered",
            Self::Unbuffered => "unbuffered",
        }
    }
}
