//! `--against RUN`: an arm of a stored run takes the baseline's place, and is run again beside the others. Its stored
//! figures are of no use for that: they met another noise.

use crate::experiment::{self, Facts};
use crate::failure::Failure;
use crate::say::complaint::{Difference, Gone, StoredComplaint};
use model::arm::Arm;
use model::experiment::Experiment;
use model::outcome::Report;
use model::record::RunRecord;
use model::secret;
use std::path::Path;
use store::Store;

/// Where the baseline comes from.
#[derive(Debug)]
pub(crate) struct Against {
    /// The stored run.
    run: String,
    /// What the arm was called in it.
    then: String,
    /// What it is called now.
    now: String,
    /// What was known of it then.
    facts: Facts,
    /// What was found of it then, in words.
    found: Option<String>,
}

/// Puts the arm in the baseline's place; `wanted` is `RUN` or `RUN/ARM`, `latest` the newest run of this experiment.
pub(crate) fn baseline(experiment: &mut Experiment, wanted: &str, store: &Store) -> Result<Against, Failure> {
    let (run, arm) = wanted
        .split_once('/')
        .map_or((wanted, None), |(run, arm)| (run, Some(arm)));
    let run = match run {
        "latest" => newest(&experiment.name, store)?,
        run => experiment::found(store, run)?.run,
    };
    let record = experiment::stored(store, &run)?;
    let then = chosen(experiment, &record, arm)?.clone();
    let against = Against::of(&record, &then, store)?;
    against.can_be_built(&then)?;
    let at = experiment.design.baseline;
    // What is required of an arm by its name stays, and is asked of whoever has that name now. Of a name that has gone the report
    // says so.
    experiment.arms[at] = then;
    let taken = experiment
        .arms
        .iter()
        .enumerate()
        .any(|(index, arm)| index != at && arm.name == against.then);
    let now = match taken {
        // The last digits of a run's id tell it from the others of its day.
        true => format!("{}@{}", against.then, run.rsplit('-').next().unwrap_or_default()),
        false => against.then.clone(),
    };
    experiment.arms[at].name.clone_from(&now);
    services(experiment, &record)?;
    Ok(Against { now, ..against })
}

fn newest(experiment: &str, store: &Store) -> Result<String, Failure> {
    let newest = store.runs(Some(experiment), 1)?.pop();
    newest.map(|entry| entry.run).ok_or_else(|| {
        Failure::usage(StoredComplaint::NoneOf {
            experiment: experiment.to_owned(),
        })
    })
}

/// The arm asked for; else that of the same name, or the only one that was compared with a baseline.
fn chosen<'a>(
    experiment: &Experiment,
    record: &'a RunRecord,
    wanted: Option<&str>,
) -> Result<&'a Arm, Failure> {
    let stored = &record.experiment;
    let judged = |experiment: &Experiment| -> Vec<String> {
        let arms = experiment.arms.iter().enumerate();
        let others = arms.filter(|(index, _)| *index != experiment.design.baseline);
        others.map(|(_, arm)| arm.name.clone()).collect()
    };
    let guessed = || match (judged(experiment).as_slice(), judged(stored).as_slice()) {
        ([own], theirs) if theirs.contains(own) => Some(own.clone()),
        (_, [only]) => Some(only.clone()),
        _ => None,
    };
    let name = wanted.map(str::to_owned).or_else(guessed);
    let found = stored.arms.iter().find(|arm| Some(&arm.name) == name.as_ref());
    found.ok_or_else(|| {
        let arms = stored.arms.iter().map(|arm| arm.name.clone()).collect();
        let run = record.run.clone();
        Failure::usage(match name {
            Some(arm) => StoredComplaint::NoArm { run, arm, arms },
            None => StoredComplaint::SeveralArms { run, arms },
        })
    })
}

