//! Times: what the scripted server did is what the generator must read.

use crate::{closed, millis, open, patiently, run, window};
use load::{Edge, Session, Slice};
use model::plan::Plan;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testkit::{Reply, Script, Server};

/// How long the server really held its answers, median, milliseconds: on a busy machine longer than it was told to.
fn held_p50(server: &Server) -> f64 {
    let mut held = server.held();
    held.sort();
    held[held.len() / 2].as_secs_f64() * 1e3
}

#[test]
fn two_milliseconds_read_two_milliseconds() {
    patiently(|| {
        let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(2)))).unwrap();
        let slice = run(closed(&server, 1), window(50, 500));
        let (truth, service) = (held_p50(&server), millis(&slice.service, 0.5));
        assert!(
            (service - truth).abs() < 0.15 * truth,
            "service p50 {service} ms, truth {truth} ms"
        );
        assert!(
            slice.service.min() >= 1_990_000,
            "{} ns is quicker than the server",
            slice.service.min()
        );
        assert!(millis(&slice.first_byte, 0.5) > 1.9);
        assert_eq!(slice.faults.total(), 0);
    });
}

#[test]
fn a_stall_shows_in_the_response_time_of_an_open_loop_and_not_in_its_service_time() {
    patiently(|| {
        let stall = Duration::from_millis(1000);
        let server =
            Server::start(Script::new(Reply::ok("hello")).stall(Duration::from_millis(500), stall)).unwrap();
        let slice = run(open(&server, 500.0, 4), window(0, 2500));
        // A third of the requests were due in the second when nothing was answered; the last waited 0 s, the first 1 s.
        let (p50, p95, worst) = (
            millis(&slice.response, 0.5),
            millis(&slice.response, 0.95),
            millis(&slice.response, 1.0),
        );
        // A busy machine adds to the stall, and takes nothing from it.
        assert!(p50 < 250.0, "{p50}");
        assert!(
            (785.0..1300.0).contains(&p95),
            "p95 {p95} ms; of 1250 requests 62 waited more than 875 ms"
        );
        assert!((950.0..2000.0).contains(&worst), "{worst}");
        // Only the four requests in flight were served slowly.
        let slow = slice.service.count_between(500_000_000, 3_600_000_000_000);
        assert!(slow <= 4, "{slow} slow services");
        assert!(millis(&slice.service, 0.5) < 50.0);
        assert_eq!(slice.response.len(), slice.offered);
        assert_eq!(slice.unsent, 0);
    });
}

#[test]
fn a_stall_at_the_end_of_the_window_is_not_forgotten() {
    let server = Server::start(
        Script::new(Reply::ok("hello")).stall(Duration::from_millis(500), Duration::from_secs(1)),
    )
    .unwrap();
    let slice = run(open(&server, 200.0, 2), window(0, 1000));
    assert!(slice.requests < 120, "{} ended in the window", slice.requests);
    assert_eq!(slice.response.len(), slice.offered);
    assert!(slice.stragglers > 90, "{}", slice.stragglers);
    let mut seconds = load::new_histogram();
    for interval in &slice.intervals {
        interval.response.add_to(&mut seconds);
    }
    assert_eq!(seconds, slice.response, "the seconds leave out the stragglers");
    assert!(millis(&slice.response, 1.0) > 900.0);
}

#[test]
fn an_open_loop_keeps_its_rate_whatever_the_server_does() {
    patiently(|| {
        let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(20)))).unwrap();
        let slice = run(open(&server, 1000.0, 100), window(100, 1000));
        assert!(
            (slice.offered as f64 - 1000.0 * slice.elapsed.as_secs_f64()).abs() <= 2.0,
            "{}",
            slice.offered
        );
        assert!(
            (slice.requests as f64 - 1000.0).abs() < 100.0,
            "{}",
            slice.requests
        );
    });
}

