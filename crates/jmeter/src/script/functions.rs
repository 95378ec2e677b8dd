//! The names that scripts of plans use: JMeter's objects, and a little of Java, Groovy and JavaScript.

use super::KnownAnswer;
use crate::regex::translated;
use traffic::scenario::{
    BinaryOperator, Comparison, Conversion, Dialect, DigestAlgorithm, Expr, Function, NumberKind,
    ResponsePart, ScriptValue, Statement, Template, UnaryOperator, values_of_format,
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
    /// The name of the user: its group and number.
    UserName,
    /// Fails the last answer if the first argument is true.
    FailIf,
    /// The first argument as a number of JavaScript.
    JavaScriptNumber,
    /// The same text in every call.
    Fixed(&'static str),
}

impl Meaning {
    /// Whether it does nothing, whatever its arguments are.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Function(Function::Nothing))
    }

    /// Whether its argument may be bytes: it is encoded, or it is Base64 that is decoded.
    pub(super) const fn takes_bytes(&self) -> bool {
        matches!(self, Self::Function(Function::Base64 | Function::Base64Decode | Function::Digest(_)))
    }

    /// Returns the call with its arguments; `None` where they do not fit.
    pub(super) fn call(self, mut arguments: Vec<Expr>) -> Option<Expr> {
        let number = |value| Expr::Constant(ScriptValue::Int(value));
        Some(match self {
            Self::Function(Function::Property) if is_number(arguments.get(1)) => {
                let property = Expr::Call(Function::Property, arguments);
                Expr::Call(Function::Number(Conversion::Coerce, NumberKind::Int), vec![property])
            }
            Self::Function(Function::RandomBetween) if arguments.len() == 1 => {
                arguments.insert(0, number(0));
                Expr::Call(Function::RandomBetween, arguments)
            }
            Self::Function(Function::Format) => {
                let values = values_of_format(arguments.first()?.as_literal()?)?;
                return (values + 1 == arguments.len()).then_some(Expr::Call(Function::Format, arguments));
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
            Self::Fixed(text) => Expr::literal(text),
            Self::UserName => {
                let mut name = Template::from(Expr::Call(Function::GroupName, Vec::new()));
                name.push_literal(" 1-");
                name.push(Expr::Call(Function::UserNumber, Vec::new()));
                Expr::Text(name)
            }
            _ if arguments.is_empty() => return None,
            Self::FailIf => {
                let fail = Expr::Call(Function::Fail, vec![Expr::literal("the script failed it")]);
                let nothing = Box::new(Expr::Constant(ScriptValue::Null));
                Expr::Choice(Box::new(arguments.remove(0)), Box::new(fail), nothing)
            }
            Self::JavaScriptNumber => Expr::binary(arguments.remove(0), BinaryOperator::Subtract, number(0)),
            Self::Same => arguments.remove(0),
            Self::ParseBool => is_true_text(arguments.remove(0)),
            Self::Empty => Expr::Unary(UnaryOperator::Not, Box::new(arguments.remove(0))),
        })
    }
}

fn is_number(value: Option<&Expr>) -> bool {
    matches!(value, Some(Expr::Constant(ScriptValue::Int(_) | ScriptValue::Integer(_))))
}

fn is_true_text(value: Expr) -> Expr {
    let text = Expr::Call(Function::ToText, vec![value]);
    Expr::Call(Function::EqualsIgnoreCase, vec![text, Expr::literal("true")])
}

/// Returns what the function of this name means when it has so many arguments. Packages are left out of the name.
pub(super) fn function(name: &str, arguments: usize, dialect: Dialect) -> Option<Meaning> {
    let name = name.replacen("SampleResult.", "prev.", 1);
    let name = name.strip_prefix("ctx.getPreviousResult.").unwrap_or(&name);
    of_jmeter(name, arguments).or_else(|| match dialect {
        Dialect::Jexl | Dialect::Jexl2 => match (name, arguments) {
            ("empty", 1) => Some(Meaning::Empty),
            ("size", 1) => Some(Meaning::Function(Function::Length)),
            _ => None,
        },
        _ => of_java(name, arguments, dialect),
    })
}

/// Returns what a script has to know of the last answer to call a function.
pub(super) fn needs_answer(name: &str) -> KnownAnswer {
    match name.strip_prefix("prev.").or(name.strip_prefix("SampleResult.")) {
        None => KnownAnswer::Nothing,
        Some("getResponseCode" | "isSuccessful" | "getSuccessful") => KnownAnswer::Status,
        Some(_) => KnownAnswer::Whole,
    }
}

/// Functions of JMeter's objects, which all languages know.
fn of_jmeter(name: &str, arguments: usize) -> Option<Meaning> {
    let simply = |function| Some(Meaning::Function(function));
    let answer = |part| simply(Function::Response(part));
    match (name, arguments) {
        ("vars.get", 1) => simply(Function::Variable),
        ("vars.put", 2) => simply(Function::PutVariable),
        ("vars.remove", 1) => simply(Function::RemoveVariable),
        (
            "props.get"
            | "props.getProperty"
            | "props.getOrDefault"
            | "JMeterUtils.getProperty"
            | "JMeterUtils.getPropDefault",
            1 | 2,
        ) => simply(Function::Property),
        ("props.put" | "props.setProperty" | "JMeterUtils.setProperty", 2) => simply(Function::PutProperty),
        ("prev.getResponseCode", 0) => answer(ResponsePart::Status),
        ("prev.getResponseMessage", 0) => answer(ResponsePart::Reason),
        ("prev.getResponseDataAsString" | "prev.getResponseData", 0) => answer(ResponsePart::Body),
        ("prev.getResponseHeaders", 0) => answer(ResponsePart::Head),
        ("prev.getTime", 0) => answer(ResponsePart::Milliseconds),
        ("prev.getUrlAsString" | "prev.getURL" | "prev.getURL.toString", 0) => answer(ResponsePart::Url),
        ("prev.isSuccessful" | "prev.getSuccessful", 0) => simply(Function::Succeeded),
        ("prev.setSuccessful", 1) => simply(Function::SetSucceeded),
        // Files are looked for in the folder of the plan, too.
        ("FileServer.getBaseDir" | "FileServer.getBaseDirRelative", 0) => Some(Meaning::Fixed(".")),
        ("AssertionResult.setFailure", 1) => Some(Meaning::FailIf),
        ("AssertionResult.setFailureMessage", 1) => simply(Function::Nothing),
        ("ctx.getThreadNum", 0) => Some(Meaning::UserFromZero),
        ("ctx.getThreadGroup.getName", 0) => simply(Function::GroupName),
        ("ctx.getThread.getThreadName", 0) => Some(Meaning::UserName),
        ("OUT.println" | "OUT.print", _) => simply(Function::Nothing),
        _ if name.starts_with("log.") => simply(Function::Nothing),
        _ => None,
    }
}

/// Functions of Java, Groovy and JavaScript.
fn of_java(name: &str, arguments: usize, dialect: Dialect) -> Option<Meaning> {
    let simply = |function| Some(Meaning::Function(function));
    let parsed = |kind| simply(Function::Number(Conversion::Parse, kind));
    match (name, arguments) {
        ("Thread.sleep" | "sleep", 1) => simply(Function::Sleep),
        ("println" | "print" | "System.out.println" | "System.out.print", _) => simply(Function::Nothing),
        ("Thread.currentThread.getName", 0) => Some(Meaning::UserName),
        ("UUID.randomUUID", 0) => simply(Function::Uuid),
        ("System.currentTimeMillis", 0) => simply(Function::Time(Vec::new())),
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
        ("String.valueOf" | "Integer.toString" | "Long.toString", 1) => simply(Function::ToText),
        ("Boolean.parseBoolean" | "Boolean.valueOf", 1) => Some(Meaning::ParseBool),
        ("Objects.requireNonNull", 1) => Some(Meaning::Same),
        ("String.format", 2..) if dialect == Dialect::Groovy => simply(Function::Format),
        ("DigestUtils.md5Hex", 1) => simply(Function::Digest(DigestAlgorithm::Md5)),
        ("DigestUtils.sha1Hex", 1) => simply(Function::Digest(DigestAlgorithm::Sha1)),
        ("DigestUtils.sha256Hex", 1) => simply(Function::Digest(DigestAlgorithm::Sha256)),
        ("DigestUtils.sha512Hex", 1) => simply(Function::Digest(DigestAlgorithm::Sha512)),
        ("URLEncoder.encode", 1 | 2) => simply(Function::Form),
        ("URLDecoder.decode", 1 | 2) => simply(Function::Decode),
        (
            "Base64.getEncoder.encodeToString"
            | "Base64.encoder.encodeToString"
            | "Base64.encodeBase64String"
            | "Base64.getEncoder.encode"
            | "Base64.encoder.encode"
            | "Base64.encodeBase64",
            1,
        ) => simply(Function::Base64),
        ("Base64.getDecoder.decode" | "Base64.decoder.decode" | "Base64.decodeBase64", 1) => {
            simply(Function::Base64Decode)
        }
        _ => match dialect {
            Dialect::JavaScript => match (name, arguments) {
                ("Date.now", 0) => simply(Function::Time(Vec::new())),
                ("parseInt", 1) => simply(Function::ToInteger),
                ("parseFloat", 1) => simply(Function::ToFloat),
                ("Number", 1) => Some(Meaning::JavaScriptNumber),
                ("String", 1) => simply(Function::ToText),
                _ => None,
            },
            _ => match (name, arguments) {
                ("Integer.parseInt" | "Integer.valueOf", 1) => parsed(NumberKind::Int),
                ("Long.parseLong" | "Long.valueOf", 1) => parsed(NumberKind::Long),
                ("Double.parseDouble" | "Double.valueOf", 1) => parsed(NumberKind::Double),
                _ => None,
            },
        },
    }
}

/// Returns what a name by itself means.
pub(super) fn name(name: &str, dialect: Dialect) -> Option<Expr> {
    let function = match name {
        "ResponseCode" if dialect == Dialect::BeanShell => Function::Response(ResponsePart::Status),
        "ResponseMessage" if dialect == Dialect::BeanShell => Function::Response(ResponsePart::Reason),
        "threadName" => return Meaning::UserName.call(Vec::new()),
        "File.separator" => return Some(Expr::literal("/")),
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
pub(super) fn cast(value: Expr, conversion: Conversion, kind: &str) -> Option<Expr> {
    let function = match kind {
        "int" | "Integer" => Function::Number(conversion, NumberKind::Int),
        "long" | "Long" => Function::Number(conversion, NumberKind::Long),
        "double" | "Double" => Function::Number(conversion, NumberKind::Double),
        "BigDecimal" => Function::Number(conversion, NumberKind::Decimal),
        "String" => Function::ToText,
        _ => return None,
    };
    Some(Expr::Call(function, vec![value]))
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
    /// Whether its value may be bytes.
    pub(super) const fn takes_bytes(&self) -> bool {
        matches!(self, Self::Function(Function::Base64))
    }

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
pub(super) fn method(name: &str, dialect: Dialect) -> Option<MethodMeaning> {
    let operator = |operator| Some(MethodMeaning::Operator(operator));
    let number = |conversion, kind| Function::Number(conversion, kind);
    let groovy = dialect == Dialect::Groovy;
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
        "toInteger" if groovy => number(Conversion::Coerce, NumberKind::Int),
        "toLong" if groovy => number(Conversion::Coerce, NumberKind::Long),
        "toDouble" if groovy => number(Conversion::Coerce, NumberKind::Double),
        "toBigDecimal" if groovy => number(Conversion::Coerce, NumberKind::Decimal),
        "intValue" => number(Conversion::Cast, NumberKind::Int),
        "longValue" => number(Conversion::Cast, NumberKind::Long),
        "doubleValue" => number(Conversion::Cast, NumberKind::Double),
        "toString" => Function::ToText,
        "substring" => Function::Substring,
        "indexOf" => Function::IndexOf,
        "lastIndexOf" => Function::LastIndexOf,
        "replace" | "replaceAll" => Function::Replace,
        "split" => Function::Split,
        "tokenize" if groovy => Function::Tokenize,
        "join" if groovy => Function::Join,
        "reverse" if groovy => Function::Reverse,
        "capitalize" if groovy => Function::Capitalize,
        "padLeft" if groovy => Function::PadLeft,
        "padRight" if groovy => Function::PadRight,
        "md5" if groovy => Function::Digest(DigestAlgorithm::Md5),
        "encodeBase64" if groovy => Function::Base64,
        "decodeBase64" if groovy => Function::Base64Decode,
        "contains" | "includes" => return operator(BinaryOperator::Contains),
        "matches" => return operator(BinaryOperator::Matches),
        "get" | "charAt" | "getAt" => return operator(BinaryOperator::Item),
        "concat" => return operator(BinaryOperator::Add),
        "toBoolean" if groovy => return Some(MethodMeaning::ParseBool),
        "booleanValue" | "getBytes" => return Some(MethodMeaning::Same),
        _ => return None,
    };
    Some(MethodMeaning::Function(function))
}

/// Returns whether the method of this name can be called with these arguments. `split` and `replaceAll` take a regular expression in Java,
/// so that only fixed texts without special characters are taken here. The second text of JavaScript's `replace` may refer to the first.
pub(super) fn takes(name: &str, method: &MethodMeaning, arguments: &[Expr], dialect: Dialect) -> bool {
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
        MethodMeaning::Function(Function::Tokenize) => count == 1,
        MethodMeaning::Same | MethodMeaning::Function(Function::Join) => count <= 1,
        MethodMeaning::Function(Function::Replace) if name == "replace" => {
            let refers = match arguments.get(1) {
                Some(Expr::Constant(ScriptValue::Text(with))) => with.contains('$'),
                _ => false,
            };
            count == 2 && !(refers && dialect == Dialect::JavaScript)
        }
        MethodMeaning::Function(Function::Replace) => count == 2 && plain(0),
        MethodMeaning::Function(Function::Substring | Function::PadLeft | Function::PadRight) => {
            count == 1 || count == 2
        }
        MethodMeaning::Operator(_)
        | MethodMeaning::Function(
            Function::Equals
            | Function::EqualsIgnoreCase
            | Function::StartsWith
            | Function::EndsWith
            | Function::IndexOf
            | Function::LastIndexOf,
        ) => count == 1,
        _ => count == 0,
    }
}

/// Returns whether the method of this name takes a regular expression in Java, see [`of_regex`].
pub(super) fn takes_regex(name: &str, dialect: Dialect) -> bool {
    dialect.is_java() && matches!(name, "split" | "replaceAll" | "replaceFirst")
}

/// Returns the call of a method that takes a regular expression; `None` where it cannot run here: `split` by more than a fixed text, and a
/// replacement that refers to what was found.
pub(super) fn of_regex(name: &str, of: Expr, arguments: &[Expr]) -> Option<Expr> {
    let pattern = arguments.first()?.as_literal()?;
    let plain = plain_text(pattern).map(|plain| Expr::literal(&plain));
    match (name, arguments) {
        ("split", [_]) => Some(Expr::Call(Function::Split, vec![of, plain?])),
        ("replaceAll" | "replaceFirst", [_, with]) => {
            if with.as_literal().is_some_and(|with| with.contains(['$', '\\'])) {
                return None;
            }
            let all = name == "replaceAll";
            if let Some(plain) = plain.filter(|_| all) {
                return Some(Expr::Call(Function::Replace, vec![of, plain, with.clone()]));
            }
            let pattern = translated(&Template::literal(pattern)).ok()?;
            let arguments = vec![of, Expr::literal(pattern.as_literal()?), with.clone()];
            Some(Expr::Call(Function::ReplaceMatches { all }, arguments))
        }
        _ => None,
    }
}

/// The text for which a regular expression stands whose special characters are all escaped.
fn plain_text(pattern: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => plain.push(rest.next().filter(|next| !next.is_ascii_alphanumeric())?),
            '.' | '*' | '+' | '?' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' => return None,
            c => plain.push(c),
        }
    }
    (!plain.is_empty()).then_some(plain)
}

/// Returns what a method of a source of random numbers means.
pub(super) fn random(method: &str, arguments: Vec<Expr>) -> Option<Expr> {
    match (method, arguments.len()) {
        ("nextInt", 1 | 2) => Meaning::Function(Function::RandomBetween).call(arguments),
        ("nextLong", 1 | 2) => {
            let drawn = Meaning::Function(Function::RandomBetween).call(arguments)?;
            Some(Expr::Call(Function::Number(Conversion::Cast, NumberKind::Long), vec![drawn]))
        }
        ("nextBoolean", 0) => {
            let one = Expr::Constant(ScriptValue::Int(1));
            let two = Expr::Constant(ScriptValue::Int(2));
            let drawn = Meaning::Function(Function::RandomBetween).call(vec![two])?;
            Some(Expr::compare(drawn, Comparison::Equal, one))
        }
        ("nextDouble", 0) => Some(Expr::Call(Function::Random, Vec::new())),
        _ => None,
    }
}
