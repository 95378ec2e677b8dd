//! The warm-up gate: decides when the arms are warm. All arms of a start are cut at the same moment. That is
//! fair to arms that compile equally fast. If an arm was still compiling, its compilers' time is measured as
//! its own cost: each start stores their share, and verdicts tell it (`judge::steadiness`).

use crate::compilers::CompilerClocks;
use crate::windows::Pace;
use judge::slow::SLOW;
use model::units::Nanos;
use record::rounds::SteadyBy;
use record::telemetry::GroupTotals;
use stats::robust::mean;

/// The measurements of one warm-up slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmSlice {
    /// Whether requests were due at a rate in it; otherwise it is one of the closed loop.
    pub(crate) at_rate: bool,
    /// The CPU time of the server per right answer, in seconds.
    pub(crate) cpu_per_request: f64,
    /// The share of its CPU time that its compilers took; `None` if it has none that are known.
    pub(crate) compiling: Option<f64>,
    /// The number of right answers.
    pub(crate) ok: u64,
    /// The number of right answers, or where users play sessions, of sessions that began.
    pub(crate) begun: u64,
    /// Their median service time in seconds; 0 if there are none.
    pub(crate) service_p50: f64,
    /// The length of the slice, including its settling.
    pub(crate) length: Nanos,
    /// The time from its begin until its last request was answered.
    pub(crate) answered: Nanos,
}

/// The largest share of its CPU time that the compilers of a warm arm take.
const COMPILING: f64 = 0.05;
/// The number of slices over which that share is taken, in the closed loop and at a fixed rate each: one second.
const COMPILING_SLICES: usize = 2;
/// The share of a time from which on compilers count as busy in it.
const BUSY: f64 = 0.2;
/// The number of slices whose CPU per request is compared where compilers are not known.
const LOOK_BACK: usize = 6;
/// The largest steady shift (in ln) between the medians of the earlier and the later half of those slices; a single slow
/// slice is no shift.
const SHIFT: f64 = 0.15;
/// The number of right answers before an arm can be warm earlier than at the cap: enough for its hot code to be compiled.
const REQUESTS: u64 = 20_000;
/// The right answers per second below which a service is too slow for [`REQUESTS`], so that only the time decides.
const PACE: f64 = 2_000.0;
/// The least length of a warm-up slice.
const SHORTEST: Nanos = Nanos::from_millis(500);
/// The length to which slices grow if no request is answered within them.
const LONGEST: Nanos = Nanos::from_secs(4);

/// Reads how much CPU time the compilers of an arm take.
#[derive(Debug)]
pub(crate) struct Compilers {
    clocks: CompilerClocks,
    /// The CPU time of the arm and of its compilers when their share was last read.
    last: Option<[Nanos; 2]>,
    /// What they had used and waited for when they were last looked at.
    looked: Option<GroupTotals>,
}

impl Compilers {
    /// The compilers of a running server.
    pub(crate) fn of(server: &sut::Server) -> Self {
        Self { clocks: CompilerClocks::of(server), last: None, looked: None }
    }

    /// Lets them go before all other threads. Returns whether they do; where there are none, nothing has to be done.
    pub(crate) fn put_first(&mut self) -> bool {
        self.clocks.put_first().unwrap_or(false)
    }

    /// Gives them their usual priority again.
    pub(crate) fn put_back(&mut self) {
        let _ = self.clocks.put_back(); // A server that has ended needs none.
    }

    /// Their share since the last call, when the CPU time of the arm is `cpu` by now. `None` if the arm has no known
    /// compilers, or at the first call.
    pub(crate) fn share(&mut self, cpu: Nanos) -> Option<f64> {
        let compilers = self.totals()?.cpu;
        let [cpu_before, before] = self.last.replace([cpu, compilers])?;
        let used = cpu.since(cpu_before).as_secs_f64();
        Some(compilers.since(before).as_secs_f64() / used.max(1e-9))
    }

    /// Looks at them, so that [`Compilers::is_busy`] can tell what they did since.
    pub(crate) fn look(&mut self) {
        self.looked = self.totals();
    }

    /// Whether they worked or waited for a CPU in most of the time since they were looked at.
    pub(crate) fn is_busy(&mut self, since: Nanos) -> bool {
        let (Some(now), Some(before)) = (self.totals(), self.looked) else {
            return false;
        };
        let active = now.cpu.since(before.cpu) + now.waited.since(before.waited);
        active.as_secs_f64() > BUSY * since.as_secs_f64()
    }

