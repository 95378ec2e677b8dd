//! The results of a capacity measurement: the highest throughput, and the knee, which is the smallest number of
//! users that gets nearly all of it.
//!
//! The highest throughput is not taken from a model, because a pool of threads has a corner that no smooth curve
//! has. It is the mean over the three neighbouring steps that are highest, one number per start; over starts it has a t
//! interval on the log scale like any other measure. Which steps these are is chosen by the other starts
//! ([`highest_throughputs`]), because the maximum of noisy numbers is too high. The knee of each start comes from a fitted law: the smooth
//! one ([`crate::usl`]) or the two lines of a pool ([`crate::corner`]), whichever lies nearer to the points. Where
//! neither fits, the knee is one of the measured steps.

use crate::corner;
use crate::robust::mean;
use crate::summary::{SampleEstimate, estimate};
use crate::usl::{CapacityPoint, ResidualScale, Usl, fit};
use std::ops::RangeInclusive;

/// The knee is where throughput reaches this share of the highest throughput.
pub const KNEE_SHARE: f64 = 0.95;
/// The highest throughput is a mean over this many neighbouring steps. Over a single step it would be the luckiest
/// one.
const AVERAGED_STEPS: usize = 3;
/// Bisections after which the knee is known to better than a millionth of the range of users.
const BISECTIONS: usize = 40;

/// Three neighbouring steps of one start.
struct Place {
    /// Their numbers of users, rising.
    users: [f64; AVERAGED_STEPS],
    /// The mean logarithm of their rates per second.
    log: f64,
}

/// All places of a start, in the order of rising numbers of users; none with fewer than three steps.
fn places(points: &[CapacityPoint]) -> Vec<Place> {
    let sorted = sorted(points);
    let place = |steps: &[CapacityPoint]| Place {
        users: std::array::from_fn(|step| steps[step].users),
        log: steps.iter().map(|point| point.rate.ln()).sum::<f64>() / AVERAGED_STEPS as f64,
    };
    sorted.windows(AVERAGED_STEPS).map(place).collect()
}

/// The rate with this logarithm; `None` unless it is positive.
fn positive_rate(log: f64) -> Option<f64> {
    Some(log.exp()).filter(|rate| *rate > 0.0 && rate.is_finite())
}

/// The highest throughput of one start alone, per second: the highest geometric mean over three neighbouring steps. As the
/// maximum of noisy numbers it is too high: on a plateau of nine steps by 1.9, 3.8 and 6.4 % where steps vary by 3, 6 and 10 %.
///
/// `None` with fewer than three steps or a rate that is not positive.
pub fn highest_throughput(points: &[CapacityPoint]) -> Option<f64> {
    positive_rate(places(points).into_iter().map(|place| place.log).reduce(f64::max)?)
}

/// The highest throughput of each start, per second, in the order of the starts. The three neighbouring steps at which the other
/// starts were highest on average are the place, and this start says how high its throughput is there (cross-fitting, as in
/// Chernozhukov et al., *Double/debiased machine learning*, Econometrics Journal 2018). The noise of a start has no part in the choice of
/// its place, so it is as often too low as too high; what is left is that a place beside the highest may be chosen. Simulated with five
/// starts and steps that vary by 3, 6 and 10 %, the result is off by less than 0.5 % (with two starts, by 1.3 % at worst).
///
/// A start whose places no other start has visited, as the only one of a run, gets the result of [`highest_throughput`].
pub fn highest_throughputs(starts: &[Vec<CapacityPoint>]) -> Vec<Option<f64>> {
    let all: Vec<Vec<Place>> = starts.iter().map(|points| places(points)).collect();
    let of_start = |(start, points): (usize, &Vec<CapacityPoint>)| {
        let others = || all.iter().enumerate().filter(move |(other, _)| *other != start);
        let height = |place: &Place| {
            let here = others().flat_map(|(_, places)| places).filter(|other| other.users == place.users);
            mean(&here.map(|other| other.log).collect::<Vec<f64>>())
        };
        let heights: Vec<Option<f64>> = all[start].iter().map(height).collect();
        let chosen = highest_ground(&heights).map(|place| all[start][place].log);
        chosen.map_or_else(|| highest_throughput(points), positive_rate)
    };
    starts.iter().enumerate().map(of_start).collect()
}

