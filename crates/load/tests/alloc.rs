//! Checks that nothing is allocated per request, with an allocator that counts the allocations of the event loop's thread
//! between the edges of the counted window. They are not a part of `it`, because a program has one allocator, and tests of times
//! should not pay for a counter.
#![allow(unsafe_code)] // an allocator cannot be written without it

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use load::{Edge, RequestBuilder, Session, Url, Window};
use model::units::{Nanos, Rate};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;
use testkit::{Reply, Script, ScriptedServer};
use traffic::grpc::{GrpcCall, GrpcExpected, prefixed};
use traffic::plan::{Arrivals, Http, Plan, Think, Users};
use traffic::streaming::{EventForm, Streaming};
use traffic::web_socket::{Awaited, MessageForm, WebSocketStep};

thread_local! {
    /// Whether the allocations of this thread are counted now.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct CountingAllocator;

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTING.get() {
            COUNT.set(COUNT.get() + 1);
        }
        // SAFETY: the caller keeps the contract of `alloc`, which the system's allocator shares.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, which the system's allocator shares.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The number of allocations between the edges while at least `least` requests are loaded. A slice is much shorter than a
/// second, because memory is allocated for an interval at the end of every second.
fn count_allocations(plan: Plan, least: u64) -> u64 {
    let window = Window { settle: Nanos::from_millis(100), counted: Nanos::from_millis(500) };
    let mut session = Session::open(plan).unwrap();
    COUNT.set(0);
    let mut requests = 0;
    while requests < least {
        let slice = session
            .run(window, &AtomicBool::new(false), &mut |edge| {
                COUNTING.set(matches!(edge, Edge::CountedBegins));
            })
            .unwrap();
        assert_eq!(slice.faults.total(), 0, "{:?}", slice.faults);
        requests += slice.ok;
    }
    COUNT.get()
}

#[test]
fn a_hundred_thousand_requests_allocate_nothing() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let url = Url::parse(&server.address().to_string()).unwrap();
    let get = RequestBuilder::new(&url).build().unwrap();
    let plan = |arrivals| Plan::new(server.address(), vec![get.clone()], arrivals);
    assert_eq!(count_allocations(plan(Arrivals::Closed { users: 16 }), 100_000), 0);
}

#[test]
fn events_allocate_nothing() {
    let server =
        ScriptedServer::start(Script::new(Reply::chunked(&[b"data: 1\n\n", b"data: 2\n\n"]))).unwrap();
    let url = Url::parse(&server.address().to_string()).unwrap();
    let streaming = Streaming { events: Some(2), ..Streaming::new(EventForm::Events) };
    let get = RequestBuilder::new(&url).streaming(Some(streaming)).build().unwrap();
    let plan = Plan::new(server.address(), vec![get], Arrivals::Closed { users: 16 });
    assert_eq!(count_allocations(plan, 10_000), 0);
}

#[test]
fn streams_of_http2_allocate_nothing() {
    let address = answer_streams(|[d, e, f, g]| {
        let frames = [0, 0, 1, 1, 4, d, e, f, g, 0x88, 0, 0, 5, 0, 1, d, e, f, g];
        [&frames[..], b"hello"].concat()
    });
    let url = Url::parse(&address.to_string()).unwrap();
    let get = RequestBuilder::new(&url).build().unwrap();
    let http = Http::Two { streams: 10 };
    let plan = Plan { http, ..Plan::new(address, vec![get], Arrivals::Closed { users: 16 }) };
    assert_eq!(count_allocations(plan, 20_000), 0);
}

#[test]
fn calls_of_grpc_allocate_nothing() {
    const STATUS: &[u8] = b"\0\x0bgrpc-status\x010";
    let address = answer_streams(|[d, e, f, g]| {
        let frames = [0, 0, 1, 1, 4, d, e, f, g, 0x88, 0, 0, 20, 0, 0, d, e, f, g];
        let end = [0, 0, STATUS.len() as u8, 1, 5, d, e, f, g];
        // The window of the connection is opened again for the eight bytes of the call.
        let window = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 8];
        [&frames[..], &prefixed(b"hello").repeat(2), &end, STATUS, &window].concat()
    });
    let url = Url::parse(&format!("http://{address}/shop.Orders/Watch")).unwrap();
    let call = GrpcCall { body: prefixed(b"tea"), expected: GrpcExpected::default() };
    let streaming = Streaming { events: Some(2), ..Streaming::new(EventForm::Messages) };
    let post = RequestBuilder::new(&url).grpc(&call).streaming(Some(streaming)).build().unwrap();
    let http = Http::Two { streams: 10 };
    let plan = Plan { http, ..Plan::new(address, vec![post], Arrivals::Closed { users: 16 }) };
    assert_eq!(count_allocations(plan, 20_000), 0);
}

