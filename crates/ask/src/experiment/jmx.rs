//! JMeter plans in an experiment: every arm gets what the thread groups of a plan do.

use super::PlanNeed;
use crate::available::Available;
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, Owner, ScenarioSlip, TableName};
use std::collections::BTreeMap;
use traffic::scenario::{GroupArrivals, GroupPhase, Program};

/// Returns the plan that a file names.
pub(super) fn plan(root: &Node) -> Option<PlanNeed> {
    let workload = root.get("workload")?;
    let file = workload.get("jmx")?.text().ok()?.into();
    let properties = workload.get("properties").and_then(|node| properties(node).ok());
    Some(PlanNeed { file, properties: properties.unwrap_or_default() })
}

/// Reads `workload = { jmx = "plan.jmx", properties = { name = "value" } }`; `None` where the file has no such key.
pub(super) fn read_plan(
    of: &mut Table<'_>,
    known: &Available,
    problems: &mut Vec<Diagnostic>,
) -> Option<Box<Program>> {
    let node = of.get("workload")?;
    let mut table = Table::open_or_tell(node, TableName::Key("workload"), problems)?;
    let is_named = table.read("jmx", problems, |node| node.text().map(drop)).is_some();
    table.read("properties", problems, properties);
    table.finish(problems);
    if node.get("jmx").is_none() {
        problems.push(node.lacks(Owner::Workload, "jmx"));
    }
    match known.plan.as_ref().filter(|_| is_named)? {
        Ok(program) if program.groups.iter().any(|group| group.phase != GroupPhase::Main) => {
            problems.push(node.entry("jmx").refuse(ScenarioSlip::PlanPhases).hint(Advice::PlanAlone));
            None
        }
        Ok(program) => Some(Box::new(for_arms(program.clone()))),
        Err(why) => {
            problems.push(node.entry("jmx").refuse(ScenarioSlip::Plan(why.clone())).hint(Advice::PlanAlone));
            None
        }
    }
}

fn properties(node: &Node) -> Result<BTreeMap<String, String>, Diagnostic> {
    let Value::Table(entries) = &node.value else {
        return Err(node.text().err().unwrap_or_else(|| node.refuse(ScenarioSlip::PlanProperties)));
    };
    let entry = |(name, value): &(Node, Node)| Ok((name.text()?.to_owned(), value.text()?.to_owned()));
    entries.iter().map(entry).collect()
}

/// In an experiment the levels tell how many users there are. The groups share them as their threads did, and repeat what they
/// do until the load ends.
fn for_arms(mut program: Program) -> Program {
    for group in &mut program.groups {
        let users: u64 = match &group.arrivals {
            GroupArrivals::Users(_) => group.arrivals.users(),
            GroupArrivals::Weight(weight) => u64::from(*weight),
            GroupArrivals::Sessions { .. } => group.arrivals.expected_sessions().round() as u64,
        };
        group.arrivals = GroupArrivals::Weight(u32::try_from(users.max(1)).unwrap_or(u32::MAX));
        group.iterations = None;
    }
    program.serial = false;
    program
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use traffic::scenario::{UserGroup, UserWave};

    #[test]
    fn groups_share_the_users_of_a_level_as_their_threads_did() {
        let group = |name: &str, phase, users| {
            let mut group = UserGroup::new(name, 1);
            group.phase = phase;
            group.iterations = Some(3);
            group.arrivals = GroupArrivals::Users(vec![UserWave {
                users,
                delay: Nanos(0),
                ramp: Nanos(5),
                duration: None,
                ramp_down: Nanos(0),
            }]);
            group
        };
        let program = for_arms(Program {
            groups: vec![group("many", GroupPhase::Main, 30), group("few", GroupPhase::Main, 10)],
            serial: true,
            ..Program::default()
        });
        let shares: Vec<_> = program.groups.iter().map(|group| (&*group.name, &group.arrivals)).collect();
        assert_eq!(shares, [("many", &GroupArrivals::Weight(30)), ("few", &GroupArrivals::Weight(10))]);
        assert!(program.groups.iter().all(|group| group.iterations.is_none()) && !program.serial);
    }

    #[test]
    fn a_plan_with_groups_before_the_others_is_refused() {
        let mut first = UserGroup::new("first", 1);
        first.phase = GroupPhase::Setup;
        let plan = Program { groups: vec![first], ..Program::default() };
        let known = Available { plan: Some(Ok(plan)), ..Available::default() };
        let refused = |workload: &str| {
            let text = format!("arms = [\"tomcat:9.0.95\"]\nworkload = {workload}\n");
            let rejected = crate::experiment::Experiment::parse(&text, "x", &known).expect_err("a mistake");
            rejected.diagnostics.iter().map(|problem| problem.slip.to_string()).collect::<Vec<_>>()
        };
        let said = refused("{ jmx = \"plan.jmx\" }");
        assert!(said.iter().any(|said| said.contains("before or after the others")), "{said:?}");
        let said = refused("{ properties = { users = \"2\" } }");
        assert!(said.iter().any(|said| said == "this workload has no `jmx`"), "{said:?}");
    }
}
