//! From the records of a run to its report: the same function whether the run has just ended or was stored long ago. It
//! reads nothing else, so a report can be computed again to the byte.

use crate::diagnose;
use crate::find::{self, Judged};
use crate::findings;
use crate::notes;
use crate::numbers::Numbers;
use crate::planning;
use crate::prove;
use crate::requirements;
use crate::round_time;
use crate::verdicts;
use model::experiment::{Design, Experiment, Profile, SLICE};
use model::note::{ArmNote, Note, RunNote};
use model::outcome::{ArmResult, DesignFacts, Effective, Ranking, Report, SCHEMA};
use model::record::{RoundRecord, RunRecord};
use model::units::Nanos;

/// The report of a run.
pub fn report(run: &RunRecord, rounds: &[RoundRecord]) -> Report {
    let experiment = &run.experiment;
    let numbers = Numbers::of_all(experiment, rounds);
    let standing = verdicts::judge(
        experiment,
        &numbers,
        round_time::round_seconds(experiment, rounds),
    );
    let mut arms = findings::arms(experiment, rounds, &numbers, &effective(rounds));
    diagnose::fill(&mut arms, run, rounds);
    prove::fill(&mut arms, &run.proofs);
    let judged = Judged {
        run,
        rounds,
        numbers: &numbers,
    };
    let mode = find::mode(experiment);
    mode.fill(&mut arms, judged);
    let mut comparisons = standing.comparisons;
    findings::void_comparisons(&mut comparisons, &arms, rounds);
    mode.void_comparisons(&mut comparisons, &arms);
    let required = requirements::all(experiment, rounds, &arms, &comparisons, standing.required);
    let mut notes = all_notes(run, rounds, &numbers, &arms);
    if !standing.decided {
        let seconds = forecast_seconds(experiment, rounds);
        let forecast = planning::forecast(experiment, &numbers, seconds);
        notes.extend(forecast.map(|forecast| RunNote::Forecast(forecast).into()));
    }
    let several = experiment.comparisons_per_start(experiment.design.headline) > 1;
    let (rankings, ranking): (Vec<Ranking>, Vec<Ranking>) = standing
        .rankings
        .into_iter()
        .filter(|ranking| findings::all_valid(&arms, ranking.level.as_ref()))
        .partition(|_| several);
    Report {
        schema: SCHEMA,
        run: run.run.clone(),
        experiment: experiment.name.clone(),
        question: experiment.question.clone(),
        seed: run.seed,
        fingerprint: run.fingerprint.clone(),
        asked: experiment.asked(),
        design: design(run, rounds),
        arms,
        comparisons,
        required,
        ranking: ranking.into_iter().next(),
        rankings,
        reference: experiment.reference.clone(),
        calibration: run.calibration,
        notes,
        repeat: run.repeat.clone(),
    }
}

/// What a reader has to know before trusting the figures, but for the forecast.
fn all_notes(run: &RunRecord, rounds: &[RoundRecord], numbers: &[Numbers], arms: &[ArmResult]) -> Vec<Note> {
    let experiment = &run.experiment;
    let left_out = run.left_out.iter().cloned().map(ArmNote::LeftOut);
    let mut notes: Vec<Note> = left_out.map(Note::Arm).collect();
    notes.extend(requirements::without_arm(experiment).map(Note::Arm));
    notes.extend(notes::of(experiment, rounds, numbers));
    let interrupted = run.interrupted.then(|| RunNote::Interrupted {
        starts: rounds.len(),
        run: run.run.clone(),
    });
    notes.extend(interrupted.map(Note::Run));
    let without_trial = prove::without_trial(experiment, arms).into_iter();
    notes.extend(
        without_trial
            .chain(prove::failed_trials(&run.proofs))
            .map(Note::Arm),
    );
    let unlike_headers = findings::unlike_headers(arms, experiment.design.baseline);
    notes.extend(unlike_headers.into_iter().map(Note::Arm));
    notes
}

fn design(run: &RunRecord, rounds: &[RoundRecord]) -> DesignFacts {
    let design = &run.experiment.design;
    let void = rounds.iter().filter(|round| round.void.is_some()).count();
    let by_rounds: f64 = rounds.iter().map(|round| round.elapsed).sum();
    DesignFacts {
        baseline: run.experiment.arms[design.baseline].name.clone(),
        headline: design.headline.id().to_owned(),
        alpha: design.alpha,
        starts_cap: design.starts,
        gate: design.gate,
        starts: (rounds.len() - void) as u32,
        starts_void: void as u32,
        pairs: pairs(design, rounds),
        slice: slice(design, rounds).as_secs_f64(),
        profile: match run.experiment.profile {
            Profile::Full => None,
            Profile::Quick => Some("quick".to_owned()),
        },
        // A run that was killed could not say how long it took: its rounds can.
        elapsed: run.elapsed.max(by_rounds),
        interrupted: run.interrupted,
    }
}

/// Pairs of slices of the headline: at the fixed rate; in the closed loop where they are the same at all levels, else where
/// the service is quick.
fn pairs(design: &Design, rounds: &[RoundRecord]) -> u32 {
    let at_a_rate = design.compares_at_a_rate(design.headline);
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

/// Counted part of the headline's slices: in the closed loop of the longest.
fn slice(design: &Design, rounds: &[RoundRecord]) -> Nanos {
    if design.compares_at_a_rate(design.headline) {
        return design.latency_slice;
    }
    let levels = rounds.iter().flat_map(|round| &round.levels);
    let counted = levels.map(|level| Nanos(level.counted_ns)).max();
    counted.unwrap_or(design.slice.unwrap_or(SLICE))
}

/// What a round took when the forecast was made: what came later must not change what was said.
fn forecast_seconds(experiment: &Experiment, rounds: &[RoundRecord]) -> f64 {
    let counted = rounds
        .iter()
        .enumerate()
        .filter(|(_, round)| round.void.is_none());
    let last = counted.map(|(index, _)| index + 1).nth(planning::FORECAST - 1);
    round_time::round_seconds(experiment, &rounds[..last.unwrap_or(rounds.len())])
}

/// Settings read off the running servers in the round that asked for them.
fn effective(rounds: &[RoundRecord]) -> Vec<Effective> {
    let read = rounds.iter().find_map(|round| {
        let read: Vec<Effective> = round
            .trials
            .iter()
            .filter_map(|trial| trial.effective.clone())
            .collect();
        (!read.is_empty()).then_some(read)
    });
    read.unwrap_or_default()
}
