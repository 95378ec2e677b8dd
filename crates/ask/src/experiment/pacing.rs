//! [`Pacing`]: how the arms share the stage at a fixed rate.

use model::measure::Measure;
use serde::{Deserialize, Serialize};

/// How the arms are loaded in the stage at a fixed rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// One after the other, each for a slice at a time.
    #[default]
    InTurn,
    /// All at once, each at the rate, with slices that begin and end at the same times.
    Together,
    /// First all at once with equal parts of the rate, for CPU per request, and then in turn, for response times.
    Mixed,
}

impl Pacing {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::InTurn, Self::Together, Self::Mixed];

    /// Returns the value of `pace` in a file.
    pub const fn id(self) -> &'static str {
        match self {
            Self::InTurn => "in turn",
            Self::Together => "together",
            Self::Mixed => "mixed",
        }
    }

    /// Returns the pairs of slices per start at the fixed rate where the file does not set them. In a mixed stage, CPU per request has
    /// windows of its own, and response times are percentiles of all slices together.
    pub(super) const fn default_pairs(self) -> u32 {
        match self {
            Self::InTurn | Self::Together => 20,
            Self::Mixed => 6,
        }
    }

    /// Returns how the arms are loaded while `measure` is measured: in turn or together.
    pub fn of(self, measure: Measure) -> Self {
        match self {
            Self::Mixed if measure == Measure::CpuPerRequest => Self::Together,
            Self::Mixed => Self::InTurn,
            _ => self,
        }
    }

    /// Returns how the arms are loaded at the rate that the stage is named after: as while response times are measured.
    pub fn of_times(self) -> Self {
        self.of(Measure::ResponseP50)
    }

    /// Returns how many of these arms have the rate that the stage is named after at the same time.
    pub fn arms_at_once(self, arms: usize) -> usize {
        match self.of_times() {
            Self::Together => arms,
            _ => 1,
        }
    }

    /// Whether all arms are loaded at once in all slices.
    pub fn is_together(&self) -> bool {
        *self == Self::Together
    }

    /// Whether the arms are loaded one after the other.
    pub fn is_in_turn(&self) -> bool {
        *self == Self::InTurn
    }
}
