//! Checks that the arms differ as the experiment says and in nothing else: before anything is measured, and again by the
//! settings in effect of the first start.

use crate::error::{Error, JvmFact};
use ask::arm::{Arm, HeapSize};
use ask::experiment::Experiment;
use record::outcome::Effective;
use std::path::{Path, PathBuf};

/// Parts of the JVM options that set the size of the heap.
const HEAP: [&str; 7] = ["-Xm", "HeapSize", "MaxRAM=", "RAMPercentage", "RAMFraction", "NewSize", "NewRatio"];

/// Fails if two arms are the same, or in an A/A experiment if they are not. `jdks` are the versions that will run them.
pub(crate) fn check(experiment: &Experiment, jdks: &[String]) -> Result<(), Error> {
    let arms: Vec<(&str, Arm, &String)> =
        experiment.arms.iter().zip(jdks).map(|(arm, jdk)| (arm.name.as_str(), anonymous(arm), jdk)).collect();
    for (index, (name, arm, jdk)) in arms.iter().enumerate() {
        for (other_name, other, other_jdk) in &arms[index + 1..] {
            let same = *arm == with_same_file_names(arm, other) && jdk == other_jdk;
            if same != experiment.design.aa {
                return Err(Error::Arms { one: (*name).to_owned(), other: (*other_name).to_owned(), same });
            }
        }
    }
    Ok(())
}

/// An arm without the settings that identify it but do not change what is measured.
fn anonymous(arm: &Arm) -> Arm {
    Arm {
        name: String::new(),
        port: None,
        jdk: None,
        // What was built counts, and not how; before it is built nothing else can.
        build: arm.build.clone().filter(|build| build.built.is_none()),
        ..arm.clone()
    }
}

/// The arm `other`, with the file names of `one` where the files are equal: a copy of a jar is the same application.
fn with_same_file_names(one: &Arm, other: &Arm) -> Arm {
    let mut other = other.clone();
    if let (Some(one), Some(other)) = (&one.jar, &mut other.jar) {
        rename_copy(&one.path, &mut other.path);
    }
    if let (Some(one), Some(other)) = (&one.deployment.war, &mut other.deployment.war) {
        rename_copy(one, other);
    }
    other
}

fn rename_copy(one: &Path, other: &mut PathBuf) {
    // An exploded WAR is compared by its name.
    let length = |path: &Path| path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    let content = |path: &Path| std::fs::read(path).ok();
    // A file that cannot be read becomes an error when it is deployed.
    let copied = || length(one).is_some() && length(one) == length(other) && content(one) == content(other);
    if copied() {
        *other = one.to_owned();
    }
}

