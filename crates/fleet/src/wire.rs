//! What a generator measured, as it is sent: [`IntervalWire`] and [`SliceWire`]. Histograms are HdrHistogram V2 bytes, which are sent as
//! binary parts of a frame.

use crate::frame::Refused;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use load::{Fault, Faults, Histogram, Http2Counts, Interval, Slice, SparseHistogram};
use model::units::{Nanos, Seconds, Share};
use serde::{Deserialize, Serialize};
use traffic::scenario::FirstFailure;

/// Bytes of the head of a V2 histogram.
const HEAD: usize = 40;
/// What the head of each of our histograms contains after the number of bytes: no offset, three digits, the bounds, and 1.0.
const BOUNDS: (u32, u32, u64, u64, f64) = (0, 3, 1, 3_600_000_000_000, 1.0);
/// How a V2 histogram begins.
const COOKIE: u32 = 0x1c84_9313;

/// The largest count in a message: far more than a machine can send, and so small that sums over all messages of a load fit into a number.
const LARGEST_COUNT: u64 = 1 << 48;
/// The longest time in a message, 52 days.
const LONGEST: Nanos = Nanos(1 << 52);

/// Refuses counts and times that no load has, so that no stranger decides how long the coordinator computes or whether it overflows.
pub(crate) fn bounded(counts: &[u64], times: &[Nanos]) -> Result<(), Refused> {
    let fits =
        counts.iter().all(|count| *count <= LARGEST_COUNT) && times.iter().all(|time| *time <= LONGEST);
    if fits { Ok(()) } else { Err(Refused::Garbage) }
}

/// Returns a histogram as bytes.
pub(crate) fn histogram_bytes(histogram: &Histogram) -> Vec<u8> {
    let mut bytes = Vec::new();
    V2Serializer::new()
        .serialize(histogram, &mut bytes)
        .expect("counts of a load are below 2^63, and memory can be written to");
    bytes
}

/// Returns the histogram of these bytes. Its head is checked first, so that no stranger decides how much memory it takes.
pub(crate) fn histogram(bytes: &[u8]) -> Result<Histogram, Refused> {
    let (offset, digits, low, high, ratio) = BOUNDS;
    let payload = bytes.len().checked_sub(HEAD).ok_or(Refused::Garbage)?;
    let payload = u32::try_from(payload).map_err(|_| Refused::Oversize)?;
    let mut head = Vec::with_capacity(HEAD);
    for number in [COOKIE, payload, offset, digits] {
        head.extend_from_slice(&number.to_be_bytes());
    }
    head.extend_from_slice(&low.to_be_bytes());
    head.extend_from_slice(&high.to_be_bytes());
    head.extend_from_slice(&ratio.to_be_bytes());
    if !bytes.starts_with(&head) {
        return Err(Refused::Garbage);
    }
    let read = Deserializer::new().deserialize(&mut &bytes[..]);
    read.map_err(|_| Refused::Garbage)
}

/// How often each kind of fault, by its name.
pub(crate) type FaultCounts = Vec<(String, u64)>;

pub(crate) fn fault_counts(faults: &Faults) -> FaultCounts {
    let named = |(fault, count): (Fault, u64)| (fault.id().to_owned(), count);
    faults.iter().map(named).collect()
}

pub(crate) fn faults(counts: &FaultCounts) -> Result<Faults, Refused> {
    let mut faults = Faults::default();
    for (id, count) in counts {
        bounded(&[*count], &[])?;
        let fault = Fault::ALL.into_iter().find(|fault| fault.id() == id);
        faults.add_many(fault.ok_or(Refused::Garbage)?, *count);
    }
    Ok(faults)
}

/// An [`Interval`] without its histograms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IntervalWire {
    shard: usize,
    start: Nanos,
    elapsed: Nanos,
    requests: u64,
    ok: u64,
    bytes: u64,
    body_bytes: u64,
    faults: FaultCounts,
    connects: u64,
    lag_p99: Nanos,
    lag_max: Nanos,
}

impl IntervalWire {
    /// Returns an interval without its histograms, which are added to the parts.
    pub(crate) fn new(interval: &Interval, parts: &mut Vec<Vec<u8>>) -> Self {
        for histogram in [&interval.response, &interval.service] {
            parts.push(histogram_bytes(&histogram.to_histogram()));
        }
        Self {
            shard: interval.shard,
            start: interval.start,
            elapsed: interval.elapsed,
            requests: interval.requests,
            ok: interval.ok,
            bytes: interval.bytes,
            body_bytes: interval.body_bytes,
            faults: fault_counts(&interval.faults),
            connects: interval.connects,
            lag_p99: interval.lag_p99,
            lag_max: interval.lag_max,
        }
    }

