//! What somebody else measured, beside what was measured here: never in a verdict, and never without saying whose it is.

use crate::rows;
use crate::units;
use crate::words::{Words, fill};
use model::measure::Measure;
use model::outcome::{Level, Reference, ReferenceRow, Report};

/// One figure.
pub(crate) struct Line {
    pub(crate) arm: String,
    pub(crate) level: Option<u64>,
    pub(crate) what: String,
    pub(crate) there: String,
    /// What was measured here under the same name, if anything was.
    pub(crate) here: Option<String>,
}

impl Line {
    /// `tomcat, 500: throughput`.
    pub(crate) fn name(&self) -> String {
        let level = self.level.map_or_else(String::new, |level| format!(", {level}"));
        format!("{}{level}: {}", self.arm, self.what)
    }
}

/// What stands above the figures.
pub(crate) fn heading(reference: &Reference, words: &Words) -> String {
    let source = reference.source.as_ref();
    let source = source.map_or_else(String::new, |source| format!(" ({source})"));
    let note = reference.note.as_ref();
    let note = note.map_or_else(String::new, |note| format!(" {note}"));
    fill(words.reference_heading, &[("source", &source), ("note", &note)])
}

/// All figures in the order of the file.
pub(crate) fn lines(report: &Report, reference: &Reference, words: &Words) -> Vec<Line> {
    let of_row = |row: &ReferenceRow| {
        let figures = row.values.iter().map(|(id, value)| Line {
            arm: row.arm.clone(),
            level: row.level,
            what: Measure::from_id(id).map_or_else(|| id.replace('_', " "), |m| words.measure(m).to_owned()),
            there: said(id, *value),
            here: here(report, row, id).map(|value| said(id, value)),
        });
        figures.collect::<Vec<_>>()
    };
    reference.rows.iter().flat_map(of_row).collect()
}

/// The same figure of the same arm at the same level; at the first level that has it where the row names none.
fn here(report: &Report, row: &ReferenceRow, id: &str) -> Option<f64> {
    let arm = report.arms.iter().find(|arm| arm.name == row.arm)?;
    let once = Measure::from_id(id).filter(|measure| !measure.by_level());
    let once = once.and_then(|measure| rows::estimate(arm, measure, None));
    let at = |level: &&Level| row.level.is_none_or(|users| level.load.users == Some(users));
    let mut levels = arm.levels.iter().filter(at);
    let by_level = || levels.find_map(|level| level.estimate(id));
    Some(once.or_else(by_level)?.value)
}

/// A figure with the unit that its name tells, else bare.
fn said(id: &str, value: f64) -> String {
    let time = ["response_", "service_", "connect_"]
        .iter()
        .any(|kind| id.starts_with(kind));
    match Measure::from_id(id) {
        Some(measure) => units::value(measure, value),
        None if time => units::seconds(value),
        None => format!("{}", (value * 1e4).round() / 1e4),
    }
}
