//! What a slice of load comes to: [`Slice`] and its [`Interval`]s.

use crate::Faults;
use model::units::Nanos;

/// Times in nanoseconds, 1 ns to 1 h, three digits.
pub type Histogram = hdrhistogram::Histogram<u64>;

/// An empty [`Histogram`]. The lower bound is 1 ns: with 1 us the cells would be 5 % wide at 10 us.
pub fn new_histogram() -> Histogram {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("constant bounds are valid")
}

/// How long a slice loads before it counts, and how long it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Loaded, not counted.
    pub settle: Nanos,
    /// Loaded and counted.
    pub counted: Nanos,
}

/// What [`Session::run`](crate::Session::run) tells its caller from within the loop; the call must be quick.
#[derive(Debug)]
pub enum Edge<'a> {
    /// The counted window begins now.
    CountedBegins,
    /// The counted window ends now.
    CountedEnds,
    /// One second of one shard (or what was left of it) is over.
    Interval(&'a Interval),
}

/// One second of one shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// Which shard.
    pub shard: usize,
    /// Since the counted window began.
    pub start: Nanos,
    /// One second, except the last one.
    pub elapsed: Nanos,
    /// Requests that ended, right or wrong.
    pub requests: u64,
    /// Right answers.
    pub ok: u64,
    /// Bytes of the responses that ended.
    pub bytes: u64,
    /// Bytes of their bodies.
    pub body_bytes: u64,
    /// What went wrong.
    pub faults: Faults,
    /// Connections opened.
    pub connects: u64,
    /// Response times, `arrived - due`. Those of stragglers are added to the last second once the slice is over.
    pub response: SparseHistogram,
    /// Service times, `arrived - sent`.
    pub service: SparseHistogram,
    /// 99th percentile of the generator's lag, `seen - arrived`.
    pub lag_p99: Nanos,
    /// Longest lag.
    pub lag_max: Nanos,
}

/// A tenth of a second of one shard, as fine as stalls are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tenth {
    /// Requests that ended, right or wrong.
    pub answers: u64,
    /// The longest response time among those that ended.
    pub longest: Nanos,
}

/// The cells of a [`Histogram`] that hold something: a few kilobytes, where the histogram has 270.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseHistogram(Vec<(u64, u64)>);

impl SparseHistogram {
    /// `(value, count)` of every cell that holds something, values ascending, nanoseconds.
    pub fn cells(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Adds the cells to a histogram made by [`new_histogram`]; exact.
    pub fn add_to(&self, histogram: &mut Histogram) {
        for &(value, count) in &self.0 {
            histogram.saturating_record_n(value, count);
        }
    }

    /// Adds the cells of another histogram.
    pub(crate) fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
        self.0.sort_unstable();
        self.0.dedup_by(|next, kept| {
            let alike = next.0 == kept.0;
            kept.1 += if alike { next.1 } else { 0 };
            alike
        });
    }

