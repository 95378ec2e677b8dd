//! Judges calibration runs, whose right answer is known: how often prony is wrong, and how often a blog post would be.

use model::measure::Measure;
use model::units::{Count, Seconds, Share};
use record::calibration::{CalibratedMeasure, CalibrationRun, DoseKind, Injected, Posts, Tally};
use record::outcome::{Calibration, Comparison, Direction, Report, Verdict};
use record::rounds::{RoundRecord, SliceRecord, counted};
use stats::distribution::{clopper_pearson, uniformity};
use stats::robust::mean;
use stats::spending::FIRST_LOOK;
use stats::summary::{t_test, welch_test};
use std::collections::BTreeMap;

/// Confidence of a two-sided interval. Each of its two ends is a one-sided bound with 95 % confidence.
const TWO_SIDED: f64 = 0.90;
/// Significance level at which a post calls two servers different.
const POSTS_LEVEL: f64 = 0.01;
/// Smallest relative difference of two single numbers that a post publishes.
const POSTS_DIFFERENCE: f64 = 0.01;
/// Fewest p-values whose distribution is tested.
const UNIFORMITY_RUNS: usize = 8;

/// Judges a calibration run of two arms by the measure that the dose affects, which is CPU per request where the arms are
/// identical; `injected` is the dose of the second arm.
pub fn judge_run(
    report: &Report,
    rounds: &[RoundRecord],
    server: &str,
    injected: Option<Injected>,
) -> CalibrationRun {
    let kind = injected.as_ref().map(|injected| injected.dose).unwrap_or_default();
    let headline = kind.measure();
    let head = report.comparisons.iter().find(|c| c.measure == headline);
    let also_called = report.comparisons.iter().filter(|c| c.measure != headline);
    let looked_at = FIRST_LOOK;
    let first: Option<Vec<f64>> = head
        .and_then(|head| head.per_start.get(..looked_at))
        .map(|ratios| ratios.iter().map(|ratio| ratio.ln()).collect());
    let (headline, others) = outcomes(report);
    CalibrationRun {
        run: report.run.clone(),
        class: model::machine::class(&report.fingerprint),
        server: server.to_owned(),
        injected,
        alpha: report.design.alpha,
        verdict: head.map_or(Verdict::Invalid, |head| head.verdict),
        also_called: also_called
            .filter(|other| other.verdict.direction().is_some())
            .map(|other| other.measure)
            .collect(),
        ratio: head.and_then(|head| head.ratio),
        p_first: first.and_then(|first| t_test(&first)).map(|test| test.p),
        starts: report.design.starts,
        elapsed: report.design.elapsed,
        headline,
        others,
        posts: [Measure::Throughput, Measure::CpuPerRequest]
            .map(|measure| (measure, judge_as_posts(rounds, measure)))
            .into(),
    }
}

/// What the first arm, which has no dose, needs of a measure: the geometric mean over its starts, in the measure's unit.
/// `None` where no start counted.
pub fn undosed(report: &Report, measure: Measure) -> Option<f64> {
    let mut levels = report.arms.first()?.levels.iter().rev();
    levels.find_map(|level| level.value(measure))
}

/// The outcome of each measure: first of the headline, which decided when to stop, then of the others.
fn outcomes(report: &Report) -> (Vec<CalibratedMeasure>, Vec<CalibratedMeasure>) {
    let of_headline = |comparison: &&Comparison| report.is_headline(comparison);
    let outcome = |comparison: &Comparison| CalibratedMeasure {
        measure: comparison.measure,
        verdict: comparison.verdict,
        ratio: comparison.ratio,
    };
    let (headline, others): (Vec<&Comparison>, Vec<&Comparison>) =
        report.comparisons.iter().partition(of_headline);
    let outcomes = |all: Vec<&Comparison>| all.into_iter().map(outcome).collect();
    (outcomes(headline), outcomes(others))
}

