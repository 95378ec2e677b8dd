//! The length of the slices at a level: a fifth of a second where the service is quick. With slow requests, a window gains or
//! loses a whole round of them at its edges. So it is long enough for many rounds, its length is a whole number of rounds,
//! and the users begin at times that are spread over one round.

use judge::slow::{ROUNDS, SLOW};
use load::Window;
use model::experiment::{Experiment, SETTLE};
use model::units::Nanos;

/// The number of rounds of requests in the settling time before the counted window.
pub(crate) const SETTLE_ROUNDS: f64 = 3.0;
/// The length in seconds above which there is no time for the mirror image of a row of slices.
const LONG: f64 = 20.0;

/// The largest share of the budget that one slice may take, and the number of rounds of requests that it gets all the same.
const OF_BUDGET: f64 = 0.25;
const FEWEST_ROUNDS: f64 = 5.0;

/// The largest number of rounds over which users begin: where a server queues for longer, requests come in waves anyway.
const SPREAD: f64 = 5.0;

/// How slow the service is at a level; all times are in seconds. Unless noted they are those of the quickest arm: a server
/// that queues takes a multiple of its work, so a window of a whole number of the shorter rounds fits both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// The median service time.
    pub(crate) service_p50: f64,
    /// The time after which requests that were sent together are sent again: nearly all service times exceed it.
    pub(crate) period: f64,
    /// The time in which the slowest arm answers as many requests as there are users.
    pub(crate) round: f64,
}

impl Pace {
    /// The pace of a level at which waves of requests do not matter.
    pub(crate) fn quick(service_p50: f64) -> Self {
        Self {
            service_p50,
            period: service_p50,
            round: 0.0,
        }
    }

    pub(crate) fn is_slow(&self) -> bool {
        self.service_p50 >= SLOW
    }
}

/// The length and number of the slices at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Windows {
    pub(crate) window: Window,
    /// The number of pairs of slices; 1 is a row without its mirror image.
    pub(crate) pairs: u32,
    /// The time over which the users of a slice begin.
    pub(crate) ramp: Nanos,
}

impl Windows {
    /// The slices for a level of this pace, in a round of `pairs` pairs of quick slices.
    pub(crate) fn for_pace(experiment: &Experiment, pace: Pace, pairs: u32) -> Self {
        let (design, p50) = (&experiment.design, pace.service_p50);
        // Users begin within the time that the slowest arm needs for all of them: as fast as it works.
        let spread = match pace.is_slow() {
            true => pace.round.clamp(p50, SPREAD * p50),
            false => 0.0,
        };
        let ramp = experiment.load.ramp.unwrap_or(Nanos::from_secs_f64(spread));
        let fitted = |span: Nanos, rounds: f64| span.max(Nanos::from_secs_f64(rounds * p50));
        let settle = design.settle.unwrap_or_else(|| {
            let all_in = if pace.is_slow() { spread + p50 } else { 0.0 };
            fitted(SETTLE, SETTLE_ROUNDS).max(Nanos::from_secs_f64(all_in))
        });
        let affordable = design.budget.map_or(f64::INFINITY, |budget| {
            (OF_BUDGET * budget.as_secs_f64() / p50).max(FEWEST_ROUNDS)
        });
        let asked = design
            .slice
            .unwrap_or_else(|| fitted(design.shortest_slice(), ROUNDS.min(affordable)));
        let whole = |asked: Nanos| {
            let rounds = (asked.as_secs_f64() / pace.period).round().max(1.0);
            Nanos::from_secs_f64(rounds * pace.period)
        };
        let window = Window {
            // The counted window must not begin before all users have.
            settle: settle.max(ramp),
            counted: if pace.is_slow() { whole(asked) } else { asked },
        };
        let seconds = (window.settle + window.counted).as_secs_f64() + spread;
        Self {
            window,
            pairs: fitting_pairs(experiment, pairs, seconds),
            ramp,
        }
    }

    /// The seconds of one slice, including the wait for the last answers.
    pub(crate) fn seconds(&self, pace: Pace) -> f64 {
        (self.window.settle + self.window.counted).as_secs_f64() + pace.round.max(pace.service_p50)
    }
}

