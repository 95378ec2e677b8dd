//! Reads the kept inputs of a fuzz target, for the tests that replay them. `fuzz/inputs` writes them.

use std::path::Path;

/// Calls the check with every kept input of the target.
pub(crate) fn replay(target: &str, check: fn(&[u8])) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fuzz/corpus/{target}.txt"));
    let text = std::fs::read_to_string(file).expect("the corpus");
    assert!(!text.is_empty());
    for line in text.lines() {
        let (name, input) = line.split_once(' ').expect("a name and an input");
        println!("{name}"); // shown when the check fails
        check(&unescaped(input));
    }
}

/// Returns the bytes of a line in which those that are no printable ASCII are escaped.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => escape(&mut rest).expect("an escape"),
            plain => plain,
        });
    }
    bytes
}

/// Reads what stands behind a backslash; `None` where that is no escape.
fn escape(rest: &mut impl Iterator<Item = u8>) -> Option<u8> {
    match rest.next()? {
        b'r' => Some(b'\r'),
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'\\' => Some(b'\\'),
        b'x' => {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            u8::try_from(16 * digit()? + digit()?).ok()
        }
        _ => None,
    }
}

#[test]
fn bytes_are_read_as_they_were_written() {
    assert_eq!(unescaped(r"a b\r\n\t\\x\x00\xff"), b"a b\r\n\t\\x\x00\xff");
}
