//! Summaries of a list of numbers: sum, mean, variance, standard deviation, median, Hodges-Lehmann estimate.
//!
//! Two promises hold to the last bit: the order of the values does not change a result, and negating every
//! value negates each measure of location. Without them a verdict could depend on which arm is the baseline
//! or on the order in which rounds were stored.

/// The sum; the order of the values does not change it, and `sum(-x) = -sum(x)` holds exactly.
///
/// Positive and negative values are added separately, each from small to large. Sorting fixes the order of the
/// additions, and negation only exchanges the two partial sums.
pub fn sum(values: &[f64]) -> f64 {
    let sum_of_positive = |sign: fn(f64) -> f64| {
        let mut parts: Vec<f64> = values.iter().map(|&v| sign(v)).filter(|&v| v > 0.0).collect();
        parts.sort_unstable_by(f64::total_cmp);
        parts.iter().sum::<f64>()
    };
    sum_of_positive(|v| v) - sum_of_positive(|v| -v)
}

/// The arithmetic mean; `None` without values. The mean of identical values is exactly that value.
pub fn mean(values: &[f64]) -> Option<f64> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let n = values.len() as f64;
    let mut mean = sum(values) / n;
    if !mean.is_finite() {
        // The sum overflowed although the mean does not.
        mean = sum(&values.iter().map(|v| v / n).collect::<Vec<_>>());
    }
    // Rounding can move the mean of equal values by a bit; the variance would then not be 0.
    Some(mean.clamp(low, high))
}

/// The sample variance with divisor `n - 1`, in the squared unit of the values; `None` below two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let squares: Vec<f64> = values.iter().map(|v| (v - centre) * (v - centre)).collect();
    Some(sum(&squares) / (values.len() - 1) as f64)
}

/// The sample standard deviation with divisor `n - 1`, in the unit of the values; `None` below two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// The median: the middle value, or the mean of the two middle ones; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    median_in_place(&mut values.to_vec())
}

/// [`median`] without a copy of the values; it leaves them in another order.
fn median_in_place(values: &mut [f64]) -> Option<f64> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return Some(upper);
    }
    let lower = below.iter().copied().reduce(f64::max)?;
    Some(lower.midpoint(upper))
}

/// The Hodges-Lehmann estimate of location: the median of all Walsh averages `(x_a + x_b) / 2`, `a <= b`;
/// `None` without values.
///
/// Hodges, Lehmann, *Estimates of location based on rank tests*, Annals of Mathematical Statistics 1963. It
/// tolerates wild values up to a share of 29 % (its breakdown point), yet on Gaussian data it is only about 4 %
/// less efficient than the mean.
pub fn hodges_lehmann(values: &[f64]) -> Option<f64> {
    let n = values.len();
    let mut walsh = Vec::with_capacity(n * (n + 1) / 2);
    for (a, &x) in values.iter().enumerate() {
        walsh.extend(values[a..].iter().map(|&y| x.midpoint(y)));
    }
    median_in_place(&mut walsh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_values_there_is_no_result() {
        assert_eq!(mean(&[]), None);
        assert_eq!(sd(&[1.0]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(hodges_lehmann(&[]), None);
        assert_eq!(hodges_lehmann(&[3.5]), Some(3.5));
    }

    #[test]
    fn equal_values_have_no_spread() {
        let equal = [0.1; 7];
        assert_eq!(mean(&equal), Some(0.1));
        assert_eq!(sd(&equal), Some(0.0));
        assert_eq!(hodges_lehmann(&equal), Some(0.1));
    }

    #[test]
    fn the_median_of_an_even_number_of_values_is_the_mean_of_the_middle_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn one_wild_value_hardly_moves_the_hodges_lehmann_estimate() {
        let quiet = [0.01, 0.02, 0.03, 0.02, 0.01, 0.02];
        let burst = [0.01, 0.02, 0.03, 0.02, 0.01, -5.0];
        assert!((hodges_lehmann(&quiet).unwrap() - hodges_lehmann(&burst).unwrap()).abs() < 0.006);
    }

    #[test]
    fn values_whose_sum_overflows_still_have_a_mean() {
        assert_eq!(mean(&[1e308, 1.5e308, -1.2e308, -1.6e308]).map(f64::is_finite), Some(true));
        assert_eq!(mean(&[1.7e308; 3]), Some(1.7e308));
    }
}
