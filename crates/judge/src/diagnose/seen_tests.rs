//! Tests of the causes that telemetry and the inspection of the server show, each where it is at work and where it is not.

use super::tests::{NONE, Scene, keys, numbers};
use ask::arm::AccessLog;
use ask::kind::Kind;
use model::reason::LinkWay;
use model::units::{Bytes, Count, Cpus, Nanos, Seconds, Share};
use record::finding::{DescriptorsExhausted, Lacking, QueueOverflow, Remedy};
use record::histogram::{SparseHistogram, new_histogram};
use record::inspection::{ArmInspection, Inspection, JfrFacts, PoolReading, Waits};
use record::outcome::{Diagnosis, Limit};
use record::telemetry::{
    AcceptQueue, CpuTimes, HostReading, InterfaceTotals, IoTotals, JvmTotals, LimitTotals, Mark, Reading,
    ServerReading,
};
use std::collections::BTreeMap;

impl Scene {
    /// Adds readings at both edges of every slice of half a second: in between, the server counted `counted`, and `idle` of 100
    /// ticks were idle.
    pub(super) fn seen(mut self, idle: u64, counted: impl Fn(&mut ServerReading)) -> Self {
        for round in &mut self.rounds {
            round.telemetry.clear();
            for (index, slice) in round.slices.iter_mut().enumerate() {
                slice.started_ns = (index as u64 + 1) * 1_000_000_000;
                let reading = |after_ns: u64, mark, server: ServerReading, (ticks, idle_ticks)| Reading {
                    at_ns: slice.started_ns + after_ns,
                    mark,
                    host: HostReading { ticks, idle_ticks, ..HostReading::default() },
                    servers: vec![Some(server)],
                };
                let mut end = ServerReading::default();
                counted(&mut end);
                let begin = ServerReading {
                    disk: Some(IoTotals::default()),
                    limits: end.limits.map(|_| LimitTotals::default()),
                    times: end.times.map(|_| CpuTimes::default()),
                    jvm: end
                        .jvm
                        .map(|_| JvmTotals { safepoint_time: Some(Nanos(0)), ..JvmTotals::default() }),
                    ..ServerReading::default()
                };
                round.telemetry.push(reading(1, Mark::Begins, begin, (0, 0)));
                round.telemetry.push(reading(500_000_000, Mark::Ends, end, (100, idle)));
            }
        }
        self
    }

    /// Adds an inspection of the server that lasted a second, with `users` requests in flight.
    fn inspected(mut self, users: f64, jfr: JfrFacts) -> Self {
        let inspection = Inspection {
            seconds: Seconds(1.0),
            ok: 100,
            in_flight: Seconds(users),
            jfr: Some(jfr),
            ..Inspection::default()
        };
        self.inspections = vec![ArmInspection { arm: 0, inspection }];
        self
    }
}

fn waits(what: &str, count: u64, seconds: f64) -> BTreeMap<String, Waits> {
    [(what.to_owned(), Waits { count, seconds: Seconds(seconds) })].into()
}

/// 32 users whose requests wait: 500 of them are answered in a second, and hardly any CPU is used.
fn waiting() -> Scene {
    Scene::healthy().load(32, 250, 0.05)
}

/// 200 users, an accept queue of 100 that overflowed `overflows` times, and connects as `(milliseconds, count)`.
fn overflowing(overflows: u64, connects: &'static [(u64, u64)]) -> Scene {
    let scene = Scene::healthy().load(200, 2000, 0.4).running(|effective| effective.max_threads = None);
    let scene = scene.slices(move |slice| {
        let mut times = new_histogram();
        for (millis, count) in connects {
            times.saturating_record_n(millis * 1_000_000, *count);
        }
        slice.connect = Some(SparseHistogram::from(&times));
    });
    scene.seen(48, move |server| {
        server.tcp.listen_overflows = overflows;
        server.queue = Some(AcceptQueue { waiting: 101, limit: 100 });
    })
}

