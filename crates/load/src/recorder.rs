//! [`Recorder`]: samples in, an [`Interval`] each second and a [`Slice`] at the end out. No sockets, no clock.
//!
//! A sample goes into the present second's histograms only; these are added to the slice's when the second is over, so
//! that per-second figures cost nothing per request.

use crate::cells::Cells;
use crate::slice::{Interval, SelfCheck, Slice, Tenth, new_histogram};
use crate::{Fault, Faults};
use model::units::Nanos;

/// One request that ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) due: Nanos,
    pub(crate) sent: Nanos,
    pub(crate) first_byte: Nanos,
    pub(crate) arrived: Nanos,
    pub(crate) seen: Nanos,
    pub(crate) bytes: u64,
    pub(crate) body: u64,
    pub(crate) fault: Option<Fault>,
}

/// Which requests the histograms of a slice hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cohort {
    /// Those that end in the window.
    Ended,
    /// Those that are due in the window, however late they end.
    Due,
}

/// What only the loop can know when the window ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Closing {
    pub(crate) generator_cpu: Nanos,
    pub(crate) offered: u64,
}

#[derive(Debug)]
pub(crate) struct Recorder {
    shard: usize,
    cohort: Cohort,
    /// The times of wrong answers belong with those of right ones.
    time_wrong: bool,
    counting: bool,
    /// The edges; the end is far away until it is crossed.
    begin: Nanos,
    end: Nanos,
    in_flight: u64,
    in_flight_since: Nanos,
    in_flight_integral: u128,
    /// Time in flight within the window, summed request by request.
    service_sum: i128,
    second: Second,
    second_start: Nanos,
    tenth: Tenth,
    tenth_ends: Nanos,
    tenths: Vec<Tenth>,
    slice: Slice,
}

/// What is kept per second.
#[derive(Debug)]
struct Second {
    response: Cells,
    service: Cells,
    lag: Cells,
    /// Service times of right answers that were sent when due and came in one piece: their response and first-byte times
    /// are the same, and they waited for nothing. One cell touched instead of five, for nearly every request.
    plain: Cells,
    counts: Interval,
}

impl Recorder {
    pub(crate) fn new(shard: usize, cohort: Cohort, time_wrong: bool) -> Self {
        Self {
            shard,
            cohort,
            time_wrong,
            counting: false,
            begin: FAR,
            end: FAR,
            in_flight: 0,
            in_flight_since: Nanos(0),
            in_flight_integral: 0,
            service_sum: 0,
            second: Second {
                response: Cells::default(),
                service: Cells::default(),
                lag: Cells::default(),
                plain: Cells::default(),
                counts: Interval::default(),
            },
            second_start: Nanos(0),
            tenth: Tenth::default(),
            tenth_ends: Nanos(0),
            tenths: Vec::new(),
            slice: empty_slice(),
        }
    }

    /// Ready for the next slice; `seconds` of intervals get their place now.
    pub(crate) fn clear(&mut self, seconds: usize) {
        (self.begin, self.end) = (FAR, FAR);
        (self.in_flight, self.in_flight_integral, self.service_sum) = (0, 0, 0);
        self.slice.intervals.reserve(seconds);
        self.tenths.reserve(10 * seconds);
    }

    /// The counted window begins.
    pub(crate) fn begin(&mut self, now: Nanos) {
        self.counting = true;
        self.begin = now;
        self.second_start = now;
        self.tenth_ends = now + TENTH;
        self.in_flight_since = now;
    }

    /// The counted window ends.
    pub(crate) fn end(&mut self, now: Nanos, closing: Closing) {
        self.integrate(now);
        self.roll(now);
        self.end_tenths(now);
        self.counting = false;
        self.end = now;
        let elapsed = now.since(self.begin);
        self.slice.elapsed = elapsed;
        self.slice.generator_cpu = closing.generator_cpu;
        self.slice.offered = closing.offered;
        self.slice.self_check.cpu_share = closing.generator_cpu.0 as f64 / elapsed.0.max(1) as f64;
        self.slice.in_flight_integral = self.in_flight_integral as f64 / 1e9;
        self.slice.service_sum = self.service_sum as f64 / 1e9;
    }

    /// When the present second is over.
    pub(crate) fn second_ends(&self) -> Nanos {
        self.second_start + Nanos::from_secs(1)
    }

