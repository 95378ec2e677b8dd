//! The results of a slice of load: [`Slice`] with its [`Interval`]s and [`Tenth`]s.

use crate::Faults;
use crate::http2::ErrorCode;
use crate::steps::StepSlice;
use model::units::{Nanos, Seconds, Share};
pub use record::histogram::{Histogram, SparseHistogram, new_histogram};
use traffic::scenario::FirstFailure;

/// What [`Session::run`](crate::Session::run) reports to its caller from within the event loop. The caller must return
/// quickly, because no response is seen meanwhile.
#[derive(Debug)]
pub enum Edge<'a> {
    /// The counted window begins now.
    CountedBegins,
    /// The counted window ends now.
    CountedEnds,
    /// One second of one shard is over, or the rest of one at the end of the window.
    Interval(&'a Interval),
}

/// What one shard measured in one second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// The number of the shard, from 0.
    pub shard: usize,
    /// When the second began, counted from the begin of the counted window.
    pub start: Nanos,
    /// Its length: one second, except for the last one of a window.
    pub elapsed: Nanos,
    /// Requests that ended, with an expected response or with a fault.
    pub requests: u64,
    /// Requests that ended with the expected response.
    pub ok: u64,
    /// Bytes of the responses that ended, heads included.
    pub bytes: u64,
    /// Bytes of the bodies of these responses.
    pub body_bytes: u64,
    /// Faults of the requests that ended.
    pub faults: Faults,
    /// Connections opened.
    pub connects: u64,
    /// What was counted of each step of sessions. It is there while the second is told, and not kept; empty where there are no steps or
    /// very many, and of other machines.
    pub steps: Vec<StepSlice>,
    /// Response times, `arrived - due`. Those of stragglers are added to the last second once the slice is over.
    pub response: SparseHistogram,
    /// Service times, `arrived - sent`, of the same requests.
    pub service: SparseHistogram,
    /// 99th percentile of the generator's lag, `seen - arrived`.
    pub lag_p99: Nanos,
    /// Longest lag of the generator.
    pub lag_max: Nanos,
}

/// What one shard measured in a tenth of a second. Stalls are told apart at this resolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tenth {
    /// Requests that ended, with an expected response or with a fault.
    pub answers: u64,
    /// The longest response time of the expected responses and of the response timeouts among them.
    pub longest: Nanos,
}

/// What one slice of load measured, over all shards. The counted window lies between two edges; unless said
/// otherwise, counts are of requests that ended between the edges.
///
/// The histograms of times are in nanoseconds. They contain expected responses, and response timeouts with the time
/// after which they were given up. In a closed model these are the requests that ended between the edges. In an open
/// model they are the requests that were *due* between the edges, however late they ended: without the late ones a
/// stall would be hidden (coordinated omission).
#[derive(Clone, Debug)]
pub struct Slice {
    /// Measured time between the edges.
    pub elapsed: Nanos,
    /// Requests that ended, with an expected response or with a fault.
    pub requests: u64,
    /// Requests that ended with the expected response.
    pub ok: u64,
    /// Sessions of steps that began; 0 where requests are no sessions.
    pub sessions: u64,
    /// Bytes of the responses that ended, heads included.
    pub bytes: u64,
    /// Bytes of the bodies of complete responses, without framing.
    pub body_bytes: u64,
    /// Faults of the requests that ended.
    pub faults: Faults,
    /// Connections opened between the edges.
    pub connects: u64,
    /// Connections opened from the start of the slice to its end.
    pub connects_total: u64,
    /// Connections that the server closed between two requests, announced or not, between the edges.
    pub closes: u64,
    /// Requests sent a second time because the server had closed their connection while it was idle.
    pub resent: u64,
    /// Full TLS handshakes between the edges.
    pub tls_full: u64,
    /// Resumed TLS handshakes between the edges.
    pub tls_resumed: u64,
    /// What was counted of HTTP/2.
    pub http2: Http2Counts,
    /// What was counted of answers that stream.
    pub events: EventSlice,
    /// Open model: requests due between the edges.
    pub offered: u64,
    /// Open model: requests due between the edges that ended after the second edge. They are in the histograms, but not
    /// in the counts.
    pub stragglers: u64,
    /// Faults of the stragglers.
    pub straggler_faults: Faults,
    /// Open model: requests due between the edges that were never sent. `response` contains the time that each had
    /// waited when it was given up.
    pub unsent: u64,
    /// Open model: the slice was ended because too many requests were outstanding.
    pub overloaded: bool,
    /// The slice was ended by the caller's `stop`.
    pub interrupted: bool,
    /// Closed model: the mean pause of a user before it asks again.
    pub think: Nanos,
    /// Response times, `arrived - due`: what a user experiences.
    pub response: Histogram,
    /// Service times, `arrived - sent`: what the server took.
    pub service: Histogram,
    /// Lag, `seen - arrived`: what the generator added.
    pub lag: Histogram,
    /// `sent - due`: the wait for a connection.
    pub wait: Histogram,
    /// Time from the begin of a connect to its success.
    pub connect: Histogram,
    /// Time from the begin of a TLS handshake to its end.
    pub tls: Histogram,
    /// `first byte - sent`.
    pub first_byte: Histogram,
    /// `arrived - first byte`.
    pub body: Histogram,
    /// `arrived - sent` of complete responses that were not the expected ones.
    pub failed: Histogram,
    /// CPU time of all event loops between the edges.
    pub generator_cpu: Nanos,
    /// Requests in flight (sent and not seen to end), integrated over the time between the edges.
    pub in_flight_integral: Seconds,
    /// The part of `seen - sent` that lies between the edges, summed over all requests. By Little's law it
    /// equals `in_flight_integral`, but it is counted request by request, so that each checks the other.
    pub service_sum: Seconds,
    /// The seconds of the counted window, for each shard separately.
    pub intervals: Vec<Interval>,
    /// The tenths of a second of the counted window, one list per shard. The last one of a list lasts 0.05 to 0.15 s.
    pub tenths: Vec<Vec<Tenth>>,
    /// What was counted of each step of sessions, in the order of the program's steps.
    pub steps: Vec<StepSlice>,
    /// The first answer between the edges that was not HTTP or not the expected one, as far as the codec sees that; checks of steps have
    /// theirs in `steps`. Of an answer in several pieces it has the piece that showed that it is wrong.
    pub first_wrong: Option<FirstFailure>,
    /// Measurements of the generator itself.
    pub self_check: SelfCheck,
}

