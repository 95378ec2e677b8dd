//! The notes on the starts and the load of a run: what a reader has to know before trusting the figures.

use crate::learnt_priors;
use crate::numbers::Numbers;
use crate::settling;
use crate::slow::{SLOW, WAVES};
use crate::starting;
use crate::validity::taken_by_idle_arms;
use ask::arm::Arm;
use ask::experiment::Experiment;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Seconds, Share};
use record::note::{ArmNote, Note, Part, RunNote};
use record::rounds::{LevelRecord, RoundRecord, SliceRecord, counted};
use traffic::load_note::{ArmCount, LoadNote, SlowService};

/// Share of the machine that should be idle before a round begins.
pub const IDLE: Share = Share(0.60);

/// All notes on the starts and the load of a run.
pub(crate) fn notes_on_run(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
) -> Vec<Note> {
    let last = rounds.last().map(|round| round.round);
    let mut notes: Vec<Note> = rounds
        .iter()
        .flat_map(|round| not_counted(experiment, round, last == Some(round.round)))
        .map(Note::Run)
        .collect();
    notes.extend(late_percentiles(experiment, rounds).map(Note::Run));
    notes.extend(continued_starts(rounds).map(Note::Run));
    let starts = [
        learnt_priors::note(&experiment.design),
        slices_repeated(rounds),
        compilers_busy(rounds),
        starting::note_on_starting(experiment, rounds),
        pairs_changed(rounds),
        machine_busy(rounds),
        warmup_unsteady(rounds),
    ];
    notes.extend(starts.into_iter().flatten().map(Note::Run));
    notes.extend(settling::notes_on_drift(experiment, rounds).into_iter().map(Note::Run));
    notes.extend(never_restarted(experiment).map(Note::Arm));
    notes.extend(unseen(experiment).map(Note::Arm));
    notes.extend(certificates_not_verified(experiment).map(Note::Arm));
    notes.extend(loaded_together(rounds).map(Note::Load));
    for level in 0..experiment.load.connections.len() {
        let of_level = [
            slow_service_at(experiment, rounds, level).map(LoadNote::SlowService),
            rounds.iter().find_map(|round| arms_at_once(experiment, round.level(level)?)),
            working_arms(rounds, level),
            no_steady_state(experiment, rounds, numbers, level),
            connections_reopened(experiment, rounds, level),
        ];
        notes.extend(of_level.into_iter().flatten().map(Note::Load));
    }
    notes
}

/// A note where the arms had the fixed rate at the same time: figures there show an arm beside the others.
fn loaded_together(rounds: &[RoundRecord]) -> Option<LoadNote> {
    let mut stages = counted(rounds).filter(|round| round.stage_void.is_none());
    let (round, slice) = stages.find_map(|round| Some((round, round.staged_for_cpu().next()?)))?;
    slice.together.then_some(LoadNote::LoadedTogether {
        arms: round.trials.len(),
        rate: slice.rate?,
        for_cpu: round.is_mixed(),
    })
}

/// A note for each part of a round that did not count. A round is repeated unless it is the last one: the run had no time left, or
/// had repeated too many already.
fn not_counted(experiment: &Experiment, round: &RoundRecord, is_last: bool) -> Vec<RunNote> {
    let note = |part: Part, reason: &Reason| RunNote::NotCounted {
        start: round.round,
        part,
        reason: reason.clone(),
    };
    if let Some(reason) = &round.void {
        let part = if is_last { Part::LastStart } else { Part::Whole };
        return vec![note(part, reason)];
    }
    let at_level = |level: &LevelRecord| {
        let users = experiment.load.connections[level.level];
        match (&level.void, &level.cpu_void) {
            (Some(reason), _) => Some(note(Part::Level { users }, reason)),
            (None, Some(reason)) if experiment.design.compares_by_level(Measure::CpuPerRequest) => {
                Some(note(Part::CpuPerRequest { users }, reason))
            }
            _ => None,
        }
    };
    let of_arms = |level: &LevelRecord| {
        let part = Part::OneArm { users: experiment.load.connections[level.level] };
        let arms = level.void_arms.iter().filter(|_| level.void.is_none());
        arms.map(|void| note(part, &void.reason)).collect::<Vec<_>>()
    };
    let levels = round.levels.iter().filter_map(at_level);
    let levels = levels.chain(round.levels.iter().flat_map(of_arms));
    let stage = round.stage_void.iter().map(|reason| note(Part::FixedRate, reason));
    let latency = round.latency_void.iter();
    let latency = latency.map(|reason| note(Part::ResponseTimes, reason));
    levels.chain(stage).chain(latency).collect()
}

