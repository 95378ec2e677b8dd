//! [`CookieJar`]: the cookies of one user, and [`Hosts`]: to which servers a cookie is sent.

use traffic::scenario::cookie_date;

/// The most cookies of a user; further ones are dropped, so that no server fills the memory.
const MOST: usize = 180;

/// The cookies of one user.
#[derive(Clone, Debug, Default)]
pub(crate) struct CookieJar {
    cookies: Vec<StoredCookie>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct StoredCookie {
    servers: ServerSet,
    name: Vec<u8>,
    value: Vec<u8>,
    path: Vec<u8>,
}

impl CookieJar {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.cookies.clear();
    }

    /// True when there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }

    /// The value of the cookie of this name.
    pub(crate) fn value(&self, name: &str) -> Option<&[u8]> {
        let found = self.cookies.iter().find(|cookie| cookie.name == name.as_bytes());
        found.map(|cookie| cookie.value.as_slice())
    }

    /// Sets a cookie that is sent to these servers.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8], path: &[u8], servers: ServerSet) {
        let known = self
            .cookies
            .iter_mut()
            .find(|cookie| cookie.name == name && cookie.path == path && cookie.servers == servers);
        if let Some(cookie) = known {
            cookie.value.clear();
            cookie.value.extend_from_slice(value);
        } else if self.cookies.len() < MOST {
            self.cookies.push(StoredCookie {
                servers,
                name: name.to_vec(),
                value: value.to_vec(),
                path: path.to_vec(),
            });
        }
    }

    /// Heeds the value of a `Set-Cookie` header of an answer to a request for `path`; `now` is in seconds since 1970.
    pub(crate) fn heed(&mut self, header: &[u8], path: &[u8], from: Sender<'_>, now: i64) {
        let mut attributes = header.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
        let Some((name, value)) = attributes.next().and_then(|pair| split_at(pair, b'=')) else {
            return;
        };
        if name.is_empty() {
            return;
        }
        let mut of_path = default_path(path);
        let (mut expires, mut age) = (None, None);
        let mut domain = None;
        for attribute in attributes {
            let Some((key, value)) = split_at(attribute, b'=') else {
                continue;
            };
            if key.eq_ignore_ascii_case(b"path") && value.starts_with(b"/") {
                of_path = value;
            } else if key.eq_ignore_ascii_case(b"domain") {
                domain = std::str::from_utf8(value).ok();
            } else if key.eq_ignore_ascii_case(b"max-age") {
                age = std::str::from_utf8(value).ok().and_then(|age| age.parse::<i64>().ok());
            } else if key.eq_ignore_ascii_case(b"expires") {
                expires = std::str::from_utf8(value).ok().and_then(cookie_date);
            }
        }
        let servers = from.hosts.of_answer(from.server, domain);
        let is_over = age.map_or_else(|| expires.is_some_and(|at| at <= now), |age| age <= 0);
        if is_over {
            self.cookies
                .retain(|cookie| cookie.name != name || cookie.path != of_path || cookie.servers != servers);
        } else {
            self.set(name, value, of_path, servers);
        }
    }

    /// Adds the value of the header `Cookie` for a request to a server; longer paths come first (RFC 6265
    /// section 5.4). Adds nothing where no cookie belongs to the path.
    pub(crate) fn write(&self, server: usize, path: &[u8], out: &mut Vec<u8>) {
        let path = path.split(|&byte| byte == b'?').next().unwrap_or_default();
        let fits = |cookie: &&StoredCookie| cookie.servers.has(server) && belongs(path, &cookie.path);
        let begin = out.len();
        let mut longest = usize::MAX;
        loop {
            let lengths = self.cookies.iter().filter(fits).map(|cookie| cookie.path.len());
            let Some(length) = lengths.filter(|&length| length < longest).max() else {
                return;
            };
            longest = length;
            for cookie in self.cookies.iter().filter(fits) {
                if cookie.path.len() != length {
                    continue;
                }
                if out.len() > begin {
                    out.extend_from_slice(b"; ");
                }
                out.extend_from_slice(&cookie.name);
                out.push(b'=');
                out.extend_from_slice(&cookie.value);
            }
        }
    }
}

/// Servers of a plan: a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerSet(u64);

impl ServerSet {
    fn has(self, server: usize) -> bool {
        self.0 & (1 << server) != 0
    }
}

/// The hosts of the servers of a plan, by the numbers of the servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hosts(Vec<String>);

/// The server that has sent an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender<'a> {
    pub(crate) hosts: &'a Hosts,
    /// Its number.
    pub(crate) server: usize,
}

impl Hosts {
    /// At most [`traffic::scenario::MOST_SERVERS`] hosts.
    pub(crate) fn new(hosts: impl Iterator<Item = String>) -> Self {
        Self(hosts.map(|host| host.to_ascii_lowercase()).collect())
    }

    /// The servers to which a cookie of this domain is sent; all of them without a domain.
    pub(crate) fn of_domain(&self, domain: Option<&str>) -> ServerSet {
        let domain = domain.map(plain_domain);
        self.all(|host| domain.as_deref().is_none_or(|domain| is_of_domain(host, domain)))
    }

