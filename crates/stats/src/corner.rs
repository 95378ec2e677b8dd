//! The throughput law of a fixed pool: throughput grows in proportion to the number of users until the pool is
//! exhausted, and is constant beyond.
//!
//! `X(N) = min(gamma N, limit)`: the asymptotic bounds of a closed network of queues (Denning, Buzen, *The
//! Operational Analysis of Queueing Network Models*, Computing Surveys 1978; Lazowska et al., *Quantitative
//! System Performance*, 1984, chapter 5). Where requests wait rather than compute, as with a pool of threads and
//! a slow backend, throughput stays close to both lines. The smooth law ([`crate::usl`]) then bends far too
//! late.

use crate::robust::mean;
use crate::usl::CapacityPoint;

/// A fitted pool law: a line through the origin and a horizontal line, which meet in a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Throughput of each user below the corner, per second.
    pub gamma: f64,
    /// Throughput of all users together beyond the corner, per second.
    pub limit: f64,
}

impl Corner {
    /// The throughput `X(N)` of this many users, per second.
    pub fn rate(&self, users: f64) -> f64 {
        (self.gamma * users).min(self.limit)
    }

    /// The number of users at the corner, the saturation point `N*`.
    pub fn users(&self) -> f64 {
        self.limit / self.gamma
    }
}

/// The least-squares fit of `ln X`; `None` with fewer than three distinct numbers of users or with a point that
/// is not positive.
///
/// Once it is known which points lie below the corner, each line is a mean over its points. So every split of
/// the points by number of users is tried.
pub fn fit(points: &[CapacityPoint]) -> Option<Corner> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if !points.iter().all(|p| positive(p.users) && positive(p.rate)) {
        return None;
    }
    let mut users: Vec<f64> = points.iter().map(|point| point.users).collect();
    users.sort_by(f64::total_cmp);
    users.dedup();
    let candidates = users.windows(2).filter_map(|pair| split_after(points, pair[0]));
    let cost = |corner: &Corner| sum_of_squares(points, |n| corner.rate(n));
    candidates.filter(|_| users.len() > 2).min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

/// The fit in which the points with at most `last` users lie on the rising line and the others on the horizontal
/// one.
fn split_after(points: &[CapacityPoint], last: f64) -> Option<Corner> {
    let geometric_mean = |below: bool, ln_height: fn(&CapacityPoint) -> f64| {
        let side = points.iter().filter(|point| (point.users <= last) == below);
        Some(mean(&side.map(ln_height).collect::<Vec<f64>>())?.exp())
    };
    Some(Corner {
        gamma: geometric_mean(true, |point| (point.rate / point.users).ln())?,
        limit: geometric_mean(false, |point| point.rate.ln())?,
    })
}

/// The sum of squared differences between `ln X` of the points and of a law (throughput by number of users).
pub fn sum_of_squares(points: &[CapacityPoint], law: impl Fn(f64) -> f64) -> f64 {
    let squared_residual = |point: &CapacityPoint| (point.rate / law(point.users)).ln().powi(2);
    points.iter().map(squared_residual).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usl::{self, ResidualScale};
    use proptest::prelude::*;

    const USERS: [f64; 12] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];

    /// Points without noise that lie exactly on `law`.
    fn points_on(law: impl Fn(f64) -> f64) -> Vec<CapacityPoint> {
        let point = |users: f64| CapacityPoint { users, rate: law(users) };
        USERS.map(point).to_vec()
    }

    proptest! {
        #[test]
        fn a_pool_without_noise_is_recovered_exactly(threads in 2.0..40.0_f64, gamma in 0.1..1e4_f64) {
            let truth = Corner { gamma, limit: gamma * threads };
            let fitted = fit(&points_on(|users| truth.rate(users))).expect("a fit");
            prop_assert!((fitted.users() / threads - 1.0).abs() < 1e-9, "{fitted:?}");
            prop_assert!((fitted.limit / truth.limit - 1.0).abs() < 1e-9);
        }

        #[test]
        fn the_corner_does_not_depend_on_the_unit_and_moves_little_with_noise(
            scatter in prop::collection::vec(-0.05..0.05_f64, 12), unit in 1e-3..1e3_f64,
        ) {
            let mut points = points_on(|users| 50.0 * users.min(20.0));
            for (point, off) in points.iter_mut().zip(&scatter) {
                point.rate *= off.exp();
            }
            let fitted = fit(&points).expect("a fit");
            points.iter_mut().for_each(|point| point.rate *= unit);
            let scaled = fit(&points).expect("a fit");
            prop_assert!((scaled.users() / fitted.users() - 1.0).abs() < 1e-9);
            prop_assert!((fitted.users() / 20.0).ln().abs() < 0.1, "{fitted:?}");
        }
    }

    #[test]
    fn a_pool_lies_nearer_to_its_corner_and_contention_nearer_to_the_smooth_law() {
        let nearer_to_corner = |points: &[CapacityPoint]| {
            let corner = fit(points).unwrap();
            let smooth = usl::fit(points, ResidualScale::Log).unwrap();
            sum_of_squares(points, |n| corner.rate(n)) < sum_of_squares(points, |n| smooth.rate(n))
        };
        assert!(nearer_to_corner(&points_on(|users| 50.0 * users.min(20.0))));
        let law = usl::Usl { alpha: 0.08, beta: 0.0004, gamma: 1000.0 };
        assert!(!nearer_to_corner(&points_on(|users| law.rate(users))));
    }

    #[test]
    fn too_few_points_or_rates_of_zero_give_no_fit() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&points_on(|users| users)[..2]), None);
        assert_eq!(fit(&points_on(|_| 0.0)), None);
    }
}
