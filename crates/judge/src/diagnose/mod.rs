//! The reason why: from the records of a run to what limited each arm at each load. One function for each cause; each gives
//! what limits as a value of `model::finding`, with the numbers behind it and what to change. A limit that is configured but not reached is
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

use evidence::{At, Evidence, Known, Machine, Place};
use model::experiment::Experiment;
use model::finding::{Cause, Finding, Quantity, Remedy, Tier};
use model::outcome::{ArmResult, Change, Diagnosis, Evidence as Number};
use model::record::{RoundRecord, RunRecord};

/// One cause: whether it is at work here.
type Find = fn(&Evidence<'_>) -> Option<Candidate>;

/// All that are looked for.
const CAUSES: &[Find] = &[
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

/// A cause that was found at work, before it is ranked among the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    finding: Finding,
    /// How early it is named: its cause's, unless it is seen to be the effect of another.
    tier: Tier,
    /// How much of the load it explains, 0 to 1: among causes of one tier the larger comes first.
    weight: f64,
    evidence: Vec<Number>,
    remedy: Remedy,
    /// The remedy as keys of the arm, where prony can try it.
    change: Vec<Change>,
    /// It only says what a load that presses as hard as it can met.
    expected: bool,
}

impl Candidate {
    fn new(weight: f64, finding: Finding, remedy: Remedy) -> Self {
        Self {
            tier: finding.cause().tier(),
            finding,
            weight,
            evidence: Vec::new(),
            remedy,
            change: Vec::new(),
            expected: false,
        }
    }

    /// With a number that stands behind it.
    fn with(mut self, what: Quantity, value: f64) -> Self {
        self.evidence.push(Number { what, value });
        self
    }

    /// With a number that not every machine or server tells.
    fn with_known(self, what: Quantity, value: Option<f64>) -> Self {
        match value {
            Some(value) => self.with(what, value),
            None => self,
        }
    }

    /// As the effect of whatever else is found.
    fn last(mut self) -> Self {
        self.tier = Tier::Last;
        self
    }

    /// Its remedy is this key of the arm set to that value.
    fn changing(mut self, key: &str, value: impl ToString) -> Self {
        self.change.push(change(key, value));
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
            let known = Known {
                effective: &arm.effective,
                facts: &arm.facts,
            };
            of_place(&run.experiment, rounds, place, known, machine)
        });
        arm.diagnoses = found.collect();
    }
}

fn of_place(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    place: Place,
    known: Known<'_>,
    machine: Machine,
) -> Vec<Diagnosis> {
    let Some(evidence) = Evidence::of(experiment, rounds, place, known, machine) else {
        return Vec::new();
    };
    let named = |candidate: Candidate| Diagnosis {
        finding: candidate.finding,
        level: evidence.level.clone(),
        evidence: candidate.evidence,
        remedy: candidate.remedy,
        change: candidate.change,
        proved: None,
        expected: candidate.expected,
    };
    judged(&evidence).into_iter().map(named).collect()
}

/// All that is at work, the limiter first.
fn judged(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = CAUSES.iter().filter_map(|find| find(evidence)).collect();
    all.extend(unknown::limit(evidence, &all));
    // What the generator lacked says more than that it lacked something.
    let lacked = [Cause::EphemeralPortsExhausted, Cause::FileDescriptorLimit];
    if all.iter().any(|one| lacked.contains(&one.finding.cause())) {
        all.retain(|one| one.finding.cause() != Cause::GeneratorSaturated);
    }
    all.sort_by(|one, other| {
        let tiers = one.tier.cmp(&other.tier);
        tiers.then(other.weight.total_cmp(&one.weight))
    });
    all
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
