//! How stderr shows what is wrong: with a label, the causes below, and what to do.

use say::{Cause, Language, Say, SayError};
use std::iter;

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it, where anything can be done.
    pub(crate) hint: Option<String>,
}

/// What stands before each part of a message.
#[derive(Say)]
enum Label {
    #[say(en = "error: ", zh = "错误：")]
    Error,
    #[say(en = "caused by: ", zh = "原因：")]
    Cause,
    #[say(en = "hint: ", zh = "提示：")]
    Hint,
}

impl Message {
    /// The words of a value, with its hint.
    pub(crate) fn of<T: Say + ?Sized>(value: &T, lang: Language) -> Self {
        Self { message: say::text(value, lang), hint: say::hint(value, lang) }
    }

    /// The words of an error and of its causes.
    pub(crate) fn with_causes(error: &dyn SayError, lang: Language) -> Self {
        let mut said = Self::of(error, lang);
        let causes = iter::successors(Cause::of(error), |cause| cause.below());
        for cause in causes.map(|cause| cause.text(lang)) {
            // Many errors repeat their cause in their own text.
            if !said.message.contains(&cause) {
                said.message.push_str(&format!("\n  {}{cause}", say::text(&Label::Cause, lang)));
            }
        }
        said
    }

    /// The message after `error:`, the `details` below it (the end of a server's log), and what to do.
    pub(crate) fn as_error(&self, details: &[String], lang: Language) -> String {
        format!("{}{}", say::text(&Label::Error, lang), self.as_drawn(details, lang))
    }

    /// Like [`Self::as_error`], for a message that begins with `error:` of its own.
    pub(crate) fn as_drawn(&self, details: &[String], lang: Language) -> String {
        let mut out = format!("{}\n", self.message);
        for line in details {
            out.push_str(&format!("  | {line}\n"));
        }
        if let Some(advice) = &self.hint {
            out.push_str(&format!("{}\n", hint(advice, lang)));
        }
        out
    }
}

/// A hint alone, with its label.
pub(crate) fn hint(text: &str, lang: Language) -> String {
    format!("{}{text}", say::text(&Label::Hint, lang))
}

/// A value in a language, with what can be done about it in a line below.
pub(crate) fn line<T: Say + ?Sized>(value: &T, lang: Language) -> String {
    let Message { message, hint: advice } = Message::of(value, lang);
    match advice {
        Some(advice) => format!("{message}\n{}", hint(&advice, lang)),
        None => message,
    }
}

/// Prints a value on stderr, with what can be done about it in a line below.
pub(crate) fn tell<T: Say + ?Sized>(value: &T, lang: Language) {
    eprintln!("{}", line(value, lang));
}
