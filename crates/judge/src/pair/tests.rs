//! Tests with the report of a real run.

use super::*;
use model::units::Rate;

/// The report of a real run without its notes and diagnoses, which a pair does not show.
fn sample(change: impl Fn(&mut Report)) -> Report {
    let text = include_str!("report.json");
    let mut printed: serde_json::Value = serde_json::from_str(text).expect("JSON");
    printed["notes"] = serde_json::json!([]);
    for arm in printed["arms"].as_array_mut().expect("arms") {
        arm["diagnoses"] = serde_json::json!([]);
    }
    let mut report: Report = serde_json::from_value(printed).expect("a report");
    change(&mut report);
    report
}

#[test]
fn differing_facts_are_named_and_results_are_no_facts() {
    let one = sample(|_| ());
    let other = sample(|report| {
        report.seed += 1;
        report.fingerprint.insert("kernel".to_owned(), "0.1".to_owned());
        report.fingerprint.remove("cpus");
        report.asked.insert("load/keepalive".to_owned(), "false".to_owned());
        report.design.alpha = 0.05;
        report.design.elapsed = report.design.elapsed * 2.0;
    });
    let compared = pair(&one, &other);
    let names: Vec<&str> = compared.differ.iter().map(|fact| fact.name.as_str()).collect();
    assert_eq!(names, ["asked/load/keepalive", "cpus", "design/alpha", "kernel", "seed"]);
    assert_eq!(compared.differ[1].sides[1], None);
    assert_eq!(compared.differ[3].sides[1].as_deref(), Some("0.1"));
    assert!(compared.alike > 20 && pair(&one, &one).differ.is_empty());
}

#[test]
fn both_runs_share_a_row_though_their_rates_differ() {
    let one = sample(|_| ());
    let other = sample(|report| {
        for level in report.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
            level.load.rate = level.load.rate.map(|rate| Rate(1.1 * rate.0));
        }
        for level in report.comparisons.iter_mut().filter_map(|c| c.level.as_mut()) {
            level.rate = level.rate.map(|rate| Rate(1.1 * rate.0));
        }
    });
    let compared = pair(&one, &other);
    assert_eq!((compared.values.len(), compared.verdicts.len()), (15, 7));
    let whole = |sides: [bool; 2]| sides == [true, true];
    assert!(compared.values.iter().all(|row| whole(row.row.sides.each_ref().map(Option::is_some))));
    assert!(compared.verdicts.iter().all(|row| whole(row.sides.each_ref().map(Option::is_some))));
}

#[test]
fn an_arm_of_only_one_run_has_its_own_row() {
    let one = sample(|_| ());
    let other = sample(|report| {
        report.arms.truncate(1);
        report.arms[0].name = "another".to_owned();
        report.comparisons.clear();
    });
    let compared = pair(&one, &other);
    let alone: Vec<&str> = compared
        .values
        .iter()
        .filter(|row| row.row.sides[0].is_none())
        .map(|row| row.row.key.arm.as_str())
        .collect();
    assert_eq!(alone, ["another"; 8]);
}

#[test]
fn a_run_beside_itself_is_not_compared() {
    let one = sample(|_| ());
    let compared = pair(&one, &one);
    assert_eq!(compared.why_not, [NotComparable::SameRun]);
    assert!(compared.values.iter().all(|row| row.ratio.is_none()));
}

/// A run of another day, after a change.
fn other_run(change: impl Fn(&mut Report)) -> Report {
    sample(|report| {
        report.run = "2026-11-25T00:00:00Z-0000".to_owned();
        change(report);
    })
}

