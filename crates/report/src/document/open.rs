//! The questions that the source of published figures left open, each with what this run answers: verdicts, or what limited an arm.

use super::diagnoses;
use super::{Content, ContentBlock, List, ListItem, SectionInput, Text, TextMark};
use crate::comparison::{ComparisonRow, rows_of_arm};
use crate::words::fill;
use ask::reference::OpenQuestion;
use model::measure::Measure;
use record::outcome::ArmResult;
use record::remark::Remarks;

pub(super) const ID: &str = "open";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let questions = &source.report.reference.as_ref()?.open;
    let blocks = questions.iter().flat_map(|asked| {
        let question = Text::marked(source.words.question(&asked.question), TextMark::Strong);
        let items = answer(source, asked).into_iter().map(|text| ListItem { text, lines: Vec::new() });
        let items = items.collect();
        [ContentBlock::paragraph(question), ContentBlock::List(List { items, faint: false })]
    });
    let blocks: Vec<ContentBlock> = blocks.collect();
    Content::unless_empty(source.words.open_title, blocks)
}

/// The answer in one or more lines; a line says so if there is none.
fn answer(source: &SectionInput<'_>, asked: &OpenQuestion) -> Vec<Text> {
    let words = source.words;
    let Some(arm) = source.report.arms.iter().find(|arm| arm.name == asked.arm) else {
        return vec![fill(words.open_not_here, &[("arm", &asked.arm)]).into()];
    };
    let lines = match asked.measure {
        Some(measure) => verdicts(source, arm, measure),
        None => diagnoses::of_arm(arm, words),
    };
    match lines.is_empty() {
        true => vec![fill(words.open_nothing, &[("arm", &arm.name)]).into()],
        false => lines,
    }
}

/// The verdicts on an arm in a measure, one for each load: `throughput at 500: **faster** +148 % [+140, +156]`.
fn verdicts(source: &SectionInput<'_>, arm: &ArmResult, measure: Measure) -> Vec<Text> {
    let words = source.words;
    let rows = rows_of_arm(source.report, &arm.name, words);
    let rows = rows.iter().filter(|row| row.measure == measure);
    let line = |row: &ComparisonRow<'_>| {
        let label = Text::from(format!("{}, {}: ", arm.name, row.name(words)));
        let text =
            label.then(&row.verdict, TextMark::Strong).then(format!(" {}", row.difference), TextMark::Plain);
        match say::some_text(&Remarks(&row.comparison.remarks), words.lang) {
            Some(remark) => text.then(format!(" ({remark})"), TextMark::Plain),
            None => text,
        }
    };
    rows.map(line).collect()
}
