//! Whether a slice may be believed: the generator's own limits, and the arithmetic that any measurement has to obey.
//!
//! A limit may depend on what the generator did, and never on what the server did: a gate that throws away the slices in
//! which a server stalled would flatter every server that stalls.

use crate::{Fault, Histogram, Slice};
use model::reason::{Contradiction, GeneratorLimit, Reason};
use model::units::{Seconds, Share};
use traffic::load_note::LoadNote;

/// CPU of the busiest event loop, as a share of its core, beyond which answers may have waited for us.
pub(crate) const CPU: Share = Share(0.80);
/// Share of the time that requests were in flight for which answers may lie unseen in all, where they say that a busy event loop held up nobody.
const UNFELT: Share = Share(0.02);
/// The least time that is called late, nanoseconds: less is what any scheduler does.
const LATE: f64 = 1e6;
/// Times are late beyond this share of the median time that they are part of.
const LATE_SHARE: f64 = 0.05;
/// Share of the requests that may have been sent late: beyond it less than 99 % of the intended rate was sent when intended,
/// and the 99th percentile is ours.
const SENT_LATE: Share = Share(0.01);
/// Share of the time that requests were in flight, or of the whole, that the generator may have held up.
const HELD_UP: Share = Share(0.10);
/// Share of the answers' segments that may have been dropped: a few are repetitions on a lossy path.
const DROPS: Share = Share(0.01);
/// The most bytes that a segment carries on its way into a receive queue: on a loopback, or put together by a network card.
const LARGEST_SEGMENT: u64 = 1 << 16;
/// How far Little's law may be missed; both sides are cut at the same edges, so that an open loop needs no more than a
/// closed one.
const LITTLE: Share = Share(0.02);
/// How far the phases of the requests may be from their whole.
const PHASES: Share = Share(0.01);
/// Fewer requests say nothing about shares and percentiles.
const FEW: u64 = 100;

impl Slice {
    /// Why the slice says more about the generator than about the server, with the figure and its limit, or why its own
    /// figures contradict each other. `None` when it may be believed.
    pub fn why_invalid(&self) -> Option<Reason> {
        let saturated = self
            .cpu()
            .or_else(|| self.seen_late())
            .or_else(|| self.buffers())
            .or_else(|| self.resources())
            // The last one, because a stage at a fixed rate judges each percentile by itself instead.
            .or_else(|| self.sent_late());
        saturated.map(Reason::GeneratorSaturated).or_else(|| self.contradiction().map(Reason::Inconsistent))
    }

    /// Where nothing was answered, there is no figure that a busy generator could spoil: a few refused connections take no time but its own.
    fn cpu(&self) -> Option<GeneratorLimit> {
        let share = self.self_check.cpu_share;
        let limit = if self.is_read_at_once() { GeneratorLimit::FULL_LOOP } else { CPU };
        (share > limit && !self.service.is_empty()).then_some(GeneratorLimit::EventLoopBusy { share, limit })
    }

    /// Whether answers hardly waited to be read, as the receive times of the kernel show.
    ///
    /// Of large answers they do not show it: a full receive buffer keeps the server from sending, so the last segment of an answer arrives late and
    /// waits briefly. What is on its way to a connection therefore has to fit into a segment of the largest size.
    fn is_read_at_once(&self) -> bool {
        let unseen = Seconds(beyond(&self.lag, 0.0, |lag| lag / 1e9));
        let answer = self.bytes as f64 / self.requests.max(1) as f64;
        let is_small = answer * self.answers_at_once() <= LARGEST_SEGMENT as f64;
        self.self_check.kernel_times && is_small && unseen <= UNFELT.of(self.service_sum)
    }

    /// Answers that may be on their way to a connection at once: one with HTTP/1.1, and with HTTP/2 as many as requests are in flight on it (mean).
    fn answers_at_once(&self) -> f64 {
        match self.http2.connections {
            0 => 1.0,
            connections => {
                (self.in_flight_integral / Seconds::from(self.elapsed) / connections as f64).max(1.0)
            }
        }
    }

