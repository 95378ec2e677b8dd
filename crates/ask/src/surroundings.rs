//! [`Surroundings`]: what is around the process of an arm: limits, services, environment.

use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::node::{Node, Value};
use crate::slip::{ArmSlip, ExpectedValue};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is around the process of an arm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surroundings {
    /// How much memory and CPU it may use.
    pub limits: Limits,
    /// The names of its services; every start has its own instances.
    pub services: Vec<String>,
    /// Further variables of its environment.
    pub environment: BTreeMap<String, String>,
    /// Whether it runs in a container, although it is no image.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub container: bool,
    /// Most files and sockets that it may have open at once; `None` leaves it to the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
}

/// No server starts with fewer open files: a JVM alone opens some dozens.
pub(crate) const LEAST_OPEN_FILES: u64 = 16;

/// Reads the key `container` of an arm, which the command line writes as a text.
pub(crate) fn contained(node: &Node) -> Result<bool, Diagnostic> {
    match &node.value {
        Value::Text(text) if text == "true" => Ok(true),
        Value::Text(text) if text == "false" => Ok(false),
        _ => node.boolean(),
    }
}

/// Reads the key `environment` of an arm.
pub(crate) fn environment(node: &Node) -> Result<BTreeMap<String, String>, Diagnostic> {
    let Value::Table(entries) = &node.value else {
        return Err(node.expected(ExpectedValue::TableLike("{ LANG = \"C\" }")));
    };
    let read = |(name, value): &(Node, Node)| {
        let text = match &value.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => return Err(value.expected(ExpectedValue::Text)),
        };
        let name = name.text()?;
        let broken = |part: &str| part.contains('\0');
        if name.is_empty() || name.contains('=') || broken(name) || broken(&text) {
            return Err(value.refuse(ArmSlip::Variable(name.to_owned())));
        }
        Ok((name.to_owned(), text))
    };
    entries.iter().map(read).collect()
}
