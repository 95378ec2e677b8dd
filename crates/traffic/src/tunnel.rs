//! How a generator gets to a server that it does not connect to directly: [`Tunnel`] and [`Lookup`].

use model::units::Nanos;
use serde::{Deserialize, Serialize};

/// A connection through a proxy, which is the target of the plan and opens one to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tunnel {
    pub protocol: ProxyProtocol,
    /// The name or address of the server as the proxy is told, an IPv6 address without brackets.
    pub host: String,
    pub port: u16,
    /// Who asks; `None` is nobody in particular.
    pub credentials: Option<Credentials>,
}

/// What a proxy speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProxyProtocol {
    /// CONNECT of HTTP (RFC 9110, section 9.3.6), for https and for http.
    Http,
    /// SOCKS 5 (RFC 1928).
    Socks5,
}

/// A user of a proxy.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

/// The password is shown nowhere.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// A name that is looked up again and again while the load lasts; new connections take its addresses in turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    pub host: String,
    pub port: u16,
    /// From one look to the next.
    pub every: Nanos,
}
