//! [`Failure`]: why a command failed, and its exit code.

use crate::message::Message;
use crate::mistakes::Mistakes;
use say::{Language, Say, SayError};
use std::error::Error;
use std::process::ExitCode;

/// Exit codes; scripts rely on them. Where several apply, [`Code::first`] is used; while servers are prepared, 130 comes before 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    /// An error of prony or of the machine.
    Internal = 1,
    /// A mistake on the command line or in a file.
    Usage = 2,
    /// An arm could not be fetched, built or started.
    Start = 3,
    /// An arm missed a required bound.
    Threshold = 4,
    /// An arm is worse than the baseline by more than is allowed.
    Regression = 5,
    /// The run is inconclusive, and `--fail-inconclusive` was given.
    Inconclusive = 6,
    /// The run is invalid: its figures do not describe the server.
    Invalid = 7,
    /// Ctrl-C or SIGTERM ended the run.
    Interrupted = 130,
}

impl Code {
    /// All codes; a code that stands before another one is used where both apply.
    const BY_PRECEDENCE: [Self; 8] = [
        Self::Usage,
        Self::Internal,
        Self::Start,
        Self::Interrupted,
        Self::Invalid,
        Self::Regression,
        Self::Threshold,
        Self::Inconclusive,
    ];

    /// The code that a command ends with if these apply; `None` if none does.
    pub(crate) fn first(applying: impl IntoIterator<Item = Self>) -> Option<Self> {
        let place = |code: &Self| Self::BY_PRECEDENCE.iter().position(|other| other == code);
        applying.into_iter().min_by_key(place)
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: Code,
    /// The reason; `None` when the user knows it already.
    error: Option<Box<dyn SayError>>,
    /// The end of the log of the server that failed.
    details: Vec<String>,
    /// The exit code of another tool whose place prony takes.
    exit: Option<ExitCode>,
}

impl Failure {
    /// A failure for an error, which is shown with all its causes.
    pub(crate) fn new(code: Code, error: impl SayError) -> Self {
        Self { code, error: Some(Box::new(error)), details: Vec::new(), exit: None }
    }

    /// A failure for an error of a foreign library, whose text is the same in both languages.
    pub(crate) fn foreign(error: impl Error + Send + Sync + 'static) -> Self {
        Self::new(Code::Internal, Foreign(error))
    }

    /// A failure for a mistake on the command line or a request that cannot be fulfilled.
    pub(crate) fn usage(error: impl SayError) -> Self {
        Self::new(Code::Usage, error)
    }

    /// A failure for a measurement without a valid result.
    pub(crate) fn invalid(error: impl SayError) -> Self {
        Self::new(Code::Invalid, error)
    }

    /// A failure that only sets the exit code, because the user knows the reason already.
    pub(crate) const fn reported(code: Code) -> Self {
        Self { code, error: None, details: Vec::new(), exit: None }
    }

    /// A failure that only sets the exit code, as another tool defines it.
    pub(crate) fn exit(code: ExitCode) -> Self {
        Self { exit: Some(code), ..Self::reported(Code::Internal) }
    }

    /// Ends with the exit code of another tool.
    #[must_use]
    pub(crate) fn with_exit(self, code: ExitCode) -> Self {
        Self { exit: Some(code), ..self }
    }

    /// Adds the end of the log of the server that failed.
    #[must_use]
    pub(crate) fn details(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// Returns the error and the hint as stderr shows them; empty for a failure that only sets the exit code.
    pub(crate) fn text(&self, lang: Language) -> String {
        let Some(error) = self.error.as_deref() else {
            return String::new();
        };
        let message = Message::with_causes(error, lang);
        match (error as &dyn Error).is::<Mistakes>() {
            // A diagnostic with its line and carets begins with `error:` of its own.
            true => message.as_drawn(&self.details, lang),
            false => message.as_error(&self.details, lang),
        }
    }

    /// Prints the error and the hint on stderr and returns the exit code.
    pub(crate) fn report(&self, lang: Language) -> ExitCode {
        eprint!("{}", self.text(lang));
        self.exit.unwrap_or_else(|| ExitCode::from(self.code as u8))
    }
}

impl<E: SayError> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(Code::Internal, error)
    }
}

/// An error of a foreign library.
#[derive(Debug, Say)]
#[say(display, en = "{0:text}", zh = "{0:text}")]
struct Foreign<E: Error>(E);

impl<E: Error> Error for Foreign<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_several_results_is_that_of_the_documentation() {
        let order = Code::BY_PRECEDENCE.map(|code| code as u8);
        assert_eq!(order, [2, 1, 3, 130, 7, 5, 4, 6]);
        let invalid_and_slower = [Code::Threshold, Code::Regression, Code::Invalid];
        assert_eq!(Code::first(invalid_and_slower), Some(Code::Invalid));
        assert_eq!(Code::first([]), None);
    }
}
