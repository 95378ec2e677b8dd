//! `prony load URL`: loads one URL. The server is not started by prony and nothing is compared, but the load may have to keep bounds.

mod asked;
mod complaint;
pub(crate) mod fleet;
mod grpc;
mod jmx;
pub(super) mod plan;
mod required;
pub(super) mod sessions;
mod streaming;
pub(crate) mod ticker;
mod viewers;
mod web_socket;

pub(crate) use self::complaint::LoadComplaint;
use self::fleet::FleetArgs;
use self::grpc::GrpcArgs;
use self::plan::PlannedLoad;
use self::required::{FailFast, RequireArgs};
use self::sessions::SessionArgs;
use self::streaming::StreamingArgs;
use self::viewers::{LoadAudience, LoadViewers};
use self::web_socket::WebSocketArgs;
use super::SubCommand;
use crate::args::{LiveArgs, NetworkArgs, OutputArgs, parse_cpus};
use crate::call::Call;
use crate::experiment::{check_verdicts, tell_deliveries};
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output;
use crate::run_id;
use crate::signals;
use crate::stored_run::host_facts;
use crate::web::live::RunHeader;
use ask::question::Question;
use ask::require::{Requirement, Subject};
use ask::values;
use clap::Args;
use lab::{LoadRequirements, LoadSeconds};
use load::{Edge, Session, Slice, Url, Window};
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Nanos, Rate, Seconds};
use record::level_figure::LevelFigure;
use record::note::Note;
use record::outcome::{
    ArmResult, DesignFacts, Effective, Estimate, Generator, Level, Report, Required, SCHEMA, StepResult,
};
use record::series::Series;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use store::Store;
use ticker::Ticker;
use traffic::load_note::LoadNote;
use traffic::plan::{Plan, Stage, Think};
use traffic::scenario::Program;

