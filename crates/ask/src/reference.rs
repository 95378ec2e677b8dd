//! What somebody else measured and asked: `[reference]` of an experiment file.

use crate::question::Question;
use model::measure::Measure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures that somebody else measured, on other machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The source of the figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What a reader has to know about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Questions that their source left open, and which the run is to answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenQuestion>,
    /// The figures.
    pub rows: Vec<ReferenceRow>,
}

/// A question that the source of the figures left open, and which result of a run answers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenQuestion {
    #[serde(flatten)]
    pub question: Question,
    /// The arm that it is about, by its name; it need not be one of the run's.
    pub arm: String,
    /// The measure whose verdict answers it; without one, what limits the arm does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
}

/// Figures of one arm that somebody else measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRow {
    /// The arm, by its name; it need not be one of the experiment's.
    pub arm: String,
    /// Users of the closed loop, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
    /// The figures, by [`Measure::id`] or by any other name.
    pub values: BTreeMap<String, f64>,
}
