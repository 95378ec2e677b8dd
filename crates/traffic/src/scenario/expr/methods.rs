//! What functions of a text or list do with values.

use super::format::formatted;
use super::{Dialect, Function, LONGEST_LOOP, ScriptFailure, ScriptValue};
use ScriptValue::{Bool, Float, Int, Integer, List, Null, Text};

/// Calls a function of a text or list, which in scripts is a method of it.
pub(super) fn method(
    dialect: Dialect,
    method: &Function,
    arguments: &[ScriptValue],
) -> Result<ScriptValue, ScriptFailure> {
    match method {
        Function::Range { includes_end } => return range(dialect, arguments, *includes_end),
        Function::Format => return formatted(dialect, arguments).map(Text),
        _ => {}
    }
    let (receiver, arguments) = arguments.split_first().unwrap_or((&Null, &[]));
    if *receiver == Null && *method == Function::ToText && dialect != Dialect::BeanShell {
        return Ok(Text(receiver.to_text(dialect)));
    }
    if *receiver == Null {
        return Err(ScriptFailure(format!("{method:?} is called on null")));
    }
    if let List(items) = receiver {
        return of_list(dialect, method, items, arguments);
    }
    of_text(dialect, method, receiver, arguments)
}

fn of_text(
    dialect: Dialect,
    method: &Function,
    receiver: &ScriptValue,
    arguments: &[ScriptValue],
) -> Result<ScriptValue, ScriptFailure> {
    let text = receiver.to_text(dialect);
    let other = arguments.first().map(|value| value.to_text(dialect)).unwrap_or_default();
    let number = |at: usize| arguments.get(at).and_then(ScriptValue::as_number).map(|n| n.max(0.0) as usize);
    Ok(match method {
        Function::Equals => Bool(receiver == arguments.first().unwrap_or(&Null)),
        Function::EqualsIgnoreCase => Bool(text.to_lowercase() == other.to_lowercase()),
        Function::StartsWith => Bool(text.starts_with(&other)),
        Function::EndsWith => Bool(text.ends_with(&other)),
        Function::IsEmpty => Bool(text.is_empty()),
        Function::Length => ScriptValue::whole(text.encode_utf16().count() as i64, dialect),
        Function::Trim => Text(text.trim().to_owned()),
        Function::Lower => Text(text.to_lowercase()),
        Function::Upper => Text(text.to_uppercase()),
        Function::ToInteger if dialect == Dialect::JavaScript => number_at_begin(&text, false),
        Function::ToFloat if dialect == Dialect::JavaScript => number_at_begin(&text, true),
        Function::ToInteger => integer(receiver, &text)?,
        Function::ToFloat => Float(parsed(&text)?),
        Function::ToText => Text(text),
        Function::Substring => Text(substring(dialect, &text, number(0).unwrap_or(0), number(1))?),
        Function::IndexOf => index(dialect, &text, text.find(&other)),
        Function::LastIndexOf => index(dialect, &text, text.rfind(&other)),
        Function::Replace if dialect == Dialect::JavaScript => {
            let with = arguments.get(1).map(|value| value.to_text(dialect)).unwrap_or_default();
            Text(text.replacen(&other, &with, 1))
        }
        Function::Replace => {
            let with = arguments.get(1).map(|value| value.to_text(dialect)).unwrap_or_default();
            Text(text.replace(&other, &with))
        }
        Function::Reverse => Text(text.chars().rev().collect()),
        Function::Capitalize => Text(capitalized(&text)),
        Function::PadLeft => Text(padding(dialect, &text, arguments)? + &text),
        Function::PadRight => Text(text.clone() + &padding(dialect, &text, arguments)?),
        Function::Split => split(dialect, &text, &other),
        Function::Tokenize => {
            let parts = text.split(|c| other.contains(c)).filter(|part| !part.is_empty());
            List(parts.map(|part| Text(part.to_owned())).collect())
        }
        other => return Err(ScriptFailure(format!("{other:?} is no function of a text"))),
    })
}

fn of_list(
    dialect: Dialect,
    method: &Function,
    items: &[ScriptValue],
    arguments: &[ScriptValue],
) -> Result<ScriptValue, ScriptFailure> {
    match method {
        Function::IndexOf => {
            let at = items.iter().position(|item| Some(item) == arguments.first());
            Ok(ScriptValue::whole(at.map_or(-1, |at| at as i64), dialect))
        }
        Function::Length => Ok(ScriptValue::whole(items.len() as i64, dialect)),
        Function::IsEmpty => Ok(Bool(items.is_empty())),
        Function::ToText => Ok(Text(List(items.to_vec()).to_text(dialect))),
        Function::Join => {
            let between = arguments.first().map(|between| between.to_text(dialect)).unwrap_or_default();
            let texts: Vec<String> = items.iter().map(|item| item.to_text(dialect)).collect();
            Ok(Text(texts.join(&between)))
        }
        _ => Err(ScriptFailure(format!("a list has no method {method:?}"))),
    }
}

