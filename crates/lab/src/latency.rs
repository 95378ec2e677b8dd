//! The stage at a fixed rate: the load at which response times and CPU per request are compared. It is the same for all
//! arms, because an arm that is asked less often looks quicker than it is, and one that answers in larger batches cheaper.

use crate::windows;
use load::Window;
use model::experiment::{Experiment, SETTLE};
use model::plan::Arrivals;
use model::record::{RoundRecord, SliceRecord};
use model::units::{Nanos, Rate};

/// Shares of the slower arm's throughput in the closed loop, the first at which the generator is on time: busy, and far enough
/// from the edge that neither arm queues. A closed loop sends and answers in batches; requests that come one by one cost both
/// sides half as much again and more, so that two cores shared with the generator are full at six tenths and nearly so at
/// four. The lower the rate, the more wake-ups there are in the CPU of a request, and the more it varies.
const SHARES: [f64; 3] = [0.4, 0.3, 0.2];
/// Slices of each arm by which it is judged whether the generator is on time.
pub(crate) const TRIES: usize = 4;
/// Loaded once before the slices, uncounted: connections are opened in it.
pub(crate) const ENTRY: Nanos = Nanos::from_millis(300);
/// Fewest connections: a request that finds none free waits, which counts, but is not what is asked here.
const CONNECTIONS: usize = 64;

/// At what rate, and at the users of which level, response times are measured: one rate for the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stage {
    pub(crate) rate: Rate,
    /// Index of the level that the rate comes from.
    pub(crate) level: usize,
}

/// The stages that a run may have, best first: the one with the rate given, the one that an earlier round fixed, or those
/// that the closed loop of this first round allows: where the slowest arm did most. None when no arm answered anything.
pub(crate) fn stages(experiment: &Experiment, earlier: &[RoundRecord], closed: &[SliceRecord]) -> Vec<Stage> {
    let fixed = earlier.iter().find_map(|round| {
        let slice = round.open().next()?;
        let (rate, level) = (Rate(slice.rate?), slice.level);
        Some(Stage { rate, level })
    });
    let given = experiment.design.latency_rate;
    let given = given.map(|rate| Stage { rate, level: 0 });
    match given.or(fixed) {
        Some(stage) => vec![stage],
        None => allowed(experiment, closed),
    }
}

/// Those that the closed loop allows.
fn allowed(experiment: &Experiment, closed: &[SliceRecord]) -> Vec<Stage> {
    let slowest = |level: usize| {
        let arms = 0..experiment.arms.len();
        arms.map(|arm| throughput(closed, level, arm))
            .fold(f64::INFINITY, f64::min)
    };
    let levels = 0..experiment.load.connections.len();
    let slowest = levels.map(|level| (level, slowest(level)));
    let most = slowest.filter(|(_, most)| most.is_finite() && *most > 0.0);
    let Some((level, most)) = most.reduce(|best, next| if next.1 > best.1 { next } else { best }) else {
        return Vec::new();
    };
    let rates = SHARES.map(|share| Rate(two_digits(share * most)));
    rates.map(|rate| Stage { rate, level }).to_vec()
}

/// Right answers per second; not a number where nothing was measured.
pub(crate) fn throughput(closed: &[SliceRecord], level: usize, arm: usize) -> f64 {
    let here = |slice: &&SliceRecord| slice.level == level && slice.arm == arm;
    let own = || closed.iter().filter(here);
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

/// The slices of the stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Windows {
    pub(crate) window: Window,
    /// Pairs that take as long as one of a quick service, at most one.
    share: f64,
}

impl Windows {
    /// The service is so quick that slices are no longer than they have to be.
    pub(crate) fn quick(&self) -> bool {
        self.share >= 1.0
    }

    /// How many of so many pairs there is time for: at least a quad.
    pub(crate) fn pairs(&self, experiment: &Experiment, pairs: u32) -> u32 {
        if !experiment.design.tune_latency {
            return pairs;
        }
        // A rounding error must not cost a quad.
        2 * ((f64::from(pairs) * self.share / 2.0 + 1e-9) as u32).max(1)
    }
}

