//! [`ToldFigures`]: what a server tells of itself by its metrics, where nobody can see its process.

use record::finding::Cause;
use record::inspection::HeapSeen;
use record::outcome::Effective;
use record::rounds::{RoundRecord, SliceRecord};
use record::telemetry::{DATABASE, PoolReading, Reading, ServerReading, WORKERS};

/// Fewest readings under load that are a picture of it.
const FEWEST: usize = 3;
/// Least time under load between the first and the last reading of a start, in seconds, in which counters count: some ticks of them.
const SHORTEST: f64 = 1.0;
/// A reading in a slice is answered so long after its end at most, in nanoseconds.
const LATE: u64 = 50_000_000;

/// The figures of a server while it was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToldFigures {
    /// CPUs that it used, and CPUs that it has; `None` where it does not tell both.
    pub(crate) cpu: Option<(f64, f64)>,
    /// Share of the time in which it collected garbage, and collections per second; `None` where it tells of no heap.
    pub(crate) gc: Option<(f64, f64)>,
    /// The least heap that was in use, which is what collections leave, and the most that there may be.
    pub(crate) heap: Option<HeapSeen>,
    /// The threads that serve requests.
    pub(crate) workers: Option<ToldPool>,
    /// The connections to a database.
    pub(crate) database: Option<ToldPool>,
}

/// A pool, each figure as a mean over the readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ToldPool {
    pub(crate) busy: f64,
    /// The most that there may be.
    pub(crate) most: Option<f64>,
    /// Who waits for one.
    pub(crate) waiting: f64,
}

impl ToldFigures {
    /// What the server of these slices told; `None` where that is too little for a picture.
    pub(crate) fn of(rounds: &[RoundRecord], slices: &[&SliceRecord], effective: &Effective) -> Option<Self> {
        let mut counted = CountedUnderLoad::default();
        let mut at_once: Vec<&ServerReading> = Vec::new();
        for round in rounds {
            let slices: Vec<&SliceRecord> =
                slices.iter().copied().filter(|slice| slice.round == round.round).collect();
            let readings = readings_in(round, &slices);
            counted.add(&readings, &slices);
            at_once.extend(readings.into_iter().map(|(_, server)| server));
        }
        if at_once.len() < FEWEST {
            return None;
        }
        let pool = |name: &str| mean_pool(at_once.iter().filter_map(|server| server.pools.get(name)));
        let of_jvm = at_once.iter().filter_map(|server| server.jvm?.heap_used);
        let least = of_jvm.min();
        let is_long = counted.seconds >= SHORTEST;
        let share = |seconds: f64| (seconds / counted.seconds).min(1.0);
        let cpus = effective.processors.filter(|_| is_long && counted.has_cpu).map(|cpus| cpus as f64);
        Some(Self {
            cpu: cpus.map(|cpus| ((counted.cpu / counted.seconds).min(cpus), cpus)),
            gc: (is_long && least.is_some())
                .then(|| (share(counted.collecting), counted.collections / counted.seconds)),
            heap: least.zip(effective.heap).map(|(live, most)| HeapSeen { live, most }),
            workers: pool(WORKERS),
            database: pool(DATABASE),
        })
    }

    /// Whether it tells enough for this cause: whether a pool limits depends on the CPU, too.
    pub(crate) const fn shows(&self, cause: Cause) -> bool {
        match cause {
            Cause::ServerCpuSaturated => self.cpu.is_some(),
            Cause::ThreadPoolLimit => self.cpu.is_some() && self.workers.is_some(),
            Cause::ApplicationPoolLimit => self.cpu.is_some() && self.database.is_some(),
            Cause::GcPressure | Cause::HeapNearlyFull => self.gc.is_some() && self.heap.is_some(),
            _ => false,
        }
    }
}

/// What counters counted under load, in seconds.
#[derive(Debug, Default)]
struct CountedUnderLoad {
    seconds: f64,
    cpu: f64,
    has_cpu: bool,
    collecting: f64,
    collections: f64,
}

impl CountedUnderLoad {
    /// Adds what was counted between the first and the last reading of a start. What is counted between slices is counted for nothing else,
    /// so only the time of the slices is.
    fn add(&mut self, readings: &[(u64, &ServerReading)], slices: &[&SliceRecord]) {
        let [(from, first), .., (to, last)] = readings else { return };
        let loaded = slices.iter().map(|slice| {
            let end = slice.started_ns + slice.settle_ns + slice.elapsed_ns;
            end.min(*to).saturating_sub(slice.started_ns.max(*from))
        });
        self.seconds += loaded.sum::<u64>() as f64 / 1e9;
        if let (Some(before), Some(after)) = (first.times, last.times) {
            let used = (after.user + after.kernel).since(before.user + before.kernel);
            (self.cpu, self.has_cpu) = (self.cpu + used.as_secs_f64(), true);
        }
        if let (Some(before), Some(after)) = (first.jvm, last.jvm) {
            self.collecting += after.gc_time.since(before.gc_time).as_secs_f64();
            self.collections += after.gc_count.saturating_sub(before.gc_count) as f64;
        }
    }
}

/// What the server of these slices of a round told during them, each with its time in nanoseconds since the epoch.
fn readings_in<'a>(round: &'a RoundRecord, slices: &[&SliceRecord]) -> Vec<(u64, &'a ServerReading)> {
    let Some(arm) = slices.first().map(|slice| slice.arm) else { return Vec::new() };
    let is_within = |reading: &&Reading| {
        slices.iter().any(|slice| {
            let begins = slice.started_ns + slice.settle_ns;
            (begins..=begins + slice.elapsed_ns + LATE).contains(&reading.at_ns)
        })
    };
    let within = round.telemetry.iter().filter(is_within);
    within.filter_map(|reading| Some((reading.at_ns, reading.servers.get(arm)?.as_ref()?))).collect()
}

fn mean_pool<'a>(readings: impl Iterator<Item = &'a PoolReading>) -> Option<ToldPool> {
    let all: Vec<&PoolReading> = readings.collect();
    let mean = |value: fn(&PoolReading) -> u64| {
        all.iter().map(|pool| value(pool) as f64).sum::<f64>() / all.len() as f64
    };
    (!all.is_empty()).then(|| ToldPool {
        busy: mean(|pool| pool.busy),
        most: all.iter().filter_map(|pool| pool.most).max().map(|most| most as f64),
        waiting: mean(|pool| pool.waiting.unwrap_or(0)),
    })
}
