//! WebSocket against a server that writes frames as each test says, and knows what really happened.

use super::http2::secured;
use super::sessions::plan_for;
use super::{millis, run, window};
use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use load::{Fault, RequestBuilder, Session, Slice, Url};
use model::units::{Nanos, Rate};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use traffic::plan::{Arrivals, Http, Plan, Reuse, Think, Tls};
use traffic::scenario::StepFailure;
use traffic::streaming::{EventForm, ReadUntil, Streaming};
use traffic::web_socket::{Awaited, MessageForm, WebSocketFlaw, WebSocketStep};

const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;

/// A frame as a server sends it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() < 126);
    [&[first, payload.len() as u8][..], payload].concat()
}

fn text(content: &str) -> Vec<u8> {
    frame(TEXT, content.as_bytes())
}

fn goodbye(code: u16, reason: &str) -> Vec<u8> {
    frame(CLOSE, &[&code.to_be_bytes()[..], reason.as_bytes()].concat())
}

/// A frame of the client, without its mask.
struct Got {
    /// The number of the frame on its connection, from 0.
    number: usize,
    first: u8,
    bytes: Vec<u8>,
    content: String,
}

impl Got {
    fn echo(&self) -> Vec<u8> {
        frame(self.first, &self.bytes)
    }
}

/// What a server writes for a frame.
type FrameReply = Arc<dyn Fn(&Got) -> Vec<u8> + Send + Sync>;

/// What a server does.
#[derive(Clone)]
struct Manners {
    /// The answer to the opening handshake, by the proof that the client wants to see.
    opening: fn(&str) -> String,
    /// What is written with it.
    greeting: Vec<u8>,
    /// What is written some milliseconds after it.
    later: Vec<u8>,
    reply: FrameReply,
}

impl Manners {
    fn new(reply: impl Fn(&Got) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let opening = |accept: &str| {
            format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSet-Cookie: sid=7\r\n\
                 Sec-WebSocket-Accept: {accept}\r\n\r\n"
            )
        };
        Self { opening, greeting: Vec::new(), later: Vec::new(), reply: Arc::new(reply) }
    }

    /// Sends messages back, and answers a close.
    fn polite() -> Self {
        Self::new(|got| match got.first {
            PONG => Vec::new(),
            _ => got.echo(),
        })
    }
}

/// What a server saw.
#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    openings: Mutex<Vec<String>>,
    frames: Mutex<Vec<(u8, String)>>,
}

impl Seen {
    fn frames(&self) -> Vec<(u8, String)> {
        self.frames.lock().unwrap().clone()
    }
}

fn serve(manners: Manners) -> (SocketAddr, Arc<Seen>) {
    serve_through(manners, Some)
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
    let (mut bytes, mut buffer) = (Vec::new(), [0; 65_536]);
    let mut read = |stream: &mut dyn Read, bytes: &mut Vec<u8>| {
        let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&buffer[..length]);
        Some(())
    };
    while !bytes.ends_with(b"\r\n\r\n") {
        read(&mut stream, &mut bytes)?;
    }
    let head = String::from_utf8(std::mem::take(&mut bytes)).unwrap();
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
    let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let accept = STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{guid}").as_bytes()));
    let answer = [(manners.opening)(&accept).as_bytes(), &manners.greeting].concat();
    seen.openings.lock().unwrap().push(head);
    stream.write_all(&answer).ok()?;
    if !manners.later.is_empty() {
        std::thread::sleep(Duration::from_millis(5));
        stream.write_all(&manners.later).ok()?;
    }
    for number in 0.. {
        let got = loop {
            if let Some(got) = take_frame(&mut bytes, number) {
                break got;
            }
            read(&mut stream, &mut bytes)?;
        };
        let answer = (manners.reply)(&got);
        seen.frames.lock().unwrap().push((got.first, got.content));
        stream.write_all(&answer).ok()?;
    }
    None
}

/// Takes a short frame of the client from the front of these bytes.
fn take_frame(bytes: &mut Vec<u8>, number: usize) -> Option<Got> {
    let [first, length, key @ ..] = *bytes.first_chunk::<6>()?;
    assert!(length & 0x80 != 0, "a client masks");
    let length = usize::from(length & 0x7f);
    let payload = bytes.get(6..6 + length)?;
    let sent: Vec<u8> = payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
    bytes.drain(..6 + length);
    let content = String::from_utf8_lossy(&sent).into_owned();
    Some(Got { number, first, bytes: sent, content })
}

