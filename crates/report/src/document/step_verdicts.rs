//! The steps of sessions, arm against baseline: for each arm a table with a part for each step and transaction.

use super::block::Cell;
use super::{Content, ContentBlock, SectionInput, TablePart};
use crate::comparison::{difference, judged_arms, measure_at_load, verdict_text};
use crate::loads::has_several_loads;
use crate::units;
use crate::words::{Words, fill};
use model::measure::Measure;
use record::outcome::{Estimate, Report, StepComparison, StepResult};
use traffic::scenario::full_name_of_step;

pub(super) const ID: &str = "step_verdicts";

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
    Content::unless_empty(source.words.step_verdicts, blocks)
}

/// The steps of an arm, one part of the table for each.
fn table(source: &SectionInput<'_>, arm: &str, steps: &[&StepComparison]) -> ContentBlock {
    let words = source.words;
    let is_same =
        |one: &&StepComparison, next: &&StepComparison| is_step(one, &next.step, next.group.as_ref());
    let part = |rows: &[&StepComparison]| TablePart {
        heading: Some(name(rows[0], words)),
        rows: rows
            .iter()
            .map(|step| cells(source.report, step, words))
            .chain(wrong(source.report, rows[0], words))
            .collect(),
    };
    let parts = steps.chunk_by(is_same).map(part).collect();
    ContentBlock::comparison(&source.report.design.baseline, arm, parts, words)
}

fn is_step(step: &StepComparison, name: &str, group: Option<&String>) -> bool {
    step.step == name && step.group.as_ref() == group
}

/// The name of a step with the name of its users, where there are several kinds.
fn name(step: &StepComparison, words: &Words) -> String {
    let name = full_name_of_step(&step.step, step.group.as_ref());
    match step.transaction {
        true => fill(words.step_group, &[("name", &name)]),
        false => name,
    }
}

fn cells(report: &Report, step: &StepComparison, words: &Words) -> Vec<Cell> {
    let comparison = &step.comparison;
    let measure = comparison.measure;
    let title = words.measure(measure);
    let title = measure_at_load(title, comparison, has_several_loads(report), words);
    let counted = match step.transaction {
        true => words.groups_counted,
        false => words.steps_counted,
    };
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
        difference(comparison, words).into(),
        Cell { text: verdict_text(comparison, words).into(), judged: Some(comparison.verdict.into()) },
    ]
}

/// The shares of a step that ended wrongly over all loads; `None` where neither arm had any.
fn wrong(report: &Report, step: &StepComparison, words: &Words) -> Option<Vec<Cell>> {
    let ends = |arm: &str| {
        let of_arm = report.arms.iter().filter(|one| one.name == arm);
        let steps = of_arm.flat_map(|arm| &arm.levels).flat_map(|level| &level.steps);
        let of_step = |result: &&StepResult| is_step(step, &result.name, result.group.as_ref());
        let add = |(wrong, all): (u64, u64), one: &StepResult| (wrong + one.ended - one.ok, all + one.ended);
        steps.filter(of_step).fold((0, 0), add)
    };
    let [base, arm] = [&step.comparison.baseline, &step.comparison.arm].map(|arm| ends(arm));
    let share = |(wrong, all): (u64, u64)| units::share(wrong as f64 / all.max(1) as f64);
    let cells = [words.step_wrong.to_owned(), share(base), share(arm), "–".to_owned(), String::new()];
    (base.0 + arm.0 > 0).then(|| cells.map(Cell::from).into())
}
