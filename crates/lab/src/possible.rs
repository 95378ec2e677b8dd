//! What of an experiment can run on this machine. An arm that cannot, for want of a program that prony does not install, is
//! left out, and the report says so; it is no error as long as there are two to compare.

use crate::Error;
use model::arm::Arm;
use model::experiment::Experiment;
use model::takes::Package;
use std::collections::BTreeMap;

/// How the facts of arms that were left out begin.
pub const LEFT_OUT: &str = "left out/";

/// The experiment without the arms that cannot run here, and why each cannot, for the fingerprint.
pub fn possible(experiment: &Experiment) -> Result<(Experiment, BTreeMap<String, String>), Error> {
    without(experiment, |arm| match arm.package {
        Some(Package::Native) => sut::native::compiler().err(),
        _ => None,
    })
}

fn without(
    experiment: &Experiment,
    why_not: impl Fn(&Arm) -> Option<sut::Error>,
) -> Result<(Experiment, BTreeMap<String, String>), Error> {
    let mut possible = experiment.clone();
    let mut facts = BTreeMap::new();
    possible.arms.clear();
    for arm in &experiment.arms {
        match why_not(arm) {
            None => possible.arms.push(arm.clone()),
            Some(source) if experiment.arms.len() - facts.len() <= 2 => {
                let (arm, source) = (arm.name.clone(), Box::new(source));
                return Err(Error::Arm { arm, source });
            }
            Some(why) => {
                facts.insert(format!("{LEFT_OUT}{}", arm.name), why.to_string());
            }
        }
    }
    // Where the baseline itself cannot run the first one that can takes its place.
    let baseline = &experiment.arms[experiment.design.baseline].name;
    let place = possible.arms.iter().position(|arm| arm.name == *baseline);
    possible.design.baseline = place.unwrap_or(0);
    Ok((possible, facts))
}

/// What the report says of the arms that were left out.
pub(crate) fn notes(fingerprint: &BTreeMap<String, String>) -> impl Iterator<Item = String> {
    let left_out = |(key, why): (&String, &String)| {
        Some(format!(
            "arm `{}` was left out: {why}",
            key.strip_prefix(LEFT_OUT)?
        ))
    };
    fingerprint.iter().filter_map(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::experiment;

    #[test]
    fn an_arm_that_cannot_run_is_left_out_while_two_are_left() {
        let mut asked = experiment();
        let mut third = asked.arms[1].clone();
        third.name = "third".to_owned();
        asked.arms.push(third);
        asked.design.baseline = 2;
        let cannot = |names: &'static [&str]| {
            move |arm: &Arm| {
                names
                    .contains(&arm.name.as_str())
                    .then_some(sut::Error::NoNativeImage)
            }
        };
        let (all, facts) = without(&asked, cannot(&[])).expect("all can");
        assert_eq!((all, facts.len()), (asked.clone(), 0));
        let (two, facts) = without(&asked, cannot(&["ten"])).expect("two can");
        let names: Vec<&str> = two.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!((names, two.design.baseline), (vec!["nine", "third"], 1));
        let notes: Vec<String> = notes(&facts).collect();
        assert_eq!(notes.len(), 1);
        assert!(
            notes[0].starts_with("arm `ten` was left out: native-image is not installed"),
            "{notes:?}"
        );
        let refused = without(&asked, cannot(&["nine", "ten"])).expect_err("one alone");
        assert!(refused.to_string().contains("native-image"), "{refused}");
    }
}
