//! The search for the highest rate that keeps an objective: which rates a start tries, and what its probes show.
//!
//! All arms and starts use the same grid of rates, each a constant factor above the one before. The first start searches by
//! halving for the rate at which each arm stops keeping the objective. Every start then probes the rates around it, the arms
//! in turn, upwards and downwards, so that each start has its result: the rate at which the share of requests that took longer
//! than the limit crosses the share that the objective allows. That share can only rise with the rate, so one curve that never
//! falls is fitted to all probes of a start (isotonic regression, Barlow et al. 1972), and one unlucky probe decides nothing.

mod found;

use super::{JudgedRun, Mode};
use crate::numbers::{ArmValues, ClosedLevel};
use ask::experiment::{Experiment, Objective};
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Nanos, Rate, Seconds, Share};
use record::outcome::{ArmResult, Comparison};
use record::rounds::{RoundRecord, SliceRecord, counted};
use stats::isotonic;
use traffic::plan::Window;

/// Factor from one rate of the grid to the next: the margin within which rates count as the same.
const STEP: f64 = 1.05;
/// How many places of the grid are probed on either side of the place that earlier starts, or the search, found.
const AROUND: i32 = 2;
/// Shortest time before a probe counts, in which connections are opened and the server answers what an earlier probe left.
const SETTLE: Nanos = Nanos::from_millis(600);
/// The same time in multiples of the objective's limit, because a queue delays the requests that come after it.
const LIMITS: f64 = 5.0;
/// Number of slow requests that stands for none. Shares are compared by their logarithms, because they rise by factors, and
/// zero has no logarithm.
const NOTHING: f64 = 0.5;

impl Mode for Objective {
    fn add_result(
        &self,
        experiment: &Experiment,
        round: &RoundRecord,
        _: &[Option<ClosedLevel>],
        per_start: &mut ArmValues,
    ) {
        let rate = |arm: usize| Some(start_result(self, round, arm)?.rate?.0);
        per_start.add(Measure::MaxRate, experiment.design.baseline, rate);
    }

    /// The probes around the place that earlier starts found, upwards and downwards.
    fn search_time(&self, experiment: &Experiment) -> Seconds {
        let probes = 2 * places_around(0).len() * experiment.arms.len();
        let window = window(experiment, self);
        probes as f64 * Seconds::from(window.settle + window.counted)
    }

    fn slices_beyond<'a>(&self, _: &Experiment, round: &'a RoundRecord, arm: usize) -> Vec<&'a SliceRecord> {
        found::slices_beyond(self, round, arm)
    }

    fn missed_objective(&self) -> Option<Objective> {
        Some(*self)
    }

    fn fill_in_results(&self, arms: &mut [ArmResult], judged: JudgedRun<'_>) {
        found::fill_in_rates(self, arms, judged.rounds);
    }

    fn void_comparisons(&self, comparisons: &mut [Comparison], arms: &[ArmResult]) {
        found::void_comparisons(comparisons, arms);
    }
}

/// How long a probe is.
pub fn window(experiment: &Experiment, objective: &Objective) -> Window {
    let limit = objective.limit.as_secs_f64();
    let usual = SETTLE.max(Nanos::from_secs_f64(LIMITS * limit));
    Window { settle: experiment.design.settle.unwrap_or(usual), counted: experiment.design.latency_slice }
}

/// The rate at a place of the grid; from 100 requests per second on a whole number.
pub fn rate(place: i32) -> Rate {
    let exact = STEP.powi(place);
    Rate(if exact >= 100.0 { exact.round() } else { exact })
}

/// The place of the grid that is nearest to a rate.
pub fn nearest_place(rate: Rate) -> i32 {
    (rate.0.ln() / STEP.ln()).round() as i32
}

/// What a probe shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The objective was kept.
    Kept,
    /// The objective was missed.
    Missed,
    /// The objective was missed and the generator was late, so the probe shows nothing about the server.
    Late,
}

/// Whether the objective was kept in a probe. A late generator cannot make a server look better, because response times count
/// from when requests were due, so a search for a rate goes on upwards from an objective that was kept even then. The result of
/// a start does not rest on such a probe.
pub fn answer(slice: &SliceRecord, objective: &Objective) -> Answer {
    let kept = share(slice, objective).is_some_and(|share| share <= objective.allowed());
    match (kept, &slice.why_invalid) {
        (true, _) => Answer::Kept,
        (false, Some(_)) => Answer::Late,
        (false, None) => Answer::Missed,
    }
}

