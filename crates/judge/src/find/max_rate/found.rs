//! What all starts say of the highest rate of an arm, and what cannot be told.

use super::{AROUND, Answer, Probed, STEP, Start, answer, pooled, start};
use model::experiment::Objective;
use model::finding::Cause;
use model::measure::Measure;
use model::outcome::{ArmResult, Comparison, Estimate, Load, Verdict};
use model::reason::{NoRate, Reason};
use model::record::{RoundRecord, SliceRecord};
use model::remark::Remark;
use model::search::{MaxRate, Probe, SearchResult};
use stats::summary::estimate;

/// Share of the starts that may show no rate: with more of them the others are a choice.
const SILENT: f64 = 0.25;

/// The probes of a start next beyond the highest rate of an arm: those that missed the objective, as far up as the grid is
/// probed on either side. Much higher rates, as the search has them, may meet another limit.
pub(super) fn beyond<'a>(objective: &Objective, round: &'a RoundRecord, arm: usize) -> Vec<&'a SliceRecord> {
    let found = start(objective, round, arm).and_then(|start| start.rate);
    let own = round.probes().filter(|slice| slice.arm == arm);
    let missed = own
        .filter(|slice| slice.rate > found)
        .filter(|slice| answer(slice, objective) != Answer::Kept);
    let missed: Vec<&SliceRecord> = missed.collect();
    let lowest = missed.iter().filter_map(|slice| slice.rate).reduce(f64::min);
    let highest = lowest.map(|lowest| lowest * STEP.powi(2 * AROUND));
    missed.into_iter().filter(|slice| slice.rate <= highest).collect()
}

/// The cause that comes first beyond the highest rate; `None` where none was found.
fn limiter(objective: &Objective, arm: &ArmResult, rounds: &[&RoundRecord], index: usize) -> Option<Cause> {
    let probes = rounds.iter().flat_map(|round| beyond(objective, round, index));
    let there = Load {
        users: None,
        rate: probes.filter_map(|slice| slice.rate).reduce(f64::min),
    };
    let first = arm.diagnoses.iter().find(|found| found.level == there)?;
    (first.cause() != Cause::LimitNotFound).then(|| first.cause())
}

