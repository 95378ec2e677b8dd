//! The names that scripts of plans use: JMeter's objects, and a little of Java, Groovy and JavaScript.

use model::scenario::{
    BinaryOperator, Expression, ResponsePart, ScriptFunction, ScriptValue, Statement, TextMethod,
    UnaryOperator,
};

/// What a function means.
pub(super) enum Meaning {
    /// A function with the same arguments.
    Function(ScriptFunction),
    /// A method of the first argument.
    Method(TextMethod),
    /// The first argument.
    Same,
    /// Whether the first argument is the text `true`.
    ParseBool,
    /// Whether the first argument is null or empty.
    Empty,
    /// The number of the user from 0.
    UserFromZero,
}

impl Meaning {
    /// Returns the call with its arguments; `None` where they do not fit.
    pub(super) fn call(self, mut arguments: Vec<Expression>) -> Option<Expression> {
        let number = |value| Expression::Constant(ScriptValue::Integer(value));
        Some(match self {
            Self::Function(ScriptFunction::RandomBetween) if arguments.len() == 1 => {
                arguments.insert(0, number(0));
                Expression::Function(ScriptFunction::RandomBetween, arguments)
            }
            Self::Function(function) => Expression::Function(function, arguments),
            Self::UserFromZero => Expression::Binary(
                BinaryOperator::Subtract,
                Box::new(Expression::Function(ScriptFunction::UserNumber, Vec::new())),
                Box::new(number(1)),
            ),
            _ if arguments.is_empty() => return None,
            Self::Method(method) => {
                let first = arguments.remove(0);
                Expression::Method(method, Box::new(first), Vec::new())
            }
            Self::Same => arguments.remove(0),
            Self::ParseBool => is_true_text(arguments.remove(0)),
            Self::Empty => Expression::Unary(UnaryOperator::Not, Box::new(arguments.remove(0))),
        })
    }
}

fn is_true_text(value: Expression) -> Expression {
    let text = Expression::Method(TextMethod::ToText, Box::new(value), Vec::new());
    let yes = Expression::Constant(ScriptValue::Text("true".to_owned()));
    Expression::Method(TextMethod::EqualsIgnoreCase, Box::new(text), vec![yes])
}

