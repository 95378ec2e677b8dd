//! Histogram logs: the histograms of every second in the text format that the Java HdrHistogram tools read.

use crate::slice::{Histogram, Interval, new_histogram};
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use model::units::Nanos;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// The histograms of one second, added up over all shards.
struct MergedSecond {
    elapsed: Nanos,
    response: Histogram,
    service: Histogram,
}

/// The bytes of a `.hlog` file. It has a line tagged `response` and one tagged `service` for each second, with values in
/// nanoseconds. The histograms of the shards are added up. `begin` is when the counted window began.
pub fn hlog(begin: SystemTime, intervals: &[Interval]) -> Vec<u8> {
    let mut seconds = BTreeMap::new();
    for interval in intervals {
        // The seconds of different shards begin some microseconds apart; rounding brings them together.
        let number = interval.start.as_secs_f64().round() as u64;
        let second = seconds.entry(number).or_insert_with(|| MergedSecond {
            elapsed: Nanos(0),
            response: new_histogram(),
            service: new_histogram(),
        });
        second.elapsed = second.elapsed.max(interval.elapsed);
        interval.response.add_to(&mut second.response);
        interval.service.add_to(&mut second.service);
    }
    let mut bytes = b"#[Histogram log format version 1.3]\n".to_vec();
    let mut serializer = V2DeflateSerializer::new();
    let mut writer = IntervalLogWriterBuilder::new()
        .with_start_time(begin)
        .with_base_time(begin)
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut bytes, &mut serializer)
        .expect("writing to memory does not fail");
    for (number, second) in &seconds {
        for (tag, histogram) in [("response", &second.response), ("service", &second.service)] {
            let start = Duration::from_secs(*number);
            writer
                .write_histogram(histogram, start, second.elapsed.into(), Tag::new(tag))
                .expect("writing to memory does not fail");
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::SparseHistogram;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    fn interval(shard: usize, start_ms: u64, value: u64) -> Interval {
        let cells: SparseHistogram = std::iter::once((value, 10)).collect();
        Interval {
            shard,
            start: Nanos::from_millis(start_ms),
            elapsed: Nanos::from_secs(1),
            response: cells.clone(),
            service: cells,
            ..Interval::default()
        }
    }

    #[test]
    fn a_log_that_is_read_again_has_the_sum_of_the_shards() {
        let intervals = [interval(0, 0, 1_000_000), interval(1, 1, 3_000_000), interval(0, 1001, 2_000_000)];
        let bytes = hlog(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000), &intervals);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(
            text.starts_with("#[Histogram log format version 1.3]\n#[StartTime: 1700000000.000"),
            "{text}"
        );
        let mut read = Vec::new();
        for entry in IntervalLogIterator::new(&bytes) {
            if let LogEntry::Interval(interval) = entry.unwrap() {
                let encoded = interval.encoded_histogram();
                let raw = BASE64_STANDARD.decode(encoded).unwrap();
                let histogram: Histogram = Deserializer::new().deserialize(&mut &raw[..]).unwrap();
                read.push((
                    interval.tag().unwrap().as_str().to_owned(),
                    interval.start_timestamp().as_secs(),
                    histogram,
                ));
            }
        }
        let tags: Vec<_> =
            read.iter().map(|(tag, start, histogram)| (tag.as_str(), *start, histogram.len())).collect();
        assert_eq!(tags, [("response", 0, 20), ("service", 0, 20), ("response", 1, 10), ("service", 1, 10)]);
        let p50 = read[0].2.value_at_quantile(0.5);
        assert!(p50.abs_diff(1_000_000) <= 1_000, "{p50}");
    }
}
