//! [`ScriptValue`]: the value of an expression, and how it is printed.

use super::{Decimal, Dialect};
use serde::{Deserialize, Serialize};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScriptValue {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number of 32 bits, as Groovy and BeanShell have it.
    Int(i32),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A decimal number of Groovy.
    Decimal(Decimal),
    Text(String),
    /// Several values.
    List(Vec<ScriptValue>),
}

/// Why a script ended before its end. JMeter logs it, and goes on with an empty value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFailure(
    /// What went wrong, in English.
    pub String,
);

impl ScriptValue {
    /// Returns the value as text, such as it is when it is put into a variable.
    pub fn to_text(&self, dialect: Dialect) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Decimal(value) => value.to_string(),
            Self::Float(value) => float_text(*value, dialect),
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item.to_text(dialect)).collect();
                match dialect {
                    Dialect::JavaScript => items.join(","),
                    _ => format!("[{}]", items.join(", ")),
                }
            }
        }
    }

    /// Returns whether the value counts as true.
    pub fn is_true(&self, dialect: Dialect) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Integer(value) => *value != 0,
            Self::Decimal(value) => !value.is_zero(),
            Self::Float(value) => *value != 0.0 && !value.is_nan(),
            Self::Text(text) if dialect.is_jexl() => !text.is_empty() && text != "false",
            Self::Text(text) if dialect == Dialect::Text => !matches!(text.as_str(), "" | "false" | "0"),
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => dialect == Dialect::JavaScript || !items.is_empty(),
        }
    }

    /// Returns the number that a text or number is; `None` if it is none.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(f64::from(*value)),
            Self::Integer(value) => Some(*value as f64),
            Self::Decimal(value) => Some(value.to_f64()),
            Self::Float(value) => Some(*value),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Null | Self::List(_) => None,
        }
    }

    /// Takes a text for what it would be if it stood in a script: a number, a truth value, null or a text in quotes. `None`
    /// for anything else.
    pub fn of_literal(text: &str, dialect: Dialect) -> Option<Self> {
        let text = text.trim();
        let quoted = |quote: char| {
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            (!inner.contains(quote)).then(|| Self::Text(inner.to_owned()))
        };
        let numeric = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        match text {
            "true" => Some(Self::Bool(true)),
            "false" => Some(Self::Bool(false)),
            "null" => Some(Self::Null),
            _ if text.starts_with(numeric) => Self::of_number(text, dialect),
            _ => quoted('"').or_else(|| quoted('\'')),
        }
    }

    /// Takes the text of a number for the kind of number that the language makes of it. A whole number that begins with 0 has base 8.
    pub fn of_number(text: &str, dialect: Dialect) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let octal = i64::from_str_radix(digits, 8).ok()?;
            return Some(Self::whole(if text.starts_with('-') { -octal } else { octal }, dialect));
        }
        match (text.parse::<i64>(), dialect) {
            (Ok(whole), Dialect::BeanShell) => i32::try_from(whole).ok().map(Self::Int),
            (Ok(whole), Dialect::JavaScript) if whole.unsigned_abs() > 1 << 53 => {
                Some(Self::Float(whole as f64))
            }
            (Ok(whole), _) => Some(Self::whole(whole, dialect)),
            (Err(_), Dialect::Groovy) => {
                Decimal::parse(text).filter(|_| text.contains('.')).map(Self::Decimal)
            }
            (Err(_), _) => text.parse().ok().map(Self::Float),
        }
    }

    /// A whole number of the kind that the language has for a number of this size.
    pub fn whole(value: i64, dialect: Dialect) -> Self {
        match i32::try_from(value) {
            Ok(value) if dialect.is_java() => Self::Int(value),
            _ => Self::Integer(value),
        }
    }
}

/// Writes a number with a fraction as the language does.
fn float_text(value: f64, dialect: Dialect) -> String {
    match dialect {
        Dialect::JavaScript => javascript_text(value),
        Dialect::Groovy | Dialect::BeanShell | Dialect::Jexl | Dialect::Jexl2 => java_text(value),
        Dialect::Text | Dialect::JsonPath if value.fract() == 0.0 && value.abs() < 1e15 => {
            format!("{value:.1}")
        }
        Dialect::Text | Dialect::JsonPath => value.to_string(),
    }
}

/// As Java's `Double.toString`: with an exponent from ten millions on and below a thousandth.
fn java_text(value: f64) -> String {
    if !value.is_finite() {
        return infinite_text(value);
    }
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return format!("{value:?}");
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

/// As JavaScript's `Number.prototype.toString`.
fn javascript_text(value: f64) -> String {
    if !value.is_finite() {
        return infinite_text(value);
    }
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return if value == 0.0 { "0".to_owned() } else { value.to_string() };
    }
    let text = format!("{value:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

fn infinite_text(value: f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_owned(),
        value if value > 0.0 => "Infinity".to_owned(),
        _ => "-Infinity".to_owned(),
    }
}
