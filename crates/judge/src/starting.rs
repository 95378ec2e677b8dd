//! How the arms of a round are started: one after the other, so that each start-up is timed alone, or all at once where that would
//! take too much of the round. Start-up is then timed in cycles after the last round, if the budget has room for as many as a verdict
//! needs.

use crate::round_time::mean_times;
use ask::experiment::{Experiment, Headline};
use ask::require::Subject;
use model::measure::Measure;
use model::units::Seconds;
use record::note::RunNote;
use record::round_times::RoundTimes;
use record::rounds::{RoundRecord, TrialRecord, counted};
use stats::robust::mean;
use stats::spending::FIRST_LOOK;

/// The largest share of a round that starting one after the other may take.
const SHARE: f64 = 0.2;
/// What it may take in any case.
const QUICK: Seconds = Seconds(5.0);

/// Whether the arms of the next round are started at once. Before the first round nobody knows how slow they are.
pub fn starts_at_once(experiment: &Experiment, earlier: &[RoundRecord]) -> bool {
    let is_slow = |in_turn: &RoundTimes| in_turn.starting > QUICK.max(SHARE * in_turn.total());
    let several = experiment.arms.len() > 1;
    several && !asks_for_startup(experiment) && in_turn(earlier).as_ref().is_some_and(is_slow)
}

/// Whether the file asks for start-up times.
fn asks_for_startup(experiment: &Experiment) -> bool {
    let design = &experiment.design;
    let is_required = |subject| subject == Subject::Measure(Measure::StartUp);
    design.startup_cycles > 0
        || design.headline == Headline::One(Measure::StartUp)
        || experiment.require.iter().any(|asked| is_required(asked.subject))
}

/// Where the time of rounds went whose arms were started one after the other, as means over them.
fn in_turn(rounds: &[RoundRecord]) -> Option<RoundTimes> {
    let in_turn = rounds.iter().filter(|round| !round.started_at_once);
    mean_times(in_turn.filter_map(|round| round.times))
}

/// The rounds, by index, for which start-up is still to be timed so that there are enough for a verdict. None where there are too few
/// rounds for any verdict, and where an arm ran already.
pub fn untimed(experiment: &Experiment, rounds: &[RoundRecord]) -> Vec<usize> {
    let counts = |round: &&RoundRecord| round.void.is_none();
    if rounds.iter().filter(counts).count() < FIRST_LOOK
        || experiment.arms.iter().any(|arm| arm.origin.is_some())
    {
        return Vec::new();
    }
    let lacking = FIRST_LOOK.saturating_sub(timed(rounds));
    let all = rounds.iter().enumerate();
    let untimed = all.filter(|(_, round)| counts(round) && !is_timed(round));
    untimed.map(|(index, _)| index).take(lacking).collect()
}

/// Whether start-up was timed alone in a round, or in a cycle that belongs to it.
fn is_timed(round: &RoundRecord) -> bool {
    let has_cycle = |arm: &TrialRecord| !arm.startup_cycles_ns.is_empty();
    !round.started_at_once || round.trials.iter().all(has_cycle)
}

/// In how many rounds that count it was.
fn timed(rounds: &[RoundRecord]) -> usize {
    counted(rounds).filter(|round| is_timed(round)).count()
}

/// Adds a start of each arm alone that was made after a round for its time, in nanoseconds; all of them took so long together.
pub fn add_startups(round: &mut RoundRecord, times: &[u64], together: Seconds) {
    for (trial, time) in round.trials.iter_mut().zip(times) {
        trial.startup_cycles_ns.push(*time);
    }
    if let Some(times) = &mut round.times {
        times.startup_cycles += together;
    }
}

/// How long it takes to start and stop every arm alone; 0 before a round has shown it.
pub fn cycle_time(experiment: &Experiment, rounds: &[RoundRecord]) -> Seconds {
    let stopping: Vec<f64> = rounds.iter().filter_map(|round| Some(round.times?.stopping.0)).collect();
    let starting = in_turn(rounds).map_or(Seconds::ZERO, |times| times.starting);
    starting + Seconds(experiment.arms.len() as f64 * mean(&stopping).unwrap_or(0.0))
}

