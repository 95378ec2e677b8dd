//! [`ArmHost`]: another machine on which the server of an arm runs, reached by ssh.

use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::slip::ArmSlip;
use serde::{Deserialize, Serialize};

/// A machine such as `ssh://user@box:22`. Where user or port is left out, the ssh configuration decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct HostUrl {
    /// `user@box` or `box`, as ssh takes it.
    pub destination: String,
    /// The port of its ssh server.
    pub port: Option<u16>,
}

impl std::fmt::Display for HostUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ssh://{}", self.destination)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl From<HostUrl> for String {
    fn from(host: HostUrl) -> Self {
        host.to_string()
    }
}

impl TryFrom<String> for HostUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or(text)
    }
}

impl HostUrl {
    /// Reads `ssh://[USER@]BOX[:PORT]`; `None` for anything else. Names that ssh could take for an option are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("ssh://")?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (destination, port) = match rest.split_once(':') {
            Some((destination, port)) => (destination, Some(port.parse().ok().filter(|port| *port > 0)?)),
            None => (rest, None),
        };
        let is_name = |name: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain)
        };
        let is_right = match destination.split_once('@') {
            Some((user, host)) => is_name(user) && is_name(host),
            None => is_name(destination),
        };
        is_right.then(|| Self { destination: destination.to_owned(), port })
    }
}

/// The machine on which an arm runs: an address, or a name whose address the command line gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ArmHost {
    /// The name in the file: `arm64`.
    pub name: Option<String>,
    /// The address; `None` for a name to which nobody has given one.
    pub url: Option<HostUrl>,
}

/// What stands for this machine, where the file names another one for all arms.
const HERE: &str = "here";

impl ArmHost {
    /// Reads the key `host` of an arm or a file; `None` for this machine.
    pub(crate) fn read(node: &Node) -> Result<Option<Self>, Diagnostic> {
        let text = node.text()?;
        if text == HERE {
            return Ok(None);
        }
        let refused = |text: &str| node.refuse(ArmSlip::NotAHost(text.to_owned()));
        match Self::parse(text) {
            Some(host) if !text.contains('=') => Ok(Some(host)),
            _ => Err(refused(text)),
        }
    }

    /// Reads `ssh://box`, `arm64` or `arm64=ssh://box`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(url) = HostUrl::parse(text) {
            return Some(Self { name: None, url: Some(url) });
        }
        let (name, url) = match text.split_once('=') {
            Some((name, url)) => (name, Some(HostUrl::parse(url)?)),
            None => (text, None),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_name = !name.is_empty() && name != HERE && name.chars().all(is_plain);
        is_name.then(|| Self { name: Some(name.to_owned()), url })
    }

    /// Whether it is a name to which nobody has given an address.
    pub const fn is_unknown(&self) -> bool {
        self.url.is_none()
    }

    /// The host as it was asked for: another machine of the same name is the same question.
    pub(crate) fn as_asked(&self) -> Self {
        Self { url: self.url.clone().filter(|_| self.name.is_none()), ..self.clone() }
    }
}

impl std::fmt::Display for ArmHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.name, &self.url) {
            (Some(name), Some(url)) => write!(f, "{name}={url}"),
            (Some(name), None) => f.write_str(name),
            (None, url) => url.iter().try_for_each(|url| url.fmt(f)),
        }
    }
}

impl From<ArmHost> for String {
    fn from(host: ArmHost) -> Self {
        host.to_string()
    }
}

impl TryFrom<String> for ArmHost {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_as_it_is_written_and_options_are_refused() {
        for text in ["ssh://box", "ssh://me@box.example", "ssh://me@10.0.0.2:2222"] {
            assert_eq!(HostUrl::parse(text).map(String::from).as_deref(), Some(text));
        }
        let wrong = [
            "box",
            "ssh://",
            "ssh://-oProxyCommand=x",
            "ssh://me@-v",
            "ssh://box:0",
            "ssh://a b",
            "ssh://box:x",
        ];
        for text in wrong {
            assert_eq!(HostUrl::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_host_may_have_a_name_whose_address_is_not_part_of_the_question() {
        for text in ["ssh://box", "arm64", "arm64=ssh://me@box"] {
            assert_eq!(ArmHost::parse(text).map(String::from).as_deref(), Some(text));
        }
        for text in ["here", "", "a b", "arm64=box", "=ssh://box"] {
            assert_eq!(ArmHost::parse(text), None, "{text}");
        }
        let asked = |text| ArmHost::parse(text).map(|host| host.as_asked().to_string());
        assert_eq!(asked("arm64=ssh://box").as_deref(), Some("arm64"));
        assert_eq!(asked("ssh://box").as_deref(), Some("ssh://box"));
    }
}
