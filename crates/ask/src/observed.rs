//! [`Observed`]: where one can look at a server that runs already.

use crate::arm::Arm;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::origin::URL;
use crate::slip::{ArmSlip, ExpectedValue};
use crate::surroundings;
use model::url::Url;
use serde::{Deserialize, Serialize};

/// What is told of a server that runs already, so that it can be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observed {
    /// The id of its process on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The container on this machine that it is in, by name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Where it tells figures of itself in the text format of Prometheus: a URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<String>,
}

/// The largest id of a process (`PID_MAX_LIMIT` of a kernel with 64 bits).
pub(crate) const MOST_PID: u64 = 4_194_304;

impl Observed {
    /// Whether nothing is told.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it names a process of this machine.
    pub const fn names_a_process(&self) -> bool {
        self.pid.is_some() || self.container.is_some()
    }

    /// The URL of its figures.
    pub fn metrics_url(&self) -> Option<Url> {
        Url::parse(self.metrics.as_deref()?).ok()
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

/// Reads the key `metrics`: `http://10.0.0.5:8080/actuator/prometheus`.
pub(crate) fn metrics(node: &Node) -> Result<String, Diagnostic> {
    let text = node.text()?;
    match Url::parse(text) {
        Ok(_) if text.contains("://") => Ok(text.to_owned()),
        _ => Err(node.refuse(ArmSlip::NotAnAddress(text.to_owned()))),
    }
}