    /// What they have used so far in all processes; `None` if the arm has no known compilers.
    fn totals(&mut self) -> Option<GroupTotals> {
        self.clocks.totals().ok().flatten()
    }
}

/// Decides when the arms of a round are warm.
#[derive(Debug)]
pub(crate) struct Gate {
    arms: Vec<Vec<WarmSlice>>,
    least: Nanos,
    most: Nanos,
    length: Nanos,
    /// The sum of the pauses between the slices.
    pauses: Nanos,
    /// Whether an earlier start has shown that the service is so slow that only the time decides.
    known_slow: bool,
    /// Whether each arm has had its requests before: it ran already then, and nothing has started it anew.
    has_run: Vec<bool>,
}

impl Gate {
    /// A gate that gives every arm between `least` and `most` of load.
    pub(crate) fn new(arms: usize, least: Nanos, most: Nanos) -> Self {
        Self {
            arms: vec![Vec::new(); arms],
            least,
            most: most.max(least),
            length: SHORTEST,
            pauses: Nanos(0),
            known_slow: false,
            has_run: vec![false; arms],
        }
    }

    /// Takes the arms whose servers have been warmed up before, and run since.
    pub(crate) fn with_running(mut self, has_run: Vec<bool>) -> Self {
        self.has_run = has_run;
        self
    }

    /// The slices of an arm in the closed loop.
    fn closed(&self, arm: usize) -> impl DoubleEndedIterator<Item = &WarmSlice> {
        self.arms[arm].iter().filter(|slice| !slice.at_rate)
    }

    /// The last slice of an arm in the closed loop.
    pub(crate) fn last_closed(&self, arm: usize) -> Option<&WarmSlice> {
        self.closed(arm).next_back()
    }

    /// Uses the pace that an earlier start has shown, for this many users. For a slow service slices are longer, because
    /// no request would be answered within short ones. If the whole warm-up is shorter than that, it does not matter:
    /// requests are answered after the slice, and the pace is known already.
    pub(crate) fn with_known_pace(mut self, pace: Option<Pace>, users: usize) -> Self {
        if let Some(pace) = pace.filter(Pace::is_slow) {
            let two_waves = Nanos::from_secs_f64(2.0 * pace.service_p50);
            self.length = two_waves.min(self.most).clamp(SHORTEST, LONGEST);
            self.known_slow = (users as f64) < PACE * pace.service_p50;
        }
        self
    }

    /// Adds a warm-up slice of an arm.
    pub(crate) fn push(&mut self, arm: usize, slice: WarmSlice) {
        self.arms[arm].push(slice);
    }

    /// Adds a pause between slices. It counts for the longest warm-up only.
    pub(crate) fn add_pause(&mut self, pause: Nanos) {
        self.pauses = self.pauses + pause;
    }

    /// The length of the next slices, after all arms have had one of the previous length. If an arm answered nothing in
    /// it, they are at least as long as the quickest such arm took until it had answered.
    pub(crate) fn next_length(&mut self) -> Nanos {
        let last = (0..self.arms.len()).filter_map(|arm| self.last_closed(arm));
        let silent = last.filter(|slice| slice.ok == 0).map(|slice| slice.answered);
        if let Some(answered) = silent.min().filter(|_| !self.known_slow) {
            self.length = (self.length + self.length).max(answered).min(LONGEST);
        }
        self.length
    }

    /// The median service time in seconds of the arm that was quickest in the end; 0 if no arm answered.
    pub(crate) fn service_p50(&self) -> f64 {
        let last = |arm: usize| self.closed(arm).rev().find(|slice| slice.ok > 0);
        let times = (0..self.arms.len()).filter_map(last).map(|slice| slice.service_p50);
        times.reduce(f64::min).unwrap_or(0.0)
    }

    /// The time for which an arm was loaded so far.
    pub(crate) fn load_time(&self, arm: usize) -> Nanos {
        self.arms[arm].iter().fold(Nanos(0), |sum, slice| sum + slice.length)
    }

