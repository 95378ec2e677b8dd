//! The stage at a fixed rate, at which response times and CPU per request are compared. The rate is the same for all arms,
//! because an arm with fewer requests would look quicker than it is, and one that answers in larger batches cheaper.

use crate::windows;
use ask::experiment::{Experiment, LATENCY_SETTLE, Pacing, SETTLE};
use load::Window;
use model::units::{Nanos, Rate};
use record::rounds::{RoundRecord, SliceRecord};
use traffic::plan::Arrivals;

/// The rates to try, as shares of the slower arm's throughput in the closed loop; the first is used at which the generator is on
/// time and the CPUs have time left ([`has_cpu_left`]). Arms that are loaded together have equal parts of it, so that the machine
/// carries as many requests as when they are loaded one after the other. Servers shall be busy, but far enough from their limit that no arm queues. A closed loop sends and
/// answers in batches; single requests cost both sides half as much again and more, so that two cores that are shared
/// with the generator are saturated at six tenths and nearly so at four. The lower the rate, the more wake-ups are part
/// of the CPU time per request, and the more it varies.
const SHARES: [f64; 3] = [0.4, 0.3, 0.2];
/// The rate of users who pause, as a share of the throughput in the closed loop, where less than half of the machine is used: their own.
const OF_USERS_WHO_PAUSE: f64 = 1.0;
/// The largest part of the CPU time per second of the closed loop that may be used at the rate. On two CPUs with a neighbour, a server
/// whose two CPUs were used to 80 % at four tenths left two thirds of the requests of a slice unanswered. Without a neighbour, its 90th
/// percentile was eight times as long at 85 % as at 65 %, and its interval five times as wide.
const CPU_USED: f64 = 0.75;
/// The number of slices of each arm that show whether a rate can be used.
pub(crate) const TRIES: usize = 4;
/// The length of an uncounted slice before the others, in which connections are opened.
const ENTRY: Nanos = Nanos::from_millis(150);
/// The longest such slice before sessions, and how many times as long as a session it is: as many users as usual are then in one, because
/// sessions go on from one slice to the next.
const LONGEST_ENTRY: Nanos = Nanos::from_secs(20);
const ENTRY_SESSIONS: f64 = 1.5;
/// The least number of connections. A request waits if none is free, and that wait counts but is not what is compared
/// here.
const CONNECTIONS: usize = 64;

/// The rate of each arm in the stage and the level that it comes from; one rate for the whole run, and for later runs of the same question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RateStage {
    pub(crate) rate: Rate,
    /// The index of the level that the rate comes from.
    pub(crate) level: usize,
    /// How the arms are loaded: in turn or together.
    pub(crate) pacing: Pacing,
    /// Whether it is a point of the curve over rates, and not the stage that is judged.
    pub(crate) curve: bool,
    /// The length of the uncounted slice before the others.
    pub(crate) entry: Nanos,
}

impl RateStage {
    /// The stage that is judged, at this rate, with the arms in turn.
    fn judged(rate: Rate, level: usize) -> Self {
        Self { rate, level, pacing: Pacing::InTurn, curve: false, entry: ENTRY }
    }
}

/// The possible stages of a run, best first, by where the rate comes from: the experiment, else an earlier
/// round, else an earlier run of the same question, else the closed loop of this first round. Empty if an arm
/// answered nothing.
pub(crate) fn stages(
    experiment: &Experiment,
    earlier: &[RoundRecord],
    closed: &[SliceRecord],
) -> Vec<RateStage> {
    let fixed = earlier.iter().find_map(|round| {
        let slice = round.open().next()?;
        let (rate, level) = (slice.rate?, slice.level);
        Some(RateStage::judged(rate, level))
    });
    let given = experiment.design.latency_rate;
    let given = given.map(|rate| RateStage::judged(rate, 0));
    let kept = experiment.design.kept_rate.as_ref();
    let kept = kept.map(|kept| RateStage::judged(kept.rate, kept.level));
    let mut stages = match given.or(fixed).or(kept) {
        Some(stage) => vec![stage],
        None => stages_from_closed(experiment, closed),
    };
    for stage in &mut stages {
        stage.pacing = experiment.design.pacing.of_times();
        stage.entry = entry(experiment, closed, stage.level);
    }
    stages
}

