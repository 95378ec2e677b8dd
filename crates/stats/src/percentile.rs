//! When a percentile may be printed, and how far off it can be at best.
//!
//! Requests are not independent: one stall hits hundreds of them. The ranks of [`rank_interval`] hold for
//! independent values only; for a server the interval comes from [`crate::bootstrap`], and [`shortfall`] says
//! whether there is enough behind it.

use crate::distribution::binomial_quantile;

/// Requests that must lie beyond a printed percentile.
pub const TAIL_REQUESTS: f64 = 100.0;
/// Separate stretches of slow answers that must lie behind it.
pub const TAIL_EPISODES: u64 = 30;
/// Fresh starts that must lie behind it.
pub const STARTS: u64 = 5;

/// The 1-based ranks of the order statistics that enclose the quantile `q` of `n` independent values.
///
/// `(low, high)`; `low = 0` and `high = n + 1` mean that there is no finite end on that side. `q` and
/// `confidence` are fractions (0.99, 0.95). Binomial quantiles; David, Nagaraja, *Order Statistics*, 7.1.
pub fn rank_interval(n: u64, q: f64, confidence: f64) -> (u64, u64) {
    let tail = (1.0 - confidence) / 2.0;
    (
        binomial_quantile(tail, n, q),
        binomial_quantile(1.0 - tail, n, q) + 1,
    )
}

/// The fewest independent values that give quantile `q` a finite upper bound: `ln(tail) / ln(q)`, rounded up.
pub fn min_n_for_upper_bound(q: f64, confidence: f64) -> u64 {
    (((1.0 - confidence) / 2.0).ln() / q.ln()).ceil() as u64
}

/// The standard error of quantile `q` in units of its value, for an exponential-like tail and `n_eff`
/// independent values: `sqrt(q / ((1 - q) n_eff)) / -ln(1 - q)`.
pub fn relative_se(q: f64, n_eff: f64) -> f64 {
    (q / ((1.0 - q) * n_eff)).sqrt() / -(-q).ln_1p()
}

/// Tail episodes: maximal runs of windows that hold a value of at least `estimate`.
///
/// `window_maxima` are the largest values of successive 100 ms windows of **one** start; add the starts up.
pub fn tail_episodes(window_maxima: &[u64], estimate: u64) -> u64 {
    let runs = window_maxima.chunk_by(|a, b| (*a >= estimate) == (*b >= estimate));
    runs.filter(|run| run[0] >= estimate).count() as u64
}

/// What lies behind an estimate of a percentile, per arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Requests.
    pub requests: u64,
    /// Tail episodes over all starts.
    pub episodes: u64,
    /// Fresh starts.
    pub starts: u64,
}

/// How many times longer the recording has to be before percentile `q` may be printed; `None` when it may be
/// now.
///
/// Three conditions, the worst of them counts: `n (1 - q) >= 100`, at least 30 tail episodes, at least 5
/// starts. The effective sample of a p99 is the number of stalls, not of requests. Infinite when nothing was
/// recorded.
pub fn shortfall(q: f64, evidence: Evidence) -> Option<f64> {
    let beyond = evidence.requests as f64 * (1.0 - q);
    let factors = [
        // Rounding in 1 - q must not refuse exactly 100 requests beyond.
        TAIL_REQUESTS / (beyond * (1.0 + 1e-9)),
        TAIL_EPISODES as f64 / evidence.episodes as f64,
        STARTS as f64 / evidence.starts as f64,
    ];
    let worst = factors.into_iter().fold(0.0, f64::max);
    (worst > 1.0).then_some(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_runs_not_windows() {
        assert_eq!(tail_episodes(&[1, 9, 9, 1, 9, 1, 1, 9], 5), 3);
        assert_eq!(tail_episodes(&[5], 5), 1);
        assert_eq!(tail_episodes(&[4, 4], 5), 0);
        assert_eq!(tail_episodes(&[], 5), 0);
    }

    #[test]
    fn all_three_conditions_count() {
        let enough = Evidence {
            requests: 10_000,
            episodes: 30,
            starts: 5,
        };
        assert_eq!(shortfall(0.99, enough), None);
        assert!((shortfall(0.999, enough).unwrap() - 10.0).abs() < 1e-6);
        assert_eq!(
            shortfall(
                0.99,
                Evidence {
                    episodes: 10,
                    ..enough
                }
            ),
            Some(3.0)
        );
        assert_eq!(shortfall(0.99, Evidence { starts: 2, ..enough }), Some(2.5));
        let nothing = Evidence {
            requests: 0,
            episodes: 0,
            starts: 0,
        };
        assert_eq!(shortfall(0.5, nothing), Some(f64::INFINITY));
    }

    #[test]
    fn figure_of_the_method() {
        assert!((relative_se(0.99, 1000.0) - 0.068).abs() < 0.001);
    }
}
