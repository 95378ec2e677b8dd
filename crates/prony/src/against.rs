//! `--against RUN`: an arm of a stored run becomes the baseline and is run again, in turn with the other arms. Its stored figures
//! cannot be compared with new ones, because they were measured under other noise.

use crate::available;
use crate::builds;
use crate::failure::Failure;
use crate::stored_run::{self, Difference, Fingerprint, StoredComplaint, arm_facts};
use ask::arm::Arm;
use ask::experiment::Experiment;
use ask::experiment::Headline;
use model::secret;
use record::outcome::Report;
use record::rounds::RunRecord;
use say::Say;
use std::path::{Path, PathBuf};
use store::Store;

/// A baseline that comes from a stored run.
#[derive(Debug)]
pub(crate) struct StoredBaseline {
    /// The id of the stored run.
    run: String,
    /// The name of the arm in the stored run.
    stored_name: String,
    /// The name of the arm in the new run.
    name: String,
    /// The facts of the arm in the stored run.
    facts: Fingerprint,
    /// The headline measure of the arm in the stored run, in words.
    headline: Option<String>,
}

/// Why no arm of a stored run becomes the baseline.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum AgainstComplaint {
    /// There is no run to take a baseline from.
    #[say(
        en = "there is no stored run of `{experiment}` to compare with",
        zh = "没有可用来对比的 `{experiment}` 的运行记录",
        hint(
            en = "run it once without --against; `prony history` lists what there is",
            zh = "请先不带 --against 运行一次；`prony history` 列出已有的运行"
        )
    )]
    NoneOf { experiment: String },
    /// The run has no arm of that name.
    #[say(
        en = "run {run} has no arm `{arm}`",
        zh = "运行 {run} 中没有对象 `{arm}`",
        hint(
            en = "write --against {run}/ARM; its arms: {arms:commas}",
            zh = "请写 --against {run}/对象；其中的对象有：{arms:commas}"
        )
    )]
    NoArm {
        run: String,
        /// What was asked for.
        arm: String,
        /// The arms that the run has.
        arms: Vec<String>,
    },
    /// The run has several arms, and none was named.
    #[say(
        en = "run {run} has several arms to compare with",
        zh = "运行 {run} 中有多个可用来对比的对象",
        hint(
            en = "write --against {run}/ARM; its arms: {arms:commas}",
            zh = "请写 --against {run}/对象；其中的对象有：{arms:commas}"
        )
    )]
    SeveralArms {
        run: String,
        /// The arms that the run has.
        arms: Vec<String>,
    },
    /// A service of the stored arm has another meaning in this experiment.
    #[say(
        en = "the service `{service}` is not what it was in run {run}",
        zh = "服务 `{service}` 与运行 {run} 中的不同",
        hint(en = "give the new one another name", zh = "请为新的服务另取一个名称")
    )]
    OtherService { service: String, run: String },
    /// An arm of the run cannot be built and run again as it was.
    #[say(
        en = "`{arm}` of run {run} cannot be run again as it was: {why}",
        zh = "运行 {run} 中的 `{arm}` 无法按原样再次运行：{why}",
        hint(
            en = "what was stored then{measured? ({})} is no baseline: it met the noise of another hour, \
                  which differs by more than most changes do; both have to run in turn, so keep what a \
                  release is built from under a name of its own",
            zh = "当时保存的结果{measured?（{}）}不能作为基线：它所处的噪声属于另一时刻，\
                  其差别大于多数改动的影响；两者必须轮流运行，\
                  因此请将构建某一版本所用的文件以单独的名称保留"
        )
    )]
    CannotRepeat {
        arm: String,
        run: String,
        /// Why not.
        why: Gone,
        /// What was measured of it then: `throughput 21034/s`.
        measured: Option<String>,
    },
}