    /// As of the histogram these cells are from.
    pub fn value_at_quantile(&self, quantile: f64) -> u64 {
        let total: u64 = self.0.iter().map(|(_, count)| count).sum();
        let rank = ((quantile * total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let mut reached = self.0.iter().filter(|(_, count)| {
            seen += count;
            seen >= rank
        });
        reached.next().map_or(0, |&(value, _)| value)
    }

    /// The highest value, as precisely as its cell is wide; 0 when there is none.
    pub fn max(&self) -> u64 {
        self.0.last().map_or(0, |&(value, _)| value)
    }

    /// The histogram these cells are from.
    pub fn to_histogram(&self) -> Histogram {
        let mut histogram = new_histogram();
        self.add_to(&mut histogram);
        histogram
    }
}

impl From<&Histogram> for SparseHistogram {
    fn from(histogram: &Histogram) -> Self {
        let cells = histogram.iter_recorded();
        cells
            .map(|cell| (cell.value_iterated_to(), cell.count_since_last_iteration()))
            .collect()
    }
}

impl FromIterator<(u64, u64)> for SparseHistogram {
    /// From a value and a count for each cell, in ascending order.
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(cells: I) -> Self {
        Self(cells.into_iter().collect())
    }
}

/// One slice of load, all shards. Counts are of requests that ended between the two edges.
///
/// Histograms hold right answers and response timeouts (at the time they were given up). In a closed model these are
/// the requests that ended between the edges; in an open model those that were *due* between them, however late they
/// ended, because leaving out the late ones would hide a stall.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Between the edges, measured.
    pub elapsed: Nanos,
    /// Requests that ended, right or wrong.
    pub requests: u64,
    /// Right answers.
    pub ok: u64,
    /// Bytes of the responses that ended, heads included.
    pub bytes: u64,
    /// Bytes of the bodies of complete responses, without framing.
    pub body_bytes: u64,
    /// What went wrong.
    pub faults: Faults,
    /// Connections opened between the edges.
    pub connects: u64,
    /// Connections opened from the start of the slice to its end.
    pub connects_total: u64,
    /// Connections that the server closed between two requests, announced or not, between the edges.
    pub closes: u64,
    /// Requests sent again because the server had closed the idle connection they went out on.
    pub resent: u64,
    /// Full TLS handshakes between the edges.
    pub tls_full: u64,
    /// Resumed TLS handshakes between the edges.
    pub tls_resumed: u64,
    /// Open model: requests due between the edges.
    pub offered: u64,
    /// Open model: requests due between the edges that ended after the second; they are in the histograms only.
    pub stragglers: u64,
    /// What went wrong with stragglers.
    pub straggler_faults: Faults,
    /// Open model: requests due between the edges and never sent; in `response` at the time they had waited.
    pub unsent: u64,
    /// Open model: so many requests were outstanding that the slice was ended.
    pub overloaded: bool,
    /// The caller's `stop` ended the slice.
    pub interrupted: bool,
    /// `arrived - due`: what a user feels.
    pub response: Histogram,
    /// `arrived - sent`: what the server did.
    pub service: Histogram,
    /// `seen - arrived`: what the generator did.
    pub lag: Histogram,
    /// `sent - due`: waiting for a connection.
    pub wait: Histogram,
    /// From the begin of a connect to its success.
    pub connect: Histogram,
    /// From the begin of a TLS handshake to its end.
    pub tls: Histogram,
    /// `first byte - sent`.
    pub first_byte: Histogram,
    /// `arrived - first byte`.
    pub body: Histogram,
    /// `arrived - sent` of wrong answers.
    pub failed: Histogram,
    /// CPU time of the event loops between the edges.
    pub generator_cpu: Nanos,
    /// Requests in flight (sent and not seen to end), integrated between the edges, request-seconds.
    pub in_flight_integral: f64,
    /// Sum over all requests of the part of `seen - sent` between the edges, seconds: by Little's law the same as
    /// `in_flight_integral`, but counted request by request.
    pub service_sum: f64,
    /// Seconds of the counted window, per shard.
    pub intervals: Vec<Interval>,
    /// Tenths of a second of the counted window, a list for each shard; the last of a list lasts 0.05 to 0.15 s.
    pub tenths: Vec<Vec<Tenth>>,
    /// What the generator says of itself.
    pub self_check: SelfCheck,
}

/// What the generator says of itself between the edges.
#[derive(Clone, Debug)]
pub struct SelfCheck {
    /// CPU of the busiest event loop as a share of one core.
    pub cpu_share: f64,
    /// Turns of the event loops, from waking up to having handled all events: how long an answer may have waited to be
    /// seen when there are no kernel times to tell.
    pub turns: Histogram,
    /// Whether the kernel told when answers arrived; without it `lag` is 0 and part of the service time.
    pub kernel_times: bool,
    /// Open model: from when a request was due *and* a connection free to when it was sent.
    pub send_delay: Histogram,
    /// Time in which a request could not go on because its send buffer was full and is now empty, summed over the
    /// connections that were open at the end; settling and stragglers included.
    pub send_buffer_full: Nanos,
    /// Segments that the kernel dropped on their way into the receive queues of the same connections.
    pub receive_drops: u64,
    /// How often the wall clock was set; each time may have spoiled a millisecond's arrivals.
    pub clock_steps: u64,
}

impl Slice {
    /// Joins another shard's part of the same slice.
    pub(crate) fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.ok += other.ok;
        self.bytes += other.bytes;
        self.body_bytes += other.body_bytes;
        self.faults.merge(&other.faults);
        self.connects += other.connects;
        self.connects_total += other.connects_total;
        self.closes += other.closes;
        self.resent += other.resent;
        self.tls_full += other.tls_full;
        self.tls_resumed += other.tls_resumed;
        self.offered += other.offered;
        self.stragglers += other.stragglers;
        self.straggler_faults.merge(&other.straggler_faults);
        self.unsent += other.unsent;
        self.overloaded |= other.overloaded;
        self.interrupted |= other.interrupted;
        self.generator_cpu = self.generator_cpu + other.generator_cpu;
        self.in_flight_integral += other.in_flight_integral;
        self.service_sum += other.service_sum;
        self.self_check.cpu_share = self.self_check.cpu_share.max(other.self_check.cpu_share);
        self.self_check.kernel_times &= other.self_check.kernel_times;
        self.self_check.send_buffer_full =
            self.self_check.send_buffer_full + other.self_check.send_buffer_full;
        self.self_check.receive_drops += other.self_check.receive_drops;
        self.self_check.clock_steps += other.self_check.clock_steps;
        for (mine, theirs) in self.histograms_mut().into_iter().zip(other.histograms()) {
            mine.add(theirs).expect("all histograms have the same bounds");
        }
        self.tenths.extend(other.tenths);
        self.intervals.extend(other.intervals);
        self.intervals
            .sort_by_key(|interval| (interval.start, interval.shard));
    }

