//! Which JDK runs which arm.

use crate::Error;
use crate::bench::{at, jvm};
use model::arm::{Arm, JdkChoice};
use model::experiment::Experiment;
use model::takes::Package;
use std::sync::atomic::AtomicBool;
use sut::jdk::{self, fetched};
use sut::{Jdk, Release, Site};

/// The JDK of every arm: the one it asks for, else one for all of them, because another JDK would be another variable.
/// Each is new enough and takes its arm's options: seen to before anything else is fetched.
pub(crate) fn choose(
    experiment: &Experiment,
    releases: &[Option<Release>],
    (site, stop): (&Site, &AtomicBool),
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Jdk>, Error> {
    let arms = || experiment.arms.iter().zip(releases);
    // An arm that names its own JDK has no say in that of the others.
    let unnamed = arms().filter(|(arm, _)| arm.jdk.is_none());
    let least = unnamed.filter_map(|(arm, release)| Some(release.as_ref()?.ability.java(arm).0));
    let minimum = least.max().unwrap_or(0);
    let mut chosen = Vec::new();
    for (arm, release) in arms() {
        let jdk = of_arm(arm, minimum, (site, stop), tell).map_err(at(arm))?;
        if let Some(release) = release {
            new_enough(&jdk, release.ability.java(arm)).map_err(at(arm))?;
            // A native image is no JVM: its options are its own.
            if arm.package != Some(Package::Native) {
                jdk::accepts(&jdk, &jvm(arm).arguments(), site, stop).map_err(at(arm))?;
            }
        }
        chosen.push(jdk);
    }
    Ok(chosen)
}

/// One that is installed, or else one that can be fetched.
fn of_arm(
    arm: &Arm,
    minimum: u32,
    (site, stop): (&Site, &AtomicBool),
    tell: &mut dyn FnMut(&str),
) -> Result<Jdk, sut::Error> {
    let installed = jdk::jdks();
    let (found, release) = match &arm.jdk {
        Some(JdkChoice::Home(home)) => return jdk::in_folder(home),
        Some(JdkChoice::Release(release)) => (jdk::of_major(&installed, *release), Some(*release)),
        None => {
            let newest = fetched::releases()
                .into_iter()
                .rfind(|release| *release >= minimum);
            (jdk::newest_lts(&installed, minimum), newest)
        }
    };
    match (found, release) {
        (Ok(jdk), _) => Ok(jdk.clone()),
        (Err(error), None) => Err(error),
        (Err(_), Some(release)) => {
            if let Some(jdk) = fetched::cached(release, site) {
                return Ok(jdk);
            }
            tell(&format!("fetching JDK {release} with pip"));
            fetched::fetch(release, site, stop)
        }
    }
}

fn new_enough(jdk: &Jdk, (least, why): (u32, &'static str)) -> Result<(), sut::Error> {
    if jdk.major >= least {
        return Ok(());
    }
    Err(sut::Error::OldJdk {
        jdk: jdk.version.clone(),
        why,
        least,
    })
}
