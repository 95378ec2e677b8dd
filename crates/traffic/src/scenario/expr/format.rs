//! Texts by the patterns of Java's `String.format`, as far as whole numbers and texts go.

use super::{Dialect, ScriptFailure, ScriptValue};

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FormatPart {
    Literal(String),
    /// The next value, with at least so many characters.
    Value {
        /// Whether it has to be a whole number.
        is_whole: bool,
        width: usize,
        /// What stands before a value that is too short; `None` puts spaces behind it.
        before: Option<char>,
    },
}

/// Returns whether a pattern is one of those that are known, and how many values it takes.
pub fn values_of_format(pattern: &str) -> Option<usize> {
    let parts = parts(pattern)?;
    Some(parts.iter().filter(|part| matches!(part, FormatPart::Value { .. })).count())
}

/// Splits a pattern; `None` where it has something that is not known here.
fn parts(pattern: &str) -> Option<Vec<FormatPart>> {
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        found.push(FormatPart::Literal(rest[..at].to_owned()));
        let behind = &rest[at + 1..];
        let kind = behind.find(|c: char| !(c.is_ascii_digit() || c == '-'))?;
        let (flags, digits) = behind[..kind].split_at(usize::from(behind.starts_with(['-', '0'])));
        let width = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let letter = behind[kind..].chars().next()?;
        found.push(match (letter, flags) {
            ('%', "") if width == 0 => FormatPart::Literal("%".to_owned()),
            ('d', "0") if width > 0 => FormatPart::Value { is_whole: true, width, before: Some('0') },
            ('d' | 's', "") => FormatPart::Value { is_whole: letter == 'd', width, before: Some(' ') },
            ('d' | 's', "-") if width > 0 => {
                FormatPart::Value { is_whole: letter == 'd', width, before: None }
            }
            ('n', "") if width == 0 => FormatPart::Literal("\n".to_owned()),
            _ => return None,
        });
        rest = &behind[kind + letter.len_utf8()..];
    }
    found.push(FormatPart::Literal(rest.to_owned()));
    Some(found)
}

/// Writes values by the pattern before them.
pub(super) fn formatted(dialect: Dialect, arguments: &[ScriptValue]) -> Result<String, ScriptFailure> {
    let (pattern, mut values) = match arguments.split_first() {
        Some((pattern, values)) => (pattern.to_text(dialect), values.iter()),
        None => return Err(ScriptFailure("there is no pattern".to_owned())),
    };
    let unknown = || ScriptFailure(format!("`{pattern}` is a pattern that is not known"));
    let mut text = String::new();
    for part in parts(&pattern).ok_or_else(unknown)? {
        let (is_whole, width, before) = match part {
            FormatPart::Literal(literal) => {
                text.push_str(&literal);
                continue;
            }
            FormatPart::Value { is_whole, width, before } => (is_whole, width, before),
        };
        let value = values.next().ok_or_else(|| ScriptFailure(format!("`{pattern}` lacks a value")))?;
        if is_whole && !matches!(value, ScriptValue::Int(_) | ScriptValue::Integer(_)) {
            return Err(ScriptFailure(format!("`{}` is no whole number", value.to_text(dialect))));
        }
        let written = value.to_text(dialect);
        let lacks = width.saturating_sub(written.chars().count());
        match (before, written.strip_prefix('-')) {
            (None, _) => text.extend(written.chars().chain(std::iter::repeat_n(' ', lacks))),
            (Some('0'), Some(digits)) => {
                text.push('-');
                text.extend(std::iter::repeat_n('0', lacks).chain(digits.chars()));
            }
            (Some(fill), _) => text.extend(std::iter::repeat_n(fill, lacks).chain(written.chars())),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_written_by_patterns() {
        let written = |pattern: &str, value: ScriptValue| {
            formatted(Dialect::Groovy, &[ScriptValue::Text(pattern.to_owned()), value]).ok()
        };
        let int = |value| ScriptValue::Int(value);
        for (pattern, value, expected) in [
            ("user%05d.", int(42), Some("user00042.")),
            ("%05d", int(-42), Some("-0042")),
            ("%d%%", int(7), Some("7%")),
            ("[%4d]", int(7), Some("[   7]")),
            ("[%-4s]", ScriptValue::Text("ab".to_owned()), Some("[ab  ]")),
            ("%s-%s", int(1), None),
            ("%d", ScriptValue::Text("7".to_owned()), None),
            ("%.2f", int(1), None),
        ] {
            assert_eq!(written(pattern, value).as_deref(), expected, "{pattern}");
        }
        assert_eq!((values_of_format("%s-%03d%n"), values_of_format("%1$s")), (Some(2), None));
    }
}
