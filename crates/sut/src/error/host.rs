//! What can go wrong with a server on another host.

use model::units::Bytes;
use std::env::consts::ARCH;
use std::net::IpAddr;

/// Another host cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("host {host}: {trouble}")]
pub struct HostError {
    /// Its address, as the arm names it.
    pub host: String,
    pub trouble: HostTrouble,
}

/// What is wrong with another host.
#[derive(Debug, thiserror::Error)]
pub enum HostTrouble {
    /// It is a name, and nobody has given its address.
    #[error("its address was not given")]
    NotGiven,
    /// A command over ssh failed.
    #[error("ssh failed: {said}")]
    Ssh {
        /// In what.
        kind: SshTrouble,
        said: String,
    },
    /// Its processors are of another architecture than those here, and there is no prony for it.
    #[error("it is {there}, and this prony is for {ARCH}")]
    OtherArchitecture {
        /// Its architecture.
        there: String,
    },
    /// Its processors are of another architecture than a program that the server needs.
    #[error("it is {there}, and the arm needs a program or library for {ARCH}")]
    ForeignProgram {
        /// Its architecture.
        there: String,
    },
    /// Its disk is too full.
    #[error("its disk has no room for the files of the server: {needed} are needed, {free} are free")]
    DiskFull {
        /// The size of the file or folder that did not fit.
        needed: Bytes,
        /// What is free.
        free: Bytes,
    },
    /// It has no Java of the release that the arm runs on.
    #[error("it has {}", no_java(*.release, .found))]
    NoJava {
        /// The release that is needed.
        release: u32,
        /// The releases that it has.
        found: Vec<u32>,
    },
    /// The arm runs in a container.
    #[error("containers run on this machine only")]
    Container,
    /// The experiment has a link of its own.
    #[error("a `[link]` is between processes of this machine, and the way to another host is a real one")]
    Link,
    /// The servers there cannot be reached.
    #[error("its servers cannot be reached at {address}: {why}")]
    Unreachable {
        /// The address at which ssh reaches the host.
        address: IpAddr,
        /// What the system said.
        why: String,
    },
    /// What answers there is not the prony that was put there.
    #[error("the program there gave an answer that this prony does not understand")]
    Strange,
    /// The connection has ended.
    #[error("the connection was cut")]
    Cut,
    /// The prony there could not do what it was asked for.
    #[error("{message}")]
    Failed {
        message: String,
        /// What it said that one can do.
        hint: Option<String>,
        /// The end of the log of the server.
        log: Vec<String>,
    },
}

/// In what ssh failed, as its messages show it. They are English in every language of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SshTrouble {
    /// There is no ssh on this machine.
    NoSsh,
    /// Nobody knows the name of the host.
    Name,
    /// Nobody answers at its address and port.
    Silence,
    /// Its key is not known, or has changed.
    Key,
    /// It lets us not in.
    Login,
    /// The program that was started there failed.
    Program,
}

impl SshTrouble {
    /// The trouble that a message of ssh tells of.
    pub(crate) fn of(said: &str) -> Self {
        let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
        let silences = [
            "Connection refused",
            "No route to host",
            "timed out",
            "Network is unreachable",
        ];
        match said {
            _ if says(&["Could not resolve hostname"]) => Self::Name,
            _ if says(&silences) => Self::Silence,
            _ if says(&["Host key verification failed", "IDENTIFICATION HAS CHANGED"]) => Self::Key,
            _ if says(&["Permission denied (", "Too many authentication failures"]) => Self::Login,
            _ => Self::Program,
        }
    }

    /// What to do about it.
    const fn hint(self) -> &'static str {
        match self {
            Self::NoSsh => "install an ssh client; Debian's package is openssh-client",
            Self::Name => "check the name of the host, or give it an address in ~/.ssh/config",
            Self::Silence => {
                "check that the machine is on, that its sshd listens at this port, and that no firewall is in the way"
            }
            Self::Key => "log in there once by hand with ssh, and check the key of the host",
            Self::Login => {
                "ssh must be able to log in there without a password: ssh -o BatchMode=yes HOST true shows whether it can"
            }
            Self::Program => {
                "log in there with ssh, and look whether its shell, its home folder and tar are in order"
            }
        }
    }
}

fn no_java(release: u32, found: &[u32]) -> String {
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    match found.as_slice() {
        [] => format!("no JDK at all, and the arm runs on JDK {release}"),
        found => format!("JDK {}, and the arm runs on JDK {release}", found.join(", ")),
    }
}

impl HostError {
    /// Whether the connection has ended, so that another start may go well.
    pub const fn is_cut(&self) -> bool {
        matches!(self.trouble, HostTrouble::Cut)
    }

    /// What to do about it.
    pub(super) fn hint(&self) -> Option<String> {
        let text = match &self.trouble {
            HostTrouble::NotGiven => return Some(format!("give it: --host {}=ssh://USER@BOX", self.host)),
            HostTrouble::Ssh { kind, .. } => kind.hint(),
            HostTrouble::OtherArchitecture { there } => {
                return Some(format!(
                    "build prony for {there}, and put it beside this one as prony-{there}"
                ));
            }
            HostTrouble::ForeignProgram { .. } => {
                "take `package = \"native\"` or the connector with tcnative out of the arm, or its `host`"
            }
            HostTrouble::DiskFull { .. } => {
                "make room there; nothing half written was kept, and what prony has put there before is in ~/.cache/prony/host"
            }
            HostTrouble::NoJava { release, .. } => {
                return Some(format!(
                    "install JDK {release} there, or give the arms a `jdk` that both machines have"
                ));
            }
            HostTrouble::Container => "take `container` or the image out of the arm, or its `host`",
            HostTrouble::Link => "take `[link]` out of the file, or `host` out of its arms",
            HostTrouble::Unreachable { .. } => {
                "ssh comes through, so a firewall may be in the way: open the ports from 10240 up to this machine"
            }
            HostTrouble::Strange => "remove the folder ~/.cache/prony/host there, and run this again",
            HostTrouble::Cut => {
                "the server there ends by itself within ten seconds; run this again when the machine and the network are up"
            }
            HostTrouble::Failed { hint, .. } => return hint.clone(),
        };
        Some(text.to_owned())
    }

    /// The end of the log of the server there.
    pub(super) fn log(&self) -> &[String] {
        match &self.trouble {
            HostTrouble::Failed { log, .. } => log,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ssh_says_tells_what_to_do() {
        let said = [
            (
                "ssh: Could not resolve hostname bxo: Name or service not known",
                SshTrouble::Name,
            ),
            (
                "ssh: connect to host 10.0.0.2 port 22: Connection refused",
                SshTrouble::Silence,
            ),
            (
                "ssh: connect to host 10.0.0.2 port 22: Connection timed out",
                SshTrouble::Silence,
            ),
            (
                "No ED25519 host key is known for box.\nHost key verification failed.",
                SshTrouble::Key,
            ),
            ("me@box: Permission denied (publickey).", SshTrouble::Login),
            (
                "mkdir: cannot create directory: Permission denied",
                SshTrouble::Program,
            ),
        ];
        for (said, kind) in said {
            assert_eq!(SshTrouble::of(said), kind, "{said}");
        }
    }

    #[test]
    fn the_jdks_of_a_host_are_named() {
        let said = |found: &[u32]| {
            let found = found.to_vec();
            HostTrouble::NoJava { release: 25, found }.to_string()
        };
        assert_eq!(said(&[]), "it has no JDK at all, and the arm runs on JDK 25");
        assert_eq!(said(&[11, 17]), "it has JDK 11, 17, and the arm runs on JDK 25");
    }
}
