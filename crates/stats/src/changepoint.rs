//! Where a nightly series of ratios changed its level.
//!
//! E-divisive (Matteson, James, JASA 2014) finds the split that sets the two sides furthest apart; the
//! *permutation of that maximum* says how often chance does as well. (Apache Otava uses a t test there; as
//! the split was chosen for its size, that p is no p: on 100 flat nights it reports a change in 6 %.) What
//! chance explains in at most 5 % is
//! *suspected*; what a Welch test between its neighbours and a least size uphold besides is *confirmed*.
//!
//! A change point is a screen: it tells which two builds to compare in a full duet, and alerts nobody by
//! itself.

use crate::distribution::{t_isf, t_two_sided};
use crate::robust::{mean, median, sd};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Nights below which no change point is looked for.
pub const FEWEST_NIGHTS: usize = 8;
/// Nights that a segment needs, so that it has a spread of its own.
pub const SEGMENT: usize = 3;
/// Permutations; with the seen order they make 1000, so p comes in thousandths.
pub const PERMUTATIONS: usize = 999;
/// The chance at which a split is suspected.
const SUSPECT: f64 = 0.05;
/// The chance at which it is confirmed.
const CONFIRM: f64 = 0.001;
/// The least change worth confirming: 2 %, as a log-ratio.
const LEAST: f64 = 0.02;
/// From more nights than this on, windows of [`WINDOW`] are searched instead of the whole.
const LONG: usize = 100;
const WINDOW: usize = 50;

/// One night's result: tonight's build against the pinned anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Night {
    /// Log-ratio, positive = better than the anchor.
    pub value: f64,
    /// Its standard error; 0 when unknown.
    pub se: f64,
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first night of the new level, 0-based.
    pub night: usize,
    /// Mean after minus mean before, up to the neighbouring change points; log-ratio, positive = better.
    pub change: f64,
    /// How often chance splits as well: permutation p of the maximum.
    pub p: f64,
    /// Upheld by Welch's test and large enough.
    pub confirmed: bool,
}

/// The change points of a series, oldest first; none below [`FEWEST_NIGHTS`]. The same seed gives the same
/// points.
pub fn find(nights: &[Night], seed: u64) -> Vec<ChangePoint> {
    if nights.len() < FEWEST_NIGHTS {
        return Vec::new();
    }
    let values: Vec<f64> = nights.iter().map(|night| night.value).collect();
    let mut suspects: Vec<(usize, f64)> = Vec::new();
    for window in windows(values.len()) {
        for (night, p) in divide(&values[window.clone()], window.end == values.len(), seed) {
            // Overlapping windows find the same change a night or two apart: keep the surer.
            let night = window.start + night;
            match suspects
                .iter_mut()
                .find(|known| known.0.abs_diff(night) < SEGMENT)
            {
                Some(known) if p < known.1 => *known = (night, p),
                Some(_) => {}
                None => suspects.push((night, p)),
            }
        }
    }
    suspects.sort_unstable_by_key(|suspect| suspect.0);
    let all: Vec<usize> = suspects.iter().map(|suspect| suspect.0).collect();
    let upheld = uphold(nights, all.clone());
    let point = |(index, &(night, p)): (usize, &(usize, f64))| ChangePoint {
        night,
        change: compare(nights, &all, index).change,
        p,
        confirmed: upheld.contains(&night),
    };
    suspects.iter().enumerate().map(point).collect()
}

/// For a young series: does the last night differ from the ones before,
/// `|y - mean| > t(.995) s sqrt(1 + 1/n)`?
///
/// The spread is at least the median standard error of the nights, as three quiet nights prove little. `None`
/// with fewer than two nights before it.
pub fn last_is_odd(nights: &[Night]) -> Option<bool> {
    let (last, before) = nights.split_last()?;
    let values: Vec<f64> = before.iter().map(|night| night.value).collect();
    let errors: Vec<f64> = before.iter().map(|night| night.se).collect();
    let n = values.len() as f64;
    let spread = sd(&values)?.max(median(&errors)?);
    let limit = t_isf(0.005, n - 1.0) * spread * (1.0 + 1.0 / n).sqrt();
    Some((last.value - mean(&values)?).abs() > limit)
}

