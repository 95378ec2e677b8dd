//! Trial runs that test a diagnosis: the arm is compared with itself after the change that its first diagnosis suggests, or with
//! other values of a setting of the application that the file names, in a few fresh starts of each.

use model::arm::Arm;
use model::experiment::{Experiment, Explain, Headline};
use model::finding::Cause;
use model::measure::Measure;
use model::note::{ArmNote, TunedValue};
use model::outcome::{ArmResult, Change, Diagnosis, Estimate, Load, Report};
use model::question::Question;
use model::record::{Proof, RunRecord};
use model::tunable::Tunable;
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

/// A trial of the change that a diagnosis suggests, or of several values of a setting of the application.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The experiment: the arm as it is against the arm with each of the changes.
    pub experiment: Experiment,
    /// Which diagnosis and change each arm but the first tests, in their order; the results are filled in later.
    pub proofs: Vec<Proof>,
}

impl Trial {
    /// The proofs with their results, from the report of the run that tried them.
    pub fn results(self, report: &Report) -> Vec<Proof> {
        let changed = self.experiment.arms.into_iter().skip(1);
        let result = |(proof, arm): (Proof, Arm)| Proof {
            run: report.run.clone(),
            per_start: per_start(report, &arm.name),
            ..proof
        };
        self.proofs.into_iter().zip(changed).map(result).collect()
    }
}

/// The next trial that a run suggests, without those that were made and those that could not be (`given_up`). First the change
/// that a diagnosis suggests; where that brings nothing, the change of the next one; and where none suggests a change that helps,
/// the settings of the application that the file names.
pub fn next_trial(record: &RunRecord, report: &Report, given_up: &[Proof]) -> Option<Trial> {
    let experiment = &record.experiment;
    let is_done = |trial: &Trial| {
        let mut done = record.proofs.iter().chain(given_up);
        done.any(|proof| proof.is_same_trial(&trial.proofs[0]))
    };
    let arms = experiment.arms.iter().zip(&report.arms);
    let of_arm = |(arm, result): (&Arm, &ArmResult)| -> Vec<Trial> {
        let suggested = suggested_change(result).and_then(|one| trial_of_change(experiment, arm, one));
        let tuned = limiter_in_application(experiment, result)
            .into_iter()
            .flat_map(|one| tuning_trials(experiment, arm, one));
        suggested.into_iter().chain(tuned).collect()
    };
    arms.flat_map(of_arm).find(|trial| !is_done(trial))
}

/// Notes for arms whose diagnosis suggests nothing that a trial could change: the two arms of a trial meet one load, so a
/// change of the load would not be a comparison of the two.
pub(crate) fn without_trial(experiment: &Experiment, arms: &[ArmResult]) -> Vec<ArmNote> {
    let limiter = |arm| limiter_in_application(experiment, arm);
    let is_tuned = |arm: &ArmResult| !experiment.tune.is_empty() && limiter(arm).is_some();
    let untried = |arm: &ArmResult| {
        let all: Vec<&Diagnosis> = limiters(arm).collect();
        let at_most_users = all
            .first()
            .filter(|_| all.iter().all(|one| one.change.is_empty()) && !is_tuned(arm))?;
        let (cause, remedy) = (at_most_users.cause(), at_most_users.remedy.clone());
        Some(match is_a_size(cause) {
            true => ArmNote::NothingToTune {
                arm: arm.name.clone(),
                cause,
                remedy,
            },
            false => ArmNote::NoTrial {
                arm: arm.name.clone(),
                cause,
                remedy,
            },
        })
    };
    let asked = experiment.explain == Explain::Prove;
    arms.iter().filter(|_| asked).filter_map(untried).collect()
}

/// Notes for trials in which no start counted.
pub(crate) fn failed_trials(proofs: &[Proof]) -> Vec<ArmNote> {
    let mut failed: Vec<&Proof> = proofs.iter().filter(|proof| proof.per_start.is_empty()).collect();
    // A trial of several values is one run.
    failed.dedup_by(|one, before| one.run == before.run);
    let note = |proof: &Proof| ArmNote::TrialFailed {
        arm: proof.arm.clone(),
        cause: proof.cause,
        run: proof.run.clone(),
    };
    failed.into_iter().map(note).collect()
}

