//! The names that scripts of plans use: JMeter's objects, and a little of Java, Groovy and JavaScript.

use traffic::scenario::{
    BinaryOperator, Expr, Function, ResponsePart, ScriptValue, Statement, UnaryOperator,
};

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
const ALPHANUMERIC: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// What a function means.
pub(super) enum Meaning {
    /// A function with the same arguments.
    Function(Function),
    /// A text as long as the first argument says, of these characters.
    RandomText(&'static str),
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
    pub(super) fn call(self, mut arguments: Vec<Expr>) -> Option<Expr> {
        let number = |value| Expr::Constant(ScriptValue::Integer(value));
        Some(match self {
            Self::Function(Function::RandomBetween) if arguments.len() == 1 => {
                arguments.insert(0, number(0));
                Expr::Call(Function::RandomBetween, arguments)
            }
            Self::Function(function) => Expr::Call(function, arguments),
            Self::RandomText(letters) => {
                arguments.push(Expr::literal(letters));
                Expr::Call(Function::RandomText, arguments)
            }
            Self::UserFromZero => {
                let user = Expr::Call(Function::UserNumber, Vec::new());
                Expr::binary(user, BinaryOperator::Subtract, number(1))
            }
            _ if arguments.is_empty() => return None,
            Self::Same => arguments.remove(0),
            Self::ParseBool => is_true_text(arguments.remove(0)),
            Self::Empty => Expr::Unary(UnaryOperator::Not, Box::new(arguments.remove(0))),
        })
    }
}

fn is_true_text(value: Expr) -> Expr {
    let text = Expr::Call(Function::ToText, vec![value]);
    Expr::Call(Function::EqualsIgnoreCase, vec![text, Expr::literal("true")])
}

/// Returns what the function of this name means when it has so many arguments. Packages are left out of the name.
pub(super) fn function(name: &str, arguments: usize) -> Option<Meaning> {
    let simply = |function| Some(Meaning::Function(function));
    let answer = |part| simply(Function::Response(part));
    let name = name.replacen("SampleResult.", "prev.", 1);
    let name = name.strip_prefix("ctx.getPreviousResult.").unwrap_or(&name);
    match (name, arguments) {
        ("vars.get", 1) => simply(Function::Variable),
        ("vars.put", 2) => simply(Function::PutVariable),
        ("vars.remove", 1) => simply(Function::RemoveVariable),
        ("props.get" | "props.getProperty" | "props.getOrDefault", 1 | 2) => simply(Function::Property),
        ("props.put" | "props.setProperty", 2) => simply(Function::PutProperty),
        ("prev.getResponseCode", 0) => answer(ResponsePart::Status),
        ("prev.getResponseMessage", 0) => answer(ResponsePart::Reason),
        ("prev.getResponseDataAsString", 0) => answer(ResponsePart::Body),
        ("prev.getResponseHeaders", 0) => answer(ResponsePart::Head),
        ("prev.getTime", 0) => answer(ResponsePart::Milliseconds),
        ("prev.isSuccessful" | "prev.getSuccessful", 0) => simply(Function::Succeeded),
        ("prev.setSuccessful", 1) => simply(Function::SetSucceeded),
        ("AssertionResult.setFailureMessage", 1) => simply(Function::Fail),
        ("ctx.getThreadNum", 0) => Some(Meaning::UserFromZero),
        ("Thread.sleep" | "sleep", 1) => simply(Function::Sleep),
        (
            "println" | "print" | "System.out.println" | "OUT.println" | "System.out.print" | "OUT.print",
            _,
        ) => simply(Function::Nothing),
        ("UUID.randomUUID", 0) => simply(Function::Uuid),
        (
            "System.currentTimeMillis" | "Date.now" | "LocalDateTime.now" | "LocalDate.now" | "Instant.now",
            0,
        ) => simply(Function::Time(Vec::new())),
        ("Math.random", 0) => simply(Function::Random),
        ("Math.floor", 1) => simply(Function::Floor),
        ("Math.round", 1) => simply(Function::Round),
        ("Math.ceil", 1) => simply(Function::Ceiling),
        ("Math.abs", 1) => simply(Function::Absolute),
        ("Math.min", 2) => simply(Function::Minimum),
        ("Math.max", 2) => simply(Function::Maximum),
        ("RandomUtils.nextInt" | "RandomUtils.nextLong", 2) => simply(Function::RandomBetween),
        ("RandomStringUtils.randomAlphabetic", 1) => Some(Meaning::RandomText(LETTERS)),
        ("RandomStringUtils.randomAlphanumeric", 1) => Some(Meaning::RandomText(ALPHANUMERIC)),
        ("RandomStringUtils.randomNumeric", 1) => Some(Meaning::RandomText(DIGITS)),
        ("Integer.parseInt" | "Integer.valueOf" | "Long.parseLong" | "Long.valueOf" | "parseInt", 1) => {
            simply(Function::ToInteger)
        }
        ("Double.parseDouble" | "Float.parseFloat" | "Double.valueOf" | "parseFloat" | "Number", 1) => {
            simply(Function::ToFloat)
        }
        ("String.valueOf" | "String" | "Integer.toString" | "Long.toString", 1) => simply(Function::ToText),
        ("Boolean.parseBoolean" | "Boolean.valueOf", 1) => Some(Meaning::ParseBool),
        ("empty", 1) => Some(Meaning::Empty),
        ("size", 1) => simply(Function::Length),
        ("Objects.requireNonNull", 1) => Some(Meaning::Same),
        _ if name.starts_with("log.") => simply(Function::Nothing),
        _ => None,
    }
}

/// Returns what a name by itself means.
pub(super) fn name(name: &str) -> Option<Expr> {
    let function = match name {
        "ResponseCode" => Function::Response(ResponsePart::Status),
        "ResponseMessage" => Function::Response(ResponsePart::Reason),
        _ => return None,
    };
    Some(Expr::Call(function, Vec::new()))
}

/// BeanShell fails an answer by `Failure = true` and `FailureMessage = "…"`. Returns the statement for such an assignment;
/// `None` for any other, and `Some(None)` for one without effect.
pub(super) fn failure(name: &str, value: &Expr) -> Option<Option<Statement>> {
    let fail = |message: Expr| Statement::Value(Expr::Call(Function::Fail, vec![message]));
    match (name, value) {
        ("Failure", Expr::Constant(ScriptValue::Bool(false))) => Some(None),
        ("Failure", value) => {
            let message = Expr::Constant(ScriptValue::Text("the script failed it".to_owned()));
            Some(Some(Statement::If(value.clone(), vec![fail(message)], Vec::new())))
        }
        ("FailureMessage", _) => Some(None),
        _ => None,
    }
}

/// Returns a value converted to a type; `None` for a type that is not known.
pub(super) fn cast(value: Expr, kind: &str) -> Option<Expr> {
    let method = match kind {
        "int" | "Integer" | "long" | "Long" | "short" | "BigInteger" => Function::ToInteger,
        "double" | "Double" | "float" | "Float" | "BigDecimal" => Function::ToFloat,
        "String" => Function::ToText,
        _ => return None,
    };
    Some(Expr::Call(method, vec![value]))
}

/// What a method of a value means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MethodMeaning {
    /// A function of the value and the arguments.
    Function(Function),
    /// An operator of the value and the argument.
    Operator(BinaryOperator),
    ParseBool,
    Same,
}

