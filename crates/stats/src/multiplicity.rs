//! Many questions in one run: so many chances to be wrong by luck, and how they are paid for.
//!
//! * one headline measure decides when to stop, at `alpha`; the *secondary* ones share a second `alpha` by
//!   Holm's step-down, each look at the sequential level of its round: [`secondary`];
//! * several arms against one baseline share `alpha`, and what an ended rejection no longer needs passes to
//!   the others: [`many_arms`];
//! * a list of ordinary p-values: [`holm`], [`benjamini_hochberg`].

use crate::boundary::{FIRST_LOOK, a_k};
use crate::sequential::{Look, Rule};
use crate::summary::t_test;

/// Holm-adjusted p-values (Holm, Scandinavian Journal of Statistics 1979), in the order given.
///
/// `adj_(i) = max over j <= i of (J - j + 1) p_(j)`, at most 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut so_far = 0.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        so_far = so_far.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = so_far;
    }
    adjusted
}

/// Adjusted p-values for the false discovery rate (Benjamini, Hochberg, JRSS B 1995), in the order given.
///
/// Those below `q` are, in expectation, wrong in at most a share `q`: for a night with many series.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut so_far = 1.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate().rev() {
        so_far = so_far.min(p.len() as f64 / (rank + 1) as f64 * p[index]);
        adjusted[index] = so_far;
    }
    adjusted
}

/// The indices of `values` from the smallest to the largest; equal ones stay in order.
fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}

/// A secondary measure of a run.
#[derive(Clone, Copy, Debug)]
pub struct Secondary<'a> {
    /// Its rounds, one `D` each, all that the run has.
    pub d: &'a [f64],
    /// The relative difference that still counts as the same.
    pub margin: f64,
}

