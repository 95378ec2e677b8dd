//! The highest rate that keeps an objective: which rates a start tries, and what its probes say.
//!
//! Rates lie on one grid of equal factors, the same for all arms and starts. The first start halves its way to where each
//! arm stops keeping the objective. Every start then probes the rates around that place, arms in turns and there and back,
//! so that each has a figure of its own: where the share of the requests that took longer than the limit crosses what the
//! objective allows. That share can only rise with the rate, so all probes of a start are one fit that never falls
//! (Barlow et al. 1972), and one unlucky probe decides nothing.

mod found;

use super::{Judged, Mode};
use crate::histogram::decoded;
use crate::numbers::{Closed, Values};
use model::experiment::{Experiment, Objective};
use model::measure::Measure;
use model::outcome::{ArmResult, Comparison};
use model::plan::Window;
use model::reason::Reason;
use model::record::{RoundRecord, SliceRecord};
use model::units::Nanos;
use stats::isotonic;

/// From one rate of the grid to the next: the margin of what counts as the same.
const STEP: f64 = 1.05;
/// Rates probed on either side of the place that earlier starts, or the search, found.
const AROUND: i32 = 2;
/// Before a probe counts: connections are made, and what an earlier one left in the server is answered.
const SETTLE: Nanos = Nanos::from_millis(600);
/// Times the limit that it takes at least: queues show in the times of those behind them.
const LIMITS: f64 = 5.0;
/// Shares are compared on their logarithms, because they rise by factors; none is the same as half a request.
const NOTHING: f64 = 0.5;

impl Mode for Objective {
    fn add(&self, experiment: &Experiment, round: &RoundRecord, _: &[Option<Closed>], once: &mut Values) {
        let rate = |arm: usize| start(self, round, arm)?.rate;
        once.add(Measure::MaxRate, experiment.design.baseline, rate);
    }

    /// The probes around the place that earlier starts found, there and back.
    fn seconds(&self, experiment: &Experiment) -> f64 {
        let probes = 2 * around(0).len() * experiment.arms.len();
        let window = window(experiment, self);
        probes as f64 * (window.settle + window.counted).as_secs_f64()
    }

    fn beyond<'a>(&self, _: &Experiment, round: &'a RoundRecord, arm: usize) -> Vec<&'a SliceRecord> {
        found::beyond(self, round, arm)
    }

    fn missed(&self) -> Option<Objective> {
        Some(*self)
    }

    fn fill(&self, arms: &mut [ArmResult], judged: Judged<'_>) {
        found::fill(self, arms, judged.rounds);
    }

    fn void_comparisons(&self, comparisons: &mut [Comparison], arms: &[ArmResult]) {
        found::void_comparisons(comparisons, arms);
    }
}

/// How long a probe is.
pub fn window(experiment: &Experiment, objective: &Objective) -> Window {
    let limit = objective.limit.as_secs_f64();
    let usual = SETTLE.max(Nanos::from_secs_f64(LIMITS * limit));
    Window {
        settle: experiment.design.settle.unwrap_or(usual),
        counted: experiment.design.latency_slice,
    }
}

/// Requests per second of a place on the grid, whole from a hundred on.
pub fn rate(place: i32) -> f64 {
    let exact = STEP.powi(place);
    if exact >= 100.0 { exact.round() } else { exact }
}

/// The place on the grid next to a rate.
pub fn place(rate: f64) -> i32 {
    (rate.ln() / STEP.ln()).round() as i32
}

/// What a probe says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The objective was kept.
    Kept,
    /// It was not.
    Missed,
    /// It was not, and the generator was late: that says nothing of the server.
    Late,
}

/// Whether the objective was kept in a probe. A late generator cannot flatter, because response times count from when
/// requests were due.
pub fn answer(slice: &SliceRecord, objective: &Objective) -> Answer {
    let kept = share(slice, objective).is_some_and(|share| share <= objective.allowed());
    match (kept, &slice.why_invalid) {
        (true, _) => Answer::Kept,
        (false, Some(_)) => Answer::Late,
        (false, None) => Answer::Missed,
    }
}

/// Share of the requests that took longer than the limit, were answered wrongly, or were left behind: by Little's law no
/// more than rate times limit may be under way when all keep it. `None` where none was due.
fn share(slice: &SliceRecord, objective: &Objective) -> Option<f64> {
    let times = decoded(&slice.response)?;
    let limit = objective.limit.0;
    let within = times.count_between(0, limit);
    let wrong = slice.counts.requests.saturating_sub(slice.counts.ok);
    let due = times.len() + wrong;
    let under_way = slice.rate? * objective.limit.as_secs_f64();
    let left = (slice.backlog as f64 - under_way - 3.0 * under_way.sqrt() - 1.0).max(0.0);
    let over = (times.len() - within + wrong) as f64 + left;
    (due > 0).then(|| (over / due as f64).min(1.0))
}

/// Where earlier starts found the highest rate of an arm: the place of the median.
pub fn known(objective: &Objective, earlier: &[RoundRecord], arm: usize) -> Option<i32> {
    let counted = earlier.iter().filter(|round| round.void.is_none());
    let mut found: Vec<f64> = counted
        .filter_map(|round| start(objective, round, arm)?.rate)
        .collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).map(|rate| place(*rate))
}

/// The places around a candidate, lowest first.
pub fn around(candidate: i32) -> Vec<i32> {
    let lowest = (candidate - AROUND).max(0);
    (lowest..=lowest + 2 * AROUND).collect()
}

/// What one start says of an arm.
#[derive(Clone, Debug, PartialEq)]
struct Start {
    /// The highest rate that keeps the objective; `None` where the probes do not show it.
    rate: Option<f64>,
    /// The highest rate probed that kept it, after the fit.
    kept: Option<f64>,
    /// Why the generator said that it was late, at the lowest rate at which that mattered.
    late: Option<(f64, Reason)>,
}

