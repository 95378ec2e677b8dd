//! [`Recorder`]: it takes samples and gives an [`Interval`] every second and a [`Slice`] at the end. It does no I/O and
//! reads no clock.
//!
//! A sample is recorded in the histograms of the present second only. At the end of the second they are added
//! to the slice's histograms, so that figures per second cost nothing per request.

use crate::Fault;
use crate::cells::HistogramCells;
use crate::slice::{Interval, Slice, Tenth};
use crate::steps::{StepEnd, StepRecorder};
use events::EventRecorder;
use model::units::{Nanos, Seconds, Share};
use streams::StreamWaiters;
use traffic::plan::Arrivals;
use traffic::scenario::FirstFailure;

mod events;
mod streams;

/// One request that ended. Times are from the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// When it was due.
    pub(crate) due: Nanos,
    /// When it was sent.
    pub(crate) sent: Nanos,
    /// How much earlier the generator could have sent it.
    pub(crate) send_delay: Nanos,
    /// When the first byte of the response arrived.
    pub(crate) first_byte: Nanos,
    /// When the last byte of the response arrived, or when it was given up.
    pub(crate) arrived: Nanos,
    /// When the event loop read the last byte.
    pub(crate) seen: Nanos,
    /// Bytes of the response, head included.
    pub(crate) bytes: u64,
    /// Bytes of its body.
    pub(crate) body: u64,
    /// What went wrong; `None` for an expected response.
    pub(crate) fault: Option<Fault>,
}

/// The requests whose times are recorded in the histograms of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cohort {
    /// Those that end in the window.
    Ended,
    /// Those that are due in the window, however late they end.
    Due,
}

impl Cohort {
    /// Those of these arrivals.
    pub(crate) const fn of(arrivals: &Arrivals) -> Self {
        match arrivals.open() {
            true => Self::Due,
            false => Self::Ended,
        }
    }
}

/// Figures of the counted window that the event loop knows and the recorder does not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowTotals {
    /// CPU time of the event loop.
    pub(crate) generator_cpu: Nanos,
    /// Open model: requests that became due.
    pub(crate) offered: u64,
}

/// Records the samples of one shard, slice by slice.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// The number of the shard.
    shard: usize,
    cohort: Cohort,
    /// The times of wrong and expected responses are recorded together.
    time_wrong: bool,
    /// True between the edges of the window.
    counting: bool,
    /// The first edge; [`FAR`] before it is crossed.
    begin: Nanos,
    /// The second edge; [`FAR`] before it is crossed.
    end: Nanos,
    /// Number of requests that have ended since the recorder was made.
    ended: u64,
    /// Number of requests in flight.
    in_flight: u64,
    /// Up to when `in_flight_integral` was computed.
    in_flight_since: Nanos,
    /// Integral of `in_flight` over the window so far, request-nanoseconds.
    in_flight_integral: u128,
    /// Time in flight within the window, summed request by request, nanoseconds. It is negative for a while after the
    /// first edge, see [`Recorder::cross_edge`].
    service_sum: i128,
    stream_waiters: StreamWaiters,
    second: CurrentSecond,
    second_start: Nanos,
    tenth: Tenth,
    tenth_ends: Nanos,
    /// The tenths of the slice that are over.
    tenths: Vec<Tenth>,
    /// The first failure before or after the counted window.
    wrong_outside: Option<FirstFailure>,
    /// The seconds of the slice that are over, added up.
    slice: Slice,
    /// What was recorded of each step of sessions.
    steps: Vec<StepRecorder>,
    /// What was recorded of events; `None` where no answer streams.
    events: Option<Box<EventRecorder>>,
}

/// What is recorded in the present second.
#[derive(Debug)]
struct CurrentSecond {
    response: HistogramCells,
    undelayed: HistogramCells,
    service: HistogramCells,
    lag: HistogramCells,
    /// Service times of simple requests: sent when due, with an expected response that arrived in one piece. Their response
    /// and first-byte times equal their service time, and their other times are 0. Nearly all requests are simple, and
    /// each changes one cell here instead of five.
    simple: HistogramCells,
    counts: Interval,
}

