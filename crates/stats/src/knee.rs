//! What a capacity curve comes to: the most there is, and the knee, the fewest users that get nearly all of it.
//!
//! The most is no parameter of a model: a pool of threads has a corner, which no smooth curve has. So it is the highest
//! mean over three neighbouring steps, one number a start; over starts it has a t interval on the log scale like any other
//! measure. The knee comes from the law fitted to each start, the smooth one ([`crate::usl`]) or the two lines of a pool
//! ([`crate::corner`]), whichever lies nearer; where neither fits, from the steps.

use crate::corner::{self, squares};
use crate::robust::mean;
use crate::summary::{Estimate, estimate};
use crate::usl::{Point, Scale, Usl, fit};

/// The knee is where this share of the most is reached.
pub const NEARLY: f64 = 0.95;
/// Neighbouring steps over which the most is a mean: of one alone the luckiest would be taken.
const STEPS: usize = 3;
/// Halvings until users are known to a millionth of the range.
const HALVINGS: usize = 40;

/// The most of one start, per second: the highest geometric mean over three neighbouring steps.
///
/// `None` with fewer steps, or a rate that is not positive.
pub fn most(points: &[Point]) -> Option<f64> {
    let sorted = sorted(points);
    let means = sorted.windows(STEPS).filter_map(|steps| {
        let logs: Vec<f64> = steps.iter().map(|point| point.rate.ln()).collect();
        mean(&logs)
    });
    let highest = means.reduce(f64::max)?.exp();
    (highest > 0.0 && highest.is_finite()).then_some(highest)
}

/// The knee on a fitted curve: the fewest users at which it reaches [`NEARLY`] of its most among `users` (fewest, most).
///
/// Clamped to these: beyond what was measured no curve is believed.
pub fn on_curve(curve: &Usl, (fewest, most): (f64, f64)) -> f64 {
    let top = curve.peak_users().unwrap_or(most).clamp(fewest, most);
    let wanted = NEARLY * curve.rate(top);
    let (mut below, mut above) = (fewest, top);
    if curve.rate(below) >= wanted {
        return below;
    }
    // It rises up to its peak, and so reaches any rate once.
    for _ in 0..HALVINGS {
        let middle = 0.5 * (below + above);
        if curve.rate(middle) < wanted {
            below = middle;
        } else {
            above = middle;
        }
    }
    above
}

/// Where the knee is read off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The smooth curve.
    Curve,
    /// The two lines of a pool.
    Corner,
    /// The steps themselves: no law fits.
    Steps,
}

/// The law that lies nearer to all points: the corner where its squares are fewer although it has a parameter less. `fits`
/// says whether the smooth one does.
///
/// The knee is about the last twentieth of the most, so a corner that misses its steps by more says nothing of it.
pub fn law(points: &[Point], fits: bool) -> Law {
    let otherwise = if fits { Law::Curve } else { Law::Steps };
    let laws = corner::fit(points).zip(fit(points, Scale::Log));
    match laws {
        Some((corner, smooth))
            if squares(points, |n| corner.rate(n)) < squares(points, |n| smooth.rate(n))
                && misses(points, |n| corner.rate(n)) <= 1.0 - NEARLY =>
        {
            Law::Corner
        }
        _ => otherwise,
    }
}

/// By how much a law misses the steps, each the mean of its points: root mean square of `ln X`.
fn misses(points: &[Point], law: impl Fn(f64) -> f64) -> f64 {
    let sorted = sorted(points);
    let steps = sorted.chunk_by(|a, b| a.users == b.users);
    let offs = steps.filter_map(|step| {
        let offs: Vec<f64> = step
            .iter()
            .map(|point| (point.rate / law(point.users)).ln())
            .collect();
        Some(mean(&offs)?.powi(2))
    });
    mean(&offs.collect::<Vec<f64>>()).map_or(f64::INFINITY, f64::sqrt)
}

/// The knee among the steps of one start, where no curve fits: the fewest users that got [`NEARLY`] of the most.
pub fn among_steps(points: &[Point]) -> Option<f64> {
    let wanted = NEARLY * most(points)?;
    let reached = |point: &&Point| point.rate >= wanted;
    sorted(points).iter().find(reached).map(|point| point.users)
}

/// Users at the knee over starts: the geometric mean with its t interval; of each start's own fit of that law.
pub fn over_starts(starts: &[Vec<Point>], law: Law, confidence: f64) -> Option<Estimate> {
    let knee = |points: &Vec<Point>| match law {
        Law::Steps => among_steps(points),
        // The first line reaches any share of the second at the same share of the way to where they meet.
        Law::Corner => Some(NEARLY * corner::fit(points)?.users()),
        Law::Curve => Some(on_curve(&fit(points, Scale::Log)?, ends(points))),
    };
    let logs: Vec<f64> = starts.iter().filter_map(knee).map(f64::ln).collect();
    estimate(&logs, confidence).map(Estimate::exp)
}

