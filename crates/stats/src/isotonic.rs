//! Isotonic regression: the best fit that never falls.
//!
//! The share of answers slower than the objective can only rise with the rate; probes that say otherwise are
//! noise, and are pooled with their neighbours.

/// The least-squares fit of `values` that never falls, each weighing `weights`; same length, in the same
/// order.
///
/// Pool adjacent violators (Barlow, Bartholomew, Bremner, Brunk 1972). Missing weights count as 1; they must
/// be positive.
pub fn fit(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Blocks of (mean, weight, length); a new value joins the block before it while that one is higher.
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
    blocks
        .iter()
        .flat_map(|&(mean, _, length)| std::iter::repeat_n(mean, length))
        .collect()
}

/// Where a fit that never falls crosses `level`, between the points of `x` (rising); `None` when it does not.
///
/// Straight between the last point below the level and the first that reaches it.
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
    fn violators_are_pooled_by_weight() {
        assert_eq!(fit(&[1.0, 3.0, 2.0, 4.0], &[]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(fit(&[4.0, 1.0], &[3.0, 1.0]), [3.25, 3.25]);
        assert_eq!(fit(&[3.0, 2.0, 1.0], &[]), [2.0, 2.0, 2.0]);
        assert_eq!(fit(&[], &[]), Vec::<f64>::new());
    }

    #[test]
    fn the_crossing_lies_between() {
        let x = [100.0, 200.0, 300.0];
        assert_eq!(crossing(&x, &[0.0, 0.0, 0.02], 0.01), Some(250.0));
        assert_eq!(crossing(&x, &[0.0, 0.01, 0.02], 0.01), Some(200.0));
        assert_eq!(crossing(&x, &[0.0, 0.0, 0.005], 0.01), None);
        assert_eq!(crossing(&x, &[0.02, 0.03, 0.04], 0.01), None);
    }
}
