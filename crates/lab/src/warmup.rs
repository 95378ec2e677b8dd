//! The warm-up gate: decides when the arms are warm. Every start is cut by the same rule, so a wrong gate costs
//! statistical power but never validity.

use crate::windows::Pace;
use judge::slow::SLOW;
use judge::validity;
use model::units::Nanos;

/// The measurements of one warm-up slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmSlice {
    /// The CPU time of the server per right answer, in seconds.
    pub(crate) cpu_per_request: f64,
    /// The CPU time of the arms that were not loaded, as a share of one core: their compilers still work.
    pub(crate) idle_arms_cpu: f64,
    /// The number of right answers.
    pub(crate) ok: u64,
    /// Their median service time in seconds; 0 if there are none.
    pub(crate) service_p50: f64,
    /// The length of the slice, including its settling.
    pub(crate) length: Nanos,
    /// The time from its begin until its last request was answered.
    pub(crate) answered: Nanos,
}

/// The number of slices of each arm that have to be steady. Where other programs share the machine, CPU per request varies
/// by 13 % from slice to slice: over four slices a slope of 3 % could then be detected only by luck.
const LOOK_BACK: usize = 6;
/// The largest steady slope of ln(CPU per request), per slice.
const SLOPE: f64 = 0.03;
/// The largest steady shift (in ln) between the medians of the earlier and the later half of those slices; a single slow
/// slice is no shift.
const SHIFT: f64 = 0.15;
/// The number of right answers that each arm must have given: enough for its hot code to be compiled.
const REQUESTS: u64 = 20_000;
/// The right answers per second below which a service is too slow for [`REQUESTS`], so that only the time decides.
const PACE: f64 = 1_000.0;
/// The factor by which the cap may be exceeded while unloaded arms are not idle yet.
const PATIENCE: f64 = 3.0;
/// The least length of a warm-up slice.
const SHORTEST: Nanos = Nanos::from_millis(500);
/// The length to which slices grow if no request is answered within them.
const LONGEST: Nanos = Nanos::from_secs(4);

/// Decides when the arms of a round are warm.
#[derive(Debug)]
pub(crate) struct Gate {
    arms: Vec<Vec<WarmSlice>>,
    least: Nanos,
    most: Nanos,
    length: Nanos,
    /// Whether an earlier start has shown that the service is so slow that only the time decides.
    known_slow: bool,
}

impl Gate {
    /// A gate that gives every arm between `least` and `most` of load.
    pub(crate) fn new(arms: usize, least: Nanos, most: Nanos) -> Self {
        Self {
            arms: vec![Vec::new(); arms],
            least,
            most: most.max(least),
            length: SHORTEST,
            known_slow: false,
        }
    }

    /// Uses the pace that an earlier start has shown, for this many users. For a slow service slices are longer, because
    /// no request would be answered within short ones. If the whole warm-up is shorter than that, it does not matter:
    /// requests are answered after the slice, and the pace is known already.
    pub(crate) fn with_known_pace(mut self, pace: Option<Pace>, users: usize) -> Self {
        if let Some(pace) = pace.filter(Pace::is_slow) {
            let two_rounds = Nanos::from_secs_f64(2.0 * pace.service_p50);
            self.length = two_rounds.min(self.most).clamp(SHORTEST, LONGEST);
            self.known_slow = (users as f64) < PACE * pace.service_p50;
        }
        self
    }

    /// Adds a warm-up slice of an arm.
    pub(crate) fn push(&mut self, arm: usize, slice: WarmSlice) {
        self.arms[arm].push(slice);
    }

    /// The length of the next slices, after all arms have had one of the previous length. If an arm answered nothing in
    /// it, they are at least as long as the quickest such arm took until it had answered.
    pub(crate) fn next_length(&mut self) -> Nanos {
        let last = self.arms.iter().filter_map(|slices| slices.last());
        let silent = last.filter(|slice| slice.ok == 0).map(|slice| slice.answered);
        if let Some(answered) = silent.min().filter(|_| !self.known_slow) {
            self.length = (self.length + self.length).max(answered).min(LONGEST);
        }
        self.length
    }

    /// The median service time in seconds of the arm that was quickest in the end; 0 if no arm answered.
    pub(crate) fn service_p50(&self) -> f64 {
        let last = |slices: &Vec<WarmSlice>| slices.iter().rev().find(|slice| slice.ok > 0).copied();
        let times = self.arms.iter().filter_map(last).map(|slice| slice.service_p50);
        times.reduce(f64::min).unwrap_or(0.0)
    }

    /// The time for which an arm was loaded so far.
    pub(crate) fn load_time(&self, arm: usize) -> Nanos {
        self.arms[arm]
            .iter()
            .fold(Nanos(0), |sum, slice| sum + slice.length)
    }

