//! Control of the error rate when one run answers several questions: every further test is a further chance
//! of a false call.
//!
//! * [`primary`]: the tests that decide when the run stops, one for each headline measure of each arm, share
//!   `alpha`. When one of them ends with a rejection, its share passes to the tests that are still open.
//! * [`secondary`]: the other measures share a second `alpha` by Holm's step-down procedure, each tested at the
//!   sequential level of its number of rounds.
//! * [`holm`] and [`benjamini_hochberg`] adjust a list of ordinary p-values.

use crate::boundary::{FIRST_LOOK, a_k};
use crate::sequential::{Look, LookKind, Rule};
use crate::summary::t_test;

/// p-values adjusted for the family-wise error rate (Holm, Scandinavian Journal of Statistics 1979), in the
/// order of `p`.
///
/// With `J` values sorted as `p_(1) <= … <= p_(J)`: `adj_(i) = max over j <= i of (J - j + 1) p_(j)`, at most 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (rank, index) in ascending_indices(p).into_iter().enumerate() {
        largest = largest.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// p-values adjusted for the false discovery rate (Benjamini, Hochberg, JRSS B 1995), in the order of `p`.
///
/// Among the hypotheses whose adjusted value is below `q`, the expected share of wrong rejections is at most `q`.
/// Use it where many series are screened at once, as after a night of runs.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut smallest = 1.0_f64;
    for (rank, index) in ascending_indices(p).into_iter().enumerate().rev() {
        smallest = smallest.min(p.len() as f64 / (rank + 1) as f64 * p[index]);
        adjusted[index] = smallest;
    }
    adjusted
}

/// The indices of `values` from the smallest value to the largest; indices of equal values stay in order.
fn ascending_indices(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}

/// One of several tests of a run: an arm against the baseline, in one measure.
#[derive(Clone, Copy, Debug)]
pub struct Test<'a> {
    /// `D` of every round in which this measure was taken, in the order of the rounds.
    pub d: &'a [f64],
    /// The relative difference (0.02 = 2 %) that still counts as the same.
    pub margin: f64,
}

