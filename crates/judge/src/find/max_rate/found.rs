//! The highest rate of an arm over all starts, what limits the arm beyond it, or why there is no result.

use super::{AROUND, Answer, ProbedRate, STEP, StartResult, answer, pool_by_rate, start_result};
use ask::experiment::Objective;
use model::load::Load;
use model::measure::Measure;
use model::reason::{NoRate, Reason};
use model::units::Rate;
use record::finding::Cause;
use record::outcome::{ArmResult, Comparison, Estimate, Verdict};
use record::remark::Remark;
use record::rounds::{RoundRecord, SliceRecord, counted};
use record::search::{MaxRate, Probe, SearchResult};
use stats::summary::estimate;

/// Largest share of the starts that may have no result; with more, the other starts would be a biased selection.
const SILENT: f64 = 0.25;

/// The probes of a start just beyond the highest rate of an arm: they missed the objective, within as many places of the grid
/// as are probed around a candidate. Much higher rates, which the search of the first start tries, may meet another limit.
pub(super) fn slices_beyond<'a>(
    objective: &Objective,
    round: &'a RoundRecord,
    arm: usize,
) -> Vec<&'a SliceRecord> {
    let highest_kept = start_result(objective, round, arm).and_then(|start| start.rate);
    let probes = round.probes().filter(|slice| slice.arm == arm);
    let missed = probes
        .filter(|slice| slice.rate > highest_kept)
        .filter(|slice| answer(slice, objective) != Answer::Kept);
    let missed: Vec<&SliceRecord> = missed.collect();
    let lowest = missed.iter().filter_map(|slice| slice.rate).reduce(Rate::min);
    let highest = lowest.map(|lowest| Rate(lowest.0 * STEP.powi(2 * AROUND)));
    missed.into_iter().filter(|slice| slice.rate <= highest).collect()
}

/// The first cause that was diagnosed beyond the highest rate; `None` where none was found.
fn limiter(objective: &Objective, arm: &ArmResult, rounds: &[&RoundRecord], index: usize) -> Option<Cause> {
    let probes = rounds.iter().flat_map(|round| slices_beyond(objective, round, index));
    let there = Load { rate: probes.filter_map(|slice| slice.rate).reduce(Rate::min), ..Load::default() };
    let first = arm.diagnoses.iter().find(|found| found.level == there)?;
    (first.cause() != Cause::LimitNotFound).then(|| first.cause())
}

/// Fills in the highest rate of each arm; does nothing before the first start that counts.
pub(super) fn fill_in_rates(objective: &Objective, arms: &mut [ArmResult], rounds: &[RoundRecord]) {
    let counted: Vec<&RoundRecord> = counted(rounds).collect();
    for (index, arm) in arms.iter_mut().enumerate() {
        let starts = counted.iter().filter_map(|round| start_result(objective, round, index));
        let starts: Vec<StartResult> = starts.collect();
        if starts.is_empty() {
            continue;
        }
        let probes = counted.iter().flat_map(|round| round.probes());
        let probes = probes.filter(|slice| slice.arm == index);
        let probe = |probed: ProbedRate| Probe {
            rate: probed.rate,
            share: probed.share,
            requests: probed.requests as u64,
        };
        let logs: Vec<f64> = starts.iter().filter_map(|start| Some(start.rate?.0.ln())).collect();
        let why = why_none(&starts);
        let rate = estimate(&logs, 0.95).filter(|_| why.is_none()).map(|rate| rate.exp());
        let kept = starts.iter().filter_map(|start| start.kept);
        arm.found = Some(SearchResult::MaxRate(MaxRate {
            objective: objective.text(),
            allowed: Some(objective.allowed()),
            rate: rate.map(|rate| Estimate {
                value: rate.value,
                low: rate.interval.map(|ends| ends.low),
                high: rate.interval.map(|ends| ends.high),
            }),
            kept: kept.reduce(Rate::max),
            limiter: limiter(objective, arm, &counted, index),
            why_none: why,
            probes: pool_by_rate(probes, objective).into_iter().map(probe).collect(),
        }));
    }
}

