//! What all starts say of the highest rate of an arm, and what cannot be told.

use super::{Start, objective, pooled, start};
use model::experiment::Experiment;
use model::found::{Found, MaxRate, Probe};
use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Estimate, Verdict};
use model::record::{RoundRecord, SliceRecord};
use stats::summary::estimate;

/// Share of the starts that may show no rate: with more of them the others are a choice.
const SILENT: f64 = 0.25;

/// Fills in what was found of each arm; nothing before a start that counts.
pub(crate) fn fill(arms: &mut [ArmResult], experiment: &Experiment, rounds: &[RoundRecord]) {
    let Some(objective) = objective(experiment) else {
        return;
    };
    let counted: Vec<&RoundRecord> = rounds.iter().filter(|round| round.void.is_none()).collect();
    for (index, arm) in arms.iter_mut().enumerate() {
        let starts = counted.iter().filter_map(|round| start(experiment, round, index));
        let starts: Vec<Start> = starts.collect();
        if starts.is_empty() {
            continue;
        }
        let own = counted.iter().flat_map(|round| round.probes());
        let own: Vec<&SliceRecord> = own.filter(|slice| slice.arm == index).collect();
        let probe = |probed: super::Probed| Probe {
            rate: probed.rate,
            share: probed.share,
            requests: probed.requests as u64,
        };
        let logs: Vec<f64> = starts.iter().filter_map(|start| Some(start.rate?.ln())).collect();
        let why = why_none(&starts);
        let found = estimate(&logs, 0.95)
            .filter(|_| why.is_none())
            .map(|found| found.exp());
        let kept = starts.iter().filter_map(|start| start.kept);
        arm.found = Some(Found::MaxRate(MaxRate {
            objective: objective.text(),
            rate: found.map(|found| Estimate {
                value: found.value,
                low: found.interval.map(|ends| ends.low),
                high: found.interval.map(|ends| ends.high),
            }),
            kept: kept.reduce(f64::max),
            why_none: why,
            probes: pooled(own.into_iter(), &objective)
                .into_iter()
                .map(probe)
                .collect(),
        }));
    }
}

/// Why no rate can be told, where too many starts showed none.
fn why_none(starts: &[Start]) -> Option<String> {
    let silent: Vec<&Start> = starts.iter().filter(|start| start.rate.is_none()).collect();
    if silent.len() as f64 <= SILENT * starts.len() as f64 {
        return None;
    }
    let (silent_starts, all) = (silent.len(), starts.len());
    let late = silent.iter().find_map(|start| start.late.clone());
    let reason = match (late, silent.iter().any(|start| start.kept.is_none())) {
        (Some((rate, why)), _) => {
            format!("the generator could do no more than {rate:.0} requests per second: {why}")
        }
        (None, true) => "the objective was not kept at the lowest rate that was tried".to_owned(),
        (None, false) => "the objective was kept at the highest rate that was tried".to_owned(),
    };
    Some(format!("in {silent_starts} of {all} starts {reason}"))
}

/// Where the rate of one arm cannot be told, there is no verdict on it.
pub(crate) fn void_comparisons(comparisons: &mut [Comparison], arms: &[ArmResult]) {
    let why = |name: &str| {
        let arm = arms.iter().find(|arm| arm.name == name)?;
        match arm.found.as_ref()? {
            Found::MaxRate(found) => found.why_none.as_ref().map(|why| format!("{name}: {why}")),
            Found::Capacity(_) => None,
        }
    };
    let asked = |comparison: &&mut Comparison| comparison.measure == Measure::MaxRate.id();
    for comparison in comparisons.iter_mut().filter(asked) {
        if let Some(reason) = why(&comparison.baseline).or_else(|| why(&comparison.arm)) {
            comparison.verdict = Verdict::Invalid;
            comparison.gate = None;
            comparison.remark = Some(reason);
        }
    }
}
