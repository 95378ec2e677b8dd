//! How a command ends badly: what is said, and with which exit code.

use std::fmt::Display;
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
    /// What is wrong; empty when everything has been said.
    pub(crate) message: String,
    /// The last words of whoever failed: a server's log.
    pub(crate) details: Vec<String>,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A failure with all its causes in one message.
    pub(crate) fn new(code: Code, error: impl Into<anyhow::Error>) -> Self {
        let error = error.into();
        let hint = error.downcast_ref::<store::Error>().and_then(store::Error::hint);
        let mut message = error.to_string();
        for cause in error.chain().skip(1) {
            let cause = cause.to_string();
            // Library errors often repeat their source in their own text.
            if !message.contains(&cause) {
                message.push_str("\n  caused by: ");
                message.push_str(&cause);
            }
        }
        Self {
            code,
            message,
            details: Vec::new(),
            hint,
        }
    }

    /// A wrong command line.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self {
            code: Code::Usage,
            message: message.to_string(),
            details: Vec::new(),
            hint: None,
        }
    }

    /// Everything has been said; only the code is left.
    pub(crate) const fn said(code: Code) -> Self {
        Self {
            code,
            message: String::new(),
            details: Vec::new(),
            hint: None,
        }
    }

    /// The same with the last words of whoever failed.
    #[must_use]
    pub(crate) fn details(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// The same with what to do.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says it on stderr.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            // A message that is drawn already (line, column, carets) begins with its own `error:`.
            let prefix = if self.message.starts_with("error") {
                ""
            } else {
                "error: "
            };
            eprintln!("{prefix}{}", self.message);
        }
        for line in &self.details {
            eprintln!("  | {line}");
        }
        if let Some(hint) = &self.hint {
            eprintln!("hint: {hint}");
        }
        ExitCode::from(self.code as u8)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(Code::Internal, error)
    }
}
