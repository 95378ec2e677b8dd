//! The variance of the starts of a run, moderated by what the windows within its starts explain.
//!
//! Seven starts tell little about their own variance: Student's interval is wide because of that, not because the mean is uncertain. The
//! windows of the same run tell much more about it, as far as starts differ no more than their windows do. So the two are weighed as
//! Smyth does (*Linear models and empirical Bayes methods for assessing differential expression in microarray experiments*, Statistical
//! Applications in Genetics and Molecular Biology 2004), with a guard after Phipson et al. (*Robust hyperparameter estimation protects
//! against hypervariable genes*, Annals of Applied Statistics 2016): where starts differ more than their windows explain, they are
//! judged by themselves alone.
//!
//! A prior from the windows alone calls equal arms different in 7 to 17 % of the runs at a nominal 5 %, and one from other runs breaks
//! when the noise changes. Simulations in `tests/it/moderation.rs` show what this one does.

use crate::distribution::f_sf;
use crate::robust::{mean, variance};

/// The fewest windows in all starts of a run from which the variance within starts is taken; fewer are a guess as well.
const FEWEST_WINDOWS: f64 = 30.0;

/// What is known of a measure before its starts differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The variance between starts that is allowed for beyond what windows explain, on the squared log scale.
    pub between: f64,
    /// How many starts the prior counts as: its degrees of freedom.
    pub weight: f64,
}

/// The variance between and within the starts of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithinStarts<'a> {
    /// For each start the variance of its `D` by its windows, see [`crate::pairing::variance_within`].
    pub variances: &'a [f64],
    /// The windows of all starts.
    pub windows: f64,
    /// What is known of the measure.
    pub prior: Prior,
}

/// The variance of the starts, as the interval uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The variance of one start.
    pub variance: f64,
    /// Its degrees of freedom, which need not be whole.
    pub freedom: f64,
    /// The moderation; `None` where it is the starts' own variance, with which the interval is Student's.
    pub moderation: Option<Moderation>,
}

/// How the starts differ, compared with what their windows explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moderation {
    /// The variance of the starts over what windows explain.
    pub ratio: f64,
    /// The probability of a ratio as large as that, if windows explain it.
    pub p: f64,
}

impl WithinStarts<'_> {
    /// Whether each of so many starts has windows, and there are enough of them in all.
    pub fn is_usable(&self, starts: usize) -> bool {
        self.variances.len() == starts && self.windows >= FEWEST_WINDOWS
    }
}

impl Spread {
    /// The spread of starts with these `D`, moderated where there are enough windows; `None` below two starts.
    pub fn of(d: &[f64], within: Option<WithinStarts<'_>>) -> Option<Self> {
        let own = variance(d)?;
        let freedom = (d.len() - 1) as f64;
        let student = Self { variance: own, freedom, moderation: None };
        let usable = within.filter(|within| within.is_usable(d.len()) && within.prior.weight > 0.0);
        let Some(within) = usable else {
            return Some(student);
        };
        let explained = mean(within.variances)? + within.prior.between;
        if explained <= 0.0 {
            return Some(student);
        }
        let ratio = own / explained;
        let p = f_sf(ratio, freedom, within.prior.weight);
        // A ratio that is no surprise keeps the prior's weight; from the median on it loses it.
        let weight = within.prior.weight * (2.0 * p).min(1.0);
        Some(Self {
            variance: (weight * explained + freedom * own) / (weight + freedom),
            freedom: weight + freedom,
            moderation: Some(Moderation { ratio, p }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: Prior = Prior { between: 0.0001, weight: 6.0 };

    fn spread(d: &[f64], variances: &[f64], windows: f64) -> Spread {
        let within = WithinStarts { variances, windows, prior: PRIOR };
        Spread::of(d, Some(within)).expect("two starts")
    }

    #[test]
    fn starts_that_differ_as_their_windows_do_share_the_priors_weight() {
        let d = [0.02, -0.02, 0.02, -0.02];
        let own = 4.0 * 0.0004 / 3.0;
        let usual = spread(&d, &[own - 0.0001; 4], 40.0);
        let Moderation { ratio, p } = usual.moderation.expect("moderated");
        assert!((ratio - 1.0).abs() < 1e-12 && (0.4..0.5).contains(&p), "{usual:?}");
        assert!((usual.freedom - (3.0 + 12.0 * p)).abs() < 1e-12 && (usual.variance - own).abs() < 1e-15);
        let agreeing = spread(&d, &[0.01; 4], 40.0);
        assert!((agreeing.freedom - 9.0).abs() < 1e-12, "{agreeing:?}");
    }

    #[test]
    fn starts_that_differ_far_more_are_judged_by_themselves() {
        let d = [0.3, -0.3, 0.3, -0.3];
        let wild = spread(&d, &[0.0001; 4], 40.0);
        let own = Spread::of(&d, None).expect("starts");
        assert!((wild.freedom - own.freedom).abs() < 0.01, "{wild:?}");
        assert!((wild.variance / own.variance - 1.0).abs() < 0.01);
        assert!(wild.moderation.is_some_and(|found| found.p < 0.001 && found.ratio > 100.0));
    }

    #[test]
    fn few_windows_moderate_nothing() {
        let d = [0.02, -0.02, 0.01, -0.01];
        let alone = Spread::of(&d, None).expect("starts");
        assert_eq!((alone.freedom, alone.moderation), (3.0, None));
        assert_eq!(spread(&d, &[0.001; 4], 29.0), alone);
        assert_eq!(spread(&d, &[0.001; 3], 90.0), alone, "a start has no windows");
        assert_eq!(Spread::of(&[0.1], None), None);
    }
}