/// The length of the slice in which a session with an arm enters the stage. By Little's law, a session of steps takes as long as there
/// are users for each one that begins in a second.
fn entry(experiment: &Experiment, closed: &[SliceRecord], level: usize) -> Nanos {
    if experiment.workload.sessions.is_none() {
        return ENTRY;
    }
    let users = experiment.load.connections[level] as f64;
    let session = users / slowest_throughput(experiment, closed, level);
    match session.is_finite() {
        true => Nanos::from_secs_f64(ENTRY_SESSIONS * session).clamp(ENTRY, LONGEST_ENTRY),
        false => ENTRY,
    }
}

/// The stages that follow from the closed loop, at the level at which the slowest arm answered most.
fn stages_from_closed(experiment: &Experiment, closed: &[SliceRecord]) -> Vec<RateStage> {
    let levels = 0..experiment.load.connections.len();
    let slowest = levels.map(|level| (level, slowest_throughput(experiment, closed, level)));
    let most = slowest.filter(|(_, most)| most.is_finite() && *most > 0.0);
    let Some((level, most)) = most.reduce(|best, next| if next.1 > best.1 { next } else { best }) else {
        return Vec::new();
    };
    let at_once = closed.iter().any(|slice| slice.level == level && slice.together);
    let shares = match at_once && experiment.has_pauses() {
        true => [OF_USERS_WHO_PAUSE; 3],
        false => SHARES,
    };
    let rates = shares.map(|share| Rate(two_digits(share * most / arms_at_once(experiment))));
    rates.map(|rate| RateStage::judged(rate, level)).to_vec()
}

/// A stage that loads all arms at once, each at its part of the rate that would be tried first if they answered so many requests per second
/// at once.
pub(crate) fn stage_like(per_second: f64, level: usize) -> Option<RateStage> {
    let rate = SHARES[0] * per_second;
    (rate.is_finite() && rate > 0.0)
        .then(|| RateStage { pacing: Pacing::Together, ..RateStage::judged(Rate(two_digits(rate)), level) })
}

/// The number of arms that are loaded at the same time at the rate of the stage. The machine carries the sum of their rates.
fn arms_at_once(experiment: &Experiment) -> f64 {
    experiment.design.pacing.arms_at_once(experiment.arms.len()) as f64
}

/// The stage that loads all arms at the same time, each with an equal part of the rate that the machine carries in `stage`.
pub(crate) fn part_of_each(experiment: &Experiment, stage: RateStage) -> RateStage {
    let parts = experiment.arms.len() as f64 / arms_at_once(experiment);
    RateStage { rate: Rate(stage.rate.0 / parts), pacing: Pacing::Together, ..stage }
}

/// The right answers per second of the slowest arm at a level, or the sessions that it begins where users play sessions; not finite
/// where an arm was not measured.
fn slowest_throughput(experiment: &Experiment, closed: &[SliceRecord], level: usize) -> f64 {
    let arms = 0..experiment.arms.len();
    let throughputs = arms.map(|arm| match experiment.workload.sessions {
        Some(_) => per_second(closed, level, arm, |slice| slice.sessions),
        None => throughput(closed, level, arm),
    });
    throughputs.fold(f64::INFINITY, f64::min)
}

/// Whether servers and generator use so much less CPU time per second in these slices than in the slices of `closed` of the same arms
/// and level that a busy neighbour does not make requests queue.
pub(crate) fn has_cpu_left(at_rate: &[SliceRecord], closed: &[SliceRecord]) -> bool {
    let place = |slice: &SliceRecord| (slice.arm, slice.level);
    let is_here = |slice: &&SliceRecord| at_rate.iter().any(|other| place(other) == place(slice));
    cpus_used(at_rate.iter()) <= CPU_USED * cpus_used(closed.iter().filter(is_here))
}

