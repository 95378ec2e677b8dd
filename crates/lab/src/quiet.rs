//! Waits, before a round begins, until other programs leave the machine idle, but not without limit.

use crate::Error;
use judge::notes::IDLE;
use model::units::Nanos;
use probe::host::CpuTicks;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The length of the first look. It is short, because it delays the round on a quiet machine, too.
const FIRST_LOOK: Nanos = Nanos::from_millis(500);
/// The length of the further looks.
const LOOK: Nanos = Nanos::from_secs(4);
/// The time between two looks at the stop flag.
const POLL: Duration = Duration::from_millis(50);

/// The result of the wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waited {
    /// The share of the machine that was idle in the last look.
    pub(crate) idle: f64,
    /// The seconds spent waiting, without the first look.
    pub(crate) seconds: f64,
}

/// Waits until enough of the machine is idle, for at most `patience` seconds plus one look. If it has to wait, it calls
/// `on_wait` once with the idle share.
pub(crate) fn wait(patience: f64, stop: &AtomicBool, on_wait: &mut dyn FnMut(f64)) -> Result<Waited, Error> {
    let look = |window| idle_over(window, stop);
    let begun = Instant::now();
    let until_quiet = wait_by(
        look,
        || begun.elapsed().as_secs_f64() - FIRST_LOOK.as_secs_f64(),
        patience,
        on_wait,
    );
    until_quiet.ok_or(Error::Interrupted)
}

/// The rule of the wait, without the clock and the machine.
fn wait_by(
    mut look: impl FnMut(Nanos) -> Option<f64>,
    waited: impl Fn() -> f64,
    patience: f64,
    on_wait: &mut dyn FnMut(f64),
) -> Option<Waited> {
    let mut idle = look(FIRST_LOOK)?;
    if idle >= IDLE || patience <= 0.0 {
        return Some(Waited { idle, seconds: 0.0 });
    }
    on_wait(idle);
    while idle < IDLE && waited() < patience {
        idle = look(LOOK)?;
    }
    Some(Waited {
        idle,
        seconds: waited().max(0.0),
    })
}

/// The share of the machine that is idle during the next `window`; `None` when the user ends the run.
fn idle_over(window: Nanos, stop: &AtomicBool) -> Option<f64> {
    let (begun, before) = (Instant::now(), CpuTicks::now());
    while begun.elapsed() < Duration::from(window) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        std::thread::sleep(POLL);
    }
    Some(CpuTicks::now().share_since(&before, |ticks| ticks.idle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Waits on a machine whose looks have these results; a look takes as long as its window.
    fn waited(looks: &[f64], patience: f64) -> (Option<Waited>, usize) {
        let (left, clock) = (
            RefCell::new(looks.iter()),
            RefCell::new(-FIRST_LOOK.as_secs_f64()),
        );
        let look = |window: Nanos| {
            *clock.borrow_mut() += window.as_secs_f64();
            left.borrow_mut().next().copied()
        };
        let mut calls = 0;
        let waited = wait_by(look, || *clock.borrow(), patience, &mut |_| calls += 1);
        (waited, calls)
    }

    fn at(idle: f64, seconds: f64) -> Option<Waited> {
        Some(Waited { idle, seconds })
    }

    #[test]
    fn only_a_busy_machine_is_waited_for_until_it_is_quiet() {
        assert_eq!(waited(&[0.9], 60.0), (at(0.9, 0.0), 0));
        assert_eq!(waited(&[0.2, 0.3, 0.7], 60.0), (at(0.7, 8.0), 1));
    }

    #[test]
    fn the_time_limit_and_the_user_end_the_wait() {
        assert_eq!(waited(&[0.2; 9], 10.0), (at(0.2, 12.0), 1));
        assert_eq!(waited(&[0.2; 9], 0.0), (at(0.2, 0.0), 0));
        assert_eq!(
            waited(&[0.2, 0.3], 60.0).0,
            None,
            "no further look: the user ended it"
        );
    }
}
