//! Plans a run: how many starts it has, how long it takes on a quiet machine, and, once six starts have shown how much starts
//! really vary, whether its time is enough.

use crate::family::alpha_of;
use crate::inspections;
use crate::numbers::Numbers;
use crate::round_time;
use ask::experiment::{Design, Experiment};
use model::measure::Measure;
use model::units::{Nanos, Seconds};
use record::note::{Forecast, Steadier};
use record::rounds::RoundRecord;
use stats::planning::{starts_to_call, starts_to_same, whole_starts};
use stats::robust::variance;
use stats::spending::FIRST_LOOK;

/// Number of starts after which the forecast is made; with fewer, their standard deviation is little more than a guess
/// (`stats::planning`).
pub const FORECAST: usize = 6;
/// Standard deviation of `D` before anything is measured: as for throughput and CPU per request on a quiet machine.
const USUAL_SD: f64 = 0.02;
/// Standard deviation of `D` for a percentile of the response times before anything is measured, in margins.
const USUAL_SD_OF_A_PERCENTILE: f64 = 2.0;
/// Probability of detecting the effect that the run is planned for.
pub(crate) const POWER: f64 = 0.95;
/// The effect that a run is planned for, in margins.
const EFFECT: f64 = 0.6;

/// The effect that a run with this margin is planned for, both as relative differences.
pub(crate) fn effect_of_margin(margin: f64) -> f64 {
    EFFECT * margin
}

/// The experiment with its cap of starts. Where the file does not set it, it is the number of starts that fit
/// into the budget with the inspections, by a guess of how long one takes; without a budget it is the number
/// that usually shows an effect of the planned size.
pub fn with_planned_starts(mut experiment: Experiment) -> Experiment {
    let (starts, budget) = (experiment.design.starts, experiment.design.budget);
    if let (true, Some(most)) = (experiment.design.tune_starts, starts) {
        let planned = match budget {
            Some(budget) => starts_within(&experiment, budget, &[]),
            None => usual_starts(&experiment),
        };
        experiment.design.starts = Some(planned_starts(planned, most));
    }
    experiment.design.curve = Some(has_curve(&experiment));
    experiment
}

/// The experiment by which a run continues after its end, a plan of its own: with as many starts as fit into
/// the budget, where the file does not set them. `rounds` are the run's so far.
pub fn with_continued_starts(
    mut experiment: Experiment,
    budget: Option<Nanos>,
    rounds: &[RoundRecord],
) -> Experiment {
    if let (true, Some(planned), Some(budget)) =
        (experiment.design.tune_starts, experiment.design.starts, budget)
    {
        let most = Design::default().starts.unwrap_or(planned).max(planned);
        let fit = starts_within(&experiment, budget, rounds);
        experiment.design.starts = Some(planned_starts(fit, most));
    }
    experiment
}

/// So many starts as a plan has: enough for a verdict, and at most `most`.
fn planned_starts(wanted: f64, most: u32) -> u32 {
    (wanted as u32).clamp(FIRST_LOOK as u32, most)
}

/// The number of starts that fit into a budget with the inspections.
fn starts_within(experiment: &Experiment, budget: Nanos, rounds: &[RoundRecord]) -> f64 {
    let measured = Seconds::from(budget) - inspections::time(experiment, rounds);
    (measured / round_time::round_time(experiment, rounds)).ceil()
}

/// The number of starts that usually show an effect of the planned size. Percentiles do not count: they vary so much that they would
/// make every run a long one.
fn usual_starts(experiment: &Experiment) -> f64 {
    let measures = experiment.design.headline_measures(None);
    let totals = measures.iter().filter(|measure| !measure.at_a_rate());
    let needed = totals.map(|measure| usually_needed(experiment, &measures, *measure));
    needed.max().map_or(f64::INFINITY, |starts| starts as f64)
}

/// Whether the starts of an experiment also measure a curve over rates: if it asks for one, or if it has a stage
/// at a fixed rate and the time left in its budget, besides all planned starts and the inspections, is enough.
fn has_curve(experiment: &Experiment) -> bool {
    let design = &experiment.design;
    if design.latency_pairs == 0 {
        return false;
    }
    let has_room = || {
        let (starts, budget) = (f64::from(design.starts?), Seconds::from(design.budget?));
        let with_curve = round_time::round_time(experiment, &[]) + round_time::curve_time(experiment);
        Some(starts * with_curve + inspections::time(experiment, &[]) <= budget)
    };
    design.curve.unwrap_or_else(|| has_room().unwrap_or(false))
}

