//! The bench: every arm fetched, built and resolved, ready to be started as often as a round asks for it.

use crate::deployment::{self, Parts, Setting, expected};
use crate::error::{Error, at};
use crate::jdks::{self, jvm};
use crate::setup;
use crate::users_own;
use load::{RequestBuilder, Url};
use model::arm::Arm;
use model::available::Available;
use model::experiment::Experiment;
use model::outcome::Effective;
use model::plan::{Order, Request, Tls, Trust};
use model::service::Service;
use model::step::Step;
use model::units::Bytes;
use probe::host;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sut::{
    App, Catalog, Certificate, Entered, Expected, Inspector, Network, Program, Release, Server, ServerSpec,
    Site, Surroundings, WorkFolder,
};

/// Every arm of an experiment, resolved.
#[derive(Debug)]
pub struct Bench {
    site: Site,
    arms: Vec<Resolved>,
    /// The link between the load and the servers, where it is not the loopback.
    network: Option<Arc<Network>>,
}

/// One arm, ready to be started.
#[derive(Debug)]
struct Resolved {
    name: String,
    /// Where its server comes from.
    origin: String,
    /// What that is put together from.
    parts: Vec<(String, String)>,
    spec: ServerSpec,
}

impl Bench {
    /// What can be asked for; plain data, without I/O.
    pub fn known() -> Available {
        let catalog = Catalog::embedded();
        Available {
            servers: catalog.known(),
            apps: App::known(),
            kinds: catalog.kinds(),
            built_in: sut::catalog::services(),
            abilities: catalog.abilities(),
            ..Available::default()
        }
    }

    /// Fetches, builds and resolves what the experiment needs; `tell` hears what takes time. Also removes what earlier,
    /// killed runs left behind.
    pub fn prepare(
        experiment: &Experiment,
        site: Site,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        if let Some(memory) = host::memory() {
            fits(experiment, Bytes(memory))?;
        }
        sut::work::clean(&site.cache).map_err(Box::new)?;
        check(experiment, &site)?;
        let app = App::find(&experiment.workload.app).map_err(Box::new)?;
        let answer = app
            .answer(&experiment.workload.path)
            .unwrap_or_else(|| app.default_answer().clone());
        let catalog = Catalog::embedded();
        let of_arm = |arm: &Arm| match (&arm.command, &arm.jar) {
            _ if arm.origin.is_some() => Ok(None),
            (Some(_), _) => Ok(None),
            (None, Some(own)) => sut::jar::release(&own.path).map(Some).map_err(at(arm)),
            (None, None) => {
                let release = catalog.release(&arm.server, &arm.version);
                release.cloned().map(Some).map_err(at(arm))
            }
        };
        let releases = experiment
            .arms
            .iter()
            .map(of_arm)
            .collect::<Result<Vec<_>, _>>()?;
        let setting = Setting { site: &site, stop };
        let jdks = jdks::choose(experiment, &releases, setting, tell)?;
        let versions: Vec<String> = jdks.iter().map(|jdk| jdk.version.clone()).collect();
        setup::check(experiment, &versions)?;
        let network = network(experiment, &site, stop)?;
        let mut arms = Vec::new();
        for ((arm, release), jdk) in experiment.arms.iter().zip(&releases).zip(jdks) {
            let spec = match release {
                Some(release) => {
                    let answer = expected(arm, &experiment.workload, &answer, tell);
                    let parts = Parts {
                        arm,
                        release,
                        app: &app,
                        jdk: &jdk,
                    };
                    resolve(&parts, answer, setting, tell)
                }
                None => users_own::resolve(arm, jdk, &experiment.workload, tell),
            };
            let mut spec = spec.map_err(at(arm))?;
            spec.surroundings = surroundings(arm, &experiment.services, network.clone());
            arms.push(Resolved {
                name: arm.name.clone(),
                origin: release
                    .as_ref()
                    .map_or_else(|| users_own::origin(arm), Release::origin),
                parts: release.as_ref().map(Release::parts).unwrap_or_default(),
                spec,
            });
        }
        Ok(Self { site, arms, network })
    }

