//! [`Bench`]: all arms fetched, built and resolved, so that rounds can start them as often as they need.

mod loads;
mod running;

use crate::containers::Containers;
use crate::deployment::{self, Parts, Tools, expected};
use crate::error::{Error, at};
use crate::hosts;
use crate::isolation::MachineTopology;
use crate::jdks::{self, jvm};
use crate::looks::{CpuProfiler, Looker};
use crate::metrics::Told;
use crate::settings;
use crate::setup;
use crate::user_server;
use crate::way::Way;
use ask::arm::{Arm, HeapSize, Package};
use ask::available::Available;
use ask::build::Build;
use ask::experiment::Experiment;
use ask::observed::FigureSource;
use ask::service::Service;
use load::{Generator, LocalGenerator};
use model::cpus::CpuSplit;
use model::isolation::{Isolation, NotSeparated};
use model::patience::Patience;
use model::units::Bytes;
use probe::host;
use record::native;
use record::outcome::Effective;
use record::step::Step;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sut::remote::Host;
use sut::{
    App, Catalog, Entered, Expected, Files, Jdk, Located, Network, Pins, ProcessAt, Program, Release, Server,
    ServerSpec, ServerSurroundings, Site, WorkFolder, tcnative,
};

/// All arms of an experiment, ready to be started.
#[derive(Debug)]
pub struct Bench {
    site: Site,
    pub(crate) arms: Vec<Resolved>,
    /// The link between the load and the servers; `None` where they use the loopback.
    network: Option<Arc<Network>>,
    /// Which CPUs the generator and the servers use.
    isolation: Isolation,
    /// Who makes the load.
    generator: Arc<dyn Generator>,
    /// How long this machine and the hosts of servers wait for each other.
    patience: Patience,
}

/// One arm, ready to be started.
#[derive(Debug)]
pub(crate) struct Resolved {
    name: String,
    /// Where its server comes from, for the fingerprint.
    origin: String,
    /// How its WAR or jar was built, for the fingerprint; `None` where prony did not build it.
    build: Option<String>,
    /// The native-image that compiled its program, for the fingerprint; `None` where it runs in a JVM or is not ours.
    compiler: Option<String>,
    /// The jars of an assembled server, for the fingerprint: path and checksum.
    parts: Vec<(String, String)>,
    /// The release of its server with the files that it is made of; `None` where the user brings the server.
    made_of: Option<(String, Files)>,
    pub(crate) spec: ServerSpec,
    /// The other machine on which it runs; `None` for this one.
    pub(crate) host: Option<Host>,
    /// The way to a server that runs already.
    pub(crate) way: Way,
    /// The process of such a server on this machine or on its host; `None` where it cannot be seen.
    process: Option<ProcessAt>,
    /// Where such a server tells figures of itself.
    metrics: Option<FigureSource>,
}

impl Bench {
    /// Everything that an experiment can name, as plain data without I/O.
    pub fn known() -> Available {
        let catalog = Catalog::embedded();
        Available {
            servers: catalog.known(),
            apps: App::known(),
            routed: App::routed(),
            deployed: App::deployed(),
            kinds: catalog.kinds(),
            built_in: sut::catalog::services(),
            rules: catalog.all_rules(),
            ..Available::default()
        }
    }

