//! Arithmetic of Groovy and BeanShell, whose numbers are Java's.

use super::{BinaryOperator as Op, Decimal, Dialect, ScriptValue};
use ScriptValue::{Float, Int, Integer};

/// Computes with two numbers. `None` where the language raises an exception: a division by 0, or values that are no numbers.
pub(super) fn arithmetic(
    dialect: Dialect,
    operator: Op,
    left: &ScriptValue,
    right: &ScriptValue,
) -> Option<ScriptValue> {
    match (left, right) {
        (Int(one), Int(two)) if !(operator == Op::Divide && dialect == Dialect::Groovy) => {
            of_ints(operator, *one, *two).map(Int)
        }
        (Int(_) | Integer(_), Int(_) | Integer(_)) => {
            let (one, two) = (long(left)?, long(right)?);
            if operator == Op::Divide && dialect == Dialect::Groovy {
                return Decimal::from(one).divided_by(Decimal::from(two)).map(ScriptValue::Decimal);
            }
            of_longs(operator, one, two).map(Integer)
        }
        (Float(_), _) | (_, Float(_)) => {
            let (one, two) = (number(left)?, number(right)?);
            Some(Float(of_doubles(operator, one, two)))
        }
        // Groovy 3 has no rest of decimal numbers.
        _ if operator == Op::Remainder => None,
        _ => of_decimals(operator, decimal(left)?, decimal(right)?).map(ScriptValue::Decimal),
    }
}

fn of_ints(operator: Op, one: i32, two: i32) -> Option<i32> {
    match operator {
        Op::Add => Some(one.wrapping_add(two)),
        Op::Subtract => Some(one.wrapping_sub(two)),
        Op::Multiply => Some(one.wrapping_mul(two)),
        Op::Divide => (two != 0).then(|| one.wrapping_div(two)),
        _ => (two != 0).then(|| one.wrapping_rem(two)),
    }
}

fn of_longs(operator: Op, one: i64, two: i64) -> Option<i64> {
    match operator {
        Op::Add => Some(one.wrapping_add(two)),
        Op::Subtract => Some(one.wrapping_sub(two)),
        Op::Multiply => Some(one.wrapping_mul(two)),
        Op::Divide => (two != 0).then(|| one.wrapping_div(two)),
        _ => (two != 0).then(|| one.wrapping_rem(two)),
    }
}

/// Computes with two numbers that have fractions.
pub(super) fn of_doubles(operator: Op, one: f64, two: f64) -> f64 {
    match operator {
        Op::Add => one + two,
        Op::Subtract => one - two,
        Op::Multiply => one * two,
        Op::Divide => one / two,
        _ => one % two,
    }
}

fn of_decimals(operator: Op, one: Decimal, two: Decimal) -> Option<Decimal> {
    match operator {
        Op::Add => one.plus(two),
        Op::Subtract => one.minus(two),
        Op::Multiply => one.times(two),
        _ => one.divided_by(two),
    }
}

fn long(value: &ScriptValue) -> Option<i64> {
    match value {
        Int(value) => Some(i64::from(*value)),
        Integer(value) => Some(*value),
        _ => None,
    }
}

fn number(value: &ScriptValue) -> Option<f64> {
    value.as_number().filter(|_| is_number(value))
}

fn decimal(value: &ScriptValue) -> Option<Decimal> {
    match value {
        ScriptValue::Decimal(value) => Some(*value),
        value => long(value).map(Decimal::from),
    }
}

/// Whether a value is a number, of whatever kind.
pub(super) const fn is_number(value: &ScriptValue) -> bool {
    matches!(value, Int(_) | Integer(_) | Float(_) | ScriptValue::Decimal(_))
}