/// The fewest users, and the most.
fn ends(points: &[Point]) -> (f64, f64) {
    let users = points.iter().map(|point| point.users);
    (
        users.clone().fold(f64::INFINITY, f64::min),
        users.fold(0.0, f64::max),
    )
}

fn sorted(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.users.total_cmp(&b.users));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const STEPS: [f64; 12] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
    const TRUTH: Usl = Usl {
        alpha: 0.08,
        beta: 0.0004,
        gamma: 1000.0,
    };

    fn start(mut rate: impl FnMut(f64) -> f64) -> Vec<Point> {
        let point = |users: f64| Point {
            users,
            rate: rate(users),
        };
        STEPS.map(point).to_vec()
    }

    /// Starts of the truth with noise of each slice and of each start.
    fn starts(n: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<Point>> {
        let one = |_| {
            let own: f64 = rng.random_range(-0.03..0.03);
            let mut noise = || (own + rng.random_range(-0.05..0.05)).exp();
            STEPS
                .map(|users| Point {
                    users,
                    rate: TRUTH.rate(users) * noise(),
                })
                .to_vec()
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn of_a_corner_the_most_is_exact_and_the_knee_the_step_at_it() {
        // 20 threads of 1 ms each.
        let pool = start(|users| 1000.0 * users.min(20.0));
        assert!((most(&pool).unwrap() - 20_000.0).abs() < 1e-6);
        assert_eq!(among_steps(&pool), Some(24.0));
        let mut backwards = pool.clone();
        backwards.reverse();
        assert_eq!(
            (most(&backwards), among_steps(&backwards)),
            (most(&pool), Some(24.0))
        );
        assert_eq!(most(&pool[..2]), None);
        assert_eq!(most(&start(|_| 0.0)), None);
    }

    #[test]
    fn the_knee_of_a_curve_is_where_it_reaches_nearly_all_and_within_what_was_measured() {
        let knee = on_curve(&TRUTH, (1.0, 64.0));
        let top = TRUTH.rate(TRUTH.peak_users().unwrap());
        assert!((TRUTH.rate(knee) / top - NEARLY).abs() < 1e-6, "{knee}");
        assert!(knee < TRUTH.peak_users().unwrap());
        // It is still rising at 8: the knee of what was seen.
        let seen = on_curve(&TRUTH, (1.0, 8.0));
        assert!(seen < 8.0 && (TRUTH.rate(seen) / TRUTH.rate(8.0) - NEARLY).abs() < 1e-6);
        assert_eq!(on_curve(&TRUTH, (40.0, 64.0)), 40.0);
    }

    #[test]
    fn the_knee_of_a_pool_is_at_its_threads_and_not_where_a_smooth_law_bends() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        // A full pool answers a little less than its limit where users are about as many as threads: they come at random.
        let shared = |users: f64| {
            if (users / 20.0_f64).ln().abs() < 0.25 {
                0.94
            } else {
                1.0
            }
        };
        let mut pool =
            || start(|users| 48.0 * users.min(20.0) * shared(users) * rng.random_range(0.97..1.03));
        let starts: Vec<Vec<Point>> = (0..5).map(|_| pool()).collect();
        for fits in [true, false] {
            assert_eq!(law(&starts.concat(), fits), Law::Corner);
        }
        let found = over_starts(&starts, Law::Corner, 0.95).unwrap();
        let users = NEARLY * 20.0;
        assert!((found.value / users).ln().abs() < 0.05, "{found:?}");
        let smooth = over_starts(&starts, Law::Curve, 0.95).unwrap();
        assert!(smooth.value > 1.2 * users, "{smooth:?}");
    }

    #[test]
    fn a_curve_that_bends_is_no_corner_and_two_plateaus_are_no_law() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let bent = starts(5, &mut rng).concat();
        assert_eq!((law(&bent, true), law(&bent, false)), (Law::Curve, Law::Steps));
        let twice = start(|users| if users < 16.0 { 2000.0 } else { 6000.0 });
        assert_eq!(law(&twice, false), Law::Steps);
    }

    #[test]
    fn five_starts_have_an_interval_that_holds_the_knee() {
        let truth = on_curve(&TRUTH, (1.0, 64.0));
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let held = (0..200).filter(|_| {
            let found = over_starts(&starts(5, &mut rng), Law::Curve, 0.95).unwrap();
            found.interval.unwrap().contains(truth)
        });
        // 95 % of 200; fewer than 178 have a chance of one in a thousand.
        let held = held.count();
        assert!((178..=199).contains(&held), "{held}");
    }
}