    /// Fetches, builds and resolves what the experiment needs; `on_step` is called before each step that takes time. It
    /// also removes what killed runs left behind. Releases that `pins` names must be made of the files that it names.
    pub fn prepare(
        experiment: &Experiment,
        pins: &Pins,
        site: Site,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Self, Error> {
        if let Some(memory) = host::memory() {
            check_memory(experiment, Bytes(memory))?;
        }
        let isolation = MachineTopology::read().isolation(experiment)?;
        sut::work::clean(&site.cache).map_err(Box::new)?;
        let containers = Containers::prepare(experiment, &site, stop)?;
        check_surroundings(experiment, &site, &containers)?;
        let app = App::find(&experiment.workload.app).map_err(Box::new)?;
        let releases = releases(experiment, pins)?;
        let tools = Tools { site: &site, stop };
        let jdks = jdks::choose(experiment, &releases, tools, on_step)?;
        let versions: Vec<String> = jdks.iter().map(|jdk| jdk.version.clone()).collect();
        setup::check(experiment, &versions)?;
        let profiler = fetch_profiler(experiment, tools, on_step)?;
        let network = create_network(experiment, &site, stop)?;
        let servers = isolation.split.as_ref().map(|split| split.servers.clone());
        let preparation = ArmPreparation {
            experiment,
            pins,
            tools,
            containers: &containers,
            app: &app,
            servers: &servers.unwrap_or_default(),
            network: network.as_ref(),
            profiler: profiler.as_deref(),
        };
        let mut arms = Vec::new();
        for ((arm, release), jdk) in experiment.arms.iter().zip(&releases).zip(jdks) {
            let resolved = preparation.arm(arm, release.as_ref(), jdk, &arms, on_step).map_err(at(arm))?;
            let way = Way::read(&arm.network)
                .map_err(|source| Error::Way { arm: arm.name.clone(), source: Box::new(source) })?;
            arms.push(Resolved { way, ..resolved });
        }
        let bench = Self {
            site,
            arms,
            network,
            isolation,
            generator: Arc::new(LocalGenerator),
            patience: Patience::default(),
        };
        bench.check_metrics()?;
        Ok(bench)
    }

    /// Lets this machine and the hosts of servers wait for each other as long as this, in the place of the usual patience.
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Lets others than this process make the load.
    pub fn loaded_by(self, generator: Arc<dyn Generator>) -> Self {
        Self { generator, ..self }
    }

    /// Who makes the load.
    pub(crate) fn generator(&self) -> &dyn Generator {
        self.generator.as_ref()
    }

    /// The files that the releases of the arms are made of.
    pub fn pins(&self) -> Pins {
        let made_of = self.arms.iter().filter_map(|arm| arm.made_of.clone());
        Pins(made_of.filter(|(_, files)| !files.is_empty()).collect())
    }

    /// What runs in each arm, as facts for the fingerprint.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::new();
        for Resolved { name, origin, build, compiler, parts, spec, host, .. } in &self.arms {
            let mut put = |what: &str, value: String| facts.insert(format!("arm/{name}/{what}"), value);
            put("server", format!("{}, {origin}", spec.server));
            put("application", spec.program.fingerprint());
            if let Some(files) = spec.program.own_files() {
                put("configuration", files);
            }
            for (what, value) in host.iter().flat_map(|host| host.facts.named()) {
                put(what, value);
            }
            if let Some(build) = build {
                put("build", build.clone());
            }
            if let Some(compiler) = compiler {
                put(native::FACT, compiler.clone());
                put("arguments", spec.jvm.native_arguments().join(" "));
            } else {
                put("jdk", format!("{} ({})", spec.jdk.version, spec.jdk.vendor));
                put("jvm", spec.jvm.arguments().join(" "));
            }
            for (what, value) in spec.surroundings.facts() {
                put(&what, value);
            }
            for (place, part) in parts {
                put(place, part.clone());
            }
            // On another machine a server shares its CPUs with no generator.
            if let Some(split) = self.isolation.split.as_ref().filter(|_| host.is_none()) {
                put(CpuSplit::FACT, split.to_string());
            }
            if let Some(why) = self.isolation.shared.filter(|_| host.is_none()) {
                put(NotSeparated::FACT, why.to_string());
            }
            if let Some(tcnative) = &spec.tcnative {
                let library = tcnative.library.display();
                put("tcnative", format!("{}, {library}", tcnative.version));
            }
        }
        facts
    }

    /// Moves this thread into the network namespace of the load; `None` if there is no link.
    pub(crate) fn enter(&self) -> Result<Option<Entered>, Error> {
        let entered = self.network.as_deref().map(Network::enter).transpose();
        Ok(entered.map_err(Box::new)?)
    }

