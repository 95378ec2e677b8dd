//! The capacity curve: Gunther's universal scalability law, fitted to throughput by number of users.
//!
//! `X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))` (Gunther, *Guerrilla Capacity Planning*, 2007,
//! chapter 4): `gamma` = rate of one user alone, `alpha` = share that queues for something shared, `beta` =
//! cost of every pair of users that have to agree. With `beta > 0` throughput falls again beyond a peak.

use crate::bootstrap::Resampling;
use crate::interval::Interval;
use crate::least_squares::{Row, inverse_normal, minimise};
use crate::robust::mean;
use crate::summary::Estimate;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One measured step: `users` in a closed loop gave `rate` answers per second. Both positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number of users, `N`.
    pub users: f64,
    /// Throughput `X(N)`, per second.
    pub rate: f64,
}

/// Which residuals are made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Of `ln X`: for measurements, whose noise is multiplicative.
    Log,
    /// Of `X` itself, as R's `usl` does: for comparison with others.
    Plain,
}

/// A fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// Contention, `>= 0`, per user.
    pub alpha: f64,
    /// Coherency cost, `>= 0`, per pair of users.
    pub beta: f64,
    /// Rate of one user, per second.
    pub gamma: f64,
}

impl Usl {
    /// `X(N)`, per second.
    pub fn rate(&self, users: f64) -> f64 {
        self.gamma * users / self.slowdown(users)
    }

    fn slowdown(&self, users: f64) -> f64 {
        1.0 + (self.alpha + self.beta * users) * (users - 1.0)
    }

    /// The number of users at which throughput peaks, `sqrt((1 - alpha) / beta)`; `None` when it never falls.
    pub fn peak_users(&self) -> Option<f64> {
        let square = (1.0 - self.alpha) / self.beta;
        (square > 0.0 && square.is_finite()).then(|| square.sqrt())
    }

    /// The throughput at the peak, per second.
    pub fn peak_rate(&self) -> Option<f64> {
        self.peak_users().map(|users| self.rate(users))
    }

    /// `1 / alpha`: where the straight line of perfect scaling meets the ceiling; `None` without contention.
    pub fn optimal_users(&self) -> Option<f64> {
        (self.alpha > 0.0).then(|| 1.0 / self.alpha)
    }

    /// `gamma / alpha`: the ceiling if `beta` were 0, per second; `None` without contention.
    pub fn limit(&self) -> Option<f64> {
        self.optimal_users().map(|users| self.gamma * users)
    }

    /// As the fit sees it: alpha and beta as squares cannot turn negative.
    fn parameters(&self) -> [f64; 3] {
        [self.gamma.ln(), self.alpha.sqrt(), self.beta.sqrt()]
    }

    fn from_parameters(p: [f64; 3]) -> Self {
        Self {
            gamma: p[0].exp(),
            alpha: p[1] * p[1],
            beta: p[2] * p[2],
        }
    }
}

/// The least-squares fit; `None` with fewer than three distinct numbers of users or a point that is not
/// positive.
///
/// From the linearised fit and four points around it, so that a bad first guess does not decide.
pub fn fit(points: &[Point], scale: Scale) -> Option<Usl> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if levels(points).len() < 3 || !points.iter().all(|p| positive(p.users) && positive(p.rate)) {
        return None;
    }
    let first = linearised(points);
    let around = [(1.0, 1.0), (0.1, 10.0), (10.0, 0.1), (0.1, 0.1), (10.0, 10.0)];
    let starts = around.map(|(a, b)| Usl {
        alpha: first.alpha * a,
        beta: first.beta * b,
        ..first
    });
    let fits = starts.map(|start| refine(points, scale, start));
    fits.into_iter()
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|best| best.0)
}

/// The best fit near `start` and its sum of squares.
fn refine(points: &[Point], scale: Scale, start: Usl) -> (Usl, f64) {
    let rows = |p: [f64; 3]| points.iter().map(|point| row(p, *point, scale)).collect();
    let (best, cost) = minimise(start.parameters(), rows);
    (Usl::from_parameters(best), cost)
}

/// Model minus measurement, and its gradient by `(ln gamma, sqrt alpha, sqrt beta)`.
fn row(p: [f64; 3], point: Point, scale: Scale) -> Row {
    let usl = Usl::from_parameters(p);
    let n = point.users;
    let slowdown = usl.slowdown(n);
    let gradient = [
        1.0,
        -2.0 * p[1] * (n - 1.0) / slowdown,
        -2.0 * p[2] * n * (n - 1.0) / slowdown,
    ];
    match scale {
        Scale::Log => (p[0] + n.ln() - slowdown.ln() - point.rate.ln(), gradient),
        Scale::Plain => {
            let rate = usl.rate(n);
            (rate - point.rate, gradient.map(|g| g * rate))
        }
    }
}

