//! Trials that made-up runs suggest, and what becomes of their results.

use super::*;
use crate::testing::{PLAIN, experiment, pools, record, round};
use ask::command::OwnCommand;
use ask::experiment::{Find, Steps};
use ask::jar::OwnJar;
use ask::tunable::GivenBy;
use model::units::Seconds;
use record::finding::{Cause, ClosedBy, Remedy};
use record::note::{ArmNote, Note, Untried};
use record::outcome::Comparison;
use record::rounds::RoundRecord;

/// `ten` has 20 threads for 100 users, and half of the CPU is in use.
fn run() -> (RunRecord, Vec<RoundRecord>) {
    let mut experiment = experiment();
    experiment.load.connections = vec![100];
    experiment.arms[1].port = Some(8080);
    let mut rounds = vec![round(1, &[PLAIN, PLAIN])];
    for slice in rounds[0].slices.iter_mut().filter(|slice| slice.arm == 1) {
        slice.in_flight = Seconds(50.0);
    }
    pools(&mut rounds[0], [200, 20]);
    (record(experiment), rounds)
}

/// The trial that a run suggests.
fn trial_of(record: &RunRecord, rounds: &[RoundRecord]) -> Option<Trial> {
    next_trial(record, &crate::report(record, rounds), &[])
}

/// The names of the arms of a trial.
fn names(trial: &Trial) -> Vec<&str> {
    trial.experiment.arms.iter().map(|arm| arm.name.as_str()).collect()
}

#[test]
fn a_trial_compares_the_arm_with_itself_after_the_suggested_change() {
    let (record, rounds) = run();
    let trial = trial_of(&record, &rounds).expect("one arm has a cause");
    assert_eq!(names(&trial), ["ten", "with threads = 34"]);
    let ports: Vec<Option<u16>> = trial.experiment.arms.iter().map(|arm| arm.port).collect();
    assert_eq!(ports, [Some(8080), None], "only one of them can have it");
    assert_eq!(trial.experiment.load.connections, vec![100]);
    assert_eq!(trial.proofs[0].cause, Cause::ThreadPoolLimit);
    assert_eq!(trial.experiment.explain, Explain::Off, "a trial has no trials");
    let given_up = next_trial(&record, &crate::report(&record, &rounds), &trial.proofs);
    assert_eq!(given_up, None);
}

#[test]
fn a_trial_of_a_search_compares_throughput_at_its_load() {
    let (mut record, rounds) = run();
    record.experiment.design.find = Some(Find::Capacity(Steps::Given));
    let report = crate::report(&record, &rounds);
    let trial = next_trial(&record, &report, &[]).expect("one arm has a cause");
    let design = &trial.experiment.design;
    assert!(design.find.is_none() && design.measures(Measure::Throughput));
}

#[test]
fn a_change_of_the_load_is_not_tried_and_a_note_says_so_where_trials_were_asked_for() {
    let (mut record, mut rounds) = run();
    record.experiment.load.keepalive = false;
    for slice in rounds[0].slices.iter_mut().filter(|slice| slice.arm == 1) {
        slice.in_flight = Seconds(2.0);
        slice.counts.connects = slice.counts.requests;
        slice.counts.tls_handshakes = slice.counts.requests;
    }
    let untried = |record: &RunRecord| {
        let mut notes = crate::report(record, &rounds).notes.into_iter();
        notes.find(|note| matches!(note, Note::Untried(Untried::NoTrial { .. })))
    };
    assert_eq!(untried(&record), None);
    record.experiment.explain = Explain::Prove;
    let expected = Untried::NoTrial {
        arm: "ten".to_owned(),
        cause: Cause::TlsHandshakePerRequest,
        remedy: Remedy::SpareHandshakes { closed_by: ClosedBy::Load },
    };
    assert_eq!(untried(&record), Some(Note::Untried(expected)));
    record.experiment.tune = vec![pool(&["8"])];
    assert_eq!(trial_of(&record, &rounds), None, "the application is not the limit");
}

