//! [`RoundTimes`]: how long the parts of a round took.

use model::units::Seconds;
use serde::{Deserialize, Serialize};

/// Where the time of a round went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTimes {
    /// Starts that were made for their time alone.
    pub startup_cycles: Seconds,
    /// Starting the arms that were then loaded.
    pub starting: Seconds,
    /// Warming them up.
    pub warm_up: Seconds,
    /// Slices of the closed loop, with connecting.
    pub closed_loop: Seconds,
    /// The stage at a fixed rate, with choosing the rate.
    pub fixed_rate: Seconds,
    /// The search for the highest rate, and reading what the servers say about themselves.
    pub rest: Seconds,
    /// Stopping the arms.
    pub stopping: Seconds,
}

impl RoundTimes {
    /// All parts together.
    pub fn total(&self) -> Seconds {
        let Self { startup_cycles, starting, warm_up, closed_loop, fixed_rate, rest, stopping } = *self;
        startup_cycles + starting + warm_up + closed_loop + fixed_rate + rest + stopping
    }
}
