//! Truth tests of times: the generator must measure what the scripted server really did.

use crate::{closed, millis, open, patiently, run, window};
use load::{Edge, Session, Slice};
use model::reason::GeneratorLimit;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer};
use traffic::plan::Plan;

/// The median time for which the server really delayed its responses, in milliseconds. On a busy machine it is longer than
/// the server was told.
fn median_delay(server: &ScriptedServer) -> f64 {
    let mut delays = server.delays();
    delays.sort();
    delays[delays.len() / 2].as_secs_f64() * 1e3
}

#[test]
fn a_delay_of_two_milliseconds_is_measured_as_two_milliseconds() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(2)))).unwrap();
        let slice = run(closed(&server, 1), window(50, 500));
        let (truth, service) = (median_delay(&server), millis(&slice.service, 0.5));
        assert!((service - truth).abs() < 0.15 * truth, "service p50 {service} ms, truth {truth} ms");
        assert!(
            slice.service.min() >= 1_990_000,
            "{} ns is less than the delay of the server",
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
            ScriptedServer::start(Script::new(Reply::ok("hello")).stall(Duration::from_millis(500), stall))
                .unwrap();
        let slice = run(open(&server, 500.0, 4), window(0, 2500));
        // 500 of the 1250 requests were due during the stall of one second. The first of them waited 1 s, the last 0 s.
        let (p50, p95, worst) =
            (millis(&slice.response, 0.5), millis(&slice.response, 0.95), millis(&slice.response, 1.0));
        // The upper limits allow for a busy machine, which can make the stall longer but not shorter.
        assert!(p50 < 250.0, "{p50}");
        assert!((785.0..1300.0).contains(&p95), "p95 {p95} ms; of 1250 requests 62 waited more than 875 ms");
        assert!((950.0..2000.0).contains(&worst), "{worst}");
        // Only the four requests in flight have a long service time.
        let slow = slice.service.count_between(500_000_000, 3_600_000_000_000);
        assert!(slow <= 4, "{slow} slow services");
        assert!(millis(&slice.service, 0.5) < 50.0);
        assert_eq!(slice.response.len(), slice.offered);
        assert_eq!(slice.unsent, 0);
    });
}

#[test]
fn a_stall_at_the_end_of_the_window_is_contained_in_the_response_times() {
    patiently(|| {
        let server = ScriptedServer::start(
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
        assert_eq!(seconds, slice.response, "the seconds must contain the stragglers");
        assert!(millis(&slice.response, 1.0) > 900.0);
    });
}

#[test]
fn a_pause_that_reaches_beyond_the_window_lies_in_it_whole_where_edges_wait_for_answers() {
    patiently(|| {
        let elapsed = |edges_at_answers: bool| {
            let stall = Duration::from_millis(600);
            let server = ScriptedServer::start(
                Script::new(Reply::ok("hello")).stall(Duration::from_millis(150), stall),
            )
            .unwrap();
            let plan = Plan { edges_at_answers, ..closed(&server, 2) };
            run(plan, window(50, 200)).elapsed.as_secs_f64()
        };
        let (by_clock, by_answers) = (elapsed(false), elapsed(true));
        assert!((0.19..0.3).contains(&by_clock), "{by_clock}");
        assert!((0.65..0.9).contains(&by_answers), "{by_answers}");
    });
}

#[test]
fn slices_that_go_on_with_each_other_lose_no_request_and_no_time() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(300)))).unwrap();
        let mut plan = closed(&server, 10);
        plan.users.ramp = model::units::Nanos::from_millis(300);
        plan.continuous = true;
        let mut session = Session::open(plan).unwrap();
        let first = crate::run_slice(&mut session, window(700, 100));
        let rest: Vec<Slice> = (0..11).map(|_| crate::run_slice(&mut session, window(0, 100))).collect();
        session.drain(&AtomicBool::new(false)).unwrap();
        let all = || std::iter::once(&first).chain(&rest);
        // Ten users with one answer in 0.3 s each, for 1.2 s.
        let ok: u64 = all().map(|slice| slice.ok).sum();
        assert!((36..=44).contains(&ok), "{ok}");
        assert!(all().filter(|slice| slice.ok >= 2).count() >= 9, "the users are spread");
        assert!(all().all(|slice| slice.faults.total() == 0));
        for slice in all() {
            let in_flight = slice.in_flight_integral.0 / slice.elapsed.as_secs_f64();
            assert!((in_flight - 10.0).abs() < 0.5, "{in_flight}");
            assert_eq!(slice.why_invalid(), None);
        }
    });
}

