//! The way to a capacity: the steps that a start takes, and when no more users are tried. The first start climbs, from the
//! fewest users on; all others take the steps that it found, in random order, because a climb makes a warm-up look like a
//! knee.

mod curve;

use crate::numbers::{Closed, Values};
use crate::order;
use crate::validity;
use model::experiment::{Experiment, Find, Steps};
use model::measure::Measure;
use model::outcome::Counts;
use model::record::RoundRecord;
use rand_chacha::ChaCha8Rng;
use stats::knee;
use stats::usl::Point;

pub(crate) use curve::fill;

/// Throughput has stopped growing when so many steps after the best one bring less than this factor more.
const FLAT_STEPS: usize = 4;
const GROWTH: f64 = 1.03;
/// Steps at least: with fewer there is no curve.
const FEWEST: usize = 8;
/// Most users that warm an arm up: enough for its compilers to have work, few enough for any server.
const WARM_USERS: usize = 16;

/// Why no more users were tried.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ended {
    /// Throughput no longer grew.
    Flat,
    /// The generator could do no more.
    Generator(String),
    /// An arm began to answer wrongly.
    Errors(String),
    /// These were all.
    Top,
}

/// The levels of the next start, in their order.
pub(crate) fn levels(
    experiment: &Experiment,
    earlier: &[RoundRecord],
    random: &mut ChaCha8Rng,
) -> Vec<usize> {
    let all = experiment.load.connections.len();
    if !experiment.design.climbs() {
        return order::permutation(random, all);
    }
    match reached(experiment, earlier) {
        Some(reached) => order::permutation(random, reached),
        None => (0..all).collect(),
    }
}

/// The level at which arms are warmed up: where the start begins, but for a climb, whose first step is too little to compile
/// anything.
pub(crate) fn warm_level(experiment: &Experiment, first: usize) -> usize {
    if !experiment.design.climbs() {
        return first;
    }
    let users = experiment.load.connections.iter();
    users
        .filter(|users| **users <= WARM_USERS)
        .count()
        .saturating_sub(1)
}

/// The experiment with as many steps as a start may be expected to take: a climb can end after the fewest or after all, so
/// half way between.
pub(crate) fn expected(experiment: &Experiment) -> Experiment {
    let mut expected = experiment.clone();
    if matches!(experiment.design.find, Some(Find::Capacity(Steps::Chosen))) {
        let all = expected.load.connections.len();
        expected
            .load
            .connections
            .truncate(FEWEST.max(FEWEST.midpoint(all)));
    }
    expected
}

/// Whether a start that climbs has come to its end; what every later start does is known.
pub(crate) fn is_enough(experiment: &Experiment, earlier: &[RoundRecord], record: &RoundRecord) -> bool {
    experiment.design.climbs()
        && reached(experiment, earlier).is_none()
        && ended(experiment, record).is_some()
}

/// How many of the levels have figures: all, or on the way to a capacity those that the first start which counts found.
pub(crate) fn shown(experiment: &Experiment, rounds: &[RoundRecord]) -> usize {
    let all = experiment.load.connections.len();
    if !experiment.design.climbs() {
        return all;
    }
    reached(experiment, rounds).unwrap_or_else(|| {
        let visited = rounds.iter().map(|round| round.levels.len());
        visited.max().unwrap_or(all)
    })
}

/// How many levels the first start which counts found worth taking.
fn reached(experiment: &Experiment, rounds: &[RoundRecord]) -> Option<usize> {
    let first = climb(rounds)?;
    let visited = first.levels.len();
    Some(match ended(experiment, first)? {
        Ended::Generator(_) | Ended::Errors(_) => visited.saturating_sub(1).max(1),
        Ended::Flat | Ended::Top => visited,
    })
}

/// The start that climbed.
fn climb(rounds: &[RoundRecord]) -> Option<&RoundRecord> {
    rounds.iter().find(|round| round.void.is_none())
}

/// Why the climb ends at the last level that it visited; `None` when it goes on.
fn ended(experiment: &Experiment, record: &RoundRecord) -> Option<Ended> {
    let last = record.levels.last()?;
    // One or two users of a quick server spend much of their time with the generator: that is not its limit.
    let before = record.levels.iter().any(|level| level.void.is_none());
    if let Some(void) = &last.void
        && void.starts_with("generator-saturated")
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
    let chosen = matches!(experiment.design.find, Some(Find::Capacity(Steps::Chosen)));
    let flat = |arm: usize| is_flat(&rates(record, arm));
    (chosen && (0..experiment.arms.len()).all(flat)).then_some(Ended::Flat)
}

