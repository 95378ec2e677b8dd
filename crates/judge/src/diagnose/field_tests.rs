//! Tests of causes that incidents of the field had, with the numbers of runs in which they were seen, and of what only looks like them.

use super::profile_tests::waiting;
use super::tests::{NONE, Scene, numbers};
use crate::profile::tests::{HIKARI, IDLE, Look, POSTGRES};
use model::units::{Bytes, Count, Cpus, Seconds, Share};
use record::finding::{Lacked, Leaked, Remedy, Store};
use record::inspection::{
    Answered, CrowdSeen, DatabaseSeen, Inspection, JfrFacts, StackSeen, StatementSeen, ThreadState, Waits,
};

const RUNS: [&str; 1] = ["shop.Orders.find"];
const DATABASE: &str = "127.0.0.1:5432";
const PARTNER: &str = "127.0.0.1:9107";

const TASK: &str = "java.util.concurrent.FutureTask";
/// A request that waits for its task.
const ASK: [&str; 3] = [
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.FutureTask.get",
    "shop.StatementServlet.doGet",
];
/// A task that waits for another one.
const BUILD: [&str; 5] = [
    "java.util.concurrent.locks.LockSupport.parkNanos",
    "java.util.concurrent.FutureTask.get",
    "shop.StatementBuilder.build",
    "shop.StatementServlet.lambda$doGet$0",
    "java.util.concurrent.ThreadPoolExecutor.runWorker",
];
/// A task that waits for a stage of a `CompletableFuture`.
const STAGE: [&str; 5] = [
    "java.util.concurrent.locks.LockSupport.park",
    "java.util.concurrent.CompletableFuture.get",
    "shop.StatementBuilder.build",
    "java.util.concurrent.CompletableFuture$AsyncSupply.run",
    "java.util.concurrent.ThreadPoolExecutor.runWorker",
];
const RENDER: [&str; 2] = ["shop.Render.page", "java.util.concurrent.ThreadPoolExecutor.runWorker"];

/// 24 requests wait for tasks in a pool of eight threads. All eight are in these methods and wait for an object of this class.
fn shared_pool(frames: &[&str], waits_for: &str) -> Look {
    let look = Look::at(24.0, 7).requests(24.0, &ASK);
    let mut look = look.threads(8.0, "worker-#", ThreadState::Waiting, frames);
    for stack in look.stacks() {
        stack.waits_for = Some(waits_for.to_owned());
    }
    look
}

#[test]
fn tasks_that_wait_in_their_own_pool_are_no_pool_that_is_too_small() {
    let scene = waiting(24).looked_at(shared_pool(&BUILD, TASK).inspection());
    assert_eq!(scene.causes(), ["thread-starvation"]);
    let found = scene.first();
    let own = numbers!(found, ThreadStarvation);
    assert_eq!((own.names.as_str(), own.threads, own.waiting), ("worker-#", Count(8.0), Count(8.0)));
    assert_eq!(own.at.method.as_deref(), Some("shop.StatementBuilder.build"));
    assert_eq!((own.share, found.remedy), (Share(1.0), Remedy::SeparateTasks));
    let stages = waiting(24)
        .looked_at(shared_pool(&STAGE, "java.util.concurrent.CompletableFuture$Signaller").inspection());
    assert_eq!(stages.causes(), ["thread-starvation"]);
    // All of them for ever: no request is answered, and the tasks were there before the look.
    let mut dead = shared_pool(&BUILD, TASK).inspection();
    (dead.ok, dead.idle) = (0, dead.loaded.clone());
    let silent = waiting(24).slices(|slice| (slice.counts.ok, slice.service) = (0, None)).looked_at(dead);
    assert_eq!(silent.causes(), ["thread-starvation", "wrong-answers"]);
}