/// Returns what the function of this name means when it has so many arguments. Packages are left out of the name.
pub(super) fn function(name: &str, arguments: usize) -> Option<Meaning> {
    use Meaning::{Function, Method, Same};
    let answer = |part| Some(Function(ScriptFunction::Response(part)));
    let name = name.replacen("SampleResult.", "prev.", 1);
    let name = name.strip_prefix("ctx.getPreviousResult.").unwrap_or(&name);
    match (name, arguments) {
        ("vars.get", 1) => Some(Function(ScriptFunction::Variable)),
        ("vars.put", 2) => Some(Function(ScriptFunction::PutVariable)),
        ("vars.remove", 1) => Some(Function(ScriptFunction::RemoveVariable)),
        ("props.get" | "props.getProperty" | "props.getOrDefault", 1 | 2) => {
            Some(Function(ScriptFunction::Property))
        }
        ("props.put" | "props.setProperty", 2) => Some(Function(ScriptFunction::PutProperty)),
        ("prev.getResponseCode", 0) => answer(ResponsePart::Status),
        ("prev.getResponseMessage", 0) => answer(ResponsePart::Reason),
        ("prev.getResponseDataAsString", 0) => answer(ResponsePart::Body),
        ("prev.getResponseHeaders", 0) => answer(ResponsePart::Head),
        ("prev.getTime", 0) => answer(ResponsePart::Milliseconds),
        ("prev.isSuccessful" | "prev.getSuccessful", 0) => Some(Function(ScriptFunction::Succeeded)),
        ("prev.setSuccessful", 1) => Some(Function(ScriptFunction::SetSucceeded)),
        ("AssertionResult.setFailureMessage", 1) => Some(Function(ScriptFunction::Fail)),
        ("ctx.getThreadNum", 0) => Some(Meaning::UserFromZero),
        ("Thread.sleep" | "sleep", 1) => Some(Function(ScriptFunction::Sleep)),
        (
            "println" | "print" | "System.out.println" | "OUT.println" | "System.out.print" | "OUT.print",
            _,
        ) => Some(Function(ScriptFunction::Nothing)),
        ("UUID.randomUUID", 0) => Some(Function(ScriptFunction::Uuid)),
        (
            "System.currentTimeMillis" | "Date.now" | "LocalDateTime.now" | "LocalDate.now" | "Instant.now",
            0,
        ) => Some(Function(ScriptFunction::Now)),
        ("Math.random", 0) => Some(Function(ScriptFunction::Random)),
        ("Math.floor", 1) => Some(Function(ScriptFunction::Floor)),
        ("Math.round", 1) => Some(Function(ScriptFunction::Round)),
        ("Math.ceil", 1) => Some(Function(ScriptFunction::Ceiling)),
        ("Math.abs", 1) => Some(Function(ScriptFunction::Absolute)),
        ("Math.min", 2) => Some(Function(ScriptFunction::Minimum)),
        ("Math.max", 2) => Some(Function(ScriptFunction::Maximum)),
        ("RandomUtils.nextInt" | "RandomUtils.nextLong", 2) => Some(Function(ScriptFunction::RandomBetween)),
        ("RandomStringUtils.randomAlphabetic", 1) => Some(Function(ScriptFunction::RandomLetters)),
        ("RandomStringUtils.randomAlphanumeric", 1) => Some(Function(ScriptFunction::RandomAlphanumeric)),
        ("RandomStringUtils.randomNumeric", 1) => Some(Function(ScriptFunction::RandomDigits)),
        ("Integer.parseInt" | "Integer.valueOf" | "Long.parseLong" | "Long.valueOf" | "parseInt", 1) => {
            Some(Method(TextMethod::ToInteger))
        }
        ("Double.parseDouble" | "Float.parseFloat" | "Double.valueOf" | "parseFloat" | "Number", 1) => {
            Some(Method(TextMethod::ToFloat))
        }
        ("String.valueOf" | "String" | "Integer.toString" | "Long.toString", 1) => {
            Some(Method(TextMethod::ToText))
        }
        ("Boolean.parseBoolean" | "Boolean.valueOf", 1) => Some(Meaning::ParseBool),
        ("empty", 1) => Some(Meaning::Empty),
        ("size", 1) => Some(Method(TextMethod::Length)),
        ("Objects.requireNonNull", 1) => Some(Same),
        _ if name.starts_with("log.") => Some(Function(ScriptFunction::Nothing)),
        _ => None,
    }
}

/// Returns what a name by itself means.
pub(super) fn name(name: &str) -> Option<Expression> {
    let function = match name {
        "ResponseCode" => ScriptFunction::Response(ResponsePart::Status),
        "ResponseMessage" => ScriptFunction::Response(ResponsePart::Reason),
        _ => return None,
    };
    Some(Expression::Function(function, Vec::new()))
}

/// BeanShell fails an answer by `Failure = true` and `FailureMessage = "…"`. Returns the statement for such an assignment;
/// `None` for any other, and `Some(None)` for one without effect.
pub(super) fn failure(name: &str, value: &Expression) -> Option<Option<Statement>> {
    let fail =
        |message: Expression| Statement::Value(Expression::Function(ScriptFunction::Fail, vec![message]));
    match (name, value) {
        ("Failure", Expression::Constant(ScriptValue::Bool(false))) => Some(None),
        ("Failure", value) => {
            let message = Expression::Constant(ScriptValue::Text("the script failed it".to_owned()));
            Some(Some(Statement::If(value.clone(), vec![fail(message)], Vec::new())))
        }
        ("FailureMessage", _) => Some(None),
        _ => None,
    }
}

/// Returns a value converted to a type; `None` for a type that is not known.
pub(super) fn cast(value: Expression, kind: &str) -> Option<Expression> {
    let method = match kind {
        "int" | "Integer" | "long" | "Long" | "short" | "BigInteger" => TextMethod::ToInteger,
        "double" | "Double" | "float" | "Float" | "BigDecimal" => TextMethod::ToFloat,
        "String" => TextMethod::ToText,
        _ => return None,
    };
    Some(Expression::Method(method, Box::new(value), Vec::new()))
}

