//! [`Url`]: as much of a URL as a load needs.

use crate::Error;
use std::net::{SocketAddr, ToSocketAddrs};

/// Where requests go: scheme, host, port and the path with its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// `https` rather than `http`.
    pub tls: bool,
    /// Name or address; an IPv6 address without its brackets.
    pub host: String,
    /// 80 or 443 when the URL names none.
    pub port: u16,
    /// Path and query; at least `/`; never a fragment.
    pub path: String,
}

impl Url {
    /// Parses `http://host:port/path?query`; the scheme may be missing, as in `localhost:8080`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason| Error::BadUrl {
            url: text.to_owned(),
            reason,
        };
        let (tls, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            Some((scheme, _)) if scheme.contains(['/', '?', '#']) => (false, text),
            Some(_) => return Err(bad("only http and https can be loaded")),
            None => (false, text),
        };
        if rest.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(bad("it holds a space or a control character"));
        }
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(bad("user and password belong in a header"));
        }
        let (host, port) = split_authority(authority).map_err(bad)?;
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/{path}")
        };
        Ok(Self {
            tls,
            host: host.to_owned(),
            port: port.unwrap_or(if tls { 443 } else { 80 }),
            path,
        })
    }

    /// Host and port as the `Host` header has them: brackets around IPv6, no default port.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        let default = if self.tls { 443 } else { 80 };
        if self.port == default {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// The first address of the host; IPv4 is preferred, because `localhost` often has both and servers only one.
    pub fn resolve(&self) -> Result<SocketAddr, Error> {
        let error = |source| Error::Resolve {
            host: self.host.clone(),
            source,
        };
        let addresses: Vec<_> = (self.host.as_str(), self.port)
            .to_socket_addrs()
            .map_err(error)?
            .collect();
        let first = addresses
            .iter()
            .find(|address| address.is_ipv4())
            .or(addresses.first());
        first
            .copied()
            .ok_or_else(|| error(std::io::ErrorKind::NotFound.into()))
    }
}

/// Host without brackets, and the port if there is one.
fn split_authority(authority: &str) -> Result<(&str, Option<u16>), &'static str> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest
            .split_once(']')
            .ok_or("the bracket of the IPv6 address is not closed")?;
        host.parse::<std::net::Ipv6Addr>()
            .map_err(|_| "no IPv6 address between the brackets")?;
        match after.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if after.is_empty() => (host, None),
            None => return Err("only a port may follow the bracket"),
        }
    } else {
        match authority.split_once(':') {
            Some((_, port)) if port.contains(':') => {
                return Err("an IPv6 address needs brackets: [::1]:8080");
            }
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        }
    };
    if host.is_empty() {
        return Err("it names no host");
    }
    match port {
        None | Some("") => Ok((host, None)),
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            let port = port
                .parse()
                .ok()
                .filter(|&port| port > 0)
                .ok_or("the port is not within 1 to 65535")?;
            Ok((host, Some(port)))
        }
        Some(_) => Err("the port is not a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (bool, String, u16, String) {
        let url = Url::parse(text).unwrap();
        (url.tls, url.host, url.port, url.path)
    }

    #[test]
    fn accepts_what_people_type() {
        assert_eq!(
            parts("localhost:8080"),
            (false, "localhost".into(), 8080, "/".into())
        );
        assert_eq!(
            parts("http://a.b/c?d=e#f"),
            (false, "a.b".into(), 80, "/c?d=e".into())
        );
        assert_eq!(parts("HTTPS://a.b"), (true, "a.b".into(), 443, "/".into()));
        assert_eq!(parts("[::1]:80/x"), (false, "::1".into(), 80, "/x".into()));
        assert_eq!(parts("http://[::1]"), (false, "::1".into(), 80, "/".into()));
        assert_eq!(parts("a.b?q=1"), (false, "a.b".into(), 80, "/?q=1".into()));
        assert_eq!(parts("a.b/x://y"), (false, "a.b".into(), 80, "/x://y".into()));
    }

    #[test]
    fn refuses_what_cannot_be_loaded() {
        for text in [
            "", "http://", "ftp://a", "a:b", "a:0", "a:65536", "::1", "[::1", "[x]", "[::1]8", "a b", "u@h",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn authority_is_the_host_header() {
        let authority = |text| Url::parse(text).unwrap().authority();
        assert_eq!(authority("http://a:80"), "a");
        assert_eq!(authority("https://a:80"), "a:80");
        assert_eq!(authority("[::1]:8080"), "[::1]:8080");
    }
}
