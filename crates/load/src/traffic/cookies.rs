//! [`CookieJar`]: the cookies of one user. There is one server, so domains are not compared.

use super::clock_text::cookie_date;

/// The most cookies of a user; further ones are dropped, so that no server fills the memory.
const MOST: usize = 180;

/// The cookies of one user.
#[derive(Clone, Debug, Default)]
pub(crate) struct CookieJar {
    cookies: Vec<StoredCookie>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct StoredCookie {
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

    /// Sets a cookie.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8], path: &[u8]) {
        let known = self
            .cookies
            .iter_mut()
            .find(|cookie| cookie.name == name && cookie.path == path);
        if let Some(cookie) = known {
            cookie.value.clear();
            cookie.value.extend_from_slice(value);
        } else if self.cookies.len() < MOST {
            self.cookies.push(StoredCookie {
                name: name.to_vec(),
                value: value.to_vec(),
                path: path.to_vec(),
            });
        }
    }

    /// Heeds the value of a `Set-Cookie` header of an answer to a request for `path`; `now` is in seconds since 1970.
    pub(crate) fn heed(&mut self, header: &[u8], path: &[u8], now: i64) {
        let mut attributes = header.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
        let Some((name, value)) = attributes.next().and_then(|pair| split_at(pair, b'=')) else {
            return;
        };
        if name.is_empty() {
            return;
        }
        let mut of_path = default_path(path);
        let (mut expires, mut age) = (None, None);
        for attribute in attributes {
            let Some((key, value)) = split_at(attribute, b'=') else {
                continue;
            };
            if key.eq_ignore_ascii_case(b"path") && value.starts_with(b"/") {
                of_path = value;
            } else if key.eq_ignore_ascii_case(b"max-age") {
                age = std::str::from_utf8(value)
                    .ok()
                    .and_then(|age| age.parse::<i64>().ok());
            } else if key.eq_ignore_ascii_case(b"expires") {
                expires = std::str::from_utf8(value).ok().and_then(cookie_date);
            }
        }
        let is_over = age.map_or_else(|| expires.is_some_and(|at| at <= now), |age| age <= 0);
        if is_over {
            self.cookies
                .retain(|cookie| cookie.name != name || cookie.path != of_path);
        } else {
            self.set(name, value, of_path);
        }
    }

    /// Adds the value of the header `Cookie` for a request; those of longer paths come first (RFC 6265 section 5.4). Adds
    /// nothing where no cookie belongs to the path.
    pub(crate) fn write(&self, path: &[u8], out: &mut Vec<u8>) {
        let path = path.split(|&byte| byte == b'?').next().unwrap_or_default();
        let begin = out.len();
        let mut longest = usize::MAX;
        loop {
            let fitting = self.cookies.iter().filter(|cookie| belongs(path, &cookie.path));
            let lengths = fitting.map(|cookie| cookie.path.len());
            let Some(length) = lengths.filter(|&length| length < longest).max() else {
                return;
            };
            longest = length;
            for cookie in &self.cookies {
                if cookie.path.len() != length || !belongs(path, &cookie.path) {
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

fn split_at(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let middle = text.iter().position(|&byte| byte == at)?;
    Some((text[..middle].trim_ascii(), text[middle + 1..].trim_ascii()))
}

/// The path of a cookie without one (RFC 6265 section 5.1.4): up to the last slash of that of the request.
fn default_path(path: &[u8]) -> &[u8] {
    let path = path.split(|&byte| byte == b'?').next().unwrap_or_default();
    match path.iter().rposition(|&byte| byte == b'/') {
        None | Some(0) => b"/",
        Some(last) => &path[..last],
    }
}

/// Whether a path is the same or below (RFC 6265 section 5.1.4).
fn belongs(path: &[u8], of: &[u8]) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || of.ends_with(b"/") || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(jar: &CookieJar, path: &str) -> String {
        let mut out = Vec::new();
        jar.write(path.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cookies_are_sent_to_their_paths_and_replaced() {
        let mut jar = CookieJar::default();
        jar.heed(b"sid=1; Path=/; HttpOnly", b"/login", 0);
        jar.heed(b"cart=a=b; Path=/shop", b"/shop/add", 0);
        jar.heed(b"deep=x", b"/shop/items/7?q", 0);
        assert_eq!(sent(&jar, "/"), "sid=1");
        assert_eq!(sent(&jar, "/shop/item?id=1"), "cart=a=b; sid=1");
        assert_eq!(sent(&jar, "/shop/items/8"), "deep=x; cart=a=b; sid=1");
        assert_eq!(sent(&jar, "/shopping"), "sid=1");
        jar.heed(b"sid=2; path=/", b"/", 0);
        assert_eq!(
            (sent(&jar, "/"), jar.value("sid")),
            ("sid=2".to_owned(), Some(&b"2"[..]))
        );
    }

    #[test]
    fn cookies_end() {
        let mut jar = CookieJar::default();
        for end in ["Max-Age=0", "Expires=Thu, 01 Jan 1970 00:00:10 GMT"] {
            jar.heed(b"sid=1", b"/", 20);
            assert!(!jar.is_empty());
            jar.heed(format!("sid=; {end}").as_bytes(), b"/", 20);
            assert!(jar.is_empty(), "{end}");
        }
        jar.heed(
            b"sid=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:10 GMT",
            b"/",
            20,
        );
        assert!(!jar.is_empty());
        jar.heed(b"nonsense", b"/", 0);
        jar.heed(b"=x", b"/", 0);
        assert_eq!(sent(&jar, "/"), "sid=1");
    }
}
