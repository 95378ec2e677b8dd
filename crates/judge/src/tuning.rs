//! Chooses, once, after four starts, how many pairs of slices all later starts have. It depends on the rounds alone, so a resumed
//! run chooses the same numbers. It looks at how much the arms vary and never at how they differ, and treats them alike, so the
//! error rates stay as they are.

use crate::numbers::{Numbers, Versus};
use crate::round_numbers::row_differences;
use crate::round_time::{Pairs, pair_seconds};
use model::experiment::{Experiment, Headline};
use model::measure::Measure;
use model::record::RoundRecord;
use stats::planning::{PAIRS, Variances};
use stats::robust::{mean, variance};

/// Fewest pairs of each kind that a start keeps: two quads.
const LEAST: u32 = 4;
/// Number of starts after which the pairs of all later starts are chosen.
const TUNE: usize = 4;

/// How many pairs of slices the next start has: the designed numbers, or from the fifth start on those that resolve most.
pub fn next_pairs(experiment: &Experiment, rounds: &[RoundRecord]) -> Pairs {
    let designed = Pairs::of(&experiment.design);
    let tuned = match experiment.design.headline {
        Headline::One(measure) => pairs_for(experiment, rounds, measure),
        Headline::Overall => shared_pairs(experiment, rounds),
    };
    tuned.unwrap_or(designed)
}

/// The first four starts that count in the closed loop, and at the fixed rate if that is asked for. `None` where there are
/// fewer, or where the service is slow and slices are long: the number of pairs then follows from the time that a row takes.
fn first_starts(
    rounds: &[RoundRecord],
    closed: bool,
    open: bool,
    designed: Pairs,
) -> Option<Vec<&RoundRecord>> {
    let counts = |round: &&RoundRecord| round.void.is_none() && !(open && round.stage_void.is_some());
    let first: Vec<&RoundRecord> = rounds.iter().filter(counts).take(TUNE).collect();
    let quick = |round: &&RoundRecord| {
        (!open || round.latency_pairs == designed.open)
            && (!closed || round.levels.iter().all(|level| level.pairs == round.pairs))
    };
    (first.len() == TUNE && first.iter().all(quick)).then_some(first)
}

/// The pairs for one measure: as many as resolve most per second (Kalibera and Jones 2013; [`Variances::best_pairs`]).
fn pairs_for(experiment: &Experiment, rounds: &[RoundRecord], measure: Measure) -> Option<Pairs> {
    let design = &experiment.design;
    let mut pairs = Pairs::of(design);
    let at_a_rate = design.compares_at_a_rate(measure);
    let first = first_starts(rounds, !at_a_rate, at_a_rate, pairs)?;
    let (slot, tune) = match at_a_rate {
        true => (&mut pairs.open, design.tune_latency),
        false => (&mut pairs.closed, design.tune),
    };
    if tune {
        *slot = best_pairs(experiment, &first, measure, *slot)?;
    }
    Some(pairs)
}

/// How many pairs the measure gets instead of the designed number; `None` where it is not compared pair by pair.
fn best_pairs(
    experiment: &Experiment,
    rounds: &[&RoundRecord],
    measure: Measure,
    designed: u32,
) -> Option<u32> {
    let design = &experiment.design;
    let [closed, open] = pair_seconds(experiment);
    let each = match design.compares_at_a_rate(measure) {
        true => open,
        false => closed,
    };
    let spent: f64 = rounds.iter().map(|round| round.elapsed).sum();
    let around = (spent / rounds.len() as f64 - f64::from(designed) * each).max(0.0);
    let best = places(experiment, measure)
        .filter_map(|place| variances(experiment, rounds, measure, place))
        .map(|noise| noise.best_pairs(around, each))
        .max()?;
    // Longer rounds must not use up the budget: as many again have to fit into it as there were.
    let left = design.budget.map(|budget| budget.as_secs_f64() - spent);
    let room = left.map_or(f64::INFINITY, |left| (left / TUNE as f64 - around) / each);
    let most = if room < PAIRS.1 as f64 {
        2 * (room / 2.0) as u32
    } else {
        PAIRS.1 as u32
    };
    Some((best as u32).min(most.max(designed)))
}

/// How a measure of the headline varied in the first starts.
struct Spread {
    /// Whether it is measured at the fixed rate.
    at_a_rate: bool,
    noise: Variances,
    /// Its margin on the log scale.
    delta: f64,
}

