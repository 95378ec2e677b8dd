//! Finds values in JSON by a [`JsonPath`], in place: nothing is parsed into a tree, and what a path does not lead to is skipped.

use std::borrow::Cow;
use std::ops::Range;
use traffic::scenario::{Dialect, Expr, ExprHost, JsonPath, PathPart, ScriptValue};

/// The deepest nesting that is looked into.
const DEEPEST: usize = 128;

/// Something that a path led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonMatch {
    /// The value at these bytes.
    Value(Range<usize>),
    /// A number of members or elements.
    Count(usize),
}

/// A JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(pub(crate) &'a [u8]);

/// A path is followed to all of its ends, or to its first one.
struct Search<'a, 'f> {
    json: Json<'a>,
    found: &'f mut Vec<JsonMatch>,
    most: usize,
}

impl<'a> Json<'a> {
    /// Adds what the path leads to, at most `most` values, in the order of the text. Adds nothing where the text is no JSON.
    pub(crate) fn find(self, path: &JsonPath, most: usize, found: &mut Vec<JsonMatch>) {
        let Some(at) = self.skip_spaces(0) else { return };
        let Some(end) = self.skip(at) else { return };
        let mut search = Search { json: self, found, most };
        search.follow(&path.parts, at..end, 0);
    }

    /// Adds the text of what was found: a string without quotes and escapes, anything else as it is written.
    pub(crate) fn write(self, found: &JsonMatch, out: &mut Vec<u8>) {
        match found {
            JsonMatch::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            JsonMatch::Value(at) => out.extend_from_slice(&self.text(at)),
        }
    }

