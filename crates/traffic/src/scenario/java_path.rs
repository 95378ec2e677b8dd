//! Paths as the HTTP client of JMeter sends them (URIUtils.rewriteURI of Apache HttpClient 4.5).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;

/// What that client encodes in a path that it puts together again.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'*')
    .remove(b'!')
    .remove(b'~')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b';')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',');

/// Path and query without a fragment, and with one slash for several in the path. A path that had several is encoded anew.
pub fn java_path(url: &str) -> Cow<'_, str> {
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    let (path, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    if !path.contains("//") {
        return Cow::Borrowed(url);
    }
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let last = segments.len() - 1;
    let mut sent = String::with_capacity(url.len());
    for (at, segment) in segments.iter().enumerate() {
        if at == last || !segment.is_empty() {
            let text = percent_decode_str(segment).decode_utf8_lossy();
            sent.push('/');
            sent.extend(utf8_percent_encode(&text, SEGMENT));
        }
    }
    Cow::Owned(sent + query)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What JMeter 5.6.3 has sent.
    #[test]
    fn several_slashes_become_one() {
        for (written, sent) in [
            ("/a//b", "/a/b"),
            ("//", "/"),
            ("/a///b//c//", "/a/b/c/"),
            ("/a/%7Eb/%2f", "/a/%7Eb/%2f"),
            ("/a//%2f", "/a/%2F"),
            ("/a//%7Eb", "/a/~b"),
            ("/a//~b!$&'()*+,;=:@", "/a/~b!$&'()*+,;=:@"),
            ("/a;x=1//b;y", "/a;x=1/b;y"),
            ("/a?x=//b&y=%41%7E", "/a?x=//b&y=%41%7E"),
            ("/a//b?x=%2f%7E&z=a+b", "/a/b?x=%2f%7E&z=a+b"),
            ("/a//%C3%A9", "/a/%C3%A9"),
            ("/a//%E9", "/a/%EF%BF%BD"),
            ("/a//?", "/a/?"),
            ("/a/./b", "/a/./b"),
            ("/a/b#f", "/a/b"),
        ] {
            assert_eq!(java_path(written), sent, "{written}");
        }
    }
}
