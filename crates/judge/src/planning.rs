//! Plans a run: how many starts and pairs it has, how long it takes on a quiet machine, and, once six starts have shown how much
//! starts really vary, whether its time is enough.

use crate::numbers::{Numbers, Versus};
use crate::round_numbers::row_differences;
use crate::round_time::{self, Pairs, pair_seconds};
use model::experiment::{Design, Experiment};
use model::measure::Measure;
use model::note::{Forecast, Steadier};
use model::record::RoundRecord;
use model::units::Nanos;
use stats::planning::{PAIRS, Variances, cap_to_same, rounds_to_call, rounds_to_same, sequential_cap};
use stats::robust::{mean, variance};
use stats::sequential::FEWEST_ROUNDS_FOR_SAME;

/// Number of starts after which the forecast is made; with fewer, their standard deviation is little more than a guess
/// (`stats::planning`).
pub const FORECAST: usize = 6;
/// Standard deviation of `D` before anything is measured: that of a quiet machine.
const USUAL_SD: f64 = 0.02;
/// Probability of detecting the effect that the run is planned for.
pub(crate) const POWER: f64 = 0.95;
/// The effect that a run is planned for, in margins. It is larger than the margin, because smaller effects count as the same.
pub(crate) const EFFECT: f64 = 1.5;

/// Number of starts after which the pairs of all later starts are chosen.
const TUNE: usize = 4;

/// Fewest starts that are planned where the file gives no number: with fewer, `--resume` could not add any.
const FEWEST: u32 = 8;

/// The experiment with its cap of starts. Where the file does not set it, it is the number of starts that fit into the budget,
/// by a guess of how long one takes. Alpha is spent over the starts up to the cap: with a cap that the time does not reach,
/// most of alpha would be kept for starts that never come, and all intervals would be wider than necessary.
pub fn with_planned_starts(mut experiment: Experiment) -> Experiment {
    let (starts, budget) = (experiment.design.starts, experiment.design.budget);
    if let (true, Some(starts), Some(budget)) = (experiment.design.tune_starts, starts, budget) {
        let fit = (budget.as_secs_f64() / round_time::round_seconds(&experiment, &[])).ceil();
        experiment.design.starts = Some((fit as u32).max(FEWEST).min(starts));
    }
    experiment.design.curve = Some(has_curve(&experiment));
    experiment
}

/// Whether the starts of an experiment also measure a curve over rates: if it asks for one, or if it has a stage at a fixed
/// rate and the time left in its budget, beside all planned starts, is enough.
fn has_curve(experiment: &Experiment) -> bool {
    let design = &experiment.design;
    if design.latency_pairs == 0 {
        return false;
    }
    let has_room = || {
        let (starts, budget) = (f64::from(design.starts?), design.budget?.as_secs_f64());
        let with_curve = round_time::round_seconds(experiment, &[]) + round_time::curve_seconds(experiment);
        Some(starts * with_curve <= budget)
    };
    design.curve.unwrap_or_else(|| has_room().unwrap_or(false))
}

/// How many pairs of slices the next start has: the designed number, or from the fifth start on, for the headline, the number
/// that resolves most per second as the first four starts show (Kalibera and Jones 2013; [`Variances::best_pairs`]). It
/// depends on the rounds alone, so a resumed run chooses the same number. Choosing it once more leaves the error rates as they
/// are, because the arms are treated alike.
pub fn next_pairs(experiment: &Experiment, rounds: &[RoundRecord]) -> Pairs {
    let design = &experiment.design;
    let mut pairs = Pairs::of(design);
    let at_a_rate = design.compares_at_a_rate(design.headline);
    let counts = |round: &&RoundRecord| round.void.is_none() && !(at_a_rate && round.stage_void.is_some());
    let first: Vec<&RoundRecord> = rounds.iter().filter(counts).take(TUNE).collect();
    // Where the service is slow and slices are long, the number of pairs follows from the time that a row takes.
    let quick = |round: &&RoundRecord| match at_a_rate {
        true => round.latency_pairs == design.latency_pairs,
        false => round.levels.iter().all(|level| level.pairs == round.pairs),
    };
    let (slot, tune) = match at_a_rate {
        true => (&mut pairs.open, design.tune_latency),
        false => (&mut pairs.closed, design.tune),
    };
    if tune && first.len() == TUNE && first.iter().all(quick) {
        *slot = tuned_pairs(experiment, &first, *slot).unwrap_or(*slot);
    }
    pairs
}

