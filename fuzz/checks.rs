//! What must hold for any input. The fuzz targets try new inputs, `crates/load/tests/it/corpus.rs` replays the kept ones.
#![allow(dead_code, unreachable_pub, reason = "each target uses one of them, as a module of its own")]

use load::http1::{CodecProgress, FinishedResponse, Http1, Memo};
use load::http2::{Http2, Opening, ProtocolFlaw, StreamEvent};
use load::web_socket::{WebSocket, WebSocketEvent};
use load::{Fault, RequestBuilder, Url};
use traffic::plan::Request;
use traffic::web_socket::WebSocketFlaw;

/// The first byte says what was asked, the second where the response is split; the rest is the response. However it is
/// split, it parses the same, takes no more bytes than there are, and a remembered head changes nothing.
pub fn http1(data: &[u8]) {
    let [options, split, response @ ..] = data else {
        return;
    };
    let request = asked(*options);
    let mut memo = Memo::default();
    let whole = feed(&[response], &request, &mut memo);
    assert_eq!(whole, feed(&[response], &request, &mut memo), "a remembered head");
    let (head, tail) = response.split_at(usize::from(*split).min(response.len()));
    assert_eq!(whole, feed(&[head, tail], &request, &mut memo), "split at {split}");
    let bytes: Vec<_> = response.chunks(1).collect();
    assert_eq!(whole, feed(&bytes, &request, &mut Memo::default()), "byte by byte");
}

/// What the bits of `options` ask.
fn asked(options: u8) -> Request {
    Request {
        bytes: Vec::new(),
        head: options & 1 != 0,
        status: if options & 2 != 0 { 200..=200 } else { 200..=399 },
        body: (options & 4 != 0).then(|| b"hello".to_vec()),
        same_length: false,
        streaming: None,
        grpc: None,
        web_socket: None,
        inserts: Vec::new(),
    }
}

fn feed(pieces: &[&[u8]], request: &Request, memo: &mut Memo) -> Result<(usize, FinishedResponse), Fault> {
    let mut codec = Http1::default();
    let mut total = 0;
    for piece in pieces {
        match codec.advance(piece, request, memo)? {
            CodecProgress::More => total += piece.len(),
            CodecProgress::Done(used, answer) => {
                assert!(used <= piece.len());
                return Ok((total + used, answer));
            }
        }
    }
    codec.end(request, memo).map(|answer| (total, answer))
}

/// Answers one behind another, as to pipelined requests: the first byte says what was asked, the second begins a sequence of
/// lengths at which the stream is cut. However it is cut, the same answers come out of it, and the same end.
pub fn pipelined(data: &[u8]) {
    let [options, seed, stream @ ..] = data else {
        return;
    };
    let request = asked(*options);
    let whole = answers(std::iter::once(stream), &request);
    let (mut rest, mut random) = (stream, u32::from(*seed));
    let pieces = std::iter::from_fn(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (piece, behind) = rest.split_at((1 + (random >> 24) as usize % 64).min(rest.len()));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    });
    assert_eq!(whole, answers(pieces, &request), "cut by {seed}");
    assert_eq!(whole, answers(stream.chunks(1), &request), "byte by byte");
}

/// All answers in the stream, and how it ended; `None` after one that closes the connection.
fn answers<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    request: &Request,
) -> (Vec<FinishedResponse>, Option<Result<FinishedResponse, Fault>>) {
    let (mut codec, mut memo, mut found) = (Http1::default(), Memo::default(), Vec::new());
    for mut piece in pieces {
        while !piece.is_empty() {
            match codec.advance(piece, request, &mut memo) {
                Ok(CodecProgress::More) => break,
                Err(fault) => return (found, Some(Err(fault))),
                Ok(CodecProgress::Done(used, answer)) => {
                    assert!(0 < used && used <= piece.len());
                    found.push(answer);
                    if !answer.keep_alive {
                        return (found, None);
                    }
                    piece = &piece[used..];
                }
            }
        }
    }
    (found, Some(codec.end(request, &mut memo)))
}

/// What is accepted as a URL makes a request of one line break per line, and survives being written out again.
pub fn url(data: &[u8]) {
    let Ok(url) = str::from_utf8(data).map_err(|_| ()).and_then(|text| Url::parse(text).map_err(|_| ()))
    else {
        return;
    };
    let scheme = if url.tls { "https" } else { "http" };
    let again = Url::parse(&format!("{scheme}://{}{}", url.authority(), url.path));
    assert_eq!(again.ok().as_ref(), Some(&url));
    if let Ok(request) = RequestBuilder::new(&url).build() {
        let end = request.bytes.windows(4).position(|window| window == b"\r\n\r\n");
        assert_eq!(end, Some(request.bytes.len() - 4));
    }
}

/// What a client of HTTP/2 is told, with the pieces of each body put together, and what it sends.
#[derive(Debug, Default, PartialEq)]
struct Conversation {
    events: Vec<StreamEvent>,
    /// The bodies of answers that are complete, and the bytes of their frames.
    bodies: Vec<(usize, Vec<u8>, usize)>,
    flaw: Option<ProtocolFlaw>,
    sent: Vec<u8>,
}

/// What a server of HTTP/2 sends: the first byte says how many streams there are and whether only heads were asked for, the second begins a
/// sequence of lengths at which it is cut; settings come first. However it is cut, it means the same and has the same answers, and no memory is
/// taken beyond what one block of headers needs.
pub fn http2(data: &[u8]) {
    let [options, seed, stream @ ..] = data else {
        return;
    };
    let whole = converse(std::iter::once(stream), *options);
    let (mut rest, mut random) = (stream, u32::from(*seed));
    let pieces = std::iter::from_fn(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (piece, behind) = rest.split_at((1 + (random >> 24) as usize % 64).min(rest.len()));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    });
    assert_eq!(whole, converse(pieces, *options), "cut by {seed}");
    assert_eq!(whole, converse(stream.chunks(1), *options), "byte by byte");
}

