//! A text with placeholders, as the attribute `#[say(…)]` writes it.
//!
//! | placeholder | meaning |
//! |---|---|
//! | `{name}` | the words of a value |
//! | `{name:format}` | the value in a format, such as `{share:percent}` or `{rate:.1}` |
//! | `{name?with {}}` | words around a value that may be missing; nothing where it is |
//! | `{name?with {}\|without}` | other words where the value is missing |
//! | `{name\|start\|starts}` | the first words for exactly one, the second for every other number |
//! | `{{`, `}}` | braces |

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words of the language.
    Words(String),
    /// A value; `None` is the value that the placeholder around it has found.
    Value { name: Option<String>, format: Option<String> },
    /// Words that depend on whether a value is there.
    Optional { name: String, present: Vec<Piece>, missing: Vec<Piece> },
    /// Words that depend on whether a number is 1.
    Plural { name: String, one: Vec<Piece>, many: Vec<Piece> },
}

/// Reads a text.
///
/// # Errors
///
/// A sentence about the first mistake.
pub(crate) fn parse(text: &str) -> Result<Vec<Piece>, String> {
    let mut parser = Parser { rest: text.chars().peekable() };
    let pieces = parser.pieces(Within::Text)?;
    match parser.rest.next() {
        None => Ok(pieces),
        Some(_) => Err("`}` closes nothing; a brace is written `}}`".to_owned()),
    }
}

/// What surrounds the text that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Nothing.
    Text,
    /// A placeholder, in which `|` separates its parts.
    Placeholder,
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    /// Reads up to the end of the text, or up to the `}` or `|` that ends this part of a placeholder.
    fn pieces(&mut self, within: Within) -> Result<Vec<Piece>, String> {
        let mut pieces = Vec::new();
        let mut words = String::new();
        while let Some(c) = self.rest.next_if(|c| !ends(*c, within)) {
            match c {
                '{' if !self.take('{') => {
                    if !words.is_empty() {
                        pieces.push(Piece::Words(std::mem::take(&mut words)));
                    }
                    pieces.push(self.placeholder()?);
                }
                c => words.push(c),
            }
        }
        if within == Within::Text && self.doubled('}') {
            // An escaped brace is a part of the words.
            words.push('}');
            let rest = self.pieces(within)?;
            return Ok(joined(pieces, words, rest));
        }
        if !words.is_empty() {
            pieces.push(Piece::Words(words));
        }
        Ok(pieces)
    }

    /// Reads a placeholder whose `{` was read.
    fn placeholder(&mut self) -> Result<Piece, String> {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
        }
        match self.rest.next() {
            Some('}') => Ok(value(name, None)),
            Some(':') => {
                let mut format = String::new();
                while let Some(c) = self.rest.next_if(|c| *c != '}') {
                    format.push(c);
                }
                self.close(&name)?;
                Ok(value(name, Some(format)))
            }
            Some('?') if !name.is_empty() => {
                let present = self.pieces(Within::Placeholder)?;
                let missing = match self.take('|') {
                    true => self.pieces(Within::Placeholder)?,
                    false => Vec::new(),
                };
                self.close(&name)?;
                Ok(Piece::Optional { name, present, missing })
            }
            Some('|') if !name.is_empty() => {
                let one = self.pieces(Within::Placeholder)?;
                if !self.take('|') {
                    return Err(format!(
                        "`{{{name}|…}}` needs words for one and for many: `{{{name}|start|starts}}`"
                    ));
                }
                let many = self.pieces(Within::Placeholder)?;
                self.close(&name)?;
                Ok(Piece::Plural { name, one, many })
            }
            Some(c) => Err(format!("`{c}` cannot follow `{{{name}`; a brace is written `{{{{`")),
            None => Err(format!("`{{{name}` is not closed")),
        }
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        match self.take('}') {
            true => Ok(()),
            false => Err(format!("`{{{name}` is not closed")),
        }
    }

    fn take(&mut self, c: char) -> bool {
        self.rest.next_if_eq(&c).is_some()
    }

    /// Takes two of a character, if they are next.
    fn doubled(&mut self, c: char) -> bool {
        let mut ahead = self.rest.clone();
        let is_doubled = ahead.next() == Some(c) && ahead.next() == Some(c);
        if is_doubled {
            self.rest = ahead;
        }
        is_doubled
    }
}

/// Whether a character ends a text or a part of a placeholder.
fn ends(c: char, within: Within) -> bool {
    c == '}' || within == Within::Placeholder && c == '|'
}

