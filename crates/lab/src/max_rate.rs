//! The highest rate that keeps an objective: which rates a start tries, and what its probes say.
//!
//! Rates lie on one grid of equal factors, the same for all arms and starts. The first start halves its way to where each
//! arm stops keeping the objective. Every start then probes the rates around that place, arms in turns and there and back,
//! so that each has a figure of its own: where the share of the requests that took longer than the limit crosses what the
//! objective allows. That share can only rise with the rate, so all probes of a start are one fit that never falls
//! (Barlow et al. 1972), and one unlucky probe decides nothing.

mod found;

use crate::numbers::{Values, decoded};
use load::Window;
use model::experiment::{Experiment, Find, Objective};
use model::measure::Measure;
use model::record::{RoundRecord, SliceRecord};
use model::units::Nanos;
use stats::isotonic;

pub(crate) use found::{beyond, fill, void_comparisons};

/// From one rate of the grid to the next: the margin of what counts as the same.
const STEP: f64 = 1.05;
/// The first rate tried, as a share of the throughput in the closed loop.
const FIRST: f64 = 0.5;
/// Rates probed on either side of the place that earlier starts, or the search, found.
const AROUND: i32 = 2;
/// Probes at most on the way there, and beyond the rates around it.
const SEARCH: usize = 20;
pub(crate) const BEYOND: i32 = 6;
/// Before a probe counts: connections are made, and what an earlier one left in the server is answered.
const SETTLE: Nanos = Nanos::from_millis(600);
/// Times the limit that it takes at least: queues show in the times of those behind them.
const LIMITS: f64 = 5.0;
/// Shares are compared on their logarithms, because they rise by factors; none is the same as half a request.
const NOTHING: f64 = 0.5;

/// What is to be kept; `None` where no rate is looked for.
pub(crate) fn objective(experiment: &Experiment) -> Option<Objective> {
    match experiment.design.find {
        Some(Find::MaxRate(objective)) => Some(objective),
        _ => None,
    }
}

/// How long a probe is.
pub(crate) fn window(experiment: &Experiment, objective: &Objective) -> Window {
    let limit = objective.limit.as_secs_f64();
    let usual = SETTLE.max(Nanos::from_secs_f64(LIMITS * limit));
    Window {
        settle: experiment.design.settle.unwrap_or(usual),
        counted: experiment.design.latency_slice,
    }
}

/// What the probes of a start take, seconds: those around the place that earlier starts found, there and back.
pub(crate) fn seconds(experiment: &Experiment) -> f64 {
    let probes = 2 * around(0).len() * experiment.arms.len();
    objective(experiment).map_or(0.0, |objective| {
        let window = window(experiment, &objective);
        probes as f64 * (window.settle + window.counted).as_secs_f64()
    })
}

/// Requests per second of a place on the grid, whole from a hundred on.
pub(crate) fn rate(place: i32) -> f64 {
    let exact = STEP.powi(place);
    if exact >= 100.0 { exact.round() } else { exact }
}

fn place(rate: f64) -> i32 {
    (rate.ln() / STEP.ln()).round() as i32
}

/// What a probe says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The objective was kept.
    Kept,
    /// It was not.
    Missed,
    /// It was not, and the generator was late: that says nothing of the server.
    Late,
}

/// Whether the objective was kept in a probe. A late generator cannot flatter, because response times count from when
/// requests were due.
pub(crate) fn answer(slice: &SliceRecord, objective: &Objective) -> Answer {
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

/// The way of one arm to the place where it stops keeping the objective: doubling steps until that place is passed, then
/// halves.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    next: i32,
    step: i32,
    kept: Option<i32>,
    missed: Option<i32>,
    left: usize,
}

impl Search {
    /// Of an arm that answered so many requests per second in the closed loop.
    pub(crate) fn new(throughput: f64) -> Self {
        Self {
            next: place((FIRST * throughput).max(1.0)),
            step: 4,
            kept: None,
            missed: None,
            left: SEARCH,
        }
    }

    /// The place to probe next; `None` when it is found, or there is none.
    pub(crate) fn next(&self) -> Option<i32> {
        let apart = self.kept.zip(self.missed).map(|(kept, missed)| missed - kept);
        let found = apart.is_some_and(|apart| apart <= 1);
        (!found && self.left > 0 && self.next >= 0).then_some(self.next)
    }

    /// What the probe at [`Self::next`] said.
    pub(crate) fn told(&mut self, answer: Answer) {
        self.left -= 1;
        match answer {
            Answer::Kept => self.kept = Some(self.next),
            Answer::Missed | Answer::Late => self.missed = Some(self.next),
        }
        self.next = match (self.kept, self.missed) {
            (Some(kept), Some(missed)) => kept + (missed - kept) / 2,
            (Some(kept), None) => kept + self.step,
            // Below the lowest place there is none.
            (None, Some(0)) => -1,
            (None, missed) => (missed.unwrap_or(self.next) - self.step).max(0),
        };
        if self.kept.is_none() || self.missed.is_none() {
            self.step *= 2;
        }
    }

    /// The highest place that was kept; without one the lowest that was tried.
    pub(crate) fn candidate(&self) -> i32 {
        self.kept.or(self.missed).unwrap_or(self.next).max(0)
    }
}

/// Where earlier starts found the highest rate of an arm: the place of the median.
pub(crate) fn known(experiment: &Experiment, earlier: &[RoundRecord], arm: usize) -> Option<i32> {
    let counted = earlier.iter().filter(|round| round.void.is_none());
    let mut found: Vec<f64> = counted
        .filter_map(|round| start(experiment, round, arm)?.rate)
        .collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).map(|rate| place(*rate))
}

