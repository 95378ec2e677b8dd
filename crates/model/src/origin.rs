//! [`Origin`]: where a server is that runs already, and that prony neither starts nor stops.

use crate::diagnostic::Diagnostic;
use crate::foreign::refuse;
use crate::node::{Node, Table};
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, SocketAddr};

/// `http://127.0.0.1:8080`: on this machine, because the CPU and the memory of its process are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Origin {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it encrypts.
    pub tls: bool,
}

/// What `server` says for it.
pub const URL: &str = "url";

/// Keys of an arm that only a server which prony starts takes.
const OF_A_START: [&str; 8] = [
    "command",
    "ready",
    "port",
    "memory",
    "cpus",
    "services",
    "environment",
    "open_files",
];

impl Origin {
    /// The key `url` of an arm whose `server` is `server`; `None` for one that prony starts.
    pub(crate) fn read(
        table: &mut Table<'_>,
        node: &Node,
        server: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let asked = table.get("url").is_some();
        let origin = table.read("url", problems, origin);
        if server.is_empty() {
            return None; // What is wrong with it has been said.
        }
        if server != URL {
            let hint = "write server = \"url\" for a server that runs already";
            refuse((node, problems), &["url"], &format!("`{server}`"), hint);
            return None;
        }
        let hint = "take it out: the server was started with what it has";
        let keys: Vec<&str> = crate::foreign::OF_THE_CATALOG
            .into_iter()
            .chain(OF_A_START)
            .collect();
        refuse((node, problems), &keys, "a server that runs already", hint);
        if !asked {
            let hint = "write url = \"http://127.0.0.1:8080\" or \"https://127.0.0.1:8443\"";
            let said = "this arm has no `url`";
            problems.push(Diagnostic::new(node.span.clone(), said).hint(hint));
        }
        origin
    }
}

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
        let (scheme, address) = text.split_once("://").unwrap_or(("http", &text));
        Ok(Self {
            address: address.parse().map_err(|error| format!("`{text}`: {error}"))?,
            tls: scheme == "https",
        })
    }
}

fn origin(node: &Node) -> Result<Origin, Diagnostic> {
    let text = node.text()?;
    let wrong = |said: &str, hint: &str| {
        Err(Diagnostic::new(node.span.clone(), format!("`{text}` {said}")).hint(hint.to_owned()))
    };
    let (tls, rest) = match text.split_once("://") {
        Some(("http", rest)) => (false, rest),
        Some(("https", rest)) => (true, rest),
        _ => {
            let hint = "write url = \"http://127.0.0.1:8080\" or \"https://127.0.0.1:8443\"";
            return wrong("is not an address of HTTP", hint);
        }
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if !path.is_empty() {
        return wrong(
            "has a path",
            "write the path as `path` of the file: it is the same for all arms",
        );
    }
    let default = if tls { "443" } else { "80" };
    let (name, port) = host.split_once(':').unwrap_or((host, default));
    let address = match name {
        "localhost" => Some(Ipv4Addr::LOCALHOST),
        name => name.parse().ok(),
    };
    match (address, port.parse()) {
        (Some(address), Ok(port)) if address.is_loopback() => Ok(Origin {
            address: (address, port).into(),
            tls,
        }),
        _ => wrong(
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