/// Fills in what was found of each arm; nothing before a start that counts.
pub(super) fn fill(objective: &Objective, arms: &mut [ArmResult], rounds: &[RoundRecord]) {
    let counted: Vec<&RoundRecord> = rounds.iter().filter(|round| round.void.is_none()).collect();
    for (index, arm) in arms.iter_mut().enumerate() {
        let starts = counted.iter().filter_map(|round| start(objective, round, index));
        let starts: Vec<Start> = starts.collect();
        if starts.is_empty() {
            continue;
        }
        let own = counted.iter().flat_map(|round| round.probes());
        let own: Vec<&SliceRecord> = own.filter(|slice| slice.arm == index).collect();
        let probe = |probed: Probed| Probe {
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
        arm.found = Some(SearchResult::MaxRate(MaxRate {
            objective: objective.text(),
            allowed: Some(objective.allowed()),
            rate: found.map(|found| Estimate {
                value: found.value,
                low: found.interval.map(|ends| ends.low),
                high: found.interval.map(|ends| ends.high),
            }),
            kept: kept.reduce(f64::max),
            limiter: limiter(objective, arm, &counted, index),
            why_none: why,
            probes: pooled(own.into_iter(), objective)
                .into_iter()
                .map(probe)
                .collect(),
        }));
    }
}

/// Why no rate can be told, where too many starts showed none.
fn why_none(starts: &[Start]) -> Option<Reason> {
    let silent: Vec<&Start> = starts.iter().filter(|start| start.rate.is_none()).collect();
    if silent.len() as f64 <= SILENT * starts.len() as f64 {
        return None;
    }
    let late = silent.iter().find_map(|start| start.late.clone());
    let why = match (late, silent.iter().any(|start| start.kept.is_none())) {
        (Some((rate, reason)), _) => NoRate::Generator {
            rate,
            reason: Box::new(reason),
        },
        (None, true) => NoRate::NeverKept,
        (None, false) => NoRate::AlwaysKept,
    };
    Some(Reason::InStarts {
        reason: Box::new(Reason::NoRate(why)),
        starts: silent.len() as u64,
        all: starts.len() as u64,
    })
}

/// Where the rate of one arm cannot be told, there is no verdict on it.
pub(super) fn void_comparisons(comparisons: &mut [Comparison], arms: &[ArmResult]) {
    let why = |name: &str| {
        let arm = arms.iter().find(|arm| arm.name == name)?;
        let reason = match arm.found.as_ref()? {
            SearchResult::MaxRate(found) => found.why_none.clone()?,
            SearchResult::Capacity(_) => return None,
        };
        Some(Reason::OfArm {
            arm: name.to_owned(),
            reason: Box::new(reason),
        })
    };
    let asked = |comparison: &&mut Comparison| comparison.measure == Measure::MaxRate.id();
    for comparison in comparisons.iter_mut().filter(asked) {
        if let Some(reason) = why(&comparison.baseline).or_else(|| why(&comparison.arm)) {
            comparison.verdict = Verdict::Invalid;
            comparison.gate = None;
            comparison.remarks = vec![Remark::Invalid(reason)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{looking, objective, pools, probe, probed as start_of, record};
    use model::finding::{Finding, Shown, Slots};
    use model::outcome::Report;

    /// Both arms keep the objective up to 1000 a second, have so many threads, and beyond so many requests in flight.
    fn report(threads: [u64; 2], in_flight: f64) -> Report {
        let experiment = looking();
        let mut round = start_of(1, [1000.0, 1000.0]);
        for slice in round.slices.iter_mut().filter(|slice| slice.probe) {
            slice.in_flight = if slice.rate > Some(1000.0) { in_flight } else { 5.0 };
            slice.cpu_ns_arm = 300_000_000;
        }
        pools(&mut round, threads);
        crate::report(&record(experiment), &[round])
    }

    #[test]
    fn what_limits_beyond_the_highest_rate_is_named_from_the_probes_that_missed_it() {
        let report = report([20, 200], 60.0);
        let limiter = |arm: usize| match &report.arms[arm].found {
            Some(SearchResult::MaxRate(found)) => found.limiter,
            _ => panic!("nothing was found"),
        };
        assert_eq!((limiter(0), limiter(1)), (Some(Cause::ThreadPoolLimit), None));
        let beyond = |arm: usize| {
            let mut found = report.arms[arm].diagnoses.iter();
            found.find(|one| one.level.rate > Some(1000.0)).expect("a cause")
        };
        let Finding::ThreadPoolLimit(pool) = &beyond(0).finding else {
            panic!("{:?}", beyond(0))
        };
        assert_eq!((pool.slots_are, pool.ceiling.slots), (Slots::Threads, 20.0));
        let Finding::LimitNotFound(not_found) = &beyond(1).finding else {
            panic!("{:?}", beyond(1))
        };
        let Shown::ByObjective { objective, .. } = not_found.shown else {
            panic!("{not_found:?}")
        };
        assert_eq!(objective.text(), "response_p99 < 20ms");
    }

    #[test]
    fn probes_that_kept_the_objective_show_no_limit() {
        let mut kept = start_of(1, [1000.0, 1000.0]);
        kept.slices.retain(|slice| slice.rate < Some(1000.0));
        assert!(beyond(&objective(), &kept, 0).is_empty());
        let mut far = start_of(1, [1000.0, 1000.0]);
        let next = beyond(&objective(), &far, 0).len();
        assert!(next > 0);
        // The search doubles its steps: what it met there is another question.
        far.slices.push(probe(0, 9000.0, 1000.0));
        assert_eq!(beyond(&objective(), &far, 0).len(), next);
    }
}