/// A note for each percentile of the response times that did not count in some starts.
fn late_percentiles(experiment: &Experiment, rounds: &[RoundRecord]) -> impl Iterator<Item = RunNote> {
    let timed = counted(rounds).filter(|round| round.latency_void.is_none());
    let staged = timed.filter(|round| round.staged().next().is_some());
    let staged: Vec<&RoundRecord> = staged.collect();
    let note = move |measure: Measure| {
        let late = staged.iter().filter_map(|round| round.times_void(measure));
        let late: Vec<&Reason> = late.collect();
        Some(RunNote::LatePercentile {
            measure,
            starts: late.len(),
            all: staged.len(),
            last: (*late.last()?).clone(),
        })
    };
    Measure::ALL.into_iter().filter(|measure| experiment.asks_for(*measure)).filter_map(note)
}

/// Whether a slice is the first one of its quad.
fn begins_quad(slice: &&SliceRecord) -> bool {
    slice.position == 0 && !slice.probe && !slice.curve
}

/// The number of quads in these rounds.
fn quads(rounds: &[RoundRecord]) -> usize {
    let of_round = |round: &RoundRecord| round.slices.iter().filter(begins_quad).count();
    rounds.iter().map(of_round).sum()
}

/// A note on quads that were measured again.
fn slices_repeated(rounds: &[RoundRecord]) -> Option<RunNote> {
    let lost = |round: &RoundRecord| {
        let slices = round.slices.iter().filter(begins_quad);
        slices.filter(|slice| round.is_repeated(slice)).count()
    };
    let repeated: usize = rounds.iter().map(lost).sum();
    let all = quads(rounds);
    (repeated > 0).then_some(RunNote::SlicesRepeated { repeated, all })
}

/// A note on quads in which the compilers of an arm were busy.
fn compilers_busy(rounds: &[RoundRecord]) -> Option<RunNote> {
    let bursts = rounds.iter().map(RoundRecord::compiled_quads).filter(|quads| *quads > 0);
    let starts = bursts.clone().count();
    (starts > 0).then(|| RunNote::CompilersBusy { compiled: bursts.sum(), all: quads(rounds), starts })
}

/// A note where later starts had another number of pairs than the first start that counted.
fn pairs_changed(rounds: &[RoundRecord]) -> Option<RunNote> {
    let rounds: Vec<&RoundRecord> = counted(rounds).collect();
    let (first, last) = (*rounds.first()?, *rounds.last()?);
    if first.pairs != last.pairs && first.latency_pairs != last.latency_pairs {
        return Some(RunNote::TimeMoved {
            starts: rounds.iter().filter(|round| round.pairs == first.pairs).count(),
            closed_before: first.pairs,
            closed_after: last.pairs,
            stage_before: first.latency_pairs,
            stage_after: last.latency_pairs,
        });
    }
    let pairs: fn(&RoundRecord) -> u32 = match first.pairs == last.pairs {
        true => |round| round.latency_pairs,
        false => |round| round.pairs,
    };
    let (before, after) = (pairs(first), pairs(last));
    (before != after).then(|| RunNote::PairsChanged {
        before,
        starts: rounds.iter().filter(|round| pairs(round) == before).count(),
        after,
    })
}

/// A note on starts that began while the machine was busy.
fn machine_busy(rounds: &[RoundRecord]) -> Option<RunNote> {
    let busy: Vec<&RoundRecord> = rounds.iter().filter(|round| round.idle < IDLE).collect();
    (!busy.is_empty()).then(|| RunNote::MachineBusy {
        busy: busy.len(),
        all: rounds.len(),
        idle: busy.iter().map(|round| round.idle).fold(Share(1.0), Share::min),
        waited: rounds.iter().map(|round| round.waited).sum(),
    })
}

/// A note on servers that prony did not start: their figures do not contain the variation between starts.
fn never_restarted(experiment: &Experiment) -> Option<ArmNote> {
    let arms = arm_names(experiment, |arm| arm.origin.is_some() && !arm.is_unseen());
    (!arms.is_empty()).then_some(ArmNote::NeverRestarted { arms })
}

