//! [`ServerSpec`]: everything about one start of one server, resolved.

use crate::programs::Program;
use crate::programs::jvm::JvmOptions;
use crate::tools::app::Answer;
use crate::tools::jdk::Jdk;
use crate::tools::network::Network;
use crate::tools::tcnative::Tcnative;
use model::arm::settings::Settings;
use model::limits::Limits;
use model::service::Service;
use model::units::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
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
    /// What it is told by its arm.
    pub settings: Settings,
    /// The library in C that connector and TLS may need; see [`ServerSpec::needs_tcnative`].
    pub tcnative: Option<Tcnative>,
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

/// What a server is to find around it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// How much memory and CPU it may use.
    pub limits: Limits,
    /// What runs beside it, an instance of its own.
    pub services: Vec<Service>,
    /// Further variables of its environment.
    pub environment: BTreeMap<String, String>,
    /// Most files and sockets that it may have open at once.
    pub open_files: Option<u64>,
    /// The link that it is behind; `None` where the load comes over the loopback.
    pub network: Option<Arc<Network>>,
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

impl ServerSpec {
    /// A server with its own defaults, G1 and a heap of 256 MiB.
    pub fn new(server: impl Into<String>, program: Program, jdk: Jdk, ready: impl Into<Expected>) -> Self {
        Self {
            server: server.into(),
            program,
            jdk,
            ready: ready.into(),
            settings: Settings::default(),
            tcnative: None,
            jvm: JvmOptions::new(Bytes(256 << 20)),
            surroundings: Surroundings::default(),
            port: None,
            loaded: None,
            patience: Duration::from_secs(60),
        }
    }

    /// Whether its connector or its TLS is that of tcnative.
    pub fn needs_tcnative(&self) -> bool {
        self.settings.needs_tcnative()
    }
}

impl ServerSpec {
    /// What is loaded: what shows that it is ready, where nothing else is said.
    pub fn loaded(&self) -> &Expected {
        self.loaded.as_ref().unwrap_or(&self.ready)
    }
}
