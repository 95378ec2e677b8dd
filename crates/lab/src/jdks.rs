//! Chooses the JDK of every arm, and the options of its JVM.

use crate::deployment::Tools;
use crate::error::{Error, at};
use ask::arm::{Arm, JdkChoice, Package, agent_file};
use ask::experiment::Experiment;
use ask::slip::JavaNeed;
use probe::host;
use record::step::Step;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use sut::jdk::{self, fetched};
use sut::{ConfigurationError, Jdk, JvmOptions, Release, Setenv, Site};

/// The JDK of every arm: the one that it asks for, else the same one for all, because another JDK would be another
/// variable. It is checked that each is new enough and accepts the options of its arm, before anything else is fetched.
pub(crate) fn choose(
    experiment: &Experiment,
    releases: &[Option<Release>],
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Vec<Jdk>, Error> {
    let arms = || experiment.arms.iter().zip(releases);
    // An arm that names its JDK does not influence the other arms' JDK.
    let unnamed = arms().filter(|(arm, _)| arm.jdk.is_none());
    let least = unnamed.filter_map(|(arm, release)| Some(arm.least_java(&release.as_ref()?.ability).0));
    let minimum = least.max().unwrap_or(0);
    let (mut chosen, mut accepted) = (Vec::new(), BTreeSet::new());
    for (arm, release) in arms() {
        let jdk = obtain(arm, minimum, tools, on_step).map_err(at(arm))?;
        if let Some(release) = release {
            let (least, why) = arm.least_java(&release.ability);
            check_version(&jdk, least, why).map_err(at(arm))?;
            // A native image is no JVM and has other options.
            let options = jvm(arm, host::cpus()).arguments();
            if arm.package != Some(Package::Native) && accepted.insert((jdk.home.clone(), options.clone())) {
                jdk::check_options(&jdk, &options, tools.site, tools.stop).map_err(at(arm))?;
            }
        }
        chosen.push(jdk);
    }
    Ok(chosen)
}

/// Checks the JDK of an arm on this machine and the options that the arm gives it, as far as it shows without fetching a JDK. Returns
/// what the JDK warns of, and what the arm's own `setenv.sh` sets.
pub(crate) fn check(
    arm: &Arm,
    release: Option<&Release>,
    site: &Site,
    stop: &AtomicBool,
) -> Result<(Vec<String>, Setenv), sut::Error> {
    let nothing = || Ok((Vec::new(), Setenv::default()));
    let Some((least, why)) = release.map(|release| arm.least_java(&release.ability)) else {
        return nothing();
    };
    let Found::Here(jdk) = find(arm, least, site)? else {
        return nothing();
    };
    check_version(&jdk, least, why)?;
    let setenv = arm.configuration.setenv.as_ref();
    if arm.jvm_options.is_empty() && setenv.is_none() {
        return nothing();
    }
    if arm.package == Some(Package::Native) || arm.host.is_some() {
        return nothing();
    }
    let set = setenv.map(|file| Setenv::read(file, &jdk, site, stop)).transpose()?.unwrap_or_default();
    let options = match setenv {
        Some(_) => set.options.clone(),
        None => jvm(arm, host::cpus()).arguments(),
    };
    if let Some(path) = options.iter().filter_map(|option| agent_file(option)).find(|file| !file.is_file()) {
        return Err(ConfigurationError::NoAgent { path: path.to_owned() }.into());
    }
    // An agent would do its work already.
    let options: Vec<String> = options.into_iter().filter(|option| agent_file(option).is_none()).collect();
    Ok((jdk::warnings(&jdk, &options, site, stop)?, set))
}

/// The JDK of an arm, which is fetched if no installed one fits.
fn obtain(
    arm: &Arm,
    minimum: u32,
    tools: Tools<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<Jdk, sut::Error> {
    match find(arm, minimum, tools.site)? {
        Found::Here(jdk) => Ok(jdk),
        Found::ToFetch(release) => {
            on_step(Step::FetchingJdk { release: release.to_string() });
            fetched::fetch(release, tools.site, tools.stop)
        }
    }
}

/// Where a JDK is.
enum Found {
    /// It is installed, or was fetched before.
    Here(Jdk),
    /// This release can be fetched.
    ToFetch(u32),
}

/// Finds the JDK of an arm.
fn find(arm: &Arm, minimum: u32, site: &Site) -> Result<Found, sut::Error> {
    let installed = jdk::jdks();
    let (fitting, release) = match &arm.jdk {
        Some(JdkChoice::Home(home)) => return jdk::in_folder(home).map(Found::Here),
        Some(JdkChoice::Release(release)) => {
            let fetched = fetched::releases().into_iter().find(|known| known == release);
            (jdk::newest_of(&installed, *release), fetched)
        }
        Some(JdkChoice::Named(name)) => (jdk::newest_named(&installed, name), fetched::release_of(name)),
        None => {
            let newest = fetched::releases().into_iter().rfind(|release| *release >= minimum);
            (jdk::newest_lts(&installed, minimum), newest)
        }
    };
    match (fitting, release) {
        (Ok(jdk), _) => Ok(Found::Here(jdk.clone())),
        (Err(error), None) => Err(error),
        (Err(_), Some(release)) => {
            let cached = fetched::cached(release, site);
            Ok(cached.map_or(Found::ToFetch(release), Found::Here))
        }
    }
}

fn check_version(jdk: &Jdk, least: u32, why: JavaNeed) -> Result<(), sut::Error> {
    if jdk.major >= least {
        return Ok(());
    }
    Err(sut::Error::OldJdk { jdk: jdk.version.clone(), why, least })
}

/// The number of CPUs for the JVM of `all` that it may use: with a quota the number that it would detect itself, rounded up, whatever the version
/// of the control group.
fn processors(arm: &Arm, all: u32) -> u32 {
    let quota = arm.surroundings.limits.cpus;
    quota.map_or(all, |cpus| (cpus.0.ceil() as u32).clamp(1, all))
}

/// The JVM options of an arm whose server may use so many CPUs.
pub(crate) fn jvm(arm: &Arm, cpus: usize) -> JvmOptions {
    let mut options = JvmOptions::new(arm.heap);
    // The JVM does not start with two collectors: the arm's choice replaces ours.
    let chosen = |option: &String| option.starts_with("-XX:+Use") && option.ends_with("GC");
    if arm.gc.is_some() || arm.jvm_options.iter().any(chosen) {
        options.gc = None;
    }
    options.processors = arm.processors.is_none().then(|| processors(arm, cpus as u32));
    options.extra.clone_from(&arm.jvm_options);
    options
}