/// A note on servers that run where nobody can look: what is unknown of them, and what their sessions can show.
fn unseen(experiment: &Experiment) -> Option<ArmNote> {
    let arms = arm_names(experiment, Arm::is_unseen);
    (!arms.is_empty()).then_some(ArmNote::Unseen { arms })
}

/// A note on servers whose certificates could not be verified.
fn certificates_not_verified(experiment: &Experiment) -> Option<ArmNote> {
    let arms =
        arm_names(experiment, |arm| arm.origin.as_ref().is_some_and(|origin| origin.tls && origin.is_here()));
    (!arms.is_empty()).then_some(ArmNote::CertificateNotVerified { arms })
}

fn arm_names(experiment: &Experiment, wanted: impl Fn(&Arm) -> bool) -> Vec<String> {
    let arms = experiment.arms.iter().filter(|arm| wanted(arm));
    arms.map(|arm| arm.name.clone()).collect()
}

/// Notes on starts that were continued after an interruption.
fn continued_starts(rounds: &[RoundRecord]) -> impl Iterator<Item = RunNote> {
    let continued = rounds.iter().filter(|round| round.levels_before > 0);
    continued.map(|round| RunNote::StartContinued { start: round.round, levels: round.levels_before })
}

/// A note on warm-ups that ended at their cap.
fn warmup_unsteady(rounds: &[RoundRecord]) -> Option<RunNote> {
    let trials = rounds.iter().flat_map(|round| &round.trials);
    let unsteady = trials.clone().filter(|trial| !trial.steady).count();
    let all = trials.count();
    (unsteady > 0).then_some(RunNote::WarmupUnsteady { unsteady, all })
}

/// A note on how a slow service was measured at a level; `None` where the service is quick.
fn slow_service_at(experiment: &Experiment, rounds: &[RoundRecord], at: usize) -> Option<SlowService> {
    let level = rounds.iter().find_map(|round| round.level(at))?;
    slow_service(experiment, level)
}

/// How a slow service was measured at a level of one round: how long its slices were, and whether they held
/// few waves of requests. `None` where the service is quick, or all arms were loaded at once.
pub fn slow_service(experiment: &Experiment, level: &LevelRecord) -> Option<SlowService> {
    let [settle, service, counted] =
        [level.settle_ns, level.service_p50_ns, level.counted_ns].map(Seconds::from_nanos);
    let waves = counted / service;
    (service >= Seconds(SLOW) && !level.at_once).then(|| SlowService {
        users: experiment.load.connections[level.level],
        service,
        slice: settle + counted,
        counted,
        pairs: level.pairs,
        total: None,
        few_rounds: (waves < 0.99 * WAVES).then_some(waves),
    })
}

/// A note on a level at which all arms were loaded at once, because less than half of the machine was used.
pub fn arms_at_once(experiment: &Experiment, level: &LevelRecord) -> Option<LoadNote> {
    (level.at_once && experiment.arms.len() > 1).then(|| LoadNote::ArmsAtOnce {
        users: experiment.load.connections[level.level],
        service: Seconds::from_nanos(level.service_p50_ns),
        window: Seconds::from_nanos(level.counted_ns),
        windows: level.pairs,
    })
}

/// Least use of one core by arms that are not loaded, beside each arm, that readers are told about.
const WORKING: Share = Share(0.05);

/// A note where the arms that were not loaded had work of their own all the time, in the median start.
fn working_arms(rounds: &[RoundRecord], at: usize) -> Option<LoadNote> {
    let of_start = |round: &RoundRecord| {
        let slices: Vec<SliceRecord> = round.closed_at(at).cloned().collect();
        let taken = taken_by_idle_arms(&slices);
        let of = |of: fn(Share, Share) -> Share| taken.iter().map(|(_, share)| *share).reduce(of);
        Some((of(Share::min)?, of(Share::max)?))
    };
    let mut starts: Vec<(Share, Share)> = counted(rounds).filter_map(of_start).collect();
    starts.sort_by(|one, next| one.0.0.total_cmp(&next.0.0));
    let (least, most) = *starts.get(starts.len() / 2)?;
    (least > WORKING).then_some(LoadNote::WorkingArms { least, most })
}

