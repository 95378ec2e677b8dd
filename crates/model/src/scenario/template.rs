//! [`Template`]: a text with `${variable}` in it, compiled once into segments. Variables become numbers of slots, so that
//! rendering copies bytes and looks up no name.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The variables of a scenario: each has the number of its slot, in the order in which they were defined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    names: Vec<String>,
}

impl Slots {
    /// Returns the slot of the variable, which is new if no variable had this name.
    pub fn define(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// Returns the slot of the variable; `None` when nothing defines it.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Segment {
    /// Text that is the same in every request.
    Literal(String),
    /// The value of the variable in this slot.
    Variable(usize),
}

/// A text whose variables are resolved. `$${` stands for `${` as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    segments: Vec<Segment>,
}

/// What is wrong in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateMistake {
    /// A `${` without its `}`.
    Unclosed,
    /// `${}`.
    NoName,
    /// A variable that nothing defines before it is used.
    Unknown(String),
}

/// A mistake and its place, in bytes from the begin of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MistakeInTemplate {
    /// The bytes from `${` to `}`, or to the end where that is missing.
    pub place: Range<usize>,
    /// What is wrong there.
    pub mistake: TemplateMistake,
}

impl Template {
    /// Compiles the text.
    ///
    /// # Errors
    ///
    /// Returns all mistakes in the text, in their order.
    pub fn compile(text: &str, slots: &Slots) -> Result<Self, Vec<MistakeInTemplate>> {
        let mut template = Self::default();
        let mut mistakes = Vec::new();
        let mut at = 0;
        while let Some(found) = text[at..].find("${") {
            let start = at + found;
            if text[at..start].ends_with('$') {
                template.push_literal(&text[at..start - 1]);
                template.push_literal("${");
                at = start + 2;
                continue;
            }
            template.push_literal(&text[at..start]);
            let end = text[start..]
                .find('}')
                .map_or(text.len(), |length| start + length + 1);
            match variable(&text[start..end], slots) {
                Ok(slot) => template.segments.push(Segment::Variable(slot)),
                Err(mistake) => mistakes.push(MistakeInTemplate {
                    place: start..end,
                    mistake,
                }),
            }
            at = end;
        }
        template.push_literal(&text[at..]);
        if mistakes.is_empty() {
            Ok(template)
        } else {
            Err(mistakes)
        }
    }

    /// Appends the text to `out`. A slot without a value adds nothing.
    pub fn render(&self, values: &[Vec<u8>], out: &mut Vec<u8>) {
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => out.extend_from_slice(text.as_bytes()),
                Segment::Variable(slot) => {
                    out.extend_from_slice(values.get(*slot).map_or(&[], Vec::as_slice))
                }
            }
        }
    }

    /// Adds text at the end, to the last segment if that is text too.
    fn push_literal(&mut self, text: &str) {
        match self.segments.last_mut() {
            _ if text.is_empty() => {}
            Some(Segment::Literal(last)) => last.push_str(text),
            _ => self.segments.push(Segment::Literal(text.to_owned())),
        }
    }
}

/// Returns the slot of a variable that is written as `${name}`.
fn variable(written: &str, slots: &Slots) -> Result<usize, TemplateMistake> {
    let inside = written.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    match inside {
        None => Err(TemplateMistake::Unclosed),
        Some("") => Err(TemplateMistake::NoName),
        Some(name) => slots
            .find(name)
            .ok_or_else(|| TemplateMistake::Unknown(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compiles with the variables `id` and `token`, and renders with the values 7 and `abc`.
    fn rendered(text: &str) -> Result<String, Vec<MistakeInTemplate>> {
        let mut slots = Slots::default();
        slots.define("id");
        slots.define("token");
        let mut out = Vec::new();
        Template::compile(text, &slots)?.render(&[b"7".to_vec(), b"abc".to_vec()], &mut out);
        Ok(String::from_utf8(out).expect("texts and values are UTF-8"))
    }

    #[test]
    fn variables_are_replaced_by_their_values() {
        assert_eq!(
            rendered("/posts/${id}?t=${token}${id}").as_deref(),
            Ok("/posts/7?t=abc7")
        );
        assert_eq!(
            rendered("costs $5, {id}, $${id}").as_deref(),
            Ok("costs $5, {id}, ${id}")
        );
        assert_eq!(rendered("").as_deref(), Ok(""));
    }

    #[test]
    fn all_mistakes_are_told_with_their_places() {
        let mistake = |place, mistake| MistakeInTemplate { place, mistake };
        assert_eq!(
            rendered("/${user}/${}/${id}/${token"),
            Err(vec![
                mistake(1..8, TemplateMistake::Unknown("user".to_owned())),
                mistake(9..12, TemplateMistake::NoName),
                mistake(19..26, TemplateMistake::Unclosed),
            ])
        );
    }

    proptest! {
        #[test]
        fn text_without_variables_stays_as_it_is(text in "[^$]*") {
            prop_assert_eq!(rendered(&text), Ok(text));
        }

        #[test]
        fn any_text_compiles_or_has_mistakes_within_it(text in "([${}]|id|é)*") {
            for found in rendered(&text).err().into_iter().flatten() {
                let begins = text.get(found.place).is_some_and(|part| part.starts_with("${"));
                prop_assert!(begins);
            }
        }
    }
}
