//! [`RoundTimes`]: how long the parts of a round took, in seconds.

use serde::{Deserialize, Serialize};

/// Where the seconds of a round went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTimes {
    /// Starts that were made for their time alone.
    pub startup_cycles: f64,
    /// Starting the arms that were then loaded.
    pub starting: f64,
    /// Warming them up.
    pub warm_up: f64,
    /// Slices of the closed loop, with connecting.
    pub closed_loop: f64,
    /// The stage at a fixed rate, with choosing the rate.
    pub fixed_rate: f64,
    /// The search for the highest rate, and reading what the servers say about themselves.
    pub rest: f64,
    /// Stopping the arms.
    pub stopping: f64,
}

impl RoundTimes {
    /// All parts together.
    pub fn total(&self) -> f64 {
        let Self { startup_cycles, starting, warm_up, closed_loop, fixed_rate, rest, stopping } = self;
        startup_cycles + starting + warm_up + closed_loop + fixed_rate + rest + stopping
    }
}
