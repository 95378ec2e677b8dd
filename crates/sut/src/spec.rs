//! [`ServerSpec`]: everything about one start of one server, resolved.

use crate::app::Answer;
use crate::around::Surroundings;
use crate::jdk::Jdk;
use crate::program::Program;
use crate::tcnative::Tcnative;
use model::arm::{Connector, Threads, TlsStack};
use model::takes::AccessLog;
use model::units::Bytes;
use std::time::Duration;

/// One server to start. Make one with [`ServerSpec::new`] and change what differs; what stays `None` is the server's own
/// default.
#[derive(Clone, Debug)]
pub struct ServerSpec {
    /// What messages call it: `tomcat:10.1.29`.
    pub server: String,
    /// What is started.
    pub program: Program,
    /// The Java that runs it.
    pub jdk: Jdk,
    /// What proves that it is ready.
    pub ready: Expected,
    /// How it talks to its sockets.
    pub connector: Option<Connector>,
    /// What encrypts its connections; `None` is plain HTTP.
    pub tls: Option<TlsStack>,
    /// The library in C that connector and TLS may need; see [`ServerSpec::needs_tcnative`].
    pub tcnative: Option<Tcnative>,
    /// What serves requests.
    pub threads: Option<Threads>,
    /// Threads kept when idle.
    pub min_threads: Option<u32>,
    /// Connections held at once.
    pub max_connections: Option<u32>,
    /// Connections waiting in the kernel.
    pub accept_count: Option<u32>,
    /// Further attributes of Tomcat's connector.
    pub attributes: Vec<(String, String)>,
    /// Further properties of the other servers, in their own words.
    pub properties: Vec<(String, String)>,
    /// How it writes an access log, if it does.
    pub access_log: Option<AccessLog>,
    /// Options of the JVM.
    pub jvm: JvmOptions,
    /// Limits, services and environment of its process.
    pub surroundings: Surroundings,
    /// A fixed port on 127.0.0.1; `None` takes a free one.
    pub port: Option<u16>,
    /// What is loaded, where that is not what shows that it is ready.
    pub loaded: Option<Expected>,
    /// How long it may take to get ready.
    pub patience: Duration,
}

/// A right answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The path of the request.
    pub path: String,
    /// The exact body; `None` where nobody knows it before: then the first one with status 200 is it.
    pub body: Option<Vec<u8>>,
}

impl From<Answer> for Expected {
    fn from(answer: Answer) -> Self {
        Self {
            path: answer.path,
            body: Some(answer.body),
        }
    }
}

/// Options of the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JvmOptions {
    /// The heap, of fixed size: start size = maximum size.
    pub heap: Bytes,
    /// The garbage collector; `None` lets the JVM choose, which depends on CPUs and memory.
    pub gc: Option<Gc>,
    /// CPUs that the JVM believes to have; `None` lets it look.
    pub processors: Option<u32>,
    /// Further options, in order.
    pub extra: Vec<String>,
}

/// A garbage collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gc {
    /// One thread, everything stops.
    Serial,
    /// Many threads, everything stops.
    Parallel,
    /// The JVM's usual choice on two CPUs and more.
    G1,
    /// Mostly concurrent.
    Z,
}

impl Gc {
    /// The JVM's option for it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Serial => "-XX:+UseSerialGC",
            Self::Parallel => "-XX:+UseParallelGC",
            Self::G1 => "-XX:+UseG1GC",
            Self::Z => "-XX:+UseZGC",
        }
    }
}

impl ServerSpec {
    /// A server with its own defaults, G1 and a heap of 256 MiB.
    pub fn new(server: impl Into<String>, program: Program, jdk: Jdk, ready: impl Into<Expected>) -> Self {
        Self {
            server: server.into(),
            program,
            jdk,
            ready: ready.into(),
            connector: None,
            tls: None,
            tcnative: None,
            threads: None,
            min_threads: None,
            max_connections: None,
            accept_count: None,
            attributes: Vec::new(),
            properties: Vec::new(),
            access_log: None,
            jvm: JvmOptions::new(Bytes(256 << 20)),
            surroundings: Surroundings::default(),
            port: None,
            loaded: None,
            patience: Duration::from_secs(60),
        }
    }

    /// Whether its connector or its TLS is that of tcnative.
    pub fn needs_tcnative(&self) -> bool {
        self.connector == Some(Connector::Apr) || self.tls == Some(TlsStack::OpenSsl)
    }
}

impl ServerSpec {
    /// What is loaded: what shows that it is ready, where nothing else is said.
    pub fn loaded(&self) -> &Expected {
        self.loaded.as_ref().unwrap_or(&self.ready)
    }
}

impl JvmOptions {
    /// This heap and G1: left to itself the JVM silently takes Serial on one CPU, and arms would differ by more than asked.
    pub const fn new(heap: Bytes) -> Self {
        Self {
            heap,
            gc: Some(Gc::G1),
            processors: None,
            extra: Vec::new(),
        }
    }

    /// As arguments of `java`. The caller's own come last, where they override.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = self.heap_arguments();
        arguments.extend(self.gc.map(|gc| gc.option().to_owned()));
        arguments.extend(
            self.processors
                .map(|count| format!("-XX:ActiveProcessorCount={count}")),
        );
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    /// As arguments of a native image: its collector was chosen when it was compiled.
    pub fn native_arguments(&self) -> Vec<String> {
        let mut arguments = self.heap_arguments();
        arguments.extend(self.extra.iter().cloned());
        arguments
    }

    fn heap_arguments(&self) -> Vec<String> {
        let kib = self.heap.0 / 1024;
        vec![format!("-Xms{kib}k"), format!("-Xmx{kib}k")]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A server that is configured and never started.
    pub(crate) fn spec(program: Program) -> ServerSpec {
        let jdk = Jdk {
            home: "/jdk".into(),
            version: "17.0.1".to_owned(),
            major: 17,
            vendor: "x".to_owned(),
        };
        let ready = Answer {
            path: "/".to_owned(),
            content_type: "text/plain".to_owned(),
            body: Vec::new(),
        };
        ServerSpec::new("server:1", program, jdk, ready)
    }

    #[test]
    fn the_callers_own_options_come_last() {
        let mut options = JvmOptions::new(Bytes(64 << 20));
        options.processors = Some(2);
        options.extra = vec!["-XX:+UseZGC".to_owned()];
        let expected = [
            "-Xms65536k",
            "-Xmx65536k",
            "-XX:+UseG1GC",
            "-XX:ActiveProcessorCount=2",
            "-XX:+UseZGC",
        ];
        assert_eq!(options.arguments(), expected);
    }
}