#[test]
fn a_queue_that_overflows_shows_in_connects_of_a_second() {
    let found = overflowing(50, &[(1, 900), (1010, 60), (2040, 30), (3100, 10)]).first();
    assert_eq!(found.cause().id(), "accept-queue-overflow");
    let QueueOverflow::UnderLoad { limit, late, on_time, retries, .. } = numbers!(found, AcceptQueueOverflow)
    else {
        panic!("{found:?}")
    };
    assert_eq!((limit, late, on_time), (Count(100.0), Share(0.1), Share(1.0)));
    assert_eq!(retries, [1.0, 2.0, 3.0, 4.0, 5.0].map(Seconds));
    assert_eq!(keys(&found), ["accept_count = 220"]);
    assert_eq!(overflowing(50, &[(1, 1000)]).causes(), NONE, "nobody had to wait");
    assert_eq!(
        overflowing(0, &[(1, 900), (1700, 100)]).causes(),
        NONE,
        "connects are slow for another reason than the queue"
    );
}

#[test]
fn users_beyond_a_connection_limit_fill_the_accept_queue() {
    // Of 200 users, `there` wait for an answer or are served, each for `millis`; the server holds `most` connections.
    let first = |most: u64, there: f64, millis: u64| {
        let scene = overflowing(50, &[(1, 900), (1010, 60), (2040, 30), (3100, 10)]);
        let scene = scene.running(move |effective| effective.max_connections = Some(Limit::At(most)));
        let scene = scene.slices(move |slice| {
            let mut times = new_histogram();
            times.saturating_record_n(millis * 1_000_000, 2000);
            slice.service = Some(SparseHistogram::from(&times));
            slice.in_flight = Seconds(there * 0.5);
        });
        let causes = scene.causes();
        assert!(causes.contains(&"accept-queue-overflow"), "{causes:?}");
        causes[0]
    };
    assert_eq!(first(100, 90.0, 25), "connection-limit", "55 % are missing, of whom the limit explains 50");
    assert_eq!(
        first(180, 20.0, 5),
        "accept-queue-overflow",
        "90 % are missing, and the limit leaves 10 % out"
    );
    assert_eq!(first(200, 90.0, 25), "accept-queue-overflow", "there is room for all");
}

#[test]
fn a_server_that_its_collector_stops_accepts_nobody() {
    let stopped = |millis: f64| {
        let scene = overflowing(50, &[(1, 100), (1010, 600), (2040, 300)]);
        scene.slices(move |slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(millis)))
    };
    let first = |millis| stopped(millis).first().cause().id();
    assert_eq!(first(300.0), "gc-pressure");
    assert_eq!(first(100.0), "accept-queue-overflow", "it accepts most of the time");
}

#[test]
fn users_who_are_in_only_when_nobody_counts_are_missed() {
    // Users take 50 ms from one request to the next: 200 users make 4000 requests a second, ten users 200.
    let thinking = |ok: u64| {
        let mut scene = overflowing(50, &[(1, 1000)]).load(200, ok, 0.4).slices(|slice| {
            let mut times = new_histogram();
            times.saturating_record_n(5_000_000, ok);
            (slice.service, slice.in_flight) =
                (Some(SparseHistogram::from(&times)), Seconds(0.005 * ok as f64));
        });
        scene.thinks(Nanos::from_millis(45));
        scene
    };
    assert_eq!(thinking(2000).causes(), NONE, "all of them ask or think");
    assert_eq!(
        thinking(100).first().cause().id(),
        "accept-queue-overflow",
        "they connect, and are connected while nothing is counted"
    );
}

#[test]
fn users_who_open_connections_as_fast_as_that_goes_are_not_missed() {
    // Half of the 200 users wait for an answer. Connects of 25 ms account for the other half, or for a quarter of it.
    let connecting = |count: u64| {
        overflowing(1, &[]).slices(move |slice| {
            let mut times = new_histogram();
            times.saturating_record_n(25_000_000, count);
            (slice.connect, slice.in_flight) = (Some(SparseHistogram::from(&times)), Seconds(50.0));
        })
    };
    assert_eq!(connecting(2000).causes(), NONE);
    assert_eq!(connecting(500).first().cause().id(), "accept-queue-overflow");
}

#[test]
fn retries_follow_the_kernels_schedule() {
    assert_eq!(super::queue::retry_schedule(0), [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0]);
    assert_eq!(super::queue::retry_schedule(4), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 11.0]);
}

