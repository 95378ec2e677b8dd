//! What a reader looks for first below the answer, side by side: what limited the arms, the errors by kind, and the slowest steps.

use super::block::Column;
use super::by_arm::{ArmRow, table_by_arm};
use super::diagnoses;
use super::{ColumnKind, Content, ContentBlock, Fold, List, ListItem, SectionInput};
use crate::loads::load_name;
use crate::units;
use crate::words::Label;
use model::faults::FaultName;
use model::load::Load;
use record::outcome::{ArmResult, Report, StepResult};
use say::{Language, Say, text};
use std::collections::BTreeMap;
use traffic::scenario::{FirstFailure, full_name_of_step};

pub(super) const ID: &str = "glance";

/// The most steps that are among the slowest.
const SLOWEST: usize = 5;

/// The words of the section.
#[derive(Say)]
enum GlanceText<'a> {
    #[say(en = "At a glance", zh = "一览")]
    Heading,
    #[say(en = "What limited them", zh = "瓶颈")]
    Limits,
    #[say(en = "nothing that prony knows", zh = "在 prony 所知的原因中没有")]
    NoLimit,
    #[say(en = "Errors", zh = "错误")]
    Errors,
    #[say(en = "none in {requests} requests", zh = "{requests} 个请求中没有错误")]
    NoErrors { requests: &'a str },
    #[say(en = "of requests", zh = "请求总数")]
    OfRequests,
    #[say(en = "The first failure of {arm}: {why}", zh = "{arm} 的首个失败：{why}")]
    FirstWrong { arm: &'a str, why: &'a FirstFailure },
    #[say(en = "Slowest steps", zh = "最慢的步骤")]
    Slowest,
    #[say(en = "p99 of each step at {load}", zh = "{load} 下各步骤的 p99")]
    SlowestExplained { load: &'a str },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let cards = [limits(report, language), errors(report, language), slowest(report, language)];
    let cards: Vec<Vec<ContentBlock>> = cards.into_iter().flatten().collect();
    let grid = (!cards.is_empty()).then_some(ContentBlock::SideBySide(cards));
    Content::unless_empty(source.say(&GlanceText::Heading), grid.into_iter().collect())
}

/// What limited each arm most; an arm that ran alone has that in its conclusion, and a single load shows its causes itself.
fn limits(report: &Report, language: Language) -> Option<Vec<ContentBlock>> {
    if report.comparisons.is_empty() {
        return None;
    }
    let mut causes = diagnoses::first_of_each_arm(report, language);
    if causes.is_empty() {
        causes.push(text(&GlanceText::NoLimit, language).into());
    }
    let items = causes.into_iter().map(|text| ListItem { text, lines: Vec::new() }).collect();
    Some(vec![
        ContentBlock::Heading(text(&GlanceText::Limits, language)),
        ContentBlock::List(List { items, faint: false }),
    ])
}

/// The errors of each arm over all loads by kind, and the first failure of each.
fn errors(report: &Report, language: Language) -> Option<Vec<ContentBlock>> {
    let requests = |arm: &ArmResult| arm.levels.iter().map(|level| level.counts.requests).sum::<u64>();
    let all: u64 = report.arms.iter().map(requests).sum();
    if all == 0 {
        return None;
    }
    let mut blocks = vec![ContentBlock::Heading(text(&GlanceText::Errors, language))];
    let by_arm: Vec<BTreeMap<&str, u64>> = report.arms.iter().map(faults).collect();
    let mut kinds: Vec<&str> = by_arm.iter().flat_map(|faults| faults.keys().copied()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        let none = GlanceText::NoErrors { requests: &all.to_string() };
        blocks.push(ContentBlock::paragraph(text(&none, language)));
        return Some(blocks);
    }
    let of_kind = |kind: &str| ArmRow {
        title: text(&FaultName(kind), language),
        values: by_arm.iter().map(|faults| faults.get(kind).copied().unwrap_or(0).to_string()).collect(),
    };
    let total = ArmRow::new(report, text(&GlanceText::OfRequests, language), |arm| requests(arm).to_string());
    let rows = kinds.into_iter().map(of_kind).chain([total]).collect();
    blocks.push(table_by_arm(report, ColumnKind::Number, rows));
    blocks.extend(report.arms.iter().filter_map(|arm| first_wrong(arm, language)));
    Some(blocks)
}

/// The errors of an arm over all loads, by kind.
fn faults(arm: &ArmResult) -> BTreeMap<&str, u64> {
    let mut all = BTreeMap::new();
    for (kind, count) in arm.levels.iter().flat_map(|level| &level.counts.faults) {
        *all.entry(kind.as_str()).or_default() += count;
    }
    all
}

/// The first failure of an arm, or of a step of its sessions, folded away.
fn first_wrong(arm: &ArmResult, language: Language) -> Option<ContentBlock> {
    let mut of_levels = arm.levels.iter().filter_map(|level| level.counts.first_wrong.as_ref());
    let steps = arm.levels.iter().flat_map(|level| &level.steps);
    let why = of_levels.next().or_else(|| steps.filter_map(|step| step.first_failure.as_ref()).next())?;
    let summary = text(&GlanceText::FirstWrong { arm: &arm.name, why }, language);
    let exchange = [why.request.as_str(), why.answer.as_str()].join("\n\n");
    let blocks = vec![ContentBlock::Preformatted(exchange.trim_end().to_owned())];
    Some(ContentBlock::Fold(Fold { summary, blocks }))
}

/// The steps with the longest 99th percentile of any arm, at the fixed rate or else under the most users.
fn slowest(report: &Report, language: Language) -> Option<Vec<ContentBlock>> {
    let load = load_of_steps(report)?;
    let steps_of = |arm: &'_ ArmResult| {
        let level = arm.levels.iter().find(|level| level.load == *load);
        level.map_or_else(Vec::new, |level| {
            level.steps.iter().filter(|step| !step.transaction).cloned().collect()
        })
    };
    let by_arm: Vec<Vec<StepResult>> = report.arms.iter().map(steps_of).collect();
    let name = |step: &StepResult| full_name_of_step(&step.name, step.group.as_ref());
    let p99 = |steps: &[StepResult], wanted: &str| {
        let step = steps.iter().find(|step| name(step) == wanted)?;
        Some(step.times?.p99.0)
    };
    let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for step in by_arm.iter().flatten().map(name) {
        if rows.iter().all(|(known, _)| *known != step) {
            let times = by_arm.iter().map(|steps| p99(steps, &step)).collect();
            rows.push((step, times));
        }
    }
    let longest = |times: &[Option<f64>]| times.iter().flatten().copied().fold(0.0, f64::max);
    rows.sort_by(|(_, one), (_, next)| longest(next).total_cmp(&longest(one)));
    rows.truncate(SLOWEST);
    let arms = report.arms.iter().map(|arm| Column::new(ColumnKind::Number, arm.name.as_str()));
    let step = Column::new(ColumnKind::Text, text(&Label::Steps, language));
    let cells = |(step, times): (String, Vec<Option<f64>>)| {
        let time = |time: Option<f64>| time.map_or_else(|| "–".to_owned(), units::seconds);
        [step].into_iter().chain(times.into_iter().map(time)).collect()
    };
    let explained = GlanceText::SlowestExplained { load: &load_name(load, language) };
    Some(vec![
        ContentBlock::Heading(text(&GlanceText::Slowest, language)),
        ContentBlock::table([step].into_iter().chain(arms).collect(), rows.into_iter().map(cells).collect()),
        ContentBlock::explanation(text(&explained, language)),
    ])
}

/// The load whose steps are shown: the fixed rate, which is the same for all arms, or else that with the most users.
fn load_of_steps(report: &Report) -> Option<&Load> {
    let levels = report.arms.first()?.levels.iter().filter(|level| !level.steps.is_empty());
    levels.map(|level| &level.load).max_by_key(|load| (load.rate.is_some(), load.users))
}