/// The place that is highest together with its neighbours: a single place may be the luckiest, and throughput hardly changes from one
/// place to the next where it is highest.
fn highest_ground(heights: &[Option<f64>]) -> Option<usize> {
    let around = |place: usize| {
        heights[place]?;
        let near = &heights[place.saturating_sub(1)..heights.len().min(place + 2)];
        mean(&near.iter().copied().flatten().collect::<Vec<f64>>())
    };
    let grounds = (0..heights.len()).filter_map(|place| Some((place, around(place)?)));
    let highest = grounds.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some(highest.0)
}

/// The knee of a fitted curve: the smallest number of users at which it reaches [`KNEE_SHARE`] of its highest
/// throughput within `measured`, the range of users that were measured.
///
/// The result lies within that range, because a curve is not trusted beyond the measured points.
pub fn knee_of_curve(curve: &Usl, measured: RangeInclusive<f64>) -> f64 {
    let (fewest, most) = measured.into_inner();
    let top = curve.peak_users().unwrap_or(most).clamp(fewest, most);
    let wanted = KNEE_SHARE * curve.rate(top);
    let (mut below, mut above) = (fewest, top);
    if curve.rate(below) >= wanted {
        return below;
    }
    // The curve rises up to its peak, so it reaches the wanted rate exactly once in this range.
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (below + above);
        if curve.rate(middle) < wanted {
            below = middle;
        } else {
            above = middle;
        }
    }
    above
}

/// What the knee is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The smooth curve of [`crate::usl`].
    Curve,
    /// The two lines of a pool, [`crate::corner`].
    Corner,
    /// The measured steps, because no law fits.
    Steps,
}

/// Chooses the law for points of all starts together. `fits` says whether the smooth curve fits them; if it does
/// not, the alternative to the corner is [`Law::Steps`].
///
/// The corner is chosen when its sum of squares is smaller, although it has one parameter less than the curve, and
/// when it describes the steps well enough: throughput at the knee differs from the highest by 5 % only, so a
/// corner that misses the steps by more cannot locate it.
pub fn law(points: &[CapacityPoint], fits: bool) -> Law {
    let alternative = if fits { Law::Curve } else { Law::Steps };
    let Some((corner, smooth)) = corner::fit(points).zip(fit(points, ResidualScale::Log)) else {
        return alternative;
    };
    let is_nearer = corner::sum_of_squares(points, |n| corner.rate(n))
        < corner::sum_of_squares(points, |n| smooth.rate(n));
    if is_nearer && rms_error_of_steps(points, |n| corner.rate(n)) <= 1.0 - KNEE_SHARE {
        Law::Corner
    } else {
        alternative
    }
}

/// The root mean square, over the steps, of the difference in `ln X` between a law and the mean of a step's points.
fn rms_error_of_steps(points: &[CapacityPoint], law: impl Fn(f64) -> f64) -> f64 {
    let sorted = sorted(points);
    let steps = sorted.chunk_by(|a, b| a.users == b.users);
    let squared_errors = steps.filter_map(|step| {
        let errors: Vec<f64> = step.iter().map(|point| (point.rate / law(point.users)).ln()).collect();
        Some(mean(&errors)?.powi(2))
    });
    mean(&squared_errors.collect::<Vec<f64>>()).map_or(f64::INFINITY, f64::sqrt)
}

/// The knee of one start where no law fits: the measured step with the fewest users that reached [`KNEE_SHARE`] of
/// its `highest` throughput.
fn knee_among_steps(points: &[CapacityPoint], highest: f64) -> Option<f64> {
    let wanted = KNEE_SHARE * highest;
    let reaches_it = |point: &&CapacityPoint| point.rate >= wanted;
    sorted(points).iter().find(reaches_it).map(|point| point.users)
}

/// The number of users at the knee: the geometric mean over starts with its t interval. `law` is fitted to each
/// start separately; starts that cannot be fitted are left out. `None` when no start is left.
pub fn over_starts(starts: &[Vec<CapacityPoint>], law: Law, confidence: f64) -> Option<SampleEstimate> {
    let highest = highest_throughputs(starts);
    let knee = |(points, highest): (&Vec<CapacityPoint>, Option<f64>)| match law {
        Law::Steps => knee_among_steps(points, highest?),
        // The rising line goes through the origin: at a share of the corner's users it is at this share of its limit.
        Law::Corner => Some(KNEE_SHARE * corner::fit(points)?.users()),
        Law::Curve => {
            let curve = fit(points, ResidualScale::Log)?;
            Some(knee_of_curve(&curve, range_of_users(points)))
        }
    };
    let knees = starts.iter().zip(highest).filter_map(knee);
    let logs: Vec<f64> = knees.map(f64::ln).collect();
    estimate(&logs, confidence).map(SampleEstimate::exp)
}