/// What was counted of HTTP/2 between the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Http2Counts {
    /// Streams that the server cancelled, by [`ErrorCode`].
    pub resets: [u64; ErrorCode::ALL.len()],
    /// Announcements of the server that a connection ends, by [`ErrorCode`].
    pub goaways: [u64; ErrorCode::ALL.len()],
    /// Requests that had to wait because the server allowed no further stream.
    pub stream_waits: u64,
    /// How long requests waited for a stream between the edges, all of them together. Divided by the time between the edges it is the mean
    /// number of requests that waited (Little's law).
    pub stream_waited: Seconds,
    /// Requests whose bodies had to wait for a window of the server.
    pub window_waits: u64,
    /// Those of them that waited for the window of the connection, and not for that of their stream.
    pub connection_window_waits: u64,
    /// How long it took from when these bodies had to wait first until they had left, all of them together.
    pub window_waited: Seconds,
    /// Connections that are open at the second edge.
    pub connections: u64,
    /// The fewest streams at once that the server allows on one of them; `None` where it names no limit.
    pub stream_limit: Option<u32>,
}

impl Http2Counts {
    /// All counts, in the same order on every machine of a fleet.
    pub fn counts_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        let waits = [&mut self.stream_waits, &mut self.window_waits, &mut self.connection_window_waits];
        let others = [&mut self.connections];
        waits.into_iter().chain(others).chain(&mut self.resets).chain(&mut self.goaways)
    }

    /// Adds other counts to these.
    pub fn merge(&mut self, other: &Self) {
        let mut other = *other;
        self.counts_mut().zip(other.counts_mut()).for_each(|(mine, theirs)| *mine += *theirs);
        self.stream_waited += other.stream_waited;
        self.window_waited += other.window_waited;
        self.stream_limit = [self.stream_limit, other.stream_limit].into_iter().flatten().min();
    }
}

/// What was counted between the edges of answers that stream. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSlice {
    /// Events that arrived.
    pub events: u64,
    /// Answers that went on, and whose rest was not read.
    pub left: u64,
    /// Times from when a request was sent until the first event of its answer arrived.
    pub first: SparseHistogram,
    /// Times between two events of an answer.
    pub gaps: SparseHistogram,
}

impl EventSlice {
    /// Whether nothing was counted.
    pub const fn is_empty(&self) -> bool {
        self.events == 0 && self.left == 0
    }

    /// Adds what another shard, machine or slice counted.
    pub fn merge(&mut self, other: &Self) {
        self.events += other.events;
        self.left += other.left;
        self.first.add(&other.first);
        self.gaps.add(&other.gaps);
    }
}