    /// The text of a value.
    fn text(self, at: &Range<usize>) -> Cow<'a, [u8]> {
        let value = &self.0[at.clone()];
        match value {
            [b'"', inside @ .., b'"'] => unescaped(inside),
            _ => Cow::Borrowed(value),
        }
    }

    /// The first byte from here on that is no space; `None` at the end.
    fn skip_spaces(self, mut at: usize) -> Option<usize> {
        while matches!(self.0.get(at)?, b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        Some(at)
    }

    /// The end of the value that begins here.
    fn skip(self, at: usize) -> Option<usize> {
        match self.0.get(at)? {
            b'"' => self.skip_string(at),
            b'{' | b'[' => self.skip_nested(at),
            _ => {
                let ends =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' | b':');
                let length = self.0[at..].iter().position(ends).unwrap_or(self.0.len() - at);
                (length > 0).then_some(at + length)
            }
        }
    }

    /// The end of the string whose opening quote is here.
    fn skip_string(self, at: usize) -> Option<usize> {
        let mut at = at + 1;
        loop {
            match self.0.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// The end of the object or array that begins here.
    fn skip_nested(self, mut at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        loop {
            match self.0.get(at)? {
                b'"' => {
                    at = self.skip_string(at)?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Calls `visit` with the number, the name (with its quotes; empty in an array) and the value of each member or element, until
    /// it returns false. Returns how many there were; `None` if this is neither an object nor an array.
    fn each(
        self,
        value: &Range<usize>,
        visit: &mut dyn FnMut(usize, Range<usize>, Range<usize>) -> bool,
    ) -> Option<usize> {
        let is_object = match self.0.get(value.start)? {
            b'{' => true,
            b'[' => false,
            _ => return None,
        };
        let mut at = self.skip_spaces(value.start + 1)?;
        let mut count = 0;
        while !matches!(self.0[at], b'}' | b']') {
            let mut name = 0..0;
            if is_object {
                let end = self.skip(at)?;
                name = at..end;
                at = self.skip_spaces(end)?;
                if self.0[at] != b':' {
                    return Some(count);
                }
                at = self.skip_spaces(at + 1)?;
            }
            let end = self.skip(at)?;
            if !visit(count, name, at..end) {
                return Some(count + 1);
            }
            count += 1;
            at = self.skip_spaces(end)?;
            if self.0[at] == b',' {
                at = self.skip_spaces(at + 1)?;
            }
        }
        Some(count)
    }

    /// The number of members or elements.
    fn count(self, value: &Range<usize>) -> Option<usize> {
        self.each(value, &mut |_, _, _| true)
    }

    /// True when the name, which has its quotes, is this one.
    fn is_named(self, quoted: Range<usize>, name: &str) -> bool {
        let inside = &self.0[quoted.start + 1..quoted.end.max(quoted.start + 2) - 1];
        inside == name.as_bytes() || (inside.contains(&b'\\') && *unescaped(inside) == *name.as_bytes())
    }

    /// Whether a test holds for a value.
    fn holds(self, test: &Expr, at: &Range<usize>) -> bool {
        test.holds_in_json(&mut Tested { json: self, at })
    }

    fn simple(self, at: &Range<usize>, dialect: Dialect) -> Option<ScriptValue> {
        match &self.0[at.clone()] {
            b"null" => Some(ScriptValue::Null),
            b"true" => Some(ScriptValue::Bool(true)),
            b"false" => Some(ScriptValue::Bool(false)),
            [b'"', ..] => Some(ScriptValue::Text(String::from_utf8_lossy(&self.text(at)).into_owned())),
            [b'[', ..] => {
                let items = Self(&self.0[at.clone()]);
                let mut found = Vec::new();
                items.find(&JsonPath::parse("$[*]").ok()?, usize::MAX, &mut found);
                let simple = |item: &JsonMatch| match item {
                    JsonMatch::Value(at) => {
                        let value = items.simple(at, dialect)?;
                        (!matches!(value, ScriptValue::List(_))).then_some(value)
                    }
                    JsonMatch::Count(_) => None,
                };
                found.iter().map(simple).collect::<Option<Vec<_>>>().map(ScriptValue::List)
            }
            [b'{', ..] => None,
            number => ScriptValue::of_number(std::str::from_utf8(number).ok()?, dialect),
        }
    }

    /// What a path from a value leads to first.
    fn first(self, path: &[PathPart], at: &Range<usize>) -> Option<JsonMatch> {
        let mut found = Vec::new();
        let mut search = Search { json: self, found: &mut found, most: 1 };
        search.follow(path, at.clone(), 0);
        found.pop()
    }
}

/// Returns the value to which a path leads in a text; null where it leads to nothing. `None` for what is no JSON, and for a value that is not
/// simple: a list of such is.
pub(crate) fn simple_value(text: &str, path: &JsonPath, dialect: Dialect) -> Option<ScriptValue> {
    let json = Json(text.as_bytes());
    json.skip(json.skip_spaces(0)?)?;
    let mut found = Vec::new();
    json.find(path, 1, &mut found);
    match found.pop() {
        None => Some(ScriptValue::Null),
        Some(JsonMatch::Count(count)) => Some(ScriptValue::whole(count as i64, dialect)),
        Some(JsonMatch::Value(at)) => json.simple(&at, dialect),
    }
}

/// Returns the kind of the value to which a path leads in a text, see [`ExprHost::json_kind`]. `None` for what is no JSON.
pub(crate) fn value_kind(text: &str, path: &JsonPath) -> Option<&'static str> {
    let json = Json(text.as_bytes());
    let begin = json.skip_spaces(0)?;
    let end = json.skip(begin)?;
    let kind = |value: &[u8]| match value {
        [b'{', ..] => Some("object"),
        [b'[', ..] => Some("array"),
        [b'"', ..] => Some("text"),
        [b'-' | b'0'..=b'9', ..] => Some("number"),
        b"true" | b"false" => Some("truth"),
        b"null" => Some("nothing"),
        _ => None,
    };
    kind(&json.0[begin..end])?;
    if json.skip_spaces(end).is_some() {
        return None;
    }
    let mut found = Vec::new();
    json.find(path, 1, &mut found);
    match found.first() {
        None => Some("nothing"),
        Some(JsonMatch::Count(_)) => Some("number"),
        Some(JsonMatch::Value(at)) => kind(&json.0[at.clone()]),
    }
}

/// A value that a filter tests.
struct Tested<'a> {
    json: Json<'a>,
    at: &'a Range<usize>,
}

impl ExprHost for Tested<'_> {
    fn at(&mut self, path: &[PathPart]) -> Option<ScriptValue> {
        let at = match self.json.first(path, self.at)? {
            JsonMatch::Count(count) => return Some(ScriptValue::Integer(count as i64)),
            JsonMatch::Value(at) => at,
        };
        Some(match &self.json.0[at.clone()] {
            b"null" => ScriptValue::Null,
            b"true" => ScriptValue::Bool(true),
            b"false" => ScriptValue::Bool(false),
            [b'"' | b'{' | b'[', ..] => {
                ScriptValue::Text(String::from_utf8_lossy(&self.json.text(&at)).into_owned())
            }
            number => {
                let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
                ScriptValue::Float(number.unwrap_or(f64::NAN))
            }
        })
    }

    fn regex(&mut self, pattern: &str, text: &[u8], _: bool) -> Option<bool> {
        Some(regex::bytes::Regex::new(pattern).ok()?.is_match(text))
    }
}

impl Search<'_, '_> {
    fn follow(&mut self, parts: &[PathPart], at: Range<usize>, depth: usize) {
        if self.found.len() >= self.most || depth > DEEPEST {
            return;
        }
        let Some((part, rest)) = parts.split_first() else {
            return self.found.push(JsonMatch::Value(at));
        };
        let json = self.json;
        match part {
            PathPart::Length => self.found.extend(json.count(&at).map(JsonMatch::Count)),
            PathPart::Union(parts) => {
                for part in parts {
                    self.step(part, rest, &at, depth);
                }
            }
            PathPart::Filter(test) if json.0[at.start] == b'{' => {
                // As Jayway has it: an object is tested itself.
                if json.holds(test, &at) {
                    self.follow(rest, at, depth + 1);
                }
            }
            PathPart::Deep => {
                self.follow(rest, at.clone(), depth + 1);
                json.each(&at, &mut |_, _, value| {
                    self.follow(parts, value, depth + 1);
                    self.found.len() < self.most
                });
            }
            part => self.step(part, rest, &at, depth),
        }
    }

    /// Follows one step to members or elements.
    fn step(&mut self, part: &PathPart, rest: &[PathPart], at: &Range<usize>, depth: usize) {
        let json = self.json;
        let is_object = json.0[at.start] == b'{';
        let from_end = |number: i64| {
            let count = json.count(at).unwrap_or(0) as i64;
            if number < 0 { (count + number).max(0) } else { number }
        };
        let (least, below) = match *part {
            PathPart::Index(index) if index < 0 && -index > json.count(at).unwrap_or(0) as i64 => return,
            PathPart::Index(index) => (from_end(index), from_end(index) + 1),
            PathPart::Slice { from, to } => (from_end(from.unwrap_or(0)), to.map_or(i64::MAX, from_end)),
            _ => (0, i64::MAX),
        };
        if is_object && matches!(part, PathPart::Index(_) | PathPart::Slice { .. }) {
            return;
        }
        json.each(at, &mut |number, name, value| {
            let fits = match part {
                PathPart::Name(wanted) => is_object && json.is_named(name, wanted),
                PathPart::Filter(test) => json.holds(test, &value),
                _ => (least..below).contains(&(number as i64)),
            };
            if fits {
                self.follow(rest, value, depth + 1);
            }
            let is_done = match part {
                PathPart::Name(_) => fits || !is_object,
                _ => number as i64 + 1 >= below,
            };
            !is_done && self.found.len() < self.most
        });
    }
}

/// The text of a string, without the escapes of JSON. What is no right escape stays as it is.
fn unescaped(inside: &[u8]) -> Cow<'_, [u8]> {
    if !inside.contains(&b'\\') {
        return Cow::Borrowed(inside);
    }
    let mut out = Vec::with_capacity(inside.len());
    let mut at = 0;
    while let Some(&byte) = inside.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        let (plain, length) = match inside.get(at + 1) {
            Some(b'n') => (Some('\n'), 2),
            Some(b't') => (Some('\t'), 2),
            Some(b'r') => (Some('\r'), 2),
            Some(b'b') => (Some('\u{8}'), 2),
            Some(b'f') => (Some('\u{c}'), 2),
            Some(&escaped @ (b'"' | b'\\' | b'/')) => (Some(char::from(escaped)), 2),
            Some(b'u') => unicode(&inside[at..]),
            _ => (None, 1),
        };
        match plain {
            Some(plain) => out.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend_from_slice(&inside[at..(at + length).min(inside.len())]),
        }
        at += length;
    }
    Cow::Owned(out)
}

/// The character of `\uXXXX`, or of two of these that are a surrogate pair, and the length of what was read.
fn unicode(text: &[u8]) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6).filter(|digits| digits.starts_with(b"\\u"))?;
        u32::from_str_radix(std::str::from_utf8(&digits[2..]).ok()?, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
            let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            (char::from_u32(code), 12)
        }
        (Some(code), _) => (Some(char::from_u32(code).unwrap_or('\u{fffd}')), 6),
        (None, _) => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(path: &str, json: &str) -> Vec<String> {
        let path = JsonPath::parse(path).unwrap();
        let json = Json(json.as_bytes());
        let mut matches = Vec::new();
        json.find(&path, usize::MAX, &mut matches);
        let text = |found: &JsonMatch| {
            let mut out = Vec::new();
            json.write(found, &mut out);
            String::from_utf8(out).unwrap()
        };
        matches.iter().map(text).collect()
    }

    const SHOP: &str = r#" {"a" : {"b": [1, 2.5, "x\"\u00e9\ud83d\ude00"]}, "items":[
        {"id":7,"name":"Pen","tags":["red","new"]}, {"id":8,"name":"ink","gone":null}, {"id":9}], "e": {}, "t":true }"#;

    #[test]
    fn paths_lead_to_values() {
        for (path, expected) in [
            ("$.a.b[0]", &["1"][..]),
            ("$.a.b[2]", &["x\"é😀"]),
            ("$.a.b[-1]", &["x\"é😀"]),
            ("$.a.b[-4]", &[]),
            ("$.a.b[9]", &[]),
            ("$.a.b[0:2]", &["1", "2.5"]),
            ("$.a.b[-2:]", &["2.5", "x\"é😀"]),
            ("$.items[*].id", &["7", "8", "9"]),
            ("$.items[0,2].id", &["7", "9"]),
            ("$..id", &["7", "8", "9"]),
            ("$..tags[0]", &["red"]),
            ("$.items.length()", &["3"]),
            ("$.items[0].tags", &["[\"red\",\"new\"]"]),
            ("$['t']", &["true"]),
            ("$.items[1].gone", &["null"]),
            ("$.e", &["{}"]),
            ("$.none.x", &[]),
            ("$.items.id", &[]),
            ("$.items[?(@.id > 7)].id", &["8", "9"]),
            ("$.items[?(@.name)].id", &["7", "8"]),
            ("$.items[?(@.name == 'ink' || @.id == 9)].id", &["8", "9"]),
            ("$.items[?(@.name =~ /^p/i)].id", &["7"]),
            ("$.items[?(@.gone == null)].id", &["8"]),
            ("$.items[?(@.tags[1] == 'new' && @.id < 8)].name", &["Pen"]),
        ] {
            assert_eq!(found(path, SHOP), expected, "{path}");
        }
    }

    #[test]
    fn what_is_no_json_has_nothing() {
        for text in ["", "<html>", "{\"a\"", "{\"a\":", "[1,", "{\"a\":{\"b\":1", "nul", "{a}", "[,]", "{]"] {
            assert_eq!(found("$.a.b", text), Vec::<String>::new(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_searched_without_a_panic(text in r#"[\[\]{}:,"\\ abu0-9]*"#) {
            for path in ["$..a", "$.a[0]", "$[?(@.a == 1)]", "$[-1]", "$.length()"] {
                found_bytes(path, text.as_bytes());
            }
        }
    }

    fn found_bytes(path: &str, json: &[u8]) {
        let path = JsonPath::parse(path).unwrap();
        let mut matches = Vec::new();
        Json(json).find(&path, usize::MAX, &mut matches);
        matches.iter().for_each(|found| Json(json).write(found, &mut Vec::new()));
    }
}
