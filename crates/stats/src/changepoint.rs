//! Change points of a nightly series of log-ratios: the nights on which its level changed.
//!
//! E-divisive (Matteson, James, *A nonparametric approach for multiple change point analysis*, JASA 2014) finds
//! the split with the largest distance between its two sides. A permutation test of that maximum gives the
//! probability that chance does as well. (Apache Otava uses a t test instead; since the split was chosen for
//! being large, its p-value is too small: it reports a change in 6 % of series of 100 flat nights.) A change
//! with `p <= 0.05` is *suspected*. It is *confirmed* when Student's t test between the neighbouring segments
//! upholds it and it has a minimum size. The test takes the spread of both segments for one, because the nights
//! before and after a change are measured in the same way; Welch's test, which does not, would need a week of
//! nights after a change instead of three.
//!
//! A change point is for screening only: it tells which two builds to compare in a full run. [`newest`] is what
//! a nightly job asks; its rates of false alarms and of found changes are measured (`bench/history`).

use crate::distribution::{t_isf, t_two_sided};
use crate::robust::{mean, median, sd};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Series with fewer nights than this are not searched.
pub const FEWEST_NIGHTS: usize = 8;
/// The fewest nights of a segment: with fewer, its spread could not be estimated.
pub const SEGMENT: usize = 3;
/// The fewest nights of the segment that ends a series, so that a new change is found before its third night.
pub const LAST_SEGMENT: usize = 2;
/// Number of permutations. Together with the observed order they are 1000, so that p is a multiple of 0.001.
pub const PERMUTATIONS: usize = 999;
/// A split is suspected when its permutation p-value is at most this.
const SUSPECTED_P: f64 = 0.05;
/// A split is confirmed when the p-value of its t test is at most this.
const CONFIRMED_P: f64 = 0.0015;
/// The smallest change that is confirmed, as a log-ratio: 2 %.
const SMALLEST_CHANGE: f64 = 0.02;
/// A series of more nights than this is searched in overlapping windows, because the time to search grows with
/// the square of the number of nights.
const LONGEST_WHOLE: usize = 100;
/// Nights of such a window.
const WINDOW: usize = 50;
/// The nights in which [`newest`] searches: older ones tell little about how noisy the machine is now.
pub const RECENT: usize = 50;
/// How many nights [`newest`] reports a change; then its level is the usual one.
pub const ALARM_NIGHTS: usize = 14;
/// Two change points fewer nights apart than this are one change: with every night, its place is found anew.
pub const SAME_CHANGE: usize = 2;

/// The result of one night: that night's build compared with a pinned older build, the anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Night {
    /// Log-ratio, positive = better than the anchor.
    pub value: f64,
    /// Its standard error on the log scale; 0 when unknown.
    pub se: f64,
}

/// A night on which the level of the series changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first night of the new level, 0-based.
    pub night: usize,
    /// Mean after the change minus mean before it, each up to the neighbouring change point; log-ratio, positive =
    /// better.
    pub change: f64,
    /// Permutation p-value of the split: how often chance gives a split at least as large.
    pub p: f64,
    /// True when the t test upholds the change and it is large enough.
    pub confirmed: bool,
}

/// What somebody has decided about changes of a series, by the first night of the new level (0-based).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// The level that begins on this night is the usual one now: neither this change nor one before it is reported.
    pub accepted: Vec<usize>,
    /// There is no change on this night: the nights on both sides of it have one level, with a larger spread.
    pub dismissed: Vec<usize>,
}

impl Decided {
    /// The decisions as seen from a series without its first nights.
    fn without_first(&self, skipped: usize) -> Self {
        let later = |nights: &[usize]| {
            let nights = nights.iter().filter_map(|night| night.checked_sub(skipped));
            nights.collect()
        };
        Self { accepted: later(&self.accepted), dismissed: later(&self.dismissed) }
    }

    fn dismisses(&self, night: usize) -> bool {
        let mut all = self.dismissed.iter();
        all.any(|dismissed| dismissed.abs_diff(night) < SAME_CHANGE)
    }

    fn accepts(&self, night: usize) -> bool {
        self.accepted.iter().any(|accepted| night < accepted + SAME_CHANGE)
    }
}