/// How long the run should take on a quiet machine where a round takes so long.
pub fn typical_duration(experiment: &Experiment, round_time: Seconds) -> Nanos {
    let measures = experiment.design.headline_measures(None);
    let needed = measures.iter().map(|measure| usually_needed(experiment, &measures, *measure));
    let rounds = needed.max().unwrap_or(0).min(cap(experiment));
    Nanos::from(rounds as f64 * round_time)
}

/// The number of starts that a measure of the headline usually needs.
fn usually_needed(experiment: &Experiment, headline: &[Measure], measure: Measure) -> usize {
    let usual_sd = match measure.at_a_rate() {
        true => USUAL_SD_OF_A_PERCENTILE * measure.default_margin(),
        false => USUAL_SD,
    };
    let (design, alpha) = (&experiment.design, alpha_of(experiment, headline, measure));
    rounds_needed(design, design.margin(measure), usual_sd, alpha)
}

/// How many rounds it takes to detect the effect that the run is planned for, or to show that the arms are the
/// same, whichever takes longer; `sd` is the standard deviation of `D`, `alpha` the error rate of each test.
fn rounds_needed(design: &Design, margin: f64, sd: f64, alpha: f64) -> usize {
    let same = whole_starts(starts_to_same(sd, margin));
    match design.gate {
        Some(_) => same,
        None => whole_starts(starts_to_call(sd, effect_of_margin(margin).ln_1p(), alpha, POWER)).max(same),
    }
}

/// The most starts that the run may have.
fn cap(experiment: &Experiment) -> usize {
    experiment.design.starts.map_or(usize::MAX, |starts| starts as usize)
}

/// How much time the headline needs by the first six starts, if the cap or the budget is too small for it; `None`
/// if they are enough, or if there are fewer starts. Among several measures the one that needs most counts.
pub fn forecast(experiment: &Experiment, rounds: &[Numbers], round_time: Seconds) -> Option<Forecast> {
    if rounds.len() < FORECAST {
        return None;
    }
    let rounds = &rounds[..FORECAST];
    let design = &experiment.design;
    let measures = design.headline_measures(Numbers::rate_of(rounds));
    let outlook = |measure: &Measure| {
        let sd = largest_sd(experiment, rounds, *measure)?;
        let alpha = alpha_of(experiment, &measures, *measure);
        Some((rounds_needed(design, design.margin(*measure), sd, alpha), *measure, sd, alpha))
    };
    let outlooks = measures.iter().filter_map(outlook);
    let (needed, measure, sd, alpha) = outlooks.max_by_key(|(needed, ..)| *needed)?;
    let budget = design.budget.map(|budget| Seconds::from(budget) / round_time);
    let reached = cap(experiment).min(budget.map_or(usize::MAX, |rounds| rounds as usize));
    if needed <= reached {
        return None;
    }
    let planned = stats::planning::resolvable(sd, reached, alpha, POWER);
    let one = design.headline.one();
    Some(Forecast {
        starts: FORECAST,
        measure,
        needed: needed as f64 * round_time,
        effect: effect_of_margin(design.margin(measure)),
        planned_effect: planned.map(|effect| effect.exp_m1().max(0.01)),
        steadier: one.and_then(|headline| steadier(experiment, rounds, headline, sd)),
    })
}

/// CPU per request or throughput, whichever is not the headline, if it varies less between starts than the headline.
fn steadier(experiment: &Experiment, rounds: &[Numbers], headline: Measure, sd: f64) -> Option<Steadier> {
    let other = match headline {
        _ if experiment.design.find.is_some_and(|find| find.measure() == headline) => {
            return None;
        }
        Measure::CpuPerRequest => Measure::Throughput,
        _ => Measure::CpuPerRequest,
    };
    let less = largest_sd(experiment, rounds, other)?;
    (less < sd).then_some(Steadier { measure: other, deviation: less, headline_deviation: sd })
}

