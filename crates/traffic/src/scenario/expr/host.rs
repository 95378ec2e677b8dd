//! [`ExprHost`]: what expressions are evaluated in, such as the state of a user.

use super::{Dialect, PathPart, ResponsePart, ScriptValue};

/// Gives a part of the answer behind which a script runs.
pub type AnswerParts<'a> = &'a dyn Fn(ResponsePart) -> String;

/// What an expression can ask for and change. A host knows what it has methods for; by default it knows nothing.
pub trait ExprHost {
    /// Returns the value of a variable of the environment, by its index.
    fn environment(&self, _index: usize) -> &str {
        ""
    }
    /// Returns the text of a variable; `None` while it is unset.
    fn variable(&self, _slot: usize) -> Option<&[u8]> {
        None
    }
    /// Returns the name of a variable.
    fn variable_name(&self, _slot: usize) -> &str {
        ""
    }
    /// Sets a variable.
    fn set_variable(&mut self, _slot: usize, _text: &[u8]) {}
    /// Returns the value of a list with this number, from 1; nothing where there is none.
    fn item(&self, _list: usize, _number: i64) -> &[u8] {
        b""
    }
    /// Returns the number of values of a list.
    fn list_length(&self, _list: usize) -> usize {
        0
    }
    /// Takes the next number of a counter.
    fn next_number(&mut self, _counter: usize) -> i64 {
        0
    }
    /// Takes the next row of a data source.
    fn next_row(&mut self, _source: usize) {}
    /// Returns the name of the user's group.
    fn group_name(&self) -> &str {
        ""
    }
    /// Returns the number of the user in its group, from 1.
    fn user_number(&mut self) -> u64 {
        0
    }
    /// Returns the number of the user's iteration, from 1.
    fn iteration(&self) -> u64 {
        0
    }
    /// Returns the number of the present iteration among all, from 0.
    fn session(&self) -> u64 {
        0
    }
    /// Returns whether the last request succeeded.
    fn last_ok(&mut self) -> bool {
        false
    }
    /// Returns the status of the last answer; `None` before the first one.
    fn last_status(&mut self) -> Option<u16> {
        None
    }
    /// Returns the value of a variable of the user by its name.
    fn named_variable(&mut self, _name: &str) -> Option<String> {
        None
    }
    /// Sets a variable of the user by its name, or removes it.
    fn put_named(&mut self, _name: &str, _value: Option<String>) {}
    /// Returns a property, which all users share.
    fn property(&mut self, _name: &str) -> Option<String> {
        None
    }
    /// Sets a property.
    fn put_property(&mut self, _name: &str, _value: String) {}
    /// Draws a number from 0 up to but without this one.
    fn below(&mut self, _bound: u64) -> u64 {
        0
    }
    /// Returns milliseconds since 1970.
    fn now(&mut self) -> i64 {
        0
    }
    /// Returns how many seconds east of UTC times are written.
    fn utc_offset(&mut self) -> i32 {
        0
    }
    /// Returns whether a regular expression is found in the text, or matches all of it; `None` for one that is wrong.
    fn regex(&mut self, _pattern: &str, _text: &[u8], _whole: bool) -> Option<bool> {
        None
    }
    /// Returns the text with what a regular expression fits replaced by another text, at each place or at the first one; `None` for an
    /// expression that is wrong.
    fn replaced(&mut self, _pattern: &str, _text: &str, _with: &str, _all: bool) -> Option<String> {
        None
    }
    /// Returns the first value at a path from the JSON value that is tested.
    fn at(&mut self, _path: &[PathPart]) -> Option<ScriptValue> {
        None
    }
    /// Returns the value to which a JSONPath leads in a JSON text, by the rules of a language; null where it leads to nothing. `None`
    /// for what is no JSON, and for a value that is not simple.
    fn json(&mut self, _text: &str, _path: &str, _dialect: Dialect) -> Option<ScriptValue> {
        None
    }
    /// Returns the kind of the value to which a JSONPath leads in a JSON text: `object`, `array`, `text`, `number`, `truth`, or `nothing` for
    /// null and where it leads to nothing. `None` for what is no JSON.
    fn json_kind(&mut self, _text: &str, _path: &str) -> Option<&'static str> {
        None
    }
    /// Takes memory for a text; it is empty.
    fn take_buffer(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// Keeps the memory of a text for the next one.
    fn keep_buffer(&mut self, _buffer: Vec<u8>) {}
}
