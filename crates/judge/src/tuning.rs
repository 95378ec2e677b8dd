//! Chooses, once, after four starts, how many pairs of slices all later starts have. It depends on the rounds alone, so a resumed
//! run chooses the same numbers. It looks at how much the arms vary and never at how they differ, and treats them alike, so the
//! error rates stay as they are.

use crate::numbers::Versus;
use crate::round_numbers::row_differences;
use crate::round_time::{PairTimes, Pairs};
use ask::experiment::{Experiment, Headline, Pacing};
use model::measure::Measure;
use model::units::Seconds;
use record::rounds::{RoundRecord, SliceRecord};
use stats::planning::{PAIRS, Variances};
use stats::robust::mean;

/// Fewest pairs that a start keeps: ten quads, because the variance of a start is estimated from how they spread. A session, for which fewer are
/// designed, keeps those.
const LEAST: u32 = 20;
/// Number of starts after which the pairs of all later starts are chosen.
const TUNE: usize = 4;

/// How many pairs of slices the next start has: the designed numbers, or for a headline of one measure, from
/// the fifth start on the numbers that resolve most. For three measures a start is divided as it was
/// designed: an unlike division would make its time longer or one of the measures worse.
pub fn next_pairs(experiment: &Experiment, rounds: &[RoundRecord]) -> Pairs {
    let tuned = match experiment.design.headline {
        Headline::One(measure) => pairs_for(experiment, rounds, measure),
        Headline::Overall => None,
    };
    tuned.unwrap_or(Pairs::of(&experiment.design))
}

/// The first four starts that count in the closed loop, or at the fixed rate. `None` where there are fewer, or where the service is slow
/// and slices are long: the number of pairs then follows from the time that a row takes.
fn first_starts(rounds: &[RoundRecord], at_a_rate: bool, designed: Pairs) -> Option<Vec<&RoundRecord>> {
    let counts = |round: &&RoundRecord| round.void.is_none() && !(at_a_rate && round.stage_void.is_some());
    let first: Vec<&RoundRecord> = rounds.iter().filter(counts).take(TUNE).collect();
    let quick = |round: &&RoundRecord| match at_a_rate {
        true => round.latency_pairs == designed.open,
        false => round.levels.iter().all(|level| level.pairs == round.pairs),
    };
    (first.len() == TUNE && first.iter().all(quick)).then_some(first)
}

/// The pairs for one measure: as many as resolve most per second (Kalibera and Jones 2013; [`Variances::best_pairs`]).
fn pairs_for(experiment: &Experiment, rounds: &[RoundRecord], measure: Measure) -> Option<Pairs> {
    let design = &experiment.design;
    let mut pairs = Pairs::of(design);
    let at_a_rate = design.compares_at_a_rate(measure);
    let first = first_starts(rounds, at_a_rate, pairs)?;
    let each = PairTimes::of(experiment);
    let (slot, tune, each) = match at_a_rate {
        true if design.pacing == Pacing::Mixed => (&mut pairs.windows, design.tune_latency, each.window),
        true => (&mut pairs.open, design.tune_latency, each.open),
        false => (&mut pairs.closed, design.tune, each.closed),
    };
    if tune {
        *slot = best_pairs(experiment, &first, measure, *slot, each)?;
    }
    Some(pairs)
}

/// How many pairs the measure gets instead of the designed number. A pair takes as long as `each`. `None` where the measure is not compared
/// pair by pair.
fn best_pairs(
    experiment: &Experiment,
    rounds: &[&RoundRecord],
    measure: Measure,
    designed: u32,
    each: Seconds,
) -> Option<u32> {
    let design = &experiment.design;
    let spent: Seconds = rounds.iter().map(|round| round.elapsed).sum();
    let around = (spent / rounds.len() as f64 - f64::from(designed) * each).max(Seconds::ZERO);
    let best = places(experiment, measure)
        .filter_map(|place| variances(experiment, rounds, measure, place))
        .map(|noise| noise.best_pairs(around.0, each.0))
        .max()?;
    // Longer rounds must not use up the budget: as many again have to fit into it as there were.
    let left = design.budget.map(|budget| Seconds::from(budget) - spent);
    let room = left.map_or(f64::INFINITY, |left| (left / TUNE as f64 - around) / each);
    let most = if room < PAIRS.1 as f64 { 2 * (room / 2.0) as u32 } else { PAIRS.1 as u32 };
    let least = if design.in_sessions { LEAST.min(designed) } else { LEAST };
    Some((best as u32).max(least).min(most.max(designed)))
}

/// An arm at a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) arm: usize,
    pub(crate) level: usize,
}

/// The arms but the baseline, at each level at which the measure is compared.
pub(crate) fn places(experiment: &Experiment, measure: Measure) -> impl Iterator<Item = Place> {
    let baseline = experiment.design.baseline;
    let levels = experiment.comparisons_per_start(measure);
    let others = (0..experiment.arms.len()).filter(move |arm| *arm != baseline);
    others.flat_map(move |arm| (0..levels).map(move |level| Place { arm, level }))
}