/// `N / C(N) - 1 = alpha (N - 1) + beta N (N - 1)` with `C(N) = X(N) / X(1)`: linear in alpha and beta.
fn linearised(points: &[Point]) -> Usl {
    let fewest = points.iter().map(|p| p.users).fold(f64::INFINITY, f64::min);
    let lowest: Vec<f64> = points
        .iter()
        .filter(|p| p.users == fewest)
        .map(|p| p.rate / p.users)
        .collect();
    let gamma = mean(&lowest).unwrap_or(1.0);
    let (mut uu, mut uv, mut vv, mut uy, mut vy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let (u, y) = (point.users - 1.0, point.users * gamma / point.rate - 1.0);
        let v = point.users * u;
        (uu, uv, vv) = (uu + u * u, uv + u * v, vv + v * v);
        (uy, vy) = (uy + u * y, vy + v * y);
    }
    let determinant = uu * vv - uv * uv;
    // A start at exactly 0 could never leave it: the gradient of a square is 0 there.
    let floor = |v: f64, least: f64| if v > least { v } else { least };
    Usl {
        alpha: floor((uy * vv - vy * uv) / determinant, 1e-3),
        beta: floor((vy * uu - uy * uv) / determinant, 1e-6),
        gamma,
    }
}

/// Linearised standard errors of `(alpha, beta, gamma)` of a [`Scale::Plain`] fit, as R's `usl` prints them.
///
/// For comparison with others only; the intervals of [`capacity`] are bootstrapped. `None` without residual
/// degrees of freedom.
pub fn standard_errors(points: &[Point], usl: &Usl) -> Option<[f64; 3]> {
    let degrees = points.len().checked_sub(3).filter(|&n| n > 0)?;
    let rows: Vec<Row> = points
        .iter()
        .map(|point| {
            let (n, slowdown, rate) = (point.users, usl.slowdown(point.users), usl.rate(point.users));
            let gradient = [
                -rate * (n - 1.0) / slowdown,
                -rate * n * (n - 1.0) / slowdown,
                rate / usl.gamma,
            ];
            (rate - point.rate, gradient)
        })
        .collect();
    let variance = rows.iter().map(|row| row.0 * row.0).sum::<f64>() / degrees as f64;
    let inverse = inverse_normal(&rows)?;
    Some([0, 1, 2].map(|i| (variance * inverse[i][i]).sqrt()))
}

/// Why no curve is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// Fewer than six distinct numbers of users.
    TooFewLevels,
    /// The largest number of users lies below both `1 / alpha` and the peak: the ceiling was never
    /// approached.
    NotSaturated,
    /// The points lie systematically off the curve; `p` of the runs test. Show them without it.
    LackOfFit {
        /// Probability of so few runs by chance.
        p: f64,
    },
}

/// A capacity curve with its uncertainty from round to round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// The curve through all rounds.
    pub usl: Usl,
    /// Interval of alpha.
    pub alpha: Interval,
    /// Interval of beta.
    pub beta: Interval,
    /// Interval of gamma, per second.
    pub gamma: Interval,
    /// Users at the peak. `None` = no retrograde part was seen: the interval leaves 0.5 to 1.5 times what was
    /// measured.
    pub peak_users: Option<Estimate>,
    /// Throughput at the peak, per second; `None` with `peak_users`.
    pub peak_rate: Option<Estimate>,
}