/// Why there is no result, if too many starts have none.
fn why_none(starts: &[StartResult]) -> Option<Reason> {
    let silent: Vec<&StartResult> = starts.iter().filter(|start| start.rate.is_none()).collect();
    if silent.len() as f64 <= SILENT * starts.len() as f64 {
        return None;
    }
    let late = silent.iter().find_map(|start| start.late.clone());
    let why = match (late, silent.iter().any(|start| start.kept.is_none())) {
        (Some((rate, reason)), _) => NoRate::Generator { rate, reason: Box::new(reason) },
        (None, true) => NoRate::NeverKept,
        (None, false) => NoRate::AlwaysKept,
    };
    Some(Reason::InStarts {
        reason: Box::new(Reason::NoRate(why)),
        starts: silent.len() as u64,
        all: starts.len() as u64,
    })
}

/// Voids the comparisons in which one of the two arms has no highest rate.
pub(super) fn void_comparisons(comparisons: &mut [Comparison], arms: &[ArmResult]) {
    let why = |name: &str| {
        let arm = arms.iter().find(|arm| arm.name == name)?;
        let reason = match arm.found.as_ref()? {
            SearchResult::MaxRate(result) => result.why_none.clone()?,
            SearchResult::Capacity(_) => return None,
        };
        Some(Reason::OfArm { arm: name.to_owned(), reason: Box::new(reason) })
    };
    let is_of_rate = |comparison: &&mut Comparison| comparison.measure == Measure::MaxRate;
    for comparison in comparisons.iter_mut().filter(is_of_rate) {
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
    use crate::testing::{objective, pools, probe, probed as start_of, record, searching_rate};
    use model::units::{Count, Seconds};
    use record::finding::{Finding, Shown, Slots};
    use record::outcome::Report;

    /// A report in which both arms keep the objective up to 1000 requests a second. The arms have these numbers of threads, and
    /// beyond that rate so many requests in flight.
    fn report(threads: [u64; 2], in_flight: f64) -> Report {
        let experiment = searching_rate();
        let mut round = start_of(1, [1000.0, 1000.0]);
        for slice in round.slices.iter_mut().filter(|slice| slice.probe) {
            slice.in_flight = if slice.rate > Some(Rate(1000.0)) { Seconds(in_flight) } else { Seconds(5.0) };
            slice.cpu_ns_arm = 300_000_000;
        }
        pools(&mut round, threads);
        crate::report(&record(experiment), &[round])
    }

    #[test]
    fn the_limiter_beyond_the_highest_rate_comes_from_the_probes_that_missed_the_objective() {
        let report = report([20, 200], 60.0);
        let limiter = |arm: usize| match &report.arms[arm].found {
            Some(SearchResult::MaxRate(found)) => found.limiter,
            _ => panic!("nothing was found"),
        };
        assert_eq!((limiter(0), limiter(1)), (Some(Cause::ThreadPoolLimit), None));
        let beyond = |arm: usize| {
            let mut found = report.arms[arm].diagnoses.iter();
            found.find(|one| one.level.rate > Some(Rate(1000.0))).expect("a cause")
        };
        let Finding::ThreadPoolLimit(pool) = &beyond(0).finding else { panic!("{:?}", beyond(0)) };
        assert_eq!((pool.slots_are, pool.ceiling.slots), (Slots::Threads, Count(20.0)));
        let Finding::LimitNotFound(not_found) = &beyond(1).finding else { panic!("{:?}", beyond(1)) };
        let Shown::ByObjective { objective, .. } = not_found.shown else { panic!("{not_found:?}") };
        assert_eq!(objective.text(), "response_p99 < 20ms");
    }

    #[test]
    fn probes_that_kept_the_objective_show_no_limit() {
        let mut kept = start_of(1, [1000.0, 1000.0]);
        kept.slices.retain(|slice| slice.rate < Some(Rate(1000.0)));
        assert!(slices_beyond(&objective(), &kept, 0).is_empty());
        let mut far = start_of(1, [1000.0, 1000.0]);
        let next = slices_beyond(&objective(), &far, 0).len();
        assert!(next > 0);
        // The search doubles its steps, and may meet another limit so far beyond.
        far.slices.push(probe(0, 9000.0, 1000.0));
        assert_eq!(slices_beyond(&objective(), &far, 0).len(), next);
    }
}
