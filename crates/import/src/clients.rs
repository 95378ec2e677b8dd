//! What clients make of a URL, and of a form, that is not written as it has to be sent.

use crate::address::Address;
use crate::marks::outside_marks;
use percent_encoding::{
    AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, percent_encode, utf8_percent_encode,
};

/// What browsers, and clients with their rules, encode in a path (WHATWG URL).
const PATH: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');

/// What they encode in a query.
const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'\'');

/// What clients of `.http` files encode in a form.
const FORM: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'{').add(b'}');

/// What Go encodes in a path that has a character which needs it.
const GO_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b',')
    .remove(b'/')
    .remove(b':')
    .remove(b';')
    .remove(b'=')
    .remove(b'@');

/// What Go sends of a path as it is, besides letters and digits.
const GO_KEEPS: &[u8] = b"-_.~!$&'()*+,;=:@[]/";

/// Returns an address as clients send it that follow the rules of browsers.
pub(crate) fn of_browsers(mut address: Address) -> Address {
    let (path, query) = halves(&address.path);
    let path = outside_marks(path, |text| utf8_percent_encode(&text.replace('\\', "/"), PATH).to_string());
    let query = outside_marks(query, |text| match text.strip_prefix('?') {
        Some(text) => format!("?{}", utf8_percent_encode(text, QUERY)),
        None => utf8_percent_encode(text, QUERY).to_string(),
    });
    address.path = path + &query;
    address.without_dots()
}

/// Returns an address as programs in Go send it: a path that has a character which needs it is encoded anew, and a query stays as it is.
pub(crate) fn of_go(mut address: Address) -> Address {
    let (path, query) = halves(&address.path);
    let bytes = path.as_bytes();
    let is_valid = |(at, byte): (usize, &u8)| match byte {
        b'%' => bytes[at + 1..].iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2,
        byte => byte.is_ascii_alphanumeric() || GO_KEEPS.contains(byte),
    };
    if !bytes.iter().enumerate().all(is_valid) {
        let decoded: Vec<u8> = percent_decode_str(path).collect();
        address.path = percent_encode(&decoded, GO_PATH).to_string() + query;
    }
    address
}

/// Returns a form as clients of `.http` files send it: they encode what no URL may have, and what is encoded already stays.
pub(crate) fn form(text: &str) -> String {
    outside_marks(text, |text| {
        let mut parts = text.split('%');
        let mut out = utf8_percent_encode(parts.next().unwrap_or_default(), FORM).to_string();
        for part in parts {
            let is_code = part.len() > 1 && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
            out.push_str(if is_code { "%" } else { "%25" });
            out.extend(utf8_percent_encode(part, FORM));
        }
        out
    })
}

/// Splits path and query, which keeps its question mark.
fn halves(path: &str) -> (&str, &str) {
    path.split_at(path.find('?').unwrap_or(path.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = r#"http://h/p"q<r>s\t^u`v{w}x|y[z]é'(!)*;,%2f?a="<>\^`{|}[]é'(!)*&b=1%2"#;

    fn path(of: fn(Address) -> Address, url: &str) -> String {
        of(Address::parse(url).expect("a URL")).path
    }

    #[test]
    fn clients_encode_by_rules_of_their_own() {
        let browsers =
            "/p%22q%3Cr%3Es/t^u%60v%7Bw%7Dx|y[z]%C3%A9'(!)*;,%2f?a=%22%3C%3E\\^`{|}[]%C3%A9%27(!)*&b=1%2";
        assert_eq!(path(of_browsers, ODD), browsers);
        let go = "/p%22q%3Cr%3Es%5Ct%5Eu%60v%7Bw%7Dx%7Cy%5Bz%5D%C3%A9%27%28%21%29%2A;,/?a=\"<>\\^`{|}[]é'(!)*&b=1%2";
        assert_eq!(path(of_go, ODD), go);
        assert_eq!(path(of_go, "http://h/p!'()*[z]%20x%2f?a=1"), "/p!'()*[z]%20x%2f?a=1");
    }

    #[test]
    fn forms_keep_what_is_encoded() {
        assert_eq!(form("a=x y\"z&b=é<{1}>+2%20%zz'"), "a=x%20y%22z&b=%C3%A9%3C%7B1%7D%3E+2%20%25zz'");
    }
}