    /// Starts one arm and waits until it gives the right answer. Any thread may do so.
    pub(crate) fn start(&self, arm: usize, seed: u64, stop: &AtomicBool) -> Result<Server, Error> {
        let Resolved { name, spec, host, .. } = &self.arms[arm];
        let at_arm = |source| Error::Arm { arm: name.clone(), source: Box::new(source) };
        let work = WorkFolder::create(&self.site.cache, seed).map_err(at_arm)?;
        let guard = &self.site.guard;
        let started = match &spec.program {
            Program::Running(origin) => {
                let (route, tls) = self.route(arm, origin)?;
                let process = self.arms[arm].process.as_ref();
                let located = Located {
                    origin,
                    address: route.target,
                    server_name: &tls.server_name,
                    process: process.filter(|_| host.is_none()),
                    open_tunnel: &|socket| route.open_tunnel(socket),
                };
                let attached = Server::attach(spec, located, work, guard, load::client_config(&tls)?, stop);
                match host {
                    Some(host) => attached.and_then(|server| server.seen_from(host, self.patience, stop)),
                    None => attached,
                }
            }
            _ => match host {
                Some(host) => Server::start_at(host, spec, work, guard, self.patience, stop),
                None => Server::start(spec, work, guard, stop),
            },
        };
        started.map_err(at_arm)
    }

    /// Stops a server of an arm.
    pub(crate) fn stop(&self, arm: usize, server: Server) -> Result<(), Error> {
        let at_arm = |source| Error::Arm { arm: self.name(arm).to_owned(), source: Box::new(source) };
        server.stop().map_err(at_arm)
    }

    /// The settings in effect of the running server of an arm. Unreadable ones stay unknown, because no verdict depends on them.
    pub(crate) fn effective(&self, arm: usize, server: &Server, stop: &AtomicBool) -> Effective {
        if let Some(source) = self.metrics(arm).filter(|_| !server.is_seen()) {
            let text = source.now().unwrap_or_default();
            return Told::parse(&text).effective();
        }
        settings::in_effect(server, &self.site, stop)
    }

    /// An inspector of a running server; `None` where none can attach.
    pub(crate) fn inspector(&self, server: &Server, stop: &AtomicBool) -> Result<Option<Looker>, Error> {
        Looker::attach(server, &self.site, stop)
    }

    /// A profiler within the JVM of a server; `None` where there is none for it.
    pub(crate) fn profiler(&self, server: &Server, stop: &AtomicBool) -> Result<Option<CpuProfiler>, Error> {
        CpuProfiler::attach(server, &self.site, stop)
    }

    /// The CPUs on which the event loops of the generator stay; empty where they share all with the servers.
    pub(crate) fn generator_cpus(&self) -> &[usize] {
        self.isolation.split.as_ref().map_or(&[], |split| &split.generator)
    }

    /// The name of an arm.
    pub(crate) fn name(&self, arm: usize) -> &str {
        &self.arms[arm].name
    }
}

/// What all arms are prepared with.
struct ArmPreparation<'a> {
    experiment: &'a Experiment,
    pins: &'a Pins,
    tools: Tools<'a>,
    containers: &'a Containers<'a>,
    app: &'a App,
    /// The CPUs of the servers; empty where they share all with the generator.
    servers: &'a [usize],
    network: Option<&'a Arc<Network>>,
    /// The library of the profiler, where CPU time is profiled.
    profiler: Option<&'a Path>,
}

