//! Distribution functions and quantiles (Student t, normal, beta, binomial), and exact tests of proportions.
//!
//! Probabilities are in `[0, 1]`. `cdf` is the lower tail `P(X <= x)`, `sf` the upper tail `P(X > x)`, and `isf` the
//! inverse of `sf`. The upper tails exist because `1 - cdf` loses its digits at the strict levels of a sequential
//! test.

use crate::interval::ConfidenceInterval;
use crate::special::{beta_regularised, invert_tail, ln_gamma, normal_tail};
use std::f64::consts::PI;

/// `P(T > t)` for Student's t with `df > 0` degrees of freedom.
pub fn t_sf(t: f64, df: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - t_sf(-t, df);
    }
    if t.is_infinite() {
        return 0.0;
    }
    // 2 P(T > t) = I_x(df/2, 1/2) with x = df / (df + t^2) (Abramowitz, Stegun 26.7.1). It is computed from t^2/df,
    // so that a huge t gives a small x instead of NaN.
    let ratio = t / df.sqrt() * (t / df.sqrt());
    if ratio.is_infinite() {
        return 0.0;
    }
    0.5 * beta_regularised(df / 2.0, 0.5, 1.0 / (1.0 + ratio), ratio / (1.0 + ratio))
}

/// `P(T <= t)` for Student's t with `df > 0` degrees of freedom.
pub fn t_cdf(t: f64, df: f64) -> f64 {
    t_sf(-t, df)
}

/// The `t` with `P(T > t) = p` for Student's t with `df > 0` degrees of freedom; infinite at `p` = 0 and 1.
pub fn t_isf(p: f64, df: f64) -> f64 {
    if p > 0.5 {
        return -t_isf(1.0 - p, df);
    }
    if p <= 0.0 {
        return f64::INFINITY;
    }
    let ln_scale = ln_gamma((df + 1.0) / 2.0) - ln_gamma(df / 2.0) - 0.5 * (df * PI).ln();
    let density = |x: f64| (ln_scale - (df + 1.0) / 2.0 * (x * x / df).ln_1p()).exp();
    invert_tail(p, |x| t_sf(x, df), density)
}

/// The two-sided p-value of a t statistic with `df > 0` degrees of freedom, `P(|T| >= |t|)`.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    2.0 * t_sf(t.abs(), df)
}

/// `P(Z > z)` for the standard normal distribution.
pub fn normal_sf(z: f64) -> f64 {
    normal_tail(z)
}

/// `P(Z <= z)` for the standard normal distribution.
pub fn normal_cdf(z: f64) -> f64 {
    normal_tail(-z)
}

/// The `z` with `P(Z > z) = p` for the standard normal distribution; infinite at `p` = 0 and 1.
pub fn normal_isf(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_isf(1.0 - p);
    }
    if p <= 0.0 {
        return f64::INFINITY;
    }
    invert_tail(p, normal_tail, |z| (-0.5 * z * z).exp() / (2.0 * PI).sqrt())
}

/// The `z` with `P(Z <= z) = p` for the standard normal distribution; infinite at `p` = 0 and 1.
pub fn normal_quantile(p: f64) -> f64 {
    -normal_isf(p)
}

/// `P(B <= x)` for the beta distribution with shapes `a, b > 0`.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    beta_regularised(a, b, x, 1.0 - x)
}

/// The `x` with `P(B <= x) = p` for the beta distribution with shapes `a, b > 0`.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // Bisection cannot fail to converge, and its speed does not matter: no quantile is computed in a loop.
    while high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if beta_cdf(middle, a, b) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// `P(F > x)` for Fisher's F distribution with `numerator, denominator > 0` degrees of freedom, which need not be whole.
pub fn f_sf(x: f64, numerator: f64, denominator: f64) -> f64 {
    if x == f64::INFINITY {
        return 0.0;
    }
    let all = denominator + numerator * x.max(0.0);
    // P(F > x) = I_{b / (b + a x)}(b / 2, a / 2) (Abramowitz, Stegun 26.6.2).
    beta_regularised(denominator / 2.0, numerator / 2.0, denominator / all, numerator * x.max(0.0) / all)
}

/// `P(X <= k)` for the binomial distribution: `n` draws with probability `p` each.
pub fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    // P(X <= k) = I_{1-p}(n - k, k + 1) (Abramowitz, Stegun 26.5.24).
    beta_regularised((n - k) as f64, (k + 1) as f64, 1.0 - p, p)
}

