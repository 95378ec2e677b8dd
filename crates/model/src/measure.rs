//! What is measured of an arm, in which direction it is better, and how much counts as the same.

use say::{Language, Say, Writer};
use serde::{Deserialize, Serialize};

/// One measure of an arm. The order is the order of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Right answers per second.
    Throughput,
    /// CPU seconds of the server's process, all threads, per right answer: compared at a fixed rate where there is such a
    /// stage, else in the closed loop.
    CpuPerRequest,
    /// Median response time.
    ResponseP50,
    /// 90th percentile of the response time.
    ResponseP90,
    /// 99th percentile of the response time.
    ResponseP99,
    /// Time from exec to the first right body.
    #[serde(rename = "startup")]
    StartUp,
    /// Peak resident memory of the server's process (VmHWM).
    PeakMemory,
    /// The most right answers per second that any number of users brought: over three neighbouring steps, so that no
    /// single slice decides. Only with `find = "capacity"`.
    Capacity,
    /// The highest rate that keeps the objective. Only with `find = "max-rate"`.
    MaxRate,
}

/// What a measure measures; the words for better and worse depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// How much is served, or how long something takes: an arm is faster or slower.
    Speed,
    /// How much CPU a request takes: an arm is cheaper or costlier.
    Cost,
    /// How much memory it takes: an arm is smaller or larger.
    Size,
}

impl Say for Measure {
    fn say(&self, out: &mut Writer) {
        out.words(self.name(out.language()));
    }
}

impl Measure {
    /// Every measure, in table order.
    pub const ALL: [Self; 9] = [
        Self::Throughput,
        Self::CpuPerRequest,
        Self::ResponseP50,
        Self::ResponseP90,
        Self::ResponseP99,
        Self::StartUp,
        Self::PeakMemory,
        Self::Capacity,
        Self::MaxRate,
    ];

    /// The measures of an experiment without a search (`find`).
    pub const USUAL: [Self; 7] = [
        Self::Throughput,
        Self::CpuPerRequest,
        Self::ResponseP50,
        Self::ResponseP90,
        Self::ResponseP99,
        Self::StartUp,
        Self::PeakMemory,
    ];

    /// The name in files, `report.json` and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::CpuPerRequest => "cpu_per_request",
            Self::ResponseP50 => "response_p50",
            Self::ResponseP90 => "response_p90",
            Self::ResponseP99 => "response_p99",
            Self::StartUp => "startup",
            Self::PeakMemory => "peak_memory",
            Self::Capacity => "capacity",
            Self::MaxRate => "max_rate",
        }
    }

    /// The measure of that [`Measure::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.id() == id)
    }

    /// The name that English readers see.
    pub const fn title(self) -> &'static str {
        self.name(Language::En)
    }

    /// The name that readers of this language see.
    pub const fn name(self, language: Language) -> &'static str {
        let (en, zh) = match self {
            Self::Throughput => ("throughput", "吞吐量"),
            Self::CpuPerRequest => ("CPU per request", "每请求 CPU"),
            Self::ResponseP50 => ("response p50", "响应时间 p50"),
            Self::ResponseP90 => ("response p90", "响应时间 p90"),
            Self::ResponseP99 => ("response p99", "响应时间 p99"),
            Self::StartUp => ("start-up", "启动时间"),
            Self::PeakMemory => ("peak memory", "峰值内存"),
            Self::Capacity => ("capacity", "容量"),
            Self::MaxRate => ("max rate", "最高速率"),
        };
        match language {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// What it measures of an arm.
    pub const fn nature(self) -> Nature {
        match self {
            Self::Throughput
            | Self::ResponseP50
            | Self::ResponseP90
            | Self::ResponseP99
            | Self::StartUp
            | Self::Capacity
            | Self::MaxRate => Nature::Speed,
            Self::CpuPerRequest => Nature::Cost,
            Self::PeakMemory => Nature::Size,
        }
    }

    /// Whether a larger value is better.
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Capacity | Self::MaxRate)
    }

    /// Whether it has a value at every level of the closed loop.
    pub const fn by_level(self) -> bool {
        matches!(self, Self::Throughput | Self::CpuPerRequest)
    }

    /// Whether it is measured at a fixed rate and nowhere else.
    pub const fn at_a_rate(self) -> bool {
        matches!(self, Self::ResponseP50 | Self::ResponseP90 | Self::ResponseP99)
    }

    /// Returns the relative difference that counts as the same unless the experiment says otherwise.
    pub const fn default_margin(self) -> f64 {
        match self {
            Self::ResponseP99 => 0.10,
            _ => 0.05,
        }
    }

    /// The loss that a requirement without a number allows, as a relative difference. A build that may lose so much every night is
    /// asked more strictly than which differences count as the same.
    pub const fn usual_loss(self) -> f64 {
        match self {
            Self::Throughput | Self::CpuPerRequest | Self::Capacity => 0.02,
            Self::ResponseP50 | Self::PeakMemory => 0.03,
            Self::ResponseP90 | Self::StartUp | Self::MaxRate => 0.05,
            Self::ResponseP99 => 0.10,
        }
    }
}
