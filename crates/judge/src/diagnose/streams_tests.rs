//! Tests of the causes in HTTP/2, each in a scene where it is at work and in one where it is not.

use super::tests::{NONE, Scene, keys, numbers};
use crate::profile::tests::Look;
use ask::arm::HttpVersion;
use ask::kind::Kind;
use model::units::{Count, Nanos, Seconds, Share};
use record::finding::{Remedy, ServerSetting, SettingName};
use record::inspection::{ArmInspection, Inspection, PoolReading, ThreadState};
use record::outcome::{Limit, StreamCounts};
use record::telemetry::GroupTotals;

/// The scene over HTTP/2, with these counts in each slice.
fn over_http2(scene: Scene, counts: impl Fn(&mut StreamCounts)) -> Scene {
    scene.arm(|arm| arm.settings.http = Some(HttpVersion::Two)).slices(|slice| {
        let streams = &mut slice.counts.http2;
        (streams.connections, streams.stream_limit) = (1, Some(100));
        counts(streams);
    })
}

/// In each slice of half a second, so many requests wait for a stream all the time.
fn waiting(count: f64) -> impl Fn(&mut StreamCounts) {
    move |streams| (streams.stream_waits, streams.stream_waited) = (1000, Seconds(count / 2.0))
}

/// 10 requests in flight, 50 ms each.
fn ten_in_flight() -> Scene {
    let scene = Scene::healthy().load(100, 100, 0.02);
    scene.slices(|slice| (slice.in_flight, slice.service_sum) = (Seconds(5.0), Seconds(5.0)))
}

#[test]
fn requests_that_wait_for_a_stream_are_counted_by_littles_law() {
    let limited = |waits: f64| {
        over_http2(ten_in_flight(), move |streams| {
            streams.stream_limit = Some(10);
            waiting(waits)(streams);
        })
    };
    let found = limited(90.0).first();
    let full = numbers!(found, StreamLimit);
    assert_eq!((full.most, full.connections, full.waiting), (Count(10.0), 1, Count(90.0)));
    assert_eq!(full.each, Seconds(0.05), "10 in flight, 200 a second");
    assert_eq!(found.explains, Some(Share(0.9)));
    let setting = ServerSetting { server: Kind::Tomcat, name: SettingName::MaxStreams };
    assert_eq!(found.remedy, Remedy::RaiseLimit { setting, to: Some(110), sizing: None });
    assert_eq!(keys(&found), ["max_streams = 110"]);
    assert_eq!(limited(0.0).causes(), NONE, "the limit is not reached");
    assert!(!limited(0.5).causes().contains(&"stream-limit"), "few wait");
    let busy = limited(90.0).slices(|slice| slice.cpu_ns_arm = 950_000_000);
    assert!(!busy.causes().contains(&"stream-limit"), "more streams would only share the CPU");
}

#[test]
fn a_limit_of_streams_is_seen_of_a_server_elsewhere() {
    let scene = over_http2(ten_in_flight(), |streams| {
        streams.stream_limit = Some(10);
        waiting(90.0)(streams);
    });
    let elsewhere = scene.arm(|arm| arm.origin = "https://green.example.com".to_owned().try_into().ok());
    assert_eq!(elsewhere.causes(), ["stream-limit"]);
}

/// The scene with a look in which so many threads of the pool were busy.
fn with_busy_threads(mut scene: Scene, busy: u64) -> Scene {
    let pool = vec![PoolReading { busy: Some(busy), ..PoolReading::default() }];
    scene
        .inspections
        .push(ArmInspection { arm: 0, inspection: Inspection { pool, ..Inspection::default() } });
    scene
}

