//! Texts kept small: readings of counters repeat themselves nearly word for word, and shrink to a tenth.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};

/// A text as it is stored.
pub(crate) fn deflated(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let written = encoder.write_all(text.as_bytes());
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

/// The text again; what is damaged comes out cut short, and is then no JSON.
pub(crate) fn inflated(bytes: &[u8]) -> String {
    let mut text = String::new();
    let _ = ZlibDecoder::new(bytes).read_to_string(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_and_a_damaged_one_does_not() {
        let text = "{\"at_ns\":1,\"host\":{}}".repeat(100);
        let stored = deflated(&text);
        assert!(stored.len() * 10 < text.len(), "{}", stored.len());
        assert_eq!(inflated(&stored), text);
        assert_ne!(inflated(&stored[..stored.len() / 2]), text);
        assert_eq!(inflated(b"no such thing"), "");
    }
}
