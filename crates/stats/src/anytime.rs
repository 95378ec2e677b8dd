//! Intervals that hold at every round at once: look whenever you like, stop for any reason, add rounds later.
//!
//! Lindon, Ham, Tingley, Bojinov, *Anytime-Valid Linear Models and Regression Adjusted Causal Inference*,
//! arXiv 2210.08589: a t test whose evidence is a mixture over effects, with a Gaussian of precision `phi`.
//! They cost 5 to 25 % more rounds than a boundary with a well chosen cap, and need none.

/// The mixture's precision that served effects of 1 to 1.5 sd best, of 1, 4, 10, 30 and 100.
pub const PHI: f64 = 1.0;

/// The half-width in units of the standard error after `k` rounds; `None` while the interval is infinite.
///
/// With `nu = k - 1`, `r = phi / (phi + k)`, `c = (alpha^2 r)^(1/k)`: `sqrt(nu (1 - c) / (c - r))`
/// when `c > r`.
pub fn multiplier(k: usize, alpha: f64, phi: f64) -> Option<f64> {
    if k < 2 {
        return None;
    }
    let n = k as f64;
    let r = phi / (phi + n);
    let c = (alpha * alpha * r).powf(1.0 / n);
    (c > r).then(|| ((n - 1.0) * (1.0 - c) / (c - r)).sqrt())
}

/// The half-width after `k` rounds whose standard deviation is `sd`; `None` while it is infinite.
pub fn half_width(k: usize, sd: f64, alpha: f64, phi: f64) -> Option<f64> {
    Some(multiplier(k, alpha, phi)? * sd / (k as f64).sqrt())
}

/// The evidence against "the mean is 0" after `k >= 2` rounds with t statistic `t`: reject at `>= 1 / alpha`.
///
/// `sqrt(r) ((1 + t^2/nu) / (1 + r t^2/nu))^((nu+1)/2)`; the same rule as the interval. 1 below two rounds:
/// no evidence either way. It stays finite for infinite `t`, as five agreeing rounds are no proof.
pub fn e_value(k: usize, t: f64, phi: f64) -> f64 {
    if k < 2 {
        return 1.0;
    }
    let n = k as f64;
    let r = phi / (phi + n);
    let q = t * t / (n - 1.0);
    let ratio = if q.is_finite() {
        (1.0 + q) / (1.0 + r * q)
    } else {
        1.0 / r
    };
    r.sqrt() * ratio.powf(n / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_and_evidence_are_one_rule() {
        for k in [8, 12, 30, 200] {
            let at_the_edge = multiplier(k, 0.01, PHI).unwrap();
            assert!((e_value(k, at_the_edge, PHI) - 100.0).abs() < 1e-8);
            assert!(e_value(k, at_the_edge * 1.001, PHI) > 100.0);
        }
    }

    #[test]
    fn no_interval_before_there_is_evidence_enough() {
        assert_eq!(multiplier(1, 0.01, PHI), None);
        assert_eq!(half_width(5, 0.02, 0.01, PHI), None);
        assert!(e_value(5, f64::INFINITY, PHI) < 100.0);
        assert_eq!(e_value(1, 3.0, PHI), 1.0);
    }
}
