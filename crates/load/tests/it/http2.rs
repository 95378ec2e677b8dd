//! HTTP/2 against a server that writes frames as each test says, and knows what really happened.

use super::{millis, run, window};
use load::http2::ErrorCode;
use load::{Fault, RequestBuilder, Slice, Url};
use model::units::{Nanos, Rate, Seconds};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::ServerConfig;
use rustls::{ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testkit::{Reply, Script, ScriptedServer};
use traffic::plan::{Arrivals, Http, Plan, Reuse, Tls};

/// `:status: 200` by its number in the static table.
const OK: &[u8] = b"\x88";
const PREFACE: usize = 24;

pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

pub(super) fn answer(stream: u32, body: &[u8]) -> Vec<u8> {
    [frame(1, 4, stream, OK), frame(0, 1, stream, body)].concat()
}

fn limit(streams: u32) -> Vec<u8> {
    frame(4, 0, 0, &[&[0, 3][..], &streams.to_be_bytes()].concat())
}

/// A request whose stream has ended on the client's side.
#[derive(Clone, Copy)]
pub(super) struct Got {
    pub(super) stream: u32,
    /// The number of the request on its connection, from 0.
    number: usize,
    /// Bytes of its body.
    pub(super) body: usize,
}

/// What a server does.
#[derive(Clone)]
pub(super) struct Manners {
    pub(super) greeting: Vec<u8>,
    /// What is written for a request.
    pub(super) reply: Arc<dyn Fn(Got) -> Vec<u8> + Send + Sync>,
    /// The server closes the connection after it has written this number of replies.
    pub(super) close_after: usize,
}

impl Manners {
    pub(super) fn new(reply: impl Fn(Got) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self { greeting: limit(100), reply: Arc::new(reply), close_after: usize::MAX }
    }
}

/// What a server saw.
#[derive(Default)]
pub(super) struct Seen {
    connections: AtomicUsize,
    most_open: AtomicUsize,
    resets: AtomicUsize,
    acks: AtomicUsize,
    /// The client's frames that answer something: resets, pings and its goodbye, with their payloads.
    pub(super) said: Mutex<Vec<(u8, Vec<u8>)>>,
}

/// Starts a server that lives as long as the test.
pub(super) fn serve(manners: Manners) -> (SocketAddr, Arc<Seen>) {
    serve_through(manners, Some)
}

/// Starts a server of this kind over TLS, which offers these protocols.
pub(super) fn serve_tls(manners: Manners, protocols: &[&[u8]]) -> (SocketAddr, Arc<Seen>) {
    serve_through(manners, secured(protocols))
}

/// Makes connections of TLS of those that a server accepts, which offers these protocols.
pub(super) fn secured(
    protocols: &[&[u8]],
) -> impl Fn(TcpStream) -> Option<StreamOwned<ServerConnection, TcpStream>> + Send + Sync + 'static {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config =
        builder.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let config = Arc::new(config);
    move |socket| {
        let session = ServerConnection::new(Arc::clone(&config)).ok()?;
        let mut stream = StreamOwned::new(session, socket);
        stream.conn.complete_io(&mut stream.sock).ok()?;
        Some(stream)
    }
}

fn serve_through<S: Read + Write>(
    manners: Manners,
    through: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
) -> (SocketAddr, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let (shared, through) = (Arc::clone(&seen), Arc::new(through));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            shared.connections.fetch_add(1, Ordering::Relaxed);
            let (manners, seen, through) = (manners.clone(), Arc::clone(&shared), Arc::clone(&through));
            std::thread::spawn(move || {
                stream.set_nodelay(true).ok()?;
                converse(through(stream)?, &manners, &seen)
            });
        }
    });
    (address, seen)
}

