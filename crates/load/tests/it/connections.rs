//! Connections: how they are kept, closed, reopened and counted, and how a slice begins and ends.

use crate::{closed, open, patiently, run, run_slice, window};
use load::{Edge, Error, PlanPart, RequestBuilder, Session, Url};
use model::units::{Nanos, Rate};
use std::net::{IpAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testkit::{Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Plan, Target};

#[test]
fn connections_persist_between_slices() {
    patiently(|| {
        let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
        let mut session = Session::open(closed(&server, 5)).unwrap();
        let first = run_slice(&mut session, window(20, 50));
        let second = run_slice(&mut session, window(20, 50));
        assert_eq!((first.connects_total, second.connects_total), (5, 0));
        assert!(second.ok > 0 && second.ok == second.requests);
        assert_eq!(server.connections(), 5);
    });
}

#[test]
fn the_counts_of_generator_and_server_agree() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let slice = run(closed(&server, 3), window(0, 200));
    // One request per user ends after the window: it is waited for and not counted.
    let uncounted = server.requests() - slice.requests;
    assert!(uncounted <= 3, "{uncounted}");
    assert_eq!(slice.bytes, slice.ok * Reply::ok("hello").bytes().len() as u64);
    assert_eq!(slice.service.len(), slice.ok);
}

#[test]
fn a_connection_closed_after_ten_requests_is_not_a_fault() {
    let script = Script::new(Reply::ok("hello")).close_after(10);
    let server = ScriptedServer::start(script).unwrap();
    let slice = run(closed(&server, 4), window(0, 300));
    assert_eq!(slice.faults.total(), 0, "{:?}", slice.faults);
    assert!(slice.closes >= slice.ok / 10 - 4, "{} closes, {} ok", slice.closes, slice.ok);
    assert!(slice.connects_total > slice.ok / 10);
    assert_eq!(slice.resent, 0);
}

#[test]
fn a_connection_closed_without_announcement_is_not_a_fault() {
    let script = Script::new(Reply::ok("hello")).close_silently_after(10);
    let server = ScriptedServer::start(script).unwrap();
    let plan = Plan { limit: Some(400), ..closed(&server, 4) };
    let slice = run(plan, window(0, 60_000));
    assert_eq!((slice.ok, slice.faults.total()), (400, 0), "{:?}", slice.faults);
    assert!(slice.closes > 30, "{} closes", slice.closes);
}

#[test]
fn connections_closed_while_idle_are_reopened() {
    patiently(|| {
        let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
        let address = server.address();
        let mut session = Session::open(closed(&server, 3)).unwrap();
        run_slice(&mut session, window(0, 50));
        drop(server);
        let server = ScriptedServer::start_on(address, Script::new(Reply::ok("hello"))).unwrap();
        let slice = run_slice(&mut session, window(20, 50));
        assert_eq!(slice.faults.total(), 0, "{:?}", slice.faults);
        assert_eq!((slice.connects_total, slice.connects, server.connections()), (3, 0, 3));
    });
}

#[test]
fn a_request_with_connection_close_opens_a_connection_each_time() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello")).close_after(1)).unwrap();
    let mut plan = closed(&server, 2);
    let url = Url::parse(&server.address().to_string()).unwrap();
    plan.requests = vec![RequestBuilder::new(&url).keep_alive(false).build().unwrap()];
    let slice = run(plan, window(0, 200));
    assert_eq!(slice.faults.total(), 0);
    assert!(slice.connects.abs_diff(slice.ok) <= 2, "{} connects, {} ok", slice.connects, slice.ok);
    // The user waits for the connection: that is part of the response time, but not of the service time.
    assert!(slice.response.mean() > slice.service.mean());
}

#[test]
fn users_send_the_requests_of_a_plan_in_turn() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let mut plan = closed(&server, 1);
    let succeeding = plan.requests[0].clone();
    let failing = traffic::plan::Request { status: 201..=201, ..succeeding.clone() };
    plan.requests = vec![succeeding.clone(), succeeding, failing];
    let slice = run(plan, window(0, 200));
    let faults = slice.faults.count(load::Fault::WrongStatus);
    assert!((slice.requests / 3).abs_diff(faults) <= 1, "{faults} of {}", slice.requests);
}

#[test]
fn stop_ends_a_slice_at_once_and_keeps_what_was_measured() {
    let server =
        ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(5)))).unwrap();
    let stop = AtomicBool::new(false);
    let mut session = Session::open(closed(&server, 2)).unwrap();
    let began = Instant::now();
    let slice = std::thread::scope(|scope| {
        scope.spawn(|| {
            while server.requests() < 20 {
                std::thread::sleep(Duration::from_millis(1));
            }
            stop.store(true, Ordering::Relaxed);
        });
        session.run(window(0, 60_000), &stop, &mut |_| {}).unwrap()
    });
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(slice.interrupted && slice.ok > 10, "{} ok", slice.ok);
    assert_eq!(slice.faults.total(), 0);
    assert!(!run_slice(&mut session, window(0, 50)).interrupted);
}

