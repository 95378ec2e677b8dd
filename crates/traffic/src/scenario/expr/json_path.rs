//! [`JsonPath`]: a path into JSON, parsed once. It is what RFC 9535 and JMeter's library (Jayway) have in common, and Jayway's
//! `length()`.

use super::{BinaryOperator, Comparison, Expr, ScriptValue};
use serde::{Deserialize, Serialize};

/// A path into JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JsonPath {
    /// The steps from the root.
    pub parts: Vec<PathPart>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PathPart {
    /// The member of this name: `.name`, `['name']`.
    Name(String),
    /// The element of this number from 0, or from the end if it is negative: `[0]`, `[-1]`.
    Index(i64),
    /// The elements from one number to below another: `[1:3]`; negative numbers count from the end.
    Slice {
        /// The first.
        from: Option<i64>,
        /// The one behind the last.
        to: Option<i64>,
    },
    /// All members or elements: `.*`, `[*]`.
    Any,
    /// Several names or numbers: `['a','b']`, `[0,2]`.
    Union(Vec<PathPart>),
    /// The members or elements for which a test holds: `[?(@.id == 7)]`.
    Filter(Box<Expr>),
    /// The next step is taken from here and from everything within: `..name`.
    Deep,
    /// The number of elements or members: `.length()`.
    Length,
}

/// A text that is no path, or uses what is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonPathMistake {
    /// The byte from which on it is wrong.
    pub at: usize,
}

impl JsonPath {
    /// Parses a path. The `$` may be left out, as in Jayway.
    ///
    /// # Errors
    ///
    /// The place from which on the text is wrong.
    pub fn parse(text: &str) -> Result<Self, JsonPathMistake> {
        let mut parser = Parser { text, at: text.len() - text.trim_start().len() };
        let parts = if parser.take("$") { parser.parts() } else { parser.bare_parts() };
        parser.spaces();
        match parts {
            Some(parts) if parser.at == text.len() => Ok(Self { parts }),
            _ => Err(JsonPathMistake { at: parser.at }),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes this text if it comes next.
    fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    /// Takes this text if it comes next, behind spaces.
    fn token(&mut self, expected: &str) -> bool {
        self.spaces();
        self.take(expected)
    }

    /// A path that begins with a name instead of `$`.
    fn bare_parts(&mut self) -> Option<Vec<PathPart>> {
        let first = self.after_dot()?;
        let mut parts = vec![first];
        parts.extend(self.parts()?);
        Some(parts)
    }

    /// Steps, as long as there are any.
    fn parts(&mut self) -> Option<Vec<PathPart>> {
        let mut parts = Vec::new();
        loop {
            if self.take("..") {
                parts.push(PathPart::Deep);
                let part = if self.take("[") { self.bracket()? } else { self.after_dot()? };
                parts.push(part);
            } else if self.take(".[") || self.take("[") {
                // The library that JMeter uses passes over a dot before a bracket.
                parts.push(self.bracket()?);
            } else if self.take(".") {
                parts.push(self.after_dot()?);
            } else {
                return Some(parts);
            }
        }
    }

    /// What stands behind a dot.
    fn after_dot(&mut self) -> Option<PathPart> {
        if self.take("*") {
            return Some(PathPart::Any);
        }
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@');
        let rest = self.rest();
        let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        self.at += length;
        if matches!(&rest[..length], "length" | "size") && self.take("()") {
            return Some(PathPart::Length);
        }
        Some(PathPart::Name(rest[..length].to_owned()))
    }

    /// What stands between brackets, from behind the first one.
    fn bracket(&mut self) -> Option<PathPart> {
        self.spaces();
        if self.take("*") {
            return self.token("]").then_some(PathPart::Any);
        }
        if self.take("?") {
            let test = self.any_test()?;
            return self.token("]").then_some(PathPart::Filter(Box::new(test)));
        }
        let mut items = vec![self.item()?];
        while self.token(",") {
            self.spaces();
            items.push(self.item()?);
        }
        if !self.token("]") {
            return None;
        }
        match items.len() {
            1 => items.pop(),
            _ => Some(PathPart::Union(items)),
        }
    }

    /// A name in quotes, a number, or a slice.
    fn item(&mut self) -> Option<PathPart> {
        if let Some(name) = self.quoted() {
            return Some(PathPart::Name(name));
        }
        let from = self.integer();
        if !self.token(":") {
            return from.map(PathPart::Index);
        }
        self.spaces();
        let to = self.integer();
        Some(PathPart::Slice { from, to })
    }

    fn integer(&mut self) -> Option<i64> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |digits| sign + digits);
        let number = rest[..end].parse().ok()?;
        self.at += end;
        Some(number)
    }