    /// Whether every arm is warm: it is steady and has had the least time of load.
    pub(crate) fn is_open(&self) -> bool {
        let steady = |arm: usize| self.known_slow || is_steady(&self.arms[arm]);
        (0..self.arms.len()).all(|arm| self.load_time(arm) >= self.least && steady(arm))
    }

    /// Whether every arm has had the longest warm-up. An arm that has not answered yet continues until it does, or until
    /// even the longest slice was too short for it, because only the warm-up shows how long its slices have to be. While
    /// compilers of unloaded arms work so hard that the round would be void, up to [`PATIENCE`] times as much warm-up
    /// costs less than another round.
    pub(crate) fn is_exhausted(&self) -> bool {
        let longest = |slice: &WarmSlice| slice.length > Nanos(LONGEST.0 / 2);
        let has_pace =
            |arm: usize| self.known_slow || self.arms[arm].iter().any(|slice| slice.ok > 0 || longest(slice));
        let all = |factor: f64| {
            let most = factor * self.most.as_secs_f64();
            (0..self.arms.len()).all(|arm| self.load_time(arm).as_secs_f64() >= most && has_pace(arm))
        };
        all(1.0) && (self.arms.iter().all(|slices| are_idle_arms_quiet(slices)) || all(PATIENCE))
    }

    /// The least progress of an arm towards the least warm-up, 0 to 1, for the progress line.
    pub(crate) fn progress(&self) -> f64 {
        let least = self.least.as_secs_f64().max(1e-9);
        let done = (0..self.arms.len()).map(|arm| self.load_time(arm).as_secs_f64() / least);
        done.fold(1.0, f64::min)
    }
}

/// Whether the unloaded arms were, in most of the last slices, as quiet as the validity gate of the round demands.
fn are_idle_arms_quiet(slices: &[WarmSlice]) -> bool {
    let last = &slices[slices.len().saturating_sub(LOOK_BACK / 2)..];
    last.is_empty() || median(last, |slice| slice.idle_arms_cpu) <= validity::IDLE_ARMS
}

/// Whether the CPU per request of an arm no longer changes; a slow service counts as steady.
fn is_steady(slices: &[WarmSlice]) -> bool {
    if is_slow(slices) {
        return true;
    }
    let ok: u64 = slices.iter().map(|slice| slice.ok).sum();
    let Some(last) = slices.len().checked_sub(LOOK_BACK).map(|at| &slices[at..]) else {
        return false;
    };
    if ok < REQUESTS || last.iter().any(|slice| slice.ok == 0) {
        return false;
    }
    let idle = last.iter().map(|slice| slice.idle_arms_cpu).sum::<f64>() / LOOK_BACK as f64;
    let (earlier, later) = last.split_at(LOOK_BACK / 2);
    let [earlier, later] = [earlier, later].map(|half| median(half, |slice| slice.cpu_per_request));
    let shift = (later / earlier).ln();
    idle < 0.01 && shift.abs() < SHIFT && slope(last).abs() < SLOPE
}

/// Whether a service answers, but so slowly that it cannot reach [`REQUESTS`].
fn is_slow(slices: &[WarmSlice]) -> bool {
    let pace = |slice: &WarmSlice| slice.ok as f64 / slice.length.as_secs_f64().max(1e-9);
    let waits = |slice: &WarmSlice| slice.service_p50 >= SLOW && pace(slice) < PACE;
    slices.last().is_some_and(|slice| slice.ok > 0 && waits(slice))
}

