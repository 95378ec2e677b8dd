//! Properties of verdicts that hold for any measurement: it does not matter which arm is the baseline, which start came first, or
//! in which unit times are. The tests go from slices to comparisons through the code that a run uses.

use crate::numbers::Numbers;
use crate::testing::{PLAIN, Speed, experiment, round};
use crate::verdicts::{Standing, judge};
use model::measure::Measure;
use model::units::Seconds;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use record::outcome::Verdict;
use stats::spending::LookKind;

/// The configuration of a test with few cases, because each case decodes hundreds of histograms. The seed is fixed; raise
/// `PROPTEST_CASES` to search further.
fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(21), failure_persistence: None, cases, ..Default::default() }
}

fn speed() -> impl Strategy<Value = Speed> {
    (0.5..2.0_f64, 0.5..2.0_f64).prop_map(|(factor, cpu)| Speed {
        cpu_ns: (PLAIN.cpu_ns as f64 * cpu) as u64,
        ..PLAIN.better(factor)
    })
}

/// Rounds of two arms that differ by up to some per cent.
fn speeds() -> impl Strategy<Value = Vec<[Speed; 2]>> {
    let start = (speed(), 0.97..1.05_f64).prop_map(|(speed, factor)| [speed, speed.better(factor)]);
    prop::collection::vec(start, 5..7)
}

fn numbers(speeds: &[[Speed; 2]]) -> Vec<Numbers> {
    let numbers = |(number, speeds): (usize, &[Speed; 2])| {
        Numbers::of(&experiment(), &round(number as u32 + 1, speeds)).expect("numbers")
    };
    speeds.iter().enumerate().map(numbers).collect()
}

/// `D` of every measure.
fn d(numbers: &Numbers) -> [f64; Measure::USUAL.len()] {
    Measure::USUAL.map(|measure| numbers.d(1, measure, 0).expect("a number"))
}

fn judged(numbers: &[Numbers]) -> Standing {
    judge(&experiment(), numbers, Seconds(20.0), LookKind::Last)
}

fn verdicts(standing: &Standing) -> Vec<Verdict> {
    standing.comparisons.iter().map(|c| c.verdict).collect()
}

proptest! {
    #![proptest_config(fixed(8))]

    #[test]
    fn swapping_the_arms_flips_every_sign_exactly_and_every_verdict(speeds in speeds()) {
        let swapped: Vec<[Speed; 2]> = speeds.iter().map(|[a, b]| [*b, *a]).collect();
        let (there, back) = (numbers(&speeds), numbers(&swapped));
        for (there, back) in there.iter().zip(&back) {
            prop_assert_eq!(d(there).map(|d| -d), d(back));
        }
        let (there, back) = (judged(&there), judged(&back));
        let mirrored = |verdict| match verdict {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            Verdict::Cheaper => Verdict::Costlier,
            Verdict::Costlier => Verdict::Cheaper,
            Verdict::Smaller => Verdict::Larger,
            Verdict::Larger => Verdict::Smaller,
            other => other,
        };
        prop_assert_eq!(verdicts(&there).into_iter().map(mirrored).collect::<Vec<_>>(), verdicts(&back));
        prop_assert_eq!(there.decided, back.decided);
        for (there, back) in there.comparisons.iter().zip(&back.comparisons) {
            let (there, back) = (there.ratio.expect("a ratio"), back.ratio.expect("a ratio"));
            prop_assert!((there.value * back.value - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn another_unit_of_time_shifts_logs_and_changes_no_verdict(speeds in speeds(), doublings in 1_u32..4) {
        let scale = 1_u64 << doublings;
        let scaled = |speed: &Speed| Speed {
            cpu_ns: speed.cpu_ns * scale,
            response_ns: speed.response_ns * scale,
            startup_ns: speed.startup_ns * scale,
            ..*speed
        };
        let slower: Vec<[Speed; 2]> = speeds.iter().map(|pair| [scaled(&pair[0]), scaled(&pair[1])]).collect();
        let (here, there) = (numbers(&speeds), numbers(&slower));
        // A histogram gives the last nanosecond of a cell, so twice the time is not exactly twice the value.
        let alike = |one: f64, other: f64| (one - other).abs() < 1e-5;
        for (here, there) in here.iter().zip(&there) {
            for measure in [Measure::CpuPerRequest, Measure::ResponseP50, Measure::StartUp] {
                let shift = there.value(1, measure, 0).expect("a value").ln()
                    - here.value(1, measure, 0).expect("a value").ln();
                prop_assert!(alike(shift, (scale as f64).ln()), "{}: {shift}", measure.id());
            }
            for (here, there) in d(here).into_iter().zip(d(there)) {
                prop_assert!(alike(here, there));
            }
        }
        prop_assert_eq!(verdicts(&judged(&here)), verdicts(&judged(&there)));
    }

    #[test]
    fn the_order_of_the_starts_changes_nothing(
        (speeds, shuffled) in speeds().prop_flat_map(|speeds| {
            // The first look is at four starts: a later one may follow a look that has settled the matter.
            let four = speeds[..4].to_vec();
            (Just(four.clone()), Just(four).prop_shuffle())
        }),
    ) {
        let (here, there) = (judged(&numbers(&speeds)), judged(&numbers(&shuffled)));
        prop_assert_eq!(here.decided, there.decided);
        for (here, there) in here.comparisons.into_iter().zip(there.comparisons) {
            let mut kept = there.clone();
            kept.per_start.clone_from(&here.per_start);
            prop_assert_eq!(&here, &kept);
            let sorted = |mut starts: Vec<f64>| {
                starts.sort_by(f64::total_cmp);
                starts
            };
            prop_assert_eq!(sorted(here.per_start), sorted(there.per_start));
        }
    }
}