/// Why an arm cannot be run again as it was.
#[derive(Debug, Say)]
pub(crate) enum Gone {
    /// The file that it was built from is not there any more.
    #[say(en = "{0} is not there any more", zh = "{0} 已不存在")]
    File(PathBuf),
    /// The catalog does not have the release any more.
    #[say(en = "the catalog has no {server} {version} any more", zh = "目录中已没有 {server} {version}")]
    Release { server: String, version: String },
    /// What was built now is not what ran then.
    #[say(
        en = "{changes:semicolons}",
        zh = "{changes:semicolons}",
        changes = _0.iter().map(Changed::of).collect::<Vec<_>>()
    )]
    Changed(Vec<Difference>),
}

/// A change of what an arm was built from.
#[derive(Say)]
#[say(
    en = "its {fact} was `{was?{}|unknown}` and is `{is?{}|unknown}`",
    zh = "{fact} 当时{was?为 `{}`|未知}，现在{is?为 `{}`|未知}"
)]
struct Changed<'a> {
    fact: &'a str,
    was: Option<&'a str>,
    is: Option<&'a str>,
}

impl<'a> Changed<'a> {
    fn of(difference: &'a Difference) -> Self {
        Self { fact: &difference.fact, was: difference.was.as_deref(), is: difference.is.as_deref() }
    }
}

/// Replaces the baseline of an experiment by an arm of a stored run. `wanted` is `RUN` or `RUN/ARM`; as `RUN`, `latest` means the
/// newest run of this experiment.
pub(crate) fn set_baseline(
    experiment: &mut Experiment,
    wanted: &str,
    store: &Store,
) -> Result<StoredBaseline, Failure> {
    let (run, arm) = wanted.split_once('/').map_or((wanted, None), |(run, arm)| (run, Some(arm)));
    let run = match run {
        "latest" => newest_run(&experiment.name, store)?,
        run => stored_run::find(store, run)?.run,
    };
    let record = stored_run::find_record(store, &run)?;
    if record.experiment.lacks_secrets() {
        return Err(Failure::usage(StoredComplaint::WithoutSecrets { run }));
    }
    let arm = choose_arm(experiment, &record, arm)?.clone();
    let stored = StoredBaseline::new(&record, &arm, store)?;
    stored.check_sources(&arm)?;
    let baseline = experiment.design.baseline;
    // Requirements name arms. They stay as they are and apply to the arm that has the name now; the report tells when no arm
    // has it any more.
    experiment.arms[baseline] = arm;
    let is_name_taken = experiment
        .arms
        .iter()
        .enumerate()
        .any(|(index, arm)| index != baseline && arm.name == stored.stored_name);
    let name = match is_name_taken {
        // The last digits of the id distinguish runs of one day.
        true => format!("{}@{}", stored.stored_name, run.rsplit('-').next().unwrap_or_default()),
        false => stored.stored_name.clone(),
    };
    experiment.arms[baseline].name.clone_from(&name);
    add_services(experiment, &record)?;
    Ok(StoredBaseline { name, ..stored })
}

fn newest_run(experiment: &str, store: &Store) -> Result<String, Failure> {
    let newest = store.runs(Some(experiment), 1)?.pop();
    newest
        .map(|entry| entry.run)
        .ok_or_else(|| Failure::usage(AgainstComplaint::NoneOf { experiment: experiment.to_owned() }))
}

/// Returns the stored arm that is wanted. Without a name, it is the one with the same name as the only arm of the experiment that is
/// not its baseline, or else the only stored arm that is not the baseline.
fn choose_arm<'a>(
    experiment: &Experiment,
    record: &'a RunRecord,
    wanted: Option<&str>,
) -> Result<&'a Arm, Failure> {
    let stored = &record.experiment;
    let compared = |experiment: &Experiment| -> Vec<String> {
        let arms = experiment.arms.iter().enumerate();
        let others = arms.filter(|(index, _)| *index != experiment.design.baseline);
        others.map(|(_, arm)| arm.name.clone()).collect()
    };
    let guessed = || match (compared(experiment).as_slice(), compared(stored).as_slice()) {
        ([name], names) if names.contains(name) => Some(name.clone()),
        (_, [only]) => Some(only.clone()),
        _ => None,
    };
    let name = wanted.map(str::to_owned).or_else(guessed);
    let arm = stored.arms.iter().find(|arm| Some(&arm.name) == name.as_ref());
    arm.ok_or_else(|| {
        let arms = stored.arms.iter().map(|arm| arm.name.clone()).collect();
        let run = record.run.clone();
        Failure::usage(match name {
            Some(arm) => AgainstComplaint::NoArm { run, arm, arms },
            None => AgainstComplaint::SeveralArms { run, arms },
        })
    })
}

