//! How fast a load is: the pauses of users, and the course of a rate.

use model::units::{Nanos, Rate};
use serde::{Deserialize, Serialize};

/// How long a user thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Think {
    /// There is no pause.
    #[default]
    None,
    /// Every pause has this length.
    Constant(Nanos),
    /// Every length between the two is equally likely.
    Uniform(Nanos, Nanos),
    /// The length is normally distributed; what would be negative is zero.
    Gaussian {
        mean: Nanos,
        /// Standard deviation.
        deviation: Nanos,
    },
    /// The length is exponentially distributed with this mean.
    Exponential(Nanos),
}

impl Think {
    /// The mean length of a pause.
    pub const fn mean(self) -> Nanos {
        match self {
            Self::None => Nanos(0),
            Self::Constant(pause) | Self::Exponential(pause) => pause,
            Self::Uniform(least, most) => Nanos((least.0 + most.0) / 2),
            Self::Gaussian { mean, .. } => mean,
        }
    }
}

/// A part of a rate's course.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Requests per second at its begin, over all connections.
    pub from: Rate,
    /// Requests per second at its end; in between the rate changes evenly.
    pub to: Rate,
    /// How long it is.
    pub length: Nanos,
}
