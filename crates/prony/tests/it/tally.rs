//! Counts what tests start, for the budget in `crates/testkit/budget.txt`: the counts are the same on every machine, and times are not.

use ask::arm::Arm;
use record::rounds::{RoundRecord, RunRecord};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};
use store::Store;
use testkit::Started;

/// The runs that have been counted: the run of a home may be copied into others.
static COUNTED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
/// When the tests began, as ids of runs begin: runs with earlier ids are made up.
static BEGUN: LazyLock<String> = LazyLock::new(|| jiff::Timestamp::now().strftime("%FT%TZ").to_string());

/// Notes that a test begins.
pub(crate) fn begin() {
    LazyLock::force(&BEGUN);
}

/// Counts the servers and looks of all runs that are stored in a folder, for the file of a test. What was repeated because the machine
/// was busy is not counted.
pub(crate) fn count(test: &str, data: &Path) {
    if !data.join("history.sqlite").exists() {
        return;
    }
    // A test may have broken its history on purpose.
    let Ok(store) = Store::open(data) else { return };
    for stored in store.runs(None, u32::MAX).unwrap_or_default() {
        let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = stored.run >= *BEGUN && counted.insert(stored.run.clone());
        drop(counted);
        if !is_new {
            continue;
        }
        let Ok(Some(record)) = store.record(&stored.run) else {
            continue;
        };
        let mut rounds = store.rounds(&stored.run).map_or(Vec::new(), |(rounds, _)| rounds);
        rounds.extend(store.unfinished_round(&stored.run).ok().flatten());
        count_run(test, &record, &rounds);
    }
}

fn count_run(test: &str, record: &RunRecord, rounds: &[RoundRecord]) {
    let design = &record.experiment.design;
    let counted = rounds.iter().filter(|round| round.void.is_none()).count();
    let rounds = counted.max(usize::from(!rounds.is_empty())) as u64;
    let looked: BTreeSet<usize> = record.inspections.iter().map(|look| look.arm).collect();
    for (index, arm) in record.experiment.arms.iter().enumerate() {
        let looks = u64::from(looked.contains(&index));
        let starts = rounds * u64::from(1 + design.startup_cycles) + looks;
        if let Some(started) = started(arm) {
            testkit::count_started(test, started, starts);
        }
        testkit::count_started(test, Started::Look, looks);
    }
}

/// Lets a command count its calls of Maven. They count for all tests together, because what is built for one is there for the next.
pub(crate) fn count_maven(command: &mut Command) {
    if std::env::var_os("PRONY_COUNTS").is_some() {
        command.env("PRONY_MVN", concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/counted-mvn"));
    }
}

/// What is started for an arm; nothing for a server that runs already.
fn started(arm: &Arm) -> Option<Started> {
    match arm.command {
        Some(_) => Some(Started::Process),
        None => arm.origin.is_none().then_some(Started::Server),
    }
}
