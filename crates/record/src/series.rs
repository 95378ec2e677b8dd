//! [`Series`]: the data of plots that verdicts do not need: curves of percentiles, every start, slices over time. It is
//! computed from the records of a run, as the report is, and is no part of `report.json`.

use crate::cpu_profile::FlameTree;
use crate::outcome::Estimate;
use model::load::Load;
use model::measure::Measure;
use model::times::Clock;
use model::units::Seconds;
use serde::{Deserialize, Serialize};

/// The data of a run's plots. An arm is its index in the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Times by percentile, of every arm under every load.
    pub curves: Vec<PercentileCurve>,
    /// The values of every start, measure by measure.
    pub starts: Vec<Starts>,
    /// The slices over time.
    pub timeline: Timeline,
    /// The CPU time of a request by call, of every arm that was profiled with the baseline.
    pub flames: Vec<FlameTree>,
}

/// Times of one arm under one load, by percentile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PercentileCurve {
    pub arm: usize,
    pub load: Load,
    /// The time.
    pub clock: Clock,
    /// Quantiles (0 to 1), each with its mean over starts in seconds; up to the last for which every start has enough
    /// requests.
    pub points: Vec<(f64, Estimate)>,
}

/// One measure in every start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Starts {
    pub measure: Measure,
    /// The load, where load plays a part.
    pub load: Option<Load>,
    /// The values, by arm and then by start; `None` for a start without one.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Slices in the order in which they were measured, column by column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Time from the first slice to the counted part of each.
    pub at: Vec<Seconds>,
    /// The arm that was loaded.
    pub arm: Vec<usize>,
    /// The start, from 1.
    pub start: Vec<u32>,
    /// The load: an index of `loads`.
    pub load: Vec<usize>,
    pub loads: Vec<Load>,
    /// Slices in each point: neighbours are merged where there are more than a reader can see.
    pub each: usize,
    /// The readings, one value for each point.
    pub tracks: Vec<Track>,
}

/// One reading, in every slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// What was read.
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
    /// 99th percentile of the same time, seconds.
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
    /// Most connections that waited to be accepted; needs telemetry.
    AcceptQueue,
    /// Mean number of threads that serve requests and ran or waited for a CPU; needs telemetry. Threads that wait for
    /// anything else look like idle ones from outside.
    Busy,
    /// Most threads of the server's process; needs telemetry.
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
