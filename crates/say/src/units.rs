//! Units as types, which format themselves in the same way in both languages. JSON has the bare number.

use crate::{Number, numbers};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Events per second, always the total over all connections.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Rate(pub f64);

impl fmt::Display for Rate {
    /// With three digits: `948 /s`, `21.0 k/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::rate(self.0))
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

impl fmt::Display for Seconds {
    /// In the unit that suits it: `50.0 µs`, `15.3 ms`, `1.03 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::seconds(self.0))
    }
}

/// A part of a whole, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Share(pub f64);

impl fmt::Display for Share {
    /// As a percentage: `1.2 %`, `37 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::percent(self.0))
    }
}

/// A number of things, which need not be whole where it is a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Count(pub f64);

impl fmt::Display for Count {
    /// Whole, with a space between groups of three digits: `12 000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&numbers::count(self.0))
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

impl Number for Rate {
    fn number(&self) -> f64 {
        self.0
    }
}
