//! Trial runs that test a diagnosis: the arm is compared with itself after the change that its first diagnosis suggests, in a
//! few fresh starts of each.

use model::arm::Arm;
use model::experiment::{Experiment, Explain, Headline};
use model::measure::Measure;
use model::note::ArmNote;
use model::outcome::{ArmResult, Diagnosis, Estimate, Load, Report};
use model::question::Question;
use model::record::{Proof, RunRecord};
use model::units::Nanos;
use stats::summary::estimate;

/// Fresh starts of each of the two arms. Three are enough for an interval, and the effect of removing a limit is seen in one.
pub const STARTS: usize = 3;
/// Pairs of slices in each start, at most.
const PAIRS: u32 = 4;
/// Time budget of a trial: no start begins that would end later.
const BUDGET: Nanos = Nanos::from_secs(600);
/// The smallest cap of starts that a design can have.
const LEAST_CAP: u32 = 5;

/// A trial of the change that a diagnosis suggests.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The experiment: the arm as it is against the arm with the change.
    pub experiment: Experiment,
    /// Which diagnosis and change are tested; its results are filled in later.
    pub proof: Proof,
}

/// The trials that a run suggests: for each arm its first diagnosis that suggests a change, at the highest load at which it is
/// the first diagnosis. Trials that have been run are left out.
pub fn trials(record: &RunRecord, report: &Report) -> Vec<Trial> {
    let arms = record.experiment.arms.iter().zip(&report.arms);
    let tried = |trial: &Trial| {
        record
            .proofs
            .iter()
            .any(|proof| proof.is_same_trial(&trial.proof))
    };
    arms.filter_map(|(arm, result)| trial(&record.experiment, arm, result))
        .filter(|trial| !tried(trial))
        .collect()
}

/// Notes for arms whose diagnosis suggests nothing that a trial could change: the two arms of a trial meet one load, so a
/// change of the load would not be a comparison of the two.
pub(crate) fn without_trial(experiment: &Experiment, arms: &[ArmResult]) -> Vec<ArmNote> {
    let untried = |arm: &ArmResult| {
        let all: Vec<&Diagnosis> = limiters(arm).collect();
        let at_most_users = all
            .first()
            .filter(|_| all.iter().all(|one| one.change.is_empty()))?;
        Some(ArmNote::NoTrial {
            arm: arm.name.clone(),
            cause: at_most_users.cause(),
            remedy: at_most_users.remedy.clone(),
        })
    };
    let asked = experiment.explain == Explain::Prove;
    arms.iter().filter(|_| asked).filter_map(untried).collect()
}

/// Notes for trials in which no start counted.
pub(crate) fn failed_trials(proofs: &[Proof]) -> impl Iterator<Item = ArmNote> {
    let failed = proofs.iter().filter(|proof| proof.per_start.is_empty());
    failed.map(|proof| ArmNote::TrialFailed {
        arm: proof.arm.clone(),
        cause: proof.cause,
        run: proof.run.clone(),
    })
}

/// The first diagnosis of an arm at each level of the closed loop, the most users first, without those that are expected.
fn limiters(result: &ArmResult) -> impl Iterator<Item = &Diagnosis> {
    let levels = result
        .levels
        .iter()
        .rev()
        .filter(|level| level.load.users.is_some());
    let first = |load: &Load| result.diagnoses.iter().find(|one| one.level == *load);
    levels
        .filter_map(move |level| first(&level.load))
        .filter(|one| !one.expected)
}

/// The trial of an arm; `None` where no diagnosis suggests a change.
fn trial(experiment: &Experiment, arm: &Arm, result: &ArmResult) -> Option<Trial> {
    let diagnosis = limiters(result).find(|one| !one.change.is_empty())?;
    let with = diagnosis.change.iter();
    let with: Vec<String> = with
        .map(|change| format!("{} = {}", change.key, change.value))
        .collect();
    let mut changed = arm.with(&diagnosis.change)?;
    changed.name = format!("with {}", with.join(", "));
    // Only one of the two servers can listen on a fixed port.
    changed.port = None;
    let mut tried = Experiment {
        name: format!("{} (prove)", experiment.name),
        question: Question::both(
            format!("Does {} get more throughput {}?", arm.name, changed.name),
            format!("改为 {} 后，{} 的吞吐量会提高吗？", with.join("、"), arm.name),
        ),
        arms: vec![arm.clone(), changed],
        explain: Explain::Off,
        reference: None,
        require: Vec::new(),
        ..experiment.clone()
    };
    tried.load.connections = vec![diagnosis.level.users? as usize];
    let design = &mut tried.design;
    (design.baseline, design.headline, design.gate) = (0, Headline::One(Measure::Throughput), None);
    (design.aa, design.latency_pairs, design.seed) = (false, 0, None);
    (design.starts, design.tune_starts) = (Some(LEAST_CAP), false);
    design.budget = Some(BUDGET);
    (design.pairs, design.tune) = (design.pairs.min(PAIRS), false);
    Some(Trial {
        experiment: tried,
        proof: Proof {
            arm: arm.name.clone(),
            level: diagnosis.level.clone(),
            cause: diagnosis.cause(),
            change: diagnosis.change.clone(),
            run: String::new(),
            per_start: Vec::new(),
        },
    })
}

