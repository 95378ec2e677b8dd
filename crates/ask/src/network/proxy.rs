//! [`ProxyChoice`]: the proxy of a load, by its address or as the environment names it.

use crate::slip::NetworkSlip;
use model::url::Url;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::str::FromStr;
use traffic::plan::{Credentials, ProxyProtocol};

/// Which proxy is used. Without one, connections are direct, whatever the environment says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ProxyChoice {
    At(ProxyAddress),
    /// As `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    Environment,
}

/// The address of a proxy: `http://proxy:3128`, `socks5://proxy:1080`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxyAddress {
    pub protocol: ProxyProtocol,
    /// Whether the proxy looks names up, and not this machine. A proxy of HTTP always does.
    pub looks_up: bool,
    /// An IPv6 address has no brackets here.
    pub host: String,
    pub port: u16,
    /// User and password of the address; they are stored and shown nowhere.
    pub credentials: Option<Credentials>,
}

/// What stands for the proxy of the environment.
const ENVIRONMENT: &str = "env";

impl ProxyAddress {
    fn scheme(&self) -> &'static str {
        match (self.protocol, self.looks_up) {
            (ProxyProtocol::Http, _) => "http",
            (ProxyProtocol::Socks5, true) => "socks5h",
            (ProxyProtocol::Socks5, false) => "socks5",
        }
    }
}

impl std::fmt::Display for ProxyAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, port, .. } = self;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        write!(f, "{}://{host}:{port}", self.scheme())
    }
}

impl std::fmt::Display for ProxyChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::At(address) => address.fmt(f),
            Self::Environment => f.write_str(ENVIRONMENT),
        }
    }
}

impl From<ProxyChoice> for String {
    fn from(choice: ProxyChoice) -> Self {
        choice.to_string()
    }
}

impl TryFrom<String> for ProxyChoice {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|_| text)
    }
}

impl FromStr for ProxyChoice {
    type Err = NetworkSlip;

    fn from_str(text: &str) -> Result<Self, NetworkSlip> {
        match text {
            ENVIRONMENT => Ok(Self::Environment),
            _ => text.parse().map(Self::At),
        }
    }
}

impl FromStr for ProxyAddress {
    type Err = NetworkSlip;

    fn from_str(text: &str) -> Result<Self, NetworkSlip> {
        let bad = || NetworkSlip::Proxy(model::secret::without_secrets(text));
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let (protocol, looks_up) = match scheme {
            "http" => (ProxyProtocol::Http, true),
            "socks5" => (ProxyProtocol::Socks5, false),
            "socks5h" => (ProxyProtocol::Socks5, true),
            _ => return Err(bad()),
        };
        let (who, at) = match rest.rsplit_once('@') {
            Some((who, at)) => (Some(who), at),
            None => (None, rest),
        };
        let at = at.strip_suffix('/').unwrap_or(at);
        let url = Url::parse(&format!("http://{at}")).map_err(|_| bad())?;
        // Nobody agrees on the port of a proxy that names none.
        let names_port = at.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if url.path != "/" || !names_port {
            return Err(bad());
        }
        let credentials = who.map(|who| {
            let (user, password) = who.split_once(':').unwrap_or((who, ""));
            Credentials { user: decoded(user), password: decoded(password) }
        });
        Ok(Self { protocol, looks_up, host: url.host, port: url.port, credentials })
    }
}

/// A part of a URL with its `%40` and the like as the characters that they stand for.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

