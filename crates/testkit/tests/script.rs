//! The scripted server seen by a plain client: what the other tests' truth rests on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use testkit::{Ending, Reply, Script, Server};

const REQUEST: &[u8] = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab";

/// What comes back on one connection, until it is closed, for so many requests sent at once.
fn ask(server: &Server, requests: usize) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&REQUEST.repeat(requests)).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_delay_is_never_shorter_than_asked_for() {
    let delay = Duration::from_millis(3);
    let server = Server::start(Script::new(Reply::ok("x").after(delay).ending(Ending::Close))).unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let began = Instant::now();
    stream.write_all(REQUEST).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    assert!(began.elapsed() >= delay);
    drop(stream);
    std::thread::sleep(Duration::from_millis(30)); // what was held is handed over once a turn
    let held = server.held();
    assert!(held.len() == 1 && held[0] >= delay, "{held:?}");
}

#[test]
fn the_last_reply_announces_the_close_or_not() {
    let script = Script::new(Reply::ok("x")).close_after(2);
    let answer = ask(&Server::start(script.clone()).unwrap(), 2);
    assert_eq!(answer.matches("200 Scripted").count(), 2);
    assert_eq!(answer.matches("Connection: close").count(), 1);
    let answer = ask(&Server::start(script.close_silently_after(2)).unwrap(), 2);
    assert_eq!(answer.matches("200 Scripted").count(), 2);
    assert!(!answer.contains("close"));
}

#[test]
fn splitting_changes_no_byte() {
    let reply = Reply::chunked(&[b"hello", b"world"]);
    for at in 0..=reply.bytes().len() {
        assert_eq!(reply.clone().split_at(at, Duration::ZERO).bytes(), reply.bytes());
    }
    assert_eq!(reply.clone().drip(Duration::ZERO).bytes(), reply.bytes());
}

#[test]
fn replies_come_in_turn() {
    let close = |body| Reply::ok(body).ending(Ending::Close);
    let server = Server::start(Script::in_turn(vec![close("first"), close("second")])).unwrap();
    for expected in ["first", "second", "first"] {
        let answer = ask(&server, 1);
        assert!(answer.ends_with(expected), "{answer}");
    }
    assert_eq!((server.connections(), server.requests()), (3, 3));
}