/// The proof that the run suggests, with these throughputs.
fn proved(record: &RunRecord, rounds: &[RoundRecord], per_start: &[f64]) -> Proof {
    Proof { per_start: per_start.to_vec(), ..trial_of(record, rounds).expect("a trial").proofs.remove(0) }
}

#[test]
fn the_effect_is_filled_into_the_diagnosis_and_not_tried_again() {
    let (mut record, rounds) = run();
    record.proofs.push(proved(&record, &rounds, &[]));
    let in_vain = crate::report(&record, &rounds);
    assert_eq!(in_vain.arms[1].diagnoses[0].proved, None);
    let failed =
        |note: &Note| matches!(note, Note::Arm(ArmNote::TrialFailed { cause: Cause::ThreadPoolLimit, .. }));
    assert!(in_vain.notes.iter().any(failed), "{:?}", in_vain.notes);
    record.proofs[0].per_start = vec![2.0, 2.1, 1.9];
    let report = crate::report(&record, &rounds);
    let proved = report.arms[1].diagnoses[0].proved.expect("a result");
    assert!((proved.value - 2.0).abs() < 0.01, "{proved:?}");
    assert!(proved.low.is_some_and(|low| (1.5..2.0).contains(&low)), "{proved:?}");
    assert!(!report.notes.iter().any(failed), "{:?}", report.notes);
    assert_eq!(trial_of(&record, &rounds), None);
}

#[test]
fn a_diagnosis_that_a_trial_refuted_is_no_longer_the_first() {
    let (mut record, mut rounds) = run();
    // The collector stops `ten` for a tenth of the time, too.
    for slice in rounds[0].slices.iter_mut().filter(|slice| slice.arm == 1) {
        (slice.gc_count, slice.gc_ms) = (Some(5), Some(50.0));
    }
    let causes = |record: &RunRecord| -> Vec<Cause> {
        let report = crate::report(record, &rounds);
        let at_users = |one: &&Diagnosis| one.level.users.is_some();
        let diagnoses = report.arms[1].diagnoses.iter().filter(at_users);
        diagnoses.map(Diagnosis::cause).collect()
    };
    let before = causes(&record);
    assert!(before.len() > 1 && before[0] == Cause::ThreadPoolLimit, "{before:?}");
    record.proofs.push(proved(&record, &rounds, &[1.01, 0.99, 1.0]));
    let after = causes(&record);
    assert_eq!(after.last(), Some(&Cause::ThreadPoolLimit));
    assert_eq!(after.len(), before.len());
    let report = crate::report(&record, &rounds);
    let refuted = report.arms[1].diagnoses.iter().filter(|one| one.is_refuted());
    assert_eq!(refuted.count(), 1);
}

