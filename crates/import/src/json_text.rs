//! Finds the values in a JSON text with their places, so that some can be replaced and everything else stays as it is.

use serde_json::Value as Json;
use std::ops::Range;

/// A text or a number in a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The name of the member that it belongs to; empty at the root.
    pub(crate) name: String,
    /// Its value, without quotes and escapes.
    pub(crate) value: String,
    /// Its bytes; a text's bytes are between its quotes.
    pub(crate) place: Range<usize>,
    /// Whether it is a text.
    pub(crate) is_text: bool,
}

/// Returns the texts and numbers in a JSON text, in their order; `None` if it is none.
pub(crate) fn leaves(text: &str) -> Option<Vec<Leaf>> {
    let root: Json = serde_json::from_str(text).ok()?;
    if !root.is_object() && !root.is_array() {
        return None;
    }
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The names of the members that are open; for an array the array's name.
    let mut names: Vec<String> = vec![String::new()];
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = end_of_text(bytes, at);
                let value: String = serde_json::from_str(&text[at..end]).ok()?;
                let behind = text[end..].trim_start();
                let name = names.last_mut()?;
                if behind.starts_with(':') {
                    *name = value;
                } else {
                    found.push(Leaf { name: name.clone(), value, place: at + 1..end - 1, is_text: true });
                }
                at = end;
            }
            b'{' | b'[' => {
                names.push(names.last()?.clone());
                at += 1;
            }
            b'}' | b']' => {
                names.pop();
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_of_number = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = bytes[at..].iter().take_while(|byte| is_of_number(byte)).count();
                found.push(Leaf {
                    name: names.last()?.clone(),
                    value: text[at..at + length].to_owned(),
                    place: at..at + length,
                    is_text: false,
                });
                at += length;
            }
            _ => at += 1,
        }
    }
    Some(found)
}

/// Returns the end of the text whose opening quote is here.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_names_and_places() {
        let text = r#"{"a": "x\"y", "list": [1, {"b" : -2.5e3}], "c": null, "d": true}"#;
        let leaves = leaves(text).expect("JSON");
        let found: Vec<(&str, &str, &str)> = leaves
            .iter()
            .map(|leaf| (leaf.name.as_str(), leaf.value.as_str(), &text[leaf.place.clone()]))
            .collect();
        assert_eq!(found, [("a", "x\"y", "x\\\"y"), ("list", "1", "1"), ("b", "-2.5e3", "-2.5e3")]);
        assert_eq!(super::leaves("a=1"), None);
        assert_eq!(super::leaves("17"), None);
    }
}
