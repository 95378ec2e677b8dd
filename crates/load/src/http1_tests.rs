//! Tests of the HTTP/1 codec.

use super::*;
use proptest::prelude::*;

fn request() -> Request {
    Request {
        bytes: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        head: false,
        status: 200..=399,
        body: None,
        same_length: false,
        streaming: None,
        grpc: None,
        web_socket: None,
        inserts: Vec::new(),
    }
}

/// Gives the pieces to a codec, and then the end of the stream if the response is not complete. Returns the bytes used and
/// the response, without the length of its body.
fn feed<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    request: &Request,
) -> Result<(usize, FinishedResponse), Fault> {
    let (mut codec, mut memo) = (Http1::default(), Memo::default());
    let mut total = 0;
    for piece in pieces {
        match codec.advance(piece, request, &mut memo)? {
            CodecProgress::More => total += piece.len(),
            CodecProgress::Done(used, answer) => return Ok((total + used, without_length(answer))),
        }
    }
    codec.end(request, &mut memo).map(|answer| (total, without_length(answer)))
}

/// The response with a body length of 0: most tests do not check it.
fn without_length(answer: FinishedResponse) -> FinishedResponse {
    FinishedResponse { body: 0, ..answer }
}

/// The result for a response that is received in one piece.
fn whole(response: &str) -> Result<FinishedResponse, Fault> {
    feed([response.as_bytes()], &request()).map(|(_, answer)| answer)
}

/// The result for an expected response.
fn ok(keep_alive: bool) -> Result<FinishedResponse, Fault> {
    Ok(FinishedResponse { status: 200, keep_alive, ..FinishedResponse::default() })
}

#[test]
fn content_length_frames_the_body() {
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), ok(true));
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), ok(true));
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\ncontent-length:5\r\n\r\nhello"), ok(true));
    assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), Err(Fault::ClosedEarly));
}

#[test]
fn the_length_of_a_body_is_measured_and_compared_with_the_first() {
    let request = Request { same_length: true, ..request() };
    let (mut codec, mut memo) = (Http1::default(), Memo::default());
    let mut receive = |response: &str| match codec.advance(response.as_bytes(), &request, &mut memo) {
        Ok(CodecProgress::More) => codec.end(&request, &mut memo),
        Ok(CodecProgress::Done(_, answer)) => Ok(answer),
        Err(fault) => Err(fault),
    };
    // A response that broke off does not set the length for later ones.
    assert_eq!(
        receive("HTTP/1.1 200 OK\r\nServer: nginx/1.22 (x)\r\nContent-Length: 9\r\n\r\nhell"),
        Err(Fault::ClosedEarly)
    );
    let mut outcome = |response| receive(response).map(|finished| (finished.body, finished.wrong));
    let five = "HTTP/1.1 200 OK\r\n\r\nhello";
    assert_eq!(outcome(five), Ok((5, None)));
    assert_eq!(
        outcome("HTTP/1.1 200 OK\r\nserver: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        Ok((3, Some(Fault::WrongBody)))
    );
    let both = "HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nbusy";
    assert_eq!(outcome(both), Ok((4, Some(Fault::WrongStatusAndBody))));
    assert_eq!(outcome("HTTP/1.1 503 No\r\n\r\nsorry"), Ok((5, Some(Fault::WrongStatus))));
    assert_eq!((memo.first.server.as_str(), memo.first.body), ("nginx/1.22", Some(5)));
}

#[test]
fn invalid_or_contradictory_lengths_are_malformed() {
    for length in ["-1", "+5", "5 5", "", "0x5", "5, 6", "99999999999999999999"] {
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nhello");
        assert_eq!(whole(&response), Err(Fault::Malformed), "{length}");
    }
    let doubled = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello";
    assert_eq!(whole(doubled), Err(Fault::Malformed));
}

#[test]
fn chunks_may_have_extensions_and_trailers() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n";
    for body in [
        "0\r\n\r\n",
        "5\r\nhello\r\n0\r\n\r\n",
        "5;name=value\r\nhello\r\n00;x\r\nTrailer: t\r\nOther: u\r\n\r\n",
        "5 \r\nhello\r\n000A\r\n0123456789\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
    ] {
        let response = format!("{head}{body}");
        let request = request();
        assert_eq!(
            feed([response.as_bytes()], &request),
            Ok((response.len(), ok(true).unwrap())),
            "{body:?}"
        );
    }
}

#[test]
fn invalid_chunks_are_malformed() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for body in
        ["x\r\n", "\r\n", "-5\r\n", "5hello", "5\r\nhello!\r\n", "10000000000000000\r\n", "5\rx", "0\r\n\rx"]
    {
        assert_eq!(whole(&format!("{head}{body}")), Err(Fault::Malformed), "{body:?}");
    }
    let extension = format!("{head}5;{}\r\nhello\r\n0\r\n\r\n", "x".repeat(5000));
    assert_eq!(whole(&extension), Err(Fault::Malformed));
    let trailers = format!("{head}0\r\n{}\r\n", "A: b\r\n".repeat(20_000));
    assert_eq!(whole(&trailers), Err(Fault::Malformed));
}

#[test]
fn chunks_outweigh_a_length_and_the_connection_is_closed() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(whole(response), ok(false));
}

#[test]
fn without_framing_the_body_ends_with_the_connection() {
    assert_eq!(whole("HTTP/1.1 200 OK\r\n\r\nhello"), ok(false));
    assert_eq!(whole("HTTP/1.0 200 OK\r\n\r\n"), ok(false));
    assert_eq!(
        whole("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\nhello"),
        ok(false)
    );
    assert_eq!(whole(""), Err(Fault::ClosedEarly));
    assert_eq!(whole("HTTP/1.1 200"), Err(Fault::ClosedEarly));
}

