//! [`Error`]: why a plan does not run.

use crate::obstacle::Obstacle;
use std::fmt::Write as _;
use thiserror::Error;

/// Why a plan does not run.
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
    #[error(
        "the file is no JMeter plan: its outermost element is <{root}>, not <jmeterTestPlan> with a <hashTree>"
    )]
    NoPlan {
        /// The outermost element.
        root: String,
    },
    /// Some of it cannot run here.
    #[error("{}", listed(.file, .obstacles))]
    Refused {
        /// The file.
        file: String,
        /// All of it.
        obstacles: Vec<Obstacle>,
    },
    /// Elements are nested too deep.
    #[error("line {line}: elements are nested too deep")]
    TooDeep {
        /// The line, from 1.
        line: u32,
    },
}

impl Error {
    /// What can be done about it.
    pub fn hint(&self) -> Option<String> {
        matches!(self, Self::Refused { .. }).then(|| {
            "--skip-unsupported runs the plan without these elements, and the report names them".to_owned()
        })
    }
}

/// Lists what cannot run, each with its line and what to do about it.
fn listed(file: &str, obstacles: &[Obstacle]) -> String {
    let count = match obstacles.len() {
        1 => "1 element".to_owned(),
        count => format!("{count} elements"),
    };
    let mut list = format!("{count} of the plan cannot run here");
    for obstacle in obstacles {
        let Obstacle {
            line,
            class,
            name,
            what,
            ..
        } = obstacle;
        let file = obstacle.file.as_deref().unwrap_or(file);
        write!(list, "\n  {file}:{line}: {class} \"{name}\": {what}").ok();
        if let Some(hint) = what.hint() {
            write!(list, "\n      {hint}").ok();
        }
    }
    list
}
