//! What operators do with values, by the rules of each language.

use super::java::{self, is_number, of_doubles};
use super::{BinaryOperator, Comparison, Dialect, ScriptFailure, ScriptValue};
use BinaryOperator as Op;
use ScriptValue::{Bool, Float, Int, Integer, List, Null, Text};
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
        Op::Item => item(dialect, left, right),
        Op::And | Op::Or | Op::Elvis | Op::Finds | Op::Matches => {
            Err(ScriptFailure(format!("{operator:?} is not an operator of two values")))
        }
    }
}

/// Values of different kinds have no order in a filter of a JSONPath.
pub(super) fn json_order(left: &ScriptValue, right: &ScriptValue) -> Option<Ordering> {
    match (left, right) {
        (left, right) if is_number(left) && is_number(right) => {
            left.as_number()?.partial_cmp(&right.as_number()?)
        }
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

fn identical(left: &ScriptValue, right: &ScriptValue) -> bool {
    match (left, right) {
        (left, right) if is_number(left) && is_number(right) => left.as_number() == right.as_number(),
        _ => left == right,
    }
}

/// JavaScript and JEXL convert a text that is compared with a number; Groovy and BeanShell do not.
fn equal(dialect: Dialect, left: &ScriptValue, right: &ScriptValue) -> bool {
    let converts = !dialect.is_java();
    match (left, right) {
        (Text(left), Text(right)) => left == right,
        (Null, _) | (_, Null) => left == right,
        (Bool(flag), Text(text)) | (Text(text), Bool(flag)) if dialect.is_jexl() => flag.to_string() == *text,
        _ if is_number(left) && is_number(right) => left.as_number() == right.as_number(),
        (List(_), _) | (_, List(_)) => left == right,
        _ if converts => {
            let (one, two) = (number(dialect, left), number(dialect, right));
            one.is_some() && one == two
        }
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
        (Text(_), _) | (_, Text(_)) if dialect == Dialect::BeanShell => {
            Err(cannot(dialect, "compare", left, right))
        }
        (Text(left), Text(right)) => Ok(Some(left.cmp(right))),
        // Groovy takes a text of one character for a character, which is a number.
        (Text(text), number) if dialect == Dialect::Groovy && text.len() == 1 && is_number(number) => {
            Ok(f64::from(text.as_bytes()[0]).partial_cmp(&number.as_number().unwrap_or(f64::NAN)))
        }
        _ if is_number(left) && is_number(right) || !dialect.is_java() => {
            let (Some(a), Some(b)) = (number(dialect, left), number(dialect, right)) else {
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
        (Text(_), _) | (_, Text(_)) => {
            // JEXL 2 adds whatever can be numbers.
            let sum = match dialect {
                Dialect::Jexl2 => arithmetic(dialect, Op::Add, left, right).ok(),
                _ => None,
            };
            Ok(sum.unwrap_or_else(|| Text(left.to_text(dialect) + &right.to_text(dialect))))
        }
        (List(left), List(right)) => Ok(List([left.as_slice(), right.as_slice()].concat())),
        (List(left), right) if dialect == Dialect::Groovy => {
            Ok(List([left.as_slice(), std::slice::from_ref(right)].concat()))
        }
        _ => arithmetic(dialect, Op::Add, left, right),
    }
}

/// Returns the number that a value counts as.
fn number(dialect: Dialect, value: &ScriptValue) -> Option<f64> {
    match (dialect, value) {
        (Dialect::JavaScript, Null) => Some(0.0),
        (Dialect::JavaScript, Text(text)) if text.trim().is_empty() => Some(0.0),
        _ => value.as_number(),
    }
}

fn arithmetic(
    dialect: Dialect,
    operator: BinaryOperator,
    left: &ScriptValue,
    right: &ScriptValue,
) -> Result<ScriptValue, ScriptFailure> {
    let failed = || cannot(dialect, "compute", left, right);
    if dialect.is_java() {
        return match (operator, left, right) {
            (Op::Multiply, Text(text), times) if dialect == Dialect::Groovy && is_number(times) => {
                let times =
                    times.as_number().filter(|times| (0.0..1e6).contains(times)).ok_or_else(failed)?;
                Ok(Text(text.repeat(times as usize)))
            }
            (Op::Subtract, Text(text), part) if dialect == Dialect::Groovy => {
                Ok(Text(text.replacen(&part.to_text(dialect), "", 1)))
            }
            _ => java::arithmetic(dialect, operator, left, right).ok_or_else(failed),
        };
    }
    let whole = |value: &ScriptValue| match value {
        Int(value) => Some(i64::from(*value)),
        Integer(value) => Some(*value),
        Text(text) if dialect.is_jexl() => text.trim().parse().ok(),
        _ => None,
    };
    if let (Some(a), Some(b)) = (whole(left), whole(right)) {
        let found = match operator {
            Op::Add => a.checked_add(b),
            Op::Subtract => a.checked_sub(b),
            Op::Multiply => a.checked_mul(b),
            Op::Divide if dialect.is_jexl() || b != 0 && a % b == 0 => a.checked_div(b),
            // JEXL 2 computes with large numbers, whose rest is never negative.
            Op::Remainder if dialect == Dialect::Jexl2 && b > 0 => Some(a.rem_euclid(b)),
            Op::Remainder => a.checked_rem(b),
            _ => None,
        };
        if let Some(found) = found {
            return Ok(Integer(found));
        }
        if dialect.is_jexl() {
            return Err(failed());
        }
    }
    let (Some(a), Some(b)) = (number(dialect, left), number(dialect, right)) else {
        return match dialect {
            Dialect::JavaScript => Ok(Float(f64::NAN)),
            _ => Err(failed()),
        };
    };
    let value = of_doubles(operator, a, b);
    // Numbers of JavaScript are written without a fraction where they have none.
    let is_whole = dialect == Dialect::JavaScript && value.fract() == 0.0 && value.abs() < 9e15;
    Ok(if is_whole { Integer(value as i64) } else { Float(value) })
}

fn item(dialect: Dialect, list: &ScriptValue, index: &ScriptValue) -> Result<ScriptValue, ScriptFailure> {
    let at = index.as_number().ok_or_else(|| ScriptFailure("an index is no number".to_owned()))?;
    let from_end = |length: usize| if at < 0.0 { length as f64 + at } else { at };
    let outside = || match (dialect, list) {
        (Dialect::JavaScript, _) => Ok(Text("undefined".to_owned())),
        (Dialect::Groovy, List(_)) => Ok(Null),
        _ => Err(ScriptFailure(format!("there is no item {at}"))),
    };
    match list {
        List(items) => {
            items.get(from_end(items.len()) as usize).map_or_else(outside, |item| Ok(item.clone()))
        }
        Text(text) => {
            let c = text.chars().nth(from_end(text.chars().count()) as usize);
            c.map_or_else(outside, |c| Ok(Text(c.to_string())))
        }
        _ => Err(ScriptFailure("only lists and texts have items".to_owned())),
    }
}
