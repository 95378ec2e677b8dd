//! Published figures (`[reference]`) next to the figures of this run. They are never part of a verdict, and always
//! shown with their source.

use super::block::Column;
use super::shown_as::References;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::comparison::estimate;
use crate::units;
use crate::words::Label;
use ask::reference::{Reference, ReferenceRow};
use model::measure::Measure;
use record::level_figure::LevelFigure;
use record::outcome::{Level, Report};
use say::{Language, Say, text};

pub(super) const ID: &str = "reference";

/// The words of published figures.
#[derive(Say)]
enum ReferenceText<'a> {
    #[say(en = "Figures of the post", zh = "原文数据")]
    Heading,
    #[say(
        en = "Figures of the post, measured on its own machines{source}; no verdict rests on them.{note}",
        zh = "原文数据，在原作者的机器上测得{source}，不参与任何判定。{note}"
    )]
    Explained { source: &'a str, note: &'a str },
    #[say(
        en = "none of its figures were measured here; report.md lists them",
        zh = "其中的数据本次均未测量，详见 report.md"
    )]
    NoneHere,
    #[say(en = "the post", zh = "原文")]
    There,
    #[say(en = "here", zh = "本次")]
    Here,
    #[say(en = "connections", zh = "连接数")]
    Connections,
    #[say(en = "figure", zh = "数据项")]
    Figure,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let reference = report.reference.as_ref()?;
    let figures = figures(report, reference, language);
    let figures = match source.form.reference {
        References::All => all(figures, language),
        References::MeasuredHere => measured_here(figures, language),
    };
    Content::of(
        text(&ReferenceText::Heading, language),
        [ContentBlock::explanation(heading(reference, language)), figures],
    )
}

/// A published figure.
struct ReferenceFigure {
    arm: String,
    /// Users of the closed loop, if the file gives their number.
    users: Option<u64>,
    /// The name of the figure.
    title: String,
    /// Its published value.
    there: String,
    /// The value of the same measure in this run, if it was measured.
    here: Option<String>,
}

impl ReferenceFigure {
    /// `tomcat, 500: throughput`.
    fn name(&self) -> String {
        let users = self.users.map_or_else(String::new, |users| format!(", {users}"));
        format!("{}{users}: {}", self.arm, self.title)
    }
}

/// A table of all published figures.
fn all(figures: Vec<ReferenceFigure>, language: Language) -> ContentBlock {
    let columns = [
        (ColumnKind::Text, text(&Label::Arm, language)),
        (ColumnKind::Number, text(&ReferenceText::Connections, language)),
        (ColumnKind::Text, text(&ReferenceText::Figure, language)),
        (ColumnKind::Number, text(&ReferenceText::There, language)),
        (ColumnKind::Number, text(&ReferenceText::Here, language)),
    ];
    let row = |figure: ReferenceFigure| {
        let users = figure.users.map_or_else(String::new, |users| users.to_string());
        let here = figure.here.unwrap_or_else(|| "–".to_owned());
        vec![figure.arm, users, figure.title, figure.there, here]
    };
    ContentBlock::table(
        columns.map(|(kind, heading)| Column::new(kind, heading)).into(),
        figures.into_iter().map(row).collect(),
    )
}

/// A table of the published figures that were measured here too, or a sentence that there are none.
fn measured_here(figures: Vec<ReferenceFigure>, language: Language) -> ContentBlock {
    let row = |figure: ReferenceFigure| Some(vec![figure.name(), figure.there, figure.here?]);
    let rows: Vec<Vec<String>> = figures.into_iter().filter_map(row).collect();
    if rows.is_empty() {
        return ContentBlock::list([text(&ReferenceText::NoneHere, language)]);
    }
    let columns = vec![
        Column::bare(ColumnKind::RowHeading),
        Column::new(ColumnKind::Number, text(&ReferenceText::There, language)),
        Column::new(ColumnKind::Number, text(&ReferenceText::Here, language)),
    ];
    ContentBlock::table(columns, rows)
}

/// The explanation above the figures.
fn heading(reference: &Reference, language: Language) -> String {
    let source = reference.source.as_ref();
    let source = source.map_or_else(String::new, |source| format!(" ({source})"));
    let note = reference.note.as_ref();
    let note = note.map_or_else(String::new, |note| format!(" {note}"));
    text(&ReferenceText::Explained { source: &source, note: &note }, language)
}

/// All published figures in the order of the file.
fn figures(report: &Report, reference: &Reference, language: Language) -> Vec<ReferenceFigure> {
    let figures_of = |row: &ReferenceRow| {
        let figures = row.values.iter().map(|(id, value)| ReferenceFigure {
            arm: row.arm.clone(),
            users: row.level,
            title: Measure::from_id(id)
                .map_or_else(|| id.replace('_', " "), |measure| measure.name(language).to_owned()),
            there: with_unit(id, *value),
            here: here(report, row, id).map(|value| with_unit(id, value)),
        });
        figures.collect::<Vec<_>>()
    };
    reference.rows.iter().flat_map(figures_of).collect()
}

/// The value in this run for the row's arm at its level; if the row names no level, at the first level that has a value.
fn here(report: &Report, row: &ReferenceRow, id: &str) -> Option<f64> {
    let arm = report.arms.iter().find(|arm| arm.name == row.arm)?;
    let once = Measure::from_id(id).filter(|measure| !measure.by_level());
    let once = once.and_then(|measure| estimate(arm, measure, None));
    let at = |level: &&Level| row.level.is_none_or(|users| level.load.users == Some(users));
    let mut levels = arm.levels.iter().filter(at);
    let by_level = || levels.find_map(|level| level.estimate(LevelFigure::from_id(id)?));
    Some(once.or_else(by_level)?.value)
}

/// A figure with the unit that follows from its name, if one does.
fn with_unit(id: &str, value: f64) -> String {
    let time = ["response_", "service_", "connect_"].iter().any(|kind| id.starts_with(kind));
    // As JMeter, ab and wrk call their times.
    let percentile = id.strip_prefix('p').is_some_and(|rank| rank.parse::<f64>().is_ok());
    let time = time || percentile || ["mean", "min", "max"].contains(&id);
    match Measure::from_id(id) {
        Some(measure) => units::value(measure, value),
        None if time => units::seconds(value),
        None => format!("{}", (value * 1e4).round() / 1e4),
    }
}
