//! What the reports of earlier runs on machines of one class tell of how starts differ.

use crate::d_series::usual_prior;
use ask::experiment::{Design, LearntPrior};
use model::measure::Measure;
use record::note::{PriorChange, RunNote};
use record::outcome::{Comparison, Report, Verdict};
use stats::learnt::{self, RunSpread};

/// The priors of the measures in which these reports show another one than the usual; empty where there are fewer than
/// [`learnt::FEWEST_RUNS`] of them. The variance between starts is never below the usual one: a run after it may be of a service whose
/// starts differ more, and then equal arms would be called different too often (`cargo run --release -p stats --example moderation`).
pub fn learnt_priors<'a>(reports: impl Iterator<Item = &'a Report> + Clone) -> Vec<LearntPrior> {
    let learnt = |measure: Measure| {
        let runs: Vec<RunSpread> = reports.clone().filter_map(|report| spread(report, measure)).collect();
        let usual = usual_prior(measure)?;
        let prior = learnt::prior(&runs, usual, usual.between)?;
        (prior != usual).then_some(LearntPrior {
            measure,
            deviation: prior.between.sqrt(),
            weight: prior.weight,
            runs: runs.len(),
        })
    };
    Measure::ALL.into_iter().filter_map(learnt).collect()
}

/// The note on the priors that a run had besides the usual ones.
pub(crate) fn note(design: &Design) -> Option<RunNote> {
    let change = |learnt: &LearntPrior| {
        let usual = usual_prior(learnt.measure)?;
        Some(PriorChange {
            learnt: learnt.clone(),
            usual_deviation: usual.between.sqrt(),
            usual_weight: usual.weight,
        })
    };
    let changes: Vec<PriorChange> = design.learnt_priors.iter().filter_map(change).collect();
    (!changes.is_empty()).then_some(RunNote::LearntPriors(changes))
}

/// How the starts of a run differed in a measure, by its first comparison that tells: the others share its baseline or its servers, and
/// would count the same starts twice.
fn spread(report: &Report, measure: Measure) -> Option<RunSpread> {
    let tells =
        |comparison: &&Comparison| comparison.measure == measure && comparison.verdict != Verdict::Invalid;
    let spread = report.comparisons.iter().filter(tells).find_map(|of| of.spread)?;
    Some(RunSpread {
        variance: spread.variance,
        within: spread.within,
        freedom: f64::from(spread.starts.saturating_sub(1)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;
    use crate::testing::{PLAIN, experiment, record, round};
    use record::note::Note;
    use record::outcome::StartSpread;

    /// Reports of so many runs in whose throughput starts differ by `excess` times the usual variance between them.
    fn reports(runs: usize, excess: f64) -> Vec<Report> {
        let rounds: Vec<_> = (1..=4).map(|number| round(number, &[PLAIN, PLAIN])).collect();
        let of_run = |run: usize| {
            let mut report = report::report(&record(experiment()), &rounds);
            for comparison in &mut report.comparisons {
                // Variances of seven starts around their mean.
                let luck = [0.5, 0.8, 1.0, 1.2, 1.5][run % 5];
                comparison.spread = (comparison.measure == Measure::Throughput).then_some(StartSpread {
                    variance: luck * (1e-4 + excess * 0.015 * 0.015),
                    within: 1e-4,
                    starts: 7,
                });
            }
            report
        };
        (0..runs).map(of_run).collect()
    }

    #[test]
    fn a_machine_whose_starts_differ_more_has_a_wider_prior() {
        let [learnt] = learnt_priors(reports(30, 4.0).iter()).try_into().expect("one measure");
        assert_eq!((learnt.measure, learnt.runs, learnt.weight), (Measure::Throughput, 30, 6.0));
        assert!((0.03..0.035).contains(&learnt.deviation), "{learnt:?}");
        assert_eq!(learnt_priors(reports(29, 4.0).iter()), [], "too few runs");
        assert_eq!(learnt_priors(reports(30, 0.0).iter()), [], "never below the usual");
        let mut void = reports(30, 4.0);
        for comparison in &mut void[3].comparisons {
            comparison.verdict = Verdict::Invalid;
        }
        assert_eq!(learnt_priors(void.iter()), [], "one of them is invalid");
    }

    #[test]
    fn a_run_is_judged_by_what_was_learnt_before_it() {
        // Nothing is decided early, so that both intervals are of all starts.
        let factor = |number: u32| if number.is_multiple_of(2) { 1.002 } else { 0.998 };
        let rounds: Vec<_> =
            (1..=16).map(|number| round(number, &[PLAIN, PLAIN.better(factor(number))])).collect();
        let judged = |deviation: Option<f64>| {
            let mut asked = experiment();
            asked.design.learnt_priors.extend(deviation.map(|deviation| LearntPrior {
                measure: Measure::Throughput,
                deviation,
                weight: 6.0,
                runs: 30,
            }));
            let report = report::report(&record(asked), &rounds);
            let find = |of: &&Comparison| of.measure == Measure::Throughput;
            let compared = report.comparisons.iter().find(find).expect("compared");
            let ratio = compared.ratio.expect("a ratio");
            let is_learnt = |note: &Note| matches!(note, Note::Run(RunNote::LearntPriors(_)));
            let width = ratio.high.expect("an end") - ratio.low.expect("an end");
            (width, compared.spread, report.notes.iter().any(is_learnt))
        };
        let (usual, spread, told) = judged(None);
        let (wider, same_spread, told_wider) = judged(Some(0.05));
        assert!(wider > 1.5 * usual, "{wider} {usual}");
        assert_eq!(spread, same_spread);
        assert_eq!((told, told_wider), (false, true));
        assert_eq!(spread.expect("windows").starts, 16);
    }
}
