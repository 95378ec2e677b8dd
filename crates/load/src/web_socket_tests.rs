use super::*;
use proptest::prelude::*;

const REQUEST: &[u8] = b"GET /echo HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Key: ";

/// A frame as a server sends it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = match payload.len() {
        length @ 0..=125 => vec![length as u8],
        length @ 126..=0xffff => [&[126][..], &(length as u16).to_be_bytes()].concat(),
        length => [&[127][..], &(length as u64).to_be_bytes()].concat(),
    };
    [&[first][..], &length, payload].concat()
}

fn text(content: &str) -> Vec<u8> {
    frame(0x81, content.as_bytes())
}

/// A connection that is open, with nothing to be sent.
fn open() -> WebSocket {
    let mut socket = WebSocket::new(1, true);
    socket.begin(REQUEST);
    socket.mark_sent(socket.waiting().len());
    let accept = socket.opening.accept().to_owned();
    let answer = format!(
        "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    assert_eq!(socket.advance(answer.as_bytes()), Ok((answer.len(), WebSocketEvent::Opened)));
    socket
}

/// The messages that these bytes have, and the flaw or the event behind them.
fn read(bytes: &[u8], size: usize) -> (Vec<String>, Result<WebSocketEvent, WebSocketFlaw>) {
    let (mut socket, mut messages) = (open(), Vec::new());
    for piece in bytes.chunks(size.max(1)) {
        let mut used = 0;
        loop {
            match socket.advance(&piece[used..]) {
                Err(flaw) => return (messages, Err(flaw)),
                Ok((taken, event)) => {
                    used += taken;
                    match event {
                        WebSocketEvent::More => break,
                        WebSocketEvent::Message { length } => {
                            assert_eq!(length, socket.content().len() as u64);
                            messages.push(String::from_utf8_lossy(socket.content()).into_owned());
                        }
                        event => return (messages, Ok(event)),
                    }
                }
            }
        }
        assert_eq!(used, piece.len());
    }
    (messages, Ok(WebSocketEvent::More))
}

/// Takes bytes in which no message ends, and returns what is answered, without masks.
fn answers(socket: &mut WebSocket, bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut used = 0;
    while used < bytes.len() {
        used += socket.advance(&bytes[used..]).unwrap().0;
    }
    sent(socket)
}

/// What waits to be sent, as frames without masks; it is sent then.
fn sent(socket: &mut WebSocket) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while !socket.waiting().is_empty() {
        let bytes = socket.waiting().to_vec();
        let mut rest = bytes.as_slice();
        while let [first, length, behind @ ..] = rest {
            assert!(length & 0x80 != 0, "a client masks");
            let (length, behind) = match length & 0x7f {
                126 => (usize::from(u16::from_be_bytes([behind[0], behind[1]])), &behind[2..]),
                127 => (u64::from_be_bytes(behind[..8].try_into().unwrap()) as usize, &behind[8..]),
                short => (usize::from(short), behind),
            };
            let (key, behind) = behind.split_at(4);
            let payload = behind[..length].iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key);
            frames.push((*first, payload.collect()));
            rest = &behind[length..];
        }
        socket.mark_sent(bytes.len());
    }
    frames
}

#[test]
fn messages_are_sent_masked_with_a_new_key_each() {
    let mut socket = open();
    for length in [0, 5, 125, 126, 65_535, 65_536] {
        let content = vec![b'x'; length];
        socket.send(MessageForm::Text, &content);
        socket.send(MessageForm::Binary, &content);
        assert_eq!(sent(&mut socket), [(0x81, content.clone()), (0x82, content)], "{length}");
    }
    let mut keys = Vec::new();
    for _ in 0..3 {
        socket.send(MessageForm::Text, b"");
        keys.push(socket.waiting()[2..6].to_vec());
        socket.mark_sent(6);
    }
    assert!(keys[0] != keys[1] && keys[1] != keys[2], "{keys:?}");
}

#[test]
fn messages_come_whole_or_in_fragments_with_control_frames_between_them() {
    let long = "é".repeat(40_000);
    let stream = [
        text("one"),
        frame(0x01, b"tw"),
        frame(0x89, b"ping"),
        frame(0x00, b""),
        frame(0x80, "o é".as_bytes()),
        frame(0x8a, b"nobody asked"),
        frame(0x82, b"\xff"),
        text(""),
        text(&long),
    ]
    .concat();
    let expected = ["one", "two é", "\u{fffd}", "", &long];
    for size in [1, 2, 7, 100, 1 << 20] {
        let (messages, end) = read(&stream, size);
        assert!(messages == expected && end == Ok(WebSocketEvent::More), "{size}");
    }
}