impl ArmPreparation<'_> {
    /// Fetches, builds and resolves an arm; `known` are the arms before it.
    fn arm(
        &self,
        arm: &Arm,
        release: Option<&Release>,
        jdk: Jdk,
        known: &[Resolved],
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Resolved, sut::Error> {
        let mut spec = self.spec(arm, release, jdk, on_step)?;
        spec.surroundings = surroundings(arm, &self.experiment.services, self.network.cloned());
        spec.surroundings.service_containers = self.containers.services(arm, &self.experiment.services)?;
        spec.surroundings.cpus = self.servers.to_vec();
        spec.surroundings.container = self.containers.of_arm(arm, &spec);
        let compiler = compiler(arm, self.tools)?;
        let mut resolved = Resolved::new(arm, release, spec, self.pins, self.tools.site)?;
        resolved.process = running::process_of(arm, self.tools.site)?;
        resolved.metrics.clone_from(&arm.observed.metrics);
        let known = known.iter().filter_map(|arm| arm.host.as_ref());
        let process = resolved.process.as_ref();
        resolved.host = hosts::place(arm, &mut resolved.spec, process, self.profiler, known, on_step)?;
        Ok(Resolved { compiler, ..resolved })
    }

    /// What its server is started with, without its surroundings.
    fn spec(
        &self,
        arm: &Arm,
        release: Option<&Release>,
        jdk: Jdk,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<ServerSpec, sut::Error> {
        let workload = &self.experiment.workload;
        let Some(release) = release else {
            let mut spec = user_server::resolve(arm, jdk, workload, self.containers, on_step)?;
            spec.settings.http = arm.settings.http;
            return Ok(spec);
        };
        let known = self.app.answer_or_default(workload.path_of(arm));
        let answer = expected(arm, workload, &known, on_step);
        let parts = Parts { arm, release, app: self.app, jdk: &jdk, cpus: cpus_of(self.servers) };
        resolve(&parts, answer, self.tools, on_step)
    }
}

impl Resolved {
    /// The arm with what its server is made of, now that everything has been fetched and built.
    fn new(
        arm: &Arm,
        release: Option<&Release>,
        spec: ServerSpec,
        pins: &Pins,
        site: &Site,
    ) -> Result<Self, sut::Error> {
        let build = arm.build.as_ref().and_then(Build::fact);
        let Some(release) = release else {
            return Ok(Self {
                name: arm.name.clone(),
                origin: user_server::origin(arm),
                build,
                compiler: None,
                parts: Vec::new(),
                made_of: None,
                spec,
                host: None,
                way: Way::default(),
                process: None,
                metrics: None,
            });
        };
        // A fetched tree knows the checksum of its archive, even if nobody else does.
        let release = sut::fetch::cached(release, site).map_or_else(|| release.clone(), |tree| tree.release);
        let files = sut::files_of(&release, spec.program.application())?;
        pins.check(&release, &files)?;
        Ok(Self {
            name: arm.name.clone(),
            origin: release.origin(),
            build,
            compiler: None,
            parts: release.parts(),
            made_of: arm.jar.is_none().then(|| (release.spec(), files)),
            spec,
            host: None,
            way: Way::default(),
            process: None,
            metrics: None,
        })
    }
}

/// The releases of the servers of all arms; `None` for an arm whose server the user brings.
pub(crate) fn releases(experiment: &Experiment, pins: &Pins) -> Result<Vec<Option<Release>>, Error> {
    experiment.arms.iter().map(|arm| release(arm, pins).map_err(at(arm))).collect()
}

/// The release of the server of an arm; `None` for an arm whose server the user brings.
pub(crate) fn release(arm: &Arm, pins: &Pins) -> Result<Option<Release>, sut::Error> {
    match (&arm.command, &arm.jar) {
        _ if arm.origin.is_some() || arm.image.is_some() => Ok(None),
        (Some(_), _) => Ok(None),
        (None, Some(own)) => sut::jar::release(&own.path).map(Some),
        (None, None) => {
            let release = Catalog::embedded().release(&arm.server, &arm.version)?;
            Ok(Some(pins.applied_to(release)))
        }
    }
}

/// Returns how many CPUs servers have: their own ones, or all of this machine.
fn cpus_of(own: &[usize]) -> usize {
    match own.len() {
        0 => host::cpus(),
        own => own,
    }
}

/// The version of the compiler of an arm that runs as a native program.
fn compiler(arm: &Arm, tools: Tools<'_>) -> Result<Option<String>, sut::Error> {
    if arm.package != Some(Package::Native) {
        return Ok(None);
    }
    let compiler = sut::native::compiler()?;
    sut::native::version(&compiler, tools.site, tools.stop).map(Some)
}

/// The largest share of the memory that all heaps may have: a JVM needs more than its heap, and the generator and the
/// kernel need memory, too.
const HEAP_SHARE: f64 = 0.70;

/// Checks that the memory suffices for all arms at once.
pub(crate) fn check_memory(experiment: &Experiment, memory: Bytes) -> Result<(), Error> {
    let here = experiment.arms.iter().filter(|arm| arm.host.is_none());
    // The JVM takes a quarter of the memory that it sees.
    let of_jvm = |arm: &Arm| arm.surroundings.limits.memory.unwrap_or(memory).0 / 4;
    let heap = |arm: &Arm| match arm.heap_size() {
        HeapSize::Fixed(size) => size.0,
        HeapSize::OfJvm => of_jvm(arm),
        HeapSize::OfUser => 0,
    };
    let heaps: u64 = here.map(heap).sum();
    if heaps as f64 <= HEAP_SHARE * memory.0 as f64 {
        return Ok(());
    }
    Err(Error::Memory { arms: experiment.arms.len(), heaps: Bytes(heaps), memory })
}

/// Checks that the link, limits, services and commands of the arms are possible here, before anything is downloaded.
pub(crate) fn check_surroundings(
    experiment: &Experiment,
    site: &Site,
    containers: &Containers<'_>,
) -> Result<(), Error> {
    if experiment.link.is_some() {
        Network::check().map_err(Box::new)?;
    }
    for arm in experiment.arms.iter().filter(|arm| arm.host.is_none()) {
        let surroundings = surroundings(arm, &experiment.services, None);
        // The limits of a container are read back when it runs.
        if !containers.is_for(arm) {
            surroundings.check(site).map_err(at(arm))?;
        }
        user_server::check(arm).map_err(at(arm))?;
    }
    Ok(())
}

/// The library of the profiler, which is fetched if CPU time is to be profiled.
fn fetch_profiler(
    experiment: &Experiment,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Option<PathBuf>, Error> {
    if experiment.design.profiled_starts == 0 {
        return Ok(None);
    }
    on_step(Step::FetchingProfiler);
    Ok(sut::profiler::fetch(tools.site, tools.stop).map_err(Box::new)?)
}

/// Makes the link of the experiment, if it has one.
fn create_network(
    experiment: &Experiment,
    site: &Site,
    stop: &AtomicBool,
) -> Result<Option<Arc<Network>>, Error> {
    let network = experiment.link.as_ref().map(|link| Network::create(link, site, stop));
    Ok(network.transpose().map_err(Box::new)?.map(Arc::new))
}

/// The specification of an arm whose server has a release.
fn resolve(
    parts: &Parts<'_>,
    answer: Expected,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<ServerSpec, sut::Error> {
    let program = deployment::program(parts, tools, on_step)?;
    let (arm, release) = (parts.arm, parts.release);
    let mut spec = ServerSpec {
        settings: arm.settings.clone(),
        jvm: jvm(arm, parts.cpus),
        port: arm.port,
        ..ServerSpec::new(release.spec(), program, parts.jdk.clone(), answer)
    };
    if spec.needs_tcnative() {
        let request =
            tcnative::TcnativeRequest { release, home: spec.program.distribution(), jdk: &spec.jdk };
        spec.tcnative = Some(tcnative::tcnative(request, tools.site, tools.stop)?);
    }
    Ok(spec)
}

/// The surroundings of an arm's server, with the services that the arm names.
fn surroundings(arm: &Arm, services: &[Service], network: Option<Arc<Network>>) -> ServerSurroundings {
    let wanted = &arm.surroundings;
    let named = |name: &String| services.iter().find(|service| service.name == *name).cloned();
    ServerSurroundings {
        limits: wanted.limits,
        services: wanted.services.iter().filter_map(named).collect(),
        service_containers: BTreeMap::new(),
        environment: wanted.environment.clone(),
        open_files: wanted.open_files,
        cpus: Vec::new(),
        container: None,
        network,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;

    #[test]
    fn heaps_larger_than_the_memory_are_refused_with_the_figures() {
        let experiment = experiment();
        let heaps: u64 = experiment.arms.iter().map(|arm| arm.heap.0).sum();
        assert!(check_memory(&experiment, Bytes(2 * heaps)).is_ok());
        let refused = check_memory(&experiment, Bytes(heaps)).expect_err("too much");
        assert!(refused.is_usage() && refused.hint().is_some());
        assert!(refused.to_string().contains("512 MiB"), "{refused}");
    }
}
