//! How texts are encoded for URLs, forms, JSON and headers.

use super::DigestAlgorithm;
use percent_encoding::percent_decode;
use sha2::Digest as _;

/// Percent-encodes all but unreserved characters (RFC 3986 section 2.3).
pub(super) fn percent(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'-' | b'.' | b'_' | b'~' => out.push(byte),
            byte if byte.is_ascii_alphanumeric() => out.push(byte),
            byte => push_percent(byte, out),
        }
    }
}

/// Adds `%XX`.
pub fn push_percent(byte: u8, out: &mut Vec<u8>) {
    let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value)];
    out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 0xf)]);
}

/// Encodes for a form (WHATWG URL, application/x-www-form-urlencoded).
pub(super) fn form(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b' ' => out.push(b'+'),
            b'-' | b'.' | b'_' | b'*' => out.push(byte),
            byte if byte.is_ascii_alphanumeric() => out.push(byte),
            byte => push_percent(byte, out),
        }
    }
}

/// Decodes a part of a query or form, in which `+` is a space. What is not encoded rightly stays as it is.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) {
    for (index, part) in text.split(|&byte| byte == b'+').enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        out.extend(percent_decode(part));
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { digit } else { b'=' });
        }
    }
}

pub(super) fn base64_decode(text: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in text.iter().filter(|&&byte| byte != b'=') {
        let Some(value) = BASE64.iter().position(|&digit| digit == byte) else {
            return;
        };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
}

/// Escapes for a JSON string.
pub(super) fn json_text(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte if byte < b' ' => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => out.push(byte),
        }
    }
}

/// Escapes for the text of an element or attribute of XML.
pub(super) fn xml_text(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&apos;"),
            b'\t' | b'\n' | b'\r' | b' '.. => out.push(byte),
            _ => {}
        }
    }
}

/// Computes a digest, and writes it in hexadecimal digits.
pub(super) fn digest(algorithm: DigestAlgorithm, text: &[u8], out: &mut Vec<u8>) {
    let mut write = |bytes: &[u8]| {
        let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
        out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
    };
    match algorithm {
        DigestAlgorithm::Md5 => write(&md5::Md5::digest(text)),
        DigestAlgorithm::Sha1 => write(&sha1::Sha1::digest(text)),
        DigestAlgorithm::Sha256 => write(&sha2::Sha256::digest(text)),
        DigestAlgorithm::Sha384 => write(&sha2::Sha384::digest(text)),
        DigestAlgorithm::Sha512 => write(&sha2::Sha512::digest(text)),
    }
}
