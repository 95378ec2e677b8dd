//! [`Limits`]: how much memory and CPU an arm may use, as a container would have it.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
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

impl Limits {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The keys `memory` and `cpus` of an arm whose heap is `heap`; 0 for one that is no JVM.
    pub(crate) fn read(table: &mut Table<'_>, heap: Bytes, problems: &mut Vec<Diagnostic>) -> Self {
        Self {
            memory: table.read("memory", problems, |node| memory(node, heap)),
            cpus: table.read("cpus", problems, cpus),
        }
    }
}

fn memory(node: &Node, heap: Bytes) -> Result<Bytes, Diagnostic> {
    let memory = node.size()?;
    let wrong = |message: String, hint: &str| Err(Diagnostic::new(node.span.clone(), message).hint(hint));
    if memory < LEAST_MEMORY {
        let message = format!("a limit of {memory} starts no server");
        return wrong(message, "sizes are 1024-based: \"1024M\" or \"1G\"");
    }
    // The kernel would kill it as soon as the heap has filled: the JVM itself needs some memory too.
    if heap >= memory {
        let message = format!("a heap of {heap} leaves nothing of {memory} for the JVM itself");
        return wrong(
            message,
            "give the arm a smaller `heap` (two thirds of `memory` are usual), or more `memory`",
        );
    }
    Ok(memory)
}

fn cpus(node: &Node) -> Result<f64, Diagnostic> {
    let cpus = match node.value {
        Value::Integer(whole) => whole as f64,
        Value::Float(part) => part,
        _ => return Err(node.expected("a number of CPUs as 0.5 or 2")),
    };
    // Below a hundredth the kernel refuses: its shortest quota is a millisecond of a tenth of a second.
    if !(0.01..=4096.0).contains(&cpus) {
        let message = format!("expected 0.01 to 4096 CPUs, found {cpus}");
        return Err(Diagnostic::new(node.span.clone(), message));
    }
    Ok(cpus)
}
