//! [`resolve`]: where the host of a URL is.

use crate::Error;
use model::url::Url;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};

/// The first address of the host; IPv4 is preferred, because `localhost` often has both and servers only one.
pub fn resolve(url: &Url) -> Result<SocketAddr, Error> {
    let all = all_addresses(&url.host, url.port);
    all.map(|all| all[0]).map_err(|source| Error::Resolve { host: url.host.clone(), source })
}

/// All addresses of a host, of one family: IPv4 where it has any. There is at least one.
pub(crate) fn all_addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let mut all: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
    let has_v4 = all.iter().any(SocketAddr::is_ipv4);
    all.retain(|address| address.is_ipv4() == has_v4);
    // The resolver may name an address once for each kind of socket.
    let mut seen = Vec::new();
    all.retain(|address| {
        !seen.contains(address) && {
            seen.push(*address);
            true
        }
    });
    if all.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(all) }
}
