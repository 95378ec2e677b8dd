//! How much starts usually differ on machines of this class is learnt from stored runs, whatever they measured.

use crate::stored_run::host_facts;
use ask::experiment::LearntPrior;
use model::machine;
use record::outcome::Report;
use store::Store;

/// How many stored runs are searched, the newest first.
const SEARCHED: u32 = 200;

/// What the newest stored runs on machines of this class have shown of how starts differ; empty where they are too few, or show the usual.
/// Runs that cannot be read are passed over.
pub(crate) fn of_stored_runs(store: &Store) -> Vec<LearntPrior> {
    of_runs_on(store, &machine::class(&host_facts()))
}

/// Like [`of_stored_runs`], for a machine of this class.
fn of_runs_on(store: &Store, class: &str) -> Vec<LearntPrior> {
    let runs = store.runs(None, SEARCHED).unwrap_or_default().into_iter();
    let reports = runs.filter_map(|run| run.report.ok().flatten());
    let of_class: Vec<Report> =
        reports.filter(|report| machine::class(&report.fingerprint) == class).collect();
    judge::learnt_priors(of_class.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available;
    use crate::stored_run::begun;
    use ask::experiment::Experiment;
    use model::measure::Measure;
    use record::outcome::StartSpread;
    use record::rounds::RunRecord;
    use std::collections::BTreeMap;

    /// Stores a run on a machine with so many CPUs whose starts differ much in throughput.
    fn store_run(store: &Store, number: usize, cpus: &str) {
        let text = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";
        let experiment = Experiment::parse(text, "gate", &available::in_catalog()).expect("a valid file");
        let record = RunRecord {
            interrupted: false,
            ..begun(
                &format!("2026-11-{number:02}"),
                experiment,
                7,
                BTreeMap::from([("cpus".to_owned(), cpus.to_owned())]),
            )
        };
        let mut report = judge::report(&record, &[]);
        for comparison in &mut report.comparisons {
            comparison.spread = (comparison.measure == Measure::Throughput).then_some(StartSpread {
                variance: 1e-3 * (1.0 + 0.1 * (number % 7) as f64),
                within: 1e-4,
                starts: 7,
            });
        }
        store.begin(&record, "").expect("begin");
        store.finish(&record, &report).expect("finish");
    }

    #[test]
    fn thirty_runs_of_the_class_are_needed() {
        let store = Store::in_memory().expect("a store");
        let class = machine::class(&BTreeMap::from([("cpus".to_owned(), "2".to_owned())]));
        for number in 1..30 {
            store_run(&store, number, "2");
        }
        store_run(&store, 30, "4");
        assert_eq!(of_runs_on(&store, &class), []);
        store_run(&store, 31, "2");
        let [learnt] = of_runs_on(&store, &class).try_into().expect("one measure");
        assert_eq!((learnt.measure, learnt.runs), (Measure::Throughput, 30));
        assert!((0.03..0.04).contains(&learnt.deviation), "{learnt:?}");
        assert_eq!(of_runs_on(&store, "another machine"), []);
    }
}
