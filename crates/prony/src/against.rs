//! `--against RUN`: an arm of a stored run takes the baseline's place, and is run again beside the others. Its stored
//! figures are of no use for that: they met another noise.

use crate::experiment::{self, Facts};
use crate::failure::Failure;
use model::arm::Arm;
use model::experiment::Experiment;
use model::outcome::Report;
use model::record::RunRecord;
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
    let old = std::mem::replace(&mut experiment.arms[at], then);
    experiment
        .require
        .retain(|asked| asked.arm.as_ref() != Some(&old.name));
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
        Failure::usage(format!(
            "there is no stored run of `{experiment}` to compare with"
        ))
        .hint("run it once without --against; `prony history` lists what there is")
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
        let names: Vec<&str> = stored.arms.iter().map(|arm| arm.name.as_str()).collect();
        let said = match name {
            Some(name) => format!("run {} has no arm `{name}`", record.run),
            None => format!("run {} has several arms to compare with", record.run),
        };
        Failure::usage(said).hint(format!(
            "write --against {}/ARM; its arms: {}",
            record.run,
            names.join(", ")
        ))
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
                return Err(Failure::usage(format!(
                    "the service `{name}` is not what it was in run {}",
                    record.run
                ))
                .hint("give the new one another name"));
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

    /// Whether there is still what it is built from, as far as that can be told before anything is fetched.
    fn can_be_built(&self, arm: &Arm) -> Result<(), Failure> {
        let own = [arm.jar.as_ref().map(|jar| &jar.path), arm.deployment.war.as_ref()];
        let missing = own
            .into_iter()
            .flatten()
            .find(|path: &&std::path::PathBuf| !Path::is_file(path));
        if let Some(path) = missing {
            return Err(self.gone(&format!("{} is not there any more", path.display())));
        }
        let known = experiment::known();
        let of_catalog = arm.foreign.is_none() && arm.jar.is_none();
        let versions = known
            .servers
            .iter()
            .find(|(name, _)| *name == arm.server)
            .map(|(_, versions)| versions);
        match of_catalog && versions.is_none_or(|versions| !versions.contains(&arm.version)) {
            true => Err(self.gone(&format!(
                "the catalog has no {} {} any more",
                arm.server, arm.version
            ))),
            false => Ok(()),
        }
    }

    /// Whether what was built is what ran then.
    pub(crate) fn check(&self, now: &Facts) -> Result<(), Failure> {
        let now = of_arm(now, &self.now);
        let unlike: Vec<String> = self
            .facts
            .iter()
            .filter(|(key, was)| now.get(*key) != Some(*was))
            .map(|(key, was)| {
                let is = now.get(key).map_or("unknown", String::as_str);
                format!("its {key} was `{was}` and is `{is}`")
            })
            .collect();
        match unlike.as_slice() {
            [] => Ok(()),
            unlike => Err(self.gone(&unlike.join("; "))),
        }
    }

    fn gone(&self, why: &str) -> Failure {
        let found = self
            .found
            .as_ref()
            .map_or_else(String::new, |found| format!(" ({found})"));
        Failure::usage(format!("`{}` of run {} cannot be run again as it was: {why}", self.then, self.run)).hint(format!(
            "what was stored then{found} is no baseline: it met the noise of another hour, which differs by more than most \
             changes do; both have to run in turn, so keep what a release is built from under a name of its own"
        ))
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
    report::own_value(arm, measure).map(|value| format!("{} {value}", measure.title()))
}
