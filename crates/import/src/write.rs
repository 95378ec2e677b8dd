//! Writes a [`Draft`] as a scenario file.

use crate::draft::{Authorization, Draft, Extraction, Part, Source, Step, StepBody, Weighted};
use crate::remark::Remark;
use serde_json::Value as Json;
use std::fmt::Write;

/// Returns the text of a scenario file. `head` are the lines of its first comment, and `say` puts a remark into words.
pub fn write(draft: &Draft, head: &[String], say: &dyn Fn(&Remark) -> String) -> String {
    let mut out = comments(head);
    draft.remarks.iter().for_each(|remark| comment(&mut out, &say(remark)));
    if !draft.variables.is_empty() {
        out.push_str("\n[vars]\n");
    }
    for variable in &draft.variables {
        comment(&mut out, &say(&variable.remark));
        let _ = writeln!(out, "{} = {}", key(&variable.name), quoted(&variable.value));
    }
    draft.mix.iter().for_each(|request| write_request(&mut out, request));
    for user in &draft.users {
        let _ = writeln!(out, "\n[[scenario]]\nname = {}\niterations = 1", quoted(&user.name));
        write_settings(&mut out, draft);
        if user.delay > 0.0 {
            let _ = writeln!(out, "\n[[scenario.step]]\npause = {}", quoted(&duration(user.delay)));
        }
        user.steps.iter().for_each(|step| write_step(&mut out, step, say));
    }
    if !draft.steps.is_empty() {
        let _ = writeln!(out, "\n[[scenario]]\nname = {}", quoted(&draft.name));
        write_settings(&mut out, draft);
        draft.steps.iter().for_each(|step| write_step(&mut out, step, say));
    }
    out
}

/// Writes the keys of a scenario that hold for all of its steps.
fn write_settings(out: &mut String, draft: &Draft) {
    if !draft.headers.is_empty() {
        let _ = writeln!(out, "headers = {}", pairs(&draft.headers));
    }
    if draft.is_independent {
        out.push_str("on_failure = \"continue\"\n");
    }
    if draft.drops_cookies {
        out.push_str("cookies = false\n");
    }
}

/// Writes a request of a mix.
fn write_request(out: &mut String, request: &Weighted) {
    let Weighted { method, path, status, weight } = request;
    out.push_str("\n[[request]]\n");
    if method != "GET" {
        let _ = writeln!(out, "method = {}", quoted(method));
    }
    let _ = writeln!(out, "path = {}\nweight = {weight}", quoted(path));
    if let Some(status) = status {
        let _ = writeln!(out, "status = {status}");
    }
}

/// Returns the lines of a comment.
pub fn comments(lines: &[String]) -> String {
    let mut out = String::new();
    lines.iter().for_each(|line| comment(&mut out, line));
    out
}

fn write_step(out: &mut String, step: &Step, say: &dyn Fn(&Remark) -> String) {
    out.push('\n');
    step.remarks.iter().for_each(|remark| comment(out, &say(remark)));
    out.push_str("[[scenario.step]]\n");
    let mut line = |key: &str, value: String| {
        let _ = writeln!(out, "{key} = {value}");
    };
    if let Some(name) = &step.name {
        line("name", quoted(name));
    }
    let server = step.server.as_deref().unwrap_or_default();
    line(&step.method.to_ascii_lowercase(), quoted(&format!("{server}{}", step.path)));
    if !step.headers.is_empty() {
        line("headers", pairs(&step.headers));
    }
    match &step.authorization {
        Some(Authorization::Bearer(token)) => line("bearer", quoted(token)),
        Some(Authorization::Basic { user, password }) => {
            line("basic", format!("{{ user = {}, password = {} }}", quoted(user), quoted(password)))
        }
        None => {}
    }
    match &step.body {
        StepBody::Nothing => {}
        StepBody::Text(text) => line("body", quoted(text)),
        StepBody::Form(fields) => line("form", form(fields)),
        StepBody::File { path, joins_lines: false } => line("body_file", quoted(path)),
        StepBody::File { path, joins_lines: true } => {
            line("body_file", format!("{{ file = {}, line_breaks = false }}", inline(path)))
        }
        StepBody::Multipart(parts) => line("multipart", multipart(parts)),
    }
    if let Some(redirects) = step.redirects {
        line("redirects", redirects.to_string());
    }
    if let Some(seconds) = step.timeout {
        line("timeout", quoted(&duration(seconds)));
    }
    if !step.extract.is_empty() {
        line("extract", extractions(&step.extract));
    }
    if let Some(status) = step.status {
        line("check", format!("{{ status = {status} }}"));
    }
    if let Some(seconds) = step.think {
        line("think", quoted(&duration(seconds)));
    }
}

