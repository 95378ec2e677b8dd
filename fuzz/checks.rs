//! What must hold for any input. The fuzz targets try new inputs, `crates/load/tests/it/corpus.rs` replays the kept ones.
#![allow(dead_code, unreachable_pub, reason = "each target uses one of them, as a module of its own")]

use load::http1::{CodecProgress, FinishedResponse, Http1, Memo};
use load::{Fault, RequestBuilder, Url};
use traffic::plan::Request;

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
