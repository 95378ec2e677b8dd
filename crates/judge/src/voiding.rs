//! Which verdicts do not count, because a level on which they rest is invalid, and which count although the generator held an arm back.

use crate::arm_levels::too_many_void;
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use record::outcome::{ArmResult, Comparison, HeldBack, Verdict};
use record::remark::Remark;
use record::rounds::{RoundRecord, counted};

/// Voids verdicts that rest on an invalid level, and verdicts on response times where the generator was late too often.
pub(crate) fn void_comparisons(comparisons: &mut [Comparison], arms: &[ArmResult], rounds: &[RoundRecord]) {
    for comparison in comparisons {
        let late = why_times_invalid(comparison.measure, rounds);
        let rests_on = |arm: &&ArmResult| arm.name == comparison.arm || arm.name == comparison.baseline;
        let level = comparison.level.as_ref();
        let rests_on = arms.iter().filter(rests_on);
        let held = held_back(level, rests_on.clone());
        if let Some(reason) = why_invalid(level, rests_on, late.as_ref()) {
            void(comparison, reason);
        } else if let Some(held) = held {
            match comparison.withstands(held.most) {
                true => comparison.remarks.push(Remark::HeldBack(held)),
                false => void(comparison, held.reason),
            }
        }
    }
}

fn void(comparison: &mut Comparison, reason: Reason) {
    comparison.verdict = Verdict::Invalid;
    comparison.gate = None;
    comparison.remarks = vec![Remark::Invalid(reason)];
}

/// What the generator may have taken most from one of these arms at a load.
pub(crate) fn held_back<'a>(
    level: Option<&Load>,
    arms: impl Iterator<Item = &'a ArmResult>,
) -> Option<HeldBack> {
    let levels = arms.flat_map(|arm| &arm.levels).filter(|one| level == Some(&one.load));
    levels.filter_map(|one| one.held_back.clone()).max_by(|a, b| a.most.0.total_cmp(&b.most.0))
}

/// Why a percentile of the response times cannot be trusted, if the generator was late too often; `None` for other measures.
pub(crate) fn why_times_invalid(measure: Measure, rounds: &[RoundRecord]) -> Option<Reason> {
    if !measure.at_a_rate() {
        return None;
    }
    let late: Vec<Option<&Reason>> = counted(rounds).map(|round| round.times_void(measure)).collect();
    too_many_void(&late)
}

/// Why a measure of these arms is invalid at a load, if it is. `late` is the reason of [`why_times_invalid`] for the measure.
pub(crate) fn why_invalid<'a>(
    level: Option<&Load>,
    arms: impl Iterator<Item = &'a ArmResult> + Clone,
    late: Option<&Reason>,
) -> Option<Reason> {
    let mut levels = arms.clone().flat_map(|arm| &arm.levels);
    let reason = match level {
        Some(load) if levels.any(|level| level.load == *load) => why_invalid_at(arms, load),
        // The measure has no level, or no start came to its level, as to the fixed rate after a closed loop that does not count.
        _ => why_invalid_everywhere(arms),
    };
    reason.or_else(|| late.cloned())
}

/// Why one of these arms is invalid at a load, if one is.
fn why_invalid_at<'a>(arms: impl Iterator<Item = &'a ArmResult>, load: &Load) -> Option<Reason> {
    arms.flat_map(|arm| &arm.levels)
        .filter(|level| level.load == *load)
        .find_map(|level| level.why_invalid.clone())
}

/// Why one of these arms is invalid at all levels of the closed loop, if one is: its starts then gave no figures at all.
fn why_invalid_everywhere<'a>(mut arms: impl Iterator<Item = &'a ArmResult>) -> Option<Reason> {
    arms.find_map(|arm| {
        let mut closed = arm.levels.iter().filter(|level| level.load.users.is_some());
        let first = closed.next()?.why_invalid.clone()?;
        closed.all(|level| !level.valid).then_some(first)
    })
}

/// Whether all arms are valid at this load; without a load, whether they are valid at every load.
pub(crate) fn all_valid(arms: &[ArmResult], load: Option<&Load>) -> bool {
    let levels = arms.iter().flat_map(|arm| &arm.levels);
    let mut here = levels.filter(|level| load.is_none_or(|load| level.load == *load));
    here.all(|level| level.valid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm_results::arm_results;
    use crate::numbers::Numbers;
    use crate::testing::{PLAIN, experiment, round, saturated};
    use crate::verdicts::judge;
    use model::units::Seconds;
    use stats::spending::LookKind;

    /// The comparison of throughput where the second arm gives this share of the first one's answers, and the generator was saturated in all
    /// slices of the first one, or in none.
    fn compared(share: f64, is_saturated: bool) -> Comparison {
        let of = |number| {
            let mut round = round(number, &[PLAIN, PLAIN]);
            for slice in &mut round.slices {
                match slice.arm {
                    0 => slice.why_invalid = is_saturated.then(saturated),
                    _ => {
                        slice.counts.ok = (slice.counts.ok as f64 * share) as u64;
                        slice.counts.requests = slice.counts.ok;
                    }
                }
            }
            round
        };
        let rounds: Vec<RoundRecord> = (1..=5).map(of).collect();
        let numbers = Numbers::of_rounds(&experiment(), &rounds);
        let arms = arm_results(&experiment(), &rounds, &numbers, &[]);
        let mut comparisons = judge(&experiment(), &numbers, Seconds(20.0), LookKind::Last).comparisons;
        void_comparisons(&mut comparisons, &arms, &rounds);
        let mut all = comparisons.into_iter();
        all.find(|comparison| comparison.measure == Measure::Throughput).expect("compared")
    }

    #[test]
    fn a_verdict_counts_that_the_generator_cannot_have_made() {
        let told = |comparison: &Comparison| {
            comparison.remarks.iter().find_map(|remark| match remark {
                Remark::HeldBack(held) => Some(held.most),
                _ => None,
            })
        };
        let slower = compared(0.5, true);
        assert_eq!(slower.verdict, Verdict::Slower);
        assert!(told(&slower).is_some_and(|most| most.0 > 0.2), "{:?}", slower.remarks);
        let near = compared(0.9, true);
        assert_eq!((near.verdict, told(&near)), (Verdict::Invalid, None), "so much may be the generator's");
        let free = compared(0.9, false);
        assert_eq!((free.verdict, told(&free)), (Verdict::Slower, None));
    }
}
