//! Compression of stored texts. Readings of counters repeat most of their text, so they shrink to a tenth.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};

/// Compresses a text (zlib).
pub(crate) fn deflate(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(text.as_bytes());
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

/// The text that [`deflate`] has compressed. Of damaged bytes it returns the part that could be read, possibly none; for the
/// caller that is invalid JSON.
pub(crate) fn inflate(bytes: &[u8]) -> String {
    let mut text = String::new();
    let _ = ZlibDecoder::new(bytes).read_to_string(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_text_is_restored_and_a_damaged_one_is_not() {
        let text = "{\"at_ns\":1,\"host\":{}}".repeat(100);
        let stored = deflate(&text);
        assert!(stored.len() * 10 < text.len(), "{}", stored.len());
        assert_eq!(inflate(&stored), text);
        assert_ne!(inflate(&stored[..stored.len() / 2]), text);
        assert_eq!(inflate(b"no such thing"), "");
    }
}
