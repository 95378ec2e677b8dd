//! [`Attention`]: the scheduler lets this thread in when it wakes, as long as a slice lasts.

use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{current_timer_slack, set_current_timer_slack};
use std::num::NonZeroU64;

/// Niceness of an event loop. Where it shares cores with the server it would else wait for whole time slices of the
/// server's threads, and send late what was due. It needs a fraction of a core, so it takes next to nothing from them.
const NICE: i32 = -15;

/// Held while an event loop runs. What it changes is the thread's, and every process that the thread starts would inherit
/// it: so it is put back on drop, or a server started between two slices would be no ordinary one.
#[derive(Debug)]
pub(crate) struct Attention {
    slack: Option<u64>,
    nice: Option<i32>,
}

impl Attention {
    /// Has due times met to the nanosecond and, where the user may (root, `CAP_SYS_NICE`, `RLIMIT_NICE`), puts the thread
    /// before others.
    pub(crate) fn pay() -> Self {
        let slack = current_timer_slack().ok();
        set_current_timer_slack(NonZeroU64::new(1)).ok();
        let nice = getpriority_process(None).ok().filter(|&nice| nice > NICE);
        Self {
            slack,
            nice: nice.filter(|_| setpriority_process(None, NICE).is_ok()),
        }
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        if let Some(slack) = self.slack {
            set_current_timer_slack(NonZeroU64::new(slack)).ok();
        }
        if let Some(nice) = self.nice {
            setpriority_process(None, nice).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_afterwards_as_it_was() {
        let state = || (current_timer_slack(), getpriority_process(None));
        let before = state();
        let attention = Attention::pay();
        assert_eq!(current_timer_slack(), Ok(1));
        drop(attention);
        assert_eq!(state(), before);
    }
}