/// Notes on the settings of the application that trials changed: what each value brought.
pub(crate) fn tuned(experiment: &Experiment, proofs: &[Proof]) -> Vec<ArmNote> {
    let mut notes = Vec::new();
    for (arm, setting) in experiment
        .arms
        .iter()
        .flat_map(|arm| experiment.tune.iter().map(move |setting| (arm, setting)))
    {
        let tried = proofs
            .iter()
            .filter(|proof| proof.arm == arm.name && setting.is_set_by(&proof.change));
        let tried: Vec<&Proof> = tried.filter(|proof| !proof.per_start.is_empty()).collect();
        let value = |proof: &&Proof| TunedValue {
            value: proof.change[0].value.clone(),
            throughput: effect(&proof.per_start),
        };
        notes.extend(tried.first().map(|first| ArmNote::Tuned {
            arm: arm.name.clone(),
            cause: first.cause,
            setting: setting.name.clone(),
            values: tried.iter().map(value).collect(),
        }));
    }
    notes
}

/// The first diagnosis of an arm at each load of the closed loop, the most users first, without those that are expected.
fn limiters(result: &ArmResult) -> impl Iterator<Item = &Diagnosis> {
    let loads = result.diagnoses.chunk_by(|one, next| one.level == next.level);
    let first = loads.rev().filter_map(<[Diagnosis]>::first);
    first.filter(|one| one.level.users.is_some() && !one.expected)
}

/// The diagnosis whose change is tried: at the highest load whose first diagnosis suggests a change, or at which a trial has
/// refuted one.
fn suggested_change(result: &ArmResult) -> Option<&Diagnosis> {
    let at = |load: &Load| result.diagnoses.iter().filter(move |one| one.level == *load);
    let first = limiters(result).find(|one| {
        let refuted = at(&one.level).any(Diagnosis::is_refuted);
        refuted || !one.change.is_empty()
    })?;
    Some(first).filter(|one| !one.is_refuted() && !one.change.is_empty())
}

/// The diagnosis at the highest load, where the limit may be in the application and no change of the server is known that lifts it.
fn limiter_in_application<'a>(experiment: &Experiment, result: &'a ArmResult) -> Option<&'a Diagnosis> {
    let first = limiters(result).next()?;
    let is_tuned = experiment.tune.iter().any(|setting| setting.is_set_by(&first.change));
    let is_open = first.change.is_empty() || first.is_refuted() || is_tuned;
    Some(first).filter(|one| is_open && is_of_application(one.cause()))
}

/// Whether the limit may be in the application. The other causes are of the load, the machine, or what is around the server.
const fn is_of_application(cause: Cause) -> bool {
    !matches!(
        cause,
        Cause::GeneratorSaturated
            | Cause::NoisyNeighbour
            | Cause::EphemeralPortsExhausted
            | Cause::FileDescriptorLimit
            | Cause::ConnectionLimit
            | Cause::AcceptQueueOverflow
            | Cause::ErrorsFast
            | Cause::LinkSaturated
            | Cause::CpuQuotaThrottled
            | Cause::TlsHandshakePerRequest
            | Cause::KeepaliveNotEffective
            | Cause::KeepaliveLimit
            | Cause::JitWarmingUp
            | Cause::ServerCpuSaturated
    )
}

/// Whether a cause is that something is too small, whose size a file may tell.
fn is_a_size(cause: Cause) -> bool {
    let sizes = [
        "application-pool-limit",
        "rate-limited",
        "thread-pool-limit",
        "concurrency-limit-default",
    ];
    sizes.contains(&cause.id())
}

/// The trial of the change that a diagnosis of an arm suggests; `None` where the arm cannot have it.
fn trial_of_change(experiment: &Experiment, arm: &Arm, diagnosis: &Diagnosis) -> Option<Trial> {
    let with = diagnosis.change.iter();
    let with: Vec<String> = with
        .map(|change| format!("{} = {}", change.key, change.value))
        .collect();
    let changed = Arm {
        name: format!("with {}", with.join(", ")),
        ..arm.with(&diagnosis.change)?
    };
    let question = Question::both(
        format!("Does {} get more throughput {}?", arm.name, changed.name),
        format!("改为 {} 后，{} 的吞吐量会提高吗？", with.join("、"), arm.name),
    );
    Some(Trial {
        experiment: trial(experiment, question, [arm.clone(), changed], diagnosis)?,
        proofs: vec![proof(arm, diagnosis, diagnosis.change.clone())],
    })
}

