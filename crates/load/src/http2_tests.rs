use super::frame::{FRAME_HEAD, push_head};
use super::*;

const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: prony\r\nAccept: */*\r\n\r\n";
/// `:status: 200` by its number in the static table.
const OK: &[u8] = b"\x88";

/// A frame of the server.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_head(&mut bytes, payload.len(), kind, flags, stream);
    bytes.extend_from_slice(payload);
    bytes
}

fn settings(entries: &[(u16, u32)]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (name, value) in entries {
        payload.extend_from_slice(&name.to_be_bytes());
        payload.extend_from_slice(&value.to_be_bytes());
    }
    frame(4, 0, 0, &payload)
}

fn head(stream: u32, block: &[u8], end: bool) -> Vec<u8> {
    frame(1, 4 | u8::from(end), stream, block)
}

fn data(stream: u32, body: &[u8], end: bool) -> Vec<u8> {
    frame(0, u8::from(end), stream, body)
}

/// A connection of four lanes whose server has said its settings.
fn greeted(entries: &[(u16, u32)]) -> Http2 {
    let mut http2 = Http2::new("http", 4, 1, 256);
    http2.begin();
    assert_eq!(told(&mut http2, &settings(entries)), [StreamEvent::Settings]);
    http2.mark_sent(http2.waiting().len());
    http2
}

fn opening(request: &[u8]) -> Opening<'_> {
    Opening { request, fixed: Some(0), body: false, head_only: false }
}

/// A connection with open streams in so many lanes: 1, 3, 5, ...
fn with_streams(count: usize) -> Http2 {
    let mut http2 = greeted(&[]);
    (0..count).for_each(|lane| http2.open(lane, &opening(GET)));
    http2
}

/// All events of these bytes; the last one is a flaw if there is one.
fn events(http2: &mut Http2, input: &[u8]) -> (Vec<StreamEvent>, Option<ProtocolFlaw>) {
    let (mut used, mut events) = (0, Vec::new());
    http2.mark_sent(0); // what was opened is on its way
    loop {
        match http2.advance(&input[used..]) {
            Err(flaw) => return (events, Some(flaw)),
            Ok((taken, event)) => {
                used += taken;
                if event == StreamEvent::More {
                    assert_eq!(used, input.len());
                    return (events, None);
                }
                events.push(event);
            }
        }
    }
}

fn told(http2: &mut Http2, input: &[u8]) -> Vec<StreamEvent> {
    let (events, flaw) = events(http2, input);
    assert_eq!(flaw, None);
    events
}

fn flaw(http2: &mut Http2, input: &[u8]) -> Option<ProtocolFlaw> {
    events(http2, input).1
}

/// The frames that wait to be sent: type, flags, stream and payload.
fn waiting_frames(http2: &Http2) -> Vec<(u8, u8, u32, Vec<u8>)> {
    let (mut rest, mut frames) = (http2.waiting(), Vec::new());
    while !rest.is_empty() {
        let head = frame::FrameHead::parse(rest).unwrap().unwrap();
        let (payload, behind) = rest[FRAME_HEAD..].split_at(head.length);
        frames.push((head.kind, head.flags, head.stream, payload.to_vec()));
        rest = behind;
    }
    frames
}

#[test]
fn a_connection_begins_with_preface_settings_and_a_large_window() {
    let mut http2 = Http2::new("http", 1, 1, 256);
    http2.begin();
    let sent = http2.waiting();
    assert!(sent.starts_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x12\x04\x00\x00\x00\x00\x00"));
    assert!(sent.ends_with(b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x3f\xff\x00\x00"));
    assert!(!http2.may_open());
    http2.mark_sent(sent.len());
    told(&mut http2, &settings(&[]));
    assert!(http2.may_open());
    assert_eq!(waiting_frames(&http2), [(4, 1, 0, vec![])]);
}

#[test]
fn an_answer_is_told_piece_by_piece_with_all_its_bytes() {
    let mut http2 = with_streams(1);
    let answer = [head(1, OK, false), frame(0, 8 | 1, 1, b"\x03hello\0\0\0")].concat();
    let (mut body, mut total) = (Vec::new(), 0);
    for (at, byte) in answer.iter().enumerate() {
        for event in told(&mut http2, &[*byte]) {
            match event {
                StreamEvent::Head { lane: 0, status: 200, size, end: false } => total += size,
                StreamEvent::Data { lane: 0, from, length, size, end } => {
                    body.extend_from_slice(&answer[at + from..at + from + length]);
                    total += size;
                    assert_eq!(end, at + 1 == answer.len());
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!((body.as_slice(), total), (&b"hello"[..], answer.len()));
    assert!(!http2.is_open(0) && http2.open_streams() == 0);
}

#[test]
fn interim_heads_trailers_and_continuations_are_understood() {
    let mut http2 = with_streams(1);
    let answer = [
        head(1, b"\x08\x03103", false),         // an interim head
        frame(1, 0x20, 1, b"\0\0\0\0\x10\x88"), // priority, and no end of the block
        frame(9, 0, 1, b"\x0f\x0d"),
        frame(9, 4, 1, b"\x012"), // content-length: 2
        data(1, b"ok", false),
        head(1, b"\0\x01x\x01y", true),
    ];
    let told = told(&mut http2, &answer.concat());
    assert_eq!(told[0], StreamEvent::Head { lane: 0, status: 200, size: 9 + 6 + 9 + 2 + 9 + 2, end: false });
    assert!(matches!(told[1], StreamEvent::Data { lane: 0, length: 2, end: false, .. }));
    assert_eq!(told[2], StreamEvent::Trailers { lane: 0, size: 14 });
    assert_eq!(http2.head_text(), b"x: y\r\n\r\n");
}

#[test]
fn answers_in_any_order_find_their_lanes() {
    let mut http2 = with_streams(4);
    for (stream, lane) in [(5, 2), (1, 0), (7, 3), (3, 1)] {
        let told = told(&mut http2, &head(stream, OK, true));
        assert_eq!(told, [StreamEvent::Head { lane, status: 200, size: 10, end: true }]);
    }
    assert_eq!(http2.head_text(), b"HTTP/2 200\r\n\r\n");
    assert_eq!(http2.head_text_of(1), http2.head_text());
    assert_eq!(http2.head_text_of(0), b"", "another stream had a head since");
}

#[test]
fn the_second_request_is_as_short_as_that_of_a_browser() {
    let http2 = with_streams(3);
    let blocks: Vec<_> = waiting_frames(&http2).into_iter().map(|(.., block)| block).collect();
    assert!(blocks[0].len() > 20);
    // Method, scheme, authority, path (written out), user agent, accept.
    assert_eq!(blocks[1], b"\x82\x86\xc0\x04\x02/a\xbf\xbe");
    assert_eq!(blocks[2], blocks[1]);
}

#[test]
fn a_server_that_forbids_the_table_gets_none() {
    let mut http2 = greeted(&[(1, 0)]);
    (0..2).for_each(|lane| http2.open(lane, &opening(GET)));
    let blocks: Vec<_> = waiting_frames(&http2).into_iter().map(|(.., block)| block).collect();
    assert_eq!(blocks[0][0], 0x20); // the table has the size 0
    assert_eq!(blocks[0][1..], blocks[1]);
}

#[test]
fn connection_fields_are_left_out_and_names_have_no_capitals() {
    let mut http2 = greeted(&[]);
    let request =
        b"POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTE: gzip\r\nX-A: b\r\nCookie: c\r\n\r\n";
    http2.open(0, &Opening { request, fixed: None, body: true, head_only: false });
    let (_, flags, _, block) = waiting_frames(&http2).remove(0);
    let (mut decoder, mut read) = (HeaderDecoder::default(), Head::default());
    decoder.read(&block, &mut read).unwrap();
    let text = String::from_utf8(read.text).unwrap();
    let fields: Vec<_> = text.lines().filter(|line| line.contains(": ")).collect();
    assert_eq!((flags, fields), (4, vec!["x-a: b", "cookie: c"]));
}

#[test]
fn bodies_heed_both_windows_and_the_longest_frame() {
    let mut http2 = greeted(&[(4, 20_000)]);
    http2.open(0, &Opening { body: true, ..opening(GET) });
    let body = vec![b'x'; 70_000];
    assert_eq!(http2.send_body(0, &body), 20_000);
    assert!(http2.is_throttled(0));
    let lengths = |http2: &Http2| waiting_frames(http2).iter().map(|frame| frame.3.len()).collect::<Vec<_>>();
    assert_eq!(lengths(&http2)[1..], [16_384, 3_616]);
    assert_eq!(told(&mut http2, &frame(8, 0, 1, &100_000_u32.to_be_bytes())), [StreamEvent::Window]);
    assert_eq!(http2.send_body(0, &body[20_000..]), 45_535); // what is left of the connection's window
    assert!(http2.is_throttled(0));
    told(&mut http2, &frame(8, 0, 0, &5_000_u32.to_be_bytes()));
    assert_eq!(http2.send_body(0, &body[65_535..]), 4_465);
    assert!(!http2.is_throttled(0));
    assert_eq!(waiting_frames(&http2).last().unwrap().1, 1); // the end of the stream
    // A smaller initial window makes those of open streams smaller, even below 0.
    let mut http2 = greeted(&[(4, 10)]);
    http2.open(0, &Opening { body: true, ..opening(GET) });
    assert_eq!(http2.send_body(0, &body), 10);
    told(&mut http2, &settings(&[(4, 4)]));
    told(&mut http2, &frame(8, 0, 1, &7_u32.to_be_bytes()));
    assert_eq!(http2.send_body(0, &body), 1);
}

#[test]
fn windows_are_opened_again_before_they_are_used_up() {
    let mut http2 = with_streams(1);
    told(&mut http2, &head(1, OK, false));
    http2.mark_sent(http2.waiting().len());
    let piece = data(1, &[0; MAX_PAYLOAD], false);
    let pieces = WINDOW as usize / 2 / MAX_PAYLOAD;
    for _ in 0..pieces + 2 {
        told(&mut http2, &piece);
    }
    let updates: Vec<_> = waiting_frames(&http2).iter().map(|frame| (frame.0, frame.2)).collect();
    assert_eq!(updates, [(8, 1), (8, 0)]);
    assert_eq!((http2.receive_window, http2.streams[0].receive_window), (WINDOW, WINDOW));
}

#[test]
fn pings_are_answered_and_streams_end_as_the_server_says() {
    let mut http2 = with_streams(3);
    http2.mark_sent(http2.waiting().len());
    assert_eq!(told(&mut http2, &frame(6, 0, 0, b"12345678")), []);
    assert_eq!(waiting_frames(&http2), [(6, 1, 0, b"12345678".to_vec())]);
    let told = told(
        &mut http2,
        &[frame(3, 0, 3, &[0, 0, 0, 7]), frame(7, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 11])].concat(),
    );
    let goaway = StreamEvent::GoAway { last: 1, code: ErrorCode::EnhanceYourCalm };
    assert_eq!(told, [StreamEvent::Reset { lane: 1, code: ErrorCode::Refused }, goaway]);
    assert!(!http2.is_behind(0, 1) && http2.is_behind(2, 1) && !http2.may_open() && http2.is_gone());
}

#[test]
fn the_servers_limit_of_streams_is_kept() {
    let mut http2 = greeted(&[(3, 2)]);
    for lane in 0..2 {
        assert!(http2.may_open());
        http2.open(lane, &opening(GET));
    }
    assert!(!http2.may_open());
    told(&mut http2, &head(1, OK, true));
    assert!(http2.may_open());
}

#[test]
fn what_comes_for_a_cancelled_stream_is_ignored() {
    let mut http2 = with_streams(2);
    http2.cancel(0);
    assert_eq!(waiting_frames(&http2).last().unwrap(), &(3, 0, 1, vec![0, 0, 0, 8]));
    let late = [head(1, b"\x88\x40\x01a\x01b", false), data(1, b"late", true), frame(8, 0, 1, &[0, 0, 0, 1])];
    assert_eq!(told(&mut http2, &late.concat()), []);
    // The late block has put a field into the table.
    told(&mut http2, &head(3, b"\x88\xbe", true));
    assert_eq!(http2.head_text(), b"HTTP/2 200\r\na: b\r\n\r\n");
}

#[test]
fn the_rest_of_a_frame_of_a_cancelled_stream_is_not_of_the_next_one() {
    let mut http2 = with_streams(1);
    told(&mut http2, &head(1, OK, false));
    let whole = data(1, b"half and half", true);
    let (first, rest) = whole.split_at(FRAME_HEAD + 4);
    let half = StreamEvent::Data { lane: 0, from: FRAME_HEAD, length: 4, size: FRAME_HEAD + 4, end: false };
    assert_eq!(told(&mut http2, first), [half]);
    http2.cancel(0);
    http2.open(0, &opening(GET));
    assert_eq!(told(&mut http2, rest), []);
    assert!(http2.is_open(0), "the second stream has no answer yet");
    assert_eq!(told(&mut http2, &head(3, OK, true)).len(), 1);
}

#[test]
fn malformed_answers_cost_their_streams_only() {
    for (block, end) in [
        (&b"\x88\x88"[..], true),          // two statuses
        (b"\x00\x01a\x01b\x88", true),     // a status behind a field
        (b"\x00\x01a\x01b", true),         // none at all
        (b"\x88\x00\x01A\x01b", true),     // a capital letter
        (b"\x88\x00\x01a\x03b\r\n", true), // a line break
        (b"\x88\x00\x0aconnection\x01a", true),
        (b"\x82", true), // a pseudo-header of requests
        (b"\x08\x03101", false),
        (b"\x08\x03100", true),       // an interim head at the end
        (b"\x88\x0f\x0d\x012", true), // a body of 2 bytes that does not come
    ] {
        let mut http2 = with_streams(2);
        assert_eq!(
            told(&mut http2, &head(1, block, end)),
            [StreamEvent::Malformed { lane: 0 }],
            "{block:x?}"
        );
        assert_eq!(waiting_frames(&http2).last().unwrap().0, 3);
        assert_eq!(told(&mut http2, &head(3, OK, true)).len(), 1);
    }
    let mut http2 = with_streams(2);
    let long = [head(1, b"\x88\x0f\x0d\x012", false), data(1, b"123", false), data(1, b"4", true)];
    let told = told(&mut http2, &long.concat());
    assert_eq!(told[1..], [StreamEvent::Malformed { lane: 0 }]);
}

#[test]
fn an_answer_to_head_has_no_body() {
    let mut http2 = greeted(&[]);
    http2.open(0, &Opening { head_only: true, ..opening(GET) });
    let told = told(&mut http2, &head(1, b"\x88\x0f\x0d\x012", true));
    assert!(matches!(told[..], [StreamEvent::Head { end: true, .. }]));
}

#[test]
fn an_early_answer_ends_a_request_that_is_still_sent() {
    let mut http2 = greeted(&[(4, 1)]);
    http2.open(0, &Opening { body: true, ..opening(GET) });
    assert_eq!(http2.send_body(0, b"body"), 1);
    assert!(matches!(told(&mut http2, &head(1, OK, true))[..], [StreamEvent::Head { end: true, .. }]));
    assert_eq!(waiting_frames(&http2).last().unwrap(), &(3, 0, 1, vec![0, 0, 0, 8]));
    assert!(!http2.is_open(0));
}

#[test]
fn frames_that_break_the_rules_end_the_connection() {
    let cases: [(&str, Vec<u8>, ProtocolFlaw); 24] = [
        ("data before the head", data(1, b"x", true), ProtocolFlaw::FrameOrder),
        ("an answer to nobody", head(9, OK, true), ProtocolFlaw::UnknownStream),
        ("an answer on a stream of the server", head(2, OK, true), ProtocolFlaw::UnknownStream),
        ("answered twice", [head(1, OK, true), head(1, OK, true)].concat(), ProtocolFlaw::EndedStream),
        ("data behind the end", [head(1, OK, true), data(1, b"x", true)].concat(), ProtocolFlaw::EndedStream),
        (
            "a block is interrupted",
            [frame(1, 0, 1, OK), frame(6, 0, 0, &[0; 8])].concat(),
            ProtocolFlaw::FrameOrder,
        ),
        ("of another stream", [frame(1, 0, 1, OK), frame(9, 4, 3, b"")].concat(), ProtocolFlaw::FrameOrder),
        ("data within a block", [frame(1, 0, 1, OK), data(1, b"x", true)].concat(), ProtocolFlaw::FrameOrder),
        ("a continuation of nothing", frame(9, 4, 1, OK), ProtocolFlaw::FrameOrder),
        ("a push", frame(5, 4, 1, b"\0\0\0\x02\x82"), ProtocolFlaw::FrameOrder),
        ("a frame too long", frame(1, 4, 1, &[0; MAX_PAYLOAD + 1]), ProtocolFlaw::FrameSize),
        ("a ping too short", frame(6, 0, 0, b"x"), ProtocolFlaw::FrameSize),
        ("settings on a stream", frame(4, 0, 1, b""), ProtocolFlaw::FrameOrder),
        ("settings too short", frame(4, 0, 0, b"x"), ProtocolFlaw::FrameSize),
        ("pushes are enabled", settings(&[(2, 1)]), ProtocolFlaw::Setting),
        ("tiny frames", settings(&[(5, 10)]), ProtocolFlaw::Setting),
        ("a window too large", settings(&[(4, 1 << 31)]), ProtocolFlaw::Window),
        ("a window that overflows", frame(8, 0, 0, &0x7fff_ffff_u32.to_be_bytes()), ProtocolFlaw::Window),
        ("a window of nothing", frame(8, 0, 1, &[0; 4]), ProtocolFlaw::NoIncrement),
        ("a window of nobody", frame(8, 0, 9, &[0, 0, 0, 1]), ProtocolFlaw::UnknownStream),
        ("a reset of nobody", frame(3, 0, 9, &[0; 4]), ProtocolFlaw::UnknownStream),
        ("padding of a head", frame(1, 4 | 8, 1, b"\x05\x88"), ProtocolFlaw::Padding),
        ("padding of data", [head(1, OK, false), frame(0, 8, 1, b"\x05x")].concat(), ProtocolFlaw::Padding),
        ("priority too short", frame(2, 0, 1, b"x"), ProtocolFlaw::FrameSize),
    ];
    for (name, bytes, expected) in cases {
        assert_eq!(flaw(&mut with_streams(2), &bytes), Some(expected), "{name}");
    }
}

#[test]
fn an_answer_before_its_request_was_sent_is_refused() {
    let mut http2 = with_streams(1);
    told(&mut http2, &head(1, OK, true));
    http2.open(0, &opening(GET));
    assert_eq!(http2.advance(&head(3, OK, true)), Err(ProtocolFlaw::UnknownStream));
}

#[test]
fn what_is_no_http2_is_refused_at_once() {
    for text in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &frame(6, 0, 0, &[0; 8]), &frame(4, 1, 0, b"")] {
        let mut http2 = Http2::new("http", 1, 1, 256);
        http2.begin();
        assert!(matches!(flaw(&mut http2, text), Some(ProtocolFlaw::FrameSize | ProtocolFlaw::FrameOrder)));
    }
}

#[test]
fn header_blocks_that_break_the_rules_end_the_connection() {
    for (block, expected) in [
        (&b"\xbe"[..], ProtocolFlaw::Index), // a field that the table does not have
        (b"\x80", ProtocolFlaw::Index),
        (b"\x88\x3f\xe1\x1f", ProtocolFlaw::TableSize), // a size behind a field
        (b"\x3f\xe2\x1f", ProtocolFlaw::TableSize),     // a size above 4096
        (b"\xff\xff\xff\xff\xff", ProtocolFlaw::Integer),
        (b"\x00\x05ab", ProtocolFlaw::CutBlock),
        (b"\x00\x01a\x81\x00", ProtocolFlaw::Huffman),
    ] {
        assert_eq!(flaw(&mut with_streams(1), &head(1, block, true)), Some(expected), "{block:x?}");
    }
}

/// The bytes of memory that a connection has taken.
fn memory(http2: &Http2) -> usize {
    http2.partial.capacity() + http2.block.capacity() + http2.out.capacity() + http2.head.text.capacity()
}

#[test]
fn floods_end_in_a_flaw_with_bounded_memory() {
    let mut bomb = b"\x88\x40\x01a\x7f\xe0\x1e".to_vec(); // a field that fills the table
    bomb.extend_from_slice(&[b'x'; 4063]);
    let refer = frame(9, 0, 1, &[0xbe; 4096]);
    let storms: [(&str, Vec<u8>, Vec<u8>, ProtocolFlaw); 10] = [
        ("settings", vec![], settings(&[(3, 100)]), ProtocolFlaw::Flood),
        ("pings", vec![], frame(6, 0, 0, &[0; 8]), ProtocolFlaw::Flood),
        ("priorities", vec![], frame(2, 0, 1, &[0; 5]), ProtocolFlaw::Flood),
        ("unknown frames", vec![], frame(99, 0, 0, &[0; 100]), ProtocolFlaw::Flood),
        ("empty data", head(1, OK, false), data(1, b"", false), ProtocolFlaw::Flood),
        ("windows", vec![], frame(8, 0, 0, &[0, 0, 0, 1]), ProtocolFlaw::Flood),
        ("empty continuations", frame(1, 0, 1, OK), frame(9, 0, 1, b""), ProtocolFlaw::Flood),
        (
            "long continuations",
            frame(1, 0, 1, OK),
            frame(9, 0, 1, &[0x88; MAX_PAYLOAD]),
            ProtocolFlaw::EndlessHead,
        ),
        ("goodbyes", vec![], frame(7, 0, 0, &[0; 8]), ProtocolFlaw::Flood),
        (
            "a bomb",
            frame(1, 0, 1, &bomb),
            [refer, frame(9, 4, 1, b"\xbe")].concat(),
            ProtocolFlaw::EndlessHead,
        ),
    ];
    for (name, first, again, expected) in storms {
        let mut http2 = with_streams(1);
        told(&mut http2, &first);
        let found = (0..=MOST_IDLE_FRAMES).find_map(|_| flaw(&mut http2, &again));
        assert_eq!(found, Some(expected), "{name}");
        assert!(memory(&http2) < 256 * 1024, "{name}: {} bytes", memory(&http2));
    }
}

#[test]
fn interim_heads_without_end_cost_the_stream() {
    let mut http2 = with_streams(1);
    let told = (0..100).flat_map(|_| events(&mut http2, &head(1, b"\x08\x03103", false)).0).next();
    assert_eq!(told, Some(StreamEvent::Malformed { lane: 0 }));
}

#[test]
fn every_stream_may_be_reset_for_ever_if_each_has_its_request() {
    let mut http2 = with_streams(0);
    for stream in 0..3000 {
        http2.open(0, &opening(GET));
        http2.mark_sent(http2.waiting().len());
        let reset = frame(3, 0, 2 * stream + 1, &[0; 4]);
        assert_eq!(told(&mut http2, &reset), [StreamEvent::Reset { lane: 0, code: ErrorCode::None }]);
    }
    assert!(memory(&http2) < 16 * 1024);
}

#[test]
fn a_table_that_is_filled_for_ever_stays_right() {
    let mut http2 = with_streams(0);
    for number in 0..2000_u32 {
        http2.open(0, &opening(GET));
        http2.mark_sent(http2.waiting().len());
        let value = format!("{number:0100}");
        let mut block = b"\x88\x40\x01a\x64".to_vec();
        block.extend_from_slice(value.as_bytes());
        block.extend_from_slice(if number > 30 { b"\xd9" } else { b"" }); // the field of 27 blocks before
        told(&mut http2, &head(2 * number + 1, &block, true));
        let text = String::from_utf8(http2.head_text().to_vec()).unwrap();
        let earlier = if number > 30 { format!("a: {:0100}\r\n", number - 27) } else { String::new() };
        assert_eq!(text, format!("HTTP/2 200\r\na: {value}\r\n{earlier}\r\n"));
    }
}

#[test]
fn numbers_of_streams_run_out() {
    let mut http2 = greeted(&[]);
    http2.next_stream = i32::MAX as u32;
    assert!(http2.may_open());
    http2.open(0, &opening(GET));
    assert!(http2.is_gone() && !http2.may_open());
}
