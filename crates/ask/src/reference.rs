//! What somebody else measured and asked: `[reference]` of an experiment file.

use crate::question::Question;
use model::measure::Measure;
use say::Say;
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
    /// The figures that its tables have, by [`Measure::id`] or by any other name, the most important first; empty where these are the
    /// figures of the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// The rows of its tables.
    pub rows: Vec<ReferenceRow>,
}

impl Reference {
    /// Returns the figures that its tables have, the most important first: where the file does not list them, throughput.
    pub fn figures(&self) -> Vec<&str> {
        if !self.figures.is_empty() {
            return self.figures.iter().map(String::as_str).collect();
        }
        let mut all: Vec<&str> =
            self.rows.iter().flat_map(|row| row.values.keys()).map(String::as_str).collect();
        let is_throughput = |id: &&str| *id == Measure::Throughput.id();
        all.sort_by_key(|id| (!is_throughput(id), *id));
        all.dedup();
        all
    }
}

/// A question that the source of the figures left open, and which result of a run answers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenQuestion {
    #[serde(flatten)]
    pub question: Question,
    /// The arm that it is about, by its name; it need not be one of the run's.
    pub arm: String,
    /// The number of users that it is about; without one, all loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
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
    /// What it takes to measure these figures, where this machine does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<Need>,
    /// The figures, by [`Measure::id`] or by any other name.
    pub values: BTreeMap<String, f64>,
}

/// What it takes to measure a figure again, beside an ordinary machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    #[say(en = "needs arm64", zh = "需要 arm64")]
    Arm64,
    #[say(en = "needs GraalVM", zh = "需要 GraalVM")]
    Graalvm,
    /// Machines that make load beside the one with the servers.
    #[say(en = "needs more machines", zh = "需要更多机器")]
    Machines,
}

impl Need {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Arm64, Self::Graalvm, Self::Machines];

    /// Returns its name in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Arm64 => "arm64",
            Self::Graalvm => "graalvm",
            Self::Machines => "machines",
        }
    }
}
