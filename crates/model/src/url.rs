//! [`Url`]: as much of a URL as prony needs, and the one parser of the workspace.
//!
//! No crate does this: what a load sends has to be what was typed, `${n}` and quotes and all. `url` rewrites paths (and brings
//! some forty crates), `fluent-uri` refuses `${n}`, and `http::Uri` refuses quotes and passes over a port that is none.

use crate::secret;
use say::Say;

/// The destination of requests: scheme, host, port, and path with query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// True for `https`, false for `http`.
    pub tls: bool,
    /// Host name or address; an IPv6 address has no brackets here.
    pub host: String,
    /// Port; 80 or 443 when the URL names none.
    pub port: u16,
    /// Path and query without the fragment; at least `/`.
    pub path: String,
}

/// A text that is not the URL of something that answers HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error, en = "`{url}` is not a URL: {reason}", zh = "`{url}` 不是 URL：{reason}")]
pub struct BadUrl {
    /// The text.
    pub url: String,
    /// What is wrong with it.
    pub reason: UrlFlaw,
}

/// What keeps a text from being the URL of something that answers HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum UrlFlaw {
    /// The scheme is neither http nor https.
    #[say(en = "only http and https can be loaded", zh = "只支持 http 和 https")]
    OtherScheme,
    /// A space or a control character is in it.
    #[say(en = "it contains a space or a control character", zh = "其中含有空格或控制字符")]
    Space,
    /// A user or a password is in it.
    #[say(en = "user and password belong in a header", zh = "用户名和密码应写在请求头中")]
    Credentials,
    /// The bracket of an IPv6 address is not closed.
    #[say(en = "the bracket of the IPv6 address is not closed", zh = "IPv6 地址的方括号没有闭合")]
    OpenBracket,
    /// There is no IPv6 address between the brackets.
    #[say(en = "there is no IPv6 address between the brackets", zh = "方括号中不是 IPv6 地址")]
    NotIpv6,
    /// Something else than a port follows the bracket.
    #[say(en = "only a port may follow the bracket", zh = "方括号之后只能是端口")]
    AfterBracket,
    /// An IPv6 address has no brackets.
    #[say(en = "an IPv6 address needs brackets: [::1]:8080", zh = "IPv6 地址需要方括号：[::1]:8080")]
    BareIpv6,
    /// The host is missing.
    #[say(en = "it names no host", zh = "其中没有主机名")]
    NoHost,
    /// The port is out of range.
    #[say(en = "the port is not within 1 to 65535", zh = "端口不在 1 到 65535 之间")]
    PortRange,
    /// The port is not a number.
    #[say(en = "the port is not a number", zh = "端口不是数字")]
    NotAPort,
}

impl Url {
    /// Parses `http://host:port/path?query`; the scheme may be missing, as in `localhost:8080`.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        let bad = |reason| BadUrl { url: public(text), reason };
        let (tls, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            Some((scheme, _)) if scheme.contains(['/', '?', '#']) => (false, text),
            Some(_) => return Err(bad(UrlFlaw::OtherScheme)),
            None => (false, text),
        };
        if rest.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(bad(UrlFlaw::Space));
        }
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(bad(UrlFlaw::Credentials));
        }
        let (host, port) = split_authority(authority).map_err(bad)?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { tls, host: host.to_owned(), port: port.unwrap_or(if tls { 443 } else { 80 }), path })
    }

    /// Host and port as in the `Host` header: an IPv6 address has brackets, and the default port of the scheme is left
    /// out.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let default = if self.tls { 443 } else { 80 };
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }
}

/// Returns the URL of HTTP that has the same server and path as one of WebSocket, with `http` for `ws` and `https` for `wss`; `None` for a URL that
/// is none of WebSocket.
pub fn http_form(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let schemes = [("ws", "http"), ("wss", "https")];
    let (_, http) = schemes.into_iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known))?;
    Some(format!("{http}://{rest}"))
}

/// Splits `host:port` into the host without brackets and the port if there is one; an error says what is wrong.
fn split_authority(authority: &str) -> Result<(&str, Option<u16>), UrlFlaw> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']').ok_or(UrlFlaw::OpenBracket)?;
        host.parse::<std::net::Ipv6Addr>().map_err(|_| UrlFlaw::NotIpv6)?;
        match after.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if after.is_empty() => (host, None),
            None => return Err(UrlFlaw::AfterBracket),
        }
    } else {
        match authority.split_once(':') {
            Some((_, port)) if port.contains(':') => {
                return Err(UrlFlaw::BareIpv6);
            }
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        }
    };
    if host.is_empty() {
        return Err(UrlFlaw::NoHost);
    }
    match port {
        None | Some("") => Ok((host, None)),
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            let port = port.parse().ok().filter(|&port| port > 0).ok_or(UrlFlaw::PortRange)?;
            Ok((host, Some(port)))
        }
        Some(_) => Err(UrlFlaw::NotAPort),
    }
}

/// The text without user and password, so that it can be shown.
fn public(text: &str) -> String {
    match text.contains('@') && !text.contains("://") {
        true => secret::without_secrets(&format!("http://{text}")),
        false => secret::without_secrets(text),
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
    fn urls_are_accepted_in_the_forms_that_people_type() {
        assert_eq!(parts("localhost:8080"), (false, "localhost".into(), 8080, "/".into()));
        assert_eq!(parts("http://a.b/c?d=e#f"), (false, "a.b".into(), 80, "/c?d=e".into()));
        assert_eq!(parts("HTTPS://a.b"), (true, "a.b".into(), 443, "/".into()));
        assert_eq!(parts("[::1]:80/x"), (false, "::1".into(), 80, "/x".into()));
        assert_eq!(parts("http://[::1]"), (false, "::1".into(), 80, "/".into()));
        assert_eq!(parts("a.b?q=1"), (false, "a.b".into(), 80, "/?q=1".into()));
        assert_eq!(parts("a.b/x://y"), (false, "a.b".into(), 80, "/x://y".into()));
    }

    #[test]
    fn a_path_is_left_as_it_is() {
        for path in ["/item/${n}?{\"a\"}", "/../%7e/中文?x=|^`<>", "//a//b"] {
            assert_eq!(parts(&format!("http://a{path}")).3, path);
        }
    }

    #[test]
    fn urls_that_cannot_be_loaded_are_refused() {
        for text in
            ["", "http://", "ftp://a", "a:b", "a:0", "a:65536", "::1", "[::1", "[x]", "[::1]8", "a b", "u@h"]
        {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_url_of_websocket_has_one_of_http() {
        assert_eq!(http_form("ws://a:8080/b?c").as_deref(), Some("http://a:8080/b?c"));
        assert_eq!(http_form("WSS://a").as_deref(), Some("https://a"));
        assert_eq!(
            (http_form("http://ws://a"), http_form("localhost:8080"), http_form("/ws")),
            (None, None, None)
        );
    }

    #[test]
    fn the_authority_has_the_form_of_the_host_header() {
        let authority = |text| Url::parse(text).unwrap().authority();
        assert_eq!(authority("http://a:80"), "a");
        assert_eq!(authority("https://a:80"), "a:80");
        assert_eq!(authority("[::1]:8080"), "[::1]:8080");
    }
}
