//! Decides which requests the pages answer. There are two dangers. A foreign page in the same browser may send requests to ours: the
//! `Host` header is checked against DNS rebinding, and `Origin` against forged requests. And anybody may connect to an address that
//! other machines can reach: there a token is required.

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, LOCATION, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use say::Language;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Scripts, styles and data may come only from this server, and no page may frame ours.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The rules for the pages at one address.
#[derive(Debug)]
pub(super) struct Access {
    address: SocketAddr,
    /// The secret that a visitor has to know; `None` if only this machine can connect.
    token: Option<String>,
    /// The name of this machine, which may be used instead of its address.
    name: String,
}

/// The decision on a request.
enum Decision {
    Granted,
    /// The URL contains the right token. From now on a cookie carries it, so that it is no longer visible.
    GrantedByUrl(String),
    Refused(&'static str),
}

impl Access {
    /// Returns the rules for pages at `address`. `token` draws the secret, if other machines can connect.
    pub(super) fn new(
        address: SocketAddr,
        token: impl FnOnce() -> std::io::Result<String>,
    ) -> std::io::Result<Self> {
        let token = match address.ip().is_loopback() {
            true => None,
            false => Some(token()?),
        };
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Ok(Self { address, token, name: name.trim().to_owned() })
    }

    /// Returns the URL to open in a browser for pages in that language.
    pub(super) fn url(&self, lang: Option<Language>) -> String {
        let unnamed = self.address.ip().is_unspecified() && !self.name.is_empty();
        let authority = match unnamed {
            true => format!("{}:{}", self.name, self.address.port()),
            false => self.address.to_string(),
        };
        let token = self.token.as_ref().map(|token| format!("token={token}"));
        let lang = lang.map(|lang| format!("lang={}", lang.tag()));
        let pairs: Vec<String> = token.into_iter().chain(lang).collect();
        format!("http://{authority}/{}", query(&pairs))
    }

    fn decide(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Decision {
        let Some(host) = single_value(headers, &HOST).filter(|host| self.is_own_name(host)) else {
            return Decision::Refused(
                "this is not a name of this server; open the address that prony printed",
            );
        };
        let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
        let own_origin = format!("http://{host}");
        let is_read_only = matches!(*method, Method::GET | Method::HEAD);
        if !origin.map_or(is_read_only, |origin| origin == own_origin.as_bytes()) {
            return Decision::Refused("only a page of prony may send this request");
        }
        let Some(token) = &self.token else {
            return Decision::Granted;
        };
        if self.cookies(headers).any(|shown| is_same(shown, token)) {
            return Decision::Granted;
        }
        match token_in(uri) {
            Some(shown) if is_read_only && is_same(shown, token) => Decision::GrantedByUrl(token.clone()),
            _ => Decision::Refused("open the whole address that prony printed, with its token"),
        }
    }

    /// Whether a `Host` header names this server. A foreign page that has rebound its own name to our address sends
    /// that name and is refused. The port may differ, because it may be the port of a tunnel.
    fn is_own_name(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<axum::http::uri::Authority>() else {
            return false;
        };
        let name = authority.host().trim_matches(['[', ']']);
        let here = self.address.ip().is_loopback();
        match name.parse::<IpAddr>() {
            Ok(ip) => !here || ip.is_loopback(),
            Err(_) => {
                let is_machine_name = !here && !self.name.is_empty() && name.eq_ignore_ascii_case(&self.name);
                name.eq_ignore_ascii_case("localhost") || is_machine_name
            }
        }
    }

    /// Returns the name of the cookie. It contains the port, because browsers share cookies among all ports of a machine.
    fn cookie_name(&self) -> String {
        format!("prony-{}", self.address.port())
    }

    /// Returns the values of our cookie.
    fn cookies<'a>(&self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let name = self.cookie_name();
        let all = headers.get_all(COOKIE).into_iter();
        let pairs = all.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(';'));
        pairs.filter_map(move |pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        })
    }

    /// Redirects to the same page without the token in its URL.
    fn redirect_without_token(&self, token: &str, uri: &Uri) -> Response {
        let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name());
        let others = uri.query().unwrap_or_default().split('&');
        let others: Vec<&str> = others.filter(|pair| !pair.starts_with(TOKEN)).collect();
        // Browsers take a path that begins with two slashes for another host.
        let page = format!("/{}{}", uri.path().trim_start_matches('/'), query(&others));
        (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, page)]).into_response()
    }
}

/// The beginning of the query parameter that carries the token.
const TOKEN: &str = "token=";

/// Joins parameters to the query of a URL.
fn query(pairs: &[impl AsRef<str>]) -> String {
    let pairs: Vec<&str> = pairs.iter().map(AsRef::as_ref).collect();
    match pairs.is_empty() {
        true => String::new(),
        false => format!("?{}", pairs.join("&")),
    }
}

/// Returns the value of a header if it is present exactly once.
fn single_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).into_iter();
    let value = all.next()?.to_str().ok();
    value.filter(|_| all.next().is_none())
}

/// Returns the token in a URL.
fn token_in(uri: &Uri) -> Option<&str> {
    let mut pairs = uri.query()?.split('&');
    pairs.find_map(|pair| pair.strip_prefix(TOKEN))
}