/// What the generator measured about itself between the edges, to tell whether the slice may be believed.
#[derive(Clone, Debug)]
pub struct SelfCheck {
    /// CPU time of the busiest event loop as a share of one core.
    pub cpu_share: Share,
    /// Durations of the turns of the event loops, from waking up until all events are handled. Without kernel
    /// timestamps they limit how long a response may have waited to be seen.
    pub turns: Histogram,
    /// True when the kernel reported when responses arrived. Otherwise `lag` is 0 and contained in the service time.
    pub kernel_times: bool,
    /// Open model: time from when a request was due *and* a connection was free until it was sent.
    pub send_delay: Histogram,
    /// Open model: the response times of the same requests as in [`Slice::response`], each without its `send_delay`. A percentile of
    /// the two differs by what the generator added to it. A request that was never sent counts with the time that it had waited.
    pub undelayed: Histogram,
    /// Time in which requests could not be sent because the send buffer was full, summed over the connections that were
    /// open at the end. Settling and draining are included.
    pub send_buffer_full: Nanos,
    /// Segments that the kernel dropped before they reached the receive queues of the same connections.
    pub receive_drops: u64,
    /// How often the wall clock was set. The arrivals of about a millisecond may be wrong each time.
    pub clock_steps: u64,
}

impl Slice {
    /// Returns a slice in which nothing happened.
    pub fn empty() -> Self {
        Self {
            elapsed: Nanos(0),
            requests: 0,
            ok: 0,
            bytes: 0,
            sessions: 0,
            body_bytes: 0,
            faults: Faults::default(),
            connects: 0,
            connects_total: 0,
            closes: 0,
            resent: 0,
            tls_full: 0,
            tls_resumed: 0,
            http2: Http2Counts::default(),
            events: EventSlice::default(),
            offered: 0,
            stragglers: 0,
            straggler_faults: Faults::default(),
            unsent: 0,
            overloaded: false,
            interrupted: false,
            think: Nanos(0),
            response: new_histogram(),
            service: new_histogram(),
            lag: new_histogram(),
            wait: new_histogram(),
            connect: new_histogram(),
            tls: new_histogram(),
            first_byte: new_histogram(),
            body: new_histogram(),
            failed: new_histogram(),
            generator_cpu: Nanos(0),
            in_flight_integral: Seconds::ZERO,
            service_sum: Seconds::ZERO,
            intervals: Vec::new(),
            tenths: Vec::new(),
            steps: Vec::new(),
            first_wrong: None,
            self_check: SelfCheck {
                cpu_share: Share(0.0),
                turns: new_histogram(),
                kernel_times: false,
                send_delay: new_histogram(),
                undelayed: new_histogram(),
                send_buffer_full: Nanos(0),
                receive_drops: 0,
                clock_steps: 0,
            },
        }
    }

    /// Adds what another shard, or another machine, measured in the same slice. The measured time stays as it is.
    pub fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.ok += other.ok;
        self.sessions += other.sessions;
        self.bytes += other.bytes;
        self.body_bytes += other.body_bytes;
        self.faults.merge(&other.faults);
        self.connects += other.connects;
        self.connects_total += other.connects_total;
        self.closes += other.closes;
        self.resent += other.resent;
        self.tls_full += other.tls_full;
        self.tls_resumed += other.tls_resumed;
        self.http2.merge(&other.http2);
        self.events.merge(&other.events);
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
        self.merge_steps(other.steps);
        if let Some(first) = other.first_wrong.filter(|first| first.replaces(self.first_wrong.as_ref())) {
            self.first_wrong = Some(first);
        }
        self.intervals.extend(other.intervals);
        self.intervals.sort_by_key(|interval| (interval.start, interval.shard));
    }

    pub(crate) fn merge_steps(&mut self, other: Vec<StepSlice>) {
        self.steps.resize_with(self.steps.len().max(other.len()), StepSlice::default);
        for (mine, theirs) in self.steps.iter_mut().zip(other) {
            mine.merge(theirs);
        }
    }

    /// The first wrong answer, whether the codec or a check of a step has found it; where there is none, the first connection that failed.
    pub fn first_failure(&self) -> Option<&FirstFailure> {
        let of_steps = self.steps.iter().filter_map(|step| step.first_failure.as_ref());
        let mut all = self.first_wrong.iter().chain(of_steps);
        all.clone().find(|first| !first.is_of_connection()).or_else(|| all.next())
    }

    /// All histograms, in the order of [`Slice::histograms_mut`].
    pub fn histograms(&self) -> [&Histogram; 12] {
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
            &self.self_check.undelayed,
            &self.self_check.turns,
        ]
    }

    /// All histograms, to be changed; every machine of a fleet has them in the same order.
    pub fn histograms_mut(&mut self) -> [&mut Histogram; 12] {
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
            &mut self.self_check.undelayed,
            &mut self.self_check.turns,
        ]
    }
}