    /// What runs in each arm, for the fingerprint.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::new();
        for Resolved {
            name,
            origin,
            parts,
            spec,
        } in &self.arms
        {
            let mut put = |what: &str, value: String| facts.insert(format!("arm/{name}/{what}"), value);
            put("server", format!("{}, {origin}", spec.server));
            put("application", spec.program.fingerprint());
            put("jdk", format!("{} ({})", spec.jdk.version, spec.jdk.vendor));
            put("jvm", spec.jvm.arguments().join(" "));
            for (what, value) in spec.surroundings.facts() {
                put(&what, value);
            }
            for (place, part) in parts {
                put(place, part.clone());
            }
            if let Some(tcnative) = &spec.tcnative {
                let library = tcnative.library.display();
                put("tcnative", format!("{}, {library}", tcnative.version));
            }
        }
        facts
    }

    /// Takes this thread to where the load comes from; `None` where that is where it is.
    pub(crate) fn enter(&self) -> Result<Option<Entered>, Error> {
        let entered = self.network.as_deref().map(Network::enter).transpose();
        Ok(entered.map_err(Box::new)?)
    }

    /// Starts one arm and waits until it answers rightly. The caller's thread must outlive the server.
    pub(crate) fn start(&self, arm: usize, seed: u64, stop: &AtomicBool) -> Result<Server, Error> {
        let Resolved { name, spec, .. } = &self.arms[arm];
        let at_arm = |source| Error::Arm {
            arm: name.clone(),
            source: Box::new(source),
        };
        let work = WorkFolder::create(&self.site.cache, seed).map_err(at_arm)?;
        let guard = &self.site.guard;
        let started = match spec.program {
            // Whichever certificate it has is taken, as under load: nobody gave us another to compare it with.
            Program::Running(origin) => {
                let tls = load::client_config(&Trust::Anyone)?;
                Server::attach(spec, origin, work, guard, tls, stop)
            }
            _ => Server::start(spec, work, guard, stop),
        };
        started.map_err(at_arm)
    }

    /// Settings read off a running server; unknown ones are left open, because a verdict does not hang on them.
    pub(crate) fn effective(&self, server: &Server, stop: &AtomicBool) -> Effective {
        let mut effective = sut::effective(server, &self.site, stop).unwrap_or_default();
        // The kernel's word comes first: it also cuts what the server asked for.
        let listener = probe::listener::Listeners::around(server.pid()).ok();
        let queue = listener.and_then(|mut of| of.accept_queue(server.addr().port()).ok().flatten());
        effective.accept_count = queue
            .map(|queue| u64::from(queue.limit))
            .or(effective.accept_count);
        if let Some(limits) = server.enforced() {
            effective.limited_by = Some(limits.by.clone());
            effective.memory_limit = limits.memory.map(|memory| memory.0);
            effective.cpu_limit = limits.cpus;
        }
        effective
    }

    /// What looks into a running server; `None` where nothing can.
    pub(crate) fn inspector(
        &self,
        server: &Server,
        stop: &AtomicBool,
    ) -> Result<Option<Inspector>, sut::Error> {
        Inspector::attach(server, &self.site, stop)
    }

    /// The requests under load, as bytes, with their right answers, and their order.
    pub(crate) fn requests(server: &Server, experiment: &Experiment) -> Result<(Vec<Request>, Order), Error> {
        let path = &server.spec().loaded().path;
        let scheme = server.encryption().map_or("http", |_| "https");
        let url = Url::parse(&format!("{scheme}://{}{path}", server.addr())).map_err(load::Error::from)?;
        let request = RequestBuilder::new(&url).keep_alive(experiment.load.keepalive);
        if let Some(mix) = &experiment.workload.mix {
            return Ok(load::mixed(&request, mix)?);
        }
        let mut request = request.expect_status(200..=200);
        if let Some(body) = server.body() {
            request = request.expect_body(body);
        }
        Ok((vec![request.build()?], Order::InTurn))
    }

    /// How the load encrypts: as the server does. No other certificate than the one made for it will do; one that ran
    /// already shows whichever it has.
    pub(crate) fn tls(server: &Server) -> Option<Tls> {
        let made = |certificate: &Certificate| Trust::Roots(certificate.pem.clone().into_bytes());
        server.encryption().map(|_| Tls {
            server_name: server.addr().ip().to_string(),
            trust: server.certificate().map_or(Trust::Anyone, made),
            resume: true,
        })
    }

    /// The name of an arm.
    pub(crate) fn name(&self, arm: usize) -> &str {
        &self.arms[arm].name
    }
}