    fn histograms(&self) -> [&Histogram; 11] {
        [
            &self.response,
            &self.service,
            &self.lag,
            &self.wait,
            &self.connect,
            &self.tls,
            &self.first_byte,
            &self.body,
            &self.failed,
            &self.self_check.send_delay,
            &self.self_check.turns,
        ]
    }

    fn histograms_mut(&mut self) -> [&mut Histogram; 11] {
        [
            &mut self.response,
            &mut self.service,
            &mut self.lag,
            &mut self.wait,
            &mut self.connect,
            &mut self.tls,
            &mut self.first_byte,
            &mut self.body,
            &mut self.failed,
            &mut self.self_check.send_delay,
            &mut self.self_check.turns,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparse_histogram_is_exact() {
        let mut histogram = new_histogram();
        for value in [0, 1, 999, 2_000_000, 2_000_000, 3_600_000_000_000] {
            histogram.saturating_record(value);
        }
        assert_eq!(SparseHistogram::from(&histogram).to_histogram(), histogram);
    }

    #[test]
    fn sparse_histograms_add_up() {
        let sparse = |cells: [(u64, u64); 2]| SparseHistogram::from_iter(cells);
        let mut sum = sparse([(5, 1), (7, 2)]);
        sum.add(&sparse([(3, 4), (7, 1)]));
        assert_eq!(sum.cells(), [(3, 4), (5, 1), (7, 3)]);
        assert_eq!((sum.value_at_quantile(0.5), sum.max()), (3, 7));
    }

    #[test]
    fn cells_are_a_tenth_of_a_percent_wide() {
        let histogram = new_histogram();
        for value in [1_000, 10_000, 50_000, 2_000_000, 1_000_000_000] {
            let width = histogram.highest_equivalent(value) - histogram.lowest_equivalent(value);
            assert!(width as f64 <= value as f64 / 1000.0, "{value}: {width}");
        }
    }
}