/// Appends a comment; line breaks of texts from outside begin a new one.
pub(crate) fn comment(out: &mut String, text: &str) {
    for line in text.lines() {
        let line: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
        let _ = writeln!(out, "# {}", line.trim_end());
    }
}

/// Returns a duration as files write it, to the millisecond.
pub(crate) fn duration(seconds: f64) -> String {
    let millis = (seconds * 1e3).round() as u64;
    match millis % 1000 {
        0 => format!("{}s", millis / 1000),
        _ if millis.is_multiple_of(100) => format!("{:.1}s", millis as f64 / 1e3),
        _ => format!("{millis}ms"),
    }
}

/// Returns a text as TOML writes it: with line breaks over several lines, if that needs no escapes.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.contains('\n') && !text.contains("'''") && text.chars().all(is_plain) && !text.ends_with('\'') {
        return format!("'''\n{text}'''");
    }
    toml::Value::String(text.to_owned()).to_string()
}

/// Returns the key of a table as TOML writes it.
pub(crate) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => basic(name),
    }
}

/// Returns a text in basic quotes on one line.
fn basic(text: &str) -> String {
    Json::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007f")
}

pub(crate) fn table(entries: impl Iterator<Item = String>) -> String {
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}

/// Writes headers; a name that occurs several times gets a list.
fn pairs(pairs: &[(String, String)]) -> String {
    grouped(pairs, |value| inline(value))
}

/// Writes pairs as a table; a name that occurs several times gets a list.
pub(crate) fn grouped<T>(pairs: &[(String, T)], write: impl Fn(&T) -> String) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in pairs {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let entry = |name: &str| {
        let values = pairs.iter().filter(|(other, _)| other == name);
        let values: Vec<String> = values.map(|(_, value)| write(value)).collect();
        match values.as_slice() {
            [value] => format!("{} = {value}", key(name)),
            values => format!("{} = [{}]", key(name), values.join(", ")),
        }
    };
    table(names.into_iter().map(entry))
}

/// Returns a text within an inline table, which is one line.
pub(crate) fn inline(text: &str) -> String {
    match text.contains('\n') {
        true => basic(text),
        false => quoted(text),
    }
}

fn form(fields: &[(String, String)]) -> String {
    grouped(fields, |value| inline(value))
}

fn multipart(parts: &[(String, Part)]) -> String {
    grouped(parts, |part| match part {
        Part::Text(text) => inline(text),
        Part::TypedText { text, media_type } => {
            format!("{{ text = {}, type = {} }}", inline(text), inline(media_type))
        }
        Part::File { path, media_type, name: sent } => {
            let mut values = vec![format!("file = {}", inline(path))];
            values.extend(media_type.iter().map(|kind| format!("type = {}", inline(kind))));
            values.extend(sent.iter().map(|name| format!("name = {}", inline(name))));
            table(values.into_iter())
        }
    })
}

fn extractions(all: &[Extraction]) -> String {
    let one = |extraction: &Extraction| {
        let (way, text) = match &extraction.from {
            Source::Json(path) => ("json", path),
            Source::Regex(pattern) => ("regex", pattern),
            Source::Header(name) => ("header", name),
        };
        format!("{} = {{ {way} = {} }}", key(&extraction.variable), inline(text))
    };
    table(all.iter().map(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_written_in_short() {
        for (seconds, text) in [(2.0, "2s"), (1.5, "1.5s"), (0.123, "123ms"), (0.4, "0.4s")] {
            assert_eq!(duration(seconds), text);
        }
    }

    /// Reads the value of a key from TOML.
    fn read(text: &str) -> toml::Value {
        let table: toml::Table = toml::from_str(&format!("a = {text}\n")).expect(text);
        table["a"].clone()
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text in "[ -~\\n\\t\\r'\"é\\u{7f}\\u{1}]*") {
            prop_assert_eq!(read(&quoted(&text)), toml::Value::String(text.clone()));
            prop_assert_eq!(read(&inline(&text)), toml::Value::String(text.clone()));
            let form = form(&[(text.clone(), text.clone())]);
            let read = read(&form);
            prop_assert_eq!(read.get(&text), Some(&toml::Value::String(text)));
        }
    }
}