#[test]
fn tomcat_works_on_twenty_streams_of_a_connection() {
    // 100 streams on one connection, 20 of them at work for 50 ms each.
    let scene = |busy| with_busy_threads(over_http2(Scene::healthy().load(100, 200, 0.02), |_| ()), busy);
    let found = scene(20).first();
    let queued = numbers!(found, StreamExecutionLimit);
    assert_eq!((queued.most, queued.in_flight, queued.waiting), (Count(20.0), Count(100.0), Count(80.0)));
    assert_eq!(queued.each, Seconds(0.05));
    assert_eq!(found.explains, Some(Share(0.8)));
    assert_eq!(keys(&found), ["attributes.UpgradeProtocol.maxConcurrentStreamExecution = 110"]);
    assert!(!scene(95).causes().contains(&"stream-execution-limit"), "all of them are worked on");
    assert!(!scene(4).causes().contains(&"stream-execution-limit"), "they wait for something else");
    let more = scene(20).slices(|slice| slice.counts.http2.connections = 5);
    assert!(!more.causes().contains(&"stream-execution-limit"), "five connections have a hundred");
    let jetty = scene(20).arm(|arm| arm.server = "jetty".to_owned());
    assert!(!jetty.causes().contains(&"stream-execution-limit"));
}

/// The stack of a request that waits for the lock of its connection of HTTP/2.
const AT_CONNECTION: [&str; 3] = [
    "java.util.concurrent.locks.ReentrantLock.lock",
    "org.apache.coyote.http2.Http2AsyncUpgradeHandler.writeHeaders",
    "shop.Page.doGet",
];

#[test]
fn more_streams_at_work_help_nobody_who_waits_for_the_connection() {
    let scene = || with_busy_threads(over_http2(Scene::healthy().load(100, 200, 0.02), |_| ()), 20);
    let locked = |threads: f64| {
        let look = Look::at(100.0, 200).in_state(threads, ThreadState::Waiting, &AT_CONNECTION);
        let pool = vec![PoolReading { busy: Some(20), ..PoolReading::default() }];
        Inspection { pool, ..look.inspection() }
    };
    for (threads, helps) in [(1.0, true), (10.0, false)] {
        let found = scene().looked_at(locked(threads)).first();
        numbers!(found, StreamExecutionLimit);
        assert_eq!(found.remedy == Remedy::UseMoreConnections, !helps, "{threads} of 20");
        assert_eq!(keys(&found).is_empty(), !helps);
    }
}

#[test]
fn requests_that_share_a_connection_wait_for_each_other() {
    let looked = |connections: u64, inspection: Inspection| {
        let scene =
            over_http2(Scene::healthy().load(100, 200, 0.02), |streams| streams.connections = connections);
        scene.arm(|arm| arm.server = "jetty".to_owned()).looked_at(inspection)
    };
    let scene = |connections: u64, look: Look| looked(connections, look.inspection());
    let locked = |threads: f64| Look::at(100.0, 200).in_state(threads, ThreadState::Waiting, &AT_CONNECTION);
    let found = scene(1, locked(72.0)).first();
    let shared = numbers!(found, SharedConnection);
    assert_eq!((shared.connections, shared.waiting, shared.in_flight), (1, Count(72.0), Count(100.0)));
    assert_eq!((found.explains, found.remedy), (Some(Share(0.72)), Remedy::UseMoreConnections));
    assert_eq!(scene(1, locked(72.0)).causes(), ["shared-connection"], "the lock is not the application's");
    assert!(!scene(1, locked(20.0)).causes().contains(&"shared-connection"), "few wait");
    assert!(!scene(50, locked(72.0)).causes().contains(&"shared-connection"), "each of two has its own");
    let own = Look::at(100.0, 200).in_state(72.0, ThreadState::Blocked, &["shop.Page.doGet"]);
    assert_eq!(scene(1, own).causes(), ["lock-contention"]);
    let hung = Inspection { ok: 0, wrong: 10, ..locked(72.0).inspection() };
    assert!(!looked(1, hung).causes().contains(&"shared-connection"), "no answer was right in the look");
    let busy = scene(1, locked(72.0)).slices(|slice| slice.cpu_ns_arm = 950_000_000);
    assert!(!busy.causes().contains(&"shared-connection"), "the CPU is full");
}

