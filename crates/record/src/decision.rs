//! [`Decision`]: what somebody has decided about a change that a history shows.

use serde::{Deserialize, Serialize};

/// The most characters of a comment.
pub const LONGEST_COMMENT: usize = 1000;

/// What a change is from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// The new level is the usual one: the change fails no gate.
    Accepted,
    /// It is no change: the runs on both sides of it have one level.
    Dismissed,
}

/// What somebody has decided about the change that begins with a run, in all series of that run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The first run of the new level.
    pub run: String,
    pub kind: DecisionKind,
    /// Why; it may be empty.
    pub comment: String,
    /// The user of the machine whose prony stored it; empty if that is not known.
    pub by: String,
    /// When, such as `2026-11-26T08:15:00Z`.
    pub at: String,
}
