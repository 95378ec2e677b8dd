//! Measures one slice: load on one of the running arms, with readings of all arms and the host at its edges.

use crate::Error;
use crate::meters::{Meter, Meters};
use crate::percentiles;
use judge::histogram::encoded;
use load::{Edge, Session, Slice, Window};
use model::outcome::{Counts, SendDelay};
use model::record::SliceRecord;
use model::telemetry::{JvmTotals, Mark};
use model::units::Nanos;
use probe::host::{CpuTicks, psi_cpu_some, run_queue};
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The started arms of a round. All lists are in the order of the arms.
#[derive(Default)]
pub(crate) struct RunningArms {
    /// The servers.
    pub(crate) servers: Vec<sut::Server>,
    /// The connections of the closed loop.
    pub(crate) sessions: Vec<Session>,
    /// The seeds of the sessions' plans.
    pub(crate) seeds: Vec<u64>,
    /// The meters of the servers.
    pub(crate) meters: Meters,
}

/// The readings at an edge of the counted window.
#[derive(Clone, Debug, Default)]
struct EdgeReading {
    cpu: Vec<Nanos>,
    ticks: CpuTicks,
    psi: Option<u64>,
    run_queue: Option<u64>,
    /// The counters of the loaded arm's JVM.
    jvm: Option<JvmTotals>,
}

impl EdgeReading {
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

/// A slice with the readings of the servers and the host.
pub(crate) struct Measured {
    /// The measurements of the generator.
    pub(crate) slice: Slice,
    /// The time of its begin, in nanoseconds since the epoch.
    pub(crate) started_ns: u64,
    /// The CPU time of every arm between the edges.
    pub(crate) cpu: Vec<Nanos>,
    /// The time from its begin until its last request was answered.
    pub(crate) answered: Nanos,
    settle: Nanos,
    edges: [EdgeReading; 2],
}

/// Loads arm number `loaded` for one window, and reads all arms and the host at its edges.
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
        readings.push(EdgeReading::take(meters.each(), loaded));
        meters.mark(loaded, mark);
    })?;
    if slice.interrupted {
        return Err(Error::Interrupted);
    }
    let mut readings = readings.into_iter();
    let (Some(begin), Some(end)) = (readings.next().transpose()?, readings.next().transpose()?) else {
        return Err(Error::Edges);
    };
    let cpu = end.cpu.iter().zip(&begin.cpu);
    Ok(Measured {
        slice,
        started_ns,
        cpu: cpu.map(|(end, begin)| end.since(*begin)).collect(),
        answered: begun.elapsed().into(),
        settle: window.settle,
        edges: [begin, end],
    })
}

/// The wall clock in nanoseconds since the epoch.
pub(crate) fn wall_clock() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| Nanos::from(since).0)
}

/// The position of a slice in its round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlicePosition {
    pub(crate) round: u32,
    pub(crate) quad: u32,
    pub(crate) position: u32,
    pub(crate) arm: usize,
    pub(crate) level: usize,
    /// The requests due per second; `None` in the closed loop.
    pub(crate) rate: Option<f64>,
    /// Whether the slice is part of the search for the highest rate.
    pub(crate) probe: bool,
    /// Whether the slice is a point of the curve over rates.
    pub(crate) curve: bool,
    /// The seed of the session's plan.
    pub(crate) seed: u64,
}

impl SlicePosition {
    /// The position of the first slice of a round at a level, or at a rate that comes from the level.
    pub(crate) fn first(round: u32, level: usize, rate: Option<f64>) -> Self {
        Self {
            round,
            quad: 0,
            position: 0,
            arm: 0,
            level,
            rate,
            probe: false,
            curve: false,
            seed: 0,
        }
    }
}

impl Measured {
    /// The CPU time of all arms but `arm`.
    pub(crate) fn other_arms(&self, arm: usize) -> Nanos {
        let others = self.cpu.iter().enumerate().filter(|(index, _)| *index != arm);
        others.fold(Nanos(0), |sum, (_, cpu)| sum + *cpu)
    }

    /// The record of the slice for the store.
    pub(crate) fn record(&self, position: SlicePosition) -> SliceRecord {
        let (slice, [begin, end]) = (&self.slice, &self.edges);
        let jvm = end.jvm.zip(begin.jvm);
        let millis = |end: Nanos, begin: Nanos| end.since(begin).as_secs_f64() * 1e3;
        let queues = end.run_queue.zip(begin.run_queue);
        SliceRecord {
            round: position.round,
            quad: position.quad,
            position: position.position,
            arm: position.arm,
            level: position.level,
            rate: position.rate,
            probe: position.probe,
            curve: position.curve,
            seed: position.seed,
            started_ns: self.started_ns,
            settle_ns: self.settle.0,
            elapsed_ns: slice.elapsed.0,
            counts: counts(slice),
            connects_settling: slice.connects_total.saturating_sub(slice.connects),
            cpu_ns_arm: self.cpu[position.arm].0,
            cpu_ns_other_arms: self.other_arms(position.arm).0,
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
            send_delay: position.rate.and_then(|_| send_delay(slice)),
            longest_ns: percentiles::longest(slice),
            backlog: slice.stragglers + slice.unsent,
            why_invalid: slice.why_invalid(),
            response: encoded(&slice.response),
            undelayed: match position.rate {
                Some(_) => encoded(&slice.self_check.undelayed),
                None => Vec::new(),
            },
            service: encoded(&slice.service),
            connect: match slice.connect.is_empty() {
                true => Vec::new(),
                false => encoded(&slice.connect),
            },
        }
    }
}

/// How late the generator sent the requests of a slice; `None` where none was due before it was sent.
pub fn send_delay(slice: &Slice) -> Option<SendDelay> {
    let delays = Some(&slice.self_check.send_delay).filter(|delays| !delays.is_empty())?;
    let [p50, p99] = [0.5, 0.99].map(|q| delays.value_at_quantile(q) as f64 / 1e9);
    Some(SendDelay { p50, p99 })
}

/// The counters of a slice for reports.
pub fn counts(slice: &Slice) -> Counts {
    // Requests that were due in the window and failed after it would otherwise be counted nowhere.
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