    /// Returns the interval, with its histograms from the parts.
    pub(crate) fn read<'a>(&self, parts: &mut impl Iterator<Item = &'a [u8]>) -> Result<Interval, Refused> {
        let mut times = || -> Result<SparseHistogram, Refused> {
            let bytes = parts.next().ok_or(Refused::Garbage)?;
            Ok(SparseHistogram::from(&histogram(bytes)?))
        };
        let (response, service) = (times()?, times()?);
        bounded(
            &[self.shard as u64, self.requests, self.ok, self.bytes, self.body_bytes, self.connects],
            &[self.start, self.elapsed, self.lag_p99, self.lag_max],
        )?;
        Ok(Interval {
            shard: self.shard,
            start: self.start,
            elapsed: self.elapsed,
            requests: self.requests,
            ok: self.ok,
            bytes: self.bytes,
            body_bytes: self.body_bytes,
            faults: faults(&self.faults)?,
            connects: self.connects,
            steps: Vec::new(),
            response,
            service,
            lag_p99: self.lag_p99,
            lag_max: self.lag_max,
        })
    }
}

/// A [`Slice`] without its histograms, seconds, tenths and steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SliceWire {
    elapsed: Nanos,
    /// Requests, right ones, sessions, bytes, bytes of bodies, connects, all connects, closes, resent, full and resumed handshakes,
    /// offered, stragglers, unsent, events, answers that were left: the order of [`counts`].
    counts: Vec<u64>,
    faults: FaultCounts,
    straggler_faults: FaultCounts,
    overloaded: bool,
    interrupted: bool,
    think: Nanos,
    generator_cpu: Nanos,
    in_flight_integral: Seconds,
    service_sum: Seconds,
    cpu_share: Share,
    kernel_times: bool,
    send_buffer_full: Nanos,
    receive_drops: u64,
    clock_steps: u64,
    first_wrong: Option<FirstFailure>,
    /// The counts of HTTP/2 that are not 0, with their places.
    http2: Vec<(usize, u64)>,
    stream_waited: Seconds,
    window_waited: Seconds,
    stream_limit: Option<u32>,
}

/// The counts of a slice, in the order in which they are sent.
fn counts(slice: &mut Slice) -> [&mut u64; 16] {
    [
        &mut slice.requests,
        &mut slice.ok,
        &mut slice.sessions,
        &mut slice.bytes,
        &mut slice.body_bytes,
        &mut slice.connects,
        &mut slice.connects_total,
        &mut slice.closes,
        &mut slice.resent,
        &mut slice.tls_full,
        &mut slice.tls_resumed,
        &mut slice.offered,
        &mut slice.stragglers,
        &mut slice.unsent,
        &mut slice.events.events,
        &mut slice.events.left,
    ]
}

fn http2_counts(mut counts: Http2Counts) -> Vec<(usize, u64)> {
    counts.counts_mut().map(|count| *count).enumerate().filter(|(_, count)| *count > 0).collect()
}

impl SliceWire {
    /// Returns a slice without its histograms, which are added to the parts.
    pub(crate) fn new(slice: &mut Slice, parts: &mut Vec<Vec<u8>>) -> Self {
        parts.extend(slice.histograms().map(histogram_bytes));
        let of_events = [&slice.events.first, &slice.events.gaps];
        parts.extend(of_events.map(|times| histogram_bytes(&times.to_histogram())));
        Self {
            elapsed: slice.elapsed,
            counts: counts(slice).map(|count| *count).to_vec(),
            faults: fault_counts(&slice.faults),
            straggler_faults: fault_counts(&slice.straggler_faults),
            overloaded: slice.overloaded,
            interrupted: slice.interrupted,
            think: slice.think,
            generator_cpu: slice.generator_cpu,
            in_flight_integral: slice.in_flight_integral,
            service_sum: slice.service_sum,
            cpu_share: slice.self_check.cpu_share,
            kernel_times: slice.self_check.kernel_times,
            send_buffer_full: slice.self_check.send_buffer_full,
            receive_drops: slice.self_check.receive_drops,
            clock_steps: slice.self_check.clock_steps,
            first_wrong: slice.first_wrong.clone(),
            http2: http2_counts(slice.http2),
            stream_waited: slice.http2.stream_waited,
            window_waited: slice.http2.window_waited,
            stream_limit: slice.http2.stream_limit,
        }
    }

