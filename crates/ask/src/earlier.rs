//! What a run takes over from earlier ones, before its first start: [`KeptRate`], [`LearntPrior`].

use model::measure::Measure;
use model::units::Rate;
use serde::{Deserialize, Serialize};

/// A fixed rate that a stored run used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRate {
    pub rate: Rate,
    /// Index of the level of the closed loop that the rate was chosen from; the number of connections depends on it.
    pub level: usize,
    /// The id of the run.
    pub run: String,
}

/// What earlier runs on machines of this class have shown of how starts differ in a measure. It is fixed before the first start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearntPrior {
    /// The measure: throughput or CPU per request.
    pub measure: Measure,
    /// The standard deviation of `D` from start to start beyond what windows explain, on the log scale; an upper bound.
    pub deviation: f64,
    /// How many starts the prior counts as.
    pub weight: f64,
    /// From how many runs it was learnt.
    pub runs: usize,
}