/// Adds the services that the new baseline needs, as the stored run describes them.
fn add_services(experiment: &mut Experiment, record: &RunRecord) -> Result<(), Failure> {
    let arm = &experiment.arms[experiment.design.baseline];
    for name in arm.surroundings.services.clone() {
        let stored = record.experiment.services.iter().find(|service| service.name == name);
        let present = experiment.services.iter().find(|service| service.name == name);
        match (present, stored) {
            (None, Some(stored)) => experiment.services.push(stored.clone()),
            (Some(present), Some(stored)) if present != stored => {
                return Err(Failure::usage(AgainstComplaint::OtherService {
                    service: name,
                    run: record.run.clone(),
                }));
            }
            _ => {}
        }
    }
    Ok(())
}

impl StoredBaseline {
    fn new(record: &RunRecord, arm: &Arm, store: &Store) -> Result<Self, Failure> {
        let report = stored_run::find(store, &record.run)?.report?;
        Ok(Self {
            run: record.run.clone(),
            stored_name: arm.name.clone(),
            name: arm.name.clone(),
            facts: arm_facts(&record.fingerprint, &arm.name),
            headline: report.and_then(|report| headline(&report, &arm.name)),
        })
    }

    /// Returns the stored run and its arm in the form that `--against` takes.
    pub(crate) fn run_and_arm(&self) -> String {
        format!("{}/{}", self.run, self.stored_name)
    }

    /// Fails if the arm cannot be built again because its file or its release has gone. More cannot be known before anything is
    /// fetched.
    fn check_sources(&self, arm: &Arm) -> Result<(), Failure> {
        let files = [arm.jar.as_ref().map(|jar| &jar.path), arm.deployment.war.as_ref()];
        let missing = files.into_iter().flatten().find(|path: &&PathBuf| !Path::is_file(path));
        if let Some(path) = missing.filter(|_| !builds::can_be_restored(arm)) {
            return Err(self.complaint(Gone::File(path.clone())));
        }
        let known = available::in_catalog();
        let is_from_catalog = arm.command.is_none() && arm.image.is_none() && arm.jar.is_none();
        match is_from_catalog && !known.has_version(&arm.server, &arm.version) {
            true => {
                Err(self
                    .complaint(Gone::Release { server: arm.server.clone(), version: arm.version.clone() }))
            }
            false => Ok(()),
        }
    }

    /// Fails if the arm as it was built now differs from the arm that ran in the stored run.
    pub(crate) fn check(&self, now: &Fingerprint) -> Result<(), Failure> {
        let now = arm_facts(now, &self.name);
        let changed: Vec<Difference> = self
            .facts
            .iter()
            .map(|(key, was)| (key, secret::redacted(key, was)))
            .filter(|(key, was)| now.get(*key) != Some(was))
            .map(|(key, was)| Difference { fact: key.clone(), is: now.get(key).cloned(), was: Some(was) })
            .collect();
        match changed.is_empty() {
            true => Ok(()),
            false => Err(self.complaint(Gone::Changed(changed))),
        }
    }

    fn complaint(&self, why: Gone) -> Failure {
        Failure::usage(AgainstComplaint::CannotRepeat {
            arm: self.stored_name.clone(),
            run: self.run.clone(),
            why,
            measured: self.headline.clone(),
        })
    }
}

