//! [`StepFailure`]: why a step has failed; [`FirstFailure`]: the first answer that was wrong.

use super::{AnswerPart, TextTest};
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// Why a step has failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepFailure {
    /// No complete answer came; the name of the fault.
    NoAnswer(String),
    /// The answer had this status.
    Status(u16),
    /// Nothing was found for this variable.
    NotExtracted(String),
    /// A text of the answer does not pass a test.
    Text {
        part: AnswerPart,
        test: TextTest,
        /// Whether it must not pass it.
        not: bool,
        /// What it was compared with.
        pattern: String,
    },
    /// What a JSONPath leads to is not what it should be.
    Json {
        path: String,
        /// What it leads to; `None` if it leads to nothing.
        found: Option<String>,
    },
    /// The answer lacks this header.
    NoHeader(String),
    /// The body has so many bytes.
    Size(u64),
    /// The answer took too long.
    TooSlow {
        /// How long it took.
        took: Nanos,
        /// How long it may take.
        most: Nanos,
    },
    /// A script of the plan says that the answer is wrong, with this message.
    Script(String),
    /// It was redirected more often than the step follows.
    TooManyRedirects,
    /// It was redirected to another server, which is not loaded.
    RedirectElsewhere(String),
}

/// The first answer of a step that was wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstFailure {
    pub why: StepFailure,
    /// The line of the request, shortened.
    pub request: String,
    /// The begin of the answer, with secrets masked; empty where none came.
    pub answer: String,
}