impl Recorder {
    /// A recorder for the given shard. `time_wrong`: the times of wrong and expected responses are recorded together.
    pub(crate) fn new(shard: usize, cohort: Cohort, time_wrong: bool) -> Self {
        Self {
            shard,
            cohort,
            time_wrong,
            counting: false,
            begin: FAR,
            end: FAR,
            ended: 0,
            in_flight: 0,
            in_flight_since: Nanos(0),
            in_flight_integral: 0,
            service_sum: 0,
            stream_waiters: StreamWaiters::default(),
            second: CurrentSecond {
                response: HistogramCells::default(),
                undelayed: HistogramCells::default(),
                service: HistogramCells::default(),
                lag: HistogramCells::default(),
                simple: HistogramCells::default(),
                counts: Interval::default(),
            },
            second_start: Nanos(0),
            tenth: Tenth::default(),
            tenth_ends: Nanos(0),
            tenths: Vec::new(),
            wrong_outside: None,
            slice: Slice::empty(),
            steps: Vec::new(),
            events: None,
        }
    }

    /// Takes the memory for so many steps of sessions.
    pub(crate) fn with_steps(mut self, steps: usize) -> Self {
        self.steps.resize_with(steps, StepRecorder::default);
        self
    }

    /// Records a step or a transaction that has ended.
    pub(crate) fn record_step(&mut self, end: &StepEnd) {
        if self.counting {
            self.steps[end.step].record(end);
        }
    }

    /// Keeps the first failure of a step within the window.
    pub(crate) fn keep_failure(&mut self, step: usize, failure: impl FnOnce() -> FirstFailure) {
        if self.counting {
            self.steps[step].first_failure.get_or_insert_with(failure);
        }
    }

    /// Keeps the first wrong answer within the window, and one outside of it for a slice without any right answer.
    pub(crate) fn keep_wrong(&mut self, wrong: impl FnOnce() -> FirstFailure) {
        let kept = self.kept_failure();
        if kept.as_ref().is_none_or(FirstFailure::is_of_connection) {
            *kept = Some(wrong());
        }
    }

    /// Keeps the first connection that failed, as [`Recorder::keep_wrong`] does, as long as no answer was wrong.
    pub(crate) fn keep_lost(&mut self, lost: impl FnOnce() -> FirstFailure) {
        self.kept_failure().get_or_insert_with(lost);
    }

    const fn kept_failure(&mut self) -> &mut Option<FirstFailure> {
        if self.counting { &mut self.slice.first_wrong } else { &mut self.wrong_outside }
    }

    /// Prepares for the next slice, which begins with so many requests in flight, and reserves memory for this number of intervals.
    pub(crate) fn prepare(&mut self, seconds: usize, in_flight: u64) {
        (self.begin, self.end) = (FAR, FAR);
        (self.in_flight, self.in_flight_integral, self.service_sum) = (in_flight, 0, 0);
        self.slice.intervals.reserve(seconds);
        self.tenths.reserve(10 * seconds);
    }

    /// The counted window begins.
    pub(crate) fn begin_window(&mut self, now: Nanos) {
        self.counting = true;
        self.begin = now;
        self.second_start = now;
        self.tenth_ends = now + TENTH;
        self.in_flight_since = now;
        self.stream_waiters.begin(now);
    }

    /// The counted window ends.
    pub(crate) fn end_window(&mut self, now: Nanos, closing: WindowTotals) {
        self.integrate_in_flight(now);
        self.slice.http2.stream_waited = self.stream_waiters.end(now);
        self.end_second(now);
        self.end_last_tenth(now);
        self.counting = false;
        self.end = now;
        let elapsed = now.since(self.begin);
        self.slice.elapsed = elapsed;
        self.slice.generator_cpu = closing.generator_cpu;
        self.slice.offered = closing.offered;
        self.slice.self_check.cpu_share = Share(closing.generator_cpu.0 as f64 / elapsed.0.max(1) as f64);
        self.slice.in_flight_integral = Seconds(self.in_flight_integral as f64 / 1e9);
        self.slice.service_sum = Seconds(self.service_sum as f64 / 1e9);
    }

    /// When the present second ends.
    pub(crate) fn second_ends(&self) -> Nanos {
        self.second_start + Nanos::from_secs(1)
    }