/// The number of pairs of long slices that take about as long as `pairs` pairs of short ones. It is at least one quad; for
/// very long slices one row.
fn fitting_pairs(experiment: &Experiment, pairs: u32, slice_seconds: f64) -> u32 {
    let asked = experiment.design.quick_slice().as_secs_f64();
    if !experiment.design.tune || slice_seconds <= asked * 1.001 {
        return pairs;
    }
    if slice_seconds > LONG {
        return 1;
    }
    let quick = (SETTLE + experiment.design.shortest_slice()).as_secs_f64();
    let quads = (f64::from(pairs) / 2.0 * quick / slice_seconds) as u32;
    2 * quads.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;

    fn quick(service_p50: f64, change: impl Fn(&mut Experiment)) -> ([f64; 3], u32) {
        windows(Pace::quick(service_p50), change)
    }

    /// The seconds of settling, counted window and ramp, and the number of pairs.
    fn windows(pace: Pace, change: impl Fn(&mut Experiment)) -> ([f64; 3], u32) {
        let mut experiment = experiment();
        change(&mut experiment);
        let windows = Windows::for_pace(&experiment, pace, 40);
        let seconds = [windows.window.settle, windows.window.counted, windows.ramp].map(Nanos::as_secs_f64);
        (seconds.map(|s| (s * 1e3).round() / 1e3), windows.pairs)
    }

    #[test]
    fn users_come_as_fast_as_the_slowest_arm_works_and_windows_are_whole_periods() {
        let pace = |round: f64| Pace {
            service_p50: 1.05,
            period: 1.0,
            round,
        };
        assert_eq!(windows(pace(2.5), |_| ()), ([3.55, 32.0, 2.5], 1));
        assert_eq!(windows(pace(25.0), |_| ()), ([6.3, 32.0, 5.25], 1));
        let short = |experiment: &mut Experiment| {
            experiment.design.slice = Some(Nanos::from_millis(2100));
            experiment.design.settle = Some(Nanos::from_secs(1));
        };
        assert_eq!(windows(pace(2.5), short), ([2.5, 2.0, 2.5], 2));
    }

    #[test]
    fn a_quick_service_has_a_fifth_of_a_second_and_all_pairs() {
        for service_p50 in [0.0, 0.001, 0.006] {
            assert_eq!(quick(service_p50, |_| ()), ([0.1, 0.2, 0.0], 40));
        }
    }

    #[test]
    fn a_slow_service_has_thirty_rounds_and_fewer_pairs() {
        // 0.15 + 1.5 s instead of 0.3 s: three quads take less time than 20 had, and four would take more.
        assert_eq!(quick(0.05, |_| ()), ([0.15, 1.5, 0.0], 6));
        assert_eq!(quick(0.2, |_| ()), ([0.6, 6.0, 0.2], 2));
        assert_eq!(quick(1.0, |_| ()), ([3.0, 30.0, 1.0], 1));
        let with_budget = |seconds: u64| {
            move |experiment: &mut Experiment| experiment.design.budget = Some(Nanos::from_secs(seconds))
        };
        assert_eq!(quick(1.0, with_budget(240)), ([3.0, 30.0, 1.0], 1));
        assert_eq!(
            quick(1.0, with_budget(40)),
            ([3.0, 10.0, 1.0], 2),
            "a quarter of the budget"
        );
        assert_eq!(quick(1.0, with_budget(2)), ([3.0, 5.0, 1.0], 2), "five rounds");
    }

    #[test]
    fn lengths_in_the_file_are_rounded_to_whole_rounds() {
        let short = |experiment: &mut Experiment| {
            experiment.design.slice = Some(Nanos::from_secs(2));
            experiment.design.settle = Some(Nanos::from_secs(1));
        };
        assert_eq!(quick(0.99, short), ([1.0, 1.98, 0.99], 2));
        assert_eq!(quick(1.002, short), ([1.002, 2.004, 1.002], 2));
        assert_eq!(quick(9.0, short), ([9.0, 9.0, 9.0], 1));
        assert_eq!(quick(0.001, short), ([1.0, 2.0, 0.0], 40));
        let counted = |experiment: &mut Experiment| {
            experiment.design.tune = false;
            experiment.load.ramp = Some(Nanos::from_secs(4));
        };
        assert_eq!(quick(1.0, counted), ([4.0, 30.0, 4.0], 40));
    }
}
