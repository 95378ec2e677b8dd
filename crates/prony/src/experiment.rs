//! What `run` and `compare` share: prepare, run, report, store.

use crate::against::{self, Against};
use crate::args::{self, Design, Output};
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::output;
use crate::progress::Progress;
use crate::proof;
use crate::repeat;
use crate::run_id;
use crate::say::Line;
use crate::say::complaint::{Complaint, Difference, StoredComplaint};
use crate::signals;
use crate::web::Address;
use crate::web::live::{Live, Question};
use lab::event::{Event, Observer};
use lab::{Bench, Course};
use model::arm::Arm;
use model::available::Available;
use model::experiment::{Experiment, Explain};
use model::outcome::{GateVerdict, Report, Verdict};
use model::record::{RoundRecord, RunRecord};
use model::require::Bound;
use model::secret;
use model::telemetry::Telemetry;
use report::{Lang, progress};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{Store, StoredRun};

/// Servers, versions and applications that can be asked for.
pub(crate) fn known() -> Available {
    Bench::known()
}

/// The same and what the reader's own WARs and jars are, which takes a look into them; `None` where there are none to look
/// into. `folder` is where their paths begin.
pub(crate) fn knowing_own(
    known: &Available,
    arms: &[Arm],
    folder: &Path,
) -> Result<Option<Available>, Failure> {
    let mut known = known.clone();
    for Arm { deployment, jar, .. } in arms {
        if let (Some(war), None) = (&deployment.war, deployment.namespace) {
            let namespace = sut::war::namespace(&folder.join(war)).map_err(unfit)?;
            known.wars.push((war.clone(), namespace));
        }
        if let Some(jar) = jar {
            let boot = sut::jar::look(&folder.join(&jar.path)).map_err(unfit)?;
            known.jars.push((jar.path.clone(), boot));
        }
    }
    Ok((!known.wars.is_empty() || !known.jars.is_empty()).then_some(known))
}

/// What the reader names is not what the file takes it for.
fn unfit(error: sut::Error) -> Failure {
    Failure::new(Code::Usage, error)
}

/// How a run is done, as the command line says it.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) flags: &'a args::How,
    pub(crate) colour: bool,
    pub(crate) quiet: bool,
}

/// Runs an experiment to its answer. `source` is stored beside it: the file, or the command line.
pub(crate) fn run(mut experiment: Experiment, source: &str, how: How<'_>) -> Result<(), Failure> {
    output::check(&how.flags.output)?;
    overrule(&mut experiment, &how.flags.design)?;
    let seed = experiment.design.seed.map_or_else(run_id::seed, Ok)?;
    let mut place = Place::open_for(&how.flags.output, how.quiet)?.shown(&how)?;
    let wanted = how.flags.design.against.as_ref();
    let against = wanted.map(|wanted| against::baseline(&mut experiment, wanted, &place.store));
    let mut executed = execute(&experiment, source, seed, against.transpose()?.as_ref(), &place)?;
    if let Some(trouble) = place.trouble.take() {
        executed.stored = Err(trouble);
    }
    deliver(executed, how, &place)
}

/// Goes on with a stored run: the same experiment, the same seed, the same machine, under the same id.
pub(crate) fn resume(run: &str, how: How<'_>) -> Result<(), Failure> {
    output::check(&how.flags.output)?;
    let place = Place::open(how.quiet)?.shown(&how)?;
    let report = found(&place.store, run)?.report?;
    let mut record = stored(&place.store, run)?;
    if how.flags.design.prove {
        record.experiment.explain = Explain::Prove;
    }
    let of_host = |key: &str| !key.starts_with(ARM_FACTS);
    same(&record, &host_facts(), of_host)?;
    let (rounds, next) = place.store.rounds(&record.run)?;
    let mut progress = place.progress(&record.run, &record.experiment);
    progress.earlier(&record.experiment, &rounds);
    let bench = prepare(&record.experiment, &place, &mut progress)?;
    same(&record, &bench.facts(), |key| key.starts_with(ARM_FACTS))?;
    let course = Course {
        budget: how.flags.design.budget.or(record.experiment.design.budget),
        rounds,
        next,
        most: None,
    };
    let before = course.rounds.len();
    let ended = record.clone();
    record.interrupted = true;
    place.store.reopen(&record)?;
    let source = place.store.source(&record.run)?.unwrap_or_default();
    let executed = go_on((&mut record, &source), course, &bench, progress, &place).inspect_err(|_| {
        as_it_was(&place.store, &ended, (report.as_ref(), before));
    })?;
    if executed.rounds.len() == before && !executed.report.design.interrupted {
        Line::NothingAdded.tell(place.lang);
    }
    deliver(executed, how, &place)
}

