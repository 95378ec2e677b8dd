//! The list of stored runs, as the page gets it.

use crate::web::live::{UnderWay, find_under_way};
use ask::question::Question;
use model::load::Load;
use model::measure::Measure;
use model::units::Seconds;
use record::outcome::{Comparison, Estimate, Report, Verdict};
use serde::Serialize;
use std::path::PathBuf;
use store::StoredRun;

/// The newest runs.
#[derive(Serialize)]
pub(super) struct RunList {
    pub(super) runs: Vec<ListedRun>,
    /// Whether there are older ones.
    pub(super) more: bool,
}

/// A run in the list.
#[derive(Serialize)]
pub(super) struct ListedRun {
    run: String,
    experiment: String,
    /// How the run can be watched while it lasts; only for viewers on this machine.
    live: Option<UnderWay>,
    /// Its result; absent while it lasts, and if it was killed.
    result: Option<RunResult>,
    /// Why the stored run cannot be read, if it cannot.
    error: Option<String>,
}

/// The result of a run.
#[derive(Serialize)]
struct RunResult {
    #[serde(flatten)]
    question: Question,
    starts: u32,
    /// In seconds.
    elapsed: Seconds,
    interrupted: bool,
    /// The verdicts on the headline.
    verdicts: Vec<HeadlineVerdict>,
}

/// The verdict on an arm in a measure of the headline at one load.
#[derive(Serialize)]
struct HeadlineVerdict {
    arm: String,
    measure: Measure,
    #[serde(flatten)]
    load: Load,
    ratio: Option<Estimate>,
    verdict: Verdict,
}

impl ListedRun {
    /// Describes a stored run. `folder` holds the stored runs; it is `None` if the viewer must not see runs that last.
    pub(super) fn new(entry: &StoredRun, folder: Option<&PathBuf>) -> Self {
        Self {
            live: folder.and_then(|folder| find_under_way(folder, &entry.run)),
            run: entry.run.clone(),
            experiment: entry.experiment.clone(),
            result: entry.report.as_ref().ok().and_then(Option::as_ref).map(result),
            error: entry.report.as_ref().err().map(ToString::to_string),
        }
    }
}

fn result(report: &Report) -> RunResult {
    RunResult {
        question: report.question.clone(),
        starts: report.design.starts,
        elapsed: report.design.elapsed,
        interrupted: report.design.interrupted,
        verdicts: headline_verdicts(report),
    }
}

/// Returns the verdicts on the measures of the headline.
fn headline_verdicts(report: &Report) -> Vec<HeadlineVerdict> {
    let headline = |comparison: &&Comparison| report.is_headline(comparison);
    let of_headline = report.comparisons.iter().filter(headline);
    of_headline
        .map(|comparison| HeadlineVerdict {
            arm: comparison.arm.clone(),
            measure: comparison.measure,
            load: comparison.level.clone().unwrap_or_default(),
            ratio: comparison.deciding(),
            verdict: comparison.verdict,
        })
        .collect()
}
