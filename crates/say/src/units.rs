//! Units as types, which format themselves in the same way in both languages. JSON has the bare number.

use crate::{Number, numbers};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::time::Duration;

/// Writes a number with its unit; where decimals are asked for (`{:.1}`), the bare number with so many.
fn write_number(f: &mut fmt::Formatter<'_>, number: f64, with_unit: fn(f64) -> String) -> fmt::Result {
    match f.precision() {
        Some(_) => fmt::Display::fmt(&number, f),
        None => f.write_str(&with_unit(number)),
    }
}

/// Events per second; of requests the total over all connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Rate(pub f64);

impl Rate {
    /// Their order, also where one is no number.
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }

    /// The higher of the two.
    pub const fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The lower of the two.
    pub const fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

impl fmt::Display for Rate {
    /// With three digits: `948 /s`, `21.0 k/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(f, self.0, numbers::rate)
    }
}

/// Bits per second, as networks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BitRate(pub u64);

impl fmt::Display for BitRate {
    /// 1000-based: `45 Mbit/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            ..1_000_000 => (1e3, "kbit/s"),
            1_000_000..1_000_000_000 => (1e6, "Mbit/s"),
            _ => (1e9, "Gbit/s"),
        };
        let value = format!("{:.1}", self.0 as f64 / unit);
        write!(f, "{} {name}", value.trim_end_matches(".0"))
    }
}

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    /// 1024-based, with the unit spelled out: `1.5 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = self.0 as f64;
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if value < 1024.0 || unit == "GiB" {
                let digits = usize::from(unit != "B" && value < 100.0);
                return write!(f, "{value:.digits$} {unit}");
            }
            value /= 1024.0;
        }
        Ok(())
    }
}

/// A span of time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(pub f64);

impl Seconds {
    /// No time.
    pub const ZERO: Self = Self(0.0);

    /// From a whole number of nanoseconds.
    pub fn from_nanos(nanos: u64) -> Self {
        Self(nanos as f64 / 1e9)
    }

    /// How many nanoseconds it is.
    pub const fn as_nanos(self) -> f64 {
        1e9 * self.0
    }

    /// How many microseconds it is.
    pub const fn as_micros(self) -> f64 {
        1e6 * self.0
    }

    /// How many milliseconds it is.
    pub const fn as_millis(self) -> f64 {
        1e3 * self.0
    }

    /// Their order, also where one is no number.
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }

    /// The longer of the two.
    pub const fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The shorter of the two.
    pub const fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

impl From<Duration> for Seconds {
    fn from(duration: Duration) -> Self {
        Self(duration.as_secs_f64())
    }
}

impl Add for Seconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Seconds {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Seconds {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<f64> for Seconds {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self(self.0 * times)
    }
}

impl Mul<Seconds> for f64 {
    type Output = Seconds;
    fn mul(self, span: Seconds) -> Seconds {
        span * self
    }
}

impl Div<f64> for Seconds {
    type Output = Self;
    fn div(self, parts: f64) -> Self {
        Self(self.0 / parts)
    }
}

/// How many times the one is as long as the other.
impl Div for Seconds {
    type Output = f64;
    fn div(self, other: Self) -> f64 {
        self.0 / other.0
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        Self(spans.map(|span| span.0).sum())
    }
}

impl fmt::Display for Seconds {
    /// In the unit that suits it: `50.0 µs`, `15.3 ms`, `1.03 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(f, self.0, numbers::seconds)
    }
}

/// A part of a whole, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Share(pub f64);

impl Share {
    /// Their order, also where one is no number.
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }

    /// The larger of the two.
    pub const fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The smaller of the two.
    pub const fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// So much of a span of time.
    pub fn of(self, whole: Seconds) -> Seconds {
        whole * self.0
    }

    /// How many per cent it is.
    pub const fn as_percent(self) -> f64 {
        100.0 * self.0
    }
}

impl fmt::Display for Share {
    /// As a percentage: `1.2 %`, `37 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(f, self.0, numbers::percent)
    }
}

/// A number of things, which need not be whole where it is a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Count(pub f64);

impl fmt::Display for Count {
    /// Whole, with a space between groups of three digits: `12 000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(f, self.0, numbers::count)
    }
}

/// CPUs, or as much CPU time as so many CPUs have: 0.5 is half of the time of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cpus(pub f64);

impl Cpus {
    /// The larger of the two.
    pub const fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

impl fmt::Display for Cpus {
    /// The bare number, as files have it: `0.5`, `4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Number for Cpus {
    fn number(&self) -> f64 {
        self.0
    }
}

impl Number for Seconds {
    fn number(&self) -> f64 {
        self.0
    }
}

impl Number for Share {
    fn number(&self) -> f64 {
        self.0
    }
}

impl Number for Count {
    fn number(&self) -> f64 {
        self.0
    }
}

impl Number for Bytes {
    fn number(&self) -> f64 {
        self.0 as f64
    }
}

impl Number for Rate {
    fn number(&self) -> f64 {
        self.0
    }
}
