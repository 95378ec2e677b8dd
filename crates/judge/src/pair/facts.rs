//! The facts of a run, and which of them differ.

use record::outcome::Report;
use record::pair::{DifferingFact, fields};
use std::collections::{BTreeMap, BTreeSet};

/// Facts of a run, by name.
pub(super) type Facts = BTreeMap<String, String>;

/// How the names of facts begin that are settings as they were asked for.
const ASKED: &str = "asked/";
/// The fields of a design that are results of the run.
const RESULTS: [&str; 5] = ["starts", "starts_void", "elapsed", "interrupted", "seconds_per_start"];
/// How the names of the settings begin that decide what is asked of the servers and how. The levels of the closed loop are not among
/// them, because each level has figures of its own.
const WORKLOAD: [&str; 9] = [
    "asked/request",
    "asked/load/keepalive",
    "asked/load/ramp",
    "asked/load/think",
    "asked/load/connect_rate",
    "asked/load/timeout",
    "asked/load/shards",
    "asked/load/shared_cpus",
    "asked/link/",
];

/// Returns the facts of a run: its fingerprint, the settings that were asked for, its design and its seed.
pub(super) fn facts(report: &Report) -> Facts {
    let mut facts = report.fingerprint.clone();
    // A setting as it was asked for and a fact of what ran may have the same name; the prefix keeps both.
    let asked = report.asked.iter();
    facts.extend(asked.map(|(name, value)| (format!("{ASKED}{name}"), value.clone())));
    facts.insert("seed".to_owned(), report.seed.to_string());
    facts.extend(fields("design", &report.design, &RESULTS));
    for arm in &report.arms {
        facts.extend(fields(&format!("arm/{}/effective", arm.name), &arm.effective, &[]));
    }
    facts
}

/// Returns the facts that differ, and how many are the same.
pub(super) fn differing_facts(facts: &[Facts; 2]) -> (Vec<DifferingFact>, usize) {
    let names: BTreeSet<&String> = facts.iter().flat_map(BTreeMap::keys).collect();
    let all = names.into_iter().map(|name| DifferingFact {
        name: name.clone(),
        sides: facts.each_ref().map(|facts| facts.get(name).cloned()),
    });
    let (same, differ): (Vec<_>, Vec<_>) = all.partition(|fact| fact.sides[0] == fact.sides[1]);
    (differ, same.len())
}

/// Whether the runs differ in what was asked of the servers.
pub(super) fn workloads_differ(facts: &[Facts; 2]) -> bool {
    let [one, other] = facts.each_ref().map(|facts| beginning_with(facts, &WORKLOAD));
    one != other
}

/// Whether the runs differ in the numbers of users at which servers were loaded.
pub(super) fn users_differ(facts: &[Facts; 2]) -> bool {
    let name = format!("{ASKED}load/connections");
    facts[0].get(&name) != facts[1].get(&name)
}

/// Whether both runs know the same facts of this arm.
pub(super) fn is_same_arm(facts: &[Facts; 2], arm: &str) -> bool {
    let [one, other] = facts.each_ref().map(|facts| facts_of_arm(facts, arm));
    !one.is_empty() && one == other
}

/// Whether this arm is the same build with the same settings in both runs. Its JDK may differ: the other arms
/// have it as well, and a history of them should show what a new JDK changed.
pub(super) fn is_same_build(facts: &[Facts; 2], arm: &str) -> bool {
    let [one, other] = facts.each_ref().map(|facts| {
        let mut of_arm = facts_of_arm(facts, arm);
        of_arm.retain(|name, _| !name.ends_with("/jdk"));
        of_arm
    });
    !one.is_empty() && one == other
}

fn facts_of_arm<'a>(facts: &'a Facts, arm: &str) -> BTreeMap<&'a str, &'a str> {
    let names = [format!("arm/{arm}/"), format!("{ASKED}arm/{arm}/")];
    beginning_with(facts, &[&names[0], &names[1]])
}

/// Returns the facts whose names begin so.
fn beginning_with<'a>(facts: &'a Facts, names: &[&str]) -> BTreeMap<&'a str, &'a str> {
    let those = facts.iter().filter(|(name, _)| names.iter().any(|begin| name.starts_with(begin)));
    those.map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