/// Serves one connection until it ends.
fn converse(mut stream: impl Read + Write, manners: &Manners, seen: &Seen) -> Option<()> {
    stream.write_all(&manners.greeting).ok()?;
    stream.read_exact(&mut [0; PREFACE]).ok()?;
    let (mut bytes, mut bodies, mut number) = (Vec::new(), std::collections::BTreeMap::new(), 0);
    let mut buffer = [0; 65_536];
    loop {
        let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&buffer[..length]);
        let (mut used, mut ended) = (0, Vec::new());
        while let Some(head) = bytes.get(used..used + 9) {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            if bytes.len() < used + 9 + length {
                break;
            }
            let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
            match head[3] {
                0 => *bodies.get_mut(&id).expect("an open stream") += length,
                1 => assert!(bodies.insert(id, 0).is_none(), "a stream is opened twice"),
                3 => {
                    bodies.remove(&id);
                    seen.resets.fetch_add(1, Ordering::Relaxed);
                }
                4 => drop(seen.acks.fetch_add(usize::from(head[4] & 1), Ordering::Relaxed)),
                _ => {}
            }
            if head[3] < 2 && head[4] & 1 != 0 {
                ended.push(id);
            }
            if matches!(head[3], 3 | 6 | 7) {
                let payload = bytes[used + 9..used + 9 + length].to_vec();
                seen.said.lock().unwrap().push((head[3], payload));
            }
            used += 9 + length;
        }
        bytes.drain(..used);
        seen.most_open.fetch_max(bodies.len(), Ordering::Relaxed);
        let mut out = Vec::new();
        for id in ended {
            let Some(body) = bodies.remove(&id) else { continue };
            out.extend((manners.reply)(Got { stream: id, number, body }));
            number += 1;
            if number == manners.close_after {
                stream.write_all(&out).ok()?;
                return None;
            }
        }
        stream.write_all(&out).ok()?;
    }
}

fn plan(address: SocketAddr, arrivals: Arrivals, streams: usize) -> Plan {
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    let request = RequestBuilder::new(&url).expect_body("hello").build().unwrap();
    let response_timeout = Nanos::from_secs(5);
    Plan { http: Http::Two { streams }, response_timeout, ..Plan::new(address, vec![request], arrivals) }
}

pub(super) fn closed(address: SocketAddr, users: usize) -> Plan {
    plan(address, Arrivals::Closed { users }, 100)
}

/// Sends this number of requests, however long it takes.
pub(super) fn send(plan: Plan, requests: u64) -> Slice {
    run(Plan { limit: Some(requests), ..plan }, window(0, 60_000))
}

fn polite() -> Manners {
    Manners::new(|got| answer(got.stream, b"hello"))
}

fn faults(slice: &Slice) -> Vec<(Fault, u64)> {
    slice.faults.iter().collect()
}

