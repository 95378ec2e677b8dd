//! Whether a slice may be believed: the generator's own limits, and the arithmetic that any measurement has to obey.

use crate::{Fault, Slice};

/// CPU of the busiest event loop, as a share of its core, beyond which answers may have waited for us.
const CPU: f64 = 0.80;
/// 99th percentile of the time from when a request could be sent to when it was sent.
const SEND_DELAY: u64 = 1_000_000;
/// How far Little's law may be missed.
const LITTLE: f64 = 0.02;
/// Fewer requests say nothing about shares and percentiles.
const FEW: u64 = 100;

impl Slice {
    /// Why the slice says more about the generator than about the server: `generator-saturated: ...`, with the figure
    /// and its limit; or why its own figures contradict each other: `inconsistent: ...`. `None` when it may be believed.
    pub fn why_invalid(&self) -> Option<String> {
        let saturated = self
            .cpu()
            .or_else(|| self.send_delay())
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

    fn send_delay(&self) -> Option<String> {
        let delays = &self.self_check.send_delay;
        let delay = delays.value_at_quantile(0.99);
        (delays.len() >= FEW && delay > SEND_DELAY).then(|| {
            format!(
                "1 % of the requests left {:.1} ms or more after they could have (limit {:.0} ms)",
                delay as f64 / 1e6,
                SEND_DELAY as f64 / 1e6
            )
        })
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

    /// Little's law with the edges accounted for; a mean beyond the 99th percentile; phases that do not add up.
    fn contradiction(&self) -> Option<String> {
        if self.requests < FEW || self.service.len() < FEW {
            return None;
        }
        let little = self.service_sum / self.in_flight_integral;
        if (little - 1.0).abs() > LITTLE {
            return Some(format!(
                "by Little's law the number in flight is off by a factor of {little:.3} (limit 2 %)"
            ));
        }
        let phases = self.first_byte.mean() + self.body.mean();
        let timed_out = self.service.len() - self.first_byte.len();
        if timed_out == 0 && (phases / self.service.mean() - 1.0).abs() > LITTLE {
            return Some(format!(
                "first byte and body add up to {phases:.0} ns, the service time is {:.0} ns",
                self.service.mean()
            ));
        }
        None
    }
}