/// The stretches to search: the whole, or half-overlapping windows that end with the series.
fn windows(n: usize) -> Vec<Range<usize>> {
    if n <= LONG {
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

/// E-divisive on one stretch: split where the best segment splits best, while chance does not do as well.
fn divide(values: &[f64], is_end: bool, seed: u64) -> Vec<(usize, f64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found: Vec<(usize, f64)> = Vec::new();
    loop {
        let segments = segments(values.len(), found.iter().map(|point| point.0).collect());
        let Some((best, night)) = best_split(values, &segments, is_end) else {
            break;
        };
        let p = chance(values, &segments, is_end, best, &mut rng);
        if p > SUSPECT {
            break;
        }
        found.push((night, p));
    }
    found
}

fn segments(n: usize, mut points: Vec<usize>) -> Vec<Range<usize>> {
    points.sort_unstable();
    let from = std::iter::once(0).chain(points.iter().copied());
    let to = points.iter().copied().chain(std::iter::once(n));
    from.zip(to).map(|(from, to)| from..to).collect()
}

/// The largest split statistic over all segments and where it lies. The very last piece of a series may have
/// two nights: a fresh change should be suspected before its third night.
fn best_split(values: &[f64], segments: &[Range<usize>], is_end: bool) -> Option<(f64, usize)> {
    let one = |segment: &Range<usize>| {
        let shortest = if is_end && segment.end == values.len() {
            SEGMENT - 1
        } else {
            SEGMENT
        };
        split(&values[segment.clone()], shortest).map(|(q, night)| (q, segment.start + night))
    };
    segments.iter().filter_map(one).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The share of orders in which the best split is at least as good as `seen`; values move within their
/// segment only.
fn chance(values: &[f64], segments: &[Range<usize>], is_end: bool, seen: f64, rng: &mut ChaCha8Rng) -> f64 {
    let mut shuffled = values.to_vec();
    let mut as_good = 1;
    for _ in 0..PERMUTATIONS {
        for segment in segments {
            let part = &mut shuffled[segment.clone()];
            for last in (1..part.len()).rev() {
                part.swap(last, rng.random_range(0..=last));
            }
        }
        // A sum in another order may differ by rounding: that is still "as good".
        let best = best_split(&shuffled, segments, is_end).map_or(0.0, |best| best.0);
        as_good += usize::from(best >= seen * (1.0 - 1e-12));
    }
    as_good as f64 / (PERMUTATIONS + 1) as f64
}

/// The split `tau`, over all ends `kappa` of the right part, with the largest
/// `Q = tau (kappa - tau) / kappa * energy distance` (exponent 1) between `[0, tau)` and `[tau, kappa)`.
///
/// Sums of distances are carried from `kappa` to `kappa + 1`, so all splits together cost O(n^2). A right
/// part that ends with the segment may have `shortest` nights, any other needs [`SEGMENT`].
fn split(values: &[f64], shortest: usize) -> Option<(f64, usize)> {
    let n = values.len();
    // left[t]: distances among the first t; across[t]: between the first t and [t, kappa); right[t]: among
    // those.
    let mut left = vec![0.0; n + 1];
    let (mut across, mut right) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    let mut best: Option<(f64, usize)> = None;
    for kappa in 1..=n {
        let new = values[kappa - 1];
        let mut to_left = 0.0;
        let to_all: f64 = values[..kappa].iter().map(|v| (v - new).abs()).sum();
        left[kappa] = left[kappa - 1] + to_all;
        for tau in 1..kappa {
            to_left += (values[tau - 1] - new).abs();
            across[tau] += to_left;
            right[tau] += to_all - to_left;
            let least = if kappa == n { shortest } else { SEGMENT };
            if tau < SEGMENT || kappa - tau < least {
                continue;
            }
            let q = scaled_energy(tau, kappa, across[tau], left[tau], right[tau]);
            if best.is_none_or(|best| q > best.0) {
                best = Some((q, tau));
            }
        }
    }
    best
}

/// `Q` from the three sums of distances (Matteson, James).
fn scaled_energy(tau: usize, kappa: usize, across: f64, left: f64, right: f64) -> f64 {
    let (m, n) = (tau as f64, (kappa - tau) as f64);
    let energy = 2.0 * across / (m * n) - 2.0 * left / (m * (m - 1.0)) - 2.0 * right / (n * (n - 1.0));
    m * n / (m + n) * energy
}

/// Drops, one at a time, the point that its neighbours uphold least, until all that remain are upheld (as
/// Hunter does, bottom up: each removal lengthens the segments the others are judged by).
fn uphold(nights: &[Night], mut points: Vec<usize>) -> Vec<usize> {
    let errors: Vec<f64> = nights.iter().map(|night| night.se).collect();
    let least = LEAST.max(2.0 * median(&errors).unwrap_or(0.0));
    loop {
        let compared = (0..points.len()).map(|index| (compare(nights, &points, index), index));
        let fails = |c: &Comparison| c.p > CONFIRM || c.change.abs() < least || c.shortest < SEGMENT;
        let failing = compared.filter(|(c, _)| fails(c));
        let Some((_, worst)) = failing.max_by(|a, b| a.0.p.total_cmp(&b.0.p)) else {
            return points;
        };
        points.remove(worst);
    }
}

/// The two segments beside a point.
struct Comparison {
    change: f64,
    p: f64,
    shortest: usize,
}

/// Welch's t test (Biometrika 1947) between the segments before and after `points[index]`.
fn compare(nights: &[Night], points: &[usize], index: usize) -> Comparison {
    let from = index.checked_sub(1).map_or(0, |before| points[before]);
    let to = points.get(index + 1).copied().unwrap_or(nights.len());
    let (before, after) = (&nights[from..points[index]], &nights[points[index]..to]);
    let weighted = has_unlike_errors(&nights[from..to]);
    let (a, b) = (level(before, weighted), level(after, weighted));
    let change = b.mean - a.mean;
    let variance = a.variance + b.variance;
    let p = if variance > 0.0 {
        let df = variance * variance / (a.variance * a.variance / a.df + b.variance * b.variance / b.df);
        t_two_sided(change / variance.sqrt(), df)
    } else {
        // Two flat segments: either the same level or certainly not.
        f64::from(u8::from(change == 0.0))
    };
    Comparison {
        change,
        p,
        shortest: before.len().min(after.len()),
    }
}

/// Standard errors that differ by more than a factor of two: noisy nights then weigh less.
fn has_unlike_errors(nights: &[Night]) -> bool {
    let known = || nights.iter().map(|night| night.se);
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    low > 0.0 && high > 2.0 * low
}

/// A segment's mean, the variance of that mean, and its degrees of freedom.
struct Level {
    mean: f64,
    variance: f64,
    df: f64,
}

/// With equal weights `mean` and `s^2 / n`; else inverse-variance weights, with the spread still taken from
/// the nights themselves, as nights differ by more than their standard errors.
fn level(nights: &[Night], weighted: bool) -> Level {
    let n = nights.len() as f64;
    let weight = |night: &Night| {
        if weighted {
            1.0 / (night.se * night.se)
        } else {
            1.0
        }
    };
    let total: f64 = nights.iter().map(weight).sum();
    let mean = nights
        .iter()
        .map(|night| weight(night) * night.value)
        .sum::<f64>()
        / total;
    let square = |night: &Night| (weight(night) / total * (night.value - mean)).powi(2);
    // A single night has no spread of its own; such a segment is too short to be confirmed anyway.
    let df = (n - 1.0).max(1.0);
    Level {
        mean,
        variance: nights.iter().map(square).sum::<f64>() * n / df,
        df,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n` nights with a fixed scatter of sd about `noise`, `step` higher from night `from` on.
    fn series(n: usize, noise: f64, from: usize, step: f64, seed: u64) -> Vec<Night> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut night = |i: usize| {
            let wiggle: f64 = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum();
            Night {
                value: noise * wiggle + if i >= from { step } else { 0.0 },
                se: noise,
            }
        };
        (0..n).map(&mut night).collect()
    }

    #[test]
    fn a_clear_step_is_confirmed_where_it_is() {
        for n in [30, 140] {
            let found = find(&series(n, 0.01, n - 10, -0.10, 3), 1);
            let confirmed: Vec<_> = found.iter().filter(|point| point.confirmed).collect();
            assert_eq!(confirmed.len(), 1, "{found:?}");
            assert_eq!(confirmed[0].night, n - 10);
            assert!((confirmed[0].change + 0.10).abs() < 0.02);
        }
    }

    #[test]
    fn flat_series_are_suspected_in_one_of_twenty_and_never_confirmed() {
        let flat: Vec<Vec<ChangePoint>> = (0..60)
            .map(|seed| find(&series(20, 0.03, 99, 0.0, seed), 1))
            .collect();
        let suspected = flat.iter().filter(|points| !points.is_empty()).count();
        assert!(suspected <= 9, "{suspected} of 60");
        assert!(flat.iter().flatten().all(|point| !point.confirmed));
    }

    #[test]
    fn a_small_step_is_not_confirmed_however_sure() {
        let found = find(&series(40, 0.0005, 20, 0.01, 4), 1);
        assert_eq!(
            found
                .iter()
                .map(|point| (point.night, point.confirmed))
                .collect::<Vec<_>>(),
            [(20, false)]
        );
    }

    #[test]
    fn a_change_two_nights_old_is_only_suspected() {
        let found = find(&series(30, 0.002, 28, 0.2, 5), 1);
        assert_eq!(
            found
                .iter()
                .map(|point| (point.night, point.confirmed))
                .collect::<Vec<_>>(),
            [(28, false)]
        );
    }

    #[test]
    fn constant_series_change_nothing() {
        let night = Night { value: 0.1, se: 0.0 };
        assert_eq!(find(&[night; 20], 1), []);
        assert_eq!(find(&[night; 7], 1), []);
    }

    #[test]
    fn noisy_nights_weigh_less() {
        let mut nights = vec![Night { value: 0.0, se: 0.01 }; 6];
        nights[5] = Night { value: 1.0, se: 1.0 };
        assert!(level(&nights, has_unlike_errors(&nights)).mean < 0.001);
        nights[5].se = 0.015;
        assert!(!has_unlike_errors(&nights));
    }

    #[test]
    fn one_odd_night_in_a_young_series() {
        let mut young = series(6, 0.01, 99, 0.0, 6);
        assert_eq!(last_is_odd(&young), Some(false));
        young.push(Night { value: 0.3, se: 0.01 });
        assert_eq!(last_is_odd(&young), Some(true));
        assert_eq!(last_is_odd(&young[..2]), None);
        assert_eq!(last_is_odd(&[]), None);
    }
}
