//! What all starts say of an arm's capacity: the most, the curve, the knee, and what limits beyond it.

use super::{Ended, climb, ended, points};
use crate::numbers::Numbers;
use model::cause::Cause;
use model::experiment::Experiment;
use model::found::{Capacity, Curve, Found, Knee};
use model::measure::Measure;
use model::outcome::{ArmResult, Diagnosis, Estimate};
use model::record::{RoundRecord, RunRecord};
use stats::bootstrap::Resampling;
use stats::corner;
use stats::knee::{self, Law};
use stats::summary;
use stats::usl::{self, Point, Refusal};

/// Starts below which drawing them again says nothing (stats::bootstrap).
const STARTS: usize = 5;
/// Confidence of what describes an arm.
const CONFIDENCE: f64 = 0.95;

/// Fills in what was found of each arm; nothing before a start that counts.
pub(crate) fn fill(arms: &mut [ArmResult], run: &RunRecord, rounds: &[RoundRecord], numbers: &[Numbers]) {
    let experiment = &run.experiment;
    let Some(first) = climb(rounds).filter(|_| experiment.design.climbs()) else {
        return;
    };
    let tried = first.levels.last().map_or(0, |level| level.level);
    let tried = experiment.load.connections[tried] as u64;
    let ended = why_ended(ended(experiment, first), tried);
    for (index, arm) in arms.iter_mut().enumerate() {
        let at_top = |level: &Option<u64>| *level == Some(tried);
        let mut limits = arm.diagnoses.iter().filter(|found| at_top(&found.level.users));
        let known = |found: &&Diagnosis| found.cause != Cause::LimitNotFound.id();
        let limiter = limits.next().filter(known).map(|found| found.cause.clone());
        arm.found = Some(Found::Capacity(Capacity {
            ended: ended.clone(),
            tried,
            limiter,
            ..of_arm(experiment, (numbers, index), run.seed)
        }));
    }
}

fn of_arm(experiment: &Experiment, (numbers, arm): (&[Numbers], usize), seed: u64) -> Capacity {
    let starts = numbers.iter().map(|start| points(experiment, &start.levels, arm));
    let starts: Vec<Vec<Point>> = starts.filter(|points| !points.is_empty()).collect();
    let most = |start: &Numbers| Some(start.value(arm, Measure::Capacity, 0)?.ln());
    let most: Vec<f64> = numbers.iter().filter_map(most).collect();
    let smooth = curve(&starts, seed);
    let grows = smooth == Err(Refusal::NotSaturated);
    let law = knee::law(&starts.concat(), smooth.is_ok());
    let knee = knee::over_starts(&starts, law, CONFIDENCE).filter(|_| !grows);
    let curve = match law {
        Law::Corner if !grows => Err(why_corner(&starts)),
        _ => smooth.map_err(why_none),
    };
    Capacity {
        most: summary::estimate(&most, CONFIDENCE).map(|most| shown(most.exp())),
        knee: knee.map(|users| Knee {
            users: shown(users),
            fitted: law == Law::Curve,
            corner: law == Law::Corner,
        }),
        no_curve: curve.as_ref().err().cloned(),
        curve: curve.ok(),
        ended: String::new(),
        tried: 0,
        limiter: None,
    }
}

fn curve(starts: &[Vec<Point>], seed: u64) -> Result<Curve, Refusal> {
    let found = usl::capacity(starts, Resampling::with_seed(seed))?;
    let enough = starts.len() >= STARTS;
    let with = |value: f64, interval| {
        let interval = Some(interval).filter(|_| enough);
        shown(summary::Estimate { value, interval })
    };
    Ok(Curve {
        gamma: with(found.usl.gamma, found.gamma),
        alpha: with(found.usl.alpha, found.alpha),
        beta: with(found.usl.beta, found.beta),
        peak_users: found.peak_users.filter(|_| enough).map(shown),
    })
}

