//! [`Compound`]: a text with variables and functions, such as `/${path}?n=${__Random(1,9)}`, parsed by JMeter's rules.
//!
//! The rules are from `FunctionParser` and `CompoundVariable`: a backslash escapes `$`, `,` and itself, a function
//! that is not known is a variable of that name, and a text without any `${…}` is left as it is, backslashes included.

use std::iter::Peekable;
use std::str::Chars;

/// A text with variables and functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compound {
    /// The parts, in order; empty for the empty text.
    pub pieces: Vec<Piece>,
}

/// A part of a [`Compound`].
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text that stays as it is.
    Literal(String),
    /// The value of a variable; the text `${name}` if there is none.
    Variable(String),
    /// The result of a function.
    Call(FunctionCall),
}

/// A function with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// The name with its two underscores.
    pub name: String,
    /// The arguments; spaces around them count.
    pub arguments: Vec<Compound>,
    /// The call as it stands in the plan, with `${` and `}`.
    pub source: String,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclosed {
    /// The function whose parenthesis or brace is missing.
    pub function: String,
}

impl Compound {
    /// Parses the value of a property. A text without any variable or function is left as it is.
    ///
    /// # Errors
    ///
    /// [`Unclosed`] for a function call without its closing brace, which JMeter refuses, too.
    pub fn parse(text: &str) -> Result<Self, Unclosed> {
        let parsed = compile(text)?;
        // A `${` without its brace makes a second piece, and counts as one more.
        if let [] | [Piece::Literal(_)] = parsed.pieces.as_slice() {
            return Ok(Self::literal(text));
        }
        let mut joined = Self::default();
        parsed.pieces.into_iter().for_each(|piece| joined.push(piece));
        Ok(joined)
    }

    /// Makes a text without variables and functions.
    pub fn literal(text: &str) -> Self {
        let pieces = if text.is_empty() { Vec::new() } else { vec![Piece::Literal(text.to_owned())] };
        Self { pieces }
    }

    /// Returns the text, if there is no variable and no function in it.
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the function, if the text is nothing but its call.
    pub fn as_call(&self) -> Option<&FunctionCall> {
        match self.pieces.as_slice() {
            [Piece::Call(call)] => Some(call),
            _ => None,
        }
    }

    /// Adds a part, and joins texts that follow each other.
    pub fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (_, Piece::Literal(text)) if text.is_empty() => {}
            (Some(Piece::Literal(last)), Piece::Literal(text)) => last.push_str(&text),
            (_, piece) => self.pieces.push(piece),
        }
    }
}

/// Parses a text, backslashes included: this is what JMeter does with the arguments of functions.
fn compile(text: &str) -> Result<Compound, Unclosed> {
    let mut compound = Compound::default();
    let mut reader = Reader::new(text);
    let mut buffer = String::new();
    let mut previous = ' ';
    while let Some(c) = reader.next() {
        if c == '\\' {
            let Some(next) = reader.next() else { break };
            if !matches!(next, '$' | ',' | '\\') {
                buffer.push('\\');
            }
            buffer.push(next);
            previous = ' ';
        } else if c == '{' && previous == '$' {
            buffer.pop();
            compound.push(Piece::Literal(std::mem::take(&mut buffer)));
            compound.pieces.push(function_or_variable(&mut reader)?);
            previous = ' ';
        } else {
            buffer.push(c);
            previous = c;
        }
    }
    compound.push(Piece::Literal(buffer));
    Ok(compound)
}

/// The rest of a text, which also tells what has been read since a place.
struct Reader<'a> {
    text: &'a str,
    rest: Peekable<Chars<'a>>,
    read: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, rest: text.chars().peekable(), read: 0 }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.read += c.len_utf8();
        Some(c)
    }
}

/// Reads what follows `${`, with its closing brace.
fn function_or_variable(reader: &mut Reader<'_>) -> Result<Piece, Unclosed> {
    let begin = reader.read;
    let mut name = String::new();
    while let Some(c) = reader.next() {
        match c {
            // The backslash itself is dropped.
            '\\' => name.extend(reader.next()),
            '(' if is_function(&name) => {
                let arguments = arguments(reader)?;
                if reader.next() != Some('}') {
                    return Err(Unclosed { function: name });
                }
                let source = format!("${{{}", &reader.text[begin..reader.read]);
                return Ok(Piece::Call(FunctionCall { name, arguments, source }));
            }
            '}' if is_function(&name) => {
                return Ok(Piece::Call(FunctionCall {
                    source: format!("${{{name}}}"),
                    name,
                    arguments: Vec::new(),
                }));
            }
            '}' => return Ok(Piece::Variable(name)),
            c => name.push(c),
        }
    }
    // Without its brace, JMeter keeps the text and loses `${`.
    Ok(Piece::Literal(name))
}

/// Returns whether a name belongs to a function: all functions, also of plug-ins, begin with two underscores.
/// So do the variables in which loops count their passes. JMeter takes a name that it does not know for a variable.
fn is_function(name: &str) -> bool {
    let rest = name.strip_prefix("__").unwrap_or_default();
    !rest.is_empty()
        && !rest.starts_with("jm__")
        && rest.chars().all(|c| c.is_alphanumeric() || c == '_')
        && misspelt(name).is_none()
}

