//! What `run` and `compare` share: prepare, run, report, store.

use crate::args::{Design, Output};
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::output;
use crate::progress::Progress;
use crate::run_id;
use crate::signals;
use lab::event::{Event, Observer};
use lab::{Bench, Findings};
use model::arm::Known;
use model::experiment::{Experiment, TWO_MARGINS};
use model::outcome::{DesignFacts, GateVerdict, Report, SCHEMA, Verdict};
use std::sync::atomic::{AtomicBool, Ordering};
use store::Store;

/// Servers, versions and applications that can be asked for.
pub(crate) fn known() -> Known {
    Bench::known()
}

/// Runs an experiment to its answer. `source` is stored beside it: the file, or the command line.
pub(crate) fn run(
    mut experiment: Experiment,
    source: &str,
    flags: &Design,
    output: &Output,
    colour: bool,
    quiet: bool,
) -> Result<(), Failure> {
    output::check(output)?;
    overrule(&mut experiment, flags)?;
    let seed = experiment.design.seed.map_or_else(run_id::seed, Ok)?;
    let home = Home::find()?;
    let store = Store::open(&home.data)?;
    let stop = signals::stop_flag()?;
    let place = Place {
        home: &home,
        store: &store,
        stop: &stop,
        quiet,
    };
    let (report, stored) = execute(&experiment, source, seed, place)?;
    output::deliver(&report, output, colour)?;
    if let Err(error) = stored {
        Failure::new(Code::Internal, error)
            .hint("the run's results above are complete; use --out to keep them")
            .report();
    }
    if !quiet && !output.json {
        eprintln!(
            "stored as {}; `prony report {} --format md` shows all of it",
            report.run, report.run
        );
    }
    ended(&report, flags.fail_inconclusive)
}

/// Where a run happens, and who can end it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) home: &'a Home,
    pub(crate) store: &'a Store,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) quiet: bool,
}

/// Prepares, runs and stores an experiment. A run that could not be stored is still worth showing: the second part says.
pub(crate) fn execute(
    experiment: &Experiment,
    source: &str,
    seed: u64,
    place: Place<'_>,
) -> Result<(Report, Result<(), store::Error>), Failure> {
    let run = run_id::new()?;
    let mut progress = Progress::new(place.store, &run, experiment.design.headline, place.quiet);
    let site = sut::Site::new(place.home.cache.clone());
    let bench = prepare(experiment, site, place.stop, &mut progress)?;
    place.store.begin(&run, &experiment.name, source)?;
    let findings = lab::run(experiment, &bench, seed, place.stop, &mut progress).map_err(failed)?;
    drop(bench);
    let trouble = progress.trouble.take();
    drop(progress);
    let mut report = report(experiment, &run, seed, findings);
    let stored = trouble.map_or_else(|| finish(&mut report, place.store), Err);
    Ok((report, stored))
}

/// Stores a report, with what is known of prony itself on machines like this one.
fn finish(report: &mut Report, store: &Store) -> Result<(), store::Error> {
    let class = model::machine::class(&report.fingerprint);
    report.calibration = lab::calibration::standing(&store.calibrations(&class)?, report.design.alpha);
    store.finish(report)
}

/// Flags overrule the file.
fn overrule(experiment: &mut Experiment, flags: &Design) -> Result<(), Failure> {
    let design = &mut experiment.design;
    design.budget = flags.budget.or(design.budget);
    design.seed = flags.seed.or(design.seed);
    design.alpha = flags.alpha.unwrap_or(design.alpha);
    if flags.until_sure {
        design.starts = None;
    }
    design.starts = flags.starts.or(design.starts);
    design.gate = flags.gate.or(design.gate);
    for (measure, margin) in &flags.margins {
        let measure = measure.unwrap_or(design.headline);
        if design.gate.is_some() && measure == design.headline {
            return Err(Failure::usage(TWO_MARGINS).hint("give either a gate or a margin of the headline"));
        }
        design.margins[measure as usize] = *margin;
    }
    Ok(())
}

fn prepare(
    experiment: &Experiment,
    site: sut::Site,
    stop: &AtomicBool,
    progress: &mut Progress<'_>,
) -> Result<Bench, Failure> {
    let bench = Bench::prepare(experiment, site, stop, &mut |what| {
        progress.event(Event::Preparing { what });
    });
    bench.map_err(|error| {
        if stop.load(Ordering::Relaxed) {
            Failure::said(Code::Interrupted)
        } else {
            failed(error)
        }
    })
}

/// An arm that cannot be fetched, built or started, or that ended: with its own last words and what to do.
fn failed(error: lab::Error) -> Failure {
    let code = match &error {
        error if error.is_an_arms() => Code::Start,
        error if error.is_a_question() => Code::Usage,
        _ => Code::Internal,
    };
    let (details, hint) = (error.log().to_vec(), error.hint());
    let failure = Failure::new(code, error).details(details);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn report(experiment: &Experiment, run: &str, seed: u64, findings: Findings) -> Report {
    let design = &experiment.design;
    let mut fingerprint = probe::host::fingerprint();
    fingerprint.insert("prony".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let mut repeat = output::command_line();
    if !repeat.contains("--seed") && design.seed.is_none() {
        repeat.push_str(&format!(" --seed {seed}"));
    }
    Report {
        schema: SCHEMA,
        run: run.to_owned(),
        experiment: experiment.name.clone(),
        question: experiment.question.clone(),
        seed,
        fingerprint,
        design: DesignFacts {
            baseline: experiment.arms[design.baseline].name.clone(),
            headline: design.headline.id().to_owned(),
            alpha: design.alpha,
            starts_cap: design.starts,
            gate: design.gate,
            starts: findings.starts,
            starts_void: findings.starts_void,
            pairs: design.pairs,
            slice: design.slice.as_secs_f64(),
            elapsed: findings.elapsed,
            interrupted: findings.interrupted,
        },
        arms: findings.arms,
        comparisons: findings.comparisons,
        ranking: findings.ranking,
        calibration: None,
        notes: findings.notes,
        repeat,
    }
}

/// The exit code, the worst first: a gate that failed is a regression even where another arm's stays open.
fn ended(report: &Report, fail_inconclusive: bool) -> Result<(), Failure> {
    let valid = report
        .arms
        .iter()
        .flat_map(|arm| &arm.levels)
        .all(|level| level.valid);
    let of_headline = || {
        report
            .comparisons
            .iter()
            .filter(|comparison| comparison.measure == report.design.headline)
    };
    let failed = of_headline().any(|comparison| comparison.gate == Some(GateVerdict::Fail));
    let open = of_headline().any(|comparison| match comparison.gate {
        Some(gate) => gate == GateVerdict::Inconclusive,
        None => comparison.verdict == Verdict::Inconclusive,
    });
    let said = |code| Err(Failure::said(code));
    match report.design.interrupted {
        true => said(Code::Interrupted),
        false if !valid => said(Code::Invalid),
        false if failed => said(Code::Regression),
        false if open && fail_inconclusive => said(Code::Inconclusive),
        false => Ok(()),
    }
}