/// The probes of an arm in one start, put together; `None` without any.
fn start(objective: &Objective, round: &RoundRecord, arm: usize) -> Option<Start> {
    let own = || round.probes().filter(|slice| slice.arm == arm);
    let rates = pooled(own(), objective);
    own().next()?;
    let x: Vec<f64> = rates.iter().map(|probed| probed.rate.ln()).collect();
    let shares: Vec<f64> = rates.iter().map(|probed| probed.share).collect();
    let weights: Vec<f64> = rates.iter().map(|probed| probed.requests).collect();
    let fitted = isotonic::fit(&shares, &weights);
    let kept = fitted.iter().rposition(|share| *share <= objective.allowed());
    let logs: Vec<f64> = fitted
        .iter()
        .zip(&weights)
        .map(|(share, requests)| share.max(NOTHING / requests).ln())
        .collect();
    let crossed = isotonic::crossing(&x, &logs, objective.allowed().ln());
    let late = own()
        .filter(|slice| answer(slice, objective) == Answer::Late)
        .filter_map(|slice| Some((slice.rate?, slice.why_invalid.clone()?)))
        // One that was late below what was kept is bad luck, and no limit.
        .filter(|(rate, _)| kept.is_none_or(|index| *rate > rates[index].rate))
        .min_by(|one, other| one.0.total_cmp(&other.0));
    Some(Start {
        rate: crossed.map(f64::exp),
        kept: kept.map(|index| rates[index].rate),
        late,
    })
}

/// All probes at one rate that say something of the server.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Probed {
    rate: f64,
    /// Of the requests that missed the limit.
    share: f64,
    requests: f64,
}

/// By rate, lowest first.
fn pooled<'a>(slices: impl Iterator<Item = &'a SliceRecord>, objective: &Objective) -> Vec<Probed> {
    let mut all: Vec<Probed> = slices
        .filter(|slice| answer(slice, objective) != Answer::Late)
        .filter_map(|slice| {
            Some(Probed {
                rate: slice.rate?,
                share: share(slice, objective)?,
                requests: decoded(&slice.response)?.len() as f64,
            })
        })
        .collect();
    all.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    let together = |probes: &[Probed]| {
        let requests: f64 = probes.iter().map(|probe| probe.requests).sum();
        let over: f64 = probes.iter().map(|probe| probe.share * probe.requests).sum();
        Probed {
            rate: probes[0].rate,
            share: over / requests.max(1.0),
            requests: requests.max(1.0),
        }
    };
    all.chunk_by(|one, next| one.rate == next.rate)
        .map(together)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;
    use crate::testing::{looking, objective, probe, probed as start_of};
    use model::outcome::Counts;

    #[test]
    fn a_start_finds_the_rate_within_the_grid_and_arms_are_compared_by_it() {
        let experiment = looking();
        let numbers = Numbers::of(&experiment, &start_of(1, [1000.0, 1200.0])).expect("numbers");
        for (arm, truth) in [(0, 1000.0), (1, 1200.0)] {
            let found = numbers.value(arm, Measure::MaxRate, 0).expect("a rate");
            assert!((found / truth - 1.0).abs() < 0.02, "{arm}: {found}");
        }
        let d = numbers.d(1, Measure::MaxRate, 0).expect("compared");
        assert!((d - 1.2_f64.ln()).abs() < 0.03, "{d}");
        let place = known(&objective(), &[start_of(1, [1000.0, 1200.0])], 1).expect("known");
        assert!((rate(place) / 1200.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn one_unlucky_probe_decides_nothing() {
        let mut start = start_of(1, [1000.0, 1000.0]);
        let lowest = start
            .slices
            .iter()
            .position(|slice| slice.probe)
            .expect("a probe");
        let rate = start.slices[lowest].rate.expect("a rate");
        // 2 % were slow once, and none when it was probed again.
        start.slices[lowest] = probe(0, rate, rate / 2f64.powf(1.0 / 35.0));
        start.slices.extend([1, 2].map(|_| probe(0, rate, 2.0 * rate)));
        let found = super::start(&objective(), &start, 0)
            .expect("a start")
            .rate
            .expect("a rate");
        assert!((found / 1000.0 - 1.0).abs() < 0.06, "{found}");
    }

    #[test]
    fn wrong_and_unanswered_requests_miss_the_limit_and_a_late_generator_says_nothing() {
        let objective = objective();
        let good = probe(0, 1000.0, 5000.0);
        assert_eq!(answer(&good, &objective), Answer::Kept);
        let wrong = SliceRecord {
            counts: Counts {
                requests: 1000,
                ok: 980,
                ..Counts::default()
            },
            ..good.clone()
        };
        assert_eq!(answer(&wrong, &objective), Answer::Missed);
        // 20 may be under way at 1000 a second of 20 ms.
        let left = |backlog| SliceRecord {
            backlog,
            ..good.clone()
        };
        assert_eq!(answer(&left(20), &objective), Answer::Kept);
        assert_eq!(answer(&left(200), &objective), Answer::Missed);
        let late = SliceRecord {
            why_invalid: Some(crate::testing::saturated()),
            ..left(200)
        };
        assert_eq!(answer(&late, &objective), Answer::Late);
        let mut start = start_of(1, [1000.0, 1000.0]);
        for slice in start.slices.iter_mut().filter(|slice| slice.rate > Some(990.0)) {
            slice.why_invalid = Some(crate::testing::saturated());
        }
        let found = super::start(&objective, &start, 0).expect("a start");
        assert_eq!(found.rate, None);
        assert!(found.late.expect("why").0 > 1000.0 && found.kept.expect("a rate") < 1000.0);
    }
}
