//! Control of the error rate when one run answers several questions: every further test is a further chance of a false call.
//!
//! * [`primary`]: the tests that decide when the run stops, one for each headline measure of each arm, are a [`Family`] that shares
//!   `alpha` by weights. What a measure no longer needs passes to the others.
//! * [`secondary`]: the other measures share a second `alpha` by Holm's step-down procedure.
//! * [`holm`] and [`benjamini_hochberg`] adjust a list of ordinary p-values.

use crate::dunnett;
use crate::sequential::{Look, Plan, Test};
use crate::spending::LookKind;

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

/// Tests that share one part of a family's error rate: the tests of all arms in one measure at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its share of the error rate, in any unit: the shares of all groups are taken relative to their sum.
    pub weight: f64,
    /// The correlation of any two of its tests, which comes from the baseline that they share, 0 to 1.
    pub correlation: f64,
    /// The indices of its tests.
    pub tests: Vec<usize>,
}

/// The tests of a run that share one error rate.
///
/// Each group has a part of `alpha` by its weight, and its tests share that part by Dunnett's rule
/// ([`dunnett::level_of_each`]). A test that has rejected needs its part no more: its part passes to the open tests of its
/// group. When all tests of a group have rejected, the group's part passes to the other groups by their weights (Bretz,
/// Maurer, Brannath, Posch, *A graphical approach to sequentially rejective multiple test procedures*, Statistics in
/// Medicine 2009; at several looks: Maurer, Bretz, *Multiple testing in group sequential trials using graphical approaches*,
/// Statistics in Biopharmaceutical Research 2013). This is valid because all tests spend alpha by the same function.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The two-sided error rate of all tests together, over all looks.
    pub alpha: f64,
    /// Its groups, whose tests are all tests of the family.
    pub groups: Vec<Group>,
}

impl Family {
    /// A family of a single test.
    pub fn of_one(alpha: f64) -> Self {
        Self { alpha, groups: vec![Group { weight: 1.0, correlation: 0.0, tests: vec![0] }] }
    }

    /// The error rate of each test over all looks; a test that has rejected gets the rate of the open tests of its group.
    pub fn alphas(&self, rejected: &[bool]) -> Vec<f64> {
        let open = |group: &Group| group.tests.iter().filter(|test| !rejected[**test]).count();
        let live: f64 = self.groups.iter().filter(|group| open(group) > 0).map(|group| group.weight).sum();
        let mut alphas = vec![0.0; rejected.len()];
        for group in self.groups.iter().filter(|group| open(group) > 0) {
            let part = self.alpha * group.weight / live;
            let each = dunnett::level_of_each(open(group), group.correlation, part);
            group.tests.iter().for_each(|test| alphas[*test] = each);
        }
        alphas
    }
}

/// Judges the tests that decide when a run stops by replaying its starts: one look per test, `None` for a test without starts.
///
/// A test that a planned look has settled keeps that look, whatever is measured later. A test settled without a rejection, as a gate
/// that passed, keeps its part of alpha. `kind` is the kind of the look at all starts. Together the intervals hold at `1 - alpha`.
pub fn primary(tests: &[Test<'_>], family: &Family, plan: &Plan, kind: LookKind) -> Vec<Option<Look>> {
    let mut state = Replay { tests, family, plan, settled: vec![None; tests.len()] };
    let starts = tests.iter().map(|test| test.d.len()).max().unwrap_or(0);
    // The look at all starts may be an early one only while the run goes on.
    let early = plan.early_looks(starts).into_iter();
    for k in early.filter(|k| *k < starts || kind == LookKind::Running) {
        state.settle(LookKind::Running, |test| test.first(k));
    }
    state.settle(kind, Some);
    state.looks(kind)
}

/// The looks of a run so far.
struct Replay<'a> {
    tests: &'a [Test<'a>],
    family: &'a Family,
    plan: &'a Plan,
    settled: Vec<Option<Look>>,
}

impl<'a> Replay<'a> {
    /// The error rates of the tests, after what has been rejected.
    fn alphas(&self) -> Vec<f64> {
        let rejects = |look: &Option<Look>| look.is_some_and(|look| look.rejects());
        self.family.alphas(&self.settled.iter().map(rejects).collect::<Vec<_>>())
    }

