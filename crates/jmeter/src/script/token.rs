//! Splits a script into tokens. Places where JMeter puts a text into the script before it runs are holes.

use crate::compound::{Compound, Piece};
use traffic::scenario::{Decimal, Dialect, ScriptValue};

/// Holes are these characters while a script is split into tokens; they are for private use in Unicode.
const FIRST_HOLE: u32 = 0xF0000;
/// A script has at most this many holes.
const MOST_HOLES: usize = 1000;

/// A token, and whether it is the first one of its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) what: Lexeme,
    pub(super) begins_line: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lexeme {
    Number(ScriptValue),
    Quoted(Vec<QuotedPart>),
    Word(String),
    Hole(usize),
    Symbol(&'static str),
}

/// A part of a text in quotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QuotedPart {
    Literal(String),
    Hole(usize),
    /// `$name` or `${…}` in a text of Groovy: what is computed.
    Code(String),
}

/// The longest symbols come first.
const SYMBOLS: [&str; 48] = [
    "===", "!==", "==~", "<=>", "..<", "==", "!=", "<=", ">=", "&&", "||", "=~", "!~", "?:", "?.", "++",
    "--", "+=", "-=", "*=", "->", "..", "<<", "**", "+", "-", "*", "/", "%", "=", "<", ">", "!", "?", ":",
    ";", ",", ".", "(", ")", "[", "]", "{", "}", "&", "|", "~", "@",
];

/// A script as text with holes.
pub(super) struct Source {
    pub(super) text: String,
    pub(super) holes: Vec<Compound>,
}

impl Source {
    /// Makes a hole of each variable and function.
    pub(super) fn new(script: &Compound) -> Result<Self, String> {
        let (mut text, mut holes) = (String::new(), Vec::new());
        for piece in &script.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                piece => {
                    text.extend(char::from_u32(FIRST_HOLE + holes.len() as u32));
                    holes.push(Compound { pieces: vec![piece.clone()] });
                }
            }
        }
        if holes.len() > MOST_HOLES {
            return Err("so many variables".to_owned());
        }
        Ok(Self { text, holes })
    }
}

fn hole_of(c: char) -> Option<usize> {
    let index = (c as u32).checked_sub(FIRST_HOLE)? as usize;
    (index < MOST_HOLES).then_some(index)
}

/// Splits a script. The error is the text that cannot be read.
pub(super) fn tokens(source: &Source, dialect: Dialect) -> Result<Vec<Token>, String> {
    let mut scanner = Scanner { rest: &source.text, dialect, found: Vec::new(), begins_line: true };
    while scanner.skip_blank() {
        let what = scanner.lexeme()?;
        let begins_line = std::mem::take(&mut scanner.begins_line);
        scanner.found.push(Token { what, begins_line });
    }
    Ok(scanner.found)
}

struct Scanner<'a> {
    rest: &'a str,
    dialect: Dialect,
    found: Vec<Token>,
    begins_line: bool,
}

