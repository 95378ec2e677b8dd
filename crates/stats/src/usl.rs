//! The capacity curve of an arm: Gunther's universal scalability law, fitted to throughput by number of users.
//!
//! `X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))` (Gunther, *Guerrilla Capacity Planning*, 2007,
//! chapter 4). `gamma` is the throughput of a single user, `alpha` is contention (the share of work that queues for
//! a shared resource), `beta` is the cost of keeping every pair of users coherent. With `beta > 0` throughput
//! has a peak and falls again beyond it.

use crate::bootstrap::Resampling;
use crate::interval::ConfidenceInterval;
use crate::least_squares::{Residual, inverse_normal, minimise};
use crate::robust::mean;
use crate::summary::SampleEstimate;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One measured step of a capacity curve: `users` in a closed loop got `rate` answers per second. Both are
/// positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapacityPoint {
    /// Number of users, `N`.
    pub users: f64,
    /// Throughput `X(N)`, per second.
    pub rate: f64,
}

/// The scale of the residuals whose squares a fit minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidualScale {
    /// Residuals of `ln X`: right for measurements, whose noise is multiplicative.
    Log,
    /// Residuals of `X` itself, as in R's package `usl`: for comparison with published fits.
    Plain,
}

/// The parameters of a fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// Contention per user, `>= 0`.
    pub alpha: f64,
    /// Coherency cost per pair of users, `>= 0`.
    pub beta: f64,
    /// Throughput of a single user, per second.
    pub gamma: f64,
}

impl Usl {
    /// The throughput `X(N)` of this many users, per second.
    pub fn rate(&self, users: f64) -> f64 {
        self.gamma * users / self.slowdown(users)
    }

    /// How many times less throughput this many users get than with perfect scaling: the denominator of `X(N)`.
    fn slowdown(&self, users: f64) -> f64 {
        1.0 + (self.alpha + self.beta * users) * (users - 1.0)
    }

    /// The number of users at which throughput peaks, `sqrt((1 - alpha) / beta)`; `None` when it never falls.
    pub fn peak_users(&self) -> Option<f64> {
        let square = (1.0 - self.alpha) / self.beta;
        (square > 0.0 && square.is_finite()).then(|| square.sqrt())
    }

    /// The throughput at the peak, per second; `None` when throughput never falls.
    pub fn peak_rate(&self) -> Option<f64> {
        self.peak_users().map(|users| self.rate(users))
    }

    /// `1 / alpha`, the number of users at which the line of perfect scaling meets the ceiling of [`Usl::limit`];
    /// `None` without contention.
    pub fn optimal_users(&self) -> Option<f64> {
        (self.alpha > 0.0).then(|| 1.0 / self.alpha)
    }

    /// `gamma / alpha`, the ceiling of throughput if `beta` were 0, per second; `None` without contention.
    pub fn limit(&self) -> Option<f64> {
        self.optimal_users().map(|users| self.gamma * users)
    }

    /// The parameters of the least-squares fit, `(ln gamma, sqrt alpha, sqrt beta)`: with them no step can make
    /// alpha, beta or gamma negative.
    fn parameters(&self) -> [f64; 3] {
        [self.gamma.ln(), self.alpha.sqrt(), self.beta.sqrt()]
    }

    /// The inverse of [`Usl::parameters`].
    fn from_parameters(p: [f64; 3]) -> Self {
        Self { gamma: p[0].exp(), alpha: p[1] * p[1], beta: p[2] * p[2] }
    }
}

/// The least-squares fit; `None` with fewer than three distinct numbers of users or with a point that is not
/// positive.
///
/// The search starts from the linearised fit and from four points around it; the best result counts, so that a bad
/// start cannot spoil it.
pub fn fit(points: &[CapacityPoint], scale: ResidualScale) -> Option<Usl> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if levels(points).len() < 3 || !points.iter().all(|p| positive(p.users) && positive(p.rate)) {
        return None;
    }
    let first = linearised(points);
    let around = [(1.0, 1.0), (0.1, 10.0), (10.0, 0.1), (0.1, 0.1), (10.0, 10.0)];
    let starts = around.map(|(a, b)| Usl { alpha: first.alpha * a, beta: first.beta * b, ..first });
    let fits = starts.map(|start| refine(points, scale, start));
    fits.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
}

