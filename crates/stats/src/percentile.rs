//! Percentiles of response times: when one may be printed, and how precise it can be at best.
//!
//! Requests of one server are not independent, because one stall delays hundreds of them. The ranks of
//! [`rank_interval`] hold for independent values only. For a server the interval comes from
//! [`crate::bootstrap`], and [`shortfall`] says whether enough was recorded to print the percentile at all.

use crate::bootstrap::{Block, Resampling, percentiles};
use crate::distribution::binomial_quantile;
use crate::summary::SampleEstimate;

/// A percentile is printed only when at least this many requests took longer.
pub const TAIL_REQUESTS: f64 = 100.0;
/// A percentile is printed only when at least this many tail episodes (see [`tail_episodes`]) were recorded.
pub const TAIL_EPISODES: u64 = 30;
/// A percentile is printed only after at least this many fresh starts. A load with a single start needs as
/// many seconds instead.
pub const REPLICATES: f64 = 5.0;

/// The 1-based ranks `(low, high)` of the order statistics that enclose quantile `q` of `n` independent values.
///
/// `low = 0` means that there is no finite lower end, `high = n + 1` that there is no finite upper end. `q` and
/// `confidence` are fractions (0.99, 0.95). The ranks are binomial quantiles (David, Nagaraja, *Order
/// Statistics*, 7.1).
pub fn rank_interval(n: u64, q: f64, confidence: f64) -> (u64, u64) {
    let tail = (1.0 - confidence) / 2.0;
    (binomial_quantile(tail, n, q), binomial_quantile(1.0 - tail, n, q) + 1)
}

/// The fewest independent values that give quantile `q` a finite upper bound at this two-sided `confidence`:
/// `ln((1 - confidence) / 2) / ln(q)`, rounded up (from the largest order statistic, as in [`rank_interval`]).
pub fn min_n_for_upper_bound(q: f64, confidence: f64) -> u64 {
    (((1.0 - confidence) / 2.0).ln() / q.ln()).ceil() as u64
}

/// The standard error of quantile `q` as a fraction of the quantile, for an exponential tail and `n_eff`
/// independent values: `sqrt(q / ((1 - q) n_eff)) / -ln(1 - q)`.
///
/// This is the asymptotic standard error of a sample quantile, `sqrt(q (1 - q) / n) / f(x_q)` (David, Nagaraja,
/// *Order Statistics*, chapter 10), with the exponential density for `f`.
pub fn relative_se(q: f64, n_eff: f64) -> f64 {
    (q / ((1.0 - q) * n_eff)).sqrt() / -(-q).ln_1p()
}

/// The number of tail episodes of one start: separate stretches of time with values of at least `estimate`.
///
/// `window_maxima` are the largest values of successive 100 ms windows of **one** start, in one list for each stretch
/// of time without a break; the caller adds up the starts. An episode is a maximal run of windows of a stretch whose
/// largest value reaches `estimate`. When more than half of the windows reach it (as for every median), such values are
/// no separate events and the runs would merge into very few; then the number of these windows is returned.
pub fn tail_episodes(window_maxima: &[Vec<u64>], estimate: u64) -> u64 {
    let reaches_estimate = |longest: &&u64| **longest >= estimate;
    let windows = window_maxima.iter().flatten().filter(reaches_estimate).count();
    if 2 * windows > window_maxima.iter().flatten().count() {
        return windows as u64;
    }
    let runs_of = |stretch: &Vec<u64>| {
        let runs = stretch.chunk_by(|a, b| (*a >= estimate) == (*b >= estimate));
        runs.filter(|run| run[0] >= estimate).count() as u64
    };
    window_maxima.iter().map(runs_of).sum()
}

/// How much was recorded of one arm to estimate a percentile from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TailEvidence {
    /// Requests over all starts.
    pub requests: u64,
    /// Tail episodes over all starts, from [`tail_episodes`].
    pub episodes: u64,
    /// Independent repetitions: fresh starts, or seconds of a load that has a single start.
    pub replicates: f64,
}

/// How many times longer the recording would have to be before percentile `q` may be printed; `None` when it
/// may be printed now.
///
/// Three conditions must hold: [`TAIL_REQUESTS`] requests beyond the percentile, [`TAIL_EPISODES`] tail
/// episodes and [`REPLICATES`] replicates. Episodes count because the effective sample size of a p99 is the
/// number of stalls and not of requests. The result is the factor of the condition that is missed by most;
/// it is infinite when nothing was recorded.
pub fn shortfall(q: f64, evidence: TailEvidence) -> Option<f64> {
    let beyond = evidence.requests as f64 * (1.0 - q);
    let factors = [
        // Without the tolerance, rounding in 1 - q could refuse exactly 100 requests beyond the percentile.
        TAIL_REQUESTS / (beyond * (1.0 + 1e-9)),
        TAIL_EPISODES as f64 / evidence.episodes as f64,
        REPLICATES / evidence.replicates,
    ];
    let worst = factors.into_iter().fold(0.0, f64::max);
    (worst > 1.0).then_some(worst)
}

