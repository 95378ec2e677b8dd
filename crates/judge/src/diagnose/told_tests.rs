//! Causes that rest on what a server tells of itself by its metrics.

use super::tests::{NONE, Scene, numbers};
use model::units::{Bytes, Count, Cpus, Nanos};
use record::telemetry::{CpuTimes, DATABASE, JvmTotals, PoolReading, Reading, ServerReading, WORKERS};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// What a server tells in a second of load.
#[derive(Clone, Copy)]
struct Telling {
    /// CPUs in use.
    cpus: f64,
    /// Milliseconds in collections.
    collecting: u64,
    /// MiB of the heap of 256 that are in use.
    heap: u64,
    workers: PoolReading,
    database: PoolReading,
}

const fn pool(busy: u64, most: u64, waiting: Option<u64>) -> PoolReading {
    PoolReading { busy, most: Some(most), waiting }
}

const CALM: Telling = Telling {
    cpus: 0.2,
    collecting: 5,
    heap: 90,
    workers: pool(20, 200, None),
    database: pool(3, 10, Some(0)),
};

/// The scene on another machine with four CPUs, whose process nobody can see, and that tells this once a second: slices of it last half of
/// each second.
fn telling(scene: Scene, told: Telling) -> Scene {
    let scene = scene
        .arm(|arm| arm.origin = "https://green.example.com".to_owned().try_into().ok())
        .running(|effective| effective.processors = Some(4));
    let mut scene = scene;
    let round = &mut scene.rounds[0];
    for (index, slice) in round.slices.iter_mut().enumerate() {
        (slice.started_ns, slice.settle_ns) = (index as u64 * SECOND, 0);
        slice.elapsed_ns = SECOND / 2;
        slice.cpu_ns_arm = 0;
        // Half of the time is loaded, and the server does nothing in the other half.
        let passed = index as f64 / 2.0;
        let jvm = JvmTotals {
            gc_count: 2 * index as u64,
            gc_time: Nanos::from_millis(told.collecting * index as u64 / 2),
            heap_used: Some(Bytes((told.heap + 40 * (index as u64 % 2)) << 20)),
            ..JvmTotals::default()
        };
        let server = ServerReading {
            times: Some(CpuTimes { user: Nanos::from_secs_f64(told.cpus * passed), kernel: Nanos(0) }),
            jvm: Some(jvm),
            pools: [(WORKERS.to_owned(), told.workers), (DATABASE.to_owned(), told.database)].into(),
            ..ServerReading::default()
        };
        let at_ns = slice.started_ns + SECOND / 100;
        round.telemetry.push(Reading { at_ns, servers: vec![Some(server)], ..Reading::default() });
    }
    scene
}

/// Users who wait for 100 threads: 50 requests in half a second.
fn pressed() -> Scene {
    Scene::healthy().load(500, 100, 0.02)
}

#[test]
fn a_full_pool_of_threads_is_named_by_what_the_server_tells_of_it() {
    let busy = Telling { workers: pool(199, 200, None), ..CALM };
    let found = telling(pressed(), busy).first();
    assert_eq!(found.cause().id(), "thread-pool-limit");
    assert!(found.by_metrics && found.change.is_empty(), "nobody can set a key of it: {found:?}");
    let ceiling = numbers!(found, ThreadPoolLimit).ceiling;
    assert!((ceiling.busy.0 - 0.05).abs() < 0.01, "0.2 of its four CPUs: {ceiling:?}");
    assert_eq!(telling(pressed(), CALM).causes(), NONE, "most threads are free");
    let full = telling(pressed(), Telling { cpus: 3.8, ..busy });
    assert_eq!(full.causes(), ["server-cpu-saturated"], "more threads would only share the CPU");
}

#[test]
fn a_full_cpu_is_that_of_the_other_machine() {
    let found = telling(pressed(), Telling { cpus: 3.8, ..CALM }).first();
    let full = numbers!(found, ServerCpuSaturated);
    assert!((full.used.0 - 3.8).abs() < 0.1 && full.cpus == Cpus(4.0), "{full:?}");
    assert!(found.by_metrics && found.expected);
}

#[test]
fn requests_that_wait_for_a_connection_to_a_database_are_counted() {
    let waits = Telling { database: pool(10, 10, Some(180)), ..CALM };
    let found = telling(pressed(), waits).first();
    assert_eq!((found.cause().id(), found.by_metrics), ("application-pool-limit", true));
    let used_up = numbers!(found, ApplicationPoolLimit);
    assert_eq!((used_up.slots, used_up.waiting), (Count(10.0), Count(180.0)));
    let free = Telling { database: pool(4, 10, Some(180)), ..CALM };
    assert_eq!(telling(pressed(), free).causes(), NONE, "some are free");
}

#[test]
fn collections_and_a_full_heap_are_named() {
    let collecting = Telling { collecting: 300, ..CALM };
    let found = telling(pressed(), collecting).first();
    let collections = numbers!(found, GcPressure);
    assert!((collections.share.0 - 0.3).abs() < 0.02, "of the time under load: {collections:?}");
    let full = Telling { heap: 230, ..collecting };
    let causes = telling(pressed(), full).causes();
    assert!(causes.contains(&"heap-nearly-full"), "{causes:?}");
    let heap = Telling { heap: 230, ..CALM };
    assert_eq!(telling(pressed(), heap).causes(), NONE, "full, and the collector has little to do");
}

#[test]
fn what_is_not_told_is_no_figure_and_few_readings_are_none() {
    let busy = Telling { cpus: 3.8, collecting: 900, workers: pool(200, 200, None), ..CALM };
    let unknown = telling(pressed(), busy).running(|effective| effective.processors = None);
    let causes = unknown.causes();
    assert!(
        !causes.iter().any(|cause| ["server-cpu-saturated", "thread-pool-limit"].contains(cause)),
        "{causes:?}"
    );
    let mut few = telling(pressed(), busy);
    few.rounds[0].telemetry.truncate(2);
    assert_eq!(few.causes(), NONE);
}
