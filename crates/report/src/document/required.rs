//! What was required of the arms, and whether it holds.

use super::block::{Cell, Column, TextMark};
use super::form::Requirements;
use super::{Block, ColumnKind, Content, Source, Table, TablePart, Text};
use crate::requirement::{RequirementRow, requirement_rows};
use crate::units;
use crate::words::{Words, fill};

pub(super) const ID: &str = "required";

pub(super) fn section(source: &Source<'_>) -> Option<Content> {
    let words = source.words;
    let rows: Vec<RequirementRow<'_>> = requirement_rows(source.report, words).collect();
    if source.report.required.is_empty() {
        return None;
    }
    let blocks = match source.form.requirements {
        Requirements::Sentences => sentences(&rows, words),
        Requirements::Table => vec![table(&rows, Column::bare(ColumnKind::Verdict), words)],
        Requirements::TableWithVerdictHeading => {
            let verdict = Column::new(ColumnKind::Verdict, words.verdict);
            vec![table(&rows, verdict, words)]
        }
    };
    Content::of(words.required_heading, blocks)
}

/// Arm by arm.
fn sentences(rows: &[RequirementRow<'_>], words: &Words) -> Vec<Block> {
    let sentence = |row: &RequirementRow<'_>| {
        let values: [(&str, &dyn std::fmt::Display); 3] = [
            // One below the other.
            ("word", &units::left(row.verdict, 12)),
            ("asks", &row.bound),
            ("found", &row.measured),
        ];
        fill(words.required_line, &values)
    };
    let of_arm = |rows: &[RequirementRow<'_>]| {
        let heading = fill(words.required_of, &[("arm", &rows[0].required.arm)]);
        [Block::Heading(heading), Block::list(rows.iter().map(sentence))]
    };
    let arms = rows.chunk_by(|one, next| one.required.arm == next.required.arm);
    arms.flat_map(of_arm).collect()
}

fn table(rows: &[RequirementRow<'_>], verdict: Column, words: &Words) -> Block {
    let cells = |row: &RequirementRow<'_>| {
        let verdict = Text::marked(row.verdict, TextMark::Strong);
        vec![
            Cell::from(row.required.arm.clone()),
            row.bound.clone().into(),
            row.measured.clone().into(),
            verdict.into(),
        ]
    };
    Block::Table(Table {
        columns: vec![
            Column::new(ColumnKind::Text, words.arm),
            Column::new(ColumnKind::Text, words.required),
            Column::new(ColumnKind::Phrase, words.found),
            verdict,
        ],
        parts: vec![TablePart {
            heading: None,
            rows: rows.iter().map(cells).collect(),
        }],
        narrow: false,
    })
}