    /// Requests that were due, found a connection free, and did not leave. Which percentiles of the response times they spoil is
    /// judged over all slices of a stage, where there are enough of them.
    fn sent_late(&self) -> Option<GeneratorLimit> {
        let delays = &self.self_check.send_delay;
        // The service time counts: the response time contains the delay, and would excuse it. A user who
        // thinks asks as much less often as the delay is a part of the whole time between two requests.
        let limit = late(&self.service).max(LATE_SHARE * self.think.0 as f64);
        let share = Share(beyond(delays, limit, |_| 1.0) / delays.len().max(1) as f64);
        // In a closed loop late requests cost throughput, and no more than the time that they are late.
        let lost = Seconds(beyond(delays, limit, |delay| delay / 1e9));
        let asking = self.service_sum + lost + Seconds::from(self.think) * delays.len() as f64;
        let is_felt = self.offered > 0 || lost > SENT_LATE.of(asking);
        (delays.len() >= FEW && share > SENT_LATE && is_felt).then(|| GeneratorLimit::SentLate {
            share,
            delay: Seconds(limit / 1e9),
            p99: Seconds::from_nanos(delays.value_at_quantile(0.99)),
            limit: SENT_LATE,
        })
    }

    /// Answers that had arrived and were not seen. Shares of time and not of requests: a loop that stands still for a
    /// tenth of a second holds up only as many requests as it has connections, however many it makes in between.
    fn seen_late(&self) -> Option<GeneratorLimit> {
        let limit = late(&self.service);
        let kernel_times = self.self_check.kernel_times;
        let share = Share(if kernel_times {
            Seconds(beyond(&self.lag, limit, |lag| lag / 1e9)) / self.service_sum
        } else {
            Seconds(beyond(&self.self_check.turns, limit, |turn| turn / 1e9)) / Seconds::from(self.elapsed)
        });
        // The times of requests end when their answers arrive; users only ask less often, by the time that these lay unseen.
        let with_thinking = self.service_sum + Seconds::from(self.think) * self.requests as f64;
        let is_felt = !kernel_times || share.of(self.service_sum) > HELD_UP.of(with_thinking);
        let (delay, limit) = (Seconds(limit / 1e9), HELD_UP);
        (self.requests >= FEW && share > HELD_UP && is_felt).then_some(match kernel_times {
            true => GeneratorLimit::AnswersUnseen { share, delay, limit },
            false => GeneratorLimit::LongTurns { share, delay, limit },
        })
    }

    fn buffers(&self) -> Option<GeneratorLimit> {
        let full = Share(Seconds::from(self.self_check.send_buffer_full) / self.in_flight_integral);
        let drops = self.self_check.receive_drops;
        let received = self.requests.max(self.bytes / LARGEST_SEGMENT);
        if full > HELD_UP {
            Some(GeneratorLimit::SendBufferFull { share: full, limit: HELD_UP })
        } else if drops as f64 > DROPS.0 * received as f64 {
            Some(GeneratorLimit::SegmentsDropped { segments: drops, requests: received, limit: DROPS })
        } else {
            None
        }
    }

    fn resources(&self) -> Option<GeneratorLimit> {
        let ports = self.faults.count(Fault::PortsExhausted);
        let descriptors = self.faults.count(Fault::DescriptorsExhausted);
        match (ports, descriptors) {
            (1.., _) => Some(GeneratorLimit::NoLocalPort { connections: ports }),
            (_, 1..) => Some(GeneratorLimit::NoDescriptor { connections: descriptors }),
            _ => None,
        }
    }

