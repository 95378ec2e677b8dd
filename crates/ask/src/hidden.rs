//! Hides secrets in what leaves this machine for a team's store or a dump: the text of an experiment file, and values as JSON.

use crate::node::{self, Node, Value};
use model::secret::{HIDDEN, says_secret, without_secrets};
use std::ops::Range;

/// Returns the text of an experiment file, or a command line, with [`HIDDEN`] in place of every secret; the rest stays as it is.
pub fn hidden_in_file(text: &str) -> String {
    let Ok(root) = node::parse(text) else {
        return without_secrets(text);
    };
    let mut hidden = Vec::new();
    find_secrets(&root, "", &mut hidden);
    hidden.sort_by_key(|(span, _)| span.start);
    let (mut shown, mut at) = (String::new(), 0);
    for (span, instead) in hidden {
        shown.push_str(&text[at..span.start]);
        shown.push_str(&serde_json::Value::from(instead).to_string());
        at = span.end;
    }
    shown.push_str(&text[at..]);
    shown
}

/// Finds texts with secrets below a key, and what is to be written in their places.
fn find_secrets(node: &Node, key: &str, found: &mut Vec<(Range<usize>, String)>) {
    match &node.value {
        Value::Text(text) => {
            let shown = shown_text(key, text);
            if shown != *text {
                found.push((node.span.clone(), shown));
            }
        }
        Value::List(items) => {
            let mut option = key;
            for item in items {
                find_secrets(item, option, found);
                option = match &item.value {
                    Value::Text(word) => option_before(word, key),
                    _ => key,
                };
            }
        }
        Value::Table(entries) => {
            for (name, value) in entries {
                let name = name.text().unwrap_or_default();
                find_secrets(value, if says_secret(key) { key } else { name }, found);
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::Date => {}
    }
}

/// Replaces every secret in a value that was written as JSON.
pub(crate) fn hide_in_json(value: &mut serde_json::Value, key: &str) {
    match value {
        serde_json::Value::String(text) => *text = shown_text(key, text),
        serde_json::Value::Array(items) => {
            let mut option = key.to_owned();
            for item in items {
                let word = item.as_str().unwrap_or_default().to_owned();
                hide_in_json(item, &option);
                option = option_before(&word, key).to_owned();
            }
        }
        serde_json::Value::Object(entries) => {
            for (name, value) in entries {
                hide_in_json(value, if says_secret(key) { key } else { name });
            }
        }
        _ => {}
    }
}

/// A text below a key as others may see it. Texts with variables are no secrets, because they say where the secret comes from.
fn shown_text(key: &str, text: &str) -> String {
    match says_secret(key) || (key == "body" && says_secret(text)) {
        _ if text.contains("${") => text.to_owned(),
        true => HIDDEN.to_owned(),
        false => without_secrets(text),
    }
}

/// The key of the word behind this one: an option without a value is the key of its value.
fn option_before<'a>(word: &'a str, key: &'a str) -> &'a str {
    match word.starts_with('-') && !word.contains('=') {
        true => word,
        false => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_everything_but_its_secrets() {
        let file = r#"# a comment with token = "x"
question.en = "Is it fast?"
[vars]
password = "abc" # known by its name
name = "nina"
[[arms]]
command = ["serve", "--db-password", "abc", "--port", "80", "--token=abc"]
environment = { DB_PASSWORD = 'abc', LANG = "en" }
[[request]]
path = "/"
headers = { Authorization = "Bearer abc", Accept = "text/html" }
body = """{"password": "abc"}"""
[[scenario.step]]
post = "/login"
bearer = "${token}"
basic = { user = "nina", password = "abc" }
json = { name = "nina", secret = "abc", number = 7 }
"#;
        let shown = hidden_in_file(file);
        assert!(!shown.contains("abc"), "{shown}");
        assert_eq!(shown.matches(HIDDEN).count(), file.matches("abc").count(), "{shown}");
        for kept in [
            "# a comment with token = \"x\"",
            "password = \"(hidden)\" # known by its name\nname = \"nina\"",
            "\"--port\", \"80\", \"--token=(hidden)\"]",
            "bearer = \"${token}\"",
            "LANG = \"en\"",
            "Accept = \"text/html\"",
        ] {
            assert!(shown.contains(kept), "{kept}: {shown}");
        }
        let plain = "name = 'x'\n[load]\nconnections = 3\n";
        assert_eq!(hidden_in_file(plain), plain);
        assert_eq!(
            hidden_in_file("prony compare a=cmd:--password=abc b"),
            "prony compare a=cmd:--password=(hidden) b"
        );
    }

    #[test]
    fn json_keeps_everything_but_its_secrets() {
        let mut value = serde_json::json!({
            "environment": { "API_KEY": "abc", "LANG": "en" },
            "command": ["--token", "abc", "x", "-v", "y"],
            "jvm_options": "-Dpassword=abc -Xmx1g",
        });
        hide_in_json(&mut value, "");
        let expected = serde_json::json!({
            "environment": { "API_KEY": HIDDEN, "LANG": "en" },
            "command": ["--token", HIDDEN, "x", "-v", "y"],
            "jvm_options": "-Dpassword=(hidden) -Xmx1g",
        });
        assert_eq!(value, expected);
    }
}
