//! [`Template`]: a text with variables and functions in it, compiled once into parts. Variables are numbers of slots, so that
//! rendering copies bytes and looks up no name.

use super::{Expr, Function, ScriptValue};
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

/// A text whose variables are resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Template {
    parts: Vec<Expr>,
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
        Expr::Variable(slot).into()
    }

    /// What a function gives.
    pub fn call(function: Function, arguments: Vec<Self>) -> Self {
        Expr::Call(function, arguments.into_iter().map(Expr::from).collect()).into()
    }

    /// Adds text at the end, to the last part if that is text too.
    pub fn push_literal(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(Expr::Constant(ScriptValue::Text(last))) => last.push_str(text),
            _ => self.parts.push(Expr::literal(text)),
        }
    }

    /// Adds a part at the end.
    pub fn push(&mut self, part: Expr) {
        match part {
            Expr::Constant(ScriptValue::Text(text)) => self.push_literal(&text),
            Expr::Text(template) => self.append(template),
            other => self.parts.push(other),
        }
    }

    /// Adds all of another template at the end.
    pub fn append(&mut self, other: Self) {
        other.parts.into_iter().for_each(|part| self.push(part));
    }

    /// The parts.
    pub fn parts(&self) -> &[Expr] {
        &self.parts
    }

    /// The only part, or an empty text if there is none. The error is a template of several parts.
    ///
    /// # Errors
    ///
    /// The template, if it has several parts.
    pub fn only_part(mut self) -> Result<Expr, Self> {
        match (self.parts.len(), self.parts.pop()) {
            (1, Some(part)) => Ok(part),
            (_, None) => Ok(Expr::literal("")),
            (_, Some(last)) => {
                self.parts.push(last);
                Err(self)
            }
        }
    }

    /// The text, if it is always the same.
    pub fn as_literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [part] => part.as_literal(),
            _ => None,
        }
    }

    /// The slot, if this is the value of one variable and nothing else.
    pub fn only_variable(&self) -> Option<usize> {
        match self.parts.as_slice() {
            [part] => part.only_variable(),
            _ => None,
        }
    }
}

impl From<Expr> for Template {
    fn from(part: Expr) -> Self {
        let mut template = Self::default();
        template.push(part);
        template
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Self::literal(text)
    }
}