/// The newest change of a series, for a nightly job: the last confirmed change point among the last [`RECENT`]
/// nights, unless it is older than [`ALARM_NIGHTS`]. A job that looks at several `series` calls it for each, and
/// each gets its share of the error rate (Bonferroni). `None` with fewer nights than [`FEWEST_NIGHTS`], and when
/// the last change is accepted.
pub fn newest(nights: &[Night], series: usize, decided: &Decided, seed: u64) -> Option<ChangePoint> {
    let skipped = nights.len().saturating_sub(RECENT);
    let recent = &nights[skipped..];
    let level = CONFIRMED_P / series.max(1) as f64;
    let decided = decided.without_first(skipped);
    let confirmed = find_at(recent, level, &decided, seed).into_iter().rfind(|point| point.confirmed)?;
    let is_open = recent.len() - confirmed.night <= ALARM_NIGHTS && !decided.accepts(confirmed.night);
    is_open.then_some(ChangePoint { night: skipped + confirmed.night, ..confirmed })
}

/// The change points of a series, oldest first; none when it has fewer nights than [`FEWEST_NIGHTS`]. `seed`
/// draws the permutations.
pub fn find(nights: &[Night], seed: u64) -> Vec<ChangePoint> {
    find_at(nights, CONFIRMED_P, &Decided::default(), seed)
}

/// Like [`find`], with the largest p-value of the t test with which a change is confirmed, and without changes that are
/// dismissed.
fn find_at(nights: &[Night], level: f64, decided: &Decided, seed: u64) -> Vec<ChangePoint> {
    if nights.len() < FEWEST_NIGHTS {
        return Vec::new();
    }
    let values: Vec<f64> = nights.iter().map(|night| night.value).collect();
    let mut suspects: Vec<(usize, f64)> = Vec::new();
    for window in windows(values.len()) {
        for (night, p) in divide(&values[window.clone()], window.end == values.len(), seed) {
            // Overlapping windows can report one change a night or two apart: the smaller p-value is kept.
            let night = window.start + night;
            match suspects.iter_mut().find(|known| known.0.abs_diff(night) < SEGMENT) {
                Some(known) if p < known.1 => *known = (night, p),
                Some(_) => {}
                None => suspects.push((night, p)),
            }
        }
    }
    suspects.retain(|(night, _)| !decided.dismisses(*night));
    suspects.sort_unstable_by_key(|suspect| suspect.0);
    let all: Vec<usize> = suspects.iter().map(|suspect| suspect.0).collect();
    let confirmed = confirm(nights, all.clone(), level);
    let point = |(index, &(night, p)): (usize, &(usize, f64))| ChangePoint {
        night,
        change: compare(nights, &all, index).change,
        p,
        confirmed: confirmed.contains(&night),
    };
    suspects.iter().enumerate().map(point).collect()
}

/// True when the last night lies outside the 99 % prediction interval of the nights before it:
/// `|y - mean| > t(0.995, n - 1) s sqrt(1 + 1/n)`. It serves series that are too short for [`find`].
///
/// `s` is at least the median standard error of the earlier nights, because a few nights can agree by luck.
/// `None` with fewer than two earlier nights.
pub fn last_is_odd(nights: &[Night]) -> Option<bool> {
    let (last, before) = nights.split_last()?;
    let values: Vec<f64> = before.iter().map(|night| night.value).collect();
    let errors: Vec<f64> = before.iter().map(|night| night.se).collect();
    let n = values.len() as f64;
    let spread = sd(&values)?.max(median(&errors)?);
    let limit = t_isf(0.005, n - 1.0) * spread * (1.0 + 1.0 / n).sqrt();
    Some((last.value - mean(&values)?).abs() > limit)
}

/// The ranges of nights to search: the whole series of `n`, or windows that overlap by half; the last window
/// ends with the series.
fn windows(n: usize) -> Vec<Range<usize>> {
    if n <= LONGEST_WHOLE {
        return std::iter::once(0..n).collect();
    }
    let mut windows: Vec<Range<usize>> = (0..)
        .map(|i| i * WINDOW / 2)
        .take_while(|from| from + WINDOW < n)
        .map(|from| from..from + WINDOW)
        .collect();
    windows.push(n - WINDOW..n);
    windows
}

/// E-divisive on one range of nights: it splits the range, then the resulting segments, at the largest statistic
/// until a split is not significant. Returns the first night after each split and its p-value, in the order in
/// which they were found. `is_end` is true when the range ends with the series.
fn divide(values: &[f64], is_end: bool, seed: u64) -> Vec<(usize, f64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut splits: Vec<(usize, f64)> = Vec::new();
    loop {
        let segments = segments(values.len(), splits.iter().map(|split| split.0).collect());
        let Some((statistic, night)) = best_split(values, &segments, is_end) else {
            break;
        };
        let Some(p) = permutation_p_value(values, &segments, is_end, statistic, &mut rng) else {
            break;
        };
        splits.push((night, p));
    }
    splits
}

