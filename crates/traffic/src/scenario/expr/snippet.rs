//! [`Snippet`]: a condition or a small script of a plan.

use super::{Dialect, Expr, ScriptFailure, ScriptValue, Template};
use model::units::Nanos;
use serde::{Deserialize, Serialize};

/// A condition or a small script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snippet {
    pub dialect: Dialect,
    /// What is done, in order. The value of the script is the last statement's value.
    pub statements: Vec<Statement>,
    /// The texts that are put into the script each time before it runs, addressed by [`Expr::Hole`].
    pub holes: Vec<Template>,
}

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statement {
    /// Gives a variable of the script itself a value.
    Assign(String, Expr),
    /// Computes a value, or does what a function does.
    Value(Expr),
    /// Does the first list if the expression is true, else the second.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// Does the list while the expression is true, at most [`LONGEST_LOOP`] times.
    While(Expr, Vec<Statement>),
    /// Does the statements with the variable set to each item of a list in turn.
    ForEach(String, Expr, Vec<Statement>),
    /// Adds a value to the list that a variable holds.
    Append(String, Expr),
    /// Fails the last answer with the message if the first expression is false.
    Assert(Expr, Expr),
    /// Does the first list; where this fails, the second one.
    Try(Vec<Statement>, Vec<Statement>),
    /// Fails with this message.
    Throw(Expr),
    /// Ends the script with this value.
    Return(Expr),
}

/// A loop in a script ends with an error after this many turns, so that no script holds up the generator.
pub const LONGEST_LOOP: usize = 100_000;

/// What a script has done besides setting variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptEffects {
    /// Whether the last request is to count as right or wrong, and why; `None` leaves it as it is.
    pub verdict: Option<(bool, String)>,
    /// How long the user pauses behind the script.
    pub sleep: Nanos,
}

/// What came of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptRun {
    /// Its value, or where the language would raise an exception. What the script did before stays done.
    pub value: Result<ScriptValue, ScriptFailure>,
    pub effects: ScriptEffects,
}
