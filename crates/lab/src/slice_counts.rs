//! What a slice of load has counted, as records and reports have it.

use load::http2::ErrorCode;
use load::{EventSlice, Http2Counts, Slice};
use model::units::{Count, Seconds};
use record::events::EventRecord;
use record::outcome::{Counts, PartTime, RequestPart, SendDelay, StreamCounts};

/// How late the generator sent the requests of a slice; `None` where none was due before it was sent.
pub fn send_delay(slice: &Slice) -> Option<SendDelay> {
    let delays = Some(&slice.self_check.send_delay).filter(|delays| !delays.is_empty())?;
    let [p50, p99] = [0.5, 0.99].map(|q| Seconds::from_nanos(delays.value_at_quantile(q)));
    Some(SendDelay { p50, p99 })
}

/// The counters of a slice for reports.
pub fn counts(slice: &Slice) -> Counts {
    // Requests that were due in the window and failed after it would otherwise be counted nowhere.
    let mut faults = slice.faults;
    faults.merge(&slice.straggler_faults);
    let is_wrong = slice.ok == 0 || faults.total() > 0;
    Counts {
        requests: slice.requests + slice.straggler_faults.total(),
        ok: slice.ok,
        faults: faults.iter().map(|(fault, count)| (fault.id().to_owned(), count)).collect(),
        // An event loop without right answers keeps an answer from outside of the window, which says nothing where others had some.
        first_wrong: slice.first_failure().filter(|_| is_wrong).cloned(),
        connects: slice.connects,
        tls_handshakes: slice.tls_full + slice.tls_resumed,
        tls_resumed: slice.tls_resumed,
        http2: stream_counts(slice),
        bytes: slice.bytes,
        body_bytes: slice.body_bytes,
        parts: RequestPart::ALL.into_iter().filter_map(|part| part_time(slice, part)).collect(),
    }
}

/// The time of a part of the requests of a slice; `None` where no request had it.
fn part_time(slice: &Slice, part: RequestPart) -> Option<(RequestPart, PartTime)> {
    let times = match part {
        RequestPart::Connect => &slice.connect,
        RequestPart::Tls => &slice.tls,
        RequestPart::FirstByte => &slice.first_byte,
        RequestPart::Receiving => &slice.body,
    };
    let count = times.len();
    let total = Seconds(times.mean() * count as f64 / 1e9);
    (count > 0).then_some((part, PartTime { count, total }))
}

/// The record of what a slice counted of answers that stream.
pub fn event_record(slice: &EventSlice) -> EventRecord {
    EventRecord {
        events: slice.events,
        left: slice.left,
        first: slice.first.cells().to_vec(),
        gaps: slice.gaps.cells().to_vec(),
    }
}

fn stream_counts(slice: &Slice) -> StreamCounts {
    let counts = &slice.http2;
    if *counts == Http2Counts::default() {
        return StreamCounts::default();
    }
    let seconds = slice.elapsed.as_secs_f64().max(1e-9);
    let by_code = |counts: &[u64]| {
        let named = ErrorCode::ALL.iter().zip(counts).filter(|(_, count)| **count > 0);
        named.map(|(code, count)| (code.name().to_owned(), *count)).collect()
    };
    StreamCounts {
        resets: by_code(&counts.resets),
        goaways: by_code(&counts.goaways),
        stream_waits: counts.stream_waits,
        stream_waited: counts.stream_waited,
        window_waits: counts.window_waits,
        connection_window_waits: counts.connection_window_waits,
        window_waited: counts.window_waited,
        connections: counts.connections,
        streams: Count(slice.in_flight_integral.0 / seconds / counts.connections.max(1) as f64),
        waiting: Count(counts.stream_waited.0 / seconds),
        stream_limit: counts.stream_limit.map(u64::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_requests_are_counted_with_their_times() {
        let mut slice = Slice::empty();
        slice.connect.saturating_record(3_000_000);
        slice.first_byte.saturating_record_n(2_000_000, 4);
        slice.body.saturating_record_n(0, 4);
        let parts = counts(&slice).parts;
        assert_eq!(
            parts.keys().copied().collect::<Vec<_>>(),
            [RequestPart::Connect, RequestPart::FirstByte, RequestPart::Receiving]
        );
        let mean = |part: RequestPart| parts[&part].mean().expect("counted").0;
        assert!((mean(RequestPart::Connect) - 3e-3).abs() < 1e-5);
        assert!(
            (mean(RequestPart::FirstByte) - 2e-3).abs() < 1e-5 && parts[&RequestPart::FirstByte].count == 4
        );
        assert_eq!(mean(RequestPart::Receiving), 0.0);
    }
}