/// Share of the requests that took longer than the limit, were answered wrongly, or were left unanswered at
/// the end. By Little's law, rate times limit may still be under way when all requests keep the limit (plus
/// three standard deviations of a Poisson number); these are not counted. `None` where no request was due.
fn share(slice: &SliceRecord, objective: &Objective) -> Option<Share> {
    let times = slice.response.as_ref()?.to_histogram();
    let limit = objective.limit.0;
    let within = times.count_between(0, limit);
    let wrong = slice.counts.requests.saturating_sub(slice.counts.ok);
    let due = times.len() + wrong;
    let under_way = slice.rate?.0 * objective.limit.as_secs_f64();
    let left = (slice.backlog as f64 - under_way - 3.0 * under_way.sqrt() - 1.0).max(0.0);
    let over = (times.len() - within + wrong) as f64 + left;
    (due > 0).then(|| Share((over / due as f64).min(1.0)))
}

/// The place of the highest rate of an arm by earlier starts, as their median; `None` before any has a result.
pub fn known_place(objective: &Objective, earlier: &[RoundRecord], arm: usize) -> Option<i32> {
    let mut rates: Vec<Rate> =
        counted(earlier).filter_map(|round| start_result(objective, round, arm)?.rate).collect();
    rates.sort_by(Rate::total_cmp);
    rates.get(rates.len() / 2).map(|rate| nearest_place(*rate))
}

/// The places to probe around a candidate, the lowest first.
pub fn places_around(candidate: i32) -> Vec<i32> {
    let lowest = (candidate - AROUND).max(0);
    (lowest..=lowest + 2 * AROUND).collect()
}

/// The result of one start for an arm.
#[derive(Clone, Debug, PartialEq)]
struct StartResult {
    /// The highest rate that keeps the objective; `None` where the probes do not show it.
    rate: Option<Rate>,
    /// The highest probed rate that kept the objective by the fitted curve.
    kept: Option<Rate>,
    /// The lowest rate at which a late generator made a probe useless, and the generator's reason.
    late: Option<(Rate, Reason)>,
}

/// The result of all probes of an arm in one start; `None` if there are none.
fn start_result(objective: &Objective, round: &RoundRecord, arm: usize) -> Option<StartResult> {
    let probes = || round.probes().filter(|slice| slice.arm == arm);
    let rates = pool_by_rate(probes(), objective);
    probes().next()?;
    let x: Vec<f64> = rates.iter().map(|probed| probed.rate.0.ln()).collect();
    let shares: Vec<f64> = rates.iter().map(|probed| probed.share.0).collect();
    let weights: Vec<f64> = rates.iter().map(|probed| probed.requests).collect();
    let fitted = isotonic::fit(&shares, &weights);
    let kept = fitted.iter().rposition(|share| *share <= objective.allowed().0);
    let logs: Vec<f64> =
        fitted.iter().zip(&weights).map(|(share, requests)| share.max(NOTHING / requests).ln()).collect();
    let crossed = isotonic::crossing(&x, &logs, objective.allowed().0.ln());
    let late = probes()
        .filter_map(|slice| Some((slice.rate?, slice.why_invalid.clone()?)))
        // A generator that was late below a rate that was kept was not at its limit there.
        .filter(|(rate, _)| kept.is_none_or(|index| *rate > rates[index].rate))
        .min_by(|one, other| one.0.total_cmp(&other.0));
    Some(StartResult {
        rate: crossed.map(|log| Rate(log.exp())),
        kept: kept.map(|index| rates[index].rate),
        late,
    })
}

/// All probes at one rate, without those in which the generator was late. These are left out whether the objective was kept or
/// missed: to leave out the misses alone would raise the rate that is found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ProbedRate {
    rate: Rate,
    /// Share of the requests that missed the limit.
    share: Share,
    requests: f64,
}