    /// Looks at all open tests, and again as long as a rejection has given the others a larger part.
    fn settle(&mut self, kind: LookKind, at: impl Fn(Test<'a>) -> Option<Test<'a>>) {
        loop {
            let alphas = self.alphas();
            let mut rejected = false;
            for (index, test) in self.tests.iter().enumerate() {
                let look = at(*test).and_then(|test| self.plan.look(&test, alphas[index], kind));
                let look = look.filter(|look| self.settled[index].is_none() && look.is_settled());
                // A look that may be one of several keeps its test open while others may pass their parts on to it.
                if let Some(look) = look.filter(|look| look.rejects() || kind == LookKind::Running) {
                    rejected |= look.rejects();
                    self.settled[index] = Some(look);
                }
            }
            if !rejected {
                return;
            }
        }
    }

    /// The look at each test: the one that settled it, or that at all starts.
    fn looks(self, kind: LookKind) -> Vec<Option<Look>> {
        let (passed_on, family) = (self.alphas(), self.family.alphas(&vec![false; self.tests.len()]));
        let look = |(index, test): (usize, &Test<'_>)| {
            let open = || self.plan.look(test, passed_on[index], kind);
            let look = self.settled[index].or_else(open)?;
            Some(within_family(look, test, family[index], self.plan, kind))
        };
        self.tests.iter().enumerate().map(look).collect()
    }
}

/// The look with an interval that holds together with the intervals of the whole family. A test that rejected keeps
/// the interval by which it did. Any other gets the interval at `alpha`, its part before anything is passed on:
/// what other tests have passed on to it helps it to reject, but would be spent twice if the interval used it, too.
fn within_family(look: Look, test: &Test<'_>, alpha: f64, plan: &Plan, kind: LookKind) -> Look {
    let unshared = test.first(look.k).filter(|_| !look.rejects());
    match unshared.and_then(|test| plan.look(&test, alpha, kind)) {
        Some(Look { rci, .. }) => Look { rci, ..look },
        None => look,
    }
}

/// The look at all starts of a test of [`primary`] that `settled` may have settled earlier, where it says the
/// same; otherwise `settled`. Its interval is narrower, and as valid: the last look has a part of alpha of
/// its own. `alpha` is the test's part before anything is passed on. `kind` is the kind of that look.
pub fn newest_look(settled: Look, test: &Test<'_>, alpha: f64, plan: &Plan, kind: LookKind) -> Look {
    let newest = plan.look(test, alpha, kind);
    let agrees = |newest: &Look| newest.call == settled.call && newest.gate == settled.gate;
    match newest.filter(agrees) {
        Some(newest) if newest.k > settled.k => newest,
        _ => settled,
    }
}

/// Judges the secondary measures of a run: one look per measure, in the order given; `None` for a measure without starts.
///
/// Holm's step-down procedure (see [`holm`]), at the part of `alpha` that a look of this kind spends. Of `S` measures the one with the
/// strongest evidence is tested at `alpha / S`; if it rejects, the next one is tested at `alpha / (S - 1)`, and so on. After the first
/// measure that does not reject, all others keep that level. A fixed-n test would be wrong here, because the headline's stopping time is
/// correlated with these measures.
pub fn secondary(measures: &[Test<'_>], plan: &Plan, alpha: f64, kind: LookKind) -> Vec<Option<Look>> {
    let p: Vec<f64> = measures.iter().map(Test::p).collect();
    let mut looks = vec![None; measures.len()];
    let mut share = measures.len();
    for index in ascending_indices(&p) {
        let look = plan.look(&measures[index], alpha / share as f64, kind).map(Look::at_end);
        // Only a rejection frees its part of alpha: `share` is the number of hypotheses not yet rejected.
        if share > 1 && look.is_some_and(|look| look.is_difference()) {
            share -= 1;
        }
        looks[index] = look;
    }
    let with_interval = |(measure, look): (&Test<'_>, Option<Look>)| {
        look.map(|look| within_family(look, measure, alpha / measures.len() as f64, plan, kind))
    };
    measures.iter().zip(looks).map(with_interval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::Call;

    /// A family of measures with these weights, each of one arm.
    fn family(weights: &[f64]) -> Family {
        let group =
            |(index, weight): (usize, &f64)| Group { weight: *weight, correlation: 0.0, tests: vec![index] };
        Family { alpha: 0.05, groups: weights.iter().enumerate().map(group).collect() }
    }

    /// The looks at the end of tests with one margin.
    fn ended(d: &[&[f64]], weights: &[f64]) -> Vec<Option<Look>> {
        let tests: Vec<Test<'_>> = d.iter().map(|d| Test::of(d, 0.02)).collect();
        primary(&tests, &family(weights), &Plan::new(Some(12)), LookKind::Last)
    }

    /// `k` starts that alternate between `centre + spread` and `centre - spread`.
    fn starts(k: usize, centre: f64, spread: f64) -> Vec<f64> {
        (0..k).map(|i| centre + if i % 2 == 0 { spread } else { -spread }).collect()
    }

    /// Starts whose mean is `times` the half-width of their interval at this error rate.
    fn borderline(k: usize, alpha: f64, times: f64) -> Vec<f64> {
        let noise = starts(k, 0.0, 0.01);
        let look = Plan::new(Some(12)).look(&Test::of(&noise, 0.02), alpha, LookKind::Last);
        let half = look.and_then(|look| look.rci).expect("an interval").high;
        starts(k, times * half, 0.01)
    }

    #[test]
    fn adjusted_p_values_are_in_the_order_of_the_input() {
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.5, 0.01]), [0.5, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.04, 0.01]), [0.04, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.03, 0.04]), [0.04, 0.04]);
    }

    #[test]
    fn a_family_is_shared_by_weight_and_passed_on_by_weight() {
        let alphas = family(&[0.45, 0.45, 0.1]).alphas(&[false; 3]);
        assert!([0.0225, 0.0225, 0.005].iter().zip(&alphas).all(|(one, other)| (one - other).abs() < 1e-15));
        let passed = family(&[0.45, 0.45, 0.1]).alphas(&[true, false, false]);
        assert!(
            (passed[1] - 0.05 * 0.45 / 0.55).abs() < 1e-15 && (passed[2] - 0.05 * 0.1 / 0.55).abs() < 1e-15
        );
        assert!((family(&[0.45, 0.45, 0.1]).alphas(&[true, true, false])[2] - 0.05).abs() < 1e-15);
    }

    #[test]
    fn arms_of_one_measure_share_its_part_as_those_of_dunnett_do() {
        let three = Family {
            alpha: 0.05,
            groups: vec![Group { weight: 1.0, correlation: 0.5, tests: vec![0, 1, 2] }],
        };
        let each = three.alphas(&[false; 3])[0];
        assert!(each > 0.05 / 3.0 && each < 0.025, "{each}");
        assert_eq!(three.alphas(&[true, true, false])[2], 0.05);
        assert!(three.alphas(&[true, false, false])[1] > each);
    }

    #[test]
    fn a_measure_that_rejects_passes_its_part_on_at_the_last_look_too() {
        let clear = starts(6, 0.2, 0.001);
        let noise = starts(6, 0.0, 0.1);
        // An effect that is found at the whole of alpha only.
        let at_all = borderline(6, 0.05, 1.01);
        let call = |other: &[f64]| ended(&[&at_all, other], &[0.5, 0.5])[0].expect("starts").call;
        assert_eq!((call(&clear), call(&noise)), (Call::Better, Call::Inconclusive));
    }

    #[test]
    fn what_is_passed_on_narrows_no_interval() {
        let (open, clear) = (starts(6, 0.0, 0.02), starts(6, 0.2, 0.001));
        let noise = starts(6, 0.0, 0.1);
        let interval = |other: &[f64]| ended(&[&open, other], &[0.5, 0.5])[0].and_then(|look| look.rci);
        assert_eq!(interval(&clear), interval(&noise));
    }

    #[test]
    fn a_test_that_was_settled_keeps_its_look_and_shows_the_newest_that_agrees() {
        let shown = |later: f64| {
            let d = [&[0.10, 0.11, 0.09, 0.10][..], &[later; 3]].concat();
            let test = Test::of(&d, 0.02);
            let plan = Plan::new(Some(12));
            let settled = primary(&[test], &Family::of_one(0.05), &plan, LookKind::Last)[0].expect("starts");
            assert_eq!((settled.k, settled.call), (4, Call::Better));
            newest_look(settled, &test, 0.05, &plan, LookKind::Last)
        };
        let agrees = shown(0.095);
        assert_eq!((agrees.k, agrees.call), (7, Call::Better));
        assert_eq!(shown(-0.3).k, 4, "it would be inconclusive by now");
    }

    #[test]
    fn a_secondary_measure_that_rejects_passes_its_level_to_the_next() {
        let plan = Plan::new(Some(12));
        let at_all = borderline(10, 0.01, 1.01);
        let (clear, noise) = (starts(10, 0.1, 0.001), starts(10, 0.0, 0.05));
        let call = |other: &[f64]| {
            let measures = [&at_all, other].map(|d| Test::of(d, 0.001));
            secondary(&measures, &plan, 0.01, LookKind::Last)[0].expect("starts").call
        };
        assert_eq!((call(&clear), call(&noise)), (Call::Better, Call::Inconclusive));
        assert_eq!(secondary(&[Test::of(&[], 0.02)], &plan, 0.01, LookKind::Last), [None]);
    }

    #[test]
    fn nothing_is_judged_without_tests_or_starts() {
        assert_eq!(ended(&[], &[]), []);
        assert_eq!(ended(&[&[]], &[1.0]), [None]);
    }
}