/// The CPUs that all servers and the generator used together in these slices.
fn cpus_used<'a>(slices: impl Iterator<Item = &'a SliceRecord>) -> f64 {
    let sum = |(used, elapsed): (u64, u64), slice: &SliceRecord| {
        (used + slice.cpu_ns(), elapsed + slice.elapsed_ns)
    };
    let (used, elapsed) = slices.fold((0, 0), sum);
    used as f64 / elapsed.max(1) as f64
}

/// The rates of the curve, as shares of the slowest arm's throughput in the closed loop.
const CURVE: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
/// The ratio of two rates below which they are one point of the curve.
const NEAR: f64 = 1.25;

/// The point of the curve over rates that a start measures besides the stage. The starts take turns, so that a
/// point costs little; the rate of the stage itself is a point too and is left out. The rates follow from the
/// closed loop of the first start, so that all starts have the same ones. `None` if an arm answered nothing in it.
pub(crate) fn curve_point(
    experiment: &Experiment,
    stage: RateStage,
    first: &[SliceRecord],
    round: u32,
) -> Option<RateStage> {
    let most = slowest_throughput(experiment, first, stage.level);
    if !most.is_finite() || most <= 0.0 {
        return None;
    }
    let is_stage = |rate: &f64| (rate / stage.rate.0).ln().abs() < NEAR.ln();
    let rates = CURVE.map(|share| two_digits(share * most / arms_at_once(experiment)));
    let rates: Vec<f64> = rates.into_iter().filter(|rate| !is_stage(rate)).collect();
    let rate = rates.get(round.saturating_sub(1) as usize % rates.len().max(1))?;
    Some(RateStage { rate: Rate(*rate), curve: true, ..stage })
}

/// The right answers per second of an arm at a level; NaN where nothing was measured.
pub(crate) fn throughput(closed: &[SliceRecord], level: usize, arm: usize) -> f64 {
    per_second(closed, level, arm, |slice| slice.counts.ok)
}

/// What the slices of an arm at a level counted, per second.
fn per_second(closed: &[SliceRecord], level: usize, arm: usize, count: impl Fn(&SliceRecord) -> u64) -> f64 {
    let here = |slice: &&SliceRecord| slice.level == level && slice.arm == arm;
    let slices = || closed.iter().filter(here);
    let counted: u64 = slices().map(count).sum();
    let elapsed: u64 = slices().map(|slice| slice.elapsed_ns).sum();
    counted as f64 / (elapsed as f64 / 1e9)
}

/// The value rounded to two significant digits, so that users can read it and set it again.
fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit).round() * unit
}

/// Poisson arrivals at `rate`. The closed loop exceeded this rate with at most `users` requests in flight, so four times
/// as many connections leave room for bursts.
pub(crate) fn arrivals(rate: Rate, users: usize) -> Arrivals {
    Arrivals::Open { rate, poisson: true, connections: users.max((4 * users).clamp(CONNECTIONS, 1024)) }
}

/// The length and number of the slices of the stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StageWindows {
    pub(crate) window: Window,
    /// The length of a quick service's slice as a share of this one's, at most 1.
    share: f64,
}

impl StageWindows {
    /// Whether the service is so quick that its slices have the least length.
    pub(crate) fn is_quick(&self) -> bool {
        self.share >= 1.0
    }

    /// The slices of all arms at once besides slices in turn: each is as long as a slice of every arm. A
    /// quick service needs no time to settle, because the load goes on but for an instant.
    pub(crate) fn of_all_arms(self, experiment: &Experiment) -> Self {
        let Window { settle, counted } = self.window;
        let as_long = Nanos((settle + counted).0 * experiment.arms.len() as u64);
        let settle = match self.is_quick() {
            true => experiment.design.settle.unwrap_or(SETTLE),
            false => settle,
        };
        Self { window: Window { settle, counted: as_long.since(settle) }, ..self }
    }

    /// The number of pairs that fit in the time of `pairs` pairs of a quick service; at least one quad.
    pub(crate) fn pairs(&self, experiment: &Experiment, pairs: u32) -> u32 {
        if !experiment.design.tune_latency {
            return pairs;
        }
        // The small term keeps a rounding error from costing a quad.
        2 * ((f64::from(pairs) * self.share / 2.0 + 1e-9) as u32).max(1)
    }
}