#[test]
fn what_breaks_the_protocol_is_named() {
    use WebSocketFlaw::*;
    let halves = [frame(0x01, b"\xe4\xb8"), frame(0x80, b"x")].concat();
    for (bytes, flaw) in [
        (vec![0x81, 0x80], Masked),
        (vec![0xc1], ReservedBit),
        (vec![0x83], Opcode(3)),
        (vec![0x8b], Opcode(11)),
        (vec![0x09], ControlFrame),
        (vec![0x89, 126], ControlFrame),
        (frame(0x80, b"x"), NothingToContinue),
        ([frame(0x01, b"x"), text("y")].concat(), Interrupted),
        (frame(0x81, b"\xff"), NotUtf8),
        (frame(0x81, b"\xe4\xb8"), NotUtf8),
        (halves, NotUtf8),
        ([&[0x82, 127][..], &(MAX_MESSAGE + 1).to_be_bytes()].concat(), TooLong(MAX_MESSAGE)),
        ([&[0x82, 127][..], &u64::MAX.to_be_bytes()].concat(), TooLong(MAX_MESSAGE)),
        (frame(0x88, b"\x03"), CloseCode),
        (frame(0x88, &1005_u16.to_be_bytes()), CloseCode),
        (frame(0x88, &999_u16.to_be_bytes()), CloseCode),
        (frame(0x88, &[&1000_u16.to_be_bytes()[..], b"\xff"].concat()), NotUtf8),
    ] {
        for size in [1, 1000] {
            assert_eq!(read(&[text("a"), bytes.clone()].concat(), size), (vec!["a".to_owned()], Err(flaw)));
        }
    }
    let parts = [frame(0x02, &[0; 1000]), [&[0x80, 127][..], &MAX_MESSAGE.to_be_bytes()].concat()].concat();
    assert_eq!(read(&parts, 99).1, Err(TooLong(MAX_MESSAGE)), "fragments count together");
}

#[test]
fn a_ping_is_answered_and_only_the_last_one_while_nothing_leaves() {
    let mut socket = open();
    assert_eq!(answers(&mut socket, &frame(0x89, b"a")), [(0x8a, b"a".to_vec())]);
    assert_eq!(answers(&mut socket, &frame(0x8a, b"a")), []);
    let storm: Vec<u8> = (0..50_000_u32).flat_map(|number| frame(0x89, &number.to_be_bytes())).collect();
    let (first, last) = (0_u32.to_be_bytes().to_vec(), 49_999_u32.to_be_bytes().to_vec());
    assert_eq!(answers(&mut socket, &storm), [(0x8a, first), (0x8a, last)]);
    assert!(socket.out.capacity() < 1024);
}

#[test]
fn a_close_is_answered_once_and_ends_everything() {
    let payload = [&4000_u16.to_be_bytes()[..], b"go away"].concat();
    let mut socket = open();
    let goodbye = [frame(0x88, &payload), text("never heard")].concat();
    let (used, event) = socket.advance(&goodbye).unwrap();
    assert_eq!((event, used), (WebSocketEvent::Closed, payload.len() + 2));
    assert_eq!((socket.close_code(), socket.close_reason()), (Some(4000), &b"go away"[..]));
    assert_eq!(sent(&mut socket), [(0x88, 4000_u16.to_be_bytes().to_vec())]);
    assert_eq!(socket.advance(&goodbye[used..]), Ok((goodbye.len() - used, WebSocketEvent::More)));
    assert!(!socket.is_open());
    let mut silent = open();
    assert_eq!(silent.advance(&frame(0x88, b"")).unwrap().1, WebSocketEvent::Closed);
    assert_eq!((silent.close_code(), silent.close_reason()), (None, &b""[..]));
    assert_eq!(sent(&mut silent), [(0x88, Vec::new())]);
    let mut first = open();
    first.close(None);
    first.close(None);
    assert_eq!(sent(&mut first), [(0x88, 1000_u16.to_be_bytes().to_vec())]);
    assert_eq!(first.advance(&frame(0x88, &1000_u16.to_be_bytes())).unwrap().1, WebSocketEvent::Closed);
    assert_eq!(sent(&mut first), []);
    let mut flawed = open();
    flawed.close(Some(WebSocketFlaw::NotUtf8));
    assert_eq!(sent(&mut flawed), [(0x88, 1007_u16.to_be_bytes().to_vec())]);
}

#[test]
fn a_connection_can_be_used_again_after_a_reset() {
    let mut socket = open();
    socket.advance(&[frame(0x01, b"half"), vec![0x80, 5]].concat()).unwrap();
    socket.send(MessageForm::Text, b"x");
    socket.reset();
    assert!(socket.waiting().is_empty() && socket.is_silent() && socket.content().is_empty());
    socket.begin(REQUEST);
    assert!(socket.waiting().starts_with(REQUEST) && socket.waiting().ends_with(b"==\r\n\r\n"));
}

proptest! {
    #[test]
    fn any_bytes_mean_the_same_however_they_are_split(
        bytes in proptest::collection::vec(prop_oneof![Just(0x81_u8), Just(0x01), Just(0x80), Just(0x89), 0_u8..6], 0..60),
        size in 1_usize..9,
    ) {
        prop_assert_eq!(read(&bytes, size), read(&bytes, bytes.len()));
    }
}
