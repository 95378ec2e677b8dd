//! [`Conversion`]: how scripts make numbers of other values.

use super::{Decimal, Dialect, ScriptFailure, ScriptValue};
use ScriptValue::{Float, Int, Integer, Text};
use serde::{Deserialize, Serialize};

/// A kind of number of Java.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NumberKind {
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
    /// With a fraction, 64 bits.
    Double,
    /// `BigDecimal`.
    Decimal,
}

/// How a value becomes a number of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Conversion {
    /// A cast, which drops a fraction and takes numbers only.
    Cast,
    /// `as int` or `toInteger()`: a cast that takes texts that are numbers, too, with spaces around them.
    Coerce,
    /// `Integer.parseInt`: the whole text has to be a number.
    Parse,
    /// A variable of this kind gets the value. It takes numbers only.
    Assign,
    /// A variable of BeanShell gets another value, which has to fit without a loss.
    Reassign,
}

/// Makes a number of this kind of a value.
pub(super) fn converted(
    dialect: Dialect,
    conversion: Conversion,
    kind: NumberKind,
    value: &ScriptValue,
) -> Result<ScriptValue, ScriptFailure> {
    let failed = || ScriptFailure(format!("`{}` is no {kind:?}", value.to_text(dialect)));
    match (value, conversion) {
        (Text(text), Conversion::Parse | Conversion::Coerce) => {
            let trims = conversion == Conversion::Coerce || kind == NumberKind::Double;
            parsed(if trims { text.trim() } else { text }, kind).ok_or_else(failed)
        }
        (Float(_), Conversion::Reassign) if kind != NumberKind::Double => Err(failed()),
        (Integer(_), Conversion::Reassign) if kind == NumberKind::Int => Err(failed()),
        (number, _) => of_number(number, kind).ok_or_else(failed),
    }
}

fn parsed(text: &str, kind: NumberKind) -> Option<ScriptValue> {
    match kind {
        NumberKind::Int => text.parse().ok().map(Int),
        NumberKind::Long => text.parse().ok().map(Integer),
        NumberKind::Decimal => Decimal::parse(text).map(ScriptValue::Decimal),
        // Rust takes `inf` and `nan`, and Java does not.
        NumberKind::Double => {
            let is_number = !text.contains(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
            text.parse().ok().filter(|_| is_number).map(Float)
        }
    }
}

/// Returns a number as a number of another kind; `None` for what is no number.
fn of_number(value: &ScriptValue, kind: NumberKind) -> Option<ScriptValue> {
    // Whole numbers lose their upper bits, and numbers with a fraction become the nearest number that there is.
    let whole: i128 = match value {
        Int(value) => i128::from(*value),
        Integer(value) => i128::from(*value),
        ScriptValue::Decimal(value) => value.trunc(),
        Float(value) if kind == NumberKind::Int => i128::from(*value as i32),
        Float(value) => i128::from(*value as i64),
        _ => return None,
    };
    Some(match (kind, value) {
        (NumberKind::Int, _) => Int(whole as i32),
        (NumberKind::Long, _) => Integer(whole as i64),
        (NumberKind::Double, value) => Float(value.as_number()?),
        (NumberKind::Decimal, ScriptValue::Decimal(value)) => ScriptValue::Decimal(*value),
        (NumberKind::Decimal, Float(value)) => ScriptValue::Decimal(Decimal::parse(&value.to_string())?),
        (NumberKind::Decimal, _) => ScriptValue::Decimal(Decimal::from(whole as i64)),
    })
}
