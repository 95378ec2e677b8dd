//! What all starts say of an arm's capacity: the most, the curve, the knee, and what limits beyond it.

use super::{Ended, Judged, climb, ended, points};
use crate::numbers::Numbers;
use model::experiment::Steps;
use model::finding::Cause;
use model::measure::Measure;
use model::outcome::{ArmResult, Diagnosis, Estimate};
use model::search::{Capacity, CapacityEnd, Curve, Knee, NoCurve, SearchResult};
use stats::bootstrap::Resampling;
use stats::corner;
use stats::knee::{self, Law};
use stats::summary;
use stats::usl::{self, CapacityPoint, CurveRefusal};

/// Starts below which drawing them again says nothing (stats::bootstrap).
const STARTS: usize = 5;
/// Confidence of what describes an arm.
const CONFIDENCE: f64 = 0.95;

/// Fills in what was found of each arm; nothing before a start that counts.
pub(super) fn fill(steps: Steps, arms: &mut [ArmResult], judged: Judged<'_>) {
    let experiment = &judged.run.experiment;
    let Some(first) = climb(judged.rounds) else {
        return;
    };
    let tried = first.levels.last().map_or(0, |level| level.level);
    let tried = experiment.load.connections[tried] as u64;
    let ended = why_ended(ended(steps, experiment, first), tried);
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

/// An arm's, but for why no more users were tried, and what limits there.
fn capacity(judged: Judged<'_>, arm: usize) -> Capacity {
    let numbers = judged.numbers;
    let points = |start: &Numbers| points(&judged.run.experiment, &start.levels, arm);
    let starts = numbers.iter().map(points);
    let starts: Vec<Vec<CapacityPoint>> = starts.filter(|points| !points.is_empty()).collect();
    let most = |start: &Numbers| Some(start.value(arm, Measure::Capacity, 0)?.ln());
    let most: Vec<f64> = numbers.iter().filter_map(most).collect();
    let smooth = curve(&starts, judged.run.seed);
    let grows = smooth == Err(CurveRefusal::NotSaturated);
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
        ended: CapacityEnd::AllTried { tried: 0 },
        tried: 0,
        limiter: None,
    }
}

fn curve(starts: &[Vec<CapacityPoint>], seed: u64) -> Result<Curve, CurveRefusal> {
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

fn why_none(refusal: CurveRefusal) -> NoCurve {
    match refusal {
        CurveRefusal::TooFewLevels => NoCurve::TooFewSteps,
        CurveRefusal::NotSaturated => NoCurve::StillGrowing,
        CurveRefusal::LackOfFit { p } => NoCurve::LackOfFit { p },
    }
}

fn why_corner(starts: &[Vec<CapacityPoint>]) -> NoCurve {
    NoCurve::Pool {
        limit: corner::fit(&starts.concat()).map_or(0.0, |corner| corner.limit),
    }
}

fn why_ended(ended: Option<Ended>, tried: u64) -> CapacityEnd {
    match ended {
        Some(Ended::Flat) => CapacityEnd::Flat { tried },
        Some(Ended::Generator(reason)) => CapacityEnd::Generator { tried, reason },
        Some(Ended::Errors(reason)) => CapacityEnd::Errors { tried, reason },
        Some(Ended::Top) | None => CapacityEnd::AllTried { tried },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{climb as start, climbing, record};
    use model::finding::{Finding, Legacy, Remedy};
    use model::outcome::Load;
    use model::record::RoundRecord;

    fn of(rounds: &[RoundRecord]) -> Vec<Capacity> {
        let run = record(climbing());
        let numbers = Numbers::of_all(&run.experiment, rounds);
        let mut arms = crate::findings::arms(&run.experiment, rounds, &numbers, &[]);
        let limits = |users: u64, cause: Cause| Diagnosis {
            finding: Finding::Legacy(Legacy {
                cause,
                says: String::new(),
            }),
            level: Load {
                users: Some(users),
                rate: None,
            },
            evidence: Vec::new(),
            remedy: Remedy::DumpThreads,
            change: Vec::new(),
            proved: None,
            expected: false,
        };
        arms[0].diagnoses = vec![
            limits(24, Cause::ThreadPoolLimit),
            limits(48, Cause::ServerCpuSaturated),
        ];
        let judged = Judged {
            run: &run,
            rounds,
            numbers: &numbers,
        };
        fill(Steps::Chosen, &mut arms, judged);
        let found = |arm: ArmResult| match arm.found? {
            SearchResult::Capacity(capacity) => Some(capacity),
            SearchResult::MaxRate(_) => None,
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
        assert_eq!((pool.tried, pool.limiter), (48, Some(Cause::ServerCpuSaturated)));
        assert_eq!(pool.ended, CapacityEnd::Flat { tried: 48 });
        assert_eq!(found[1].limiter, None);
    }

    #[test]
    fn what_still_grows_has_no_knee() {
        let rounds: Vec<RoundRecord> = (1..=5).map(|n| start(n, [1000, 1000], 12)).collect();
        let found = &of(&rounds)[1];
        assert_eq!(found.knee, None);
        assert_eq!(found.no_curve, Some(NoCurve::StillGrowing));
        assert_eq!(found.ended, CapacityEnd::AllTried { tried: 64 });
    }
}
