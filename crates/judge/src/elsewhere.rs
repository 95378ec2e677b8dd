//! Notes on arms that ran on other machines, where noise differs from this machine's.

use ask::experiment::Experiment;
use record::host_facts::HostSeen;
use record::note::ArmNote;
use std::collections::BTreeMap;

/// Notes on the machines of the arms; none where all ran on the generator's machine.
pub(crate) fn notes(experiment: &Experiment, fingerprint: &BTreeMap<String, String>) -> Vec<ArmNote> {
    let mut machines: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
    let mut hosts: Vec<HostSeen> = Vec::new();
    for arm in &experiment.arms {
        let host = HostSeen::of(fingerprint, &arm.name);
        let url = host.as_ref().map(|host| host.url.clone());
        let arms = machines.entry(url).or_default();
        hosts.extend(host.filter(|_| arms.is_empty()));
        arms.push(arm.name.clone());
    }
    let elsewhere =
        |host: HostSeen| ArmNote::Elsewhere { arms: machines[&Some(host.url.clone())].clone(), host };
    let mut notes: Vec<ArmNote> = hosts.into_iter().map(elsewhere).collect();
    if machines.len() > 1 {
        let machines = machines.into_values().collect();
        notes.push(ArmNote::OnSeveralMachines { machines });
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::experiment;
    use record::host_facts::HostFacts;

    #[test]
    fn an_arm_elsewhere_is_named_with_its_machine_and_the_comparison_with_both() {
        let experiment = experiment();
        assert_eq!(notes(&experiment, &BTreeMap::new()), []);
        let facts = HostFacts { url: "ssh://box".to_owned(), cpus: 8, ..HostFacts::default() };
        let there = facts.named().into_iter();
        let there: BTreeMap<String, String> =
            there.map(|(name, fact)| (format!("arm/ten/{name}"), fact)).collect();
        let said = notes(&experiment, &there);
        assert!(
            matches!(&said[0], ArmNote::Elsewhere { arms, host } if *arms == ["ten"] && host.cpus == 8),
            "{said:?}"
        );
        let machines = vec![vec!["nine".to_owned()], vec!["ten".to_owned()]];
        assert_eq!(said[1..], [ArmNote::OnSeveralMachines { machines }]);
    }
}
