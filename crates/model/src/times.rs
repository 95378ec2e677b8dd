//! What reports say of the times of many requests: which time ([`Clock`]), and which number about it ([`TimeStatistic`]).

use serde::{Deserialize, Serialize};

/// A time of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// From due to arrived.
    Response,
    /// From sent to arrived.
    Service,
    /// From sent to the first byte of the answer.
    #[serde(rename = "first_byte")]
    FirstByte,
    /// From the first byte of the answer to arrived.
    Body,
}

impl Clock {
    /// All clocks.
    pub const ALL: [Self; 4] = [Self::Response, Self::Service, Self::FirstByte, Self::Body];
}

/// A time of an answer that streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// From when a request was sent until the first event of its answer arrived.
    First,
    /// Between two events of an answer.
    Gap,
}

/// One number about the times of many requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeStatistic {
    Mean,
    P50,
    P75,
    P90,
    P95,
    P99,
    P999,
    Max,
}

impl TimeStatistic {
    /// The percentiles, the lowest first.
    pub const PERCENTILES: [Self; 6] = [Self::P50, Self::P75, Self::P90, Self::P95, Self::P99, Self::P999];

    /// The name in `report.json` and in tables: `p99.9`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P75 => "p75",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
            Self::Max => "max",
        }
    }

    /// The share of the requests that takes no longer; `None` for the mean.
    pub const fn quantile(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::P50 => Some(0.5),
            Self::P75 => Some(0.75),
            Self::P90 => Some(0.9),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
            Self::P999 => Some(0.999),
            Self::Max => Some(1.0),
        }
    }
}
