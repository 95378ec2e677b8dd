//! Computes the report of a run from its records. Runs that have just ended and runs that were stored long ago take the same
//! path, and nothing else is read, so a report can be computed again to the byte.

use crate::arm_results;
use crate::diagnose;
use crate::elsewhere;
use crate::find::{self, JudgedRun};
use crate::fixed_rate;
use crate::flame;
use crate::notes;
use crate::numbers::Numbers;
use crate::planning;
use crate::prove;
use crate::rate_curve;
use crate::requirements;
use crate::round_time;
use crate::shared_cpus;
use crate::steadiness;
use crate::step_comparisons;
use crate::verdicts;
use crate::voiding;
use ask::experiment::{Design, Experiment, Headline, Profile};
use model::cpus::CpuSplit;
use model::isolation::NotSeparated;
use model::measure::Measure;
use model::units::{Nanos, Seconds};
use record::answer;
use record::note::{ArmNote, Note, PlanAnswer, RunNote};
use record::outcome::{
    ArmResult, Comparison, DesignFacts, Effective, Ranking, RateOrigin, Report, SCHEMA, StageRate,
};
use record::rounds::{RoundRecord, RunRecord};
use stats::spending::LookKind;
use traffic::load_note::LoadNote;

/// The report of a run.
pub fn report(run: &RunRecord, rounds: &[RoundRecord]) -> Report {
    let experiment = &run.experiment;
    let numbers = Numbers::of_rounds(experiment, rounds);
    let round_time = round_time::round_time(experiment, rounds);
    let kind = look_kind(run);
    let of_plan = Numbers::of_rounds(experiment, run.rounds_of_plan(rounds));
    let standing = verdicts::judge(experiment, &of_plan, round_time, kind);
    let judged = JudgedRun { run, rounds, numbers: &numbers };
    let arms = judged_arms(judged);
    let mut comparisons = standing.comparisons;
    voiding::void_comparisons(&mut comparisons, &arms, rounds);
    let steps = step_comparisons::judge(experiment, run.rounds_of_plan(rounds), &arms, kind);
    let mut required = standing.required;
    required.extend(steps.required);
    let opened = steadiness::open_verdicts(&mut comparisons, &mut required, experiment, rounds);
    find::mode(experiment).void_comparisons(&mut comparisons, &arms);
    let required = requirements::all_requirements(experiment, rounds, &arms, &comparisons, required);
    let mut notes = all_notes(run, rounds, &numbers, &arms);
    notes.extend(notes_on_plans_before(run, rounds, round_time).into_iter().map(Note::Run));
    if !standing.decided {
        notes.extend(forecast_note(experiment, rounds, &numbers));
    }
    let is_shown = |ranking: &Ranking| !opened && voiding::all_valid(&arms, ranking.level.as_ref());
    let rankings = standing.rankings.into_iter().filter(is_shown);
    let (rankings, ranking): (Vec<Ranking>, Vec<Ranking>) =
        rankings.partition(|_| ranks_at_several_loads(experiment));
    let cpu_differences = flame::differences(run);
    let report = Report {
        schema: SCHEMA,
        run: run.run.clone(),
        experiment: experiment.name.clone(),
        question: experiment.question.clone(),
        seed: run.seed,
        fingerprint: run.fingerprint.clone(),
        asked: experiment.asked(),
        design: design_facts(run, rounds, &numbers),
        offers_profile: flame::is_offered(experiment, &comparisons, &cpu_differences),
        cpu_differences,
        step_comparisons: steps.comparisons,
        arms,
        comparisons,
        required,
        answers: Vec::new(),
        ranking: ranking.into_iter().next(),
        rankings,
        reference: experiment.reference.clone(),
        calibration: run.calibration,
        notes,
        repeat: run.repeat.clone(),
    };
    Report { answers: answer::answers(&report), ..report }
}

/// Where the run is that a report is about.
fn look_kind(run: &RunRecord) -> LookKind {
    match run.interrupted {
        false => LookKind::Last,
        // The time of a run is not known before it ends.
        true if run.elapsed > Seconds::ZERO => LookKind::Interrupted,
        true => LookKind::Running,
    }
}

/// Whether arms are ranked at each of several loads, and not once.
fn ranks_at_several_loads(experiment: &Experiment) -> bool {
    let measure = experiment.design.headline.one();
    measure.is_some_and(|measure| experiment.comparisons_per_start(measure) > 1)
}

/// The note that tells how long an undecided run would have to go on; `None` where nothing can be said about it.
fn forecast_note(experiment: &Experiment, rounds: &[RoundRecord], numbers: &[Numbers]) -> Option<Note> {
    let seconds = forecast_round_time(experiment, rounds);
    let forecast = planning::forecast(experiment, numbers, seconds)?;
    Some(RunNote::Forecast(forecast).into())
}