impl Spread {
    /// The standard deviation of `D` in margins, with so many pairs.
    fn in_margins(&self, pairs: Pairs) -> f64 {
        let m = match self.at_a_rate {
            true => pairs.open,
            false => pairs.closed,
        };
        self.noise.sd_with(m as usize) / self.delta
    }
}

/// How much longer the slices of a start may take than designed, so that pairs of unlike lengths can be exchanged.
const LONGER: f64 = 1.05;

/// The standard deviation of `D` in margins below which a measure needs no more time: any number of starts settles it.
const SETTLED: f64 = 0.1;

/// The pairs for several measures. A start takes hardly longer than designed, and its time is shared so that the product of the
/// variances of all measures is smallest (a D-optimal design; Atkinson, Donev, *Optimum Experimental Designs*, 1992). To halve the
/// variance of one measure then counts as much as to halve that of another, so a measure that no share of the time would settle
/// does not take the time of the others.
fn shared_pairs(experiment: &Experiment, rounds: &[RoundRecord]) -> Option<Pairs> {
    let design = &experiment.design;
    let designed = Pairs::of(design);
    if !(design.tune && design.tune_latency) {
        return None;
    }
    let first = first_starts(rounds, true, true, designed)?;
    let spreads = spreads(experiment, &first);
    let noise = |pairs: &Pairs| -> f64 {
        let each = spreads.iter().map(|spread| spread.in_margins(*pairs));
        each.map(|margins| margins.max(SETTLED).ln()).sum()
    };
    let [each_closed, each_open] = pair_seconds(experiment);
    let time = LONGER * designed.seconds(experiment);
    let with_closed = |closed: u32| {
        let room = (time - f64::from(closed) * each_closed) / each_open;
        let open = (2 * (room / 2.0) as u32).min(PAIRS.1 as u32);
        (open >= LEAST).then_some(Pairs { closed, open })
    };
    let others = (LEAST..=PAIRS.1 as u32).step_by(2).filter_map(with_closed);
    // Of equally good ones the first is taken, so the designed numbers stay where nothing is better.
    std::iter::once(designed)
        .chain(others)
        .min_by(|one, other| noise(one).total_cmp(&noise(other)))
}

/// How the measures of the headline varied in these rounds, for each arm and level.
fn spreads(experiment: &Experiment, rounds: &[&RoundRecord]) -> Vec<Spread> {
    let design = &experiment.design;
    let numbers: Vec<Numbers> = rounds
        .iter()
        .filter_map(|round| Numbers::of(experiment, round))
        .collect();
    let measures = design.headline_measures(Numbers::rate_of(&numbers));
    let spread = |measure: Measure, place: Place| {
        let noise = match measure.at_a_rate() {
            true => variances_of_percentile(experiment, &numbers, measure, place),
            false => variances(experiment, rounds, measure, place),
        };
        Some(Spread {
            at_a_rate: design.compares_at_a_rate(measure),
            noise: noise?,
            delta: design.margin(measure).ln_1p(),
        })
    };
    let of_measure = |measure: Measure| {
        let places = places(experiment, measure).collect::<Vec<_>>().into_iter();
        places.filter_map(move |place| spread(measure, place))
    };
    measures.into_iter().flat_map(of_measure).collect()
}