/// Pools the probes at each rate, the lowest rate first.
fn pool_by_rate<'a>(slices: impl Iterator<Item = &'a SliceRecord>, objective: &Objective) -> Vec<ProbedRate> {
    let mut all: Vec<ProbedRate> = slices
        .filter(|slice| slice.why_invalid.is_none())
        .filter_map(|slice| {
            Some(ProbedRate {
                rate: slice.rate?,
                share: share(slice, objective)?,
                requests: slice.response.as_ref()?.len() as f64,
            })
        })
        .collect();
    all.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    let pool = |probes: &[ProbedRate]| {
        let requests: f64 = probes.iter().map(|probe| probe.requests).sum();
        let over: f64 = probes.iter().map(|probe| probe.share.0 * probe.requests).sum();
        ProbedRate {
            rate: probes[0].rate,
            share: Share(over / requests.max(1.0)),
            requests: requests.max(1.0),
        }
    };
    all.chunk_by(|one, next| one.rate == next.rate).map(pool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;
    use crate::testing::{objective, probe, probed as start_of, searching_rate};
    use record::outcome::Counts;

    #[test]
    fn a_start_finds_the_rate_within_the_grid_and_arms_are_compared_by_it() {
        let experiment = searching_rate();
        let numbers = Numbers::of(&experiment, &start_of(1, [1000.0, 1200.0])).expect("numbers");
        for (arm, truth) in [(0, 1000.0), (1, 1200.0)] {
            let found = numbers.value(arm, Measure::MaxRate, 0).expect("a rate");
            assert!((found / truth - 1.0).abs() < 0.02, "{arm}: {found}");
        }
        let d = numbers.d(1, Measure::MaxRate, 0).expect("compared");
        assert!((d - 1.2_f64.ln()).abs() < 0.03, "{d}");
        let place = known_place(&objective(), &[start_of(1, [1000.0, 1200.0])], 1).expect("known");
        assert!((rate(place).0 / 1200.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn one_unlucky_probe_decides_nothing() {
        let mut start = start_of(1, [1000.0, 1000.0]);
        let lowest = start.slices.iter().position(|slice| slice.probe).expect("a probe");
        let rate = start.slices[lowest].rate.expect("a rate").0;
        // 2 % were slow once, and none when it was probed again.
        start.slices[lowest] = probe(0, rate, rate / 2f64.powf(1.0 / 35.0));
        start.slices.extend([1, 2].map(|_| probe(0, rate, 2.0 * rate)));
        let found = start_result(&objective(), &start, 0).expect("a start").rate.expect("a rate");
        assert!((found.0 / 1000.0 - 1.0).abs() < 0.06, "{found}");
    }

    #[test]
    fn wrong_and_unanswered_requests_miss_the_limit_and_a_late_generator_shows_nothing() {
        let objective = objective();
        let good = probe(0, 1000.0, 5000.0);
        assert_eq!(answer(&good, &objective), Answer::Kept);
        let wrong =
            SliceRecord { counts: Counts { requests: 1000, ok: 980, ..Counts::default() }, ..good.clone() };
        assert_eq!(answer(&wrong, &objective), Answer::Missed);
        // At 1000 requests a second that take 20 ms each, 20 may be under way.
        let left = |backlog| SliceRecord { backlog, ..good.clone() };
        assert_eq!(answer(&left(20), &objective), Answer::Kept);
        assert_eq!(answer(&left(200), &objective), Answer::Missed);
        let late = SliceRecord { why_invalid: Some(crate::testing::saturated()), ..left(200) };
        assert_eq!(answer(&late, &objective), Answer::Late);
        let late_but_kept = SliceRecord { why_invalid: late.why_invalid.clone(), ..good.clone() };
        let pooled = |slices: &[SliceRecord]| pool_by_rate(slices.iter(), &objective).len();
        assert_eq!(pooled(&[late.clone(), late_but_kept]), 0);
        assert_eq!(pooled(&[late, good]), 1);
        let mut start = start_of(1, [1000.0, 1000.0]);
        for slice in start.slices.iter_mut().filter(|slice| slice.rate > Some(Rate(990.0))) {
            slice.why_invalid = Some(crate::testing::saturated());
        }
        let found = start_result(&objective, &start, 0).expect("a start");
        assert_eq!(found.rate, None);
        assert!(found.late.expect("why").0 > Rate(1000.0) && found.kept.expect("a rate") < Rate(1000.0));
    }
}
