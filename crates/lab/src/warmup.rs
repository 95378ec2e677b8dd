//! The warm-up gate (method: cut every start by the same rule; a wrong gate costs power, never validity).

use crate::windows::Pace;
use judge::slow::SLOW;
use judge::validity;
use model::units::Nanos;

/// What one slice of warm-up showed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmSlice {
    /// Server CPU per right answer, seconds.
    pub(crate) cpu_per_request: f64,
    /// CPU of the arms that were not loaded, as a share of one core: their compilers at work.
    pub(crate) idle_arms_cpu: f64,
    /// Right answers.
    pub(crate) ok: u64,
    /// Their median service time, seconds; 0 without any.
    pub(crate) service_p50: f64,
    /// Length of the slice, settling included.
    pub(crate) length: Nanos,
    /// The same until its last request was answered.
    pub(crate) answered: Nanos,
}

/// Slices of each arm that have to look steady. Where other jobs share the machine, CPU per request varies by 13 % from
/// slice to slice: over four slices a slope of 3 % could then be told from none only by luck.
const LOOK_BACK: usize = 6;
/// Largest slope of ln(CPU per request), per slice.
const SLOPE: f64 = 0.03;
/// Largest shift between the medians of the earlier and the later half of those slices; one slow slice is no shift.
const SHIFT: f64 = 0.15;
/// Requests each arm has to have served: enough for its hot code to be compiled.
const REQUESTS: u64 = 20_000;
/// Right answers per second below which a service is too slow for so many requests: there the seconds alone decide.
const PACE: f64 = 1_000.0;
/// So many times the cap is waited for idle arms to be idle.
const PATIENCE: f64 = 3.0;
/// Length of a slice of warm-up, and what it grows to where it ends before the first requests do.
const LENGTHS: (Nanos, Nanos) = (Nanos::from_millis(500), Nanos::from_secs(4));

/// Decides when the arms of a round are warm.
#[derive(Debug)]
pub(crate) struct Gate {
    arms: Vec<Vec<WarmSlice>>,
    least: Nanos,
    most: Nanos,
    length: Nanos,
    /// An earlier start has shown that the service is too slow for anything but seconds to decide.
    known_slow: bool,
}

impl Gate {
    /// Every arm gets between `least` and `most` of its own load.
    pub(crate) fn new(arms: usize, least: Nanos, most: Nanos) -> Self {
        Self {
            arms: vec![Vec::new(); arms],
            least,
            most: most.max(least),
            length: LENGTHS.0,
            known_slow: false,
        }
    }

    /// The same for so many users of a service of which an earlier start has shown that it is slow: shorter slices would
    /// stay silent. Where all the warm-up there is is shorter, that is no matter any more: their requests are answered after
    /// the slice, and nothing has to be found out.
    pub(crate) fn knowing(mut self, pace: Option<Pace>, users: usize) -> Self {
        if let Some(pace) = pace.filter(Pace::is_slow) {
            let two_rounds = Nanos::from_secs_f64(2.0 * pace.service_p50);
            self.length = two_rounds.min(self.most).clamp(LENGTHS.0, LENGTHS.1);
            self.known_slow = (users as f64) < PACE * pace.service_p50;
        }
        self
    }

    /// A slice of warm-up ended.
    pub(crate) fn push(&mut self, arm: usize, slice: WarmSlice) {
        self.arms[arm].push(slice);
    }

    /// Length of the next slices: all arms have had one of the length before. After a silent one at least what the quickest
    /// arm took until it had answered.
    pub(crate) fn length(&mut self) -> Nanos {
        let last = self.arms.iter().filter_map(|slices| slices.last());
        let silent = last.filter(|slice| slice.ok == 0).map(|slice| slice.answered);
        if let Some(answered) = silent.min().filter(|_| !self.known_slow) {
            self.length = (self.length + self.length).max(answered).min(LENGTHS.1);
        }
        self.length
    }

    /// Median service time, seconds, of the arm that was quickest at the end; 0 where none answered.
    pub(crate) fn service_p50(&self) -> f64 {
        let last = |slices: &Vec<WarmSlice>| slices.iter().rev().find(|slice| slice.ok > 0).copied();
        let times = self.arms.iter().filter_map(last).map(|slice| slice.service_p50);
        times.reduce(f64::min).unwrap_or(0.0)
    }

    /// Own load of an arm so far.
    pub(crate) fn own_load(&self, arm: usize) -> Nanos {
        self.arms[arm]
            .iter()
            .fold(Nanos(0), |sum, slice| sum + slice.length)
    }

    /// Every arm is steady.
    pub(crate) fn open(&self) -> bool {
        let steady = |arm: usize| self.known_slow || steady(&self.arms[arm]);
        (0..self.arms.len()).all(|arm| self.own_load(arm) >= self.least && steady(arm))
    }

    /// Every arm has had all the warm-up there is. One that has not answered yet goes on until it does, or until the longest
    /// slice was too short for it, too: how long its slices have to be is seen here only. And while compilers of idle arms
    /// still work so hard that the round would be void, up to [`PATIENCE`] times as much costs less than another round.
    pub(crate) fn exhausted(&self) -> bool {
        let longest = |slice: &WarmSlice| slice.length > Nanos(LENGTHS.1.0 / 2);
        let seen =
            |arm: usize| self.known_slow || self.arms[arm].iter().any(|slice| slice.ok > 0 || longest(slice));
        let all = |share: f64| {
            let most = share * self.most.as_secs_f64();
            (0..self.arms.len()).all(|arm| self.own_load(arm).as_secs_f64() >= most && seen(arm))
        };
        all(1.0) && (self.arms.iter().all(|slices| idle_arms_rest(slices)) || all(PATIENCE))
    }

