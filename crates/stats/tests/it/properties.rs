//! Properties that hold for any data: results do not depend on which arm is the baseline (except for their sign), on
//! the order of the rounds, or on the unit of time.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stats::pairing::{self, Part, Side};
use stats::sequential::{Call, Look, Plan, Test};
use stats::spending::LookKind;
use stats::{multiplicity, planning, robust, sign_flip, summary};

/// Rounds whose values are as large as log-ratios can be, and far larger.
fn any_rounds() -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![
        8 => -0.2..0.2_f64,
        1 => Just(0.0),
        1 => Just(0.05),
        1 => -1e6..1e6_f64,
    ];
    prop::collection::vec(value, 1..25)
}

/// Lists of finite numbers, subnormal and huge ones included.
fn any_finite_numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO, 1..25)
}

/// How starts are judged: a plan, an error rate, a margin and a kind of look.
#[derive(Clone, Debug)]
struct Rule {
    plan: Plan,
    alpha: f64,
    margin: f64,
    kind: LookKind,
}

impl Rule {
    fn look(&self, d: &[f64]) -> Option<Look> {
        self.plan.look(&Test::of(d, self.margin), self.alpha, self.kind)
    }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let cap = prop_oneof![Just(None), (4_usize..60).prop_map(Some)];
    let alpha = prop_oneof![Just(0.01), Just(0.05), Just(0.10), Just(0.003)];
    let kind = prop_oneof![Just(LookKind::Running), Just(LookKind::Interrupted), Just(LookKind::Last)];
    (cap, alpha, 0.005..0.1_f64, any::<bool>(), kind).prop_map(|(cap, alpha, margin, gate, kind)| {
        let plan = Plan::new(cap);
        Rule { plan: if gate { plan.with_gate() } else { plan }, alpha, margin, kind }
    })
}

/// A fixed seed, because a test must not depend on luck. Raise `PROPTEST_CASES` to search further.
fn fixed_seed() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(20), failure_persistence: None, ..Default::default() }
}

fn negated(values: &[f64]) -> Vec<f64> {
    values.iter().map(|v| -v).collect()
}

/// The rows of a round: one slice of each side in each, some of them without answers, but none of a side in all.
fn any_rows() -> impl Strategy<Value = Vec<Vec<Part>>> {
    let answers = prop_oneof![1 => Just(0.0), 5 => 1.0..1e5_f64];
    let row = (prop::array::uniform2(answers), prop::array::uniform2(0.1..10.0_f64), any::<bool>());
    let rows = prop::collection::vec(row, 1..20);
    rows.prop_map(|rows| {
        let of_row = |(answers, spent, arm_first): ([f64; 2], [f64; 2], bool)| {
            let sides = if arm_first { [Side::Arm, Side::Baseline] } else { [Side::Baseline, Side::Arm] };
            [0, 1].map(|i| Part { side: sides[i], answers: answers[i], spent: spent[i] }).to_vec()
        };
        rows.into_iter().map(of_row).collect()
    })
    .prop_filter("a side without any answer", |rows: &Vec<Vec<Part>>| {
        pairing::difference(&rows.concat()).is_some()
    })
}

fn change(rows: &[Vec<Part>], change: impl Fn(&mut Part)) -> Vec<Vec<Part>> {
    let mut rows = rows.to_vec();
    rows.iter_mut().flatten().for_each(change);
    rows
}

