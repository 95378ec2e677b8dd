//! [`LoopPriority`]: the scheduling priority of a thread while it runs an event loop.

use crate::clock;
use crate::port::policy;
use model::machine::GeneratorPriority;
use model::units::Nanos;
use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{
    CpuSet, current_timer_slack, sched_getaffinity, sched_setaffinity, set_current_timer_slack,
};
use std::num::NonZeroU64;

/// Nice value of an event loop. At the normal value, a loop that shares cores with the server would wait for whole time
/// slices of the server's threads and send requests late. It needs a fraction of a core only, so it takes little from
/// the server.
const NICE: i32 = -15;
/// Time over which the CPU that a loop with a real-time priority uses is averaged.
const BOUND_WINDOW: Nanos = Nanos::from_millis(100);
/// Largest share of [`BOUND_WINDOW`] that a loop may be on a CPU with a real-time priority. With more it is saturated, and would
/// take from everything else on its CPU.
const BOUND: f64 = crate::audit::CPU.0;

/// Raises the priority of the calling thread until it is dropped.
///
/// All settings belong to the thread, and most are inherited by every process that it starts. They are restored on drop,
/// because a server that is started between two slices must not inherit them.
#[derive(Debug)]
pub(crate) struct LoopPriority {
    /// The previous timer slack in nanoseconds; `None` when it could not be read.
    slack: Option<u64>,
    /// The previous nice value; `None` when it was not changed.
    nice: Option<i32>,
    /// The CPUs that the thread might use before; `None` when that was not changed.
    cpus: Option<CpuSet>,
    /// The bound of a real-time priority; `None` while the thread has none from us.
    bound: Option<Bound>,
}

impl LoopPriority {
    /// Reduces the timer slack to 1 ns, so that waits end on time. Lowers the nice value where the user may do so (root,
    /// `CAP_SYS_NICE`, `RLIMIT_NICE`), takes the lowest real-time priority where that is wanted and permitted, and stays on the
    /// given CPU, if one is given. Nothing of this is an error where it is refused.
    pub(crate) fn raise(real_time: bool, cpu: Option<usize>) -> Self {
        let slack = current_timer_slack().ok();
        set_current_timer_slack(NonZeroU64::new(1)).ok();
        let nice = getpriority_process(None).ok().filter(|&nice| nice > NICE);
        let wanted = real_time && policy::is_usual();
        Self {
            slack,
            nice: nice.filter(|_| setpriority_process(None, NICE).is_ok()),
            cpus: cpu.and_then(stay_on),
            bound: wanted
                .then(policy::take_real_time)
                .filter(Result::is_ok)
                .map(|_| Bound::from(clock::now(), clock::thread_cpu_time())),
        }
    }

    /// Gives the real-time priority up for as long as `self` lives if the loop uses too much of its CPU. An event loop calls it
    /// once per turn with the time and the CPU clock of its thread; the nice value stays low.
    pub(crate) fn keep_within_bound(&mut self, now: Nanos, thread_cpu_time: impl Fn() -> Nanos) {
        let exceeded = |bound: &mut Bound| bound.is_exceeded(now, thread_cpu_time);
        if self.bound.as_mut().is_some_and(exceeded) {
            self.bound = None;
            policy::leave_real_time();
            // A thread with a real-time priority has no slack. With the usual policy the kernel gives it the default again.
            set_current_timer_slack(NonZeroU64::new(1)).ok();
        }
    }

    /// Whether the thread has a real-time priority from us.
    const fn is_real_time(&self) -> bool {
        self.bound.is_some()
    }
}

impl Drop for LoopPriority {
    fn drop(&mut self) {
        if self.bound.is_some() {
            policy::leave_real_time();
        }
        if let Some(cpus) = &self.cpus {
            sched_setaffinity(None, cpus).ok();
        }
        if let Some(slack) = self.slack {
            set_current_timer_slack(NonZeroU64::new(slack)).ok();
        }
        if let Some(nice) = self.nice {
            setpriority_process(None, nice).ok();
        }
    }
}

/// Keeps the calling thread on one CPU, and returns the CPUs that it might use before; `None` where that is refused.
fn stay_on(cpu: usize) -> Option<CpuSet> {
    let before = sched_getaffinity(None).ok()?;
    if cpu >= CpuSet::MAX_CPU {
        return None;
    }
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).ok().map(|()| before)
}

/// How much CPU a loop with a real-time priority has used since a moment.
///
/// The kernel has bounds of its own (`sched_rt_runtime_us`, and the deadline server for usual threads since Linux 6.12), but they
/// leave the others 5 % only. `RLIMIT_RTTIME` counts the time without a call that blocks, and an event loop blocks at every turn.
#[derive(Debug)]
struct Bound {
    since: Nanos,
    cpu: Nanos,
}

