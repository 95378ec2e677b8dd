//! [`HostUrl`]: another machine on which the server of an arm runs, reached by ssh.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// A machine such as `ssh://user@box:22`. User and port are those of the ssh configuration where they are left out.
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
        is_right.then(|| Self {
            destination: destination.to_owned(),
            port,
        })
    }
}

/// What is known about another host and the link to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Its address: `ssh://user@box`.
    pub url: String,
    /// The architecture of its processors: `x86_64`.
    pub architecture: String,
    /// The model of its processors.
    pub processor: String,
    /// How many of them it has.
    pub cpus: u32,
    /// The release of its kernel.
    pub kernel: String,
    /// By how much its wall clock is ahead of ours, in nanoseconds. It is only reported: nothing is computed from it.
    pub clock_ahead_ns: i64,
    /// The largest error of that.
    pub clock_error: Nanos,
    /// The shortest round trip of a byte on a connection like those of the load.
    pub round_trip: Nanos,
    /// What the host can send on such a connection, in bits per second.
    pub rate: f64,
}

impl HostFacts {
    /// The facts for the fingerprint, each with its name.
    pub fn named(&self) -> [(&'static str, String); 4] {
        let millis = |nanos: f64| nanos / 1e6;
        [
            ("host", self.url.clone()),
            (
                "host/machine",
                format!(
                    "{}, {} x {}, {}",
                    self.architecture, self.cpus, self.processor, self.kernel
                ),
            ),
            (
                "host/link",
                format!(
                    "round trip {:.3} ms, {:.0} Mbit/s from there",
                    millis(self.round_trip.0 as f64),
                    self.rate / 1e6
                ),
            ),
            (
                "host/clock",
                format!(
                    "{:+.3} ms ± {:.3} ms",
                    millis(self.clock_ahead_ns as f64),
                    millis(self.clock_error.0 as f64)
                ),
            ),
        ]
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
}
