//! Whether a slice may be believed: the generator's own limits, and the arithmetic that any measurement has to obey.
//!
//! A limit may depend on what the generator did, and never on what the server did: a gate that throws away the slices in
//! which a server stalled would flatter every server that stalls.

use crate::{Fault, Histogram, Slice};

/// CPU of the busiest event loop, as a share of its core, beyond which answers may have waited for us.
const CPU: f64 = 0.80;
/// The least time that is called late, nanoseconds: less is what any scheduler does.
const LATE: f64 = 1e6;
/// Times are late beyond this share of the median time that they are part of.
const LATE_SHARE: f64 = 0.05;
/// Share of the requests that may have been sent late: beyond it less than 99 % of the intended rate was sent when intended,
/// and the 99th percentile is ours.
const SENT_LATE: f64 = 0.01;
/// Share of the time that requests were in flight, or of the whole, that the generator may have held up.
const HELD_UP: f64 = 0.10;
/// Segments that may have been dropped per request: a few are repetitions on a lossy path.
const DROPS: f64 = 0.01;
/// How far Little's law may be missed; both sides are cut at the same edges, so that an open loop needs no more than a
/// closed one.
const LITTLE: f64 = 0.02;
/// How far the phases of the requests may be from their whole.
const PHASES: f64 = 0.01;
/// Fewer requests say nothing about shares and percentiles.
const FEW: u64 = 100;

/// How we say that we were late.
const LATE_WORDS: [&str; 3] = [
    " left more than ",
    " unseen for more than ",
    " turns of the event loop for more than ",
];

/// Whether such a reason is that we did something later than we could have, which is not always for want of room of our own.
pub fn is_late(why: &str) -> bool {
    LATE_WORDS.iter().any(|words| why.contains(words))
}

impl Slice {
    /// Why the slice says more about the generator than about the server: `generator-saturated: ...`, with the figure
    /// and its limit; or why its own figures contradict each other: `inconsistent: ...`. `None` when it may be believed.
    pub fn why_invalid(&self) -> Option<String> {
        let saturated = self
            .cpu()
            .or_else(|| self.sent_late())
            .or_else(|| self.seen_late())
            .or_else(|| self.buffers())
            .or_else(|| self.resources());
        saturated
            .map(|why| format!("generator-saturated: {why}"))
            .or_else(|| self.contradiction().map(|why| format!("inconsistent: {why}")))
    }

    fn cpu(&self) -> Option<String> {
        let share = self.self_check.cpu_share;
        (share > CPU).then(|| {
            format!(
                "an event loop used {:.0} % of its core (limit {:.0} %); use more shards or less load",
                100.0 * share,
                100.0 * CPU
            )
        })
    }

    /// Requests that were due, found a connection free, and did not leave.
    fn sent_late(&self) -> Option<String> {
        let delays = &self.self_check.send_delay;
        // Of the service time: the response time contains the delay, and would excuse it.
        let limit = late(&self.service);
        let share = beyond(delays, limit, |_| 1.0) / delays.len().max(1) as f64;
        (delays.len() >= FEW && share > SENT_LATE).then(|| {
            format!(
                "{:.1} % of the requests left more than {:.1} ms after they could have (limit {:.0} %), 99 % of them within {:.1} ms",
                100.0 * share,
                limit / 1e6,
                100.0 * SENT_LATE,
                delays.value_at_quantile(0.99) as f64 / 1e6
            )
        })
    }

    /// Answers that had arrived and were not seen. Shares of time and not of requests: a loop that stands still for a
    /// tenth of a second holds up only as many requests as it has connections, however many it makes in between.
    fn seen_late(&self) -> Option<String> {
        let limit = late(&self.service);
        let (held_up, of) = if self.self_check.kernel_times {
            let share = beyond(&self.lag, limit, |lag| lag / 1e9) / self.service_sum;
            (share, "the time requests were in flight, answers lay unseen")
        } else {
            let share = beyond(&self.self_check.turns, limit, |turn| turn / 1e9) / self.elapsed.as_secs_f64();
            (
                share,
                "the time, answers may have lain unseen in turns of the event loop",
            )
        };
        (self.requests >= FEW && held_up > HELD_UP).then(|| {
            format!(
                "for {:.0} % of {of} for more than {:.1} ms (limit {:.0} %)",
                100.0 * held_up,
                limit / 1e6,
                100.0 * HELD_UP
            )
        })
    }

    fn buffers(&self) -> Option<String> {
        let full = self.self_check.send_buffer_full.as_secs_f64() / self.in_flight_integral;
        let drops = self.self_check.receive_drops;
        if full > HELD_UP {
            Some(format!(
                "for {:.0} % of the time requests were in flight the send buffer was too small (limit {:.0} %)",
                100.0 * full,
                100.0 * HELD_UP
            ))
        } else if drops as f64 > DROPS * self.requests as f64 {
            Some(format!(
                "the kernel dropped {drops} segments on their way into the receive queues (limit {:.0} % of {} requests)",
                100.0 * DROPS,
                self.requests
            ))
        } else {
            None
        }
    }

    fn resources(&self) -> Option<String> {
        let ports = self.faults.count(Fault::PortsExhausted);
        let descriptors = self.faults.count(Fault::DescriptorsExhausted);
        match (ports, descriptors) {
            (1.., _) => Some(format!("{ports} connects found no free local port (limit 0)")),
            (_, 1..) => Some(format!(
                "{descriptors} connects found no free file descriptor (limit 0)"
            )),
            _ => None,
        }
    }

