//! [`Servers`]: how requests name the servers of a plan, and to which of them a location leads.

use super::cookies::Hosts;
use memchr::memmem;
use traffic::plan::{Plan, Sessions};

/// The servers of a plan, by their numbers; the one that is loaded is number 0.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    list: Vec<NamedServer>,
    pub(crate) hosts: Hosts,
}

#[derive(Clone, Debug)]
struct NamedServer {
    tls: bool,
    authority: String,
}

/// Where a location in an answer leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the server.
    pub(crate) server: usize,
    /// Path and query.
    pub(crate) path: Vec<u8>,
}

impl Servers {
    /// Those of a plan with these sessions.
    pub(crate) fn new(plan: &Plan, sessions: &Sessions) -> Self {
        let loaded = NamedServer { tls: plan.tls.is_some(), authority: sessions.authority.clone() };
        let others = sessions
            .others
            .iter()
            .map(|other| NamedServer { tls: other.tls.is_some(), authority: other.authority.clone() });
        Self::of(std::iter::once(loaded).chain(others).collect())
    }

    fn of(list: Vec<NamedServer>) -> Self {
        Self { hosts: Hosts::new(list.iter().map(|server| host_of(&server.authority).to_owned())), list }
    }

    /// The header `Host` of requests to a server.
    pub(crate) fn authority(&self, server: usize) -> &str {
        &self.list[server].authority
    }

    /// The URL of a server, without a path.
    pub(crate) fn url(&self, server: usize) -> String {
        let named = &self.list[server];
        format!("{}://{}", if named.tls { "https" } else { "http" }, named.authority)
    }

    /// Where a path leads that is rendered as a whole URL, such as `https://host:443/a`; `None` for one that is a path. The server is the one
    /// that is loaded if `loaded` says so. The inner `None` is a URL with the server of no plan. A scheme that is missing is http, and a port that
    /// is the scheme's own may be there or not.
    #[expect(
        clippy::option_option,
        reason = "the outer one tells a path from a URL, the inner one a server that is not known"
    )]
    pub(crate) fn place_of_url(&self, path: &[u8], loaded: bool) -> Option<Option<Place>> {
        let trimmed = path.trim_ascii_start();
        let scheme = memmem::find(trimmed, b"://")?;
        let tls = match trimmed[..scheme].to_ascii_lowercase().as_slice() {
            b"https" => true,
            b"http" | b"" => false,
            _ => return None,
        };
        let location = [b"//", &trimmed[scheme + 3..]].concat();
        let (origin, path) = split_location(&location, b"/");
        let authority = String::from_utf8_lossy(origin?.authority).to_ascii_lowercase();
        let own_port = if tls { ":443" } else { ":80" };
        let authority =
            authority.strip_suffix(own_port).or(authority.strip_suffix(':')).unwrap_or(&authority);
        let is_meant = |named: &NamedServer| {
            named.tls == tls && {
                let known = named.authority.to_ascii_lowercase();
                known.strip_suffix(own_port).unwrap_or(&known) == authority
            }
        };
        let server = if loaded { Some(0) } else { self.list.iter().position(is_meant) };
        Some(server.map(|server| Place { server, path }))
    }

    /// Where a location leads in an answer to a request for a place; `None` if it leads to a server that the
    /// plan does not name. If two servers have this host and port, the one with the location's scheme is meant.
    /// A scheme that fits none is passed over, because the server may stand in for one with the other scheme.
    pub(crate) fn place_of(&self, location: &[u8], from: &[u8], server: usize) -> Option<Place> {
        let (origin, path) = split_location(location, from);
        let server = match origin {
            None => server,
            Some(origin) => {
                let is_named =
                    |named: &NamedServer| origin.authority.eq_ignore_ascii_case(named.authority.as_bytes());
                let has_scheme = |named: &NamedServer| origin.tls.is_none_or(|tls| tls == named.tls);
                let exact = |named: &NamedServer| is_named(named) && has_scheme(named);
                let exact = self.list.iter().position(exact);
                exact.or_else(|| self.list.iter().position(is_named))?
            }
        };
        Some(Place { server, path })
    }
}

/// The server that a location names.
struct Origin<'a> {
    /// By its scheme, if it has one of HTTP.
    tls: Option<bool>,
    authority: &'a [u8],
}