/// The pool is the server's own: its requests wait in it for tasks that are behind other requests.
#[test]
fn requests_that_wait_in_the_pool_that_serves_them_are_no_pool_that_is_too_small_either() {
    let handler = [
        "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.FutureTask.get",
        "shop.Handler.handle",
        "sun.net.httpserver.ServerImpl$Exchange.run",
        "java.util.concurrent.ThreadPoolExecutor.runWorker",
    ];
    let mut look = Look::at(24.0, 7).threads(8.0, "pool-#-thread-#", ThreadState::Waiting, &handler);
    look.stacks()[0].waits_for = Some(TASK.to_owned());
    let scene = waiting(24).running(|effective| effective.max_threads = None).looked_at(look.inspection());
    assert_eq!(scene.causes(), ["thread-starvation"]);
}

#[test]
fn tasks_that_wait_for_others_are_none_of_their_own_pool() {
    let causes = |look: Look| waiting(24).looked_at(look.inspection()).causes();
    let is_silent = |look: Look| !causes(look).contains(&"thread-starvation");
    let other = shared_pool(&BUILD, TASK).threads(8.0, "render-#", ThreadState::Runnable, &RENDER);
    assert!(is_silent(other), "another pool runs them");
    assert!(is_silent(shared_pool(&BUILD, TASK).peer(PARTNER, 8, 8.0, 0)), "they come from another program");
    assert!(
        is_silent(shared_pool(&BUILD, "java.util.concurrent.CompletableFuture$Signaller")),
        "anybody may complete it"
    );
    let free = shared_pool(&BUILD, TASK).threads(8.0, "worker-#", ThreadState::Waiting, &IDLE);
    assert!(is_silent(free), "half of the threads are free");
    let busy =
        Look::at(24.0, 700).requests(24.0, &ASK).threads(8.0, "worker-#", ThreadState::Runnable, &RENDER);
    assert_eq!(causes(busy), ["application-pool-limit"], "they work");
}

/// Signs in at PostgreSQL within a pool.
const BORROW: [&str; 6] = [
    "sun.nio.ch.SocketDispatcher.read0",
    "org.postgresql.core.v3.ConnectionFactoryImpl.doAuthentication",
    "org.postgresql.Driver.connect",
    "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
    "org.apache.commons.dbcp2.BasicDataSource.getConnection",
    "shop.Bookings.count",
];

/// 40 users of a pool of 48 connections; 21 open one, and this many were opened in a second.
fn pooled(opened: u64) -> Inspection {
    let look = Look::at(40.0, 1381).in_state(21.0, ThreadState::Runnable, &BORROW);
    let look =
        look.in_state(14.0, ThreadState::Runnable, &POSTGRES).in_state(5.0, ThreadState::Runnable, &RUNS);
    let look = look.peer(DATABASE, 40, 15.1, 13).exchanges(DATABASE, 2765).opened(DATABASE, opened);
    let mut inspection = look.inspection();
    inspection.peers.get_mut(DATABASE).expect("the database").fresh = opened;
    inspection
}

#[test]
fn a_pool_that_closes_what_it_gets_back_is_told_with_its_setting() {
    let scene = Scene::healthy().load(40, 690, 0.9).looked_at(pooled(110));
    let found = scene.first();
    assert_eq!(found.cause().id(), "connection-per-call");
    let opened = numbers!(found, ConnectionPerCall);
    assert_eq!((opened.pool.as_deref(), opened.share), (Some("DBCP"), Share(0.525)));
    assert!((opened.per_request.0 - 110.0 / 1381.0).abs() < 1e-9, "{opened:?}");
    let pool = Some("DBCP".to_owned());
    assert_eq!(found.remedy, Remedy::KeepBackendConnections { store: Store::Sql, tls: false, pool });
    // A pool that grows opens each connection once.
    for scene in [waiting(40), Scene::healthy().load(40, 690, 0.9)] {
        let growing = scene.looked_at(pooled(40)).causes();
        assert!(!growing.contains(&"connection-per-call"), "{growing:?}");
    }
}