/// Largest share of the memory for heaps: a JVM needs more than its heap, and the generator and the kernel are there too.
const HEAPS: f64 = 0.70;

/// Whether all arms can be up at once.
fn fits(experiment: &Experiment, memory: Bytes) -> Result<(), Error> {
    let heaps: u64 = experiment.arms.iter().map(|arm| arm.heap.0).sum();
    if heaps as f64 <= HEAPS * memory.0 as f64 {
        return Ok(());
    }
    Err(Error::Memory {
        arms: experiment.arms.len(),
        heaps: Bytes(heaps),
        memory,
    })
}

/// Whether what the arms find around them can be had here; asked before anything is downloaded.
fn check(experiment: &Experiment, site: &Site) -> Result<(), Error> {
    if experiment.link.is_some() {
        Network::check().map_err(Box::new)?;
    }
    for arm in &experiment.arms {
        let surroundings = surroundings(arm, &experiment.services, None);
        surroundings.check(site).map_err(at(arm))?;
        users_own::check(arm).map_err(at(arm))?;
    }
    Ok(())
}

/// The link that the file asks for.
fn network(experiment: &Experiment, site: &Site, stop: &AtomicBool) -> Result<Option<Arc<Network>>, Error> {
    let laid = experiment
        .link
        .as_ref()
        .map(|link| Network::lay(link, site, stop));
    Ok(laid.transpose().map_err(Box::new)?.map(Arc::new))
}

fn resolve(
    parts: &Parts<'_>,
    answer: Expected,
    setting: Setting<'_>,
    tell: &mut dyn FnMut(Step),
) -> Result<ServerSpec, sut::Error> {
    let program = deployment::program(parts, setting, tell)?;
    let (arm, release) = (parts.arm, parts.release);
    let mut spec = ServerSpec {
        settings: arm.settings.clone(),
        jvm: jvm(arm),
        port: arm.port,
        ..ServerSpec::new(release.spec(), program, parts.jdk.clone(), answer)
    };
    if spec.needs_tcnative() {
        let home = spec.program.distribution();
        spec.tcnative = Some(sut::tcnative(
            (release, home),
            &spec.jdk,
            setting.site,
            setting.stop,
        )?);
    }
    Ok(spec)
}

/// What an arm finds around it, with the services it names.
fn surroundings(arm: &Arm, services: &[Service], network: Option<Arc<Network>>) -> Surroundings {
    let wanted = &arm.surroundings;
    let named = |name: &String| services.iter().find(|service| service.name == *name).cloned();
    Surroundings {
        limits: wanted.limits,
        services: wanted.services.iter().filter_map(named).collect(),
        environment: wanted.environment.clone(),
        open_files: wanted.open_files,
        network,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;

    #[test]
    fn more_heaps_than_memory_are_refused_with_the_figures() {
        let experiment = experiment();
        let heaps: u64 = experiment.arms.iter().map(|arm| arm.heap.0).sum();
        assert!(fits(&experiment, Bytes(2 * heaps)).is_ok());
        let refused = fits(&experiment, Bytes(heaps)).expect_err("too much");
        assert!(refused.is_a_question() && refused.hint().is_some());
        assert!(refused.to_string().contains("512 MiB"), "{refused}");
    }
}