/// The least `k` with `P(X <= k) >= probability` for the binomial distribution: `n` draws with probability `p` each.
pub fn binomial_quantile(probability: f64, n: u64, p: f64) -> u64 {
    let (mut low, mut high) = (0, n);
    // The tolerance keeps rounding errors from missing a probability that is met exactly.
    let enough = probability * (1.0 - 1e-13);
    while low < high {
        let middle = low + (high - low) / 2;
        if binomial_cdf(middle, n, p) >= enough {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The exact two-sided confidence interval of a proportion, from `hits` of `n` (Clopper, Pearson, Biometrika 1934).
///
/// `confidence` is a fraction, for instance 0.95. With `n` = 0 the interval is `[0, 1]`.
pub fn clopper_pearson(hits: u64, n: u64, confidence: f64) -> ConfidenceInterval {
    let tail = (1.0 - confidence) / 2.0;
    let (x, misses) = (hits as f64, n.saturating_sub(hits) as f64);
    ConfidenceInterval {
        low: if hits == 0 { 0.0 } else { beta_quantile(tail, x, misses + 1.0) },
        high: if hits >= n { 1.0 } else { beta_quantile(1.0 - tail, x + 1.0, misses) },
    }
}

/// The two-sided p-value of Fisher's exact test of "two proportions are equal", from `hits_a` of `n_a` and `hits_b`
/// of `n_b` (Fisher, *The Design of Experiments*, 1935).
///
/// It is the sum of the probabilities of all 2 x 2 tables with these margins that are at most as likely as the
/// observed one.
pub fn fisher_exact(hits_a: u64, n_a: u64, hits_b: u64, n_b: u64) -> f64 {
    let hits = hits_a + hits_b;
    let ln_choose =
        |n: u64, k: u64| ln_gamma(n as f64 + 1.0) - ln_gamma(k as f64 + 1.0) - ln_gamma((n - k) as f64 + 1.0);
    let ln_all = ln_choose(n_a + n_b, hits);
    let ln_table = |x: u64| ln_choose(n_a, x) + ln_choose(n_b, hits - x) - ln_all;
    // The tolerance keeps rounding errors from leaving out a table that is exactly as likely as the observed one.
    let observed = ln_table(hits_a) + 1e-7;
    let at_most_as_likely =
        (hits.saturating_sub(n_b)..=hits.min(n_a)).map(ln_table).filter(|&ln| ln <= observed);
    at_most_as_likely.map(f64::exp).sum::<f64>().min(1.0)
}

/// The p-value of the Kolmogorov-Smirnov test of "`p_values` are uniform on `[0, 1]`"; `None` without values.
///
/// It checks a history of comparisons of identical arms, whose p-values are uniform if the procedure is right. It
/// uses the asymptotic series with Stephens' correction (Stephens, JASA 1974), which is accurate to about 0.01 from
/// 8 values on.
pub fn uniformity(p_values: &[f64]) -> Option<f64> {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let gap = sorted.iter().enumerate().map(|(i, p)| (p - i as f64 / n).max((i + 1) as f64 / n - p));
    let distance = gap.reduce(f64::max)?;
    let scaled = distance * (n.sqrt() + 0.12 + 0.11 / n.sqrt());
    // Here the alternating series converges too slowly, and the p-value is 1 to six digits.
    if scaled < 0.3 {
        return Some(1.0);
    }
    let term = |j: i32| {
        let sign = if j % 2 == 0 { -1.0 } else { 1.0 };
        sign * (-2.0 * f64::from(j * j) * scaled * scaled).exp()
    };
    Some((2.0 * (1..=50).map(term).sum::<f64>()).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_and_quantiles_are_correct_at_their_limits() {
        assert_eq!(t_isf(0.0, 4.0), f64::INFINITY);
        assert_eq!(t_isf(1.0, 4.0), f64::NEG_INFINITY);
        assert_eq!(t_sf(f64::INFINITY, 4.0), 0.0);
        assert_eq!(t_sf(1e300, 4.0), 0.0);
        assert!((t_cdf(0.0, 7.0) - 0.5).abs() < 1e-15);
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
    }

    #[test]
    fn binomial_probabilities_of_three_coin_tosses() {
        assert!((binomial_cdf(1, 3, 0.5) - 0.5).abs() < 1e-14);
        assert_eq!(binomial_quantile(0.5, 3, 0.5), 1);
        assert_eq!(binomial_quantile(1.0, 3, 0.5), 3);
    }

    #[test]
    fn fisher_exact_of_the_lady_tasting_tea() {
        assert!((fisher_exact(3, 4, 1, 4) - 34.0 / 70.0).abs() < 1e-12);
        assert!((fisher_exact(0, 50_000, 0, 50_000) - 1.0).abs() < 1e-9);
        assert!(fisher_exact(0, 50_000, 20, 50_000) < 1e-4);
    }

    #[test]
    fn uniform_p_values_pass_and_p_values_crowded_near_zero_fail() {
        let even: Vec<f64> = (0..40).map(|i| (f64::from(i) + 0.5) / 40.0).collect();
        let crowded: Vec<f64> = even.iter().map(|p| p * p * p).collect();
        assert!(uniformity(&even).unwrap() > 0.99);
        assert!(uniformity(&crowded).unwrap() < 0.001);
        assert!(uniformity(&[]).is_none());
    }
}
