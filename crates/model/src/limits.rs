//! [`Limits`]: how much memory and CPU an arm may use, as a container would have it.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// How much an arm may use; `None` is all there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory of the server's processes together; over it the kernel kills.
    pub memory: Option<Bytes>,
    /// CPUs' worth of time, 0.5 is half of one; over it the kernel makes them wait.
    pub cpus: Option<f64>,
}

/// Less memory than this starts no server.
const LEAST_MEMORY: Bytes = Bytes(4 << 20);

/// The least and the most CPUs. Below a hundredth the kernel refuses: its shortest quota is a millisecond of a tenth of a
/// second.
pub(crate) const CPUS: (f64, f64) = (0.01, 4096.0);

impl Limits {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The key `memory` of an arm.
pub(crate) fn memory(node: &Node) -> Result<Bytes, Diagnostic> {
    let memory = node.size()?;
    if memory < LEAST_MEMORY {
        let message = format!("a limit of {memory} starts no server");
        let problem = Diagnostic::new(node.span.clone(), message);
        return Err(problem.hint("sizes are 1024-based: \"1024M\" or \"1G\""));
    }
    Ok(memory)
}

/// The key `cpus` of an arm.
pub(crate) fn cpus(node: &Node) -> Result<f64, Diagnostic> {
    let cpus = match node.value {
        Value::Integer(whole) => whole as f64,
        Value::Float(part) => part,
        _ => return Err(node.expected("a number of CPUs as 0.5 or 2")),
    };
    let (least, most) = CPUS;
    if !(least..=most).contains(&cpus) {
        let message = format!("expected {least} to {most} CPUs, found {cpus}");
        return Err(Diagnostic::new(node.span.clone(), message));
    }
    Ok(cpus)
}
