//! Bodies that a server has compressed, because a plan asks for it with `Accept-Encoding`.

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::Read;

/// A body is not longer than this when it is decompressed, so that no answer fills the memory.
const LONGEST: u64 = 64 << 20;

/// Returns the body as it was before the server compressed it by gzip or deflate. What cannot be decompressed stays as it is.
pub(crate) fn decoded<'a>(head: &[u8], body: &'a [u8]) -> Cow<'a, [u8]> {
    let Some(encoding) = content_encoding(head) else {
        return Cow::Borrowed(body);
    };
    let mut plain = Vec::new();
    let read = match encoding.as_str() {
        "gzip" | "x-gzip" => MultiGzDecoder::new(body).take(LONGEST).read_to_end(&mut plain),
        // Servers mean zlib by it (RFC 9110 section 8.4.1.2), and some send the bare stream.
        "deflate" if body.first().is_some_and(|byte| byte & 0xf == 8) => {
            ZlibDecoder::new(body).take(LONGEST).read_to_end(&mut plain)
        }
        "deflate" => DeflateDecoder::new(body).take(LONGEST).read_to_end(&mut plain),
        _ => return Cow::Borrowed(body),
    };
    match read {
        Ok(_) => Cow::Owned(plain),
        Err(_) => Cow::Borrowed(body),
    }
}

fn content_encoding(head: &[u8]) -> Option<String> {
    let mut lines = head.split(|&byte| byte == b'\n').skip(1);
    lines.find_map(|line| {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let is_encoding = line[..colon].eq_ignore_ascii_case(b"content-encoding");
        is_encoding.then(|| String::from_utf8_lossy(line[colon + 1..].trim_ascii()).to_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::Write;

    #[test]
    fn compressed_bodies_are_read_as_they_were() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(b"a token").expect("memory");
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"a token").expect("memory");
        let head = |encoding: &str| format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n\r\n");
        let gzip = gzip.finish().expect("memory");
        assert_eq!(*decoded(head("gzip").as_bytes(), &gzip), *b"a token");
        assert_eq!(*decoded(head("Deflate").as_bytes(), &zlib.finish().expect("memory")), *b"a token");
        assert_eq!(*decoded(head("br").as_bytes(), b"x"), *b"x");
        assert_eq!(*decoded(head("gzip").as_bytes(), b"no gzip"), *b"no gzip");
        assert_eq!(*decoded(b"HTTP/1.1 200 OK\r\n\r\n", b"x"), *b"x");
    }
}