/// The whole numbers or characters from one to another.
fn range(dialect: Dialect, ends: &[ScriptValue], includes_end: bool) -> Result<ScriptValue, ScriptFailure> {
    let character = |value: &ScriptValue| match value {
        Text(text) => {
            text.chars().next().filter(|c| text.len() == c.len_utf8()).map(|c| i64::from(u32::from(c)))
        }
        _ => None,
    };
    let whole = |value: &ScriptValue| match value {
        Int(value) => Some(i64::from(*value)),
        Integer(value) => Some(*value),
        _ => None,
    };
    let both = |read: &dyn Fn(&ScriptValue) -> Option<i64>| match ends {
        [from, to] => read(from).zip(read(to)),
        _ => None,
    };
    let (is_text, (from, to)) = match (both(&whole), both(&character)) {
        (Some(ends), _) => (false, ends),
        (None, Some(ends)) => (true, ends),
        _ => return Err(ScriptFailure("a range needs two whole numbers or two characters".to_owned())),
    };
    if from.abs_diff(to) >= LONGEST_LOOP as u64 {
        return Err(ScriptFailure(format!("a range has more than {LONGEST_LOOP} items")));
    }
    let step = if from <= to { 1 } else { -1 };
    let count = from.abs_diff(to) as i64 + i64::from(includes_end);
    let item = |number: i64| match u32::try_from(number).ok().and_then(char::from_u32).filter(|_| is_text) {
        Some(c) => Text(c.to_string()),
        None => ScriptValue::whole(number, dialect),
    };
    Ok(List((0..count).map(|place| item(from + step * place)).collect()))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().iter().flat_map(|letter| letter.to_uppercase()).collect();
    first + letters.as_str()
}

/// What a text lacks to be so long.
fn padding(dialect: Dialect, text: &str, arguments: &[ScriptValue]) -> Result<String, ScriptFailure> {
    let length = arguments.first().and_then(ScriptValue::as_number).unwrap_or(0.0).max(0.0) as usize;
    let unit = arguments.get(1).map_or_else(|| " ".to_owned(), |unit| unit.to_text(dialect));
    let lacks = length.saturating_sub(text.chars().count());
    if lacks >= LONGEST_LOOP {
        return Err(ScriptFailure(format!("a text of {length} characters is too long")));
    }
    Ok(unit.chars().cycle().take(lacks).collect())
}

fn parsed(text: &str) -> Result<f64, ScriptFailure> {
    text.trim().parse().map_err(|_| ScriptFailure(format!("`{text}` is no number")))
}

fn integer(value: &ScriptValue, text: &str) -> Result<ScriptValue, ScriptFailure> {
    match value {
        Int(value) => Ok(Integer(i64::from(*value))),
        Integer(value) => Ok(Integer(*value)),
        Float(value) => Ok(Integer(value.trunc() as i64)),
        _ => text
            .trim()
            .parse()
            .map(Integer)
            .map_err(|_| ScriptFailure(format!("`{text}` is no whole number"))),
    }
}

/// The number of the character at a place; -1 where there is none.
fn index(dialect: Dialect, text: &str, at: Option<usize>) -> ScriptValue {
    let number = at.map_or(-1, |at| text[..at].encode_utf16().count() as i64);
    ScriptValue::whole(number, dialect)
}

/// The parts of a text. In Java, empty parts at the end are dropped.
fn split(dialect: Dialect, text: &str, at: &str) -> ScriptValue {
    let mut parts: Vec<&str> = text.split(at).collect();
    if dialect != Dialect::JavaScript {
        while parts.len() > 1 && parts.last() == Some(&"") {
            parts.pop();
        }
    }
    List(parts.into_iter().map(|part| Text(part.to_owned())).collect())
}

/// The number with which a text begins, as JavaScript's `parseInt` and `parseFloat` read it.
fn number_at_begin(text: &str, fraction: bool) -> ScriptValue {
    let text = text.trim_start();
    let is_part = |(at, c): (usize, char)| {
        c.is_ascii_digit()
            || at == 0 && matches!(c, '-' | '+')
            || fraction && c == '.' && !text[..at].contains('.')
    };
    let end = text.char_indices().find(|&part| !is_part(part)).map_or(text.len(), |(at, _)| at);
    match text[..end].parse::<f64>() {
        Ok(value) if value.fract() == 0.0 && value.abs() < 9e15 => Integer(value as i64),
        Ok(value) => Float(value),
        Err(_) => Float(f64::NAN),
    }
}

fn substring(dialect: Dialect, text: &str, from: usize, to: Option<usize>) -> Result<String, ScriptFailure> {
    let length = text.chars().count();
    let to = to.unwrap_or(length);
    if dialect == Dialect::JavaScript {
        let (from, to) = (from.min(to).min(length), from.max(to).min(length));
        return Ok(text.chars().skip(from).take(to - from).collect());
    }
    if from > to || to > length {
        return Err(ScriptFailure(format!("`{text}` has no characters {from} to {to}")));
    }
    Ok(text.chars().skip(from).take(to - from).collect())
}