/// A run that could not go on ends as it had ended, unless a start was added meanwhile. What cannot be stored now can be
/// computed again from its slices.
fn as_it_was(store: &Store, ended: &RunRecord, (report, before): (Option<&Report>, usize)) {
    let unchanged = store
        .rounds(&ended.run)
        .is_ok_and(|(rounds, _)| rounds.len() == before);
    if let Some(report) = report.filter(|_| unchanged) {
        let _ = store.finish(ended, report);
    }
}

/// The stored run of that id, beginning of an id, or `latest`.
pub(crate) fn found(store: &Store, run: &str) -> Result<StoredRun, Failure> {
    store
        .find(run)?
        .ok_or_else(|| Failure::usage(StoredComplaint::Unknown { run: run.to_owned() }))
}

/// What is stored of a run, or why it is of no use.
pub(crate) fn stored(store: &Store, run: &str) -> Result<RunRecord, Failure> {
    let entry = found(store, run)?;
    store
        .record(&entry.run)?
        .ok_or_else(|| Failure::usage(StoredComplaint::WithoutDesign { run: entry.run }))
}

/// A run goes on only where it began, with what it began: what differs among the facts of interest is named.
fn same(record: &RunRecord, now: &Facts, of_interest: impl Fn(&str) -> bool) -> Result<(), Failure> {
    // Whether any CPU time was ever stolen since boot says nothing about the machine.
    let of_interest = |key: &&String| *key != "steal_seen" && of_interest(key.as_str());
    let keys: BTreeSet<&String> = record.fingerprint.keys().chain(now.keys()).collect();
    // An early prony stored secrets as they were.
    let shown = |facts: &Facts, key: &str| Some(secret::shown(key, facts.get(key)?));
    let differences: Vec<Difference> = keys
        .into_iter()
        .filter(of_interest)
        .map(|key| Difference {
            fact: key.clone(),
            was: shown(&record.fingerprint, key),
            is: shown(now, key),
        })
        .filter(|difference| difference.was != difference.is)
        .collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(StoredComplaint::OtherConditions {
        run: record.run.clone(),
        differences,
    }))
}

fn deliver(executed: Executed, how: How<'_>, place: &Place) -> Result<(), Failure> {
    let Executed {
        report,
        record,
        rounds,
        stored,
    } = executed;
    if let Some(page) = &place.page {
        page.found(&report);
    }
    let series = || judge::series(&record, &rounds);
    output::deliver(&report, (series, None), &how.flags.output, how.colour)?;
    let lost = stored.is_err();
    if let Err(error) = stored {
        Failure::new(Code::Internal, error).report(place.lang);
        let out = how.flags.output.out.as_deref();
        Line::NotStored { out }.tell(place.lang);
    }
    if !how.quiet && !how.flags.output.json && !lost {
        let said = progress::stored(&report.run, report.design.interrupted, place.lang);
        eprintln!("{said}");
    }
    ended(&report, how.flags.design.fail_inconclusive)
}

/// Where a run happens, and who can end it.
pub(crate) struct Place {
    pub(crate) home: Home,
    pub(crate) store: Store,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) quiet: bool,
    /// In which language what happens is told.
    lang: Lang,
    /// The page of the run, where it has one.
    page: Option<Live>,
    /// Results are written to a folder, too: then what cannot be stored is no reason to end.
    kept: bool,
    /// Why what happens there is not stored, if it is not.
    trouble: Option<store::Error>,
}

impl Place {
    /// In which language what happens is told.
    pub(crate) const fn lang(&self) -> Lang {
        self.lang
    }

    /// This user's folders and stored runs; from now on Ctrl-C ends what happens there.
    pub(crate) fn open(quiet: bool) -> Result<Self, Failure> {
        let home = Home::find()?;
        let store = Store::open(&home.data)?;
        Self::of(home, store, quiet)
    }

    /// The same where results are also written to a folder: then a history that cannot be used is no reason to end.
    fn open_for(results: &Output, quiet: bool) -> Result<Self, Failure> {
        let home = Home::find()?;
        let kept = results.out.is_some();
        let writable = |store: Store| store.check_writable().map(|()| store);
        let (store, trouble) = match Store::open(&home.data).and_then(writable) {
            Err(trouble) if kept => {
                Line::WillNotBeStored { error: &trouble }.tell(output::lang(&results.language));
                (Store::in_memory()?, Some(trouble))
            }
            opened => (opened?, None),
        };
        Ok(Self {
            kept,
            trouble,
            ..Self::of(home, store, quiet)?
        })
    }

