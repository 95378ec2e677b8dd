//! Calls of gRPC against a server that writes frames as each test says.

use super::http2::{self, Got, Manners, frame, serve};
use super::{plan, window};
use load::{Fault, RequestBuilder, Session, Slice, Url};
use model::units::Nanos;
use std::net::SocketAddr;
use testkit::{Reply, Script, ScriptedServer};
use traffic::grpc::{GrpcCall, GrpcExpected, GrpcFlaw, GrpcStatus, prefixed};
use traffic::plan::{Arrivals, Plan};
use traffic::scenario::StepFailure;
use traffic::streaming::{EventForm, ReadUntil, Streaming};

const OK: GrpcExpected = GrpcExpected { status: GrpcStatus::Ok, deadline: None };
/// `:status: 200` by its number in the static table.
const HEAD: &[u8] = b"\x88";

/// Fields as HPACK writes them out.
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8][..], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

fn head(stream: u32) -> Vec<u8> {
    frame(1, 4, stream, HEAD)
}

fn data(stream: u32, bytes: &[u8]) -> Vec<u8> {
    frame(0, 0, stream, bytes)
}

/// The trailers of an answer with this status.
fn trailers(stream: u32, status: &str) -> Vec<u8> {
    frame(1, 5, stream, &block(&[("grpc-status", status), ("grpc-message", "pool%20is%20dry")]))
}

/// A whole answer with these bytes as its body.
fn answer(stream: u32, body: &[u8], status: &str) -> Vec<u8> {
    [head(stream), data(stream, body), trailers(stream, status)].concat()
}

fn call(address: SocketAddr, expected: GrpcExpected, streaming: Option<Streaming>) -> Plan {
    let url = Url::parse(&format!("http://{address}/shop.Orders/Place")).unwrap();
    let call = GrpcCall { body: prefixed(b"tea"), expected };
    let request = RequestBuilder::new(&url).grpc(&call).streaming(streaming).build().unwrap();
    Plan { requests: vec![request], ..http2::closed(address, 4) }
}

/// Loads a server that answers each call like this.
fn loaded(
    expected: GrpcExpected,
    streaming: Option<Streaming>,
    reply: impl Fn(Got) -> Vec<u8> + Send + Sync + 'static,
) -> Slice {
    let (address, _) = serve(Manners::new(reply));
    http2::send(call(address, expected, streaming), 20)
}