#[test]
fn an_inspection_is_of_its_arm_alone() {
    let waiting_for = |lock: &str| JfrFacts { monitors: waits(lock, 400, 30.0), ..JfrFacts::default() };
    let mut scene = waiting().inspected(32.0, waiting_for("shop.Late"));
    assert_eq!(numbers!(scene.first(), LockContention).lock, "shop.Late");
    scene.inspections[0].arm = 1;
    assert_eq!(scene.causes(), NONE);
}

#[test]
fn a_lock_is_named_by_the_waits_for_it() {
    let locked = |seconds| {
        let jfr = JfrFacts { monitors: waits("shop.Tickets", 400, seconds), ..JfrFacts::default() };
        waiting().inspected(32.0, jfr)
    };
    let found = locked(30.0).first();
    assert_eq!(found.cause().id(), "lock-contention");
    let wait = numbers!(found, LockContention);
    assert_eq!((wait.lock.as_str(), wait.share), ("shop.Tickets", Share(30.0 / 32.0)));
    assert_eq!(locked(3.0).causes(), NONE);
    let parked = |class| {
        let jfr = JfrFacts { parked: waits(class, 400, 30.0), ..JfrFacts::default() };
        waiting().inspected(32.0, jfr).causes()
    };
    let lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
    assert_eq!(parked(lock), ["lock-contention"]);
    let permits = "java.util.concurrent.Semaphore$NonfairSync";
    assert_eq!(parked(permits), NONE, "a permit is no lock");
    let jfr = JfrFacts { monitors: waits("shop.Tickets", 400, 30.0), ..JfrFacts::default() };
    let full = Scene::healthy().load(32, 10_000, 0.8).inspected(32.0, jfr);
    assert_eq!(
        full.first().cause().id(),
        "server-cpu-saturated",
        "on a full CPU, threads that wait for a lock wait for the CPU"
    );
}

#[test]
fn carriers_that_are_held_are_counted() {
    let pinned = |seconds| {
        let jfr = JfrFacts { pinned: waits("Object.wait or monitor", 90, seconds), ..JfrFacts::default() };
        waiting().inspected(32.0, jfr)
    };
    let found = pinned(1.9).first();
    assert_eq!((found.cause().id(), keys(&found)), ("virtual-thread-pinning", vec!["jdk = 25".to_owned()]));
    let held = |diagnosis: &Diagnosis| {
        let pinning = numbers!(diagnosis, VirtualThreadPinning);
        (pinning.held, pinning.carriers)
    };
    assert_eq!(held(&found), (Count(1.9), Count(2.0)));
    assert_eq!(pinned(0.2).causes(), NONE);
    assert_eq!(pinned(0.9).causes(), NONE);
    let one = pinned(0.9).running(|effective| effective.cpu_limit = Some(Cpus(0.8)));
    let found = one.first();
    assert_eq!(found.cause().id(), "virtual-thread-pinning");
    assert_eq!(held(&found), (Count(0.9), Count(1.0)));
}

#[test]
fn what_the_server_asks_is_slow_when_requests_wait_for_its_answer() {
    let asking = |seconds| {
        let jfr = JfrFacts { sockets: waits("127.0.0.1:11211", 500, seconds), ..JfrFacts::default() };
        waiting().inspected(32.0, jfr)
    };
    assert_eq!(asking(28.0).first().cause().id(), "backend-slow");
    assert_eq!(asking(2.0).causes(), NONE);
    let asked = |millis| {
        waiting().seen(80, move |server| {
            let service = server.services.entry("memcached".to_owned()).or_default();
            service.answered_in = Some(Nanos::from_millis(millis));
        })
    };
    // A request takes 64 ms.
    assert_eq!(asked(50).causes(), ["backend-slow"]);
    assert_eq!(asked(1).causes(), NONE);
}