    /// Returns the slice, with its histograms from the parts, and without seconds, tenths and steps.
    pub(crate) fn read<'a>(&self, parts: &mut impl Iterator<Item = &'a [u8]>) -> Result<Slice, Refused> {
        bounded(&self.counts, &[self.elapsed, self.think, self.generator_cpu, self.send_buffer_full])?;
        bounded(&[self.receive_drops, self.clock_steps], &[])?;
        let mut slice = Slice::empty();
        for mine in slice.histograms_mut() {
            *mine = histogram(parts.next().ok_or(Refused::Garbage)?)?;
        }
        for mine in [&mut slice.events.first, &mut slice.events.gaps] {
            *mine = SparseHistogram::from(&histogram(parts.next().ok_or(Refused::Garbage)?)?);
        }
        let mine = counts(&mut slice);
        if mine.len() != self.counts.len() {
            return Err(Refused::Garbage);
        }
        for (mine, count) in mine.into_iter().zip(&self.counts) {
            *mine = *count;
        }
        slice.elapsed = self.elapsed;
        slice.faults = faults(&self.faults)?;
        slice.straggler_faults = faults(&self.straggler_faults)?;
        slice.overloaded = self.overloaded;
        slice.interrupted = self.interrupted;
        slice.think = self.think;
        slice.generator_cpu = self.generator_cpu;
        slice.in_flight_integral = self.in_flight_integral;
        slice.service_sum = self.service_sum;
        slice.self_check.cpu_share = self.cpu_share;
        slice.self_check.kernel_times = self.kernel_times;
        slice.self_check.send_buffer_full = self.send_buffer_full;
        slice.self_check.receive_drops = self.receive_drops;
        slice.self_check.clock_steps = self.clock_steps;
        slice.first_wrong.clone_from(&self.first_wrong);
        for (place, count) in &self.http2 {
            bounded(&[*count], &[])?;
            *slice.http2.counts_mut().nth(*place).ok_or(Refused::Garbage)? = *count;
        }
        slice.http2.stream_waited = self.stream_waited;
        slice.http2.window_waited = self.window_waited;
        slice.http2.stream_limit = self.stream_limit;
        Ok(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_values(values: &[u64]) -> Histogram {
        let mut histogram = load::new_histogram();
        values.iter().for_each(|&value| histogram.saturating_record(value));
        histogram
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_histogram_is_read_back(values in proptest::collection::vec(0_u64..3_600_000_000_000, 0..50)) {
            let sent = with_values(&values);
            prop_assert_eq!(histogram(&histogram_bytes(&sent)).unwrap(), sent);
        }

        #[test]
        fn arbitrary_counts_of_a_histogram_do_no_harm(payload: Vec<u8>) {
            let mut bytes = histogram_bytes(&load::new_histogram())[..HEAD].to_vec();
            bytes[4..8].copy_from_slice(&(payload.len() as u32).to_be_bytes());
            bytes.extend_from_slice(&payload);
            let _ = histogram(&bytes);
            bytes[0] ^= 1;
            prop_assert!(histogram(&bytes).is_err());
        }
    }

    #[test]
    fn a_histogram_of_other_bounds_is_refused() {
        let mut large = hdrhistogram::Histogram::<u64>::new_with_bounds(1, u64::MAX, 5).unwrap();
        large.record(7).unwrap();
        assert_eq!(histogram(&histogram_bytes(&large)), Err(Refused::Garbage));
        assert_eq!(histogram(&[0; 39]), Err(Refused::Garbage));
    }

    #[test]
    fn numbers_that_no_load_has_are_refused() {
        let read = |interval: &Interval| {
            let mut parts = Vec::new();
            let wire = IntervalWire::new(interval, &mut parts);
            wire.read(&mut parts.iter().map(Vec::as_slice)).map(drop)
        };
        let mut interval = Interval { requests: LARGEST_COUNT, start: LONGEST, ..Interval::default() };
        assert_eq!(read(&interval), Ok(()));
        interval.requests += 1;
        assert_eq!(read(&interval), Err(Refused::Garbage));
        (interval.requests, interval.start) = (1, Nanos(u64::MAX));
        assert_eq!(read(&interval), Err(Refused::Garbage));
    }

    #[test]
    fn a_slice_is_read_back_without_its_seconds() {
        let mut sent = Slice::empty();
        sent.requests = 10;
        sent.unsent = 3;
        sent.sessions = 4;
        sent.faults.add(Fault::Reset);
        (sent.http2.connections, sent.http2.stream_limit) = (2, Some(128));
        sent.http2.stream_waited = Seconds(0.5);
        (sent.events.events, sent.events.left) = (30, 2);
        sent.events.gaps = SparseHistogram::from(&with_values(&[7_000_000]));
        sent.self_check.cpu_share = Share(0.25);
        sent.response = with_values(&[5, 7_000_000]);
        let mut parts = Vec::new();
        let wire = SliceWire::new(&mut sent, &mut parts);
        let mut read = wire.read(&mut parts.iter().map(Vec::as_slice)).unwrap();
        assert_eq!((read.requests, read.unsent, read.faults), (10, 3, sent.faults));
        assert_eq!((read.sessions, read.http2, &read.events), (4, sent.http2, &sent.events));
        assert!(read.response == sent.response && read.service == sent.service);
        let mut again = Vec::new();
        assert!(SliceWire::new(&mut read, &mut again) == wire && again == parts);
        assert!(wire.read(&mut parts[1..].iter().map(Vec::as_slice)).is_err());
    }
}