/// The range from the smallest to the largest number of users.
fn range_of_users(points: &[CapacityPoint]) -> RangeInclusive<f64> {
    let users = points.iter().map(|point| point.users);
    users.clone().fold(f64::INFINITY, f64::min)..=users.fold(0.0, f64::max)
}

/// The points in the order of rising numbers of users.
fn sorted(points: &[CapacityPoint]) -> Vec<CapacityPoint> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.users.total_cmp(&b.users));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const USERS: [f64; 12] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
    const TRUTH: Usl = Usl { alpha: 0.08, beta: 0.0004, gamma: 1000.0 };

    /// The points of one start whose throughput is `rate` of the number of users.
    fn start(mut rate: impl FnMut(f64) -> f64) -> Vec<CapacityPoint> {
        let point = |users: f64| CapacityPoint { users, rate: rate(users) };
        USERS.map(point).to_vec()
    }

    /// Starts of [`TRUTH`] with noise common to a start and noise of each step.
    fn starts(n: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<CapacityPoint>> {
        let one = |_| {
            let noise_of_start: f64 = rng.random_range(-0.03..0.03);
            let mut noise = || (noise_of_start + rng.random_range(-0.05..0.05)).exp();
            USERS.map(|users| CapacityPoint { users, rate: TRUTH.rate(users) * noise() }).to_vec()
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn the_highest_throughput_of_a_pool_is_exact_and_its_knee_is_the_first_step_at_it() {
        // 20 threads, 1 ms per request.
        let pool = start(|users| 1000.0 * users.min(20.0));
        let highest = highest_throughput(&pool).unwrap();
        assert!((highest - 20_000.0).abs() < 1e-6);
        assert_eq!(knee_among_steps(&pool, highest), Some(24.0));
        let mut backwards = pool.clone();
        backwards.reverse();
        assert_eq!(highest_throughput(&backwards), Some(highest));
        assert_eq!(knee_among_steps(&backwards, highest), Some(24.0));
        assert_eq!(highest_throughput(&pool[..2]), None);
        assert_eq!(highest_throughput(&start(|_| 0.0)), None);
    }

    #[test]
    fn the_place_of_the_highest_throughput_is_chosen_by_the_other_starts() {
        let flat = |lucky: f64| start(|users| if users == lucky { 1300.0 } else { 1000.0 });
        // Each start is lucky somewhere else. The first two send the third to where both are: it is not lucky there.
        let starts = [flat(8.0), flat(8.0), flat(32.0)];
        let third = highest_throughputs(&starts)[2].expect("a rate");
        assert!((third - 1000.0).abs() < 1e-9, "{third}");
        assert_eq!(highest_throughputs(&starts[..1]), [highest_throughput(&starts[0])]);
        // A start that ended early goes where it has been.
        let short = [starts[0].clone(), flat(48.0)[..3].to_vec()];
        assert!(highest_throughputs(&short).iter().all(Option::is_some));
        assert_eq!(highest_throughputs(&[starts[0].clone(), Vec::new()])[1], None);
    }

    /// How much the mean result over starts exceeds the truth, as a share, for starts of a throughput `rate` that have `noise`
    /// (standard deviation of the logarithm) at each step and spread by 2 %.
    fn bias(
        rate: impl Fn(f64) -> f64,
        noise: f64,
        of: impl Fn(&[Vec<CapacityPoint>]) -> Vec<Option<f64>>,
    ) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        // The sum of twelve uniform numbers is nearly normal, with variance 1.
        let mut normal = move || (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
        let truth = highest_throughput(&climb(&rate)).expect("a rate");
        let mut logs = Vec::new();
        for _ in 0..1000 {
            let starts: Vec<Vec<CapacityPoint>> = (0..5)
                .map(|_| {
                    let luck = 0.02 * normal();
                    climb(|users| rate(users) * (luck + noise * normal()).exp())
                })
                .collect();
            logs.extend(of(&starts).into_iter().flatten().map(|found| (found / truth).ln()));
        }
        mean(&logs).expect("starts")
    }

    /// A start with the steps of a climb.
    fn climb(mut rate: impl FnMut(f64) -> f64) -> Vec<CapacityPoint> {
        let steps = USERS.into_iter().chain([96.0, 128.0, 192.0]);
        let point = |users: f64| CapacityPoint { users, rate: rate(users) };
        steps.map(point).collect()
    }

    #[test]
    fn noise_of_the_steps_does_not_make_the_highest_throughput_higher() {
        let pool = |users: f64| 1000.0 * users.min(10.0);
        let alone =
            |starts: &[Vec<CapacityPoint>]| starts.iter().map(|start| highest_throughput(start)).collect();
        for noise in [0.03, 0.06, 0.10] {
            let maximum = bias(pool, noise, alone);
            let fitted =
                [bias(pool, noise, highest_throughputs), bias(|n| TRUTH.rate(n), noise, highest_throughputs)];
            println!("noise {noise}: maximum {maximum:.4}, pool and curve {fitted:.4?}");
            assert!(maximum > 0.25 * noise, "{maximum}");
            assert!(fitted.iter().all(|bias| bias.abs() < 0.005), "{fitted:?}");
        }
    }

    #[test]
    fn the_knee_of_a_curve_reaches_95_percent_of_its_highest_measured_throughput() {
        let knee = knee_of_curve(&TRUTH, 1.0..=64.0);
        let top = TRUTH.rate(TRUTH.peak_users().unwrap());
        assert!((TRUTH.rate(knee) / top - KNEE_SHARE).abs() < 1e-6, "{knee}");
        assert!(knee < TRUTH.peak_users().unwrap());
        // At 8 users the curve still rises: the knee is in the measured part.
        let below_8 = knee_of_curve(&TRUTH, 1.0..=8.0);
        assert!(below_8 < 8.0 && (TRUTH.rate(below_8) / TRUTH.rate(8.0) - KNEE_SHARE).abs() < 1e-6);
        assert_eq!(knee_of_curve(&TRUTH, 40.0..=64.0), 40.0);
    }

    #[test]
    fn the_knee_of_a_pool_is_at_its_threads_and_not_where_a_smooth_law_bends() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        // With about as many users as threads, requests arrive at random and leave some threads idle.
        let utilisation = |users: f64| {
            if (users / 20.0_f64).ln().abs() < 0.25 { 0.94 } else { 1.0 }
        };
        let mut pool =
            || start(|users| 48.0 * users.min(20.0) * utilisation(users) * rng.random_range(0.97..1.03));
        let starts: Vec<Vec<CapacityPoint>> = (0..5).map(|_| pool()).collect();
        for fits in [true, false] {
            assert_eq!(law(&starts.concat(), fits), Law::Corner);
        }
        let knee = over_starts(&starts, Law::Corner, 0.95).unwrap();
        let users = KNEE_SHARE * 20.0;
        assert!((knee.value / users).ln().abs() < 0.05, "{knee:?}");
        let smooth = over_starts(&starts, Law::Curve, 0.95).unwrap();
        assert!(smooth.value > 1.2 * users, "{smooth:?}");
    }

    #[test]
    fn a_bent_curve_is_not_taken_for_a_corner_and_two_plateaus_fit_no_law() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let bent = starts(5, &mut rng).concat();
        assert_eq!((law(&bent, true), law(&bent, false)), (Law::Curve, Law::Steps));
        let plateaus = start(|users| if users < 16.0 { 2000.0 } else { 6000.0 });
        assert_eq!(law(&plateaus, false), Law::Steps);
    }

    #[test]
    fn the_interval_of_five_starts_covers_the_true_knee_as_often_as_it_promises() {
        let truth = knee_of_curve(&TRUTH, 1.0..=64.0);
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let covering = (0..200).filter(|_| {
            let knee = over_starts(&starts(5, &mut rng), Law::Curve, 0.95).unwrap();
            knee.interval.unwrap().contains(truth)
        });
        // 190 of 200 are expected; fewer than 178 have a probability of one in a thousand.
        let covering = covering.count();
        assert!((178..=199).contains(&covering), "{covering}");
    }
}
