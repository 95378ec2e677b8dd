//! The events of answers that stream: what was counted of them over slices. They describe a load; [`time_of`] has the times in which arms are compared.

use crate::start_means::mean_of_starts;
use model::times::EventTime;
use model::units::Seconds;
use record::events::{EventRecord, EventResult, EventTimes};
use record::histogram::SparseHistogram;
use record::outcome::Estimate;
use record::rounds::SliceRecord;
use std::collections::BTreeMap;

/// What was counted of the events of one start, and how long it was counted.
#[derive(Clone, Debug, Default)]
struct StartEvents {
    record: EventRecord,
    seconds: f64,
}

/// The events of an arm over these slices; `None` where no answer streams.
pub(crate) fn over_slices(slices: &[&SliceRecord]) -> Option<EventResult> {
    let mut starts: BTreeMap<u32, StartEvents> = BTreeMap::new();
    for slice in slices {
        let start = starts.entry(slice.round).or_default();
        start.record.add(&slice.events);
        start.seconds += slice.elapsed_ns as f64 / 1e9;
    }
    result(&starts.into_values().collect::<Vec<_>>())
}

/// The events of a single load that was counted for so long; `None` where no answer streams.
pub fn event_result(record: EventRecord, counted: Seconds) -> Option<EventResult> {
    result(&[StartEvents { record, seconds: counted.0 }])
}

fn result(starts: &[StartEvents]) -> Option<EventResult> {
    let mut sum = StartEvents::default();
    for start in starts {
        sum.record.add(&start.record);
        sum.seconds += start.seconds;
    }
    let times = |of: fn(&EventRecord) -> &[(u64, u64)]| {
        let histogram = |start: &StartEvents| SparseHistogram::from_iter(of(&start.record).iter().copied());
        let all = histogram(&sum);
        let each: Vec<SparseHistogram> = starts.iter().map(histogram).collect();
        (!all.is_empty()).then(|| EventTimes {
            p50: quantile(&each, &all, 0.5),
            p99: quantile(&each, &all, 0.99),
            max: Seconds::from_nanos(all.max()),
        })
    };
    let rate = |start: &StartEvents| start.record.events as f64 / start.seconds.max(1e-9);
    (!sum.record.is_empty()).then(|| EventResult {
        events: sum.record.events,
        left: sum.record.left,
        per_second: Some(over_starts(starts.iter().map(rate).collect(), rate(&sum))),
        first: times(|record| &record.first),
        gap: times(|record| &record.gaps),
    })
}

/// A quantile of a time of answers that stream over these slices, in seconds: 0 where the events come together. `None` where no answer has it.
pub(crate) fn time_of<'a>(
    slices: impl Iterator<Item = &'a SliceRecord>,
    time: EventTime,
    quantile: f64,
) -> Option<f64> {
    let mut all = SparseHistogram::default();
    for slice in slices {
        let times = match time {
            EventTime::First => &slice.events.first,
            EventTime::Gap => &slice.events.gaps,
        };
        all.add(&times.iter().copied().collect());
    }
    (!all.is_empty()).then(|| all.value_at_quantile(quantile) as f64 / 1e9)
}

/// A quantile of the times of each start, in seconds, as a mean over the starts.
fn quantile(starts: &[SparseHistogram], all: &SparseHistogram, quantile: f64) -> Estimate {
    let seconds = |times: &SparseHistogram| times.value_at_quantile(quantile) as f64 / 1e9;
    let each = starts.iter().filter(|times| !times.is_empty()).map(seconds);
    over_starts(each.collect(), seconds(all))
}

/// The mean of the values of several starts. Where there is one start, or one of the values is 0, which has no geometric mean, the value of
/// all starts together takes its place, without an interval.
fn over_starts(values: Vec<f64>, all: f64) -> Estimate {
    let has_mean = values.len() > 1 && values.iter().all(|value| *value > 0.0);
    let mean = mean_of_starts(values.into_iter()).filter(|_| has_mean);
    mean.unwrap_or(Estimate { value: all, low: None, high: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slice of half a second with so many answers of three events, which come so many milliseconds apart.
    fn slice(round: u32, answers: u64, millis: u64) -> SliceRecord {
        let at = |millis: u64| SparseHistogram::from_iter([(millis * 1_000_000, 1)]).max();
        let events = EventRecord {
            events: 3 * answers,
            left: answers,
            first: vec![(at(2 * millis), answers)],
            gaps: vec![(at(millis), 2 * answers)],
        };
        SliceRecord { round, elapsed_ns: 500_000_000, events, ..SliceRecord::default() }
    }

    #[test]
    fn events_are_means_over_the_starts_with_intervals() {
        let slices = [slice(1, 10, 10), slice(1, 10, 10), slice(2, 20, 12), slice(3, 10, 11)];
        let result = over_slices(&slices.each_ref()).expect("answers stream");
        assert_eq!((result.events, result.left), (150, 50));
        let rate = result.per_second.expect("a rate");
        assert!((60.0..120.0).contains(&rate.value) && rate.low.is_some(), "{rate:?}");
        let gap = result.gap.expect("gaps");
        assert!((0.01..0.012).contains(&gap.p50.value), "{gap:?}");
        assert!(gap.p50.low < Some(gap.p50.value) && gap.p50.high > Some(gap.p50.value), "{gap:?}");
        assert!((gap.max.0 - 0.012).abs() < 1e-9);
        let first = result.first.expect("first events");
        assert!((0.02..0.024).contains(&first.p99.value), "{first:?}");
        let of = |time, quantile| time_of(slices.iter(), time, quantile).expect("answers stream");
        assert!(
            (of(EventTime::First, 0.5) - 0.022).abs() < 1e-3
                && (of(EventTime::Gap, 0.99) - 0.012).abs() < 1e-3
        );
        assert_eq!(time_of([slice(1, 5, 0)].iter(), EventTime::Gap, 0.99), Some(0.0), "they come together");
        assert_eq!(time_of([SliceRecord::default()].iter(), EventTime::Gap, 0.99), None);
    }

    #[test]
    fn plain_answers_have_no_events_and_events_that_come_together_no_interval() {
        assert_eq!(over_slices(&[&SliceRecord::default()]), None);
        let result = over_slices(&[&slice(1, 5, 0), &slice(2, 5, 0)]).expect("answers stream");
        let gap = result.gap.expect("gaps");
        assert_eq!((gap.p50.value, gap.p50.low), (0.0, None));
        let single = event_result(slice(1, 5, 10).events, Seconds(2.0)).expect("answers stream");
        assert_eq!(single.per_second.map(|rate| rate.value), Some(7.5));
    }
}