impl ProxyChoice {
    /// The proxy for a URL, with user and password of `PRONY_PROXY_USER` and `PRONY_PROXY_PASSWORD` where its address has none.
    /// `environment` gives the value of a variable.
    ///
    /// # Errors
    ///
    /// A variable of the environment names no proxy.
    pub fn for_url(
        &self,
        url: &Url,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<ProxyAddress>, NetworkSlip> {
        let address = match self {
            Self::At(address) => Some(address.clone()),
            Self::Environment => of_environment(url, environment)?,
        };
        Ok(address.map(|mut address| {
            address.credentials = address.credentials.or_else(|| {
                let user = environment("PRONY_PROXY_USER")?;
                let password = environment("PRONY_PROXY_PASSWORD").unwrap_or_default();
                Some(Credentials { user, password })
            });
            address
        }))
    }
}

/// The proxy that the environment names for a URL. As curl and Go do, names in small letters come first, and `NO_PROXY` excepts hosts.
fn of_environment(
    url: &Url,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<ProxyAddress>, NetworkSlip> {
    let value = |name: &str| {
        let found = environment(&name.to_ascii_lowercase()).or_else(|| environment(name));
        found.filter(|value| !value.is_empty())
    };
    if value("NO_PROXY").is_some_and(|excepted| excepts(&excepted, url)) {
        return Ok(None);
    }
    let named = value(if url.tls { "HTTPS_PROXY" } else { "HTTP_PROXY" });
    named.or_else(|| value("ALL_PROXY")).map(|text| text.parse()).transpose()
}

/// Whether a list such as `localhost,.internal,10.0.0.5:8080` names the host of a URL. A domain stands for all hosts in it, with a dot
/// before it or without, and `*` for all hosts.
fn excepts(list: &str, url: &Url) -> bool {
    let host = url.host.to_ascii_lowercase();
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let (name, port) = match entry.rsplit_once(':') {
            Some((name, port)) if entry.parse::<IpAddr>().is_err() && port.parse::<u16>().is_ok() => {
                (name, port.parse().ok())
            }
            _ => (entry, None),
        };
        let name = name.trim_matches(['[', ']']).trim_start_matches("*.").trim_start_matches('.');
        let name = name.to_ascii_lowercase();
        let is_named =
            name == "*" || host == name || host.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.'));
        is_named && port.is_none_or(|port: u16| port == url.port)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn an_address_says_what_the_proxy_speaks_and_hides_who_asks() {
        for (text, shown, looks_up) in [
            ("http://proxy:3128", "http://proxy:3128", true),
            ("proxy.example:8080", "http://proxy.example:8080", true),
            ("socks5://me:p%40ss@[::1]:1080/", "socks5://[::1]:1080", false),
            ("socks5h://proxy:1080", "socks5h://proxy:1080", true),
        ] {
            let address: ProxyAddress = text.parse().expect("an address");
            assert_eq!((address.to_string().as_str(), address.looks_up), (shown, looks_up));
        }
        let known: ProxyAddress = "http://me:p%40s%s@proxy:3128".parse().expect("an address");
        let who = known.credentials.expect("credentials");
        assert_eq!((who.user.as_str(), who.password.as_str()), ("me", "p@s%s"));
        for wrong in
            ["https://proxy:3128", "http://proxy", "http://proxy:3128/x", "socks4://p:1", "", "http://:1"]
        {
            assert!(wrong.parse::<ProxyAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_environment_names_proxies_only_where_it_is_asked() {
        let variables = [
            ("http_proxy", "http://small:1"),
            ("HTTP_PROXY", "http://large:1"),
            ("HTTPS_PROXY", "socks5h://secure:2"),
            ("NO_PROXY", "localhost, .internal,10.0.0.5:8080"),
            ("PRONY_PROXY_USER", "me"),
        ];
        let environment = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let chosen = |text: &str| {
            let found = ProxyChoice::Environment.for_url(&url(text), &environment).expect("right variables");
            found.map(|address| address.to_string())
        };
        assert_eq!(chosen("http://shop.example").as_deref(), Some("http://small:1"));
        assert_eq!(chosen("https://shop.example").as_deref(), Some("socks5h://secure:2"));
        for direct in ["http://localhost:8080", "https://a.internal", "http://10.0.0.5:8080"] {
            assert_eq!(chosen(direct), None, "{direct}");
        }
        assert!(chosen("http://10.0.0.5:8081").is_some() && chosen("http://notinternal").is_some());
        let at: ProxyChoice = "http://proxy:3128".parse().expect("an address");
        let found = at.for_url(&url("http://localhost"), &environment).expect("right").expect("a proxy");
        assert_eq!(found.credentials.map(|who| who.user).as_deref(), Some("me"), "it is said, so it is used");
        let wrong = |_: &str| Some("ftp://x".to_owned());
        assert!(ProxyChoice::Environment.for_url(&url("http://a"), &wrong).is_err());
    }
}