/// A client whose users send the next request when an answer has come.
fn converse<'a>(pieces: impl Iterator<Item = &'a [u8]>, options: u8) -> Conversation {
    let lanes = 1 + usize::from(options & 7);
    let mut http2 = Http2::new("http", lanes, 1, 256);
    let mut told = Conversation::default();
    let mut bodies = vec![(Vec::new(), 0); lanes];
    http2.begin();
    http2.advance(b"\0\0\0\x04\0\0\0\0\0").expect("settings");
    open_all(&mut http2, lanes, options);
    for piece in pieces {
        let mut used = 0;
        loop {
            match http2.advance(&piece[used..]) {
                Err(flaw) => {
                    told.flaw = Some(flaw);
                    told.sent.extend_from_slice(http2.waiting());
                    return told;
                }
                Ok((taken, event)) => {
                    match event {
                        StreamEvent::More => {}
                        StreamEvent::Data { lane, from, length, size, .. } => {
                            bodies[lane].0.extend_from_slice(&piece[used + from..used + from + length]);
                            bodies[lane].1 += size;
                        }
                        event => told.events.push(event),
                    }
                    used += taken;
                    assert!(used <= piece.len());
                    if let Some((lane, is_complete)) = ended(&event) {
                        let (body, size) = std::mem::take(&mut bodies[lane]);
                        if is_complete {
                            told.bodies.push((lane, body, size));
                        }
                    }
                    if event == StreamEvent::More {
                        break;
                    }
                    open_all(&mut http2, lanes, options);
                }
            }
        }
        assert!(http2.waiting().len() <= 1 << 20);
        told.sent.extend_from_slice(http2.waiting());
        http2.mark_sent(http2.waiting().len());
    }
    told.sent.extend_from_slice(http2.waiting());
    told
}

/// The stream that an event ends, and whether its answer is complete.
fn ended(event: &StreamEvent) -> Option<(usize, bool)> {
    match *event {
        StreamEvent::Head { lane, end: true, .. }
        | StreamEvent::Data { lane, end: true, .. }
        | StreamEvent::Trailers { lane, .. } => Some((lane, true)),
        StreamEvent::Malformed { lane } | StreamEvent::Reset { lane, .. } => Some((lane, false)),
        _ => None,
    }
}

fn open_all(http2: &mut Http2, lanes: usize, options: u8) {
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for lane in 0..lanes {
        if !http2.is_open(lane) && http2.may_open() {
            let fixed = (options & 16 != 0).then_some(0);
            http2.open(lane, &Opening { request, fixed, body: false, head_only: options & 8 != 0 });
        }
    }
    http2.mark_sent(0);
}

/// What a client of WebSocket is told.
#[derive(Debug, Default, PartialEq)]
struct Exchange {
    events: Vec<WebSocketEvent>,
    messages: Vec<Vec<u8>>,
    flaw: Option<WebSocketFlaw>,
}

/// The answer to the opening handshake whose key the seed 1 draws.
const OPENED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
Sec-WebSocket-Accept: iaJ41DPjhsQ5WyA1w3/s7pqlXnU=\r\n\r\n";

/// What a server of WebSocket sends: the first byte says whether the opening handshake is a part of it, the second begins a sequence of lengths
/// at which it is cut. However it is cut, it means the same, no message is longer than what came, and what waits to be sent stays small, however
/// many pings come.
pub fn websocket(data: &[u8]) {
    let [options, seed, stream @ ..] = data else {
        return;
    };
    let whole = listen(std::iter::once(stream), *options);
    let (mut rest, mut random) = (stream, u32::from(*seed));
    let pieces = std::iter::from_fn(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (piece, behind) = rest.split_at((1 + (random >> 24) as usize % 64).min(rest.len()));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    });
    assert_eq!(whole, listen(pieces, *options), "cut by {seed}");
    assert_eq!(whole, listen(stream.chunks(1), *options), "byte by byte");
}

/// A client whose socket takes bytes now and then.
fn listen<'a>(pieces: impl Iterator<Item = &'a [u8]>, options: u8) -> Exchange {
    let mut socket = WebSocket::new(1, true);
    let mut told = Exchange::default();
    socket.begin(b"GET / HTTP/1.1\r\nSec-WebSocket-Key: ");
    socket.mark_sent(socket.waiting().len());
    if options & 1 == 0 {
        assert_eq!(socket.advance(OPENED), Ok((OPENED.len(), WebSocketEvent::Opened)));
    }
    let mut received = 0;
    for piece in pieces {
        received += piece.len();
        let mut used = 0;
        loop {
            match socket.advance(&piece[used..]) {
                Err(flaw) => {
                    socket.close(Some(flaw));
                    told.flaw = Some(flaw);
                    return told;
                }
                Ok((taken, event)) => {
                    used += taken;
                    assert!(used <= piece.len() && socket.content().len() <= received);
                    match event {
                        WebSocketEvent::More => break,
                        WebSocketEvent::Message { length } => {
                            assert_eq!(socket.content().len() as u64, length);
                            told.messages.push(socket.content().to_vec());
                        }
                        WebSocketEvent::Opened | WebSocketEvent::Closed => {}
                    }
                    told.events.push(event);
                }
            }
        }
        assert!(socket.waiting().len() <= 1024);
        let some = socket.waiting().len().min(3);
        socket.mark_sent(some);
    }
    told
}
