//! The steps of sessions: how often each ended, how often wrongly, its times, and its first failure.

use super::block::Column;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units::{self, left, right};
use crate::words::Label;
use record::outcome::{Level, StepResult};
use say::{Language, Say, text};
use std::fmt::Write;
use traffic::scenario::{StepFailure, full_name_of_step};

pub(super) const ID: &str = "session_steps";

/// The words of the steps of sessions.
#[derive(Say)]
enum SessionStepsText<'a> {
    #[say(en = "Steps of the sessions", zh = "会话的步骤")]
    Heading,
    #[say(en = "ended", zh = "完成")]
    Ended,
    #[say(en = "longest", zh = "最长")]
    Longest,
    #[say(en = "First failure of {step}: {why}", zh = "{step} 的首个失败：{why}")]
    FirstFailure { step: &'a str, why: &'a StepFailure },
    #[say(
        en = "… {count} more, none with more errors or slower: prony report --format md shows all",
        zh = "……另有 {count} 个步骤，错误不多于、耗时不高于以上步骤：prony report --format md 列出全部"
    )]
    More { count: usize },
}

/// Steps of a load whose figures stand beside its others.
const FIRST: usize = 12;

/// Columns of the name of a step, and of each figure.
const NAME: usize = 30;
const FIGURE: usize = 9;

/// The steps of each arm at each load, for arms that prony started.
pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let language = source.language;
    let mut rows = Vec::new();
    for arm in &source.report.arms {
        for level in &arm.levels {
            for step in &level.steps {
                let names = [arm.name.clone(), load_name(&level.load, language), name(step)];
                rows.push(names.into_iter().chain(figures(step)).collect());
            }
        }
    }
    let names = [Label::Arm, Label::Load, Label::Steps];
    let names = names.map(|heading| Column::new(ColumnKind::Text, source.say(&heading)));
    let numbers = heads(language).map(|heading| Column::new(ColumnKind::Number, heading));
    let columns = names.into_iter().chain(numbers).collect();
    let table = (!rows.is_empty()).then(|| ContentBlock::table(columns, rows));
    Content::unless_empty(text(&SessionStepsText::Heading, language), table.into_iter().collect())
}

/// The headings of the figures of a step.
fn heads(language: Language) -> [String; 6] {
    let [ended, longest] =
        [SessionStepsText::Ended, SessionStepsText::Longest].map(|head| text(&head, language));
    let percentile = |name: &str| name.to_owned();
    let wrong = text(&Label::Wrong, language);
    [ended, wrong, percentile("p50"), percentile("p95"), percentile("p99"), longest]
}

/// The figures of a step.
fn figures(step: &StepResult) -> [String; 6] {
    let times = step.times.unwrap_or_default();
    let time = |seconds| match step.times {
        Some(_) => units::seconds(seconds),
        None => "-".to_owned(),
    };
    [
        step.ended.to_string(),
        (step.ended - step.ok).to_string(),
        time(times.p50.0),
        time(times.p95.0),
        time(times.p99.0),
        time(times.max.0),
    ]
}

/// The steps of a load with those first that have most errors, and then the slowest.
fn worst_first(level: &Level) -> Vec<&StepResult> {
    let mut steps: Vec<&StepResult> = level.steps.iter().collect();
    let wrong = |step: &StepResult| step.ended - step.ok;
    let slow = |step: &StepResult| step.times.map_or(0.0, |times| times.p95.0);
    steps.sort_by(|one, other| wrong(other).cmp(&wrong(one)).then_with(|| slow(other).total_cmp(&slow(one))));
    steps
}

/// Writes the worst steps of a load as lines; nothing where it has none.
pub(super) fn write_steps(out: &mut String, level: &Level, language: Language) {
    if level.steps.is_empty() {
        return;
    }
    let heads: String = heads(language).iter().map(|head| right(head, FIGURE)).collect();
    let _ = writeln!(out, "\n{}{heads}", left(&text(&Label::Steps, language), NAME));
    let steps = worst_first(level);
    for step in steps.iter().take(FIRST) {
        let _ = writeln!(out, "{}", line(step).trim_end());
    }
    if let Some(count) = steps.len().checked_sub(FIRST).filter(|count| *count > 0) {
        let _ = writeln!(out, "{}", text(&SessionStepsText::More { count }, language));
    }
    for step in steps.iter().take(FIRST) {
        write_failure(out, step, language);
    }
}

fn line(step: &StepResult) -> String {
    let indent = if step.transaction { "" } else { "  " };
    let name = units::truncated(&format!("{indent}{}", name(step)), NAME - 1);
    let mut line = left(&name, NAME);
    for cell in figures(step) {
        line.push_str(&right(&cell, FIGURE));
    }
    line
}

/// The name of a step, with the name of its group.
fn name(step: &StepResult) -> String {
    full_name_of_step(&step.name, step.group.as_ref())
}

fn write_failure(out: &mut String, step: &StepResult, language: Language) {
    let Some(first) = &step.first_failure else { return };
    let said = text(&SessionStepsText::FirstFailure { step: &name(step), why: &first.why }, language);
    let _ = writeln!(out, "\n{said}\n    {}", first.request);
    let lines = first.answer.lines().filter(|line| !line.trim().is_empty());
    for line in lines.take(12) {
        let _ = writeln!(out, "    {line}");
    }
}
