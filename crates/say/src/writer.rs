//! [`Writer`]: a text that is written piece by piece in one language.

use crate::Language;
use std::fmt::{Display, Write as _};
use std::ops::Range;

/// A text in a language. In Chinese it puts a space between ideographs and Latin letters or digits: within words, and where words and
/// values meet. Values stay as they are, because they may be names that a user types again.
#[derive(Debug)]
pub struct Writer {
    language: Language,
    text: String,
    /// Where the values are, in order.
    values: Vec<Range<usize>>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// Words of the language.
    Words(String),
    /// A value that is the same in both languages.
    Value(String),
}

impl Writer {
    /// An empty text.
    pub const fn new(language: Language) -> Self {
        Self { language, text: String::new(), values: Vec::new() }
    }

    /// The language of the text.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Adds words of the language.
    pub fn words(&mut self, words: &str) {
        match self.language {
            Language::En => self.text.push_str(words),
            Language::Zh => {
                for c in words.chars() {
                    self.space_before(c);
                    self.text.push(c);
                }
            }
        }
    }

    /// Adds a value that is the same in both languages.
    pub fn value(&mut self, value: impl Display) {
        let mut from = self.text.len();
        match self.language {
            Language::En => {
                write!(self.text, "{value}").ok();
            }
            Language::Zh => {
                let value = value.to_string();
                if let Some(first) = value.chars().next() {
                    self.space_before(first);
                }
                from = self.text.len();
                self.text.push_str(&value);
            }
        }
        self.values.push(from..self.text.len());
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The text in parts; values that touch each other are several parts.
    pub fn into_parts(self) -> Vec<TextPart> {
        let (mut parts, mut at) = (Vec::new(), 0);
        for value in self.values {
            let words = &self.text[at..value.start];
            at = value.end;
            parts.extend([TextPart::Words(words.to_owned()), TextPart::Value(self.text[value].to_owned())]);
        }
        parts.push(TextPart::Words(self.text[at..].to_owned()));
        parts
    }

    /// Adds a space where `next` must not touch the character before it.
    fn space_before(&mut self, next: char) {
        if self.text.chars().next_back().is_some_and(|before| is_apart(before, next)) {
            self.text.push(' ');
        }
    }
}

/// The text with a space between ideographs and Latin letters or digits, for Chinese that no [`Writer`] has written.
pub fn spaced(text: &str) -> String {
    let mut out = Writer::new(Language::Zh);
    out.words(text);
    out.into_text()
}

/// Whether a space belongs between two characters: one is an ideograph, the other a Latin letter, a digit or a backtick.
fn is_apart(before: char, next: char) -> bool {
    let ideograph = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let latin = |c: char| c.is_ascii_alphanumeric() || c == '`';
    (ideograph(before) && latin(next)) || (latin(before) && ideograph(next))
}