/// The server of a location, if it names one, and its path.
fn split_location<'a>(location: &'a [u8], from: &[u8]) -> (Option<Origin<'a>>, Vec<u8>) {
    let location = location.split(|&byte| byte == b'#').next().unwrap_or_default();
    let scheme =
        memmem::find(location, b"://").filter(|at| location[..*at].iter().all(u8::is_ascii_alphanumeric));
    let behind_scheme = match scheme {
        Some(at) => Some(&location[at + 3..]),
        None => location.strip_prefix(b"//"),
    };
    if let Some(rest) = behind_scheme {
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let scheme = &location[..scheme.unwrap_or(0)];
        let tls = match scheme {
            scheme if scheme.eq_ignore_ascii_case(b"https") => Some(true),
            scheme if scheme.eq_ignore_ascii_case(b"http") => Some(false),
            _ => None,
        };
        let path = if path.starts_with(b"/") { path.to_vec() } else { [b"/", path].concat() };
        return (Some(Origin { tls, authority }), path);
    }
    (None, below(location, from))
}

/// The path of a location without a server, in an answer to a request for `from`.
fn below(location: &[u8], from: &[u8]) -> Vec<u8> {
    if location.starts_with(b"/") {
        return location.to_vec();
    }
    let plain = from.split(|&byte| byte == b'?').next().unwrap_or_default();
    if location.starts_with(b"?") {
        return [plain, location].concat();
    }
    let folder = plain.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    [&plain[..folder], location].concat()
}

/// The host of an authority, without brackets.
fn host_of(authority: &str) -> &str {
    if let Some(address) = authority.strip_prefix('[') {
        return address.split(']').next().unwrap_or_default();
    }
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

/// Servers for tests: these, each by a URL without a path.
#[cfg(test)]
pub(crate) fn servers(urls: &[&str]) -> Servers {
    let list = urls.iter().map(|url| {
        let (scheme, authority) = url.split_once("://").unwrap();
        NamedServer { tls: scheme == "https", authority: authority.to_owned() }
    });
    Servers::of(list.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_lead_to_the_servers_of_the_plan() {
        let servers = servers(&["http://localhost:8080", "https://auth:8443", "http://auth", "https://auth"]);
        let place = |location: &str| {
            let place = servers.place_of(location.as_bytes(), b"/shop/cart?x=1", 0)?;
            Some((place.server, String::from_utf8(place.path).unwrap()))
        };
        for (location, expected) in [
            ("/a?b#c", Some((0, "/a?b"))),
            ("http://localhost:8080/a", Some((0, "/a"))),
            ("https://localhost:8080/a", Some((0, "/a"))),
            ("http://LOCALHOST:8080", Some((0, "/"))),
            ("http://localhost:8080?q", Some((0, "/?q"))),
            ("//localhost:8080/x", Some((0, "/x"))),
            ("items", Some((0, "/shop/items"))),
            ("?y=2", Some((0, "/shop/cart?y=2"))),
            ("https://auth:8443/login", Some((1, "/login"))),
            ("http://auth/login", Some((2, "/login"))),
            ("https://auth/login", Some((3, "/login"))),
            ("http://elsewhere/", None),
            ("/go?to=http://elsewhere/", Some((0, "/go?to=http://elsewhere/"))),
        ] {
            let expected = expected.map(|(server, path)| (server, path.to_owned()));
            assert_eq!(place(location), expected, "{location}");
        }
        let there = servers.place_of(b"next", b"/a/b", 1);
        assert_eq!(there, Some(Place { server: 1, path: b"/a/next".to_vec() }));
    }

    #[test]
    fn paths_may_be_urls() {
        let servers = servers(&["http://localhost:8080", "https://auth", "http://auth"]);
        let place = |path: &str| {
            let place = servers.place_of_url(path.as_bytes(), false)?;
            Some(place.map(|place| (place.server, String::from_utf8(place.path).unwrap())))
        };
        for (path, expected) in [
            ("/a?u=http://auth/", None),
            ("a", None),
            ("http://localhost:8080/a?b=c", Some(Some((0, "/a?b=c")))),
            ("https://AUTH:443/x", Some(Some((1, "/x")))),
            ("://auth:/x", Some(Some((2, "/x")))),
            ("http://auth", Some(Some((2, "/")))),
            ("https://localhost:8080/a", Some(None)),
            ("ftp://auth/", None),
        ] {
            let expected =
                expected.map(|place| place.map(|(server, path): (usize, &str)| (server, path.to_owned())));
            assert_eq!(place(path), expected, "{path}");
        }
        let loaded = servers.place_of_url(b"http://elsewhere/x", true);
        assert_eq!(loaded, Some(Some(Place { server: 0, path: b"/x".to_vec() })));
    }

    #[test]
    fn hosts_stand_before_ports() {
        for (authority, host) in [("a", "a"), ("a:80", "a"), ("[::1]", "::1"), ("[::1]:80", "::1")] {
            assert_eq!(host_of(authority), host);
        }
    }
}
