//! When a percentile may be printed, and how far off it can be at best.
//!
//! Requests are not independent: one stall hits hundreds of them. The ranks of [`rank_interval`] hold for
//! independent values only; for a server the interval comes from [`crate::bootstrap`], and [`shortfall`] says
//! whether there is enough behind it.

use crate::bootstrap::{Block, Resampling, percentiles};
use crate::distribution::binomial_quantile;
use crate::summary::Estimate;

/// Requests that must lie beyond a printed percentile.
pub const TAIL_REQUESTS: f64 = 100.0;
/// Separate stretches of slow answers that must lie behind it.
pub const TAIL_EPISODES: u64 = 30;
/// Fresh starts that must lie behind it; of a load that has one start only, seconds.
pub const REPLICATES: f64 = 5.0;

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

/// Tail episodes: maximal runs of windows that hold a value of at least `estimate`; where most windows do, windows.
///
/// `window_maxima` are the largest values of successive 100 ms windows of **one** start; add the starts up. A tail
/// that shows in most windows is not made of events: its runs touch one another, and the windows are the pieces. So
/// it is with every median.
pub fn tail_episodes(window_maxima: &[u64], estimate: u64) -> u64 {
    let reaches = |longest: &&u64| **longest >= estimate;
    let windows = window_maxima.iter().filter(reaches).count();
    if 2 * windows > window_maxima.len() {
        return windows as u64;
    }
    let runs = window_maxima.chunk_by(|a, b| (*a >= estimate) == (*b >= estimate));
    runs.filter(|run| run[0] >= estimate).count() as u64
}

/// What lies behind an estimate of a percentile, per arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Requests.
    pub requests: u64,
    /// Tail episodes over all starts.
    pub episodes: u64,
    /// What is drawn first when resampling: fresh starts, or seconds of a load that has one start only.
    pub replicates: f64,
}

/// How many times longer the recording has to be before percentile `q` may be printed; `None` when it may be
/// now.
///
/// Three conditions, the worst of them counts: `n (1 - q) >= 100`, at least 30 tail episodes, at least 5
/// replicates. The effective sample of a p99 is the number of stalls, not of requests. Infinite when nothing was
/// recorded.
pub fn shortfall(q: f64, evidence: Evidence) -> Option<f64> {
    let beyond = evidence.requests as f64 * (1.0 - q);
    let factors = [
        // Rounding in 1 - q must not refuse exactly 100 requests beyond.
        TAIL_REQUESTS / (beyond * (1.0 + 1e-9)),
        TAIL_EPISODES as f64 / evidence.episodes as f64,
        REPLICATES / evidence.replicates,
    ];
    let worst = factors.into_iter().fold(0.0, f64::max);
    (worst > 1.0).then_some(worst)
}

/// What was recorded of one start: times in one unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Times by second; the last may be shorter.
    pub blocks: Vec<Block>,
    /// The longest time of successive windows of 100 ms.
    pub windows: Vec<u64>,
}

/// The percentiles `qs` of all recordings together, each with its interval, or with its [`shortfall`] when too little
/// lies behind it; `None` when nothing was recorded.
///
/// The interval comes from resampling starts and then their blocks ([`crate::bootstrap`]). `replicates` are the
/// starts; of a single recording, its seconds: its interval then speaks of that recording only.
pub fn judged(
    recordings: &[Recording],
    replicates: f64,
    qs: &[f64],
    how: Resampling,
) -> Option<Vec<Result<Estimate, f64>>> {
    let blocks: Vec<Vec<Block>> = recordings
        .iter()
        .map(|recording| recording.blocks.clone())
        .collect();
    let requests = blocks.iter().flatten().flatten().map(|cell| cell.1).sum();
    let judge = |(estimate, q): (Estimate, &f64)| {
        let of = |recording: &Recording| tail_episodes(&recording.windows, estimate.value as u64);
        // What was estimated was seen once at least, even where the windows missed it.
        let episodes = recordings.iter().map(of).sum::<u64>().max(1);
        let evidence = Evidence {
            requests,
            episodes,
            replicates,
        };
        shortfall(*q, evidence).map_or(Ok(estimate), Err)
    };
    let estimates = percentiles(&blocks, qs, how)?;
    Some(estimates.into_iter().zip(qs).map(judge).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_runs_not_windows() {
        assert_eq!(tail_episodes(&[1, 9, 9, 1, 9, 1, 1, 1], 5), 2);
        assert_eq!(tail_episodes(&[5], 5), 1);
        assert_eq!(tail_episodes(&[9, 9, 9, 1, 9], 5), 4);
        assert_eq!(tail_episodes(&[4, 4], 5), 0);
        assert_eq!(tail_episodes(&[], 5), 0);
    }

    #[test]
    fn all_three_conditions_count() {
        let enough = Evidence {
            requests: 10_000,
            episodes: 30,
            replicates: 5.0,
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
        assert_eq!(
            shortfall(
                0.99,
                Evidence {
                    replicates: 2.0,
                    ..enough
                }
            ),
            Some(2.5)
        );
        let nothing = Evidence {
            requests: 0,
            episodes: 0,
            replicates: 0.0,
        };
        assert_eq!(shortfall(0.5, nothing), Some(f64::INFINITY));
    }

    #[test]
    fn a_percentile_has_an_interval_or_a_shortfall() {
        // Ten seconds of 1000 requests; every window holds one of 9 ms, one window in a second one of 50 ms.
        let second: Block = vec![(1_000, 989), (9_000, 10), (50_000, 1)];
        let windows = (0..100).map(|window| if window % 10 == 0 { 50_000 } else { 9_000 });
        let recording = Recording {
            blocks: vec![second; 10],
            windows: windows.collect(),
        };
        let how = Resampling::with_seed(1);
        let found = judged(&[recording], 10.0, &[0.5, 0.99, 0.9999], how).unwrap();
        let p99 = found[1].unwrap();
        assert_eq!((found[0].unwrap().value, p99.value), (1_000.0, 9_000.0));
        assert!(p99.interval.unwrap().contains(9_000.0));
        // One request beyond where a hundred have to be, ten episodes where thirty have to be.
        assert!((found[2].unwrap_err() - 100.0).abs() < 1e-6);
        assert_eq!(judged(&[Recording::default()], 1.0, &[0.5], how), None);
    }

    #[test]
    fn figure_of_the_method() {
        assert!((relative_se(0.99, 1000.0) - 0.068).abs() < 0.001);
    }
}
