//! At which starts a run may end early, and which part of its error rate each look spends (alpha spending: Lan, DeMets, *Discrete
//! sequential boundaries for clinical trials*, Biometrika 1983).
//!
//! The parts add up to 1 over the looks that a run can have, so by the Bonferroni inequality no run makes false calls more often than
//! its error rate says, whatever the correlation between its looks.

/// The number of starts at the first look. Fewer starts have no interval: they do not show how much starts vary.
pub const FIRST_LOOK: usize = 4;

/// The share of the error rate that the look after [`FIRST_LOOK`] starts spends, where it is not the last one.
const FIRST_SHARE: f64 = 0.1;

/// The number of planned starts from which on there are further looks, at a quarter, half and three quarters of them.
const MANY_STARTS: usize = 12;

/// The parameter gamma of the spending function of Hwang, Shih and DeCani (*Group sequential designs using a family of type I error
/// probability spending functions*, Statistics in Medicine 1990) for the further looks: the later, the more is spent.
const GAMMA: f64 = -8.0;

/// Where a run is when it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookKind {
    /// More starts may follow.
    Running,
    /// Somebody has interrupted the run. Since that may have been for what it showed, this look has no more than the first one.
    Interrupted,
    /// The run has ended by its plan or for want of time, not for what it showed: this look spends all that is left.
    Last,
}

/// The looks at a run with a planned number of starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Spending {
    cap: usize,
    /// The looks before the last one: the number of starts, and the share of the error rate that is spent by then.
    early: Vec<(usize, f64)>,
}

impl Spending {
    /// The looks at a run with at most `cap` starts.
    pub fn new(cap: usize) -> Self {
        let quarters = (1..4).map(|quarter| (cap * quarter).div_ceil(4));
        let further = quarters.filter(|k| cap >= MANY_STARTS && *k > FIRST_LOOK);
        let spent = |k: usize| FIRST_SHARE + (1.0 - FIRST_SHARE) * hwang_shih_decani(k as f64 / cap as f64);
        let first = (cap > FIRST_LOOK).then_some((FIRST_LOOK, FIRST_SHARE));
        Self { cap, early: first.into_iter().chain(further.map(|k| (k, spent(k)))).collect() }
    }

    /// The most starts.
    pub fn cap(&self) -> usize {
        self.cap
    }

    /// The numbers of starts after which the run may end for what it shows, before its last look.
    pub fn early_looks(&self) -> impl Iterator<Item = usize> {
        self.early.iter().map(|(k, _)| *k)
    }

    /// Whether a look of this kind after `k` starts may end the run or gives its verdict.
    pub fn decides(&self, k: usize, kind: LookKind) -> bool {
        let ends = kind != LookKind::Running || k >= self.cap;
        k >= FIRST_LOOK && (ends || self.early.iter().any(|(early, _)| *early == k))
    }

    /// The share of the error rate of a look of this kind after `k` starts; `None` before the first look. A
    /// look that decides nothing has the first look's share, to be shown.
    pub fn share(&self, k: usize, kind: LookKind) -> Option<f64> {
        if k < FIRST_LOOK {
            return None;
        }
        let spent_before = |k: usize| {
            let before = self.early.iter().rev().find(|(early, _)| *early < k);
            before.map_or(0.0, |(_, spent)| *spent)
        };
        let planned = self.early.iter().find(|(early, _)| *early == k);
        Some(match (kind, planned) {
            (LookKind::Last, _) => 1.0 - spent_before(k),
            _ if k >= self.cap => 1.0 - spent_before(k),
            (LookKind::Running, Some((_, spent))) => spent - spent_before(k),
            _ => FIRST_SHARE,
        })
    }
}

/// The share that is spent when the share `t` of the starts is done, both 0 to 1.
fn hwang_shih_decani(t: f64) -> f64 {
    (-GAMMA * t).exp_m1() / (-GAMMA).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_is_looked_at_after_four_starts_and_at_its_end() {
        let spending = Spending::new(7);
        assert_eq!(spending.early_looks().collect::<Vec<_>>(), [4]);
        assert_eq!(spending.share(3, LookKind::Last), None);
        assert_eq!(spending.share(4, LookKind::Running), Some(0.1));
        assert_eq!(spending.share(7, LookKind::Running), Some(0.9));
        assert_eq!(spending.share(6, LookKind::Last), Some(0.9));
        let deciding = |kind| (1..=8).filter(|k| spending.decides(*k, kind)).collect::<Vec<_>>();
        assert_eq!(deciding(LookKind::Running), [4, 7, 8]);
        assert_eq!(deciding(LookKind::Last), [4, 5, 6, 7, 8]);
    }

    #[test]
    fn a_run_that_ends_at_its_first_look_spends_everything_there() {
        assert_eq!(Spending::new(7).share(4, LookKind::Last), Some(1.0));
        assert_eq!(Spending::new(4).share(4, LookKind::Running), Some(1.0));
        assert_eq!(Spending::new(2).early_looks().count(), 0);
    }

    #[test]
    fn many_starts_have_further_looks_that_spend_little() {
        let spending = Spending::new(30);
        assert_eq!(spending.early_looks().collect::<Vec<_>>(), [4, 8, 15, 23]);
        let share = |k| spending.share(k, LookKind::Running).expect("a look");
        // (e^(8 t) - 1) / (e^8 - 1) of the nine tenths that the first look leaves.
        assert!((share(8) - 0.9 * (f64::exp(8.0 * 8.0 / 30.0) - 1.0) / (f64::exp(8.0) - 1.0)).abs() < 1e-12);
        assert!(share(30) > 0.75 && share(15) < 0.02);
    }

    #[test]
    fn the_looks_of_a_run_spend_its_error_rate_once() {
        for cap in 4..=40 {
            let spending = Spending::new(cap);
            for end in 4..=cap {
                let early = spending.early_looks().filter(|k| *k < end);
                let early: f64 = early.filter_map(|k| spending.share(k, LookKind::Running)).sum();
                let all = early + spending.share(end, LookKind::Last).expect("a look");
                assert!((all - 1.0).abs() < 1e-12, "{cap} {end}: {all}");
            }
        }
    }

    #[test]
    fn whoever_interrupts_a_run_has_no_more_than_the_first_look() {
        assert_eq!(Spending::new(20).share(9, LookKind::Interrupted), Some(0.1));
        assert_eq!(
            Spending::new(20).share(20, LookKind::Interrupted),
            Spending::new(20).share(20, LookKind::Last)
        );
    }
}
