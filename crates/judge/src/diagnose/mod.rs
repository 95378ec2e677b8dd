//! Diagnoses: what limited each arm at each load, from the records of a run. There is one rule for each cause; it gives the
//! cause as a value of `record::finding`, with how much it explains, the numbers behind it and what to change. A limit that is
//! configured but not reached is no cause: diagnoses rest on measured effects, never on names. docs/diagnoses.md explains the
//! rules.

mod backends;
mod client;
mod connections;
mod cpu;
mod disk;
mod effects;
mod evidence;
mod jvm;
mod keeper;
mod leak;
mod memory;
mod network;
mod outside;
mod pools;
mod queue;
mod remedy;
mod request_time;
mod sizing;
mod stops;
mod streams;
mod stuck;
mod threads;
mod told;
mod unknown;
mod waits;

pub(crate) use request_time::fill_in_request_times;

use ask::change::Change;
use ask::experiment::Experiment;
use evidence::{ArmEvidence, At, Known, Machine, Place};
use model::units::{Number, Share};
use record::finding::{Cause, Finding, Quantity, Rank, Remedy};
use record::outcome::{ArmResult, Diagnosis, Evidence};
use record::rounds::{RoundRecord, RunRecord};
use std::collections::BTreeMap;

/// The number of CPUs of the machine with this fingerprint.
pub(crate) fn cpus(fingerprint: &BTreeMap<String, String>) -> usize {
    Machine::of(fingerprint).cpus as usize
}

/// The rule of a cause, on the type of its numbers.
trait CauseRule {
    /// Checks whether the cause is at work.
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate>;
}