/// The look at the same rounds with the arms exchanged.
fn mirrored(look: Look) -> Look {
    let call = match look.call {
        Call::Better => Call::Worse,
        Call::Worse => Call::Better,
        other => other,
    };
    Look {
        mean: -look.mean,
        rci: look.rci.map(|i| i.negated()),
        req: look.req.map(|i| i.negated()),
        call,
        gate: None,
        ..look
    }
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn exchanging_the_arms_flips_the_sign_exactly(d in any_rounds(), rule in any_rule()) {
        let look = |d: &[f64]| Look { gate: None, ..rule.look(d).unwrap() };
        prop_assert_eq!(look(&negated(&d)), mirrored(look(&d)));
        prop_assert_eq!(robust::hodges_lehmann(&negated(&d)).unwrap(), -robust::hodges_lehmann(&d).unwrap());
        prop_assert_eq!(sign_flip::p_value(&negated(&d), 5), sign_flip::p_value(&d, 5));
    }

    #[test]
    fn the_order_of_rounds_does_not_change_a_result(
        (d, shuffled) in any_rounds().prop_flat_map(|d| (Just(d.clone()), Just(d).prop_shuffle())),
        rule in any_rule(),
    ) {
        prop_assert_eq!(rule.look(&d), rule.look(&shuffled));
        prop_assert_eq!(robust::hodges_lehmann(&d), robust::hodges_lehmann(&shuffled));
        prop_assert_eq!(robust::median(&d), robust::median(&shuffled));
        prop_assert_eq!(sign_flip::p_value(&d, 5), sign_flip::p_value(&shuffled, 5));
        prop_assert_eq!(summary::estimate(&d, 0.95), summary::estimate(&shuffled, 0.95));
    }

    #[test]
    fn the_units_of_answers_and_time_change_no_difference(rows in any_rows(), answers in 0.001..1000.0_f64, time in 0.001..1000.0_f64) {
        let scaled = change(&rows, |part| (part.answers, part.spent) = (part.answers * answers, part.spent * time));
        let (one, other) = (pairing::row_differences(&rows).unwrap(), pairing::row_differences(&scaled).unwrap());
        for (one, other) in one.into_iter().zip(other) {
            prop_assert!((one - other).abs() < 1e-9);
        }
    }

    #[test]
    fn whatever_slows_both_arms_of_a_row_leaves_every_difference_unchanged(
        speeds in prop::collection::vec(0.01..100.0_f64, 1..20), effect in -2.0..2.0_f64,
    ) {
        let part = |side, answers| Part { side, answers, spent: 0.5 };
        let row = |speed: &f64| vec![part(Side::Baseline, 1e3 * speed), part(Side::Arm, 1e3 * speed * effect.exp())];
        let rows: Vec<Vec<Part>> = speeds.iter().map(row).collect();
        for d in pairing::row_differences(&rows).unwrap() {
            prop_assert!((d - effect).abs() < 1e-9);
        }
    }

    #[test]
    fn exchanging_the_sides_of_slices_negates_every_difference(rows in any_rows()) {
        let swapped = change(&rows, |part| {
            part.side = if part.side == Side::Arm { Side::Baseline } else { Side::Arm };
        });
        let original = pairing::row_differences(&rows).unwrap();
        let exchanged = pairing::row_differences(&swapped).unwrap();
        prop_assert_eq!(negated(&original), exchanged.clone());
        prop_assert_eq!(pairing::difference(&rows.concat()).unwrap(), -pairing::difference(&swapped.concat()).unwrap());
        prop_assert_eq!(pairing::typical_difference(&original).unwrap(), -pairing::typical_difference(&exchanged).unwrap());
    }

    #[test]
    fn the_difference_of_a_round_is_the_mean_of_those_of_its_rows(rows in any_rows()) {
        let differences = pairing::row_differences(&rows).unwrap();
        let d = pairing::difference(&rows.concat()).unwrap();
        prop_assert!((robust::mean(&differences).unwrap() - d).abs() < 1e-9);
    }

    #[test]
    fn finite_numbers_never_give_nan(d in any_finite_numbers(), rule in any_rule(), level in -1000.0..1000.0_f64) {
        let look = rule.look(&d).unwrap();
        let ends = [look.rci, look.req].into_iter().flatten().flat_map(|i| [i.low, i.high]);
        let spread = [look.sd, look.level].into_iter().flatten();
        prop_assert!(ends.chain(spread).chain([look.mean]).all(|v| !v.is_nan()));
        prop_assert!(!robust::hodges_lehmann(&d).unwrap().is_nan());
        prop_assert!(!robust::median(&d).unwrap().is_nan());
        prop_assert!(!sign_flip::p_value(&d, 1).is_nan());
        prop_assert!(summary::t_test(&d).is_none_or(|test| !test.t.is_nan() && !test.p.is_nan()));
        let equal = vec![level; d.len()];
        prop_assert_eq!(rule.look(&equal).unwrap().mean, level);
        prop_assert!(robust::sd(&equal).is_none_or(|sd| sd == 0.0));
    }

    #[test]
    fn a_test_with_a_part_of_alpha_never_rejects_more_than_one_with_all(d in any_rounds(), rule in any_rule(), part in 0.01..1.0_f64) {
        let whole = rule.look(&d).unwrap();
        let part = Rule { alpha: part * rule.alpha, ..rule }.look(&d).unwrap();
        prop_assert!(!part.is_difference() || whole.is_difference());
        prop_assert_eq!(part.req, whole.req);
    }

    #[test]
    fn step_down_lies_between_bonferroni_and_no_correction(
        table in prop::collection::vec(prop::collection::vec(-0.05..0.08_f64, 9), 1..5),
    ) {
        let measures: Vec<_> = table.iter().map(|d| Test::of(d, 0.02)).collect();
        let plan = Plan::new(Some(20));
        let real = |d: &[f64], share: usize| {
            plan.look(&Test::of(d, 0.02), 0.05 / share as f64, LookKind::Last).unwrap().is_difference()
        };
        for (d, look) in table.iter().zip(multiplicity::secondary(&measures, &plan, 0.05, LookKind::Last)) {
            let look = look.unwrap();
            prop_assert!(look.call != Call::GoOn);
            prop_assert!(!look.is_difference() || real(d, 1));
            prop_assert!(look.is_difference() || !real(d, table.len()));
        }
    }

    #[test]
    fn larger_effects_never_need_more_rounds(sd in 0.0..0.3_f64, effect in 0.001..0.5_f64) {
        let rounds = |effect| planning::starts_to_call(sd, effect, 0.01, 0.95);
        prop_assert!(rounds(effect * 1.1) <= rounds(effect));
        prop_assert!(planning::resolvable(sd, 20, 0.01, 0.95).unwrap() >= 0.0);
    }
}
