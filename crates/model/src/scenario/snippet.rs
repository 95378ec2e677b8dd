//! [`Snippet`]: a condition or a small script of a plan, as a tree that the generator runs between requests.
//!
//! Scripts come from JMeter plans, in Groovy, JavaScript or JEXL. The importer parses them and refuses what this tree cannot say, so
//! that what is left only has to be run. [`Snippet::run`] asks a [`ScriptHost`] for variables and answers.

mod evaluate;
mod methods;
mod operators;
mod value;

pub use value::ScriptValue;

use super::Template;
use serde::{Deserialize, Serialize};

/// The language whose rules of comparing, adding and printing values hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// JavaScript as in Rhino.
    JavaScript,
    /// Groovy, and BeanShell's and Java's common subset.
    Groovy,
    /// Apache Commons JEXL 2 and 3.
    Jexl,
}

/// A condition or a small script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snippet {
    /// The language.
    pub dialect: Dialect,
    /// What is done, in order. The value of the script is the last statement's value.
    pub statements: Vec<Statement>,
    /// The texts that are put into the script each time before it runs, addressed by [`Expression::Hole`].
    pub holes: Vec<Template>,
}

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statement {
    /// Gives a variable of the script itself a value.
    Assign(String, Expression),
    /// Computes a value, or does what a function does.
    Value(Expression),
    /// Does the first list if the expression is true, else the second.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// Does the list while the expression is true, at most [`LONGEST_LOOP`] times.
    While(Expression, Vec<Statement>),
    /// Fails the last answer with the message if the first expression is false.
    Assert(Expression, Expression),
    /// Ends the script with this value.
    Return(Expression),
}

/// A loop in a script ends with an error after this many turns, so that no script holds up the generator.
pub const LONGEST_LOOP: usize = 100_000;

/// An expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    /// A value that is written down.
    Constant(ScriptValue),
    /// The text of a hole, taken for a number, a truth value or a quoted text as if it had been written into the script.
    Hole(usize),
    /// A text in quotes, of which some parts are computed.
    Quoted(Vec<Expression>),
    /// The text of a hole within quotes.
    HoleText(usize),
    /// A variable of the script itself.
    Local(String),
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// The second value if the first is true, else the third.
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// Several values.
    List(Vec<Expression>),
    /// A method of the first value.
    Method(TextMethod, Box<Expression>, Vec<Expression>),
    /// A function of the script's surroundings.
    Function(ScriptFunction, Vec<Expression>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOperator {
    Not,
    Minus,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryOperator {
    And,
    Or,
    /// The first value unless it is empty, else the second.
    Elvis,
    Equal,
    NotEqual,
    /// JavaScript's `===`, which converts nothing.
    Identical,
    NotIdentical,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// The regular expression on the right is found in the text.
    Finds,
    /// The regular expression on the right matches the whole text.
    Matches,
    /// An item of a list, or a character of a text.
    Item,
}

/// A method of a value. The names are Java's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextMethod {
    Equals,
    EqualsIgnoreCase,
    Contains,
    StartsWith,
    EndsWith,
    IsEmpty,
    Length,
    Trim,
    ToLowerCase,
    ToUpperCase,
    ToInteger,
    ToFloat,
    ToText,
    Matches,
    Substring,
    IndexOf,
    Replace,
    Split,
}

/// A function of the script's surroundings, with its arguments in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScriptFunction {
    /// The value of a variable of the user: name.
    Variable,
    /// Gives a variable of the user a value: name, value.
    PutVariable,
    /// Removes a variable of the user: name.
    RemoveVariable,
    /// A property, which all users share: name, and optionally a default.
    Property,
    /// Gives a property a value: name, value.
    PutProperty,
    /// A part of the last answer.
    Response(ResponsePart),
    /// Whether the last request succeeded.
    Succeeded,
    /// Sets whether the last request succeeded.
    SetSucceeded,
    /// Fails the last request: message.
    Fail,
    /// Pauses the user: milliseconds.
    Sleep,
    /// Does nothing, such as a line for the log.
    Nothing,
    /// A random UUID.
    Uuid,
    /// A random number from 0 up to 1.
    Random,
    /// A random whole number, from the first argument up to but without the second.
    RandomBetween,
    /// Random letters: length.
    RandomLetters,
    /// Random letters and digits: length.
    RandomAlphanumeric,
    /// Random digits: length.
    RandomDigits,
    /// Milliseconds since 1970.
    Now,
    /// A time as text: Java's pattern, milliseconds since 1970.
    FormatTime,
    /// The number of the user in the group, from 1.
    UserNumber,
    /// The largest whole number that is not larger.
    Floor,
    /// The nearest whole number.
    Round,
    /// The smallest whole number that is not smaller.
    Ceiling,
    /// The number without its sign.
    Absolute,
    /// The smaller number.
    Minimum,
    /// The larger number.
    Maximum,
}

/// A part of the last answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponsePart {
    /// The status, such as `200`.
    Status,
    /// The reason phrase, such as `OK`.
    Reason,
    /// The body as text.
    Body,
    /// The head of the answer.
    Head,
    /// The time that it took, in milliseconds.
    Milliseconds,
}

/// What a script can ask for and do.
pub trait ScriptHost {
    /// Returns the text of a hole of the script that runs.
    fn hole(&mut self, template: &Template) -> String;
    /// Returns the value of a variable of the user.
    fn variable(&mut self, name: &str) -> Option<String>;
    /// Sets a variable of the user, or removes it.
    fn put(&mut self, name: &str, value: Option<String>);
    /// Returns a property, which all users share.
    fn property(&mut self, name: &str) -> Option<String>;
    /// Sets a property.
    fn put_property(&mut self, name: &str, value: String);
    /// Returns a part of the last answer; `None` before the first one.
    fn response(&mut self, part: ResponsePart) -> Option<String>;
    /// Returns whether the last request succeeded.
    fn succeeded(&mut self) -> bool;
    /// Sets whether the last request succeeded; the message tells why not.
    fn set_succeeded(&mut self, success: bool, message: &str);
    /// Pauses the user when the script has ended.
    fn sleep(&mut self, milliseconds: u64);
    /// Returns 64 random bits.
    fn random(&mut self) -> u64;
    /// Returns milliseconds since 1970.
    fn now(&mut self) -> i64;
    /// Returns a time in Java's pattern; `None` for a pattern that is not known.
    fn format_time(&mut self, pattern: &str, milliseconds: i64) -> Option<String>;
    /// Returns the number of the user in its group, from 1.
    fn user_number(&mut self) -> u64;
    /// Returns whether a regular expression is found in the text, or matches all of it; `None` for one that is wrong.
    fn regex(&mut self, pattern: &str, text: &str, whole: bool) -> Option<bool>;
}

/// Why a script ended before its end. JMeter logs it, and goes on with an empty value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFailure(
    /// What went wrong, in English: it is shown as an example of a failure beside the script.
    pub String,
);