/// The best fit that is reached from `start`, and its sum of squares.
fn refine(points: &[CapacityPoint], scale: ResidualScale, start: Usl) -> (Usl, f64) {
    let residuals = |p: [f64; 3]| points.iter().map(|point| residual(p, *point, scale)).collect();
    let (best, cost) = minimise(start.parameters(), residuals);
    (Usl::from_parameters(best), cost)
}

/// Model minus measurement at one point, with its gradient; `p` as in [`Usl::parameters`].
fn residual(p: [f64; 3], point: CapacityPoint, scale: ResidualScale) -> Residual {
    let usl = Usl::from_parameters(p);
    let n = point.users;
    let slowdown = usl.slowdown(n);
    let gradient = [1.0, -2.0 * p[1] * (n - 1.0) / slowdown, -2.0 * p[2] * n * (n - 1.0) / slowdown];
    match scale {
        ResidualScale::Log => Residual { value: p[0] + n.ln() - slowdown.ln() - point.rate.ln(), gradient },
        ResidualScale::Plain => {
            let rate = usl.rate(n);
            Residual { value: rate - point.rate, gradient: gradient.map(|g| g * rate) }
        }
    }
}

/// A rough fit in closed form, to start the search from.
///
/// With `C(N) = X(N) / X(1)` the law reads `N / C(N) - 1 = alpha (N - 1) + beta N (N - 1)`, which is linear in alpha
/// and beta. `X(1)` is taken from the points with the fewest users.
fn linearised(points: &[CapacityPoint]) -> Usl {
    let fewest = points.iter().map(|p| p.users).fold(f64::INFINITY, f64::min);
    let lowest: Vec<f64> = points.iter().filter(|p| p.users == fewest).map(|p| p.rate / p.users).collect();
    let gamma = mean(&lowest).unwrap_or(1.0);
    let (mut uu, mut uv, mut vv, mut uy, mut vy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let (u, y) = (point.users - 1.0, point.users * gamma / point.rate - 1.0);
        let v = point.users * u;
        (uu, uv, vv) = (uu + u * u, uv + u * v, vv + v * v);
        (uy, vy) = (uy + u * y, vy + v * y);
    }
    let determinant = uu * vv - uv * uv;
    // A search that starts at exactly 0 could never leave it, because the gradient of a square is 0 there.
    let floor = |v: f64, least: f64| if v > least { v } else { least };
    Usl {
        alpha: floor((uy * vv - vy * uv) / determinant, 1e-3),
        beta: floor((vy * uu - uy * uv) / determinant, 1e-6),
        gamma,
    }
}

/// Linearised standard errors of `(alpha, beta, gamma)` of a [`ResidualScale::Plain`] fit, as R's package `usl`
/// prints them.
///
/// They serve comparison with published fits only; the intervals of [`capacity`] are bootstrapped. `None` without
/// residual degrees of freedom.
pub fn standard_errors(points: &[CapacityPoint], usl: &Usl) -> Option<[f64; 3]> {
    let degrees = points.len().checked_sub(3).filter(|&n| n > 0)?;
    let residuals: Vec<Residual> = points
        .iter()
        .map(|point| {
            let (n, slowdown, rate) = (point.users, usl.slowdown(point.users), usl.rate(point.users));
            let gradient = [-rate * (n - 1.0) / slowdown, -rate * n * (n - 1.0) / slowdown, rate / usl.gamma];
            Residual { value: rate - point.rate, gradient }
        })
        .collect();
    let squares = residuals.iter().map(|residual| residual.value * residual.value);
    let variance = squares.sum::<f64>() / degrees as f64;
    let inverse = inverse_normal(&residuals)?;
    Some([0, 1, 2].map(|i| (variance * inverse[i][i]).sqrt()))
}

