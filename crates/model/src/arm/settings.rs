//! [`Settings`]: what an arm sets in its server. A new setting is a field here and a row in `setting_keys`.

use crate::arm::choices::{AccessLog, Connector, Threads, TlsStack};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an arm sets in its server; what stays `None` is the server's own default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How the server talks to its sockets.
    pub connector: Option<Connector>,
    /// What encrypts its connections; `None` is plain HTTP.
    #[serde(default)]
    pub tls: Option<TlsStack>,
    /// Worker threads.
    pub threads: Option<Threads>,
    /// Threads kept when idle.
    pub min_threads: Option<u32>,
    /// Connections that wait in the kernel while the server has no room.
    pub accept_count: Option<u32>,
    /// Connections the server holds at once.
    pub max_connections: Option<u32>,
    /// Further attributes of Tomcat's Connector.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Further properties of the server, or of the framework that embeds it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// How it writes a line about each request; `None` leaves the server's own default, which is not to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<AccessLog>,
}

impl Settings {
    /// Whether its connector or its TLS stack needs the library tcnative.
    pub fn needs_tcnative(&self) -> bool {
        self.connector == Some(Connector::Apr) || self.tls == Some(TlsStack::OpenSsl)
    }
}
