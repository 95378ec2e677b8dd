//! `report --format hlog`: a histogram log for the HdrHistogram tools. It has one line per slice and kind of time, with the tag
//! `ARM/LOAD/KIND`, by which a tool selects one arm. Slices that do not count are left out.

use super::{StoredSlices, times};
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use record::rounds::SliceRecord;
use std::time::{Duration, SystemTime};

/// The slices of a run that count, values in nanoseconds.
pub fn text(stored: StoredSlices<'_>) -> String {
    let counted = || stored.slices.iter().filter(|slice| stored.void(slice).is_none());
    let began = |slice: &SliceRecord| Duration::from_nanos(slice.started_ns + slice.settle_ns);
    let first = counted().map(began).min().unwrap_or_default();
    let mut bytes = b"#[Histogram log format version 1.3]\n".to_vec();
    let mut serializer = V2DeflateSerializer::new();
    let mut writer = IntervalLogWriterBuilder::new()
        .with_start_time(SystemTime::UNIX_EPOCH + first)
        .with_base_time(SystemTime::UNIX_EPOCH + first)
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut bytes, &mut serializer)
        .expect("writing to memory does not fail");
    for slice in counted() {
        let since = began(slice).saturating_sub(first);
        let elapsed = Duration::from_nanos(slice.elapsed_ns);
        for (kind, stored_times) in [("response", &slice.response), ("service", &slice.service)] {
            let tag = tag(stored, slice, kind);
            let tag = Tag::new(&tag).expect("no character that ends a tag");
            writer
                .write_histogram(&times(stored_times), since, elapsed, Some(tag))
                .expect("writing to memory does not fail");
        }
    }
    drop(writer);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `tomcat-9/32-users/service`; characters that a tag must not contain become `_`.
fn tag(stored: StoredSlices<'_>, slice: &SliceRecord, kind: &str) -> String {
    let load = stored.load(slice);
    let load = match (load.users, load.rate) {
        (Some(users), _) => format!("{users}-users"),
        (_, rate) => format!("{}-per-second", rate.unwrap_or_default().0),
    };
    let tag = format!("{}/{load}/{kind}", stored.arm(slice));
    tag.replace(|c: char| c == ',' || c.is_whitespace(), "_")
}