/// For a service that takes so many seconds: before a slice counts as many requests get under way as usually are, and fewer
/// slices are as much longer.
pub(crate) fn windows(experiment: &Experiment, service_p50: f64) -> Windows {
    let design = &experiment.design;
    let rounds = |rounds: f64| Nanos::from_secs_f64(rounds * service_p50);
    let least = design.settle.unwrap_or(SETTLE);
    let settle = least.max(rounds(windows::SETTLE_ROUNDS));
    let counted = match design.tune_latency {
        true => design.latency_slice.max(settle),
        false => design.latency_slice,
    };
    let quick = (least + design.latency_slice).as_secs_f64();
    Windows {
        window: Window { settle, counted },
        share: quick / (settle + counted).as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::{PLAIN, Speed, experiment, levels, round, two_levels};

    fn rate(experiment: &Experiment, earlier: &[RoundRecord], closed: &[SliceRecord]) -> Option<f64> {
        Some(stages(experiment, earlier, closed).first()?.rate.0)
    }

    fn closed(speeds: &[Speed]) -> Vec<SliceRecord> {
        round(1, speeds).closed().cloned().collect()
    }

    #[test]
    fn the_slower_arm_of_the_first_round_fixes_the_rate() {
        let slices = closed(&[PLAIN.better(1.5), PLAIN.better(1.03)]);
        // 0.4 of 20 600 per second is 8 240.
        let rates = stages(&experiment(), &[], &slices);
        assert_eq!(
            rates.iter().map(|stage| stage.rate.0).collect::<Vec<_>>(),
            [8_200.0, 6_200.0, 4_100.0]
        );
        let mut fixed = round(1, &[PLAIN, PLAIN]);
        fixed
            .slices
            .iter_mut()
            .filter(|s| s.rate.is_some())
            .for_each(|s| s.rate = Some(7_000.0));
        assert_eq!(rate(&experiment(), &[fixed.clone()], &slices), Some(7_000.0));
        assert_eq!(
            stages(&experiment(), &[fixed.clone()], &slices).len(),
            1,
            "it stays"
        );
        let mut given = experiment();
        given.design.latency_rate = Some(Rate(500.0));
        assert_eq!(rate(&given, &[fixed], &slices), Some(500.0));
    }

    #[test]
    fn of_several_levels_the_one_counts_at_which_the_slowest_arm_does_most() {
        let speeds = [[PLAIN.better(1.5), PLAIN], [PLAIN.better(1.1), PLAIN.better(1.2)]];
        let slices: Vec<SliceRecord> = levels(1, &speeds).closed().cloned().collect();
        let found = stages(&two_levels(), &[], &slices)[0];
        assert_eq!((found.rate, found.level), (Rate(8_800.0), 1));
        let of_first: Vec<SliceRecord> = slices.into_iter().filter(|slice| slice.level == 0).collect();
        let found = stages(&two_levels(), &[], &of_first)[0];
        assert_eq!(
            (found.rate, found.level),
            (Rate(8_000.0), 0),
            "the other level is void"
        );
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
    fn a_slow_service_has_fewer_and_longer_slices() {
        let mut experiment = experiment();
        let of = |experiment: &Experiment, service_p50: f64| {
            let found = windows(experiment, service_p50);
            let seconds = [found.window.settle, found.window.counted].map(Nanos::as_secs_f64);
            (seconds, found.pairs(experiment, 16))
        };
        assert_eq!(of(&experiment, 0.001), ([0.1, 0.5], 16));
        assert_eq!(of(&experiment, 0.1), ([0.3, 0.5], 12));
        assert_eq!(of(&experiment, 1.0), ([3.0, 3.0], 2));
        experiment.design.tune_latency = false;
        assert_eq!(
            of(&experiment, 1.0),
            ([3.0, 0.5], 16),
            "what the file says is kept"
        );
    }

    #[test]
    fn connections_leave_room_for_bursts() {
        let of = |users| arrivals(Rate(1.0), users).connections();
        assert_eq!([1, 32, 500, 5000].map(of), [64, 128, 1024, 5000]);
    }
}