/// Load a URL with prony's own generator.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// The URL to load; `localhost:8080` means http. With ws:// or wss://, --send, --hold or --mix says which messages are sent.
    #[arg(
        required = false,
        required_unless_present = "jmx",
        default_value_if("jmx", clap::builder::ArgPredicate::IsPresent, "")
    )]
    url: String,
    /// Number of connections that are kept open.
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    connections: u32,
    /// How long to load, such as 30s or 1m30s; a bare number is seconds [default: 10s, or until --requests are answered]
    #[arg(short, long, value_name = "TIME", value_parser = values::duration)]
    duration: Option<Nanos>,
    /// Stop after this number of requests, such as 1000 or 10k.
    #[arg(short = 'n', long, value_name = "N", value_parser = values::count)]
    requests: Option<u64>,
    /// Requests per second in total; each is sent when it is due, however slowly the server answers. Without it, every
    /// connection sends its next request when the previous one is answered.
    #[arg(short = 'R', long, value_name = "RATE", value_parser = values::rate)]
    rate: Option<Rate>,
    /// Use equal gaps between the requests of --rate or --stages instead of random (Poisson) ones.
    #[arg(long, conflicts_with_all = ["think", "iterations", "pool"])]
    constant: bool,
    /// A rate that changes in stages, each TIME:RATE or TIME:FROM-TO, such as 10s:0-1000,1m:1000. The load ends with the
    /// last stage.
    #[arg(long, value_name = "LIST", value_parser = values::stages, conflicts_with_all = ["rate", "duration", "warm_up", "ramp_up"])]
    // With the whole path, because clap takes a bare Vec for a flag that may be repeated.
    stages: Option<std::vec::Vec<Stage>>,
    /// Start the connections, or raise --rate, evenly over this time. It is not measured, unless the load ends after a
    /// number of requests.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    ramp_up: Option<Nanos>,
    /// Load for this time after the ramp-up and before the measurement.
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with_all = ["requests", "iterations"])]
    warm_up: Option<Nanos>,
    /// Pause of every connection between an answer and its next request: 100ms, 50ms-150ms (uniform),
    /// gaussian:100ms,20ms (mean, standard deviation) or exponential:100ms (mean).
    #[arg(long, value_name = "PAUSE", value_parser = values::think, conflicts_with_all = ["rate", "stages"])]
    think: Option<Think>,
    /// Each connection ends after this number of requests, like the loop count of a JMeter thread group.
    #[arg(long, value_name = "N", value_parser = values::count, conflicts_with_all = ["rate", "stages"])]
    iterations: Option<u64>,
    /// The users of --connections share this number of connections. A user who finds none free waits, and the wait counts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60_000), conflicts_with_all = ["rate", "stages", "no_keepalive"])]
    pool: Option<u32>,
    /// Number of requests that a connection sends before it waits for their answers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with_all = ["rate", "stages", "pool", "no_keepalive"])]
    pipeline: u32,
    /// The version of HTTP. By default it is 1.1, and 2 for a JMeter plan with samplers of a plug-in for HTTP/2. With 2, what --connections
    /// counts are streams, each like a connection of HTTP/1.1, and a connection carries up to --streams of them. Over https, the server has
    /// to offer HTTP/2 in the handshake; over http, it has to expect it (h2c with prior knowledge).
    #[arg(long, value_name = "VERSION", value_parser = ["1.1", "2"])]
    http: Option<String>,
    /// HTTP/2: the most streams of a connection. Where the server allows fewer, requests wait, and the wait counts.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    streams: u32,
    /// Maximum number of connections opened per second, so that the load does not begin with a burst.
    #[arg(long, value_name = "RATE", value_parser = values::rate)]
    connect_rate: Option<Rate>,
    /// Open a new connection for each request.
    #[arg(long)]
    no_keepalive: bool,
    /// https: make a full handshake on every connection instead of resuming a session.
    #[arg(long)]
    no_resume: bool,
    /// Take the time when an answer is read instead of the kernel's receive timestamp: cheaper, but less accurate.
    #[arg(long)]
    no_kernel_times: bool,
    /// Number of event loops; each uses one core.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// CPUs on which the event loops stay, one each, such as 2-3 [default: they share all with everything else]
    #[arg(long, value_name = "LIST", value_parser = parse_cpus)]
    generator_cpus: Option<std::vec::Vec<usize>>,
    /// A request that takes longer counts as a fault.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    timeout: Nanos,
    /// A connection that takes longer to open, including its TLS handshake, counts as a fault [default: the value of
    /// --timeout]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    connect_timeout: Option<Nanos>,
    /// The way to the servers.
    #[command(flatten)]
    network: Box<NetworkArgs>,
    /// Connect to this unix socket instead of the URL's host.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["proxy", "dns_ttl"])]
    unix_socket: Option<PathBuf>,
    // The placeholder of the iteration is not named here, because clap takes it for a line break.
    /// Send the requests that this TOML file lists, each a [[request]] with path, method, headers, body, status, expect and
    /// weight. A placeholder, which docs/guide/experiments.md shows, gives each iteration its own number.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "body"])]
    mix: Option<PathBuf>,
    /// Sessions of steps in the place of one request.
    #[command(flatten)]
    sessions: SessionArgs,
    /// A header to send, as "Name: value"; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    headers: Vec<String>,
    /// The request method.
    #[arg(short, long, value_name = "METHOD", default_value = "GET")]
    method: String,
    /// A request body, or @FILE to read it from a file.
    #[arg(short, long, value_name = "TEXT")]
    body: Option<String>,
    /// How answers are taken apart that stream.
    #[command(flatten)]
    streaming: StreamingArgs,
    /// A call of gRPC.
    #[command(flatten)]
    grpc: GrpcArgs,
    /// Messages of WebSocket.
    #[command(flatten)]
    web_socket: WebSocketArgs,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// What the load has to keep.
    #[command(flatten)]
    required: RequireArgs,
    /// Other machines that make the load.
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    live: LiveArgs,
    /// Where results go.
    #[command(flatten)]
    output: OutputArgs,
}

impl SubCommand for LoadArgs {
    fn run(&self, call: &Call) -> Result<(), Failure> {
        let lang = language::chosen(&self.output.language);
        output::check_out_folder(&self.output)?;
        let jmx::Loaded { url, plan: jmeter } = jmx::loaded(self)?;
        let url = self.grpc.place(url);
        let program = jmeter.map(|plan| plan.program);
        let PlannedLoad { plan, window, required: in_file } = plan::planned_load(self, &url, program)?;
        let notes: Vec<LoadNote> =
            plan.sessions.iter().flat_map(|sessions| LoadNote::of_program(&sessions.program)).collect();
        for note in notes.iter().filter(|_| !call.quiet) {
            eprintln!("{}", say::text(note, lang));
        }
        let stop = signals::stop_flag()?;
        let sessions = plan.sessions.clone();
        let program = sessions.as_ref().map(|sessions| &sessions.program);
        let mut required = self.required.read(program)?;
        required.extend(in_file);
        let begins = LoadBeginning {
            run: run_id::new()?,
            name: name(&url, plan.opening.is_some()),
            asked: asked::load(self, &plan),
            required: &required,
            program,
        };
        let audience = LoadAudience::open(&self.live, call, &stop, &self.output.language)?;
        let mut measured = self.measure(&begins, &audience, plan, window, &stop, call)?;
        measured.notes.extend(notes);
        let steps = lab::step_records(&measured.slice.steps);
        if let Some(program) = program {
            measured.steps = judge::steps::step_results(program, &steps);
        }
        let seconds = LoadSeconds::of(&measured.slice);
        let judged = begins.requirements().judge(&seconds, &steps);
        let report = report(self, &begins, &measured, judged, call);
        let stored = Home::find().and_then(|home| Ok(Store::open(&home.data)?.store_load(&report)?));
        let wanted = self.output.out.is_some();
        let hlog = wanted.then(|| load::hlog(measured.begun, &measured.slice.intervals));
        output::deliver(&report, Series::default, hlog, &self.output, false)?;
        // Reported last, because the results must be shown even if they cannot be stored.
        if let Err(failure) = stored {
            failure.report(lang);
        }
        if let Some(page) = &audience.page {
            page.show_results(&report);
        }
        tell_deliveries(&audience.sinks.end(&report, None), lang, !call.quiet && !self.output.json);
        check_right(&measured.slice)?;
        check_verdicts(&report, self.required.fail_inconclusive)
    }
}

