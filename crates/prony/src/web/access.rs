//! Who may see and do what. The dangers: a page of somebody else, open in the same browser, that reaches for ours (`Host`
//! against DNS rebinding, `Origin` against forged requests), and, beyond this machine, anybody at all (a token).

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, LOCATION, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use report::Lang;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Scripts, styles and data from us alone; nothing may frame us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The rules for one address.
#[derive(Debug)]
pub(super) struct Access {
    address: SocketAddr,
    /// What a visitor has to know; none is needed on this machine itself.
    token: Option<String>,
    /// This machine's own name, which may stand for its address.
    name: String,
}

/// Whether a request may go on.
enum Entry {
    Granted,
    /// It brought the token in its address: from now on a cookie carries it, so that it does not stay in sight.
    Introduced(String),
    Refused(&'static str),
}

impl Access {
    /// The rules at `address`, where `token` is what a visitor from another machine has to know.
    pub(super) fn new(
        address: SocketAddr,
        token: impl FnOnce() -> std::io::Result<String>,
    ) -> std::io::Result<Self> {
        let token = match address.ip().is_loopback() {
            true => None,
            false => Some(token()?),
        };
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Ok(Self {
            address,
            token,
            name: name.trim().to_owned(),
        })
    }

    /// What to type into a browser for pages in that language.
    pub(super) fn url(&self, lang: Option<Lang>) -> String {
        let unnamed = self.address.ip().is_unspecified() && !self.name.is_empty();
        let place = match unnamed {
            true => format!("{}:{}", self.name, self.address.port()),
            false => self.address.to_string(),
        };
        let token = self.token.as_ref().map(|token| format!("token={token}"));
        let lang = lang.map(|lang| format!("lang={}", lang.tag()));
        let asked: Vec<String> = token.into_iter().chain(lang).collect();
        format!("http://{place}/{}", question(&asked))
    }

    fn entry(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Entry {
        let Some(host) = only(headers, &HOST).filter(|host| self.is_called(host)) else {
            return Entry::Refused(
                "this is not a name of this server: open it by the address that prony printed",
            );
        };
        let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
        let own = format!("http://{host}");
        let reads = matches!(*method, Method::GET | Method::HEAD);
        if !origin.map_or(reads, |origin| origin == own.as_bytes()) {
            return Entry::Refused("only prony's own page may ask for this");
        }
        let Some(token) = &self.token else {
            return Entry::Granted;
        };
        if self.cookies(headers).any(|shown| same(shown, token)) {
            return Entry::Granted;
        }
        match brought(uri) {
            Some(shown) if reads && same(shown, token) => Entry::Introduced(token.clone()),
            _ => Entry::Refused("open this page by the whole address that prony printed, token included"),
        }
    }

    /// A name by which no foreign page can be here: one that rebinds its own name to our address is called otherwise. The
    /// port may be another, that of a tunnel.
    fn is_called(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<axum::http::uri::Authority>() else {
            return false;
        };
        let name = authority.host().trim_matches(['[', ']']);
        let here = self.address.ip().is_loopback();
        match name.parse::<IpAddr>() {
            Ok(ip) => !here || ip.is_loopback(),
            Err(_) => {
                let own = !here && !self.name.is_empty() && name.eq_ignore_ascii_case(&self.name);
                name.eq_ignore_ascii_case("localhost") || own
            }
        }
    }

    /// One cookie for each port: a browser does not keep those of two ports of a machine apart.
    fn cookie(&self) -> String {
        format!("prony-{}", self.address.port())
    }

    fn cookies<'a>(&self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let name = self.cookie();
        let all = headers.get_all(COOKIE).into_iter();
        let pairs = all
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(';'));
        pairs.filter_map(move |pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        })
    }

    /// To the same page without the token in its address.
    fn welcome(&self, token: &str, uri: &Uri) -> Response {
        let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie());
        let others = uri.query().unwrap_or_default().split('&');
        let others: Vec<&str> = others.filter(|pair| !pair.starts_with(TOKEN)).collect();
        // A path that began with two slashes would name another host.
        let page = format!("/{}{}", uri.path().trim_start_matches('/'), question(&others));
        (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, page)]).into_response()
    }
}

/// How the part of an address begins that carries the token.
const TOKEN: &str = "token=";

/// What an address asks for behind its path.
fn question(pairs: &[impl AsRef<str>]) -> String {
    let pairs: Vec<&str> = pairs.iter().map(AsRef::as_ref).collect();
    match pairs.is_empty() {
        true => String::new(),
        false => format!("?{}", pairs.join("&")),
    }
}

/// The value of a header that must be there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).into_iter();
    let value = all.next()?.to_str().ok();
    value.filter(|_| all.next().is_none())
}

/// The token that an address carries.
fn brought(uri: &Uri) -> Option<&str> {
    let mut pairs = uri.query()?.split('&');
    pairs.find_map(|pair| pair.strip_prefix(TOKEN))
}