/// The variance of a percentile. It has no value pair by pair, so all of it is taken to be within starts: that gives the stage
/// its due where stalls are rare, and some time too much where starts differ.
fn variances_of_percentile(
    experiment: &Experiment,
    rounds: &[Numbers],
    measure: Measure,
    place: Place,
) -> Option<Variances> {
    let d: Vec<f64> = rounds
        .iter()
        .filter_map(|numbers| numbers.d(place.arm, measure, place.level))
        .collect();
    let rounds = variance(&d)?;
    Some(Variances {
        within: rounds * f64::from(experiment.design.latency_pairs),
        rounds,
        between: 0.0,
    })
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
    let counted = rounds.iter().filter(|round| round.void_at(place.level).is_none());
    let pairs_of = |round: &&RoundRecord| pairs_in_round(experiment, round, measure, place);
    let pairs = counted.map(pairs_of).collect::<Option<Vec<_>>>()?;
    let d = pairs
        .iter()
        .map(|pairs| mean(pairs))
        .collect::<Option<Vec<_>>>()?;
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
        false => round.closed_at(place.level).collect(),
    };
    let versus = Versus {
        arm: place.arm,
        baseline: design.baseline,
    };
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
        assert_eq!(open(&asked, &noisy[..4]), PAIRS.0 as u32);
        assert_eq!(open(&asked, &noisy), PAIRS.0 as u32);
        // There is no noise between starts: as many pairs as are allowed, or as the budget leaves room for.
        let quiet = records(&[1.0; 4]);
        assert_eq!(open(&asked, &quiet), PAIRS.1 as u32);
        let spent: f64 = quiet.iter().map(|round| round.elapsed).sum();
        asked.design.budget = Some(Nanos::from_secs_f64(spent * 2.0));
        assert_eq!(open(&asked, &quiet), asked.design.latency_pairs);
        asked.design.tune_latency = false;
        asked.design.budget = None;
        assert_eq!(open(&asked, &quiet), asked.design.latency_pairs);
        // For a headline of the closed loop its pairs are chosen.
        asked.design.headline = Headline::One(Measure::Throughput);
        assert_eq!(next_pairs(&asked, &quiet).closed, PAIRS.1 as u32);
    }

    /// Four rounds in which slices of one kind vary by a third, and those of the other kind not at all.
    fn unsteady(at_a_rate: bool) -> Vec<RoundRecord> {
        make_unsteady(records(&[1.0; 4]), at_a_rate)
    }

    /// Has slices of one kind vary by a third.
    fn make_unsteady(mut rounds: Vec<RoundRecord>, at_a_rate: bool) -> Vec<RoundRecord> {
        for (number, round) in rounds.iter_mut().enumerate() {
            let of_arm = round.slices.iter_mut().filter(|slice| slice.arm == 1);
            let wild = of_arm.filter(|slice| slice.rate.is_some() == at_a_rate);
            for (index, slice) in wild.enumerate() {
                let factor = [1.0, 1.3, 0.8, 1.1, 0.9][(index + number) % 5];
                match at_a_rate {
                    true => slice.cpu_ns_arm = (slice.cpu_ns_arm as f64 * factor) as u64,
                    false => slice.counts.ok = (slice.counts.ok as f64 * factor) as u64,
                }
            }
        }
        rounds
    }

    #[test]
    fn of_three_measures_the_one_that_is_furthest_from_its_margin_gets_the_time_of_a_start() {
        let asked = experiment();
        let designed = Pairs::of(&asked.design);
        let [closed, open] = [false, true].map(|at_a_rate| next_pairs(&asked, &unsteady(at_a_rate)));
        assert!(
            closed.closed > designed.closed && closed.open < designed.open,
            "{closed:?}"
        );
        assert!(
            open.open > designed.open && open.closed < designed.closed,
            "{open:?}"
        );
        for pairs in [closed, open] {
            assert!(pairs.seconds(&asked) <= LONGER * designed.seconds(&asked));
        }
        assert_eq!(next_pairs(&asked, &unsteady(false)[..3]), designed);
        let mut fixed = asked;
        fixed.design.tune = false;
        assert_eq!(next_pairs(&fixed, &unsteady(false)), designed);
    }

    #[test]
    fn a_percentile_that_is_out_of_reach_does_not_take_the_time_from_throughput() {
        let asked = experiment();
        let wild = |(number, factor): (u32, f64)| {
            let response_ns = (PLAIN.response_ns as f64 * factor) as u64;
            round(number, &[PLAIN, Speed { response_ns, ..PLAIN }])
        };
        let out_of_reach: Vec<RoundRecord> = (1..).zip([1.0, 20.0, 0.1, 5.0]).map(wild).collect();
        assert_eq!(
            next_pairs(&asked, &out_of_reach).closed,
            LEAST,
            "nothing else varies"
        );
        let both = next_pairs(&asked, &make_unsteady(out_of_reach, false));
        assert_eq!(both, Pairs::of(&asked.design), "each gets half of the time");
    }

    #[test]
    fn a_difference_between_the_arms_moves_no_time() {
        let asked = experiment();
        let twice = Speed {
            cpu_ns: PLAIN.cpu_ns * 2,
            ..PLAIN
        };
        let rounds: Vec<RoundRecord> = (1..=4).map(|number| round(number, &[PLAIN, twice])).collect();
        assert_eq!(
            next_pairs(&asked, &rounds),
            next_pairs(&asked, &records(&[1.0; 4]))
        );
    }
}