/// The reason why [`capacity`] gives no curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveRefusal {
    /// There are fewer than six distinct numbers of users.
    TooFewLevels,
    /// The largest number of users lies below both `1 / alpha` and the peak, so the ceiling of throughput was never
    /// approached.
    NotSaturated,
    /// The points deviate from the curve systematically. They should be shown without it.
    LackOfFit {
        /// The p-value of the runs test on the signs of the residuals.
        p: f64,
    },
}

/// The capacity curve of one arm with its uncertainty from round to round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapacityCurve {
    /// The curve fitted to the points of all rounds.
    pub usl: Usl,
    /// ConfidenceInterval of alpha.
    pub alpha: ConfidenceInterval,
    /// ConfidenceInterval of beta.
    pub beta: ConfidenceInterval,
    /// ConfidenceInterval of gamma, per second.
    pub gamma: ConfidenceInterval,
    /// Number of users at the peak. `None` when the measurement does not show one: the curve never falls, or the
    /// interval extends below half the fewest or above 1.5 times the most users that were measured.
    pub peak_users: Option<SampleEstimate>,
    /// Throughput at the peak, per second; `None` when `peak_users` is.
    pub peak_rate: Option<SampleEstimate>,
}

/// The capacity curve of one arm. Each round is a list of points; the intervals come from refitting the curve to
/// rounds drawn with replacement.
///
/// # Errors
///
/// A [`CurveRefusal`] when the points do not determine a curve or do not follow one.
pub fn capacity(rounds: &[Vec<CapacityPoint>], how: Resampling) -> Result<CapacityCurve, CurveRefusal> {
    let points: Vec<CapacityPoint> = rounds.concat();
    let levels = levels(&points);
    if levels.len() < 6 {
        return Err(CurveRefusal::TooFewLevels);
    }
    let usl = fit(&points, ResidualScale::Log).ok_or(CurveRefusal::TooFewLevels)?;
    let most = levels.last().copied().unwrap_or(0.0);
    let bends = [usl.optimal_users(), usl.peak_users()];
    if bends.into_iter().flatten().all(|users| most < users) {
        return Err(CurveRefusal::NotSaturated);
    }
    let p = runs_test(&points, &usl);
    if p < 0.01 {
        return Err(CurveRefusal::LackOfFit { p });
    }
    let draws = refits(rounds, &usl, how);
    let interval = |value: fn(&Usl) -> f64| how.interval(draws.iter().map(value).collect());
    let unknown = ConfidenceInterval { low: 0.0, high: f64::INFINITY };
    let peak_users = usl.peak_users().map(|value| SampleEstimate {
        value,
        interval: interval(|usl| usl.peak_users().unwrap_or(f64::INFINITY)),
    });
    let measured = ConfidenceInterval { low: 0.5 * levels[0], high: 1.5 * most };
    let inside = |i: ConfidenceInterval| measured.contains(i.low) && measured.contains(i.high);
    let peak_users = peak_users.filter(|peak| peak.interval.is_some_and(inside));
    let peak_rate = peak_users.and(usl.peak_rate()).map(|value| SampleEstimate {
        value,
        interval: interval(|usl| usl.peak_rate().unwrap_or(f64::INFINITY)),
    });
    Ok(CapacityCurve {
        usl,
        alpha: interval(|usl| usl.alpha).unwrap_or(unknown),
        beta: interval(|usl| usl.beta).unwrap_or(unknown),
        gamma: interval(|usl| usl.gamma).unwrap_or(unknown),
        peak_users,
        peak_rate,
    })
}

