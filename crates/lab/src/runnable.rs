//! Leaves out the arms of an experiment that cannot run on this machine, because they need a program that prony does not
//! install, or a host whose address was not given. The report names them; it is no error as long as two arms are left to compare.

use crate::Error;
use ask::arm::Arm;
use ask::arm::Package;
use ask::experiment::Experiment;
use record::note::{LeftOut, Unavailable};

/// The experiment without the arms that cannot run here, and why each cannot. Fails if fewer than two arms would be left.
pub fn runnable(experiment: &Experiment) -> Result<(Experiment, Vec<LeftOut>), Error> {
    without(experiment, |arm| match (&arm.host, arm.package) {
        (Some(host), _) if host.is_unknown() => Some(sut::Error::Host(sut::HostError {
            host: host.to_string(),
            trouble: sut::HostTrouble::NotGiven,
        })),
        (_, Some(Package::Native)) => sut::native::compiler().err(),
        _ => None,
    })
}

fn without(
    experiment: &Experiment,
    why_not: impl Fn(&Arm) -> Option<sut::Error>,
) -> Result<(Experiment, Vec<LeftOut>), Error> {
    let mut rest = experiment.clone();
    let mut left_out = Vec::new();
    rest.arms.clear();
    for arm in &experiment.arms {
        match why_not(arm) {
            None => rest.arms.push(arm.clone()),
            Some(source) if experiment.arms.len() - left_out.len() <= 2 => {
                let (arm, source) = (arm.name.clone(), Box::new(source));
                return Err(Error::Arm { arm, source });
            }
            Some(source) => left_out.push(LeftOut { arm: arm.name.clone(), why: unavailable(&source) }),
        }
    }
    // If the baseline cannot run, the first arm that can becomes the baseline.
    let baseline = &experiment.arms[experiment.design.baseline].name;
    let index = rest.arms.iter().position(|arm| arm.name == *baseline);
    rest.design.baseline = index.unwrap_or(0);
    Ok((rest, left_out))
}

/// The reason why an arm cannot run, as a value that can be stored.
fn unavailable(error: &sut::Error) -> Unavailable {
    match error {
        sut::Error::NoNativeImage => Unavailable::NativeImageMissing,
        sut::Error::Host(sut::HostError { host, trouble: sut::HostTrouble::NotGiven }) => {
            Unavailable::HostNotGiven { host: host.clone() }
        }
        other => Unavailable::Other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::testing::experiment;

    #[test]
    fn an_arm_that_cannot_run_is_left_out_while_two_are_left() {
        let mut asked = experiment();
        let mut third = asked.arms[1].clone();
        third.name = "third".to_owned();
        asked.arms.push(third);
        asked.design.baseline = 2;
        let cannot = |names: &'static [&str]| {
            move |arm: &Arm| names.contains(&arm.name.as_str()).then_some(sut::Error::NoNativeImage)
        };
        let (all, left_out) = without(&asked, cannot(&[])).expect("all can");
        assert_eq!((all, left_out), (asked.clone(), Vec::new()));
        let (two, left_out) = without(&asked, cannot(&["ten"])).expect("two can");
        let names: Vec<&str> = two.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!((names, two.design.baseline), (vec!["nine", "third"], 1));
        let expected = LeftOut { arm: "ten".to_owned(), why: Unavailable::NativeImageMissing };
        assert_eq!(left_out, [expected]);
        let refused = without(&asked, cannot(&["nine", "ten"])).expect_err("one alone");
        assert!(refused.to_string().contains("native-image"), "{refused}");
    }
}