#[test]
fn an_open_loop_keeps_its_rate_with_a_slow_server() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(20)))).unwrap();
        let slice = run(open(&server, 1000.0, 100), window(100, 1000));
        assert!(
            (slice.offered as f64 - 1000.0 * slice.elapsed.as_secs_f64()).abs() <= 2.0,
            "{}",
            slice.offered
        );
        assert!((slice.requests as f64 - 1000.0).abs() < 100.0, "{}", slice.requests);
    });
}

#[test]
fn the_wait_for_a_free_connection_is_part_of_the_response_time() {
    patiently(|| {
        // With 10 ms per request, one connection serves 100/s; at 150/s the queue grows by 50 requests per second.
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(10)))).unwrap();
        let slice = run(open(&server, 150.0, 1), window(0, 1000));
        assert!((9.0..15.0).contains(&millis(&slice.service, 0.5)), "{}", millis(&slice.service, 0.5));
        // The last request waits for 50 others, which is 500 ms on an idle machine and longer on a busy one.
        let worst = millis(&slice.wait, 1.0);
        assert!((400.0..3000.0).contains(&worst), "{worst}");
        assert!(millis(&slice.response, 1.0) > worst);
    });
}

#[test]
fn littles_law_holds_when_most_requests_cross_an_edge() {
    let server =
        ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(200)))).unwrap();
    // The load settles for half a service time and is counted for three, so most requests cross an edge.
    let slice = run(closed(&server, 40), window(100, 600));
    let ratio = slice.service_sum / slice.in_flight_integral;
    assert!((ratio - 1.0).abs() < 0.001, "{ratio}");
}

/// Runs a plan for a second, during which the generator is held up for a quarter of a second.
fn run_held_up(plan: Plan) -> Slice {
    let mut session = Session::open(plan).unwrap();
    let stop = AtomicBool::new(false);
    let hold_up = |edge: Edge<'_>| {
        if matches!(edge, Edge::CountedBegins | Edge::Interval(_)) {
            std::thread::sleep(Duration::from_millis(250));
        }
    };
    session.run(window(50, 1000), &stop, &mut { hold_up }).unwrap()
}

#[test]
fn a_slice_is_invalid_when_the_generator_was_held_up() {
    let server =
        ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(2)))).unwrap();
    let why = run_held_up(closed(&server, 8)).why_invalid().unwrap();
    assert!(matches!(why.generator_limit(), Some(GeneratorLimit::AnswersUnseen { .. })), "{why:?}");
    let why = run_held_up(open(&server, 500.0, 8)).why_invalid().unwrap();
    assert!(
        // Answers lay unseen meanwhile, too, and that is told first.
        matches!(
            why.generator_limit(),
            Some(GeneratorLimit::AnswersUnseen { .. } | GeneratorLimit::SentLate { .. })
        ),
        "{why:?}"
    );
}

#[test]
fn littles_law_holds() {
    patiently(|| {
        let server =
            ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(5)))).unwrap();
        let slice = run(closed(&server, 16), window(50, 1000));
        let ratio = slice.service_sum / slice.in_flight_integral;
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        let users = slice.in_flight_integral.0 / slice.elapsed.as_secs_f64();
        assert!((users - 16.0).abs() < 0.5, "{users} requests in flight on average");
    });
}

#[test]
fn first_byte_and_body_of_a_response_are_timed_separately() {
    patiently(|| {
        let reply = Reply::ok("hello").split_at(10, Duration::from_millis(20));
        let server = ScriptedServer::start(Script::new(reply)).unwrap();
        let slice = run(closed(&server, 1), window(0, 300));
        assert!(millis(&slice.first_byte, 0.5) < 10.0);
        assert!((19.0..30.0).contains(&millis(&slice.body, 0.5)), "{}", millis(&slice.body, 0.5));
    });
}

#[test]
fn seconds_and_tenths_add_up_to_the_slice() {
    let server =
        ScriptedServer::start(Script::new(Reply::ok("hello").after(Duration::from_millis(1)))).unwrap();
    let slice = run(closed(&server, 2), window(0, 1300));
    assert_eq!(slice.intervals.len(), 2);
    assert_eq!(slice.intervals.iter().map(|interval| interval.requests).sum::<u64>(), slice.requests);
    let mut response = load::new_histogram();
    slice.intervals.iter().for_each(|interval| interval.response.add_to(&mut response));
    assert_eq!(response, slice.response);
    let elapsed: u64 = slice.intervals.iter().map(|interval| interval.elapsed.0).sum();
    assert_eq!(elapsed, slice.elapsed.0);
    let tenths = &slice.tenths[0];
    assert_eq!(tenths.len() as u64, (slice.elapsed.0 + 50_000_000) / 100_000_000);
    assert_eq!(tenths.iter().map(|tenth| tenth.answers).sum::<u64>(), slice.requests);
    let longest = tenths.iter().map(|tenth| tenth.longest.0).max().expect("tenths");
    assert_eq!(slice.response.highest_equivalent(longest), slice.response.max());
}
