//! Waiting for a machine that does nothing else: before a round begins, and not for ever.

use crate::Error;
use judge::notes::IDLE;
use model::units::Nanos;
use probe::host::CpuTicks;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A first look: on a quiet machine a round should not begin much later for it.
const LOOK: Nanos = Nanos::from_secs(1);
/// What is looked at after that.
const WINDOW: Nanos = Nanos::from_secs(4);
/// Between two looks at the user's wish to end.
const NAP: Duration = Duration::from_millis(50);

/// What the wait came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waited {
    /// Share of the machine that was idle in the last look.
    pub(crate) idle: f64,
    /// Seconds spent waiting, the first look apart.
    pub(crate) seconds: f64,
}

/// Waits until enough of the machine is idle, at most `patience` seconds and what the last look takes; `tell` hears once
/// that it has to.
pub(crate) fn wait(patience: f64, stop: &AtomicBool, tell: &mut dyn FnMut(f64)) -> Result<Waited, Error> {
    let look = |window| idle_over(window, stop);
    let begun = Instant::now();
    let until_quiet = wait_by(
        look,
        || begun.elapsed().as_secs_f64() - LOOK.as_secs_f64(),
        patience,
        tell,
    );
    until_quiet.ok_or(Error::Interrupted)
}

/// The rule, apart from the clock and the machine.
fn wait_by(
    mut look: impl FnMut(Nanos) -> Option<f64>,
    waited: impl Fn() -> f64,
    patience: f64,
    tell: &mut dyn FnMut(f64),
) -> Option<Waited> {
    let mut idle = look(LOOK)?;
    if idle >= IDLE || patience <= 0.0 {
        return Some(Waited { idle, seconds: 0.0 });
    }
    tell(idle);
    while idle < IDLE && waited() < patience {
        idle = look(WINDOW)?;
    }
    Some(Waited {
        idle,
        seconds: waited().max(0.0),
    })
}

/// Share of the machine that is idle from now on for so long; `None` when the user ends it.
fn idle_over(window: Nanos, stop: &AtomicBool) -> Option<f64> {
    let (begun, before) = (Instant::now(), CpuTicks::now());
    while begun.elapsed() < Duration::from(window) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        std::thread::sleep(NAP);
    }
    Some(CpuTicks::now().share_since(&before, |ticks| ticks.idle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Waits on a machine that is idle as `looks` say; a look takes as long as its window.
    fn waited(looks: &[f64], patience: f64) -> (Option<Waited>, usize) {
        let (left, clock) = (RefCell::new(looks.iter()), RefCell::new(-LOOK.as_secs_f64()));
        let look = |window: Nanos| {
            *clock.borrow_mut() += window.as_secs_f64();
            left.borrow_mut().next().copied()
        };
        let mut told = 0;
        let waited = wait_by(look, || *clock.borrow(), patience, &mut |_| told += 1);
        (waited, told)
    }

    fn at(idle: f64, seconds: f64) -> Option<Waited> {
        Some(Waited { idle, seconds })
    }

    #[test]
    fn a_quiet_machine_is_not_waited_for_and_a_busy_one_is_until_it_is_quiet() {
        assert_eq!(waited(&[0.9], 60.0), (at(0.9, 0.0), 0));
        assert_eq!(waited(&[0.2, 0.3, 0.7], 60.0), (at(0.7, 8.0), 1));
    }

    #[test]
    fn patience_ends_and_so_does_the_user() {
        assert_eq!(waited(&[0.2; 9], 10.0), (at(0.2, 12.0), 1));
        assert_eq!(waited(&[0.2; 9], 0.0), (at(0.2, 0.0), 0));
        assert_eq!(
            waited(&[0.2, 0.3], 60.0).0,
            None,
            "no further look: the user ended it"
        );
    }
}
