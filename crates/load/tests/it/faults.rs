//! Servers that fail, lie or never end: each is counted as what it is, and costs no more than a bound.

use crate::{closed, open, patiently, run, window};
use load::{Fault, Slice};
use model::plan::Plan;
use model::units::Nanos;
use std::time::{Duration, Instant};
use testkit::{Ending, Reply, Script, Server};

/// Two users on a server that answers so, with a short timeout.
fn provoke(reply: Reply) -> Slice {
    let server = Server::start(Script::new(reply)).unwrap();
    let began = Instant::now();
    let slice = run(
        Plan {
            response_timeout: Nanos::from_millis(150),
            ..closed(&server, 2)
        },
        window(0, 400),
    );
    assert!(began.elapsed() < Duration::from_secs(5), "the slice has to end");
    slice
}

/// Every request must fail, and only so.
fn assert_all(reply: Reply, fault: Fault) {
    let slice = provoke(reply);
    assert!(slice.requests > 0);
    assert_eq!(slice.faults.iter().collect::<Vec<_>>(), [(fault, slice.requests)]);
    assert_eq!(slice.ok, 0);
}

#[test]
fn silence_is_a_timeout_counted_when_it_expires() {
    patiently(|| {
        let slice = provoke(Reply::nothing());
        // 400 ms hold two timeouts of 150 ms for each user.
        assert!((2..=4).contains(&slice.requests), "{}", slice.requests);
        assert_eq!(slice.faults.count(Fault::ResponseTimeout), slice.requests);
        assert!(slice.response.min() >= 149_000_000);
    });
}

#[test]
fn one_byte_a_moment_is_a_timeout() {
    assert_all(
        Reply::ok("hello").drip(Duration::from_millis(20)),
        Fault::ResponseTimeout,
    );
}

#[test]
fn a_body_without_end_is_a_timeout() {
    assert_all(Reply::endless_body(), Fault::ResponseTimeout);
}

#[test]
fn what_is_no_http_or_past_a_bound_is_malformed() {
    assert_all(Reply::garbage(), Fault::Malformed);
    assert_all(Reply::endless_headers(), Fault::Malformed);
    assert_all(Reply::endless_interim(), Fault::Malformed);
    assert_all(
        Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        Fault::Malformed,
    );
    assert_all(
        Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        Fault::Malformed,
    );
    let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n";
    assert_all(Reply::raw(chunk), Fault::Malformed);
}

#[test]
fn bytes_behind_a_response_are_malformed() {
    assert_all(
        Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"),
        Fault::Malformed,
    );
}

#[test]
fn a_reset_and_a_close_are_told_apart() {
    assert_all(Reply::reset(), Fault::Reset);
    assert_all(Reply::raw("").ending(Ending::Close), Fault::ClosedEarly);
    assert_all(
        Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").ending(Ending::Close),
        Fault::ClosedEarly,
    );
}

#[test]
fn wrong_answers_keep_the_connection() {
    let server = Server::start(Script::new(Reply::status(500, "sorry"))).unwrap();
    let slice = run(closed(&server, 2), window(0, 100));
    assert_eq!(slice.faults.count(Fault::WrongStatus), slice.requests);
    assert_eq!(slice.failed.len(), slice.requests);
    assert_eq!((slice.service.len(), server.connections()), (0, 2));
}

#[test]
fn wrong_bodies_are_found() {
    let server = Server::start(Script::in_turn(vec![Reply::ok("right"), Reply::ok("wrong")])).unwrap();
    let mut plan = closed(&server, 1);
    plan.requests[0].body = Some(b"right".to_vec());
    let slice = run(plan, window(0, 100));
    assert!(slice.ok.abs_diff(slice.faults.count(Fault::WrongBody)) <= 1);
    assert_eq!(slice.requests, slice.ok + slice.faults.total());
}

#[test]
fn every_framing_is_understood_wherever_it_is_split() {
    for reply in [
        Reply::chunked(&[b"hello", b", world"]),
        Reply::ok("hello, world"),
        Reply::until_close("hello, world"),
    ] {
        let replies =
            (0..=reply.bytes().len()).map(|at| reply.clone().split_at(at, Duration::from_micros(200)));
        let server = Server::start(Script::in_turn(replies.collect())).unwrap();
        let mut plan = closed(&server, 4);
        plan.requests[0].body = Some(b"hello, world".to_vec());
        let slice = run(plan, window(0, 200));
        assert!(slice.ok > reply.bytes().len() as u64, "{}", slice.ok);
        assert_eq!(slice.faults.total(), 0, "{:?}", slice.faults);
    }
}

#[test]
fn nobody_listening_is_refused_and_does_not_spin() {
    let server = Server::start(Script::new(Reply::nothing())).unwrap();
    let (closed, open) = (closed(&server, 2), open(&server, 100.0, 2));
    drop(server);
    let slice = run(closed, window(0, 500));
    assert_eq!(slice.faults.count(Fault::ConnectRefused), slice.requests);
    assert!((4..=12).contains(&slice.requests), "{}", slice.requests);
    let slice = run(
        Plan {
            response_timeout: Nanos::from_millis(200),
            ..open
        },
        window(0, 500),
    );
    assert_eq!(slice.requests, slice.faults.count(Fault::ConnectRefused));
    assert!(
        slice.overloaded && slice.unsent > 0,
        "the queue cannot be worked off: {} unsent",
        slice.unsent
    );
}

#[test]
fn large_bodies_stream_through() {
    let body = vec![b'x'; 4 << 20];
    let server = Server::start(Script::new(Reply::ok(&body))).unwrap();
    let slice = run(closed(&server, 2), window(0, 400));
    assert!(slice.ok > 0 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert_eq!(slice.bytes, slice.ok * Reply::ok(&body).bytes().len() as u64);
}
