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
}

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

/// Writes the steps of a load as lines; nothing where it has none.
pub(super) fn write_steps(out: &mut String, level: &Level, language: Language) {
    if level.steps.is_empty() {
        return;
    }
    let heads: String = heads(language).iter().map(|head| right(head, FIGURE)).collect();
    let _ = writeln!(out, "\n{}{heads}", left(&text(&Label::Steps, language), NAME));
    for step in &level.steps {
        let _ = writeln!(out, "{}", line(step).trim_end());
    }
    for step in &level.steps {
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
