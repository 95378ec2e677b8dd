//! Tests of the causes that show in where requests are, each where it is at work and where it is not.

use super::tests::{NONE, Scene, keys, numbers};
use crate::profile::tests::{FUTURE, HIKARI, IDLE, Look, PERMIT, POSTGRES};
use model::units::{Bytes, Count, Nanos, Rate, Seconds, Share};
use record::finding::{
    Bounded, Doing, Lent, LostConnections, Remedy, Shown, SizeBound, Sizing, Slots, ThreadsKept,
};
use record::inspection::{
    ArmInspection, HeapSeen, Inspection, JfrFacts, StackSeen, StuckThread, ThreadState, Waits,
};
use record::rounds::SliceRecord;
use record::telemetry::{CpuTimes, GroupTotals, IoTotals};
use traffic::scenario::{FirstFailure, StepFailure};

impl Scene {
    /// The inspection of its server.
    pub(super) fn looked_at(mut self, inspection: Inspection) -> Self {
        self.inspections = vec![ArmInspection { arm: 0, inspection }];
        self
    }
}

/// A scene in which `users` wait 64 ms for each answer, with hardly any CPU in use.
pub(super) fn waiting(users: usize) -> Scene {
    Scene::healthy().load(users, users as u64 * 8, 0.05)
}

/// A scene in which `users` think for as long as they wait.
pub(super) fn thinking(users: usize) -> Scene {
    let mut scene = waiting(users).slices(|slice| slice.in_flight = slice.in_flight / 2.0);
    scene.thinks(Nanos::from_millis(64));
    scene
}

/// 64 requests: the threads of this many wait for a permit, the others' for the database.
fn behind_permits(waiting: f64) -> Inspection {
    let look = Look::at(64.0, 400).requests(waiting, &PERMIT);
    let look = look.in_state(64.0 - waiting, ThreadState::Runnable, &POSTGRES);
    look.peer("10.0.0.1:5432", 64, 64.0 - waiting, 0).inspection()
}

#[test]
fn a_pool_of_the_application_is_named_before_the_service_that_it_is_too_small_for() {
    let scene = waiting(64).looked_at(behind_permits(56.0));
    let found = scene.first();
    assert_eq!(found.cause().id(), "application-pool-limit");
    let pool = numbers!(found, ApplicationPoolLimit);
    assert_eq!(pool.pool, Bounded::Permits);
    assert_eq!((pool.slots, pool.waiting), (Count(8.0), Count(56.0)));
    assert!((pool.each.expect("known").0 - 0.02).abs() < 1e-9, "{pool:?}");
    assert_eq!(pool.at.method.as_deref(), Some("shop.Pool.take"));
    assert_eq!(pool.holders.map(|place| place.doing), Some(Doing::Answer));
    assert_eq!(found.explains, Some(Share(0.875)));
    // Each of the 8 gives 50 of the 400 a second. 64 users would ask for 3200, which is more than five times as much.
    let sizing = Sizing {
        kept: 0,
        slots: Count(8.0),
        rate: Rate(400.0),
        each: Seconds(0.02),
        gives: Rate(2000.0),
        bound: SizeBound::Step,
    };
    let enlarge = Remedy::EnlargePool { pool: Bounded::Permits, to: Some(40), sizing: Some(sizing) };
    assert_eq!(found.remedy, enlarge);
    assert_eq!(scene.causes(), ["application-pool-limit", "backend-slow"]);
    // Half of them have a permit: the service is what is slow, and still too few may ask it.
    let half = waiting(64).looked_at(behind_permits(30.0));
    assert_eq!(half.causes(), ["application-pool-limit", "backend-slow"]);
    let few = waiting(64).looked_at(behind_permits(10.0));
    assert_eq!(few.causes(), ["backend-slow", "application-pool-limit"]);
    assert_eq!(waiting(64).looked_at(behind_permits(2.0)).causes(), ["backend-slow"]);
}