/// The places around a candidate, lowest first.
pub(crate) fn around(candidate: i32) -> Vec<i32> {
    let lowest = (candidate - AROUND).max(0);
    (lowest..=lowest + 2 * AROUND).collect()
}

/// What one start says of an arm.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Start {
    /// The highest rate that keeps the objective; `None` where the probes do not show it.
    pub(crate) rate: Option<f64>,
    /// The highest rate probed that kept it, after the fit.
    pub(crate) kept: Option<f64>,
    /// Why the generator said that it was late, at the lowest rate at which that mattered.
    pub(crate) late: Option<(f64, String)>,
}

/// The probes of an arm in one start, put together; `None` without any.
pub(crate) fn start(experiment: &Experiment, round: &RoundRecord, arm: usize) -> Option<Start> {
    let objective = objective(experiment)?;
    let own = || round.probes().filter(|slice| slice.arm == arm);
    let rates = pooled(own(), &objective);
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
        .filter(|slice| answer(slice, &objective) == Answer::Late)
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
pub(crate) struct Probed {
    pub(crate) rate: f64,
    /// Of the requests that missed the limit.
    pub(crate) share: f64,
    pub(crate) requests: f64,
}

/// By rate, lowest first.
pub(crate) fn pooled<'a>(
    slices: impl Iterator<Item = &'a SliceRecord>,
    objective: &Objective,
) -> Vec<Probed> {
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

/// Adds the highest rates to what a start says once.
pub(crate) fn add(experiment: &Experiment, round: &RoundRecord, once: &mut Values) {
    let rate = |arm: usize| start(experiment, round, arm)?.rate;
    once.add(Measure::MaxRate, experiment.design.baseline, rate);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;
    use crate::slice::encoded;
    use crate::testing::{PLAIN, round as plain_round};
    use load::new_histogram;
    use model::outcome::Counts;

    pub(super) fn looking() -> Experiment {
        let text = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nfind = \"max-rate\"\n\
                    objective = \"response_p99 < 20ms\"\n";
        Experiment::parse(text, "made-up", &crate::Bench::known()).expect("a valid file")
    }

    /// A probe of a server that keeps the limit up to `truth`: beyond, the share of slow answers doubles every two per cent.
    pub(super) fn probe(arm: usize, rate: f64, truth: f64) -> SliceRecord {
        let share = (0.01 * (rate / truth).powf(35.0)).min(1.0);
        let requests = rate.round() as u64;
        let slow = (share * requests as f64).round() as u64;
        let mut times = new_histogram();
        times.saturating_record_n(2_000_000, requests - slow);
        times.saturating_record_n(40_000_000, slow);
        SliceRecord {
            round: 1,
            arm,
            rate: Some(rate),
            probe: true,
            elapsed_ns: 1_000_000_000,
            counts: Counts {
                requests,
                ok: requests,
                ..Counts::default()
            },
            response: encoded(&times),
            service: encoded(&times),
            ..SliceRecord::default()
        }
    }

    /// A start whose arms keep the objective up to these rates, probed around them.
    pub(super) fn start_of(number: u32, truths: [f64; 2]) -> RoundRecord {
        let mut round = plain_round(number, &[PLAIN, PLAIN]);
        round.slices.retain(|slice| slice.rate.is_none());
        for (arm, truth) in truths.into_iter().enumerate() {
            let places = around(place(truth));
            round
                .slices
                .extend(places.into_iter().map(|place| probe(arm, rate(place), truth)));
        }
        round
    }

    #[test]
    fn a_search_ends_next_to_the_truth_wherever_it_begins() {
        let objective = objective(&looking()).expect("an objective");
        for truth in [37.0, 512.0, 9_000.0, 64_000.0] {
            for throughput in [100.0, 20_000.0, 90_000.0] {
                let mut way = Search::new(throughput);
                let mut probes = 0;
                while let Some(place) = way.next() {
                    way.told(answer(&probe(0, rate(place), truth), &objective));
                    probes += 1;
                }
                let found = rate(way.candidate());
                assert!(
                    found <= truth * 1.01 && found > truth / 1.07,
                    "{truth} {throughput}: {found}"
                );
                assert!(probes <= SEARCH);
            }
        }
        let mut never = Search::new(1000.0);
        while never.next().is_some() {
            never.told(Answer::Missed);
        }
        assert!(never.candidate() >= 0);
    }

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
        let place = known(&experiment, &[start_of(1, [1000.0, 1200.0])], 1).expect("known");
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
        let found = super::start(&looking(), &start, 0)
            .expect("a start")
            .rate
            .expect("a rate");
        assert!((found / 1000.0 - 1.0).abs() < 0.06, "{found}");
    }

    #[test]
    fn wrong_and_unanswered_requests_miss_the_limit_and_a_late_generator_says_nothing() {
        let objective = objective(&looking()).expect("an objective");
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
            why_invalid: Some("generator-saturated: …".to_owned()),
            ..left(200)
        };
        assert_eq!(answer(&late, &objective), Answer::Late);
        let mut start = start_of(1, [1000.0, 1000.0]);
        for slice in start.slices.iter_mut().filter(|slice| slice.rate > Some(990.0)) {
            slice.why_invalid = Some("generator-saturated: …".to_owned());
        }
        let found = super::start(&looking(), &start, 0).expect("a start");
        assert_eq!(found.rate, None);
        assert!(found.late.expect("why").0 > 1000.0 && found.kept.expect("a rate") < 1000.0);
    }
}