/// A note on arms whose throughput and service time do not make up the number of users by Little's law, at a
/// level with a slow service: the counted parts did not show a steady state.
fn no_steady_state(
    experiment: &Experiment,
    rounds: &[RoundRecord],
    numbers: &[Numbers],
    at: usize,
) -> Option<LoadNote> {
    let level = rounds.iter().find_map(|round| round.level(at))?;
    if !is_slow(level) || !experiment.load.steady() {
        return None;
    }
    let users = experiment.load.connections[at];
    let deviating = |arm: usize| {
        let share =
            |numbers: &Numbers| Some(numbers.levels[at].as_ref()?.times[arm]?.in_flight / users as f64);
        let mut shares: Vec<f64> = numbers.iter().filter_map(share).collect();
        shares.sort_by(f64::total_cmp);
        let median = *shares.get(shares.len() / 2)?;
        ((median - 1.0).abs() > LITTLE).then(|| ArmCount {
            arm: experiment.arms[arm].name.clone(),
            count: (median * users as f64).round_ties_even() as u64,
        })
    };
    let arms: Vec<ArmCount> = (0..experiment.arms.len()).filter_map(deviating).collect();
    (!arms.is_empty()).then_some(LoadNote::NoSteadyState { users, arms })
}

/// Relative deviation from Little's law that a steady state may have.
const LITTLE: f64 = 0.05;

/// Whether the service was slow at a level.
fn is_slow(level: &LevelRecord) -> bool {
    level.service_p50_ns >= (SLOW * 1e9) as u64
}