impl MethodMeaning {
    pub(super) fn call(self, of: Expr, mut arguments: Vec<Expr>) -> Expr {
        match self {
            Self::Function(function) => {
                arguments.insert(0, of);
                Expr::Call(function, arguments)
            }
            Self::Operator(operator) => Expr::binary(of, operator, arguments.remove(0)),
            Self::ParseBool => is_true_text(of),
            Self::Same => of,
        }
    }
}

/// Returns what a method of this name means.
pub(super) fn method(name: &str) -> Option<MethodMeaning> {
    let operator = |operator| Some(MethodMeaning::Operator(operator));
    let function = match name {
        "equals" => Function::Equals,
        "equalsIgnoreCase" => Function::EqualsIgnoreCase,
        "startsWith" => Function::StartsWith,
        "endsWith" => Function::EndsWith,
        "isEmpty" => Function::IsEmpty,
        "length" | "size" => Function::Length,
        "trim" | "strip" => Function::Trim,
        "toLowerCase" => Function::Lower,
        "toUpperCase" => Function::Upper,
        "toInteger" | "toLong" | "intValue" | "longValue" => Function::ToInteger,
        "toDouble" | "toFloat" | "toBigDecimal" | "doubleValue" => Function::ToFloat,
        "toString" => Function::ToText,
        "substring" => Function::Substring,
        "indexOf" => Function::IndexOf,
        "replace" | "replaceAll" => Function::Replace,
        "split" | "tokenize" => Function::Split,
        "contains" | "includes" => return operator(BinaryOperator::Contains),
        "matches" => return operator(BinaryOperator::Matches),
        "get" | "charAt" | "getAt" => return operator(BinaryOperator::Item),
        "concat" => return operator(BinaryOperator::Add),
        "toBoolean" | "asBoolean" | "booleanValue" => return Some(MethodMeaning::ParseBool),
        "getTimeInMillis" | "toEpochMilli" => return Some(MethodMeaning::Same),
        _ => return None,
    };
    Some(MethodMeaning::Function(function))
}

/// Returns whether the method can be called with these arguments. `split` and `replaceAll` take a regular expression in Java,
/// so that only fixed texts without special characters are taken here.
pub(super) fn takes(method: &MethodMeaning, arguments: &[Expr]) -> bool {
    let plain = |at: usize| match arguments.get(at) {
        Some(Expr::Constant(ScriptValue::Text(text))) => {
            !text.is_empty()
                && !text.contains(['\\', '.', '*', '+', '?', '|', '(', ')', '[', ']', '{', '}', '^', '$'])
        }
        _ => false,
    };
    let count = arguments.len();
    match method {
        MethodMeaning::Function(Function::Split) => count == 1 && plain(0),
        MethodMeaning::Function(Function::Replace) => count == 2 && plain(0),
        MethodMeaning::Function(Function::Substring) => count == 1 || count == 2,
        MethodMeaning::Operator(_)
        | MethodMeaning::Function(
            Function::Equals
            | Function::EqualsIgnoreCase
            | Function::StartsWith
            | Function::EndsWith
            | Function::IndexOf,
        ) => count == 1,
        _ => count == 0,
    }
}

/// Returns what a method of a source of random numbers means.
pub(super) fn random(method: &str, arguments: Vec<Expr>) -> Option<Expr> {
    match (method, arguments.len()) {
        ("nextInt" | "nextLong", 1 | 2) => Meaning::Function(Function::RandomBetween).call(arguments),
        ("nextDouble" | "nextFloat", 0) => Some(Expr::Call(Function::Random, Vec::new())),
        _ => None,
    }
}
