//! The capacity of an arm over all starts: the highest throughput, the fitted curve, the knee, and what limits the arm beyond it.

use super::{ClimbEnd, JudgedRun, capacity_points, climb_end, first_counted};
use crate::numbers::Numbers;
use ask::experiment::Steps;
use model::measure::Measure;
use model::units::Rate;
use record::finding::Cause;
use record::outcome::{ArmResult, Diagnosis, Estimate};
use record::search::{Capacity, CapacityEnd, Curve, Knee, NoCurve, SearchResult};
use stats::bootstrap::Resampling;
use stats::corner;
use stats::knee::{self, Law};
use stats::summary;
use stats::usl::{self, CapacityPoint, CurveRefusal};

/// Fewest starts for a bootstrap interval (`stats::bootstrap`).
const STARTS: usize = 5;
/// Confidence of intervals that describe an arm.
const CONFIDENCE: f64 = 0.95;

/// Fills in the capacity of each arm; does nothing before the first start that counts.
pub(super) fn fill_in_capacities(steps: Steps, arms: &mut [ArmResult], judged: JudgedRun<'_>) {
    let experiment = &judged.run.experiment;
    let Some(first) = first_counted(judged.rounds) else {
        return;
    };
    let tried = first.levels.last().map_or(0, |level| level.level);
    let tried = experiment.load.connections[tried] as u64;
    let ended = capacity_end(climb_end(steps, experiment, first), tried);
    for (index, arm) in arms.iter_mut().enumerate() {
        let at_top = |level: &Option<u64>| *level == Some(tried);
        let mut limits = arm.diagnoses.iter().filter(|found| at_top(&found.level.users));
        let known = |found: &&Diagnosis| found.cause() != Cause::LimitNotFound;
        let limiter = limits.next().filter(known).map(Diagnosis::cause);
        arm.found = Some(SearchResult::Capacity(Capacity {
            ended: ended.clone(),
            tried,
            limiter,
            ..capacity(judged, index)
        }));
    }
}

/// The capacity of an arm. Why the climb ended and what limits the arm there are left to the caller.
fn capacity(judged: JudgedRun<'_>, arm: usize) -> Capacity {
    let numbers = judged.numbers;
    let points = |start: &Numbers| capacity_points(&judged.run.experiment, &start.levels, arm);
    let starts = numbers.iter().map(points);
    let starts: Vec<Vec<CapacityPoint>> = starts.filter(|points| !points.is_empty()).collect();
    let most = |start: &Numbers| Some(start.value(arm, Measure::Capacity, 0)?.ln());
    let most: Vec<f64> = numbers.iter().filter_map(most).collect();
    let smooth = fit_curve(&starts, judged.run.seed);
    let grows = smooth == Err(CurveRefusal::NotSaturated);
    let law = knee::law(&starts.concat(), smooth.is_ok());
    let knee = knee::over_starts(&starts, law, CONFIDENCE).filter(|_| !grows);
    let curve = match law {
        Law::Corner if !grows => Err(corner_reason(&starts)),
        _ => smooth.map_err(refusal_reason),
    };
    Capacity {
        most: summary::estimate(&most, CONFIDENCE).map(|most| to_model(most.exp())),
        knee: knee.map(|users| Knee {
            users: to_model(users),
            fitted: law == Law::Curve,
            corner: law == Law::Corner,
        }),
        no_curve: curve.as_ref().err().cloned(),
        curve: curve.ok(),
        ended: CapacityEnd::AllTried { tried: 0 },
        tried: 0,
        limiter: None,
    }
}

/// Fits the universal scalability law to the points of all starts, with intervals where there are enough starts.
fn fit_curve(starts: &[Vec<CapacityPoint>], seed: u64) -> Result<Curve, CurveRefusal> {
    let fit = usl::capacity(starts, Resampling::with_seed(seed))?;
    let enough = starts.len() >= STARTS;
    let with = |value: f64, interval| {
        let interval = Some(interval).filter(|_| enough);
        to_model(summary::SampleEstimate { value, interval })
    };
    Ok(Curve {
        gamma: with(fit.usl.gamma, fit.gamma),
        alpha: with(fit.usl.alpha, fit.alpha),
        beta: with(fit.usl.beta, fit.beta),
        peak_users: fit.peak_users.filter(|_| enough).map(to_model),
    })
}

fn to_model(estimate: summary::SampleEstimate) -> Estimate {
    Estimate {
        value: estimate.value,
        low: estimate.interval.map(|ends| ends.low),
        high: estimate.interval.map(|ends| ends.high),
    }
}

