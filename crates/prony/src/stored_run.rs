//! Stored runs, found by their ids, and what is known of the machine and the arms of a run.

use crate::failure::{Code, Failure};
use crate::say::complaint::StoredComplaint;
use model::foreign::{ForeignRun, ForeignSeries, series_of};
use model::machine::GeneratorPriority;
use model::record::RunRecord;
use model::series::Series;
use probe::host;
use std::collections::BTreeMap;
use store::{Store, StoredRun};

/// The facts by which two runs are told apart, by name: kernel, CPU, and of each arm its JDK and server.
pub(crate) type Fingerprint = BTreeMap<String, String>;

/// How the names of the facts of an arm begin; the arm's name follows, then a slash and the fact.
pub(crate) const ARM_FACTS: &str = "arm/";

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
        store::Error::Ambiguous { .. } => Failure::new(Code::Usage, error),
        error => error.into(),
    })?;
    found.ok_or_else(|| Failure::usage(StoredComplaint::Unknown { run: run.to_owned() }))
}

/// Finds the record of a stored run. Fails for a load of a URL, which has none.
pub(crate) fn find_record(store: &Store, run: &str) -> Result<RunRecord, Failure> {
    let entry = find(store, run)?;
    store.record(&entry.run)?.ok_or_else(|| Failure::usage(StoredComplaint::WithoutDesign { run: entry.run }))
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
