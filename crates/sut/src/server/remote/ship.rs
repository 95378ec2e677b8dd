//! Puts prony and the files of a server on another host.

use super::order::{self, refusal};
use super::piece::Piece;
use super::shell::{PATIENCE, Shell};
use super::{Link, speed};
use crate::error::{Error, HostTrouble};
use crate::programs::spec::ServerSpec;
use crate::server::attach::ProcessAt;
use crate::tools::jdk::Jdk;
use ask::host::HostUrl;
use record::host_facts::HostFacts;
use record::step::Step;
use std::env;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Another host that has everything that a server needs.
#[derive(Clone, Debug)]
pub struct Host {
    pub(super) shell: Shell,
    /// The server with the places of its files there.
    pub(super) spec: ServerSpec,
    /// The process of a server that runs already there.
    pub(super) process: Option<ProcessAt>,
    /// The place of the profiler's library there.
    pub(super) profiler: Option<PathBuf>,
    /// What is known about the host and the link to it.
    pub facts: HostFacts,
    /// Its address on the way that the load takes; `None` where its server runs already and has an address of its own.
    pub address: Option<IpAddr>,
}

impl Host {
    /// Sends what the host does not have yet, makes sure that it can run the server, and measures the link to it. The JDK of `spec`
    /// becomes the one there. Of a server that runs already there, `process` says which process it is, and the link to it is that of its own
    /// address, which is not measured. `profiler` is the
    /// library of the profiler, where one is needed there; `known` is the same host with another server, whose link was measured.
    pub fn prepare(
        url: &HostUrl,
        spec: &mut ServerSpec,
        process: Option<ProcessAt>,
        profiler: Option<&Path>,
        known: Option<&Self>,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        let mut host = Self {
            shell: Shell::new(url),
            spec: spec.clone(),
            process,
            profiler: None,
            facts: HostFacts::default(),
            address: None,
        };
        if let Some(trouble) = refusal(spec) {
            return Err(host.shell.error(trouble));
        }
        let there = host.shell.run("uname -m", &[])?.trim().to_owned();
        let is_like_here = there == env::consts::ARCH;
        let program = Piece::named(&host.shell.program_for(&there)?, "prony")?;
        host.shell.program.clone_from(&program.hash);
        if !is_like_here && order::has_native_files(spec) {
            return Err(host.shell.error(HostTrouble::ForeignProgram { there }));
        }
        let mut pieces = order::pack(&mut host.spec)?;
        if let Some(library) = profiler.filter(|_| is_like_here) {
            host.profiler = Some(order::place(Piece::of(library)?, &mut pieces).into());
        }
        pieces.insert(0, program);
        host.shell.send_missing(&pieces, on_step)?;
        let link = Link::open(&host)?;
        let hello = link.hello();
        if hello.protocol != super::wire::VERSION {
            return Err(host.shell.error(HostTrouble::Strange));
        }
        match jdk_like(&spec.jdk, &hello.jdks) {
            Some(jdk) => spec.jdk = jdk.clone(),
            None if spec.program.is_java() => {
                let mut found: Vec<u32> = hello.jdks.iter().map(|jdk| jdk.major).collect();
                found.dedup();
                return Err(host.shell.error(HostTrouble::NoJava { release: spec.jdk.major, found }));
            }
            None => {}
        }
        // What has no JVM of ours has no options of ours either.
        let limit = spec.surroundings.limits.cpus.map(|cpus| cpus.0.ceil() as u32);
        let cpus = limit.map_or(hello.cpus, |limit| limit.clamp(1, hello.cpus));
        spec.jvm.processors = spec.jvm.processors.map(|_| cpus);
        host.spec.jdk.clone_from(&spec.jdk);
        host.spec.jvm.clone_from(&spec.jvm);
        (host.facts, host.address) =
            match known.filter(|known| known.process.is_some() == host.process.is_some()) {
                Some(known) => (known.facts.clone(), known.address),
                None => facts(&host, &link, there)?,
            };
        Ok(host)
    }

    pub(super) fn serve_command(&self) -> Command {
        let script = self.shell.prony_script("__host");
        self.shell.command(&script, PATIENCE)
    }
}

/// What is known about a host of this architecture, and the link to it.
fn facts(host: &Host, link: &Link, architecture: String) -> Result<(HostFacts, Option<IpAddr>), Error> {
    let hello = link.hello();
    let clock = link.clock()?;
    let speed = host.process.is_none().then(|| speed::measure(link)).transpose()?;
    let facts = HostFacts {
        url: host.shell.url.to_string(),
        architecture,
        processor: hello.processor,
        cpus: hello.cpus,
        kernel: hello.kernel,
        clock_ahead_ns: clock.ahead,
        clock_error: clock.error,
        round_trip: speed.map(|speed| speed.round_trip),
        rate: speed.map(|speed| speed.rate),
    };
    Ok((facts, speed.map(|speed| speed.address)))
}

/// The JDK there that takes the place of one that was chosen here: the same, else the newest of its release.
fn jdk_like<'a>(chosen: &Jdk, there: &'a [Jdk]) -> Option<&'a Jdk> {
    let same = |jdk: &&Jdk| jdk.version == chosen.version && jdk.vendor == chosen.vendor;
    let of_release = || there.iter().rfind(|jdk| jdk.major == chosen.major);
    there.iter().rfind(same).or_else(of_release)
}
