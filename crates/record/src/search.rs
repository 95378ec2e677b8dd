//! [`SearchResult`]: what a search (`find`) has shown about an arm.

use crate::estimate::Estimate;
use crate::finding::Cause;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Rate, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchResult {
    /// The highest throughput, with more and more users.
    Capacity(Capacity),
    /// The highest rate that keeps an objective.
    MaxRate(MaxRate),
}

impl SearchResult {
    /// Returns the measure that arms are compared by.
    pub const fn measure(&self) -> Measure {
        match self {
            Self::Capacity(_) => Measure::Capacity,
            Self::MaxRate(_) => Measure::MaxRate,
        }
    }

    /// Returns the figure that arms are compared by.
    pub const fn headline(&self) -> Option<Estimate> {
        match self {
            Self::Capacity(capacity) => capacity.most,
            Self::MaxRate(found) => found.rate,
        }
    }
}

/// The throughput that more and more users brought, and where it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// The most right answers per second, taken over three neighbouring steps; every start has one such value.
    pub most: Option<Estimate>,
    /// The users that reach nearly all of it; absent where throughput was still growing.
    pub knee: Option<Knee>,
    /// The curve through all steps of all starts, where it fits.
    pub curve: Option<Curve>,
    /// Why there is no curve.
    pub no_curve: Option<NoCurve>,
    /// Why no more users were tried.
    pub ended: CapacityEnd,
    /// Most users that were tried.
    pub tried: u64,
    /// The cause that limits there, from the first diagnosis; absent where none fits.
    pub limiter: Option<Cause>,
}

/// Why no more users were tried; `tried` is the largest number that was.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum CapacityEnd {
    /// Throughput no longer grew.
    #[say(
        en = "up to {tried} users were tried: more users brought no more throughput",
        zh = "最多试到 {tried} 个用户：再增加用户，吞吐量不再提高"
    )]
    Flat { tried: u64 },
    /// The generator could not load the servers with that many users.
    #[say(
        en = "{tried} users were too many for the generator: {reason}",
        zh = "{tried} 个用户超出了压测端的能力：{reason}"
    )]
    Generator { tried: u64, reason: Reason },
    /// An arm began to answer wrongly with that many users.
    #[say(en = "at {tried} users errors began: {reason}", zh = "在 {tried} 个用户时开始出错：{reason}")]
    Errors { tried: u64, reason: Reason },
    /// The experiment asks for no more users.
    #[say(en = "{tried} users are the most that were asked for", zh = "{tried} 个用户是所要求的上限")]
    AllTried { tried: u64 },
}

/// Why no curve is drawn through the steps.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum NoCurve {
    /// Fewer than six numbers of users are valid.
    #[say(en = "fewer than six numbers of users counted", zh = "计入的用户数不足六种")]
    TooFewSteps,
    /// Throughput was still growing with the most users.
    #[say(en = "throughput was still growing with the most users", zh = "在最多的用户数下吞吐量仍在增长")]
    StillGrowing,
    /// No such curve fits the steps: `p` is the probability that chance alone gives so few runs of residuals.
    #[say(
        en = "no such curve fits the steps: the residuals do not look random (runs test, p = {p:.1e})",
        zh = "此类曲线不能拟合各级用户数的结果：残差看来并非随机（游程检验，p = {p:.1e}）"
    )]
    LackOfFit { p: f64 },
    /// Two straight lines fit better, as for a pool that is full at `limit` right answers per second.
    #[say(
        en = "two straight lines fit better: throughput grows in proportion to users up to {limit:.0}/s, as with a pool that is then full",
        zh = "两条直线拟合得更好：吞吐量与用户数成正比，直至 {limit:.0}/s，与线程池被占满的情形一致"
    )]
    Pool { limit: Rate },
}

/// The highest rate that keeps an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaxRate {
    /// The objective: `response_p99 < 20ms`.
    pub objective: String,
    /// Share of the requests that may miss it.
    pub allowed: Option<Share>,
    /// Requests per second; every start has one such value. Absent where the probes do not show it.
    pub rate: Option<Estimate>,
    /// The highest rate of a probe that kept it.
    pub kept: Option<Rate>,
    /// Why there is no rate.
    pub why_none: Option<Reason>,
    /// The cause that limits just above that rate, from the first diagnosis; absent where none fits.
    pub limiter: Option<Cause>,
    /// The rates that were tried, the lowest first.
    pub probes: Vec<Probe>,
}

/// All probes at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Requests that were due.
    pub rate: Rate,
    /// Share of the requests that missed the limit.
    pub share: Share,
    /// Requests of these probes.
    pub requests: u64,
}

/// The fewest users that reach 95 % of the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    pub users: Estimate,
    /// Whether it is read from the fitted curve of each start; otherwise it is where two lines meet (`corner`), or the first
    /// step that reached it.
    pub fitted: bool,
    /// Whether it is read from the two lines of a pool, which are fitted to each start.
    pub corner: bool,
}

/// Gunther's universal scalability law, `X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Right answers per second that one user alone would get.
    pub gamma: Estimate,
    /// Contention: the share of the work that queues for something shared.
    pub alpha: Estimate,
    /// Coherency: the cost of every pair of users that have to agree.
    pub beta: Estimate,
    /// Users beyond which throughput falls; absent where it was not seen to fall.
    pub peak_users: Option<Estimate>,
}

impl Curve {
    /// Returns the right answers per second that so many users get.
    pub fn rate(&self, users: f64) -> f64 {
        let (alpha, beta) = (self.alpha.value, self.beta.value);
        self.gamma.value * users / (1.0 + (alpha + beta * users) * (users - 1.0))
    }
}