/// The curve of one arm from its rounds, each a list of points; intervals by refitting draws of rounds.
pub fn capacity(rounds: &[Vec<Point>], how: Resampling) -> Result<Capacity, Refusal> {
    let points: Vec<Point> = rounds.concat();
    let levels = levels(&points);
    if levels.len() < 6 {
        return Err(Refusal::TooFewLevels);
    }
    let usl = fit(&points, Scale::Log).ok_or(Refusal::TooFewLevels)?;
    let most = levels.last().copied().unwrap_or(0.0);
    let bends = [usl.optimal_users(), usl.peak_users()];
    if bends.into_iter().flatten().all(|users| most < users) {
        return Err(Refusal::NotSaturated);
    }
    let p = runs_test(&points, &usl);
    if p < 0.01 {
        return Err(Refusal::LackOfFit { p });
    }
    let draws = refits(rounds, &usl, how);
    let interval = |of: fn(&Usl) -> f64| how.interval(draws.iter().map(of).collect());
    let whole = Interval {
        low: 0.0,
        high: f64::INFINITY,
    };
    let peak_users = usl.peak_users().map(|value| Estimate {
        value,
        interval: interval(|usl| usl.peak_users().unwrap_or(f64::INFINITY)),
    });
    let measured = Interval {
        low: 0.5 * levels[0],
        high: 1.5 * most,
    };
    let inside = |i: Interval| measured.contains(i.low) && measured.contains(i.high);
    let peak_users = peak_users.filter(|peak| peak.interval.is_some_and(inside));
    let peak_rate = peak_users.and(usl.peak_rate()).map(|value| Estimate {
        value,
        interval: interval(|usl| usl.peak_rate().unwrap_or(f64::INFINITY)),
    });
    Ok(Capacity {
        usl,
        alpha: interval(|usl| usl.alpha).unwrap_or(whole),
        beta: interval(|usl| usl.beta).unwrap_or(whole),
        gamma: interval(|usl| usl.gamma).unwrap_or(whole),
        peak_users,
        peak_rate,
    })
}

/// `ln(X_peak of the arm / X_peak of the baseline)`, positive = the arm is better, with its interval.
///
/// The same rounds are drawn for both. `None` when the numbers of rounds differ or either curve has no peak.
pub fn peak_ratio(baseline: &[Vec<Point>], arm: &[Vec<Point>], how: Resampling) -> Option<Estimate> {
    if baseline.len() != arm.len() {
        return None;
    }
    let fits = [
        fit(&baseline.concat(), Scale::Log)?,
        fit(&arm.concat(), Scale::Log)?,
    ];
    let ratio = |a: &Usl, b: &Usl| Some((b.peak_rate()? / a.peak_rate()?).ln());
    let (a, b) = (refits(baseline, &fits[0], how), refits(arm, &fits[1], how));
    let draws = a
        .iter()
        .zip(&b)
        .map(|(a, b)| ratio(a, b).unwrap_or(f64::INFINITY))
        .collect();
    let interval = how.interval(draws).filter(|interval| interval.high.is_finite());
    Some(Estimate {
        value: ratio(&fits[0], &fits[1])?,
        interval,
    })
}

/// One refit per draw of rounds with replacement. The draws depend on the seed and the number of rounds only.
fn refits(rounds: &[Vec<Point>], start: &Usl, how: Resampling) -> Vec<Usl> {
    let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
    // A parameter at 0 has no slope there: let a draw find its own.
    let start = Usl {
        alpha: start.alpha.max(1e-4),
        beta: start.beta.max(1e-8),
        ..*start
    };
    let mut draw = |_| {
        let points: Vec<Point> = rounds
            .iter()
            .flat_map(|_| &rounds[rng.random_range(0..rounds.len())])
            .copied()
            .collect();
        refine(&points, Scale::Log, start).0
    };
    (0..how.draws).map(&mut draw).collect()
}

/// The distinct numbers of users, rising.
fn levels(points: &[Point]) -> Vec<f64> {
    let mut levels: Vec<f64> = points.iter().map(|p| p.users).collect();
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    levels
}

/// The probability that the signs of all residuals, by rising users, form as few runs as they do.
///
/// Wald, Wolfowitz, Annals of Mathematical Statistics 1940, exact. Few long runs: the points bend where the
/// curve does not. Every round's residual counts by itself: a three-parameter fit leaves at least four runs
/// in the means of the levels, which a dozen levels can never call too few.
fn runs_test(points: &[Point], usl: &Usl) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.users.total_cmp(&b.users));
    let signs: Vec<bool> = sorted
        .iter()
        .map(|point| point.rate > usl.rate(point.users))
        .collect();
    let runs = signs.chunk_by(|a, b| a == b).count();
    let above = signs.iter().filter(|&&sign| sign).count();
    let below = signs.len() - above;
    let arrangements = choose(signs.len(), above);
    if arrangements.is_infinite() {
        // Beyond a thousand residuals the count leaves the range of a double; no design comes near.
        return 1.0;
    }
    (1..=runs)
        .map(|runs| arrangements_with(runs, above, below))
        .sum::<f64>()
        / arrangements
}

/// In how many orders `above` and `below` signs form exactly `runs` runs.
fn arrangements_with(runs: usize, above: usize, below: usize) -> f64 {
    let parts = |total: usize, pieces: usize| match (total, pieces) {
        (0, 0) => 1.0,
        (0, _) | (_, 0) => 0.0,
        _ => choose(total - 1, pieces - 1),
    };
    let half = runs / 2;
    if runs.is_multiple_of(2) {
        2.0 * parts(above, half) * parts(below, half)
    } else {
        parts(above, half + 1) * parts(below, half) + parts(above, half) * parts(below, half + 1)
    }
}

