//! The requirements on the arms, and whether they hold.

use super::block::{Cell, Column, TextMark};
use super::shown_as::Requirements;
use super::{ColumnKind, Content, ContentBlock, SectionInput, TableBlock, TablePart, Text};
use crate::requirement::{RequirementRow, requirement_rows};
use crate::units;
use crate::words::Label;
use say::{Language, Say, text};

pub(super) const ID: &str = "required";

/// The words of the requirements.
#[derive(Say)]
enum RequiredText<'a> {
    #[say(en = "Requirements", zh = "要求")]
    Heading,
    #[say(en = "required", zh = "要求")]
    Column,
    #[say(en = "required of {arm}", zh = "对 {arm} 的要求")]
    OfArm { arm: &'a str },
    #[say(en = "{verdict} {bound}; measured: {measured}", zh = "{verdict} {bound}；实测：{measured}")]
    Line { verdict: &'a str, bound: &'a str, measured: &'a str },
    #[say(en = "measured", zh = "实测")]
    Measured,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    let rows: Vec<RequirementRow<'_>> = requirement_rows(source.report, language).collect();
    if source.report.required.is_empty() {
        return None;
    }
    let blocks = match source.form.requirements {
        Requirements::Sentences => sentences(&rows, language),
        Requirements::Table => vec![table(&rows, Column::bare(ColumnKind::Verdict), language)],
        Requirements::TableWithVerdictHeading => {
            let verdict = Column::new(ColumnKind::Verdict, text(&Label::Verdict, language));
            vec![table(&rows, verdict, language)]
        }
    };
    Content::of(text(&RequiredText::Heading, language), blocks)
}

/// The requirements as sentences, arm by arm.
fn sentences(rows: &[RequirementRow<'_>], language: Language) -> Vec<ContentBlock> {
    let sentence = |row: &RequirementRow<'_>| {
        let line = RequiredText::Line {
            // All verdicts take the same width, so that the bounds are aligned.
            verdict: &units::left(&row.verdict, 12),
            bound: &row.bound,
            measured: &row.measured,
        };
        text(&line, language)
    };
    let of_arm = |rows: &[RequirementRow<'_>]| {
        let heading = text(&RequiredText::OfArm { arm: &rows[0].required.arm }, language);
        [ContentBlock::Heading(heading), ContentBlock::list(rows.iter().map(sentence))]
    };
    let arms = rows.chunk_by(|one, next| one.required.arm == next.required.arm);
    arms.flat_map(of_arm).collect()
}

fn table(rows: &[RequirementRow<'_>], verdict: Column, language: Language) -> ContentBlock {
    let cells = |row: &RequirementRow<'_>| {
        let verdict = Text::marked(&row.verdict, TextMark::Strong);
        vec![
            Cell::from(row.required.arm.clone()),
            row.bound.clone().into(),
            row.measured.clone().into(),
            verdict.into(),
        ]
    };
    ContentBlock::Table(TableBlock {
        columns: vec![
            Column::new(ColumnKind::Text, text(&Label::Arm, language)),
            Column::new(ColumnKind::Text, text(&RequiredText::Column, language)),
            Column::new(ColumnKind::Phrase, text(&RequiredText::Measured, language)),
            verdict,
        ],
        parts: vec![TablePart { heading: None, rows: rows.iter().map(cells).collect() }],
        narrow: false,
    })
}