/// The variance of a measure's differences between an arm and the baseline at a level, within starts and between them.
fn variances(
    experiment: &Experiment,
    rounds: &[&RoundRecord],
    measure: Measure,
    place: Place,
) -> Option<Variances> {
    let both = [place.arm, experiment.design.baseline];
    let counts = |round: &RoundRecord| both.iter().all(|arm| round.void_of_arm(place.level, *arm).is_none());
    let counted = rounds.iter().filter(|round| counts(round));
    let pairs_of = |round: &&RoundRecord| pairs_in_round(experiment, round, measure, place);
    let pairs = counted.map(pairs_of).collect::<Option<Vec<_>>>()?;
    let d = pairs.iter().map(|pairs| mean(pairs)).collect::<Option<Vec<_>>>()?;
    let pairs: Vec<&[f64]> = pairs.iter().map(Vec::as_slice).collect();
    Variances::of(&pairs, &d)
}

/// The differences of an arm from the baseline in one round at a level, pair by pair. `None` for measures other than throughput and
/// CPU per request.
pub(crate) fn pairs_in_round(
    experiment: &Experiment,
    round: &RoundRecord,
    measure: Measure,
    place: Place,
) -> Option<Vec<f64>> {
    if !matches!(measure, Measure::CpuPerRequest | Measure::Throughput) {
        return None;
    }
    let design = &experiment.design;
    let at_a_rate = design.compares_at_a_rate(measure);
    let slices: Vec<_> = match at_a_rate {
        true => round.staged_for_cpu().collect(),
        false => {
            let counts = |slice: &&SliceRecord| round.void_of_arm(place.level, slice.arm).is_none();
            round.closed_at(place.level).filter(counts).collect()
        }
    };
    let versus = Versus { arm: place.arm, baseline: design.baseline };
    row_differences(&slices, versus, measure, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, experiment, round};
    use model::units::Nanos;

    /// Rounds in which the second arm is better by these factors.
    fn records(factors: &[f64]) -> Vec<RoundRecord> {
        let record = |(i, factor): (usize, &f64)| round(i as u32 + 1, &[PLAIN, PLAIN.better(*factor)]);
        factors.iter().enumerate().map(record).collect()
    }

    #[test]
    fn after_four_starts_the_pairs_are_chosen_once_more_and_then_kept() {
        let mut asked = experiment();
        asked.design.headline = Headline::One(Measure::CpuPerRequest);
        // All the noise is between starts, so more pairs would not help.
        let noisy = records(&[1.05, 0.95, 1.04, 0.96, 1.0, 1.0]);
        let open = |asked: &Experiment, rounds: &[RoundRecord]| next_pairs(asked, rounds).open;
        assert_eq!(open(&asked, &noisy[..3]), asked.design.latency_pairs);
        assert_eq!(open(&asked, &noisy[..4]), LEAST);
        assert_eq!(open(&asked, &noisy), LEAST);
        // There is no noise between starts: as many pairs as are allowed, or as the budget leaves room for.
        let quiet = records(&[1.0; 4]);
        assert_eq!(open(&asked, &quiet), PAIRS.1 as u32);
        let spent: Seconds = quiet.iter().map(|round| round.elapsed).sum();
        asked.design.budget = Some(Nanos::from_secs_f64(2.0 * spent.0));
        assert_eq!(open(&asked, &quiet), asked.design.latency_pairs);
        asked.design.tune_latency = false;
        asked.design.budget = None;
        assert_eq!(open(&asked, &quiet), asked.design.latency_pairs);
        // For a headline of the closed loop its pairs are chosen.
        asked.design.headline = Headline::One(Measure::Throughput);
        assert_eq!(next_pairs(&asked, &quiet).closed, PAIRS.1 as u32);
    }

    #[test]
    fn a_session_keeps_the_few_pairs_that_it_was_designed_with() {
        let mut asked = experiment();
        asked.design.headline = Headline::One(Measure::Throughput);
        let noisy = records(&[1.05, 0.95, 1.04, 0.96]);
        let started = next_pairs(&asked, &noisy).closed;
        (asked.design.in_sessions, asked.design.pairs) = (true, 12);
        assert_eq!((started, next_pairs(&asked, &noisy).closed), (LEAST, 12));
    }

    #[test]
    fn a_start_is_divided_as_designed_for_three_measures_and_windows_are_chosen_for_cpu_in_a_mixed_stage() {
        let mut asked = experiment();
        let quiet = records(&[1.0; 4]);
        assert_eq!(next_pairs(&asked, &quiet), Pairs::of(&asked.design));
        asked.design.headline = Headline::One(Measure::CpuPerRequest);
        asked.design.pacing = Pacing::Mixed;
        let chosen = next_pairs(&asked, &quiet);
        assert_eq!((chosen.open, chosen.windows), (asked.design.latency_pairs, PAIRS.1 as u32));
    }

    #[test]
    fn a_difference_between_the_arms_moves_no_time() {
        let asked = experiment();
        let twice = Speed { cpu_ns: PLAIN.cpu_ns * 2, ..PLAIN };
        let rounds: Vec<RoundRecord> = (1..=4).map(|number| round(number, &[PLAIN, twice])).collect();
        assert_eq!(next_pairs(&asked, &rounds), next_pairs(&asked, &records(&[1.0; 4])));
    }
}
