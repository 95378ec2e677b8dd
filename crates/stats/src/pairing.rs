//! Reduction of the slices of one round to the one number `D` of that round.
//!
//! Every slice gives a log value `x`, larger = better. Two neighbouring slices, one of each arm, are a *pair*. Its
//! difference `d = x_arm - x_baseline` is hardly affected by slow drift of the host. Two pairs in the order ABBA or
//! BAAB are a *quad*, which cancels linear drift and any constant advantage of being loaded first. `D` is the
//! Hodges-Lehmann estimate over the pair differences of a round: **positive = the arm is better than the baseline**.

use crate::robust::{hodges_lehmann, mean};

/// The arm to which a slice belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The arm with which the others are compared ("A").
    Baseline,
    /// The arm that is compared with the baseline ("B").
    Arm,
}

/// The order of the four slices of a quad, drawn at random for every quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuadOrder {
    /// Baseline, arm, arm, baseline.
    Abba,
    /// Arm, baseline, baseline, arm.
    Baab,
}

impl QuadOrder {
    /// The arm that is loaded in each of the four slices.
    pub fn sides(self) -> [Side; 4] {
        use Side::{Arm, Baseline};
        match self {
            Self::Abba => [Baseline, Arm, Arm, Baseline],
            Self::Baab => [Arm, Baseline, Baseline, Arm],
        }
    }

    /// The two pair differences of a quad, from the log values `x` of its slices in the order of measurement.
    pub fn pairs(self, x: [f64; 4]) -> [f64; 2] {
        match self {
            Self::Abba => [x[1] - x[0], x[2] - x[3]],
            Self::Baab => [x[0] - x[1], x[3] - x[2]],
        }
    }
}

/// The log value of a rate, `ln(count / seconds)`; `None` unless both are positive.
pub fn log_rate(count: u64, seconds: f64) -> Option<f64> {
    let ln = (count as f64 / seconds).ln();
    (count > 0 && seconds > 0.0 && ln.is_finite()).then_some(ln)
}

/// The log value of a cost, `-ln(total / count)`, so that cheaper is larger; `None` unless both are positive.
///
/// For CPU per request, `total` is CPU seconds and `count` is the number of requests. For a time or a size, `count`
/// is 1.
pub fn log_cost(total: f64, count: u64) -> Option<f64> {
    let ln = -(total / count as f64).ln();
    (total > 0.0 && count > 0 && ln.is_finite()).then_some(ln)
}

/// The pair differences of a round, from its slices (side and log value) in the order of measurement.
///
/// Slices 1 and 2 are a pair, 3 and 4 are the next; a quad is simply two pairs. `None` when a pair does not consist
/// of one slice of each side or the last slice has no partner: a wrong order must not give a plausible number.
pub fn pairs(slices: &[(Side, f64)]) -> Option<Vec<f64>> {
    let (couples, rest) = slices.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    couples.iter().map(pair_difference).collect()
}

/// Arm minus baseline; `None` unless there is one slice of each side.
fn pair_difference(couple: &[(Side, f64); 2]) -> Option<f64> {
    match *couple {
        [(Side::Baseline, a), (Side::Arm, b)] | [(Side::Arm, b), (Side::Baseline, a)] => Some(b - a),
        _ => None,
    }
}

/// The difference of a row of slices in which each side may occur several times: the mean of the arm's log values
/// minus the mean of the baseline's. `None` when a side is missing.
pub fn row_difference(slices: &[(Side, f64)]) -> Option<f64> {
    let mean_of = |side: Side| {
        let values: Vec<f64> = slices
            .iter()
            .filter(|slice| slice.0 == side)
            .map(|slice| slice.1)
            .collect();
        mean(&values)
    };
    Some(mean_of(Side::Arm)? - mean_of(Side::Baseline)?)
}

/// `D` of a round, the Hodges-Lehmann estimate over its pair differences; `None` without pairs.
pub fn round_value(pairs: &[f64]) -> Option<f64> {
    hodges_lehmann(pairs)
}

/// The least-squares slope of a round's pair differences by their index, per pair; `None` below two pairs.
///
/// Slopes that differ from 0 over the rounds show that one arm was still warming up while the other was not.
pub fn slope(pairs: &[f64]) -> Option<f64> {
    if pairs.len() < 2 {
        return None;
    }
    let middle = (pairs.len() - 1) as f64 / 2.0;
    let centre = mean(pairs)?;
    let (mut moment, mut spread) = (0.0, 0.0);
    for (index, d) in pairs.iter().enumerate() {
        let offset = index as f64 - middle;
        moment += offset * (d - centre);
        spread += offset * offset;
    }
    Some(moment / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_cancels_drift_and_position() {
        let effect = 0.03;
        // The log value falls by 0.5 per slice, and the second slice of a pair is lower by 0.1.
        for order in [QuadOrder::Abba, QuadOrder::Baab] {
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
    fn pairs_of_a_list_of_slices_are_those_of_its_quads() {
        for order in [QuadOrder::Abba, QuadOrder::Baab] {
            let x = [1.0, 2.0, 4.0, 8.0];
            let slices: Vec<_> = order.sides().into_iter().zip(x).collect();
            assert_eq!(pairs(&slices).unwrap(), order.pairs(x));
        }
    }

    #[test]
    fn a_row_of_two_slices_is_a_pair_and_repeated_sides_are_averaged() {
        let (a, b) = ((Side::Baseline, 1.0), (Side::Arm, 4.0));
        assert_eq!(row_difference(&[a, b]), pairs(&[a, b]).map(|pairs| pairs[0]));
        assert_eq!(row_difference(&[a, b, (Side::Baseline, 3.0)]), Some(2.0));
        assert_eq!((row_difference(&[a]), row_difference(&[b])), (None, None));
    }

    #[test]
    fn slices_that_do_not_form_pairs_give_no_differences() {
        let a = (Side::Baseline, 1.0);
        assert_eq!(pairs(&[a, a]), None);
        assert_eq!(pairs(&[a]), None);
        assert_eq!(pairs(&[]), Some(vec![]));
    }

    #[test]
    fn log_values_need_a_positive_count_and_a_positive_total() {
        assert_eq!(log_rate(0, 1.0), None);
        assert_eq!(log_rate(10, 0.0), None);
        assert_eq!(log_rate(10, 10.0), Some(0.0));
        assert_eq!(log_cost(0.0, 5), None);
        assert!((log_cost(2.0, 1).unwrap() + 2_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn the_slope_of_a_straight_line_is_exact() {
        assert!((slope(&[0.0, 0.1, 0.2, 0.3]).unwrap() - 0.1).abs() < 1e-15);
        assert_eq!(slope(&[0.1]), None);
    }
}
