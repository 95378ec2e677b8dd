//! Runs rounds until the headline is decided, the cap or the budget is reached, or the user ends the run.

use crate::Error;
use crate::bench::Bench;
use crate::event::{AfterRounds, Event, Observer};
use crate::round::{ProfiledStart, Round};
use crate::schedule::Schedule;
use ask::experiment::Experiment;
use judge::inspections;
use judge::numbers::Numbers;
use judge::planning;
use judge::round_time::{Pairs, round_time};
use judge::starting;
use judge::tuning;
use judge::verdicts::{self, Standing};
use model::reason::Reason;
use model::units::{Nanos, Seconds};
use record::inspection::ArmInspection;
use record::note::RunNote;
use record::rounds::{RoundRecord, RunRecord, TrialRecord};
use stats::spending::LookKind;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A third of the planned rounds may be void; short runs are treated as if they planned this many, so that one noisy
/// minute does not end them.
const FEW_ROUNDS: usize = 12;

/// Where a run starts: at its beginning, or where an earlier part of it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The rounds that have ended, including void ones.
    pub rounds: Vec<RoundRecord>,
    /// What the next round has already: the run was interrupted in it. Only its other levels are measured.
    pub part: Option<Box<RoundRecord>>,
    /// The number of the next round. Its random numbers depend on it, so no number is used twice.
    pub next: u32,
    /// The time for this part of the run; no round begins that would end later.
    pub budget: Option<Nanos>,
    /// The run ends when this many rounds count.
    pub max_rounds: Option<usize>,
}

impl Course {
    /// The course of a new run.
    pub fn new(experiment: &Experiment) -> Self {
        Self { rounds: Vec::new(), part: None, next: 1, budget: experiment.design.budget, max_rounds: None }
    }
}

/// Runs `record.experiment` on a prepared bench from the start of `course` until the headline is decided, the cap or the
/// budget is reached, or `stop` is raised; then looks into the servers and profiles them where that is asked for, unless the run
/// has done so already. Returns all its rounds, including the earlier ones. It updates the inspections, the profiles, the machines
/// that made the load, the elapsed time and how it ended in `record`, which the caller must store.
pub fn run(
    record: &mut RunRecord,
    course: Course,
    bench: &Bench,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<RoundRecord>, Error> {
    let (seed, before) = (record.seed, record.elapsed);
    let before_plan = record.continued_at.last().copied().unwrap_or(0);
    let mut run = Run::new(&record.experiment, course, before_plan, Afterwards::of(record));
    observer.event(run.plan());
    if let Some(shortfall) = run.schedule.budget_shortfall() {
        observer.event(Event::Note(&shortfall.into()));
    }
    let mut interrupted = false;
    let _entered = bench.enter()?;
    while !interrupted && run.wants_another() && bench.generator().is_whole() {
        let part = run.part.take();
        let round = Round {
            experiment: &record.experiment,
            bench,
            number: run.next,
            pairs: run.pairs,
            part: part.map(|part| *part),
            earlier: &run.rounds,
            schedule: &run.schedule,
            stop,
            observer,
            silent: BTreeSet::new(),
        };
        let begun = Instant::now();
        match round.run(seed) {
            Ok(ended) => run.add(ended, observer),
            Err(_) if stop.load(Ordering::Relaxed) => interrupted = true,
            Err(error) => match error.lost_host() {
                Some(host) => run.add(lost(run.experiment, run.next, host, begun), observer),
                None => return Err(error),
            },
        }
    }
    let (mut seen, mut profiles) = (Vec::new(), Vec::new());
    if !interrupted {
        run.time_startups(bench, seed, stop, observer);
        seen = run.inspect(bench, seed, stop, observer);
        profiles = run.profile(bench, seed, stop, observer);
    }
    let (rounds, used) = (run.rounds, run.schedule.used());
    replace_inspections(&mut record.inspections, seen);
    record.cpu_profiles.extend(profiles);
    record.load_machines.extend(bench.generator().notes());
    record.elapsed = before + used;
    record.interrupted = interrupted;
    Ok(rounds)
}

/// The record of a round that ended with the connection to a host; it is repeated.
fn lost(experiment: &Experiment, round: u32, host: &str, begun: Instant) -> RoundRecord {
    let trial = |arm| TrialRecord { round, arm, ..TrialRecord::default() };
    RoundRecord {
        round,
        trials: (0..experiment.arms.len()).map(trial).collect(),
        elapsed: begun.elapsed().into(),
        void: Some(Reason::HostLost { host: host.to_owned() }),
        ..RoundRecord::default()
    }
}

/// Replaces old inspections of the same arms and levels by new ones; the result is in the order of arms and levels.
fn replace_inspections(all: &mut Vec<ArmInspection>, new: Vec<ArmInspection>) {
    let place = |seen: &ArmInspection| (seen.arm, seen.inspection.level);
    all.retain(|old| !new.iter().any(|seen| place(seen) == place(old)));
    all.extend(new);
    all.sort_by_key(place);
}

/// What is done after the last round.
#[derive(Clone, Copy)]
struct Afterwards {
    /// Whether servers are looked into.
    inspects: bool,
    /// In how many starts CPU time is profiled.
    profiles: u32,
}

impl Afterwards {
    /// What a run has not done yet.
    fn of(record: &RunRecord) -> Self {
        let is_inspected = |arm| record.inspections.iter().any(|seen| seen.arm == arm);
        Self {
            inspects: !record.experiment.inspected_arms().all(is_inspected),
            profiles: match record.cpu_profiles.is_empty() {
                true => record.experiment.design.profiled_starts,
                false => 0,
            },
        }
    }
}

/// The state of a run between two rounds.
struct Run<'a> {
    experiment: &'a Experiment,
    schedule: Schedule,
    rounds: Vec<RoundRecord>,
    /// How many of them belong to earlier plans, which have had their answer.
    before_plan: usize,
    /// What the next round has already.
    part: Option<Box<RoundRecord>>,
    next: u32,
    max_rounds: Option<usize>,
    /// The pairs of slices in the next round.
    pairs: Pairs,
    /// The numbers of the rounds of this plan.
    numbers: Vec<Numbers>,
    /// The verdicts after the last round.
    standing: Standing,
    /// What is done after the last round.
    afterwards: Afterwards,
}

