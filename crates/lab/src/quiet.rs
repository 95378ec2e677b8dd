//! Waits, before a round begins, until other programs leave the machine idle, but not without limit.

use crate::Error;
use judge::notes::IDLE;
use model::units::{Nanos, Seconds, Share};
use probe::host::CpuTicks;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest first look. It is short, because it delays the round on a quiet machine, too.
const FIRST_LOOK: Nanos = Nanos::from_millis(500);
/// The longest further look.
const LOOK: Nanos = Nanos::from_secs(4);
/// The shortest look that tells anything. The kernel counts in ticks of 10 ms for each CPU, so 20 of them tell the idle share of a CPU to
/// about 5 %.
const SHORTEST_LOOK: Nanos = Nanos::from_millis(200);
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(50);

/// The result of the wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waited {
    /// The share of the machine that was idle in the last look.
    pub(crate) idle: Share,
    /// The time spent waiting, without the first look.
    pub(crate) time: Seconds,
}

/// Waits until enough of the machine is idle, for at most `patience` after the first look. If it has to wait, it calls `on_wait`
/// once with the idle share.
pub(crate) fn wait(
    patience: Seconds,
    stop: &AtomicBool,
    on_wait: &mut dyn FnMut(Share),
) -> Result<Waited, Error> {
    let begun = Instant::now();
    let look = |window| idle_over(window, stop);
    let until_quiet = wait_by(look, || begun.elapsed().into(), patience, on_wait);
    until_quiet.ok_or(Error::Interrupted)
}

/// The rule of the wait, without the clock and the machine. `clock` tells the time since some moment, and a look takes as long as its
/// window. Further looks end when the patience does: where less than the shortest look is left of it, there is none.
fn wait_by(
    mut look: impl FnMut(Nanos) -> Option<Share>,
    clock: impl Fn() -> Seconds,
    patience: Seconds,
    on_wait: &mut dyn FnMut(Share),
) -> Option<Waited> {
    let within = |longest: Nanos, left: Seconds| longest.min(Nanos::from(left));
    let mut idle = look(within(FIRST_LOOK, patience).max(SHORTEST_LOOK))?;
    let begun = clock();
    let next = || Some(within(LOOK, patience - (clock() - begun))).filter(|window| *window >= SHORTEST_LOOK);
    if idle >= IDLE || next().is_none() {
        return Some(Waited { idle, time: Seconds::ZERO });
    }
    on_wait(idle);
    while idle < IDLE
        && let Some(window) = next()
    {
        idle = look(window)?;
    }
    Some(Waited { idle, time: clock() - begun })
}

/// The share of the machine that is idle during the next `window`; `None` when the user ends the run.
fn idle_over(window: Nanos, stop: &AtomicBool) -> Option<Share> {
    let (end, before) = (Instant::now() + Duration::from(window), CpuTicks::now());
    loop {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Some(Share(CpuTicks::now().share_since(&before, |ticks| ticks.idle)));
        }
        std::thread::sleep(left.min(POLL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Waits on a machine whose looks have these results. Returns also how often the user was told of it, and the seconds of each look.
    fn waited(looks: &[f64], patience: f64) -> (Option<Waited>, usize, Vec<f64>) {
        let (left, windows) = (RefCell::new(looks.iter()), RefCell::new(Vec::new()));
        let look = |window: Nanos| {
            windows.borrow_mut().push(window.as_secs_f64());
            left.borrow_mut().next().copied().map(Share)
        };
        let clock = || Seconds(windows.borrow().iter().sum());
        let mut calls = 0;
        let waited = wait_by(look, clock, Seconds(patience), &mut |_| calls += 1);
        (waited, calls, windows.into_inner())
    }

    fn at(idle: f64, seconds: f64) -> Option<Waited> {
        Some(Waited { idle: Share(idle), time: Seconds(seconds) })
    }

    #[test]
    fn only_a_busy_machine_is_waited_for_until_it_is_quiet() {
        assert_eq!(waited(&[0.9], 60.0), (at(0.9, 0.0), 0, vec![0.5]));
        let quiet_later = waited(&[0.2, 0.3, 0.7], 60.0);
        assert_eq!(quiet_later, (at(0.7, 8.0), 1, vec![0.5, 4.0, 4.0]));
    }

    #[test]
    fn the_patience_and_the_user_end_the_wait() {
        let (result, calls, windows) = waited(&[0.2; 9], 10.0);
        assert_eq!((result, calls), (at(0.2, 10.0), 1));
        assert_eq!(windows, [0.5, 4.0, 4.0, 2.0]);
        assert_eq!(waited(&[0.2, 0.3], 60.0).0, None, "no further look: the user ended it");
    }

    #[test]
    fn little_patience_is_not_exceeded_and_no_look_is_too_short_to_tell_anything() {
        let looks = |patience: f64| {
            let (result, calls, windows) = waited(&[0.2; 9], patience);
            (result.expect("ended").time.0, calls, windows)
        };
        for spent in [-3.0, 0.0, 0.1] {
            assert_eq!(looks(spent), (0.0, 0, vec![0.2]), "{spent}");
        }
        assert_eq!(looks(0.3), (0.3, 1, vec![0.3, 0.3]));
        // A tenth of a second would be left after two looks.
        let (seconds, _, windows) = looks(8.1);
        assert_eq!((seconds, windows), (8.0, vec![0.5, 4.0, 4.0]));
    }

    #[test]
    fn a_look_lasts_as_long_as_asked_and_the_stop_flag_ends_it() {
        let begun = Instant::now();
        let idle = idle_over(SHORTEST_LOOK, &AtomicBool::new(false)).expect("not stopped");
        assert!(begun.elapsed() >= Duration::from(SHORTEST_LOOK));
        assert!((0.0..=1.0).contains(&idle.0), "{idle}");
        assert_eq!(idle_over(Nanos::from_secs(3600), &AtomicBool::new(true)), None);
    }
}
