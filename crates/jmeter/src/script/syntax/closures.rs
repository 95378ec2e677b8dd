//! Parses what Groovy has for lists: ranges, closures and loops over them.

use super::{CAST_LEVEL, Parsed, Parser, Raw, RawStatement};
use crate::script::token::Lexeme;
use traffic::scenario::Dialect;

impl Parser<'_> {
    /// Reads `from..to` and `from..<to` behind its first value.
    pub(super) fn range(&mut self, from: Raw) -> Parsed<Raw> {
        let excludes_end = self.dialect == Dialect::Groovy && self.takes("..<");
        let includes_end = !excludes_end && self.dialect == Dialect::Groovy && self.takes("..");
        if !excludes_end && !includes_end {
            return Ok(from);
        }
        let to = self.binary(CAST_LEVEL + 1)?;
        Ok(Raw::Range(Box::new(from), Box::new(to), includes_end))
    }

    /// Whether a closure follows as the last argument of a call.
    pub(super) fn is_closure(&self, callee: &Raw) -> bool {
        let takes_one = match callee {
            Raw::Member(..) => true,
            Raw::Call(callee, arguments) => {
                matches!(**callee, Raw::Member(..)) && !matches!(arguments.last(), Some(Raw::Closure(..)))
            }
            _ => false,
        };
        takes_one && self.dialect == Dialect::Groovy && self.is_symbol("{") && !self.begins_line()
    }

    /// Adds the closure that follows to the arguments of a call.
    pub(super) fn with_closure(&mut self, callee: Raw) -> Parsed<Raw> {
        self.at += 1;
        let closure = self.closure()?;
        Ok(match callee {
            Raw::Call(callee, mut arguments) => {
                arguments.push(closure);
                Raw::Call(callee, arguments)
            }
            callee => Raw::Call(Box::new(callee), vec![closure]),
        })
    }

    /// Reads a closure behind its opening brace.
    pub(super) fn closure(&mut self) -> Parsed<Raw> {
        let parameters = self.parameters();
        let mut statements = Vec::new();
        while !self.takes("}") {
            self.nested(|parser| parser.statement(&mut statements))?;
        }
        Ok(Raw::Closure(parameters, statements))
    }

    /// Reads the names before an arrow, with or without types; without an arrow, the only parameter is `it`.
    fn parameters(&mut self) -> Vec<String> {
        let (mut names, mut at, mut last) = (Vec::new(), self.at, None);
        loop {
            match self.tokens.get(at).map(|token| &token.what) {
                Some(Lexeme::Word(word)) => last = Some(word.clone()),
                Some(Lexeme::Symbol(",")) if last.is_some() => names.extend(last.take()),
                Some(Lexeme::Symbol("->")) => {
                    names.extend(last);
                    self.at = at + 1;
                    return names;
                }
                _ => return vec!["it".to_owned()],
            }
            at += 1;
        }
    }

    /// Reads the head of a loop over a list behind its parenthesis, `name in list` or `Type name : list`, and its body; nothing is read of
    /// another kind of loop.
    pub(super) fn loop_over_list(&mut self) -> Parsed<Option<RawStatement>> {
        let word = |at: usize| match self.tokens.get(at).map(|token| &token.what) {
            Some(Lexeme::Word(word)) => Some(word.clone()),
            _ => None,
        };
        let separates = |at: usize| match self.tokens.get(at).map(|token| &token.what) {
            Some(Lexeme::Word(word)) => word == "in" && self.dialect == Dialect::Groovy,
            Some(Lexeme::Symbol(symbol)) => *symbol == ":" && self.dialect.is_java(),
            _ => false,
        };
        let name_at = [self.at, self.at + 1].into_iter().find(|at| word(*at).is_some() && separates(at + 1));
        let Some((at, name)) = name_at.and_then(|at| Some((at, word(at)?))) else {
            return Ok(None);
        };
        self.at = at + 2;
        let list = self.expression()?;
        self.expect(")")?;
        Ok(Some(RawStatement::ForEach(name, list, self.block()?)))
    }
}