#[test]
fn a_pool_that_opens_connections_in_a_thread_of_its_own_is_no_pool_that_is_too_small() {
    let adds = [
        "org.postgresql.core.v3.ConnectionFactoryImpl.doAuthentication",
        "org.postgresql.Driver.connect",
        "com.zaxxer.hikari.pool.PoolBase.newConnection",
        "com.zaxxer.hikari.pool.HikariPool$PoolEntryCreator.call",
        "java.util.concurrent.ThreadPoolExecutor.runWorker",
    ];
    let scene = |opened: u64, frames: &[&str]| {
        let look =
            Look::at(40.0, 300).requests(36.0, &HIKARI).in_state(4.0, ThreadState::Runnable, &POSTGRES);
        let look = look.threads(1.0, "HikariPool-#:connection-adder", ThreadState::Runnable, frames);
        let look = look.peer(DATABASE, 5, 4.0, 0).exchanges(DATABASE, 600).opened(DATABASE, opened);
        let mut inspection = look.inspection();
        inspection.peers.get_mut(DATABASE).expect("the database").fresh = opened;
        waiting(40).looked_at(inspection)
    };
    let found = scene(90, &adds).first();
    assert_eq!(found.cause().id(), "connection-per-call", "{:?}", scene(90, &adds).causes());
    assert_eq!(found.remedy, Remedy::FindWhyPoolCloses { product: "HikariCP".to_owned() });
    let opened = numbers!(found, ConnectionPerCall);
    assert_eq!((opened.pool.as_deref(), opened.share), (Some("HikariCP"), Share(0.9)));
    assert_eq!(scene(5, &adds).first().cause().id(), "application-pool-limit", "it grows");
    assert_eq!(scene(90, &IDLE).first().cause().id(), "application-pool-limit", "others open connections");
}

const READ_LOCK: &str = "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync";

/// 24 users on a full CPU; requests waited this often for a lock, so many seconds each.
fn behind_write_lock(waits: u64, each: f64) -> Scene {
    let locked = [
        "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock",
        "shop.PriceBook$InPlace.find",
        "shop.PriceServer.price",
    ];
    let mut look = Look::at(24.0, 26_000).requests(3.0, &locked);
    look.stacks()[0].waits_for = Some(READ_LOCK.to_owned());
    let mut inspection = look.in_state(21.0, ThreadState::Runnable, &RUNS).inspection();
    let sorts = ["java.util.TimSort.sort", "shop.PriceBook$InPlace.refresh", "java.lang.Thread.run"];
    let refresh =
        StackSeen { frames: sorts.map(str::to_owned).to_vec(), threads: 40, ..StackSeen::default() };
    let parked = Waits { count: waits, seconds: Seconds(waits as f64 * each) };
    inspection.jfr = Some(JfrFacts {
        parked: [(READ_LOCK.to_owned(), parked)].into(),
        samples: vec![refresh],
        ..JfrFacts::default()
    });
    Scene::healthy().load(24, 13_000, 0.9).looked_at(inspection)
}

#[test]
fn a_refresh_under_a_write_lock_comes_before_the_garbage_that_it_makes() {
    let scene =
        behind_write_lock(24, 0.25).slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(3), Some(65.0)));
    let causes = scene.causes();
    assert_eq!(causes[..2], ["lock-contention", "gc-pressure"], "{causes:?}");
    let found = scene.first();
    let lock = numbers!(found, LockContention);
    assert_eq!(lock.at.method.as_deref(), Some("shop.PriceBook$InPlace.find"));
    assert_eq!(
        (lock.share, lock.each, found.remedy),
        (Share(0.25), Seconds(0.25), Remedy::HoldWriteLockShorter)
    );
    let holder = lock.holder.expect("what runs meanwhile").at.method;
    assert_eq!(holder.as_deref(), Some("shop.PriceBook$InPlace.refresh"));
    // More of the time in collections does not change it, but most of it does.
    let more =
        behind_write_lock(24, 0.25).slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(3), Some(120.0)));
    assert_eq!(more.causes()[..2], ["lock-contention", "gc-pressure"]);
    let most =
        behind_write_lock(24, 0.25).slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(3), Some(300.0)));
    assert_eq!(most.causes()[0], "gc-pressure");
}

