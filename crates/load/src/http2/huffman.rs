//! The Huffman code of HPACK (RFC 7541, appendix B). The code is canonical: the codes of each length are consecutive numbers in the
//! order of their symbols, so the lengths alone determine it. All tables are computed by the compiler.

use super::ProtocolFlaw;

/// The length of the code of each byte in bits.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];
/// The longest code, in bits.
const LONGEST: usize = 30;
/// Codes of at most this many bits are decoded by one look into [`QUICK`].
const QUICK_BITS: usize = 9;

/// The code of each byte, in its lowest bits.
static CODES: [u32; 256] = TABLES.codes;
/// For each [`QUICK_BITS`] bits with which the input may go on: the byte whose code they begin with and the length of the code. The
/// length is 0 where the code is longer.
static QUICK: [(u8, u8); 1 << QUICK_BITS] = TABLES.quick;
/// The bytes in the order of their codes.
static ORDER: [u8; 256] = TABLES.order;
/// For each length of code: the first code that has more bits, in the highest bits of a `u32`, and the place in [`ORDER`] that belongs
/// to a code of 0 of this length.
static LIMITS: [(u32, i64); LONGEST + 1] = TABLES.limits;

struct Tables {
    codes: [u32; 256],
    quick: [(u8, u8); 1 << QUICK_BITS],
    order: [u8; 256],
    limits: [(u32, i64); LONGEST + 1],
}

const TABLES: Tables = tables();

const fn tables() -> Tables {
    let mut tables = Tables {
        codes: [0; 256],
        quick: [(0, 0); 1 << QUICK_BITS],
        order: [0; 256],
        limits: [(0, 0); LONGEST + 1],
    };
    let (mut code, mut place, mut length) = (0_u32, 0, 1);
    while length <= LONGEST {
        code <<= 1;
        let base = place as i64 - code as i64;
        let mut byte = 0;
        while byte < 256 {
            if LENGTHS[byte] as usize == length {
                tables.codes[byte] = code;
                tables.order[place] = byte as u8;
                if length <= QUICK_BITS {
                    let first = (code as usize) << (QUICK_BITS - length);
                    let mut at = first;
                    while at < first + (1 << (QUICK_BITS - length)) {
                        tables.quick[at] = (byte as u8, length as u8);
                        at += 1;
                    }
                }
                place += 1;
                code += 1;
            }
            byte += 1;
        }
        tables.limits[length] = ((code as u64 * (1 << (32 - length))) as u32, base);
        length += 1;
    }
    tables
}

/// Appends the text that `input` encodes.
///
/// # Errors
///
/// [`ProtocolFlaw::Huffman`] for the code that ends texts, and for padding that is longer than 7 bits or not all ones.
pub(super) fn decode(input: &[u8], into: &mut Vec<u8>) -> Result<(), ProtocolFlaw> {
    // The bits that are not decoded yet are the highest ones of `bits`. Ones follow them, as padding is.
    let (mut bits, mut held, mut rest) = (u64::MAX, 0_usize, input.iter());
    loop {
        while held <= 56 {
            let Some(&byte) = rest.next() else { break };
            let shift = 56 - held;
            bits = bits & !(0xff << shift) | u64::from(byte) << shift;
            held += 8;
        }
        let (byte, length) = match QUICK[(bits >> (64 - QUICK_BITS)) as usize] {
            (_, 0) => match decode_long((bits >> 32) as u32) {
                Some(long) => long,
                None if held < 8 && bits == u64::MAX => return Ok(()),
                None => return Err(ProtocolFlaw::Huffman),
            },
            (byte, length) => (byte, usize::from(length)),
        };
        if length > held {
            return if held < 8 && bits == u64::MAX { Ok(()) } else { Err(ProtocolFlaw::Huffman) };
        }
        into.push(byte);
        bits = bits << length | ((1 << length) - 1);
        held -= length;
    }
}

/// The byte with whose code these bits begin, if the code is longer than [`QUICK_BITS`], and the length of the code; `None` for the code
/// that ends texts.
fn decode_long(bits: u32) -> Option<(u8, usize)> {
    (QUICK_BITS + 1..=LONGEST).find(|&length| bits < LIMITS[length].0).map(|length| {
        let place = i64::from(bits >> (32 - length)) + LIMITS[length].1;
        (ORDER[place as usize], length)
    })
}

/// The number of bytes that [`encode`] makes of a text.
pub(super) fn encoded_length(text: &[u8]) -> usize {
    text.iter().map(|&byte| usize::from(LENGTHS[usize::from(byte)])).sum::<usize>().div_ceil(8)
}

/// Appends the code of a text.
pub(super) fn encode(text: &[u8], into: &mut Vec<u8>) {
    let (mut bits, mut held) = (0_u64, 0);
    for &byte in text {
        let length = LENGTHS[usize::from(byte)];
        bits = bits << length | u64::from(CODES[usize::from(byte)]);
        held += length;
        while held >= 8 {
            held -= 8;
            into.push((bits >> held) as u8);
        }
    }
    if held > 0 {
        into.push((bits << (8 - held)) as u8 | 0xff >> held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(input: &[u8]) -> Result<Vec<u8>, ProtocolFlaw> {
        let mut text = Vec::new();
        decode(input, &mut text).map(|()| text)
    }

    #[test]
    fn the_examples_of_the_standard_are_read_and_written() {
        // RFC 7541, appendix C.4 and C.6.
        for (text, code) in [
            (&b"www.example.com"[..], &b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"[..]),
            (b"no-cache", b"\xa8\xeb\x10\x64\x9c\xbf"),
            (b"custom-value", b"\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf"),
            (b"302", b"\x64\x02"),
        ] {
            assert_eq!(decoded(code).unwrap(), text);
            let mut written = Vec::new();
            encode(text, &mut written);
            assert_eq!((written.as_slice(), encoded_length(text)), (code, code.len()));
        }
    }

    #[test]
    fn wrong_padding_and_the_end_of_texts_are_refused() {
        assert_eq!(decoded(b"\x1f"), Ok(b"a".to_vec())); // 00011 and three ones
        for wrong in [&b"\x18"[..], b"\x1f\xff", b"\xff", b"\xff\xff\xff\xff", b"\x3f\xff\xff\xff\xff"] {
            assert_eq!(decoded(wrong), Err(ProtocolFlaw::Huffman), "{wrong:x?}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_read_back(text: Vec<u8>) {
            let mut code = Vec::new();
            encode(&text, &mut code);
            prop_assert_eq!(decoded(&code), Ok(text));
        }
    }
}
