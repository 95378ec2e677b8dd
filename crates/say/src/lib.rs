//! A value knows its words: [`Say`] writes a value as a sentence or a part of one, in English or in Chinese, and says what can be
//! done about it. The words stand beside the type and are checked when it compiles.
//!
//! ```
//! use say::{Language, Say};
//! use std::path::PathBuf;
//!
//! #[derive(Debug, Say)]
//! #[say(error)] // also `Display`, in English, and `Error` with its source
//! enum Error {
//!     #[say(
//!         en = "{path} has {runs} {runs|run|runs}{limit?, and {} fit in}",
//!         zh = "{path} 有 {runs} 个运行{limit?，只容得下 {} 个}",
//!         hint(en = "remove some", zh = "请删除一些")
//!     )]
//!     TooMany { path: PathBuf, runs: u64, limit: Option<u64> },
//!     #[say(transparent)] // takes words, hint and source from the only field
//!     Wait(Wait),
//! }
//!
//! #[derive(Debug, Say)]
//! #[say(error, en = "a lock took {0:seconds}", zh = "等待锁用了{0:seconds}")]
//! struct Wait(f64);
//!
//! let error = Error::TooMany { path: "runs".into(), runs: 1, limit: None };
//! assert_eq!(error.to_string(), "runs has 1 run");
//! assert_eq!(say::hint(&error, Language::Zh).as_deref(), Some("请删除一些"));
//! assert_eq!(say::text(&Error::Wait(Wait(0.0153)), Language::Zh), "等待锁用了 15.3 ms");
//! ```
//!
//! | in a text | meaning |
//! |---|---|
//! | `{name}`, `{0}` | the words of a field, which implements [`Say`]; `None` is nothing |
//! | `{name:percent}` | a number in a format of [`numbers`]; `{name:.1}` and the like are formats of Rust, without the unit |
//! | `{name:commas}` | a list joined as in [`lists`]; without a format it is "a, b and c" |
//! | `{name:text}` | the `Display` of a value, which is the same in both languages: words of other programs |
//! | `{name?, held {}}` | words around a value that may be missing ([`Present`]), and nothing where it is |
//! | `{name?of {}\|of none}` | other words where it is missing |
//! | `{name\|start\|starts}` | singular and plural ([`Counted`]) |
//!
//! | beside the texts | meaning |
//! |---|---|
//! | `hint(en = "…", zh = "…")` | what can be done about it; no hint if nothing is written |
//! | `hint(from = field)` | the hint of another value |
//! | `index = index + 1` | a placeholder that is computed; fields are references, `_0` is the first of a tuple |
//! | `transparent`, `transparent = value` | the only field, or another value, says everything |
//! | `display`, `error` (at the type) | also `Display`, or `Display` and `Error` |
//! | `from` (at the only field) | also `From`; the field is the source |
//! | a field `source` of an error | the error below, whose words a [`Cause`] has |
//!
//! A missing language, an unknown field, and languages that tell different values do not compile:
//!
//! ```compile_fail
//! #[derive(say::Say)]
//! #[say(en = "no home")]
//! struct NoHome;
//! ```
//! ```compile_fail
//! #[derive(say::Say)]
//! #[say(en = "cannot read {file}", zh = "无法读取 {file}")]
//! struct Unreadable { path: String }
//! ```
//! ```compile_fail
//! #[derive(say::Say)]
//! #[say(en = "cannot read {path}", zh = "无法读取")]
//! struct Unreadable { path: String }
//! ```
//! Nor does a number without a unit or a format:
//!
//! ```compile_fail
//! #[derive(say::Say)]
//! #[say(en = "{busy} in use", zh = "使用率为 {busy}")]
//! struct Busy { busy: f64 }
//! ```

mod cause;
mod language;
pub mod lists;
pub mod numbers;
pub mod units;
mod values;
mod writer;

// The code that the derive writes names this crate.
extern crate self as say;

#[doc(hidden)]
pub use cause::{AsError, Below, OtherCause};
pub use cause::{Cause, SayError};
pub use language::Language;
pub use say_derive::Say;
pub use values::{Counted, Number, Present};
pub use writer::{TextPart, Writer, spaced};

/// A value that knows its words. Most are derived; what chooses its words by more than its fields is written by hand.
pub trait Say {
    /// Writes the value in the language of the writer.
    fn say(&self, out: &mut Writer);

    /// Writes what can be done about it; nothing where nothing is known to help.
    fn hint(&self, _out: &mut Writer) {}

    /// The error below this one.
    fn below(&self) -> Option<Cause<'_>> {
        None
    }
}

/// The words of a value.
pub fn text<T: Say + ?Sized>(value: &T, language: Language) -> String {
    let mut out = Writer::new(language);
    value.say(&mut out);
    out.into_text()
}

/// The words of a value, and the values within them.
pub fn parts<T: Say + ?Sized>(value: &T, language: Language) -> Vec<TextPart> {
    let mut out = Writer::new(language);
    value.say(&mut out);
    out.into_parts()
}

/// The words of a value; `None` where it has none, as an empty list.
pub fn some_text<T: Say + ?Sized>(value: &T, language: Language) -> Option<String> {
    Some(text(value, language)).filter(|text| !text.is_empty())
}

/// What can be done about it, where anything can.
pub fn hint<T: Say + ?Sized>(value: &T, language: Language) -> Option<String> {
    let mut out = Writer::new(language);
    value.hint(&mut out);
    Some(out.into_text()).filter(|hint| !hint.is_empty())
}

#[cfg(test)]
mod tests;