/// The log-ratio of the peak throughputs, `ln(X_peak of the arm / X_peak of the baseline)`, with its interval;
/// positive = the arm is better.
///
/// Every draw takes the same rounds of both arms. `None` when the numbers of rounds differ or a curve has no peak.
pub fn peak_ratio(
    baseline: &[Vec<CapacityPoint>],
    arm: &[Vec<CapacityPoint>],
    how: Resampling,
) -> Option<SampleEstimate> {
    if baseline.len() != arm.len() {
        return None;
    }
    let fits = [fit(&baseline.concat(), ResidualScale::Log)?, fit(&arm.concat(), ResidualScale::Log)?];
    let ratio = |a: &Usl, b: &Usl| Some((b.peak_rate()? / a.peak_rate()?).ln());
    let (a, b) = (refits(baseline, &fits[0], how), refits(arm, &fits[1], how));
    let draws = a.iter().zip(&b).map(|(a, b)| ratio(a, b).unwrap_or(f64::INFINITY)).collect();
    let interval = how.interval(draws).filter(|interval| interval.high.is_finite());
    Some(SampleEstimate { value: ratio(&fits[0], &fits[1])?, interval })
}

/// The curves fitted to `how.draws` draws of rounds with replacement, each search starting from `start`. The draws
/// depend on the seed and the number of rounds only, so that two arms with as many rounds get the same draws.
fn refits(rounds: &[Vec<CapacityPoint>], start: &Usl, how: Resampling) -> Vec<Usl> {
    let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
    // A search that starts with a parameter at exactly 0 could not change it.
    let start = Usl { alpha: start.alpha.max(1e-4), beta: start.beta.max(1e-8), ..*start };
    let mut draw = |_| {
        let points: Vec<CapacityPoint> =
            rounds.iter().flat_map(|_| &rounds[rng.random_range(0..rounds.len())]).copied().collect();
        refine(&points, ResidualScale::Log, start).0
    };
    (0..how.draws).map(&mut draw).collect()
}

/// The distinct numbers of users in rising order.
fn levels(points: &[CapacityPoint]) -> Vec<f64> {
    let mut levels: Vec<f64> = points.iter().map(|p| p.users).collect();
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    levels
}

/// The p-value of the exact runs test (Wald, Wolfowitz, Annals of Mathematical Statistics 1940): the probability
/// that the signs of the residuals, ordered by number of users, form as few runs as they do or fewer.
///
/// Few long runs mean that the points bend where the curve does not. The residuals of all rounds are counted
/// separately: the means of the levels would not do, because a fit with three parameters leaves at least four runs
/// in them, and among a dozen levels that is never significantly few.
fn runs_test(points: &[CapacityPoint], usl: &Usl) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.users.total_cmp(&b.users));
    let signs: Vec<bool> = sorted.iter().map(|point| point.rate > usl.rate(point.users)).collect();
    let runs = signs.chunk_by(|a, b| a == b).count();
    let above = signs.iter().filter(|&&sign| sign).count();
    let below = signs.len() - above;
    let arrangements = choose(signs.len(), above);
    if arrangements.is_infinite() {
        // Above a thousand residuals the count exceeds the range of a double; no design has nearly as many.
        return 1.0;
    }
    (1..=runs).map(|runs| arrangements_with(runs, above, below)).sum::<f64>() / arrangements
}

/// The number of orders in which `above` positive and `below` negative signs form exactly `runs` runs.
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