/// Whether a URL by [`Access::url`] contains a token, so that anybody who reads it gets in. A URL that cannot be parsed may contain one.
pub(super) fn has_token(url: &str) -> bool {
    url.parse().map_or(true, |uri| token_in(&uri).is_some())
}

/// Compares two tokens in a time that does not depend on how many of their characters agree.
fn is_same(shown: &str, token: &str) -> bool {
    shown.as_bytes().ct_eq(token.as_bytes()).into()
}

/// Answers or refuses a request, and adds the security headers to every response.
pub(super) async fn check(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let decision = access.decide(request.method(), request.uri(), request.headers());
    let mut response = match decision {
        Decision::Granted => next.run(request).await,
        Decision::GrantedByUrl(token) => access.redirect_without_token(&token, request.uri()),
        Decision::Refused(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        // A page may have set a stricter rule for itself.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef";

    fn access(address: &str) -> Access {
        let address = address.parse().expect("an address");
        let mut access = Access::new(address, || Ok(SECRET.to_owned())).expect("no error");
        "bench-1".clone_into(&mut access.name);
        access
    }

    /// Returns `granted`, `granted by URL` or `refused`.
    fn decision(address: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> &'static str {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("a name");
            all.append(name, value.parse().expect("a value"));
        }
        let method = method.parse().expect("a method");
        match access(address).decide(&method, &path.parse().expect("a path"), &all) {
            Decision::Granted => "granted",
            Decision::GrantedByUrl(_) => "granted by URL",
            Decision::Refused(_) => "refused",
        }
    }

    #[test]
    fn requests_must_name_this_machine() {
        let decide = |address: &str, host: &str| decision(address, "GET", "/", &[("host", host)]);
        for host in ["127.0.0.1:4000", "localhost:4000", "LOCALHOST", "[::1]:4000", "localhost:9999"] {
            assert_eq!(decide("127.0.0.1:4000", host), "granted", "{host}");
        }
        for host in ["evil.example:4000", "127.0.0.1.evil.example", "192.0.2.1:4000", "bench-1", "", "a b"] {
            assert_eq!(decide("127.0.0.1:4000", host), "refused", "{host}");
        }
        assert_eq!(decision("127.0.0.1:4000", "GET", "/", &[]), "refused");
        let twice = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(decision("127.0.0.1:4000", "GET", "/", &twice), "refused");
    }

    #[test]
    fn only_our_own_page_can_change_anything_or_send_requests_by_script() {
        let decide = |method: &str, origin: Option<&str>| {
            let mut headers = vec![("host", "127.0.0.1:4000")];
            headers.extend(origin.map(|origin| ("origin", origin)));
            decision("127.0.0.1:4000", method, "/stop", &headers)
        };
        assert_eq!(decide("POST", Some("http://127.0.0.1:4000")), "granted");
        for origin in [None, Some("null"), Some("http://evil.example"), Some("http://127.0.0.1:4001")] {
            assert_eq!(decide("POST", origin), "refused", "{origin:?}");
        }
        assert_eq!(decide("GET", None), "granted");
        assert_eq!(decide("GET", Some("http://evil.example")), "refused");
    }

    #[test]
    fn a_token_is_required_where_other_machines_can_connect() {
        let decide = |path: &str, cookie: &str| {
            let headers = [("host", "192.0.2.7:4000"), ("cookie", cookie)];
            decision("192.0.2.7:4000", "GET", path, &headers)
        };
        assert_eq!(decide("/", ""), "refused");
        assert_eq!(decide("/?token=0123456789abcdee", ""), "refused");
        assert_eq!(decide("/?token=", ""), "refused");
        assert_eq!(decide("/?a=b&token=0123456789abcdef", ""), "granted by URL");
        assert_eq!(decide("/", "x=y; prony-4000=0123456789abcdef"), "granted");
        assert_eq!(decide("/", "prony-4001=0123456789abcdef"), "refused");
    }

    #[test]
    fn the_url_has_the_token_and_the_language_and_only_the_token_is_removed() {
        let url = |place: &str, lang: Option<Language>| access(place).url(lang);
        assert_eq!(url("0.0.0.0:80", None), format!("http://bench-1:80/?token={SECRET}"));
        let chinese = format!("http://192.0.2.7:4000/?token={SECRET}&lang=zh-CN");
        assert_eq!(url("192.0.2.7:4000", Some(Language::Zh)), chinese);
        assert_eq!(url("[::1]:4000", None), "http://[::1]:4000/");
        assert_eq!(url("127.0.0.1:4000", Some(Language::En)), "http://127.0.0.1:4000/?lang=en");
        let to = |asked: &str| {
            let uri = asked.parse().expect("a path");
            let response = access("192.0.2.7:4000").redirect_without_token(SECRET, &uri);
            response.headers()[LOCATION].to_str().expect("a path").to_owned()
        };
        assert_eq!(to("/?token=x&lang=zh-CN"), "/?lang=zh-CN");
        assert_eq!(to("/run/a?token=x"), "/run/a");
        assert_eq!(to("//evil.example/?token=x"), "/evil.example/");
    }

    #[test]
    fn a_token_in_a_url_does_not_allow_changes() {
        let headers = [("host", "192.0.2.7:4000"), ("origin", "http://192.0.2.7:4000")];
        let path = format!("/stop?token={SECRET}");
        assert_eq!(decision("192.0.2.7:4000", "POST", &path, &headers), "refused");
    }
}
