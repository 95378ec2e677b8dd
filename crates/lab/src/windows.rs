//! How long the slices of a level are: half a second where the service is quick. A window opened in the middle of slow
//! requests wins or loses whole rounds of them at its edges: there it is long enough for many rounds, a whole number of
//! them, and users begin spread over one.

use judge::slow::{ROUNDS, SLOW};
use load::Window;
use model::experiment::{Experiment, SETTLE, SLICE};
use model::units::Nanos;

/// Rounds of requests before it.
pub(crate) const SETTLE_ROUNDS: f64 = 3.0;
/// A slice longer than this, seconds, has no time for a mirror image.
const LONG: f64 = 20.0;

/// Most rounds of requests that users begin spread over: where a server queues longer they come in waves, as they do there.
const SPREAD: f64 = 5.0;

/// How a level answers, seconds; of the quickest arm where nothing else is said, because a server that queues takes a
/// multiple of what its work takes, and a window that holds a whole number of the shorter rounds is right for both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// Median service time.
    pub(crate) service_p50: f64,
    /// After so long what came together comes again: what nearly all service times exceed.
    pub(crate) period: f64,
    /// In this time the slowest arm answers as many requests as there are users.
    pub(crate) round: f64,
}

impl Pace {
    /// Of a level where waves do not matter.
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

/// The slices of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Windows {
    pub(crate) window: Window,
    /// Pairs of slices; 1 is a row alone.
    pub(crate) pairs: u32,
    /// The users of a slice begin spread over this time.
    pub(crate) ramp: Nanos,
}

impl Windows {
    /// For a level of that pace, in a round of so many pairs.
    pub(crate) fn of(experiment: &Experiment, pace: Pace, pairs: u32) -> Self {
        let (design, p50) = (&experiment.design, pace.service_p50);
        // Spread over what the slowest arm takes for all of them, users come just as fast as it works.
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
        let asked = design.slice.unwrap_or_else(|| fitted(SLICE, ROUNDS));
        let whole = |asked: Nanos| {
            let rounds = (asked.as_secs_f64() / pace.period).round().max(1.0);
            Nanos::from_secs_f64(rounds * pace.period)
        };
        let window = Window {
            // Users that have not begun are no load.
            settle: settle.max(ramp),
            counted: if pace.is_slow() { whole(asked) } else { asked },
        };
        let seconds = (window.settle + window.counted).as_secs_f64() + spread;
        Self {
            window,
            pairs: fewer(experiment, pairs, seconds),
            ramp,
        }
    }

    /// Seconds of one slice, with the wait for the last answers.
    pub(crate) fn seconds(&self, pace: Pace) -> f64 {
        (self.window.settle + self.window.counted).as_secs_f64() + pace.round.max(pace.service_p50)
    }
}

/// So many pairs that long slices take about as long as the short ones would, at least a quad; of very long ones a row.
fn fewer(experiment: &Experiment, pairs: u32, slice_seconds: f64) -> u32 {
    let asked = experiment.design.quick_slice().as_secs_f64();
    if !experiment.design.tune || slice_seconds <= asked * 1.001 {
        return pairs;
    }
    if slice_seconds > LONG {
        return 1;
    }
    let quick = (SETTLE + SLICE).as_secs_f64();
    let quads = (f64::from(pairs) / 2.0 * quick / slice_seconds) as u32;
    2 * quads.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;

    fn of(service_p50: f64, change: impl Fn(&mut Experiment)) -> ([f64; 3], u32) {
        at(Pace::quick(service_p50), change)
    }

    fn at(pace: Pace, change: impl Fn(&mut Experiment)) -> ([f64; 3], u32) {
        let mut experiment = experiment();
        change(&mut experiment);
        let windows = Windows::of(&experiment, pace, 12);
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
        assert_eq!(at(pace(2.5), |_| ()), ([3.55, 32.0, 2.5], 1));
        assert_eq!(at(pace(25.0), |_| ()), ([6.3, 32.0, 5.25], 1));
        let short = |experiment: &mut Experiment| {
            experiment.design.slice = Some(Nanos::from_millis(2100));
            experiment.design.settle = Some(Nanos::from_secs(1));
        };
        assert_eq!(at(pace(2.5), short), ([2.5, 2.0, 2.5], 2));
    }

    #[test]
    fn a_quick_service_has_half_a_second_and_all_pairs() {
        for service_p50 in [0.0, 0.001, 0.016] {
            assert_eq!(of(service_p50, |_| ()), ([0.1, 0.5, 0.0], 12));
        }
    }

    #[test]
    fn a_slow_one_has_thirty_rounds_and_fewer_pairs() {
        // 0.15 + 1.5 s instead of 0.6 s: a third of the quads.
        assert_eq!(of(0.05, |_| ()), ([0.15, 1.5, 0.0], 4));
        assert_eq!(of(0.2, |_| ()), ([0.6, 6.0, 0.2], 2));
        assert_eq!(of(1.0, |_| ()), ([3.0, 30.0, 1.0], 1));
    }

    #[test]
    fn what_the_file_says_is_kept_as_whole_rounds() {
        let short = |experiment: &mut Experiment| {
            experiment.design.slice = Some(Nanos::from_secs(2));
            experiment.design.settle = Some(Nanos::from_secs(1));
        };
        assert_eq!(of(0.99, short), ([1.0, 1.98, 0.99], 2));
        assert_eq!(of(1.002, short), ([1.002, 2.004, 1.002], 2));
        assert_eq!(of(9.0, short), ([9.0, 9.0, 9.0], 1));
        assert_eq!(of(0.001, short), ([1.0, 2.0, 0.0], 12));
        let counted = |experiment: &mut Experiment| {
            experiment.design.tune = false;
            experiment.load.ramp = Some(Nanos::from_secs(4));
        };
        assert_eq!(of(1.0, counted), ([4.0, 30.0, 4.0], 12));
    }
}