#[test]
fn a_pool_of_ten_for_five_hundred_users_becomes_five_times_as_large() {
    // Ten connections give 200 a second, because the database takes 50 ms. 500 connections would only move the queue into it.
    let inspection = Look::at(500.0, 200)
        .requests(490.0, &HIKARI)
        .in_state(10.0, ThreadState::Runnable, &POSTGRES)
        .peer("10.0.0.1:5432", 10, 10.0, 0)
        .inspection();
    let found = Scene::healthy()
        .load(500, 100, 0.02)
        .running(|effective| effective.max_threads = Some(1000))
        .looked_at(inspection)
        .first();
    let Remedy::EnlargePool { to, sizing, .. } = found.remedy else {
        panic!("{found:?}");
    };
    let sizing = sizing.expect("a sizing");
    assert_eq!(
        (to, sizing.slots, sizing.rate, sizing.bound),
        (Some(50), Count(10.0), Rate(200.0), SizeBound::Step)
    );
    assert!((sizing.each.0 - 0.05).abs() < 1e-9 && (sizing.gives.0 - 1000.0).abs() < 1e-9, "{sizing:?}");
}

#[test]
fn more_threads_do_not_help_who_waits_for_a_connection() {
    let inspection = Look::at(100.0, 100)
        .requests(17.0, &HIKARI)
        .in_state(3.0, ThreadState::Runnable, &POSTGRES)
        .peer("10.0.0.1:5432", 3, 3.0, 0)
        .inspection();
    let scene = waiting(100).running(|effective| effective.max_threads = Some(20));
    assert_eq!(scene.first().cause().id(), "thread-pool-limit", "by the numbers alone");
    let scene = scene.looked_at(inspection);
    assert_eq!(scene.causes(), ["application-pool-limit"]);
    let pool = numbers!(scene.first(), ApplicationPoolLimit);
    let hikari = Bounded::Library {
        product: "HikariCP".to_owned(),
        lends: Lent::Connections,
        setting: Some("maximumPoolSize".to_owned()),
    };
    assert_eq!((pool.pool, pool.waiting), (hikari, Count(97.0)));
}

#[test]
fn connections_that_no_request_holds_are_lost() {
    let of = |open: u64, held: f64, free: u64| {
        let look = Look::at(50.0, 100).requests(50.0 - held, &HIKARI).in_state(
            held,
            ThreadState::Runnable,
            &POSTGRES,
        );
        waiting(50).looked_at(look.peer("10.0.0.1:5432", open, held, free).inspection()).first()
    };
    let leaked = of(10, 1.0, 9);
    let pool = numbers!(leaked, ApplicationPoolLimit);
    assert_eq!(pool.lost, Some(LostConnections { open: Count(10.0), lost: Count(9.0) }));
    assert_eq!(leaked.remedy, Remedy::GiveBack { product: "HikariCP".to_owned() });
    // All ten are held. Some are never seen to await an answer, because their requests compute.
    let held = of(10, 10.0, 6);
    assert_eq!(numbers!(held, ApplicationPoolLimit).lost, None);
    assert!(matches!(held.remedy, Remedy::EnlargePool { .. }), "{held:?}");
}

#[test]
fn threads_that_all_wait_for_a_service_are_too_few() {
    let inspection = Look::at(100.0, 100)
        .in_state(20.0, ThreadState::Runnable, &POSTGRES)
        .peer("10.0.0.1:5432", 20, 20.0, 0)
        .inspection();
    let scene = waiting(100).running(|effective| effective.max_threads = Some(20));
    let scene = scene.looked_at(inspection);
    assert_eq!(scene.causes(), ["thread-pool-limit", "backend-slow"]);
    let found = scene.first();
    assert_eq!((found.explains, keys(&found)), (Some(Share(0.8)), vec!["threads = 110".to_owned()]));
    let pool = numbers!(found, ThreadPoolLimit);
    assert_eq!((pool.slots_are, pool.ceiling.slots), (Slots::Threads, Count(20.0)));
    assert_eq!(pool.holders.map(|place| place.doing), Some(Doing::Answer));
}

#[test]
fn who_waits_without_a_thread_waits_for_the_service() {
    let asked = |awaited: f64, most: u64, free: u64| {
        let look = Look::at(60.0, 200).requests(60.0, &FUTURE);
        look.peer("10.0.0.1:80", most, awaited, free).inspection()
    };
    let scene = waiting(60).looked_at(asked(57.0, 64, 3));
    assert_eq!(scene.causes(), ["backend-slow"]);
    let wait = numbers!(scene.first(), BackendSlow);
    assert_eq!((wait.backend.as_str(), wait.share), ("10.0.0.1:80", Share(0.95)));
    let few = waiting(60).looked_at(asked(4.8, 5, 0));
    let pool = numbers!(few.first(), ApplicationPoolLimit);
    let peer = "10.0.0.1:80".to_owned();
    assert_eq!((pool.pool, pool.slots), (Bounded::Client { peer }, Count(5.0)));
    let timer = waiting(60).looked_at(Look::at(60.0, 200).inspection());
    assert_eq!(timer.causes(), NONE, "nobody is asked");
}

