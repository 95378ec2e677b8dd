//! The first wrong answer, for people: shortened, and with secrets masked.

use super::answer::Answer;
use regex::bytes::{Captures, Regex};
use traffic::scenario::{FirstFailure, StepFailure};

/// The most bytes of an answer that are kept, and of the line of a request.
const LONGEST: usize = 600;
const LONGEST_LINE: usize = 200;
/// Finds the values of headers, members and fields whose names speak of secrets. The value is the last group.
const SECRETS: &str = r#"(?i)((?:^|\n)(?:authorization|proxy-authorization|cookie|set-cookie)[ \t]*:[ \t]*|["']?[\w-]*(?:password|passwd|secret|token|api[_-]?key|session[_-]?id|credential)[\w-]*["']?[ \t]*[:=][ \t]*)("(?:[^"\\]|\\.)*"|[^\r\n&,;}\s][^\r\n&,;}]*)"#;

impl Answer<'_> {
    /// What is kept of this answer, which is wrong.
    pub(crate) fn first_failure(&self, why: StepFailure) -> FirstFailure {
        let mut text = Vec::new();
        text.extend_from_slice(&self.head[..self.head.len().min(LONGEST)]);
        text.extend_from_slice(&self.body[..self.body.len().min(LONGEST)]);
        match self.head.starts_with(b"HTTP/2") {
            true => first_failure_of_stream(why, self.request, &text),
            false => first_failure(why, self.request, &text),
        }
    }
}

/// What is kept of a request and of its answer, which is wrong.
pub(crate) fn first_failure(why: StepFailure, request: &[u8], answer: &[u8]) -> FirstFailure {
    let line = request.split(|&byte| byte == b'\r').next().unwrap_or_default();
    FirstFailure {
        why,
        request: shortened(&masked(line), LONGEST_LINE),
        answer: shortened(&masked(&answer[..answer.len().min(2 * LONGEST)]), LONGEST),
    }
}

/// What is kept of a request that was sent over HTTP/2, and of its answer. Requests are kept as HTTP/1.1 writes them.
pub(crate) fn first_failure_of_stream(why: StepFailure, request: &[u8], answer: &[u8]) -> FirstFailure {
    let mut first = first_failure(why, request, answer);
    if let Some(asked) = first.request.strip_suffix(" HTTP/1.1") {
        first.request = format!("{asked} HTTP/2");
    }
    first
}

/// A text of an answer, shortened and with secrets masked.
pub(crate) fn masked_text(text: &[u8]) -> String {
    shortened(&masked(text), LONGEST)
}

fn masked(text: &[u8]) -> Vec<u8> {
    let secrets = Regex::new(SECRETS).expect("a constant expression");
    let mask = |found: &Captures<'_>| {
        let mut out = found[1].to_vec();
        out.extend_from_slice(if found[2].starts_with(b"\"") { b"\"***\"" } else { b"***" });
        out
    };
    secrets.replace_all(text, mask).into_owned()
}

/// The begin of a text. Control characters but line breaks are dropped.
fn shortened(text: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(text);
    let visible = |c: &char| *c == '\n' || !c.is_control();
    let mut short: String = text.chars().filter(visible).take(most).collect();
    if text.chars().filter(visible).nth(most).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked() {
        let text = |text: &str| String::from_utf8(masked(text.as_bytes())).unwrap();
        assert_eq!(
            text(
                "HTTP/1.1 200 OK\r\nSet-Cookie: sid=12; Path=/\r\nX: y\r\n\r\n{\"accessToken\" : \"a\\\"b\", \"n\": 1}"
            ),
            "HTTP/1.1 200 OK\r\nSet-Cookie: ***; Path=/\r\nX: y\r\n\r\n{\"accessToken\" : \"***\", \"n\": 1}"
        );
        assert_eq!(text("GET /?token=abc&x=1 HTTP/1.1"), "GET /?token=***&x=1 HTTP/1.1");
        assert_eq!(text("nothing here"), "nothing here");
    }

    #[test]
    fn a_request_of_a_stream_is_told_as_one_of_http_2() {
        let told = |request: &[u8]| first_failure_of_stream(StepFailure::NotHttp, request, b"").request;
        assert_eq!(
            told(b"POST /shop.Orders/Place HTTP/1.1\r\nHost: shop\r\n\r\n"),
            "POST /shop.Orders/Place HTTP/2"
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened(b"a\r\nb\x07c", 9), "a\nbc");
        assert_eq!(shortened("ééé".as_bytes(), 2), "éé…");
    }
}