    /// The servers that are sent a cookie which a server has set (RFC 6265 section 5.3): without a domain, all on its host.
    /// A domain to which the server itself does not belong is passed over, because the server may stand in for another one.
    fn of_answer(&self, server: usize, domain: Option<&str>) -> ServerSet {
        let own = &self.0[server];
        let domain = domain.map(plain_domain).filter(|domain| is_of_domain(own, domain));
        match domain {
            Some(domain) => self.all(|host| is_of_domain(host, &domain)),
            None => self.all(|host| host == own),
        }
    }

    fn all(&self, fits: impl Fn(&str) -> bool) -> ServerSet {
        let fitting = self.0.iter().enumerate().filter(|(_, host)| fits(host));
        ServerSet(fitting.fold(0, |set, (server, _)| set | 1 << server))
    }
}

/// A domain in small letters, without the dot with which it may begin.
fn plain_domain(domain: &str) -> String {
    domain.trim_start_matches('.').to_ascii_lowercase()
}

/// Whether a host is a domain or lies below it (RFC 6265 section 5.1.3).
fn is_of_domain(host: &str, domain: &str) -> bool {
    let is_address = || host.parse::<std::net::IpAddr>().is_ok();
    host.strip_suffix(domain).is_some_and(|below| below.is_empty() || below.ends_with('.') && !is_address())
}

fn split_at(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let middle = text.iter().position(|&byte| byte == at)?;
    Some((text[..middle].trim_ascii(), text[middle + 1..].trim_ascii()))
}

/// The path of a cookie without one (RFC 6265 section 5.1.4): the request's path up to its last slash.
fn default_path(path: &[u8]) -> &[u8] {
    let path = path.split(|&byte| byte == b'?').next().unwrap_or_default();
    match path.iter().rposition(|&byte| byte == b'/') {
        None | Some(0) => b"/",
        Some(last) => &path[..last],
    }
}

/// Whether a path is the same or below (RFC 6265 section 5.1.4).
fn belongs(path: &[u8], of: &[u8]) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || of.ends_with(b"/") || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_to(jar: &CookieJar, server: usize, path: &str) -> String {
        let mut out = Vec::new();
        jar.write(server, path.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn sent(jar: &CookieJar, path: &str) -> String {
        sent_to(jar, 0, path)
    }

    fn hosts(hosts: &[&str]) -> Hosts {
        Hosts::new(hosts.iter().map(|host| (*host).to_owned()))
    }

    /// Heeds a cookie of the only server.
    fn heed(jar: &mut CookieJar, header: &str, path: &str, now: i64) {
        let hosts = hosts(&["localhost"]);
        let from = Sender { hosts: &hosts, server: 0 };
        jar.heed(header.as_bytes(), path.as_bytes(), from, now);
    }

    #[test]
    fn cookies_are_sent_to_their_paths_and_replaced() {
        let mut jar = CookieJar::default();
        heed(&mut jar, "sid=1; Path=/; HttpOnly", "/login", 0);
        heed(&mut jar, "cart=a=b; Path=/shop", "/shop/add", 0);
        heed(&mut jar, "deep=x", "/shop/items/7?q", 0);
        assert_eq!(sent(&jar, "/"), "sid=1");
        assert_eq!(sent(&jar, "/shop/item?id=1"), "cart=a=b; sid=1");
        assert_eq!(sent(&jar, "/shop/items/8"), "deep=x; cart=a=b; sid=1");
        assert_eq!(sent(&jar, "/shopping"), "sid=1");
        heed(&mut jar, "sid=2; path=/", "/", 0);
        assert_eq!((sent(&jar, "/"), jar.value("sid")), ("sid=2".to_owned(), Some(&b"2"[..])));
    }

    #[test]
    fn cookies_end() {
        let mut jar = CookieJar::default();
        for end in ["Max-Age=0", "Expires=Thu, 01 Jan 1970 00:00:10 GMT"] {
            heed(&mut jar, "sid=1", "/", 20);
            assert!(!jar.is_empty());
            heed(&mut jar, &format!("sid=; {end}"), "/", 20);
            assert!(jar.is_empty(), "{end}");
        }
        let both = "sid=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:10 GMT";
        heed(&mut jar, both, "/", 20);
        assert!(!jar.is_empty());
        heed(&mut jar, "nonsense", "/", 0);
        heed(&mut jar, "=x", "/", 0);
        assert_eq!(sent(&jar, "/"), "sid=1");
    }

    #[test]
    fn cookies_are_sent_to_the_servers_of_their_domain() {
        let hosts =
            hosts(&["shop.example.com", "auth.example.com", "example.com", "other.org", "SHOP.example.com"]);
        let mut jar = CookieJar::default();
        let mut heed = |header: &str, server: usize| {
            let from = Sender { hosts: &hosts, server };
            jar.heed(header.as_bytes(), b"/", from, 0);
        };
        heed("own=1", 0);
        heed("all=1; Domain=.example.com", 1);
        heed("stranger=1; Domain=other.org", 1);
        heed("own=2", 1);
        let to_all = ["own=1; all=1", "all=1; stranger=1; own=2", "all=1", "", "own=1; all=1"];
        for (server, cookies) in to_all.into_iter().enumerate() {
            assert_eq!(sent_to(&jar, server, "/"), cookies, "server {server}");
        }
        assert_eq!(hosts.of_domain(Some("auth.example.com")), ServerSet(0b00010));
        assert_eq!(hosts.of_domain(None), ServerSet(0b11111));
        assert_eq!(Hosts::new(["10.0.0.1".to_owned()].into_iter()).of_domain(Some("0.1")), ServerSet(0));
    }
}
