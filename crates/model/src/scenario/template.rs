//! [`Template`]: a text with variables and functions in it, compiled once into segments. Variables are numbers of slots, so that
//! rendering copies bytes and looks up no name.

use super::Function;
use serde::{Deserialize, Serialize};

/// Names with numbers: each has the number of its slot, in the order in which they were defined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    names: Vec<String>,
}

impl Slots {
    /// Returns the slot of the name, which is new if it was not there.
    pub fn define(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// Returns the slot of the name; `None` when nothing defines it.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Returns the name of a slot.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    pub fn name(&self, slot: usize) -> &str {
        &self.names[slot]
    }

    /// Returns all names, in the order of their slots.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Segment {
    /// Text that is always the same.
    Literal(String),
    /// The value of a variable of prony's environment, by its index in [`Program::environment`](super::Program::environment).
    Environment(usize),
    /// The value of the variable in this slot. While it is unset, `${name}` is written, as JMeter does.
    Variable(usize),
    /// A value of a list; nothing where the list has none of this number.
    Item {
        /// The slot of the list among the lists.
        list: usize,
        /// The number of the value, from 1.
        index: Template,
    },
    /// The number of values of the list in this slot.
    Length(usize),
    /// What a function gives.
    Call(Box<Function>),
}

/// A text whose variables are resolved.
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
    /// A function that there is not.
    UnknownFunction(String),
    /// A function with arguments that it cannot take; the text shows how it is written.
    Arguments(&'static str),
    /// A variable of the environment that is not set.
    NoEnvironment(String),
}

/// A mistake and its place, in bytes from the begin of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MistakeInTemplate {
    /// The bytes from `${` to `}`, or to the end where that is missing.
    pub place: std::ops::Range<usize>,
    /// What is wrong there.
    pub mistake: TemplateMistake,
}

impl Template {
    /// A text without variables.
    pub fn literal(text: &str) -> Self {
        let mut template = Self::default();
        template.push_literal(text);
        template
    }

    /// The value of one variable.
    pub fn variable(slot: usize) -> Self {
        Self { segments: vec![Segment::Variable(slot)] }
    }

    /// What a function gives.
    pub fn call(function: Function) -> Self {
        Self { segments: vec![Segment::Call(Box::new(function))] }
    }

    /// Adds text at the end, to the last segment if that is text too.
    pub fn push_literal(&mut self, text: &str) {
        match self.segments.last_mut() {
            _ if text.is_empty() => {}
            Some(Segment::Literal(last)) => last.push_str(text),
            _ => self.segments.push(Segment::Literal(text.to_owned())),
        }
    }

    /// Adds a segment at the end.
    pub fn push(&mut self, segment: Segment) {
        match segment {
            Segment::Literal(text) => self.push_literal(&text),
            other => self.segments.push(other),
        }
    }

    /// Adds all of another template at the end.
    pub fn append(&mut self, other: Self) {
        other.segments.into_iter().for_each(|segment| self.push(segment));
    }

    /// The parts.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The text, if it is always the same.
    pub fn as_literal(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [] => Some(""),
            [Segment::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The slot, if this is the value of one variable and nothing else.
    pub fn only_variable(&self) -> Option<usize> {
        match self.segments.as_slice() {
            [Segment::Variable(slot)] => Some(*slot),
            _ => None,
        }
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Self::literal(text)
    }
}
