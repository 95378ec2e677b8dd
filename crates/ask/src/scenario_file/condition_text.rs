//! Conditions as scenario files write them: `${role} == 'admin' and not (${left} < 3 or ${name} contains 'x')`.
//!
//! ```text
//! condition = both { "or" both }          both = one { "and" one }
//! one       = "not" one | "(" condition ")" | operand [ sign operand ]
//! sign      = == != < <= > >= contains matches
//! operand   = 'text' | "text" | number | word | ${…}
//! ```
//! A `${…}` within quotes is replaced as well. An operand alone holds unless it is empty, `false` or `0`.

use super::template_text::{Names, TemplateMistake, compile};
use traffic::scenario::{BinaryOperator, Comparison, Expr};

/// What is wrong in a condition, and where.
pub(super) enum ConditionMistake {
    /// It is not written as a condition, from this byte on.
    Form(usize),
    /// A template in it is wrong: place and mistake.
    Template(std::ops::Range<usize>, TemplateMistake),
}

/// Compiles a condition.
pub(super) fn parse(text: &str, names: &mut Names<'_>) -> Result<Expr, ConditionMistake> {
    let mut parser = Parser { text, at: 0, names };
    let condition = parser.either()?;
    parser.spaces();
    if parser.at < text.len() {
        return Err(ConditionMistake::Form(parser.at));
    }
    Ok(condition)
}

struct Parser<'a, 'n, 'p> {
    text: &'a str,
    at: usize,
    names: &'n mut Names<'p>,
}

impl<'a> Parser<'a, '_, '_> {
    fn spaces(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    /// Takes this sign or word if it comes next.
    fn take(&mut self, expected: &str) -> bool {
        self.spaces();
        let rest = &self.text[self.at..];
        let is_word = expected.starts_with(|c: char| c.is_ascii_alphabetic());
        let behind = rest.get(expected.len()..).and_then(|behind| behind.chars().next());
        let ends = !is_word || behind.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let found = rest.starts_with(expected) && ends;
        self.at += if found { expected.len() } else { 0 };
        found
    }

    fn either(&mut self) -> Result<Expr, ConditionMistake> {
        let mut condition = self.both()?;
        while self.take("or") || self.take("||") {
            condition = Expr::binary(condition, BinaryOperator::Or, self.both()?);
        }
        Ok(condition)
    }

    fn both(&mut self) -> Result<Expr, ConditionMistake> {
        let mut condition = self.one()?;
        while self.take("and") || self.take("&&") {
            condition = Expr::binary(condition, BinaryOperator::And, self.one()?);
        }
        Ok(condition)
    }

    fn one(&mut self) -> Result<Expr, ConditionMistake> {
        self.spaces();
        let is_unequal = self.text[self.at..].starts_with("!=");
        if self.take("not") || (!is_unequal && self.take("!")) {
            return Ok(Expr::not(self.one()?));
        }
        if self.take("(") {
            let inner = self.either()?;
            return if self.take(")") { Ok(inner) } else { Err(ConditionMistake::Form(self.at)) };
        }
        let left = self.operand()?;
        let compared = Comparison::SIGNS.map(|(sign, how)| (sign, BinaryOperator::Compare(how)));
        let words = [("contains", BinaryOperator::Contains), ("matches", BinaryOperator::Finds)];
        for (sign, operator) in compared.into_iter().chain(words) {
            if self.take(sign) {
                return Ok(Expr::binary(left, operator, self.operand()?));
            }
        }
        Ok(match left.as_literal() {
            Some("true") => Expr::always(true),
            Some("false") => Expr::always(false),
            _ => left,
        })
    }

    fn operand(&mut self) -> Result<Expr, ConditionMistake> {
        self.spaces();
        let rest = &self.text[self.at..];
        let (from, length, whole) = match rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let end = rest[1..].find(quote).ok_or(ConditionMistake::Form(self.at))?;
                (1, end, end + 2)
            }
            Some('$') => {
                let end = rest.find('}').ok_or(ConditionMistake::Form(self.at))? + 1;
                (0, end, end)
            }
            _ => {
                let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
                let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
                (0, end, end)
            }
        };
        if whole == 0 {
            return Err(ConditionMistake::Form(self.at));
        }
        let begin = self.at + from;
        self.at += whole;
        compile(&rest[from..from + length], self.names).map(Expr::from).map_err(|mistakes| {
            let first = &mistakes[0];
            let place = begin + first.place.start..begin + first.place.end;
            ConditionMistake::Template(place, first.mistake.clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traffic::scenario::{ExprHost, Program, Slots};

    /// A user whose variables `role` and `left` have values and whose variable `none` is unset.
    struct Values;

    impl ExprHost for Values {
        fn variable(&self, slot: usize) -> Option<&[u8]> {
            [b"admin".as_slice(), b"10"].get(slot).copied()
        }

        fn variable_name(&self, _: usize) -> &str {
            "none"
        }

        fn regex(&mut self, pattern: &str, text: &[u8], _: bool) -> Option<bool> {
            regex::bytes::Regex::new(pattern).ok().map(|regex| regex.is_match(text))
        }
    }

    fn parsed(text: &str) -> Result<Expr, ConditionMistake> {
        let mut program = Program::default();
        for name in ["role", "left", "none"] {
            program.variables.define(name);
        }
        let mut names = Names {
            program: &mut program,
            counters: &mut Slots::default(),
            environment: &|_| None,
            used: &mut Default::default(),
        };
        parse(text, &mut names)
    }

    #[test]
    fn conditions_hold_or_do_not() {
        for (text, holds) in [
            ("${role} == 'admin'", true),
            ("${role} == admin and ${left} > 9", true),
            ("${left} < 9.5 or ${left} == '10.0'", true),
            ("not (${role} == 'admin')", false),
            ("!${none}", true),
            ("${role}", true),
            ("${role} contains 'dmi' && ${role} matches '^a.*n$'", true),
            ("'${role}-${left}' == 'admin-10'", true),
            ("${role} != 'admin' or false", false),
            ("true", true),
        ] {
            let condition = parsed(text).ok().unwrap_or_else(|| panic!("{text} is no condition"));
            assert_eq!(condition.holds(&mut Values), holds, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_its_place() {
        for (text, expected) in [("", 0), ("${role} ==", 10), ("(true", 5), ("true false", 5), ("'x", 0)] {
            match parsed(text) {
                Err(ConditionMistake::Form(at)) => assert_eq!(at, expected, "{text}"),
                _ => panic!("{text}"),
            }
        }
        match parsed("${role} == ${nobody}") {
            Err(ConditionMistake::Template(place, _)) => assert_eq!(place, 11..20),
            _ => panic!("the variable is unknown"),
        }
    }
}