impl Bound {
    const fn from(since: Nanos, cpu: Nanos) -> Self {
        Self { since, cpu }
    }

    /// Whether more than [`BOUND`] of the time since the last answer was used. It is asked of the clock of the thread only when
    /// [`BOUND_WINDOW`] has passed, because that takes a system call.
    fn is_exceeded(&mut self, now: Nanos, thread_cpu_time: impl Fn() -> Nanos) -> bool {
        let elapsed = now.since(self.since);
        if elapsed < BOUND_WINDOW {
            return false;
        }
        let cpu = thread_cpu_time();
        let used = cpu.since(self.cpu);
        *self = Self::from(now, cpu);
        used.0 as f64 > BOUND * elapsed.0 as f64
    }
}

/// The priority that an event loop gets on the calling thread, which is tried. `real_time`: whether loops at a fixed rate shall
/// have a real-time priority, as in [`Plan::real_time`](traffic::plan::Plan::real_time).
pub fn generator_priority(real_time: bool) -> GeneratorPriority {
    let priority = LoopPriority::raise(real_time, None);
    let nice = getpriority_process(None).unwrap_or(0);
    match nice <= NICE {
        _ if priority.is_real_time() => {
            GeneratorPriority::RealTimeAtRates { priority: policy::LOWEST.cast_unsigned(), nice }
        }
        true => GeneratorPriority::Raised { nice },
        false => GeneratorPriority::Usual { nice },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that a loop changes of its thread.
    fn state() -> (u64, i32, bool, CpuSet) {
        (
            current_timer_slack().expect("the slack"),
            getpriority_process(None).expect("the nice value"),
            policy::is_usual(),
            sched_getaffinity(None).expect("the CPUs"),
        )
    }

    #[test]
    fn the_settings_of_the_thread_are_restored() {
        let before = state();
        let last = (0..CpuSet::MAX_CPU).rev().find(|&cpu| before.3.is_set(cpu)).expect("a CPU");
        let priority = LoopPriority::raise(true, Some(last));
        assert!(current_timer_slack().is_ok_and(|slack| slack <= 1));
        let cpus = sched_getaffinity(None).expect("the CPUs");
        assert!(cpus.count() == 1 && cpus.is_set(last));
        drop(priority);
        assert_eq!(state(), before);
    }

    #[test]
    fn the_priority_is_tried_and_given_back() {
        let before = state();
        let tried = generator_priority(true);
        assert_eq!(state(), before);
        let raised = LoopPriority::raise(true, None);
        let nice = getpriority_process(None).expect("the nice value");
        let real_time = GeneratorPriority::RealTimeAtRates { priority: 1, nice };
        let expected = [GeneratorPriority::Raised { nice }, GeneratorPriority::Usual { nice }];
        assert_eq!(!policy::is_usual(), raised.is_real_time());
        match raised.is_real_time() {
            true => assert_eq!(tried, real_time),
            false => assert!(expected.contains(&tried), "{tried:?}"),
        }
        drop(raised);
        assert!(!matches!(generator_priority(false), GeneratorPriority::RealTimeAtRates { .. }));
        assert_eq!(state(), before);
    }

    #[test]
    fn what_the_loop_starts_has_the_usual_policy() {
        let priority = LoopPriority::raise(true, None);
        let inherited = std::thread::spawn(policy::is_usual).join().expect("it ran");
        assert!(inherited);
        drop(priority);
    }

    #[test]
    fn a_loop_that_uses_too_much_of_its_cpu_steps_down_for_good() {
        let at = Nanos::from_millis;
        let mut bound = Bound::from(at(1000), at(0));
        assert!(!bound.is_exceeded(at(1099), || unreachable!("it is too early")));
        assert!(!bound.is_exceeded(at(1100), || at(79)));
        assert!(!bound.is_exceeded(at(1300), || at(79 + 159)));
        assert!(bound.is_exceeded(at(1400), || at(79 + 159 + 81)));
        let mut priority = LoopPriority::raise(true, None);
        let had_it = priority.is_real_time();
        if let Some(bound) = &mut priority.bound {
            *bound = Bound::from(at(1000), at(0));
        }
        priority.keep_within_bound(at(1100), || at(80));
        assert_eq!(priority.is_real_time(), had_it);
        priority.keep_within_bound(at(1200), || at(161));
        assert!(!priority.is_real_time());
        assert!(policy::is_usual() || !had_it);
        assert_eq!(current_timer_slack(), Ok(1));
    }
}