/// The functions of JMeter itself.
const FUNCTIONS: [&str; 50] = [
    "__BeanShell",
    "__char",
    "__changeCase",
    "__counter",
    "__CSVRead",
    "__dateTimeConvert",
    "__digest",
    "__env",
    "__escapeHtml",
    "__escapeOroRegexpChars",
    "__escapeXml",
    "__eval",
    "__evalVar",
    "__FileToString",
    "__groovy",
    "__intSum",
    "__isPropDefined",
    "__isVarDefined",
    "__javaScript",
    "__jexl2",
    "__jexl3",
    "__log",
    "__logn",
    "__longSum",
    "__machineIP",
    "__machineName",
    "__P",
    "__property",
    "__Random",
    "__RandomDate",
    "__RandomFromMultipleVars",
    "__RandomString",
    "__regexFunction",
    "__samplerName",
    "__setProperty",
    "__split",
    "__StringFromFile",
    "__StringToFile",
    "__TestPlanName",
    "__threadGroupName",
    "__threadNum",
    "__time",
    "__timeShift",
    "__unescape",
    "__unescapeHtml",
    "__urldecode",
    "__urlencode",
    "__UUID",
    "__V",
    "__XPath",
];

/// Returns the function of JMeter that a variable was meant to be, such as `__threadNum` for `__ThreadNum` and `__Random` for
/// `__random(1,9)`: its name differs by nothing but the case of letters. No plug-in has a function of such a name.
pub(crate) fn misspelt(variable: &str) -> Option<&'static str> {
    let name = variable.split('(').next().unwrap_or_default();
    let known = FUNCTIONS.iter().find(|known| known.eq_ignore_ascii_case(name));
    known.copied().filter(|known| *known != name)
}

/// Reads arguments up to the closing parenthesis. Commas and parentheses within `${…}` do not count, and parentheses may
/// be nested.
fn arguments(reader: &mut Reader<'_>) -> Result<Vec<Compound>, Unclosed> {
    let mut found = Vec::new();
    let mut buffer = String::new();
    let (mut braces, mut parentheses) = (0u32, 0u32);
    let mut previous = ' ';
    while let Some(c) = reader.next() {
        match c {
            '\\' => {
                buffer.push(c);
                buffer.extend(reader.next());
                previous = ' ';
                continue;
            }
            ',' if braces == 0 => {
                found.push(compile(&std::mem::take(&mut buffer))?);
                // JMeter keeps the character before the comma as the previous one.
                continue;
            }
            ')' if braces == 0 && parentheses == 0 => {
                if !buffer.is_empty() || !found.is_empty() {
                    found.push(compile(&buffer)?);
                }
                return Ok(found);
            }
            '{' if previous == '$' => braces += 1,
            '}' if braces > 0 => braces -= 1,
            ')' if braces == 0 => parentheses -= 1,
            '(' if braces == 0 => parentheses += 1,
            _ => {}
        }
        buffer.push(c);
        previous = c;
    }
    found.push(compile(&buffer)?);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Piece {
        Piece::Literal(text.to_owned())
    }

    fn variable(name: &str) -> Piece {
        Piece::Variable(name.to_owned())
    }

    fn call(text: &str) -> FunctionCall {
        let parsed = Compound::parse(text).expect("a text");
        parsed.as_call().unwrap_or_else(|| panic!("{text}: {parsed:?}")).clone()
    }

    #[test]
    fn a_text_without_variables_keeps_its_backslashes() {
        assert_eq!(Compound::parse(r"a\,b\\$5").expect("a text").pieces, [literal(r"a\,b\\$5")]);
        assert_eq!(Compound::parse("").expect("a text").pieces, []);
    }

    #[test]
    fn a_text_with_a_variable_loses_its_backslashes() {
        let parsed = Compound::parse(r"a\,b\\c\d\${x}${y}").expect("a text");
        assert_eq!(parsed.pieces, [literal(r"a,b\c\d${x}"), variable("y")]);
    }

    #[test]
    fn arguments_are_split_at_commas_outside_of_calls() {
        let found = call(r"${__javaScript(f(1\,2)+${__Random(1,${max})}, x)}");
        assert_eq!(found.arguments.len(), 2);
        assert_eq!(found.arguments[0].pieces[0], literal("f(1,2)+"));
        let Piece::Call(inner) = &found.arguments[0].pieces[1] else { panic!("{found:?}") };
        assert_eq!(inner.arguments, [Compound::literal("1"), Compound { pieces: vec![variable("max")] }]);
        assert_eq!(found.arguments[1], Compound::literal(" x"));
        assert_eq!(inner.source, "${__Random(1,${max})}");
    }

    #[test]
    fn calls_without_arguments_have_none() {
        assert_eq!(call("${__threadNum}").arguments, []);
        assert_eq!(call("${__UUID()}").arguments, []);
        assert_eq!(call("${__P(a,)}").arguments, [Compound::literal("a"), Compound::default()]);
    }

    #[test]
    fn a_name_that_is_no_function_is_a_variable() {
        assert_eq!(Compound::parse("${foo(1)}").expect("a text").pieces, [variable("foo(1)")]);
        assert_eq!(Compound::parse("${a b.c}").expect("a text").pieces, [variable("a b.c")]);
    }

    #[test]
    fn a_function_of_another_case_is_a_variable() {
        assert_eq!(Compound::parse("${__ThreadNum}").expect("a text").pieces, [variable("__ThreadNum")]);
        let parsed = Compound::parse("${__random(1,${n})}").expect("a text");
        assert_eq!(parsed.pieces, [variable("__random(1,${n"), literal(")}")]);
        assert_eq!(
            (misspelt("__random(1,2)"), misspelt("__Random"), misspelt("x")),
            (Some("__Random"), None, None)
        );
        assert!(Compound::parse("${__randomOther(1)}").expect("a text").as_call().is_some());
    }

    #[test]
    fn a_call_without_its_brace_is_refused() {
        assert_eq!(
            Compound::parse("${__P(a)").expect_err("no brace"),
            Unclosed { function: "__P".to_owned() }
        );
        assert_eq!(Compound::parse("x${y").expect("a text").pieces, [literal("xy")]);
    }
}