/// Fails if the JVMs of the arms differ in collector, heap or version although no arm sets it: the run would answer
/// another question.
pub(crate) fn check_effective(arms: &[Arm], effective: &[Effective]) -> Result<(), Error> {
    // Options that all arms have are no difference between them.
    let names = |sets: fn(&str) -> bool| {
        let options = |arm: &Arm| -> Vec<String> {
            let options = arm.jvm_options.iter().filter(|option| sets(option));
            options.cloned().collect()
        };
        arms.windows(2).any(|pair| options(&pair[0]) != options(&pair[1]))
    };
    let collector =
        |option: &str| option.starts_with("-XX:") && option[5..].starts_with("Use") && option.ends_with("GC");
    let sizes = |option: &str| HEAP.iter().any(|word| option.contains(word));
    let left = |arm: &Arm| arm.gc.is_some();
    let is_chosen = |arm: &Arm| !matches!(arm.heap_size(), HeapSize::Fixed(_));
    let heaps = arms.iter().any(is_chosen) || arms.windows(2).any(|pair| pair[0].heap != pair[1].heap);
    // A setenv.sh may set any option.
    let is_set = |arm: &Arm| arm.configuration.setenv.clone();
    let setenv = arms.windows(2).any(|pair| is_set(&pair[0]) != is_set(&pair[1]));
    type Fact = fn(&Effective) -> Option<String>;
    // Each machine has a JDK of its own; the report names them.
    let is_elsewhere = arms.windows(2).any(|pair| pair[0].host != pair[1].host);
    let names_jdk = is_elsewhere || arms.iter().any(|arm| arm.jdk.is_some());
    let facts: [(JvmFact, bool, Fact); 3] = [
        (JvmFact::Collector, setenv || arms.iter().any(left) || names(collector), |e| e.gc.clone()),
        (JvmFact::Heap, setenv || heaps || names(sizes), |e| e.heap.map(|heap| heap.0.to_string())),
        (JvmFact::Jdk, names_jdk, |e| e.jdk.clone()),
    ];
    for (differing, named, fact) in facts {
        // Servers that run already are as they are.
        let started = arms.iter().zip(effective).filter(|(arm, _)| arm.origin.is_none());
        let known: Vec<(&Arm, String)> =
            started.filter_map(|(arm, effective)| Some((arm, fact(effective)?))).collect();
        let odd = known.iter().find(|(_, value)| known.first().is_some_and(|(_, first)| first != value));
        if let (Some((other, other_value)), Some((one, one_value)), false) = (odd, known.first(), named) {
            return Err(Error::UnnamedDifference {
                fact: differing,
                one: one.name.clone(),
                one_value: one_value.clone(),
                other: other.name.clone(),
                other_value: other_value.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::build::Build;
    use judge::testing::experiment;

    fn jdks(versions: [&str; 2]) -> [String; 2] {
        versions.map(str::to_owned)
    }

    #[test]
    fn arms_have_to_differ() {
        let mut asked = experiment();
        check(&asked, &jdks(["25.0.1", "25.0.1"])).expect("two servers");
        asked.arms[1].version = asked.arms[0].version.clone();
        asked.arms[1].port = Some(8080);
        let refused = check(&asked, &jdks(["25.0.1", "25.0.1"])).expect_err("one server");
        assert!(refused.to_string().contains("`nine` and `ten` are the same"), "{refused}");
        assert!(refused.hint().expect("a hint").contains("aa = true"));
        check(&asked, &jdks(["25.0.1", "21.0.5"])).expect("two JDKs");
    }

    #[test]
    fn until_they_are_built_arms_differ_in_how_they_are_built() {
        let mut asked = experiment();
        asked.arms[1].version = asked.arms[0].version.clone();
        for (arm, command) in asked.arms.iter_mut().zip(["make", "make fast"]) {
            arm.build = Some(Build { command: Some(command.to_owned()), ..Build::default() });
        }
        let jdks = jdks(["25.0.1", "25.0.1"]);
        check(&asked, &jdks).expect("two builds");
        asked.arms[1].build = asked.arms[0].build.clone();
        assert!(check(&asked, &jdks).is_err());
    }

    #[test]
    fn a_copy_of_a_war_is_the_same_application() {
        let folder = std::env::temp_dir().join(format!("prony-setup-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut asked = experiment();
        asked.arms[1].version = asked.arms[0].version.clone();
        for (arm, (file, text)) in asked.arms.iter_mut().zip([("main.war", "one"), ("change.war", "two")]) {
            let path = folder.join(file);
            std::fs::write(&path, text).expect("a file");
            arm.deployment.war = Some(path);
        }
        let jdks = jdks(["25.0.1", "25.0.1"]);
        let differ = check(&asked, &jdks);
        std::fs::write(folder.join("change.war"), "one").expect("a copy");
        let copied = check(&asked, &jdks);
        std::fs::remove_dir_all(&folder).expect("cleaned up");
        differ.expect("two applications");
        let refused = copied.expect_err("a copy").to_string();
        assert!(refused.contains("are the same"), "{refused}");
    }

    #[test]
    fn the_arms_of_an_aa_must_not_differ() {
        let mut asked = experiment();
        asked.design.aa = true;
        let refused = check(&asked, &jdks(["25.0.1", "25.0.1"])).expect_err("two servers");
        assert!(refused.to_string().contains("`nine` and `ten` are not the same"), "{refused}");
        asked.arms[1].version = asked.arms[0].version.clone();
        check(&asked, &jdks(["25.0.1", "25.0.1"])).expect("one server twice");
    }

    #[test]
    fn arms_may_differ_only_in_a_collector_that_they_name() {
        let mut arms = experiment().arms;
        let with = |gc: &str| Effective { gc: Some(gc.to_owned()), ..Effective::default() };
        let effective = [with("G1"), with("Serial")];
        let refused = check_effective(&arms, &effective).expect_err("two collectors");
        assert!(refused.to_string().contains("`nine` runs with G1, `ten` with Serial"), "{refused}");
        arms[1].jvm_options = vec!["-XX:+UseSerialGC".to_owned()];
        check_effective(&arms, &effective).expect("asked for");
        arms[0].jvm_options = arms[1].jvm_options.clone();
        check_effective(&arms, &effective).expect_err("both name it, and one has another");
        arms[0].jvm_options = vec!["-XX:MaxGCPauseMillis=50".to_owned()];
        arms[1].jvm_options = Vec::new();
        check_effective(&arms, &effective).expect_err("this option chooses no collector");
        check_effective(&arms, &[with("G1"), Effective::default()])
            .expect("an unknown value is no difference");
    }
}
