//! [`Cause`]: the error below an error, with its words where it has any.

use crate::{Language, Say, text};
use std::error::Error;

/// An error that knows its words.
pub trait SayError: Error + Say + Send + Sync + 'static {}

impl<T: Error + Say + Send + Sync + 'static> SayError for T {}

/// An error below another one.
#[derive(Clone, Copy, Debug)]
pub enum Cause<'a> {
    /// One that knows its words.
    Said(&'a dyn SayError),
    /// One of a foreign library, whose text is the same in both languages.
    Foreign(&'a (dyn Error + 'static)),
}

impl<'a> Cause<'a> {
    /// What is below an error.
    pub fn of(error: &'a dyn SayError) -> Option<Self> {
        error.below().or_else(|| error.source().map(Self::Foreign))
    }

    /// The error below this one.
    pub fn below(self) -> Option<Self> {
        match self {
            Self::Said(error) => Self::of(error),
            Self::Foreign(error) => error.source().map(Self::Foreign),
        }
    }

    /// The words of the error.
    pub fn text(self, language: Language) -> String {
        match self {
            Self::Said(error) => text(error, language),
            Self::Foreign(error) => error.to_string(),
        }
    }
}

/// A field that is the error below; the derive asks it for a [`Cause`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Below<'a, T: ?Sized>(pub &'a T, pub &'a (dyn Error + 'static));

impl<'a, T: SayError> Below<'a, T> {
    /// An error that knows its words. The compiler prefers this method to the method of the trait, where the bound
    /// holds.
    pub fn cause(self) -> Cause<'a> {
        Cause::Said(self.0)
    }
}

/// What an error without words of its own is.
#[doc(hidden)]
pub trait OtherCause<'a> {
    /// The cause.
    fn cause(self) -> Cause<'a>;
}

impl<'a, T: ?Sized> OtherCause<'a> for Below<'a, T> {
    fn cause(self) -> Cause<'a> {
        Cause::Foreign(self.1)
    }
}

/// Errors and boxes of errors as errors: what the derive makes a source of.
#[doc(hidden)]
pub trait AsError {
    /// The error.
    fn as_error(&self) -> &(dyn Error + 'static);
}

impl<T: Error + 'static> AsError for T {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl AsError for dyn Error + Send + Sync + 'static {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl AsError for dyn SayError {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}
