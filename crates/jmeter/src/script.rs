//! Conditions and small scripts of plans: parses them into [`Statement`]s, and tells what in them cannot run here.

mod functions;
mod lower;
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

/// Parses a script.
///
/// # Errors
///
/// [`UnknownInScript`] for everything that is not in the subset that plans commonly use.
pub fn parse(script: &Compound, dialect: Dialect) -> Result<ParsedScript, UnknownInScript> {
    let parse = || {
        let source = token::Source::new(script)?;
        let tokens = token::tokens(&source, dialect == Dialect::Groovy)?;
        let statements = syntax::script(&tokens)?;
        let statements = lower::Lowering::new(&source.holes).statements(&statements)?;
        Ok(ParsedScript { dialect, statements, holes: source.holes })
    };
    parse().map_err(UnknownInScript)
}

#[cfg(test)]
mod tests;
