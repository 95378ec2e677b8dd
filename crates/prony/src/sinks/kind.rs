//! [`SinkKind`]: what a file in `kinds` says of its kind of sink, and what it has to be able to do.

use super::point::Source;
use crate::failure::Failure;
use crate::outgoing::Trouble;
use std::fmt::Display;

/// A kind of sink.
#[derive(Clone, Copy)]
pub(super) struct SinkKind {
    /// The FORMAT of `--sink FORMAT=ADDRESS`.
    pub(super) name: &'static str,
    /// The ADDRESS as a user may write it, for hints.
    pub(super) example: &'static str,
    /// Whether it has a place for verdicts.
    pub(super) takes_verdicts: bool,
    /// Whether it takes the trace of a run.
    pub(super) takes_traces: bool,
    /// Reads the ADDRESS.
    pub(super) place: fn(&str) -> Result<Box<dyn Place>, BadAddress>,
}

/// Why a text is not used as an address. It is not quoted, because it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadAddress {
    /// It is none.
    NoAddress,
    /// It has a user or a password in it.
    HasSecret,
}

/// Where a sink is. It is shown behind the name of its kind, and without what may be secret: `at http://127.0.0.1:8086`.
pub(super) trait Place: Display + Send + Sync {
    /// Prepares to send. `authorization` is the value of the header `Authorization`.
    ///
    /// # Errors
    ///
    /// When a page cannot be served, or a file cannot be written.
    fn open(&self, authorization: Option<&str>) -> Result<Box<dyn Sending>, Failure>;
}

/// Brings points to where a sink is.
pub(super) trait Sending: Send {
    /// Sends a batch; returns how many were refused one by one, with the reason for the first.
    ///
    /// # Errors
    ///
    /// What went wrong, when the sink got nothing of the batch.
    fn send(&mut self, batch: &[Source]) -> Result<Option<Rest>, Trouble>;

    /// Waits for those who read what was sent; returns how much of it nobody has read.
    fn finish(&self) -> Option<Rest> {
        None
    }
}

/// Points that were refused one by one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) items: u64,
    /// Why the first of them was.
    pub(super) trouble: Trouble,
}