/// Judges the secondary measures of a run that ends now: one look per measure, in the order given; `None`
/// for a measure without rounds.
///
/// Holm's step-down procedure (see [`holm`]), at the sequential levels of the last round. Of `S` measures the
/// one with the strongest evidence is tested at `alpha / S`; if it rejects, the next one is tested at
/// `alpha / (S - 1)`, and so on. After the first measure that does not reject, all others keep that level.
/// A fixed-n test would be wrong here, because the headline's stopping time is correlated with these measures.
/// The probability that a run makes any false call, headline included, is at most `2 alpha`. `cap` and
/// `alpha` are those of [`Rule::new`].
pub fn secondary(measures: &[Test<'_>], cap: Option<usize>, alpha: f64) -> Vec<Option<Look>> {
    let relative_p: Vec<f64> = measures
        .iter()
        .map(|measure| relative_p_value(measure, cap, alpha))
        .collect();
    let mut looks = vec![None; measures.len()];
    let mut share = measures.len();
    for index in ascending_indices(&relative_p) {
        let measure = measures[index];
        let look = Rule::new(cap, alpha, share, measure.margin)
            .look(measure.d)
            .map(Look::at_end);
        // Only a rejection frees its part of alpha: `share` is the number of hypotheses not yet rejected.
        if share > 1 && look.is_some_and(|look| look.is_real()) {
            share -= 1;
        }
        looks[index] = look;
    }
    let with_interval = |(measure, look): (&Test<'_>, Option<Look>)| {
        let rule = Rule::new(cap, alpha, measures.len(), measure.margin);
        look.map(|look| within_family(look, measure, &rule, LookKind::Planned))
    };
    measures.iter().zip(looks).map(with_interval).collect()
}

/// The measure's p-value divided by the sequential level of its number of rounds; small values mean strong
/// evidence. Without the division, measures with different numbers of rounds could not be ranked.
fn relative_p_value(measure: &Test<'_>, cap: Option<usize>, alpha: f64) -> f64 {
    let level = cap.and_then(|cap| a_k(cap, alpha, measure.d.len()));
    let p = t_test(measure.d).map_or(1.0, |test| test.p);
    p / level.unwrap_or(alpha)
}

/// Judges the tests that decide when a run stops by replaying its rounds: one look per test, `None` for a test
/// without rounds.
///
/// `rules[s - 1]` is the rule of a test that shares `alpha` with `s - 1` others, so there must be at least as many
/// rules as tests (the function panics otherwise); its own margin is replaced by that of the test. Each of `J`
/// tests has `alpha / J`. When a test ends with a rejection, its share passes to the others at once (Maurer, Bretz,
/// *Multiple testing in group sequential trials using graphical approaches*, Statistics in Biopharmaceutical
/// Research 2013); this is valid because all tests spend alpha by the same function. A test that has ended keeps
/// its last look, whatever is measured later. A test that ended without a rejection (the arm is the same as the
/// baseline, or it passed its gate) keeps its share. Together the intervals
/// hold at about `1 - alpha`: false calls happen with probability `alpha` at most, and intervals of tests that rejected
/// rightly add a little (simulated: 1.2 % in all at `alpha` = 1 %).
///
/// Where the run has ended for want of time, the last look at every test that is still open is of the kind [`LookKind::Last`].
pub fn primary(tests: &[Test<'_>], rules: &[Rule], kind: LookKind) -> Vec<Option<Look>> {
    assert!(
        rules.len() >= tests.len(),
        "one rule per share of alpha is needed"
    );
    let mut ended: Vec<Option<Look>> = vec![None; tests.len()];
    let mut share = tests.len();
    let rounds = tests.iter().map(|test| test.d.len()).max().unwrap_or(0);
    let mut k = rules.first().map_or(FIRST_LOOK, Rule::first_look);
    while k <= rounds {
        let rejected = end_tests(tests, &rules[share - 1], k, &mut ended);
        if rejected == 0 || rejected >= share {
            k += 1;
        } else {
            // The tests still open now have a larger share each, so the same round is looked at again.
            share -= rejected;
        }
    }
    let last_look = |(test, look): (&Test<'_>, Option<Look>)| {
        let family = &rules[tests.len() - 1];
        Some(match look {
            Some(settled) => within_family(settled, test, family, LookKind::Planned),
            None => {
                let open = rules[share - 1].look_within(test.d, test.margin.ln_1p(), kind)?;
                within_family(open, test, family, kind)
            }
        })
    };
    tests.iter().zip(ended).map(last_look).collect()
}

/// The look with the interval that holds together with those of the whole family. A test that rejected keeps the interval by which
/// it did. Any other gets that of `rule`, for a test that shares alpha with all others: what other tests have passed on to it
/// helps it to reject, but would be spent twice if its interval were printed at that level.
fn within_family(look: Look, test: &Test<'_>, rule: &Rule, kind: LookKind) -> Look {
    let rounds = test.d.get(..look.k).filter(|_| !look.is_real());
    match rounds.and_then(|rounds| rule.look_within(rounds, test.margin.ln_1p(), kind)) {
        Some(Look { rci, .. }) => Look { rci, ..look },
        None => look,
    }
}

/// The look at all rounds of a test of [`primary`] that `settled` may have settled earlier, where it says the same; otherwise
/// `settled`. Its interval is narrower, and as valid, because repeated confidence intervals hold at all looks together (Jennison,
/// Turnbull 1989). `rule` is that of a test that shares alpha with all others. `kind` is that of
/// the look at all rounds.
pub fn newest_look(settled: Look, test: &Test<'_>, rule: &Rule, kind: LookKind) -> Look {
    let newest = rule.look_within(test.d, test.margin.ln_1p(), kind);
    let agrees = |newest: &Look| newest.call == settled.call && newest.gate == settled.gate;
    match newest.filter(agrees) {
        Some(newest) if newest.k > settled.k => newest,
        _ => settled,
    }
}

/// Ends every open test that round `k` settles under `rule`, by storing its look in `ended`. Returns how many
/// of these tests ended with a rejection.
fn end_tests(tests: &[Test<'_>], rule: &Rule, k: usize, ended: &mut [Option<Look>]) -> usize {
    let mut rejected = 0;
    for (test, slot) in tests.iter().zip(ended) {
        let look = |rounds| rule.look_within(rounds, test.margin.ln_1p(), LookKind::Planned);
        let Some(look) = test.d.get(..k).and_then(look) else {
            continue;
        };
        if slot.is_none() && look.is_settled() {
            rejected += usize::from(look.rejects());
            *slot = Some(look);
        }
    }
    rejected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::Call;

    #[test]
    fn the_newest_look_is_shown_while_it_says_what_the_settled_one_said() {
        let rule = Rule::new(Some(20), 0.01, 1, 0.02);
        let shown = |later: f64| {
            let d = [&[0.10, 0.11, 0.09, 0.10, 0.10][..], &[later; 4]].concat();
            let settled = rule.replay(&d).expect("a look");
            assert_eq!((settled.k, settled.call), (5, Call::Better));
            newest_look(settled, &Test { d: &d, margin: 0.02 }, &rule, LookKind::Planned)
        };
        let agrees = shown(0.095);
        assert_eq!((agrees.k, agrees.call), (9, Call::Better));
        assert_eq!(shown(-0.3).k, 5, "it would be worse by now");
    }

    /// The looks of tests that share 1 % and have one margin.
    fn primary(d: &[&[f64]], cap: usize, margin: f64) -> Vec<Option<Look>> {
        let rules: Vec<Rule> = (1..=d.len())
            .map(|share| Rule::new(Some(cap), 0.01, share, margin))
            .collect();
        let tests: Vec<Test<'_>> = d.iter().map(|d| Test { d, margin }).collect();
        super::primary(&tests, &rules, LookKind::Planned)
    }

    /// `k` rounds that alternate between `centre + spread` and `centre - spread`.
    fn rounds(k: usize, centre: f64, spread: f64) -> Vec<f64> {
        (0..k)
            .map(|i| centre + if i % 2 == 0 { spread } else { -spread })
            .collect()
    }

    #[test]
    fn adjusted_p_values_are_in_the_order_of_the_input() {
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.5, 0.01]), [0.5, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.04, 0.01]), [0.04, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.03, 0.04]), [0.04, 0.04]);
    }

    #[test]
    fn a_rejected_measure_passes_its_level_to_the_next() {
        let clear = rounds(10, 0.10, 0.001);
        // |t| lies between the critical value at alpha and the larger one at alpha / 2.
        let unshared = Rule::new(Some(20), 0.01, 1, 0.02)
            .look(&rounds(10, 0.0, 0.01))
            .unwrap();
        let borderline = rounds(10, unshared.rci.unwrap().high * 1.02, 0.01);
        let noise = rounds(10, 0.0, 0.05);
        let measure = |d| Test { d, margin: 0.001 };

        let with_clear = secondary(&[measure(&borderline), measure(&clear)], Some(20), 0.01);
        assert_eq!(with_clear[0].unwrap().call, Call::Better);
        let with_noise = secondary(&[measure(&borderline), measure(&noise)], Some(20), 0.01);
        assert_eq!(with_noise[0].unwrap().call, Call::Inconclusive);
        assert_eq!(with_noise[0].unwrap().level, with_noise[1].unwrap().level);
    }

    #[test]
    fn a_single_secondary_measure_has_all_of_alpha() {
        let d = rounds(10, 0.10, 0.02);
        let only = secondary(&[Test { d: &d, margin: 0.02 }], Some(20), 0.01);
        assert_eq!(only[0], Rule::new(Some(20), 0.01, 1, 0.02).look(&d));
        assert_eq!(
            secondary(&[Test { d: &[], margin: 0.02 }], Some(20), 0.01),
            [None]
        );
    }

    #[test]
    fn an_arm_that_ends_with_a_rejection_passes_its_share_on() {
        let clear = rounds(6, 0.20, 0.001);
        // An effect that is found only at the whole of alpha.
        let unshared = Rule::new(Some(12), 0.01, 1, 0.001)
            .look(&rounds(6, 0.0, 0.01))
            .unwrap();
        let borderline = rounds(6, unshared.rci.unwrap().high * 1.01, 0.01);
        let looks = primary(&[&borderline, &clear], 12, 0.001);
        assert_eq!(looks[0].unwrap().call, Call::Better);
        let noise = rounds(6, 0.0, 0.1);
        let looks = primary(&[&borderline, &noise], 12, 0.001);
        assert_eq!(looks[0].unwrap().call, Call::GoOn);
    }

    #[test]
    fn each_test_has_a_margin_of_its_own() {
        let d = rounds(9, 0.03, 0.001);
        let rules: Vec<Rule> = (1..=2)
            .map(|share| Rule::new(Some(12), 0.01, share, 0.5))
            .collect();
        let tests = [0.02, 0.05].map(|margin| Test { d: &d, margin });
        let calls = super::primary(&tests, &rules, LookKind::Planned)
            .into_iter()
            .map(|look| look.unwrap().call);
        assert_eq!(
            calls.collect::<Vec<_>>(),
            [Call::Better, Call::Same { real: true }]
        );
    }

    #[test]
    fn an_ended_arm_keeps_its_look() {
        let mut early = rounds(5, 0.20, 0.001);
        let first = primary(&[&early, &rounds(5, 0.0, 0.1)], 12, 0.02)[0].unwrap();
        early.extend([-3.0, 3.0]);
        let later = primary(&[&early, &rounds(7, 0.0, 0.1)], 12, 0.02)[0].unwrap();
        assert_eq!((first.k, first), (5, later));
        assert_eq!(primary(&[], 12, 0.02), []);
        assert_eq!(primary(&[&[]], 12, 0.02), [None]);
    }
}