fn assert_right(slice: &Slice) {
    assert!(slice.ok == 20 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
}

/// Asserts that all calls had this fault, for this reason.
fn assert_wrong(slice: Slice, fault: Fault, why: &StepFailure) {
    assert_eq!((slice.ok, slice.faults.count(fault)), (0, 20), "{:?} {:?}", slice.faults, slice.first_wrong);
    assert_eq!(slice.first_wrong.map(|first| first.why).as_ref(), Some(why));
}

#[test]
fn a_unary_call_has_one_message_however_it_is_split_into_frames() {
    let slice = loaded(OK, None, |got| {
        assert_eq!(got.body, 8, "the message and its prefix");
        answer(got.stream, &prefixed(b"hello"), "0")
    });
    assert_right(&slice);
    assert_eq!((slice.body_bytes, slice.events.events, slice.connects_total), (200, 0, 1));
    let split = loaded(OK, None, |got| {
        let body = prefixed(&[7; 100]);
        let pieces: Vec<u8> = body.chunks(3).flat_map(|piece| data(got.stream, piece)).collect();
        [head(got.stream), pieces, trailers(got.stream, "0")].concat()
    });
    assert_right(&split);
}

#[test]
fn a_status_is_right_if_it_is_the_expected_one() {
    let message = Some("pool is dry".to_owned());
    let status = |status| StepFailure::GrpcStatus { status, message: message.clone() };
    let in_trailers = |got: Got| answer(got.stream, &[], "5");
    assert_wrong(loaded(OK, None, in_trailers), Fault::WrongGrpcStatus, &status(5));
    let not_found = GrpcExpected { status: GrpcStatus::NotFound, ..OK };
    assert_right(&loaded(not_found, None, in_trailers));
    // An answer without a body has its status in its head.
    let alone = |got: Got| {
        let fields = [("grpc-status", "5"), ("grpc-message", "pool%20is%20dry")];
        frame(1, 5, got.stream, &[HEAD, block(&fields).as_slice()].concat())
    };
    assert_wrong(loaded(OK, None, alone), Fault::WrongGrpcStatus, &status(5));
    assert_right(&loaded(not_found, None, alone));
    let right = |got: Got| answer(got.stream, &prefixed(b"hello"), "0");
    assert_wrong(loaded(not_found, None, right), Fault::WrongGrpcStatus, &status(0));
}

#[test]
fn what_is_no_answer_of_grpc_is_told() {
    let body = |body: &'static [u8]| loaded(OK, None, move |got| answer(got.stream, body, "0"));
    for (bytes, flaw) in [
        (&b"\x01\0\0\0\x01x"[..], GrpcFlaw::Compressed),
        (&b"<html>"[..], GrpcFlaw::Prefix(b'<')),
        (&b"\0\0\0\0\x05hel"[..], GrpcFlaw::Cut),
        (&b""[..], GrpcFlaw::Messages(0)),
        (&b"\0\0\0\0\0\0\0\0\0\0"[..], GrpcFlaw::Messages(2)),
    ] {
        assert_wrong(body(bytes), Fault::WrongBody, &StepFailure::Grpc(flaw));
    }
    let plain = loaded(OK, None, |got| http2::answer(got.stream, b"hello"));
    assert_wrong(plain, Fault::WrongBody, &StepFailure::Grpc(GrpcFlaw::Prefix(b'h')));
    let silent = loaded(OK, None, |got| http2::answer(got.stream, &prefixed(b"hello")));
    assert_wrong(silent, Fault::WrongGrpcStatus, &StepFailure::Grpc(GrpcFlaw::NoStatus));
    // `:status: 404` by its number in the static table.
    let missing = loaded(OK, None, |got| frame(1, 5, got.stream, b"\x8d"));
    assert_wrong(missing, Fault::WrongStatus, &StepFailure::Status(404));
}

#[test]
fn the_messages_of_a_stream_are_events() {
    let messages = |got: Got, count: usize| {
        let body = prefixed(b"tick").repeat(count);
        // The second frame has the end of one message and the begin of another one.
        let (first, second) = body.split_at(12);
        [head(got.stream), data(got.stream, first), data(got.stream, second)].concat()
    };
    let ended = move |got: Got| [messages(got, 3), trailers(got.stream, "0")].concat();
    let three = Streaming { events: Some(3), ..Streaming::new(EventForm::Messages) };
    let slice = loaded(OK, Some(three), ended);
    assert_right(&slice);
    assert_eq!((slice.events.events, slice.events.left), (60, 0));
    let four = Streaming { events: Some(4), ..three };
    let why = StepFailure::Events { events: 3, asked: Some(4) };
    assert_wrong(loaded(OK, Some(four), ended), Fault::WrongEvents, &why);
    // What has failed is told by its status, and not by the number of its messages.
    let failed = move |got: Got| [messages(got, 2), trailers(got.stream, "14")].concat();
    let why = StepFailure::GrpcStatus { status: 14, message: Some("pool is dry".to_owned()) };
    assert_wrong(loaded(OK, Some(three), failed), Fault::WrongGrpcStatus, &why);
    let unavailable = GrpcExpected { status: GrpcStatus::Unavailable, ..OK };
    assert_right(&loaded(unavailable, Some(three), failed));
    let until = Streaming { until: Some(ReadUntil::Events(2)), ..Streaming::new(EventForm::Messages) };
    let left = loaded(OK, Some(until), move |got| messages(got, 5));
    assert_right(&left);
    assert_eq!((left.events.events, left.events.left, left.connects_total), (40, 20, 1));
    // Nothing is awaited behind a message that cannot be read.
    let broken =
        loaded(OK, Some(three), |got| [head(got.stream), data(got.stream, b"\x01\0\0\0\x01x")].concat());
    assert_wrong(broken, Fault::WrongBody, &StepFailure::Grpc(GrpcFlaw::Compressed));
}

#[test]
fn a_call_is_cancelled_at_its_deadline() {
    let expected = GrpcExpected { deadline: Some(Nanos::from_millis(100)), ..OK };
    let (address, seen) = serve(Manners::new(|_| Vec::new()));
    let slice = http2::send(call(address, expected, None), 8);
    assert_eq!((slice.ok, slice.faults.count(Fault::ResponseTimeout), slice.connects_total), (0, 8, 1));
    // CANCEL is 8.
    assert!(seen.said.lock().unwrap().contains(&(3, vec![0, 0, 0, 8])));
}

#[test]
fn a_call_over_http_1_is_refused() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let requests = call(server.address(), OK, None).requests;
    let plan = Plan { requests, ..plan(&server, Arrivals::Closed { users: 1 }) };
    let refused = Session::open(plan).map(|mut session| super::run_slice(&mut session, window(0, 10)));
    assert!(matches!(refused, Err(load::Error::GrpcWithoutHttp2)), "{refused:?}");
}