/// A trial for each setting of the application that the file names: the arm as it is against the arm with each of the values.
fn tuning_trials(experiment: &Experiment, arm: &Arm, diagnosis: &Diagnosis) -> Vec<Trial> {
    let of_setting = |setting: &Tunable| {
        let with = |value: &String| {
            let change = setting.change(value);
            let changed = arm.with(std::slice::from_ref(&change))?;
            // The arm may have the value already.
            let name = format!("with {} = {value}", setting.name);
            (changed != *arm).then_some((Arm { name, ..changed }, change))
        };
        let (changed, changes): (Vec<Arm>, Vec<Change>) = setting.values.iter().filter_map(with).unzip();
        let question = Question::both(
            format!("With which {} does {} get most throughput?", setting.name, arm.name),
            format!("{} 取何值时，{} 的吞吐量最高？", setting.name, arm.name),
        );
        let proofs = changes.into_iter().map(|change| proof(arm, diagnosis, vec![change]));
        let proofs: Vec<Proof> = proofs.collect();
        let arms = [arm.clone()].into_iter().chain(changed);
        Some(Trial {
            experiment: trial(experiment, question, arms, diagnosis).filter(|_| !proofs.is_empty())?,
            proofs,
        })
    };
    experiment.tune.iter().filter_map(of_setting).collect()
}

/// What a trial tests, without its result.
fn proof(arm: &Arm, diagnosis: &Diagnosis, change: Vec<Change>) -> Proof {
    Proof {
        arm: arm.name.clone(),
        level: diagnosis.level.clone(),
        cause: diagnosis.cause(),
        change,
        run: String::new(),
        per_start: Vec::new(),
    }
}

/// The experiment of a trial: it compares the throughput of these arms at the load of the diagnosis. `None` for a load that has
/// no number of users.
fn trial(
    experiment: &Experiment,
    question: Question,
    arms: impl IntoIterator<Item = Arm>,
    diagnosis: &Diagnosis,
) -> Option<Experiment> {
    // Only one of the servers can listen on a fixed port.
    let without_port = |(index, arm): (usize, Arm)| Arm {
        port: arm.port.filter(|_| index == 0),
        ..arm
    };
    let mut tried = Experiment {
        name: format!("{} (prove)", experiment.name),
        question,
        arms: arms.into_iter().enumerate().map(without_port).collect(),
        explain: Explain::Name,
        reference: None,
        require: Vec::new(),
        tune: Vec::new(),
        ..experiment.clone()
    };
    tried.load.connections = vec![diagnosis.level.users? as usize];
    let design = &mut tried.design;
    (design.baseline, design.headline, design.gate) = (0, Headline::One(Measure::Throughput), None);
    (design.aa, design.latency_pairs, design.seed) = (false, 0, None);
    (design.starts, design.tune_starts) = (Some(LEAST_CAP), false);
    design.budget = Some(BUDGET);
    (design.pairs, design.tune) = (design.pairs.min(PAIRS), false);
    // In a search, throughput would not be compared.
    design.find = None;
    Some(tried)
}

/// Throughput of an arm as a multiple of that of the baseline, in each start of the trial that gave this report.
fn per_start(report: &Report, arm: &str) -> Vec<f64> {
    let mut comparisons = report.comparisons.iter();
    let throughput = comparisons
        .find(|comparison| comparison.arm == arm && comparison.measure == Measure::Throughput.id());
    throughput.map_or_else(Vec::new, |comparison| comparison.per_start.clone())
}

/// Fills the effects that trials measured into the diagnoses that they tested, and puts those that a trial refuted behind the
/// others of the same load: what they suggest is no longer the first advice.
pub(crate) fn fill_in_effects(arms: &mut [ArmResult], run: &RunRecord) {
    for proof in &run.proofs {
        let mut diagnoses = diagnoses_of(arms, &proof.arm);
        let tested = diagnoses
            .find(|one| one.level == proof.level && one.cause() == proof.cause && one.change == proof.change);
        if let Some(diagnosis) = tested {
            diagnosis.proved = effect(&proof.per_start);
        }
    }
    for (proof, effect) in best_values(run) {
        let mut diagnoses = diagnoses_of(arms, &proof.arm);
        let limiter = diagnoses.find(|one| one.level == proof.level && one.cause() == proof.cause);
        if let Some(diagnosis) = limiter.filter(|one| one.change.is_empty()) {
            diagnosis.change.clone_from(&proof.change);
            diagnosis.proved = Some(effect);
        }
    }
    for arm in arms {
        for load in arm.diagnoses.chunk_by_mut(|one, next| one.level == next.level) {
            load.sort_by_key(Diagnosis::is_refuted);
        }
    }
}