/// What an arm answered wrongly at a level, if any of them did.
pub(crate) fn errors(experiment: &Experiment, record: &RoundRecord, level: usize) -> Option<String> {
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
pub(crate) fn points(experiment: &Experiment, levels: &[Option<Closed>], arm: usize) -> Vec<Point> {
    let users = experiment.load.connections.iter();
    let of = |(users, level): (&usize, &Option<Closed>)| {
        Some(Point {
            users: *users as f64,
            rate: level.as_ref()?.values.own[arm][Measure::Throughput as usize]?,
        })
    };
    users.zip(levels).filter_map(of).collect()
}

/// Adds what a start says of the capacities to what it says once.
pub(crate) fn add(experiment: &Experiment, levels: &[Option<Closed>], once: &mut Values) {
    let most = |arm: usize| knee::most(&points(experiment, levels, arm));
    once.add(Measure::Capacity, experiment.design.baseline, most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;
    use crate::testing::{PLAIN, Speed, levels as at_levels};
    use rand_chacha::rand_core::SeedableRng;

    const USERS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

    pub(super) fn climbing() -> Experiment {
        let text =
            "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nfind = \"capacity\"\nconnections = 64\n";
        Experiment::parse(text, "made-up", &crate::Bench::known()).expect("a valid file")
    }

    /// A start in which arms are as quick as `threads[i]` threads allow, climbed up to so many levels.
    pub(super) fn start(number: u32, threads: [usize; 2], visited: usize) -> RoundRecord {
        let speed = |users: usize| {
            threads.map(|threads| Speed {
                ok: 500 * users.min(threads) as u64,
                ..PLAIN
            })
        };
        let speeds: Vec<[Speed; 2]> = USERS[..visited].iter().map(|users| speed(*users)).collect();
        let mut start = at_levels(number, &speeds);
        start.slices.retain(|slice| slice.rate.is_none());
        start
    }

    #[test]
    fn a_climb_ends_four_steps_after_the_last_that_brought_more() {
        let experiment = climbing();
        assert_eq!(experiment.load.connections, USERS);
        let ended = |visited: usize, threads| ended(&experiment, &start(1, threads, visited));
        // 8 users are the best; 12, 16, 24 and 32 bring nothing.
        assert_eq!(ended(9, [8, 8]), None);
        assert_eq!(ended(10, [8, 8]), Some(Ended::Flat));
        assert_eq!(ended(10, [8, 24]), None, "the other arm still grows");
        assert_eq!(ended(12, [8, 64]), Some(Ended::Top));
        assert_eq!(ended(6, [1, 1]), None, "too few for a curve");
        let mut given = climbing();
        given.design.find = Some(Find::Capacity(Steps::Given));
        assert_eq!(super::ended(&given, &start(1, [8, 8], 10)), None);
    }

    #[test]
    fn a_start_is_expected_to_take_half_of_the_steps_that_are_left_to_it() {
        let taken = |experiment: &Experiment| expected(experiment).load.connections;
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
        late.levels[6].void = Some("generator-saturated: …".to_owned());
        let mut alone = start(1, [64, 64], 1);
        alone.levels[0].void = late.levels[6].void.clone();
        assert_eq!(ended(&experiment, &alone), None, "a single user is no limit");
        for ends in [wrong, late] {
            assert!(is_enough(&experiment, &[], &ends));
            assert_eq!(shown(&experiment, std::slice::from_ref(&ends)), 6);
            let numbers = Numbers::of(&experiment, &ends).expect("numbers");
            assert!(numbers.levels[5].is_some() && numbers.levels[6].is_none());
        }
    }

    #[test]
    fn later_starts_take_the_steps_of_the_first_that_counts_in_random_order() {
        let experiment = climbing();
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut next = |earlier: &[RoundRecord]| levels(&experiment, earlier, &mut random);
        assert_eq!(next(&[]), (0..12).collect::<Vec<usize>>());
        let mut void = start(1, [8, 8], 4);
        void.void = Some("noisy-neighbour: …".to_owned());
        assert_eq!(next(std::slice::from_ref(&void)).len(), 12, "it climbs again");
        let first = [void, start(2, [8, 8], 10)];
        let mut later = next(&first);
        assert_ne!(later, (0..10).collect::<Vec<usize>>());
        later.sort_unstable();
        assert_eq!(later, (0..10).collect::<Vec<usize>>());
        assert_eq!(experiment.load.connections[warm_level(&experiment, 0)], 16);
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
