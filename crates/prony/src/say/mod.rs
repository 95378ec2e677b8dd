//! What the program itself says, in both languages: its complaints, and its own lines on stderr. What reports say is said in the
//! crate `report`.
//!
//! Errors of the library crates have their words at their variants (`#[derive(Say)]`). Text of other programs stays as it is.

pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod cleaned;
pub(crate) mod complaint;
pub(crate) mod doctor;
pub(crate) mod fleet;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod jmeter;
pub(crate) mod keeping;
mod line;
mod mistakes;
pub(crate) mod nightly;
pub(crate) mod record;
pub(crate) mod team;
#[cfg(test)]
mod tests;

pub(crate) use complaint::Complaint;
pub(crate) use line::StatusLine;
pub(crate) use mistakes::Mistakes;

use ::say::{Cause, Say, SayError};
use report::Lang;
use std::error::Error;
use std::iter;

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it, where anything can be done.
    pub(crate) hint: Option<String>,
}

/// What stands before each part of a message on stderr.
struct Labels {
    error: &'static str,
    cause: &'static str,
    hint: &'static str,
}

const fn labels(lang: Lang) -> Labels {
    match lang {
        Lang::En => Labels { error: "error: ", cause: "caused by: ", hint: "hint: " },
        Lang::Zh => Labels { error: "错误：", cause: "原因：", hint: "提示：" },
    }
}

/// An error with all its causes, the `details` below it (the end of a server's log) and what to do, as stderr shows them.
pub(crate) fn report(error: &dyn SayError, details: &[String], lang: Lang) -> String {
    let labels = labels(lang);
    let Message { message, hint } = with_causes(error, lang);
    // A diagnostic with its line and carets begins with `error:` of its own.
    let is_drawn = matches!((error as &dyn Error).downcast_ref(), Some(Complaint::Mistakes(_)));
    let label = if is_drawn { "" } else { labels.error };
    let mut out = format!("{label}{message}\n");
    for line in details {
        out.push_str(&format!("  | {line}\n"));
    }
    if let Some(hint) = hint {
        out.push_str(&format!("{}{hint}\n", labels.hint));
    }
    out
}

/// A hint alone, with its label.
fn hint(text: &str, lang: Lang) -> String {
    format!("{}{text}", labels(lang).hint)
}

fn with_causes(error: &dyn SayError, lang: Lang) -> Message {
    let mut said = said(error, lang);
    let causes = iter::successors(Cause::of(error), |cause| cause.below());
    for cause in causes.map(|cause| cause.text(lang)) {
        // Many errors repeat their cause in their own text.
        if !said.message.contains(&cause) {
            said.message.push_str("\n  ");
            said.message.push_str(labels(lang).cause);
            said.message.push_str(&cause);
        }
    }
    said
}

/// The words of a value, with its hint.
fn said<T: Say + ?Sized>(value: &T, lang: Lang) -> Message {
    Message { message: ::say::text(value, lang), hint: ::say::hint(value, lang) }
}