fn diagnoses_of<'a>(arms: &'a mut [ArmResult], name: &str) -> impl Iterator<Item = &'a mut Diagnosis> {
    let arm = arms.iter_mut().find(|arm| arm.name == name);
    arm.into_iter().flat_map(|arm| &mut arm.diagnoses)
}

/// For each arm the value of a setting of the application that brought most, if one brought anything.
fn best_values(run: &RunRecord) -> Vec<(&Proof, Estimate)> {
    let is_tuning = |proof: &&Proof| {
        let mut settings = run.experiment.tune.iter();
        settings.any(|setting| setting.is_set_by(&proof.change))
    };
    let best_of = |arm: &Arm| {
        let of_arm = run.proofs.iter().filter(|proof| proof.arm == arm.name);
        let effects = of_arm
            .filter(is_tuning)
            .filter_map(|proof| Some((proof, effect(&proof.per_start)?)));
        effects
            .filter(|(_, effect)| effect.is_gain())
            .max_by(|(_, one), (_, other)| one.value.total_cmp(&other.value))
    };
    run.experiment.arms.iter().filter_map(best_of).collect()
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
    use model::experiment::{Find, Steps};
    use model::finding::{ClosedBy, Remedy};
    use model::note::Note;
    use model::outcome::Comparison;
    use model::record::RoundRecord;
    use model::tunable::GivenBy;

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

    /// The trial that a run suggests.
    fn trial_of(record: &RunRecord, rounds: &[RoundRecord]) -> Option<Trial> {
        next_trial(record, &crate::report(record, rounds), &[])
    }

    /// The names of the arms of a trial.
    fn names(trial: &Trial) -> Vec<&str> {
        trial
            .experiment
            .arms
            .iter()
            .map(|arm| arm.name.as_str())
            .collect()
    }

    #[test]
    fn a_trial_compares_the_arm_with_itself_after_the_suggested_change() {
        let (record, rounds) = run();
        let trial = trial_of(&record, &rounds).expect("one arm has a cause");
        assert_eq!(names(&trial), ["ten", "with threads = 110"]);
        let ports: Vec<Option<u16>> = trial.experiment.arms.iter().map(|arm| arm.port).collect();
        assert_eq!(ports, [Some(8080), None], "only one of them can have it");
        assert_eq!(trial.experiment.load.connections, vec![100]);
        assert_eq!(trial.proofs[0].cause, Cause::ThreadPoolLimit);
        assert_eq!(trial.experiment.explain, Explain::Name, "a trial has no trials");
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
        record.experiment.tune = vec![pool(&["8"])];
        assert_eq!(trial_of(&record, &rounds), None, "the application is not the limit");
    }

    /// The proof that the run suggests, with these throughputs.
    fn proved(record: &RunRecord, rounds: &[RoundRecord], per_start: &[f64]) -> Proof {
        Proof {
            per_start: per_start.to_vec(),
            ..trial_of(record, rounds).expect("a trial").proofs.remove(0)
        }
    }

    #[test]
    fn the_effect_is_filled_into_the_diagnosis_and_not_tried_again() {
        let (mut record, rounds) = run();
        record.proofs.push(proved(&record, &rounds, &[]));
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
        let found: Vec<(&str, f64)> = values
            .iter()
            .map(|one| (one.value.as_str(), one.throughput.expect("an effect").value))
            .collect();
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
        let told = |notes: Vec<ArmNote>| matches!(notes[..], [ArmNote::NothingToTune { .. }]);
        assert!(told(notes(&record)), "how a file names a setting");
        record.experiment.tune = vec![pool(&["8", "16"])];
        assert_eq!(notes(&record), []);
        let trial = next_trial(&record, &report, &[]).expect("a trial of the setting");
        let result = trial.proofs.into_iter().zip([2.0, 1.0]);
        record.proofs.extend(result.map(|(proof, factor)| Proof {
            per_start: vec![factor; 3],
            ..proof
        }));
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
            measure: Measure::Throughput.id().to_owned(),
            per_start: per_start.into(),
            ..report.comparisons[0].clone()
        };
        tried.run = "R2".to_owned();
        tried.comparisons = vec![
            of_arm("with pool.size = 8", [1.5]),
            of_arm("with pool.size = 16", [3.0]),
        ];
        let results = trial.results(&tried);
        let found: Vec<(&str, &[f64])> = results
            .iter()
            .map(|proof| (proof.change[0].value.as_str(), proof.per_start.as_slice()))
            .collect();
        assert_eq!(found, [("8", [1.5].as_slice()), ("16", [3.0].as_slice())]);
        assert!(results.iter().all(|proof| proof.run == "R2"));
    }
}
