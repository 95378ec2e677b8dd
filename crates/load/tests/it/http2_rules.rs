//! What the client says to a server that breaks a rule of HTTP/2, section by section of RFC 9113, as h2spec asks it of servers.

use super::http2::{Got, Manners, answer, closed, frame, send, serve};
use load::http2::ErrorCode;
use model::units::Nanos;
use std::time::{Duration, Instant};
use traffic::plan::Plan;

/// What a client has to say.
#[derive(Clone, Copy, Debug)]
enum Said {
    /// It ends the connection, and says why.
    Goodbye(ErrorCode),
    /// It ends the stream, and says why.
    Reset(ErrorCode),
    /// It answers a ping with the same bytes.
    Pong,
}
use ErrorCode::{Compression, FlowControl, FrameSize, Protocol, StreamClosed};
use Said::{Goodbye, Pong, Reset};

/// `:status: 200` by its number in the static table.
const OK: &[u8] = b"\x88";

/// A head that ends its block, and its stream if `end`.
fn head(stream: u32, block: &[u8], end: bool) -> Vec<u8> {
    frame(1, 4 | u8::from(end), stream, block)
}

/// One after the other.
fn then(first: Vec<u8>, next: Vec<u8>) -> Vec<u8> {
    [first, next].concat()
}

/// A rule, what a server that breaks it writes for the first request, on stream 1, and what a client has to say of it.
type Case = (&'static str, Vec<u8>, Said);

/// The rules of frames.
fn cases_of_frames() -> Vec<Case> {
    let setting =
        |name: u16, value: u32| frame(4, 0, 0, &[&name.to_be_bytes()[..], &value.to_be_bytes()].concat());
    vec![
        ("4.2 a frame longer than 16384", head(1, &[0; 16_385], true), Goodbye(FrameSize)),
        ("4.3 a block that refers to nothing", head(1, b"\xff\xff\x7f", true), Goodbye(Compression)),
        (
            "4.3 a block that is interrupted",
            then(frame(1, 0, 1, OK), frame(6, 0, 0, &[0; 8])),
            Goodbye(Protocol),
        ),
        ("5.1 data on a stream that nobody opened", frame(0, 0, 9, b"x"), Goodbye(Protocol)),
        ("5.1 a head on a stream that nobody opened", head(9, OK, true), Goodbye(Protocol)),
        ("5.1 a head behind the end", then(answer(1, b"hello"), head(1, OK, true)), Goodbye(StreamClosed)),
        ("5.1.1 a stream of the server", head(2, OK, true), Goodbye(Protocol)),
        ("6.1 data on no stream", frame(0, 0, 0, b"x"), Goodbye(Protocol)),
        (
            "6.1 padding longer than its frame",
            then(head(1, OK, false), frame(0, 8, 1, b"\x05x")),
            Goodbye(Protocol),
        ),
        ("6.2 a head on no stream", head(0, OK, true), Goodbye(Protocol)),
        ("6.2 padding longer than its head", frame(1, 4 | 8, 1, b"\x05\x88"), Goodbye(Protocol)),
        ("6.3 a priority on no stream", frame(2, 0, 0, &[0; 5]), Goodbye(Protocol)),
        ("6.3 a priority of a wrong size", frame(2, 0, 1, &[0; 4]), Goodbye(FrameSize)),
        ("6.4 a reset of no stream", frame(3, 0, 0, &[0; 4]), Goodbye(Protocol)),
        ("6.4 a reset of a stream that nobody opened", frame(3, 0, 9, &[0; 4]), Goodbye(Protocol)),
        ("6.4 a reset of a wrong size", frame(3, 0, 1, &[0; 3]), Goodbye(FrameSize)),
        ("6.5 an acknowledgement with a payload", frame(4, 1, 0, &[0; 6]), Goodbye(FrameSize)),
        ("6.5 settings on a stream", frame(4, 0, 1, b""), Goodbye(Protocol)),
        ("6.5 settings of a wrong size", frame(4, 0, 0, &[0; 5]), Goodbye(FrameSize)),
        ("6.5.2 pushes", setting(2, 1), Goodbye(Protocol)),
        ("6.5.2 a window too large", setting(4, 1 << 31), Goodbye(FlowControl)),
        ("6.5.2 frames too small", setting(5, 16_383), Goodbye(Protocol)),
        ("6.5.2 frames too large", setting(5, 1 << 24), Goodbye(Protocol)),
        ("6.6 a push", frame(5, 4, 1, b"\0\0\0\x02\x82"), Goodbye(Protocol)),
        ("6.7 a ping", frame(6, 0, 0, b"12345678"), Pong),
        ("6.7 a ping on a stream", frame(6, 0, 1, &[0; 8]), Goodbye(Protocol)),
        ("6.7 a ping of a wrong size", frame(6, 0, 0, &[0; 6]), Goodbye(FrameSize)),
        ("6.8 a goodbye on a stream", frame(7, 0, 1, &[0; 8]), Goodbye(Protocol)),
        ("6.9 a window of nothing", frame(8, 0, 0, &[0; 4]), Goodbye(Protocol)),
        ("6.9 a window of a wrong size", frame(8, 0, 0, &[0; 3]), Goodbye(FrameSize)),
        ("6.9.1 a window that overflows", frame(8, 0, 0, &i32::MAX.to_be_bytes()), Goodbye(FlowControl)),
        ("6.10 a continuation of nothing", frame(9, 4, 1, OK), Goodbye(Protocol)),
        (
            "6.10 a continuation of another stream",
            then(frame(1, 0, 1, OK), frame(9, 4, 3, b"")),
            Goodbye(Protocol),
        ),
    ]
}

/// The rules of answers.
fn cases_of_answers() -> Vec<Case> {
    vec![
        ("8.1 data before the head", frame(0, 1, 1, b"x"), Goodbye(Protocol)),
        (
            "8.1.1 more than was announced",
            then(head(1, b"\x88\x0f\x0d\x012", false), frame(0, 1, 1, b"hello")),
            Reset(Protocol),
        ),
        (
            "8.1.1 less than was announced",
            then(head(1, b"\x88\x0f\x0d\x019", false), frame(0, 1, 1, b"hello")),
            Reset(Protocol),
        ),
        ("8.2 a capital letter", head(1, b"\x88\x00\x01A\x01b", true), Reset(Protocol)),
        ("8.2.2 a field of connections", head(1, b"\x88\x00\x0aconnection\x01a", true), Reset(Protocol)),
        ("8.3 a status behind a field", head(1, b"\x00\x01a\x01b\x88", true), Reset(Protocol)),
        ("8.3.2 no status", head(1, b"\x00\x01a\x01b", true), Reset(Protocol)),
        ("8.3.2 a method in an answer", head(1, b"\x88\x82", true), Reset(Protocol)),
    ]
}

/// Whether a client has said this, in frames with their payloads.
fn is_said(said: &[(u8, Vec<u8>)], expected: Said) -> bool {
    let code = |payload: &[u8]| payload.last_chunk().map(|code| ErrorCode::of(u32::from_be_bytes(*code)));
    said.iter().any(|(kind, payload)| match (*kind, expected) {
        (7, Goodbye(why)) | (3, Reset(why)) => code(payload) == Some(why),
        (6, Pong) => payload == b"12345678",
        _ => false,
    })
}

#[test]
fn a_server_that_breaks_a_rule_is_told_which() {
    for (rule, bytes, expected) in cases_of_frames().into_iter().chain(cases_of_answers()) {
        let reply =
            move |got: Got| if got.stream == 1 { bytes.clone() } else { answer(got.stream, b"hello") };
        let (address, seen) = serve(Manners::new(reply));
        // A ping is answered, and the request is not.
        let timeout = Nanos::from_millis(if matches!(expected, Pong) { 50 } else { 5000 });
        send(Plan { response_timeout: timeout, ..closed(address, 1) }, 1);
        let begun = Instant::now();
        while !is_said(&seen.said.lock().unwrap(), expected) {
            let said = seen.said.lock().unwrap().clone();
            assert!(begun.elapsed() < Duration::from_secs(10), "{rule}: {expected:?} and not {said:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_connection_that_does_not_begin_with_settings_is_ended() {
    let (address, _) = serve(Manners {
        greeting: frame(6, 0, 0, &[0; 8]),
        ..Manners::new(|got| answer(got.stream, b"hello"))
    });
    let slice = send(closed(address, 1), 1);
    assert!(slice.ok == 0 && slice.faults.count(load::Fault::Malformed) > 0, "{:?}", slice.faults);
}