/// Returns the headline measure of an arm, or the first of several, with its value, in English.
fn headline(report: &Report, arm: &str) -> Option<String> {
    let design = &report.design;
    let one = design.headline.and_then(Headline::one);
    let measure = design.headline_measures.first().copied().or(one)?;
    let arm = report.arms.iter().find(|result| result.name == arm)?;
    report::measured_value(arm, measure).map(|value| format!("{} {value}", measure.title()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use say::Language;

    const RUN: &str = "2026-11-21T03:40:12Z-7f3a";

    /// A store that holds one run, of an experiment file with these arms.
    fn store(arms: &str) -> Store {
        let record = stored_run::begun(RUN, file(arms), 7, Fingerprint::new());
        let store = Store::in_memory().expect("a store");
        store.begin(&record, "").expect("a run");
        store
    }

    fn file(text: &str) -> Experiment {
        Experiment::parse(text, "gate", &available::in_catalog()).expect("a valid file")
    }

    /// The file of the guide, with a requirement that names the baseline.
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
            assert_eq!(against.run_and_arm(), format!("{RUN}/{wanted}"));
            // When no arm is called `main` any more, the report tells that nothing was judged.
            assert_eq!(experiment.require, file(FILE).require, "{wanted}");
            let named = experiment.require.iter().filter_map(|requirement| requirement.arm.as_deref());
            assert_eq!(named.collect::<Vec<_>>(), ["main"]);
        }
    }

    fn baseline_of(experiment: &mut Experiment, wanted: &str, store: &Store) -> StoredBaseline {
        set_baseline(experiment, wanted, store).expect("it can be built")
    }

    #[test]
    fn latest_is_the_run_that_it_was_when_it_was_asked_for() {
        let against = baseline_of(&mut file(FILE), "latest", &store(FILE));
        assert_eq!(against.run_and_arm(), format!("{RUN}/change"));
    }

    #[test]
    fn an_arm_that_was_built_from_something_else_is_refused() {
        let facts = |jdk: &str, server: &str| {
            let of_arm = |key: &str, value: &str| (format!("arm/change/{key}"), value.to_owned());
            Fingerprint::from([
                of_arm("jdk", jdk),
                of_arm("server", server),
                ("arm/main/jdk".to_owned(), "8".to_owned()),
            ])
        };
        let then = facts("21.0.4 (Temurin)", "tomcat:10.1.29, SHA-512 ab");
        let against = StoredBaseline {
            run: RUN.to_owned(),
            stored_name: "change".to_owned(),
            name: "change".to_owned(),
            facts: arm_facts(&then, "change"),
            headline: Some("throughput 9,000 /s".to_owned()),
        };
        assert!(against.check(&then).is_ok());
        for (now, message) in [
            (
                facts("21.0.5 (Temurin)", "tomcat:10.1.29, SHA-512 ab"),
                "its jdk was `21.0.4 (Temurin)` and is `21.0.5 (Temurin)`",
            ),
            (
                facts("21.0.4 (Temurin)", "tomcat:10.1.29, SHA-512 cd"),
                "its server was `tomcat:10.1.29, SHA-512 ab` and is `tomcat:10.1.29, SHA-512 cd`",
            ),
            (Fingerprint::new(), "its jdk was `21.0.4 (Temurin)` and is `unknown`; its server was"),
        ] {
            let refused = against.check(&now).expect_err(message);
            assert_eq!(refused.code, Code::Usage);
            let text = refused.text(Language::En);
            for part in [message, "cannot be run again as it was", "throughput 9,000 /s"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }

    #[test]
    fn an_arm_whose_version_or_jar_has_gone_is_refused_before_anything_is_fetched() {
        let mut record = file(FILE);
        record.arms[1].version = "6.0.1".to_owned();
        let against = baseline_of(&mut file(FILE), "latest", &store(FILE));
        let refused = against.check_sources(&record.arms[1]).expect_err("it has gone");
        let text = refused.text(Language::En);
        assert!(text.contains("the catalog has no tomcat 6.0.1 any more"), "{text}");
        record.arms[0].deployment.war = Some("no/such.war".into());
        let refused = against.check_sources(&record.arms[0]).expect_err("it has gone");
        let text = refused.text(Language::En);
        assert!(text.contains("no/such.war is not there any more"), "{text}");
    }
}
