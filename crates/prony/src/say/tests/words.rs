//! The words of every error in both languages, as goldens: a message that moves keeps its words.

use crate::say::{Message, with_causes};
use ::say::SayError;
use report::Lang;
use std::cell::RefCell;

thread_local! {
    /// What the errors of the running test say.
    static RECORDED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Adds what an error says to the golden of the running test.
pub(super) fn record(error: &dyn SayError) {
    for lang in [Lang::En, Lang::Zh] {
        add(&with_causes(error, lang));
    }
}

/// Adds a message to the golden of the running test.
pub(super) fn add(message: &Message) {
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
pub(super) fn add_text(text: &str) {
    RECORDED.with_borrow_mut(|recorded| {
        recorded.push_str(text);
        recorded.push('\n');
    });
}

/// Compares everything that was added in the running test with its golden.
pub(super) fn assert_golden(name: &str) {
    insta::assert_snapshot!(name, RECORDED.take());
}
