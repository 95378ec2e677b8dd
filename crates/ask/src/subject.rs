//! [`Subject`]: what a requirement bounds.

use model::by_id::serde_by_id;
use model::measure::Measure;

/// What a requirement bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Measure(Measure),
    /// Requests without a right answer, as a share of the requests that ended.
    Errors,
}

impl Subject {
    pub(crate) const ERRORS: &str = "errors";

    /// The name in files and `report.json`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Measure(measure) => measure.id(),
            Self::Errors => Self::ERRORS,
        }
    }

    /// The measure, if it is one.
    pub const fn measure(self) -> Option<Measure> {
        match self {
            Self::Measure(measure) => Some(measure),
            Self::Errors => None,
        }
    }

    /// The name that English readers see.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Measure(measure) => measure.title(),
            Self::Errors => Self::ERRORS,
        }
    }

    /// The subject of that [`Subject::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            Self::ERRORS => Some(Self::Errors),
            id => Measure::from_id(id).map(Self::Measure),
        }
    }

    /// Whether a larger figure is better.
    pub(crate) const fn more_is_better(self) -> bool {
        matches!(self, Self::Measure(measure) if measure.more_is_better())
    }

    /// A bound as a user would write one.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Measure(measure) => measure.example_bound(),
            Self::Errors => "< 0.01%",
        }
    }
}

impl From<Measure> for Subject {
    fn from(measure: Measure) -> Self {
        Self::Measure(measure)
    }
}

serde_by_id!(Subject, "a measure or `errors`");