#[test]
fn a_lock_whose_holders_wait_for_a_full_cpu_is_not_named() {
    let is_named = |waits, each| behind_write_lock(waits, each).causes().contains(&"lock-contention");
    assert!(!is_named(2000, 0.003), "the scheduler");
    assert!(!is_named(100, 0.04), "40 ms");
    assert!(!is_named(5, 0.2), "seldom");
    assert!(is_named(24, 0.2));
}

/// 16 requests wait for a token; one of them holds the lock, in these methods.
fn behind_token(holder: &[&str]) -> Scene {
    let waits = ["shop.Tokens.bearer", "shop.Quotes.doGet"];
    let holder: Vec<&str> = holder.iter().copied().chain(waits).collect();
    let look = Look::at(16.0, 45).in_state(15.0, ThreadState::Blocked, &waits);
    let mut look = look.requests(1.0, &holder).peer(PARTNER, 1, 0.9, 0).exchanges(PARTNER, 45);
    look.stacks()[0].waits_for = Some("shop.Tokens".to_owned());
    let mut inspection = look.inspection();
    inspection.owners = inspection.loaded.iter().flat_map(|loaded| &loaded.stacks).skip(1).cloned().collect();
    inspection.owners[0].holds = vec!["shop.Tokens".to_owned()];
    waiting(16).looked_at(inspection)
}

#[test]
fn a_lock_whose_holder_asks_another_program_is_told_with_that_program() {
    let asks = [
        "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.CompletableFuture.get",
        "jdk.internal.net.http.HttpClientImpl.send",
    ];
    let found = behind_token(&asks).first();
    assert_eq!((found.cause().id(), &found.remedy), ("lock-contention", &Remedy::AskOutsideLock));
    let lock = numbers!(found, LockContention);
    let asked = lock.asked.expect("the partner");
    assert_eq!((asked.address.as_str(), asked.each), (PARTNER, Seconds(0.02)));
    let computes = behind_token(&["java.lang.Thread.sleep"]).first();
    assert_eq!((computes.cause().id(), &computes.remedy), ("lock-contention", &Remedy::HoldLockShorter));
    assert_eq!(numbers!(computes, LockContention).asked, None);
}

#[test]
fn a_heap_that_is_too_small_comes_before_the_quota_that_it_uses_up() {
    let collecting = |millis: f64| {
        let scene = Scene::healthy().load(12, 300, 0.74).running(|effective| {
            effective.cpu_limit = Some(Cpus(1.5));
            effective.heap = Some(Bytes(128 << 20));
        });
        let scene = scene.facts(&[("cgroup.nr_periods", 200.0), ("cgroup.nr_throttled", 180.0)]);
        scene.slices(move |slice| (slice.gc_count, slice.gc_ms) = (Some(9), Some(millis))).causes()
    };
    assert_eq!(collecting(320.0), ["gc-pressure", "cpu-quota-throttled"]);
    assert_eq!(collecting(5.0), ["cpu-quota-throttled"]);
    assert_eq!(collecting(120.0), ["cpu-quota-throttled", "gc-pressure"], "most of it is for requests");
}