fn value(name: String, format: Option<String>) -> Piece {
    let name = Some(name).filter(|name| !name.is_empty());
    Piece::Value { name, format }
}

/// Appends pieces behind words, which merge with words at their begin.
fn joined(mut pieces: Vec<Piece>, mut words: String, rest: Vec<Piece>) -> Vec<Piece> {
    let mut rest = rest.into_iter().peekable();
    if let Some(Piece::Words(more)) = rest.next_if(|piece| matches!(piece, Piece::Words(_))) {
        words.push_str(&more);
    }
    pieces.push(Piece::Words(words));
    pieces.extend(rest);
    pieces
}

/// Which names a text uses, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// Names whose value is shown.
    pub(crate) shown: BTreeSet<String>,
    /// Names that choose words, because their value may be missing.
    pub(crate) optional: BTreeSet<String>,
    /// Names that choose between singular and plural.
    pub(crate) counted: BTreeSet<String>,
}

impl Names {
    /// The names in a text.
    pub(crate) fn of(pieces: &[Piece]) -> Self {
        let mut names = Self::default();
        names.add(pieces, None);
        names
    }

    /// All names, however they are used.
    pub(crate) fn all(&self) -> BTreeSet<&String> {
        let chosen = self.optional.union(&self.counted);
        self.shown.iter().chain(chosen).collect()
    }

    /// What the reader learns from a text: values, and whether something is there. A plural tells nothing new.
    pub(crate) fn told(&self) -> BTreeSet<&String> {
        self.shown.union(&self.optional).collect()
    }

    fn add(&mut self, pieces: &[Piece], around: Option<&str>) {
        for piece in pieces {
            match piece {
                Piece::Words(_) => {}
                Piece::Value { name, .. } => {
                    self.shown.extend(name.as_deref().or(around).map(str::to_owned));
                }
                Piece::Optional { name, present, missing } => {
                    self.optional.insert(name.clone());
                    self.add(present, Some(name));
                    self.add(missing, around);
                }
                Piece::Plural { name, one, many } => {
                    self.counted.insert(name.clone());
                    self.add(one, around);
                    self.add(many, around);
                }
            }
        }
    }
}

/// Whether a text has `{}` outside of a placeholder that finds a value for it.
pub(crate) fn has_nameless(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Words(_) => false,
        Piece::Value { name, .. } => name.is_none(),
        Piece::Optional { missing, .. } => has_nameless(missing),
        Piece::Plural { one, many, .. } => has_nameless(one) || has_nameless(many),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Piece {
        Piece::Words(text.to_owned())
    }

    #[test]
    fn a_text_is_words_and_values() {
        let shown = |name: &str, format: Option<&str>| value(name.to_owned(), format.map(str::to_owned));
        assert_eq!(
            parse("cannot {act} in {0:.1}").expect("a text"),
            [words("cannot "), shown("act", None), words(" in "), shown("0", Some(".1"))]
        );
        assert_eq!(
            parse("${{__P({name})}}.").expect("a text"),
            [words("${__P("), shown("name", None), words(")}.")]
        );
    }

    #[test]
    fn a_placeholder_may_choose_words() {
        let optional = Piece::Optional {
            name: "file".to_owned(),
            present: vec![words("until "), value(String::new(), None)],
            missing: vec![words("at once")],
        };
        assert_eq!(parse("{file?until {}|at once}").expect("a text"), [optional]);
        let plural =
            Piece::Plural { name: "n".to_owned(), one: vec![words("start")], many: vec![words("starts")] };
        assert_eq!(parse("{n|start|starts}").expect("a text"), [plural]);
    }

    #[test]
    fn names_are_told_apart_by_their_use() {
        let names = Names::of(&parse("{n} {n|CPU|CPUs}{holder?, held {} by {who}}").expect("a text"));
        let set = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(names.shown, set(&["n", "holder", "who"]));
        assert_eq!((names.optional, names.counted), (set(&["holder"]), set(&["n"])));
    }

    #[test]
    fn mistakes_are_said() {
        for (text, mistake) in [
            ("a {b", "`{b` is not closed"),
            ("a } b", "`}` closes nothing; a brace is written `}}`"),
            ("{a b}", "` ` cannot follow `{a`; a brace is written `{{`"),
            ("{n|start}", "`{n|…}` needs words for one and for many: `{n|start|starts}`"),
        ] {
            assert_eq!(parse(text), Err(mistake.to_owned()), "{text}");
        }
        assert!(has_nameless(&parse("a {}").expect("a text")));
        assert!(!has_nameless(&parse("{a?b {}}").expect("a text")));
    }
}
