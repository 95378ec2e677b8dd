//! [`Address`]: a URL in the parts that a scenario needs.

use crate::marks::{has_variable, outside_marks};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// A URL of http or https.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `http` or `https`.
    pub scheme: String,
    /// Host and port, without user and password.
    pub host: String,
    /// User and password, as `user:password`; `None` where the URL has none.
    pub user: Option<String>,
    /// Path and query; begins with a slash.
    pub path: String,
}

/// Why a text is no [`Address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAddress {
    /// Its scheme is neither http nor https.
    Scheme(String),
    /// It names no host.
    Host,
}

impl Address {
    /// Parses a URL. One without a scheme is of http, as for curl. The fragment is dropped, because no client sends it.
    ///
    /// # Errors
    ///
    /// Why it is no URL of http or https.
    pub fn parse(text: &str) -> Result<Self, NoAddress> {
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                (scheme.to_ascii_lowercase(), rest)
            }
            _ => {
                let other = ["data", "blob", "about", "javascript", "file"];
                if let Some((scheme, _)) = text.split_once(':').filter(|(scheme, _)| other.contains(scheme)) {
                    return Err(NoAddress::Scheme(scheme.to_owned()));
                }
                ("http".to_owned(), text)
            }
        };
        if scheme != "http" && scheme != "https" {
            return Err(NoAddress::Scheme(scheme));
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, authority),
        };
        if host.is_empty() {
            return Err(NoAddress::Host);
        }
        let path = path.split('#').next().unwrap_or_default();
        let path = match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("/{path}"),
        };
        let usual = if scheme == "http" { ":80" } else { ":443" };
        let host = host.strip_suffix(usual).unwrap_or(host);
        // The name of a variable of the shell stays as it is.
        let host = if has_variable(host) { host.to_owned() } else { host.to_ascii_lowercase() };
        Ok(Self { scheme, host, user, path: outside_marks(&path, |path| path.replace(' ', "%20")) })
    }

    /// Returns scheme, host and port: `http://localhost:8080`.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.host)
    }

    /// Takes `.` and `..` out of the path, as browsers and curl do (RFC 3986 section 5.2.4).
    pub(crate) fn without_dots(mut self) -> Self {
        let (path, query) = self.path.split_at(self.path.find('?').unwrap_or(self.path.len()));
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/').skip(1) {
            match part {
                "." => {}
                ".." => _ = parts.pop(),
                part => parts.push(part),
            }
        }
        let is_folder = path.ends_with("/.") || path.ends_with("/..");
        let end = if is_folder && !parts.is_empty() { "/" } else { "" };
        self.path = format!("/{}{end}{query}", parts.join("/"));
        self
    }

    /// Returns the address that a `Location` header of an answer from here names.
    pub fn resolve(&self, location: &str) -> Option<Self> {
        let location = location.trim();
        if location.contains("://") {
            return Self::parse(location).ok();
        }
        if let Some(rest) = location.strip_prefix("//") {
            return Self::parse(&format!("{}://{rest}", self.scheme)).ok();
        }
        let folder = self.path.split('?').next().unwrap_or_default();
        let path = match location {
            absolute if absolute.starts_with('/') => absolute.to_owned(),
            query if query.starts_with('?') => format!("{folder}{query}"),
            relative => {
                let end = folder.rfind('/').map_or(0, |at| at + 1);
                format!("{}{relative}", &folder[..end])
            }
        };
        Self::parse(&format!("{}{path}", self.origin())).ok()
    }
}

/// Decodes `%41`, and in a query or form `+`, which is a space there. What is not encoded rightly stays as it is, and so does a text whose
/// bytes are no UTF-8.
pub(crate) fn decoded(text: &str, is_form: bool) -> String {
    let spaced = if is_form { Cow::Owned(text.replace('+', " ")) } else { Cow::Borrowed(text) };
    percent_decode_str(&spaced).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Encodes everything but letters, digits and `-._~` as `%41`.
pub(crate) fn encoded(text: &str) -> String {
    encoded_but(text, b"-._~")
}

/// Encodes everything but letters, digits and these bytes as `%41`.
pub(crate) fn encoded_but(text: &str, kept: &[u8]) -> String {
    let mut out = String::new();
    if has_variable(text) {
        return outside_marks(text, |text| encoded_but(text, kept));
    }
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Encodes as a form does (WHATWG URL, application/x-www-form-urlencoded).
pub(crate) fn form_encoded(text: &str) -> String {
    outside_marks(text, |text| {
        let words = text.split(' ').map(|word| encoded_but(word, b"-._*"));
        words.collect::<Vec<_>>().join("+")
    })
}

/// Splits `a=1&b=2` into decoded pairs; `None` if a part has no `=`.
pub(crate) fn form_fields(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((decoded(name, true), decoded(value, true)))
    };
    pairs.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_parts() {
        let address = Address::parse("HTTPS://me:pw@Shop.example:443/a b?x=1#top").expect("a URL");
        assert_eq!(address.origin(), "https://shop.example");
        assert_eq!((address.path.as_str(), address.user.as_deref()), ("/a%20b?x=1", Some("me:pw")));
        assert_eq!(Address::parse("localhost:8080").expect("as curl").origin(), "http://localhost:8080");
        assert_eq!(Address::parse("http://h?a=1").expect("a URL").path, "/?a=1");
        assert_eq!(Address::parse("ws://h/"), Err(NoAddress::Scheme("ws".to_owned())));
        assert_eq!(Address::parse("data:text/plain,x"), Err(NoAddress::Scheme("data".to_owned())));
        assert_eq!(Address::parse("http:///x"), Err(NoAddress::Host));
    }

    #[test]
    fn a_location_is_resolved() {
        let here = Address::parse("http://h:1/a/b?c").expect("a URL");
        let at = |location: &str| here.resolve(location).map(|to| to.origin() + &to.path);
        for (location, to) in [
            ("/x", "http://h:1/x"),
            ("x?y", "http://h:1/a/x?y"),
            ("?y", "http://h:1/a/b?y"),
            ("//other/x", "http://other/x"),
            ("https://h/x", "https://h/x"),
        ] {
            assert_eq!(at(location).as_deref(), Some(to), "{location}");
        }
    }

    #[test]
    fn fields_of_a_form_are_decoded() {
        let fields = form_fields("a=1+2&b=%C3%A9%2&c=").expect("fields");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(fields, [pair("a", "1 2"), pair("b", "é%2"), pair("c", "")]);
        assert_eq!(form_fields("{\"a\": 1}"), None);
        assert_eq!(encoded("a b/é"), "a%20b%2F%C3%A9");
        assert_eq!((decoded("a+b%2B", true), decoded("a+b%2B", false)), ("a b+".into(), "a+b+".into()));
        assert_eq!((decoded("%FF+%41", true), decoded("%4", true)), ("%FF+%41".into(), "%4".into()));
    }
}
