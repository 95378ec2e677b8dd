//! Servers that fail, violate the protocol or never finish: each kind of fault is counted as what it is, and the slice
//! ends in bounded time.

use crate::{closed, open, patiently, run, window};
use load::{Fault, Slice};
use model::units::Nanos;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use testkit::{Ending, Reply, Script, ScriptedServer};
use traffic::plan::Plan;
use traffic::scenario::StepFailure;

/// Loads a server that always gives this reply for this many milliseconds, with two users and a short response timeout.
fn provoke(reply: Reply, counted: u64) -> Slice {
    let server = ScriptedServer::start(Script::new(reply)).unwrap();
    let began = Instant::now();
    let slice =
        run(Plan { response_timeout: Nanos::from_millis(150), ..closed(&server, 2) }, window(0, counted));
    assert!(began.elapsed() < Duration::from_secs(5), "the slice has to end");
    slice
}

/// Asserts that every request fails with this fault.
fn assert_all(reply: Reply, fault: Fault) {
    // Two timeouts fit into the longer time.
    let counted = if fault == Fault::ResponseTimeout { 400 } else { 100 };
    let slice = provoke(reply, counted);
    assert!(slice.requests > 0);
    assert_eq!(slice.faults.iter().collect::<Vec<_>>(), [(fault, slice.requests)]);
    assert_eq!(slice.ok, 0);
}

#[test]
fn a_server_that_does_not_answer_causes_a_timeout_after_its_time() {
    patiently(|| {
        let slice = provoke(Reply::nothing(), 400);
        // Two timeouts of 150 ms fit into 400 ms for each of the two users.
        assert!((2..=4).contains(&slice.requests), "{}", slice.requests);
        assert_eq!(slice.faults.count(Fault::ResponseTimeout), slice.requests);
        assert!(slice.response.min() >= 149_000_000);
    });
}

#[test]
fn a_response_that_comes_byte_by_byte_causes_a_timeout() {
    assert_all(Reply::ok("hello").drip(Duration::from_millis(20)), Fault::ResponseTimeout);
}

#[test]
fn a_body_without_end_causes_a_timeout() {
    assert_all(Reply::endless_body(), Fault::ResponseTimeout);
}

#[test]
fn what_is_not_http_or_exceeds_a_limit_is_malformed() {
    assert_all(Reply::garbage(), Fault::Malformed);
    assert_all(Reply::endless_headers(), Fault::Malformed);
    assert_all(Reply::endless_interim(), Fault::Malformed);
    assert_all(Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), Fault::Malformed);
    assert_all(
        Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        Fault::Malformed,
    );
    let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n";
    assert_all(Reply::raw(chunk), Fault::Malformed);
}

