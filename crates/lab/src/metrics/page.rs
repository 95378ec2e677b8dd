//! [`FiguresPage`]: a page with figures, and the way to it.

use crate::way::Way;
use load::Url;
use std::io;
use std::time::Duration;
use sut::Addressed;
use traffic::plan::Target;

/// The time that an answer may take.
const LIMIT: Duration = Duration::from_secs(2);

/// A page, and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct FiguresPage {
    pub(super) url: Url,
    pub(super) way: Way,
}

impl FiguresPage {
    /// Asks for the page. A status other than 200 is an error.
    pub(super) fn text(&self) -> io::Result<String> {
        match self.get(&self.url.path)? {
            (200, body) => Ok(String::from_utf8_lossy(&body).into_owned()),
            (status, _) => Err(io::Error::other(format!("status {status}"))),
        }
    }

    /// The path of its URL.
    pub(super) fn path(&self) -> &str {
        &self.url.path
    }

    /// The status and the body at a path of the same server.
    pub(super) fn get(&self, path: &str) -> io::Result<(u16, Vec<u8>)> {
        let (url, way) = (&self.url, &self.way);
        let route = way.to(url, &[]).map_err(io::Error::other)?;
        let tls = way.tls(url, &Target::Tcp(route.target), route.tunnel.is_some());
        let config = url.tls.then(|| load::client_config(&tls)).transpose().map_err(io::Error::other)?;
        let to = Addressed {
            address: route.target,
            host: &tls.server_name,
            authority: &url.authority(),
            open_tunnel: &|socket| route.open_tunnel(socket),
        };
        sut::get(to, path, config, LIMIT)
    }
}