/// The services that the arm names come with it.
fn services(experiment: &mut Experiment, record: &RunRecord) -> Result<(), Failure> {
    let arm = &experiment.arms[experiment.design.baseline];
    for name in arm.surroundings.services.clone() {
        let theirs = record
            .experiment
            .services
            .iter()
            .find(|service| service.name == name);
        let ours = experiment.services.iter().find(|service| service.name == name);
        match (ours, theirs) {
            (None, Some(theirs)) => experiment.services.push(theirs.clone()),
            (Some(ours), Some(theirs)) if ours != theirs => {
                return Err(Failure::usage(StoredComplaint::OtherService {
                    service: name,
                    run: record.run.clone(),
                }));
            }
            _ => {}
        }
    }
    Ok(())
}

impl Against {
    fn of(record: &RunRecord, arm: &Arm, store: &Store) -> Result<Self, Failure> {
        let facts = of_arm(&record.fingerprint, &arm.name);
        let report = experiment::found(store, &record.run)?.report?;
        Ok(Self {
            run: record.run.clone(),
            then: arm.name.clone(),
            now: arm.name.clone(),
            facts,
            found: report.and_then(|report| headline(&report, &arm.name)),
        })
    }

    /// The stored run and its arm, as `--against` takes them.
    pub(crate) fn wanted(&self) -> String {
        format!("{}/{}", self.run, self.then)
    }

    /// Whether there is still what it is built from, as far as that can be told before anything is fetched.
    fn can_be_built(&self, arm: &Arm) -> Result<(), Failure> {
        let own = [arm.jar.as_ref().map(|jar| &jar.path), arm.deployment.war.as_ref()];
        let missing = own
            .into_iter()
            .flatten()
            .find(|path: &&std::path::PathBuf| !Path::is_file(path));
        if let Some(path) = missing {
            return Err(self.gone(Gone::File(path.clone())));
        }
        let known = experiment::known();
        let of_catalog = arm.command.is_none() && arm.jar.is_none();
        let versions = known
            .servers
            .iter()
            .find(|(name, _)| *name == arm.server)
            .map(|(_, versions)| versions);
        match of_catalog && versions.is_none_or(|versions| !versions.contains(&arm.version)) {
            true => Err(self.gone(Gone::Release {
                server: arm.server.clone(),
                version: arm.version.clone(),
            })),
            false => Ok(()),
        }
    }

    /// Whether what was built is what ran then.
    pub(crate) fn check(&self, now: &Facts) -> Result<(), Failure> {
        let now = of_arm(now, &self.now);
        let changed: Vec<Difference> = self
            .facts
            .iter()
            .map(|(key, was)| (key, secret::redacted(key, was)))
            .filter(|(key, was)| now.get(*key) != Some(was))
            .map(|(key, was)| Difference {
                fact: key.clone(),
                is: now.get(key).cloned(),
                was: Some(was),
            })
            .collect();
        match changed.is_empty() {
            true => Ok(()),
            false => Err(self.gone(Gone::Changed(changed))),
        }
    }

    fn gone(&self, why: Gone) -> Failure {
        Failure::usage(StoredComplaint::CannotRepeat {
            arm: self.then.clone(),
            run: self.run.clone(),
            why,
            measured: self.found.clone(),
        })
    }
}

/// What is known of one arm, by the last part of the key.
fn of_arm(facts: &Facts, arm: &str) -> Facts {
    let prefix = format!("{}{arm}/", experiment::ARM_FACTS);
    let own = facts
        .iter()
        .filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?.to_owned(), value.clone())));
    own.collect()
}

