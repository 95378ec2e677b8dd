//! What functions of a text or list do with values.

use super::{Dialect, Function, ScriptFailure, ScriptValue};
use ScriptValue::{Bool, Float, Integer, List, Null, Text};

/// Calls a function of a text or list, which in scripts is a method of it.
pub(super) fn method(
    dialect: Dialect,
    method: &Function,
    arguments: &[ScriptValue],
) -> Result<ScriptValue, ScriptFailure> {
    let (receiver, arguments) = arguments.split_first().unwrap_or((&Null, &[]));
    if *receiver == Null {
        return Err(ScriptFailure(format!("{method:?} is called on null")));
    }
    if let List(items) = receiver {
        return of_list(dialect, method, items);
    }
    let text = receiver.to_text(dialect);
    let other = arguments.first().map(|value| value.to_text(dialect)).unwrap_or_default();
    let number = |at: usize| arguments.get(at).and_then(ScriptValue::as_number).map(|n| n.max(0.0) as usize);
    Ok(match method {
        Function::Equals => Bool(receiver == arguments.first().unwrap_or(&Null)),
        Function::EqualsIgnoreCase => Bool(text.to_lowercase() == other.to_lowercase()),
        Function::StartsWith => Bool(text.starts_with(&other)),
        Function::EndsWith => Bool(text.ends_with(&other)),
        Function::IsEmpty => Bool(text.is_empty()),
        Function::Length => Integer(text.chars().count() as i64),
        Function::Trim => Text(text.trim().to_owned()),
        Function::Lower => Text(text.to_lowercase()),
        Function::Upper => Text(text.to_uppercase()),
        Function::ToInteger => integer(receiver, &text)?,
        Function::ToFloat => Float(parsed(&text)?),
        Function::ToText => Text(text),
        Function::Substring => Text(substring(&text, number(0).unwrap_or(0), number(1))?),
        Function::IndexOf => Integer(text.find(&other).map_or(-1, |at| text[..at].chars().count() as i64)),
        Function::Replace => {
            let with = arguments.get(1).map(|value| value.to_text(dialect)).unwrap_or_default();
            Text(text.replace(&other, &with))
        }
        Function::Split => List(text.split(&other).map(|part| Text(part.to_owned())).collect()),
        other => return Err(ScriptFailure(format!("{other:?} is no function of a text"))),
    })
}

fn of_list(dialect: Dialect, method: &Function, items: &[ScriptValue]) -> Result<ScriptValue, ScriptFailure> {
    match method {
        Function::Length => Ok(Integer(items.len() as i64)),
        Function::IsEmpty => Ok(Bool(items.is_empty())),
        Function::ToText => Ok(Text(List(items.to_vec()).to_text(dialect))),
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