#[test]
fn users_who_think_do_not_miss_a_service_that_takes_its_time() {
    let slow = |users: usize| thinking(users).looked_at(behind_permits(0.0));
    assert_eq!(slow(64).causes(), ["backend-slow"], "half of their time");
    let mut patient = slow(64);
    patient.thinks(Nanos::from_millis(600));
    let patient = patient.slices(|slice| slice.in_flight = slice.in_flight / 5.0);
    assert_eq!(patient.causes(), NONE, "a tenth of their time");
}

#[test]
fn a_limiter_says_how_many_it_lets_through() {
    let guava = [
        "java.lang.Thread.sleep",
        "com.google.common.util.concurrent.RateLimiter.acquire",
        "sms.Carrier.send",
    ];
    let scene = waiting(60).looked_at(Look::at(60.0, 180).requests(60.0, &guava).inspection());
    assert_eq!(scene.causes(), ["rate-limited"]);
    let limit = numbers!(scene.first(), RateLimited);
    assert_eq!((limit.product.as_deref(), limit.rate), (Some("Guava"), Rate(180.0)));
    let sleeps = ["java.lang.Thread.sleep", "sms.Carrier.send"];
    let scene = waiting(60).looked_at(Look::at(60.0, 180).requests(60.0, &sleeps).inspection());
    assert_eq!(scene.causes(), NONE);
}

#[test]
fn a_lock_under_which_the_disk_is_waited_for_is_no_lock() {
    let waits = ["shop.Journal.append", "shop.Booking.doPost"];
    let journal = |holder: &[&str]| {
        let holder: Vec<&str> = holder.iter().copied().chain(waits).collect();
        let look = Look::at(48.0, 300).in_state(47.0, ThreadState::Blocked, &waits);
        look.in_state(1.0, ThreadState::Runnable, &holder).inspection()
    };
    let disk = waiting(48).looked_at(journal(&["sun.nio.ch.FileChannelImpl.force"]));
    assert_eq!(disk.causes(), ["disk-sync"]);
    let sync = numbers!(disk.first(), DiskSync);
    assert_eq!((sync.share, sync.behind), (Share(1.0), Share(47.0 / 48.0)));
    let long = waiting(48).looked_at(journal(&["java.lang.Thread.sleep"]));
    assert_eq!(long.causes(), ["lock-contention"]);
    let wait = numbers!(long.first(), LockContention);
    assert_eq!(wait.lock, "Object in shop.Journal.append");
    let full = Scene::healthy().load(48, 10_000, 0.8).looked_at(journal(&["java.util.HashMap.get"]));
    assert_eq!(full.causes(), ["server-cpu-saturated"]);
}

#[test]
fn syncs_that_fill_the_cpu_are_named_by_what_the_kernel_uses_for_them() {
    let syncs = ["sun.nio.ch.FileChannelImpl.force", "shop.Receipt.write"];
    let full = |kernel: u64| {
        let look = Look::at(48.0, 10_000).in_state(40.0, ThreadState::Runnable, &syncs);
        let scene = Scene::healthy().load(48, 10_000, 0.8).seen(2, move |server| {
            server.times = Some(CpuTimes {
                user: Nanos::from_millis(1000 - kernel),
                kernel: Nanos::from_millis(kernel),
            });
        });
        scene.looked_at(look.inspection())
    };
    assert_eq!(full(800).causes(), ["disk-sync", "server-cpu-saturated"]);
    assert_eq!(full(100).causes(), ["server-cpu-saturated"], "the kernel does little");
}

