//! `prony load URL`: loads one URL. The server is not started by prony, and there is no verdict.

mod asked;
mod fleet;
mod jmx;
pub(super) mod plan;
pub(super) mod sessions;
mod ticker;

use crate::args;
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::language;
use crate::output;
use crate::repeat;
use crate::run_id;
use crate::say::complaint::LoadComplaint;
use crate::signals;
use crate::stored_run::host_facts;
use load::{Edge, Session, Slice, Url, Window};
use model::level_figure::LevelFigure;
use model::measure::Measure;
use model::note::{LoadNote, Note};
use model::outcome::{
    ArmResult, DesignFacts, Effective, Estimate, Generator, Level, Load, Report, SCHEMA, StepResult,
};
use model::patience::Patience;
use model::plan::Plan;
use model::question::Question;
use model::reason::Reason;
use model::series::Series;
use report::say;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use store::Store;
use ticker::Ticker;

pub(crate) fn run(args: &args::LoadArgs, quiet: bool, patience: Patience) -> Result<(), Failure> {
    let lang = language::chosen(&args.output.language);
    output::check_out_folder(&args.output)?;
    let jmx::Loaded { url, plan: jmeter } = jmx::loaded(args)?;
    let program = jmeter.map(|plan| plan.program);
    let (plan, window) = plan::plan_and_window(args, &url, program)?;
    let notes: Vec<LoadNote> =
        plan.sessions.iter().flat_map(|sessions| LoadNote::of_program(&sessions.program)).collect();
    for note in notes.iter().filter(|_| !quiet) {
        eprintln!("{}", say::note(&Note::Load(note.clone()), lang));
    }
    let stop = signals::stop_flag()?;
    let ticker = Ticker::new(window, quiet, lang);
    let sessions = plan.sessions.clone();
    let asked = asked::load(args, &plan);
    let mut measured: Measured = match &args.fleet.place {
        Some(place) => {
            let shown = fleet::Shown { ticker, quiet, lang };
            fleet::run(&args.fleet, place, &plan, window, patience, &stop, shown)?.into()
        }
        None => alone(plan, window, &stop, ticker)?,
    };
    measured.notes.extend(notes);
    if let Some(sessions) = sessions {
        let steps = lab::step_records(&measured.slice.steps);
        measured.steps = judge::steps::step_results(&sessions.program, &steps);
    }
    let slice = &measured.slice;
    let report = report(args, &url, asked, &measured)?;
    let stored = Home::find().and_then(|home| Ok(Store::open(&home.data)?.store_load(&report)?));
    let wanted = args.output.out.is_some();
    let hlog = wanted.then(|| load::hlog(measured.begun, &slice.intervals));
    output::deliver(&report, Series::default, hlog, &args.output, false)?;
    // Reported last, because the results must be shown even if they cannot be stored.
    if let Err(failure) = stored {
        failure.report(lang);
    }
    check_result(slice, &report)
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
    /// 99th percentile of the generator's lag, seconds; with agents, that of the worst.
    lag_p99: f64,
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
fn alone(plan: Plan, window: Window, stop: &AtomicBool, mut ticker: Ticker) -> Result<Measured, Failure> {
    let mut session = Session::open(plan).map_err(|error| Failure::new(Code::Usage, error))?;
    let begun = SystemTime::now();
    let slice = session.run(window, stop, &mut |edge| match edge {
        Edge::Interval(interval) => ticker.add_second(interval),
        Edge::CountedBegins | Edge::CountedEnds => {}
    })?;
    Ok(Measured {
        why_invalid: slice.why_invalid(),
        notes: Vec::new(),
        begun,
        lag_p99: slice.lag.value_at_quantile(0.99) as f64 / 1e9,
        steps: Vec::new(),
        slice,
    })
}

fn report(args: &args::LoadArgs, url: &Url, asked: Load, measured: &Measured) -> Result<Report, Failure> {
    let scheme = if url.tls { "https" } else { "http" };
    let name = format!("{scheme}://{}{}", url.authority(), url.path);
    Ok(Report {
        schema: SCHEMA,
        run: run_id::new()?,
        experiment: "load".to_owned(),
        question: Question::both(format!("How does {name} answer?"), format!("{name} 的响应表现如何？")),
        seed: args.seed,
        fingerprint: host_facts(),
        // The command line tells what was asked.
        asked: Default::default(),
        design: design(&measured.slice),
        arms: vec![arm(name, level(args.seed, asked, measured))],
        comparisons: Vec::new(),
        required: Vec::new(),
        answers: Vec::new(),
        ranking: None,
        rankings: Vec::new(),
        reference: None,
        calibration: None,
        cpu_differences: Vec::new(),
        step_comparisons: Vec::new(),
        offers_profile: false,
        notes: notes(measured),
        repeat: repeat::command_line(),
    })
}

/// Returns the result of a server of which only the address is known.
fn arm(name: String, level: Level) -> ArmResult {
    ArmResult {
        name,
        effective: Effective::default(),
        levels: vec![level],
        startup: None,
        peak_memory: None,
        facts: BTreeMap::new(),
        diagnoses: Vec::new(),
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
        measures: with_throughput(slice, times.measures),
        not_estimable: times.not_estimable,
        worst: times.worst,
        counts: lab::counts(slice),
        generator: Generator {
            cpu: slice.self_check.cpu_share,
            lag_p99: measured.lag_p99,
            send_delay: (!closed).then(|| lab::send_delay(slice)).flatten(),
        },
        steps: measured.steps.clone(),
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
        slice: slice.elapsed.as_secs_f64(),
        rate: None,
        profile: None,
        elapsed: slice.elapsed.as_secs_f64(),
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

/// Fails with the exit code of a load that was interrupted, got no right answer, or has invalid figures.
fn check_result(slice: &Slice, report: &Report) -> Result<(), Failure> {
    if slice.interrupted {
        return Err(Failure::reported(Code::Interrupted));
    }
    if slice.ok == 0 {
        return Err(Failure::invalid(LoadComplaint::NoRightAnswer { faults: lab::counts(slice).faults }));
    }
    if report.arms.iter().flat_map(|arm| &arm.levels).any(|level| !level.valid) {
        return Err(Failure::reported(Code::Invalid));
    }
    Ok(())
}
