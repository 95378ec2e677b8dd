//! [`Node`]: a TOML text as a tree in which every key and value knows its place in the text; and [`Table`], which reads the
//! keys of a table and reports keys that nobody has read.

use crate::diagnostic::{Diagnostic, near_or, nearest};
use crate::slip::{Advice, ExpectedValue, FoundValue, Hint, Listing, Owner, ShapeSlip, Slip, TableName};
use crate::values::{self, BadQuantity, Notation};
use model::units::{BitRate, Bytes, Nanos, Rate};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use traffic::pace::Think;

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    Date,
    List(Vec<Node>),
    Table(Vec<(Node, Node)>),
}

impl Value {
    const fn found(&self) -> FoundValue {
        match self {
            Self::Text(_) => FoundValue::Text,
            Self::Integer(_) => FoundValue::Integer,
            Self::Float(_) => FoundValue::Fraction,
            Self::Bool(_) => FoundValue::Truth,
            Self::Date => FoundValue::Date,
            Self::List(_) => FoundValue::List,
            Self::Table(_) => FoundValue::Table,
        }
    }
}

/// Parses TOML into a tree.
pub(crate) fn parse(text: &str) -> Result<Node, Diagnostic> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..text.len());
        let message = error.message().replace('\n', ", ");
        Diagnostic::new(span, Slip::Toml(message)).hint(Advice::ValidToml)
    })?;
    Ok(from_toml(&Spanned::new(table.span(), DeValue::Table(table.into_inner()))))
}

fn from_toml(value: &Spanned<DeValue<'_>>) -> Node {
    let converted = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::Text(number.as_str().to_owned()), Value::Integer),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(set) => Value::Bool(*set),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(items.iter().map(from_toml).collect()),
        DeValue::Table(table) => {
            let mut entries: Vec<_> = table
                .iter()
                .map(|(key, value)| {
                    let name = Node { span: key.span(), value: Value::Text(key.get_ref().to_string()) };
                    (name, from_toml(value))
                })
                .collect();
            entries.sort_by_key(|(key, _)| key.span.start);
            Value::Table(entries)
        }
    };
    Node { span: value.span(), value: converted }
}

impl Node {
    /// Returns the value of this key, where this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Value::Table(entries) = &self.value else {
            return None;
        };
        let named = |(name, _): &&(Self, Self)| matches!(&name.value, Value::Text(text) if text == key);
        entries.iter().find(named).map(|(_, value)| value)
    }

    /// Returns the value of this key, or this table where it does not have the key: the place of a message about it.
    pub(crate) fn entry(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(self)
    }

    /// Reads one of these words.
    pub(crate) fn one_of<T: Copy>(&self, all: &[T], id: fn(T) -> &'static str) -> Result<T, Diagnostic> {
        let word = self.text()?;
        let found = all.iter().copied().find(|candidate| id(*candidate) == word);
        let words = || all.iter().map(|candidate| id(*candidate)).collect::<Vec<_>>();
        found.ok_or_else(|| self.unknown_word(word, &words()))
    }

    /// Says that this word is none of `words`.
    pub(crate) fn unknown_word(&self, word: &str, words: &[&str]) -> Diagnostic {
        let hint = match nearest(word, words.iter().copied()) {
            Some(near) => Hint::DidYouMean(format!("\"{near}\"")),
            None => Hint::listed(Listing::Words, words.iter().copied()),
        };
        self.refuse(ShapeSlip::UnknownWord(word.to_owned())).hint(hint)
    }

    pub(crate) fn text(&self) -> Result<&str, Diagnostic> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.expected(ExpectedValue::Text)),
        }
    }

    pub(crate) fn owned_text(&self) -> Result<String, Diagnostic> {
        self.text().map(str::to_owned)
    }

    /// Reads an integer within `range`; a string of digits is refused, because it is a mistake in a file.
    pub(crate) fn integer(&self, range: std::ops::RangeInclusive<u64>) -> Result<u64, Diagnostic> {
        let expected = ExpectedValue::Integer { least: *range.start(), most: *range.end() };
        let Value::Integer(number) = self.value else {
            return Err(self.expected(expected));
        };
        let inside = u64::try_from(number).ok().filter(|number| range.contains(number));
        inside.ok_or_else(|| self.outside(expected, number))
    }

    pub(crate) fn boolean(&self) -> Result<bool, Diagnostic> {
        match self.value {
            Value::Bool(set) => Ok(set),
            _ => Err(self.expected(ExpectedValue::Truth)),
        }
    }

    /// Returns its items; none where it is no list.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn list(&self) -> Result<&[Node], Diagnostic> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.expected(ExpectedValue::List)),
        }
    }

    pub(crate) fn duration(&self) -> Result<Nanos, Diagnostic> {
        self.quantity(Notation::Duration, values::duration)
    }

    pub(crate) fn size(&self) -> Result<Bytes, Diagnostic> {
        self.quantity(Notation::Size, values::size)
    }

    pub(crate) fn rate(&self) -> Result<Rate, Diagnostic> {
        self.quantity(Notation::Rate, values::rate)
    }

    pub(crate) fn bit_rate(&self) -> Result<BitRate, Diagnostic> {
        values::bit_rate(self.text()?).map_err(|bad| self.refuse(bad))
    }

    pub(crate) fn think(&self) -> Result<Think, Diagnostic> {
        self.quantity(Notation::Pause, values::think)
    }

    pub(crate) fn share(&self) -> Result<f64, Diagnostic> {
        self.quantity(Notation::Share, values::share)
    }

    pub(crate) fn alpha(&self) -> Result<f64, Diagnostic> {
        self.quantity(Notation::ErrorRate, values::alpha)
    }

    /// Reads a quantity: a string in its notation, or a bare number.
    pub(crate) fn quantity<T>(
        &self,
        kind: Notation,
        parse: impl Fn(&str) -> Result<T, BadQuantity>,
    ) -> Result<T, Diagnostic> {
        let parsed = match &self.value {
            Value::Text(text) => parse(text),
            Value::Integer(number) => parse(&number.to_string()),
            Value::Float(number) => parse(&number.to_string()),
            _ => return Err(self.expected(ExpectedValue::Quantity(kind))),
        };
        parsed.map_err(|bad| self.refuse(bad))
    }

    /// Returns a diagnostic at this place.
    pub(crate) fn refuse(&self, slip: impl Into<Slip>) -> Diagnostic {
        Diagnostic::new(self.span.clone(), slip)
    }

    /// Says that the value is of another type.
    pub(crate) fn expected(&self, expected: ExpectedValue) -> Diagnostic {
        let found = self.value.found();
        self.refuse(ShapeSlip::Unexpected { expected, found })
    }

    /// Says that the value is outside its range; `value` is shown with its unit.
    pub(crate) fn outside(&self, expected: ExpectedValue, value: impl ToString) -> Diagnostic {
        let found = FoundValue::Value(value.to_string());
        self.refuse(ShapeSlip::Unexpected { expected, found })
    }

    /// Says that a key is missing.
    pub(crate) fn lacks(&self, owner: Owner, key: &'static str) -> Diagnostic {
        self.refuse(ShapeSlip::Lacks { owner, key })
    }
}

