//! Instants at which agents begin: read by the wall clock once, and awaited by the monotonic one.

use model::units::Nanos;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long before an instant a thread stops sleeping, because a sleep can last longer than it should.
const SPIN: Nanos = Nanos::from_millis(2);
/// The longest sleep, after which a thread looks whether it is to end.
const LONGEST_SLEEP: Nanos = Nanos::from_millis(50);

/// The present time of the wall clock, nanoseconds since the epoch.
pub(crate) fn wall_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns when the wall clock shows `at`, as a time of [`load::now`]; the present for what is past. What becomes of the wall clock
/// later does not matter.
pub(crate) fn monotonic(at: i64) -> Nanos {
    let ahead = u64::try_from(at.saturating_sub(wall_now())).unwrap_or(0);
    load::now() + Nanos(ahead)
}

/// Returns what the wall clock shows at a time of [`load::now`].
pub(crate) fn wall(at: Nanos) -> i64 {
    let now = load::now();
    let ahead = i64::try_from(at.since(now).0).unwrap_or(i64::MAX);
    let behind = i64::try_from(now.since(at).0).unwrap_or(i64::MAX);
    wall_now().saturating_add(ahead).saturating_sub(behind)
}

/// Waits until an instant, exactly, unless `end` is raised before.
pub(crate) fn wait_until(instant: Nanos, end: &AtomicBool) {
    while load::now() + SPIN < instant && !end.load(Ordering::Relaxed) {
        let left = instant.since(load::now() + SPIN);
        std::thread::sleep(Duration::from(left.min(LONGEST_SLEEP)));
    }
    while load::now() < instant && !end.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
}

/// What tells this machine from others until it is started again: containers and namespaces on it have the same CPUs, and the same
/// id.
pub(crate) fn this_machine() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.unwrap_or_default().trim().to_owned()
}

/// What tells the network of this process from others: its machine, and its namespace there.
pub(crate) fn this_network() -> String {
    let namespace = std::fs::read_link("/proc/self/ns/net").unwrap_or_default();
    format!("{} {}", this_machine(), namespace.display())
}