/// A method of a value, or the negation of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MethodMeaning {
    Method(TextMethod),
    ParseBool,
    Same,
    CharAt,
    Concat,
}

impl MethodMeaning {
    pub(super) fn call(self, of: Box<Expression>, mut arguments: Vec<Expression>) -> Expression {
        match self {
            Self::Method(method) => Expression::Method(method, of, arguments),
            Self::ParseBool => is_true_text(*of),
            Self::Same => *of,
            Self::CharAt => Expression::Binary(BinaryOperator::Item, of, Box::new(arguments.remove(0))),
            Self::Concat => Expression::Binary(BinaryOperator::Add, of, Box::new(arguments.remove(0))),
        }
    }
}

/// Returns what a method of this name means.
pub(super) fn method(name: &str) -> Option<MethodMeaning> {
    let method = match name {
        "equals" => TextMethod::Equals,
        "equalsIgnoreCase" => TextMethod::EqualsIgnoreCase,
        "contains" | "includes" => TextMethod::Contains,
        "startsWith" => TextMethod::StartsWith,
        "endsWith" => TextMethod::EndsWith,
        "isEmpty" => TextMethod::IsEmpty,
        "length" | "size" => TextMethod::Length,
        "trim" | "strip" => TextMethod::Trim,
        "toLowerCase" => TextMethod::ToLowerCase,
        "toUpperCase" => TextMethod::ToUpperCase,
        "toInteger" | "toLong" | "intValue" | "longValue" => TextMethod::ToInteger,
        "toDouble" | "toFloat" | "toBigDecimal" | "doubleValue" => TextMethod::ToFloat,
        "toString" => TextMethod::ToText,
        "matches" => TextMethod::Matches,
        "substring" => TextMethod::Substring,
        "indexOf" => TextMethod::IndexOf,
        "replace" | "replaceAll" => TextMethod::Replace,
        "split" | "tokenize" => TextMethod::Split,
        "toBoolean" | "asBoolean" | "booleanValue" => return Some(MethodMeaning::ParseBool),
        "get" | "charAt" | "getAt" => return Some(MethodMeaning::CharAt),
        "concat" => return Some(MethodMeaning::Concat),
        "getTimeInMillis" | "toEpochMilli" => return Some(MethodMeaning::Same),
        _ => return None,
    };
    Some(MethodMeaning::Method(method))
}

/// Returns whether the method can be called with these arguments. `split` and `replaceAll` take a regular expression in Java,
/// so that only fixed texts without special characters are taken here.
pub(super) fn takes(method: MethodMeaning, arguments: &[Expression]) -> bool {
    let plain = |at: usize| match arguments.get(at) {
        Some(Expression::Constant(ScriptValue::Text(text))) => {
            !text.is_empty()
                && !text.contains(['\\', '.', '*', '+', '?', '|', '(', ')', '[', ']', '{', '}', '^', '$'])
        }
        _ => false,
    };
    let count = arguments.len();
    match method {
        MethodMeaning::Method(TextMethod::Split) => count == 1 && plain(0),
        MethodMeaning::Method(TextMethod::Replace) => count == 2 && plain(0),
        MethodMeaning::Method(TextMethod::Substring) => count == 1 || count == 2,
        MethodMeaning::CharAt
        | MethodMeaning::Concat
        | MethodMeaning::Method(
            TextMethod::Equals
            | TextMethod::EqualsIgnoreCase
            | TextMethod::Contains
            | TextMethod::StartsWith
            | TextMethod::EndsWith
            | TextMethod::Matches
            | TextMethod::IndexOf,
        ) => count == 1,
        _ => count == 0,
    }
}

/// Returns what a method of a source of random numbers means.
pub(super) fn random(method: &str, arguments: Vec<Expression>) -> Option<Expression> {
    match (method, arguments.len()) {
        ("nextInt" | "nextLong", 1 | 2) => Meaning::Function(ScriptFunction::RandomBetween).call(arguments),
        ("nextDouble" | "nextFloat", 0) => Some(Expression::Function(ScriptFunction::Random, Vec::new())),
        _ => None,
    }
}