#[test]
fn threads_that_wait_for_a_log_are_told_from_those_that_wait_for_their_files() {
    let log = ["org.apache.logging.log4j.core.appender.OutputStreamManager.writeBytes", "edi.Partner.log"];
    let look = Look::at(60.0, 300).in_state(60.0, ThreadState::Blocked, &log);
    let scene = waiting(60).looked_at(look.inspection());
    assert_eq!(scene.causes(), ["disk-logging"]);
    assert_eq!(numbers!(scene.first(), DiskLogging).file, "Log4j");
    let write = ["java.io.FileOutputStream.writeBytes", "shop.Export.save"];
    let writing = |bytes: u64| {
        let look = Look::at(60.0, 300).in_state(60.0, ThreadState::Runnable, &write);
        let scene = waiting(60).looked_at(look.inspection());
        scene.seen(80, move |server| {
            server.disk = Some(IoTotals { read: 0, written: bytes });
        })
    };
    assert_eq!(writing(480 * 90).causes(), ["disk-logging"]);
    assert_eq!(writing(0).causes(), NONE, "a pipe");
}

#[test]
fn a_heap_is_nearly_full_only_where_the_collector_works() {
    let heap = |live: u64, paused: f64| {
        let mut inspection = Look::at(4.0, 400).inspection();
        inspection.heap = Some(HeapSeen { live: Bytes(live << 20), most: Bytes(256 << 20) });
        let scene = Scene::healthy().looked_at(inspection);
        scene.slices(move |slice| (slice.gc_count, slice.gc_ms) = (Some(20), Some(paused)))
    };
    assert_eq!(heap(240, 60.0).causes(), ["heap-nearly-full", "gc-pressure"]);
    let full = numbers!(heap(240, 60.0).first(), HeapNearlyFull);
    assert_eq!((full.live, full.heap), (Bytes(240 << 20), Bytes(256 << 20)));
    assert_eq!(heap(120, 60.0).causes(), ["gc-pressure"]);
    assert_eq!(heap(240, 5.0).causes(), NONE);
}

#[test]
fn threads_that_wait_for_memory_are_no_pause() {
    let z = |stalls: f64, works: &[&str]| {
        let mut inspection = Look::at(48.0, 300).in_state(48.0, ThreadState::Runnable, works).inspection();
        let waits = Waits { count: 100, seconds: Seconds(stalls) };
        inspection.jfr =
            Some(JfrFacts { stalls: [("Medium".to_owned(), waits)].into(), ..JfrFacts::default() });
        let scene = waiting(48).looked_at(inspection);
        scene.running(|effective| effective.gc = Some("Z".to_owned()))
    };
    let found = z(24.0, &["shop.Export.csv"]).first();
    assert_eq!(found.cause().id(), "allocation-stall");
    let stalls = numbers!(found, AllocationStall);
    assert_eq!((stalls.share, stalls.each), (Share(0.5), Some(Seconds(0.24))));
    assert_eq!(z(1.0, &["shop.Export.csv"]).causes(), NONE);
    // Without a recording: 48 threads are runnable, but use a tenth of a CPU, and the collector works.
    let unrecorded = z(0.0, &["shop.Export.csv"]).seen(80, |server| {
        for (name, millis) in [("GC", 30), ("workers", 20)] {
            let group = GroupTotals { cpu: Nanos::from_millis(millis), ..GroupTotals::default() };
            server.groups.insert(name.to_owned(), group);
        }
    });
    assert_eq!(unrecorded.causes(), ["allocation-stall"]);
}

#[test]
fn event_loops_must_not_wait() {
    let blocks = [
        "sun.nio.ch.SocketDispatcher.read0",
        "org.postgresql.core.VisibleBufferedInputStream.readMore",
        "crm.Customers.find",
        "reactor.netty.http.server.HttpServerHandle.onStateChange",
    ];
    let events = ["io.netty.channel.epoll.Native.epollWait", "io.netty.channel.epoll.EpollEventLoop.run"];
    let look = Look::at(60.0, 100)
        .threads(2.0, "reactor-http-epoll-#", ThreadState::Runnable, &blocks)
        .threads(0.1, "reactor-http-epoll-#", ThreadState::Runnable, &events)
        .peer("10.0.0.1:5432", 2, 2.0, 0);
    let looked = look.inspection();
    // A server may also have a pool of threads, which handlers that block on event loops do not use.
    for pool in [None, Some(16)] {
        let scene = waiting(60).looked_at(looked.clone());
        let found = scene.running(|effective| effective.max_threads = pool).first();
        assert_eq!(found.remedy, Remedy::WaitElsewhere);
        let full = numbers!(found, ThreadPoolLimit);
        assert_eq!((full.slots_are, full.ceiling.slots), (Slots::EventLoops, Count(2.1)));
    }
}

