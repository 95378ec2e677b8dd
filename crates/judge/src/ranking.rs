//! Ranks many arms as far as the data distinguish them: into groups, never into a strict order of point estimates.

use crate::d_series::DSeries;
use ask::experiment::{Experiment, Headline};
use record::outcome::Ranking;
use stats::robust::mean;
use stats::sequential::{Look, Test};
use stats::sessions::Replicate;

/// The comparison of two arms, neither of them the baseline, in the headline measure at one level.
pub(crate) struct Pair {
    arms: (usize, usize),
    at: usize,
    /// The relative difference that still counts as the same.
    margin: f64,
    replicate: Replicate,
    /// The difference of their `D` in each round that has both: positive when the first arm is better.
    d: Vec<f64>,
}

impl Pair {
    pub(crate) fn test(&self) -> Test<'_> {
        Test { replicate: self.replicate, ..Test::of(&self.d, self.margin) }
    }
}

/// Every pair of arms without the baseline, from the headline's series.
pub(crate) fn pairs_without_baseline(heads: &[DSeries]) -> Vec<Pair> {
    let with_later = heads.iter().enumerate().flat_map(|(index, one)| {
        let others = heads[index + 1..].iter().filter(|other| other.at == one.at);
        others.map(move |other| Pair {
            arms: (one.arm, other.arm),
            at: one.at,
            margin: one.margin,
            replicate: one.replicate,
            d: one.minus(other),
        })
    });
    with_later.collect()
}

/// Tests, and the last look at each of them.
pub(crate) struct TestsWithLooks<'a, T> {
    tests: &'a [T],
    looks: &'a [Option<Look>],
}

impl<'a, T> TestsWithLooks<'a, T> {
    pub(crate) fn new(tests: &'a [T], looks: &'a [Option<Look>]) -> Self {
        Self { tests, looks }
    }

    fn iter(&self) -> impl Iterator<Item = (&'a T, &'a Option<Look>)> {
        self.tests.iter().zip(self.looks)
    }
}

/// The rankings at all levels that have one; none where the headline has several measures.
pub(crate) fn rankings(
    experiment: &Experiment,
    heads: &TestsWithLooks<'_, DSeries>,
    pairs: &TestsWithLooks<'_, Pair>,
) -> Vec<Ranking> {
    let Headline::One(measure) = experiment.design.headline else {
        return Vec::new();
    };
    let levels = 0..experiment.comparisons_per_start(measure);
    let rankings = levels.filter_map(|at| {
        Some(Ranking {
            measure,
            level: (experiment.comparisons_per_start(measure) > 1).then(|| experiment.load.level(at)),
            groups: named_groups(experiment, at, heads, pairs)?,
        })
    });
    rankings.collect()
}

/// The groups of arms at a level, best first; `None` with fewer than three arms, or before the first round. Two arms differ when a test rejects
/// that they are equal: the headline's test for an arm and the baseline, a test of the secondary family for two other arms.
fn named_groups(
    experiment: &Experiment,
    at: usize,
    heads: &TestsWithLooks<'_, DSeries>,
    pairs: &TestsWithLooks<'_, Pair>,
) -> Option<Vec<Vec<String>>> {
    let here = || heads.iter().filter(|(series, _)| series.at == at);
    if here().count() < 2 {
        return None;
    }
    let design = &experiment.design;
    let real = |look: &Option<Look>| look.is_some_and(|look| look.is_difference());
    let against_baseline = here().filter(|(_, look)| real(look));
    let between = pairs.iter().filter(|(pair, look)| pair.at == at && real(look));
    let apart: Vec<(usize, usize)> = against_baseline
        .map(|(series, _)| (design.baseline, series.arm))
        .chain(between.map(|(pair, _)| pair.arms))
        .collect();
    let mut score = vec![0.0; experiment.arms.len()];
    for (series, _) in here() {
        score[series.arm] = mean(&series.d)?;
    }
    let mut groups = groups(experiment.arms.len(), &apart);
    let height = |group: &[usize]| group.iter().map(|arm| score[*arm]).sum::<f64>() / group.len() as f64;
    groups.sort_by(|a, b| height(b).total_cmp(&height(a)));
    let names = |group: Vec<usize>| group.iter().map(|arm| experiment.arms[*arm].name.clone()).collect();
    Some(groups.into_iter().map(names).collect())
}

/// The largest groups that contain no two arms of a pair in `apart`, by insertion and absorption (Piepho, *An Algorithm for a
/// Letter-Based Representation of All-Pairwise Comparisons*, Journal of Computational and Graphical Statistics 2004).
/// An arm between two that differ may be in both groups.
fn groups(arms: usize, apart: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![(0..arms).collect()];
    for (one, other) in apart {
        let (split, kept): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(one) && group.contains(other));
        groups = kept;
        for group in split {
            for leaves in [one, other] {
                let rest: Vec<usize> = group.iter().copied().filter(|arm| arm != leaves).collect();
                let absorbed = groups.iter().any(|wide| rest.iter().all(|arm| wide.contains(arm)));
                if !absorbed {
                    groups.push(rest);
                }
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measure::Measure;

    #[test]
    fn two_arms_are_compared_in_the_rounds_that_both_have() {
        let series = |arm: usize, rounds: &[usize], d: &[f64]| DSeries {
            arm,
            measure: Measure::CpuPerRequest,
            at: 0,
            d: d.to_vec(),
            within: Vec::new(),
            windows: 0.0,
            prior: None,
            rounds: rounds.to_vec(),
            margin: 0.02,
            replicate: Replicate::Start,
            level: None,
        };
        let whole = series(1, &[0, 1, 2, 3], &[0.5, 1.0, 2.0, 4.0]);
        let lacks_one = series(2, &[0, 2, 3], &[0.25, 1.5, 3.0]);
        let pairs = pairs_without_baseline(&[whole, lacks_one]);
        assert_eq!(pairs.len(), 1);
        assert_eq!((pairs[0].arms, &pairs[0].d), ((1, 2), &vec![0.25, 0.5, 1.0]));
    }

    #[test]
    fn arms_that_do_not_differ_are_one_group() {
        assert_eq!(groups(3, &[]), [vec![0, 1, 2]]);
    }

    #[test]
    fn an_arm_in_the_middle_is_in_both_groups() {
        assert_eq!(groups(3, &[(0, 2)]), [vec![1, 2], vec![0, 1]]);
    }

    #[test]
    fn arms_that_all_differ_are_groups_of_one() {
        let mut all = groups(3, &[(0, 1), (0, 2), (1, 2)]);
        all.sort();
        assert_eq!(all, [[0], [1], [2]]);
    }

    #[test]
    fn no_group_holds_two_arms_that_differ_and_every_arm_has_a_group() {
        // Every possible set of pairs that differ among five arms.
        let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        for chosen in 0..1_u32 << pairs.len() {
            let set = pairs.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1);
            let apart: Vec<(usize, usize)> = set.map(|(_, pair)| *pair).collect();
            let groups = groups(5, &apart);
            let together = |a, b| groups.iter().any(|group| group.contains(&a) && group.contains(&b));
            for &(a, b) in &pairs {
                assert_eq!(together(a, b), !apart.contains(&(a, b)), "{apart:?}: {groups:?}");
            }
            assert!((0..5).all(|arm| groups.iter().any(|group| group.contains(&arm))));
        }
    }
}