/// A plan of messages that are sent and awaited like this.
fn plan(
    address: SocketAddr,
    arrivals: Arrivals,
    content: &str,
    step: &Step,
    streaming: Option<Streaming>,
) -> Plan {
    let url = Url::parse(&format!("http://{address}/echo")).unwrap();
    let base = RequestBuilder::new(&url);
    let message = base.clone().body(content).counters(true).message(step.clone()).streaming(streaming);
    Plan {
        opening: Some(base.opening().unwrap()),
        response_timeout: Nanos::from_secs(5),
        ..Plan::new(address, vec![message.build().unwrap()], arrivals)
    }
}

type Step = WebSocketStep<Vec<u8>>;

fn sent(awaits: Awaited<Vec<u8>>) -> Step {
    WebSocketStep::Message { sends: Some(MessageForm::Text), awaits }
}

fn containing(text: &str) -> Step {
    sent(Awaited::Containing(text.as_bytes().to_vec()))
}

/// A plan of this number of users who send `hello`.
fn closed(address: SocketAddr, users: usize, step: &Step) -> Plan {
    plan(address, Arrivals::Closed { users }, "hello", step, None)
}

/// Sends this number of messages, however long it takes.
fn send(plan: Plan, messages: u64) -> Slice {
    run(Plan { limit: Some(messages), ..plan }, window(0, 60_000))
}

fn assert_right(slice: &Slice, messages: u64) {
    assert!(slice.ok == messages && slice.faults.total() == 0, "{:?} {:?}", slice.faults, slice.first_wrong);
}

/// Asserts that all messages had this fault, the first one for this reason.
fn assert_wrong(slice: &Slice, fault: Fault, why: &StepFailure) {
    assert_eq!(
        (slice.ok, slice.faults.count(fault)),
        (0, slice.requests),
        "{:?} {:?}",
        slice.faults,
        slice.first_wrong
    );
    assert_eq!(slice.first_wrong.as_ref().map(|first| &first.why), Some(why));
}

#[test]
fn each_user_sends_one_message_after_the_other_on_its_connection() {
    let (address, seen) = serve(Manners::polite());
    let slice = send(closed(address, 4, &sent(Awaited::Echo)), 40);
    assert_right(&slice, 40);
    assert_eq!((slice.connects_total, slice.body_bytes, slice.events.events), (4, 200, 0));
    assert_eq!(seen.frames().len(), 40);
    assert!(seen.frames().iter().all(|(first, content)| *first == TEXT && content == "hello"));
    let opening = seen.openings.lock().unwrap()[0].clone();
    assert!(
        opening.starts_with("GET /echo HTTP/1.1\r\n")
            && opening.contains("\r\nSec-WebSocket-Version: 13\r\n")
    );
    assert!(!opening.contains("Extensions"), "{opening}");
    let keys: std::collections::BTreeSet<String> = seen.openings.lock().unwrap().iter().cloned().collect();
    assert_eq!(keys.len(), 4, "each connection has a key of its own");
}

#[test]
fn messages_are_sent_when_they_are_due_over_connections_that_stay_open() {
    let (address, seen) = serve(Manners::polite());
    let arrivals = Arrivals::Open { rate: Rate(500.0), poisson: false, connections: 5 };
    let open = plan(address, arrivals, "number ${n}", &sent(Awaited::Echo), None);
    let slice = run(open, window(0, 200));
    assert_right(&slice, slice.requests);
    assert_eq!((slice.offered, seen.connections.load(Ordering::Relaxed)), (100, 5));
    assert!(seen.frames().iter().any(|(_, content)| content == "number 17"));
    let pooled = Plan { reuse: Reuse::Pool(2), ..closed(address, 6, &sent(Awaited::Echo)) };
    let slice = send(pooled, 30);
    assert_right(&slice, 30);
    assert_eq!(slice.connects_total, 2);
    let fresh = send(Plan { reuse: Reuse::Never, ..closed(address, 2, &sent(Awaited::Echo)) }, 10);
    assert_right(&fresh, 10);
    assert!(fresh.connects_total >= 10, "{}", fresh.connects_total);
}

#[test]
fn messages_that_nobody_awaits_are_never_taken_for_an_answer() {
    let delay = Duration::from_millis(10);
    let mut manners = Manners::new(move |got| {
        std::thread::sleep(delay);
        [text("news"), got.echo(), text("more news")].concat()
    });
    manners.greeting = text("welcome");
    manners.later = text("hello again");
    let (address, _) = serve(manners);
    for step in [sent(Awaited::Echo), containing("hell"), containing("hello")] {
        let slice = send(closed(address, 2, &step), 20);
        assert_right(&slice, 20);
        let least = slice.response.min() as f64 / 1e6;
        assert!(step == containing("hell") || least >= 10.0 || step == containing("hello"), "{least} ms");
    }
    let slice = send(closed(address, 1, &sent(Awaited::Echo)), 5);
    assert!(
        millis(&slice.response, 0.0) >= 9.9,
        "the echo came after 10 ms, and not with what came before it"
    );
}