/// Starts a server of HTTP/2 that answers every request with the frames for the number of its stream.
fn answer_streams(answer: fn([u8; 4]) -> Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || -> Option<()> {
                stream.write_all(b"\0\0\0\x04\0\0\0\0\0").ok()?;
                stream.read_exact(&mut [0; 24]).ok()?;
                let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
                loop {
                    let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
                    bytes.extend_from_slice(&buffer[..length]);
                    let mut out = Vec::new();
                    while let Some(&[a, b, c, kind, flags, d, e, f, g]) = bytes.first_chunk::<9>() {
                        let length = 9 + u32::from_be_bytes([0, a, b, c]) as usize;
                        if bytes.len() < length {
                            break;
                        }
                        // A request has ended.
                        if kind < 2 && flags & 1 != 0 {
                            out.extend(answer([d, e, f, g]));
                        }
                        bytes.drain(..length);
                    }
                    stream.write_all(&out).ok()?;
                }
            });
        }
    });
    address
}

#[test]
fn messages_of_websocket_allocate_nothing() {
    let address = echo();
    let url = Url::parse(&format!("http://{address}/echo")).unwrap();
    let base = RequestBuilder::new(&url);
    let step = WebSocketStep::Message { sends: Some(MessageForm::Text), awaits: Awaited::Echo };
    let message = base.clone().body("hello ${n}").counters(true).message(step).build().unwrap();
    let opening = Some(base.opening().unwrap());
    let plan = Plan { opening, ..Plan::new(address, vec![message], Arrivals::Closed { users: 16 }) };
    assert_eq!(count_allocations(plan, 20_000), 0);
}

/// Starts a server of WebSocket that sends each short message back, with a ping before it.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || -> Option<()> {
                let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
                let mut opened = false;
                loop {
                    let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
                    bytes.extend_from_slice(&buffer[..length]);
                    let mut out = Vec::new();
                    if !opened && bytes.ends_with(b"\r\n\r\n") {
                        out.extend(
                            accepted(&String::from_utf8(std::mem::take(&mut bytes)).unwrap()).into_bytes(),
                        );
                        opened = true;
                    }
                    while let Some(&[first, length, a, b, c, d]) = bytes.first_chunk::<6>().filter(|_| opened)
                    {
                        let length = usize::from(length & 0x7f);
                        let Some(payload) = bytes.get(6..6 + length) else { break };
                        if first == 0x81 {
                            out.extend_from_slice(&[0x89, 1, b'?', 0x81, length as u8]);
                            out.extend(
                                payload.iter().zip([a, b, c, d].iter().cycle()).map(|(byte, key)| byte ^ key),
                            );
                        }
                        bytes.drain(..6 + length);
                    }
                    stream.write_all(&out).ok()?;
                }
            });
        }
    });
    address
}

/// The answer to an opening handshake.
fn accepted(head: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let proof = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    let accept = STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, proof.as_bytes()));
    format!(
        "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

#[test]
fn inserted_numbers_open_models_and_think_times_allocate_nothing() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let url = Url::parse(&server.address().to_string()).unwrap();
    let put = RequestBuilder::new(&url).method("PUT").path("/${n}").body("${n}").counters(true);
    let plan = |arrivals| Plan::new(server.address(), vec![put.clone().build().unwrap()], arrivals);
    let rate = Arrivals::Open { rate: Rate(2000.0), poisson: true, connections: 8 };
    assert_eq!(count_allocations(plan(rate), 1500), 0);
    let users = Users { think: Think::Exponential(Nanos::from_millis(5)), ..Users::default() };
    let thinking = Plan { users, ..plan(Arrivals::Closed { users: 8 }) };
    assert_eq!(count_allocations(thinking, 500), 0);
}