impl<'a> Scanner<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Skips spaces and comments; returns whether anything is left.
    fn skip_blank(&mut self) -> bool {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            let skipped = if blank > 0 {
                blank
            } else if self.rest.starts_with("//") || self.rest.starts_with("#!") {
                self.rest.find('\n').unwrap_or(self.rest.len())
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").map_or(self.rest.len(), |end| end + 2)
            } else {
                return !self.rest.is_empty();
            };
            self.begins_line |= self.take(skipped).contains('\n');
        }
    }

    fn lexeme(&mut self) -> Result<Lexeme, String> {
        let c = self.peek().unwrap_or_default();
        if let Some(hole) = hole_of(c) {
            self.take(c.len_utf8());
            let glued = |c: char| c.is_alphanumeric() || c == '_' || hole_of(c).is_some();
            return if self.peek().is_some_and(glued) {
                Err("a variable that is a part of a name or number".to_owned())
            } else {
                Ok(Lexeme::Hole(hole))
            };
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        if c.is_alphabetic() || c == '_' || c == '$' {
            return self.word();
        }
        if matches!(c, '"' | '\'' | '`') || c == '/' && self.operand_is_expected() {
            return self.quoted(c);
        }
        let symbol = SYMBOLS.into_iter().find(|symbol| self.rest.starts_with(symbol));
        let symbol = symbol.ok_or_else(|| format!("`{c}`"))?;
        self.take(symbol.len());
        Ok(Lexeme::Symbol(symbol))
    }

    fn operand_is_expected(&self) -> bool {
        match self.found.last().map(|token| &token.what) {
            None => true,
            Some(Lexeme::Symbol(symbol)) => !matches!(*symbol, ")" | "]" | "}"),
            Some(_) => false,
        }
    }

    fn word(&mut self) -> Result<Lexeme, String> {
        let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len());
        let word = self.take(length).to_owned();
        match self.peek().and_then(hole_of) {
            Some(_) => Err("a variable that is a part of a name or number".to_owned()),
            None => Ok(Lexeme::Word(word)),
        }
    }

    fn number(&mut self) -> Result<Lexeme, String> {
        let bytes = self.rest.as_bytes();
        let mut length = 0;
        let mut fraction = false;
        while let Some(byte) = bytes.get(length) {
            let point = *byte == b'.' && !fraction && bytes.get(length + 1).is_some_and(u8::is_ascii_digit);
            if !byte.is_ascii_digit() && !point {
                break;
            }
            fraction |= point;
            length += 1;
        }
        let digits = self.take(length);
        let suffix = self.peek().filter(|c| c.is_alphanumeric() || hole_of(*c).is_some());
        let unknown = || format!("`{digits}{}`", suffix.filter(|c| c.is_alphanumeric()).unwrap_or_default());
        let value = match suffix {
            None => ScriptValue::of_number(digits, self.dialect),
            Some('L' | 'l') if !fraction => digits.parse().ok().map(ScriptValue::Integer),
            Some('d' | 'D') => digits.parse().ok().map(ScriptValue::Float),
            Some('g' | 'G') if fraction => Decimal::parse(digits).map(ScriptValue::Decimal),
            Some(_) => None,
        };
        let value = value.ok_or_else(unknown)?;
        if let Some(suffix) = suffix {
            self.take(suffix.len_utf8());
        }
        if self.peek().is_some_and(|c| c.is_alphanumeric() || hole_of(c).is_some()) {
            return Err(unknown());
        }
        Ok(Lexeme::Number(value))
    }

    fn quoted(&mut self, quote: char) -> Result<Lexeme, String> {
        let triple: String = [quote; 3].iter().collect();
        let close = if quote != '/' && self.rest.starts_with(&triple) { triple } else { quote.to_string() };
        self.take(close.len());
        if self.dialect == Dialect::BeanShell && quote == '\'' {
            return Err("a character in single quotes".to_owned());
        }
        let interpolates = self.dialect == Dialect::Groovy && quote == '"' || quote == '`';
        let mut parts = vec![QuotedPart::Literal(String::new())];
        loop {
            if self.rest.starts_with(&close) {
                self.take(close.len());
                let is_expression = quote == '/' && self.dialect == Dialect::JavaScript;
                return match is_expression && !parts.iter().all(is_plain) {
                    true => Err("a regular expression".to_owned()),
                    false => Ok(Lexeme::Quoted(parts)),
                };
            }
            let c = self.peek().ok_or("a text without its closing quote")?;
            self.take(c.len_utf8());
            match (c, hole_of(c)) {
                (_, Some(hole)) => parts.push(QuotedPart::Hole(hole)),
                ('\\', _) if quote == '/' => self.keep_escape(&mut parts),
                ('\\', _)
                    if self.dialect.is_jexl()
                        && !self.rest.starts_with(['\\', '"', '\'', 'u', 'n', 't', 'r']) =>
                {
                    push(&mut parts, '\\');
                }
                ('\\', _) => {
                    let c = self.escape()?;
                    push(&mut parts, c);
                }
                ('$', _) if interpolates && (quote == '"' || self.rest.starts_with('{')) => {
                    self.name_in_quotes(&mut parts)?
                }
                (c, _) => push(&mut parts, c),
            }
        }
    }

    /// In `/…/`, a backslash only escapes the slash.
    fn keep_escape(&mut self, parts: &mut Vec<QuotedPart>) {
        if !self.rest.starts_with('/') {
            push(parts, '\\');
        }
        if let Some(c) = self.peek() {
            self.take(c.len_utf8());
            push(parts, c);
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let c = self.peek().ok_or("a text without its closing quote")?;
        self.take(c.len_utf8());
        match c {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            'u' => {
                let digits = self.rest.get(..4).unwrap_or_default();
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                let code = code.ok_or_else(|| format!("`\\u{digits}`"))?;
                self.take(4);
                Ok(code)
            }
            c if hole_of(c).is_some() => Err("a variable behind a backslash".to_owned()),
            c if self.dialect.is_java() && !matches!(c, '\\' | '"' | '\'' | '$') => Err(format!("`\\{c}`")),
            other => Ok(other),
        }
    }

    /// Reads what stands behind a dollar sign in a text of Groovy.
    fn name_in_quotes(&mut self, parts: &mut Vec<QuotedPart>) -> Result<(), String> {
        let length = if self.rest.starts_with('{') {
            let mut depth = 0;
            let end = self.rest.find(|c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth == 0
            });
            end.ok_or("a text without its closing brace")?
        } else {
            dotted_name(self.rest)
        };
        if length == 0 {
            return Err("a dollar sign without a name".to_owned());
        }
        let braces = usize::from(self.rest.starts_with('{'));
        let code = self.take(length + braces)[braces..length].to_owned();
        parts.push(QuotedPart::Code(code));
        Ok(())
    }
}

/// Whether a part of a regular expression stands for itself.
fn is_plain(part: &QuotedPart) -> bool {
    const SPECIAL: &[char] = &['\\', '.', '*', '+', '?', '|', '(', ')', '[', ']', '{', '}', '^', '$'];
    matches!(part, QuotedPart::Literal(text) if !text.contains(SPECIAL))
}

/// The length of the name at the begin of a text, with the properties behind it; 0 if there is none.
fn dotted_name(text: &str) -> usize {
    let mut length = 0;
    for part in text.split('.') {
        if !part.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            break;
        }
        let end = part.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        length += usize::from(length > 0) + end.unwrap_or(part.len());
        if end.is_some() {
            break;
        }
    }
    length
}

fn push(parts: &mut Vec<QuotedPart>, c: char) {
    match parts.last_mut() {
        Some(QuotedPart::Literal(text)) => text.push(c),
        _ => parts.push(QuotedPart::Literal(c.to_string())),
    }
}