/// What is known of a load before it begins.
struct LoadBeginning<'a> {
    run: String,
    /// The URL as the report names it.
    name: String,
    asked: Load,
    required: &'a [Requirement],
    program: Option<&'a Program>,
}

impl LoadBeginning<'_> {
    fn requirements(&self) -> LoadRequirements<'_> {
        LoadRequirements {
            required: self.required,
            name: &self.name,
            load: &self.asked,
            program: self.program,
        }
    }

    fn question(&self) -> Question {
        let name = &self.name;
        Question::both(format!("How does {name} answer?"), format!("{name} 的响应表现如何？"))
    }
}

impl LoadArgs {
    /// Makes the load, here or by agents, before everyone who follows it.
    fn measure(
        &self,
        begins: &LoadBeginning<'_>,
        audience: &LoadAudience,
        plan: Plan,
        window: Window,
        stop: &Arc<AtomicBool>,
        call: &Call,
    ) -> Result<Measured, Failure> {
        let lang = language::chosen(&self.output.language);
        let steps = begins.program.map_or(&[][..], |program| &program.steps);
        let header = RunHeader::of_load(&begins.run, begins.question(), &begins.name, &begins.asked, steps);
        let ticker = Ticker::new(window, call.quiet, lang);
        let fail_fast = self.required.fail_fast.then(|| FailFast::new(begins.requirements()));
        let mut viewers = LoadViewers::new(audience, ticker, fail_fast, &header, &begins.asked, window);
        let mut measured: Measured = match &self.fleet.place {
            Some(place) => {
                let shown = fleet::Shown { viewers: &mut viewers, quiet: call.quiet, lang };
                fleet::run(&self.fleet, place, &plan, window, call.patience, stop, shown)?.into()
            }
            None => alone(plan, window, stop, &mut viewers)?,
        };
        viewers.end();
        if let Some(after) = viewers.fail_fast.and_then(|fail_fast| fail_fast.broken_after) {
            // It was not the user who ended it.
            measured.slice.interrupted = false;
            measured.notes.push(LoadNote::BoundBroken { after: after.into() });
        }
        Ok(measured)
    }
}

/// What was measured, by this machine or by agents.
struct Measured {
    slice: Slice,
    /// Why it says more about the generators than about the server.
    why_invalid: Option<Reason>,
    /// What is to be said of the plan and of the agents.
    notes: Vec<LoadNote>,
    /// When the load began.
    begun: SystemTime,
    /// 99th percentile of the generator's lag, seconds; with agents, the percentile of the worst agent.
    lag_p99: Seconds,
    /// The steps of sessions.
    steps: Vec<StepResult>,
}

impl From<fleet::Merged> for Measured {
    fn from(merged: fleet::Merged) -> Self {
        Self {
            slice: merged.slice,
            why_invalid: merged.why_invalid,
            notes: merged.notes,
            begun: merged.begun,
            lag_p99: merged.lag_p99,
            steps: Vec::new(),
        }
    }
}

/// Makes the load on this machine alone.
fn alone(
    plan: Plan,
    window: Window,
    stop: &AtomicBool,
    viewers: &mut LoadViewers<'_>,
) -> Result<Measured, Failure> {
    let mut session = Session::open(plan).map_err(Failure::usage)?;
    let begun = SystemTime::now();
    viewers.begin(begun);
    let slice = session.run(window, stop, &mut |edge| match edge {
        Edge::Interval(interval) => viewers.add_second(interval, stop),
        Edge::CountedBegins | Edge::CountedEnds => {}
    })?;
    Ok(Measured {
        why_invalid: slice.why_invalid(),
        notes: Vec::new(),
        begun,
        lag_p99: Seconds::from_nanos(slice.lag.value_at_quantile(0.99)),
        steps: Vec::new(),
        slice,
    })
}

