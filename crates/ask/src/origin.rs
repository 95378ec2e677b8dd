//! [`Origin`]: the address of a server that runs already, which prony neither starts nor stops.

use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::slip::{ArmAdvice, ArmSlip, Hint};
use model::url::Url;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// An address such as `http://127.0.0.1:8080`. It is on this machine, because prony reads CPU and memory of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Origin {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it encrypts.
    pub tls: bool,
}

/// The value of the key `server` for such an arm.
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

/// Reads the stored form.
impl TryFrom<String> for Origin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let url = Url::parse(&text).map_err(|error| error.to_string())?;
        let address: IpAddr = url.host.parse().map_err(|error| format!("`{text}`: {error}"))?;
        Ok(Self { address: (address, url.port).into(), tls: url.tls })
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
    let address = match url.host.as_str() {
        "localhost" => Some(Ipv4Addr::LOCALHOST),
        host => host.parse().ok(),
    };
    match address.filter(Ipv4Addr::is_loopback) {
        Some(address) => Ok(Origin { address: (address, url.port).into(), tls: url.tls }),
        None => Err(node.refuse(ArmSlip::OtherMachine(text.to_owned())).hint(ArmAdvice::RunThere)),
    }
}

/// The hint that shows how the key `url` is written.
pub(crate) fn hint_url() -> Hint {
    Hint::write_one_of(["url = \"http://127.0.0.1:8080\"", "\"https://127.0.0.1:8443\""])
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