    /// How far the gate is at least, 0 to 1, for the progress line.
    pub(crate) fn progress(&self) -> f64 {
        let least = self.least.as_secs_f64().max(1e-9);
        let done = (0..self.arms.len()).map(|arm| self.own_load(arm).as_secs_f64() / least);
        done.fold(1.0, f64::min)
    }
}

/// Whether the arms that were not loaded were as quiet, at last, as the round's gate wants them: most of the time.
fn idle_arms_rest(slices: &[WarmSlice]) -> bool {
    let last = &slices[slices.len().saturating_sub(LOOK_BACK / 2)..];
    last.is_empty() || median(last, |slice| slice.idle_arms_cpu) <= validity::IDLE_ARMS
}

fn steady(slices: &[WarmSlice]) -> bool {
    if slow(slices) {
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

/// A service that answers, each request so slowly that it will never have answered enough of them.
fn slow(slices: &[WarmSlice]) -> bool {
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

/// Least-squares slope of ln(CPU per request) on the slice's number.
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
    fn a_steady_arm_opens_the_gate_once_it_had_its_seconds() {
        assert!(!gate(&[slice(32.0, 0.001); 7]).open());
        assert!(gate(&[slice(32.0, 0.001); 8]).open());
    }

    #[test]
    fn a_falling_cost_or_a_busy_idle_arm_keeps_it_shut() {
        let falling: Vec<WarmSlice> = (0..8).map(|i| slice(60.0 * 0.93f64.powi(i), 0.001)).collect();
        assert!(!gate(&falling).open());
        assert!(!gate(&[slice(32.0, 0.05); 8]).open());
        let shifted: Vec<WarmSlice> = (0..8)
            .map(|i| slice(if i < 5 { 32.0 } else { 38.0 }, 0.001))
            .collect();
        assert!(!gate(&shifted).open());
    }

    #[test]
    fn one_slow_slice_does_not_keep_it_shut() {
        let mut spike = vec![slice(32.0, 0.001); 8];
        spike[4] = slice(40.0, 0.001);
        assert!(gate(&spike).open());
    }

    #[test]
    fn the_cap_ends_it_and_a_dead_server_never_looks_steady() {
        assert!(gate(&[slice(32.0, 0.015); 20]).exhausted());
        let dead = WarmSlice {
            ok: 0,
            ..slice(32.0, 0.0)
        };
        assert!(!gate(&[dead; 20]).open());
        // However short the cap is, the pace of an arm is seen first, if it has one.
        assert!(!gate(&[dead; 20]).exhausted());
        let longest = WarmSlice {
            length: LENGTHS.1,
            ..dead
        };
        assert!(gate(&[longest; 3]).exhausted());
    }

    #[test]
    fn busy_compilers_of_idle_arms_are_waited_for_but_not_for_ever() {
        let mut gate = gate(&[slice(32.0, 0.05); 20]);
        assert!(!gate.exhausted(), "10 s are over, and the round would be void");
        for arm in [0, 1] {
            (0..3).for_each(|_| gate.push(arm, slice(32.0, 0.001)));
        }
        assert!(gate.exhausted());
        for arm in [0, 1] {
            (0..40).for_each(|_| gate.push(arm, slice(32.0, 0.05)));
        }
        assert!(gate.exhausted(), "three times as much is enough");
        let mut burst = vec![slice(32.0, 0.001); 20];
        burst[18] = slice(32.0, 0.25);
        assert!(
            self::gate(&burst).exhausted(),
            "one burst is not most of the time"
        );
    }

    #[test]
    fn of_a_slow_service_the_seconds_decide_and_slices_grow_until_it_answers() {
        let second = |ok: u64| WarmSlice {
            ok,
            service_p50: if ok > 0 { 1.0 } else { 0.0 },
            length: Nanos::from_secs(2),
            ..slice(300.0, 0.05)
        };
        assert!(gate(&[second(200); 2]).open());
        assert!(!gate(&[second(200)]).open(), "it has not had its seconds");
        let mut silent = gate(&[second(0)]);
        assert_eq!([silent.length(), silent.length()], [1, 2].map(Nanos::from_secs));
        assert_eq!(
            (silent.service_p50(), gate(&[second(9)]).service_p50()),
            (0.0, 1.0)
        );
        assert_eq!(gate(&[second(9)]).length(), Nanos::from_millis(500));
        let late = WarmSlice {
            answered: Nanos::from_millis(1400),
            ..second(0)
        };
        assert_eq!(gate(&[late]).length(), Nanos::from_millis(1400));
    }

    #[test]
    fn what_an_earlier_start_has_shown_is_not_found_out_again() {
        let knowing = |seconds| gate(&[]).knowing(Some(Pace::quick(seconds)), 500).length();
        assert_eq!(knowing(1.0), Nanos::from_secs(2));
        assert_eq!(
            (knowing(30.0), knowing(0.01)),
            (Nanos::from_secs(4), Nanos::from_millis(500))
        );
        let short = |users: usize| {
            let half = Nanos::from_millis(500);
            let mut gate = Gate::new(1, half, half).knowing(Some(Pace::quick(1.0)), users);
            let silent = WarmSlice {
                ok: 0,
                ..slice(300.0, 0.001)
            };
            gate.push(0, silent);
            (gate.length() == half, gate.open(), gate.exhausted())
        };
        assert_eq!(short(500), (true, true, true));
        assert_eq!(short(5000), (false, false, false), "5000/s are worth a look");
    }
}
