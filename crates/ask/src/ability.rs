//! [`Ability`]: what a release of a server can do.

use crate::arm::choices::{Connector, Http2Way, TlsStack};
use crate::deployment::Namespace;

/// What one release of a server can do; data of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ability {
    /// Lowest Java that it runs on.
    pub java: u32,
    /// The connectors that it offers; empty where there is no choice.
    pub connectors: Vec<Connector>,
    /// The TLS stacks that it can use; empty where prony cannot set one up.
    pub tls: Vec<TlsStack>,
    /// How connections to it can speak HTTP/2; empty where they cannot, or where prony cannot set it up.
    pub http2: Vec<Http2Way>,
    /// Whether it can serve each request by a virtual thread.
    pub virtual_threads: bool,
    /// The Servlet API of the WARs that it deploys; `None` where it deploys none.
    pub namespace: Option<Namespace>,
    /// Whether it migrates, whenever it starts, the javax WARs in a folder named `webapps-javaee`.
    pub webapps_javaee: bool,
}