/// The results of all arms, with curves, diagnoses, and what a search found.
fn judged_arms(judged: JudgedRun<'_>) -> Vec<ArmResult> {
    let JudgedRun { run, rounds, numbers } = judged;
    let experiment = &run.experiment;
    let mut arms = arm_results::arm_results(experiment, rounds, numbers, &effective_settings(rounds));
    rate_curve::fill_in_curves(&mut arms, rounds);
    diagnose::fill_in_diagnoses(&mut arms, run, rounds);
    diagnose::fill_in_request_times(&mut arms, run, rounds);
    prove::drop_impossible_changes(&mut arms, experiment);
    prove::fill_in_effects(&mut arms, run);
    find::mode(experiment).fill_in_results(&mut arms, judged);
    arms
}

/// A note on each plan of a run that had ended before the run was continued, with what it answered in the measures of the headline.
fn notes_on_plans_before(run: &RunRecord, rounds: &[RoundRecord], round_time: Seconds) -> Vec<RunNote> {
    let mut plans = run.plans(rounds);
    // The verdicts of the report are about the newest plan.
    plans.pop();
    plans.into_iter().filter_map(|plan| note_on_plan(&run.experiment, plan, round_time)).collect()
}

/// What a plan that has ended answered in the measures of the headline; `None` where it has no start.
fn note_on_plan(experiment: &Experiment, plan: &[RoundRecord], round_time: Seconds) -> Option<RunNote> {
    let numbers = Numbers::of_rounds(experiment, plan);
    let comparisons = verdicts::judge(experiment, &numbers, round_time, LookKind::Last).comparisons;
    let several = experiment.load.connections.len() > 1;
    let headline = experiment.design.headline_measures(Numbers::rate_of(&numbers));
    let of_headline = comparisons.into_iter().filter(|one| headline.contains(&one.measure));
    let answer = |one: Comparison| PlanAnswer {
        ratio: one.deciding(),
        users: one.level.and_then(|level| level.users).filter(|_| several),
        arm: one.arm,
        measure: one.measure,
        verdict: one.verdict,
    };
    Some(RunNote::PlanBefore {
        first: plan.first()?.round,
        last: plan.last()?.round,
        answers: of_headline.map(answer).collect(),
    })
}

/// What a reader has to know before trusting the figures: all notes except the forecast.
fn all_notes(run: &RunRecord, rounds: &[RoundRecord], numbers: &[Numbers], arms: &[ArmResult]) -> Vec<Note> {
    let experiment = &run.experiment;
    let left_out = run.left_out.iter().cloned().map(ArmNote::LeftOut);
    let mut notes: Vec<Note> = left_out.map(Note::Arm).collect();
    notes.extend(requirements::notes_on_missing_arms(experiment).map(Note::Arm));
    let program = experiment.workload.sessions.iter();
    notes.extend(program.flat_map(|program| LoadNote::of_program(program)).map(Note::Load));
    notes.extend(run.load_machines.iter().cloned().map(Note::Load));
    notes.extend(notes::notes_on_run(experiment, rounds, numbers));
    let cpus = diagnose::cpus(&run.fingerprint);
    let elsewhere = elsewhere::notes(experiment, &run.fingerprint);
    let is_split = CpuSplit::of(&run.fingerprint).is_some() || !elsewhere.is_empty();
    notes.extend(elsewhere.into_iter().map(Note::Arm));
    let shared = (!is_split).then(|| shared_cpus::notes(experiment, rounds, cpus));
    notes.extend(shared.into_iter().flatten().map(Note::Load));
    let not_separated = NotSeparated::of(&run.fingerprint).map(RunNote::SharedCores);
    notes.extend(not_separated.map(Note::Run));
    let interrupted =
        run.interrupted.then(|| RunNote::Interrupted { starts: rounds.len(), run: run.run.clone() });
    notes.extend(interrupted.map(Note::Run));
    notes.extend(prove::without_trial(experiment, arms).into_iter().map(Note::Untried));
    let trials = prove::failed_trials(&run.proofs).into_iter();
    let trials = trials.chain(prove::tuned(experiment, &run.proofs));
    notes.extend(trials.map(Note::Arm));
    notes.extend(flame::note_on_missing(run).map(Note::Arm));
    let unlike_headers = arm_results::notes_on_unlike_headers(arms, experiment.design.baseline);
    notes.extend(unlike_headers.into_iter().map(Note::Arm));
    notes
}

