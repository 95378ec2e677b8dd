//! The way to a capacity: the steps that a start takes, and when no more users are tried. The first start climbs, from the
//! fewest users on; all others take the steps that it found, in random order, because a climb makes a warm-up look like a
//! knee.

mod curve;

use super::{Judged, Mode};
use crate::numbers::{Closed, Values};
use crate::validity;
use model::experiment::{Experiment, Steps};
use model::measure::Measure;
use model::outcome::{ArmResult, Counts};
use model::reason::Reason;
use model::record::RoundRecord;
use stats::knee;
use stats::usl::CapacityPoint;

/// Throughput has stopped growing when so many steps after the best one bring less than this factor more.
const FLAT_STEPS: usize = 4;
const GROWTH: f64 = 1.03;
/// Steps at least: with fewer there is no curve.
const FEWEST: usize = 8;

/// Why no more users were tried.
#[derive(Clone, Debug, PartialEq)]
enum Ended {
    /// Throughput no longer grew.
    Flat,
    /// The generator could do no more.
    Generator(Reason),
    /// An arm began to answer wrongly.
    Errors(Reason),
    /// These were all.
    Top,
}

impl Mode for Steps {
    /// Where errors begin, a curve ends.
    fn spoils(&self, experiment: &Experiment, round: &RoundRecord, level: usize) -> bool {
        errors(experiment, round, level).is_some()
    }

    fn add(&self, experiment: &Experiment, _: &RoundRecord, levels: &[Option<Closed>], once: &mut Values) {
        let most = |arm: usize| knee::highest_throughput(&points(experiment, levels, arm));
        once.add(Measure::Capacity, experiment.design.baseline, most);
    }

    /// Those that the first start which counts found.
    fn shown(&self, experiment: &Experiment, rounds: &[RoundRecord]) -> usize {
        reached(*self, experiment, rounds).unwrap_or_else(|| {
            let visited = rounds.iter().map(|round| round.levels.len());
            visited.max().unwrap_or(experiment.load.connections.len())
        })
    }

    /// A climb can end after the fewest steps or after all, so half way between.
    fn expected(&self, experiment: &Experiment) -> Experiment {
        let mut expected = experiment.clone();
        if *self == Steps::Chosen {
            let all = expected.load.connections.len();
            expected
                .load
                .connections
                .truncate(FEWEST.max(FEWEST.midpoint(all)));
        }
        expected
    }

    fn fill(&self, arms: &mut [ArmResult], judged: Judged<'_>) {
        curve::fill(*self, arms, judged);
    }
}

/// Whether a start that climbs has come to its end; what every later start does is known.
pub fn is_enough(
    steps: Steps,
    experiment: &Experiment,
    earlier: &[RoundRecord],
    record: &RoundRecord,
) -> bool {
    reached(steps, experiment, earlier).is_none() && ended(steps, experiment, record).is_some()
}

/// How many levels the first start which counts found worth taking.
pub fn reached(steps: Steps, experiment: &Experiment, rounds: &[RoundRecord]) -> Option<usize> {
    let first = climb(rounds)?;
    let visited = first.levels.len();
    Some(match ended(steps, experiment, first)? {
        Ended::Generator(_) | Ended::Errors(_) => visited.saturating_sub(1).max(1),
        Ended::Flat | Ended::Top => visited,
    })
}

/// The start that climbed.
fn climb(rounds: &[RoundRecord]) -> Option<&RoundRecord> {
    rounds.iter().find(|round| round.void.is_none())
}

/// Why the climb ends at the last level that it visited; `None` when it goes on.
fn ended(steps: Steps, experiment: &Experiment, record: &RoundRecord) -> Option<Ended> {
    let last = record.levels.last()?;
    // One or two users of a quick server spend much of their time with the generator: that is not its limit.
    let before = record.levels.iter().any(|level| level.void.is_none());
    if let Some(void) = &last.void
        && void.is_of_generator()
        && before
    {
        return Some(Ended::Generator(void.clone()));
    }
    if let Some(wrong) = errors(experiment, record, last.level) {
        return Some(Ended::Errors(wrong));
    }
    if last.level + 1 == experiment.load.connections.len() {
        return Some(Ended::Top);
    }
    let flat = |arm: usize| is_flat(&rates(record, arm));
    (steps == Steps::Chosen && (0..experiment.arms.len()).all(flat)).then_some(Ended::Flat)
}

/// What an arm answered wrongly at a level, if any of them did.
fn errors(experiment: &Experiment, record: &RoundRecord, level: usize) -> Option<Reason> {
    experiment.arms.iter().enumerate().find_map(|(index, arm)| {
        let mut counts = Counts::default();
        for slice in record.closed_at(level).filter(|slice| slice.arm == index) {
            counts.add(&slice.counts);
        }
        validity::errors(&arm.name, &counts)
    })
}

