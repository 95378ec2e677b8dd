//! [`Network`]: a link of their own between the load and the servers: two network namespaces and a pair of virtual
//! interfaces that joins them.
//!
//! Servers listen on 127.0.0.1, as anywhere else, and no server has to be told anything. What differs is where that address
//! is: the load's namespace has no loopback, and its route to 127.0.0.1 leads over the link. (The kernel drops such packets
//! unless `route_localnet` allows them.) A server and its services talk over the loopback of theirs, beside the link.
//!
//! Nothing can be left behind: each namespace is held by a sleeping process under guard, which dies with prony, and the
//! kernel removes a namespace with its interfaces and settings when the last process in it has ended. So there is no name
//! that two pronies could both want, and nothing to clean.

use crate::error::Error;
use crate::files::work::WorkFolder;
use crate::tools::site::Site;
use crate::tools::tool::{self, Group};
use model::link::Link;
use model::units::BitRate;
use rustix::process::geteuid;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The interface at either end.
const INTERFACE: &str = "wire";
/// Addresses that nobody has (RFC 5737, TEST-NET-1): the load's, and that of the servers' end.
const LOAD: &str = "192.0.2.1";
const SERVERS: &str = "192.0.2.2";
/// What a router keeps for a busy link: the kernel's usual 1,000 packets of an interface.
const QUEUE: u64 = 1000 * 1514;
/// The bucket holds what passes in so many milliseconds, so that the rate is kept finely …
const BURST_MS: u64 = 2;
/// … but at least some packets: less would keep the link below its rate.
const LEAST_BURST: u64 = 10 * 1514;
/// What each of the commands has; they take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// The namespaces of one run. They go when this is dropped and nobody is in them any more.
#[derive(Debug)]
pub struct Network {
    load: Namespace,
    servers: Namespace,
    link: Link,
}

/// A network namespace and the process that keeps it.
#[derive(Debug)]
struct Namespace {
    file: File,
    holder: Group,
}

/// A thread that is in another namespace, until this is dropped. What it starts, threads and processes, stays there.
#[derive(Debug)]
#[must_use]
pub struct Entered {
    before: File,
}

impl Network {
    /// Whether a link can be had here; asked before anything is downloaded.
    pub fn check() -> Result<(), Error> {
        if !geteuid().is_root() {
            return Err(Error::NoNetwork {
                why: "only root may make network namespaces".to_owned(),
            });
        }
        for (program, package) in [("unshare", "util-linux"), ("ip", "iproute2"), ("tc", "iproute2")] {
            if tool::find(Path::new(program)).is_none() {
                return Err(Error::NoProgram {
                    what: "the link".to_owned(),
                    program: program.to_owned(),
                    package: Some(package.to_owned()),
                });
            }
        }
        Ok(())
    }

    /// Makes the namespaces and the link between them.
    pub fn lay(link: &Link, site: &Site, stop: &AtomicBool) -> Result<Self, Error> {
        Self::check()?;
        let network = Self {
            load: Namespace::hold(site, stop)?,
            servers: Namespace::hold(site, stop)?,
            link: link.clone(),
        };
        let work = WorkFolder::create(&site.cache, 0)?;
        let run = |namespace: &Namespace, command: &str| namespace.run(command, (site, &work), stop);
        let other = network.servers.holder.id();
        run(
            &network.load,
            &format!("ip link add name {INTERFACE} type veth peer name {INTERFACE} netns {other}"),
        )?;
        run(&network.servers, "ip link set lo up")?;
        let ends = [
            (&network.load, LOAD, "127.0.0.1"),
            (&network.servers, SERVERS, LOAD),
        ];
        for (end, own, other) in ends {
            end.set("conf/all/route_localnet", "1")?;
            run(end, &format!("ip address add {own}/32 dev {INTERFACE}"))?;
            run(end, &format!("ip link set {INTERFACE} up"))?;
            run(end, &format!("ip route add {other} dev {INTERFACE} src {own}"))?;
            if let Some(rate) = link.rate {
                run(end, &shaped(rate))?;
            }
        }
        if let Some(ports) = &link.local_ports {
            let range = format!("{} {}", ports.start(), ports.end());
            network.load.set("ip_local_port_range", &range)?;
        }
        Ok(network)
    }

    /// Takes this thread to where the load is, from where 127.0.0.1 is at the other end of the link.
    pub fn enter(&self) -> Result<Entered, Error> {
        self.load.enter()
    }

