//! What operators do with values, by the rules of each language.

use super::{BinaryOperator, Comparison, Dialect, ScriptFailure, ScriptValue};
use BinaryOperator as Op;
use ScriptValue::{Bool, Float, Integer, List, Null, Text};
use std::cmp::Ordering;

/// Applies an operator that always needs both operands and no regular expression.
pub(super) fn binary(
    dialect: Dialect,
    operator: BinaryOperator,
    left: &ScriptValue,
    right: &ScriptValue,
) -> Result<ScriptValue, ScriptFailure> {
    match operator {
        Op::Compare(Comparison::Equal) => Ok(Bool(equal(dialect, left, right))),
        Op::Compare(Comparison::Unequal) => Ok(Bool(!equal(dialect, left, right))),
        Op::Compare(how) => Ok(Bool(how.fits(compare(dialect, left, right)?))),
        Op::Identical => Ok(Bool(identical(left, right))),
        Op::NotIdentical => Ok(Bool(!identical(left, right))),
        Op::Add => add(dialect, left, right),
        Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder => {
            arithmetic(dialect, operator, left, right)
        }
        Op::Contains => contains(dialect, left, right),
        Op::Item => item(left, right),
        Op::And | Op::Or | Op::Elvis | Op::Finds | Op::Matches => {
            Err(ScriptFailure(format!("{operator:?} is not an operator of two values")))
        }
    }
}

/// Values of different kinds have no order in a filter of a JSONPath.
pub(super) fn json_order(left: &ScriptValue, right: &ScriptValue) -> Option<Ordering> {
    match (left, right) {
        (Integer(_) | Float(_), Integer(_) | Float(_)) => left.as_number()?.partial_cmp(&right.as_number()?),
        (Text(left), Text(right)) => Some(left.cmp(right)),
        (Bool(left), Bool(right)) => Some(left.cmp(right)),
        (Null, Null) => Some(Ordering::Equal),
        _ => None,
    }
}

fn contains(dialect: Dialect, whole: &ScriptValue, part: &ScriptValue) -> Result<ScriptValue, ScriptFailure> {
    match whole {
        Null => Err(ScriptFailure("Contains is called on null".to_owned())),
        List(items) => Ok(Bool(items.contains(part))),
        text => Ok(Bool(text.to_text(dialect).contains(&part.to_text(dialect)))),
    }
}

fn is_number(value: &ScriptValue) -> bool {
    matches!(value, Integer(_) | Float(_))
}

fn identical(left: &ScriptValue, right: &ScriptValue) -> bool {
    match (left, right) {
        (Integer(_) | Float(_), Integer(_) | Float(_)) => left.as_number() == right.as_number(),
        _ => left == right,
    }
}

/// JavaScript and JEXL convert a text that is compared with a number; Groovy does not.
fn equal(dialect: Dialect, left: &ScriptValue, right: &ScriptValue) -> bool {
    let converts = dialect != Dialect::Groovy;
    match (left, right) {
        (Text(left), Text(right)) => left == right,
        (Null, _) | (_, Null) => left == right,
        (Bool(flag), Text(text)) | (Text(text), Bool(flag)) if dialect == Dialect::Jexl => {
            flag.to_string() == *text
        }
        _ if is_number(left) && is_number(right) => left.as_number() == right.as_number(),
        (List(_), _) | (_, List(_)) => left == right,
        _ if converts => left.as_number().is_some() && left.as_number() == right.as_number(),
        _ => left == right,
    }
}

/// Compares two values. `None` where the language says that no order holds, as for JavaScript's `NaN`.
fn compare(
    dialect: Dialect,
    left: &ScriptValue,
    right: &ScriptValue,
) -> Result<Option<Ordering>, ScriptFailure> {
    match (left, right) {
        (Text(left), Text(right)) => Ok(Some(left.cmp(right))),
        _ if is_number(left) && is_number(right) || dialect != Dialect::Groovy => {
            let (Some(a), Some(b)) = (left.as_number(), right.as_number()) else {
                return match dialect {
                    Dialect::JavaScript => Ok(None),
                    _ => Err(cannot(dialect, "compare", left, right)),
                };
            };
            Ok(a.partial_cmp(&b))
        }
        (Null, Null) => Ok(Some(Ordering::Equal)),
        (Null, _) => Ok(Some(Ordering::Less)),
        (_, Null) => Ok(Some(Ordering::Greater)),
        _ => Err(cannot(dialect, "compare", left, right)),
    }
}

fn cannot(dialect: Dialect, what: &str, left: &ScriptValue, right: &ScriptValue) -> ScriptFailure {
    let (left, right) = (left.to_text(dialect), right.to_text(dialect));
    ScriptFailure(format!("cannot {what} `{left}` with `{right}`"))
}

fn add(dialect: Dialect, left: &ScriptValue, right: &ScriptValue) -> Result<ScriptValue, ScriptFailure> {
    match (left, right) {
        (Text(_), _) | (_, Text(_)) => Ok(Text(left.to_text(dialect) + &right.to_text(dialect))),
        (List(left), List(right)) => Ok(List([left.as_slice(), right.as_slice()].concat())),
        _ => arithmetic(dialect, Op::Add, left, right),
    }
}

fn arithmetic(
    dialect: Dialect,
    operator: BinaryOperator,
    left: &ScriptValue,
    right: &ScriptValue,
) -> Result<ScriptValue, ScriptFailure> {
    let failed = || cannot(dialect, "compute", left, right);
    if dialect == Dialect::Groovy && !(is_number(left) && is_number(right)) {
        return Err(failed());
    }
    if let (Integer(a), Integer(b)) = (left, right) {
        let whole = match operator {
            Op::Add => a.checked_add(*b),
            Op::Subtract => a.checked_sub(*b),
            Op::Multiply => a.checked_mul(*b),
            Op::Divide if dialect == Dialect::Jexl || *b != 0 && a % b == 0 => a.checked_div(*b),
            Op::Remainder => a.checked_rem(*b),
            _ => None,
        };
        if let Some(whole) = whole {
            return Ok(Integer(whole));
        }
        if *b == 0 && dialect != Dialect::JavaScript && matches!(operator, Op::Divide | Op::Remainder) {
            return Err(failed());
        }
    }
    let (Some(a), Some(b)) = (left.as_number(), right.as_number()) else {
        return match dialect {
            Dialect::JavaScript => Ok(Float(f64::NAN)),
            _ => Err(failed()),
        };
    };
    let value = match operator {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a * b,
        Op::Divide => a / b,
        _ => a % b,
    };
    // Texts that are whole numbers give whole numbers.
    let whole =
        value.fract() == 0.0 && value.abs() < 9e15 && !matches!((left, right), (Float(_), _) | (_, Float(_)));
    Ok(if whole { Integer(value as i64) } else { Float(value) })
}

fn item(list: &ScriptValue, index: &ScriptValue) -> Result<ScriptValue, ScriptFailure> {
    let at = index.as_number().ok_or_else(|| ScriptFailure("an index is no number".to_owned()))?;
    let from_end = |length: usize| if at < 0.0 { length as f64 + at } else { at };
    match list {
        List(items) => Ok(items.get(from_end(items.len()) as usize).cloned().unwrap_or(Null)),
        Text(text) => {
            let c = text.chars().nth(from_end(text.chars().count()) as usize);
            Ok(c.map_or(Null, |c| Text(c.to_string())))
        }
        _ => Err(ScriptFailure("only lists and texts have items".to_owned())),
    }
}