#[test]
fn a_limit_of_memory_is_named_when_what_it_took_is_read_again() {
    // A slice answers 250 requests.
    let limited = |memory_hits, read| {
        let scene = waiting().running(|effective| effective.memory_limit = Some(Bytes(300 << 20)));
        scene.seen(80, move |server| {
            server.disk = Some(IoTotals { read, written: 0 });
            server.limits = Some(LimitTotals { memory_hits, ..LimitTotals::default() });
        })
    };
    let found = limited(100, 250 * 8192).first();
    assert_eq!(found.cause().id(), "memory-limit");
    assert_eq!(numbers!(found, MemoryLimit).read, 8192.0);
    assert_eq!(limited(100, 4096).causes(), NONE, "hit by what the page cache kept");
    assert_eq!(limited(0, 250 * 8192).causes(), NONE, "it reads, and there is room");
}

#[test]
fn a_collector_that_works_beside_the_server_does_not_stop_it() {
    // Shenandoah counts its whole cycles: 60 ms of each half a second, in which all threads stood still for `millis`.
    let stood = |millis| {
        let scene = Scene::healthy().slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(60.0)));
        scene.seen(50, move |server| {
            server.jvm =
                Some(JvmTotals { safepoint_time: Some(Nanos::from_millis(millis)), ..JvmTotals::default() });
        })
    };
    assert_eq!(stood(61).first().cause().id(), "gc-pressure");
    assert_eq!(stood(2).causes(), NONE);
}

#[test]
fn a_log_is_named_when_requests_wait_for_it() {
    let writing = |bytes: u64, seconds| {
        let jfr = JfrFacts { files: waits("/logs/access.log", 500, seconds), ..JfrFacts::default() };
        let scene = waiting().inspected(32.0, jfr);
        scene.seen(80, move |server| {
            server.disk = Some(IoTotals { read: 0, written: bytes });
        })
    };
    let found = writing(250 * 90, 31.0).first();
    assert_eq!(found.cause().id(), "disk-logging");
    let server = Kind::Tomcat;
    assert_eq!(found.remedy, Remedy::WriteLater { server });
    assert!(found.change.is_empty());
    let unbuffered = writing(250 * 90, 31.0).arm(|arm| arm.settings.access_log = Some(AccessLog::Unbuffered));
    assert_eq!(keys(&unbuffered.first()), ["access_log = true"]);
    assert_eq!(writing(250 * 90, 0.3).causes(), NONE, "it writes, and nobody waits");
    assert_eq!(writing(0, 31.0).causes(), NONE);
}

#[test]
fn who_waits_for_the_lock_of_a_log_waits_for_the_log() {
    // One of 32 requests writes, for all of the time; the others wait for the lock. 100 were answered.
    let behind = |writes: u64, seconds| {
        let jfr = JfrFacts {
            files: waits("/logs/journal", writes, seconds),
            monitors: waits("shop.Journal", 100, 30.0),
            ..JfrFacts::default()
        };
        let scene = waiting().inspected(32.0, jfr);
        scene.seen(80, |server| {
            server.disk = Some(IoTotals { read: 0, written: 250 * 90 });
        })
    };
    assert_eq!(behind(100, 0.95).causes(), ["disk-logging", "lock-contention"]);
    assert_eq!(behind(100, 0.1).causes(), ["lock-contention"], "writing is quick");
    assert_eq!(behind(3, 0.95).causes(), ["lock-contention"], "the writer is not a request");
}

#[test]
fn a_queue_that_was_full_before_anything_was_counted_is_no_limit() {
    let full_at_first = Scene::healthy().load(40, 2000, 0.4).seen(48, |server| {
        server.queue = Some(AcceptQueue { waiting: 11, limit: 10 });
    });
    assert_eq!(full_at_first.causes(), NONE);
}

#[test]
fn uploads_fill_a_link_as_answers_do() {
    // In half a second 45 Mbit/s carry 2.8 MB.
    let received = |bytes: u64| {
        let scene = waiting().seen(80, move |server| {
            for (name, received) in [("lo", 9 << 30), ("eth0", bytes)] {
                let totals = InterfaceTotals { received, ..InterfaceTotals::default() };
                server.interfaces.insert(name.to_owned(), totals);
            }
        });
        scene.over_link(45_000_000)
    };
    let found = received(2_700_000).first();
    assert_eq!(found.cause().id(), "link-saturated");
    assert_eq!(numbers!(found, LinkSaturated).way, LinkWay::Requests);
    assert_eq!(received(1_500_000).causes(), NONE);
}

