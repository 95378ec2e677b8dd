//! How strict each look must be, so that looking after every round costs no more than `alpha` in all.
//!
//! A look at round `k` rejects when its two-sided p-value is at most `a_k`. The levels come from the tables
//! of the Kim-DeMets boundary; what the tables do not hold is served by rules that only ever err towards
//! caution:
//!
//! | asked for | served |
//! |---|---|
//! | a cap between two tables | the next larger table, stopped at the asked cap |
//! | a cap of 3 or 4 | Bonferroni over its looks, from round 3 on |
//! | `alpha / J` | `0.7 a_k / J`, from the .01 table down to a tenth, from the others down to a fifth |
//! | any other alpha, a larger `J`, a cap above 40 | Bonferroni over the looks |

mod tables;

use tables::{ALPHAS, CAPS, LEVELS};

/// The first round that is looked at: below it every approximation fails (method, section 0).
pub const FIRST_LOOK: usize = 5;

/// The first that is looked at where fewer than [`FIRST_LOOK`] are planned. The t test is exact for any number of
/// normal rounds, but so few cannot show that they are not: all starts may have drawn the same luck. So nobody gets
/// this without asking for a cap that small.
pub const FEWEST_ROUNDS: usize = 3;

/// The first round that is looked at of at most so many.
pub fn first_look(cap: Option<usize>) -> usize {
    match cap {
        Some(cap) if (FEWEST_ROUNDS..FIRST_LOOK).contains(&cap) => FEWEST_ROUNDS,
        _ => FIRST_LOOK,
    }
}

/// The largest cap that has a table; beyond it use [`crate::anytime`].
pub const LARGEST_CAP: usize = 40;

/// What a plain division of the levels would overspend, measured: 5 to 26 %. This factor takes it back.
const SHARING: f64 = 0.7;

/// Where the levels of a [`Boundary`] come from; part of a stored design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The table of this cap.
    Table(usize),
    /// The always-valid fallback.
    Bonferroni,
}

/// The levels `a_5 … a_K` of one sequential test; of a very small `K` from `a_3` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    first: usize,
    levels: Vec<f64>,
    source: Source,
}

impl Boundary {
    /// The boundary for at most `cap` rounds at `alpha / share`, two-sided, over all looks.
    ///
    /// `share` is the number of tests that divide `alpha` among them, 1 for a test of its own (0 counts as
    /// 1). A cap below [`FEWEST_ROUNDS`] has no looks at all.
    pub fn new(cap: usize, alpha: f64, share: usize) -> Self {
        let share = share.max(1);
        let first = first_look(Some(cap));
        let (row, source) = match table(cap, alpha, share) {
            Some((row, table_cap)) if first == FIRST_LOOK => (row, Source::Table(table_cap)),
            _ => (bonferroni((first, cap), alpha / share as f64), Source::Bonferroni),
        };
        let looks = (cap + 1).saturating_sub(first);
        Self {
            first,
            levels: row.into_iter().take(looks).collect(),
            source,
        }
    }

    /// `a_k`: the nominal two-sided level of the look after round `k`; `None` before the first look and past the cap.
    pub fn level(&self, k: usize) -> Option<f64> {
        self.levels.get(k.checked_sub(self.first)?).copied()
    }

    /// Where the levels come from.
    pub fn source(&self) -> Source {
        self.source
    }
}

/// `a_k` of a test that has `alpha` for itself; `None` before the first look and past the cap.
pub fn a_k(cap: usize, alpha: f64, k: usize) -> Option<f64> {
    Boundary::new(cap, alpha, 1).level(k)
}

/// The table row that serves the request and the cap it was made for.
fn table(cap: usize, alpha: f64, share: usize) -> Option<(Vec<f64>, usize)> {
    let row = CAPS.iter().position(|&c| cap <= c)?;
    let column = ALPHAS.iter().position(|a| (a - alpha).abs() < 1e-9)?;
    let most = if column == 0 { 10 } else { 5 };
    if share > most {
        return None;
    }
    let factor = if share == 1 { 1.0 } else { SHARING / share as f64 };
    Some((
        LEVELS[row][column].iter().map(|level| factor * level).collect(),
        CAPS[row],
    ))
}

/// Spending `alpha (k/K)^2` look by look, as if the looks had nothing in common: always valid, and dear.
fn bonferroni((first, cap): (usize, usize), alpha: f64) -> Vec<f64> {
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
                let alone = cap == FIRST_LOOK; // One look, which has all of alpha.
                assert!(levels.iter().all(|&level| level > 0.0 && (level < 0.1 || alone)));
            }
        }
        assert_eq!(CAPS.last(), Some(&LARGEST_CAP));
    }

    #[test]
    fn caps_between_tables_stop_early_in_the_larger_one() {
        let asked = Boundary::new(18, 0.01, 1);
        assert_eq!(asked.source(), Source::Table(20));
        assert_eq!(asked.level(18), a_k(20, 0.01, 18));
        assert_eq!(asked.level(19), None);
        assert_eq!(asked.level(4), None);
        assert_eq!(Boundary::new(13, 0.05, 1).level(13), a_k(16, 0.05, 13));
        assert_eq!(Boundary::new(7, 0.05, 1).source(), Source::Table(7));
        assert_eq!(
            Boundary::new(5, 0.05, 1).level(5),
            Some(0.05),
            "one look has all of it"
        );
        assert_eq!(Boundary::new(2, 0.05, 1).level(2), None);
        assert_eq!(Boundary::new(0, 0.05, 1).level(0), None);
    }

    #[test]
    fn a_very_small_cap_is_looked_at_earlier_and_spends_all_of_alpha() {
        for (cap, share) in [(3, 1), (4, 1), (4, 3)] {
            let few = Boundary::new(cap, 0.01, share);
            assert_eq!(few.source(), Source::Bonferroni);
            assert_eq!((few.level(2), few.level(cap + 1)), (None, None));
            let total: f64 = (FEWEST_ROUNDS..=cap).filter_map(|k| few.level(k)).sum();
            assert!((total - 0.01 / share as f64).abs() < 1e-15);
        }
        assert_eq!(first_look(Some(5)), FIRST_LOOK);
        assert_eq!(first_look(None), FIRST_LOOK);
        assert_eq!(Boundary::new(5, 0.01, 1).level(4), None);
    }

    #[test]
    fn shares_pay_the_factor_once() {
        let whole = a_k(20, 0.01, 9).unwrap();
        let third = Boundary::new(20, 0.01, 3).level(9).unwrap();
        assert!((third - 0.7 * whole / 3.0).abs() < 1e-18);
        assert_eq!(Boundary::new(20, 0.01, 10).source(), Source::Table(20));
        assert_eq!(Boundary::new(20, 0.01, 11).source(), Source::Bonferroni);
        assert_eq!(Boundary::new(20, 0.05, 6).source(), Source::Bonferroni);
        assert_eq!(Boundary::new(20, 0.01, 0), Boundary::new(20, 0.01, 1));
    }

    #[test]
    fn the_fallback_spends_exactly_alpha() {
        for (cap, alpha, share) in [(20, 0.02, 1), (50, 0.01, 1), (30, 0.05, 8)] {
            let boundary = Boundary::new(cap, alpha, share);
            assert_eq!(boundary.source(), Source::Bonferroni);
            let total: f64 = (FIRST_LOOK..=cap).filter_map(|k| boundary.level(k)).sum();
            assert!((total - alpha / share as f64).abs() < 1e-15);
            let first = 25.0 * alpha / share as f64 / (cap * cap) as f64;
            assert!((boundary.level(5).unwrap() - first).abs() < 1e-15);
        }
    }
}