    /// Ends the present second: makes its interval and adds it to the slice.
    pub(crate) fn end_second(&mut self, now: Nanos) {
        self.distribute_simple();
        let second = &mut self.second;
        let mut interval = std::mem::take(&mut second.counts);
        interval.shard = self.shard;
        interval.start = self.second_start.since(self.begin);
        interval.elapsed = now.since(self.second_start);
        interval.response = second.response.to_sparse();
        interval.service = second.service.to_sparse();
        let lag = second.lag.to_sparse();
        interval.lag_p99 = Nanos(lag.value_at_quantile(0.99));
        interval.lag_max = Nanos(lag.max());
        if self.steps.len() <= STEPS_BY_SECOND {
            interval.steps = self.steps.iter_mut().map(StepRecorder::take).collect();
        }
        let slice = &mut self.slice;
        slice.merge_steps(interval.steps.clone());
        slice.requests += interval.requests;
        slice.ok += interval.ok;
        slice.bytes += interval.bytes;
        slice.body_bytes += interval.body_bytes;
        slice.faults.merge(&interval.faults);
        slice.connects += interval.connects;
        slice.intervals.push(interval);
        self.second_start = now;
        self.move_second_to_slice();
    }

    /// Adds the times of simple requests (see [`CurrentSecond::simple`]): one time is their response, service and first-byte time alike, and
    /// their wait and body times are 0. Where requests are due at times, it is their undelayed response time, too.
    fn distribute_simple(&mut self) {
        let Self { second, slice, .. } = self;
        second.response.add(&second.simple);
        second.service.add(&second.simple);
        if self.cohort == Cohort::Due {
            second.undelayed.add(&second.simple);
        }
        let count = second.simple.drain_into(&mut slice.first_byte);
        slice.wait.saturating_record_n(0, count);
        slice.body.saturating_record_n(0, count);
    }

    /// Moves the times of the present second into the histograms of the slice.
    fn move_second_to_slice(&mut self) {
        self.distribute_simple();
        let Self { second, slice, .. } = self;
        second.response.drain_into(&mut slice.response);
        second.undelayed.drain_into(&mut slice.self_check.undelayed);
        second.service.drain_into(&mut slice.service);
        second.lag.drain_into(&mut slice.lag);
    }

    /// Ends the tenths that are over.
    fn end_tenths(&mut self, now: Nanos) {
        while now >= self.tenth_ends {
            self.tenths.push(std::mem::take(&mut self.tenth));
            self.tenth_ends = self.tenth_ends + TENTH;
        }
    }

    /// Ends the last tenth of the window. If it is shorter than half a tenth, it is joined with the one before, because the
    /// rate of so short a time would be misleading.
    fn end_last_tenth(&mut self, now: Nanos) {
        self.end_tenths(now);
        let rest = std::mem::take(&mut self.tenth);
        match self.tenths.last_mut() {
            Some(last) if self.tenth_ends.since(now) > Nanos(TENTH.0 / 2) => {
                last.answers += rest.answers;
                last.longest = last.longest.max(rest.longest);
            }
            _ => self.tenths.push(rest),
        }
    }

    /// The interval that ended last.
    pub(crate) fn last_interval(&self) -> Option<&Interval> {
        self.slice.intervals.last()
    }

    /// Forgets the steps of the interval that was told last; the slice has them.
    pub(crate) fn forget_last_steps(&mut self) {
        if let Some(last) = self.slice.intervals.last_mut() {
            last.steps = Vec::new();
        }
    }

    /// Counts requests that were sent.
    pub(crate) fn requests_sent(&mut self, count: u64, now: Nanos) {
        self.integrate_in_flight(now);
        self.in_flight += count;
    }

    /// Counts a request that was sent and has ended, in whatever way.
    pub(crate) fn request_ended(&mut self, sent: Nanos, now: Nanos) {
        self.integrate_in_flight(now);
        self.in_flight -= 1;
        if self.counting {
            self.service_sum += i128::from(now.since(sent).0);
        }
    }

    /// Corrects `service_sum` for the requests that are in flight at an edge; `sent` is when each of them was sent.
    ///
    /// Only the time between the edges is to be counted. At the first edge the time before it is subtracted; at the second
    /// edge the time up to it is added. With many connections and a short window, Little's law would otherwise seem to be
    /// violated.
    pub(crate) fn cross_edge(&mut self, edge: Nanos, sent: impl Iterator<Item = Nanos>) {
        let outside: i128 = sent.map(|sent| i128::from(edge.since(sent).0)).sum();
        self.service_sum += if edge == self.begin { -outside } else { outside };
    }

