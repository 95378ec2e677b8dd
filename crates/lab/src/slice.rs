//! One slice of load on one of the running arms, with everything read at its edges.

use crate::Error;
use crate::meters::{Meter, Meters};
use crate::percentiles;
use judge::histogram::encoded;
use load::{Edge, Session, Slice, Window};
use model::outcome::Counts;
use model::record::SliceRecord;
use model::telemetry::{JvmTotals, Mark};
use model::units::Nanos;
use probe::host::{CpuTicks, psi_cpu_some, run_queue};
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The started arms of a round; everything is in the order of the arms.
#[derive(Default)]
pub(crate) struct Running {
    /// Their processes.
    pub(crate) servers: Vec<sut::Server>,
    /// Their connections in the closed loop.
    pub(crate) sessions: Vec<Session>,
    /// Seeds of the sessions' plans.
    pub(crate) seeds: Vec<u64>,
    /// What is read of their processes.
    pub(crate) meters: Meters,
}

/// Everything that is read at an edge of the counted window.
#[derive(Clone, Debug, Default)]
struct Reading {
    cpu: Vec<Nanos>,
    ticks: CpuTicks,
    psi: Option<u64>,
    run_queue: Option<u64>,
    /// Of the loaded arm.
    jvm: Option<JvmTotals>,
}

impl Reading {
    fn take(meters: &[Meter], loaded: usize) -> Result<Self, probe::Error> {
        let cpu = meters.iter().map(Meter::cpu).collect::<Result<_, _>>()?;
        Ok(Self {
            cpu,
            ticks: CpuTicks::now(),
            psi: psi_cpu_some(),
            run_queue: run_queue(),
            jvm: meters[loaded].jvm(),
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
    /// From its begin until its last request was answered.
    pub(crate) answered: Nanos,
    settle: Nanos,
    edges: [Reading; 2],
}

/// Loads arm number `loaded` for one window; what is read of all arms is read at its edges.
pub(crate) fn measure(
    session: &mut Session,
    loaded: usize,
    meters: &Meters,
    window: Window,
    stop: &AtomicBool,
) -> Result<Measured, Error> {
    let mut readings = Vec::with_capacity(2);
    let (started_ns, begun) = (wall_clock(), Instant::now());
    meters.mark(loaded, Mark::Loads);
    let slice = session.run(window, stop, &mut |edge| {
        let mark = match edge {
            Edge::CountedBegins => Mark::Begins,
            Edge::CountedEnds => Mark::Ends,
            Edge::Interval(_) => return,
        };
        readings.push(Reading::take(meters.each(), loaded));
        meters.mark(loaded, mark);
    })?;
    if slice.interrupted {
        return Err(Error::Interrupted);
    }
    let mut readings = readings.into_iter();
    let (Some(begin), Some(end)) = (readings.next().transpose()?, readings.next().transpose()?) else {
        return Err(Error::Edges);
    };
    let spent = end.cpu.iter().zip(&begin.cpu);
    Ok(Measured {
        slice,
        started_ns,
        cpu: spent.map(|(end, begin)| end.since(*begin)).collect(),
        answered: begun.elapsed().into(),
        settle: window.settle,
        edges: [begin, end],
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
    pub(crate) level: usize,
    /// Open loop: requests due per second.
    pub(crate) rate: Option<f64>,
    /// Part of the search for the highest rate.
    pub(crate) probe: bool,
    /// Of the session's plan.
    pub(crate) seed: u64,
}

impl Place {
    /// The first slice of a round at a level, or at a rate that comes from there.
    pub(crate) fn of(round: u32, level: usize, rate: Option<f64>) -> Self {
        Self {
            round,
            quad: 0,
            position: 0,
            arm: 0,
            level,
            rate,
            probe: false,
            seed: 0,
        }
    }
}

impl Measured {
    /// CPU of all arms but `arm`.
    pub(crate) fn other_arms(&self, arm: usize) -> Nanos {
        let others = self.cpu.iter().enumerate().filter(|(index, _)| *index != arm);
        others.fold(Nanos(0), |sum, (_, cpu)| sum + *cpu)
    }

    /// The record that is stored.
    pub(crate) fn record(&self, place: Place) -> SliceRecord {
        let (slice, [begin, end]) = (&self.slice, &self.edges);
        let jvm = end.jvm.zip(begin.jvm);
        let millis = |end: Nanos, begin: Nanos| end.since(begin).as_secs_f64() * 1e3;
        let queues = end.run_queue.zip(begin.run_queue);
        SliceRecord {
            round: place.round,
            quad: place.quad,
            position: place.position,
            arm: place.arm,
            level: place.level,
            rate: place.rate,
            probe: place.probe,
            seed: place.seed,
            started_ns: self.started_ns,
            settle_ns: self.settle.0,
            elapsed_ns: slice.elapsed.0,
            counts: counts(slice),
            connects_settling: slice.connects_total.saturating_sub(slice.connects),
            cpu_ns_arm: self.cpu[place.arm].0,
            cpu_ns_other_arms: self.other_arms(place.arm).0,
            cpu_ns_generator: slice.generator_cpu.0,
            steal_ticks: end.ticks.steal.saturating_sub(begin.ticks.steal),
            psi_cpu_some_us: end
                .psi
                .zip(begin.psi)
                .map(|(end, begin)| end.saturating_sub(begin)),
            run_queue: queues.map(|(end, begin)| (end + begin) as f64 / 2.0),
            gc_count: jvm.map(|(end, begin)| end.gc_count.saturating_sub(begin.gc_count)),
            gc_ms: jvm.map(|(end, begin)| millis(end.gc_time, begin.gc_time)),
            jit_ms: jvm.and_then(|(end, begin)| Some(millis(end.jit_time?, begin.jit_time?))),
            in_flight: slice.in_flight_integral,
            service_sum: slice.service_sum,
            lag_p99_ns: slice.lag.value_at_quantile(0.99),
            longest_ns: percentiles::longest(slice),
            backlog: slice.stragglers + slice.unsent,
            why_invalid: slice.why_invalid(),
            response: encoded(&slice.response),
            service: encoded(&slice.service),
            connect: match slice.connect.is_empty() {
                true => Vec::new(),
                false => encoded(&slice.connect),
            },
        }
    }
}

/// The counters of a slice as reports have them.
pub fn counts(slice: &Slice) -> Counts {
    // What was due in the window and went wrong after it would else be counted nowhere.
    let mut faults = slice.faults;
    faults.merge(&slice.straggler_faults);
    Counts {
        requests: slice.requests + slice.straggler_faults.total(),
        ok: slice.ok,
        faults: faults
            .iter()
            .map(|(fault, count)| (fault.id().to_owned(), count))
            .collect(),
        connects: slice.connects,
        tls_handshakes: slice.tls_full + slice.tls_resumed,
        tls_resumed: slice.tls_resumed,
        bytes: slice.bytes,
        body_bytes: slice.body_bytes,
    }
}
