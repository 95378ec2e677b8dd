//! What methods do with values.

use super::{Dialect, ScriptFailure, ScriptValue, TextMethod};
use ScriptValue::{Bool, Float, Integer, List, Null, Text};

/// Calls a method that needs no regular expression.
pub(super) fn method(
    dialect: Dialect,
    method: TextMethod,
    receiver: &ScriptValue,
    arguments: &[ScriptValue],
) -> Result<ScriptValue, ScriptFailure> {
    if *receiver == Null {
        return Err(ScriptFailure(format!("{method:?} is called on null")));
    }
    if let List(items) = receiver {
        return of_list(dialect, method, items, arguments);
    }
    let text = receiver.to_text(dialect);
    let other = arguments.first().map(|value| value.to_text(dialect)).unwrap_or_default();
    let number = |at: usize| arguments.get(at).and_then(ScriptValue::as_number).map(|n| n.max(0.0) as usize);
    Ok(match method {
        TextMethod::Equals => Bool(receiver == arguments.first().unwrap_or(&Null)),
        TextMethod::EqualsIgnoreCase => Bool(text.to_lowercase() == other.to_lowercase()),
        TextMethod::Contains => Bool(text.contains(&other)),
        TextMethod::StartsWith => Bool(text.starts_with(&other)),
        TextMethod::EndsWith => Bool(text.ends_with(&other)),
        TextMethod::IsEmpty => Bool(text.is_empty()),
        TextMethod::Length => Integer(text.chars().count() as i64),
        TextMethod::Trim => Text(text.trim().to_owned()),
        TextMethod::ToLowerCase => Text(text.to_lowercase()),
        TextMethod::ToUpperCase => Text(text.to_uppercase()),
        TextMethod::ToInteger => integer(receiver, &text)?,
        TextMethod::ToFloat => Float(parsed(&text)?),
        TextMethod::ToText => Text(text),
        TextMethod::Substring => Text(substring(&text, number(0).unwrap_or(0), number(1))?),
        TextMethod::IndexOf => Integer(text.find(&other).map_or(-1, |at| text[..at].chars().count() as i64)),
        TextMethod::Replace => {
            let with = arguments.get(1).map(|value| value.to_text(dialect)).unwrap_or_default();
            Text(text.replace(&other, &with))
        }
        TextMethod::Split => List(text.split(&other).map(|part| Text(part.to_owned())).collect()),
        TextMethod::Matches => return Err(ScriptFailure("a regular expression was not expected".to_owned())),
    })
}

fn of_list(
    dialect: Dialect,
    method: TextMethod,
    items: &[ScriptValue],
    arguments: &[ScriptValue],
) -> Result<ScriptValue, ScriptFailure> {
    match method {
        TextMethod::Length => Ok(Integer(items.len() as i64)),
        TextMethod::IsEmpty => Ok(Bool(items.is_empty())),
        TextMethod::Contains => Ok(Bool(arguments.first().is_some_and(|wanted| items.contains(wanted)))),
        TextMethod::ToText => Ok(Text(List(items.to_vec()).to_text(dialect))),
        _ => Err(ScriptFailure(format!("a list has no method {method:?}"))),
    }
}

fn parsed(text: &str) -> Result<f64, ScriptFailure> {
    text.trim().parse().map_err(|_| ScriptFailure(format!("`{text}` is no number")))
}

fn integer(value: &ScriptValue, text: &str) -> Result<ScriptValue, ScriptFailure> {
    match value {
        Integer(value) => Ok(Integer(*value)),
        Float(value) => Ok(Integer(value.trunc() as i64)),
        _ => text
            .trim()
            .parse()
            .map(Integer)
            .map_err(|_| ScriptFailure(format!("`{text}` is no whole number"))),
    }
}

fn substring(text: &str, from: usize, to: Option<usize>) -> Result<String, ScriptFailure> {
    let length = text.chars().count();
    let to = to.unwrap_or(length);
    if from > to || to > length {
        return Err(ScriptFailure(format!("`{text}` has no characters {from} to {to}")));
    }
    Ok(text.chars().skip(from).take(to - from).collect())
}