#[test]
fn a_roomy_server_is_left_in_peace() {
    // Each of 20 requests runs, the workers have room, and the background threads always wait.
    let look = Look::at(20.0, 4000).in_state(1.5, ThreadState::Runnable, &["shop.Prices.of"]).threads(
        30.0,
        "http-nio-#-exec-#",
        ThreadState::Waiting,
        &IDLE,
    );
    let scene = Scene::healthy().load(20, 2000, 0.3).looked_at(look.inspection());
    assert_eq!(scene.causes(), NONE);
}

#[test]
fn where_no_cause_fits_the_largest_places_are_told() {
    let sleeps = ["java.lang.Thread.sleep", "sms.Carrier.send"];
    let mut inspection = Look::at(60.0, 180).requests(60.0, &sleeps).inspection();
    inspection.level = 1;
    let mut scene = waiting(60).looked_at(inspection);
    scene.with_fewer_users(20);
    let found = scene.first();
    assert_eq!((found.cause().id(), &found.remedy), ("limit-not-found", &Remedy::LookAtPlaces));
    let not_found = numbers!(found, LimitNotFound);
    assert_eq!(not_found.places.len(), 1);
    assert_eq!(not_found.places[0].at.method.as_deref(), Some("sms.Carrier.send"));
}

#[test]
fn where_no_cause_fits_the_diagnosis_says_what_was_ruled_out() {
    let two = |higher: u64| {
        let mut scene = Scene::healthy();
        scene.experiment.load.connections = vec![4, 64];
        let below = scene.rounds[0].slices.clone();
        let of = |slice: &SliceRecord| SliceRecord { level: 1, ..slice.clone() };
        let mut above: Vec<SliceRecord> = below.iter().filter(|slice| slice.rate.is_none()).map(of).collect();
        for slice in &mut above {
            (slice.counts.ok, slice.counts.requests) = (higher, higher);
        }
        scene.rounds[0].slices.extend(above);
        scene
    };
    let found = two(10_100).first();
    assert_eq!(found.cause().id(), "limit-not-found");
    let not_found = numbers!(found, LimitNotFound);
    let shown = Shown::ByUsers {
        users: Count(64.0),
        rate: Rate(20_200.0),
        fewer_users: Count(4.0),
        fewer_rate: Rate(20_000.0),
    };
    assert_eq!((not_found.shown, not_found.ruled_out.server), (shown, None));
    assert!((not_found.ruled_out.busy.0 - 0.5).abs() < 1e-3, "{not_found:?}");
    assert_eq!(two(12_000).causes(), NONE, "it still grows");
    let beside = two(10_100).slices(|slice| {
        (slice.cpu_ns_arm, slice.cpu_ns_generator) = (400_000_000, 550_000_000);
    });
    let found = beside.diagnoses().into_iter().find(|one| one.cause().id() == "limit-not-found");
    let found = found.expect("the CPU is not the server's");
    let ruled_out = numbers!(found, LimitNotFound).ruled_out;
    assert!((ruled_out.busy.0 - 0.95).abs() < 1e-3, "{ruled_out:?}");
    let server = ruled_out.server.expect("the CPU is full");
    assert!((server.0 - 0.4).abs() < 1e-3, "{ruled_out:?}");
}

#[test]
fn a_deadlock_is_no_slow_lock() {
    let waits = ["shop.Transfer.move", "shop.Bank.doPost"];
    let inspection = Look::at(64.0, 400)
        .in_state(40.0, ThreadState::Blocked, &waits)
        .in_state(24.0, ThreadState::Runnable, &POSTGRES)
        .inspection();
    let slow = waiting(64).looked_at(inspection.clone());
    assert_eq!(slow.first().cause().id(), "lock-contention");
    let stuck = |name: &str, held_by: &str| StuckThread {
        name: name.to_owned(),
        waits_for: "shop.Account".to_owned(),
        held_by: held_by.to_owned(),
        frames: waits.map(str::to_owned).to_vec(),
        lines: vec![31, 12],
    };
    let deadlock = vec![stuck("exec-3", "exec-7"), stuck("exec-7", "exec-3")];
    let dead = waiting(64).looked_at(Inspection { deadlock, ..inspection });
    let found = dead.first();
    assert_eq!(found.remedy, Remedy::OrderLocks);
    let seen = numbers!(found, Deadlock);
    assert_eq!((seen.share, seen.threads.len()), (Share(0.625), 2));
    let first = &seen.threads[0];
    assert_eq!(
        (first.at.method.as_deref(), first.at.caller.as_deref()),
        (Some("shop.Transfer.move:31"), Some("shop.Bank.doPost:12"))
    );
    assert_eq!(dead.causes().last(), Some(&"lock-contention"), "it comes from the deadlock");
}

