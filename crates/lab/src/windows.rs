//! The length of the slices at a level: a tenth of a second where the service is quick. With slow requests, a
//! window gains or loses a whole wave of them at its edges. So it is long enough for many waves, its length is
//! a whole number of waves, and the users begin at times that are spread over one wave. Where the machine is
//! less than half used, all arms share each window, and the users of one go on in the next: then a window may
//! be shorter than a request or a pause, because as many of their cycles overlap in it as there are users.

use ask::experiment::{Experiment, SETTLE};
use judge::round_time::start_time;
use judge::slow::{SLOW, WAVES};
use load::Window;
use model::units::Nanos;

/// The number of waves of requests in the settling time before the counted window.
pub(crate) const SETTLE_WAVES: f64 = 3.0;
/// The counted window of a service that is not slow, in service times. Its users queue, so that answers come
/// steadily and not in waves.
pub(crate) const QUICK_WAVES: f64 = 10.0;
/// The number of quads that a start should have at a level, because the estimates of its verdicts rest on how
/// they spread, and the seconds that these may take where slices are longer than at a quick service.
const QUADS: f64 = 10.0;
const SECONDS_OF_QUADS: f64 = 12.0;
/// Where all arms are loaded at once: the length in seconds of a window, and the number of users from which on it need not be as long as a
/// cycle of each of them.
const AT_ONCE: f64 = 0.58;
const MANY_USERS: usize = 30;
/// The longest time in seconds that all such windows of a level take.
const ALL_AT_ONCE: f64 = 20.0;
/// The length in seconds above which there is no time for the mirror image of a row of slices.
const LONG: f64 = 20.0;
/// The length in seconds above which there is none if two rows do not fit into the budget.
const MAYBE_ONE: f64 = 5.0;

/// The number of waves of requests that show how slow a level is, after as many that settle.
const TRIAL_WAVES: f64 = 2.0;

/// The number of starts that should fit into the budget: the fewest with a verdict. Slices get shorter for that, down to this number of waves
/// of requests.
const STARTS: f64 = 4.0;
const FEWEST_WAVES: f64 = 5.0;

/// The number of windows of all arms at once, and the fewest.
const WINDOWS: u32 = 20;
const FEWEST_WINDOWS: u32 = 4;
/// The time in seconds in which users connect, where no rate is given for that.
const CONNECTING: f64 = 1.0;
/// How much longer users take to connect than their rate says, because the machine is busy: of 6000 users at 2000/s, 4300 to 4800 had
/// connected after 3 s.
const CONNECTING_BUSY: f64 = 1.5;
/// The time in seconds after which Linux sends a SYN again that found a full accept queue.
const SYN_RETRY: f64 = 1.0;

/// The longest time in seconds over which the users of all arms begin at once.
const LONGEST_SPREAD: f64 = 10.0;

/// The most service times over which users begin: where a server queues for longer, requests come in waves anyway.
const SPREAD: f64 = 5.0;

/// How slow the service is at a level; all times are in seconds. Unless noted they are the quickest arm's: a
/// server that queues takes a multiple of its work, so a window of a whole number of the shorter waves fits both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// Whether less than half of the machine is used, so that all arms are loaded at once.
    pub(crate) at_once: bool,
    /// The median service time.
    pub(crate) service_p50: f64,
    /// The time after which requests that were sent together are sent again: nearly all service times exceed it.
    pub(crate) period: f64,
    /// The time in which the slowest arm answers as many requests as there are users.
    pub(crate) wave: f64,
}

impl Pace {
    /// The pace of a level at which waves of requests do not matter.
    pub(crate) fn quick(service_p50: f64) -> Self {
        Self { at_once: false, service_p50, period: service_p50, wave: 0.0 }
    }

    pub(crate) fn is_slow(&self) -> bool {
        self.service_p50 >= SLOW
    }

    /// The number of waves of requests that a slice should have.
    fn waves(&self) -> f64 {
        if self.is_slow() { WAVES } else { QUICK_WAVES }
    }

    /// The whole number of waves that is nearest to this time.
    fn whole(&self, asked: Nanos) -> Nanos {
        let waves = (asked.as_secs_f64() / self.period).round().max(1.0);
        Nanos::from_secs_f64(waves * self.period)
    }