    /// Takes this thread to where the servers are.
    pub fn enter_servers(&self) -> Result<Entered, Error> {
        self.servers.enter()
    }

    /// What it is, for the fingerprint.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let rate = self
            .link
            .rate
            .map_or("unlimited".to_owned(), |rate| rate.to_string());
        let ports = self.link.local_ports.as_ref();
        let ports = ports.map(|ports| format!("{}-{}", ports.start(), ports.end()));
        let facts = [("link/rate", Some(rate)), ("link/local_ports", ports)];
        facts
            .into_iter()
            .filter_map(|(what, value)| Some((what.to_owned(), value?)))
            .collect()
    }
}

/// Does something where the servers are: behind the link, if there is one.
pub(crate) fn among_servers<T>(
    network: Option<&Network>,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let _there = network.map(Network::enter_servers).transpose()?;
    work()
}

/// A token bucket: what is too much for the rate waits in its queue, and is dropped when that is full.
fn shaped(rate: BitRate) -> String {
    let burst = (rate.0 / 8 * BURST_MS / 1000).max(LEAST_BURST);
    let bits = rate.0;
    format!(
        "tc qdisc replace dev {INTERFACE} root tbf rate {bits}bit burst {burst} limit {}",
        QUEUE + burst
    )
}

impl Namespace {
    /// Makes one and waits until it is there.
    fn hold(site: &Site, stop: &AtomicBool) -> Result<Self, Error> {
        let mut command = site.guard.command("unshare");
        command.args(["--net", "sleep", "infinity"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command
            .spawn()
            .map_err(|error| Error::io("start", command.get_program(), error))?;
        let mut holder = Group::new(child);
        let path = PathBuf::from(format!("/proc/{}/ns/net", holder.id()));
        let read = |path: &Path| fs::read_link(path).ok();
        let ours = read(Path::new(OWN));
        let began = Instant::now();
        // The guard becomes unshare, which becomes sleep: one process, whose namespace changes in between.
        while read(&path).is_none_or(|its| Some(its) == ours) {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let ended = holder
                .ended()?
                .map(|status| format!("unshare ended with {status}"));
            let late = (began.elapsed() > PATIENCE).then(|| "unshare makes no namespace".to_owned());
            if let Some(why) = ended.or(late) {
                return Err(Error::NoNetwork { why });
            }
            sleep(Duration::from_millis(1));
        }
        let file = File::open(&path).map_err(|error| Error::io("open", &path, error))?;
        Ok(Self { file, holder })
    }

    fn enter(&self) -> Result<Entered, Error> {
        let own = Path::new(OWN);
        let before = File::open(own).map_err(|error| Error::io("open", own, error))?;
        go(&self.file).map_err(|error| Error::NoNetwork {
            why: error.to_string(),
        })?;
        Ok(Entered { before })
    }

    /// Runs a command in it, whose words have no spaces.
    fn run(&self, command: &str, (site, work): (&Site, &WorkFolder), stop: &AtomicBool) -> Result<(), Error> {
        let mut words = command.split(' ');
        let mut guarded = site.guard.command(words.next().unwrap_or_default());
        guarded.args(words);
        let _there = self.enter()?;
        let finished = tool::run(guarded, work, stop, Some(PATIENCE))?;
        if finished.status.success() {
            return Ok(());
        }
        Err(Error::NoNetwork {
            why: format!("`{command}`: {}", finished.output.trim()),
        })
    }

    /// Sets one of its parameters of IPv4, which the kernel shows each namespace by itself.
    fn set(&self, name: &str, value: &str) -> Result<(), Error> {
        let _there = self.enter()?;
        let path = Path::new("/proc/sys/net/ipv4").join(name);
        fs::write(&path, value).map_err(|error| Error::io("write", &path, error))
    }
}

/// The namespace that this thread is in.
const OWN: &str = "/proc/thread-self/ns/net";

fn go(namespace: &File) -> rustix::io::Result<()> {
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
}

impl Drop for Entered {
    fn drop(&mut self) {
        // We came from there as root, and root we are.
        let _ = go(&self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_two_milliseconds_or_some_packets() {
        assert_eq!(
            shaped(BitRate(45_000_000)),
            "tc qdisc replace dev wire root tbf rate 45000000bit burst 15140 limit 1529140"
        );
        assert!(shaped(BitRate(1_000_000_000)).contains("burst 250000 "));
    }
}
