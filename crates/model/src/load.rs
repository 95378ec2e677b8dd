//! [`Load`]: under which load something was measured.

use crate::units::Rate;
use serde::{Deserialize, Serialize};

/// The loads of a stage at a fixed rate, as its slices had them; `None` before the first start that counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageLoads {
    /// While response times were measured.
    pub times: Option<Load>,
    /// While CPU per request was measured.
    pub cpu: Option<Load>,
}

/// A load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Closed loop: users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<u64>,
    /// Open loop: requests, or sessions where [`Load::sessions`] says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether all arms had this load at the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// Whether `rate` counts the sessions of steps that begin, and not requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sessions: bool,
}