/// The slices for a service with this median service time in seconds. A slow service settles for longer, until as many
/// requests are in flight as usual; its slices are as much longer, and there are fewer of them.
pub(crate) fn stage_windows(experiment: &Experiment, service_p50: f64) -> StageWindows {
    let design = &experiment.design;
    let waves = |waves: f64| Nanos::from_secs_f64(waves * service_p50);
    let least = design.settle.unwrap_or(LATENCY_SETTLE);
    let settle = least.max(waves(windows::SETTLE_WAVES));
    let counted = match design.tune_latency {
        true => design.latency_slice.max(settle),
        false => design.latency_slice,
    };
    let quick = (least + design.latency_slice).as_secs_f64();
    StageWindows { window: Window { settle, counted }, share: quick / (settle + counted).as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::experiment::KeptRate;
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
        assert_eq!(rates.iter().map(|stage| stage.rate.0).collect::<Vec<_>>(), [8_200.0, 6_200.0, 4_100.0]);
        let mut fixed = round(1, &[PLAIN, PLAIN]);
        fixed.slices.iter_mut().filter(|s| s.rate.is_some()).for_each(|s| s.rate = Some(Rate(7_000.0)));
        assert_eq!(rate(&experiment(), &[fixed.clone()], &slices), Some(7_000.0));
        assert_eq!(stages(&experiment(), &[fixed.clone()], &slices).len(), 1, "it stays");
        let mut kept = experiment();
        kept.design.kept_rate = Some(KeptRate { rate: Rate(6_000.0), level: 0, run: "earlier".to_owned() });
        assert_eq!(rate(&kept, &[fixed.clone()], &slices), Some(7_000.0), "as the run began");
        assert_eq!(rate(&kept, &[], &slices), Some(6_000.0));
        let mut given = kept;
        given.design.latency_rate = Some(Rate(500.0));
        assert_eq!(rate(&given, &[fixed], &slices), Some(500.0));
    }

    #[test]
    fn cpus_have_time_left_below_three_quarters_of_the_closed_loop() {
        let slice = |arm: u64, generator: u64| SliceRecord {
            elapsed_ns: 100,
            cpu_ns_arm: arm,
            cpu_ns_generator: generator,
            ..SliceRecord::default()
        };
        let closed = [slice(120, 60), slice(140, 80)];
        assert!(has_cpu_left(&[slice(100, 50)], &closed), "1.5 of 2 CPUs");
        assert!(!has_cpu_left(&[slice(100, 52)], &closed));
        assert!(has_cpu_left(&[slice(0, 0)], &[slice(0, 0)]), "where no CPU time is known");
    }

    #[test]
    fn a_slice_of_all_arms_takes_the_time_of_one_of_each() {
        let each = stage_windows(&experiment(), 0.0);
        let all = each.of_all_arms(&experiment()).window;
        assert_eq!((each.window.settle, all.settle), (LATENCY_SETTLE, SETTLE));
        let length = |window: Window| (window.settle + window.counted).0;
        assert_eq!(length(all), 2 * length(each.window));
        let slow = stage_windows(&experiment(), 1.0);
        let of_slow = slow.of_all_arms(&experiment()).window.settle;
        assert_eq!(of_slow, slow.window.settle, "as many requests are in flight as usual");
    }

    #[test]
    fn arms_that_are_loaded_together_share_the_rate_that_one_alone_would_have() {
        let slices = closed(&[PLAIN.better(1.5), PLAIN.better(1.03)]);
        let mut together = experiment();
        together.design.pacing = Pacing::Together;
        assert_eq!(rate(&together, &[], &slices), Some(4_100.0), "half of 0.4 of 20 600");
        together.design.latency_rate = Some(Rate(500.0));
        assert_eq!(rate(&together, &[], &slices), Some(500.0), "a given rate is each arm's");
    }

    #[test]
    fn the_rate_comes_from_the_level_at_which_the_slowest_arm_answers_most() {
        let speeds = [[PLAIN.better(1.5), PLAIN], [PLAIN.better(1.1), PLAIN.better(1.2)]];
        let slices: Vec<SliceRecord> = levels(1, &speeds).closed().cloned().collect();
        let stage = stages(&two_levels(), &[], &slices)[0];
        assert_eq!((stage.rate, stage.level), (Rate(8_800.0), 1));
        let first_level: Vec<SliceRecord> = slices.into_iter().filter(|slice| slice.level == 0).collect();
        let stage = stages(&two_levels(), &[], &first_level)[0];
        assert_eq!((stage.rate, stage.level), (Rate(8_000.0), 0), "the other level is void");
    }

    #[test]
    fn starts_take_turns_at_the_points_of_the_curve() {
        let stage = RateStage::judged(Rate(8_200.0), 0);
        let first = closed(&[PLAIN.better(1.5), PLAIN.better(1.03)]);
        let points = |stage: RateStage, first: &[SliceRecord]| -> Vec<f64> {
            let point = |round| curve_point(&experiment(), stage, first, round);
            (1..=5).filter_map(|round| Some(point(round)?.rate.0)).collect()
        };
        let turns = [4_100.0, 12_000.0, 16_000.0, 4_100.0, 12_000.0];
        assert_eq!(points(stage, &first), turns, "the stage is at 40 %");
        let far = RateStage::judged(Rate(500.0), 0);
        assert_eq!(points(far, &first), [4_100.0, 8_200.0, 12_000.0, 16_000.0, 4_100.0]);
        assert!(points(stage, &[]).is_empty());
    }

    #[test]
    fn an_arm_that_answers_nothing_fixes_no_rate() {
        let slices = closed(&[PLAIN, Speed { ok: 0, ..PLAIN }]);
        assert_eq!(rate(&experiment(), &[], &slices), None);
        assert_eq!(rate(&experiment(), &[], &[]), None);
    }

    #[test]
    fn sessions_begin_at_a_share_of_those_that_began_in_the_closed_loop() {
        let mut shop = experiment();
        shop.workload.sessions = Some(Box::default());
        let mut slices = closed(&[PLAIN, PLAIN]);
        for slice in &mut slices {
            // 1000 sessions of ten requests in half a second, and 1200 of the quicker arm.
            slice.sessions = 1000 + 200 * slice.arm as u64;
            slice.elapsed_ns = 500_000_000;
        }
        let stage = stages(&shop, &[], &slices)[0];
        assert_eq!(stage.rate, Rate(800.0), "0.4 of 2000");
        let users = shop.load.connections[0] as f64;
        let entered = Nanos::from_secs_f64(1.5 * users / 2000.0).max(ENTRY);
        assert_eq!(stage.entry, entered);
        for slice in &mut slices {
            slice.sessions /= 500;
        }
        let slow = stages(&shop, &[], &slices)[0];
        assert_eq!(slow.entry, Nanos::from_secs_f64(1.5 * users / 4.0).min(LONGEST_ENTRY));
        assert!(stages(&shop, &[], &[]).is_empty());
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
        let windows = |experiment: &Experiment, service_p50: f64| {
            let windows = stage_windows(experiment, service_p50);
            let seconds = [windows.window.settle, windows.window.counted].map(Nanos::as_secs_f64);
            (seconds, windows.pairs(experiment, 16))
        };
        assert_eq!(windows(&experiment, 0.001), ([0.1, 0.2], 16));
        assert_eq!(windows(&experiment, 0.1), ([0.3, 0.3], 8));
        assert_eq!(windows(&experiment, 1.0), ([3.0, 3.0], 2));
        experiment.design.tune_latency = false;
        assert_eq!(windows(&experiment, 1.0), ([3.0, 0.2], 16), "the lengths in the file are kept");
    }

    #[test]
    fn connections_leave_room_for_bursts() {
        let connections = |users| arrivals(Rate(1.0), users).connections();
        assert_eq!([1, 32, 500, 5000].map(connections), [64, 128, 1024, 5000]);
    }
}
