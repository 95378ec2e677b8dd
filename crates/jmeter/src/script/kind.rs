//! What is known of the kind of a value in a script before it runs. BeanShell compares texts by reference, so that only comparisons of
//! which no side is a text that was computed mean the same here.

use super::syntax::Raw;
use super::token::QuotedPart;
use traffic::scenario::{BinaryOperator, NumberKind, ScriptValue};

/// What a variable of a script was declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclaredKind {
    /// Anything.
    Any,
    Number(NumberKind),
    Text,
    Bool,
    /// The bytes of a text.
    Bytes,
    /// Bytes that were decoded, and need not be those of a text.
    DecodedBytes,
}

impl DeclaredKind {
    /// The kind that a type stands for; `None` for a type that is not supported.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "int" | "Integer" => Self::Number(NumberKind::Int),
            "long" | "Long" => Self::Number(NumberKind::Long),
            "double" | "Double" => Self::Number(NumberKind::Double),
            "BigDecimal" => Self::Number(NumberKind::Decimal),
            "String" => Self::Text,
            "boolean" | "Boolean" => Self::Bool,
            "def" | "var" | "float" | "Float" | "short" | "Short" | "byte" | "Byte" | "char"
            | "Character" | "BigInteger" => {
                return None;
            }
            _ => Self::Any,
        })
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownKind {
    /// A text that is written down. All that are the same are one object.
    WrittenText,
    /// A number, a truth value or null.
    Plain,
    Unknown,
}

/// Finds out the kind of a value. `declared` tells how a variable of the script was declared.
pub(super) fn kind_of(raw: &Raw, declared: &dyn Fn(&str) -> Option<DeclaredKind>) -> KnownKind {
    match raw {
        Raw::Constant(ScriptValue::Text(_)) => KnownKind::WrittenText,
        Raw::Constant(_) | Raw::Unary(..) | Raw::Hole(_) | Raw::InstanceOf(..) => KnownKind::Plain,
        Raw::Quoted(parts) if parts.iter().all(|part| !matches!(part, QuotedPart::Code(_))) => {
            KnownKind::WrittenText
        }
        Raw::Binary(BinaryOperator::Add, left, right) => {
            let both = [left, right].map(|side| kind_of(side, declared));
            if both == [KnownKind::Plain; 2] { KnownKind::Plain } else { KnownKind::Unknown }
        }
        Raw::Binary(BinaryOperator::Item | BinaryOperator::Elvis, ..) => KnownKind::Unknown,
        Raw::Binary(..) => KnownKind::Plain,
        Raw::Cast(_, _, kind) if kind != "String" => KnownKind::Plain,
        Raw::Name(name) => match declared(name) {
            Some(DeclaredKind::Number(_) | DeclaredKind::Bool) => KnownKind::Plain,
            _ => KnownKind::Unknown,
        },
        Raw::Member(_, name) if name == "length" => KnownKind::Plain,
        Raw::Call(callee, _) => match &**callee {
            Raw::Member(_, method) if gives_plain(method) => KnownKind::Plain,
            _ => KnownKind::Unknown,
        },
        _ => KnownKind::Unknown,
    }
}

/// Whether a method of this name gives a number or a truth value.
fn gives_plain(method: &str) -> bool {
    matches!(
        method,
        "length"
            | "size"
            | "indexOf"
            | "lastIndexOf"
            | "parseInt"
            | "parseLong"
            | "parseDouble"
            | "intValue"
            | "longValue"
            | "doubleValue"
            | "equals"
            | "equalsIgnoreCase"
            | "contains"
            | "startsWith"
            | "endsWith"
            | "matches"
            | "isEmpty"
            | "isSuccessful"
            | "nextInt"
            | "nextLong"
            | "getThreadNum"
            | "getTime"
            | "currentTimeMillis"
            | "random"
            | "round"
            | "floor"
            | "ceil"
            | "abs"
            | "min"
            | "max"
    )
}
