//! The scheduling policy of the calling thread, for which the safe wrappers have no call (sched(7), sched_setscheduler(2)).

use super::last_errno;
use rustix::io::Errno;

/// The lowest real-time priority: it goes before every thread of the usual policy, and behind all others.
pub(crate) const LOWEST: i32 = 1;

/// Whether the calling thread has the policy that threads usually have, and not one that somebody chose.
pub(crate) fn is_usual() -> bool {
    // SAFETY: the call takes no pointer; 0 names the calling thread.
    unsafe { libc::sched_getscheduler(0) == libc::SCHED_OTHER }
}

/// Gives the calling thread [`LOWEST`] with the policy `SCHED_RR`. What it starts meanwhile does not inherit the policy.
///
/// # Errors
///
/// [`Errno::PERM`] where neither the user (`CAP_SYS_NICE`, `RLIMIT_RTPRIO`) nor the control group has real-time CPU.
pub(crate) fn take_real_time() -> Result<(), Errno> {
    set(libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, LOWEST)
}

/// Gives the calling thread the usual policy back; its nice value has not changed.
pub(crate) fn leave_real_time() {
    // Only a privileged thread may clear the flag. Left on, it only keeps negative nice values from what the thread starts.
    if set(libc::SCHED_OTHER, 0).is_err() {
        set(libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, 0).ok();
    }
}

fn set(policy: libc::c_int, priority: libc::c_int) -> Result<(), Errno> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: `parameters` is live; 0 names the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) };
    if result == 0 { Ok(()) } else { Err(last_errno()) }
}