    /// Little's law with the edges accounted for, and phases that do not add up.
    fn contradiction(&self) -> Option<Contradiction> {
        if self.requests < FEW || self.service.len() < FEW {
            return None;
        }
        let little = self.service_sum / self.in_flight_integral;
        if (little - 1.0).abs() > LITTLE.0 {
            return Some(Contradiction::LittlesLaw { factor: little, limit: LITTLE });
        }
        // Requests that were given up have no answer, and requests never sent have no service time.
        let timed_out = self.service.len() - self.first_byte.len();
        if timed_out > 0 {
            return None;
        }
        let service = self.first_byte.mean() + self.body.mean();
        let response = self.wait.mean() + service;
        let limit = PHASES;
        off(service, &self.service)
            .map(|(sum, mean)| Contradiction::ServicePhases { sum, mean, limit })
            .or_else(|| {
                let (sum, mean) = off(response, &self.response).filter(|_| self.unsent == 0)?;
                Some(Contradiction::ResponsePhases { sum, mean, limit })
            })
    }

    /// What the 99th percentile does not tell: less than 1 % of the requests took so long that the mean is beyond it. No
    /// reason to disbelieve the slice, for servers do this; but a closed loop hides in it how many would have waited.
    pub fn hidden_tail(&self) -> Option<LoadNote> {
        let (mean, p99) = (self.response.mean(), self.response.value_at_quantile(0.99));
        (self.response.len() >= FEW && mean > p99 as f64)
            .then(|| LoadNote::HiddenTail { mean: Seconds(mean / 1e9), p99: Seconds::from_nanos(p99) })
    }
}

/// From when on a delay that is part of these times is late, nanoseconds.
fn late(times: &Histogram) -> f64 {
    (LATE_SHARE * times.value_at_quantile(0.5) as f64).max(LATE)
}

/// Sum over all values beyond the limit of what each weighs.
fn beyond(histogram: &Histogram, limit: f64, weight: impl Fn(f64) -> f64) -> f64 {
    histogram
        .iter_recorded()
        .map(|cell| (cell.value_iterated_to() as f64, cell.count_at_value() as f64))
        .filter(|(value, _)| *value > limit)
        .map(|(value, count)| weight(value) * count)
        .sum()
}

