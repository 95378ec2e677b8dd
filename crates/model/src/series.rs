//! What plots need and verdicts do not: curves of percentiles, every start, slices over time. It is computed from the
//! records of a run, as the report is, and is no part of `report.json`.

use crate::measure::Measure;
use crate::outcome::{Estimate, Load};
use serde::{Deserialize, Serialize};

/// Everything that is drawn of a run beside its report. Arms are named by their place in the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Times by percentile, of every arm under every load.
    pub curves: Vec<Curve>,
    /// Every start's own values, measure by measure.
    pub starts: Vec<Starts>,
    /// Slice by slice.
    pub timeline: Timeline,
}

/// Which time a curve is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Arrived − due.
    Response,
    /// Arrived − sent.
    Service,
}

/// Times of one arm under one load, by percentile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Whose.
    pub arm: usize,
    /// At which load.
    pub load: Load,
    /// Which time.
    pub clock: Clock,
    /// Quantile (0 to 1) and seconds, the mean over starts with its interval; as far as every start has enough requests.
    pub points: Vec<(f64, Estimate)>,
}

/// One measure in every start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Starts {
    /// Which.
    pub measure: Measure,
    /// At which load, where load plays a part.
    pub load: Option<Load>,
    /// By arm, then by start; a start without it has `None`.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Slices in the order in which they were measured, column by column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Seconds from the first slice to the counted part of each.
    pub at: Vec<f64>,
    /// Which arm was loaded.
    pub arm: Vec<usize>,
    /// In which start, from 1.
    pub start: Vec<u32>,
    /// Under which load: an index of `loads`.
    pub load: Vec<usize>,
    /// The loads.
    pub loads: Vec<Load>,
    /// Slices behind each point: neighbours are put together where there are more than a reader can see.
    pub each: usize,
    /// What was read, one value a slice.
    pub tracks: Vec<Track>,
}

/// One thing that was read in every slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// What.
    pub id: TrackId,
    /// Its values; `None` where it could not be read.
    pub values: Vec<Option<f64>>,
}

/// What is read in every slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackId {
    /// Right answers per second.
    Throughput,
    /// Median time, seconds: response time at a rate, service time in the closed loop.
    P50,
    /// 99th percentile of the same.
    P99,
    /// CPUs that the arm used.
    Cpu,
    /// Share of the time that the arm's JVM collected garbage.
    Gc,
    /// Milliseconds of JIT compilation that ended, per second.
    Jit,
    /// Share of all CPUs that the hypervisor took.
    Steal,
    /// Tasks that ran or waited for a CPU.
    RunQueue,
    /// Connections that waited to be accepted, at most, where telemetry was on.
    AcceptQueue,
    /// Threads that serve requests and ran or waited for a CPU, on average, likewise. Those that wait for anything else
    /// are not seen from outside.
    Busy,
    /// Threads of the server's process at most, likewise.
    Threads,
    /// CPU of the generator as a share of one core.
    Generator,
}

impl TrackId {
    /// In the order they are drawn.
    pub const ALL: [Self; 12] = [
        Self::Throughput,
        Self::P50,
        Self::P99,
        Self::Cpu,
        Self::Gc,
        Self::Jit,
        Self::Steal,
        Self::RunQueue,
        Self::AcceptQueue,
        Self::Busy,
        Self::Threads,
        Self::Generator,
    ];
}
