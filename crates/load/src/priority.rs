//! [`LoopPriority`]: the scheduling priority of a thread while it runs an event loop.

use model::machine::GeneratorPriority;
use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{current_timer_slack, set_current_timer_slack};
use std::num::NonZeroU64;

/// Nice value of an event loop. At the normal value, a loop that shares cores with the server would wait for whole time
/// slices of the server's threads and send requests late. It needs a fraction of a core only, so it takes little from
/// the server.
const NICE: i32 = -15;

/// Raises the priority of the calling thread until it is dropped.
///
/// Both settings belong to the thread and are inherited by every process that it starts. They are restored on drop,
/// because a server that is started between two slices must not inherit them.
#[derive(Debug)]
pub(crate) struct LoopPriority {
    /// The previous timer slack in nanoseconds; `None` when it could not be read.
    slack: Option<u64>,
    /// The previous nice value; `None` when it was not changed.
    nice: Option<i32>,
}

impl LoopPriority {
    /// Reduces the timer slack to 1 ns, so that waits end on time. Lowers the nice value as well where the user may do so
    /// (root, `CAP_SYS_NICE`, `RLIMIT_NICE`).
    pub(crate) fn raise() -> Self {
        let slack = current_timer_slack().ok();
        set_current_timer_slack(NonZeroU64::new(1)).ok();
        let nice = getpriority_process(None).ok().filter(|&nice| nice > NICE);
        Self {
            slack,
            nice: nice.filter(|_| setpriority_process(None, NICE).is_ok()),
        }
    }
}

/// The priority that an event loop gets on the calling thread, which is tried.
pub fn generator_priority() -> GeneratorPriority {
    let _priority = LoopPriority::raise();
    let nice = getpriority_process(None).unwrap_or(0);
    match nice <= NICE {
        true => GeneratorPriority::Raised { nice },
        false => GeneratorPriority::Usual { nice },
    }
}

impl Drop for LoopPriority {
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
    fn the_settings_of_the_thread_are_restored() {
        let state = || (current_timer_slack(), getpriority_process(None));
        let before = state();
        let priority = LoopPriority::raise();
        assert_eq!(current_timer_slack(), Ok(1));
        drop(priority);
        assert_eq!(state(), before);
    }

    #[test]
    fn the_priority_is_tried_and_given_back() {
        let before = getpriority_process(None);
        let (GeneratorPriority::Raised { nice } | GeneratorPriority::Usual { nice }) = generator_priority()
        else {
            panic!("a nice value");
        };
        let raised = LoopPriority::raise();
        assert_eq!(getpriority_process(None), Ok(nice));
        drop(raised);
        assert_eq!(getpriority_process(None), before);
    }
}
