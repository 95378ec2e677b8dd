//! Isotonic regression: the least-squares fit among all sequences that never fall.
//!
//! The share of answers that miss an objective can only rise with the rate. Where it falls from one measured
//! rate to the next, that is noise, and the fit pools the two.

/// The least-squares fit of `values` by a sequence that never falls, with one weight per value; as long as
/// `values` and in their order.
///
/// Pool-adjacent-violators algorithm (Barlow, Bartholomew, Bremner, Brunk, *Statistical Inference under Order
/// Restrictions*, 1972). Weights must be positive; missing ones count as 1.
pub fn fit(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Blocks of (mean, weight, length). A block that is not higher than the one before it is merged with it.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (index, &value) in values.iter().enumerate() {
        let mut block = (value, weights.get(index).copied().unwrap_or(1.0), 1);
        while let Some(before) = blocks.pop_if(|before| before.0 >= block.0) {
            let weight = before.1 + block.1;
            let mean = before.0 + (block.0 - before.0) * (block.1 / weight);
            block = (mean, weight, before.2 + block.2);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(mean, _, length)| std::iter::repeat_n(mean, length)).collect()
}

/// The `x` at which a fit that never falls reaches `level`; `None` when it stays below or begins at or above it.
///
/// `x` are the rising positions of the values in `fitted`. The result is interpolated linearly between the last
/// point below the level and the first point that reaches it.
pub fn crossing(x: &[f64], fitted: &[f64], level: f64) -> Option<f64> {
    let above = fitted.iter().position(|&y| y >= level)?;
    let below = above.checked_sub(1)?;
    let share = (level - fitted[below]) / (fitted[above] - fitted[below]);
    Some(x.get(below)? + share * (x.get(above)? - x.get(below)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_fall_are_pooled_to_their_weighted_mean() {
        assert_eq!(fit(&[1.0, 3.0, 2.0, 4.0], &[]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(fit(&[4.0, 1.0], &[3.0, 1.0]), [3.25, 3.25]);
        assert_eq!(fit(&[3.0, 2.0, 1.0], &[]), [2.0, 2.0, 2.0]);
        assert_eq!(fit(&[], &[]), Vec::<f64>::new());
    }

    #[test]
    fn the_crossing_is_interpolated_between_two_points() {
        let x = [100.0, 200.0, 300.0];
        assert_eq!(crossing(&x, &[0.0, 0.0, 0.02], 0.01), Some(250.0));
        assert_eq!(crossing(&x, &[0.0, 0.01, 0.02], 0.01), Some(200.0));
        assert_eq!(crossing(&x, &[0.0, 0.0, 0.005], 0.01), None);
        assert_eq!(crossing(&x, &[0.02, 0.03, 0.04], 0.01), None);
    }
}