    /// Ends the present second.
    pub(crate) fn roll(&mut self, now: Nanos) {
        self.spread_plain();
        let second = &mut self.second;
        let mut interval = std::mem::take(&mut second.counts);
        interval.shard = self.shard;
        interval.start = self.second_start.since(self.begin);
        interval.elapsed = now.since(self.second_start);
        interval.response = second.response.sparse();
        interval.service = second.service.sparse();
        let lag = second.lag.sparse();
        interval.lag_p99 = Nanos(lag.value_at_quantile(0.99));
        interval.lag_max = Nanos(lag.max());
        let slice = &mut self.slice;
        slice.requests += interval.requests;
        slice.ok += interval.ok;
        slice.bytes += interval.bytes;
        slice.body_bytes += interval.body_bytes;
        slice.faults.merge(&interval.faults);
        slice.connects += interval.connects;
        slice.intervals.push(interval);
        self.second_start = now;
        self.pour();
    }

    /// Adds the plain samples to the others.
    fn spread_plain(&mut self) {
        let Self { second, slice, .. } = self;
        second.response.add(&second.plain);
        second.service.add(&second.plain);
        let count = second.plain.pour(&mut slice.first_byte);
        slice.wait.saturating_record_n(0, count);
        slice.body.saturating_record_n(0, count);
    }

    /// Moves the second's cells into the slice's histograms.
    fn pour(&mut self) {
        self.spread_plain();
        let Self { second, slice, .. } = self;
        second.response.pour(&mut slice.response);
        second.service.pour(&mut slice.service);
        second.lag.pour(&mut slice.lag);
    }

    /// Ends the tenths that are over.
    fn roll_tenths(&mut self, now: Nanos) {
        while now >= self.tenth_ends {
            self.tenths.push(std::mem::take(&mut self.tenth));
            self.tenth_ends = self.tenth_ends + TENTH;
        }
    }