/// A cause with its rule.
type Rule = (Cause, fn(&ArmEvidence<'_>) -> Option<Candidate>);

macro_rules! rules {
    ($($(#[$doc:meta])* $cause:ident($numbers:ident) = $($columns:tt),+;)+) => {
        /// The rules of all causes. A cause of `record::finding` without a rule does not compile.
        const RULES: &[Rule] = &[$((Cause::$cause, <record::finding::$numbers as CauseRule>::check)),+];
    };
}

record::every_cause!(rules);

/// Smallest share of the users' time that a cause explains which is named.
const NAMED: f64 = 0.1;
/// Smallest share of the users' time that a cause explains at one level, for levels without a look not to be told as without an answer.
const FOUND: f64 = 0.5;
/// Smallest share of a full CPU that a cause explains which is named before it.
const FILLS: f64 = 0.25;

/// Smallest share of the time for which a collector stops a server before its accept queue overflows because of that.
const STOPPED: f64 = 0.5;

/// A cause that is the effect of another one.
struct Effect {
    of: Cause,
    /// Smallest share that `of` has to explain.
    least: f64,
    is: Cause,
}

/// A server without descriptors answers with errors, and errors that are faster than work give the generator more to do than it can. A JVM that
/// stands still accepts no connection. What is kept of every request fills whatever there is, and where memory is used up, the collector works
/// without end. Requests wait behind threads that never go on,
/// for their locks and in the place of their threads. Many who compute the same at once make a program slow that seldom is asked, and calls that
/// are repeated are many. With a connection that the server ends, its requests fail.
const EFFECTS: [Effect; 22] = [
    Effect { of: Cause::ResourceLeak, least: 0.0, is: Cause::GcPressure },
    Effect { of: Cause::ResourceLeak, least: 0.0, is: Cause::HeapNearlyFull },
    Effect { of: Cause::ResourceLeak, least: 0.0, is: Cause::AllocationStall },
    Effect { of: Cause::ResourceLeak, least: 0.0, is: Cause::MemoryLimit },
    Effect { of: Cause::ResourceLeak, least: 0.0, is: Cause::FileDescriptorLimit },
    Effect { of: Cause::OutOfMemory, least: 0.0, is: Cause::GcPressure },
    Effect { of: Cause::OutOfMemory, least: 0.0, is: Cause::HeapNearlyFull },
    Effect { of: Cause::OutOfMemory, least: 0.0, is: Cause::AllocationStall },
    Effect { of: Cause::Deadlock, least: 0.0, is: Cause::LockContention },
    Effect { of: Cause::Deadlock, least: 0.0, is: Cause::ThreadPoolLimit },
    Effect { of: Cause::Deadlock, least: 0.0, is: Cause::ApplicationPoolLimit },
    Effect { of: Cause::CacheStampede, least: NAMED, is: Cause::BackendSlow },
    Effect { of: Cause::CacheStampede, least: NAMED, is: Cause::SlowSql },
    Effect { of: Cause::CacheStampede, least: NAMED, is: Cause::PeriodicStops },
    Effect { of: Cause::RetryStorm, least: NAMED, is: Cause::ChattyBackend },
    Effect { of: Cause::FileDescriptorLimit, least: 0.0, is: Cause::ErrorsFast },
    Effect { of: Cause::FileDescriptorLimit, least: 0.0, is: Cause::WrongAnswers },
    Effect { of: Cause::GoawayChurn, least: 0.0, is: Cause::ErrorsFast },
    Effect { of: Cause::GoawayChurn, least: 0.0, is: Cause::WrongAnswers },
    Effect { of: Cause::ErrorsFast, least: 0.0, is: Cause::GeneratorSaturated },
    Effect { of: Cause::GcPressure, least: STOPPED, is: Cause::AcceptQueueOverflow },
    Effect { of: Cause::HeapNearlyFull, least: STOPPED, is: Cause::AcceptQueueOverflow },
];

/// A cause that was found at work, before it is ranked among the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    finding: Finding,
    /// Where it is named among the others: as usual, or last where it is the effect of another cause.
    rank: Rank,
    /// How much of the requests' time, or of the throughput that is missing, it explains, 0 to 1. The larger comes first.
    explains: f64,
    /// Whether it is named although it explains little: it spoils figures, or users are not served at all.
    spoils: bool,
    /// Whether it comes after the other causes of its rank: requests wait for it, but more of them for their turn to do so; or
    /// another cause tells in part what it comes from.
    is_second: bool,
    evidence: Vec<Evidence>,
    remedy: Remedy,
    /// The remedy as keys of the arm, where a trial can test it.
    change: Vec<Change>,
    /// Nothing is wrong: a load that asks as fast as it is answered always meets this limit.
    expected: bool,
}

impl Candidate {
    fn new(explains: f64, finding: Finding, remedy: Remedy) -> Self {
        Self {
            rank: finding.cause().rank(),
            finding,
            explains: explains.clamp(0.0, 1.0),
            spoils: false,
            is_second: false,
            evidence: Vec::new(),
            remedy,
            change: Vec::new(),
            expected: false,
        }
    }

    /// Whether it explains enough to be named.
    fn is_named(&self) -> bool {
        self.rank != Rank::Explains || self.spoils || self.explains >= NAMED
    }

    /// Adds a number to the evidence.
    fn with(mut self, what: Quantity, value: impl Number) -> Self {
        self.evidence.push(Evidence { what, value: value.number() });
        self
    }

    /// Adds a number to the evidence if it is known; not every machine or server reports it.
    fn with_if_known(self, what: Quantity, value: Option<impl Number>) -> Self {
        match value {
            Some(value) => self.with(what, value),
            None => self,
        }
    }

    /// Ranks it behind all other causes, as an effect of theirs.
    fn ranked_as_effect(mut self) -> Self {
        (self.rank, self.explains) = (Rank::Last, 0.0);
        self
    }

    /// Adds a change that makes up its remedy: this key of the arm set to this value.
    fn changing(mut self, key: &str, value: impl ToString) -> Self {
        self.change.push(change(key, value));
        self
    }
}

/// Fills in the diagnoses of each arm at each load, the strongest limit first.
pub(crate) fn fill_in_diagnoses(arms: &mut [ArmResult], run: &RunRecord, rounds: &[RoundRecord]) {
    let machine = Machine::of(&run.fingerprint);
    for (index, arm) in arms.iter_mut().enumerate() {
        let closed = (0..run.experiment.load.connections.len()).map(At::Level);
        let diagnoses = closed.chain([At::Rate, At::Beyond]).flat_map(|at| {
            let place = Place { arm: index, at };
            diagnoses_at(&run.experiment, rounds, place, Known::of(arm, run), machine)
        });
        arm.diagnoses = diagnoses.collect();
        leave_out_levels_without_a_look(&mut arm.diagnoses);
    }
}

/// Leaves out the levels at which nobody looked into the server and no limit was found, where one was found at another level.
fn leave_out_levels_without_a_look(all: &mut Vec<Diagnosis>) {
    let is_found = |one: &Diagnosis| !one.expected && one.finding.cause().rank() == Rank::Explains;
    if all.iter().any(|one| is_found(one) && one.explains.is_some_and(|share| share.0 >= FOUND)) {
        all.retain(
            |one| !matches!(&one.finding, Finding::LimitNotFound(unknown) if unknown.was_not_looked_at()),
        );
    }
}

/// The diagnoses of an arm at one load.
fn diagnoses_at(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    place: Place,
    known: Known<'_>,
    machine: Machine,
) -> Vec<Diagnosis> {
    let Some(evidence) = ArmEvidence::of(experiment, rounds, place, known, machine) else {
        return Vec::new();
    };
    let diagnosis = |candidate: Candidate| Diagnosis {
        by_metrics: evidence.arm.is_unseen() && !outside::shows(candidate.finding.cause()),
        finding: candidate.finding,
        level: evidence.level.clone(),
        explains: Some(Share(candidate.explains)),
        evidence: candidate.evidence,
        remedy: candidate.remedy,
        // Nobody can set a key of a server that runs already.
        change: if evidence.arm.is_unseen() { Vec::new() } else { candidate.change },
        proved: None,
        expected: candidate.expected,
    };
    ranked_candidates(&evidence).into_iter().map(diagnosis).collect()
}

/// All causes at work, the strongest limit first.
fn ranked_candidates(evidence: &ArmEvidence<'_>) -> Vec<Candidate> {
    let is_told = |cause| evidence.told.as_ref().is_some_and(|told| told.shows(cause));
    let is_shown = |cause| !evidence.arm.is_unseen() || outside::shows(cause) || is_told(cause);
    let rules = RULES.iter().filter(|(cause, _)| is_shown(*cause));
    let (last, first): (Vec<&Rule>, Vec<&Rule>) = rules.partition(|(cause, _)| cause.rank() == Rank::Last);
    let found = first.iter().filter_map(|(_, check)| check(evidence));
    let mut all: Vec<Candidate> = found.filter(Candidate::is_named).collect();
    leave_the_rest_to_a_full_cpu(&mut all);
    leave_the_rest_to_a_quota(&mut all);
    name_long_held_locks_first(&mut all);
    leave_the_rest_to_an_accept_queue(&mut all);
    name_what_stays_first(&mut all);
    put_effects_last(&mut all);
    if all.is_empty() {
        all.extend(last.iter().filter_map(|(_, check)| check(evidence)));
    }
    // A generator without ports or descriptors is saturated too; what it lacked is the more precise cause.
    let lacked = [Cause::EphemeralPortsExhausted, Cause::FileDescriptorLimit];
    if all.iter().any(|one| lacked.contains(&one.finding.cause())) {
        all.retain(|one| one.finding.cause() != Cause::GeneratorSaturated);
    }
    all.sort_by(|one, other| {
        let places = (one.rank, one.is_second).cmp(&(other.rank, other.is_second));
        let turns = one.finding.cause().turn().cmp(&other.finding.cause().turn());
        places.then(other.explains.total_cmp(&one.explains)).then(turns)
    });
    all
}

/// Leaves to a full CPU only what no other cause explains: a server whose CPU is full because of handshakes, say, is short of CPU by
/// what they cost.
fn leave_the_rest_to_a_full_cpu(all: &mut [Candidate]) {
    let is_full = |one: &Candidate| one.finding.cause() == Cause::ServerCpuSaturated;
    let others = all.iter().filter(|one| !is_full(one) && one.rank == Rank::Explains);
    // Several causes may explain the same part. What the CPU was seen to be used for is a part of its own.
    let explained = others.map(|one| one.explains).fold(0.0, f64::max);
    let is_seen = |one: &Candidate| matches!(one.remedy, Remedy::SpareWork { .. });
    for full in all.iter_mut().filter(|one| is_full(one) && !is_seen(one)) {
        full.explains = (full.explains - explained).max(0.0);
        full.is_second = explained >= FILLS;
    }
}

/// Leaves to a quota of CPU what the collector does not take of it: where the heap is too small, more CPU is only collected away.
fn leave_the_rest_to_a_quota(all: &mut [Candidate]) {
    let collects = [Cause::GcPressure, Cause::HeapNearlyFull, Cause::AllocationStall, Cause::ResourceLeak];
    let collecting = all.iter().filter(|one| collects.contains(&one.finding.cause()));
    let explained = collecting.map(|one| one.explains).fold(0.0, f64::max);
    for quota in all.iter_mut().filter(|one| one.finding.cause() == Cause::CpuQuotaThrottled) {
        quota.explains = (quota.explains - explained).max(0.0);
    }
}

/// Puts the collector behind a lock that a task holds for long: what is prepared under the lock makes garbage, too, and while it is, everybody
/// waits.
fn name_long_held_locks_first(all: &mut [Candidate]) {
    let is_held = |one: &Candidate| match &one.finding {
        Finding::LockContention(lock) => waits::is_held_for_long(lock),
        _ => false,
    };
    let stops = all.iter().filter(|one| is_held(one)).map(|one| one.explains).fold(0.0, f64::max);
    for collector in all.iter_mut().filter(|one| one.finding.cause() == Cause::GcPressure) {
        collector.is_second |= stops >= FOUND * collector.explains && stops > 0.0;
    }
}

/// Leaves to an accept queue only the users whom a full connection limit does not leave out: left-out users
/// fill the queue because the server accepts nobody, and a longer one would only let them wait inside.
fn leave_the_rest_to_an_accept_queue(all: &mut [Candidate]) {
    let is_limit = |one: &&Candidate| one.finding.cause() == Cause::ConnectionLimit;
    let Some(explained) = all.iter().find(is_limit).map(|limit| limit.explains) else {
        return;
    };
    let is_queue = |one: &&mut Candidate| one.finding.cause() == Cause::AcceptQueueOverflow;
    for queue in all.iter_mut().filter(is_queue) {
        queue.explains = (queue.explains - explained).max(0.0);
    }
}

/// Puts what is known to be an effect of another cause that was found behind all causes.
fn put_effects_last(all: &mut [Candidate]) {
    for Effect { of, least, is } in EFFECTS {
        let acts = |one: &Candidate| one.finding.cause() == of && one.explains >= least;
        if all.iter().any(acts) {
            let effects = all.iter_mut().filter(|one| one.finding.cause() == is);
            effects.for_each(|one| one.rank = Rank::Last);
        }
    }
}

/// Puts the JVM's warm-up behind the other causes: it passes by itself, and they stay. A cold JVM also makes them look smaller than
/// they will be, because its compilers take a part of the CPU.
fn name_what_stays_first(all: &mut [Candidate]) {
    let passes = |one: &Candidate| one.finding.cause() == Cause::JitWarmingUp;
    let stays =
        |one: &Candidate| one.rank == Rank::Explains && one.finding.cause() != Cause::ServerCpuSaturated;
    let is_second = all.iter().any(|one| stays(one) && !passes(one));
    for warm_up in all.iter_mut().filter(|one| passes(one)) {
        warm_up.is_second |= is_second;
    }
}

/// A change of one key of an arm.
fn change(key: &str, value: impl ToString) -> Change {
    Change { key: key.to_owned(), value: value.to_string() }
}

#[cfg(test)]
mod backends_tests;
#[cfg(test)]
mod client_tests;
#[cfg(test)]
mod cpu_tests;
#[cfg(test)]
mod field_tests;
#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod leak_tests;
#[cfg(test)]
mod profile_tests;
#[cfg(test)]
mod seen_tests;
#[cfg(test)]
mod stops_tests;
#[cfg(test)]
mod streams_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;
