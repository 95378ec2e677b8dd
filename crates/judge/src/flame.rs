//! Compares where a request's CPU time goes in two arms, from CPU profiles of several starts of both.
//!
//! Every sample counts for one thing, so that all differences add up to the whole: for the kernel, for a part of the JVM (its
//! compilers, its collector), or for the innermost method that is not the JDK's. What such a method calls within the JDK is its own
//! cost, because another way to call the JDK is what an application or a library can change; the flame graph shows the calls.

mod profile;
mod stack;
mod table;
mod tree;

use ask::arm::Arm;
use ask::experiment::Experiment;
use model::measure::Measure;
use model::units::{Seconds, Share};
use profile::{Profile, Sampled};
use record::cpu_profile::{CpuDifference, FlameTree, FrameCost};
use record::inspection::Inspection;
use record::note::ArmNote;
use record::outcome::{Comparison, Estimate};
use record::rounds::RunRecord;

/// The confidence of intervals; all rows of a table hold together with it.
const CONFIDENCE: f64 = 0.95;
/// Share of the CPU time of a request from which on a method, package or call is compared. Each that is compared widens the
/// intervals of all others.
const WORTH: f64 = 0.005;

/// Two profiled arms at the same load.
struct Pair<'a> {
    baseline: usize,
    arm: usize,
    level: usize,
    /// The profiled starts of each.
    profiles: [Vec<Profile<'a>>; 2],
}

/// The differences of every arm from the baseline, at every load at which both were profiled.
pub(crate) fn differences(run: &RunRecord) -> Vec<CpuDifference> {
    let pairs = pairs(run);
    pairs.iter().map(|pair| difference(&run.experiment, pair)).collect()
}

/// The differences between the CPU profiles of arms as trees of calls, for flame graphs.
pub(crate) fn trees(run: &RunRecord) -> Vec<FlameTree> {
    let tree = |pair: &Pair<'_>| FlameTree {
        baseline: pair.baseline,
        arm: pair.arm,
        load: run.experiment.load.level(pair.level),
        nodes: tree::nodes(&pair.profiles),
    };
    pairs(run).iter().map(tree).collect()
}

/// Whether CPU per request was called different between two arms that could be profiled, and were not.
pub(crate) fn is_offered(
    experiment: &Experiment,
    comparisons: &[Comparison],
    profiled: &[CpuDifference],
) -> bool {
    let is_ours = |name: &String| {
        let arm = experiment.arms.iter().find(|arm| arm.name == *name);
        arm.is_some_and(can_be_profiled)
    };
    comparisons.iter().any(|comparison| {
        comparison.measure == Measure::CpuPerRequest
            && comparison.verdict.direction().is_some()
            && [&comparison.baseline, &comparison.arm].into_iter().all(is_ours)
            && !profiled.iter().any(|profiled| profiled.arm == comparison.arm)
    })
}

/// Whether prony starts the JVM of an arm: its own, and not a command's.
fn can_be_profiled(arm: &Arm) -> bool {
    arm.origin.is_none() && arm.command.is_none() && arm.image.is_none()
}

/// The note on arms that were to be profiled, and were not.
pub(crate) fn note_on_missing(run: &RunRecord) -> Option<ArmNote> {
    let is_profiled = |arm: usize| run.cpu_profiles.iter().any(|seen| seen.arm == arm);
    let asked = run.experiment.design.profiled_starts > 0 && !run.interrupted;
    let arms = run.experiment.arms.iter().enumerate();
    let missing = arms.filter(|(index, _)| asked && !is_profiled(*index));
    let arms: Vec<String> = missing.map(|(_, arm)| arm.name.clone()).collect();
    (!arms.is_empty()).then_some(ArmNote::NotProfiled { arms, why: None })
}

/// An arm's costliest methods and JVM parts, in order; `inspections` are of its starts at one load.
pub fn dearest(inspections: &[&Inspection], most: usize) -> Vec<FrameCost> {
    let profiles: Vec<Profile<'_>> = inspections.iter().filter_map(|one| Profile::of(one)).collect();
    let sums = Sampled::by(&profiles, |stack| stack.owner.to_owned());
    let whole: Seconds = sums.values().map(Sampled::mean).sum();
    let cost = |(name, sampled): (&String, &Sampled)| FrameCost {
        name: name.clone(),
        seconds: sampled.mean(),
        share: Share(sampled.mean() / whole),
    };
    let mut costs: Vec<FrameCost> = sums.iter().map(cost).collect();
    costs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.name.cmp(&b.name)));
    costs.truncate(most);
    costs
}

/// Every arm with the baseline, at every load at which both were profiled.
fn pairs(run: &RunRecord) -> Vec<Pair<'_>> {
    let experiment = &run.experiment;
    let profiles = |arm: usize, level: usize| -> Vec<Profile<'_>> {
        let all = run.cpu_profiles.iter().chain(&run.inspections);
        let there = all.filter(|seen| seen.arm == arm && seen.inspection.level == level);
        there.filter_map(|seen| Profile::of(&seen.inspection)).collect()
    };
    let baseline = experiment.design.baseline;
    let mut pairs = Vec::new();
    for arm in (0..experiment.arms.len()).filter(|arm| *arm != baseline) {
        for level in 0..experiment.load.connections.len() {
            let profiles = [baseline, arm].map(|arm| profiles(arm, level));
            if profiles.iter().all(|profiles| !profiles.is_empty()) {
                pairs.push(Pair { baseline, arm, level, profiles });
            }
        }
    }
    pairs
}

fn difference(experiment: &Experiment, pair: &Pair<'_>) -> CpuDifference {
    let name = |arm: usize| experiment.arms[arm].name.clone();
    let whole = [0, 1].map(|of| Sampled::whole(&pair.profiles[of]));
    CpuDifference {
        baseline: name(pair.baseline),
        arm: name(pair.arm),
        level: experiment.load.level(pair.level),
        starts: [0, 1].map(|of| pair.profiles[of].len() as u32),
        seconds: [whole[0].mean(), whole[1].mean()],
        difference: profile::difference([&whole[0], &whole[1]], CONFIDENCE).estimate,
        methods: table::methods(&pair.profiles),
        packages: table::packages(&pair.profiles),
    }
}

/// An estimate of the model from one of the statistics.
fn estimate_of(estimate: stats::summary::SampleEstimate) -> Estimate {
    Estimate {
        value: estimate.value,
        low: estimate.interval.map(|interval| interval.low),
        high: estimate.interval.map(|interval| interval.high),
    }
}

#[cfg(test)]
mod tests;
