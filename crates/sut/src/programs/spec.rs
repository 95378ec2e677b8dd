//! [`ServerSpec`]: everything that is needed to start one server.

use crate::programs::Program;
use crate::programs::jvm::JvmOptions;
use crate::tools::app::AppAnswer;
use crate::tools::container::{Container, Engine, ImageId};
use crate::tools::jdk::Jdk;
use crate::tools::network::Network;
use crate::tools::tcnative::Tcnative;
use ask::arm::settings::Settings;
use ask::limits::Limits;
use ask::service::Service;
use model::units::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

/// A server to start. Make one with [`ServerSpec::new`] and change what differs; the server's own default applies to what
/// stays `None`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerSpec {
    /// Its name in messages: `tomcat:10.1.29`.
    pub server: String,
    /// The server with its application.
    pub program: Program,
    /// The Java that runs it.
    pub jdk: Jdk,
    /// The answer that proves that it is ready.
    pub ready: Expected,
    /// The settings of its arm.
    pub settings: Settings,
    /// The tcnative library, which connector and TLS may need; see [`ServerSpec::needs_tcnative`].
    pub tcnative: Option<Tcnative>,
    /// The options of its JVM.
    pub jvm: JvmOptions,
    /// Limits, services and environment of its process.
    pub surroundings: ServerSurroundings,
    /// A fixed port on 127.0.0.1; `None` means a free one.
    pub port: Option<u16>,
    /// The address on which it listens: 127.0.0.1, or on another host the address at which it is reached.
    pub listen: IpAddr,
    /// The answer that the load expects, where it is not the answer in `ready`.
    pub loaded: Option<Expected>,
    /// The time that it may take to get ready.
    pub timeout: Duration,
    /// For how long it may give wrong answers where its log does not tell when it is up; `None` means until `timeout`.
    pub wrong_answers: Option<Duration>,
}

/// What surrounds the process of a server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ServerSurroundings {
    /// The limits of its memory and CPU time.
    pub limits: Limits,
    /// The services that it uses; each start has new instances of them.
    pub services: Vec<Service>,
    /// The containers of services that have an image, by the names of the services.
    #[serde(skip)]
    pub service_containers: BTreeMap<String, ServiceContainer>,
    /// Further environment variables.
    pub environment: BTreeMap<String, String>,
    /// The limit of open files and sockets.
    pub open_files: Option<u64>,
    /// The CPUs that it and its services may use; empty for all.
    pub cpus: Vec<usize>,
    /// The container that it runs in; `None` for a process of this machine.
    #[serde(skip)]
    pub container: Option<Container>,
    /// The link that it is behind; `None` where the load comes over the loopback.
    #[serde(skip)]
    pub network: Option<Arc<Network>>,
}

/// What runs the image of a service.
#[derive(Clone, Debug)]
pub struct ServiceContainer {
    pub engine: Arc<Engine>,
    pub image: ImageId,
    /// The port on which it listens in its container; `None` where it is told its port.
    pub port: Option<u16>,
}

/// A request and its right answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The path of the request.
    pub path: String,
    /// Further headers of the request, such as `Authorization`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The exact body; `None` where it is not known in advance, so that the first answer with status 200 is taken as
    /// right.
    pub body: Option<Vec<u8>>,
    /// Whether any answer but an error of the server shows that it is ready: no path is known that may be asked for.
    pub any_answer: bool,
    /// Whether it is ready when it begins to speak HTTP/2: it may speak nothing else, and no path is known that may be asked for.
    pub greets: bool,
}

impl From<AppAnswer> for Expected {
    fn from(answer: AppAnswer) -> Self {
        Self {
            path: answer.path,
            headers: Vec::new(),
            body: Some(answer.body),
            any_answer: false,
            greets: false,
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
            surroundings: ServerSurroundings::default(),
            port: None,
            listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
            loaded: None,
            timeout: Duration::from_secs(60),
            wrong_answers: None,
        }
    }

    /// Whether its connector or its TLS stack needs tcnative.
    pub fn needs_tcnative(&self) -> bool {
        self.settings.needs_tcnative()
    }

    /// The answer that the load expects.
    pub fn loaded(&self) -> &Expected {
        self.loaded.as_ref().unwrap_or(&self.ready)
    }
}