    /// Whether every arm is warm and has had the least time of load and the requests that it takes.
    pub(crate) fn is_open(&self) -> bool {
        let is_ready = |arm: usize| self.load_time(arm) >= self.least && self.has_pace(arm);
        (0..self.arms.len()).all(|arm| is_ready(arm) && self.has_served(arm) && self.is_warm(arm))
    }

    /// Whether every arm has had the longest warm-up.
    pub(crate) fn is_exhausted(&self) -> bool {
        let is_over = |arm: usize| self.load_time(arm) + self.pauses >= self.most && self.has_pace(arm);
        (0..self.arms.len()).all(is_over)
    }

    /// Whether the median service time of an arm was below this many seconds in its last slice.
    pub(crate) fn is_quicker_than(&self, seconds: f64, arm: usize) -> bool {
        let last = self.last_closed(arm);
        last.is_some_and(|slice| slice.ok > 0 && slice.service_p50 < seconds)
    }

    /// Whether the pace of an arm is known as far as a warm-up can show it: an arm that has not answered yet is loaded until it
    /// does, or until even the longest slice was too short for it, because only the warm-up shows how long its slices have to be.
    fn has_pace(&self, arm: usize) -> bool {
        let shows = |slice: &WarmSlice| slice.ok > 0 || slice.length > Nanos(LONGEST.0 / 2);
        self.known_slow || self.arms[arm].iter().any(shows)
    }

    /// What tells whether an arm is warm.
    pub(crate) fn steady_by(&self, arm: usize) -> SteadyBy {
        match self.last_closed(arm) {
            _ if self.known_slow || self.least == self.most => SteadyBy::Time,
            last if last.is_some_and(is_slow) => SteadyBy::Time,
            Some(slice) if slice.compiling.is_some() => SteadyBy::Compilers,
            _ => SteadyBy::Cost,
        }
    }

    /// Whether an arm is warm by what it did in the last slices.
    pub(crate) fn is_warm(&self, arm: usize) -> bool {
        match self.steady_by(arm) {
            SteadyBy::Time => true,
            SteadyBy::Compilers => self.compiling(arm).is_some_and(|share| share <= COMPILING),
            _ => is_level(&self.closed(arm).copied().collect::<Vec<_>>()),
        }
    }

    /// The share of its CPU time that the compilers of an arm took in the last slices, of the closed loop or at a rate, whichever is larger:
    /// a server takes other paths at a rate. `None` if it has no known compilers, or was not loaded for so long.
    pub(crate) fn compiling(&self, arm: usize) -> Option<f64> {
        let share = |at_rate: bool| {
            let slices = self.arms[arm].iter().rev();
            let of_kind = slices.filter(|slice| slice.at_rate == at_rate);
            let last: Vec<&WarmSlice> = of_kind.take(COMPILING_SLICES).collect();
            let shares: Option<Vec<f64>> = last.iter().map(|slice| slice.compiling).collect();
            let is_enough = last.len() == COMPILING_SLICES;
            mean(&shares?).filter(|_| is_enough)
        };
        let has_rate = self.arms[arm].iter().any(|slice| slice.at_rate);
        match has_rate {
            true => Some(share(false)?.max(share(true)?)),
            false => share(false),
        }
    }

    /// Whether an arm has answered as many requests as its compilers need to find its hot code.
    fn has_served(&self, arm: usize) -> bool {
        let served: u64 = self.arms[arm].iter().map(|slice| slice.ok).sum();
        served >= REQUESTS || self.has_run[arm] || self.steady_by(arm) == SteadyBy::Time
    }

    /// The least progress of an arm towards the least warm-up, 0 to 1, for the progress line.
    pub(crate) fn progress(&self) -> f64 {
        let least = self.least.as_secs_f64().max(1e-9);
        let done = (0..self.arms.len()).map(|arm| self.load_time(arm).as_secs_f64() / least);
        done.fold(1.0, f64::min)
    }
}

/// Whether the CPU per request of an arm is level. A warm-up that is meant to be shorter than it takes to tell is not blamed
/// for that.
fn is_level(slices: &[WarmSlice]) -> bool {
    let last = &slices[slices.len().saturating_sub(LOOK_BACK)..];
    if last.is_empty() || last.iter().any(|slice| slice.ok == 0) {
        return false;
    }
    if last.len() < LOOK_BACK {
        return true;
    }
    let (earlier, later) = last.split_at(LOOK_BACK / 2);
    let [earlier, later] = [earlier, later].map(median_cost);
    (later / earlier).ln().abs() < SHIFT
}

