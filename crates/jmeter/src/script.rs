//! Conditions and small scripts of plans: parses them into [`Statement`]s, and tells what in them cannot run here.

mod functions;
mod json;
mod kind;
mod lower;
mod moment;
mod syntax;
mod token;

use crate::compound::Compound;
use traffic::scenario::{Dialect, Statement};

/// A script that can run here.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedScript {
    pub dialect: Dialect,
    pub statements: Vec<Statement>,
    /// The texts that JMeter puts into the script before it runs.
    pub holes: Vec<Compound>,
}

/// What in a script cannot run here, in the words of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownInScript(pub String);

/// What surrounds a script.
pub struct Surroundings<'a> {
    /// Whether a variable of the environment is set.
    pub has_environment: &'a dyn Fn(&str) -> bool,
    /// What the script knows of the last answer.
    pub answer: KnownAnswer,
}

/// What a script knows of the last answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnownAnswer {
    /// Nothing: JMeter does not give it the name `prev`.
    Nothing,
    /// Its status, and whether it was right: the script does not run behind the answer.
    Status,
    /// All of it.
    Whole,
}

/// Parses a script.
///
/// # Errors
///
/// [`UnknownInScript`] for everything that is not in the subset that plans commonly use.
pub fn parse(
    script: &Compound,
    dialect: Dialect,
    surroundings: &Surroundings<'_>,
) -> Result<ParsedScript, UnknownInScript> {
    let parse = || {
        let source = token::Source::new(script)?;
        let tokens = token::tokens(&source, dialect)?;
        let statements = syntax::script(&tokens, dialect)?;
        let mut lowering = lower::Lowering::new(source.holes, dialect, surroundings);
        let statements = lowering.statements(&statements)?;
        Ok(ParsedScript { dialect, statements, holes: lowering.into_holes() })
    };
    parse().map_err(UnknownInScript)
}

#[cfg(test)]
mod tests;
