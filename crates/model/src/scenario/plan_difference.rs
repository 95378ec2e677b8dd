//! [`PlanDifference`]: what is done otherwise than a JMeter plan asks for.

use serde::{Deserialize, Serialize};

/// What is done otherwise than the JMeter plan asks for from which a program was made, although nothing of the plan is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanDifference {
    /// Its listeners do not run: the report of prony takes their place.
    Listeners,
    /// Elements that only serve recording or debugging do not run.
    Tools,
    /// Answers are not cached.
    Cache,
    /// The server's name is resolved once.
    Names,
    /// Basic authentication is sent with the first request, without waiting for a challenge.
    Challenge,
}
