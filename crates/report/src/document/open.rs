//! The questions that the source of published figures left open, each with what this run answers: verdicts, or what limited an arm.

use super::diagnoses;
use super::{Content, ContentBlock, List, ListItem, SectionInput, Text, TextMark};
use crate::comparison::{ComparisonRow, rows_of_arm};
use ask::reference::OpenQuestion;
use model::measure::Measure;
use record::outcome::ArmResult;
use record::remark::Remarks;
use say::{Say, text};

pub(super) const ID: &str = "open";

/// The words of the section.
#[derive(Say)]
enum OpenText<'a> {
    #[say(en = "What was left open", zh = "原文未解答的问题")]
    Heading,
    #[say(en = "no answer: {arm} is not an arm of this run", zh = "没有答案：{arm} 不是本次运行的对象")]
    NotHere { arm: &'a str },
    #[say(
        en = "no answer: nothing that prony knows was the limit of {arm}",
        zh = "没有答案：在 prony 所知的原因中，没有一个限制了 {arm}"
    )]
    Nothing { arm: &'a str },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let questions = &source.report.reference.as_ref()?.open;
    let blocks = questions.iter().flat_map(|asked| {
        let question = Text::marked(asked.question.text_in(source.language), TextMark::Strong);
        let items = answer(source, asked).into_iter().map(|text| ListItem { text, lines: Vec::new() });
        let items = items.collect();
        [ContentBlock::paragraph(question), ContentBlock::List(List { items, faint: false })]
    });
    let blocks: Vec<ContentBlock> = blocks.collect();
    Content::unless_empty(source.say(&OpenText::Heading), blocks)
}

/// The answer in one or more lines; a line says so if there is none.
fn answer(source: &SectionInput<'_>, asked: &OpenQuestion) -> Vec<Text> {
    let language = source.language;
    let Some(arm) = source.report.arms.iter().find(|arm| arm.name == asked.arm) else {
        return vec![text(&OpenText::NotHere { arm: &asked.arm }, language).into()];
    };
    let lines = match asked.measure {
        Some(measure) => verdicts(source, arm, measure),
        None => diagnoses::of_arm(arm, language),
    };
    match lines.is_empty() {
        true => vec![text(&OpenText::Nothing { arm: &arm.name }, language).into()],
        false => lines,
    }
}

/// The verdicts on an arm in a measure, one for each load: `throughput at 500: **faster** +148 % [+140, +156]`.
fn verdicts(source: &SectionInput<'_>, arm: &ArmResult, measure: Measure) -> Vec<Text> {
    let language = source.language;
    let rows = rows_of_arm(source.report, &arm.name, language);
    let rows = rows.iter().filter(|row| row.measure == measure);
    let line = |row: &ComparisonRow<'_>| {
        let label = Text::from(format!("{}, {}: ", arm.name, row.name(language)));
        let text =
            label.then(&row.verdict, TextMark::Strong).then(format!(" {}", row.difference), TextMark::Plain);
        match say::some_text(&Remarks(&row.comparison.remarks), language) {
            Some(remark) => text.then(format!(" ({remark})"), TextMark::Plain),
            None => text,
        }
    };
    rows.map(line).collect()
}
