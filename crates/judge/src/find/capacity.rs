//! The search for a capacity: which numbers of users a start tries, and when it stops adding users. The first start climbs from
//! the fewest users on; all others visit the levels that it found in random order, because in a climb a warm-up would look like
//! a knee.

mod curve;

use super::{JudgedRun, Mode};
use crate::numbers::{ArmValues, ClosedLevel, Numbers};
use crate::validity;
use ask::experiment::{Experiment, Steps};
use model::measure::Measure;
use model::reason::Reason;
use record::outcome::{ArmResult, Counts};
use record::rounds::{RoundRecord, counted};
use stats::knee;
use stats::usl::CapacityPoint;

/// Number of last steps that are compared with all earlier ones to see whether throughput still grows.
const FLAT_STEPS: usize = 4;
/// Throughput has stopped growing when the best of the last steps is less than this factor above the best of the earlier ones.
const GROWTH: f64 = 1.03;
/// Fewest steps of a climb: with fewer there is no curve.
const FEWEST: usize = 8;

/// Why a climb ended.
#[derive(Clone, Debug, PartialEq)]
enum ClimbEnd {
    /// Throughput no longer grew.
    Flat,
    /// The generator reached its limit.
    Generator(Reason),
    /// An arm began to answer wrongly.
    Errors(Reason),
    /// All numbers of users that the experiment allows were tried.
    Top,
}

impl Mode for Steps {
    /// A level with wrong answers gives no numbers: the curve ends where errors begin.
    fn voids_level(&self, experiment: &Experiment, round: &RoundRecord, level: usize) -> bool {
        wrong_answers(experiment, round, level).is_some()
    }

    fn add_result(
        &self,
        experiment: &Experiment,
        _: &RoundRecord,
        levels: &[Option<ClosedLevel>],
        per_start: &mut ArmValues,
    ) {
        let most = |arm: usize| knee::highest_throughput(&capacity_points(experiment, levels, arm));
        per_start.add(Measure::Capacity, experiment.design.baseline, most);
    }

    /// The place of each start's highest throughput is chosen by the other starts.
    fn settle_results(&self, experiment: &Experiment, starts: &mut [Numbers]) {
        let of_arm = |arm: usize| {
            let points = |start: &Numbers| capacity_points(experiment, &start.levels, arm);
            knee::highest_throughputs(&starts.iter().map(points).collect::<Vec<_>>())
        };
        let by_arm: Vec<Vec<Option<f64>>> = (0..experiment.arms.len()).map(of_arm).collect();
        for (index, start) in starts.iter_mut().enumerate() {
            let most = |arm: usize| by_arm[arm][index];
            start.per_start.add(Measure::Capacity, experiment.design.baseline, most);
        }
    }

    /// The levels that the climb found, or before it has ended the visited ones.
    fn reported_levels(&self, experiment: &Experiment, rounds: &[RoundRecord]) -> usize {
        levels_of_climb(*self, experiment, rounds).unwrap_or_else(|| {
            let visited = rounds.iter().map(|round| round.levels.len());
            visited.max().unwrap_or(experiment.load.connections.len())
        })
    }

    /// Only the last level, at which the server reaches its limit.
    fn first_inspected_level(&self, reached: usize) -> usize {
        reached.saturating_sub(1)
    }

    /// A climb may end after the fewest steps or after all of them; half way between is expected.
    fn expected_experiment(&self, experiment: &Experiment) -> Experiment {
        let mut expected = experiment.clone();
        if *self == Steps::Chosen {
            let all = expected.load.connections.len();
            expected.load.connections.truncate(FEWEST.max(FEWEST.midpoint(all)));
        }
        expected
    }

    fn fill_in_results(&self, arms: &mut [ArmResult], judged: JudgedRun<'_>) {
        curve::fill_in_capacities(*self, arms, judged);
    }
}

/// Whether the start of this record is the climb and has ended. After a climb has ended, later starts visit its levels, and
/// this is `false`.
pub fn climb_has_ended(
    steps: Steps,
    experiment: &Experiment,
    earlier: &[RoundRecord],
    record: &RoundRecord,
) -> bool {
    levels_of_climb(steps, experiment, earlier).is_none() && climb_end(steps, experiment, record).is_some()
}

/// How many levels later starts visit: the climb's, without a last one at which errors began or the generator
/// reached its limit. `None` before a climb has ended.
pub fn levels_of_climb(steps: Steps, experiment: &Experiment, rounds: &[RoundRecord]) -> Option<usize> {
    let first = first_counted(rounds)?;
    let visited = first.levels.len();
    Some(match climb_end(steps, experiment, first)? {
        ClimbEnd::Generator(_) | ClimbEnd::Errors(_) => visited.saturating_sub(1).max(1),
        ClimbEnd::Flat | ClimbEnd::Top => visited,
    })
}

/// The start that climbed: the first one that counts.
fn first_counted(rounds: &[RoundRecord]) -> Option<&RoundRecord> {
    counted(rounds).next()
}

/// Why the climb ends at the last level that it visited; `None` when it continues.
fn climb_end(steps: Steps, experiment: &Experiment, record: &RoundRecord) -> Option<ClimbEnd> {
    let last = record.levels.last()?;
    // With one or two users of a quick server, the generator takes much of their time without being at its limit.
    let before = record.levels.iter().any(|level| level.void.is_none());
    if let Some(void) = &last.void
        && void.is_of_generator()
        && before
    {
        return Some(ClimbEnd::Generator(void.clone()));
    }
    if let Some(wrong) = wrong_answers(experiment, record, last.level) {
        return Some(ClimbEnd::Errors(wrong));
    }
    if last.level + 1 == experiment.load.connections.len() {
        return Some(ClimbEnd::Top);
    }
    let flat = |arm: usize| is_flat(&throughput_by_level(record, arm));
    (steps == Steps::Chosen && (0..experiment.arms.len()).all(flat)).then_some(ClimbEnd::Flat)
}