#[test]
fn bodies_that_wait_for_a_window_are_told_from_others() {
    // Each body waits for 18 of the 20 ms of its request.
    let scene = |of_connection: u64| {
        over_http2(Scene::healthy().load(8, 200, 0.02), move |streams| {
            streams.window_waits = 200;
            streams.connection_window_waits = of_connection;
            streams.window_waited = Seconds(3.6);
        })
    };
    let found = scene(0).first();
    let stall = numbers!(found, FlowControlStall);
    assert_eq!((stall.share, stall.of_connection), (Share(1.0), false));
    assert!((stall.each.0 - 0.018).abs() < 1e-9, "{:?}", stall.each);
    assert!(found.explains.is_some_and(|share| (share.0 - 0.9).abs() < 1e-9), "{:?}", found.explains);
    let setting = Some("UpgradeProtocol.initialWindowSize".to_owned());
    assert_eq!(found.remedy, Remedy::WidenWindow { of_connection: false, setting });
    assert!(numbers!(scene(150).first(), FlowControlStall).of_connection);
    let few = scene(0).slices(|slice| slice.counts.http2.window_waits = 10);
    assert_eq!(few.causes(), NONE);
}

#[test]
fn one_connection_keeps_one_event_loop_busy() {
    let scene = |connections: u64, cpu: u64| {
        over_http2(Scene::healthy().load(100, 5000, 0.475), move |streams| streams.connections = connections)
            .seen(45, move |server| {
                let loops =
                    GroupTotals { threads: 2, cpu: Nanos::from_millis(cpu), ..GroupTotals::default() };
                server.groups.insert("event loops".to_owned(), loops);
            })
    };
    let found = scene(1, 475).first();
    let loops = numbers!(found, OneConnection);
    assert_eq!((loops.connections, loops.loops, loops.idle), (1, 2, 1));
    assert_eq!((found.explains, found.remedy), (Some(Share(0.5)), Remedy::UseMoreConnections));
    for other in [scene(1, 150), scene(2, 475)] {
        assert!(!other.causes().contains(&"one-connection"), "{:?}", other.causes());
    }
}

#[test]
fn connections_that_the_server_ends_are_told_with_their_reason() {
    let ended = |code: &str, count: u64| {
        let code = code.to_owned();
        over_http2(Scene::healthy().load(32, 10_000, 0.4), move |streams| {
            streams.goaways = [(code.clone(), count)].into();
        })
        .slices(move |slice| slice.counts.connects = count)
    };
    let found = ended("ENHANCE_YOUR_CALM", 200).first();
    let churn = numbers!(found, GoawayChurn);
    assert_eq!((churn.each, churn.code.as_deref()), (Count(50.0), Some("ENHANCE_YOUR_CALM")));
    assert_eq!(found.remedy, Remedy::LetConnectionsLive { server: Kind::Tomcat, is_defence: true });
    assert_eq!(ended("NO_ERROR", 1).causes(), NONE, "an effect that is too small to be measured");
    let failing = ended("ENHANCE_YOUR_CALM", 200).slices(|slice| {
        slice.counts.ok -= 1000;
        slice.counts.faults = [("stream_refused".to_owned(), 1000)].into();
    });
    assert_eq!(failing.first().cause().id(), "goaway-churn", "{:?}", failing.causes());
}

#[test]
fn what_limits_connections_of_http1_is_silent_over_http2() {
    let one = || Scene::healthy().load(32, 10_000, 0.8);
    let closing = |scene: Scene| scene.slices(|slice| slice.counts.connects = 10_000);
    let few = |scene: Scene| scene.running(|running| running.max_connections = Some(Limit::At(10)));
    let full = |scene: Scene| {
        few(scene).slices(|slice| (slice.in_flight, slice.service_sum) = (Seconds(5.0), Seconds(5.0)))
    };
    assert!(closing(one()).causes().contains(&"keepalive-not-effective"));
    let often = |scene: Scene| scene.slices(|slice| slice.counts.connects = 100);
    for scene in [closing(one()), often(one()), full(one())] {
        let causes = over_http2(scene, |_| ()).causes();
        for cause in ["keepalive-not-effective", "keepalive-limit", "connection-limit"] {
            assert!(!causes.contains(&cause), "{causes:?}");
        }
    }
}