#[test]
fn programs_that_are_no_part_of_the_run_are_strangers() {
    // Of two CPUs the server uses 0.8 and the generator 0.2: half of the machine.
    assert_eq!(Scene::healthy().seen(5, |_| ()).causes(), ["noisy-neighbour"]);
    assert_eq!(Scene::healthy().seen(45, |_| ()).causes(), NONE);
    let mut packets = Scene::healthy().seen(25, |_| ());
    assert_eq!(packets.causes(), ["noisy-neighbour"]);
    for reading in packets.rounds[0].telemetry.iter_mut().filter(|reading| reading.mark == Mark::Ends) {
        reading.host.interrupt_ticks = 15;
    }
    assert_eq!(packets.causes(), NONE, "packets of the load are no strangers");
}

#[test]
fn a_quota_counts_while_requests_do_and_not_while_the_server_starts() {
    let quota = |throttled_periods: u64| {
        let scene = Scene::healthy().load(4, 5000, 0.24);
        let scene = scene.running(|effective| effective.cpu_limit = Some(Cpus(0.5)));
        scene.seen(70, move |server| {
            server.limits = Some(LimitTotals { periods: 5, throttled_periods, ..LimitTotals::default() });
        })
    };
    assert_eq!(numbers!(quota(4).first(), CpuQuotaThrottled).waited, Some(Share(0.8)));
    assert_eq!(quota(0).causes(), NONE);
}

#[test]
fn a_server_without_a_descriptor_left_fails_requests() {
    let open = |files: u64, failed: u64| {
        let scene = Scene::healthy().slices(move |slice| {
            slice.counts.requests += failed;
            slice.counts.faults.insert("response_timeout".to_owned(), failed);
        });
        scene.seen(48, move |server| {
            (server.holdings.open_files, server.holdings.open_files_limit) = (files, Some(200));
        })
    };
    assert_eq!(open(199, 20).causes(), ["file-descriptor-limit"]);
    assert_eq!(open(199, 0).causes(), NONE, "all are open, and nobody needs more");
    assert_eq!(open(60, 20).causes(), NONE);
    let failing = |files: u64| {
        let scene = open(files, 0).slices(|slice| {
            slice.counts.requests += 1000;
            slice.counts.faults.insert("wrong_status".to_owned(), 1000);
            slice.service_sum = Seconds(10.1);
        });
        scene.causes()
    };
    assert_eq!(failing(199), ["file-descriptor-limit", "errors-fast"], "errors are its effect");
    assert_eq!(failing(60), ["errors-fast"]);
    // 300 users take 51 ms from one request to the next: 4000 requests a second come from 204 users.
    let waiting = |files: u64, ok: u64| {
        let mut scene = open(files, 0).load(300, ok, 0.4).slices(move |slice| {
            let mut times = new_histogram();
            times.saturating_record_n(1_000_000, ok);
            (slice.service, slice.in_flight) = (Some(SparseHistogram::from(&times)), Seconds(0.002));
        });
        scene.thinks(Nanos::from_millis(50));
        scene
    };
    let found = waiting(199, 2000).first();
    assert_eq!(found.cause().id(), "file-descriptor-limit");
    let DescriptorsExhausted::OfServer { lacking, .. } = numbers!(found, FileDescriptorLimit) else {
        panic!("{found:?}")
    };
    let Lacking::Users { left_out, users } = lacking else { panic!("{lacking:?}") };
    assert!((left_out.0 - 96.0).abs() < 0.5 && users == Count(300.0), "{lacking:?}");
    assert_eq!(waiting(199, 2920).causes(), NONE, "all are served");
}

#[test]
fn threads_that_the_server_says_are_idle_are_no_limit() {
    let busy = |busy| {
        let mut scene = Scene::healthy().load(500, 100, 0.02).inspected(500.0, JfrFacts::default());
        scene.inspections[0].inspection.pool =
            vec![PoolReading { busy: Some(busy), ..PoolReading::default() }];
        scene
    };
    assert_eq!(busy(199).causes(), ["thread-pool-limit"]);
    assert_eq!(busy(20).causes(), NONE);
}