/// The response or service times of one start. All values have the same unit, chosen by the caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Bucket counts of every second; the last block may cover less than a second.
    pub blocks: Vec<Block>,
    /// The longest time in each of the successive windows of 100 ms, in one list for each stretch of time without a break.
    pub windows: Vec<Vec<u64>>,
}

/// Estimates the percentiles `qs` (fractions) of all recordings together. Each result is the percentile with
/// its interval, in the unit of the recordings, or `Err` with its [`shortfall`] when too little was recorded
/// to print it. `None` when nothing was recorded.
///
/// The interval comes from resampling starts and then their blocks ([`crate::bootstrap`]). `replicates` is the
/// number of starts. For a single recording it is the number of seconds; the interval then says nothing about
/// how much another start would differ.
pub fn estimate_percentiles(
    recordings: &[Recording],
    replicates: f64,
    qs: &[f64],
    how: Resampling,
) -> Option<Vec<Result<SampleEstimate, f64>>> {
    let blocks: Vec<Vec<Block>> = recordings.iter().map(|recording| recording.blocks.clone()).collect();
    let requests = blocks.iter().flatten().flatten().map(|cell| cell.1).sum();
    let judge = |(estimate, q): (SampleEstimate, &f64)| {
        let episodes_of = |recording: &Recording| tail_episodes(&recording.windows, estimate.value as u64);
        // The estimate is a value that occurred, so there was one episode at least even if no window shows it.
        let episodes = recordings.iter().map(episodes_of).sum::<u64>().max(1);
        let evidence = TailEvidence { requests, episodes, replicates };
        shortfall(*q, evidence).map_or(Ok(estimate), Err)
    };
    let estimates = percentiles(&blocks, qs, how)?;
    Some(estimates.into_iter().zip(qs).map(judge).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_runs_of_windows_unless_most_windows_are_slow() {
        let of_one = |windows: &[u64]| tail_episodes(&[windows.to_vec()], 5);
        assert_eq!(of_one(&[1, 9, 9, 1, 9, 1, 1, 1]), 2);
        assert_eq!(of_one(&[5]), 1);
        assert_eq!(of_one(&[9, 9, 9, 1, 9]), 4);
        assert_eq!(of_one(&[4, 4]), 0);
        assert_eq!(of_one(&[]), 0);
        let slices = [vec![1, 1, 9], vec![9, 1, 1, 1]];
        assert_eq!(tail_episodes(&slices, 5), 2, "other arms were loaded between them");
    }

    #[test]
    fn the_condition_missed_by_most_decides_the_shortfall() {
        let enough = TailEvidence { requests: 10_000, episodes: 30, replicates: 5.0 };
        assert_eq!(shortfall(0.99, enough), None);
        assert!((shortfall(0.999, enough).unwrap() - 10.0).abs() < 1e-6);
        assert_eq!(shortfall(0.99, TailEvidence { episodes: 10, ..enough }), Some(3.0));
        assert_eq!(shortfall(0.99, TailEvidence { replicates: 2.0, ..enough }), Some(2.5));
        let nothing = TailEvidence { requests: 0, episodes: 0, replicates: 0.0 };
        assert_eq!(shortfall(0.5, nothing), Some(f64::INFINITY));
    }

    #[test]
    fn a_percentile_has_an_interval_or_a_shortfall() {
        // Ten seconds of 1000 requests each, in microseconds: the longest request of a window of 100 ms takes
        // 50 ms in one window of every second, and 9 ms in the others.
        let second: Block = vec![(1_000, 989), (9_000, 10), (50_000, 1)];
        let windows = (0..100).map(|window| if window % 10 == 0 { 50_000 } else { 9_000 });
        let recording = Recording { blocks: vec![second; 10], windows: vec![windows.collect()] };
        let how = Resampling::with_seed(1);
        let results = estimate_percentiles(&[recording], 10.0, &[0.5, 0.99, 0.9999], how).unwrap();
        let p99 = results[1].unwrap();
        assert_eq!((results[0].unwrap().value, p99.value), (1_000.0, 9_000.0));
        assert!(p99.interval.unwrap().contains(9_000.0));
        // One request lies beyond p99.99 where a hundred must: a factor of 100. The ten episodes of thirty are
        // a factor of 3 only.
        assert!((results[2].unwrap_err() - 100.0).abs() < 1e-6);
        assert_eq!(estimate_percentiles(&[Recording::default()], 1.0, &[0.5], how), None);
    }

    #[test]
    fn the_relative_standard_error_matches_the_figure_in_the_method() {
        assert!((relative_se(0.99, 1000.0) - 0.068).abs() < 0.001);
    }
}
