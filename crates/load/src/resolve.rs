//! [`resolve`]: where the host of a URL is.

use crate::Error;
use model::url::Url;
use std::net::{SocketAddr, ToSocketAddrs};

/// The first address of the host; IPv4 is preferred, because `localhost` often has both and servers only one.
pub fn resolve(url: &Url) -> Result<SocketAddr, Error> {
    let error = |source| Error::Resolve { host: url.host.clone(), source };
    let addresses: Vec<_> = (url.host.as_str(), url.port).to_socket_addrs().map_err(error)?.collect();
    let first = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    first.copied().ok_or_else(|| error(std::io::ErrorKind::NotFound.into()))
}