/// The median of an odd number of slices.
fn median(slices: &[WarmSlice], value: impl Fn(&WarmSlice) -> f64) -> f64 {
    let mut values: Vec<f64> = slices.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The least-squares slope of ln(CPU per request) on the number of the slice.
fn slope(slices: &[WarmSlice]) -> f64 {
    let n = slices.len() as f64;
    let middle = (n - 1.0) / 2.0;
    let spread: f64 = (0..slices.len()).map(|i| (i as f64 - middle).powi(2)).sum();
    let tilt: f64 = slices
        .iter()
        .enumerate()
        .map(|(i, slice)| (i as f64 - middle) * slice.cpu_per_request.ln())
        .sum();
    tilt / spread
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(cpu_us: f64, idle: f64) -> WarmSlice {
        WarmSlice {
            cpu_per_request: cpu_us * 1e-6,
            idle_arms_cpu: idle,
            ok: 8000,
            service_p50: 1e-3,
            length: Nanos::from_millis(500),
            answered: Nanos::from_millis(500),
        }
    }

    fn gate(slices: &[WarmSlice]) -> Gate {
        let mut gate = Gate::new(2, Nanos::from_secs(4), Nanos::from_secs(10));
        for slice in slices {
            gate.push(0, *slice);
            gate.push(1, *slice);
        }
        gate
    }

    #[test]
    fn a_steady_arm_opens_the_gate_after_the_least_warm_up() {
        assert!(!gate(&[slice(32.0, 0.001); 7]).is_open());
        assert!(gate(&[slice(32.0, 0.001); 8]).is_open());
    }

    #[test]
    fn a_falling_cost_or_a_busy_idle_arm_keeps_it_shut() {
        let falling: Vec<WarmSlice> = (0..8).map(|i| slice(60.0 * 0.93f64.powi(i), 0.001)).collect();
        assert!(!gate(&falling).is_open());
        assert!(!gate(&[slice(32.0, 0.05); 8]).is_open());
        let shifted: Vec<WarmSlice> = (0..8)
            .map(|i| slice(if i < 5 { 32.0 } else { 38.0 }, 0.001))
            .collect();
        assert!(!gate(&shifted).is_open());
    }

    #[test]
    fn one_slow_slice_does_not_keep_it_shut() {
        let mut spike = vec![slice(32.0, 0.001); 8];
        spike[4] = slice(40.0, 0.001);
        assert!(gate(&spike).is_open());
    }

    #[test]
    fn the_cap_ends_it_and_a_dead_server_never_looks_steady() {
        assert!(gate(&[slice(32.0, 0.015); 20]).is_exhausted());
        let dead = WarmSlice {
            ok: 0,
            ..slice(32.0, 0.0)
        };
        assert!(!gate(&[dead; 20]).is_open());
        // However short the cap is, the warm-up continues until the pace of an arm is known, if it has one.
        assert!(!gate(&[dead; 20]).is_exhausted());
        let longest = WarmSlice {
            length: LONGEST,
            ..dead
        };
        assert!(gate(&[longest; 3]).is_exhausted());
    }

    #[test]
    fn busy_compilers_of_unloaded_arms_are_waited_for_with_a_limit() {
        let mut gate = gate(&[slice(32.0, 0.05); 20]);
        assert!(!gate.is_exhausted(), "10 s are over, and the round would be void");
        for arm in [0, 1] {
            (0..3).for_each(|_| gate.push(arm, slice(32.0, 0.001)));
        }
        assert!(gate.is_exhausted());
        for arm in [0, 1] {
            (0..40).for_each(|_| gate.push(arm, slice(32.0, 0.05)));
        }
        assert!(gate.is_exhausted(), "three times as much is enough");
        let mut burst = vec![slice(32.0, 0.001); 20];
        burst[18] = slice(32.0, 0.25);
        assert!(
            self::gate(&burst).is_exhausted(),
            "one burst is not most of the time"
        );
    }

    #[test]
    fn for_a_slow_service_the_time_decides_and_slices_grow_until_it_answers() {
        let second = |ok: u64| WarmSlice {
            ok,
            service_p50: if ok > 0 { 1.0 } else { 0.0 },
            length: Nanos::from_secs(2),
            ..slice(300.0, 0.05)
        };
        assert!(gate(&[second(200); 2]).is_open());
        assert!(
            !gate(&[second(200)]).is_open(),
            "it has not had the least warm-up"
        );
        let mut silent = gate(&[second(0)]);
        assert_eq!(
            [silent.next_length(), silent.next_length()],
            [1, 2].map(Nanos::from_secs)
        );
        assert_eq!(
            (silent.service_p50(), gate(&[second(9)]).service_p50()),
            (0.0, 1.0)
        );
        assert_eq!(gate(&[second(9)]).next_length(), Nanos::from_millis(500));
        let late = WarmSlice {
            answered: Nanos::from_millis(1400),
            ..second(0)
        };
        assert_eq!(gate(&[late]).next_length(), Nanos::from_millis(1400));
    }

    #[test]
    fn the_pace_of_an_earlier_start_is_used() {
        let knowing = |seconds| {
            gate(&[])
                .with_known_pace(Some(Pace::quick(seconds)), 500)
                .next_length()
        };
        assert_eq!(knowing(1.0), Nanos::from_secs(2));
        assert_eq!(
            (knowing(30.0), knowing(0.01)),
            (Nanos::from_secs(4), Nanos::from_millis(500))
        );
        let short = |users: usize| {
            let half = Nanos::from_millis(500);
            let mut gate = Gate::new(1, half, half).with_known_pace(Some(Pace::quick(1.0)), users);
            let silent = WarmSlice {
                ok: 0,
                ..slice(300.0, 0.001)
            };
            gate.push(0, silent);
            (gate.next_length() == half, gate.is_open(), gate.is_exhausted())
        };
        assert_eq!(short(500), (true, true, true));
        assert_eq!(short(5000), (false, false, false), "5000/s are worth a look");
    }
}
