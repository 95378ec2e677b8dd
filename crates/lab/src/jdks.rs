//! Which JDK runs which arm, and with which options.

use crate::deployment::Setting;
use crate::error::{Error, at};
use model::arm::{Arm, JdkChoice, Package};
use model::experiment::Experiment;
use model::slip::JavaNeed;
use model::step::Step;
use probe::host;
use sut::jdk::{self, fetched};
use sut::{Jdk, JvmOptions, Release};

/// The JDK of every arm: the one it asks for, else one for all of them, because another JDK would be another variable.
/// Each is new enough and takes its arm's options: seen to before anything else is fetched.
pub(crate) fn choose(
    experiment: &Experiment,
    releases: &[Option<Release>],
    setting: Setting<'_>,
    tell: &mut dyn FnMut(Step),
) -> Result<Vec<Jdk>, Error> {
    let arms = || experiment.arms.iter().zip(releases);
    // An arm that names its own JDK has no say in that of the others.
    let unnamed = arms().filter(|(arm, _)| arm.jdk.is_none());
    let least = unnamed.filter_map(|(arm, release)| Some(arm.least_java(&release.as_ref()?.ability).0));
    let minimum = least.max().unwrap_or(0);
    let mut chosen = Vec::new();
    for (arm, release) in arms() {
        let jdk = of_arm(arm, minimum, setting, tell).map_err(at(arm))?;
        if let Some(release) = release {
            let (least, why) = arm.least_java(&release.ability);
            new_enough(&jdk, least, why).map_err(at(arm))?;
            // A native image is no JVM: its options are its own.
            if arm.package != Some(Package::Native) {
                jdk::accepts(&jdk, &jvm(arm).arguments(), setting.site, setting.stop).map_err(at(arm))?;
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
    setting: Setting<'_>,
    tell: &mut dyn FnMut(Step),
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
            if let Some(jdk) = fetched::cached(release, setting.site) {
                return Ok(jdk);
            }
            tell(Step::FetchingJdk {
                release: release.to_string(),
            });
            fetched::fetch(release, setting.site, setting.stop)
        }
    }
}

fn new_enough(jdk: &Jdk, least: u32, why: JavaNeed) -> Result<(), sut::Error> {
    if jdk.major >= least {
        return Ok(());
    }
    Err(sut::Error::OldJdk {
        jdk: jdk.version.clone(),
        why,
        least,
    })
}

/// CPUs that the JVM is told of: with a quota as many as it would find itself, rounded up, in whatever kind of group.
fn processors(arm: &Arm) -> u32 {
    let all = host::cpus() as u32;
    let quota = arm.surroundings.limits.cpus;
    quota.map_or(all, |cpus| (cpus.ceil() as u32).clamp(1, all))
}

/// The options of an arm's JVM.
pub(crate) fn jvm(arm: &Arm) -> JvmOptions {
    let mut options = JvmOptions::new(arm.heap);
    // Two collectors at once is an error of the JVM: the arm's own choice takes the place of ours.
    let chosen = |option: &String| option.starts_with("-XX:+Use") && option.ends_with("GC");
    if arm.jvm_options.iter().any(chosen) {
        options.gc = None;
    }
    options.processors = Some(processors(arm));
    options.extra.clone_from(&arm.jvm_options);
    options
}
