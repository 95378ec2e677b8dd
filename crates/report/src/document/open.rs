//! The questions that the source of published figures left open, each with what this run answers: verdicts, or what limited an arm.

use super::answer::{at_loads, groups, sentence};
use super::diagnoses;
use super::{Content, ContentBlock, List, ListItem, SectionInput, Text, TextMark};
use crate::brief::Brief;
use crate::comparison::{ComparisonRow, rows_of_arm, why_no_difference};
use ask::reference::{Need, OpenQuestion};
use model::measure::Measure;
use record::outcome::{ArmResult, Verdict};
use say::{Language, Say};

pub(super) const ID: &str = "open";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let questions = &source.report.reference.as_ref()?.open;
    let item = |asked: &OpenQuestion| {
        let question = Text::marked(asked.question.text_in(source.language), TextMark::Strong);
        let mut text = question.then(" ", TextMark::Plain);
        text.spans.extend(answer(source, asked).spans);
        ListItem { text, lines: Vec::new() }
    };
    let items: Vec<ListItem> = questions.iter().map(item).collect();
    let list = (!items.is_empty()).then_some(ContentBlock::List(List { items, faint: false }));
    Content::unless_empty(source.say(&Heading), list.into_iter().collect())
}

/// The heading of the section.
#[derive(Say)]
#[say(en = "What was left open", zh = "原文未解答的问题")]
struct Heading;

/// An answer that is no verdict and no cause.
#[derive(Say)]
enum NoVerdict<'a> {
    /// The arm is not one of the run.
    #[say(en = "No answer: it {need}.", zh = "没有答案：{need}。")]
    Needs { need: Need },
    #[say(
        en = "No answer: {arm:text} is not an arm of this run.",
        zh = "没有答案：{arm:text} 不是本次运行的对象。"
    )]
    NotHere { arm: &'a str },
    #[say(
        en = "No answer: nothing that prony knows was the limit of {arm:text}.",
        zh = "没有答案：在 prony 所知的原因中，没有一个限制了 {arm:text}。"
    )]
    NoCause { arm: &'a str },
    /// Something else than the arms was measured.
    #[say(en = "They were not compared{at:text}: {why}.", zh = "{at:text}未作比较：{why}。")]
    NotCompared { at: &'a str, why: Brief },
}

/// The answer, which is empty for no question.
fn answer(source: &SectionInput<'_>, asked: &OpenQuestion) -> Text {
    let language = source.language;
    let say = |none: NoVerdict<'_>| Text::from(say::text(&none, language));
    let Some(arm) = source.report.arms.iter().find(|arm| arm.name == asked.arm) else {
        return say(match need_of(source, &asked.arm) {
            Some(need) => NoVerdict::Needs { need },
            None => NoVerdict::NotHere { arm: &asked.arm },
        });
    };
    let found = match asked.measure {
        Some(measure) => verdicts(source, arm, measure, asked.level),
        None => diagnoses::first_of_arm(arm, asked.level, language),
    };
    found.unwrap_or_else(|| say(NoVerdict::NoCause { arm: &arm.name }))
}

/// What it takes to measure an arm that the run does not have.
fn need_of(source: &SectionInput<'_>, arm: &str) -> Option<Need> {
    let rows = &source.report.reference.as_ref()?.rows;
    rows.iter().filter(|row| row.arm == arm).find_map(|row| row.needs)
}

/// The verdicts on an arm in a measure, a sentence for the loads that have the same one. Where the arms were not compared, what was measured
/// instead is the answer.
fn verdicts(
    source: &SectionInput<'_>,
    arm: &ArmResult,
    measure: Measure,
    level: Option<u64>,
) -> Option<Text> {
    let language = source.language;
    let rows = rows_of_arm(source.report, &arm.name, language).into_iter();
    let is_asked = |row: &ComparisonRow<'_>| {
        let users = row.comparison.level.as_ref().and_then(|load| load.users);
        row.measure == measure && level.is_none_or(|_| users == level)
    };
    let groups = groups(rows.filter(is_asked));
    let join = |all: Text, next: Text| {
        let mut all = all.then(" ", TextMark::Plain);
        all.spans.extend(next.spans);
        all
    };
    groups.iter().map(|rows| verdict(arm, rows, language)).reduce(join)
}

/// A sentence on rows of an arm with the same verdict.
fn verdict(arm: &ArmResult, rows: &[ComparisonRow<'_>], language: Language) -> Text {
    if rows[0].comparison.verdict != Verdict::Invalid {
        return sentence(rows, language).into();
    }
    let at = at_loads(rows, language);
    let not_compared = NoVerdict::NotCompared { at: &at, why: why_no_difference(rows[0].comparison) };
    let text = Text::from(say::text(&not_compared, language));
    let users = rows[0].comparison.level.as_ref().and_then(|load| load.users);
    let Some(cause) = diagnoses::measured_instead(arm, users, language) else {
        return text;
    };
    let mut text = text.then(" ", TextMark::Plain);
    text.spans.extend(cause.spans);
    text
}
