//! [`Expr`]: what is computed while users act: the changing parts of texts, conditions, and the scripts of plans.
//!
//! There is one tree and one evaluator. A [`Dialect`] says by which rules values are compared, added and printed: texts of scenario
//! files and functions of JMeter follow one, filters of JSONPaths another, and a [`Snippet`] within a text has the rules of its
//! language. Importers refuse what this tree cannot say, so that what is left only has to be run. The evaluator asks a [`ExprHost`] for
//! variables and answers.

mod comparison;
mod conversion;
mod decimal;
mod encode;
mod evaluate;
mod format;
mod function;
mod host;
mod java;
mod json_path;
mod methods;
mod operators;
mod snippet;
mod template;
mod value;
mod write;

pub use comparison::Comparison;
pub use conversion::{Conversion, NumberKind};
pub use decimal::Decimal;
pub use encode::push_percent;
pub use format::values_of_format;
pub use function::{DigestAlgorithm, Function, ResponsePart};
pub use host::{AnswerParts, ExprHost};
pub use json_path::{JsonPath, JsonPathMistake, PathPart};
pub use snippet::{LONGEST_LOOP, ScriptEffects, ScriptRun, Snippet, Statement};
pub use template::{Slots, Template};
pub use value::{ScriptFailure, ScriptValue};

use serde::{Deserialize, Serialize};

/// The rules by which values are compared, added and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// Scenario files, and JMeter's functions: every value is a text, two texts that are numbers are compared as numbers, and nothing
    /// fails. A text is true unless it is empty, `false` or `0`; a variable that is not set is false.
    Text,
    /// Filters of JSONPaths: values of different kinds are unequal, and have no order.
    JsonPath,
    /// JavaScript as in Rhino.
    JavaScript,
    /// Groovy: whole numbers have 32 or 64 bits, and a quotient is a decimal number.
    Groovy,
    /// BeanShell: numbers are Java's, `3/2` is 1.
    BeanShell,
    /// Apache Commons JEXL 3.
    Jexl,
    /// Apache Commons JEXL 2, which adds texts that are numbers as numbers.
    Jexl2,
}

impl Dialect {
    /// Whether values are Java's, with its kinds of numbers.
    pub const fn is_java(self) -> bool {
        matches!(self, Self::Groovy | Self::BeanShell)
    }

    /// Whether it is one of the versions of JEXL.
    pub const fn is_jexl(self) -> bool {
        matches!(self, Self::Jexl | Self::Jexl2)
    }
}

/// What gives a value: of a text, a condition, a filter or a script. [`Dialect`] says by which rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// A value that is written down.
    Constant(ScriptValue),
    /// A text with parts that are computed.
    Text(Template),
    /// The value of a variable of prony's environment, by its index in [`Program::environment`](super::Program::environment).
    Environment(usize),
    /// The value of the variable in this slot. While it is unset, `${name}` is written, as JMeter does.
    Variable(usize),
    /// A value of a list; nothing where the list has none of this number.
    Item {
        /// The slot of the list among the lists.
        list: usize,
        /// The number of the value, from 1.
        index: Box<Expr>,
    },
    /// The number of values of the list in this slot.
    ListLength(usize),
    /// The text of a hole of the script, taken for a number, a truth value or a quoted text as if it had been written into the script.
    Hole(usize),
    /// The text of a hole of the script within quotes.
    HoleText(usize),
    /// A variable of the script itself.
    Local(String),
    /// The first value at a path from the JSON value that is tested: `@.price`. By itself it holds if the path leads to something.
    At(Vec<PathPart>),
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// The second value if the first is true, else the third.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Several values.
    List(Vec<Expr>),
    /// A function with its arguments, in order.
    Call(Function, Vec<Expr>),
    /// The value of a script, as text; nothing if the script fails.
    Script(Box<Snippet>),
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
    /// The right operand is looked at only if the left one is true.
    And,
    /// The right operand is looked at only if the left one is false.
    Or,
    /// The first value unless it is empty, else the second.
    Elvis,
    Compare(Comparison),
    /// JavaScript's `===`, which converts nothing.
    Identical,
    NotIdentical,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// The text on the right occurs in the text on the left, or the value in the list on the left.
    Contains,
    /// The regular expression on the right is found in the text.
    Finds,
    /// The regular expression on the right matches the whole text.
    Matches,
    /// An item of a list, or a character of a text.
    Item,
}

impl Expr {
    /// What always holds, or never.
    pub const fn always(holds: bool) -> Self {
        Self::Constant(ScriptValue::Bool(holds))
    }

    /// A text that is written down.
    pub fn literal(text: &str) -> Self {
        Self::Constant(ScriptValue::Text(text.to_owned()))
    }

    /// An operator with its two operands.
    pub fn binary(left: impl Into<Self>, operator: BinaryOperator, right: impl Into<Self>) -> Self {
        Self::Binary(operator, Box::new(left.into()), Box::new(right.into()))
    }

    /// That two values compare so.
    pub fn compare(left: impl Into<Self>, how: Comparison, right: impl Into<Self>) -> Self {
        Self::binary(left, BinaryOperator::Compare(how), right)
    }

    /// That an expression is not true.
    #[expect(clippy::should_implement_trait, reason = "it makes a tree and computes nothing")]
    pub fn not(inner: Self) -> Self {
        Self::Unary(UnaryOperator::Not, Box::new(inner))
    }

    /// Whether the last request got a right answer.
    pub const fn last_ok() -> Self {
        Self::Call(Function::Succeeded, Vec::new())
    }

    /// The text, if it is always the same.
    pub fn as_literal(&self) -> Option<&str> {
        match self {
            Self::Constant(ScriptValue::Text(text)) => Some(text),
            Self::Text(template) => template.as_literal(),
            _ => None,
        }
    }

    /// The slot, if this is the value of one variable and nothing else.
    pub fn only_variable(&self) -> Option<usize> {
        match self {
            Self::Variable(slot) => Some(*slot),
            Self::Text(template) => template.only_variable(),
            _ => None,
        }
    }

    /// The parts of a text; of anything else, the expression itself.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Text(template) => template.parts(),
            other => std::slice::from_ref(other),
        }
    }
}

impl From<Template> for Expr {
    fn from(template: Template) -> Self {
        match template.only_part() {
            Ok(part) => part,
            Err(template) => Self::Text(template),
        }
    }
}
