//! Counts of events that happen at random times, such as pauses of a server: intervals, and a comparison of two rates.

use crate::ConfidenceInterval;
use crate::distribution::binomial_cdf;
use crate::special::ln_gamma;

/// The two-sided p-value of "both have the same rate", from two counts and the times in which they were counted, which are positive.
///
/// It is the exact conditional test (Przyborowski, Wilenski, *Homogeneity of results in testing samples from Poisson series*, Biometrika
/// 1940): given their sum, one of the counts is binomial with its share of the time. The smaller tail is doubled.
pub fn same_rate(counts: [u64; 2], times: [f64; 2]) -> f64 {
    let [one, other] = counts;
    let all = one + other;
    let share = times[0] / (times[0] + times[1]);
    let at_most = binomial_cdf(one, all, share);
    // P(X >= one), from the other side.
    let at_least = binomial_cdf(other, all, 1.0 - share);
    (2.0 * at_most.min(at_least)).min(1.0)
}

/// The exact interval of the mean of a Poisson variable that was seen to be `count` (Garwood, *Fiducial limits for the Poisson
/// distribution*, Biometrika 1936); `confidence` is a fraction.
pub fn poisson_interval(count: u64, confidence: f64) -> ConfidenceInterval {
    let tail = (1.0 - confidence) / 2.0;
    let low = match count.checked_sub(1) {
        // P(X >= count) grows with the mean, so that it falls short of the tail below the end.
        Some(less) => mean_where(|mean| 1.0 - at_most(less, mean) < tail),
        None => 0.0,
    };
    ConfidenceInterval { low, high: mean_where(|mean| at_most(count, mean) > tail) }
}

/// `P(X <= k)` for a Poisson variable with this mean.
fn at_most(k: u64, mean: f64) -> f64 {
    let term = |x: u64| (x as f64 * mean.ln() - mean - ln_gamma(x as f64 + 1.0)).exp();
    (0..=k).map(term).sum()
}

/// The mean from which on something that holds for small means holds no longer.
fn mean_where(is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while is_below(high) {
        low = high;
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rates_are_compared_by_the_binomial() {
        // Of six events in equal times, all in one: 2 * 2^-6.
        assert!((same_rate([6, 0], [10.0, 10.0]) - 0.031_25).abs() < 1e-12);
        assert!((same_rate([0, 6], [10.0, 10.0]) - 0.031_25).abs() < 1e-12);
        assert_eq!(same_rate([0, 0], [10.0, 10.0]), 1.0);
        assert_eq!(same_rate([7, 7], [10.0, 10.0]), 1.0);
        // Two events in a fifth of the time: P(X >= 2) = 1/25 of two.
        assert!((same_rate([2, 0], [2.0, 8.0]) - 0.08).abs() < 1e-12);
        assert!(same_rate([14, 1], [160.0, 160.0]) < 0.001);
    }

    #[test]
    fn the_interval_of_a_count_is_as_in_tables() {
        // Garwood's table, 95 %.
        for (count, low, high) in
            [(0, 0.0, 3.689), (1, 0.0253, 5.572), (5, 1.623, 11.668), (14, 7.654, 23.490)]
        {
            let found = poisson_interval(count, 0.95);
            assert!((found.low - low).abs() < 1e-3 && (found.high - high).abs() < 1e-3, "{count}: {found:?}");
        }
    }
}
