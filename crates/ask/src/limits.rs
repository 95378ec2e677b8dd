//! [`Limits`]: how much memory and CPU an arm may use, as a container would have it.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::slip::{ArmAdvice, ArmSlip, ExpectedValue};
use model::units::{Bytes, Cpus};
use serde::{Deserialize, Serialize};

/// How much an arm may use; `None` is all there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory of the server's processes together; over it the kernel kills.
    pub memory: Option<Bytes>,
    /// CPU time; over it the kernel makes them wait.
    pub cpus: Option<Cpus>,
}

/// No server starts with less memory than this.
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

/// Reads the key `memory` of an arm.
pub(crate) fn memory(node: &Node) -> Result<Bytes, Diagnostic> {
    let memory = node.size()?;
    if memory < LEAST_MEMORY {
        let problem = node.refuse(ArmSlip::SmallMemory(memory));
        return Err(problem.hint(ArmAdvice::BinarySizes));
    }
    Ok(memory)
}

/// Reads the key `cpus` of an arm.
pub(crate) fn cpus(node: &Node) -> Result<Cpus, Diagnostic> {
    let cpus = match node.value {
        Value::Integer(whole) => whole as f64,
        Value::Float(part) => part,
        _ => return Err(node.expected(ExpectedValue::Cpus)),
    };
    let (least, most) = CPUS;
    if !(least..=most).contains(&cpus) {
        let (least, most) = (least.to_string(), most.to_string());
        return Err(node.outside(ExpectedValue::CpusBetween { least, most }, cpus));
    }
    Ok(Cpus(cpus))
}