/// The sum of the phases and the mean of the times that they are phases of, where the two differ too much; `sum` is
/// in nanoseconds, as the times are.
fn off(sum: f64, times: &Histogram) -> Option<(Seconds, Seconds)> {
    let mean = times.mean();
    ((sum / mean - 1.0).abs() > PHASES.0).then_some((Seconds(sum / 1e9), Seconds(mean / 1e9)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use say::Number;

    /// A second of 10 connections: 1000 requests of 10 ms, each with its first byte after 8.
    fn healthy() -> Slice {
        let mut slice = Slice::empty();
        slice.elapsed = Nanos::from_secs(1);
        (slice.requests, slice.ok) = (1000, 1000);
        (slice.in_flight_integral, slice.service_sum) = (Seconds(10.0), Seconds(10.0));
        slice.self_check.cpu_share = Share(0.79);
        slice.self_check.kernel_times = true;
        let millis = |histogram: &mut Histogram, count, millis: f64| {
            histogram.saturating_record_n((millis * 1e6) as u64, count);
        };
        millis(&mut slice.response, 1000, 10.0);
        millis(&mut slice.service, 1000, 10.0);
        millis(&mut slice.wait, 1000, 0.0);
        millis(&mut slice.first_byte, 1000, 8.0);
        millis(&mut slice.body, 1000, 2.0);
        millis(&mut slice.lag, 1000, 0.9);
        millis(&mut slice.self_check.turns, 900, 0.9);
        millis(&mut slice.self_check.turns, 9, 10.0);
        millis(&mut slice.self_check.send_delay, 990, 0.9);
        millis(&mut slice.self_check.send_delay, 10, 50.0);
        slice.self_check.send_buffer_full = Nanos::from_millis(900);
        slice.self_check.receive_drops = 10;
        slice
    }

    fn why(change: impl Fn(&mut Slice)) -> Reason {
        let mut slice = healthy();
        change(&mut slice);
        slice.why_invalid().expect("a reason")
    }

    /// Which limit the generator reached.
    fn limit(change: impl Fn(&mut Slice)) -> GeneratorLimit {
        match why(change) {
            Reason::GeneratorSaturated(limit) => limit,
            other => panic!("{other:?}"),
        }
    }

    fn near(one: impl Number, other: f64) -> bool {
        (one.number() / other - 1.0).abs() < 0.05
    }

    #[test]
    fn a_slice_within_all_limits_is_believed() {
        assert_eq!(healthy().why_invalid(), None);
        assert_eq!(healthy().hidden_tail(), None);
        let blind = Slice {
            self_check: crate::SelfCheck { kernel_times: false, ..healthy().self_check },
            ..healthy()
        };
        assert_eq!(blind.why_invalid(), None);
        assert_eq!(Slice::empty().why_invalid(), None);
        let mut refused = Slice::empty();
        refused.self_check.cpu_share = Share(0.99);
        assert_eq!(refused.why_invalid(), None, "nobody answered, so it has no figures");
    }

    #[test]
    fn a_saturated_generator_says_by_how_much() {
        let cpu = limit(|slice| slice.self_check.cpu_share = Share(0.93));
        let expected = GeneratorLimit::EventLoopBusy { share: Share(0.93), limit: Share(0.8) };
        assert_eq!(cpu, expected);
        let read_at_once = |share: f64| {
            let mut slice = healthy();
            slice.self_check.cpu_share = Share(share);
            slice.lag.reset();
            slice.lag.saturating_record_n(100_000, 1000);
            slice
        };
        assert_eq!(read_at_once(0.85).why_invalid(), None, "answers lay unseen for 1 % of the time");
        let full = GeneratorLimit::EventLoopBusy { share: Share(0.93), limit: GeneratorLimit::FULL_LOOP };
        assert_eq!(read_at_once(0.93).why_invalid(), Some(Reason::GeneratorSaturated(full)));
        let mut blind = read_at_once(0.85);
        blind.self_check.kernel_times = false;
        assert!(blind.why_invalid().is_some(), "nothing says how long they lay");
        let large = Slice { bytes: 1000 * 2 * LARGEST_SEGMENT, ..read_at_once(0.85) };
        assert!(large.why_invalid().is_some(), "the server may have waited for room in the receive buffer");
        let mut streams = Slice { bytes: 1000 * LARGEST_SEGMENT / 4, ..read_at_once(0.85) };
        assert_eq!(streams.why_invalid(), None);
        streams.http2.connections = 1;
        assert!(streams.why_invalid().is_some(), "ten streams share a receive buffer");
        let late = limit(|slice| slice.self_check.send_delay.saturating_record_n(3_000_000, 10));
        assert!(
            matches!(late, GeneratorLimit::SentLate { share, delay, p99, limit }
                if near(share, 0.02) && near(delay, 0.001) && near(p99, 0.003) && limit == SENT_LATE),
            "{late:?}"
        );
        assert!(late.is_late() && !cpu.is_late());
        let lag = limit(|slice| slice.lag.saturating_record_n(55_000_000, 20));
        assert!(
            matches!(lag, GeneratorLimit::AnswersUnseen { share, delay, limit }
                if near(share, 0.11) && near(delay, 0.001) && limit == HELD_UP),
            "{lag:?}"
        );
        let turns = limit(|slice| {
            slice.self_check.kernel_times = false;
            slice.self_check.turns.saturating_record_n(20_000_000, 1);
        });
        assert!(matches!(turns, GeneratorLimit::LongTurns { share, .. } if near(share, 0.11)), "{turns:?}");
        assert!(lag.is_late() && turns.is_late());
    }

    #[test]
    fn what_is_late_depends_on_what_is_measured() {
        // Half a second a request: 20 ms more or less are nothing.
        let mut slow = healthy();
        for times in [&mut slow.response, &mut slow.service, &mut slow.first_byte] {
            times.reset();
            times.saturating_record_n(500_000_000, 1000);
        }
        slow.body.reset();
        slow.body.saturating_record_n(0, 1000);
        slow.self_check.send_delay.saturating_record_n(20_000_000, 1000);
        slow.lag.saturating_record_n(20_000_000, 1000);
        assert_eq!(slow.why_invalid(), None);
        slow.self_check.send_delay.saturating_record_n(30_000_000, 1000);
        slow.think = Nanos::from_secs(1);
        assert_eq!(slow.why_invalid(), None, "30 ms of 1.5 s");
        slow.think = Nanos(0);
        let late = slow.why_invalid().expect("a reason");
        assert!(
            matches!(late, Reason::GeneratorSaturated(GeneratorLimit::SentLate { delay, .. }) if near(delay, 0.025)),
            "{late:?}"
        );
    }

    #[test]
    fn what_runs_out_is_named() {
        let ports = limit(|slice| slice.faults.add(Fault::PortsExhausted));
        assert_eq!(ports, GeneratorLimit::NoLocalPort { connections: 1 });
        let files = limit(|slice| slice.faults.add(Fault::DescriptorsExhausted));
        assert_eq!(files, GeneratorLimit::NoDescriptor { connections: 1 });
        let buffer = limit(|slice| slice.self_check.send_buffer_full = Nanos::from_millis(1100));
        assert!(
            matches!(buffer, GeneratorLimit::SendBufferFull { share, .. } if near(share, 0.11)),
            "{buffer:?}"
        );
        let drops = limit(|slice| slice.self_check.receive_drops = 11);
        assert!(
            matches!(drops, GeneratorLimit::SegmentsDropped { segments: 11, requests: 1000, .. }),
            "{drops:?}"
        );
        let of_long_answers = |segments: u64| {
            let mut slice = healthy();
            (slice.bytes, slice.self_check.receive_drops) = (1000 * 5_000_000, segments);
            slice.why_invalid().is_some()
        };
        assert_eq!([30, 700, 800].map(of_long_answers), [false, false, true], "76 000 segments or more");
    }

    #[test]
    fn figures_that_contradict_each_other_are_inconsistent() {
        let little = why(|slice| slice.service_sum = slice.service_sum * 1.03);
        assert!(
            matches!(little, Reason::Inconsistent(Contradiction::LittlesLaw { factor, .. }) if near(factor, 1.03)),
            "{little:?}"
        );
        let service = why(|slice| slice.body.saturating_record_n(10_000_000, 20));
        assert!(
            matches!(service, Reason::Inconsistent(Contradiction::ServicePhases { sum, mean, .. })
                if sum > mean && near(mean, 0.01)),
            "{service:?}"
        );
        let response = why(|slice| slice.wait.saturating_record_n(10_000_000, 20));
        assert!(
            matches!(response, Reason::Inconsistent(Contradiction::ResponsePhases { sum, mean, .. })
                if sum > mean && near(mean, 0.01)),
            "{response:?}"
        );
    }

    #[test]
    fn a_tail_that_holds_most_of_the_time_is_told_and_believed() {
        let mut slice = healthy();
        for times in [&mut slice.response, &mut slice.service, &mut slice.first_byte] {
            times.saturating_record_n(10_000_000_000, 5);
        }
        slice.wait.saturating_record_n(0, 5);
        slice.body.saturating_record_n(0, 5);
        let tail = slice.hidden_tail().expect("a note");
        assert!(
            matches!(tail, LoadNote::HiddenTail { mean, p99 } if near(mean, 0.0597) && near(p99, 0.01)),
            "{tail:?}"
        );
        assert_eq!(slice.why_invalid(), None);
    }
}