#[test]
fn what_comes_instead_of_the_awaited_message_is_told_when_the_time_is_over() {
    let (address, seen) = serve(Manners::polite());
    let short = Plan { response_timeout: Nanos::from_millis(100), ..closed(address, 1, &containing("bye")) };
    let slice = send(short.clone(), 2);
    assert_wrong(&slice, Fault::ResponseTimeout, &StepFailure::OtherMessages(1));
    let first = slice.first_wrong.unwrap();
    assert_eq!((first.request.as_str(), first.answer.as_str()), ("hello", "hello"));
    assert_eq!(
        seen.connections.load(Ordering::Relaxed),
        2,
        "a late answer cannot come on the next connection"
    );
    let (silent, _) = serve(Manners::new(|_| Vec::new()));
    let slice =
        send(Plan { response_timeout: short.response_timeout, ..closed(silent, 1, &containing("bye")) }, 1);
    assert_eq!((slice.faults.count(Fault::ResponseTimeout), slice.first_wrong), (1, None));
}

#[test]
fn a_message_may_have_several_answers_which_are_events() {
    let (address, _) = serve(Manners::new(|got| match got.first {
        TEXT => text("tick").repeat(10),
        _ => got.echo(),
    }));
    let any = containing("");
    let of = |streaming: Streaming, messages: u64| {
        let asked = plan(address, Arrivals::Closed { users: 2 }, "10", &any, Some(streaming));
        send(asked, messages)
    };
    let counted = Streaming { events: Some(10), ..Streaming::new(EventForm::Messages) };
    let slice = of(counted, 20);
    assert_right(&slice, 20);
    assert_eq!((slice.events.events, slice.events.left, slice.connects_total), (200, 0, 2));
    let until = |until| Streaming { until: Some(until), ..Streaming::new(EventForm::Messages) };
    let timed = of(until(ReadUntil::Time(Nanos::from_millis(50))), 4);
    assert_right(&timed, 4);
    assert_eq!((timed.events.events, timed.connects_total), (40, 2));
    assert!(millis(&timed.response, 0.0) >= 49.9, "it lasts for its time");
}

#[test]
fn a_connection_is_held_and_answers_pings() {
    let mut manners = Manners::new(|got| match got.first {
        PONG => Vec::new(),
        _ => got.echo(),
    });
    manners.greeting = frame(PING, b"one");
    manners.later = [frame(PING, b"two"), text("news")].concat();
    let (address, seen) = serve(manners);
    let until = Some(ReadUntil::Time(Nanos::from_millis(60)));
    let hold = Streaming { events: Some(0), until, ..Streaming::new(EventForm::Messages) };
    let step = WebSocketStep::Message { sends: None, awaits: Awaited::Containing(Vec::new()) };
    let slice = send(plan(address, Arrivals::Closed { users: 3 }, "", &step, Some(hold)), 6);
    assert_right(&slice, 6);
    assert_eq!((slice.connects_total, slice.events.events), (3, 3));
    let pongs =
        |content: &str| seen.frames().iter().filter(|one| **one == (PONG, content.to_owned())).count();
    assert_eq!((pongs("one"), pongs("two")), (3, 3));
}

#[test]
fn pauses_between_messages_keep_the_connection() {
    let mut manners = Manners::polite();
    manners.later = frame(PING, b"there?");
    let (address, seen) = serve(manners);
    let mut thinking = closed(address, 2, &sent(Awaited::Echo));
    thinking.users.think = Think::Constant(Nanos::from_millis(20));
    let slice = send(thinking, 8);
    assert_right(&slice, 8);
    assert_eq!(seen.connections.load(Ordering::Relaxed), 2);
    assert_eq!(seen.frames().iter().filter(|(first, _)| *first == PONG).count(), 2);
}

