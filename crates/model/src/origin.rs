//! [`Origin`]: where a server is that runs already, and that prony neither starts nor stops.

use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::url::Url;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// `http://127.0.0.1:8080`: on this machine, because the CPU and the memory of its process are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Origin {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it encrypts.
    pub tls: bool,
}

/// What the key `server` says for it.
pub const URL: &str = "url";

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.address)
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.to_string()
    }
}

/// As it is stored; without a scheme as it was before there was https.
impl TryFrom<String> for Origin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let url = Url::parse(&text).map_err(|error| error.to_string())?;
        let address: IpAddr = url.host.parse().map_err(|error| format!("`{text}`: {error}"))?;
        Ok(Self {
            address: (address, url.port).into(),
            tls: url.tls,
        })
    }
}

/// `http://127.0.0.1:8080`, as an arm names it.
pub(crate) fn origin(node: &Node) -> Result<Origin, Diagnostic> {
    let text = node.text()?;
    let wrong = |said: &str, hint: &str| {
        Err(Diagnostic::new(node.span.clone(), format!("`{text}` {said}")).hint(hint.to_owned()))
    };
    let url = match Url::parse(text) {
        Ok(url) if text.contains("://") => url,
        _ => {
            let hint = "write url = \"http://127.0.0.1:8080\" or \"https://127.0.0.1:8443\"";
            return wrong("is not an address of HTTP", hint);
        }
    };
    if url.path != "/" {
        return wrong(
            "has a path",
            "write the path as `path` of the file: it is the same for all arms",
        );
    }
    let address = match url.host.as_str() {
        "localhost" => Some(Ipv4Addr::LOCALHOST),
        host => host.parse().ok(),
    };
    match address.filter(Ipv4Addr::is_loopback) {
        Some(address) => Ok(Origin {
            address: (address, url.port).into(),
            tls: url.tls,
        }),
        None => wrong(
            "is not on this machine",
            "the CPU of its process is read here: run prony there, with the loopback address; `prony load` takes any URL",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_stored_with_its_scheme_and_read_without_one() {
        for (stored, says) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://127.0.0.1:8443", "https://127.0.0.1:8443"),
        ] {
            let origin = Origin::try_from(stored.to_owned()).expect("an address");
            assert_eq!(String::from(origin), says);
        }
        assert!(Origin::try_from("somewhere".to_owned()).is_err());
    }
}
