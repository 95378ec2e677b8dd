//! Units as types: a number without its unit never crosses a crate's wall. What load computes for every request is `#[inline]`, so that it is
//! fast where this crate is not optimised, too (`[profile.quick]`).

use serde::{Deserialize, Serialize};
use std::time::Duration;

pub use say::Number;
pub use say::units::{BitRate, Bytes, Count, Cpus, Rate, Seconds, Share};

/// A span of time, or a moment on the monotonic clock, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Nanos(pub u64);

impl Nanos {
    /// From seconds; negative and non-finite values become zero.
    #[inline]
    pub fn from_secs_f64(seconds: f64) -> Self {
        Self((seconds * 1e9) as u64)
    }

    /// From milliseconds.
    #[inline]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// From whole seconds.
    #[inline]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1_000_000_000)
    }

    /// In seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self - earlier`, or zero when `earlier` is later.
    #[inline]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add for Nanos {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl From<Nanos> for Seconds {
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}

impl From<Seconds> for Nanos {
    /// Negative and non-finite values become zero.
    fn from(span: Seconds) -> Self {
        Self::from_secs_f64(span.0)
    }
}

impl From<Duration> for Nanos {
    #[inline]
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for Duration {
    #[inline]
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}
