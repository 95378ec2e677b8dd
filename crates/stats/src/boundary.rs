//! The significance level of each look of a sequential test, chosen so that looking after every round makes a
//! false rejection with probability `alpha` at most over all looks together (alpha spending).
//!
//! The look after round `k` rejects when its two-sided p-value is below `a_k`. The levels come from tables
//! of the Kim-DeMets boundary (Kim, DeMets, *Design and analysis of group sequential tests based on the type I
//! error spending rate function*, Biometrika 1987). Requests without a table are served by rules that may only
//! spend less than `alpha`:
//!
//! | request | levels used |
//! |---|---|
//! | a cap between two tables | the table of the next larger cap, ended at the requested cap |
//! | a cap of 3 or 4 | Bonferroni over the looks, from round 3 on |
//! | `alpha / J` with `J <= 10` at 0.01, `J <= 5` at 0.05 and 0.10 | `0.7 a_k / J` |
//! | another alpha, a larger `J`, a cap above 40 | Bonferroni over the looks |

mod tables;

use tables::{ALPHAS, CAPS, LEVELS};

/// The number of rounds at the first look. With fewer rounds, departures from the normal distribution spoil
/// the t test (method, section 0).
pub const FIRST_LOOK: usize = 5;

/// The number of rounds at the first look of a test whose cap is below [`FIRST_LOOK`].
///
/// The t test is exact for any number of normally distributed rounds, but so few rounds cannot reveal that
/// theirs are not: all starts may have had the same luck. Only a run with an explicitly small cap is judged by
/// so few.
pub const FEWEST_ROUNDS: usize = 3;

/// The number of rounds at the first look of a test with this cap (`None`: without a cap).
pub fn first_look(cap: Option<usize>) -> usize {
    match cap {
        Some(cap) if (FEWEST_ROUNDS..FIRST_LOOK).contains(&cap) => FEWEST_ROUNDS,
        _ => FIRST_LOOK,
    }
}

/// The largest cap that has a table; beyond it use [`crate::anytime`].
pub const LARGEST_CAP: usize = 40;

/// Tests that share alpha have their levels multiplied by this factor. Division of the levels by the number of
/// tests alone would spend 5 to 26 % more than the test's part of alpha (by simulation).
const SHARING: f64 = 0.7;

/// How the levels of a [`Boundary`] were obtained; part of a stored design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelSource {
    /// From the table made for this cap.
    Table(usize),
    /// By the Bonferroni inequality, which holds for any cap, alpha and number of tests.
    Bonferroni,
}

/// The levels `a_5 … a_K` of one sequential test with the cap `K`; when `K` is 3 or 4, they begin with `a_3`.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// The number of rounds at the first look.
    first: usize,
    /// One level per look, from the first look to the cap.
    levels: Vec<f64>,
    source: LevelSource,
    /// The two-sided error rate over all looks.
    alpha: f64,
    /// The number of rounds over which the levels spend it: the cap, or that of the table.
    spent_over: usize,
}

impl Boundary {
    /// The boundary of a test with at most `cap` rounds and the two-sided error rate `alpha / share` over all
    /// its looks.
    ///
    /// `share` is the number of tests that divide `alpha` among them: 1 for a single test; 0 counts as 1. A
    /// cap below [`FEWEST_ROUNDS`] gives a boundary without looks.
    pub fn new(cap: usize, alpha: f64, share: usize) -> Self {
        let share = share.max(1);
        let first = first_look(Some(cap));
        let (row, source) = match table(cap, alpha, share) {
            Some((row, table_cap)) if first == FIRST_LOOK => (row, LevelSource::Table(table_cap)),
            _ => (
                bonferroni_levels(first, cap, alpha / share as f64),
                LevelSource::Bonferroni,
            ),
        };
        let looks = (cap + 1).saturating_sub(first);
        Self {
            first,
            levels: row.into_iter().take(looks).collect(),
            source,
            alpha: alpha / share as f64,
            spent_over: match source {
                LevelSource::Table(table_cap) => table_cap,
                LevelSource::Bonferroni => cap,
            },
        }
    }

    /// The level of the look after round `k` if that is the last one, because there is no time for more rounds: what the looks
    /// before it have not spent. `None` as for [`Boundary::level`].
    ///
    /// The looks up to round `k - 1` spend `alpha ((k - 1) / K)^2` at most, and by the Bonferroni inequality the rest may be spent
    /// at once. That the run ends has to depend on the time and not on what the rounds show (Lan, DeMets, *Discrete sequential
    /// boundaries for clinical trials*, Biometrika 1983).
    pub fn last_level(&self, k: usize) -> Option<f64> {
        let level = self.level(k)?;
        let before = if k > self.first {
            (k - 1) as f64 / self.spent_over as f64
        } else {
            0.0
        };
        Some(level.max(self.alpha * (1.0 - before * before)))
    }

    /// `a_k`, the nominal two-sided level of the look after round `k`; `None` before the first look and after
    /// the cap.
    pub fn level(&self, k: usize) -> Option<f64> {
        self.levels.get(k.checked_sub(self.first)?).copied()
    }

    /// How the levels were obtained.
    pub fn source(&self) -> LevelSource {
        self.source
    }
}

/// `a_k` of a test that shares its `alpha` with no other test; `None` before the first look and after the cap.
pub fn a_k(cap: usize, alpha: f64, k: usize) -> Option<f64> {
    Boundary::new(cap, alpha, 1).level(k)
}

