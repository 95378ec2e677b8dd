//! How a command ends badly: what is said, and with which exit code.

use crate::say::{self, Complaint};
use report::Lang;
use std::process::ExitCode;

/// Exit codes; scripts rely on them. Where several apply: 130, 2, 1, 3, 7, 5, 4, 6, 0 in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    /// A defect of prony or of the machine.
    Internal = 1,
    /// A wrong command line or file.
    Usage = 2,
    /// A variant could not be fetched, built or started.
    Start = 3,
    /// A bound that was required of an arm was missed.
    Threshold = 4,
    /// A loss against the baseline was shown, larger than allowed.
    Regression = 5,
    /// Nothing was shown in the time there was, and that was to be a failure.
    Inconclusive = 6,
    /// The run is invalid: it was not the server that was measured.
    Invalid = 7,
    /// Ended by Ctrl-C or SIGTERM.
    Interrupted = 130,
}

/// What ended a command.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: Code,
    /// What is wrong: a [`Complaint`], an error of a library or of the system; `None` when everything has been said.
    error: Option<anyhow::Error>,
    /// The last words of whoever failed: a server's log.
    details: Vec<String>,
}

impl Failure {
    /// A failure by an error and all its causes.
    pub(crate) fn new(code: Code, error: impl Into<anyhow::Error>) -> Self {
        Self {
            code,
            error: Some(error.into()),
            details: Vec::new(),
        }
    }

    /// A wrong command line, or something that cannot be done as it asks.
    pub(crate) fn usage(complaint: impl Into<Complaint>) -> Self {
        Self::new(Code::Usage, complaint.into())
    }

    /// A measurement that shows nothing.
    pub(crate) fn invalid(complaint: impl Into<Complaint>) -> Self {
        Self::new(Code::Invalid, complaint.into())
    }

    /// Everything has been said; only the code is left.
    pub(crate) const fn said(code: Code) -> Self {
        Self {
            code,
            error: None,
            details: Vec::new(),
        }
    }

    /// The same with the last words of whoever failed.
    #[must_use]
    pub(crate) fn details(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// What is wrong and what to do about it, as stderr shows it; empty when everything has been said.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let text = |error| say::report(error, &self.details, lang);
        self.error.as_ref().map_or_else(String::new, text)
    }

    /// Says it on stderr.
    pub(crate) fn report(&self, lang: Lang) -> ExitCode {
        eprint!("{}", self.text(lang));
        ExitCode::from(self.code as u8)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(Code::Internal, error)
    }
}
