//! Diagnoses: what limited each arm at each load, from the records of a run. There is one function for each cause; it gives the
//! cause as a value of `model::finding`, with the numbers behind it and what to change. A limit that is configured but not
//! reached is no cause: diagnoses rest on measured effects, never on names. docs/diagnoses.md explains the rules.

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

use evidence::{ArmEvidence, At, Known, Machine, Place};
use model::experiment::Experiment;
use model::finding::{Cause, Finding, Quantity, Remedy, Tier};
use model::outcome::{ArmResult, Change, Diagnosis, Evidence};
use model::record::{RoundRecord, RunRecord};
use std::collections::BTreeMap;

/// The number of CPUs of the machine with this fingerprint.
pub(crate) fn cpus(fingerprint: &BTreeMap<String, String>) -> usize {
    Machine::of(fingerprint).cpus as usize
}

/// Checks whether one cause is at work.
type CauseCheck = fn(&ArmEvidence<'_>) -> Option<Candidate>;

/// The checks for all causes.
const CAUSES: &[CauseCheck] = &[
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
    /// The rank of the cause: its usual tier, or the last one where it is the effect of another cause.
    tier: Tier,
    /// How much of the load it explains, 0 to 1. Among causes of one tier, the larger comes first.
    weight: f64,
    evidence: Vec<Evidence>,
    remedy: Remedy,
    /// The remedy as keys of the arm, where a trial can test it.
    change: Vec<Change>,
    /// Nothing is wrong: a load that asks as fast as it is answered always meets this limit.
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

    /// Adds a number to the evidence.
    fn with(mut self, what: Quantity, value: f64) -> Self {
        self.evidence.push(Evidence { what, value });
        self
    }

    /// Adds a number to the evidence if it is known; not every machine or server reports it.
    fn with_if_known(self, what: Quantity, value: Option<f64>) -> Self {
        match value {
            Some(value) => self.with(what, value),
            None => self,
        }
    }

    /// Ranks it behind all other causes, as an effect of theirs.
    fn ranked_as_effect(mut self) -> Self {
        self.tier = Tier::Last;
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
            let known = Known {
                effective: &arm.effective,
                facts: &arm.facts,
                inspections: &run.inspections,
            };
            diagnoses_at(&run.experiment, rounds, place, known, machine)
        });
        arm.diagnoses = diagnoses.collect();
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
        finding: candidate.finding,
        level: evidence.level.clone(),
        evidence: candidate.evidence,
        remedy: candidate.remedy,
        change: candidate.change,
        proved: None,
        expected: candidate.expected,
    };
    ranked_candidates(&evidence).into_iter().map(diagnosis).collect()
}

/// All causes at work, the strongest limit first.
fn ranked_candidates(evidence: &ArmEvidence<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = CAUSES.iter().filter_map(|check| check(evidence)).collect();
    all.extend(unknown::limit(evidence, &all));
    // A generator without ports or descriptors is saturated too; what it lacked is the more precise cause.
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

/// A change of one key of an arm.
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