/// The binomial coefficient.
fn choose(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: Usl = Usl { alpha: 0.03, beta: 0.0004, gamma: 1000.0 };
    const HOW: Resampling = Resampling { draws: 100, seed: 5, confidence: 0.95 };

    /// Six rounds with up to `most` users that follow the curve `truth` with relative noise of about `noise`.
    fn rounds(truth: Usl, most: f64, noise: f64) -> Vec<Vec<CapacityPoint>> {
        let steps = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut round = |_| {
            let users = steps.into_iter().filter(|&n| n <= most);
            users
                .map(|users| CapacityPoint {
                    users,
                    rate: truth.rate(users) * (noise * rng.random_range(-1.7..1.7_f64)).exp(),
                })
                .collect()
        };
        (0..6).map(&mut round).collect()
    }

    #[test]
    fn the_parameters_of_a_curve_without_noise_are_recovered() {
        for scale in [ResidualScale::Log, ResidualScale::Plain] {
            let fitted = fit(&rounds(TRUTH, 96.0, 0.0).concat(), scale).unwrap();
            assert!((fitted.alpha / TRUTH.alpha - 1.0).abs() < 1e-6, "{fitted:?}");
            assert!((fitted.beta / TRUTH.beta - 1.0).abs() < 1e-6);
            assert!((fitted.gamma / TRUTH.gamma - 1.0).abs() < 1e-6);
        }
        assert_eq!(fit(&[CapacityPoint { users: 1.0, rate: 5.0 }; 9], ResidualScale::Log), None);
    }

    #[test]
    fn a_peak_is_reported_only_when_the_measurement_shows_it() {
        let curve = capacity(&rounds(TRUTH, 96.0, 0.03), HOW).unwrap();
        let peak = curve.peak_users.unwrap();
        assert!(peak.interval.unwrap().contains(TRUTH.peak_users().unwrap()), "{peak:?}");
        assert!(curve.alpha.contains(curve.usl.alpha) && curve.beta.contains(curve.usl.beta));
        assert!(curve.gamma.contains(curve.usl.gamma) && curve.peak_rate.is_some());
        // Without a coherency cost throughput never falls, so there is no peak to report.
        let ceiling = Usl { beta: 0.0, alpha: 0.1, ..TRUTH };
        assert_eq!(capacity(&rounds(ceiling, 96.0, 0.03), HOW).unwrap().peak_users, None);
    }

    #[test]
    fn points_that_do_not_determine_or_follow_a_curve_are_refused() {
        let few = rounds(TRUTH, 6.0, 0.01);
        assert_eq!(capacity(&few, HOW), Err(CurveRefusal::TooFewLevels));
        let low = rounds(Usl { alpha: 0.005, ..TRUTH }, 32.0, 0.001);
        assert_eq!(capacity(&low, HOW), Err(CurveRefusal::NotSaturated));
        // A hard limit at 20 users gives a corner, which this law cannot follow.
        let mut corner = rounds(Usl { alpha: 0.0, beta: 0.0, gamma: 1000.0 }, 96.0, 0.0);
        corner.iter_mut().flatten().for_each(|p| p.rate = p.rate.min(20_000.0) * (1.0 - 2e-3 * p.users));
        assert!(
            matches!(capacity(&corner, HOW), Err(CurveRefusal::LackOfFit { .. })),
            "{:?}",
            capacity(&corner, HOW)
        );
    }

    #[test]
    fn peaks_are_compared_on_the_same_draws_of_rounds() {
        let base = rounds(TRUTH, 96.0, 0.03);
        let mut better = base.clone();
        better.iter_mut().flatten().for_each(|p| p.rate *= 1.1);
        let ratio = peak_ratio(&base, &better, HOW).unwrap();
        assert!((ratio.value - 1.1_f64.ln()).abs() < 1e-4);
        assert!(ratio.interval.unwrap().width() < 1e-3);
        assert_eq!(peak_ratio(&base, &better[1..], HOW), None);
    }

    #[test]
    fn orders_with_a_number_of_runs_are_counted_exactly() {
        // Of the six orders of AABB, AABB and BBAA have two runs.
        assert_eq!(arrangements_with(2, 2, 2), 2.0);
        let all: f64 = (1..=9).map(|runs| arrangements_with(runs, 4, 5)).sum();
        assert_eq!(all, choose(9, 4));
        assert_eq!(arrangements_with(1, 3, 0), 1.0);
    }
}