#[test]
fn the_drift_of_the_machine_cancels_against_an_anchor() {
    let one = sample(|_| ());
    // The machine is slower by a third for both arms.
    let slower = other_run(|report| {
        for level in report.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
            for value in level.measures.values_mut() {
                value.value *= 1.5;
            }
        }
    });
    let compared = pair(&one, &slower);
    assert_eq!(compared.anchor.as_ref(), Some(&one.design.baseline));
    assert_eq!(compared.why_not, []);
    let of_loads = compared.values.iter().filter(|row| row.row.key.measure.by_level());
    for row in of_loads {
        let ratio = row.ratio.expect("comparable");
        assert!((ratio.value - 1.5).abs() < 1e-9 && ratio.low.is_none(), "{row:?}");
    }
    assert!(!compared.against_anchor.is_empty());
    for row in &compared.against_anchor {
        let ratio = row.ratio.expect("comparable");
        assert!((ratio.value - 1.0).abs() < 1e-9, "{row:?}");
        assert!(ratio.low < Some(1.0) && ratio.high > Some(1.0), "{row:?}");
    }
}

#[test]
fn a_change_of_an_arm_is_found_against_the_anchor() {
    let one = sample(|_| ());
    let faster = other_run(|report| {
        for comparison in &mut report.comparisons {
            comparison.per_start.iter_mut().for_each(|ratio| *ratio *= 2.0);
        }
    });
    for row in pair(&one, &faster).against_anchor {
        let ratio = row.ratio.expect("comparable");
        assert!((ratio.value - 2.0).abs() < 1e-9 && ratio.low > Some(1.0), "{row:?}");
    }
}

#[test]
fn an_arm_that_changed_is_no_anchor() {
    let one = sample(|_| ());
    let changed = other_run(|report| {
        let fact = format!("arm/{}/jdk", report.design.baseline);
        report.fingerprint.insert(fact, "99".to_owned());
    });
    let compared = pair(&one, &changed);
    assert_eq!(compared.anchor, None);
    assert!(compared.values.iter().any(|row| row.ratio.is_some()));
}

#[test]
fn what_may_not_be_compared_has_its_reason() {
    let one = sample(|_| ());
    let reasons = |change: &dyn Fn(&mut Report)| {
        let compared = pair(&one, &other_run(change));
        let of_measure = |measure: Measure| {
            let mut rows = compared.values.iter();
            let row = rows.find(|row| row.row.key.measure == measure).expect("a row");
            assert_eq!(row.ratio.is_none(), row.why_not.is_some());
            row.why_not
        };
        [Measure::Throughput, Measure::ResponseP99, Measure::StartUp].map(of_measure)
    };
    let fact = |name: &'static str| {
        move |report: &mut Report| {
            report.fingerprint.insert(name.to_owned(), "another".to_owned());
        }
    };
    assert_eq!(reasons(&|_| ()), [None; 3]);
    assert_eq!(reasons(&fact("cpu")), [Some(NotComparable::MachineClass); 3]);
    assert_eq!(reasons(&fact("prony")), [Some(NotComparable::Method); 3]);
    let workload = Some(NotComparable::Workload);
    let request = |report: &mut Report| {
        report.asked.insert("request".to_owned(), "GET /other".to_owned());
    };
    assert_eq!(reasons(&request), [workload, workload, None]);
    let rate = |report: &mut Report| {
        for level in report.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
            level.load.rate = level.load.rate.map(|rate| Rate(1.1 * rate.0));
        }
    };
    assert_eq!(reasons(&rate), [None, Some(NotComparable::Rate), None]);
    let invalid = |report: &mut Report| report.arms[0].levels[0].valid = false;
    assert_eq!(reasons(&invalid), [Some(NotComparable::Invalid), None, None]);
}

#[test]
fn memory_is_not_compared_where_the_numbers_of_users_differ() {
    let more_users = other_run(|report| {
        report.asked.insert("load/connections".to_owned(), "8, 32, 128".to_owned());
    });
    let compared = pair(&sample(|_| ()), &more_users);
    for row in compared.values {
        let is_memory = row.row.key.measure == Measure::PeakMemory;
        assert_eq!(row.why_not, is_memory.then_some(NotComparable::Users));
    }
}