    fn of(home: Home, store: Store, quiet: bool) -> Result<Self, Failure> {
        Ok(Self {
            home,
            store,
            stop: signals::stop_flag()?,
            quiet,
            lang: output::of_locale(),
            page: None,
            kept: false,
            trouble: None,
        })
    }

    /// The same in the reader's language, with a page in the browser if that is wanted.
    fn shown(mut self, how: &How<'_>) -> Result<Self, Failure> {
        self.lang = output::lang(&how.flags.output.language);
        if how.flags.live.live {
            let address = Address {
                listen: how.flags.live.listen,
                lang: output::page_lang(&how.flags.output.language),
            };
            let page = Live::start(address, Arc::clone(&self.stop), self.home.data.clone())?;
            // Whatever is quiet: nobody could guess the address.
            Line::PageServed { url: page.url() }.tell(self.lang);
            self.page = Some(page);
        }
        Ok(self)
    }

    /// A run begins. What came between the look whether it can be stored and now (a download that filled the disk) costs a
    /// run that is written to a folder only its place in the history; returns the trouble.
    fn begun(&self, record: &RunRecord, source: &str) -> Result<Option<store::Error>, Failure> {
        match self.store.begin(record, source) {
            Err(trouble) if self.kept => {
                Line::WillNotBeStored { error: &trouble }.tell(self.lang);
                Ok(Some(trouble))
            }
            begun => Ok(begun.map(|()| None)?),
        }
    }

    fn progress(&self, run: &str, experiment: &Experiment) -> Progress<'_> {
        let several = experiment.load.connections.len() > 1;
        let page = self.page.as_ref();
        let teller = page.map(|page| page.teller(Question::of(run, experiment)));
        Progress::new(
            &self.store,
            run,
            (experiment.design.headline, several),
            (self.quiet, self.lang),
            teller,
        )
    }
}

/// A run that ended.
pub(crate) struct Executed {
    /// What it found.
    pub(crate) report: Report,
    /// What it was computed from.
    pub(crate) record: RunRecord,
    /// Rounds there are, void ones too.
    pub(crate) rounds: Vec<RoundRecord>,
    /// A run that could not be stored is still worth showing.
    pub(crate) stored: Result<(), store::Error>,
}

/// Prepares, runs and stores an experiment.
pub(crate) fn execute(
    experiment: &Experiment,
    source: &str,
    seed: u64,
    against: Option<&Against>,
    place: &Place,
) -> Result<Executed, Failure> {
    execute_until(experiment, source, seed, (against, None), place)
}

/// The same; one that is to prove what was found in a run ends early, and is repeated with that run.
pub(crate) fn execute_until(
    experiment: &Experiment,
    source: &str,
    seed: u64,
    (against, proves): (Option<&Against>, Option<&RunRecord>),
    place: &Place,
) -> Result<Executed, Failure> {
    let run = run_id::new()?;
    let (experiment, left_out) = lab::possible(experiment).map_err(failed)?;
    let experiment = &judge::with_planned_starts(experiment);
    let mut progress = place.progress(&run, experiment);
    let bench = prepare(experiment, place, &mut progress)?;
    if let Some(against) = against {
        against.check(&bench.facts())?;
    }
    let facts = host_facts().into_iter().chain(bench.facts());
    let mut record = RunRecord {
        run: run.clone(),
        experiment: experiment.clone(),
        seed,
        fingerprint: facts.collect(),
        repeat: proves.map_or_else(
            || repeat(experiment, seed, (&run, against)),
            |of| of.repeat.clone(),
        ),
        calibration: None,
        elapsed: 0.0,
        interrupted: true,
        left_out,
        proofs: Vec::new(),
    };
    progress.trouble = place.begun(&record, source)?;
    let course = Course {
        most: proves.map(|_| judge::prove::STARTS),
        ..Course::new(experiment)
    };
    go_on((&mut record, source), course, &bench, progress, place)
}

