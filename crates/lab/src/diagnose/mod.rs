//! The reason why: from the records of a run to what limited each arm at each load. One function for each cause; each says
//! in a sentence what limits, with the numbers behind it and what to change. A limit that is configured but not reached is
//! none: effects are measured, and names are never looked at. docs/diagnoses.md tells the rules to the reader.

mod client;
mod connections;
mod cpu;
mod evidence;
mod memory;
mod network;
mod queue;
mod remedy;
mod threads;
mod unknown;
mod waits;
mod words;

use evidence::{At, Evidence, Machine, Place};
use model::cause::Cause;
use model::experiment::Experiment;
use model::outcome::{ArmResult, Change, Diagnosis, Evidence as Number};
use model::record::{RoundRecord, RunRecord};

/// One cause: whether it is at work here.
type Find = fn(&Evidence<'_>) -> Option<Finding>;

/// All that are looked for.
const CAUSES: [Find; 23] = [
    client::generator,
    client::ports,
    client::descriptors,
    client::errors,
    connections::limit,
    connections::keepalive,
    connections::keepalive_limit,
    queue::overflow,
    client::server_descriptors,
    waits::lock,
    waits::pinning,
    waits::backend,
    waits::disk,
    network::link,
    network::handshakes,
    threads::pool,
    threads::concurrency,
    cpu::quota,
    cpu::neighbour,
    cpu::saturated,
    cpu::compiling,
    memory::collector,
    memory::limit,
];

/// A cause that was found at work.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    cause: Cause,
    /// How early it is named: its cause's, unless it is seen to be the effect of another.
    tier: u8,
    /// How much of the load it explains, 0 to 1: among causes of one tier the larger comes first.
    weight: f64,
    says: String,
    numbers: Vec<Number>,
    remedy: remedy::Remedy,
    /// It only says what a load that presses as hard as it can met.
    expected: bool,
}

impl Finding {
    fn new(cause: Cause, weight: f64, says: String) -> Self {
        Self {
            cause,
            tier: cause.tier(),
            weight,
            says,
            numbers: Vec::new(),
            remedy: remedy::Remedy::default(),
            expected: false,
        }
    }

    fn with(mut self, what: &str, value: f64) -> Self {
        self.numbers.push(Number {
            what: what.to_owned(),
            value,
        });
        self
    }

    /// As the effect of whatever else is found.
    fn last(mut self) -> Self {
        self.tier = Cause::LAST;
        self
    }

    fn cure(mut self, remedy: remedy::Remedy) -> Self {
        self.remedy = remedy;
        self
    }
}

/// Fills in what limited each arm at each load, the limiter first.
pub(crate) fn fill(arms: &mut [ArmResult], run: &RunRecord, rounds: &[RoundRecord]) {
    let machine = Machine::of(&run.fingerprint);
    for (index, arm) in arms.iter_mut().enumerate() {
        let closed = (0..run.experiment.load.connections.len()).map(At::Level);
        let found = closed.chain([At::Rate, At::Beyond]).flat_map(|at| {
            let place = Place { arm: index, at };
            let known = (&arm.effective, &arm.facts);
            of_place(&run.experiment, rounds, place, known, machine)
        });
        arm.diagnoses = found.collect();
    }
}

fn of_place(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    place: Place,
    known: (
        &model::outcome::Effective,
        &std::collections::BTreeMap<String, f64>,
    ),
    machine: Machine,
) -> Vec<Diagnosis> {
    let Some(evidence) = Evidence::of(experiment, rounds, place, known, machine) else {
        return Vec::new();
    };
    let named = |finding: Finding| Diagnosis {
        cause: finding.cause.id().to_owned(),
        level: evidence.level.clone(),
        says: finding.says,
        evidence: finding.numbers,
        r#try: finding.remedy.says,
        change: finding.remedy.change,
        proved: None,
        expected: finding.expected,
    };
    judged(&evidence).into_iter().map(named).collect()
}

/// All that is at work, the limiter first.
fn judged(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = CAUSES.iter().filter_map(|find| find(evidence)).collect();
    found.extend(unknown::limit(evidence, &found));
    // What the generator lacked says more than that it lacked something.
    let lacked = [Cause::EphemeralPortsExhausted, Cause::FileDescriptorLimit];
    if found.iter().any(|finding| lacked.contains(&finding.cause)) {
        found.retain(|finding| finding.cause != Cause::GeneratorSaturated);
    }
    found.sort_by(|one, other| {
        let tiers = one.tier.cmp(&other.tier);
        tiers.then(other.weight.total_cmp(&one.weight))
    });
    found
}

/// A key of an arm and its new value.
fn change(key: &str, value: impl ToString) -> Change {
    Change {
        key: key.to_owned(),
        value: value.to_string(),
    }
}

#[cfg(test)]
mod seen_tests;
#[cfg(test)]
mod tests;
