//! What the tests of words share. Every error says the same in both languages: other words, the same data, a hint in both or in
//! neither. Goldens keep all words, so that a message that moves keeps its own.
//!
//! The tests of errors of the library crates, and of what several modules of the program say, are in the modules below; others
//! stand beside the types.

mod builds;
mod complaints;
mod containers;
mod hosts;
mod libraries;
mod lines;
mod servers;
mod slips;

use crate::message::Message;
use say::{Language, Say, SayError};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;

thread_local! {
    /// What was added to the golden of the running test.
    static RECORDED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Both languages.
const BOTH: [Language; 2] = [Language::En, Language::Zh];

/// Data: a `Q` and digits, which both languages have to show.
pub(crate) fn text(number: usize) -> String {
    format!("Q{number}")
}

pub(crate) fn texts() -> Vec<String> {
    vec![text(1), text(2)]
}

pub(crate) fn io_error() -> io::Error {
    io::Error::other("Q9")
}

/// The data in a text: what begins with a capital Q, and numbers.
fn data(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter(|word| {
            word.starts_with('Q') || word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect()
}

/// English words that no Chinese text has, unless it quotes somebody.
const ENGLISH: [&str; 14] =
    ["the", "and", "is", "of", "to", "not", "cannot", "it", "was", "with", "that", "has", "no", "its"];

/// What is quoted: words of Maven, and the name of a file of the kernel.
const QUOTED: [&str; 2] = ["Could not find artifact", "no_turbo"];

/// One text is English, the other Chinese, and both have the same data.
pub(crate) fn check_texts(english: &str, chinese: &str) {
    let ideographs = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    assert!(ideographs(chinese) && !ideographs(english), "{english}: {chinese}");
    assert_eq!(data(english), data(chinese), "{english}: {chinese}");
    let own = QUOTED.iter().fold(chinese.to_owned(), |text, quoted| text.replace(quoted, ""));
    let words: Vec<&str> = own.split(|c: char| !c.is_ascii_alphabetic()).collect();
    let left: Vec<_> = ENGLISH.iter().filter(|word| words.contains(*word)).collect();
    assert!(left.is_empty(), "{left:?} in {chinese}");
}

/// Adds what is said in both languages to the golden of the running test, and checks it.
pub(crate) fn check_lines(say: impl Fn(Language) -> String) {
    let [english, chinese] = BOTH.map(say);
    add_text(&english);
    add_text(&chinese);
    check_texts(&english, &chinese);
}

/// Like [`check_lines`], for the words of a value.
pub(crate) fn check_words(value: &impl Say) {
    check_lines(|lang| say::text(value, lang));
}

/// Adds what an error says in both languages to the golden of the running test, and checks it.
pub(crate) fn check(error: impl SayError) {
    record(&error);
    let [english, chinese] = BOTH.map(|lang| Message::with_causes(&error, lang));
    let [hint, chinese_hint] = [&english, &chinese].map(|said| said.hint.clone());
    assert_eq!(hint.is_some(), chinese_hint.is_some(), "{english:?}: {chinese:?}");
    let hints = hint.zip(chinese_hint).unwrap_or_default();
    let ideographs = |text: &str| !text.is_ascii();
    assert!(ideographs(&chinese.message), "{english:?}: {chinese:?}");
    assert!(hints.1.is_empty() || ideographs(&hints.1), "{chinese:?}");
    check_texts(&format!("{} {}", english.message, hints.0), &format!("{} {}", chinese.message, hints.1));
}

/// Adds what an error says to the golden of the running test.
pub(crate) fn record(error: &dyn SayError) {
    for lang in BOTH {
        add(&Message::with_causes(error, lang));
    }
}

/// Adds words in both languages to the golden of the running test.
pub(crate) fn add_lines(say: impl Fn(Language) -> String) {
    BOTH.iter().for_each(|lang| add_text(&say(*lang)));
}

/// Adds a message to the golden of the running test.
pub(crate) fn add(message: &Message) {
    RECORDED.with_borrow_mut(|recorded| {
        recorded.push_str(&message.message);
        recorded.push('\n');
        if let Some(hint) = &message.hint {
            recorded.push_str("  hint: ");
            recorded.push_str(hint);
            recorded.push('\n');
        }
    });
}

/// Adds a text to the golden of the running test.
fn add_text(text: &str) {
    RECORDED.with_borrow_mut(|recorded| {
        recorded.push_str(text);
        recorded.push('\n');
    });
}

/// Compares everything that was added in the running test with its golden.
pub(crate) fn assert_golden(name: &str) {
    insta::assert_snapshot!(name, RECORDED.take());
}
