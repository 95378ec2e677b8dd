//! [`ScriptValue`]: the value of an expression, and how it is printed.

use super::Dialect;
use serde::{Deserialize, Serialize};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScriptValue {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    Text(String),
    /// Several values.
    List(Vec<ScriptValue>),
}

impl ScriptValue {
    /// Returns the value as text, such as it is when it is put into a variable.
    pub fn to_text(&self, dialect: Dialect) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e15 => match dialect {
                Dialect::JavaScript => format!("{value:.0}"),
                _ => format!("{value:.1}"),
            },
            Self::Float(value) => value.to_string(),
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
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0 && !value.is_nan(),
            Self::Text(text) if dialect == Dialect::Jexl => !text.is_empty() && text != "false",
            Self::Text(text) if dialect == Dialect::Text => !matches!(text.as_str(), "" | "false" | "0"),
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => dialect == Dialect::JavaScript || !items.is_empty(),
        }
    }

    /// Returns the number that a text or number is; `None` if it is none.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Null | Self::List(_) => None,
        }
    }

    /// Takes a text for what it would be if it stood in a script: a number, a truth value, null or a text in quotes. `None`
    /// for anything else.
    pub fn of_literal(text: &str) -> Option<Self> {
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
            _ if text.starts_with(numeric) => {
                text.parse().map(Self::Integer).or_else(|_| text.parse().map(Self::Float)).ok()
            }
            _ => quoted('"').or_else(|| quoted('\'')),
        }
    }
}
