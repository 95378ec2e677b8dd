//! [`Effective`]: the settings that a running server shows.

use super::Limit;
use model::units::{Bytes, Cpus};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Settings read off the running server; `None` is unknown, never a guess.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effective {
    /// Name and version as the server reports them: `Tomcat/9.0.95`.
    pub server: Option<String>,
    /// The connector that runs: `http-nio`.
    pub protocol_handler: Option<String>,
    /// What an encrypted connection negotiated, and the C libraries behind it: `TLSv1.3 TLS_AES_256_GCM_SHA384; OpenSSL
    /// 3.0.19`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<String>,
    /// Most worker threads.
    pub max_threads: Option<u64>,
    /// Most requests that virtual threads serve at once; absent where they serve none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_threads: Option<Limit>,
    /// Most connections held at once.
    pub max_connections: Option<Limit>,
    /// Most connections waiting in the kernel.
    pub accept_count: Option<u64>,
    /// Version of the JDK.
    pub jdk: Option<String>,
    /// Garbage collector.
    pub gc: Option<String>,
    /// Java heap.
    pub heap: Option<Bytes>,
    /// What the JVM has chosen itself; absent where its heap and its collector were set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<JvmChoices>,
    /// The threads with which the JVM collects and compiles; absent where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jvm_threads: Option<JvmThreads>,
    /// Processors that a JVM sees to which nobody has told a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<u64>,
    /// Most memory of its control group; absent where nothing limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<Bytes>,
    /// Most CPU time of its control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_limit: Option<Cpus>,
    /// What enforces these limits: `cgroup v2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<String>,
    /// The values of further keys of an arm that the server shows, by the names of the keys.
    #[serde(flatten)]
    pub further: BTreeMap<String, ShownValue>,
}

/// What a JVM has chosen itself: as its heap a quarter of the memory that it sees, and as its collector Serial below two processors or
/// 1792 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmChoices {
    /// Whether its heap was not set.
    #[serde(default = "is_chosen", skip_serializing_if = "Clone::clone")]
    pub heap: bool,
    /// Whether its collector was not set, too.
    pub collector: bool,
    /// The memory that it sees: of its container, or else of the machine.
    pub memory: Bytes,
    /// The processors that it sees.
    pub processors: u64,
}

/// Earlier records only have choices where the heap was one.
const fn is_chosen() -> bool {
    true
}

/// The threads that a JVM has for its own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmThreads {
    /// The processors that it sees, or was told.
    pub processors: u64,
    /// Threads that collect while all others stand still; 1 where a collector has only one.
    pub collecting: u64,
    /// Threads that compile at a time.
    pub compiling: u64,
}

/// The value of a setting as a server shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ShownValue {
    Number(i64),
    Text(String),
}

impl From<&str> for ShownValue {
    fn from(shown: &str) -> Self {
        let shown = shown.trim();
        shown.parse().map_or_else(|_| Self::Text(shown.to_owned()), Self::Number)
    }
}

impl fmt::Display for ShownValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(text),
        }
    }
}
