//! A stored run as the list shows it.

use crate::web::live::{UnderWay, under_way};
use model::outcome::{Comparison, Estimate, Load, Report, Verdict};
use model::question::Question;
use serde::Serialize;
use std::path::PathBuf;
use store::StoredRun;

/// The newest runs.
#[derive(Serialize)]
pub(super) struct Listed {
    pub(super) runs: Vec<Line>,
    /// Whether there are older ones.
    pub(super) more: bool,
}

/// One run.
#[derive(Serialize)]
pub(super) struct Line {
    run: String,
    experiment: String,
    /// While it runs, for whoever is on its machine.
    live: Option<UnderWay>,
    /// What was found; absent while it runs, and where it was killed.
    found: Option<Found>,
    /// Why it cannot be read.
    trouble: Option<String>,
}

#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    question: Question,
    headline: String,
    starts: u32,
    /// Seconds.
    elapsed: f64,
    interrupted: bool,
    /// Of the headline.
    verdicts: Vec<Said>,
}

/// What was said of an arm at a load.
#[derive(Serialize)]
struct Said {
    arm: String,
    #[serde(flatten)]
    load: Load,
    ratio: Option<Estimate>,
    verdict: Verdict,
}

impl Line {
    /// `folder` is that of the stored runs, for who may see those under way.
    pub(super) fn of(entry: &StoredRun, folder: Option<&PathBuf>) -> Self {
        Self {
            live: folder.and_then(|folder| under_way(folder, &entry.run)),
            run: entry.run.clone(),
            experiment: entry.experiment.clone(),
            found: entry.report.as_ref().ok().and_then(Option::as_ref).map(found),
            trouble: entry.report.as_ref().err().map(ToString::to_string),
        }
    }
}

fn found(report: &Report) -> Found {
    Found {
        question: report.question.clone(),
        headline: report.design.headline.clone(),
        starts: report.design.starts,
        elapsed: report.design.elapsed,
        interrupted: report.design.interrupted,
        verdicts: said(report),
    }
}

/// What a report says of its headline.
fn said(report: &Report) -> Vec<Said> {
    let headline = |comparison: &&Comparison| comparison.measure == report.design.headline;
    let of_headline = report.comparisons.iter().filter(headline);
    of_headline
        .map(|comparison| Said {
            arm: comparison.arm.clone(),
            load: comparison.level.clone().unwrap_or_default(),
            ratio: comparison.ratio,
            verdict: comparison.verdict,
        })
        .collect()
}
