//! What is measured of an arm: the table of all measures, one row for each.

use crate::by_id::serde_by_id;
use crate::times::{EventTime, TimeStatistic};
use say::{Language, Say, Writer};

/// What is known of a measure: a row of the table.
struct MeasureRow {
    /// The name in files, `report.json` and on the command line.
    id: &'static str,
    /// The name that readers see.
    en: &'static str,
    zh: &'static str,
    nature: Nature,
    unit: MeasureUnit,
    more_is_better: bool,
    scope: MeasureScope,
    /// The relative difference that counts as the same unless the experiment says otherwise.
    margin: f64,
    /// The loss that a requirement without a number allows, as a relative difference. A build that may lose so much every night is
    /// asked more strictly than which differences count as the same.
    loss: f64,
    /// A bound as a user would write one.
    bound: &'static str,
    /// Arms are compared in it only where somebody asks for it. Its value is always shown.
    on_request: bool,
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

/// The unit of a measure's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureUnit {
    PerSecond,
    Seconds,
    Bytes,
}

/// Where a measure has its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureScope {
    /// At every level of the closed loop.
    Level,
    /// At every level of the closed loop, where answers stream: a percentile of this time.
    Events(EventTime, TimeStatistic),
    /// At a fixed rate and nowhere else: a percentile of the response times.
    Rate(TimeStatistic),
    /// Once in every start, whatever the load.
    Start,
    /// In a search (`find`) only.
    Search,
}