/// Judges the secondary measures of a run that ends now, in the order given; `None` for one without rounds.
///
/// Holm's step-down at the levels of this look: the surest of `S` is tested at `alpha / S`, the next, if that
/// rejected, at `alpha / (S - 1)`, and so on; all after the first that does not reject share its level. Never
/// a fixed-n test: the headline's stopping time is correlated with them. Together with the headline a run
/// makes any false call in at most `2 alpha`. `cap` and `alpha` as for [`Rule::new`].
pub fn secondary(measures: &[Secondary<'_>], cap: Option<usize>, alpha: f64) -> Vec<Option<Look>> {
    let sureness: Vec<f64> = measures
        .iter()
        .map(|measure| sureness(measure, cap, alpha))
        .collect();
    let mut looks = vec![None; measures.len()];
    let mut share = measures.len();
    for index in ascending(&sureness) {
        let measure = measures[index];
        let look = Rule::new(cap, alpha, share, measure.margin)
            .look(measure.d)
            .map(Look::at_end);
        // Only a rejection passes its part on: `share` is always the number of measures not yet told apart.
        if share > 1 && look.is_some_and(|look| look.is_real()) {
            share -= 1;
        }
        looks[index] = look;
    }
    looks
}

/// How sure a measure's difference is, small = sure: its p-value in units of the level of its own round, so
/// that measures with unlike numbers of rounds are ranked fairly.
fn sureness(measure: &Secondary<'_>, cap: Option<usize>, alpha: f64) -> f64 {
    let level = cap.and_then(|cap| a_k(cap, alpha, measure.d.len()));
    let p = t_test(measure.d).map_or(1.0, |test| test.p);
    p / level.unwrap_or(alpha)
}

/// Judges several arms against one baseline by replaying their rounds; one look per arm, `None` without
/// rounds.
///
/// `d[j]` are arm `j`'s rounds in the order they were measured; `rules[s - 1]` is the rule of an arm that shares
/// `alpha` with `s - 1` others, one for each arm. Each of `J` arms is tested at `alpha / J`; when one ends with a
/// rejection, its share passes to the others at once (Maurer, Bretz, *Multiple testing in group sequential trials
/// using graphical approaches*, Statistics in Biopharmaceutical Research 2013; every test keeps the same spending
/// fraction, which makes it valid). An arm that ended keeps its last look whatever comes later. An arm that ended
/// without a rejection (as the same, or past the gate) keeps its share.
pub fn many_arms(d: &[&[f64]], rules: &[Rule]) -> Vec<Option<Look>> {
    assert!(rules.len() >= d.len(), "a rule for every share of alpha");
    let mut ended: Vec<Option<Look>> = vec![None; d.len()];
    let mut share = d.len();
    let rounds = d.iter().map(|rounds| rounds.len()).max().unwrap_or(0);
    let mut k = rules.first().map_or(FIRST_LOOK, Rule::first_look);
    while k <= rounds {
        let rejected = end_arms(d, &rules[share - 1], k, &mut ended);
        if rejected == 0 || rejected >= share {
            k += 1;
        } else {
            // The same round is looked at again, at the larger share of those that are left.
            share -= rejected;
        }
    }
    let open = |(arm, look): (&&[f64], Option<Look>)| look.or_else(|| rules[share - 1].look(arm));
    d.iter().zip(ended).map(open).collect()
}

/// Ends every arm that round `k` settles under `rule`; says how many of them with a rejection.
fn end_arms(d: &[&[f64]], rule: &Rule, k: usize, ended: &mut [Option<Look>]) -> usize {
    let mut rejected = 0;
    for (rounds, slot) in d.iter().zip(ended) {
        let Some(look) = rounds.get(..k).and_then(|rounds| rule.look(rounds)) else {
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

    fn many_arms(d: &[&[f64]], cap: usize, margin: f64) -> Vec<Option<Look>> {
        let rules: Vec<Rule> = (1..=d.len())
            .map(|share| Rule::new(Some(cap), 0.01, share, margin))
            .collect();
        super::many_arms(d, &rules)
    }

    /// `k` rounds around `centre`, `spread` apart.
    fn rounds(k: usize, centre: f64, spread: f64) -> Vec<f64> {
        (0..k)
            .map(|i| centre + if i % 2 == 0 { spread } else { -spread })
            .collect()
    }

    #[test]
    fn adjusted_values_keep_their_places() {
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.5, 0.01]), [0.5, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.04, 0.01]), [0.04, 0.02]);
        assert_eq!(benjamini_hochberg(&[0.03, 0.04]), [0.04, 0.04]);
    }

    #[test]
    fn a_sure_measure_lends_its_level_to_the_next() {
        let sure = rounds(10, 0.10, 0.001);
        // |t| is just above the multiplier for alpha itself, below the one for alpha / 2.
        let alone = Rule::new(Some(20), 0.01, 1, 0.02)
            .look(&rounds(10, 0.0, 0.01))
            .unwrap();
        let next = rounds(10, alone.rci.unwrap().high * 1.02, 0.01);
        let unsure = rounds(10, 0.0, 0.05);
        let measure = |d| Secondary { d, margin: 0.001 };

        let pair = secondary(&[measure(&next), measure(&sure)], Some(20), 0.01);
        assert_eq!(pair[0].unwrap().call, Call::Better);
        let other = secondary(&[measure(&next), measure(&unsure)], Some(20), 0.01);
        assert_eq!(other[0].unwrap().call, Call::Inconclusive);
        assert_eq!(other[0].unwrap().level, other[1].unwrap().level);
    }

    #[test]
    fn one_secondary_measure_pays_nothing() {
        let d = rounds(10, 0.10, 0.02);
        let only = secondary(&[Secondary { d: &d, margin: 0.02 }], Some(20), 0.01);
        assert_eq!(only[0], Rule::new(Some(20), 0.01, 1, 0.02).look(&d));
        assert_eq!(
            secondary(&[Secondary { d: &[], margin: 0.02 }], Some(20), 0.01),
            [None]
        );
    }

    #[test]
    fn an_ended_arm_passes_its_share_on() {
        let sure = rounds(6, 0.20, 0.001);
        let needs_all = |spread| {
            let alone = Rule::new(Some(12), 0.01, 1, 0.001)
                .look(&rounds(6, 0.0, spread))
                .unwrap();
            rounds(6, alone.rci.unwrap().high * 1.01, spread)
        };
        let second = needs_all(0.01);
        let looks = many_arms(&[&second, &sure], 12, 0.001);
        assert_eq!(looks[0].unwrap().call, Call::Better);
        let noise = rounds(6, 0.0, 0.1);
        let looks = many_arms(&[&second, &noise], 12, 0.001);
        assert_eq!(looks[0].unwrap().call, Call::GoOn);
    }

    #[test]
    fn an_ended_arm_keeps_its_look() {
        let mut early = rounds(5, 0.20, 0.001);
        let first = many_arms(&[&early, &rounds(5, 0.0, 0.1)], 12, 0.02)[0].unwrap();
        early.extend([-3.0, 3.0]);
        let later = many_arms(&[&early, &rounds(7, 0.0, 0.1)], 12, 0.02)[0].unwrap();
        assert_eq!((first.k, first), (5, later));
        assert_eq!(many_arms(&[], 12, 0.02), []);
        assert_eq!(many_arms(&[&[]], 12, 0.02), [None]);
    }
}