#[test]
fn a_server_that_breaks_the_protocol_is_counted_and_told() {
    let masked = [&[TEXT, 0x80 | 2][..], &[0; 4], b"hi"].concat();
    for (bytes, flaw, code) in [
        (masked, WebSocketFlaw::Masked, 1002),
        (vec![0xc1, 0], WebSocketFlaw::ReservedBit, 1002),
        (vec![0x83, 0], WebSocketFlaw::Opcode(3), 1002),
        (frame(TEXT, b"\xff"), WebSocketFlaw::NotUtf8, 1007),
        ([&[0x82, 127][..], &u64::MAX.to_be_bytes()].concat(), WebSocketFlaw::TooLong(16 << 20), 1009),
        (frame(0x80, b"x"), WebSocketFlaw::NothingToContinue, 1002),
    ] {
        let (address, seen) = serve(Manners::new(move |_| bytes.clone()));
        let slice = send(closed(address, 1, &sent(Awaited::Echo)), 2);
        assert_wrong(&slice, Fault::Malformed, &StepFailure::WebSocket(flaw));
        let goodbye = String::from_utf8_lossy(&u16::to_be_bytes(code)).into_owned();
        assert!(seen.frames().contains(&(CLOSE, goodbye)), "{flaw:?}: {:?}", seen.frames());
    }
}

#[test]
fn a_server_that_closes_tells_why() {
    let (address, seen) = serve(Manners::new(|_| goodbye(1011, "pool is dry")));
    let slice = send(closed(address, 1, &sent(Awaited::Echo)), 2);
    let why = StepFailure::WebSocketClosed { code: Some(1011), reason: Some("pool is dry".to_owned()) };
    assert_wrong(&slice, Fault::WebSocketClosed, &why);
    let answered = String::from_utf8_lossy(&u16::to_be_bytes(1011)).into_owned();
    assert!(seen.frames().contains(&(CLOSE, answered)), "{:?}", seen.frames());
    // The answer that comes together with the end is a right one.
    let (address, _) = serve(Manners::new(|got| [got.echo(), goodbye(1000, "")].concat()));
    let slice = send(closed(address, 1, &sent(Awaited::Echo)), 3);
    assert_right(&slice, 3);
    assert_eq!(slice.connects_total, 3);
}

#[test]
fn a_server_that_does_not_speak_websocket_is_counted_and_told() {
    let not_found = |_: &str| "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone".to_owned();
    let wrong = |_: &str| {
        "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: no\r\n\r\n"
            .to_owned()
    };
    for (opening, flaw) in
        [(not_found as fn(&str) -> String, WebSocketFlaw::Refused(404)), (wrong, WebSocketFlaw::WrongAccept)]
    {
        let (address, _) = serve(Manners { opening, ..Manners::polite() });
        let slice = run(closed(address, 1, &sent(Awaited::Echo)), window(0, 150));
        assert_wrong(&slice, Fault::NotWebSocket, &StepFailure::WebSocket(flaw));
        let first = slice.first_wrong.unwrap();
        assert!(
            first.request.starts_with("GET /echo HTTP/1.1") && first.answer.starts_with("HTTP/1.1 "),
            "{first:?}"
        );
    }
}

#[test]
fn messages_go_over_tls() {
    let (address, _) = serve_through(Manners::polite(), secured(&[b"http/1.1"]));
    let tls = Some(Tls::accepting_anyone("localhost"));
    let slice = send(Plan { tls, ..closed(address, 3, &sent(Awaited::Echo)) }, 60);
    assert_right(&slice, 60);
    assert_eq!((slice.connects_total, slice.tls_full + slice.tls_resumed), (3, 3));
}

#[test]
fn what_does_not_go_with_messages_is_refused() {
    let (address, _) = serve(Manners::polite());
    let messages = closed(address, 1, &sent(Awaited::Echo));
    let two = Session::open(Plan { http: Http::Two { streams: 1 }, ..messages.clone() });
    assert!(matches!(two, Err(load::Error::WebSocketOverHttp2)), "{two:?}");
    let without = Session::open(Plan { opening: None, ..messages.clone() });
    assert!(matches!(without, Err(load::Error::MixedMessages)), "{without:?}");
    let pipelined = Session::open(Plan { pipeline: 2, ..messages });
    assert!(matches!(pipelined, Err(load::Error::BadPipeline)), "{pipelined:?}");
}

/// Plays a whole load of these users, each of whom has this number of sessions of these steps.
fn played(address: SocketAddr, steps: &[&str], users: usize, each: u64) -> Slice {
    let steps: Vec<String> = steps.iter().map(|step| format!("[[scenario.step]]\n{step}\n")).collect();
    let text = format!("[[scenario]]\n{}", steps.concat());
    run(plan_for(address, &text, users, each), window(0, 60_000))
}

