//! Turns the flags of `prony load` into a plan for the generator.

use super::LoadArgs;
use super::LoadComplaint;
use super::jmx;
use super::sessions;
use crate::failure::Failure;
use crate::files::{Given, unreadable};
use crate::mistakes;
use ask::mix_file;
use ask::require::Requirement;
use ask::scenario_file::ScenarioFile;
use lab::Way;
use load::{RequestBuilder, Url, Window};
use model::isolation::check_generator;
use model::units::{Nanos, Rate};
use std::path::Path;
use traffic::plan::{Arrivals, Http, Order, Plan, Request, Reuse, Stage, Target, Tls};
use traffic::scenario::Program;

/// The default duration.
const DURATION: Nanos = Nanos::from_secs(10);
/// The longest duration of a load that ends after a number of requests.
pub(in crate::cmd) const PATIENCE: Nanos = Nanos::from_secs(24 * 3600);

/// The load that the flags ask for.
pub(super) struct PlannedLoad {
    pub(super) plan: Plan,
    pub(super) window: Window,
    /// What its scenario file requires of it.
    pub(super) required: Vec<Requirement>,
}

/// Plans the load that the flags ask for. `jmeter` is the program of the JMeter plan that they name.
pub(super) fn planned_load(
    args: &LoadArgs,
    url: &Url,
    jmeter: Option<Program>,
) -> Result<PlannedLoad, Failure> {
    if args.duration == Some(Nanos(0)) {
        return Err(Failure::usage(LoadComplaint::NoTime));
    }
    let (program, required) = match (jmeter, &args.sessions.scenario) {
        (None, Some(file)) => {
            let ScenarioFile { program, requirements } = sessions::read(file)?;
            (Some(program), requirements)
        }
        (jmeter, _) => (jmeter, Vec::new()),
    };
    let way = args.network.way()?;
    let sessions = program.map(|program| sessions::of_program(args, &way, url, program)).transpose()?;
    let own_arrivals = sessions.as_ref().and_then(|sessions| jmx::arrivals(&sessions.program));
    let asked = match &args.mix {
        Some(file) => mix(args, url, file)?,
        None if sessions.is_some() => AskedRequests::default(),
        None => request(args, url)?,
    };
    args.web_socket.check(&args.url, asked.opening.is_some())?;
    let hosts = sessions.as_ref().map_or(&[][..], |sessions| &sessions.program.hosts);
    let (target, tunnel, lookup) = match &args.unix_socket {
        Some(path) => (Target::Unix(path.clone()), None, None),
        None => {
            let route = way.to(url, hosts).map_err(Failure::usage)?;
            (Target::Tcp(route.target), route.tunnel, route.lookup)
        }
    };
    let mut plan = Plan::new(target, asked.requests, own_arrivals.unwrap_or_else(|| arrivals(args)));
    (plan.order, plan.opening) = (asked.order, asked.opening);
    plan.sessions = sessions.map(Box::new);
    plan.tls = url.tls.then(|| tls(args, &way, url, &plan.target, tunnel.is_some()));
    (plan.tunnel, plan.lookup) = (tunnel, lookup);
    if is_over_http2(args, &plan) {
        plan.http = Http::Two { streams: args.streams as usize };
    }
    plan.limit = args.requests;
    plan.users.ramp = args.ramp_up.unwrap_or(Nanos(0));
    plan.users.think = args.think.unwrap_or_default();
    plan.users.iterations = args.iterations;
    plan.reuse = match args.pool {
        _ if args.no_keepalive => Reuse::Never,
        Some(connections) => Reuse::Pool(connections as usize),
        None => Reuse::PerUser,
    };
    plan.pipeline = args.pipeline as usize;
    plan.connect_rate = args.connect_rate;
    plan.sources = way.sources().to_vec();
    plan.kernel_times = !args.no_kernel_times;
    plan.shards = args.threads as usize;
    plan.cpus = generator_cpus(args)?;
    plan.real_time = probe::host::bounds_real_time();
    plan.connect_timeout = args.connect_timeout.unwrap_or(args.timeout);
    plan.response_timeout = args.timeout;
    plan.seed = args.seed;
    Ok(PlannedLoad { plan, window: window(args), required })
}

/// Whether a load is sent over HTTP/2: calls of gRPC are, and what the flags or a JMeter plan say.
fn is_over_http2(args: &LoadArgs, plan: &Plan) -> bool {
    let is_asked = match &args.http {
        Some(version) => version == "2",
        None => plan.sessions.as_ref().is_some_and(|sessions| sessions.program.http2),
    };
    is_asked || plan.requests.iter().any(|request| request.grpc.is_some())
}

/// Returns the CPUs that the flags give the event loops; none where the flags name none.
fn generator_cpus(args: &LoadArgs) -> Result<Vec<usize>, Failure> {
    let Some(cpus) = &args.generator_cpus else { return Ok(Vec::new()) };
    let usable = probe::topology::usable_cpus();
    check_generator(cpus, &usable, args.threads as usize)
        .map_err(|refused| Failure::usage(lab::Error::from(refused)))?;
    Ok(cpus.clone())
}