/// A note where arms were started at once.
pub(crate) fn note_on_starting(experiment: &Experiment, rounds: &[RoundRecord]) -> Option<RunNote> {
    let at_once = counted(rounds).filter(|round| round.started_at_once).count();
    let timed = timed(rounds);
    let lacking = FIRST_LOOK.saturating_sub(timed) as f64;
    (at_once > 0).then(|| RunNote::StartedAtOnce {
        starts: at_once,
        all: counted(rounds).count(),
        in_turn: in_turn(rounds).map_or(Seconds::ZERO, |times| times.starting),
        timed,
        needed: FIRST_LOOK,
        lacks: lacking * cycle_time(experiment, rounds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, round};
    use ask::require::{Bound, Requirement};
    use model::reason::Reason;

    fn took(number: u32, starting: f64, measuring: f64) -> RoundRecord {
        let times = RoundTimes {
            starting: Seconds(starting),
            closed_loop: Seconds(measuring),
            stopping: Seconds(0.5),
            ..RoundTimes::default()
        };
        RoundRecord { times: Some(times), ..round(number, &[PLAIN, PLAIN]) }
    }

    #[test]
    fn slow_arms_start_at_once_from_the_second_round_on() {
        let at_once = |starting, measuring| starts_at_once(&experiment(), &[took(1, starting, measuring)]);
        assert!(!starts_at_once(&experiment(), &[]), "nothing is known");
        assert!(at_once(16.0, 20.0));
        assert!(!at_once(4.9, 1.0), "it is quick");
        assert!(!at_once(16.0, 70.0), "it is a small part of the round");
        // Rounds that were started at once do not tell how long it takes in turn.
        let mut second = took(2, 6.0, 70.0);
        second.started_at_once = true;
        assert!(starts_at_once(&experiment(), &[took(1, 16.0, 20.0), second]));
    }

    #[test]
    fn whoever_asks_for_startup_gets_it_from_every_start() {
        let slow = [took(1, 16.0, 20.0)];
        let asked = |ask: &dyn Fn(&mut Experiment)| {
            let mut experiment = experiment();
            ask(&mut experiment);
            starts_at_once(&experiment, &slow)
        };
        assert!(asked(&|_| ()));
        assert!(!asked(&|of| of.design.startup_cycles = 1));
        assert!(!asked(&|of| of.design.headline = Headline::One(Measure::StartUp)));
        let required = |subject| Requirement { arm: None, step: None, subject, bound: Bound::Below(3.0) };
        assert!(asked(&|of| of.require.push(required(Subject::Errors))));
        assert!(!asked(&|of| of.require.push(required(Subject::Measure(Measure::StartUp)))));
    }

    #[test]
    fn as_many_rounds_are_timed_afterwards_as_a_verdict_needs() {
        let rounds = |count: u32| -> Vec<RoundRecord> {
            let round = |number| RoundRecord { started_at_once: number > 1, ..took(number, 16.0, 20.0) };
            (1..=count).map(round).collect()
        };
        let of = |rounds: &[RoundRecord]| untimed(&experiment(), rounds);
        assert_eq!(of(&rounds(3)), [0; 0], "there is no verdict on anything");
        assert_eq!(of(&rounds(6)), [1, 2, 3]);
        let mut some = rounds(6);
        some[1].void = Some(Reason::NoValue);
        add_startups(&mut some[2], &[1, 2], Seconds(3.0));
        assert_eq!(some[2].times.map(|times| times.startup_cycles), Some(Seconds(3.0)));
        assert_eq!(of(&some), [3, 4]);
        assert!((cycle_time(&experiment(), &some).0 - 17.0).abs() < 1e-9);
        let Some(RunNote::StartedAtOnce { starts, all, timed, lacks, .. }) =
            note_on_starting(&experiment(), &some)
        else {
            panic!("a note");
        };
        assert_eq!((starts, all, timed), (4, 5, 2));
        assert!((lacks.0 - 34.0).abs() < 1e-9);
        assert_eq!(note_on_starting(&experiment(), &rounds(1)), None);
    }
}
