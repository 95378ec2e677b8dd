//! [`Trouble`]: what goes wrong with a sink.

/// Why a sink did not get all points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It cannot be reached; what the system says.
    Unreachable(String),
    /// It does not answer in time.
    Slow,
    /// It refuses what it gets.
    Refused {
        /// The status of its answer.
        status: u16,
        /// The begin of what it says.
        words: String,
    },
}

impl Trouble {
    /// Whether the same points may be accepted later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Slow => true,
            Self::Refused { status, .. } => *status >= 500 || matches!(status, 408 | 429),
        }
    }
}
