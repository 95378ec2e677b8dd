//! Answers that stream, over HTTP/1.1 and HTTP/2.

use super::http2::{self, Manners, frame, serve};
use super::sessions::plan_for;
use super::tls::{BOTH, TlsServer};
use super::{plan, run, window};
use load::{Fault, RequestBuilder, Slice, Url};
use model::units::Nanos;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};
use testkit::{Ending, Piece, Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Plan, Request, Tls};
use traffic::scenario::StepFailure;
use traffic::streaming::{EventForm, ReadUntil, Streaming};

const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const PAUSE: Duration = Duration::from_millis(20);

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// An answer whose chunks are written one by one, each after a pause.
fn reply<'a>(chunks: impl IntoIterator<Item = &'a str>) -> Reply {
    let piece = |pause, bytes: String| Piece { pause, bytes: bytes.into_bytes() };
    let head = piece(Duration::ZERO, HEAD.to_owned());
    let chunks = chunks.into_iter().map(|text| piece(PAUSE, chunk(text)));
    Reply { pieces: [head].into_iter().chain(chunks).collect(), ..Reply::nothing() }
}

/// An answer of so many events, and then its end.
fn ending(events: usize) -> Reply {
    let mut reply = reply(std::iter::repeat_n("data: tick\n\n", events));
    reply.pieces.push(Piece { pause: Duration::ZERO, bytes: b"0\r\n\r\n".to_vec() });
    reply
}

fn endless() -> Reply {
    reply(["data: tick\n\n"]).endless()
}

/// Loads a server by one user with requests whose answers are taken apart like this.
fn loaded(server: &ScriptedServer, streaming: Streaming, requests: u64) -> Slice {
    let request = request(&server.address().to_string(), streaming);
    let plan = Plan { requests: vec![request], ..plan(server, Arrivals::Closed { users: 1 }) };
    run(Plan { limit: Some(requests), ..plan }, window(0, 60_000))
}

fn request(address: &str, streaming: Streaming) -> Request {
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    RequestBuilder::new(&url).streaming(Some(streaming)).build().unwrap()
}

fn start(reply: Reply) -> ScriptedServer {
    ScriptedServer::start(Script::new(reply).record()).unwrap()
}

/// The shortest and the longest of these times, milliseconds.
fn extremes(times: &load::SparseHistogram) -> [f64; 2] {
    let cells = times.cells();
    [cells.first(), cells.last()].map(|cell| cell.map_or(f64::NAN, |cell| cell.0 as f64 / 1e6))
}