/// The design as it was carried out.
fn design_facts(run: &RunRecord, rounds: &[RoundRecord], numbers: &[Numbers]) -> DesignFacts {
    let design = &run.experiment.design;
    let void = rounds.iter().filter(|round| round.void.is_some()).count();
    let by_rounds = rounds.iter().map(|round| round.elapsed).sum();
    DesignFacts {
        baseline: run.experiment.arms[design.baseline].name.clone(),
        headline: Some(design.headline),
        headline_measures: headline_measures(design, numbers),
        alpha: design.alpha,
        starts_cap: design.starts,
        gate: design.gate,
        starts: (rounds.len() - void) as u32,
        starts_void: void as u32,
        pairs: pairs_per_start(design, rounds),
        stage_pairs: stage_pairs(design, rounds),
        slice: counted_slice(design, rounds).into(),
        rate: stage_rate(design, rounds),
        profile: match run.experiment.profile {
            Profile::Full => None,
            Profile::Quick => Some("quick".to_owned()),
        },
        // A run that was killed has not stored how long it took, but its rounds have.
        seconds_per_start: round_time::seconds_per_start(rounds),
        elapsed: run.elapsed.max(by_rounds),
        interrupted: run.interrupted,
    }
}

/// The measures of a headline that has several.
fn headline_measures(design: &Design, numbers: &[Numbers]) -> Vec<Measure> {
    let rate = Numbers::rate_of(numbers);
    match design.headline {
        Headline::One(_) => Vec::new(),
        Headline::Overall => design.headline_measures(rate),
    }
}

/// The fixed rate with its origin; `None` where no start came to that stage.
fn stage_rate(design: &Design, rounds: &[RoundRecord]) -> Option<StageRate> {
    let stage = fixed_rate::of_run(rounds)?;
    let origin = match (design.latency_rate, &design.kept_rate) {
        (Some(_), _) => RateOrigin::Given,
        (None, Some(kept)) => RateOrigin::Kept { run: kept.run.clone() },
        (None, None) => RateOrigin::Chosen,
    };
    Some(StageRate { value: stage.rate, origin })
}

/// How many pairs of slices a start has for the headline, at the fixed rate or in the closed loop; where it has measures of both,
/// in the closed loop. With several levels it is
/// the number at levels where the service is quick; levels with a slow service have fewer.
fn pairs_per_start(design: &Design, rounds: &[RoundRecord]) -> u32 {
    let at_a_rate = headline_at_a_rate(design);
    match rounds.last() {
        Some(last) if at_a_rate => last.latency_pairs,
        Some(last) => match last.levels.as_slice() {
            [only] => only.pairs,
            _ => last.pairs,
        },
        None if at_a_rate => design.latency_pairs,
        None => design.pairs,
    }
}

/// How many pairs of slices a start has at the fixed rate, for a headline that has measures of both kinds.
fn stage_pairs(design: &Design, rounds: &[RoundRecord]) -> Option<u32> {
    let pairs = rounds.last().map_or(design.latency_pairs, |last| last.latency_pairs);
    (design.headline == Headline::Overall && pairs > 0).then_some(pairs)
}

/// Whether the headline is one measure that is compared at the fixed rate.
fn headline_at_a_rate(design: &Design) -> bool {
    let one = design.headline.one();
    one.is_some_and(|measure| design.compares_at_a_rate(measure))
}

/// How long the counted part of the headline's slices is; in the closed loop the longest slice's.
fn counted_slice(design: &Design, rounds: &[RoundRecord]) -> Nanos {
    if headline_at_a_rate(design) {
        return design.latency_slice;
    }
    let levels = rounds.iter().flat_map(|round| &round.levels);
    let counted = levels.map(|level| Nanos(level.counted_ns)).max();
    counted.unwrap_or(design.slice.unwrap_or(design.shortest_slice()))
}

/// How long a round took when the forecast was made. Later rounds are ignored, so that the forecast stays as it was.
fn forecast_round_time(experiment: &Experiment, rounds: &[RoundRecord]) -> Seconds {
    let counted = rounds.iter().enumerate().filter(|(_, round)| round.void.is_none());
    let last = counted.map(|(index, _)| index + 1).nth(planning::FORECAST - 1);
    round_time::round_time(experiment, &rounds[..last.unwrap_or(rounds.len())])
}

/// The settings of each arm as its running server reported them; empty where no round read them.
fn effective_settings(rounds: &[RoundRecord]) -> Vec<Effective> {
    let read = rounds.iter().find_map(|round| {
        let read: Vec<Effective> = round.trials.iter().filter_map(|trial| trial.effective.clone()).collect();
        (!read.is_empty()).then_some(read)
    });
    read.unwrap_or_default()
}