/// Returns a builder with what all requests have in common.
fn common_request(args: &LoadArgs, url: &Url) -> Result<RequestBuilder, Failure> {
    let mut request = RequestBuilder::new(url).keep_alive(!args.no_keepalive);
    for text in &args.headers {
        let (name, value) = header(text)?;
        request = request.header(name, value);
    }
    Ok(request)
}

/// The requests that flags or a file ask for.
struct AskedRequests {
    requests: Vec<Request>,
    order: Order,
    /// The request that opens each connection, where they are messages of WebSocket.
    opening: Option<Vec<u8>>,
}

impl Default for AskedRequests {
    fn default() -> Self {
        Self { requests: Vec::new(), order: Order::InTurn, opening: None }
    }
}

impl AskedRequests {
    /// One request of HTTP.
    fn one(request: RequestBuilder) -> Result<Self, Failure> {
        Ok(Self { requests: vec![request.build().map_err(Failure::usage)?], ..Self::default() })
    }
}

/// Returns the request that the flags ask for.
fn request(args: &LoadArgs, url: &Url) -> Result<AskedRequests, Failure> {
    let request = common_request(args, url)?;
    if let Some((call, messages)) = args.grpc.call(&args.streaming)? {
        return AskedRequests::one(request.grpc(&call).streaming(messages));
    }
    if let Some(message) = args.web_socket.message(&args.streaming, &request)? {
        let opening = Some(request.opening().map_err(Failure::usage)?);
        return Ok(AskedRequests { opening, ..AskedRequests::one(message)? });
    }
    let mut request = request.method(&args.method).streaming(args.streaming.streaming());
    if let Some(body) = &args.body {
        request = request.body(body_bytes(body)?);
    }
    AskedRequests::one(request)
}

/// Returns the requests that a file lists.
fn mix(args: &LoadArgs, url: &Url, file: &Path) -> Result<AskedRequests, Failure> {
    let text = std::fs::read_to_string(file).map_err(unreadable(Given::Mix, file))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let read = |path: &Path| std::fs::read(folder.join(path)).map_err(|error| error.to_string());
    let mix = mix_file::parse(&text, &read).map_err(mistakes::in_file(file, &text, false))?;
    let request = common_request(args, url)?;
    let (requests, order) = load::mixed(&request, &mix).map_err(Failure::usage)?;
    let opening = load::opening_of(&request, &mix).map_err(Failure::usage)?;
    Ok(AskedRequests { requests, order, opening })
}

/// Returns a body as it was typed, or the content of the file after an `@`, as curl does.
pub(super) fn body_bytes(body: &str) -> Result<Vec<u8>, Failure> {
    match body.strip_prefix('@') {
        Some(path) => std::fs::read(path).map_err(unreadable(Given::Body, Path::new(path))),
        None => Ok(body.as_bytes().to_vec()),
    }
}

/// Returns how long ramp-up and warm-up last and how long is measured. A load that ends after a number of requests is measured
/// from its beginning.
fn window(args: &LoadArgs) -> Window {
    let ends = args.requests.is_some() || args.iterations.is_some() || args.sessions.jmx.is_some();
    let before = args.ramp_up.unwrap_or_default() + args.warm_up.unwrap_or_default();
    let of_stages = |stages: &Vec<Stage>| stages.iter().fold(Nanos(0), |sum, stage| sum + stage.length);
    Window {
        settle: if ends { Nanos(0) } else { before },
        counted: args.stages.as_ref().map(of_stages).or(args.duration).unwrap_or(if ends {
            PATIENCE
        } else {
            DURATION
        }),
    }
}

/// Returns the mean rate of a load in stages, in requests per second.
pub(super) fn mean_rate(stages: &[Stage]) -> Rate {
    let length: f64 = stages.iter().map(|stage| stage.length.as_secs_f64()).sum();
    let requests = |stage: &Stage| (stage.from.0 + stage.to.0) / 2.0 * stage.length.as_secs_f64();
    Rate(stages.iter().map(requests).sum::<f64>() / length)
}

fn arrivals(args: &LoadArgs) -> Arrivals {
    let connections = args.connections as usize;
    let poisson = !args.constant;
    let in_stages = |stages| Arrivals::Stages { stages, poisson, connections };
    match (&args.stages, args.rate, args.ramp_up) {
        (Some(stages), ..) => in_stages(stages.clone()),
        (None, None, _) => Arrivals::Closed { users: connections },
        (None, Some(to), Some(length)) if length > Nanos(0) => {
            in_stages(vec![Stage { from: Rate(0.0), to, length }])
        }
        (None, Some(rate), _) => Arrivals::Open { rate, poisson, connections },
    }
}

/// Returns how connections to a server are encrypted, as the flags say.
pub(super) fn tls(args: &LoadArgs, way: &Way, url: &Url, target: &Target, is_tunnelled: bool) -> Tls {
    Tls { resume: !args.no_resume, ..way.tls(url, target, is_tunnelled) }
}

/// Splits a value of `-H` into name and value.
pub(in crate::cmd) fn header(text: &str) -> Result<(&str, &str), Failure> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| Failure::usage(LoadComplaint::NotAHeader { text: text.to_owned() }))?;
    Ok((name.trim(), value.trim()))
}