#[test]
fn a_lock_is_held_by_the_task_that_writes_and_not_by_those_who_read() {
    let reads = [
        "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock",
        "shop.Prices.of",
        "shop.Basket.doGet",
    ];
    let lock = "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync";
    let mut inspection = Look::at(64.0, 400).requests(60.0, &reads).inspection();
    for stack in inspection.loaded.iter_mut().flat_map(|loaded| &mut loaded.stacks) {
        stack.waits_for = Some(lock.to_owned());
    }
    let owner = StackSeen {
        group: "price-refresh-#".to_owned(),
        state: ThreadState::Waiting,
        frames: ["java.lang.Thread.sleep", "shop.Refresh.load", "shop.Refresh.run"]
            .map(str::to_owned)
            .to_vec(),
        lines: vec![0, 22, 14],
        threads: 300,
        holds: vec![lock.to_owned()],
        ..StackSeen::default()
    };
    inspection.owners = vec![owner];
    let found = waiting(64).looked_at(inspection).first();
    let seen = numbers!(found, LockContention);
    assert_eq!(seen.thread.as_deref(), Some("price-refresh-#"));
    let holder = seen.holder.expect("a holder");
    assert_eq!((holder.doing, holder.at.method.as_deref()), (Doing::Sleep, Some("shop.Refresh.load:22")));
    assert_eq!(
        found.remedy,
        Remedy::HoldWriteLockShorter,
        "the kind of lock that is advised elsewhere is in use"
    );
}

/// A look at 64 requests that got no answer within ten seconds. The threads stand at the same place without load.
fn dead(inner: &[&str], state: ThreadState) -> Inspection {
    let mut look = Look::at(64.0, 0).in_state(64.0, state, inner).inspection();
    look.wrong = 6;
    look.idle.clone_from(&look.loaded);
    look
}

/// The scene without any right answer.
fn silent(look: Inspection) -> Scene {
    waiting(64).looked_at(look).slices(|slice| {
        slice.counts.faults.insert("response_timeout".to_owned(), slice.counts.requests);
        slice.counts.ok = 0;
    })
}

#[test]
fn a_pool_that_is_dry_for_good_is_named_though_nothing_is_answered() {
    let mut look = dead(&HIKARI, ThreadState::Waiting);
    look.first_wrong = Some(FirstFailure {
        why: StepFailure::Status(500),
        request: "GET / HTTP/1.1".to_owned(),
        answer: "HTTP/1.1 500\n\nno connection".to_owned(),
    });
    let scene = silent(look);
    assert_eq!(scene.causes(), ["application-pool-limit", "wrong-answers"]);
    let found = scene.first();
    let pool = numbers!(found, ApplicationPoolLimit);
    assert_eq!((pool.each, pool.slots, pool.waiting), (None, Count(0.0), Count(64.0)));
    assert_eq!(found.remedy, Remedy::FindHolders { product: Some("HikariCP".to_owned()) });
    let answers = numbers!(scene.diagnoses().remove(1), WrongAnswers);
    assert!(answers.silent && answers.faults.contains_key("response_timeout"), "{answers:?}");
    assert_eq!(answers.first.and_then(|first| first.said()).as_deref(), Some("HTTP/1.1 500: no connection"));
}

#[test]
fn a_total_deadlock_and_permits_that_nobody_gives_back_are_named_though_nothing_is_answered() {
    let waits = ["shop.Transfer.move", "shop.Bank.doPost"];
    let stuck = |name: &str, held_by: &str| StuckThread {
        name: name.to_owned(),
        waits_for: "shop.Account".to_owned(),
        held_by: held_by.to_owned(),
        frames: waits.map(str::to_owned).to_vec(),
        lines: Vec::new(),
    };
    let deadlock = vec![stuck("exec-3", "exec-7"), stuck("exec-7", "exec-3")];
    let look = Inspection { deadlock, ..dead(&waits, ThreadState::Blocked) };
    assert_eq!(silent(look).causes(), ["deadlock", "wrong-answers", "lock-contention"]);
    let permits = silent(dead(&PERMIT, ThreadState::Waiting));
    assert_eq!(permits.causes(), ["application-pool-limit", "wrong-answers"], "no limiter of rates");
    assert_eq!(permits.first().remedy, Remedy::FindHolders { product: None });
    assert_eq!(silent(Inspection::default()).causes(), ["wrong-answers"], "nothing was seen inside");
}