/// How many pairs the headline gets instead of the designed number; `None` where it is not compared pair by pair.
fn tuned_pairs(experiment: &Experiment, rounds: &[&RoundRecord], designed: u32) -> Option<u32> {
    let design = &experiment.design;
    let paired = matches!(design.headline, Measure::CpuPerRequest | Measure::Throughput);
    let [closed, open] = pair_seconds(experiment);
    let each = match design.compares_at_a_rate(design.headline) {
        true => open,
        false => closed,
    };
    let spent: f64 = rounds.iter().map(|round| round.elapsed).sum();
    let around = (spent / rounds.len() as f64 - f64::from(designed) * each).max(0.0);
    let arms = (0..experiment.arms.len()).filter(|arm| paired && *arm != design.baseline);
    let levels = 0..experiment.comparisons_per_start(design.headline);
    let best = arms
        .flat_map(|arm| levels.clone().map(move |level| (arm, level)))
        .filter_map(|(arm, level)| variances(experiment, rounds, arm, level))
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

/// The variance of the headline's differences between an arm and the baseline at a level, within starts and between them.
fn variances(
    experiment: &Experiment,
    rounds: &[&RoundRecord],
    arm: usize,
    level: usize,
) -> Option<Variances> {
    let counted = rounds.iter().filter(|round| round.void_at(level).is_none());
    let pairs_of = |round: &&RoundRecord| headline_pairs(experiment, round, arm, level);
    let pairs = counted.map(pairs_of).collect::<Option<Vec<_>>>()?;
    let d = pairs
        .iter()
        .map(|pairs| mean(pairs))
        .collect::<Option<Vec<_>>>()?;
    let pairs: Vec<&[f64]> = pairs.iter().map(Vec::as_slice).collect();
    Variances::of(&pairs, &d)
}

/// The differences of an arm from the baseline in the headline measure in one round at a level, pair by pair; their mean is `D`.
pub(crate) fn headline_pairs(
    experiment: &Experiment,
    round: &RoundRecord,
    arm: usize,
    level: usize,
) -> Option<Vec<f64>> {
    let design = &experiment.design;
    let slices: Vec<_> = match design.compares_at_a_rate(design.headline) {
        true => round.staged().collect(),
        false => round.closed_at(level).collect(),
    };
    let versus = Versus {
        arm,
        baseline: design.baseline,
    };
    row_differences(&slices, versus, design.headline, true)
}

/// How long the run should take on a quiet machine where a round takes `round_seconds`.
pub fn typical_duration(experiment: &Experiment, round_seconds: f64) -> Nanos {
    let margin = experiment.design.margin(experiment.design.headline);
    let rounds = rounds_needed(experiment, margin, USUAL_SD).min(cap(experiment));
    Nanos::from_secs_f64(rounds as f64 * round_seconds)
}

/// How many rounds it takes to detect an effect of 1.5 margins, or to show that the arms are the same, whichever takes longer;
/// `sd` is the standard deviation of `D`.
fn rounds_needed(experiment: &Experiment, margin: f64, sd: f64) -> usize {
    let effect = (EFFECT * margin).ln_1p();
    let call = sequential_cap(rounds_to_call(sd, effect, alpha(experiment), POWER));
    call.max(rounds_needed_for_same(&experiment.design, margin, sd))
}

/// How many rounds it takes to show that the arms are the same. A gate passes with fewer rounds than `same` takes, and a run
/// whose cap is below them cannot have them.
pub(crate) fn rounds_needed_for_same(design: &Design, margin: f64, sd: f64) -> usize {
    let may_be_same = design
        .starts
        .is_none_or(|cap| cap as usize >= FEWEST_ROUNDS_FOR_SAME);
    match design.gate {
        None if may_be_same => cap_to_same(sd, margin),
        _ => sequential_cap(rounds_to_same(sd, margin)),
    }
}

/// Alpha of each test of the headline; there is one for each arm at each load.
fn alpha(experiment: &Experiment) -> f64 {
    let tests = (experiment.arms.len() - 1) * experiment.comparisons_per_start(experiment.design.headline);
    experiment.design.alpha / tests.max(1) as f64
}

/// The most starts that the run may have.
fn cap(experiment: &Experiment) -> usize {
    experiment
        .design
        .starts
        .map_or(usize::MAX, |starts| starts as usize)
}

/// How much time the headline needs by the first six starts, if the cap or the budget is too small for it; `None` if they are
/// enough, or if there are fewer starts.
pub fn forecast(experiment: &Experiment, rounds: &[Numbers], round_seconds: f64) -> Option<Forecast> {
    if rounds.len() < FORECAST {
        return None;
    }
    let rounds = &rounds[..FORECAST];
    let headline = experiment.design.headline;
    let margin = experiment.design.margin(headline);
    let sd = largest_sd(experiment, rounds, headline)?;
    let needed = rounds_needed(experiment, margin, sd);
    let budget = experiment
        .design
        .budget
        .map(|budget| budget.as_secs_f64() / round_seconds);
    let reached = cap(experiment).min(budget.map_or(usize::MAX, |rounds| rounds as usize));
    if needed <= reached {
        return None;
    }
    let planned = stats::planning::resolvable(sd, reached, alpha(experiment), POWER);
    Some(Forecast {
        starts: FORECAST,
        measure: headline,
        needed: needed as f64 * round_seconds,
        effect: EFFECT * margin,
        planned_effect: planned.map(|effect| effect.exp_m1().max(0.01)),
        steadier: steadier(experiment, rounds, headline, sd),
    })
}

/// CPU per request or throughput, whichever is not the headline, if it varies less between starts than the headline.
fn steadier(experiment: &Experiment, rounds: &[Numbers], headline: Measure, sd: f64) -> Option<Steadier> {
    let other = match headline {
        _ if experiment
            .design
            .find
            .is_some_and(|find| find.measure() == headline) =>
        {
            return None;
        }
        Measure::CpuPerRequest => Measure::Throughput,
        _ => Measure::CpuPerRequest,
    };
    let less = largest_sd(experiment, rounds, other)?;
    (less < sd).then_some(Steadier {
        measure: other,
        deviation: less,
        headline_deviation: sd,
    })
}

/// Standard deviation of `D` over the starts, for the arm and the level where it is largest.
fn largest_sd(experiment: &Experiment, rounds: &[Numbers], measure: Measure) -> Option<f64> {
    let arms = (0..experiment.arms.len()).filter(|arm| *arm != experiment.design.baseline);
    let places = arms.flat_map(|arm| (0..experiment.comparisons_per_start(measure)).map(move |at| (arm, at)));
    let sd = |(arm, at): (usize, usize)| {
        let d: Vec<f64> = rounds
            .iter()
            .filter_map(|numbers| numbers.d(arm, measure, at))
            .collect();
        variance(&d).map(f64::sqrt)
    };
    places.filter_map(sd).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, experiment, round};

    /// Rounds in which CPU per request differs by these factors, and throughput by a third as much.
    fn rounds(factors: &[f64]) -> Vec<Numbers> {
        let speed = |factor: f64| Speed {
            ok: (PLAIN.ok as f64 * (1.0 + (factor - 1.0) / 3.0)) as u64,
            cpu_ns: (PLAIN.cpu_ns as f64 / factor) as u64,
            ..PLAIN
        };
        let numbers = |(i, factor): (usize, &f64)| {
            Numbers::of(&experiment(), &round(i as u32 + 1, &[PLAIN, speed(*factor)])).expect("numbers")
        };
        factors.iter().enumerate().map(numbers).collect()
    }

    #[test]
    fn a_forecast_says_what_the_cap_cannot_detect_and_what_it_can() {
        let noisy = rounds(&[1.05, 0.95, 1.04, 0.96, 1.05, 0.95, 1.0]);
        let first = forecast(&experiment(), &noisy, 30.0).expect("a forecast");
        assert_eq!((first.starts, first.measure), (6, Measure::CpuPerRequest));
        assert!((first.effect - 0.03).abs() < 1e-9, "{first:?}");
        assert!(
            first.planned_effect.is_some_and(|effect| effect > 0.03),
            "{first:?}"
        );
        let steadier = first.steadier.as_ref().expect("a measure that varies less");
        assert_eq!(steadier.measure, Measure::Throughput);
        assert_eq!(forecast(&experiment(), &noisy[..5], 30.0), None, "too early");
        assert_eq!(
            forecast(&experiment(), &noisy[..6], 30.0).as_ref(),
            Some(&first),
            "later rounds do not change it"
        );
    }

    #[test]
    fn after_four_starts_the_pairs_are_chosen_once_more_and_then_kept() {
        let records = |factors: &[f64]| -> Vec<RoundRecord> {
            let record = |(i, factor): (usize, &f64)| round(i as u32 + 1, &[PLAIN, PLAIN.better(*factor)]);
            factors.iter().enumerate().map(record).collect()
        };
        let mut asked = experiment();
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
        asked.design.headline = Measure::Throughput;
        assert_eq!(next_pairs(&asked, &quiet).closed, PAIRS.1 as u32);
    }

    #[test]
    fn there_is_no_forecast_where_the_time_is_enough() {
        let quiet = rounds(&[1.001, 1.0, 1.001, 1.0, 1.001, 1.0]);
        let mut asked = experiment();
        assert_eq!(forecast(&asked, &quiet, 30.0), None);
        asked.design.budget = Some(Nanos::from_secs(60));
        assert!(forecast(&asked, &quiet, 30.0).is_some());
    }

    #[test]
    fn no_more_starts_are_planned_than_the_budget_has_room_for() {
        let planned = |budget: Option<u64>, tune_starts: bool| {
            let mut asked = experiment();
            let each = round_time::round_seconds(&asked, &[]);
            asked.design.starts = Some(30);
            asked.design.tune_starts = tune_starts;
            asked.design.budget = budget.map(|starts| Nanos::from_secs_f64((starts as f64 - 0.5) * each));
            with_planned_starts(asked).design.starts
        };
        assert_eq!(planned(Some(17), true), Some(17));
        assert_eq!(planned(Some(5), true), Some(FEWEST), "room to go on");
        assert_eq!(planned(Some(300), true), Some(30));
        assert_eq!(planned(None, true), Some(30));
        assert_eq!(planned(Some(17), false), Some(30), "what the file says is kept");
    }

    #[test]
    fn the_usual_time_is_within_the_cap() {
        // 13 rounds would call 3 % (stats::planning), 15 would show the same; the cap is 12.
        assert_eq!(typical_duration(&experiment(), 10.0), Nanos::from_secs(120));
        let mut endless = experiment();
        endless.design.starts = None;
        assert_eq!(typical_duration(&endless, 10.0), Nanos::from_secs(150));
    }
}