/// Standard deviation of `D` over the starts, for the arm and the level where it is largest.
fn largest_sd(experiment: &Experiment, rounds: &[Numbers], measure: Measure) -> Option<f64> {
    let arms = (0..experiment.arms.len()).filter(|arm| *arm != experiment.design.baseline);
    let places = arms.flat_map(|arm| (0..experiment.comparisons_per_start(measure)).map(move |at| (arm, at)));
    let sd = |(arm, at): (usize, usize)| {
        let d: Vec<f64> = rounds.iter().filter_map(|numbers| numbers.d(arm, measure, at)).collect();
        variance(&d).map(f64::sqrt)
    };
    places.filter_map(sd).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, round};
    use ask::experiment::Headline;

    /// An experiment whose headline is CPU per request alone.
    fn experiment() -> Experiment {
        let mut experiment = crate::testing::experiment();
        experiment.design.headline = Headline::One(Measure::CpuPerRequest);
        experiment
    }

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
        let first = forecast(&experiment(), &noisy, Seconds(30.0)).expect("a forecast");
        assert_eq!((first.starts, first.measure), (6, Measure::CpuPerRequest));
        assert!((first.effect - 0.03).abs() < 1e-9, "{first:?}");
        assert!(first.planned_effect.is_some_and(|effect| effect > 0.03), "{first:?}");
        let steadier = first.steadier.as_ref().expect("a measure that varies less");
        assert_eq!(steadier.measure, Measure::Throughput);
        assert_eq!(forecast(&experiment(), &noisy[..5], Seconds(30.0)), None, "too early");
        assert_eq!(
            forecast(&experiment(), &noisy[..6], Seconds(30.0)).as_ref(),
            Some(&first),
            "later rounds do not change it"
        );
    }

    #[test]
    fn of_several_measures_the_forecast_is_about_the_one_that_needs_most() {
        let overall = crate::testing::experiment();
        // CPU per request varies three times as much as throughput, and percentiles not at all.
        let noisy = rounds(&[1.05, 0.95, 1.04, 0.96, 1.05, 0.95]);
        let first = forecast(&overall, &noisy, Seconds(30.0)).expect("a forecast");
        assert_eq!((first.measure, first.steadier), (Measure::CpuPerRequest, None));
        let alone = forecast(&experiment(), &noisy, Seconds(30.0)).expect("a forecast");
        assert!(first.planned_effect > alone.planned_effect, "three measures share alpha");
    }

    #[test]
    fn there_is_no_forecast_where_the_time_is_enough() {
        let quiet = rounds(&[1.001, 1.0, 1.001, 1.0, 1.001, 1.0]);
        let mut asked = experiment();
        assert_eq!(forecast(&asked, &quiet, Seconds(30.0)), None);
        asked.design.budget = Some(Nanos::from_secs(60));
        assert!(forecast(&asked, &quiet, Seconds(30.0)).is_some());
    }

    #[test]
    fn no_more_starts_are_planned_than_the_budget_has_room_for() {
        let planned = |budget: Option<u64>, tune_starts: bool| {
            let mut asked = experiment();
            let each = round_time::round_time(&asked, &[]);
            asked.design.starts = Some(30);
            asked.design.tune_starts = tune_starts;
            let inspected = inspections::time(&asked, &[]);
            let for_starts = |starts: u64| Nanos::from_secs_f64(((starts as f64 - 0.5) * each + inspected).0);
            asked.design.budget = budget.map(for_starts);
            with_planned_starts(asked).design.starts
        };
        assert_eq!(planned(Some(17), true), Some(17));
        assert_eq!(planned(Some(5), true), Some(5));
        assert_eq!(planned(Some(300), true), Some(30));
        assert_eq!(planned(None, true), Some(8), "so many usually show 3 %");
        assert_eq!(planned(Some(17), false), Some(30), "what the file says is kept");
    }

    #[test]
    fn the_usual_time_is_within_the_cap() {
        // Eight rounds usually call 3 % (stats::planning).
        assert_eq!(typical_duration(&experiment(), Seconds(10.0)), Nanos::from_secs(80));
        let mut few = experiment();
        few.design.starts = Some(5);
        assert_eq!(typical_duration(&few, Seconds(10.0)), Nanos::from_secs(50));
    }
}