/// A table whose keys are read one by one; keys that nobody reads are mistakes.
pub(crate) struct Table<'a> {
    name: TableName,
    entries: &'a [(Node, Node)],
    known: Vec<&'static str>,
}

impl<'a> Table<'a> {
    /// Opens `node` as a table; messages call it `name`.
    pub(crate) fn open(node: &'a Node, name: TableName) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Table(entries) => Ok(Self { name, entries, known: Vec::new() }),
            _ => Err(node.expected(ExpectedValue::Table(name))),
        }
    }

    /// Opens `node` as a table, or adds to `problems` that it is none.
    pub(crate) fn open_or_tell(
        node: &'a Node,
        name: TableName,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        Self::open(node, name).map_err(|problem| problems.push(problem)).ok()
    }

    /// Returns the value of `key`, if it is there.
    pub(crate) fn get(&mut self, key: &'static str) -> Option<&'a Node> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries
            .iter()
            .find(|(name, _)| matches!(&name.value, Value::Text(t) if t == key))
            .map(|(_, v)| v)
    }

    /// Reads the value of `key`, if it is there; what is wrong with it is added to `problems`.
    pub(crate) fn read<T>(
        &mut self,
        key: &'static str,
        problems: &mut Vec<Diagnostic>,
        read: impl FnOnce(&Node) -> Result<T, Diagnostic>,
    ) -> Option<T> {
        match read(self.get(key)?) {
            Ok(value) => Some(value),
            Err(problem) => {
                problems.push(problem.about(key));
                None
            }
        }
    }

    /// Reads the value of `key`, if it is there, into `slot`, which otherwise stays as it is.
    pub(crate) fn set<T>(
        &mut self,
        key: &'static str,
        slot: &mut T,
        problems: &mut Vec<Diagnostic>,
        read: impl FnOnce(&Node) -> Result<T, Diagnostic>,
    ) {
        if let Some(value) = self.read(key, problems, read) {
            *slot = value;
        }
    }

    /// Returns the keys that nobody has read, of a table that can have any keys.
    pub(crate) fn rest(self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let known = self.known;
        self.entries.iter().filter_map(move |(name, value)| match &name.value {
            Value::Text(key) if !known.contains(&key.as_str()) => Some((key.as_str(), value)),
            _ => None,
        })
    }

    /// Reports the keys that nobody has read.
    pub(crate) fn finish(self, problems: &mut Vec<Diagnostic>) {
        for (name, _) in self.entries {
            let Value::Text(key) = &name.value else { continue };
            if self.known.iter().any(|known| known == key) {
                continue;
            }
            let known = || self.known.iter().copied();
            let hint = near_or(key, known(), || Hint::listed(Listing::KeysOf(self.name), known()));
            let slip = ShapeSlip::UnknownKey { key: key.clone(), table: self.name };
            problems.push(name.refuse(slip).hint(hint));
        }
    }
}