#[test]
fn a_server_without_memory_is_told_by_its_own_words() {
    let log = [("jvm.out_of_memory.heap", 3.0), ("gc.pauses", 334.0)];
    let dead = Scene::healthy().slices(|slice| (slice.counts.ok, slice.service) = (0, None)).facts(&log);
    assert_eq!(dead.causes(), ["out-of-memory", "wrong-answers"]);
    let found = dead.first();
    let used_up = numbers!(found, OutOfMemory);
    assert_eq!((used_up.lacked, used_up.silent, used_up.heap), (Lacked::Heap, true, Some(Bytes(256 << 20))));
    assert_eq!(found.remedy, Remedy::MendLeak { what: Leaked::Heap });
    let log = [("jvm.out_of_memory.threads", 40.0)];
    let threads = Scene::healthy().slices(|slice| slice.counts.requests += 9).facts(&log).first();
    assert_eq!(numbers!(threads, OutOfMemory).lacked, Lacked::Threads);
    assert_eq!(threads.remedy, Remedy::MendLeak { what: Leaked::Threads });
    assert_eq!(Scene::healthy().facts(&[("gc.pauses", 334.0)]).causes(), NONE);
    assert_eq!(Scene::healthy().facts(&log).causes(), NONE, "at another load");
}

#[test]
fn a_full_code_cache_is_named_before_the_cpu_that_it_fills() {
    let log = [("jvm.code_cache_full", 1.0), ("jvm.code_cache_bytes", 4_194_304.0)];
    let scene = Scene::healthy().load(16, 180, 0.95).facts(&log);
    assert_eq!(scene.causes(), ["code-cache-full", "server-cpu-saturated"]);
    assert_eq!(numbers!(scene.first(), CodeCacheFull).size, Some(Bytes(4 << 20)));
    assert_eq!(scene.first().remedy, Remedy::EnlargeCodeCache);
    assert_eq!(Scene::healthy().load(16, 180, 0.95).causes(), ["server-cpu-saturated"]);
}

#[test]
fn collections_for_the_metaspace_are_told_apart_from_those_for_the_heap() {
    let found = |metaspace: f64| {
        let scene = Scene::healthy().facts(&[("gc.pauses", 306.0), ("gc.for_metaspace", metaspace)]);
        scene.slices(|slice| (slice.gc_count, slice.gc_ms) = (Some(4), Some(75.0))).first()
    };
    let classes = found(280.0);
    assert_eq!(numbers!(classes, GcPressure).metaspace, Some(Share(280.0 / 306.0)));
    assert_eq!(classes.remedy, Remedy::MendLeak { what: Leaked::Classes });
    assert!(matches!(found(3.0).remedy, Remedy::EnlargeHeap { .. }), "a JVM has some at its start");
    assert_eq!(numbers!(found(3.0), GcPressure).metaspace, None);
}

/// 16 users of a page that is kept for two seconds; of its database this many answers were awaited in a second, at most `crowd` at a time. Each
/// measured slice of half a second stands still for so many tenths of a second.
fn kept_page(exchanges: u64, crowd: u64, still: usize) -> Scene {
    let look = Look::at(16.0, 12_600).in_state(3.0, ThreadState::Runnable, &POSTGRES);
    let look = look.in_state(13.0, ThreadState::Runnable, &RUNS).peer(DATABASE, 20, 6.9, 20 - crowd);
    let mut inspection = look.exchanges(DATABASE, exchanges).inspection();
    let text = "SELECT turbine, sum(kwh) FROM yield GROUP BY turbine".to_owned();
    let statements = vec![StatementSeen { text, running: 440, ..StatementSeen::default() }];
    inspection.databases =
        vec![DatabaseSeen { address: DATABASE.to_owned(), looks: 70, statements, ..DatabaseSeen::default() }];
    standing_still(inspection, still)
}

/// 16 users on a full CPU with this look inside. Each measured slice of half a second stands still for so many tenths of a second.
fn standing_still(inspection: Inspection, still: usize) -> Scene {
    Scene::healthy().load(16, 6_300, 0.9).looked_at(inspection).slices(move |slice| {
        slice.longest_ns = vec![1_000_000; 5];
        slice.longest_ns[1..=still].fill(0);
        if still > 0 {
            slice.longest_ns[still + 1] = 1_000_000 + 100_000_000 * still as u64;
        }
    })
}