/// Throughput with the change as a multiple of throughput without it, in each start of the trial that gave this report.
pub fn per_start(report: &Report) -> Vec<f64> {
    let mut comparisons = report.comparisons.iter();
    let throughput = comparisons.find(|comparison| comparison.measure == Measure::Throughput.id());
    throughput.map_or_else(Vec::new, |comparison| comparison.per_start.clone())
}

/// Fills the effects that trials measured into the diagnoses that suggested them.
pub(crate) fn fill_in_effects(arms: &mut [ArmResult], proofs: &[Proof]) {
    for proof in proofs {
        let arm = arms.iter_mut().find(|arm| arm.name == proof.arm);
        let mut diagnoses = arm.into_iter().flat_map(|arm| &mut arm.diagnoses);
        let tested = diagnoses
            .find(|one| one.level == proof.level && one.cause() == proof.cause && one.change == proof.change);
        if let Some(diagnosis) = tested {
            diagnosis.proved = effect(&proof.per_start);
        }
    }
}

/// The geometric mean of the ratios over the starts, with a 95 % t interval. It is a description and no verdict, because the
/// effect was looked for only after the diagnosis had suggested it.
fn effect(per_start: &[f64]) -> Option<Estimate> {
    let logs: Vec<f64> = per_start.iter().map(|ratio| ratio.ln()).collect();
    let mean = estimate(&logs, 0.95)?.exp();
    Some(Estimate {
        value: mean.value,
        low: mean.interval.map(|ends| ends.low),
        high: mean.interval.map(|ends| ends.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, pools, record, round};
    use model::finding::{Cause, ClosedBy, Remedy};
    use model::note::Note;
    use model::record::{RoundRecord, RunRecord};

    /// `ten` has 20 threads for 100 users.
    fn run() -> (RunRecord, Vec<RoundRecord>) {
        let mut experiment = experiment();
        experiment.load.connections = vec![100];
        experiment.arms[1].port = Some(8080);
        let mut rounds = vec![round(1, &[PLAIN, PLAIN])];
        for slice in rounds[0].slices.iter_mut().filter(|slice| slice.arm == 1) {
            slice.in_flight = 50.0;
        }
        pools(&mut rounds[0], [200, 20]);
        (record(experiment), rounds)
    }

    #[test]
    fn a_trial_compares_the_arm_with_itself_after_the_suggested_change() {
        let (record, rounds) = run();
        let report = crate::report(&record, &rounds);
        let [trial] = trials(&record, &report).try_into().expect("one arm has a cause");
        let [plain, changed] = trial.experiment.arms.as_slice() else {
            panic!("two arms")
        };
        assert_eq!(
            (plain.name.as_str(), changed.name.as_str()),
            ("ten", "with threads = 110")
        );
        assert_eq!(
            (changed.port, trial.experiment.load.connections),
            (None, vec![100])
        );
        assert_eq!(trial.proof.cause, Cause::ThreadPoolLimit);
        assert_eq!(trial.experiment.explain, Explain::Off, "a trial has no trials");
    }

    #[test]
    fn a_change_of_the_load_is_not_tried_and_a_note_says_so_where_trials_were_asked_for() {
        let (mut record, mut rounds) = run();
        record.experiment.load.keepalive = false;
        for slice in rounds[0].slices.iter_mut().filter(|slice| slice.arm == 1) {
            slice.in_flight = 2.0;
            slice.counts.connects = slice.counts.requests;
            slice.counts.tls_handshakes = slice.counts.requests;
        }
        let untried = |record: &RunRecord| {
            let mut notes = crate::report(record, &rounds).notes.into_iter();
            notes.find(|note| matches!(note, Note::Arm(ArmNote::NoTrial { .. })))
        };
        assert_eq!(untried(&record), None);
        record.experiment.explain = Explain::Prove;
        let expected = ArmNote::NoTrial {
            arm: "ten".to_owned(),
            cause: Cause::TlsHandshakePerRequest,
            remedy: Remedy::SpareHandshakes {
                closed_by: ClosedBy::Load,
            },
        };
        assert_eq!(untried(&record), Some(Note::Arm(expected)));
        assert_eq!(trials(&record, &crate::report(&record, &rounds)), Vec::new());
    }

    #[test]
    fn the_effect_is_filled_into_the_diagnosis_and_not_tried_again() {
        let (mut record, rounds) = run();
        let report = crate::report(&record, &rounds);
        let proof = trials(&record, &report).remove(0).proof;
        record.proofs.push(proof);
        let in_vain = crate::report(&record, &rounds);
        assert_eq!(in_vain.arms[1].diagnoses[0].proved, None);
        let failed = |note: &Note| {
            matches!(
                note,
                Note::Arm(ArmNote::TrialFailed {
                    cause: Cause::ThreadPoolLimit,
                    ..
                })
            )
        };
        assert!(in_vain.notes.iter().any(failed), "{:?}", in_vain.notes);
        record.proofs[0].per_start = vec![2.0, 2.1, 1.9];
        let report = crate::report(&record, &rounds);
        let proved = report.arms[1].diagnoses[0].proved.expect("a result");
        assert!((proved.value - 2.0).abs() < 0.01, "{proved:?}");
        assert!(
            proved.low.is_some_and(|low| (1.5..2.0).contains(&low)),
            "{proved:?}"
        );
        assert!(!report.notes.iter().any(failed), "{:?}", report.notes);
        assert_eq!(trials(&record, &report), Vec::new());
    }
}