fn shown(estimate: summary::Estimate) -> Estimate {
    Estimate {
        value: estimate.value,
        low: estimate.interval.map(|ends| ends.low),
        high: estimate.interval.map(|ends| ends.high),
    }
}

fn why_none(refusal: Refusal) -> String {
    match refusal {
        Refusal::TooFewLevels => "fewer than six numbers of users counted".to_owned(),
        Refusal::NotSaturated => "throughput was still growing with the most users".to_owned(),
        Refusal::LackOfFit { p } => {
            format!("the steps lie off any such curve: so few runs of residuals have a chance of {p:.1e}")
        }
    }
}

fn why_corner(starts: &[Vec<Point>]) -> String {
    let limit = corner::fit(&starts.concat()).map_or(0.0, |corner| corner.limit);
    format!(
        "two straight lines lie nearer: throughput in proportion to users up to {limit:.0}/s, as of a pool that is then full"
    )
}

fn why_ended(ended: Option<Ended>, tried: u64) -> String {
    match ended {
        Some(Ended::Flat) => format!("up to {tried} users were tried: more of them brought no more"),
        Some(Ended::Generator(why)) => format!("{tried} users were too many for the generator: {why}"),
        Some(Ended::Errors(why)) => format!("at {tried} users errors began: {why}"),
        Some(Ended::Top) | None => format!("{tried} users are the most that were asked for"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{climbing, start};
    use super::*;
    use crate::testing::record;
    use model::outcome::Load;

    fn of(rounds: &[RoundRecord]) -> Vec<Capacity> {
        let run = record(climbing());
        let numbers = Numbers::of_all(&run.experiment, rounds);
        let mut arms = crate::findings::arms(&run.experiment, rounds, &numbers, &[]);
        let limits = |users: u64, cause: &str| Diagnosis {
            cause: cause.to_owned(),
            level: Load {
                users: Some(users),
                rate: None,
            },
            says: String::new(),
            evidence: Vec::new(),
            r#try: String::new(),
            change: Vec::new(),
            proved: None,
            expected: false,
        };
        arms[0].diagnoses = vec![
            limits(24, "thread-pool-limit"),
            limits(48, "server-cpu-saturated"),
        ];
        fill(&mut arms, &run, rounds, &numbers);
        let found = |arm: ArmResult| match arm.found? {
            Found::Capacity(capacity) => Some(capacity),
            Found::MaxRate(_) => None,
        };
        arms.into_iter().filter_map(found).collect()
    }

    #[test]
    fn a_pool_of_threads_has_its_most_and_its_knee_without_a_curve() {
        let rounds: Vec<RoundRecord> = (1..=6).map(|n| start(n, [8, 12], 11)).collect();
        let found = of(&rounds);
        assert_eq!(found.len(), 2);
        let pool = &found[0];
        assert!((pool.most.expect("a value").value - 8_000.0).abs() < 1e-6);
        assert!(pool.curve.is_none() && pool.no_curve.is_some(), "{pool:?}");
        let knee = pool.knee.expect("a knee");
        // The lines meet at the pool's 8 threads.
        assert!((knee.users.value - 0.95 * 8.0).abs() < 1e-6 && knee.corner && !knee.fitted);
        assert_eq!(
            (pool.tried, pool.limiter.as_deref()),
            (48, Some("server-cpu-saturated"))
        );
        assert_eq!(
            pool.ended,
            "up to 48 users were tried: more of them brought no more"
        );
        assert_eq!(found[1].limiter, None);
    }

    #[test]
    fn what_still_grows_has_no_knee() {
        let rounds: Vec<RoundRecord> = (1..=5).map(|n| start(n, [1000, 1000], 12)).collect();
        let found = &of(&rounds)[1];
        assert_eq!(found.knee, None);
        assert!(found.no_curve.as_ref().expect("why").contains("still growing"));
        assert_eq!(found.ended, "64 users are the most that were asked for");
    }
}
