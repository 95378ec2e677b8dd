//! Tests of the scripted server with a plain client. The truth tests of other crates rely on what they check.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use testkit::{Ending, Reply, Script, ScriptedServer};

const REQUEST: &[u8] = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab";

/// Sends a number of requests at once on one connection, and returns what is received until it is closed.
fn exchange(server: &ScriptedServer, requests: usize) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&REQUEST.repeat(requests)).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_delay_is_never_shorter_than_the_script_says() {
    let delay = Duration::from_millis(3);
    let server =
        ScriptedServer::start(Script::new(Reply::ok("x").after(delay).ending(Ending::Close))).unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let began = Instant::now();
    stream.write_all(REQUEST).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    assert!(began.elapsed() >= delay);
    drop(stream);
    std::thread::sleep(Duration::from_millis(30)); // the delays are published once per turn of the server's loop
    let delays = server.delays();
    assert!(delays.len() == 1 && delays[0] >= delay, "{delays:?}");
}

#[test]
fn the_close_is_announced_if_the_script_says_so() {
    let script = Script::new(Reply::ok("x")).close_after(2);
    let answer = exchange(&ScriptedServer::start(script.clone()).unwrap(), 2);
    assert_eq!(answer.matches("200 Scripted").count(), 2);
    assert_eq!(answer.matches("Connection: close").count(), 1);
    let answer = exchange(&ScriptedServer::start(script.close_silently_after(2)).unwrap(), 2);
    assert_eq!(answer.matches("200 Scripted").count(), 2);
    assert!(!answer.contains("close"));
}

#[test]
fn splitting_a_reply_does_not_change_its_bytes() {
    let reply = Reply::chunked(&[b"hello", b"world"]);
    for at in 0..=reply.bytes().len() {
        assert_eq!(reply.clone().split_at(at, Duration::ZERO).bytes(), reply.bytes());
    }
    assert_eq!(reply.clone().drip(Duration::ZERO).bytes(), reply.bytes());
}

#[test]
fn replies_are_sent_in_turn() {
    let close = |body| Reply::ok(body).ending(Ending::Close);
    let server = ScriptedServer::start(Script::in_turn(vec![close("first"), close("second")])).unwrap();
    for expected in ["first", "second", "first"] {
        let answer = exchange(&server, 1);
        assert!(answer.ends_with(expected), "{answer}");
    }
    assert_eq!((server.connections(), server.requests()), (3, 3));
}
