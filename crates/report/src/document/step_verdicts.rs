//! The steps of sessions, arm against baseline: for each arm a table with a part for each step and transaction.

use super::block::Cell;
use super::{Content, ContentBlock, SectionInput, TablePart};
use crate::comparison::{difference, judged_arms, measure_at_load, verdict_text};
use crate::loads::has_several_loads;
use crate::units;
use crate::words::Label;
use crate::words::StepGroup;
use model::measure::Measure;
use record::outcome::{Estimate, Report, StepComparison, StepResult};
use say::{Language, Say, text};
use traffic::scenario::full_name_of_step;

pub(super) const ID: &str = "step_verdicts";

/// The heading of the section.
#[derive(Say)]
#[say(en = "Steps of the sessions compared", zh = "会话步骤的比较")]
struct StepVerdictsHeading;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let report = source.report;
    let mut blocks = Vec::new();
    for arm in judged_arms(report) {
        let of_arm = |step: &&StepComparison| step.comparison.arm == arm.name;
        let steps: Vec<&StepComparison> = report.step_comparisons.iter().filter(of_arm).collect();
        if !steps.is_empty() {
            blocks.push(table(source, &arm.name, &steps));
        }
    }
    Content::unless_empty(source.say(&StepVerdictsHeading), blocks)
}

/// The steps of an arm, one part of the table for each.
fn table(source: &SectionInput<'_>, arm: &str, steps: &[&StepComparison]) -> ContentBlock {
    let language = source.language;
    let is_same =
        |one: &&StepComparison, next: &&StepComparison| is_step(one, &next.step, next.group.as_ref());
    let part = |rows: &[&StepComparison]| TablePart {
        heading: Some(name(rows[0], language)),
        rows: rows
            .iter()
            .map(|step| cells(source.report, step, language))
            .chain(wrong(source.report, rows[0], language))
            .collect(),
    };
    let parts = steps.chunk_by(is_same).map(part).collect();
    ContentBlock::comparison(&source.report.design.baseline, arm, parts, language)
}

fn is_step(step: &StepComparison, name: &str, group: Option<&String>) -> bool {
    step.step == name && step.group.as_ref() == group
}

/// The name of a step with the name of its users, where there are several kinds.
fn name(step: &StepComparison, language: Language) -> String {
    let name = full_name_of_step(&step.step, step.group.as_ref());
    match step.transaction {
        true => text(&StepGroup { name: &name }, language),
        false => name,
    }
}

fn cells(report: &Report, step: &StepComparison, language: Language) -> Vec<Cell> {
    let comparison = &step.comparison;
    let measure = comparison.measure;
    let title = measure.name(language);
    let title = measure_at_load(title, comparison, has_several_loads(report), language);
    let counted = match step.transaction {
        true => Label::Groups,
        false => Label::Steps,
    };
    let counted = &text(&counted, language);
    let value = |value: Option<Estimate>| match (measure, value) {
        (Measure::Throughput, Some(value)) => units::rate_of(value.value, counted),
        (measure, Some(value)) => units::value(measure, value.value),
        (_, None) => "–".to_owned(),
    };
    let [baseline, arm] = step.values.map(value);
    vec![
        title.into(),
        baseline.into(),
        arm.into(),
        difference(comparison, language).into(),
        Cell { text: verdict_text(comparison, language).into(), judged: Some(comparison.verdict.into()) },
    ]
}

/// The shares of a step that ended wrongly over all loads; `None` where neither arm had any.
fn wrong(report: &Report, step: &StepComparison, language: Language) -> Option<Vec<Cell>> {
    let ends = |arm: &str| {
        let of_arm = report.arms.iter().filter(|one| one.name == arm);
        let steps = of_arm.flat_map(|arm| &arm.levels).flat_map(|level| &level.steps);
        let of_step = |result: &&StepResult| is_step(step, &result.name, result.group.as_ref());
        let add = |(wrong, all): (u64, u64), one: &StepResult| (wrong + one.ended - one.ok, all + one.ended);
        steps.filter(of_step).fold((0, 0), add)
    };
    let [base, arm] = [&step.comparison.baseline, &step.comparison.arm].map(|arm| ends(arm));
    let share = |(wrong, all): (u64, u64)| units::share(wrong as f64 / all.max(1) as f64);
    let cells = [text(&Label::Wrong, language), share(base), share(arm), "–".to_owned(), String::new()];
    (base.0 + arm.0 > 0).then(|| cells.map(Cell::from).into())
}