#[test]
fn a_request_that_finds_no_connection_free_waits_and_the_wait_counts() {
    patiently(|| {
        // 10 ms on one connection is 100/s; at 150/s the queue grows by 50 requests a second, 10 ms each.
        let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(10)))).unwrap();
        let slice = run(open(&server, 150.0, 1), window(0, 1000));
        assert!(
            (9.0..15.0).contains(&millis(&slice.service, 0.5)),
            "{}",
            millis(&slice.service, 0.5)
        );
        // 500 ms on a machine that does nothing else; every stall of its own makes it longer.
        let worst = millis(&slice.wait, 1.0);
        assert!((400.0..3000.0).contains(&worst), "{worst}");
        assert!(millis(&slice.response, 1.0) > worst);
    });
}

#[test]
fn littles_law_holds_whatever_the_edges_cut() {
    let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(200)))).unwrap();
    // Half a service time of settling, three of counting: most requests lie across an edge.
    let slice = run(closed(&server, 40), window(100, 600));
    let ratio = slice.service_sum / slice.in_flight_integral;
    assert!((ratio - 1.0).abs() < 0.001, "{ratio}");
}

/// Runs a plan for two seconds with a generator that stands still for a quarter of each.
fn run_held_up(plan: Plan) -> Slice {
    let mut session = Session::open(plan).unwrap();
    let stop = AtomicBool::new(false);
    let hold_up = |edge: Edge<'_>| {
        if matches!(edge, Edge::CountedBegins | Edge::Interval(_)) {
            std::thread::sleep(Duration::from_millis(250));
        }
    };
    session.run(window(50, 2000), &stop, &mut { hold_up }).unwrap()
}

#[test]
fn a_generator_that_was_held_up_is_not_believed() {
    let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(2)))).unwrap();
    let why = run_held_up(closed(&server, 8)).why_invalid().unwrap();
    assert!(why.contains("answers lay unseen for more than 1.0 ms"), "{why}");
    let why = run_held_up(open(&server, 500.0, 8)).why_invalid().unwrap();
    assert!(
        why.contains("of the requests left more than 1.0 ms after"),
        "{why}"
    );
}

#[test]
fn littles_law_holds() {
    patiently(|| {
        let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(5)))).unwrap();
        let slice = run(closed(&server, 16), window(50, 1000));
        let ratio = slice.service_sum / slice.in_flight_integral;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        let users = slice.in_flight_integral / slice.elapsed.as_secs_f64();
        assert!(
            (users - 16.0).abs() < 0.5,
            "{users} requests in flight on average"
        );
    });
}

#[test]
fn pieces_of_a_response_are_told_apart() {
    patiently(|| {
        let reply = Reply::ok("hello").split_at(10, Duration::from_millis(20));
        let server = Server::start(Script::new(reply)).unwrap();
        let slice = run(closed(&server, 1), window(0, 300));
        assert!(millis(&slice.first_byte, 0.5) < 10.0);
        assert!(
            (19.0..30.0).contains(&millis(&slice.body, 0.5)),
            "{}",
            millis(&slice.body, 0.5)
        );
    });
}

#[test]
fn seconds_add_up_to_the_slice() {
    let server = Server::start(Script::new(Reply::ok("hello").after(Duration::from_millis(1)))).unwrap();
    let slice = run(closed(&server, 2), window(0, 2500));
    assert_eq!(slice.intervals.len(), 3);
    assert_eq!(
        slice
            .intervals
            .iter()
            .map(|interval| interval.requests)
            .sum::<u64>(),
        slice.requests
    );
    let mut response = load::new_histogram();
    slice
        .intervals
        .iter()
        .for_each(|interval| interval.response.add_to(&mut response));
    assert_eq!(response, slice.response);
    let elapsed: u64 = slice.intervals.iter().map(|interval| interval.elapsed.0).sum();
    assert_eq!(elapsed, slice.elapsed.0);
    let tenths = &slice.tenths[0];
    assert_eq!(tenths.len() as u64, (slice.elapsed.0 + 50_000_000) / 100_000_000);
    assert_eq!(
        tenths.iter().map(|tenth| tenth.answers).sum::<u64>(),
        slice.requests
    );
    let longest = tenths.iter().map(|tenth| tenth.longest.0).max().expect("tenths");
    assert_eq!(slice.response.highest_equivalent(longest), slice.response.max());
}
