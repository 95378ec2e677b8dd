//! Trial runs that test a diagnosis: the arm is compared with itself after the change that its first diagnosis suggests, or with
//! other values of a setting of the application that the file names, in a few fresh starts of each.

use ask::arm::key::Taker;
use ask::arm::{Arm, keys};
use ask::change::Change;
use ask::experiment::{Experiment, Explain, Headline};
use ask::kind::Kind;
use ask::question::Question;
use ask::tunable::Tunable;
use model::load::Load;
use model::measure::Measure;
use model::units::Nanos;
use record::finding::Origin;
use record::note::{ArmNote, TunedValue, Untried};
use record::outcome::{ArmResult, Diagnosis, Estimate, Report};
use record::rounds::{Proof, RunRecord};
use stats::summary::estimate;

/// Fresh starts of each of the two arms. Three are enough for an interval, and the effect of removing a limit is seen in one.
pub const STARTS: usize = 3;
/// Pairs of slices in each start, at most.
const PAIRS: u32 = 8;
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

/// The next trial that a run suggests, except trials that were made or could not be (`given_up`). First the
/// change that a diagnosis suggests; where that brings nothing, the change of the next one; and where none
/// suggests a change that helps, the settings of the application that the file names.
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
pub(crate) fn without_trial(experiment: &Experiment, arms: &[ArmResult]) -> Vec<Untried> {
    let is_tuned =
        |arm: &ArmResult| !experiment.tune.is_empty() && limiter_in_application(experiment, arm).is_some();
    let untried = |arm: &ArmResult| {
        let all: Vec<&Diagnosis> = limiters(arm).collect();
        let at_most_users =
            all.first().filter(|_| all.iter().all(|one| one.change.is_empty()) && !is_tuned(arm))?;
        let (cause, remedy) = (at_most_users.cause(), at_most_users.remedy.clone());
        Some(match cause.origin() == Origin::Size {
            true => Untried::NothingToTune { arm: arm.name.clone(), cause, remedy },
            false => Untried::NoTrial { arm: arm.name.clone(), cause, remedy },
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
    for (arm, setting) in
        experiment.arms.iter().flat_map(|arm| experiment.tune.iter().map(move |setting| (arm, setting)))
    {
        let tried = proofs.iter().filter(|proof| proof.arm == arm.name && setting.is_set_by(&proof.change));
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

/// The first diagnosis of an arm at each load of the closed loop, the most users first, without expected ones.
fn limiters(result: &ArmResult) -> impl Iterator<Item = &Diagnosis> {
    let loads = result.diagnoses.chunk_by(|one, next| one.level == next.level);
    let first = loads.rev().filter_map(<[Diagnosis]>::first);
    first.filter(|one| one.level.users.is_some() && !one.expected)
}

/// The diagnosis whose change is tried: at the highest load whose first diagnosis suggests a change, or at which a trial has
/// refuted one.
fn suggested_change(result: &ArmResult) -> Option<&Diagnosis> {
    let is_refuted_at = |load: &Load| {
        let mut there = result.diagnoses.iter().filter(|one| one.level == *load);
        there.any(Diagnosis::is_refuted)
    };
    let first = limiters(result).find(|one| !one.change.is_empty() || is_refuted_at(&one.level))?;
    Some(first).filter(|one| !one.is_refuted() && !one.change.is_empty())
}

/// The diagnosis at the highest load, where the limit may be in the application and no change of the server is known that lifts it.
fn limiter_in_application<'a>(experiment: &Experiment, result: &'a ArmResult) -> Option<&'a Diagnosis> {
    let first = limiters(result).next()?;
    let is_tuned = experiment.tune.iter().any(|setting| setting.is_set_by(&first.change));
    let is_open = first.change.is_empty() || first.is_refuted() || is_tuned;
    Some(first).filter(|one| is_open && one.cause().origin() != Origin::Outside)
}

/// The trial of the change that a diagnosis of an arm suggests; `None` where the arm cannot have it.
fn trial_of_change(experiment: &Experiment, arm: &Arm, diagnosis: &Diagnosis) -> Option<Trial> {
    let with = diagnosis.change.iter();
    let with: Vec<String> = with.map(|change| format!("{} = {}", change.key, change.value)).collect();
    let changed = Arm { name: format!("with {}", with.join(", ")), ..arm.with(&diagnosis.change)? };
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
    let without_port = |(index, arm): (usize, Arm)| Arm { port: arm.port.filter(|_| index == 0), ..arm };
    let mut tried = Experiment {
        name: format!("{} (prove)", experiment.name),
        question,
        arms: arms.into_iter().enumerate().map(without_port).collect(),
        explain: Explain::Off,
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
    (design.budget, design.profiled_starts) = (Some(BUDGET), 0);
    (design.pairs, design.tune) = (design.pairs.min(PAIRS), false);
    // In a search, throughput would not be compared.
    design.find = None;
    Some(tried)
}

/// Throughput of an arm as a multiple of the baseline's, in each start of the trial that gave this report.
fn per_start(report: &Report, arm: &str) -> Vec<f64> {
    let mut comparisons = report.comparisons.iter();
    let throughput =
        comparisons.find(|comparison| comparison.arm == arm && comparison.measure == Measure::Throughput);
    throughput.map_or_else(Vec::new, |comparison| comparison.per_start.clone())
}

/// Drops the suggested changes that prony cannot make: it sets the threads of a Tomcat, but not of a server
/// that it knows nothing about, and nothing of a server that runs already.
pub(crate) fn drop_impossible_changes(arms: &mut [ArmResult], experiment: &Experiment) {
    for (arm, result) in experiment.arms.iter().zip(arms) {
        let told = result.effective.server.as_deref();
        let kind = Kind::named(&arm.server).or_else(|| Kind::in_boot_jar(told?));
        for diagnosis in &mut result.diagnoses {
            if !diagnosis.change.iter().all(|change| is_possible(arm, kind, change)) {
                diagnosis.change.clear();
            }
        }
    }
}

/// Whether an arm whose server is of this kind takes the key of a change; `None` is a server of the user's that prony knows nothing
/// about.
fn is_possible(arm: &Arm, kind: Option<Kind>, change: &Change) -> bool {
    let taker = match (&arm.origin, &arm.command, &arm.jar, kind) {
        (Some(_), ..) => Taker::Url,
        _ if arm.image.is_some() => Taker::Image,
        (_, Some(_), ..) => Taker::Command,
        (_, _, Some(_), Some(_)) => Taker::BootJar,
        (_, _, Some(_), None) => Taker::PlainJar,
        _ => Taker::Catalog,
    };
    match keys::find(&change.key) {
        Some(key) => {
            let has_setting = || kind.is_some_and(|kind| key.called_on(kind).is_some());
            key.is_for(&[taker]) && (!key.sets_something() || has_setting())
        }
        // A server's own attribute or property, or another release.
        None => kind.is_some(),
    }
}

/// Fills the effects that trials measured into the diagnoses that they tested, and puts refuted diagnoses
/// behind the others of the same load: what they suggest is no longer the first advice.
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
        let effects = of_arm.filter(is_tuning).filter_map(|proof| Some((proof, effect(&proof.per_start)?)));
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
mod tests;
