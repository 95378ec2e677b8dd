//! [`Origin`]: the address of a server that runs already, which prony neither starts nor stops.

use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::slip::{ArmAdvice, ArmSlip, Hint};
use model::url::Url;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};

/// An address such as `http://127.0.0.1:8080` or `https://green.example.com`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Origin {
    /// Name or address; an IPv6 address has no brackets here.
    pub host: String,
    pub port: u16,
    /// Whether it encrypts.
    pub tls: bool,
}

/// The value of the key `server` for such an arm.
pub const URL: &str = "url";

impl Origin {
    /// Whether it is on this machine for certain, where prony can see its process. Any other name than `localhost` may lead anywhere.
    pub fn is_here(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }

    /// Host and port as in the `Host` header.
    pub fn authority(&self) -> String {
        self.url("/").authority()
    }

    /// The URL of a path of it.
    pub fn url(&self, path: &str) -> Url {
        Url { tls: self.tls, host: self.host.clone(), port: self.port, path: path.to_owned() }
    }
}

impl From<Url> for Origin {
    fn from(url: Url) -> Self {
        Self { host: url.host, port: url.port, tls: url.tls }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.to_string()
    }
}

/// Reads the stored form.
impl TryFrom<String> for Origin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(Url::parse(&text).map_err(|error| error.to_string())?.into())
    }
}

/// Reads the key `url` of an arm: `http://127.0.0.1:8080`.
pub(crate) fn origin(node: &Node) -> Result<Origin, Diagnostic> {
    let text = node.text()?;
    let url = match Url::parse(text) {
        Ok(url) if text.contains("://") => url,
        _ => {
            let problem = node.refuse(ArmSlip::NotAnAddress(text.to_owned()));
            return Err(problem.hint(hint_url()));
        }
    };
    if url.path != "/" {
        let problem = node.refuse(ArmSlip::AddressWithPath(text.to_owned()));
        return Err(problem.hint(ArmAdvice::PathOfTheFile));
    }
    // A server on this machine is known by its address, because its process is found by its port.
    let host = match url.host.as_str() {
        "localhost" => Ipv4Addr::LOCALHOST.to_string(),
        host => host.to_owned(),
    };
    Ok(Origin { host, ..Origin::from(url) })
}

/// The hint that shows how the key `url` is written.
pub(crate) fn hint_url() -> Hint {
    Hint::write_one_of(["url = \"http://127.0.0.1:8080\"", "\"https://green.example.com\""])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_stored_with_its_scheme_and_read_without_one() {
        for (stored, says, here) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080", true),
            ("https://127.0.0.1:8443", "https://127.0.0.1:8443", true),
            ("https://green.example.com", "https://green.example.com", false),
            ("http://[::1]:8080", "http://[::1]:8080", true),
            ("http://10.0.0.5:8080", "http://10.0.0.5:8080", false),
        ] {
            let origin = Origin::try_from(stored.to_owned()).expect("an address");
            assert_eq!((origin.is_here(), String::from(origin)), (here, says.to_owned()));
        }
        assert!(Origin::try_from("some where".to_owned()).is_err());
    }
}