#[test]
fn errors_that_come_at_once_are_fast_even_where_no_answer_is_right() {
    let failing = |each: f64| {
        waiting(64).slices(move |slice| {
            slice.counts.faults.insert("wrong_status".to_owned(), slice.counts.requests);
            slice.counts.ok = 0;
            slice.service_sum = Seconds(each * slice.counts.requests as f64);
            slice.service = None;
        })
    };
    assert_eq!(failing(0.002).causes(), ["errors-fast"]);
    assert_eq!(failing(5.0).causes(), ["wrong-answers"]);
}

#[test]
fn a_pool_that_the_server_takes_threads_from_serves_fewer_than_it_has() {
    let request = [&POSTGRES[..], &["javax.servlet.http.HttpServlet.service"]].concat();
    let reserved = [
        "java.util.concurrent.SynchronousQueue.poll",
        "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.reservedWait",
        "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.run",
    ];
    let selects = ["sun.nio.ch.EPoll.wait", "org.eclipse.jetty.io.ManagedSelector.nioSelect"];
    let accepts = ["sun.nio.ch.Net.accept", "org.eclipse.jetty.server.ServerConnector.accept"];
    let look = Look::at(16.0, 120)
        .threads(6.0, "qtp#-#", ThreadState::Runnable, &request)
        .threads(2.0, "qtp#-#", ThreadState::Waiting, &reserved)
        .threads(1.0, "qtp#-#", ThreadState::Runnable, &selects)
        .threads(1.0, "qtp#-#-acceptor-#@#b-ServerConnector@#a", ThreadState::Runnable, &accepts)
        .peer("10.0.0.1:5432", 10, 6.0, 4);
    let scene = waiting(16).running(|effective| {
        (effective.server, effective.max_threads) = (Some("Jetty/12.1.12".to_owned()), Some(10));
    });
    let found = scene.looked_at(look.inspection()).first();
    assert_eq!(found.cause().id(), "thread-pool-limit");
    let pool = numbers!(found, ThreadPoolLimit);
    assert_eq!((pool.ceiling.slots, pool.ceiling.waiting.0.round()), (Count(6.0), 10.0));
    assert_eq!(pool.kept, Some(ThreadsKept { kept: Count(4.0), all: Count(10.0) }));
    let Remedy::RaiseLimit { to: Some(to), sizing: Some(sizing), .. } = found.remedy else {
        panic!("{:?}", found.remedy)
    };
    assert_eq!((sizing.slots, sizing.kept), (Count(6.0), 4));
    assert!(to > 10 && keys(&found) == [format!("threads = {to}")], "{to}");
}

#[test]
fn a_lock_among_virtual_threads_has_a_holder() {
    let lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
    let waits = [
        "java.lang.VirtualThread.park",
        "java.util.concurrent.locks.ReentrantLock.lock",
        "shop.Tickets.sell",
        "shop.Sales.doGet",
    ];
    let mut inspection = Look::at(64.0, 400).requests(62.0, &waits).inspection();
    for stack in inspection.loaded.iter_mut().flat_map(|loaded| &mut loaded.stacks) {
        (stack.is_virtual, stack.group, stack.waits_for) = (true, String::new(), Some(lock.to_owned()));
    }
    inspection.owners = vec![StackSeen {
        is_virtual: true,
        state: ThreadState::Waiting,
        frames: ["java.lang.Thread.sleep", "shop.Tickets.print", "jakarta.servlet.http.HttpServlet.service"]
            .map(str::to_owned)
            .to_vec(),
        threads: 300,
        holds: vec![lock.to_owned()],
        ..StackSeen::default()
    }];
    let found = waiting(64).looked_at(inspection).first();
    let seen = numbers!(found, LockContention);
    assert_eq!((seen.thread, seen.at.method.as_deref()), (None, Some("shop.Tickets.sell")));
    assert_eq!(seen.holder.and_then(|holder| holder.at.method).as_deref(), Some("shop.Tickets.print"));
}