#[test]
fn users_are_streams_of_as_few_connections_as_it_takes() {
    for (users, streams, connections) in [(20, 100, 1), (1, 100, 1), (25, 10, 3)] {
        let (address, seen) = serve(polite());
        let slice = send(plan(address, Arrivals::Closed { users }, streams), 500);
        assert!(slice.ok == 500 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
        assert_eq!(slice.connects_total, connections);
        assert!(seen.most_open.load(Ordering::Relaxed) <= users.min(streams));
        assert_eq!((slice.body_bytes, slice.bytes), (5 * slice.ok, 24 * slice.requests));
        assert!((slice.service_sum / slice.in_flight_integral - 1.0).abs() < 0.01);
        assert_eq!(seen.acks.load(Ordering::Relaxed) as u64, connections);
    }
}

#[test]
fn requests_at_a_rate_are_sent_when_they_are_due() {
    let (address, _) = serve(polite());
    let arrivals = Arrivals::Open { rate: Rate(1000.0), poisson: false, connections: 50 };
    let slice = run(plan(address, arrivals, 25), window(100, 500));
    let due = 1000.0 * slice.elapsed.as_secs_f64();
    assert!((slice.offered as f64 - due).abs() <= 2.0, "{} of {due}", slice.offered);
    assert!(slice.ok > 0 && slice.faults.total() == 0 && slice.unsent == 0, "{:?}", slice.faults);
    assert!(
        slice.response.len().abs_diff(slice.offered) <= 2,
        "{} of {}",
        slice.response.len(),
        slice.offered
    );
    assert_eq!(slice.connects_total, 2);
}

#[test]
fn an_answer_is_as_late_as_its_server_lets_it_be() {
    let (address, _) = serve(Manners::new(|got| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        answer(got.stream, b"hello")
    }));
    let slice = send(closed(address, 1), 5);
    assert!(slice.ok == 5 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert!(millis(&slice.service, 0.0) >= 20.0);
    assert!(slice.self_check.kernel_times);
}

#[test]
fn answers_in_one_segment_have_arrived_together() {
    // The answer to one of two users is held back until the other one can be written with it.
    let held = Mutex::new(None);
    let (address, _) = serve(Manners::new(move |got| {
        let first = held.lock().unwrap().replace(got.stream);
        let Some(first) = first else { return Vec::new() };
        *held.lock().unwrap() = None;
        std::thread::sleep(std::time::Duration::from_millis(5));
        [answer(first, b"hello"), answer(got.stream, b"hello")].concat()
    }));
    let slice = send(closed(address, 2), 20);
    assert!(slice.ok == 20 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert!(slice.self_check.kernel_times && millis(&slice.service, 0.0) >= 5.0);
    // Both requests of a pair leave in one segment, too.
    let counts: Vec<u64> = slice.service.iter_recorded().map(|cell| cell.count_at_value()).collect();
    assert!(counts.iter().all(|count| count % 2 == 0), "{counts:?}");
}

#[test]
fn the_servers_limit_of_streams_makes_requests_wait() {
    let (address, seen) = serve(Manners { greeting: limit(4), ..polite() });
    let slice = send(closed(address, 20), 500);
    assert!(slice.ok == 500 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert!(seen.most_open.load(Ordering::Relaxed) <= 4);
    let counts = slice.http2;
    assert!(counts.stream_waits > slice.ok / 2, "{counts:?}");
    assert_eq!((counts.connections, counts.stream_limit), (1, Some(4)));
    // A user has a stream or waits for one, except at the begin and at the end.
    let users = (slice.in_flight_integral + counts.stream_waited) / Seconds(slice.elapsed.as_secs_f64());
    assert!((10.0..=20.5).contains(&users), "{users} users; {counts:?}");
    assert!(slice.in_flight_integral / Seconds(slice.elapsed.as_secs_f64()) <= 4.1);
}

#[test]
fn a_connection_that_the_server_ends_is_replaced_without_a_fault() {
    // Every 50th request is answered together with the announcement that no further one is handled.
    let (address, seen) = serve(Manners::new(|got| {
        if got.number == 49 {
            let last = got.stream.to_be_bytes();
            return [frame(7, 0, 0, &[&last[..], &[0; 4]].concat()), answer(got.stream, b"hello")].concat();
        }
        if got.number > 49 { Vec::new() } else { answer(got.stream, b"hello") }
    }));
    let slice = send(closed(address, 10), 500);
    assert!(slice.ok == 500 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert!(seen.connections.load(Ordering::Relaxed) > 3);
    assert!(slice.http2.goaways[ErrorCode::None as usize] > 2 && slice.resent > 0);
}

#[test]
fn a_connection_that_breaks_is_replaced_and_unanswered_requests_are_sent_again() {
    let (address, _) = serve(Manners { close_after: 50, ..polite() });
    let slice = send(closed(address, 10), 500);
    assert!(slice.ok > 0 && slice.connects_total > 3, "{} {:?}", slice.ok, slice.faults);
    assert!(slice.resent > 0);
    assert!(faults(&slice).iter().all(|(fault, _)| matches!(fault, Fault::Reset | Fault::ClosedEarly)));
}

#[test]
fn streams_that_the_server_resets_are_counted_by_code() {
    let (address, _) = serve(Manners::new(|got| match got.number % 10 {
        3 => frame(3, 0, got.stream, &[0, 0, 0, 2]),
        _ => answer(got.stream, b"hello"),
    }));
    let slice = send(closed(address, 4), 300);
    let resets = slice.http2.resets[ErrorCode::Internal as usize];
    assert_eq!((slice.ok, resets), (270, 30));
    assert_eq!(faults(&slice), [(Fault::StreamReset, resets)]);
    assert_eq!(slice.connects_total, 1);
}

#[test]
fn a_refused_stream_is_tried_once_more() {
    let (address, _) = serve(Manners::new(|got| match got.number % 10 {
        3 => frame(3, 0, got.stream, &[0, 0, 0, 7]),
        _ => answer(got.stream, b"hello"),
    }));
    let slice = send(closed(address, 1), 100);
    assert!(slice.ok == 100 && slice.faults.total() == 0, "{:?}", slice.faults);
    assert!(slice.resent > 5);
    let (address, _) = serve(Manners::new(|got| frame(3, 0, got.stream, &[0, 0, 0, 7])));
    let slice = send(closed(address, 1), 2000);
    assert!(slice.ok == 0 && slice.faults.count(Fault::StreamRefused) == 2000, "{:?}", slice.faults);
}

#[test]
fn a_late_answer_is_given_up_and_its_stream_cancelled() {
    let (address, seen) = serve(Manners::new(|got| match got.number % 5 {
        2 => Vec::new(),
        _ => answer(got.stream, b"hello"),
    }));
    let plan = Plan { response_timeout: Nanos::from_millis(50), ..closed(address, 3) };
    let slice = send(plan, 30);
    assert!(slice.ok > 0 && slice.faults.count(Fault::ResponseTimeout) > 2, "{:?}", slice.faults);
    assert_eq!(slice.faults.total(), slice.faults.count(Fault::ResponseTimeout));
    assert_eq!(slice.connects_total, 1);
    assert!(seen.resets.load(Ordering::Relaxed) > 2);
}

#[test]
fn bodies_wait_for_the_servers_windows() {
    let (address, _) = serve(Manners::new(|got| {
        let body = if got.body == 200_000 { &b"hello"[..] } else { b"short" };
        let more = frame(8, 0, 0, &200_000_u32.to_be_bytes());
        [more, answer(got.stream, body)].concat()
    }));
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    let post = RequestBuilder::new(&url).method("POST").body(vec![b'x'; 200_000]).expect_body("hello");
    let slow = Plan { requests: vec![post.clone().build().unwrap()], ..closed(address, 1) };
    // With the default windows nothing ever makes room, so that the request is given up.
    let slice = run(Plan { response_timeout: Nanos::from_millis(100), ..slow.clone() }, window(0, 300));
    assert!(slice.ok == 0 && slice.faults.count(Fault::ResponseTimeout) > 0, "{:?}", slice.faults);
    let counts = slice.http2;
    assert!(counts.window_waits > 0 && counts.window_waited >= Seconds(0.09), "{counts:?}");
    assert_eq!(counts.connection_window_waits, counts.window_waits, "both windows are as large");
    let wide = [frame(4, 0, 0, b"\x00\x04\x00\x0f\x42\x40"), frame(8, 0, 0, &1_000_000_u32.to_be_bytes())];
    let greeting = wide.concat();
    let (address, _) = serve(Manners {
        greeting,
        ..Manners::new(|got| {
            let body = if got.body == 200_000 { &b"hello"[..] } else { b"short" };
            [frame(8, 0, 0, &200_000_u32.to_be_bytes()), answer(got.stream, body)].concat()
        })
    });
    let slice = send(Plan { target: address.into(), ..slow }, 20);
    assert!(slice.ok == 20 && slice.faults.total() == 0, "{} {:?}", slice.ok, slice.faults);
}

#[test]
fn numbers_are_inserted_into_requests() {
    let (address, _) = serve(polite());
    let url = Url::parse(&format!("http://{address}/item/${{n}}")).unwrap();
    let get = RequestBuilder::new(&url).counters(true).expect_body("hello").build().unwrap();
    let slice = send(Plan { requests: vec![get], ..closed(address, 4) }, 50);
    assert!(slice.ok == 50 && slice.faults.total() == 0, "{:?}", slice.faults);
}

#[test]
fn over_tls_the_handshake_decides_whether_http2_is_spoken() {
    for (protocols, is_spoken) in [(&[&b"h2"[..]][..], true), (&[], false)] {
        let (address, seen) = serve_tls(polite(), protocols);
        let tls = Some(Tls::new("localhost", &address.into(), None));
        let slice = send(Plan { tls, ..closed(address, 20) }, 200);
        if is_spoken {
            assert!(slice.ok == 200 && slice.faults.total() == 0, "{:?}", slice.faults);
            assert_eq!((seen.connections.load(Ordering::Relaxed), slice.connects_total), (1, 1));
        } else {
            assert!(slice.ok == 0 && slice.faults.count(Fault::NotHttp2) > 0, "{:?}", slice.faults);
            assert_eq!(slice.faults.total(), slice.faults.count(Fault::NotHttp2));
        }
    }
}

#[test]
fn sessions_are_played_on_streams() {
    const SHOP: &str = r#"
        [[scenario]]
        [[scenario.step]]
        get = "/login"
        extract = { token = { header = "X-Token" } }
        check = { status = 200 }
        [[scenario.step]]
        post = "/order"
        body = "0123456789${token}"
    "#;
    let with_token = [OK, b"\0\x07x-token\x02t7"].concat();
    let (address, seen) = serve(Manners::new(move |got| match got.body {
        0 | 12 => [frame(1, 4, got.stream, &with_token), frame(0, 1, got.stream, b"{}")].concat(),
        _ => frame(3, 0, got.stream, &[0, 0, 0, 2]),
    }));
    let plan = Plan { http: Http::Two { streams: 100 }, ..super::sessions::plan_for(address, SHOP, 5, 3) };
    let slice = run(plan, window(0, 60_000));
    assert!(slice.ok == 30 && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_failure());
    assert_eq!((slice.sessions, seen.connections.load(Ordering::Relaxed)), (15, 1));
}

#[test]
fn wrong_bodies_are_found_and_shown() {
    let (address, _) = serve(Manners::new(|got| answer(got.stream, b"hallo")));
    let slice = send(closed(address, 2), 20);
    assert!(slice.ok == 0 && slice.faults.count(Fault::WrongBody) == slice.requests);
    let first = slice.first_wrong.unwrap();
    assert_eq!((first.request.as_str(), first.answer.as_str()), ("GET / HTTP/2", "HTTP/2 200\n\n"));
}

#[test]
fn hostile_servers_end_in_faults() {
    let storm = |frame: Vec<u8>| frame.repeat(3000);
    let hello = |bytes: Vec<u8>| move |got: Got| [bytes.clone(), answer(got.stream, b"hello")].concat();
    let cases: [(&str, Manners, Fault); 7] = [
        ("pings", Manners::new(hello(storm(frame(6, 0, 0, &[0; 8])))), Fault::Malformed),
        ("settings", Manners::new(hello(storm(frame(4, 0, 0, b"")))), Fault::Malformed),
        (
            "continuations",
            Manners::new(|got| {
                [frame(1, 0, got.stream, OK), frame(9, 0, got.stream, b"").repeat(3000)].concat()
            }),
            Fault::Malformed,
        ),
        ("answers of nobody", Manners::new(|got| answer(got.stream + 1000, b"hello")), Fault::Malformed),
        ("twice", Manners::new(|got| answer(got.stream, b"hello").repeat(2)), Fault::Malformed),
        ("no streams", Manners { greeting: limit(0), ..polite() }, Fault::ResponseTimeout),
        ("no settings", Manners { greeting: Vec::new(), ..polite() }, Fault::ConnectTimeout),
    ];
    for (name, manners, expected) in cases {
        let (address, _) = serve(manners);
        let mut plan = closed(address, 3);
        match expected {
            Fault::ResponseTimeout => plan.response_timeout = Nanos::from_millis(60),
            Fault::ConnectTimeout => plan.connect_timeout = Nanos::from_millis(60),
            _ => {}
        }
        let slice = run(plan, window(0, 400));
        let found = slice.faults.count(expected);
        assert!(found > 0 && found == slice.faults.total(), "{name}: {:?}", slice.faults);
    }
}

#[test]
fn a_server_of_http1_is_told_from_one_of_http2() {
    let server = ScriptedServer::start(Script::new(Reply::ok("hello"))).unwrap();
    let slice = run(closed(server.address(), 2), window(0, 200));
    assert!(slice.ok == 0 && slice.faults.total() > 0);
    let is_right = |fault| matches!(fault, Fault::Malformed | Fault::NotHttp2 | Fault::Reset);
    assert!(faults(&slice).iter().all(|&(fault, _)| is_right(fault)), "{:?}", slice.faults);
}

#[test]
fn connections_stay_open_between_slices_and_pools_share_streams() {
    let (address, seen) = serve(polite());
    let pooled = Plan { reuse: Reuse::Pool(3), ..closed(address, 12) };
    let mut session = load::Session::open(pooled).unwrap();
    for _ in 0..3 {
        let slice = super::run_slice(&mut session, window(0, 80));
        assert!(slice.ok > 0 && slice.faults.total() == 0, "{:?}", slice.faults);
    }
    assert_eq!(seen.connections.load(Ordering::Relaxed), 1);
    assert!(seen.most_open.load(Ordering::Relaxed) <= 3);
}

#[test]
fn what_http2_does_not_have_is_refused() {
    let address: SocketAddr = "127.0.0.1:1".parse().unwrap();
    for plan in [
        Plan { pipeline: 2, ..closed(address, 1) },
        Plan { reuse: Reuse::Never, ..closed(address, 1) },
        plan(address, Arrivals::Closed { users: 1 }, 0),
    ] {
        assert!(matches!(load::Session::open(plan), Err(load::Error::BadHttp2)));
    }
}