fn choose(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: Usl = Usl {
        alpha: 0.03,
        beta: 0.0004,
        gamma: 1000.0,
    };
    const HOW: Resampling = Resampling {
        draws: 100,
        seed: 5,
        confidence: 0.95,
    };

    /// Rounds of the curve `truth` with a fixed scatter of about `noise`.
    fn rounds(truth: Usl, most: f64, noise: f64) -> Vec<Vec<Point>> {
        let steps = [
            1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0,
        ];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut round = |_| {
            let users = steps.into_iter().filter(|&n| n <= most);
            users
                .map(|users| Point {
                    users,
                    rate: truth.rate(users) * (noise * rng.random_range(-1.7..1.7_f64)).exp(),
                })
                .collect()
        };
        (0..6).map(&mut round).collect()
    }

    #[test]
    fn a_curve_without_noise_is_found_again() {
        for scale in [Scale::Log, Scale::Plain] {
            let found = fit(&rounds(TRUTH, 96.0, 0.0).concat(), scale).unwrap();
            assert!((found.alpha / TRUTH.alpha - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.beta / TRUTH.beta - 1.0).abs() < 1e-6);
            assert!((found.gamma / TRUTH.gamma - 1.0).abs() < 1e-6);
        }
        assert_eq!(
            fit(
                &[Point {
                    users: 1.0,
                    rate: 5.0
                }; 9],
                Scale::Log
            ),
            None
        );
    }

    #[test]
    fn the_peak_is_given_where_it_was_seen() {
        let seen = capacity(&rounds(TRUTH, 96.0, 0.03), HOW).unwrap();
        let peak = seen.peak_users.unwrap();
        assert!(
            peak.interval.unwrap().contains(TRUTH.peak_users().unwrap()),
            "{peak:?}"
        );
        assert!(seen.alpha.contains(seen.usl.alpha) && seen.beta.contains(seen.usl.beta));
        assert!(seen.gamma.contains(seen.usl.gamma) && seen.peak_rate.is_some());
        // No coherency cost: throughput never falls, and no peak is made up.
        let ceiling = Usl {
            beta: 0.0,
            alpha: 0.1,
            ..TRUTH
        };
        assert_eq!(
            capacity(&rounds(ceiling, 96.0, 0.03), HOW).unwrap().peak_users,
            None
        );
    }

    #[test]
    fn refusals() {
        let few = rounds(TRUTH, 6.0, 0.01);
        assert_eq!(capacity(&few, HOW), Err(Refusal::TooFewLevels));
        let low = rounds(
            Usl {
                alpha: 0.005,
                ..TRUTH
            },
            32.0,
            0.001,
        );
        assert_eq!(capacity(&low, HOW), Err(Refusal::NotSaturated));
        // A hard limit at 20 users has a corner, which this curve does not.
        let mut corner = rounds(
            Usl {
                alpha: 0.0,
                beta: 0.0,
                gamma: 1000.0,
            },
            96.0,
            0.0,
        );
        corner
            .iter_mut()
            .flatten()
            .for_each(|p| p.rate = p.rate.min(20_000.0) * (1.0 - 2e-3 * p.users));
        assert!(
            matches!(capacity(&corner, HOW), Err(Refusal::LackOfFit { .. })),
            "{:?}",
            capacity(&corner, HOW)
        );
    }

    #[test]
    fn peaks_are_compared_round_by_round() {
        let base = rounds(TRUTH, 96.0, 0.03);
        let mut better = base.clone();
        better.iter_mut().flatten().for_each(|p| p.rate *= 1.1);
        let ratio = peak_ratio(&base, &better, HOW).unwrap();
        assert!((ratio.value - 1.1_f64.ln()).abs() < 1e-4);
        assert!(ratio.interval.unwrap().width() < 1e-3);
        assert_eq!(peak_ratio(&base, &better[1..], HOW), None);
    }

    #[test]
    fn runs_are_counted_exactly() {
        // AABB, BBAA of the six orders.
        assert_eq!(arrangements_with(2, 2, 2), 2.0);
        let all: f64 = (1..=9).map(|runs| arrangements_with(runs, 4, 5)).sum();
        assert_eq!(all, choose(9, 4));
        assert_eq!(arrangements_with(1, 3, 0), 1.0);
    }
}