/// Whether a service answers, but so slowly that it cannot reach [`REQUESTS`].
fn is_slow(slice: &WarmSlice) -> bool {
    let pace = slice.ok as f64 / slice.length.as_secs_f64().max(1e-9);
    slice.ok > 0 && slice.service_p50 >= SLOW && pace < PACE
}

/// The median cost of a request in an odd number of slices: its CPU, or its time where the CPU cannot be read.
fn median_cost(slices: &[WarmSlice]) -> f64 {
    let cost = |slice: &WarmSlice| match slice.cpu_per_request {
        0.0 => slice.service_p50,
        cpu => cpu,
    };
    let mut values: Vec<f64> = slices.iter().map(cost).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slice with this CPU per request in microseconds, and this share of compilers.
    fn slice(cpu_us: f64, compiling: impl Into<Option<f64>>) -> WarmSlice {
        WarmSlice {
            at_rate: false,
            cpu_per_request: cpu_us * 1e-6,
            compiling: compiling.into(),
            ok: 8000,
            begun: 8000,
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
    fn quiet_compilers_open_the_gate_after_the_least_warm_up_and_enough_requests() {
        assert!(!gate(&[slice(32.0, 0.01); 7]).is_open());
        assert!(gate(&[slice(32.0, 0.01); 8]).is_open());
        let few = WarmSlice { ok: 1000, ..slice(32.0, 0.01) };
        assert!(!gate(&[few; 19]).is_open());
        assert!(gate(&[few; 20]).is_open());
    }

    #[test]
    fn an_arm_that_runs_since_it_was_warmed_up_needs_the_least_warm_up_only() {
        let few = WarmSlice { ok: 1000, ..slice(0.0, None) };
        assert!(!gate(&[few; 8]).is_open());
        assert!(!gate(&[few; 8]).with_running(vec![true, false]).is_open(), "one was started anew");
        assert!(gate(&[few; 8]).with_running(vec![true; 2]).is_open());
        assert!(!gate(&[few; 7]).with_running(vec![true; 2]).is_open(), "its connections are new");
    }

    #[test]
    fn busy_compilers_keep_it_shut_however_level_the_cost_is() {
        let mut gate = gate(&[slice(32.0, 0.3); 12]);
        assert!(!gate.is_open() && !gate.is_exhausted());
        assert_eq!(gate.compiling(1), Some(0.3));
        gate.push(0, slice(32.0, 0.0));
        gate.push(0, slice(32.0, 0.0));
        assert_eq!((gate.is_warm(0), gate.is_warm(1), gate.is_open()), (true, false, false));
        (0..2).for_each(|_| gate.push(1, slice(40.0, 0.05)));
        assert!(gate.is_open(), "the cost does not matter");
    }

    #[test]
    fn compilers_have_to_be_idle_under_both_loads() {
        let mut gate = gate(&[slice(32.0, 0.01); 8]);
        let at_rate = |compiling: f64| WarmSlice { at_rate: true, ..slice(60.0, compiling) };
        gate.push(0, at_rate(0.01));
        assert_eq!((gate.compiling(0), gate.is_warm(0)), (None, false), "one is not enough");
        (0..2).for_each(|_| gate.push(0, at_rate(0.2)));
        assert_eq!((gate.compiling(0), gate.is_warm(0)), (Some(0.2), false));
        (0..2).for_each(|_| gate.push(0, at_rate(0.01)));
        assert!(gate.is_open(), "the other arm has no load at a rate");
        assert_eq!(gate.last_closed(0).map(|slice| slice.at_rate), Some(false));
    }

    #[test]
    fn where_no_compilers_are_known_the_cost_has_to_be_level() {
        assert!(gate(&[slice(32.0, None); 8]).is_open());
        let shifted: Vec<WarmSlice> = (0..8).map(|i| slice(if i < 5 { 32.0 } else { 38.0 }, None)).collect();
        assert!(!gate(&shifted).is_open());
        let mut spike = vec![slice(32.0, None); 8];
        spike[4] = slice(60.0, None);
        assert!(gate(&spike).is_open(), "one slow slice is no shift");
        assert_eq!(gate(&spike).steady_by(0), SteadyBy::Cost);
    }

    #[test]
    fn the_cap_ends_it_and_a_dead_server_never_looks_warm() {
        let busy = gate(&[slice(32.0, 0.5); 20]);
        assert!(busy.is_exhausted() && !busy.is_warm(0));
        let few = WarmSlice { ok: 10, ..slice(32.0, 0.01) };
        let few = gate(&[few; 20]);
        assert!(few.is_exhausted() && few.is_warm(0), "it answers slowly, but nothing is left to compile");
        let dead = WarmSlice { ok: 0, ..slice(32.0, None) };
        assert!(!gate(&[dead; 20]).is_warm(0));
        // However short the cap is, the warm-up continues until the pace of an arm is known, if it has one.
        assert!(!gate(&[dead; 20]).is_exhausted());
        let longest = WarmSlice { length: LONGEST, ..dead };
        assert!(gate(&[longest; 3]).is_exhausted());
    }

    #[test]
    fn a_warm_up_of_a_given_length_or_too_short_to_judge_is_not_blamed() {
        let half = Nanos::from_millis(500);
        let mut fixed = Gate::new(1, half, half);
        fixed.push(0, slice(32.0, 0.5));
        assert_eq!((fixed.steady_by(0), fixed.is_warm(0)), (SteadyBy::Time, true));
        assert!(fixed.is_open());
        let mut short = Gate::new(1, half, Nanos::from_secs(1));
        short.push(0, slice(32.0, None));
        assert!(short.is_warm(0), "the cost of one slice says nothing");
    }

    #[test]
    fn pauses_count_for_the_longest_warm_up() {
        let mut gate = gate(&[slice(32.0, 0.5); 10]);
        assert!(!gate.is_exhausted());
        gate.add_pause(Nanos::from_secs(5));
        assert!(gate.is_exhausted());
    }

    #[test]
    fn the_share_is_that_between_two_readings() {
        let mut none = Compilers { clocks: CompilerClocks::over(Vec::new()), last: None, looked: None };
        assert_eq!((none.share(Nanos(5)), none.share(Nanos(9))), (None, None), "not a JVM");
        none.look();
        assert!(!none.is_busy(Nanos(1)));
        let mut ended = Compilers { clocks: CompilerClocks::over(vec![u32::MAX]), last: None, looked: None };
        assert_eq!((ended.share(Nanos(5)), ended.share(Nanos(9))), (None, None));
    }

    #[test]
    fn for_a_slow_service_the_time_decides_and_slices_grow_until_it_answers() {
        let second = |ok: u64| WarmSlice {
            ok,
            service_p50: if ok > 0 { 1.0 } else { 0.0 },
            length: Nanos::from_secs(2),
            ..slice(300.0, 0.5)
        };
        assert!(gate(&[second(200); 2]).is_open());
        assert!(!gate(&[second(200)]).is_open(), "it has not had the least warm-up");
        let mut silent = gate(&[second(0)]);
        assert_eq!([silent.next_length(), silent.next_length()], [1, 2].map(Nanos::from_secs));
        assert_eq!((silent.service_p50(), gate(&[second(9)]).service_p50()), (0.0, 1.0));
        assert_eq!(gate(&[second(9)]).next_length(), Nanos::from_millis(500));
        let late = WarmSlice { answered: Nanos::from_millis(1400), ..second(0) };
        assert_eq!(gate(&[late]).next_length(), Nanos::from_millis(1400));
    }

    #[test]
    fn the_pace_of_an_earlier_start_is_used() {
        let knowing = |seconds| gate(&[]).with_known_pace(Some(Pace::quick(seconds)), 500).next_length();
        assert_eq!(knowing(1.0), Nanos::from_secs(2));
        assert_eq!((knowing(30.0), knowing(0.01)), (Nanos::from_secs(4), Nanos::from_millis(500)));
        let short = |users: usize| {
            let half = Nanos::from_millis(500);
            let mut gate = Gate::new(1, half, half).with_known_pace(Some(Pace::quick(1.0)), users);
            let silent = WarmSlice { ok: 0, ..slice(300.0, 0.001) };
            gate.push(0, silent);
            (gate.next_length() == half, gate.is_open(), gate.is_exhausted())
        };
        assert_eq!(short(500), (true, true, true));
        assert_eq!(short(5000), (false, false, false), "5000/s are worth a look");
    }
}