/// What a report says of an arm's headline.
fn headline(report: &Report, arm: &str) -> Option<String> {
    let measure = model::measure::Measure::from_id(&report.design.headline)?;
    let arm = report.arms.iter().find(|known| known.name == arm)?;
    report::measured_value(arm, measure).map(|value| format!("{} {value}", measure.title()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use report::Lang;

    const RUN: &str = "2026-11-21T03:40:12Z-7f3a";

    /// A store with a run of these arms.
    fn store(arms: &str) -> Store {
        let record = RunRecord {
            run: RUN.to_owned(),
            experiment: file(arms),
            seed: 7,
            fingerprint: Facts::new(),
            repeat: String::new(),
            calibration: None,
            elapsed: 0.0,
            interrupted: true,
            left_out: Vec::new(),
            proofs: Vec::new(),
        };
        let store = Store::in_memory().expect("a store");
        store.begin(&record, "").expect("a run");
        store
    }

    fn file(text: &str) -> Experiment {
        Experiment::parse(text, "gate", &experiment::known()).expect("a valid file")
    }

    /// As in the guide: something is required of the baseline by its name.
    const FILE: &str = "arms = [{ name = \"main\", server = \"tomcat:9.0.95\" }, \
                        { name = \"change\", server = \"tomcat:10.1.29\" }]\n\
                        [require]\nstartup = \"< 9s\"\n[require.main]\nstartup = \"< 5s\"\n";

    #[test]
    fn what_is_required_of_an_arm_that_is_still_there_stays_required() {
        let store = store(FILE);
        for (wanted, baseline) in [("main", "main"), ("change", "change@7f3a")] {
            let mut experiment = file(FILE);
            let against = baseline_of(&mut experiment, &format!("{RUN}/{wanted}"), &store);
            assert_eq!(experiment.arms[0].name, baseline);
            assert_eq!(against.wanted(), format!("{RUN}/{wanted}"));
            // Of `main`, once it has gone, the report says that nothing was judged.
            assert_eq!(experiment.require, file(FILE).require, "{wanted}");
            let named = experiment.require.iter().filter_map(|asked| asked.arm.as_deref());
            assert_eq!(named.collect::<Vec<_>>(), ["main"]);
        }
    }

    fn baseline_of(experiment: &mut Experiment, wanted: &str, store: &Store) -> Against {
        baseline(experiment, wanted, store).expect("it can be built")
    }

    #[test]
    fn latest_is_the_run_that_it_was_when_it_was_asked_for() {
        let against = baseline_of(&mut file(FILE), "latest", &store(FILE));
        assert_eq!(against.wanted(), format!("{RUN}/change"));
    }

    #[test]
    fn an_arm_that_was_built_from_something_else_is_refused() {
        let facts = |jdk: &str, server: &str| {
            let of_arm = |key: &str, value: &str| (format!("arm/change/{key}"), value.to_owned());
            Facts::from([
                of_arm("jdk", jdk),
                of_arm("server", server),
                ("arm/main/jdk".to_owned(), "8".to_owned()),
            ])
        };
        let then = facts("21.0.4 (Temurin)", "tomcat:10.1.29, SHA-512 ab");
        let against = Against {
            run: RUN.to_owned(),
            then: "change".to_owned(),
            now: "change".to_owned(),
            facts: of_arm(&then, "change"),
            found: Some("throughput 9,000 /s".to_owned()),
        };
        assert!(against.check(&then).is_ok());
        for (now, said) in [
            (
                facts("21.0.5 (Temurin)", "tomcat:10.1.29, SHA-512 ab"),
                "its jdk was `21.0.4 (Temurin)` and is `21.0.5 (Temurin)`",
            ),
            (
                facts("21.0.4 (Temurin)", "tomcat:10.1.29, SHA-512 cd"),
                "its server was `tomcat:10.1.29, SHA-512 ab` and is `tomcat:10.1.29, SHA-512 cd`",
            ),
            (
                Facts::new(),
                "its jdk was `21.0.4 (Temurin)` and is `unknown`; its server was",
            ),
        ] {
            let refused = against.check(&now).expect_err(said);
            assert_eq!(refused.code, Code::Usage);
            let text = refused.text(Lang::En);
            for part in [said, "cannot be run again as it was", "throughput 9,000 /s"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }

    #[test]
    fn an_arm_whose_version_or_jar_has_gone_is_refused_before_anything_is_fetched() {
        let mut record = file(FILE);
        record.arms[1].version = "10.1.0".to_owned();
        let against = baseline_of(&mut file(FILE), "latest", &store(FILE));
        let refused = against.can_be_built(&record.arms[1]).expect_err("it has gone");
        let text = refused.text(Lang::En);
        assert!(
            text.contains("the catalog has no tomcat 10.1.0 any more"),
            "{text}"
        );
        record.arms[0].deployment.war = Some("no/such.war".into());
        let refused = against.can_be_built(&record.arms[0]).expect_err("it has gone");
        let text = refused.text(Lang::En);
        assert!(text.contains("no/such.war is not there any more"), "{text}");
    }
}