    /// Ends the last tenth; less than half of one goes with the one before, whose rate it would misstate.
    fn end_tenths(&mut self, now: Nanos) {
        self.roll_tenths(now);
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

    /// Requests were sent.
    pub(crate) fn requests_sent(&mut self, count: u64, now: Nanos) {
        self.integrate(now);
        self.in_flight += count;
    }

    /// A request that was sent has ended, one way or another.
    pub(crate) fn request_ended(&mut self, sent: Nanos, now: Nanos) {
        self.integrate(now);
        self.in_flight -= 1;
        if self.counting {
            self.service_sum += i128::from(now.since(sent).0);
        }
    }

    /// Requests in flight at an edge were sent at these times. Only what lies between the edges is counted: with many
    /// connections and a short window the rest is a good part of the whole, and Little's law would seem to be missed.
    pub(crate) fn cross_edge(&mut self, edge: Nanos, sent: impl Iterator<Item = Nanos>) {
        let outside: i128 = sent.map(|sent| i128::from(edge.since(sent).0)).sum();
        self.service_sum += if edge == self.begin { -outside } else { outside };
    }

    fn integrate(&mut self, now: Nanos) {
        if self.counting {
            self.in_flight_integral +=
                u128::from(self.in_flight) * u128::from(now.since(self.in_flight_since).0);
            self.in_flight_since = now;
        }
    }

    /// A request has ended.
    pub(crate) fn record(&mut self, sample: &Sample) {
        if self.counting {
            let counts = &mut self.second.counts;
            counts.requests += 1;
            counts.bytes += sample.bytes;
            counts.body_bytes += sample.body;
            match sample.fault {
                None => counts.ok += 1,
                Some(fault) => counts.faults.add(fault),
            }
            self.roll_tenths(sample.seen);
            self.tenth.answers += 1;
            if matches!(sample.fault, None | Some(Fault::ResponseTimeout)) {
                self.tenth.longest = self.tenth.longest.max(sample.arrived.since(sample.due));
            }
        }
        if self.in_cohort(sample.due) {
            if !self.counting {
                self.slice.stragglers += 1;
                sample
                    .fault
                    .inspect(|&fault| self.slice.straggler_faults.add(fault));
            }
            self.record_times(sample);
        }
    }

    fn in_cohort(&self, due: Nanos) -> bool {
        match self.cohort {
            Cohort::Ended => self.counting,
            Cohort::Due => self.begin <= due && due < self.end,
        }
    }

    fn record_times(&mut self, sample: &Sample) {
        let Sample {
            due,
            sent,
            first_byte,
            arrived,
            seen,
            ..
        } = *sample;
        let service = arrived.since(sent).0;
        if sample.fault.is_none() && due == sent && first_byte == arrived {
            self.second.plain.record(service);
            return self.second.lag.record(seen.since(arrived).0);
        }
        match sample.fault {
            None | Some(Fault::ResponseTimeout) => {}
            Some(fault) if !fault.is_answer() => return,
            Some(_) if self.time_wrong => {}
            Some(_) => return self.slice.failed.saturating_record(service),
        }
        self.second.response.record(arrived.since(due).0);
        self.second.service.record(service);
        self.slice.wait.saturating_record(sent.since(due).0);
        if sample.fault != Some(Fault::ResponseTimeout) {
            self.second.lag.record(seen.since(arrived).0);
            self.slice.first_byte.saturating_record(first_byte.since(sent).0);
            self.slice.body.saturating_record(arrived.since(first_byte).0);
        }
    }

    /// A request that was due in the window was given up unsent, having waited so long.
    pub(crate) fn record_unsent(&mut self, due: Nanos, now: Nanos) {
        if self.in_cohort(due) {
            self.slice.unsent += 1;
            self.second.response.record(now.since(due).0);
        }
    }

    /// From when a request was due and a connection free to when it was sent.
    pub(crate) fn record_send_delay(&mut self, delay: Nanos) {
        if self.counting {
            self.slice.self_check.send_delay.saturating_record(delay.0);
        }
    }

    /// A connection was opened.
    pub(crate) fn record_connect(&mut self, took: Nanos) {
        self.slice.connects_total += 1;
        if self.counting {
            self.second.counts.connects += 1;
            self.slice.connect.saturating_record(took.0);
        }
    }

    /// A TLS handshake was done.
    pub(crate) fn record_handshake(&mut self, took: Nanos, resumed: bool) {
        if self.counting {
            self.slice.tls_full += u64::from(!resumed);
            self.slice.tls_resumed += u64::from(resumed);
            self.slice.tls.saturating_record(took.0);
        }
    }

    /// The server closed a connection between two requests.
    pub(crate) fn record_close(&mut self) {
        self.slice.closes += u64::from(self.counting);
    }

    /// A request goes out a second time.
    pub(crate) fn record_resent(&mut self) {
        self.slice.resent += u64::from(self.counting);
    }

    /// A turn of the loop took so long.
    pub(crate) fn record_turn(&mut self, took: Nanos) {
        if self.counting {
            self.slice.self_check.turns.saturating_record(took.0);
        }
    }

    /// The whole slice, stragglers included; the recorder is empty afterwards.
    pub(crate) fn finish(&mut self, clock_steps: u64, overloaded: bool, interrupted: bool) -> Slice {
        self.spread_plain();
        // Stragglers belong to the last second: a log without them would hide a stall at the end.
        if let Some(last) = self.slice.intervals.last_mut() {
            last.response.add(&self.second.response.sparse());
            last.service.add(&self.second.service.sparse());
        }
        self.pour();
        self.slice.self_check.clock_steps = clock_steps;
        self.slice.overloaded = overloaded;
        self.slice.interrupted = interrupted;
        self.slice.tenths.push(std::mem::take(&mut self.tenths));
        std::mem::replace(&mut self.slice, empty_slice())
    }
}

const TENTH: Nanos = Nanos::from_millis(100);
const FAR: Nanos = Nanos(u64::MAX);

/// A slice in which nothing happened.
pub(crate) fn empty_slice() -> Slice {
    Slice {
        elapsed: Nanos(0),
        requests: 0,
        ok: 0,
        bytes: 0,
        body_bytes: 0,
        faults: Faults::default(),
        connects: 0,
        connects_total: 0,
        closes: 0,
        resent: 0,
        tls_full: 0,
        tls_resumed: 0,
        offered: 0,
        stragglers: 0,
        straggler_faults: Faults::default(),
        unsent: 0,
        overloaded: false,
        interrupted: false,
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
        in_flight_integral: 0.0,
        service_sum: 0.0,
        intervals: Vec::new(),
        tenths: Vec::new(),
        self_check: SelfCheck {
            cpu_share: 0.0,
            turns: new_histogram(),
            kernel_times: false,
            send_delay: new_histogram(),
            send_buffer_full: Nanos(0),
            receive_drops: 0,
            clock_steps: 0,
        },
    }
}