/// A note on connections that servers closed while other arms were loaded. Only slow services have such pauses: where a slice takes seconds, an
/// arm waits longer for its next slice than servers keep an idle connection.
fn connections_reopened(experiment: &Experiment, rounds: &[RoundRecord], at: usize) -> Option<LoadNote> {
    let level = rounds.iter().find_map(|round| round.level(at))?;
    if !is_slow(level) || !experiment.load.keepalive {
        return None;
    }
    let reopened = |arm: usize| {
        // In the first slice of an arm in a round all connections are new.
        let later = |round| {
            let slices = RoundRecord::closed_at(round, at).filter(move |slice| slice.arm == arm);
            // What connects later, before the counted window, replaces what the server has closed since.
            slices.skip(1).map(|slice| slice.connects_settling).sum::<u64>()
        };
        ArmCount { arm: experiment.arms[arm].name.clone(), count: rounds.iter().map(later).sum() }
    };
    let arms = (0..experiment.arms.len()).map(reopened);
    let arms: Vec<ArmCount> = arms.filter(|arm| arm.count > 0).collect();
    let users = experiment.load.connections[at];
    (!arms.is_empty()).then_some(LoadNote::ConnectionsReopened { users, arms })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, round, two_levels};
    use record::rounds::{LatePercentile, VoidArm};

    fn notes(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<Note> {
        notes_on_run(experiment, rounds, &Numbers::of_rounds(experiment, rounds))
    }

    fn not_counted(start: u32, part: Part) -> Note {
        let reason = Reason::NoValue;
        RunNote::NotCounted { start, part, reason }.into()
    }

    #[test]
    fn what_does_not_count_gets_a_note_with_its_level() {
        let mut rounds = vec![round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        assert_eq!(notes(&experiment(), &rounds), []);
        rounds[0].void = Some(Reason::NoValue);
        assert_eq!(notes(&experiment(), &rounds)[0], not_counted(1, Part::Whole));
        assert_eq!(
            notes(&experiment(), &rounds[..1])[0],
            not_counted(1, Part::LastStart),
            "nothing was repeated"
        );
        let mut both = levels(3, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        both.levels[1].void = Some(Reason::NoValue);
        let at_level = not_counted(3, Part::Level { users: 8 });
        assert_eq!(notes(&two_levels(), &[both.clone()])[0], at_level);
        (both.levels[1].cpu_void, both.levels[1].void) = (both.levels[1].void.take(), None);
        assert_eq!(notes(&two_levels(), &[both.clone()]), [], "compared at a rate");
        let mut without = two_levels();
        without.design.latency_pairs = 0;
        let of_cpu = not_counted(3, Part::CpuPerRequest { users: 8 });
        assert_eq!(notes(&without, &[both])[0], of_cpu);
    }

    #[test]
    fn an_arm_that_does_not_count_gets_a_note() {
        let mut both = levels(3, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        both.levels[1].void_arms = vec![VoidArm { arm: 1, reason: Reason::NoValue }];
        assert_eq!(notes(&two_levels(), &[both])[0], not_counted(3, Part::OneArm { users: 8 }));
    }

    #[test]
    fn a_late_percentile_has_no_number_and_one_note_and_the_others_count() {
        let mut rounds = vec![round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        rounds[1].late_percentiles =
            vec![LatePercentile { measure: Measure::ResponseP50, reason: Reason::NoValue }];
        let late = RunNote::LatePercentile {
            measure: Measure::ResponseP50,
            starts: 1,
            all: 2,
            last: Reason::NoValue,
        };
        assert_eq!(notes(&experiment(), &rounds), [Note::from(late)]);
        let numbers = Numbers::of_rounds(&experiment(), &rounds);
        let values = [Measure::ResponseP50, Measure::ResponseP99, Measure::CpuPerRequest]
            .map(|measure| numbers[1].value(0, measure, 0).is_some());
        assert_eq!(values, [false, true, true]);
        assert_eq!(numbers[1].d(1, Measure::ResponseP50, 0), None);
    }

    #[test]
    fn quads_that_were_measured_again_are_counted() {
        let mut rounds = vec![round(1, &[PLAIN, PLAIN]), round(2, &[PLAIN, PLAIN])];
        rounds[1].latency_repeated = vec![2];
        let repeated = RunNote::SlicesRepeated { repeated: 1, all: 6 };
        assert_eq!(notes(&experiment(), &rounds)[0], repeated.into());
    }

    #[test]
    fn quads_in_which_compilers_were_busy_are_counted() {
        let mut busy = levels(1, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        busy.levels[1].compiled = vec![0];
        busy.latency_compiled = vec![2];
        let expected = RunNote::CompilersBusy { compiled: 2, all: 5, starts: 1 };
        assert_eq!(notes(&two_levels(), &[busy])[0], expected.into());
    }

    #[test]
    fn a_slow_level_gets_notes_on_its_slices_its_bias_and_its_steady_state() {
        let mut slow = levels(1, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
        (slow.levels[1].service_p50_ns, slow.levels[1].pairs) = (1_000_000_000, 2);
        (slow.levels[1].settle_ns, slow.levels[1].counted_ns) = (3_000_000_000, 30_000_000_000);
        let found = notes(&two_levels(), &[slow.clone()]);
        let plain = SlowService {
            users: 8,
            service: Seconds(1.0),
            slice: Seconds(33.0),
            counted: Seconds(30.0),
            pairs: 2,
            total: None,
            few_rounds: None,
        };
        assert_eq!(found[0], LoadNote::SlowService(plain.clone()).into());
        // 20 000 requests a second that take 1 ms each are 20 in flight, and there are 8 users.
        let in_flight = |arm: &str| ArmCount { arm: arm.to_owned(), count: 20 };
        let unsteady = LoadNote::NoSteadyState { users: 8, arms: vec![in_flight("nine"), in_flight("ten")] };
        assert_eq!(found[1], unsteady.into());
        slow.levels[1].counted_ns = 4_000_000_000;
        let last = slow.slices.len() - 1;
        slow.slices[last].connects_settling = 8;
        let found = notes(&two_levels(), &[slow]);
        let few = SlowService { slice: Seconds(7.0), counted: Seconds(4.0), few_rounds: Some(4.0), ..plain };
        assert_eq!(found[0], LoadNote::SlowService(few).into());
        assert!(
            matches!(&found[2], Note::Load(LoadNote::ConnectionsReopened { users: 8, arms }) if arms[0].count == 8),
            "{found:?}"
        );
    }

    #[test]
    fn arms_that_work_while_they_are_not_loaded_are_told() {
        let working = |cpu_ns| {
            let mut round = levels(1, &[[PLAIN, PLAIN], [PLAIN, PLAIN]]);
            round.slices.iter_mut().for_each(|slice| slice.cpu_ns_other_arms = cpu_ns);
            let found = notes(&two_levels(), &[round]);
            let told = |note: &Note| match note {
                Note::Load(LoadNote::WorkingArms { least, most }) => Some((*least, *most)),
                _ => None,
            };
            found.iter().find_map(told)
        };
        assert_eq!(working(10_000_000), None);
        assert_eq!(working(100_000_000), Some((Share(0.2), Share(0.2))));
    }
}
