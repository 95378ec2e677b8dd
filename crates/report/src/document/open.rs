//! The questions that the source of published figures left open, each with what this run answers: verdicts, or what limited an arm.

use super::answer::{at_loads, groups, sentence};
use super::diagnoses;
use super::{Content, ContentBlock, List, ListItem, SectionInput, Text, TextMark};
use crate::brief::Brief;
use crate::comparison::{ComparisonRow, rows_of_arm, why_no_difference};
use ask::reference::{Need, OpenQuestion};
use model::measure::Measure;
use record::outcome::{ArmResult, Diagnosis, Report, Verdict};
use say::{Language, Say};

pub(super) const ID: &str = "open";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let item = |(question, answer): (String, Text)| {
        let question = Text::marked(question, TextMark::Strong).then(" ", TextMark::Plain);
        ListItem { text: question.with(answer), lines: Vec::new() }
    };
    let items: Vec<ListItem> = answered(source.report, source.language).into_iter().map(item).collect();
    let list = (!items.is_empty()).then_some(ContentBlock::List(List { items, faint: false }));
    Content::unless_empty(source.say(&OpenHeading), list.into_iter().collect())
}

/// The questions that were left open, each with its answer.
pub(super) fn answered(report: &Report, language: Language) -> Vec<(String, Text)> {
    let questions = report.reference.iter().flat_map(|reference| &reference.open);
    let with_answer =
        |asked: &OpenQuestion| (asked.question.text_in(language).to_owned(), answer(report, asked, language));
    questions.map(with_answer).collect()
}

/// The heading of the section.
#[derive(Say)]
#[say(en = "What was left open", zh = "原文未解答的问题")]
pub(super) struct OpenHeading;

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
    /// The arm has no cause, and another one has.
    #[say(
        en = "{cause}, which limits {other:text}, was not found on {arm:text}.",
        zh = "{other:text} 受限于 {cause}，而 {arm:text} 上没有发现它。"
    )]
    OnlyOn { arm: &'a str, cause: &'static str, other: &'a str },
    /// Something else than the arms was measured.
    #[say(en = "They were not compared{at:text}: {why}.", zh = "{at:text}未作比较：{why}。")]
    NotCompared { at: &'a str, why: Brief },
}

/// The answer, which is empty for no question.
fn answer(report: &Report, asked: &OpenQuestion, language: Language) -> Text {
    let say = |none: NoVerdict<'_>| Text::from(say::text(&none, language));
    let Some(arm) = report.arms.iter().find(|arm| arm.name == asked.arm) else {
        return say(match need_of(report, &asked.arm) {
            Some(need) => NoVerdict::Needs { need },
            None => NoVerdict::NotHere { arm: &asked.arm },
        });
    };
    let found = match asked.measure {
        Some(measure) => verdicts(report, arm, measure, asked.level, language),
        None => diagnoses::first_of_arm(arm, asked.level, language)
            .or_else(|| cause_of_another(report, arm, asked.level).map(say)),
    };
    found.unwrap_or_else(|| say(NoVerdict::NoCause { arm: &arm.name }))
}

/// The first cause that another arm has at this number of users, or at any, where this one has none.
fn cause_of_another<'a>(report: &'a Report, arm: &'a ArmResult, users: Option<u64>) -> Option<NoVerdict<'a>> {
    let is_asked = |found: &&Diagnosis| !found.expected && (users.is_none() || found.level.users == users);
    report.arms.iter().find_map(|other| {
        let cause = other.diagnoses.iter().find(is_asked)?.cause().id();
        Some(NoVerdict::OnlyOn { arm: &arm.name, cause, other: &other.name })
    })
}

/// What it takes to measure an arm that the run does not have.
fn need_of(report: &Report, arm: &str) -> Option<Need> {
    let rows = &report.reference.as_ref()?.rows;
    rows.iter().filter(|row| row.arm == arm).find_map(|row| row.needs)
}

/// The verdicts on an arm in a measure, a sentence for the loads that have the same one. Where the arms were not compared, what was measured
/// instead is the answer.
fn verdicts(
    report: &Report,
    arm: &ArmResult,
    measure: Measure,
    level: Option<u64>,
    language: Language,
) -> Option<Text> {
    let rows = rows_of_arm(report, &arm.name, language).into_iter();
    let is_asked = |row: &ComparisonRow<'_>| {
        let users = row.comparison.level.as_ref().and_then(|load| load.users);
        row.measure == measure && level.is_none_or(|_| users == level)
    };
    let groups = groups(rows.filter(is_asked));
    let join = |all: Text, next: Text| all.then(" ", TextMark::Plain).with(next);
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
    text.then(" ", TextMark::Plain).with(cause)
}
