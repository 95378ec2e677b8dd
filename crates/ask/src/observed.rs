//! [`Observed`]: where one can look at a server that runs already.

mod figures;

pub use figures::{CollectedFigures, FigureSource, ToldFigure};

use crate::arm::Arm;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::origin::URL;
use crate::slip::ExpectedValue;
use crate::surroundings;
use serde::{Deserialize, Serialize};

/// What is told of a server that runs already, so that it can be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observed {
    /// The id of its process on this machine or on its host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The container that it is in there, by name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Where it tells figures of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<FigureSource>,
}

/// The largest id of a process (`PID_MAX_LIMIT` of a kernel with 64 bits).
pub(crate) const MOST_PID: u64 = 4_194_304;

impl Observed {
    /// Whether nothing is told.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it names a process.
    pub const fn names_a_process(&self) -> bool {
        self.pid.is_some() || self.container.is_some()
    }
}

/// Reads the key `container`: whether prony starts the server in a container, or the one in which it runs already.
pub(crate) fn container(node: &Node, arm: &mut Arm) -> Result<(), Diagnostic> {
    match &node.value {
        Value::Text(name) if arm.server == URL => arm.observed.container = Some(name.clone()),
        _ if arm.server == URL => return Err(node.expected(ExpectedValue::Text)),
        _ => arm.surroundings.container = surroundings::contained(node)?,
    }
    Ok(())
}
