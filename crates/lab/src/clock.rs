//! The wall clock, by which slices and telemetry are put in order.

use model::units::Nanos;
use std::time::{SystemTime, UNIX_EPOCH};

/// The wall clock in nanoseconds since the epoch.
pub(crate) fn wall_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| Nanos::from(since).0)
}