#[test]
fn responses_to_head_and_with_status_204_or_304_have_no_body() {
    let head = Request { head: true, body: Some(b"x".to_vec()), ..request() };
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(feed([&response[..]], &head), Ok((response.len(), ok(true).unwrap())));
    for status in [204, 304] {
        let response = format!("HTTP/1.1 {status} X\r\nContent-Length: 5\r\n\r\n");
        assert_eq!(
            whole(&response),
            Ok(FinishedResponse { status, keep_alive: true, ..FinishedResponse::default() })
        );
    }
}

#[test]
fn interim_responses_are_skipped_up_to_a_limit() {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(whole(&format!("{interim}{interim}{last}")), ok(true));
    assert_eq!(whole(&format!("{}{last}", interim.repeat(100))), Err(Fault::Malformed));
}

#[test]
fn the_connection_header_decides_about_the_connection() {
    let keep_alive =
        |line: &str| whole(&format!("HTTP/1.{line}\r\nContent-Length: 0\r\n\r\n")).unwrap().keep_alive;
    assert!(keep_alive("1 200 OK"));
    assert!(!keep_alive("0 200 OK"));
    assert!(keep_alive("0 200 OK\r\nConnection: Keep-Alive"));
    assert!(!keep_alive("1 200 OK\r\nConnection: CLOSE"));
    assert!(!keep_alive("1 200 OK\r\nConnection: keep-alive, close"));
}

#[test]
fn unexpected_statuses_and_bodies_are_recognised() {
    let wrong = |request: &Request, response: &str| feed([response.as_bytes()], request).unwrap().1.wrong;
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(wrong(&request(), ok), None);
    assert_eq!(wrong(&request(), missing), Some(Fault::WrongStatus));
    assert_eq!(wrong(&Request { status: 404..=404, ..request() }, missing), None);
    assert_eq!(wrong(&Request { status: 404..=404, ..request() }, ok), Some(Fault::WrongStatus));
    let body = |body: &str| Request { body: Some(body.into()), ..request() };
    assert_eq!(wrong(&body("hello"), ok), None);
    for other in ["", "hell", "hello!", "hellO", "Hello"] {
        assert_eq!(wrong(&body(other), ok), Some(Fault::WrongBody), "{other}");
    }
}

#[test]
fn heads_beyond_the_limit_are_malformed() {
    let head =
        |size: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: {}\r\n\r\n", "x".repeat(size));
    let long = head(60_000);
    assert_eq!(whole(&long), ok(true));
    assert_eq!(feed(long.as_bytes().chunks(1000), &request()).map(|(_, answer)| answer), ok(true));
    let too_long = head(70_000);
    assert_eq!(whole(&too_long), Err(Fault::Malformed));
    assert_eq!(feed(too_long.as_bytes().chunks(1000), &request()), Err(Fault::Malformed));
}

#[test]
fn ten_thousand_headers_are_accepted() {
    let response = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n", "a:\r\n".repeat(10_000));
    assert_eq!(whole(&response), ok(true));
}

#[test]
fn what_is_not_http_is_malformed() {
    for response in
        ["\x16\x03\x01\x02", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 X\r\n\r\n", "HTTP/1.1 099 X\r\n\r\n", "hello"]
    {
        assert_eq!(whole(response), Err(Fault::Malformed), "{response:?}");
    }
    assert_eq!(whole("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"), Err(Fault::Malformed));
}

/// Responses of every framing, some of them invalid, with or without bytes behind them.
fn responses() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just("HTTP/1.1 200 OK\r\n".to_owned()),
        Just("HTTP/1.0 404 No\n".to_owned()),
        Just("\r\n\r\nHTTP/1.1 204 \r\n".to_owned()),
        Just("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n".to_owned()),
    ];
    let header = prop_oneof![
        Just("Content-Length: 12\r\n".to_owned()),
        Just("Transfer-Encoding: chunked\r\n".to_owned()),
        Just("Connection: close\r\n".to_owned()),
        "[A-Z][a-z]{0,9}: [a-z \r]{0,20}\r\n",
        "X: [a-z]{0,9}\n",
    ];
    let body = prop_oneof![
        Just("hello, world".to_owned()),
        Just("5\r\nhello\r\n7;ext\r\n, world\r\n0\r\nT: t\r\n\r\n".to_owned()),
        "[0-9a-f;\r\n]{0,40}",
    ];
    let junk = prop_oneof![Just(String::new()), "[ -~\r\n]{0,20}"];
    (line, proptest::collection::vec(header, 0..6), prop_oneof![Just("\r\n"), Just("\n")], body, junk)
        .prop_map(|(line, headers, end, body, junk)| {
            format!("{line}{}{end}{body}{junk}", headers.concat()).into_bytes()
        })
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_how_the_bytes_are_split(response in responses(), check_body: bool) {
        let request = Request { body: check_body.then(|| b"hello, world".to_vec()), ..request() };
        let once = feed([&response[..]], &request);
        for at in 0..=response.len() {
            let (head, tail) = response.split_at(at);
            prop_assert_eq!(feed([head, tail], &request), once, "split at {}", at);
        }
        prop_assert_eq!(feed(response.chunks(1), &request), once);
    }

    #[test]
    fn a_remembered_head_does_not_change_the_result(first in responses(), second in responses()) {
        let mut memo = Memo::default();
        for response in [&first, &second, &first] {
            let remembered = Http1::default().advance(response, &request(), &mut memo);
            let fresh = Http1::default().advance(response, &request(), &mut Memo::default());
            prop_assert_eq!(remembered, fresh);
        }
    }

    #[test]
    fn no_input_makes_the_codec_panic(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 0..5)) {
        let _ = feed(pieces.iter().map(Vec::as_slice), &request());
    }
}