#[test]
fn events_are_timed_one_by_one() {
    let server = start(ending(4).after(Duration::from_millis(30)));
    let slice = loaded(&server, Streaming { events: Some(4), ..Streaming::new(EventForm::Events) }, 3);
    assert!(slice.ok == 3 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert_eq!((slice.events.events, slice.events.left, slice.connects_total), (12, 0, 1));
    assert_eq!((slice.events.first.len(), slice.events.gaps.len()), (3, 9));
    // A delay is never shorter than the script says, and on a busy machine longer.
    assert!(extremes(&slice.events.first)[0] >= 49.0, "{:?}", slice.events.first);
    assert!(extremes(&slice.events.gaps)[0] < 500.0, "{:?}", slice.events.gaps);
    let sum: u64 = slice.events.gaps.cells().iter().map(|(gap, count)| gap * count).sum();
    assert!(sum >= 9 * 19_000_000, "{:?}", slice.events.gaps);
    let sent = &server.log()[0];
    assert!(sent.contains("Accept: text/event-stream\r\n"), "{sent}");
}

#[test]
fn another_number_of_events_is_wrong() {
    let server = start(ending(2));
    let slice = loaded(&server, Streaming { events: Some(3), ..Streaming::new(EventForm::Events) }, 2);
    assert_eq!((slice.ok, slice.faults.count(Fault::WrongEvents)), (0, 2));
    let why = slice.first_wrong.map(|first| first.why);
    assert_eq!(why, Some(StepFailure::Events { events: 2, asked: Some(3) }));
    assert_eq!(slice.events.events, 4, "they came all the same");
    let none = start(Reply::ok("no event"));
    let slice = loaded(&none, Streaming::new(EventForm::Events), 2);
    assert_eq!((slice.ok, slice.faults.count(Fault::WrongEvents)), (0, 2));
}

#[test]
fn an_answer_without_end_is_left_after_so_many_events() {
    let server = start(endless());
    let until = Some(ReadUntil::Events(3));
    let slice = loaded(&server, Streaming { until, ..Streaming::new(EventForm::Events) }, 3);
    assert!(slice.ok == 3 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert_eq!((slice.events.events, slice.events.left), (9, 3));
    // Another request needs another connection, which nobody but the generator has closed.
    assert_eq!((slice.connects_total, slice.closes, slice.resent), (3, 0, 0));
}

#[test]
fn an_answer_without_end_is_left_after_a_time_if_it_has_events() {
    let server = start(endless());
    let streaming = |events, millis| Streaming {
        events,
        until: Some(ReadUntil::Time(Nanos::from_millis(millis))),
        ..Streaming::new(EventForm::Chunks)
    };
    let slice = loaded(&server, streaming(None, 200), 2);
    assert!(slice.ok == 2 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert!(slice.events.left == 2 && slice.events.events >= 2, "{:?}", slice.events);
    assert!(extremes(&load::SparseHistogram::from(&slice.service))[0] >= 199.0);
    let slice = loaded(&server, streaming(Some(1000), 100), 1);
    assert_eq!((slice.ok, slice.faults.count(Fault::ResponseTimeout)), (0, 1));
}

#[test]
fn an_answer_that_ends_with_its_connection_keeps_its_last_line() {
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let server = start(Reply::raw(format!("{head}{{}}\n")).then("{}\n{}").ending(Ending::Close));
    let slice = loaded(&server, Streaming { events: Some(3), ..Streaming::new(EventForm::Lines) }, 2);
    assert!(slice.ok == 2 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert_eq!((slice.events.events, slice.events.gaps.len()), (6, 4));
}

#[test]
fn steps_stream_too() {
    let server = start(ending(2));
    let steps = |events: u32| {
        let step = format!("get = \"/ticks\"\nstream = \"events\"\nevents = {events}");
        let text = format!("[[scenario]]\n[[scenario.step]]\n{step}\n");
        run(plan_for(server.address(), &text, 1, 2), window(0, 60_000))
    };
    let right = steps(2);
    assert!(right.ok == 2 && right.steps[0].ok == 2, "{:?} {:?}", right.faults, right.first_wrong);
    assert_eq!(right.events.events, 4);
    let wrong = steps(3);
    assert_eq!((wrong.ok, wrong.steps[0].ok, wrong.steps[0].ended), (0, 0, 2));
    assert_eq!(wrong.steps[0].faults.count(Fault::WrongEvents), 2);
}

/// The frames of an answer of HTTP/2: its head and so many events, without an end.
fn frames(stream: u32, events: usize) -> Vec<u8> {
    let head = frame(1, 4, stream, b"\x88");
    let event = frame(0, 0, stream, b"data: tick\n\n");
    [head, event.repeat(events)].concat()
}

#[test]
fn a_stream_of_http2_is_cancelled_and_its_connection_goes_on() {
    for form in [EventForm::Events, EventForm::Lines, EventForm::Chunks] {
        let (address, seen) = serve(Manners::new(|got| frames(got.stream, 5)));
        let streaming = Streaming { until: Some(ReadUntil::Events(3)), ..Streaming::new(form) };
        let requests = vec![request(&address.to_string(), streaming)];
        let slice = http2::send(Plan { requests, ..http2::closed(address, 4) }, 40);
        assert!(slice.ok == 40 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
        assert_eq!((slice.events.events, slice.events.left, slice.connects_total), (120, 40, 1));
        // CANCEL is 8.
        let cancels = seen.said.lock().unwrap().iter().filter(|said| *said == &(3, vec![0, 0, 0, 8])).count();
        assert!(cancels >= 36, "{cancels} of 40 were seen");
    }
}

#[test]
fn events_of_http2_are_counted_to_the_end() {
    let (address, _) = serve(Manners::new(|got| {
        let last = frame(0, 1, got.stream, b"data: last\n\n");
        [frames(got.stream, 2), last].concat()
    }));
    for (form, expected) in [(EventForm::Events, 3), (EventForm::Lines, 3), (EventForm::Chunks, 3)] {
        let streaming = Streaming { events: Some(expected), ..Streaming::new(form) };
        let requests = vec![request(&address.to_string(), streaming)];
        let slice = http2::send(Plan { requests, ..http2::closed(address, 4) }, 20);
        assert!(slice.ok == 20 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
        assert_eq!((slice.events.events, slice.events.left), (60, 0));
    }
}

#[test]
fn the_rest_of_a_cancelled_answer_is_not_of_the_next_one() {
    // One DATA frame has all events, and two records of TLS have the frame. The server takes its time for each answer.
    let manners = Manners::new(|got| {
        std::thread::sleep(PAUSE);
        let head = frame(1, 4, got.stream, b"\x88");
        [head, frame(0, 0, got.stream, &b"data: tick\n\n".repeat(1365))].concat()
    });
    let (address, _) = http2::serve_tls(manners, &[b"h2"]);
    let streaming = Streaming { until: Some(ReadUntil::Events(3)), ..Streaming::new(EventForm::Events) };
    let requests = vec![request(&address.to_string(), streaming)];
    let tls = Some(Tls::new("localhost", &address.into(), None));
    let slice = http2::send(Plan { requests, tls, ..http2::closed(address, 1) }, 10);
    assert!(slice.ok == 10 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert_eq!((slice.events.events, slice.events.left, slice.connects_total), (30, 10, 1));
    let shortest = extremes(&load::SparseHistogram::from(&slice.service))[0];
    assert!(shortest >= 19.0, "an answer was there after {shortest} ms");
}

#[test]
fn an_answer_over_tls_is_left_although_more_of_it_has_come() {
    let answer = [HEAD, &chunk("data: tick\n\n").repeat(5000)].concat();
    let server = TlsServer::start(BOTH, answer.into_bytes());
    let streaming = Streaming { until: Some(ReadUntil::Events(3)), ..Streaming::new(EventForm::Events) };
    let requests = vec![request(&server.address.to_string(), streaming)];
    let plan = Plan { requests, limit: Some(10), ..server.plan(1, server.tls(None)) };
    let slice = run(plan, window(0, 60_000));
    assert!(slice.ok == 10 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert_eq!((slice.events.events, slice.events.left, slice.connects_total), (30, 10, 10));
}

/// How long [`pouring`] lasts.
const POURS: Duration = Duration::from_secs(3);

/// A server that writes `greeting` and, once it has received `begin`, `head` and then `bytes` again and again, as fast as it can.
fn pouring(greeting: Vec<u8>, begin: &'static [u8], head: Vec<u8>, bytes: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().ok()?;
        socket.write_all(&greeting).ok()?;
        let (mut received, mut buffer) = (Vec::new(), [0; 4096]);
        while !received.windows(begin.len()).any(|part| part == begin) {
            let length = socket.read(&mut buffer).ok().filter(|length| *length > 0)?;
            received.extend_from_slice(&buffer[..length]);
        }
        socket.write_all(&head).ok()?;
        let begun = Instant::now();
        while begun.elapsed() < POURS {
            socket.write_all(&bytes).ok()?;
        }
        Some(())
    });
    address
}

/// Asserts that a request is left long before the server ends its answer.
fn assert_left_soon(plan: Plan) {
    let begun = Instant::now();
    let slice = run(Plan { limit: Some(1), ..plan }, window(0, 60_000));
    assert!(slice.ok == 1 && slice.events.left == 1, "{:?} {:?}", slice.faults, slice.first_wrong);
    assert!(2 * begun.elapsed() < POURS, "it was left after {:?}", begun.elapsed());
}

#[test]
fn a_server_that_sends_faster_than_the_loop_reads_does_not_hold_it_up() {
    let streaming = |until| Streaming { until: Some(until), ..Streaming::new(EventForm::Events) };
    let events = chunk("data: tick\n\n").repeat(20_000);
    let address = pouring(Vec::new(), b"\r\n\r\n", HEAD.into(), events.into());
    let for_a_time = streaming(ReadUntil::Time(Nanos::from_millis(100)));
    let requests = vec![request(&address.to_string(), for_a_time)];
    assert_left_soon(Plan::new(address, requests, Arrivals::Closed { users: 1 }));
    // HTTP/2: a stream is cancelled while its frames come.
    let frames = frame(0, 0, 1, &b"data: tick\n\n".repeat(1300)).repeat(20);
    let head_of_request = b"\x01\x05\0\0\0\x01";
    let address = pouring(frame(4, 0, 0, b""), head_of_request, frame(1, 4, 1, b"\x88"), frames);
    let requests = vec![request(&address.to_string(), streaming(ReadUntil::Events(3)))];
    assert_left_soon(Plan { requests, ..http2::closed(address, 1) });
}