/// Right answers per second of an arm at every level that counts, in the order of the visits.
fn rates(record: &RoundRecord, arm: usize) -> Vec<f64> {
    let counted = record.levels.iter().filter(|level| level.void.is_none());
    let rate = |level: usize| {
        let own = || record.closed_at(level).filter(|slice| slice.arm == arm);
        let ok: u64 = own().map(|slice| slice.counts.ok).sum();
        let elapsed: u64 = own().map(|slice| slice.elapsed_ns).sum();
        ok as f64 / (elapsed as f64 / 1e9)
    };
    counted.map(|level| rate(level.level)).collect()
}

fn is_flat(rates: &[f64]) -> bool {
    let Some(before) = rates
        .len()
        .checked_sub(FLAT_STEPS)
        .filter(|_| rates.len() >= FEWEST)
    else {
        return false;
    };
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    best(&rates[before..]) < GROWTH * best(&rates[..before])
}

/// An arm's curve in one start.
fn points(experiment: &Experiment, levels: &[Option<Closed>], arm: usize) -> Vec<CapacityPoint> {
    let users = experiment.load.connections.iter();
    let of = |(users, level): (&usize, &Option<Closed>)| {
        Some(CapacityPoint {
            users: *users as f64,
            rate: level.as_ref()?.values.own[arm][Measure::Throughput as usize]?,
        })
    };
    users.zip(levels).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::mode;
    use super::*;
    use crate::numbers::Numbers;
    use crate::testing::{CLIMB as USERS, climb as start, climbing};
    use model::experiment::Find;

    #[test]
    fn a_climb_ends_four_steps_after_the_last_that_brought_more() {
        let experiment = climbing();
        assert_eq!(experiment.load.connections, USERS);
        let ended = |visited: usize, threads| ended(Steps::Chosen, &experiment, &start(1, threads, visited));
        // 8 users are the best; 12, 16, 24 and 32 bring nothing.
        assert_eq!(ended(9, [8, 8]), None);
        assert_eq!(ended(10, [8, 8]), Some(Ended::Flat));
        assert_eq!(ended(10, [8, 24]), None, "the other arm still grows");
        assert_eq!(ended(12, [8, 64]), Some(Ended::Top));
        assert_eq!(ended(6, [1, 1]), None, "too few for a curve");
        assert_eq!(
            super::ended(Steps::Given, &experiment, &start(1, [8, 8], 10)),
            None
        );
    }

    #[test]
    fn a_start_is_expected_to_take_half_of_the_steps_that_are_left_to_it() {
        let taken = |experiment: &Experiment| mode(experiment).expected(experiment).load.connections;
        assert_eq!(taken(&climbing()), USERS[..10]);
        let mut given = climbing();
        given.design.find = Some(Find::Capacity(Steps::Given));
        assert_eq!(taken(&given), USERS);
        given.load.connections.truncate(4);
        given.design.find = Some(Find::Capacity(Steps::Chosen));
        assert_eq!(taken(&given), USERS[..4]);
    }

    #[test]
    fn errors_and_the_generator_end_a_climb_below_the_step_that_shows_them() {
        let experiment = climbing();
        let mut wrong = start(1, [64, 64], 7);
        for slice in wrong.slices.iter_mut().filter(|slice| slice.level == 6) {
            slice.counts.requests += 100;
        }
        let mut late = start(1, [64, 64], 7);
        late.levels[6].void = Some(crate::testing::saturated());
        let mut alone = start(1, [64, 64], 1);
        alone.levels[0].void = late.levels[6].void.clone();
        assert_eq!(
            ended(Steps::Chosen, &experiment, &alone),
            None,
            "a single user is no limit"
        );
        for ends in [wrong, late] {
            assert!(is_enough(Steps::Chosen, &experiment, &[], &ends));
            assert_eq!(Steps::Chosen.shown(&experiment, std::slice::from_ref(&ends)), 6);
            let numbers = Numbers::of(&experiment, &ends).expect("numbers");
            assert!(numbers.levels[5].is_some() && numbers.levels[6].is_none());
        }
    }

    #[test]
    fn a_start_has_one_capacity_of_each_arm_and_compares_them() {
        let numbers = Numbers::of(&climbing(), &start(1, [8, 12], 12)).expect("numbers");
        let value = |arm: usize| numbers.value(arm, Measure::Capacity, 0).expect("a capacity");
        assert!((value(0) - 8_000.0).abs() < 1e-6 && (value(1) - 12_000.0).abs() < 1e-6);
        let d = numbers.d(1, Measure::Capacity, 0).expect("compared");
        assert!((d - 1.5_f64.ln()).abs() < 1e-9);
        assert_eq!(
            numbers.d(1, Measure::Throughput, 0),
            None,
            "no question of its own"
        );
    }
}