/// Whether an address by [`Access::url`] lets in whoever reads it; of one that cannot be read nobody knows.
pub(super) fn lets_in(url: &str) -> bool {
    url.parse().map_or(true, |uri| brought(&uri).is_some())
}

/// In a time that does not tell how much of it was right.
fn same(shown: &str, token: &str) -> bool {
    shown.as_bytes().ct_eq(token.as_bytes()).into()
}

/// Lets a request pass or refuses it, and puts the policy on every answer.
pub(super) async fn check(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let entry = access.entry(request.method(), request.uri(), request.headers());
    let mut response = match entry {
        Entry::Granted => next.run(request).await,
        Entry::Introduced(token) => access.welcome(&token, request.uri()),
        Entry::Refused(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        // A page may have chosen a stricter rule for itself.
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

    /// `granted`, `introduced` or `refused`.
    fn entry(address: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> &'static str {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("a name");
            all.append(name, value.parse().expect("a value"));
        }
        let method = method.parse().expect("a method");
        match access(address).entry(&method, &path.parse().expect("a path"), &all) {
            Entry::Granted => "granted",
            Entry::Introduced(_) => "introduced",
            Entry::Refused(_) => "refused",
        }
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let said = |address: &str, host: &str| entry(address, "GET", "/", &[("host", host)]);
        for host in [
            "127.0.0.1:4000",
            "localhost:4000",
            "LOCALHOST",
            "[::1]:4000",
            "localhost:9999",
        ] {
            assert_eq!(said("127.0.0.1:4000", host), "granted", "{host}");
        }
        for host in [
            "evil.example:4000",
            "127.0.0.1.evil.example",
            "192.0.2.1:4000",
            "bench-1",
            "",
            "a b",
        ] {
            assert_eq!(said("127.0.0.1:4000", host), "refused", "{host}");
        }
        assert_eq!(entry("127.0.0.1:4000", "GET", "/", &[]), "refused");
        let twice = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(entry("127.0.0.1:4000", "GET", "/", &twice), "refused");
    }

    #[test]
    fn only_our_own_page_changes_anything_or_asks_from_a_script() {
        let said = |method: &str, origin: Option<&str>| {
            let mut headers = vec![("host", "127.0.0.1:4000")];
            headers.extend(origin.map(|origin| ("origin", origin)));
            entry("127.0.0.1:4000", method, "/stop", &headers)
        };
        assert_eq!(said("POST", Some("http://127.0.0.1:4000")), "granted");
        for origin in [
            None,
            Some("null"),
            Some("http://evil.example"),
            Some("http://127.0.0.1:4001"),
        ] {
            assert_eq!(said("POST", origin), "refused", "{origin:?}");
        }
        assert_eq!(said("GET", None), "granted");
        assert_eq!(said("GET", Some("http://evil.example")), "refused");
    }

    #[test]
    fn beyond_this_machine_a_token_is_required() {
        let said = |path: &str, cookie: &str| {
            let headers = [("host", "192.0.2.7:4000"), ("cookie", cookie)];
            entry("192.0.2.7:4000", "GET", path, &headers)
        };
        assert_eq!(said("/", ""), "refused");
        assert_eq!(said("/?token=0123456789abcdee", ""), "refused");
        assert_eq!(said("/?token=", ""), "refused");
        assert_eq!(said("/?a=b&token=0123456789abcdef", ""), "introduced");
        assert_eq!(said("/", "x=y; prony-4000=0123456789abcdef"), "granted");
        assert_eq!(said("/", "prony-4001=0123456789abcdef"), "refused");
    }

    #[test]
    fn the_address_has_the_token_and_the_language_and_loses_only_the_token() {
        let url = |place: &str, lang: Option<Lang>| access(place).url(lang);
        assert_eq!(
            url("0.0.0.0:80", None),
            format!("http://bench-1:80/?token={SECRET}")
        );
        let chinese = format!("http://192.0.2.7:4000/?token={SECRET}&lang=zh-CN");
        assert_eq!(url("192.0.2.7:4000", Some(Lang::Zh)), chinese);
        assert_eq!(url("[::1]:4000", None), "http://[::1]:4000/");
        assert_eq!(
            url("127.0.0.1:4000", Some(Lang::En)),
            "http://127.0.0.1:4000/?lang=en"
        );
        let to = |asked: &str| {
            let uri = asked.parse().expect("a path");
            let response = access("192.0.2.7:4000").welcome(SECRET, &uri);
            response.headers()[LOCATION].to_str().expect("a path").to_owned()
        };
        assert_eq!(to("/?token=x&lang=zh-CN"), "/?lang=zh-CN");
        assert_eq!(to("/run/a?token=x"), "/run/a");
        assert_eq!(to("//evil.example/?token=x"), "/evil.example/");
    }

    #[test]
    fn a_token_in_an_address_changes_nothing_by_itself() {
        let headers = [("host", "192.0.2.7:4000"), ("origin", "http://192.0.2.7:4000")];
        let path = format!("/stop?token={SECRET}");
        assert_eq!(entry("192.0.2.7:4000", "POST", &path, &headers), "refused");
    }
}