    /// Brings `in_flight_integral` up to date, before `in_flight` changes.
    fn integrate_in_flight(&mut self, now: Nanos) {
        if self.counting {
            self.in_flight_integral +=
                u128::from(self.in_flight) * u128::from(now.since(self.in_flight_since).0);
            self.in_flight_since = self.in_flight_since.max(now);
        }
    }

    /// How many requests have ended since the recorder was made.
    pub(crate) const fn ended(&self) -> u64 {
        self.ended
    }

    /// Records a request that has ended.
    pub(crate) fn record(&mut self, sample: &Sample) {
        self.ended += 1;
        if self.counting {
            let counts = &mut self.second.counts;
            counts.requests += 1;
            counts.bytes += sample.bytes;
            counts.body_bytes += sample.body;
            match sample.fault {
                None => counts.ok += 1,
                Some(fault) => counts.faults.add(fault),
            }
            self.end_tenths(sample.seen);
            self.tenth.answers += 1;
            if matches!(sample.fault, None | Some(Fault::ResponseTimeout)) {
                self.tenth.longest = self.tenth.longest.max(sample.arrived.since(sample.due));
            }
        }
        if self.in_cohort(sample.due) {
            if !self.counting {
                self.slice.stragglers += 1;
                sample.fault.inspect(|&fault| self.slice.straggler_faults.add(fault));
            }
            self.record_times(sample);
        }
    }

    /// True when the times of a request with this due time are to be recorded.
    fn in_cohort(&self, due: Nanos) -> bool {
        match self.cohort {
            Cohort::Ended => self.counting,
            Cohort::Due => self.begin <= due && due < self.end,
        }
    }

    /// Records the times of a request, as far as its fault leaves it any.
    fn record_times(&mut self, sample: &Sample) {
        let Sample { due, sent, send_delay, first_byte, arrived, seen, .. } = *sample;
        let service = arrived.since(sent).0;
        if sample.fault.is_none() && due == sent && first_byte == arrived {
            self.second.simple.record(service);
            return self.second.lag.record(seen.since(arrived).0);
        }
        match sample.fault {
            None | Some(Fault::ResponseTimeout) => {}
            Some(fault) if !fault.is_answer() => return,
            Some(_) if self.time_wrong => {}
            Some(_) => return self.slice.failed.saturating_record(service),
        }
        let response = arrived.since(due);
        self.second.response.record(response.0);
        if self.cohort == Cohort::Due {
            self.second.undelayed.record(response.since(send_delay).0);
        }
        self.second.service.record(service);
        self.slice.wait.saturating_record(sent.since(due).0);
        if sample.fault != Some(Fault::ResponseTimeout) {
            self.second.lag.record(seen.since(arrived).0);
            self.slice.first_byte.saturating_record(first_byte.since(sent).0);
            self.slice.body.saturating_record(arrived.since(first_byte).0);
        }
    }

    /// Records a request that was given up at `now` without having been sent, with the time that it had waited.
    pub(crate) fn record_unsent(&mut self, due: Nanos, now: Nanos) {
        if self.in_cohort(due) {
            self.slice.unsent += 1;
            self.second.response.record(now.since(due).0);
            self.second.undelayed.record(now.since(due).0);
        }
    }

    /// Records the time from when a request was due and a connection was free until it was sent.
    pub(crate) fn record_send_delay(&mut self, delay: Nanos) {
        if self.counting {
            self.slice.self_check.send_delay.saturating_record(delay.0);
        }
    }

    /// Records a connection that was opened, and how long that took.
    pub(crate) fn record_connect(&mut self, took: Nanos) {
        self.slice.connects_total += 1;
        if self.counting {
            self.second.counts.connects += 1;
            self.slice.connect.saturating_record(took.0);
        }
    }

    /// Records a TLS handshake, and how long it took.
    pub(crate) fn record_handshake(&mut self, took: Nanos, resumed: bool) {
        if self.counting {
            self.slice.tls_full += u64::from(!resumed);
            self.slice.tls_resumed += u64::from(resumed);
            self.slice.tls.saturating_record(took.0);
        }
    }

    /// Counts a connection that the server closed between two requests.
    pub(crate) fn record_close(&mut self) {
        self.slice.closes += u64::from(self.counting);
    }