/// The URL as the report names it.
fn name(url: &Url, is_web_socket: bool) -> String {
    let scheme = match (is_web_socket, url.tls) {
        (false, false) => "http",
        (false, true) => "https",
        (true, false) => "ws",
        (true, true) => "wss",
    };
    format!("{scheme}://{}{}", url.authority(), url.path)
}

fn report(
    args: &LoadArgs,
    begins: &LoadBeginning<'_>,
    measured: &Measured,
    mut required: Vec<Required>,
    call: &Call,
) -> Report {
    let level = level(args.seed, begins.asked.clone(), measured);
    // Whether answers are right is known even of a load that says nothing about times.
    let of_measures = required.iter_mut().filter(|required| required.measure != Subject::Errors);
    of_measures.for_each(|required| required.why_invalid.clone_from(&level.why_invalid));
    Report {
        schema: SCHEMA,
        run: begins.run.clone(),
        experiment: "load".to_owned(),
        question: begins.question(),
        seed: args.seed,
        fingerprint: host_facts(),
        // The command line tells what was asked.
        asked: Default::default(),
        design: design(&measured.slice),
        arms: vec![arm(begins.name.clone(), level)],
        comparisons: Vec::new(),
        required,
        answers: Vec::new(),
        ranking: None,
        rankings: Vec::new(),
        reference: None,
        calibration: None,
        cpu_differences: Vec::new(),
        step_comparisons: Vec::new(),
        offers_profile: false,
        notes: notes(measured),
        repeat: call.typed.command(),
    }
}

/// Returns the result of a server when only its address is known.
fn arm(name: String, level: Level) -> ArmResult {
    ArmResult {
        name,
        unseen: false,
        effective: Effective::default(),
        levels: vec![level],
        startup: None,
        peak_memory: None,
        facts: BTreeMap::new(),
        diagnoses: Vec::new(),
        request_times: Vec::new(),
        found: None,
        curve: Vec::new(),
    }
}

fn level(seed: u64, asked: Load, measured: &Measured) -> Level {
    let (slice, why_invalid) = (&measured.slice, measured.why_invalid.clone());
    let closed = asked.users.is_some();
    let times = lab::load_times(slice, seed);
    Level {
        load: asked,
        valid: why_invalid.is_none(),
        why_invalid,
        held_back: None,
        measures: with_throughput(slice, times.measures),
        table: BTreeMap::new(),
        not_estimable: times.not_estimable,
        worst: times.worst,
        counts: lab::counts(slice),
        generator: Generator {
            cpu: slice.self_check.cpu_share,
            lag_p99: measured.lag_p99,
            send_delay: (!closed).then(|| lab::send_delay(slice)).flatten(),
        },
        steps: measured.steps.clone(),
        events: judge::events::event_result(lab::event_record(&slice.events), slice.elapsed.into()),
    }
}

/// Returns warnings for the reader of the report.
fn notes(measured: &Measured) -> Vec<Note> {
    let fell_behind = measured.slice.overloaded.then_some(LoadNote::FellBehind);
    let of_server = fell_behind.into_iter().chain(measured.slice.hidden_tail());
    let notes = of_server.chain(measured.notes.iter().cloned());
    notes.map(Note::Load).collect()
}

/// Returns the design of a load: there is nothing to compare, and no start by prony.
fn design(slice: &Slice) -> DesignFacts {
    DesignFacts {
        baseline: String::new(),
        headline: None,
        headline_measures: Vec::new(),
        alpha: 0.0,
        starts_cap: None,
        gate: None,
        starts: 0,
        starts_void: 0,
        pairs: 0,
        stage_pairs: None,
        seconds_per_start: None,
        slice: slice.elapsed.into(),
        rate: None,
        profile: None,
        elapsed: slice.elapsed.into(),
        interrupted: slice.interrupted,
    }
}

fn with_throughput(
    slice: &Slice,
    mut measures: BTreeMap<LevelFigure, Estimate>,
) -> BTreeMap<LevelFigure, Estimate> {
    let throughput =
        Estimate { value: slice.ok as f64 / slice.elapsed.as_secs_f64().max(1e-9), low: None, high: None };
    measures.insert(Measure::Throughput.into(), throughput);
    measures
}

/// Fails when no answer was right, and nobody stopped the load.
fn check_right(slice: &Slice) -> Result<(), Failure> {
    if slice.ok == 0 && !slice.interrupted {
        let (faults, first) = (lab::counts(slice).faults, slice.first_failure().cloned());
        return Err(Failure::invalid(LoadComplaint::NoRightAnswer { faults, first }));
    }
    Ok(())
}
