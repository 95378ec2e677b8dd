//! The corner of a pool: throughput in proportion to users until something of which there is a fixed number is taken.
//!
//! `X(N) = min(gamma N, limit)`: the asymptotic bounds of a closed network of queues (Denning, Buzen, *The Operational
//! Analysis of Queueing Network Models*, Computing Surveys 1978; Lazowska et al., *Quantitative System Performance*, 1984,
//! chapter 5). Where requests wait rather than compute (a pool of threads and a slow backend) throughput keeps close to both
//! lines, and a smooth law, [`crate::usl`], bends far too late.

use crate::robust::mean;
use crate::usl::Point;

/// Two straight lines that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// What each user gets before, per second.
    pub gamma: f64,
    /// What all get together after, per second.
    pub limit: f64,
}

impl Corner {
    /// `X(N)`, per second.
    pub fn rate(&self, users: f64) -> f64 {
        (self.gamma * users).min(self.limit)
    }

    /// Where the lines meet: the saturation point, `N*`.
    pub fn users(&self) -> f64 {
        self.limit / self.gamma
    }
}

/// The least-squares fit of `ln X`; `None` with fewer than three distinct numbers of users or a point that is not positive.
///
/// Points on either side of the corner give their own line's height as a mean, so all ways to part them are tried.
pub fn fit(points: &[Point]) -> Option<Corner> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if !points.iter().all(|p| positive(p.users) && positive(p.rate)) {
        return None;
    }
    let mut users: Vec<f64> = points.iter().map(|point| point.users).collect();
    users.sort_by(f64::total_cmp);
    users.dedup();
    let parted = users.windows(2).filter_map(|pair| parted_after(points, pair[0]));
    parted
        .filter(|_| users.len() > 2)
        .min_by(|a, b| squares(points, |n| a.rate(n)).total_cmp(&squares(points, |n| b.rate(n))))
}

/// The two lines where those with so many users at most lie on the first.
fn parted_after(points: &[Point], last: f64) -> Option<Corner> {
    let height = |below: bool, of: fn(&Point) -> f64| {
        let own = points.iter().filter(|point| (point.users <= last) == below);
        Some(mean(&own.map(of).collect::<Vec<f64>>())?.exp())
    };
    Some(Corner {
        gamma: height(true, |point| (point.rate / point.users).ln())?,
        limit: height(false, |point| point.rate.ln())?,
    })
}

/// Sum of squares of what `ln X` misses a law by.
pub fn squares(points: &[Point], law: impl Fn(f64) -> f64) -> f64 {
    let off = |point: &Point| (point.rate / law(point.users)).ln().powi(2);
    points.iter().map(off).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usl;
    use proptest::prelude::*;

    const USERS: [f64; 12] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];

    fn of(law: impl Fn(f64) -> f64) -> Vec<Point> {
        let point = |users: f64| Point {
            users,
            rate: law(users),
        };
        USERS.map(point).to_vec()
    }

    proptest! {
        #[test]
        fn a_pool_is_found_again_whatever_its_size(threads in 2.0..40.0_f64, gamma in 0.1..1e4_f64) {
            let truth = Corner { gamma, limit: gamma * threads };
            let found = fit(&of(|users| truth.rate(users))).expect("a fit");
            prop_assert!((found.users() / threads - 1.0).abs() < 1e-9, "{found:?}");
            prop_assert!((found.limit / truth.limit - 1.0).abs() < 1e-9);
        }

        #[test]
        fn units_change_nothing_and_scatter_moves_it_no_more_than_itself(
            scatter in prop::collection::vec(-0.05..0.05_f64, 12), unit in 1e-3..1e3_f64,
        ) {
            let mut points = of(|users| 50.0 * users.min(20.0));
            for (point, off) in points.iter_mut().zip(&scatter) {
                point.rate *= off.exp();
            }
            let found = fit(&points).expect("a fit");
            points.iter_mut().for_each(|point| point.rate *= unit);
            let scaled = fit(&points).expect("a fit");
            prop_assert!((scaled.users() / found.users() - 1.0).abs() < 1e-9);
            prop_assert!((found.users() / 20.0).ln().abs() < 0.1, "{found:?}");
        }
    }

    #[test]
    fn a_pool_lies_nearer_to_its_corner_and_contention_nearer_to_the_smooth_law() {
        let nearer_to_corner = |points: &[Point]| {
            let (corner, smooth) = (fit(points).unwrap(), usl::fit(points, usl::Scale::Log).unwrap());
            squares(points, |n| corner.rate(n)) < squares(points, |n| smooth.rate(n))
        };
        assert!(nearer_to_corner(&of(|users| 50.0 * users.min(20.0))));
        let law = usl::Usl {
            alpha: 0.08,
            beta: 0.0004,
            gamma: 1000.0,
        };
        assert!(!nearer_to_corner(&of(|users| law.rate(users))));
    }

    #[test]
    fn there_is_none_without_points_or_right_answers() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&of(|users| users)[..2]), None);
        assert_eq!(fit(&of(|_| 0.0)), None);
    }
}
