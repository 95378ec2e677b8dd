//! How texts are encoded for URLs, forms, JSON and headers.

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

pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let code = text
            .get(at + 1..at + 3)
            .filter(|_| byte == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (code, byte) {
            (Some(code), _) => out.push(code),
            (None, b'+') => out.push(b' '),
            (None, byte) => out.push(byte),
        }
        at += if code.is_some() { 3 } else { 1 };
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
