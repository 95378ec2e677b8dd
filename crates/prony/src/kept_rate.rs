//! The fixed rate belongs to the question: runs at different rates give different answers, so a run uses the rate of the run
//! before it.

use crate::stored_run::host_facts;
use ask::experiment::{Experiment, KeptRate};
use model::machine;
use store::Store;

/// How many stored runs of an experiment are searched, the newest first.
const SEARCHED: u32 = 50;

/// Returns the fixed rate of the newest stored run of the same question and pacing on a machine of this class. The
/// pacing has to be the same: if arms are loaded together, the rate is the rate of each arm, and is less than half of
/// the rate that an arm alone would get. `None` where the experiment gives its rate or has no stage at a fixed rate,
/// where there is no such run, and where that run could not hold its rate on time. Runs that cannot be read, and runs
/// that never came to the stage, are passed over.
pub(crate) fn of_newest_run(experiment: &Experiment, store: &Store) -> Option<KeptRate> {
    of_newest_run_on(experiment, store, &machine::class(&host_facts()))
}

/// Like [`of_newest_run`], for a machine of this class.
fn of_newest_run_on(experiment: &Experiment, store: &Store, class: &str) -> Option<KeptRate> {
    let design = &experiment.design;
    if design.latency_pairs == 0 || design.latency_rate.is_some() {
        return None;
    }
    let runs = store.runs(Some(&experiment.name), SEARCHED).ok()?;
    let ended = runs.into_iter().filter(|run| matches!(run.report, Ok(Some(_))));
    let (run, stage) = ended
        .filter_map(|run| store.record(&run.run).ok().flatten())
        .filter(|record| machine::class(&record.fingerprint) == class)
        .filter(|record| record.experiment.is_same_question(experiment))
        .filter(|record| record.experiment.design.pacing.of_times() == design.pacing.of_times())
        .find_map(|record| {
            let (rounds, _) = store.rounds(&record.run).ok()?;
            Some((record.run, judge::fixed_rate::of_run(&rounds)?))
        })?;
    stage.held.then_some(KeptRate { rate: stage.rate, level: stage.level, run })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available;
    use crate::stored_run::begun;
    use ask::experiment::Pacing;
    use model::units::Rate;
    use record::rounds::{RoundRecord, RunRecord, SliceRecord};
    use std::collections::BTreeMap;

    fn question(connections: u32) -> Experiment {
        let text =
            format!("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nconnections = {connections}\n");
        Experiment::parse(&text, "gate", &available::in_catalog()).expect("a valid file")
    }

    /// Stores a run that ended after one start, which held its rate or did not.
    fn store_run(store: &Store, run: &str, experiment: &Experiment, rate: f64, held: bool) {
        let record = RunRecord {
            interrupted: false,
            ..begun(run, experiment.clone(), 7, BTreeMap::from([("cpus".to_owned(), "2".to_owned())]))
        };
        store.begin(&record, "").expect("begin");
        let round = RoundRecord {
            round: 1,
            stage_void: (!held).then_some(model::reason::Reason::NoValue),
            ..RoundRecord::default()
        };
        let slice = SliceRecord { round: 1, rate: Some(Rate(rate)), ..SliceRecord::default() };
        store.store_slice(run, &slice).expect("a slice");
        store.store_round(run, &round).expect("a round");
        let report = judge::report(&record, &[]);
        store.finish(&record, &report).expect("finish");
    }

    #[test]
    fn the_rate_of_the_newest_run_of_the_question_is_kept_if_it_was_held() {
        let store = Store::in_memory().expect("a store");
        let class = machine::class(&BTreeMap::from([("cpus".to_owned(), "2".to_owned())]));
        let kept = |experiment: &Experiment, class: &str| {
            let kept = of_newest_run_on(experiment, &store, class)?;
            Some((kept.rate.0, kept.run))
        };
        assert_eq!(kept(&question(32), &class), None);
        store_run(&store, "2026-11-20", &question(32), 13_000.0, true);
        store_run(&store, "2026-11-21", &question(32), 19_000.0, true);
        store_run(&store, "2026-11-22", &question(64), 24_000.0, true);
        let newest = Some((19_000.0, "2026-11-21".to_owned()));
        assert_eq!(kept(&question(32), &class), newest);
        assert_eq!(kept(&question(32), "another machine"), None);
        let mut together = question(32);
        together.design.pacing = Pacing::Together;
        assert_eq!(kept(&together, &class), None, "the rate of arms in turn");
        store_run(&store, "2026-11-19", &together, 6_000.0, true);
        assert_eq!(kept(&together, &class), Some((6_000.0, "2026-11-19".to_owned())));
        assert_eq!(kept(&question(32), &class), newest, "a rate of arms together");
        let mut in_turn = question(32);
        in_turn.design.pacing = Pacing::InTurn;
        assert_eq!(kept(&in_turn, &class), newest, "the rate of the first part of a mixed stage");
        let mut given = question(32);
        given.design.latency_rate = Some(Rate(500.0));
        assert_eq!(kept(&given, &class), None);
        store_run(&store, "2026-11-23", &question(32), 29_000.0, false);
        assert_eq!(kept(&question(32), &class), None, "the first start chooses again");
    }
}
