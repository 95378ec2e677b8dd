//! [`LevelFigure`]: what a load has a figure of in a report.

use model::by_id::serde_by_id;
use model::measure::{Measure, MeasureScope};
use model::times::{Clock, TimeStatistic};
use std::cmp::Ordering;

/// What a load has a figure of: a measure, in which arms are compared, or a time that is only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelFigure {
    Measure(Measure),
    Time(ShownTime),
}

/// A time that is only shown. [`LevelFigure::time`] makes it: a time that is a measure is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownTime {
    clock: Clock,
    statistic: TimeStatistic,
}

impl LevelFigure {
    /// Median service time.
    pub const SERVICE_P50: Self = Self::service(TimeStatistic::P50);
    /// 99th percentile of the service time.
    pub const SERVICE_P99: Self = Self::service(TimeStatistic::P99);

    /// The percentiles of the response times that a run estimates, the lowest first.
    pub fn response_times() -> impl Iterator<Item = Self> {
        let measures = Measure::ALL.into_iter().filter(|measure| measure.at_a_rate());
        measures.map(Self::Measure)
    }

    /// A number about a time of requests; the measure, where it is one.
    pub fn time(clock: Clock, statistic: TimeStatistic) -> Self {
        let is_it = |measure: &Measure| measure.scope() == MeasureScope::Rate(statistic);
        let measure = Measure::ALL.into_iter().find(|measure| clock == Clock::Response && is_it(measure));
        measure.map_or(Self::Time(ShownTime { clock, statistic }), Self::Measure)
    }

    /// Service times are no measures.
    const fn service(statistic: TimeStatistic) -> Self {
        Self::Time(ShownTime { clock: Clock::Service, statistic })
    }

    /// What it says of a time; `None` where it is of no time of requests.
    pub const fn statistic(self) -> Option<TimeStatistic> {
        match self {
            Self::Measure(measure) => measure.percentile(),
            Self::Time(time) => Some(time.statistic),
        }
    }

    /// The name in `report.json`: `throughput`, `service_p99`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Measure(measure) => measure.id(),
            Self::Time(time) => time.id(),
        }
    }

    /// The figure of that [`LevelFigure::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        if let Some(measure) = Measure::from_id(id) {
            return Some(Self::Measure(measure));
        }
        ShownTime::all().find(|time| time.id() == id).map(Self::Time)
    }
}

impl ShownTime {
    fn all() -> impl Iterator<Item = Self> {
        let statistics =
            || TimeStatistic::PERCENTILES.into_iter().chain([TimeStatistic::Mean, TimeStatistic::Max]);
        let of_clock = move |clock| statistics().map(move |statistic| Self { clock, statistic });
        Clock::ALL.into_iter().flat_map(of_clock)
    }

    const fn id(self) -> &'static str {
        let [response, service, first_byte, body] = match self.statistic {
            TimeStatistic::Mean => ["response_mean", "service_mean", "first_byte_mean", "body_mean"],
            TimeStatistic::P50 => ["response_p50", "service_p50", "first_byte_p50", "body_p50"],
            TimeStatistic::P75 => ["response_p75", "service_p75", "first_byte_p75", "body_p75"],
            TimeStatistic::P90 => ["response_p90", "service_p90", "first_byte_p90", "body_p90"],
            TimeStatistic::P95 => ["response_p95", "service_p95", "first_byte_p95", "body_p95"],
            TimeStatistic::P99 => ["response_p99", "service_p99", "first_byte_p99", "body_p99"],
            TimeStatistic::P999 => ["response_p99.9", "service_p99.9", "first_byte_p99.9", "body_p99.9"],
            TimeStatistic::Max => ["response_max", "service_max", "first_byte_max", "body_max"],
        };
        match self.clock {
            Clock::Response => response,
            Clock::Service => service,
            Clock::FirstByte => first_byte,
            Clock::Body => body,
        }
    }
}

impl From<Measure> for LevelFigure {
    fn from(measure: Measure) -> Self {
        Self::Measure(measure)
    }
}

/// By name, as `report.json` lists figures.
impl Ord for LevelFigure {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id().cmp(other.id())
    }
}

impl PartialOrd for LevelFigure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

serde_by_id!(LevelFigure, "a figure of a load");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_a_measure_has_one_name_and_one_value() {
        let time = |statistic| LevelFigure::time(Clock::Response, statistic);
        assert_eq!(time(TimeStatistic::P99), LevelFigure::Measure(Measure::ResponseP99));
        assert!(matches!(time(TimeStatistic::Max), LevelFigure::Time(_)));
        assert_eq!(LevelFigure::time(Clock::Service, TimeStatistic::P99), LevelFigure::SERVICE_P99);
        let times = ShownTime::all().map(|time| LevelFigure::time(time.clock, time.statistic));
        for figure in Measure::ALL.map(LevelFigure::from).into_iter().chain(times) {
            assert_eq!(LevelFigure::from_id(figure.id()), Some(figure));
        }
        assert_eq!(LevelFigure::from_id("response_p98"), None);
    }
}