#[test]
fn edges_are_reported_once_each_and_in_order() {
    patiently(|| {
        let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
        let mut edges = Vec::new();
        let mut session = Session::open(closed(&server, 1)).unwrap();
        let slice = session
            .run(window(30, 1200), &AtomicBool::new(false), &mut |edge| {
                edges.push(match edge {
                    Edge::CountedBegins => ("begins", Instant::now()),
                    Edge::CountedEnds => ("ends", Instant::now()),
                    Edge::Interval(_) => ("interval", Instant::now()),
                });
            })
            .unwrap();
        let names: Vec<_> = edges.iter().map(|&(name, _)| name).collect();
        assert_eq!(names, ["begins", "interval", "ends", "interval"]);
        let between = (edges[2].1 - edges[0].1).as_secs_f64();
        assert!((between - slice.elapsed.as_secs_f64()).abs() < 0.05);
    });
}

#[test]
fn shards_share_users_and_rate() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(2)))).unwrap();
        let mut seconds = 0;
        let plan = Plan { shards: 2, ..closed(&server, 5) };
        let slice = Session::open(plan)
            .unwrap()
            .run(window(50, 300), &AtomicBool::new(false), &mut |edge| {
                seconds += usize::from(matches!(edge, Edge::Interval(_)));
            })
            .unwrap();
        assert_eq!((slice.connects_total, slice.intervals.len(), seconds), (5, 2, 2));
        assert_eq!(slice.service.len(), slice.ok);
        let slice = run(Plan { shards: 2, ..open(&server, 400.0, 10) }, window(50, 500));
        // A busy machine crosses the edges late, so the rate between them is checked.
        let expected = 400.0 * slice.elapsed.as_secs_f64();
        assert!((slice.offered as f64 - expected).abs() < 0.1 * expected, "{} of {expected}", slice.offered);
    });
}

#[test]
fn ipv6_addresses_and_unix_sockets_can_be_loaded() {
    let script = || Script::new(Reply::ok("hello"));
    let server = ScriptedServer::start_on("[::1]:0".parse().unwrap(), script()).unwrap();
    assert!(run(closed(&server, 2), window(0, 50)).ok > 0);
    let path = std::env::temp_dir().join(format!("prony-load-{}.sock", std::process::id()));
    let server = ScriptedServer::start_unix(&path, script()).unwrap();
    let plan = Plan { target: Target::Unix(path.clone()), ..plan_of(Arrivals::Closed { users: 2 }) };
    let slice = run(plan, window(0, 50));
    std::fs::remove_file(path).unwrap();
    assert!(slice.ok > 0 && slice.faults.total() == 0 && server.connections() == 2);
}

#[test]
fn plans_that_would_send_nothing_are_refused() {
    let open = |plan: Plan| Session::open(plan).err();
    let nothing = Plan { requests: vec![], ..plan_of(Arrivals::Closed { users: 1 }) };
    assert!(matches!(open(nothing), Some(Error::EmptyPlan(PlanPart::Requests))));
    assert!(matches!(
        open(plan_of(Arrivals::Closed { users: 0 })),
        Some(Error::EmptyPlan(PlanPart::Connections))
    ));
    let rate = Arrivals::Open { rate: Rate(0.0), poisson: true, connections: 1 };
    assert!(matches!(open(plan_of(rate)), Some(Error::BadRate(_))));
}

/// A plan for an address where nobody listens.
fn plan_of(arrivals: Arrivals) -> Plan {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let request = RequestBuilder::new(&Url::parse("localhost").unwrap()).build().unwrap();
    Plan { connect_timeout: Nanos::from_millis(100), ..Plan::new(address, vec![request], arrivals) }
}

#[test]
fn connections_come_from_the_addresses_of_the_plan_in_turn() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let from = std::thread::spawn(move || {
        let accepted: Vec<_> = (0..4).map(|_| listener.accept().unwrap()).collect();
        accepted.iter().map(|(_, peer)| peer.ip()).collect::<Vec<_>>()
    });
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    let request = RequestBuilder::new(&url).build().unwrap();
    let sources: Vec<IpAddr> = ["127.0.0.2", "127.0.0.3"].map(|source| source.parse().unwrap()).into();
    let arrivals = Arrivals::Closed { users: 4 };
    let plan = Plan { sources: sources.clone(), ..Plan::new(address, vec![request], arrivals) };
    // One of the addresses for documentation (RFC 5737), which is no machine's.
    let foreign: IpAddr = "203.0.113.1".parse().unwrap();
    let refused = load::Session::open(Plan { sources: vec![sources[0], foreign], ..plan.clone() });
    assert!(matches!(refused, Err(load::Error::NotOurAddress { address }) if address == foreign));
    // Nobody answers; the connections are all that is looked at.
    run(plan, window(0, 300));
    let mut from = from.join().unwrap();
    from.sort_unstable();
    assert_eq!(from, [sources[0], sources[0], sources[1], sources[1]]);
}