/// The wrong answers of the first arm that gave too many of them at a level, if any did.
fn wrong_answers(experiment: &Experiment, record: &RoundRecord, level: usize) -> Option<Reason> {
    experiment.arms.iter().enumerate().find_map(|(index, arm)| {
        let mut counts = Counts::default();
        for slice in record.closed_at(level).filter(|slice| slice.arm == index) {
            counts.add(&slice.counts);
        }
        validity::check_errors(&arm.name, &counts)
    })
}

/// Right answers per second of an arm at every level that counts, in the order in which levels were visited.
fn throughput_by_level(record: &RoundRecord, arm: usize) -> Vec<f64> {
    let counted = record.levels.iter().filter(|level| level.void.is_none());
    let rate = |level: usize| {
        let slices = || record.closed_at(level).filter(|slice| slice.arm == arm);
        let ok: u64 = slices().map(|slice| slice.counts.ok).sum();
        let elapsed: u64 = slices().map(|slice| slice.elapsed_ns).sum();
        ok as f64 / (elapsed as f64 / 1e9)
    };
    counted.map(|level| rate(level.level)).collect()
}

/// Whether throughput has stopped growing.
fn is_flat(rates: &[f64]) -> bool {
    let Some(before) = rates.len().checked_sub(FLAT_STEPS).filter(|_| rates.len() >= FEWEST) else {
        return false;
    };
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    best(&rates[before..]) < GROWTH * best(&rates[..before])
}

/// The throughput of an arm by users in one start, at the levels that count.
fn capacity_points(
    experiment: &Experiment,
    levels: &[Option<ClosedLevel>],
    arm: usize,
) -> Vec<CapacityPoint> {
    let users = experiment.load.connections.iter();
    let point = |(users, level): (&usize, &Option<ClosedLevel>)| {
        Some(CapacityPoint {
            users: *users as f64,
            rate: level.as_ref()?.values.value[arm][Measure::Throughput as usize]?,
        })
    };
    users.zip(levels).filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::super::mode;
    use super::*;
    use crate::testing::{CLIMB as USERS, climb as start, climbing};
    use ask::experiment::Find;

    #[test]
    fn a_climb_ends_four_steps_after_the_last_that_brought_more() {
        let experiment = climbing();
        assert_eq!(experiment.load.connections, USERS);
        let ended =
            |visited: usize, threads| climb_end(Steps::Chosen, &experiment, &start(1, threads, visited));
        // 8 users are the best; 12, 16, 24 and 32 bring nothing.
        assert_eq!(ended(9, [8, 8]), None);
        assert_eq!(ended(10, [8, 8]), Some(ClimbEnd::Flat));
        assert_eq!(ended(10, [8, 24]), None, "the other arm still grows");
        assert_eq!(ended(12, [8, 64]), Some(ClimbEnd::Top));
        assert_eq!(ended(6, [1, 1]), None, "too few for a curve");
        assert_eq!(climb_end(Steps::Given, &experiment, &start(1, [8, 8], 10)), None);
    }

    #[test]
    fn a_climb_is_expected_to_end_half_way_between_the_fewest_steps_and_all() {
        let expected =
            |experiment: &Experiment| mode(experiment).expected_experiment(experiment).load.connections;
        assert_eq!(expected(&climbing()), USERS[..10]);
        let mut given = climbing();
        given.design.find = Some(Find::Capacity(Steps::Given));
        assert_eq!(expected(&given), USERS);
        given.load.connections.truncate(4);
        given.design.find = Some(Find::Capacity(Steps::Chosen));
        assert_eq!(expected(&given), USERS[..4]);
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
        assert_eq!(climb_end(Steps::Chosen, &experiment, &alone), None, "a single user is no limit");
        for ends in [wrong, late] {
            assert!(climb_has_ended(Steps::Chosen, &experiment, &[], &ends));
            assert_eq!(Steps::Chosen.reported_levels(&experiment, std::slice::from_ref(&ends)), 6);
            let numbers = Numbers::of(&experiment, &ends).expect("numbers");
            assert!(numbers.levels[5].is_some() && numbers.levels[6].is_none());
        }
    }

    #[test]
    fn the_other_starts_choose_where_a_start_is_highest() {
        // In the third start, the first arm is lucky with 24 users, and the second one with 16.
        let lucky = |number: u32| {
            let mut start = start(number, [8, 8], 12);
            for slice in start.slices.iter_mut().filter(|slice| number == 3 && slice.level == 8 - slice.arm) {
                slice.counts.ok = 13 * slice.counts.ok / 10;
            }
            start
        };
        let rounds: Vec<RoundRecord> = (1..=5).map(lucky).collect();
        let value = |numbers: &Numbers| {
            [0, 1].map(|arm| numbers.value(arm, Measure::Capacity, 0).expect("a capacity"))
        };
        let alone = Numbers::of(&climbing(), &rounds[2]).expect("numbers");
        assert!(value(&alone).iter().all(|most| *most > 8_500.0), "{:?}", value(&alone));
        let together = &Numbers::of_rounds(&climbing(), &rounds)[2];
        let [one, other] = value(together);
        assert!((one - 8_000.0).abs() < 1e-6 && (other - 8_000.0).abs() < 1e-6, "{one} {other}");
        assert_eq!(together.d(1, Measure::Capacity, 0), Some(other.ln() - one.ln()));
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
            "throughput is not compared where a capacity is looked for"
        );
    }
}