/// A setting of the application with these values.
fn pool(values: &[&str]) -> Tunable {
    Tunable {
        name: "pool.size".to_owned(),
        given_by: GivenBy::Env("POOL".to_owned()),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

#[test]
fn where_the_suggested_change_brings_nothing_the_settings_of_the_file_are_tried() {
    let (mut record, rounds) = run();
    let environment = &mut record.experiment.arms[1].surroundings.environment;
    environment.insert("POOL".to_owned(), "8".to_owned());
    record.experiment.tune = vec![pool(&["8", "16", "32"])];
    record.proofs.push(proved(&record, &rounds, &[1.0, 1.01, 1.0]));
    let trial = trial_of(&record, &rounds).expect("a trial of the setting");
    let expected = ["ten", "with pool.size = 16", "with pool.size = 32"];
    assert_eq!(names(&trial), expected, "it has 8 already");
    assert_eq!(trial.experiment.arms[2].surroundings.environment["POOL"], "32");
    for (mut proof, factor) in trial.proofs.into_iter().zip([1.9, 3.6]) {
        proof.per_start = vec![factor, 1.01 * factor, 0.99 * factor];
        record.proofs.push(proof);
    }
    let report = crate::report(&record, &rounds);
    let note = report.notes.iter().find_map(|note| match note {
        Note::Arm(ArmNote::Tuned { setting, values, .. }) => Some((setting, values)),
        _ => None,
    });
    let (setting, values) = note.expect("a note");
    let found: Vec<(&str, f64)> =
        values.iter().map(|one| (one.value.as_str(), one.throughput.expect("an effect").value)).collect();
    assert_eq!(setting, "pool.size");
    assert!(matches!(found[..], [("16", one), ("32", two)] if one < 2.0 && two > 3.5), "{found:?}");
    assert_eq!(trial_of(&record, &rounds), None, "all values were tried");
}

#[test]
fn the_best_value_becomes_the_change_of_a_diagnosis_that_suggested_none() {
    let (mut record, rounds) = run();
    let mut report = crate::report(&record, &rounds);
    // As in a jar whose pool prony cannot set.
    report.arms[1].diagnoses.truncate(1);
    report.arms[1].diagnoses[0].change.clear();
    record.experiment.explain = Explain::Prove;
    let notes = |record: &RunRecord| without_trial(&record.experiment, &report.arms);
    let told = |notes: Vec<Untried>| matches!(notes[..], [Untried::NothingToTune { .. }]);
    assert!(told(notes(&record)), "how a file names a setting");
    record.experiment.tune = vec![pool(&["8", "16"])];
    assert_eq!(notes(&record), []);
    let trial = next_trial(&record, &report, &[]).expect("a trial of the setting");
    let result = trial.proofs.into_iter().zip([2.0, 1.0]);
    record.proofs.extend(result.map(|(proof, factor)| Proof { per_start: vec![factor; 3], ..proof }));
    fill_in_effects(&mut report.arms, &record);
    let limiter = &report.arms[1].diagnoses[0];
    assert_eq!(limiter.change, [record.experiment.tune[0].change("8")]);
    assert!(limiter.proved.is_some_and(|effect| effect.is_gain()));
    assert_eq!(next_trial(&record, &report, &[]), None);
}

#[test]
fn a_trial_of_several_values_has_a_result_for_each() {
    let (mut record, rounds) = run();
    record.experiment.tune = vec![pool(&["8", "16"])];
    let mut report = crate::report(&record, &rounds);
    report.arms[1].diagnoses[0].change.clear();
    let trial = next_trial(&record, &report, &[]).expect("a trial of the setting");
    let mut tried = report.clone();
    let of_arm = |arm: &str, per_start: [f64; 1]| Comparison {
        arm: arm.to_owned(),
        measure: Measure::Throughput,
        per_start: per_start.into(),
        ..report.comparisons[0].clone()
    };
    tried.run = "R2".to_owned();
    tried.comparisons = vec![of_arm("with pool.size = 8", [1.5]), of_arm("with pool.size = 16", [3.0])];
    let results = trial.results(&tried);
    let found: Vec<(&str, &[f64])> =
        results.iter().map(|proof| (proof.change[0].value.as_str(), proof.per_start.as_slice())).collect();
    assert_eq!(found, [("8", [1.5].as_slice()), ("16", [3.0].as_slice())]);
    assert!(results.iter().all(|proof| proof.run == "R2"));
}

#[test]
fn what_prony_cannot_set_in_a_server_is_no_change() {
    let (record, rounds) = run();
    let plain = crate::report(&record, &rounds).arms;
    assert_eq!(plain[1].diagnoses[0].change[0].key, "threads");
    let changes = |arm: Arm, server: Option<&str>| {
        let mut experiment = record.experiment.clone();
        experiment.arms[1] = arm;
        let mut arms = plain.clone();
        arms[1].effective.server = server.map(str::to_owned);
        drop_impossible_changes(&mut arms, &experiment);
        arms[1].diagnoses[0].change.len()
    };
    let jar =
        Arm { server: "jar".to_owned(), jar: Some(OwnJar::default()), ..record.experiment.arms[1].clone() };
    let command = Arm {
        server: "command".to_owned(),
        command: Some(OwnCommand::default()),
        ..record.experiment.arms[1].clone()
    };
    assert_eq!(changes(record.experiment.arms[1].clone(), None), 1);
    assert_eq!(changes(jar.clone(), Some("Tomcat/11.0.15 in Spring Boot 4.0.1")), 1);
    assert_eq!(changes(jar, Some("Tomcat/10.1.29")), 0, "a server in a plain jar");
    assert_eq!(changes(command, None), 0);
}
