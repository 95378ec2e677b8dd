//! [`Error`]: a file that is no plan at all.

use thiserror::Error;

/// A file that is no plan at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The file is not XML.
    #[error("line {line}, column {column}: {what}")]
    Xml {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// What the parser says.
        what: String,
    },
    /// The file is XML, but no plan.
    #[error("the file is no JMeter plan: its outermost element is <{root}>, not <jmeterTestPlan> with a <hashTree>")]
    NoPlan {
        /// The outermost element.
        root: String,
    },
    /// Elements are nested too deep.
    #[error("line {line}: elements are nested too deep")]
    TooDeep {
        /// The line, from 1.
        line: u32,
    },
}