/// The segments into which `points` divide the range `0..n`.
fn segments(n: usize, mut points: Vec<usize>) -> Vec<Range<usize>> {
    points.sort_unstable();
    let from = std::iter::once(0).chain(points.iter().copied());
    let to = points.iter().copied().chain(std::iter::once(n));
    from.zip(to).map(|(from, to)| from..to).collect()
}

/// The largest split statistic over all segments, and the first night after that split. The last segment of a
/// series may be split [`LAST_SEGMENT`] nights before its end.
fn best_split(values: &[f64], segments: &[Range<usize>], is_end: bool) -> Option<(f64, usize)> {
    let one = |segment: &Range<usize>| {
        let shortest = if is_end && segment.end == values.len() { LAST_SEGMENT } else { SEGMENT };
        split(&values[segment.clone()], shortest).map(|(q, night)| (q, segment.start + night))
    };
    segments.iter().filter_map(one).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The share of orders in which the largest split statistic is at least `observed`; values are permuted within
/// their segment only. The observed order counts as one, so the result is never 0. `None` when it is more than
/// [`SUSPECTED_P`], which is known before all permutations have been tried.
fn permutation_p_value(
    values: &[f64],
    segments: &[Range<usize>],
    is_end: bool,
    observed: f64,
    rng: &mut ChaCha8Rng,
) -> Option<f64> {
    let all = (PERMUTATIONS + 1) as f64;
    let mut shuffled = values.to_vec();
    let mut as_large = 1;
    for _ in 0..PERMUTATIONS {
        for segment in segments {
            let part = &mut shuffled[segment.clone()];
            for last in (1..part.len()).rev() {
                part.swap(last, rng.random_range(0..=last));
            }
        }
        // The order of additions changes the last bits of a sum: such a statistic still counts as equally large.
        let largest = best_split(&shuffled, segments, is_end).map_or(0.0, |best| best.0);
        as_large += usize::from(largest >= observed * (1.0 - 1e-12));
        if as_large as f64 / all > SUSPECTED_P {
            return None;
        }
    }
    Some(as_large as f64 / all)
}

/// The statistic and the position of the best split of one segment: the `tau` that, over all ends `kappa` of the
/// right part, has the largest `Q = tau (kappa - tau) / kappa * energy distance` (exponent 1) between
/// `[0, tau)` and `[tau, kappa)`. `None` when the segment is too short.
///
/// The sums of distances are updated from `kappa` to `kappa + 1`, so that all splits together cost O(n^2). A
/// right part that ends with the segment may have `shortest` nights; any other needs [`SEGMENT`].
fn split(values: &[f64], shortest: usize) -> Option<(f64, usize)> {
    let n = values.len();
    // Sums of absolute differences: left[t] within the first t values, right[t] within [t, kappa). What is left of the sum within the
    // first kappa values is between the two.
    let (mut left, mut right) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    // A division takes several times as long as everything else that is done for one pair.
    let inverse: Vec<f64> = (0..=n).map(|count| 1.0 / count.max(1) as f64).collect();
    let mut best: Option<(f64, usize)> = None;
    for kappa in 1..=n {
        let new = values[kappa - 1];
        let mut to_right = 0.0;
        for (value, right) in values[..kappa - 1].iter().zip(&mut right).rev() {
            to_right += (value - new).abs();
            *right += to_right;
        }
        left[kappa] = left[kappa - 1] + to_right;
        let least = if kappa == n { shortest } else { SEGMENT };
        for tau in SEGMENT..(kappa + 1).saturating_sub(least) {
            // The statistic Q from the three sums of distances (Matteson, James 2014).
            let (m, n) = (tau, kappa - tau);
            let across = left[kappa] - left[tau] - right[tau];
            let within_left = left[tau] * n as f64 * inverse[m - 1];
            let within_right = right[tau] * m as f64 * inverse[n - 1];
            let q = 2.0 * inverse[kappa] * (across - within_left - within_right);
            if best.is_none_or(|best| q > best.0) {
                best = Some((q, tau));
            }
        }
    }
    best
}

/// The confirmed ones of `points`. Among the points that fail the test, the one with the largest p-value is
/// dropped, and the test is repeated until all remaining points pass: each removal lengthens the segments by which
/// the others are tested (bottom-up merging, as in Fleming et al., *Hunter: Using Change Point Detection to Hunt
/// for Performance Regressions*, ICPE 2023).
fn confirm(nights: &[Night], mut points: Vec<usize>, level: f64) -> Vec<usize> {
    let errors: Vec<f64> = nights.iter().map(|night| night.se).collect();
    let least = SMALLEST_CHANGE.max(2.0 * median(&errors).unwrap_or(0.0));
    loop {
        let compared = (0..points.len()).map(|index| (compare(nights, &points, index), index));
        let fails =
            |c: &SegmentComparison| c.p > level || c.change.abs() < least || c.shortest < LAST_SEGMENT;
        let failing = compared.filter(|(c, _)| fails(c));
        let Some((_, worst)) = failing.max_by(|a, b| a.0.p.total_cmp(&b.0.p)) else {
            return points;
        };
        points.remove(worst);
    }
}

/// The comparison of the two segments on either side of a change point.
struct SegmentComparison {
    /// Mean after minus mean before, a log-ratio.
    change: f64,
    /// Two-sided p-value of "both segments have the same mean".
    p: f64,
    /// Nights of the shorter segment.
    shortest: usize,
}

/// Compares the segments before and after `points[index]` by Student's t test with the pooled variance.
///
/// All nights count alike, although their standard errors are known. Those rest on the five to seven starts of a night, so they
/// vary by more than a factor of two by chance alone, and weights made of them add noise (Cochran, Carroll, *A sampling investigation of
/// the efficiency of weighting inversely as the estimated variance*, Biometrics 1953): with weights, a change of 5 % of a noisy
/// throughput was found within three nights in 62 % of simulated cases, and without them in 77 %.
fn compare(nights: &[Night], points: &[usize], index: usize) -> SegmentComparison {
    let from = index.checked_sub(1).map_or(0, |before| points[before]);
    let to = points.get(index + 1).copied().unwrap_or(nights.len());
    let (before, after) = (&nights[from..points[index]], &nights[points[index]..to]);
    let (a, b) = (segment_mean(before), segment_mean(after));
    let change = b.mean - a.mean;
    // A segment has at least two nights, so that there is at least one degree of freedom.
    let df = (before.len() + after.len()).saturating_sub(2).max(1) as f64;
    let variance = (a.squares + b.squares) / df * (1.0 / a.nights + 1.0 / b.nights);
    let p = if variance > 0.0 {
        t_two_sided(change / variance.sqrt(), df)
    } else {
        // Neither segment has any spread: their means are either equal or certainly different.
        f64::from(u8::from(change == 0.0))
    };
    SegmentComparison { change, p, shortest: before.len().min(after.len()) }
}

/// The mean of a segment, the number of its nights, and the sum of the squares around the mean.
struct SegmentMean {
    mean: f64,
    nights: f64,
    squares: f64,
}

/// The mean of a segment. Its spread comes from the differences between nights, because nights differ by more than their standard errors
/// say.
fn segment_mean(nights: &[Night]) -> SegmentMean {
    let count = nights.len() as f64;
    let mean = nights.iter().map(|night| night.value).sum::<f64>() / count;
    SegmentMean {
        mean,
        nights: count,
        squares: nights.iter().map(|night| (night.value - mean).powi(2)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n` nights with random noise of standard deviation `noise`, higher by `step` from night `from` on.
    fn series(n: usize, noise: f64, from: usize, step: f64, seed: u64) -> Vec<Night> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut night = |i: usize| {
            // The sum of twelve uniform numbers is nearly normal, with variance 1.
            let deviate: f64 = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum();
            Night { value: noise * deviate + if i >= from { step } else { 0.0 }, se: noise }
        };
        (0..n).map(&mut night).collect()
    }

    #[test]
    fn a_clear_step_is_confirmed_on_the_night_it_happened() {
        for n in [30, 140] {
            let points = find(&series(n, 0.01, n - 10, -0.10, 3), 1);
            let confirmed: Vec<_> = points.iter().filter(|point| point.confirmed).collect();
            assert_eq!(confirmed.len(), 1, "{points:?}");
            assert_eq!(confirmed[0].night, n - 10);
            assert!((confirmed[0].change + 0.10).abs() < 0.02);
        }
    }

    #[test]
    fn about_one_in_twenty_flat_series_is_suspected_and_none_is_confirmed() {
        let flat: Vec<Vec<ChangePoint>> =
            (0..60).map(|seed| find(&series(20, 0.03, 99, 0.0, seed), 1)).collect();
        let suspected = flat.iter().filter(|points| !points.is_empty()).count();
        assert!(suspected <= 9, "{suspected} of 60");
        assert!(flat.iter().flatten().all(|point| !point.confirmed));
    }

    #[test]
    fn a_significant_step_below_the_smallest_change_is_not_confirmed() {
        let points = find(&series(40, 0.0005, 20, 0.01, 4), 1);
        assert_eq!(
            points.iter().map(|point| (point.night, point.confirmed)).collect::<Vec<_>>(),
            [(20, false)]
        );
    }

    #[test]
    fn a_change_is_found_on_its_second_night() {
        let nights = series(30, 0.002, 28, 0.2, 5);
        let found = |nights: &[Night]| -> Vec<(usize, bool)> {
            let points = find(nights, 1);
            points.iter().map(|point| (point.night, point.confirmed)).collect()
        };
        assert_eq!(found(&nights), [(28, true)]);
        assert_eq!(found(&nights[..29]), []);
    }

    #[test]
    fn the_newest_change_is_the_last_confirmed_one_and_becomes_usual() {
        let nights = series(90, 0.005, 60, -0.1, 7);
        let open = Decided::default();
        let found = |last: usize| newest(&nights[..last], 3, &open, 1).map(|change| change.night);
        assert_eq!(found(60), None);
        assert_eq!(found(63), Some(60));
        assert_eq!(found(60 + ALARM_NIGHTS), Some(60));
        assert_eq!(found(61 + ALARM_NIGHTS), None);
        assert_eq!(newest(&nights[..7], 1, &open, 1), None);
    }

    #[test]
    fn an_accepted_level_is_the_usual_one_and_a_further_change_is_found_beside_it() {
        let mut nights = series(90, 0.005, 60, -0.1, 7);
        let accepted = Decided { accepted: vec![60], ..Decided::default() };
        let found =
            |nights: &[Night], decided: &Decided| newest(nights, 1, decided, 1).map(|change| change.night);
        assert_eq!(found(&nights[..66], &Decided::default()), Some(60));
        assert_eq!(found(&nights[..66], &accepted), None);
        for night in &mut nights[66..] {
            night.value -= 0.08;
        }
        assert_eq!(found(&nights[..69], &accepted), Some(66), "it got worse again");
        let change = newest(&nights[..69], 1, &accepted, 1).map_or(0.0, |change| change.change);
        assert!((change + 0.08).abs() < 0.01, "beside the accepted level: {change}");
    }

    #[test]
    fn a_dismissed_change_joins_the_nights_on_both_sides_of_it() {
        let nights = series(90, 0.005, 60, -0.1, 7);
        let dismissed = Decided { dismissed: vec![61], ..Decided::default() };
        assert_eq!(newest(&nights[..66], 1, &dismissed, 1), None);
        let elsewhere = Decided { dismissed: vec![40], ..Decided::default() };
        let found = newest(&nights[..66], 1, &elsewhere, 1).map(|change| change.night);
        assert_eq!(found, Some(60));
    }

    #[test]
    fn a_constant_series_has_no_change_point() {
        let night = Night { value: 0.1, se: 0.0 };
        assert_eq!(find(&[night; 20], 1), []);
        assert_eq!(find(&[night; 7], 1), []);
    }

    #[test]
    fn a_night_that_seems_exact_weighs_no_more_than_the_others() {
        // Starts of one night agree by chance: its standard error is a tenth of what it should be.
        let nights = |seems_exact: bool| {
            let mut nights = series(23, 0.01, 20, 0.05, 8);
            nights[4].value += 0.02;
            nights[4].se = if seems_exact { 0.001 } else { 0.01 };
            nights
        };
        let change = |nights: &[Night]| compare(nights, &[20], 0).change;
        assert_eq!(change(&nights(true)), change(&nights(false)));
    }

    #[test]
    fn in_a_short_series_only_a_night_far_from_the_others_is_odd() {
        let mut short = series(6, 0.01, 99, 0.0, 6);
        assert_eq!(last_is_odd(&short), Some(false));
        short.push(Night { value: 0.3, se: 0.01 });
        assert_eq!(last_is_odd(&short), Some(true));
        assert_eq!(last_is_odd(&short[..2]), None);
        assert_eq!(last_is_odd(&[]), None);
    }
}