    /// Counts a request that is sent a second time.
    pub(crate) fn record_resent(&mut self) {
        self.slice.resent += u64::from(self.counting);
    }

    /// Records how long a turn of the event loop took.
    pub(crate) fn record_turn(&mut self, took: Nanos) {
        if self.counting {
            self.slice.self_check.turns.saturating_record(took.0);
        }
    }

    /// Returns the whole slice, stragglers included, and leaves the recorder empty.
    pub(crate) fn finish(&mut self, clock_steps: u64, overloaded: bool, interrupted: bool) -> Slice {
        self.distribute_simple();
        // Stragglers are added to the last second: a histogram log without them would hide a stall at the end.
        if let Some(last) = self.slice.intervals.last_mut() {
            last.response.add(&self.second.response.to_sparse());
            last.service.add(&self.second.service.to_sparse());
        }
        self.move_second_to_slice();
        let outside = self.wrong_outside.take().filter(|_| self.slice.ok == 0);
        self.slice.first_wrong = self.slice.first_wrong.take().or(outside);
        self.slice.self_check.clock_steps = clock_steps;
        self.slice.overloaded = overloaded;
        self.slice.interrupted = interrupted;
        self.slice.tenths.push(std::mem::take(&mut self.tenths));
        let rest = self.steps.iter_mut().map(StepRecorder::take).collect();
        self.slice.merge_steps(rest);
        self.slice.events = self.events.as_mut().map(|events| events.take()).unwrap_or_default();
        std::mem::replace(&mut self.slice, Slice::empty())
    }
}

/// The most steps that are told second by second: each takes the loop some microseconds.
const STEPS_BY_SECOND: usize = 100;
/// Length of a [`Tenth`].
const TENTH: Nanos = Nanos::from_millis(100);
/// A time that is never reached.
const FAR: Nanos = Nanos(u64::MAX);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::StepSlice;
    use traffic::scenario::StepFailure;

    #[test]
    fn a_wrong_answer_tells_more_than_a_connection_that_failed() {
        let failure = |why| FirstFailure { why, request: "GET / HTTP/1.1".to_owned(), answer: String::new() };
        let lost = || {
            let (address, why) = ("127.0.0.1:1".to_owned(), "Connection refused".to_owned());
            failure(StepFailure::NotConnected { address, why })
        };
        let wrong = |status| failure(StepFailure::Status(status));
        let mut recorder = Recorder::new(0, Cohort::Ended, false);
        recorder.prepare(1, 0);
        recorder.keep_lost(lost);
        assert_eq!(recorder.finish(0, false, false).first_wrong, Some(lost()));
        recorder.keep_lost(lost);
        [500, 503].into_iter().for_each(|status| recorder.keep_wrong(|| wrong(status)));
        recorder.keep_lost(lost);
        let mut slice = recorder.finish(0, false, false);
        assert_eq!(slice.first_failure(), Some(&wrong(500)));
        // So it is with several event loops, and with the steps of sessions.
        let other = Slice { first_wrong: Some(lost()), ..Slice::empty() };
        slice.merge(other.clone());
        assert_eq!(slice.first_failure(), Some(&wrong(500)));
        let mut merged = other;
        merged.merge(slice);
        assert_eq!(merged.first_failure(), Some(&wrong(500)));
        merged.first_wrong = Some(lost());
        merged.merge_steps(vec![StepSlice { first_failure: Some(wrong(503)), ..StepSlice::default() }]);
        assert_eq!(merged.first_failure(), Some(&wrong(503)));
    }

    #[test]
    fn a_wrong_answer_outside_the_window_is_kept_for_a_slice_without_right_ones() {
        let failure = |status| FirstFailure {
            why: StepFailure::Status(status),
            request: "GET / HTTP/1.1".to_owned(),
            answer: String::new(),
        };
        let mut recorder = Recorder::new(0, Cohort::Ended, false);
        recorder.prepare(1, 0);
        [500, 503].into_iter().for_each(|status| recorder.keep_wrong(|| failure(status)));
        assert_eq!(recorder.finish(0, false, false).first_wrong, Some(failure(500)));
        assert_eq!(recorder.finish(0, false, false).first_wrong, None, "it belongs to the slice before");
        recorder.keep_wrong(|| failure(500));
        recorder.slice.ok = 1;
        assert_eq!(recorder.finish(0, false, false).first_wrong, None, "others were right");
    }
}