    /// A text in single or double quotes, if there is one.
    fn quoted(&mut self) -> Option<String> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|&c| c == '\'' || c == '"')?;
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                _ if escaped => {
                    text.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                _ if c == quote => {
                    self.at += at + 1;
                    return Some(text);
                }
                _ => text.push(c),
            }
        }
        None
    }

    /// Tests joined by `||`.
    fn any_test(&mut self) -> Option<Expr> {
        let mut test = self.all_test()?;
        while self.token("||") {
            test = Expr::binary(test, BinaryOperator::Or, self.all_test()?);
        }
        Some(test)
    }

    /// Tests joined by `&&`.
    fn all_test(&mut self) -> Option<Expr> {
        let mut test = self.one_test()?;
        while self.token("&&") {
            test = Expr::binary(test, BinaryOperator::And, self.one_test()?);
        }
        Some(test)
    }

    fn one_test(&mut self) -> Option<Expr> {
        if self.token("(") {
            let test = self.any_test()?;
            return self.token(")").then_some(test);
        }
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.at += 1;
            return Some(Expr::not(self.one_test()?));
        }
        let left = self.operand()?;
        if self.token("=~") {
            let pattern = Expr::literal(&self.regex()?);
            return Some(Expr::binary(left, BinaryOperator::Finds, pattern));
        }
        match Comparison::SIGNS.iter().find(|(sign, _)| self.token(sign)) {
            Some((_, how)) => Some(Expr::compare(left, *how, self.operand()?)),
            None => matches!(left, Expr::At(_)).then_some(left),
        }
    }

    fn operand(&mut self) -> Option<Expr> {
        self.spaces();
        if self.take("@") {
            return Some(Expr::At(self.parts()?));
        }
        if let Some(text) = self.quoted() {
            return Some(Expr::literal(&text));
        }
        for (word, value) in [
            ("true", ScriptValue::Bool(true)),
            ("false", ScriptValue::Bool(false)),
            ("null", ScriptValue::Null),
        ] {
            if self.take(word) {
                return Some(Expr::Constant(value));
            }
        }
        let rest = self.rest();
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let end = rest.find(|c| !is_of_number(c)).unwrap_or(rest.len());
        let number = rest[..end].parse().ok()?;
        self.at += end;
        Some(Expr::Constant(ScriptValue::Float(number)))
    }

    /// `/pattern/` with flags behind it.
    fn regex(&mut self) -> Option<String> {
        if !self.token("/") {
            return None;
        }
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().find(|&(_, c)| {
            let ends = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        let pattern = rest[..end.0].replace("\\/", "/");
        self.at += end.0 + 1;
        let insensitive = self.take("i");
        Some(if insensitive { format!("(?i){pattern}") } else { pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> PathPart {
        PathPart::Name(name.to_owned())
    }

    #[test]
    fn paths_are_parsed() {
        for (text, parts) in [
            ("$", vec![]),
            ("$.a.b-c", vec![name("a"), name("b-c")]),
            ("a[0]", vec![name("a"), PathPart::Index(0)]),
            ("$.a.[0].['b']", vec![name("a"), PathPart::Index(0), name("b")]),
            ("$['x y'][-1]", vec![name("x y"), PathPart::Index(-1)]),
            ("$..id", vec![PathPart::Deep, name("id")]),
            ("$.*[*]", vec![PathPart::Any, PathPart::Any]),
            (
                "$[1:3]['a','b'].length()",
                vec![
                    PathPart::Slice { from: Some(1), to: Some(3) },
                    PathPart::Union(vec![name("a"), name("b")]),
                    PathPart::Length,
                ],
            ),
        ] {
            assert_eq!(JsonPath::parse(text), Ok(JsonPath { parts }), "{text}");
        }
    }

    #[test]
    fn tests_are_parsed() {
        let parsed = JsonPath::parse("$.a[?(@.id >= 7 && !(@.name =~ /x\\/y/i || @.gone))]").unwrap();
        let at = |text| Expr::At(vec![name(text)]);
        let id = Expr::compare(at("id"), Comparison::AtLeast, Expr::Constant(ScriptValue::Float(7.0)));
        let fits = Expr::binary(at("name"), BinaryOperator::Finds, Expr::literal("(?i)x/y"));
        let either = Expr::binary(fits, BinaryOperator::Or, at("gone"));
        let both = Expr::binary(id, BinaryOperator::And, Expr::not(either));
        assert_eq!(parsed.parts, [name("a"), PathPart::Filter(Box::new(both))]);
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_place() {
        for (text, at) in
            [("$.", 2), ("$.a[", 4), ("$.a b", 4), ("$[?(@.a ==)]", 10), ("", 0), ("$.sum(@)", 5)]
        {
            assert_eq!(JsonPath::parse(text), Err(JsonPathMistake { at }), "{text}");
        }
    }
}
