//! Published figures (`[reference]`) next to the figures of this run. They are never part of a verdict, and always
//! shown with their source.

use super::block::{Cell, Column, Fold, Text};
use super::published::{self, Against, FigureKind, PublishedFigure, PublishedRow};
use super::shown_as::References;
use super::{ColumnKind, Content, ContentBlock, SectionInput, TableBlock, TablePart, TextMark};
use crate::brief::Brief;
use crate::words::Label;
use ask::reference::Reference;
use record::outcome::{Estimate, TooWide};
use say::{Language, Say, text};

pub(super) const ID: &str = "reference";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let reference = report.reference.as_ref()?;
    let figures = published::figures(report, reference);
    if figures.is_empty() {
        return None;
    }
    let figures = match source.form.reference {
        References::All => all(figures, language),
        References::MeasuredHere => vec![measured_here(figures, language)],
    };
    let explanation = ContentBlock::explanation(heading(reference, language));
    Content::of(
        text(&ReferenceText::Heading, language),
        [explanation].into_iter().chain(figures).collect::<Vec<_>>(),
    )
}

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
    #[say(en = "{title}, the post", zh = "{title}，原文")]
    TitleThere { title: &'a str },
    #[say(en = "here", zh = "本次")]
    Here,
    #[say(en = "connections", zh = "连接数")]
    Connections,
    #[say(en = "95 % interval", zh = "95 % 区间")]
    Interval,
    #[say(en = "against the baseline", zh = "与基线相比")]
    Against,
    #[say(en = "over users", zh = "随用户数")]
    Bars,
}

/// A table of the first published figure, and one of each other figure that is folded away.
fn all(figures: Vec<PublishedFigure<'_>>, language: Language) -> Vec<ContentBlock> {
    let mut blocks = Vec::new();
    for figure in figures {
        let summary = figure.kind.title(language);
        let table = table(figure, language);
        blocks.push(match blocks.is_empty() {
            true => table,
            false => ContentBlock::Fold(Fold { summary, blocks: vec![table] }),
        });
    }
    blocks
}

/// A table of one figure: a row for each arm at each load. Columns in which no row has anything are left out.
fn table(figure: PublishedFigure<'_>, language: Language) -> ContentBlock {
    let has_users = figure.rows.iter().any(|row| row.users.is_some());
    let has_interval = figure.rows.iter().any(|row| row.here.is_ok_and(|here| here.low.is_some()));
    let is_compared = figure.rows.iter().any(|row| matches!(row.against, Against::Compared(_)));
    let has_bars = figure.rows.iter().any(|row| !row.bars.is_empty());
    let title = figure.kind.title(language);
    let heading = |heading: ReferenceText<'_>| text(&heading, language);
    let columns = [
        (true, Column::new(ColumnKind::Text, text(&Label::Arm, language))),
        (has_users, Column::new(ColumnKind::Number, text(&ReferenceText::Connections, language))),
        (true, Column::new(ColumnKind::Number, heading(ReferenceText::TitleThere { title: &title }))),
        (true, Column::new(ColumnKind::Number, text(&ReferenceText::Here, language))),
        (has_interval, Column::new(ColumnKind::Number, heading(ReferenceText::Interval))),
        (is_compared, Column::new(ColumnKind::Verdict, heading(ReferenceText::Against))),
        (has_bars, Column::new(ColumnKind::Phrase, heading(ReferenceText::Bars))),
    ];
    let shown: Vec<bool> = columns.iter().map(|(is_shown, _)| *is_shown).collect();
    let row = |row: &PublishedRow<'_>| {
        let cells = cells(figure.kind, row, language).into_iter().zip(&shown);
        cells.filter_map(|(cell, is_shown)| is_shown.then_some(cell)).collect()
    };
    let rows = figure.rows.iter().map(row).collect();
    let columns = columns.into_iter().filter_map(|(is_shown, column)| is_shown.then_some(column));
    let parts = vec![TablePart { heading: None, rows }];
    ContentBlock::Table(TableBlock { columns: columns.collect(), parts, narrow: false })
}

/// The cells of a row, with those of columns that are left out.
fn cells(kind: FigureKind<'_>, row: &PublishedRow<'_>, language: Language) -> [Cell; 7] {
    let brief = |brief: Brief| text(&brief, language);
    let there = row.there.map_or_else(|| brief(Brief::NotPublished), |value| kind.value_text(value));
    let here = match row.here {
        Ok(here) => Text::marked(kind.value_text(here.value), TextMark::Strong),
        Err(why) => brief(why).into(),
    };
    let judged = match row.against {
        Against::Compared(comparison) => Some(comparison.verdict.into()),
        Against::Baseline | Against::Nothing => None,
    };
    [
        row.arm.into(),
        row.users.map_or_else(String::new, |users| users.to_string()).into(),
        there.into(),
        here.into(),
        row.here.ok().map_or_else(String::new, |here| interval(kind, here, language)).into(),
        Cell { text: row.against.text(language).into(), judged },
        row.bars.clone().into(),
    ]
}

/// The interval of a value: its ends, or that they say nothing; empty where a figure has none.
fn interval(kind: FigureKind<'_>, here: Estimate, language: Language) -> String {
    match (here.low, here.high) {
        _ if here.is_too_wide() => text(&TooWide, language),
        (Some(low), Some(high)) => format!("{} – {}", kind.value_text(low), kind.value_text(high)),
        _ => String::new(),
    }
}

/// A table of the published figures that were measured here too, or a sentence that there are none.
fn measured_here(figures: Vec<PublishedFigure<'_>>, language: Language) -> ContentBlock {
    let mut rows = Vec::new();
    for PublishedFigure { kind, rows: of_figure } in figures {
        rows.extend(of_figure.into_iter().filter_map(|row| {
            let (there, here) = (row.there?, row.here.ok()?);
            let users = row.users.map_or_else(String::new, |users| format!(", {users}"));
            let name = format!("{}{users}: {}", row.arm, kind.title(language));
            Some(vec![name, kind.value_text(there), kind.value_text(here.value)])
        }));
    }
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
