//! [`Series`]: the data of plots that verdicts do not need: curves of percentiles, every start, slices over time. It is
//! computed from the records of a run, as the report is, and is no part of `report.json`.

use crate::cpu_profile::FlameTree;
use crate::outcome::Estimate;
use model::load::Load;
use model::measure::Measure;
use model::times::Clock;
use model::units::Seconds;
use say::Say;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackId {
    /// Right answers per second.
    #[say(en = "right answers per second", zh = "每秒正确应答")]
    Throughput,
    /// Median time, seconds: response time at a rate, service time in the closed loop.
    #[say(en = "median time", zh = "时间中位数")]
    P50,
    /// 99th percentile of the same time, seconds.
    #[say(en = "p99 of the time", zh = "时间 p99")]
    P99,
    /// CPUs that the arm used.
    #[say(en = "CPUs used by the server", zh = "服务器使用的 CPU 数")]
    Cpu,
    /// Share of the time that the arm's JVM collected garbage.
    #[say(en = "share of time in garbage collection", zh = "垃圾收集占用的时间比例")]
    Gc,
    /// Milliseconds of JIT compilation that ended, per second.
    #[say(en = "JIT compilation, ms per s", zh = "JIT 编译，ms/s")]
    Jit,
    /// Share of all CPUs that the hypervisor took.
    #[say(en = "share of CPU stolen by the hypervisor", zh = "被虚拟机管理程序占用的 CPU 比例")]
    Steal,
    /// Tasks that ran or waited for a CPU.
    #[say(en = "tasks running or waiting for a CPU", zh = "正在运行或等待 CPU 的任务数")]
    RunQueue,
    /// Most connections that waited to be accepted; needs telemetry.
    #[say(en = "connections waiting to be accepted, at most", zh = "等待 accept 的连接数（最大）")]
    AcceptQueue,
    /// Mean number of threads that serve requests and ran or waited for a CPU; needs telemetry. Threads that wait for
    /// anything else look like idle ones from outside.
    #[say(
        en = "busy worker threads: on a CPU or waiting for one (mean)",
        zh = "忙碌的工作线程数：正在运行或等待 CPU（平均）"
    )]
    Busy,
    /// Most threads of the server's process; needs telemetry.
    #[say(en = "threads of the server's process", zh = "服务器进程的线程数")]
    Threads,
    /// CPU of the generator as a share of one core.
    #[say(en = "generator, share of a core", zh = "压测端，单核占比")]
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