/// Judges every start of both arms as a blog post would: it has one start of each, and takes its slices for independent
/// observations. This flatters the posts, which measure servers one after the other, while our slices alternate.
fn judge_as_posts(rounds: &[RoundRecord], measure: Measure) -> Posts {
    let staged =
        measure == Measure::CpuPerRequest && rounds.iter().any(|round| round.open().next().is_some());
    let mut posts = Posts::default();
    for round in counted(rounds) {
        let slices: Vec<&SliceRecord> = match staged {
            true => round.staged_for_cpu().collect(),
            false => {
                let counts = |slice: &&SliceRecord| round.void_at(slice.level).is_none();
                round.closed().filter(counts).collect()
            }
        };
        let values = |arm: usize| -> Vec<f64> {
            let of_arm = slices.iter().filter(|slice| slice.arm == arm && slice.counts.ok > 0);
            of_arm.map(|slice| slice_value(slice, measure)).collect()
        };
        let [one, two] = [0, 1].map(values);
        let (Some(p), Some(a), Some(b)) = (welch_test(&one, &two), mean(&one), mean(&two)) else {
            continue;
        };
        posts.starts += 1;
        posts.different += u32::from(p < POSTS_LEVEL);
        posts.published += u32::from((b / a - 1.0).abs() > POSTS_DIFFERENCE);
    }
    posts
}

/// The value of a measure in one slice, in nanoseconds per answer or answers per nanosecond: the tests do not depend on the unit.
fn slice_value(slice: &SliceRecord, measure: Measure) -> f64 {
    match measure {
        Measure::CpuPerRequest => slice.cpu_ns_arm as f64 / slice.counts.ok as f64,
        _ => slice.counts.ok as f64 / slice.elapsed_ns.max(1) as f64,
    }
}

/// The mean log ratio of measured to true ratio over the runs in which both are known.
fn bias(runs: &[&CalibrationRun]) -> Option<f64> {
    let of_run = |run: &&CalibrationRun| Some((run.ratio?.value / run.truth()?).ln());
    let all: Vec<f64> = runs.iter().filter_map(of_run).collect();
    mean(&all)
}

/// Counts how the runs of one kind ended: with identical servers, or with one that was made slower.
pub fn tally(runs: &[CalibrationRun], injected: Option<(DoseKind, Share)>, alpha: f64) -> Tally {
    let valid: Vec<&CalibrationRun> = runs.iter().filter(|run| run.verdict != Verdict::Invalid).collect();
    let count =
        |which: &dyn Fn(&CalibrationRun) -> bool| valid.iter().filter(|run| which(run)).count() as u32;
    let ended = |verdict| count(&|run| run.verdict == verdict);
    let average = |value: fn(&CalibrationRun) -> f64| {
        let values: Vec<f64> = valid.iter().map(|run| value(run)).collect();
        mean(&values).unwrap_or(0.0)
    };
    let shown = |direction| count(&|run| run.verdict.direction() == Some(direction));
    let (faster, slower) = (shown(Direction::Better), shown(Direction::Worse));
    let called = count(&CalibrationRun::calls_headline);
    let n = valid.len() as u64;
    let p_first: Vec<f64> = valid.iter().filter_map(|run| run.p_first).collect();
    let enough = injected.is_none() && p_first.len() >= UNIFORMITY_RUNS;
    Tally {
        injected: injected.map(|(_, share)| share),
        dose: injected.map(|(dose, _)| dose).unwrap_or_default(),
        bias: injected.and_then(|_| bias(&valid)),
        alpha,
        runs: valid.len() as u32,
        invalid: (runs.len() - valid.len()) as u32,
        faster,
        slower,
        called,
        same: ended(Verdict::Same),
        inconclusive: ended(Verdict::Inconclusive),
        bound: Share(match injected {
            None => clopper_pearson(u64::from(called), n, TWO_SIDED).high,
            Some(_) => clopper_pearson(u64::from(slower), n, TWO_SIDED).low,
        }),
        any_measure: count(&|run| !run.also_called.is_empty() || run.verdict.direction().is_some()),
        covered: (count(&|run| run.covers() == Some(true)), count(&|run| run.covers().is_some())),
        uniformity: enough.then(|| uniformity(&p_first)).flatten(),
        elapsed: Seconds(average(|run| run.elapsed.0)),
        starts: Count(average(|run| f64::from(run.starts))),
        posts: sum_of_posts(&valid),
    }
}

/// The sums over all runs, by measure.
fn sum_of_posts(runs: &[&CalibrationRun]) -> BTreeMap<Measure, Posts> {
    let mut sums: BTreeMap<Measure, Posts> = BTreeMap::new();
    for (measure, posts) in runs.iter().flat_map(|run| &run.posts) {
        let sum = sums.entry(*measure).or_default();
        sum.starts += posts.starts;
        sum.different += posts.different;
        sum.published += posts.published;
    }
    sums
}

