//! One slice of load on one of the running arms, with everything read at its edges.

use crate::Error;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use load::{Edge, Histogram, Session, Slice, Window};
use model::outcome::Counts;
use model::record::SliceRecord;
use model::units::Nanos;
use probe::host::{CpuTicks, psi_cpu_some};
use probe::process::CpuClock;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

/// A started arm under load.
pub(crate) struct Running {
    /// Its process.
    pub(crate) server: sut::Server,
    /// Its connections.
    pub(crate) session: Session,
    /// Seed of the session's plan.
    pub(crate) seed: u64,
    /// The CPU clock of its process.
    pub(crate) clock: CpuClock,
}

/// Everything that is read at an edge of the counted window.
#[derive(Clone, Debug, Default)]
struct Reading {
    cpu: Vec<Nanos>,
    ticks: CpuTicks,
    psi: Option<u64>,
}

impl Reading {
    fn take(clocks: &[CpuClock]) -> Result<Self, probe::Error> {
        let cpu = clocks.iter().map(CpuClock::now).collect::<Result<_, _>>()?;
        Ok(Self {
            cpu,
            ticks: CpuTicks::now(),
            psi: psi_cpu_some(),
        })
    }
}

/// A slice and what the servers and the host did during it.
pub(crate) struct Measured {
    /// What the generator saw.
    pub(crate) slice: Slice,
    /// When it began on the wall clock, nanoseconds since the epoch.
    pub(crate) started_ns: u64,
    /// CPU of every arm's process between the edges.
    pub(crate) cpu: Vec<Nanos>,
    settle: Nanos,
    steal_ticks: u64,
    psi: Option<u64>,
}

/// Loads one arm for one window; the clocks of all arms are read at its edges.
pub(crate) fn measure(
    session: &mut Session,
    clocks: &[CpuClock],
    window: Window,
    stop: &AtomicBool,
) -> Result<Measured, Error> {
    let mut readings = Vec::with_capacity(2);
    let started_ns = wall_clock();
    let slice = session.run(window, stop, &mut |edge| {
        if matches!(edge, Edge::CountedBegins | Edge::CountedEnds) {
            readings.push(Reading::take(clocks));
        }
    })?;
    if slice.interrupted {
        return Err(Error::Interrupted);
    }
    let mut readings = readings.into_iter();
    let (Some(begin), Some(end)) = (readings.next().transpose()?, readings.next().transpose()?) else {
        return Err(Error::Edges);
    };
    let cpu = end
        .cpu
        .iter()
        .zip(&begin.cpu)
        .map(|(end, begin)| end.since(*begin))
        .collect();
    let steal_ticks = end.ticks.steal.saturating_sub(begin.ticks.steal);
    let psi = end
        .psi
        .zip(begin.psi)
        .map(|(end, begin)| end.saturating_sub(begin));
    Ok(Measured {
        slice,
        started_ns,
        cpu,
        settle: window.settle,
        steal_ticks,
        psi,
    })
}

/// Nanoseconds since the epoch.
pub(crate) fn wall_clock() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| Nanos::from(since).0)
}

/// Where a slice stands in its round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) round: u32,
    pub(crate) quad: u32,
    pub(crate) position: u32,
    pub(crate) arm: usize,
    pub(crate) against: usize,
    /// Open loop: requests due per second.
    pub(crate) rate: Option<f64>,
    /// Of the session's plan.
    pub(crate) seed: u64,
}

impl Measured {
    /// CPU of all arms but `arm`.
    pub(crate) fn other_arms(&self, arm: usize) -> Nanos {
        let others = self.cpu.iter().enumerate().filter(|(index, _)| *index != arm);
        others.fold(Nanos(0), |sum, (_, cpu)| sum + *cpu)
    }

    /// The record that is stored.
    pub(crate) fn record(&self, place: Place) -> SliceRecord {
        let slice = &self.slice;
        SliceRecord {
            round: place.round,
            quad: place.quad,
            position: place.position,
            arm: place.arm,
            against: place.against,
            rate: place.rate,
            seed: place.seed,
            started_ns: self.started_ns,
            settle_ns: self.settle.0,
            elapsed_ns: slice.elapsed.0,
            counts: counts(slice),
            cpu_ns_arm: self.cpu[place.arm].0,
            cpu_ns_other_arms: self.other_arms(place.arm).0,
            cpu_ns_generator: slice.generator_cpu.0,
            steal_ticks: self.steal_ticks,
            psi_cpu_some_us: self.psi,
            run_queue: None,
            gc_count: None,
            gc_ms: None,
            jit_ms: None,
            in_flight: slice.in_flight_integral,
            service_sum: slice.service_sum,
            lag_p99_ns: slice.lag.value_at_quantile(0.99),
            longest_ns: longest(slice),
            backlog: slice.stragglers + slice.unsent,
            why_invalid: slice.why_invalid(),
            response: encoded(&slice.response),
            service: encoded(&slice.service),
        }
    }
}

/// The counters of a slice as reports have them.
pub fn counts(slice: &Slice) -> Counts {
    Counts {
        requests: slice.requests,
        ok: slice.ok,
        faults: slice
            .faults
            .iter()
            .map(|(fault, count)| (fault.id().to_owned(), count))
            .collect(),
        connects: slice.connects,
        tls_handshakes: slice.tls_full + slice.tls_resumed,
        bytes: slice.bytes,
    }
}

/// The longest response time of each tenth of a second, over all event loops.
fn longest(slice: &Slice) -> Vec<u64> {
    let mut longest = Vec::new();
    for tenths in &slice.tenths {
        longest.resize(tenths.len().max(longest.len()), 0);
        for (most, tenth) in longest.iter_mut().zip(tenths) {
            *most = tenth.longest.0.max(*most);
        }
    }
    longest
}

/// HdrHistogram V2 deflate.
pub(crate) fn encoded(histogram: &Histogram) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and our bounds are within the format's.
    if V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .is_err()
    {
        bytes.clear();
    }
    bytes
}
