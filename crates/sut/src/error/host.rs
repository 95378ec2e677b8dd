//! What can go wrong with a server on another host.

use std::net::IpAddr;

/// Another host cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("host {host}: {trouble}")]
pub struct HostError {
    /// Its address, as the arm names it.
    pub host: String,
    /// What is wrong.
    pub trouble: HostTrouble,
}

/// What is wrong with another host.
#[derive(Debug, thiserror::Error)]
pub enum HostTrouble {
    /// A command over ssh failed; what it said.
    #[error("ssh failed: {0}")]
    Ssh(String),
    /// Its processors are of another architecture than those here.
    #[error("it is {0}, and this prony is for {here}", here = std::env::consts::ARCH)]
    OtherArchitecture(String),
    /// It has no Java of the release that the arm runs on.
    #[error("it has no JDK {release} (found: {found:?})")]
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
        /// What it said.
        message: String,
        /// What it said that one can do.
        hint: Option<String>,
        /// The end of the log of the server.
        log: Vec<String>,
    },
}

impl HostError {
    /// What to do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match &self.trouble {
            HostTrouble::Ssh(text) if text.contains("No space left") => {
                "make room there; nothing half written was kept".to_owned()
            }
            HostTrouble::Ssh(text) if text.contains("Host key") => {
                "log in there once by hand with ssh, and check the key of the host".to_owned()
            }
            HostTrouble::Ssh(_) => {
                "`ssh` must be able to log in there without a password: ssh -o BatchMode=yes HOST true"
                    .to_owned()
            }
            HostTrouble::OtherArchitecture(_) => "run prony on a machine of that architecture".to_owned(),
            HostTrouble::NoJava { release, .. } => {
                format!("install JDK {release} there, or give the arms a `jdk` that both machines have")
            }
            HostTrouble::Container => "take `container` or the image out of the arm, or its `host`".to_owned(),
            HostTrouble::Link => "take `[link]` out of the file, or `host` out of its arms".to_owned(),
            HostTrouble::Unreachable { .. } => {
                "ssh comes through, so a firewall may be in the way: open the ports from 10240 up to this machine".to_owned()
            }
            HostTrouble::Strange => {
                "remove the folder ~/.cache/prony/host there, and run this again".to_owned()
            }
            HostTrouble::Cut => {
                "the server there has been ended; run this again when the network is up".to_owned()
            }
            HostTrouble::Failed { hint, .. } => return hint.clone(),
        })
    }

    /// The end of the log of the server there.
    pub(super) fn log(&self) -> &[String] {
        match &self.trouble {
            HostTrouble::Failed { log, .. } => log,
            _ => &[],
        }
    }
}
