//! The requirements on the arms, and whether they hold.

use super::block::{Cell, Column, TextMark};
use super::shown_as::Requirements;
use super::{ColumnKind, Content, ContentBlock, SectionInput, TableBlock, TablePart, Text};
use crate::requirement::{RequirementRow, requirement_rows};
use crate::units;
use crate::words::{Words, fill};

pub(super) const ID: &str = "required";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
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

/// The requirements as sentences, arm by arm.
fn sentences(rows: &[RequirementRow<'_>], words: &Words) -> Vec<ContentBlock> {
    let sentence = |row: &RequirementRow<'_>| {
        let values: [(&str, &dyn std::fmt::Display); 3] = [
            // All verdicts take the same width, so that the bounds are aligned.
            ("verdict", &units::left(row.verdict, 12)),
            ("bound", &row.bound),
            ("measured", &row.measured),
        ];
        fill(words.required_line, &values)
    };
    let of_arm = |rows: &[RequirementRow<'_>]| {
        let heading = fill(words.required_of, &[("arm", &rows[0].required.arm)]);
        [ContentBlock::Heading(heading), ContentBlock::list(rows.iter().map(sentence))]
    };
    let arms = rows.chunk_by(|one, next| one.required.arm == next.required.arm);
    arms.flat_map(of_arm).collect()
}

fn table(rows: &[RequirementRow<'_>], verdict: Column, words: &Words) -> ContentBlock {
    let cells = |row: &RequirementRow<'_>| {
        let verdict = Text::marked(row.verdict, TextMark::Strong);
        vec![
            Cell::from(row.required.arm.clone()),
            row.bound.clone().into(),
            row.measured.clone().into(),
            verdict.into(),
        ]
    };
    ContentBlock::Table(TableBlock {
        columns: vec![
            Column::new(ColumnKind::Text, words.arm),
            Column::new(ColumnKind::Text, words.required),
            Column::new(ColumnKind::Phrase, words.measured),
            verdict,
        ],
        parts: vec![TablePart { heading: None, rows: rows.iter().map(cells).collect() }],
        narrow: false,
    })
}
