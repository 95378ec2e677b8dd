//! [`Found`]: what a search (`find`) found of an arm.

use crate::finding::Cause;
use crate::measure::Measure;
use crate::outcome::Estimate;
use crate::reason::Reason;
use serde::{Deserialize, Serialize};

/// What was looked for, and found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// What more and more users brought.
    Capacity(Capacity),
    /// The highest rate that keeps an objective.
    MaxRate(MaxRate),
}

impl Found {
    /// What arms are compared by.
    pub const fn measure(&self) -> Measure {
        match self {
            Self::Capacity(_) => Measure::Capacity,
            Self::MaxRate(_) => Measure::MaxRate,
        }
    }

    /// The figure that arms are compared by.
    pub const fn headline(&self) -> Option<Estimate> {
        match self {
            Self::Capacity(capacity) => capacity.most,
            Self::MaxRate(found) => found.rate,
        }
    }
}

/// What more and more users brought, and where that ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// The most right answers per second, over three neighbouring steps; each start has one.
    pub most: Option<Estimate>,
    /// Where nearly all of it is reached; absent where throughput was still growing.
    pub knee: Option<Knee>,
    /// The curve through all steps of all starts, where it fits.
    pub curve: Option<Curve>,
    /// Why there is none.
    pub no_curve: Option<NoCurve>,
    /// Why no more users were tried.
    pub ended: CapacityEnd,
    /// Most users that were tried.
    pub tried: u64,
    /// What limits there: the cause of the first diagnosis; absent where none fits.
    pub limiter: Option<Cause>,
}

/// Why no more users were tried; `tried` is the most that were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
#[expect(missing_docs, reason = "the comment of a variant says what its fields are")]
pub enum CapacityEnd {
    /// Throughput no longer grew.
    Flat { tried: u64 },
    /// The generator could not load the servers with so many users.
    Generator { tried: u64, reason: Reason },
    /// With so many users an arm began to answer wrongly.
    Errors { tried: u64, reason: Reason },
    /// More users were not asked for.
    AllTried { tried: u64 },
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

/// Why no curve is drawn through the steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "code",
    content = "values",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
#[expect(missing_docs, reason = "the comment of a variant says what its fields are")]
pub enum NoCurve {
    /// Fewer than six numbers of users count.
    TooFewSteps,
    /// Throughput was still growing with the most users.
    StillGrowing,
    /// The steps lie off any such curve: chance alone gives so few runs of residuals with probability `p`.
    LackOfFit { p: f64 },
    /// Two straight lines fit better, as of a pool that is full from `limit` right answers per second on.
    Pool { limit: f64 },
    /// The sentence of an earlier prony that stored no values.
    Legacy(String),
}

/// The highest rate that keeps an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaxRate {
    /// What was to be kept: `response_p99 < 20ms`.
    pub objective: String,
    /// Share of the requests that may miss it; absent in what early pronies stored.
    #[serde(default)]
    pub allowed: Option<f64>,
    /// Requests per second; each start has one. Absent where it cannot be told.
    pub rate: Option<Estimate>,
    /// The highest rate that was seen to keep it.
    pub kept: Option<f64>,
    /// Why no rate can be told.
    pub why_none: Option<Reason>,
    /// What limits next beyond it: the cause of the first diagnosis; absent where none fits.
    #[serde(default)]
    pub limiter: Option<Cause>,
    /// What was tried, lowest rate first.
    pub probes: Vec<Probe>,
}

/// All probes at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Requests per second.
    pub rate: f64,
    /// Share of the requests that missed the limit.
    pub share: f64,
    /// Requests behind it.
    pub requests: u64,
}

/// The fewest users that get 95 % of the most there is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// How many.
    pub users: Estimate,
    /// On the fitted curve of each start; otherwise where two lines meet (`corner`), or the first of the steps that reached it.
    pub fitted: bool,
    /// Below where the two lines of a pool meet, fitted to each start.
    #[serde(default)]
    pub corner: bool,
}

/// Gunther's universal scalability law, `X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What one user alone would get, per second.
    pub gamma: Estimate,
    /// Contention: the share of the work that queues for something shared.
    pub alpha: Estimate,
    /// Coherency: the cost of every pair of users that have to agree.
    pub beta: Estimate,
    /// Users beyond which more bring less; absent where that was not seen.
    pub peak_users: Option<Estimate>,
}

impl Curve {
    /// Right answers per second of so many users.
    pub fn rate(&self, users: f64) -> f64 {
        let (alpha, beta) = (self.alpha.value, self.beta.value);
        self.gamma.value * users / (1.0 + (alpha + beta * users) * (users - 1.0))
    }
}