#[test]
fn bytes_behind_a_response_are_malformed() {
    assert_all(Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"), Fault::Malformed);
}

/// What is kept of the first wrong answer: why it is wrong, and its bytes.
fn first_wrong(reply: Reply) -> (StepFailure, String) {
    let first = provoke(reply, 100).first_wrong.expect("a wrong answer");
    assert_eq!(first.request, "GET / HTTP/1.1");
    (first.why, first.answer)
}

#[test]
fn the_first_wrong_answer_is_kept_with_the_bytes_that_show_it() {
    let surplus = first_wrong(Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"));
    assert_eq!(surplus, (StepFailure::Surplus(1), "b".to_owned()));
    let (why, answer) = first_wrong(Reply::status(503, "busy"));
    assert_eq!(why, StepFailure::Status(503));
    assert!(answer.starts_with("HTTP/1.1 503") && answer.ends_with("busy"), "{answer}");
    let (why, answer) = first_wrong(Reply::raw("+OK 12\r\n\r\n"));
    assert_eq!((why, answer.as_str()), (StepFailure::NotHttp, "+OK 12\n\n"));
    assert_eq!(provoke(Reply::ok("right"), 50).first_wrong, None);
}

#[test]
fn a_reset_and_a_close_are_different_faults() {
    assert_all(Reply::reset(), Fault::Reset);
    assert_all(Reply::raw("").ending(Ending::Close), Fault::ClosedEarly);
    assert_all(
        Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").ending(Ending::Close),
        Fault::ClosedEarly,
    );
}

#[test]
fn a_wrong_status_does_not_close_the_connection() {
    let server = ScriptedServer::start(Script::new(Reply::status(500, "sorry"))).unwrap();
    let slice = run(closed(&server, 2), window(0, 100));
    assert_eq!(slice.faults.count(Fault::WrongStatus), slice.requests);
    assert_eq!(slice.failed.len(), slice.requests);
    assert_eq!((slice.service.len(), server.connections()), (0, 2));
}

#[test]
fn wrong_bodies_are_counted() {
    let server =
        ScriptedServer::start(Script::in_turn(vec![Reply::ok("right"), Reply::ok("wrong")])).unwrap();
    let mut plan = closed(&server, 1);
    plan.requests[0].body = Some(b"right".to_vec());
    let slice = run(plan, window(0, 100));
    assert!(slice.ok.abs_diff(slice.faults.count(Fault::WrongBody)) <= 1);
    assert_eq!(slice.requests, slice.ok + slice.faults.total());
}

#[test]
fn responses_of_every_framing_may_be_split_anywhere() {
    for reply in [
        Reply::chunked(&[b"hello", b", world"]),
        Reply::ok("hello, world"),
        Reply::until_close("hello, world"),
    ] {
        let replies =
            (0..=reply.bytes().len()).map(|at| reply.clone().split_at(at, Duration::from_micros(200)));
        let server = ScriptedServer::start(Script::in_turn(replies.collect())).unwrap();
        let mut plan = closed(&server, 4);
        plan.requests[0].body = Some(b"hello, world".to_vec());
        // Each reply comes at least once.
        let limit = 2 * reply.bytes().len() as u64;
        plan.limit = Some(limit);
        let slice = run(plan, window(0, 60_000));
        assert_eq!((slice.ok, slice.faults.total()), (limit, 0), "{:?}", slice.faults);
    }
}

#[test]
fn refused_connections_are_counted_and_not_retried_at_once() {
    patiently(|| {
        let server = ScriptedServer::start(Script::new(Reply::nothing())).unwrap();
        let (closed, open) = (closed(&server, 2), open(&server, 100.0, 2));
        drop(server);
        let slice = run(closed, window(0, 500));
        assert_eq!(slice.faults.count(Fault::ConnectRefused), slice.requests);
        assert!((4..=12).contains(&slice.requests), "{}", slice.requests);
        let slice = run(Plan { response_timeout: Nanos::from_millis(200), ..open }, window(0, 500));
        assert_eq!(slice.requests, slice.faults.count(Fault::ConnectRefused));
        assert!(slice.overloaded && slice.unsent > 0, "the requests cannot be sent: {} unsent", slice.unsent);
    });
}

#[test]
fn a_connection_that_fails_is_told_with_its_address_and_the_words_of_the_system() {
    let told = |plan: Plan| {
        let slice = run(Plan { limit: Some(2), ..plan }, window(0, 60_000));
        let first = slice.first_failure().cloned().expect("a failure");
        assert_eq!((first.request.as_str(), first.answer.as_str()), ("GET / HTTP/1.1", ""));
        first.why
    };
    let server = ScriptedServer::start(Script::new(Reply::reset())).unwrap();
    let (plan, address) = (closed(&server, 1), server.address().to_string());
    let StepFailure::ConnectionLost { address: lost, why } = told(plan.clone()) else {
        panic!("it is reset")
    };
    assert!(lost == address && why.starts_with("Connection reset by peer"), "{lost} {why}");
    drop(server);
    // No connection leads to the address of all machines of a network.
    let everybody = SocketAddr::from(([127, 255, 255, 255], 80));
    for (target, says) in
        [(plan.target.clone(), "Connection refused"), (everybody.into(), "Network is unreachable")]
    {
        let asked = target.address().expect("an address").to_string();
        let why = told(Plan { target, ..plan.clone() });
        let StepFailure::NotConnected { address, why } = why else { panic!("{why:?}") };
        assert!(address == asked && why.starts_with(says), "{address} {why}");
    }
}

#[test]
fn large_bodies_are_received() {
    let body = vec![b'x'; 4 << 20];
    let server = ScriptedServer::start(Script::new(Reply::ok(&body))).unwrap();
    let slice = run(closed(&server, 2), window(0, 400));
    assert!(slice.ok > 0 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert_eq!(slice.bytes, slice.ok * Reply::ok(&body).bytes().len() as u64);
}
