//! Stored runs, found by their ids, and what is known of the machine and the arms of a run.

use crate::failure::Failure;
use ask::experiment::Experiment;
use model::foreign::{ForeignRun, ForeignSeries, series_of};
use model::machine::GeneratorPriority;
use model::units::Seconds;
use probe::host;
use record::rounds::RunRecord;
use record::series::Series;
use say::Say;
use std::collections::BTreeMap;
use store::{Store, StoredRun};

/// The facts by which two runs are told apart, by name: kernel, CPU, and of each arm its JDK and server.
pub(crate) type Fingerprint = BTreeMap<String, String>;

/// How the names of the facts of an arm begin; the arm's name follows, then a slash and the fact.
pub(crate) const ARM_FACTS: &str = "arm/";

/// Why a stored run is of no use.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum StoredComplaint {
    /// No run has that id, or begins so.
    #[say(
        en = "no stored run is called `{run}`",
        zh = "没有名为 `{run}` 的运行记录",
        hint(en = "`prony history` lists them", zh = "`prony history` 列出所有运行")
    )]
    Unknown {
        /// What was asked for.
        run: String,
    },
    /// A single load has no experiment.
    #[say(
        en = "run {run} is a single load, which has no experiment",
        zh = "运行 {run} 是单次压测，没有实验",
        hint(en = "`prony report` shows its figures", zh = "可用 `prony report` 查看其数据")
    )]
    SingleLoad { run: String },
    /// It came from a team's store, without its secrets.
    #[say(
        en = "run {run} came from a team's store, which keeps no secrets and no sessions",
        zh = "运行 {run} 来自团队存储，其中不保存密钥与会话内容",
        hint(en = "run its experiment file again", zh = "请重新运行其实验文件")
    )]
    WithoutSecrets { run: String },
}

/// A fact that has changed since a run was stored. `None` where it was or is not known.
#[derive(Debug, Say)]
#[say(
    en = "{fact} was `{was?{}|absent}` and is `{is?{}|absent}`",
    zh = "{fact} 当时{was?为 `{}`|未知}，现在{is?为 `{}`|未知}"
)]
pub(crate) struct Difference {
    /// The name of the fact.
    pub(crate) fact: String,
    /// What it was.
    pub(crate) was: Option<String>,
    /// What it is now.
    pub(crate) is: Option<String>,
}

/// Returns the facts of this machine and of this prony.
pub(crate) fn host_facts() -> Fingerprint {
    let mut facts = probe::host::fingerprint();
    facts.insert("prony".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let priority = generator_priority().to_string();
    facts.insert(GeneratorPriority::FACT.to_owned(), priority);
    facts
}

/// Returns the priority that this system gives the generator.
pub(crate) fn generator_priority() -> GeneratorPriority {
    let real_time = probe::process::real_time_priority();
    let tried = || load::generator_priority(host::bounds_real_time());
    real_time.map_or_else(tried, |priority| GeneratorPriority::RealTime { priority })
}

/// Returns the record of a run that begins.
pub(crate) fn begun(run: &str, experiment: Experiment, seed: u64, fingerprint: Fingerprint) -> RunRecord {
    RunRecord {
        run: run.to_owned(),
        experiment,
        seed,
        fingerprint,
        repeat: String::new(),
        calibration: None,
        elapsed: Seconds::ZERO,
        interrupted: true,
        continued_at: Vec::new(),
        left_out: Vec::new(),
        proofs: Vec::new(),
        inspections: Vec::new(),
        load_machines: Vec::new(),
        cpu_profiles: Vec::new(),
    }
}

/// Returns the facts of one arm, by their names without the arm's.
pub(crate) fn arm_facts(facts: &Fingerprint, arm: &str) -> Fingerprint {
    let prefix = format!("{ARM_FACTS}{arm}/");
    let of_arm =
        facts.iter().filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?.to_owned(), value.clone())));
    of_arm.collect()
}

/// Finds a stored run by its id, the beginning of its id, or `latest`.
pub(crate) fn find(store: &Store, run: &str) -> Result<StoredRun, Failure> {
    let found = store.find(run).map_err(|error| match error {
        store::Error::Ambiguous { .. } => Failure::usage(error),
        error => error.into(),
    })?;
    found.ok_or_else(|| Failure::usage(StoredComplaint::Unknown { run: run.to_owned() }))
}

/// Finds the record of a stored run. Fails for a load of a URL, which has none.
pub(crate) fn find_record(store: &Store, run: &str) -> Result<RunRecord, Failure> {
    let entry = find(store, run)?;
    store.record(&entry.run)?.ok_or_else(|| Failure::usage(StoredComplaint::SingleLoad { run: entry.run }))
}

/// Computes what plots show beyond the report of a run. It is empty for a load of a URL.
pub(crate) fn series(store: &Store, run: &str) -> Result<Series, store::Error> {
    let Some(record) = store.record(run)? else {
        return Ok(Series::default());
    };
    Ok(judge::series(&record, &store.rounds(run)?.0))
}

/// The series of other tools beside an experiment.
pub(crate) fn foreign_series(store: &Store, experiment: &str) -> Result<Vec<ForeignSeries>, store::Error> {
    let runs = store.foreign(Some(experiment))?;
    let runs: Vec<ForeignRun> = runs.into_iter().map(|(_, run)| run).collect();
    Ok(series_of(&runs))
}
