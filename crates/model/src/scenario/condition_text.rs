//! Conditions as scenario files write them: `${role} == 'admin' and not (${left} < 3 or ${name} contains 'x')`.
//!
//! ```text
//! condition = both { "or" both }          both = one { "and" one }
//! one       = "not" one | "(" condition ")" | operand [ sign operand ]
//! sign      = == != < <= > >= contains matches
//! operand   = 'text' | "text" | number | word | ${…}
//! ```
//! A `${…}` within quotes is replaced as well. An operand alone holds unless it is empty, `false` or `0`.

use super::template_text::{Names, compile};
use super::{Comparison, Condition, Template, TemplateMistake};

/// What is wrong in a condition, and where.
pub(super) enum ConditionMistake {
    /// It is not written as a condition, from this byte on.
    Form(usize),
    /// A template in it is wrong: place and mistake.
    Template(std::ops::Range<usize>, TemplateMistake),
}

/// Compiles a condition.
pub(super) fn parse(text: &str, names: &mut Names<'_>) -> Result<Condition, ConditionMistake> {
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

    fn either(&mut self) -> Result<Condition, ConditionMistake> {
        let mut parts = vec![self.both()?];
        while self.take("or") || self.take("||") {
            parts.push(self.both()?);
        }
        Ok(joined(parts, Condition::Any))
    }

    fn both(&mut self) -> Result<Condition, ConditionMistake> {
        let mut parts = vec![self.one()?];
        while self.take("and") || self.take("&&") {
            parts.push(self.one()?);
        }
        Ok(joined(parts, Condition::All))
    }

    fn one(&mut self) -> Result<Condition, ConditionMistake> {
        self.spaces();
        let is_unequal = self.text[self.at..].starts_with("!=");
        if self.take("not") || (!is_unequal && self.take("!")) {
            return Ok(Condition::Not(Box::new(self.one()?)));
        }
        if self.take("(") {
            let inner = self.either()?;
            return if self.take(")") { Ok(inner) } else { Err(ConditionMistake::Form(self.at)) };
        }
        let left = self.operand()?;
        const SIGNS: [(&str, Comparison); 6] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        for (sign, how) in SIGNS {
            if self.take(sign) {
                let right = self.operand()?;
                return Ok(Condition::Compare { left, how, right });
            }
        }
        if self.take("contains") {
            let part = self.operand()?;
            return Ok(Condition::Contains { text: left, part });
        }
        if self.take("matches") {
            let pattern = self.operand()?;
            return Ok(Condition::Matches { text: left, pattern });
        }
        Ok(match left.as_literal() {
            Some("true") => Condition::Always(true),
            Some("false") => Condition::Always(false),
            _ => Condition::Truthy(left),
        })
    }

    fn operand(&mut self) -> Result<Template, ConditionMistake> {
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
        compile(&rest[from..from + length], self.names).map_err(|mistakes| {
            let first = &mistakes[0];
            let place = begin + first.place.start..begin + first.place.end;
            ConditionMistake::Template(place, first.mistake.clone())
        })
    }
}

/// One part as it is, several joined.
fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::super::expression::Scope;
    use super::super::{Program, Segment, Slots};
    use super::*;

    /// A user whose variables `role` and `left` have values and whose variable `none` is unset.
    struct Values;

    impl Scope for Values {
        fn render(&mut self, template: &Template, out: &mut Vec<u8>) {
            for segment in template.segments() {
                out.extend_from_slice(match segment {
                    Segment::Literal(text) => text.as_bytes(),
                    Segment::Variable(0) => b"admin",
                    Segment::Variable(1) => b"10",
                    _ => b"${none}",
                });
            }
        }

        fn is_set(&self, variable: usize) -> bool {
            variable < 2
        }

        fn last_ok(&self) -> bool {
            true
        }

        fn finds(&mut self, pattern: &str, text: &[u8]) -> bool {
            regex::bytes::Regex::new(pattern).is_ok_and(|regex| regex.is_match(text))
        }
    }

    fn parsed(text: &str) -> Result<Condition, ConditionMistake> {
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
