//! The time line: the results of every slice over time, and what telemetry read during it.

use super::rounded;
use model::load::Load;
use model::units::Seconds;
use record::rounds::{RoundRecord, RunRecord, SliceRecord};
use record::series::{Timeline, Track, TrackId};
use record::telemetry::{Reading, ServerReading, WORKERS};

/// Most points of a time line. A page with more opens slowly, and nobody could tell them apart.
const MOST: usize = 12_000;
/// The kernel's unit of stolen time (USER_HZ).
const TICKS_PER_SECOND: f64 = 100.0;

/// A point of the time line: one slice, or the mean of neighbouring slices of an arm.
struct TimelinePoint {
    /// Since the first slice, in seconds.
    at: f64,
    arm: usize,
    start: u32,
    load: usize,
    values: [Option<f64>; TrackId::ALL.len()],
}

/// The time line of all slices. Slices that do not count are in it too, so that the reader can see why they do not.
pub(super) fn timeline(run: &RunRecord, rounds: &[RoundRecord]) -> Timeline {
    let of_rounds = rounds.iter().flat_map(|round| round.slices.iter().map(move |slice| (round, slice)));
    let mut slices: Vec<(&RoundRecord, &SliceRecord)> = of_rounds.collect();
    slices.sort_by_key(|(_, slice)| slice.started_ns);
    let Some(first) = slices.first().map(|(_, slice)| slice.started_ns) else {
        return Timeline::default();
    };
    let cpus = run.fingerprint.get("cpus").and_then(|cpus| cpus.parse().ok());
    let mut loads: Vec<Load> = Vec::new();
    let points: Vec<TimelinePoint> = slices
        .iter()
        .map(|(round, slice)| TimelinePoint {
            at: (slice.started_ns - first + slice.settle_ns) as f64 / 1e9,
            arm: slice.arm,
            start: slice.round,
            load: index_of(&mut loads, load_of(run, slice)),
            values: track_values(slice, round.readings(slice), cpus),
        })
        .collect();
    let each = points.len().div_ceil(MOST);
    timeline_of(join_neighbours(points, each), loads, each)
}

fn load_of(run: &RunRecord, slice: &SliceRecord) -> Load {
    slice.open_load().unwrap_or_else(|| run.experiment.load.level(slice.level))
}

/// The index of a load; a new load is added at the end.
fn index_of(loads: &mut Vec<Load>, load: Load) -> usize {
    loads.iter().position(|known| *known == load).unwrap_or_else(|| {
        loads.push(load);
        loads.len() - 1
    })
}

/// The values of a slice on all tracks, in the order of [`TrackId::ALL`].
fn track_values(
    slice: &SliceRecord,
    readings: &[Reading],
    cpus: Option<f64>,
) -> [Option<f64>; TrackId::ALL.len()] {
    let elapsed = slice.elapsed_ns.max(1) as f64 / 1e9;
    let times = if slice.rate.is_some() { &slice.response } else { &slice.service };
    let times = times.as_ref().filter(|times| !times.is_empty());
    let quantile = |q: f64| Some(times.as_ref()?.value_at_quantile(q) as f64 / 1e9);
    let per_second = |sum: f64| sum / elapsed;
    let most = |field: &dyn Fn(&ServerReading) -> Option<u64>| {
        let servers = readings.iter().filter_map(|reading| reading.servers.get(slice.arm)?.as_ref());
        servers.filter_map(field).max().map(|most| most as f64)
    };
    let value = |id: TrackId| match id {
        TrackId::Throughput => Some(per_second(slice.counts.ok as f64)),
        TrackId::P50 => quantile(0.5),
        TrackId::P99 => quantile(0.99),
        TrackId::Cpu => Some(per_second(slice.cpu_ns_arm as f64 / 1e9)),
        TrackId::Gc => slice.gc_ms.map(|millis| per_second(millis / 1e3)),
        TrackId::Jit => slice.jit_ms.map(per_second),
        TrackId::Steal => cpus.map(|cpus| per_second(slice.steal_ticks as f64 / TICKS_PER_SECOND) / cpus),
        TrackId::RunQueue => slice.run_queue.map(|tasks| tasks.0),
        TrackId::AcceptQueue => most(&|server| server.queue.map(|queue| u64::from(queue.waiting))),
        TrackId::Busy => {
            let told = || most(&|server| server.pools.get(WORKERS).map(|pool| pool.busy));
            busy_threads(slice.arm, readings).or_else(told)
        }
        TrackId::Threads => most(&|server| Some(server.holdings.threads)),
        TrackId::Generator => Some(per_second(slice.cpu_ns_generator as f64 / 1e9)),
    };
    TrackId::ALL.map(value)
}