#[test]
fn many_who_compute_what_was_kept_are_a_stampede() {
    let scene = kept_page(8, 16, 2);
    let found = scene.first();
    assert_eq!(found.cause().id(), "cache-stampede", "{:?}", scene.causes());
    let stampede = numbers!(found, CacheStampede);
    assert_eq!((stampede.backend.as_deref(), stampede.at_once), (Some(DATABASE), Count(16.0)));
    let long = stampede.each > Some(Seconds(0.8));
    assert!((stampede.share.0 - 6.9 / 16.0).abs() < 1e-9 && long, "{stampede:?}");
    assert!(stampede.statement.is_some_and(|text| text.contains("GROUP BY turbine")));
    assert_eq!(found.remedy, Remedy::ComputeOnce);
    // The measured slices are shorter than the time for which it is kept, and the look is not.
    let mut seen = kept_page(8, 16, 0);
    seen.inspections[0].inspection.ended = [[2400; 28].as_slice(), [0; 12].as_slice()].concat();
    assert_eq!(seen.first().cause().id(), "cache-stampede");
}

#[test]
fn what_is_asked_seldom_or_by_each_request_is_no_stampede() {
    let is_silent = |scene: Scene| !scene.causes().contains(&"cache-stampede");
    assert!(is_silent(kept_page(8, 6, 2)), "some requests ask for something slow");
    assert!(is_silent(kept_page(8, 1, 2)), "one computes, and the others wait for it");
    assert!(is_silent(kept_page(8, 16, 0)), "nothing stands still");
    assert!(is_silent(kept_page(12_600, 16, 2)), "each request asks");
}

const PAGE: &str = "shop.Page.build";

/// 16 users of a page that is kept for two seconds and computed by all of them at once: of ten dumps, this many show up to `crowd` threads at it. Each
/// measured slice of half a second stands still for so many tenths of a second.
fn computed_page(dumps: u32, crowd: u64, still: usize) -> Scene {
    let builds = ["java.util.HashMap.get", PAGE, "shop.Page.get"];
    let look = Look::at(16.0, 12_600).in_state(5.0, ThreadState::Runnable, &builds);
    let mut inspection = look.in_state(11.0, ThreadState::Runnable, &RUNS).inspection();
    let seen = |method: &str, dumps| CrowdSeen { method: method.to_owned(), at_once: crowd, dumps };
    let loaded = inspection.loaded.get_or_insert_default();
    loaded.crowds = vec![seen(PAGE, dumps), seen("java.util.HashMap.get", dumps), seen("shop.Page.get", 10)];
    standing_still(inspection, still)
}

#[test]
fn many_who_compute_the_same_without_any_program_are_a_stampede_too() {
    let scene = computed_page(4, 16, 2);
    let found = scene.first();
    assert_eq!(found.cause().id(), "cache-stampede", "{:?}", scene.causes());
    let stampede = numbers!(found, CacheStampede);
    assert_eq!((stampede.backend, stampede.at_once), (None, Count(16.0)));
    assert_eq!(
        (stampede.at.method.as_deref(), stampede.at.caller.as_deref()),
        (Some(PAGE), Some("shop.Page.get"))
    );
    assert_eq!(found.remedy, Remedy::ComputeOnce);
}

#[test]
fn work_that_each_request_does_is_no_stampede() {
    let is_silent = |scene: Scene| !scene.causes().contains(&"cache-stampede");
    assert!(is_silent(computed_page(10, 16, 2)), "it is always computed");
    assert!(is_silent(computed_page(4, 5, 2)), "some compute, and the others are answered");
    assert!(is_silent(computed_page(4, 16, 0)), "nothing stands still");
}