fn go_on(
    (record, source): (&mut RunRecord, &str),
    course: Course,
    bench: &Bench,
    mut progress: Progress<'_>,
    place: &Place,
) -> Result<Executed, Failure> {
    let rounds = lab::run(record, course, bench, &place.stop, &mut progress).map_err(failed)?;
    let trouble = progress.trouble.take();
    drop(progress);
    let class = model::machine::class(&record.fingerprint);
    // A history that fails now must not cost the results.
    let calibrations = place.store.calibrations(&class).unwrap_or_default();
    record.calibration = judge::calibration::for_reports(&calibrations, record.experiment.design.alpha);
    let mut report = judge::report(record, &rounds);
    let whole = match trouble {
        None => Ok(()),
        Some(trouble) => place
            .store
            .store_again(record, source, &rounds)
            .map_err(|_| trouble),
    };
    let mut stored = whole.and_then(|()| place.store.finish(record, &report));
    if record.experiment.explain == Explain::Prove {
        report = proof::of(record, &rounds, report, place)?;
        stored = stored.and_then(|()| place.store.finish(record, &report));
    }
    Ok(Executed {
        report,
        record: record.clone(),
        rounds,
        stored,
    })
}

pub(crate) type Facts = BTreeMap<String, String>;

/// How the facts of an arm begin.
pub(crate) const ARM_FACTS: &str = "arm/";

fn host_facts() -> Facts {
    let mut facts = probe::host::fingerprint();
    facts.insert("prony".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    facts
}

fn repeat(experiment: &Experiment, seed: u64, (run, against): (&str, Option<&Against>)) -> String {
    let mut repeat = repeat::of_run(run, against.map(Against::wanted).as_deref());
    if !repeat.contains("--seed") && experiment.design.seed.is_none() {
        repeat.push_str(&format!(" --seed {seed}"));
    }
    repeat
}

/// Flags overrule the file.
fn overrule(experiment: &mut Experiment, flags: &Design) -> Result<(), Failure> {
    if flags.jfr {
        let arms = experiment.arms.iter_mut();
        arms.for_each(|arm| arm.telemetry = Telemetry::Jfr);
    }
    let design = &mut experiment.design;
    design.budget = flags.budget.or(design.budget);
    design.seed = flags.seed.or(design.seed);
    design.alpha = flags.alpha.unwrap_or(design.alpha);
    if flags.until_sure {
        design.starts = None;
    }
    if flags.starts.is_some() {
        (design.starts, design.tune_starts) = (flags.starts, false);
    }
    design.gate = flags.gate.or(design.gate);
    if flags.prove {
        experiment.explain = Explain::Prove;
    }
    for (measure, margin) in &flags.margins {
        let measure = measure.unwrap_or(design.headline);
        if design.gate.is_some() && measure == design.headline {
            return Err(Failure::usage(Complaint::TwoMargins));
        }
        design.margins[measure as usize] = *margin;
    }
    Ok(())
}

fn prepare(experiment: &Experiment, place: &Place, progress: &mut Progress<'_>) -> Result<Bench, Failure> {
    let site = sut::Site::new(place.home.cache.clone());
    let bench = Bench::prepare(experiment, site, &place.stop, &mut |step| {
        progress.event(Event::Preparing { step: &step });
    });
    bench.map_err(|error| {
        if place.stop.load(Ordering::Relaxed) {
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
    let details = error.log().to_vec();
    Failure::new(code, error).details(details)
}

/// The exit code, the worst first: a loss that was shown is a regression even where another arm's stays open.
fn ended(report: &Report, fail_inconclusive: bool) -> Result<(), Failure> {
    let missed = |relative: bool| {
        let mut missed = report
            .required
            .iter()
            .filter(|required| required.verdict == GateVerdict::Fail);
        missed.any(|required| matches!(required.bound, Bound::NotWorse(_)) == relative)
    };
    let mut required = report.required.iter();
    let open = required.any(|required| required.verdict == GateVerdict::Inconclusive) || undecided(report);
    let said = |code| Err(Failure::said(code));
    match report.design.interrupted {
        true => said(Code::Interrupted),
        false if !report.is_valid() => said(Code::Invalid),
        false if missed(true) => said(Code::Regression),
        false if missed(false) => said(Code::Threshold),
        false if open && fail_inconclusive => said(Code::Inconclusive),
        false => Ok(()),
    }
}

/// Whether the headline is, where no gate asks something else of it.
fn undecided(report: &Report) -> bool {
    let mut heads = report
        .comparisons
        .iter()
        .filter(|head| head.measure == report.design.headline);
    heads.any(|head| head.gate.is_none() && head.verdict == Verdict::Inconclusive)
}