/// The tally of calibrations that a report shows for its class of machine: runs of identical arms at its error rate, or at the
/// nearest error rate at which there are any. `None` if there are none.
pub fn for_reports(runs: &[CalibrationRun], alpha: f64) -> Option<Calibration> {
    let identical = runs.iter().filter(|run| run.injected.is_none() && run.verdict != Verdict::Invalid);
    let distance = |run: &CalibrationRun| (run.alpha / alpha).ln().abs();
    let nearest = identical.clone().min_by(|one, other| distance(one).total_cmp(&distance(other)))?.alpha;
    let alike: Vec<CalibrationRun> = identical.filter(|run| run.alpha == nearest).cloned().collect();
    let tally = tally(&alike, None, nearest);
    Some(Calibration {
        runs: tally.runs,
        false_calls: tally.false_calls(),
        alpha: Some(nearest),
        upper: tally.bound,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, Speed, round};
    use model::units::Rate;
    use record::outcome::Estimate;

    fn run(verdict: Verdict) -> CalibrationRun {
        CalibrationRun {
            run: "r".into(),
            class: "c".into(),
            server: "s".into(),
            injected: None,
            alpha: 0.01,
            verdict,
            also_called: Vec::new(),
            ratio: Some(Estimate { value: 1.0, low: Some(0.98), high: Some(1.02) }),
            p_first: None,
            starts: 10,
            elapsed: Seconds(240.0),
            headline: Vec::new(),
            others: Vec::new(),
            posts: BTreeMap::new(),
        }
    }

    fn slowed(verdict: Verdict, truth: f64) -> CalibrationRun {
        CalibrationRun {
            injected: Some(Injected {
                dose: DoseKind::Cpu,
                share: Share(0.03),
                amount: 300,
                counted: Some(5e-7),
                truth: Some(truth),
            }),
            ..run(verdict)
        }
    }

    #[test]
    fn identical_servers_called_different_are_false_calls() {
        let mut runs = vec![run(Verdict::Same); 58];
        let clean = tally(&runs, None, 0.01);
        assert_eq!((clean.runs, clean.false_calls(), clean.same), (58, 0, 58));
        // 1 - 0.05^(1/58): the textbook bound after 58 runs without a miss.
        assert!((clean.bound.0 - (1.0 - 0.05f64.powf(1.0 / 58.0))).abs() < 1e-9);
        runs.push(run(Verdict::Faster));
        runs.push(run(Verdict::Invalid));
        runs[0].also_called = vec![Measure::StartUp];
        let one = tally(&runs, None, 0.01);
        assert_eq!((one.runs, one.false_calls(), one.invalid, one.any_measure), (59, 1, 1, 2));
        assert_eq!((one.covered, one.starts, one.elapsed), ((59, 59), Count(10.0), Seconds(240.0)));
    }

    #[test]
    fn a_call_in_any_measure_of_the_headline_is_a_false_call() {
        let outcome = |measure: Measure, verdict, low| CalibratedMeasure {
            measure,
            verdict,
            ratio: Some(Estimate { value: 1.03, low: Some(low), high: Some(1.06) }),
        };
        let cpu = outcome(Measure::CpuPerRequest, Verdict::Same, 0.98);
        let headline = vec![outcome(Measure::Throughput, Verdict::Faster, 1.01), cpu.clone()];
        let called = CalibrationRun { headline, ..run(Verdict::Same) };
        let quiet = CalibrationRun { headline: vec![cpu], ..run(Verdict::Same) };
        let tally = tally(&[called.clone(), quiet], None, 0.05);
        assert_eq!((tally.false_calls(), tally.covered), (1, (1, 2)));
        let standing = for_reports(&[called], 0.05).expect("one run");
        assert_eq!(standing.false_calls, 1);
    }

    #[test]
    fn a_known_slowness_is_right_only_when_called_slower() {
        let runs = [
            slowed(Verdict::Slower, 1.015),
            slowed(Verdict::Slower, 1.03),
            slowed(Verdict::Faster, 1.03),
            slowed(Verdict::Same, 1.03),
            slowed(Verdict::Inconclusive, 1.03),
        ];
        let tally = tally(&runs, Some((DoseKind::Cpu, Share(0.03))), 0.01);
        assert_eq!((tally.slower, tally.false_calls(), tally.same, tally.inconclusive), (2, 1, 1, 1));
        assert_eq!(tally.covered, (1, 5));
        // Measured 1.00 each time, of one time 1.015 and four times 1.03.
        let bias = tally.bias.expect("five truths");
        assert!((bias + (1.015f64.ln() + 4.0 * 1.03f64.ln()) / 5.0).abs() < 1e-12, "{bias}");
        // Two of five, one-sided 95 %: P(X >= 2 | n = 5, p) = 5 % at p = 0.0764.
        assert!((tally.bound.0 - 0.0764).abs() < 1e-4, "{}", tally.bound);
    }

    #[test]
    fn reports_show_identical_servers_at_their_error_rate_or_the_nearest() {
        let mut lenient = run(Verdict::Slower);
        lenient.alpha = 0.05;
        let runs = [run(Verdict::Same), lenient, slowed(Verdict::Slower, 1.03), run(Verdict::Invalid)];
        let standing = for_reports(&runs, 0.01).expect("one run");
        assert_eq!((standing.runs, standing.false_calls), (1, 0));
        assert!((standing.upper.0 - 0.95).abs() < 1e-9);
        let lenient = for_reports(&runs, 0.10).expect("one at 5 %");
        assert_eq!((lenient.alpha, lenient.false_calls), (Some(0.05), 1));
        assert_eq!(for_reports(&runs[2..], 0.01), None);
    }

    #[test]
    fn honest_p_values_are_uniform_and_crowded_ones_are_not() {
        let at = |p: f64| CalibrationRun { p_first: Some(p), ..run(Verdict::Same) };
        let even: Vec<_> = (0..20).map(|i| at((f64::from(i) + 0.5) / 20.0)).collect();
        let crowded: Vec<_> = (0..20).map(|i| at(f64::from(i) / 400.0)).collect();
        let p = |runs: &[CalibrationRun]| tally(runs, None, 0.01).uniformity;
        assert!(p(&even).expect("a p-value") > 0.9);
        assert!(p(&crowded).expect("a p-value") < 0.001);
        assert_eq!(p(&even[..7]), None);
    }

    /// Rounds whose slices wobble by ±1 %, the second arm slower by `slower`.
    fn rounds(slower: f64, rounds: u32) -> Vec<RoundRecord> {
        let two = Speed { ok: (PLAIN.ok as f64 / (1.0 + slower)) as u64, ..PLAIN };
        let mut all: Vec<RoundRecord> = (1..=rounds).map(|number| round(number, &[PLAIN, two])).collect();
        for round in &mut all {
            round.slices.retain(|slice| slice.rate.is_none());
        }
        for (index, slice) in all.iter_mut().flat_map(|round| &mut round.slices).enumerate() {
            let wobble = [0.99, 1.01, 1.01, 0.99][index / 2 % 4];
            slice.counts.ok = (slice.counts.ok as f64 * wobble) as u64;
        }
        all
    }

    #[test]
    fn a_post_calls_every_start_different_and_publishes_every_per_cent() {
        for measure in [Measure::Throughput, Measure::CpuPerRequest] {
            let far = judge_as_posts(&rounds(0.10, 3), measure);
            assert_eq!((far.starts, far.different, far.published), (3, 3, 3));
            let near = judge_as_posts(&rounds(0.012, 3), measure);
            assert_eq!((near.starts, near.different, near.published), (3, 0, 3));
            let none = judge_as_posts(&rounds(0.0, 3), measure);
            assert_eq!((none.starts, none.different, none.published), (3, 0, 0));
        }
    }

    #[test]
    fn slices_at_a_fixed_rate_give_cpu_per_request_and_no_throughput() {
        let mut rounds = rounds(0.10, 2);
        for slice in &mut rounds[1].slices {
            slice.rate = Some(Rate(1000.0));
        }
        let starts = |rounds: &[RoundRecord]| {
            [Measure::Throughput, Measure::CpuPerRequest]
                .map(|measure| judge_as_posts(rounds, measure).starts)
        };
        assert_eq!(starts(&rounds), [1, 1]);
        rounds[0].void = Some(crate::testing::stolen());
        assert_eq!(starts(&rounds), [0, 1], "a start that did not count gives no post");
    }
}