#[test]
fn a_session_opens_sends_awaits_and_closes() {
    let mut manners = Manners::polite();
    manners.greeting = [text("welcome"), text("{\"id\": 42}")].concat();
    let (address, seen) = serve(manners);
    let steps = [
        "ws = \"/chat?room=1\"\nheaders = { X-User = \"ann\" }\nextract = { sid = { cookie = \"sid\" } }",
        "expect = \"welcome\"",
        "expect = \"id\"\nname = \"identity\"\nextract = { id = { json = \"$.id\" } }",
        "send = \"typing\"",
        "send = \"I am ${id} of ${sid}\"\nexpect = \"am 42\"\nname = \"talk\"\ncheck = { contains = \"of 7\" }",
        "pause = \"20ms\"",
        "close = true",
    ];
    let slice = played(address, &steps, 2, 3);
    assert_eq!(
        (slice.requests, slice.faults.total()),
        (36, 0),
        "{:?} {:?}",
        slice.faults,
        slice.first_failure()
    );
    let counts: Vec<u64> = slice.steps.iter().map(|step| step.ok).collect();
    assert_eq!(counts, [6; 6], "{:?}", slice.first_failure());
    assert_eq!(seen.connections.load(Ordering::Relaxed), 6);
    let opening = seen.openings.lock().unwrap()[0].clone();
    assert!(
        opening.starts_with("GET /chat?room=1 HTTP/1.1\r\n") && opening.contains("X-User: ann\r\n"),
        "{opening}"
    );
    let said: Vec<String> = seen.frames().iter().map(|(_, content)| content.clone()).collect();
    assert_eq!(said.iter().filter(|content| *content == "I am 42 of 7").count(), 6);
    assert_eq!(seen.frames().iter().filter(|(first, _)| *first == CLOSE).count(), 6);
}

#[test]
fn steps_that_fail_are_told_and_a_session_without_a_connection_goes_on() {
    let (address, seen) = serve(Manners::new(|got| match (got.first, got.number) {
        (TEXT, 1) => goodbye(1001, "restart"),
        _ => got.echo(),
    }));
    let continues = |steps: &[&str]| {
        let steps: Vec<String> = steps.iter().map(|step| format!("[[scenario.step]]\n{step}\n")).collect();
        let text = format!("[[scenario]]\non_failure = \"continue\"\n{}", steps.concat());
        run(plan_for(address, &text, 1, 1), window(0, 60_000))
    };
    let slice = continues(&[
        "ws = \"/\"",
        "send = \"a\"\nexpect = \"a\"\nname = \"first\"",
        "send = \"b\"\nexpect = \"b\"\nname = \"closed\"",
        "send = \"c\"\nexpect = \"c\"\nname = \"too late\"",
        "ws = \"/again\"\nname = \"again\"",
        "send = \"d\"\nexpect = \"d\"\nname = \"fourth\"\ncheck = { contains = \"e\" }",
    ]);
    let ok: Vec<u64> = slice.steps.iter().map(|step| step.ok).collect();
    assert_eq!(ok, [1, 1, 0, 0, 1, 0], "{:?}", slice.faults);
    assert_eq!(slice.faults.count(Fault::WebSocketClosed), 2);
    assert_eq!(slice.faults.count(Fault::WrongBody), 1);
    let why = StepFailure::WebSocketClosed { code: Some(1001), reason: Some("restart".to_owned()) };
    assert_eq!(slice.first_wrong.map(|first| first.why), Some(why));
    assert_eq!(seen.connections.load(Ordering::Relaxed), 2);
    // A refusal is an answer with another status.
    let not_found = |_: &str| "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned();
    let (address, _) = serve(Manners { opening: not_found, ..Manners::polite() });
    let slice = played(address, &["ws = \"/\""], 1, 2);
    assert_eq!((slice.faults.count(Fault::WrongStatus), slice.requests), (2, 2), "{:?}", slice.faults);
    assert_eq!(
        slice.steps[0].first_failure.as_ref().map(|first| &first.why),
        Some(&StepFailure::Status(404))
    );
}

#[test]
fn many_messages_in_a_row_without_an_answer_take_no_stack() {
    let (address, seen) = serve(Manners::new(|got| match got.content.as_str() {
        "end" => got.echo(),
        _ => Vec::new(),
    }));
    let steps = ["ws = \"/\"", "send = \"x\"\nrepeat = 20000", "send = \"end\"\nexpect = \"end\""];
    let slice = played(address, &steps, 1, 1);
    assert_eq!((slice.ok, slice.faults.total()), (20_002, 0), "{:?}", slice.first_failure());
    assert_eq!(seen.frames().len(), 20_001);
}