/// 16 requests call a partner; it gave each of the 177 a second this many answers, with these statuses in a sample.
fn calls(each: u64, statuses: &[(u16, u64)]) -> Scene {
    let call = [
        "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.CompletableFuture.get",
        "jdk.internal.net.http.HttpClientImpl.send",
        "shop.RoomClient.ask",
        "shop.RoomServlet.doGet",
    ];
    let look = Look::at(16.0, 177).requests(15.0, &call).in_state(1.0, ThreadState::Runnable, &RUNS);
    let mut inspection = look.peer(PARTNER, 16, 14.0, 0).exchanges(PARTNER, 177 * each).inspection();
    let answered = Answered { statuses: statuses.iter().copied().collect() };
    inspection.answered = [(PARTNER.to_owned(), answered)].into();
    waiting(16).looked_at(inspection)
}

#[test]
fn calls_that_are_refused_and_repeated_are_no_chat() {
    let scene = calls(34, &[(200, 30), (503, 970)]);
    assert_eq!(scene.causes()[..2], ["retry-storm", "chatty-backend"], "{:?}", scene.causes());
    let found = scene.first();
    let retries = numbers!(found, RetryStorm);
    assert_eq!((retries.refused, retries.statuses.as_slice()), (Some(Share(0.97)), [503].as_slice()));
    assert_eq!(retries.per_request, Some(Count(34.0)));
    assert!(retries.right.is_some_and(|right| (right.0 - 1.02).abs() < 1e-9), "{retries:?}");
    assert_eq!(retries.at.method.as_deref(), Some("shop.RoomClient.ask"));
    assert_eq!(found.remedy, Remedy::RetryLess);
}

#[test]
fn right_answers_and_what_is_not_found_are_no_refusals() {
    let is_silent = |scene: Scene| !scene.causes().contains(&"retry-storm");
    assert!(is_silent(calls(34, &[(200, 1000)])));
    assert!(is_silent(calls(34, &[(200, 100), (404, 900)])), "it has nothing of that name");
    assert!(is_silent(calls(34, &[(200, 900), (503, 100)])), "now and then");
    assert!(is_silent(calls(34, &[(503, 50)])), "too few were seen");
    assert!(is_silent(calls(1, &[(503, 1000)])), "nobody repeats it");
}

/// 16 requests call a partner, which answers over TLS; so many of them sleep in these methods.
fn sleeping(asleep: f64, frames: &[&str]) -> Scene {
    let look =
        Look::at(16.0, 100).requests(asleep, frames).in_state(16.0 - asleep, ThreadState::Runnable, &RUNS);
    waiting(16).looked_at(look.peer(PARTNER, 16, 2.0, 4).exchanges(PARTNER, 300).inspection())
}

#[test]
fn a_library_that_waits_to_call_again_shows_a_retry_storm_that_nobody_can_read() {
    let waits = [
        "java.lang.Thread.sleep",
        "io.github.resilience4j.retry.internal.RetryImpl$ContextImpl.waitIntervalAfterFailure",
        "io.github.resilience4j.retry.Retry.lambda$decorateSupplier$3",
        "shop.RoomClient.ask",
        "shop.RoomServlet.doGet",
    ];
    let found = sleeping(9.0, &waits).first();
    assert_eq!(found.cause().id(), "retry-storm");
    let retries = numbers!(found, RetryStorm);
    assert_eq!((retries.library.as_deref(), retries.refused), (Some("Resilience4j"), None));
    assert_eq!((retries.waiting, retries.per_request), (Some(Share(9.0 / 16.0)), Some(Count(3.0))));
    assert_eq!(retries.at.method.as_deref(), Some("shop.RoomClient.ask"));
    let is_silent = |scene: Scene| !scene.causes().contains(&"retry-storm");
    assert!(is_silent(sleeping(1.0, &waits)), "now and then");
    let paces = ["java.lang.Thread.sleep", "shop.RoomClient.lambda$ask$0", waits[2], waits[3], waits[4]];
    assert!(is_silent(sleeping(9.0, &paces)), "the call itself sleeps");
}
