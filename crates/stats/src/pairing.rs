//! From the slices of one round to the one number `D` of that round.
//!
//! A slice gives a log value `x`, larger = better. Two neighbouring slices, one of each arm, are a *pair*;
//! its difference `d = x_arm - x_baseline` is what the host's drift leaves alone. Two pairs in the order ABBA
//! or BAAB are a *quad*, which cancels linear drift and any fixed advantage of going first. The
//! Hodges-Lehmann estimate over the pairs of a round is its `D`: **positive = the arm is better than the
//! baseline**.

use crate::robust::{hodges_lehmann, mean};

/// Whose slice it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The arm everything is compared with ("A").
    Baseline,
    /// The arm under judgement ("B").
    Arm,
}

/// The order of the four slices of a quad; drawn by coin for every quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Baseline, arm, arm, baseline.
    Abba,
    /// Arm, baseline, baseline, arm.
    Baab,
}

impl Order {
    /// Who is loaded in each of the four slices.
    pub fn sides(self) -> [Side; 4] {
        use Side::{Arm, Baseline};
        match self {
            Self::Abba => [Baseline, Arm, Arm, Baseline],
            Self::Baab => [Arm, Baseline, Baseline, Arm],
        }
    }

    /// The two pair differences of a quad whose slices gave `x`, in the order they were measured.
    pub fn pairs(self, x: [f64; 4]) -> [f64; 2] {
        match self {
            Self::Abba => [x[1] - x[0], x[2] - x[3]],
            Self::Baab => [x[0] - x[1], x[3] - x[2]],
        }
    }
}

/// The log value of a rate: `ln(count / seconds)`. `None` unless both are positive.
pub fn log_rate(count: u64, seconds: f64) -> Option<f64> {
    let ln = (count as f64 / seconds).ln();
    (count > 0 && seconds > 0.0 && ln.is_finite()).then_some(ln)
}

/// The log value of a cost: `-ln(total / count)`, so that cheaper is larger. `None` unless both are positive.
///
/// `total` is CPU seconds for CPU per request; with `count` = 1 it is a time or a size.
pub fn log_cost(total: f64, count: u64) -> Option<f64> {
    let ln = -(total / count as f64).ln();
    (total > 0.0 && count > 0 && ln.is_finite()).then_some(ln)
}

/// The pair differences of a round, from its slices in the order they were measured.
///
/// Slices 1 and 2 are a pair, 3 and 4 the next; quads need no special case. `None` when a pair does not hold
/// one slice of each side or the last slice has no partner: a broken order must not turn into a plausible
/// number.
pub fn pairs(slices: &[(Side, f64)]) -> Option<Vec<f64>> {
    let (couples, rest) = slices.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    couples.iter().map(pair).collect()
}

fn pair(couple: &[(Side, f64); 2]) -> Option<f64> {
    match *couple {
        [(Side::Baseline, a), (Side::Arm, b)] | [(Side::Arm, b), (Side::Baseline, a)] => Some(b - a),
        _ => None,
    }
}

/// The difference of one row of slices that holds the arm and the baseline at least once: the mean of the arm's less
/// that of the baseline's. `None` where one of them is missing.
pub fn row(slices: &[(Side, f64)]) -> Option<f64> {
    let of = |side: Side| {
        let values: Vec<f64> = slices
            .iter()
            .filter(|slice| slice.0 == side)
            .map(|slice| slice.1)
            .collect();
        mean(&values)
    };
    Some(of(Side::Arm)? - of(Side::Baseline)?)
}

/// `D`, the number of the round: Hodges-Lehmann over its pair differences. `None` without pairs.
pub fn round_value(pairs: &[f64]) -> Option<f64> {
    hodges_lehmann(pairs)
}

/// The least-squares slope of the pair differences on their index, per pair; `None` below two pairs.
///
/// One per round; a t test over rounds says whether one arm still warms up while the other does not.
pub fn slope(pairs: &[f64]) -> Option<f64> {
    if pairs.len() < 2 {
        return None;
    }
    let middle = (pairs.len() - 1) as f64 / 2.0;
    let centre = mean(pairs)?;
    let (mut moment, mut spread) = (0.0, 0.0);
    for (index, d) in pairs.iter().enumerate() {
        let lag = index as f64 - middle;
        moment += lag * (d - centre);
        spread += lag * lag;
    }
    Some(moment / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_cancels_drift_and_position() {
        let effect = 0.03;
        // Speed falls by 0.5 a slice, and whoever runs second in a pair loses 0.1.
        for order in [Order::Abba, Order::Baab] {
            let mut x = [0.0, -0.5 - 0.1, -1.0, -1.5 - 0.1];
            for (value, side) in x.iter_mut().zip(order.sides()) {
                if side == Side::Arm {
                    *value += effect;
                }
            }
            let [first, second] = order.pairs(x);
            assert!(((first + second) / 2.0 - effect).abs() < 1e-12);
        }
    }

    #[test]
    fn a_list_of_slices_is_read_as_quads() {
        for order in [Order::Abba, Order::Baab] {
            let x = [1.0, 2.0, 4.0, 8.0];
            let slices: Vec<_> = order.sides().into_iter().zip(x).collect();
            assert_eq!(pairs(&slices).unwrap(), order.pairs(x));
        }
    }

    #[test]
    fn a_row_of_two_is_a_pair_and_more_of_the_baseline_are_averaged() {
        let (a, b) = ((Side::Baseline, 1.0), (Side::Arm, 4.0));
        assert_eq!(row(&[a, b]), pairs(&[a, b]).map(|pairs| pairs[0]));
        assert_eq!(row(&[a, b, (Side::Baseline, 3.0)]), Some(2.0));
        assert_eq!((row(&[a]), row(&[b])), (None, None));
    }

    #[test]
    fn a_broken_order_gives_nothing() {
        let a = (Side::Baseline, 1.0);
        assert_eq!(pairs(&[a, a]), None);
        assert_eq!(pairs(&[a]), None);
        assert_eq!(pairs(&[]), Some(vec![]));
    }

    #[test]
    fn logs_only_of_what_was_counted() {
        assert_eq!(log_rate(0, 1.0), None);
        assert_eq!(log_rate(10, 0.0), None);
        assert_eq!(log_rate(10, 10.0), Some(0.0));
        assert_eq!(log_cost(0.0, 5), None);
        assert!((log_cost(2.0, 1).unwrap() + 2_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn slope_of_a_line() {
        assert!((slope(&[0.0, 0.1, 0.2, 0.3]).unwrap() - 0.1).abs() < 1e-15);
        assert_eq!(slope(&[0.1]), None);
    }
}