fn refusal_reason(refusal: CurveRefusal) -> NoCurve {
    match refusal {
        CurveRefusal::TooFewLevels => NoCurve::TooFewSteps,
        CurveRefusal::NotSaturated => NoCurve::StillGrowing,
        CurveRefusal::LackOfFit { p } => NoCurve::LackOfFit { p },
    }
}

/// The reason for showing no curve where two straight lines fit better.
fn corner_reason(starts: &[Vec<CapacityPoint>]) -> NoCurve {
    NoCurve::Pool { limit: Rate(corner::fit(&starts.concat()).map_or(0.0, |corner| corner.limit)) }
}

/// Why the climb ended, for the report; `tried` is the most users that it tried.
fn capacity_end(end: Option<ClimbEnd>, tried: u64) -> CapacityEnd {
    match end {
        Some(ClimbEnd::Flat) => CapacityEnd::Flat { tried },
        Some(ClimbEnd::Generator(reason)) => CapacityEnd::Generator { tried, reason },
        Some(ClimbEnd::Errors(reason)) => CapacityEnd::Errors { tried, reason },
        Some(ClimbEnd::Top) | None => CapacityEnd::AllTried { tried },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{climb as start, climbing, record};
    use model::load::Load;
    use model::units::{Count, Cpus, Seconds, Share};
    use record::finding::{Ceiling, CpuFull, Finding, PoolFull, Remedy, Slots};
    use record::rounds::RoundRecord;

    fn capacities(rounds: &[RoundRecord]) -> Vec<Capacity> {
        let run = record(climbing());
        let numbers = Numbers::of_rounds(&run.experiment, rounds);
        let mut arms = crate::arm_results::arm_results(&run.experiment, rounds, &numbers, &[]);
        let limits = |users: u64, finding: Finding| Diagnosis {
            finding,
            level: Load { users: Some(users), ..Load::default() },
            explains: None,
            evidence: Vec::new(),
            remedy: Remedy::DumpThreads,
            change: Vec::new(),
            proved: None,
            expected: false,
            by_metrics: false,
        };
        let ceiling = Ceiling {
            rate: Rate(8e3),
            slots: Count(8.0),
            each: Seconds(1e-3),
            in_flight: Count(24.0),
            waiting: Count(16.0),
            busy: Share(0.5),
        };
        let pool = PoolFull { slots_are: Slots::Threads, ceiling, holders: None, kept: None };
        let cpu = CpuFull {
            used: Cpus(1.9),
            cpus: Cpus(2.0),
            shares: None,
            per_request: Seconds(2e-4),
            generator: Cpus(0.1),
            uses: Vec::new(),
        };
        arms[0].diagnoses =
            vec![limits(24, Finding::ThreadPoolLimit(pool)), limits(48, Finding::ServerCpuSaturated(cpu))];
        let judged = JudgedRun { run: &run, rounds, numbers: &numbers };
        fill_in_capacities(Steps::Chosen, &mut arms, judged);
        let found = |arm: ArmResult| match arm.found? {
            SearchResult::Capacity(capacity) => Some(capacity),
            SearchResult::MaxRate(_) => None,
        };
        arms.into_iter().filter_map(found).collect()
    }

    #[test]
    fn a_pool_of_threads_has_a_highest_throughput_and_a_knee_but_no_curve() {
        let rounds: Vec<RoundRecord> = (1..=6).map(|n| start(n, [8, 12], 11)).collect();
        let found = capacities(&rounds);
        assert_eq!(found.len(), 2);
        let pool = &found[0];
        assert!((pool.most.expect("a value").value - 8_000.0).abs() < 1e-6);
        assert!(pool.curve.is_none() && pool.no_curve.is_some(), "{pool:?}");
        let knee = pool.knee.expect("a knee");
        // The lines meet at the pool's 8 threads.
        assert!((knee.users.value - 0.95 * 8.0).abs() < 1e-6 && knee.corner && !knee.fitted);
        assert_eq!((pool.tried, pool.limiter), (48, Some(Cause::ServerCpuSaturated)));
        assert_eq!(pool.ended, CapacityEnd::Flat { tried: 48 });
        assert_eq!(found[1].limiter, None);
    }

    #[test]
    fn throughput_that_still_grows_has_no_knee() {
        let rounds: Vec<RoundRecord> = (1..=5).map(|n| start(n, [1000, 1000], 12)).collect();
        let found = &capacities(&rounds)[1];
        assert_eq!(found.knee, None);
        assert_eq!(found.no_curve, Some(NoCurve::StillGrowing));
        assert_eq!(found.ended, CapacityEnd::AllTried { tried: 64 });
    }
}