    /// Little's law with the edges accounted for, and phases that do not add up.
    fn contradiction(&self) -> Option<String> {
        if self.requests < FEW || self.service.len() < FEW {
            return None;
        }
        let little = self.service_sum / self.in_flight_integral;
        if (little - 1.0).abs() > LITTLE {
            return Some(format!(
                "by Little's law the number in flight is off by a factor of {little:.3} (limit {:.0} %)",
                100.0 * LITTLE
            ));
        }
        // Requests that were given up have no answer, and those never sent have no service time.
        let timed_out = self.service.len() - self.first_byte.len();
        if timed_out > 0 {
            return None;
        }
        let service = self.first_byte.mean() + self.body.mean();
        let response = self.wait.mean() + service;
        off("first byte and body", "service", service, &self.service).or_else(|| {
            let whole = self.unsent == 0;
            whole.then(|| {
                off(
                    "waiting, first byte and body",
                    "response",
                    response,
                    &self.response,
                )
            })?
        })
    }

    /// What the 99th percentile does not tell: less than 1 % of the requests took so long that the mean is beyond it. No
    /// reason to disbelieve the slice, for servers do this; but a closed loop hides in it how many would have waited.
    pub fn hidden_tail(&self) -> Option<String> {
        let (mean, p99) = (self.response.mean(), self.response.value_at_quantile(0.99));
        (self.response.len() >= FEW && mean > p99 as f64).then(|| {
            format!(
                "less than 1 % of the requests took most of the time: the mean, {:.1} ms, is beyond the 99th percentile, {:.1} ms",
                mean / 1e6,
                p99 as f64 / 1e6
            )
        })
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

fn off(phases: &str, whole: &str, sum: f64, times: &Histogram) -> Option<String> {
    let mean = times.mean();
    ((sum / mean - 1.0).abs() > PHASES).then(|| {
        format!(
            "{phases} add up to {sum:.0} ns, the {whole} time is {mean:.0} ns (limit {:.0} %)",
            100.0 * PHASES
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::empty_slice;
    use model::units::Nanos;

    /// A second of 10 connections: 1000 requests of 10 ms, each with its first byte after 8.
    fn healthy() -> Slice {
        let mut slice = empty_slice();
        slice.elapsed = Nanos::from_secs(1);
        (slice.requests, slice.ok) = (1000, 1000);
        (slice.in_flight_integral, slice.service_sum) = (10.0, 10.0);
        slice.self_check.cpu_share = 0.79;
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

    fn said(change: impl Fn(&mut Slice)) -> String {
        let mut slice = healthy();
        change(&mut slice);
        slice.why_invalid().expect("a reason")
    }

    #[test]
    fn a_slice_within_all_limits_is_believed() {
        assert_eq!(healthy().why_invalid(), None);
        assert_eq!(healthy().hidden_tail(), None);
        let blind = Slice {
            self_check: crate::SelfCheck {
                kernel_times: false,
                ..healthy().self_check
            },
            ..healthy()
        };
        assert_eq!(blind.why_invalid(), None);
        assert_eq!(empty_slice().why_invalid(), None);
    }

    #[test]
    fn a_saturated_generator_says_by_how_much() {
        let cpu = said(|slice| slice.self_check.cpu_share = 0.93);
        assert!(
            cpu.starts_with("generator-saturated: an event loop used 93 % of its core (limit 80 %)"),
            "{cpu}"
        );
        let late = said(|slice| slice.self_check.send_delay.saturating_record_n(3_000_000, 10));
        assert!(
            late.starts_with("generator-saturated: 2.0 % of the requests left more than 1.0 ms after"),
            "{late}"
        );
        assert!(is_late(&late) && !is_late(&cpu));
        let lag = said(|slice| slice.lag.saturating_record_n(55_000_000, 20));
        assert!(
            lag.contains(
                "for 11 % of the time requests were in flight, answers lay unseen for more than 1.0 ms"
            ),
            "{lag}"
        );
        assert!(is_late(&lag));
        let turns = said(|slice| {
            slice.self_check.kernel_times = false;
            slice.self_check.turns.saturating_record_n(20_000_000, 1);
        });
        assert!(
            turns.contains("for 11 % of the time, answers may have lain unseen in turns"),
            "{turns}"
        );
        assert!(is_late(&turns));
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
        assert!(
            slow.why_invalid()
                .is_some_and(|why| why.contains("left more than 25.0 ms after"))
        );
    }

    #[test]
    fn what_runs_out_is_named() {
        let ports = said(|slice| slice.faults.add(Fault::PortsExhausted));
        assert!(ports.contains("1 connects found no free local port"), "{ports}");
        let files = said(|slice| slice.faults.add(Fault::DescriptorsExhausted));
        assert!(
            files.contains("1 connects found no free file descriptor"),
            "{files}"
        );
        let buffer = said(|slice| slice.self_check.send_buffer_full = Nanos::from_millis(1100));
        assert!(
            buffer.contains("for 11 % of the time requests were in flight the send buffer"),
            "{buffer}"
        );
        let drops = said(|slice| slice.self_check.receive_drops = 11);
        assert!(drops.contains("dropped 11 segments"), "{drops}");
    }

    #[test]
    fn figures_that_contradict_each_other_are_inconsistent() {
        let little = said(|slice| slice.service_sum *= 1.03);
        assert!(
            little.starts_with(
                "inconsistent: by Little's law the number in flight is off by a factor of 1.030"
            )
        );
        let service = said(|slice| slice.body.saturating_record_n(10_000_000, 20));
        assert!(
            service.starts_with("inconsistent: first byte and body add up to"),
            "{service}"
        );
        let response = said(|slice| slice.wait.saturating_record_n(10_000_000, 20));
        assert!(
            response.starts_with("inconsistent: waiting, first byte and body add up"),
            "{response}"
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
        assert!(
            slice
                .hidden_tail()
                .is_some_and(|says| says.contains("the mean, 59.7 ms, is beyond"))
        );
        assert_eq!(slice.why_invalid(), None);
    }
}