/// The levels of the table that serves the request, and the cap for which that table was made; `None` when no
/// table serves it.
fn table(cap: usize, alpha: f64, share: usize) -> Option<(Vec<f64>, usize)> {
    let row = CAPS.iter().position(|&c| cap <= c)?;
    let column = ALPHAS.iter().position(|a| (a - alpha).abs() < 1e-9)?;
    let largest_share = if column == 0 { 10 } else { 5 };
    if share > largest_share {
        return None;
    }
    let factor = if share == 1 { 1.0 } else { SHARING / share as f64 };
    Some((
        LEVELS[row][column].iter().map(|level| factor * level).collect(),
        CAPS[row],
    ))
}

/// Levels that spend `alpha (k / cap)^2` up to the look after round `k`, without regard to the correlation
/// between looks. By the Bonferroni inequality this is always valid; it needs more rounds than the tables do.
fn bonferroni_levels(first: usize, cap: usize, alpha: f64) -> Vec<f64> {
    let spent = |k: usize| alpha * (k as f64 / cap as f64).powi(2);
    let level = |k: usize| {
        if k == first {
            spent(k)
        } else {
            spent(k) - spent(k - 1)
        }
    };
    (first..=cap).map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_runs_from_five_to_its_cap() {
        for (row, cap) in LEVELS.iter().zip(CAPS) {
            for levels in row {
                assert_eq!(levels.len(), cap - FIRST_LOOK + 1);
                let is_single_look = cap == FIRST_LOOK; // Its level is all of alpha, up to 0.1.
                assert!(
                    levels
                        .iter()
                        .all(|&level| level > 0.0 && (level < 0.1 || is_single_look))
                );
            }
        }
        assert_eq!(CAPS.last(), Some(&LARGEST_CAP));
    }

    #[test]
    fn a_cap_without_a_table_uses_the_beginning_of_the_next_larger_table() {
        let boundary = Boundary::new(18, 0.01, 1);
        assert_eq!(boundary.source(), LevelSource::Table(20));
        assert_eq!(boundary.level(18), a_k(20, 0.01, 18));
        assert_eq!(boundary.level(19), None);
        assert_eq!(boundary.level(4), None);
        assert_eq!(Boundary::new(13, 0.05, 1).level(13), a_k(16, 0.05, 13));
        assert_eq!(Boundary::new(7, 0.05, 1).source(), LevelSource::Table(7));
        assert_eq!(
            Boundary::new(5, 0.05, 1).level(5),
            Some(0.05),
            "a single look has all of alpha"
        );
        assert_eq!(Boundary::new(2, 0.05, 1).level(2), None);
        assert_eq!(Boundary::new(0, 0.05, 1).level(0), None);
    }

    #[test]
    fn a_cap_below_five_has_looks_from_round_three_on_and_spends_all_of_alpha() {
        for (cap, share) in [(3, 1), (4, 1), (4, 3)] {
            let few = Boundary::new(cap, 0.01, share);
            assert_eq!(few.source(), LevelSource::Bonferroni);
            assert_eq!((few.level(2), few.level(cap + 1)), (None, None));
            let total: f64 = (FEWEST_ROUNDS..=cap).filter_map(|k| few.level(k)).sum();
            assert!((total - 0.01 / share as f64).abs() < 1e-15);
        }
        assert_eq!(first_look(Some(5)), FIRST_LOOK);
        assert_eq!(first_look(None), FIRST_LOOK);
        assert_eq!(Boundary::new(5, 0.01, 1).level(4), None);
    }

    #[test]
    fn a_shared_level_is_the_divided_level_times_the_sharing_factor() {
        let unshared = a_k(20, 0.01, 9).unwrap();
        let third = Boundary::new(20, 0.01, 3).level(9).unwrap();
        assert!((third - 0.7 * unshared / 3.0).abs() < 1e-18);
        assert_eq!(Boundary::new(20, 0.01, 10).source(), LevelSource::Table(20));
        assert_eq!(Boundary::new(20, 0.01, 11).source(), LevelSource::Bonferroni);
        assert_eq!(Boundary::new(20, 0.05, 6).source(), LevelSource::Bonferroni);
        assert_eq!(Boundary::new(20, 0.01, 0), Boundary::new(20, 0.01, 1));
    }

    #[test]
    fn the_last_look_spends_what_is_left() {
        let boundary = Boundary::new(14, 0.01, 3);
        let left = 0.01 / 3.0 * (1.0 - (10.0_f64 / 16.0).powi(2));
        assert!((boundary.last_level(11).unwrap() - left).abs() < 1e-15);
        assert!(left > 4.0 * boundary.level(11).unwrap());
        assert!((boundary.last_level(5).unwrap() - 0.01 / 3.0).abs() < 1e-15);
        assert_eq!((boundary.last_level(4), boundary.last_level(15)), (None, None));
        let whole = Boundary::new(20, 0.01, 1);
        assert!(whole.last_level(20) >= whole.level(20));
    }

    #[test]
    fn the_bonferroni_levels_add_up_to_alpha() {
        for (cap, alpha, share) in [(20, 0.02, 1), (50, 0.01, 1), (30, 0.05, 8)] {
            let boundary = Boundary::new(cap, alpha, share);
            assert_eq!(boundary.source(), LevelSource::Bonferroni);
            let total: f64 = (FIRST_LOOK..=cap).filter_map(|k| boundary.level(k)).sum();
            assert!((total - alpha / share as f64).abs() < 1e-15);
            let first = 25.0 * alpha / share as f64 / (cap * cap) as f64;
            assert!((boundary.level(5).unwrap() - first).abs() < 1e-15);
        }
    }
}