impl<'a> Run<'a> {
    fn new(experiment: &'a Experiment, course: Course, before_plan: usize, afterwards: Afterwards) -> Self {
        let mut schedule = Schedule::new(experiment, course.budget, &course.rounds, before_plan);
        let pairs = tuning::next_pairs(experiment, &course.rounds);
        let last = course.rounds.last().map_or(pairs, |round| Pairs {
            closed: round.pairs,
            open: round.latency_pairs,
            ..pairs
        });
        schedule.lengthen(extra_time(experiment, last, pairs));
        let of_plan = course.rounds.get(before_plan..).unwrap_or_default();
        let numbers = Numbers::of_rounds(experiment, of_plan);
        let standing = verdicts::judge(experiment, &numbers, schedule.round_time(), LookKind::Running);
        let mut run = Self {
            experiment,
            schedule,
            rounds: course.rounds,
            before_plan,
            part: course.part,
            next: course.next,
            max_rounds: course.max_rounds,
            pairs,
            numbers,
            standing,
            afterwards,
        };
        run.schedule.reserve(run.time_afterwards());
        if run.max_rounds.is_some_and(|max| run.numbers.len() >= max) {
            run.schedule.end_rounds();
        }
        run
    }

    /// What the run plans before its first round: how long it takes, and its starts.
    fn plan(&self) -> Event<'static> {
        let of_rounds =
            planning::typical_duration(self.experiment, round_time(self.experiment, &self.rounds));
        Event::Planned {
            at_most: self.schedule.left(0.0),
            typically: of_rounds + Nanos::from(self.time_afterwards()),
            cap: self.experiment.design.starts,
        }
    }

    /// How long everything after the last round will take.
    fn time_afterwards(&self) -> Seconds {
        self.inspection_time() + self.profile_time(self.afterwards.profiles)
    }

    /// How long so many profiled starts take.
    fn profile_time(&self, starts: u32) -> Seconds {
        match starts {
            0 => Seconds::ZERO,
            starts => f64::from(starts) * inspections::profile_time(self.experiment, &self.rounds),
        }
    }

    /// How long the inspections after the last round will take.
    fn inspection_time(&self) -> Seconds {
        match self.afterwards.inspects {
            true => inspections::time(self.experiment, &self.rounds),
            false => Seconds::ZERO,
        }
    }

    /// Times start-up with each arm alone, for rounds whose arms were started at once, if the budget has room for as many as a verdict
    /// needs. A failure or an interruption only ends this.
    fn time_startups(&mut self, bench: &Bench, seed: u64, stop: &AtomicBool, observer: &mut dyn Observer) {
        let of_plan = self.rounds.get(self.before_plan..).unwrap_or_default();
        let untimed = starting::untimed(self.experiment, of_plan);
        let each = starting::cycle_time(self.experiment, of_plan);
        let all = each * untimed.len() as f64;
        // A part of a run that adds no rounds was asked for something else.
        if untimed.is_empty() || self.schedule.is_first_round() || !self.schedule.has_room(all) {
            return;
        }
        self.schedule.end_rounds();
        observer.event(Event::StartupsBegin { cycles: untimed.len(), takes: Nanos::from(all) });
        for (done, index) in untimed.iter().enumerate() {
            let left = each * (untimed.len() - done) as f64;
            self.schedule.reserve(left + self.time_afterwards());
            let (index, begun) = (self.before_plan + index, Instant::now());
            let mut after = AfterRounds(observer);
            let start = self.start_after_rounds(bench, stop, &mut after);
            let Ok(times) = start.time_for_round(index, seed) else {
                break;
            };
            let record = &mut self.rounds[index];
            starting::add_startups(record, &times, begun.elapsed().into());
            observer.event(Event::StartupTimed(record));
        }
        self.schedule.reserve(self.time_afterwards());
    }

    /// Starts all arms once more and looks into their servers. An interruption only ends this.
    fn inspect(
        &mut self,
        bench: &Bench,
        seed: u64,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Vec<ArmInspection> {
        let takes = self.inspection_time();
        if takes <= Seconds::ZERO || self.rounds.is_empty() {
            return Vec::new();
        }
        self.schedule.end_rounds();
        observer.event(Event::InspectionsBegin { takes: Nanos::from(takes) });
        self.start_after_rounds(bench, stop, &mut AfterRounds(observer)).inspect_arms(seed)
    }

    /// Starts all arms several times more and profiles their CPU time. An interruption only ends this.
    fn profile(
        &mut self,
        bench: &Bench,
        seed: u64,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Vec<ArmInspection> {
        let starts = self.afterwards.profiles;
        let mut profiles = Vec::new();
        if starts == 0 || self.rounds.is_empty() {
            return profiles;
        }
        self.schedule.end_rounds();
        observer.event(Event::ProfilesBegin { starts, takes: Nanos::from(self.profile_time(starts)) });
        for start in 0..starts {
            self.schedule.reserve(self.profile_time(starts - start));
            let mut observer = AfterRounds(observer);
            let round = self.start_after_rounds(bench, stop, &mut observer);
            profiles.extend(round.profile_arms(seed, ProfiledStart { start, starts }));
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        profiles
    }

    /// A start of all arms after the last round, in which nothing is measured.
    fn start_after_rounds<'b>(
        &'b self,
        bench: &'b Bench,
        stop: &'b AtomicBool,
        observer: &'b mut AfterRounds<'_>,
    ) -> Round<'b> {
        Round {
            experiment: self.experiment,
            bench,
            number: self.next,
            pairs: self.pairs,
            part: None,
            earlier: &self.rounds,
            schedule: &self.schedule,
            stop,
            observer,
            silent: BTreeSet::new(),
        }
    }

    /// Whether another round is needed and allowed. Void rounds are repeated, but not without limit.
    fn wants_another(&self) -> bool {
        let cap = self.experiment.design.starts.map(|cap| cap as usize);
        let counted = self.numbers.len();
        let void = (self.rounds.len() - self.before_plan).saturating_sub(counted);
        (!self.standing.decided || self.standing.open)
            && cap.is_none_or(|cap| counted < cap)
            && self.max_rounds.is_none_or(|max| counted < max)
            && void <= cap.unwrap_or(counted).max(FEW_ROUNDS) / 3
            && self.schedule.fits_another()
    }

    fn add(&mut self, mut record: RoundRecord, observer: &mut dyn Observer) {
        self.numbers.extend(Numbers::of_ended_round(self.experiment, &mut record));
        Numbers::settle(self.experiment, &mut self.numbers);
        self.schedule.add(&record);
        self.standing =
            verdicts::judge(self.experiment, &self.numbers, self.schedule.round_time(), LookKind::Running);
        let left = self.schedule.left(0.0);
        observer.event(Event::RoundEnded {
            record: &record,
            verdicts: &self.standing.comparisons,
            headline: &self.standing.headline,
            left,
        });
        self.next = record.round + 1;
        let counted = record.void.is_none();
        self.rounds.push(record);
        let pairs = tuning::next_pairs(self.experiment, &self.rounds);
        self.schedule.lengthen(extra_time(self.experiment, self.pairs, pairs));
        self.pairs = pairs;
        self.schedule.reserve(self.time_afterwards());
        if counted && self.numbers.len() == planning::FORECAST && !self.standing.decided {
            let forecast = planning::forecast(self.experiment, &self.numbers, self.schedule.round_time());
            if let Some(forecast) = forecast {
                observer.event(Event::Note(&RunNote::Forecast(forecast).into()));
            }
        }
    }
}

/// How much longer a round gets with other pairs; negative if it gets shorter.
fn extra_time(experiment: &Experiment, before: Pairs, after: Pairs) -> Seconds {
    after.time(experiment) - before.time(experiment)
}