/// Groups of threads that serve requests, by the names that `probe` gives them.
const SERVING: [&str; 2] = ["workers", "carriers"];

/// How many of the threads that serve requests ran or waited for a CPU, on average between the first and the last reading;
/// `None` where the server has no threads that are known to serve requests.
fn busy_threads(arm: usize, readings: &[Reading]) -> Option<f64> {
    let (first, last) = (readings.first()?, readings.last()?);
    let spent = |reading: &Reading| {
        let groups = &reading.servers.get(arm)?.as_ref()?.groups;
        let serving = SERVING.into_iter().filter_map(|name| groups.get(name));
        serving.map(|group| (group.cpu + group.waited).as_secs_f64()).reduce(|sum, one| sum + one)
    };
    let seconds = last.at_ns.saturating_sub(first.at_ns) as f64 / 1e9;
    let active = spent(last)? - spent(first)?;
    (seconds > 0.0).then_some((active / seconds).max(0.0))
}

/// Replaces every `each` neighbouring points of an arm in one start under one load by their mean.
fn join_neighbours(points: Vec<TimelinePoint>, each: usize) -> Vec<TimelinePoint> {
    if each < 2 {
        return points;
    }
    let mut points = points;
    points.sort_by_key(|point| (point.start, point.load, point.arm));
    let alike = |one: &TimelinePoint, next: &TimelinePoint| {
        (one.start, one.load, one.arm) == (next.start, next.load, next.arm)
    };
    let mut joined: Vec<TimelinePoint> =
        points.chunk_by(alike).flat_map(|neighbours| neighbours.chunks(each)).map(mean_point).collect();
    joined.sort_by(|one, next| one.at.total_cmp(&next.at));
    joined
}

fn mean_point(points: &[TimelinePoint]) -> TimelinePoint {
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let mut values = [None; TrackId::ALL.len()];
    for (index, value) in values.iter_mut().enumerate() {
        *value = mean(points.iter().filter_map(|point| point.values[index]).collect());
    }
    TimelinePoint {
        at: points.iter().map(|point| point.at).sum::<f64>() / points.len() as f64,
        values,
        ..points[0]
    }
}

/// The points as columns; tracks without a single value are left out.
fn timeline_of(points: Vec<TimelinePoint>, loads: Vec<Load>, each: usize) -> Timeline {
    let track = |(index, id): (usize, TrackId)| {
        let values: Vec<Option<f64>> = points.iter().map(|point| point.values[index].map(rounded)).collect();
        values.iter().any(Option::is_some).then_some(Track { id, values })
    };
    Timeline {
        at: points.iter().map(|point| Seconds((point.at * 100.0).round() / 100.0)).collect(),
        arm: points.iter().map(|point| point.arm).collect(),
        start: points.iter().map(|point| point.start).collect(),
        load: points.iter().map(|point| point.load).collect(),
        tracks: TrackId::ALL.into_iter().enumerate().filter_map(track).collect(),
        loads,
        each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use record::telemetry::GroupTotals;

    #[test]
    fn serving_threads_are_busy_while_they_run_or_wait_for_a_cpu() {
        let reading = |at_ns: u64, millis: [u64; 3]| {
            let [workers, waited, jit] = millis.map(Nanos::from_millis);
            let totals = |cpu, waited| GroupTotals { cpu, waited, ..GroupTotals::default() };
            let groups = [("workers", totals(workers, waited)), ("JIT", totals(jit, jit))];
            let server = ServerReading {
                groups: groups.map(|(name, totals)| (name.to_owned(), totals)).into(),
                ..ServerReading::default()
            };
            Reading { at_ns, servers: vec![None, Some(server)], ..Reading::default() }
        };
        let readings = [reading(0, [1000, 100, 0]), reading(500_000_000, [1600, 500, 400])];
        assert_eq!(busy_threads(1, &readings), Some(2.0));
        assert_eq!(busy_threads(0, &readings), None);
        assert_eq!(busy_threads(1, &[]), None);
    }

    #[test]
    fn neighbours_of_an_arm_become_one_point() {
        let point = |at: f64, arm: usize, value: f64| TimelinePoint {
            at,
            arm,
            start: 1,
            load: 0,
            values: [Some(value); TrackId::ALL.len()],
        };
        let four = vec![point(0.0, 0, 1.0), point(1.0, 1, 5.0), point(2.0, 1, 7.0), point(4.0, 0, 3.0)];
        let two = join_neighbours(four, 2);
        let joined: Vec<_> = two.iter().map(|p| (p.at, p.arm, p.values[0])).collect();
        assert_eq!(joined, [(1.5, 1, Some(6.0)), (2.0, 0, Some(2.0))]);
    }
}