    /// The least whole number of cycles of a user that takes at least this time.
    fn whole_cycles(&self, least: Nanos) -> Nanos {
        let cycle = self.wave.max(self.service_p50).max(1e-6);
        Nanos::from_secs_f64((least.as_secs_f64() / cycle).ceil().max(1.0) * cycle)
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
    pub(crate) fn for_pace(experiment: &Experiment, pace: Pace, level: usize, pairs: u32) -> Self {
        if pace.at_once {
            return Self::at_once(experiment, pace, experiment.load.connections[level], pairs);
        }
        let (design, p50) = (&experiment.design, pace.service_p50);
        // Users begin within the time that the slowest arm needs for all of them: as fast as it works.
        let spread = match pace.is_slow() {
            true => pace.wave.clamp(p50, SPREAD * p50),
            false => 0.0,
        };
        let ramp = experiment.load.ramp.unwrap_or(Nanos::from_secs_f64(spread));
        let fitted = |span: Nanos, waves: f64| span.max(Nanos::from_secs_f64(waves * p50));
        let settle = design.settle.unwrap_or_else(|| {
            let all_in = if pace.is_slow() { spread + p50 } else { 0.0 };
            fitted(SETTLE, SETTLE_WAVES).max(Nanos::from_secs_f64(all_in))
        });
        let aside = settle.max(ramp).as_secs_f64() + pace.wave.max(p50);
        let affordable = design.budget.map_or(f64::INFINITY, |budget| {
            ((seconds_of_slice(experiment, budget) - aside) / p50).max(FEWEST_WAVES)
        });
        let asked =
            design.slice.unwrap_or_else(|| fitted(design.shortest_slice(), pace.waves().min(affordable)));
        let window = Window {
            // The counted window must not begin before all users have.
            settle: settle.max(ramp),
            counted: if pace.is_slow() { pace.whole(asked) } else { asked },
        };
        let seconds = (window.settle + window.counted).as_secs_f64() + spread;
        Self { window, pairs: fitting_pairs(experiment, pairs, seconds), ramp }
    }

    /// The windows of all arms at once for so many users. Only the first one settles, until all users have begun.
    fn at_once(experiment: &Experiment, pace: Pace, users: usize, pairs: u32) -> Self {
        let (design, p50) = (&experiment.design, pace.service_p50);
        let spread = Nanos::from_secs_f64(pace.wave.clamp(p50, LONGEST_SPREAD));
        let ramp = experiment.load.ramp.unwrap_or(spread);
        let usual = Nanos::from_secs_f64(AT_ONCE);
        let usual = match users >= MANY_USERS {
            true => usual,
            false => pace.whole_cycles(usual),
        };
        let counted = design.slice.unwrap_or(usual.max(design.shortest_slice()));
        let settle = ramp + Nanos::from_secs_f64(p50) + design.settle.unwrap_or(SETTLE);
        let most = 2 * (ALL_AT_ONCE / counted.as_secs_f64() / 2.0) as u32;
        let pairs = match design.tune {
            true => WINDOWS.min(most.max(FEWEST_WINDOWS)).min(pairs.max(2)),
            false => design.pairs,
        };
        Self { window: Window { settle, counted }, pairs, ramp }
    }

    /// Lengthens the part of each slice that is not counted, because its users connect in it. There are fewer of such slices than the
    /// file says, because it says how many quick ones there are.
    pub(crate) fn settle_after_connecting(&mut self, experiment: &Experiment, pace: Pace, level: usize) {
        let load = &experiment.load;
        let connecting = load.connect_rate.map_or(CONNECTING, |rate| load.connections[level] as f64 / rate.0);
        let settle = CONNECTING_BUSY * connecting + SYN_RETRY + SETTLE_WAVES * pace.service_p50;
        self.window.settle = self.window.settle.max(self.ramp + Nanos::from_secs_f64(settle));
        if !pace.is_slow() {
            // Most of a slice would be lost otherwise.
            self.window.counted = self.window.counted.max(Nanos(self.window.settle.0 / 2));
        }
        self.pairs = pairs_of_long(experiment, self.pairs, self.seconds(pace)).min(self.pairs);
    }

    /// The seconds of one slice, including the wait for the last answers.
    pub(crate) fn seconds(&self, pace: Pace) -> f64 {
        if pace.at_once {
            let settle = self.window.settle.as_secs_f64() / f64::from(self.pairs.max(1));
            return settle + self.window.counted.as_secs_f64();
        }
        (self.window.settle + self.window.counted).as_secs_f64() + pace.wave.max(pace.service_p50)
    }
}

/// The time for which an arm settles, and then is looked at, to see how slow a level is, by a first guess of the median service time in seconds:
/// so many waves of requests, but not more than half of what its slices may take, and in any case one wave.
pub(crate) fn trial_span(experiment: &Experiment, service_p50: f64) -> Nanos {
    let half = |budget| (0.5 * seconds_of_slice(experiment, budget)).max(service_p50);
    let most = experiment.design.budget.map_or(f64::INFINITY, half);
    Nanos::from_secs_f64(most.min(TRIAL_WAVES * service_p50))
}

/// The seconds that each slice may take so that [`STARTS`] starts fit into the budget, if every arm has one at each level.
fn seconds_of_slice(experiment: &Experiment, budget: Nanos) -> f64 {
    let slices = experiment.arms.len() * experiment.load.connections.len();
    (budget.as_secs_f64() / STARTS - start_time(experiment).0) / slices as f64
}

/// The number of pairs of slices of this length: what the file says, or as many as take about as long as `pairs` pairs of short ones.
fn fitting_pairs(experiment: &Experiment, pairs: u32, slice_seconds: f64) -> u32 {
    let asked = experiment.design.quick_slice().as_secs_f64();
    match experiment.design.tune && slice_seconds > asked * 1.001 {
        true => pairs_of_long(experiment, pairs, slice_seconds),
        false => pairs,
    }
}

/// The number of pairs of long slices that take about as long as `pairs` pairs of short ones. It is at least one quad; for
/// very long slices one row.
fn pairs_of_long(experiment: &Experiment, pairs: u32, slice_seconds: f64) -> u32 {
    let affordable = experiment.design.budget.map(|budget| seconds_of_slice(experiment, budget));
    let has_room = affordable.is_none_or(|affordable| 2.0 * slice_seconds <= affordable);
    if slice_seconds > LONG || slice_seconds > MAYBE_ONE && !has_room {
        return 1;
    }
    let quick = (SETTLE + experiment.design.shortest_slice()).as_secs_f64();
    let as_long = f64::from(pairs) / 2.0 * quick / slice_seconds;
    let enough = QUADS.min(SECONDS_OF_QUADS / (4.0 * slice_seconds));
    2 * (as_long.max(enough) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;
    use model::units::Rate;

    fn quick(service_p50: f64, change: impl Fn(&mut Experiment)) -> ([f64; 3], u32) {
        windows(Pace::quick(service_p50), change)
    }

    /// The seconds of settling, counted window and ramp, and the number of pairs.
    fn windows(pace: Pace, change: impl Fn(&mut Experiment)) -> ([f64; 3], u32) {
        let mut experiment = experiment();
        change(&mut experiment);
        let windows = Windows::for_pace(&experiment, pace, 0, 40);
        let seconds = [windows.window.settle, windows.window.counted, windows.ramp].map(Nanos::as_secs_f64);
        (seconds.map(|s| (s * 1e3).round() / 1e3), windows.pairs)
    }

    #[test]
    fn users_come_as_fast_as_the_slowest_arm_works_and_windows_are_whole_periods() {
        let pace = |wave: f64| Pace { at_once: false, service_p50: 1.05, period: 1.0, wave };
        assert_eq!(windows(pace(2.5), |_| ()), ([3.55, 32.0, 2.5], 1));
        assert_eq!(windows(pace(25.0), |_| ()), ([6.3, 32.0, 5.25], 1));
        let short = |experiment: &mut Experiment| {
            experiment.design.slice = Some(Nanos::from_millis(2100));
            experiment.design.settle = Some(Nanos::from_secs(1));
        };
        assert_eq!(windows(pace(2.5), short), ([2.5, 2.0, 2.5], 2));
    }

    #[test]
    fn a_quick_service_has_a_tenth_of_a_second_and_all_pairs() {
        for service_p50 in [0.0, 0.001, 0.006] {
            assert_eq!(quick(service_p50, |_| ()), ([0.02, 0.1, 0.0], 40));
        }
    }

    #[test]
    fn all_arms_at_once_share_short_windows_that_settle_only_before_the_first() {
        let at_once = |service_p50: f64, wave: f64, users: usize, change: &dyn Fn(&mut Experiment)| {
            let pace = Pace { at_once: true, service_p50, period: service_p50, wave };
            windows(pace, |experiment| {
                experiment.load.connections = vec![users];
                change(experiment);
            })
        };
        // A service that waits for half a second, and users who think for two seconds.
        assert_eq!(at_once(0.5, 0.5, 100, &|_| ()), ([1.02, 0.58, 0.5], 20));
        assert_eq!(at_once(0.001, 2.0, 200, &|_| ()), ([2.021, 0.58, 2.0], 20));
        // A few users: a window has room for whole cycles, and there are fewer of them.
        assert_eq!(at_once(0.5, 0.5, 1, &|_| ()), ([1.02, 1.0, 0.5], 20));
        assert_eq!(at_once(3.0, 3.0, 5, &|_| ()), ([6.02, 3.0, 3.0], 6));
        let post = |experiment: &mut Experiment| {
            experiment.load.ramp = Some(Nanos::from_secs(1));
            (experiment.design.pairs, experiment.design.tune) = (1, false);
            experiment.design.slice = Some(Nanos::from_secs(2));
        };
        assert_eq!(at_once(1.0, 2.5, 500, &post), ([2.02, 2.0, 1.0], 1));
    }

    #[test]
    fn a_slow_service_has_thirty_waves_and_fewer_pairs() {
        // Users queue at a service that is not slow: ten waves are enough.
        assert_eq!(quick(0.05, |_| ()), ([0.15, 0.5, 0.0], 8));
        assert_eq!(quick(0.02, |_| ()), ([0.06, 0.2, 0.0], 20), "ten quads");
        assert_eq!(quick(0.2, |_| ()), ([0.6, 6.0, 0.2], 2));
        assert_eq!(quick(1.0, |_| ()), ([3.0, 30.0, 1.0], 1));
        let with_budget = |seconds: u64| {
            move |experiment: &mut Experiment| experiment.design.budget = Some(Nanos::from_secs(seconds))
        };
        assert_eq!(quick(1.0, with_budget(600)), ([3.0, 30.0, 1.0], 1));
        assert_eq!(quick(1.0, with_budget(240)), ([3.0, 21.0, 1.0], 1), "four starts of two slices");
        assert_eq!(quick(1.0, with_budget(2)), ([3.0, 5.0, 1.0], 1), "five waves");
        let table = |experiment: &mut Experiment| {
            experiment.load.connections = vec![100, 200, 500];
            experiment.design.budget = Some(Nanos::from_secs(600));
        };
        assert_eq!(quick(1.0, table), ([3.0, 19.0, 1.0], 1), "and of three levels");
    }

    #[test]
    fn users_who_connect_in_each_slice_have_time_for_it() {
        let mut experiment = experiment();
        experiment.load.connections = vec![9000];
        experiment.load.connect_rate = Some(Rate(2000.0));
        let pace = Pace { at_once: false, service_p50: 0.15, period: 0.1, wave: 0.15 };
        let mut windows = Windows::for_pace(&experiment, pace, 0, 10);
        let before = windows;
        windows.settle_after_connecting(&experiment, pace, 0);
        let settled = windows.window.settle.since(before.ramp).as_secs_f64();
        assert!(settled >= 4.5 * CONNECTING_BUSY + SYN_RETRY, "{windows:?}");
        assert_eq!((windows.window.counted, windows.pairs), (before.window.counted, 2));
        let quick = Pace { service_p50: 0.02, wave: 0.02, ..pace };
        let mut windows = Windows::for_pace(&experiment, quick, 0, 10);
        windows.settle_after_connecting(&experiment, quick, 0);
        assert!(windows.window.counted.as_secs_f64() > 2.0, "{windows:?}");
        experiment.design.tune = false;
        let mut windows = Windows::for_pace(&experiment, quick, 0, 10);
        assert_eq!(windows.pairs, 10, "as the file says");
        windows.settle_after_connecting(&experiment, quick, 0);
        assert_eq!(windows.pairs, 2);
    }

    #[test]
    fn a_first_look_at_a_slow_level_takes_no_longer_than_its_slices_may() {
        let mut experiment = experiment();
        let seconds = |experiment: &Experiment| trial_span(experiment, 10.0).as_secs_f64();
        assert_eq!(seconds(&experiment), 20.0);
        experiment.design.budget = Some(Nanos::from_secs(300));
        assert_eq!(seconds(&experiment), 16.0, "half of what two slices of a start may take");
        experiment.design.budget = Some(Nanos::from_secs(60));
        assert_eq!(seconds(&experiment), 10.0, "one wave");
    }

    #[test]
    fn lengths_in_the_file_are_rounded_to_whole_waves() {
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
