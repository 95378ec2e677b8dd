//! The stage at a fixed rate: the load at which response times are compared. It is the same for all arms, because an arm
//! that is asked less often looks quicker than it is.

use model::experiment::Experiment;
use model::plan::Arrivals;
use model::record::{RoundRecord, SliceRecord};
use model::units::{Nanos, Rate};

/// Share of the slower arm's throughput in the closed loop: busy, and far enough from the edge that neither arm queues.
/// A closed loop sends and answers in batches; requests that come one by one cost both sides half as much again, so that
/// at six tenths two cores shared with the generator were full and it sent late; at four tenths it did not.
const SHARE: f64 = 0.4;
/// Loaded before a slice counts: connections are opened in it.
const SETTLE: Nanos = Nanos::from_millis(300);
/// Fewest connections: a request that finds none free waits, which counts, but is not what is asked here.
const CONNECTIONS: usize = 64;

/// The rate of a run: the one given, the one that an earlier round fixed, or the one that the closed loop of this first
/// round allows. `None` when no arm answered anything.
pub(crate) fn rate(experiment: &Experiment, earlier: &[RoundRecord], closed: &[SliceRecord]) -> Option<Rate> {
    let fixed = earlier.iter().find_map(|round| round.open().next()?.rate);
    let given = experiment.design.latency_rate.or(fixed.map(Rate));
    given.or_else(|| {
        let arms = 0..experiment.arms.len();
        let slowest = arms
            .map(|arm| throughput(closed, arm))
            .fold(f64::INFINITY, f64::min);
        let rate = two_digits(SHARE * slowest);
        (rate.is_finite() && rate > 0.0).then_some(Rate(rate))
    })
}

/// Right answers per second.
fn throughput(closed: &[SliceRecord], arm: usize) -> f64 {
    let own = || closed.iter().filter(|slice| slice.arm == arm);
    let ok: u64 = own().map(|slice| slice.counts.ok).sum();
    let elapsed: u64 = own().map(|slice| slice.elapsed_ns).sum();
    ok as f64 / (elapsed as f64 / 1e9)
}

/// Rounded to two significant digits, so that it can be read and given again.
fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit).round() * unit
}

/// Poisson arrivals at `rate`. With at most `users` requests in flight the closed loop gave more than this rate, so four
/// times as many connections leave room for bursts.
pub(crate) fn arrivals(rate: Rate, users: usize) -> Arrivals {
    Arrivals::Open {
        rate,
        poisson: true,
        connections: users.max((4 * users).clamp(CONNECTIONS, 1024)),
    }
}

/// What is loaded of a slice before it counts.
pub(crate) fn settle(experiment: &Experiment) -> Nanos {
    experiment.design.settle.max(SETTLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, experiment, round};

    fn closed(speeds: &[Speed]) -> Vec<SliceRecord> {
        round(1, speeds).closed().cloned().collect()
    }

    #[test]
    fn the_slower_arm_of_the_first_round_fixes_the_rate() {
        let slices = closed(&[PLAIN.better(1.5), PLAIN.better(1.03)]);
        // 0.4 of 20 600 per second is 8 240.
        assert_eq!(rate(&experiment(), &[], &slices), Some(Rate(8_200.0)));
        let mut fixed = round(1, &[PLAIN, PLAIN]);
        fixed
            .slices
            .iter_mut()
            .filter(|s| s.rate.is_some())
            .for_each(|s| s.rate = Some(7_000.0));
        assert_eq!(
            rate(&experiment(), &[fixed.clone()], &slices),
            Some(Rate(7_000.0))
        );
        let mut given = experiment();
        given.design.latency_rate = Some(Rate(500.0));
        assert_eq!(rate(&given, &[fixed], &slices), Some(Rate(500.0)));
    }

    #[test]
    fn an_arm_that_answers_nothing_fixes_no_rate() {
        let slices = closed(&[PLAIN, Speed { ok: 0, ..PLAIN }]);
        assert_eq!(rate(&experiment(), &[], &slices), None);
        assert_eq!(rate(&experiment(), &[], &[]), None);
    }

    #[test]
    fn two_digits_are_kept() {
        assert_eq!(two_digits(41_234.0), 41_000.0);
        assert_eq!(two_digits(9.96), 10.0);
        assert!((two_digits(0.123) - 0.12).abs() < 1e-12);
    }

    #[test]
    fn connections_leave_room_for_bursts() {
        let of = |users| arrivals(Rate(1.0), users).connections();
        assert_eq!([1, 32, 500, 5000].map(of), [64, 128, 1024, 5000]);
    }
}