/// Makes the enum and the table from rows.
macro_rules! measures {
    ($($(#[$doc:meta])* $measure:ident: $row:expr,)*) => {
        /// One measure of an arm. The order is the order of every table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Measure {
            $($(#[$doc])* $measure,)*
        }

        impl Measure {
            /// Every measure, in table order.
            pub const ALL: [Self; [$(stringify!($measure)),*].len()] = [$(Self::$measure),*];
        }

        const ROWS: [MeasureRow; Measure::ALL.len()] = [$($row),*];
    };
}

measures! {
    /// Right answers per second.
    Throughput: MeasureRow {
        id: "throughput",
        en: "throughput",
        zh: "吞吐量",
        nature: Nature::Speed,
        unit: MeasureUnit::PerSecond,
        more_is_better: true,
        scope: MeasureScope::Level,
        margin: 0.05,
        loss: 0.02,
        bound: "> 1000/s",
        on_request: false,
    },
    /// CPU seconds of the server's process, all threads, per right answer: compared at a fixed rate where there is such a
    /// stage, else in the closed loop.
    CpuPerRequest: MeasureRow {
        id: "cpu_per_request",
        en: "CPU per request",
        zh: "每请求 CPU",
        nature: Nature::Cost,
        unit: MeasureUnit::Seconds,
        more_is_better: false,
        scope: MeasureScope::Level,
        margin: 0.05,
        loss: 0.02,
        bound: "< 50us",
        on_request: false,
    },
    /// Median response time.
    ResponseP50: MeasureRow {
        loss: 0.03,
        ..response_time("response_p50", "response p50", "响应时间 p50", TimeStatistic::P50)
    },
    /// 90th percentile of the response time.
    ResponseP90: response_time("response_p90", "response p90", "响应时间 p90", TimeStatistic::P90),
    /// 95th percentile of the response time. It lies between two percentiles that are compared anyway.
    ResponseP95: MeasureRow {
        on_request: true,
        ..response_time("response_p95", "response p95", "响应时间 p95", TimeStatistic::P95)
    },
    /// 99th percentile of the response time.
    ResponseP99: MeasureRow {
        margin: 0.10,
        loss: 0.10,
        ..response_time("response_p99", "response p99", "响应时间 p99", TimeStatistic::P99)
    },
    /// The time that one request in a thousand exceeds. Few experiments have enough requests for it.
    ResponseP999: MeasureRow {
        margin: 0.20,
        loss: 0.20,
        bound: "< 100ms",
        on_request: true,
        ..response_time("response_p99.9", "response p99.9", "响应时间 p99.9", TimeStatistic::P999)
    },
    /// Median time until the first event of an answer that streams.
    FirstEvent: MeasureRow {
        scope: MeasureScope::Events(EventTime::First, TimeStatistic::P50),
        ..response_time("first_event_p50", "first event p50", "首个事件 p50", TimeStatistic::P50)
    },
    /// 99th percentile of the time between two events of an answer that streams.
    EventGap: MeasureRow {
        scope: MeasureScope::Events(EventTime::Gap, TimeStatistic::P99),
        margin: 0.10,
        loss: 0.10,
        ..response_time("event_gap_p99", "gap between events p99", "事件间隔 p99", TimeStatistic::P99)
    },
    /// Time from exec to the first right body.
    StartUp: MeasureRow {
        id: "startup",
        en: "start-up",
        zh: "启动时间",
        nature: Nature::Speed,
        unit: MeasureUnit::Seconds,
        more_is_better: false,
        scope: MeasureScope::Start,
        margin: 0.05,
        loss: 0.05,
        bound: "< 3s",
        on_request: false,
    },
    /// Peak resident memory of the server's process (VmHWM).
    PeakMemory: MeasureRow {
        id: "peak_memory",
        en: "peak memory",
        zh: "峰值内存",
        nature: Nature::Size,
        unit: MeasureUnit::Bytes,
        more_is_better: false,
        scope: MeasureScope::Start,
        margin: 0.05,
        loss: 0.03,
        bound: "< 512M",
        on_request: false,
    },
    /// The most right answers per second that any number of users brought: over three neighbouring steps, so that no
    /// single slice decides. Only with `find = "capacity"`.
    Capacity: MeasureRow {
        id: "capacity",
        en: "capacity",
        zh: "容量",
        nature: Nature::Speed,
        unit: MeasureUnit::PerSecond,
        more_is_better: true,
        scope: MeasureScope::Search,
        margin: 0.05,
        loss: 0.02,
        bound: "> 1000/s",
        on_request: false,
    },
    /// The highest rate that keeps the objective. Only with `find = "max-rate"`.
    MaxRate: MeasureRow {
        id: "max_rate",
        en: "max rate",
        zh: "最高速率",
        nature: Nature::Speed,
        unit: MeasureUnit::PerSecond,
        more_is_better: true,
        scope: MeasureScope::Search,
        margin: 0.05,
        loss: 0.05,
        bound: "> 1000/s",
        on_request: false,
    },
}

/// The row of a percentile of the response times.
const fn response_time(
    id: &'static str,
    en: &'static str,
    zh: &'static str,
    percentile: TimeStatistic,
) -> MeasureRow {
    MeasureRow {
        id,
        en,
        zh,
        nature: Nature::Speed,
        unit: MeasureUnit::Seconds,
        more_is_better: false,
        scope: MeasureScope::Rate(percentile),
        margin: 0.05,
        loss: 0.05,
        bound: "< 20ms",
        on_request: false,
    }
}

const fn is_usual(measure: Measure) -> bool {
    !matches!(measure.scope(), MeasureScope::Search | MeasureScope::Events(..))
}

/// How many measures an experiment has that neither searches nor asks for answers that stream.
const fn usual_measures() -> usize {
    let (mut at, mut found) = (0, 0);
    while at < Measure::ALL.len() {
        found += is_usual(Measure::ALL[at]) as usize;
        at += 1;
    }
    found
}

impl Say for Measure {
    fn say(&self, out: &mut Writer) {
        out.words(self.name(out.language()));
    }
}

serde_by_id!(Measure, "a measure");

impl Measure {
    const fn row(self) -> &'static MeasureRow {
        &ROWS[self as usize]
    }

    /// The name in files, `report.json` and on the command line.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// The measure of that [`Measure::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.id() == id)
    }

    /// The measures of an experiment without a search (`find`) and without answers that stream, in table order.
    pub const USUAL: [Self; usual_measures()] = {
        let mut usual = [Self::Throughput; usual_measures()];
        let (mut at, mut found) = (0, 0);
        while at < Self::ALL.len() {
            if is_usual(Self::ALL[at]) {
                usual[found] = Self::ALL[at];
                found += 1;
            }
            at += 1;
        }
        usual
    };

    /// The percentiles of the response times with their quantiles, in table order.
    pub fn response_times() -> impl Iterator<Item = (Self, f64)> {
        Self::ALL.into_iter().filter_map(|measure| Some((measure, measure.quantile()?)))
    }

    /// The name that English readers see.
    pub const fn title(self) -> &'static str {
        self.name(Language::En)
    }

    /// The name that readers of this language see.
    pub const fn name(self, language: Language) -> &'static str {
        language.choose(self.row().en, self.row().zh)
    }

    /// What it measures of an arm.
    pub const fn nature(self) -> Nature {
        self.row().nature
    }

    /// The unit of its values.
    pub const fn unit(self) -> MeasureUnit {
        self.row().unit
    }

    /// Where it has its values.
    pub const fn scope(self) -> MeasureScope {
        self.row().scope
    }

    /// Whether a larger value is better.
    pub const fn more_is_better(self) -> bool {
        self.row().more_is_better
    }

    /// Whether it has a value at every level of the closed loop.
    pub const fn by_level(self) -> bool {
        matches!(self.scope(), MeasureScope::Level | MeasureScope::Events(..))
    }

    /// Whether it is measured at a fixed rate and nowhere else.
    pub const fn at_a_rate(self) -> bool {
        matches!(self.scope(), MeasureScope::Rate(_))
    }

    /// Whether arms are compared in it only where somebody asks for it: every comparison takes a part of the error rate from the
    /// others, and percentiles that lie close together say nearly the same.
    pub const fn on_request(self) -> bool {
        self.row().on_request
    }

    /// The percentile of the response times that it is, if it is one.
    pub const fn percentile(self) -> Option<TimeStatistic> {
        match self.scope() {
            MeasureScope::Rate(percentile) => Some(percentile),
            MeasureScope::Level | MeasureScope::Events(..) | MeasureScope::Start | MeasureScope::Search => {
                None
            }
        }
    }

    /// The share of the requests that takes no longer than it says, where it is a percentile.
    pub fn quantile(self) -> Option<f64> {
        self.percentile()?.quantile()
    }

    /// Returns the relative difference that counts as the same unless the experiment says otherwise.
    pub const fn default_margin(self) -> f64 {
        self.row().margin
    }

    /// The loss that a requirement without a number allows, as a relative difference.
    pub const fn usual_loss(self) -> f64 {
        self.row().loss
    }

    /// A bound as a user would write one: `< 20ms`.
    pub const fn example_bound(self) -> &'static str {
        self.row().bound
    }
}
