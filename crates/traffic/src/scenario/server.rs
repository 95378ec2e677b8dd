//! [`Server`]: a server that a program names, beside the one that is loaded.

use model::url::Url;
use serde::{Deserialize, Serialize};

/// The most servers of a program, with the one that is loaded: a cookie has a bit for each.
pub const MOST_SERVERS: usize = 64;

/// A server to which requests go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Server {
    /// Whether it speaks TLS.
    pub tls: bool,
    /// Host name or address; an IPv6 address has no brackets here.
    pub host: String,
    pub port: u16,
}

impl Server {
    /// The URL of its root.
    pub fn url(&self) -> Url {
        Url { tls: self.tls, host: self.host.clone(), port: self.port, path: "/".to_owned() }
    }
}

impl From<&Url> for Server {
    fn from(url: &Url) -> Self {
        Self { tls: url.tls, host: url.host.clone(), port: url.port }
    }
}

impl std::fmt::Display for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        // Addresses of IPv6 stand in brackets.
        match self.host.contains(':') {
            true => write!(f, "{scheme}://[{}]:{}", self.host, self.port),
            false => write!(f, "{scheme}://{}:{}", self.host, self.port),
        }
    }
}
