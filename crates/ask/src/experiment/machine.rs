//! `[machine]`: which CPUs the generator and the servers use.

use super::LoadProfile;
use crate::arm::Arm;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, DesignSlip, TableName};
use model::cpus::{self, MachineCpus};

/// Reads `[machine]`; `arms` are those that use the CPUs.
pub(super) fn read(
    of: &mut Table<'_>,
    arms: &[Arm],
    load: &LoadProfile,
    problems: &mut Vec<Diagnostic>,
) -> MachineCpus {
    let Some(node) = of.get("machine") else {
        return MachineCpus::default();
    };
    let Some(mut table) = Table::open_or_tell(node, TableName::Key("[machine]"), problems) else {
        return MachineCpus::default();
    };
    let generator = table.read("generator_cpus", problems, list);
    let servers = table.read("server_cpus", problems, list);
    table.finish(problems);
    let cpus = MachineCpus { generator: generator.unwrap_or_default(), servers: servers.unwrap_or_default() };
    if let Some(cpu) = cpus.on_both_sides() {
        let slip = DesignSlip::CpuOnBothSides(cpu);
        problems.push(node.refuse(slip).hint(Advice::CpuLists));
    }
    if load.shared_cpus && !cpus.is_empty() {
        problems.push(node.refuse(DesignSlip::SharedAndDivided).hint(Advice::LeaveOneOut));
    }
    if let Some(arm) = arms.iter().find(|arm| arm.origin.is_some()) {
        let slip = DesignSlip::CpusOfRunning(arm.name.clone());
        problems.push(node.refuse(slip).hint(Advice::NoMachine));
    }
    cpus
}

/// Reads `"0-2,5"`, or a single number.
fn list(node: &Node) -> Result<Vec<usize>, Diagnostic> {
    let text = match node.value {
        Value::Integer(cpu) => cpu.to_string(),
        _ => node.text()?.to_owned(),
    };
    let refused = || node.refuse(DesignSlip::CpuList(text.clone()));
    cpus::parse(&text).ok_or_else(|| refused().hint(Advice::CpuLists))
}
