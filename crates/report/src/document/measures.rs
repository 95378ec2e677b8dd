//! The verdicts: for each arm a table of all measures against the baseline, and the remarks on the verdicts.

use super::block::Cell;
use super::{Content, ContentBlock, Fold, List, ListItem, SectionInput, TablePart, Text, TextMark};
use crate::comparison::{ComparisonRow, judged_arms, rows_by_load, rows_of_arm};
use crate::words::{Label, joined, labelled};
use model::measure::Measure;
use record::outcome::{ArmResult, Report};
use record::remark::{Remark, Remarks};
use say::{Language, Say, text};

pub(super) const ID: &str = "verdicts";

/// The words of the verdicts.
#[derive(Say)]
enum MeasuresText<'a> {
    #[say(en = "Verdicts", zh = "判定")]
    Heading,
    #[say(en = "still open after these starts", zh = "在这些启动之后仍未判定")]
    StillOpen,
    /// The line that unfolds them.
    #[say(
        en = "still open after these starts: {measures:clauses}",
        zh = "在这些启动之后仍未判定：{measures:clauses}"
    )]
    OpenMeasures { measures: &'a [String] },
    #[say(en = "all measures", zh = "全部指标")]
    AllMeasures,
    #[say(
        en = "their JVMs differ: {base} has {base_jvm}, and {arm} has {arm_jvm}",
        zh = "两者的 JVM 不同：{base} 为 {base_jvm}，{arm} 为 {arm_jvm}"
    )]
    JvmsDiffer { base: &'a str, base_jvm: &'a str, arm: &'a str, arm_jvm: &'a str },
    #[say(en = "JDK {jdk}", zh = "JDK {jdk}")]
    Jdk { jdk: &'a str },
    #[say(en = "none (a native program, compiled by {compiler})", zh = "无（由 {compiler} 编译的原生程序）")]
    CompiledBy { compiler: &'a str },
    #[say(en = "its process cannot be seen", zh = "看不到其进程")]
    NotSeen,
    #[say(en = "no further option", zh = "没有其他选项")]
    NoFurtherOption,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let mut blocks = Vec::new();
    for arm in judged_arms(source.report) {
        let rows = rows_of_arm(source.report, &arm.name, source.language);
        blocks.extend(jvm_difference(source.report, &arm.name, source.language).map(ContentBlock::paragraph));
        let is_folded = |row: &ComparisonRow<'_>| source.form.fold_open && row.is_open_aside(source.report);
        let (open, shown): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_folded);
        blocks.extend(table_with_remarks(source, &arm.name, &shown));
        if !open.is_empty() {
            blocks.push(folded(source, &arm.name, &open));
        }
    }
    Content::of(source.say(&MeasuresText::Heading), blocks)
}

/// Rows of an arm, and the remarks on them.
fn table_with_remarks(source: &SectionInput<'_>, arm: &str, rows: &[ComparisonRow<'_>]) -> Vec<ContentBlock> {
    let mut blocks = vec![table(source, arm, rows)];
    if source.form.row_remarks {
        let items = remarks(source.report, rows, source.language).into_iter().map(ListItem::from);
        let items = items.collect();
        blocks.push(ContentBlock::List(List { items, faint: true }));
    }
    blocks
}

/// Secondary measures that are open, below a line with their names.
fn folded(source: &SectionInput<'_>, arm: &str, rows: &[ComparisonRow<'_>]) -> ContentBlock {
    let measures: Vec<String> = rows.iter().map(|row| row.name(source.language)).collect();
    let summary = source.say(&MeasuresText::OpenMeasures { measures: &measures });
    ContentBlock::Fold(Fold { summary, blocks: table_with_remarks(source, arm, rows) })
}

/// In what the JVMs of an arm and of the baseline differ: version and vendor of the JDK, and options. `None` where they do not.
fn jvm_difference(report: &Report, arm: &str, language: Language) -> Option<String> {
    let base = report.design.baseline.as_str();
    let fact = |arm: &str, what: &str| report.fingerprint.get(&format!("arm/{arm}/{what}"));
    let options = |arm: &str| fact(arm, "jvm").map_or("", String::as_str).split_whitespace();
    let is_jdk_named = fact(base, "jdk") != fact(arm, "jdk");
    let own = |one: &str, other: &str| -> Vec<String> {
        if let Some(compiler) = report.native_image(one) {
            return vec![text(&MeasuresText::CompiledBy { compiler }, language)];
        }
        let jdk = fact(one, "jdk").filter(|_| is_jdk_named);
        let jdk = jdk.map(|jdk| text(&MeasuresText::Jdk { jdk }, language));
        let own = options(one).filter(|option| options(other).all(|known| known != *option));
        jdk.into_iter().chain(own.map(str::to_owned)).collect()
    };
    let (of_base, of_arm) = (own(base, arm), own(arm, base));
    if of_base.is_empty() && of_arm.is_empty() {
        return None;
    }
    let listed = |own: &[String]| match own {
        [] => text(&MeasuresText::NoFurtherOption, language),
        own => own.join(" "),
    };
    let (base_jvm, arm_jvm) = (&listed(&of_base), &listed(&of_arm));
    Some(text(&MeasuresText::JvmsDiffer { base, base_jvm, arm, arm_jvm }, language))
}

/// The rows of an arm, load by load.
fn table(source: &SectionInput<'_>, arm: &str, rows: &[ComparisonRow<'_>]) -> ContentBlock {
    let part = |rows: &[ComparisonRow<'_>]| TablePart {
        heading: rows[0].load.clone(),
        rows: rows.iter().map(|row| cells(source, row)).collect(),
    };
    let unknown = unknown_part(source, arm);
    let parts = rows_by_load(rows).map(part).chain(unknown).collect();
    ContentBlock::comparison(&source.report.design.baseline, arm, parts, source.language)
}

/// What is compared of other servers and cannot be read of an arm, or of the baseline, whose process cannot be seen.
fn unknown_part(source: &SectionInput<'_>, arm: &str) -> Option<TablePart> {
    let report = source.report;
    let of_pair = |one: &&ArmResult| one.name == arm || one.name == report.design.baseline;
    if !report.arms.iter().filter(of_pair).any(|one| one.unseen) {
        return None;
    }
    let unknown = || Cell::from(source.say(&Label::Unknown));
    let row = |measure: Measure| {
        vec![
            Text::from(measure.name(source.language).to_owned()).into(),
            unknown(),
            unknown(),
            source.say(&MeasuresText::NotSeen).into(),
            unknown(),
        ]
    };
    let measures = [Measure::CpuPerRequest, Measure::StartUp, Measure::PeakMemory];
    Some(TablePart { heading: None, rows: measures.map(row).into() })
}

fn cells(source: &SectionInput<'_>, row: &ComparisonRow<'_>) -> Vec<Cell> {
    let mark = match source.form.strong_verdicts {
        true => TextMark::Strong,
        false => TextMark::Plain,
    };
    let verdict =
        Cell { text: Text::marked(&row.verdict, mark), judged: Some(row.comparison.verdict.into()) };
    vec![
        Text::with_stars(&row.title).into(),
        row.baseline.clone().into(),
        row.arm.clone().into(),
        row.difference.clone().into(),
        verdict,
    ]
}

/// Whether the row is a secondary measure that only shows that more starts would be needed.
fn says_nothing(report: &Report, row: &ComparisonRow<'_>) -> bool {
    let needs_starts = |remark: &Remark| {
        matches!(remark, Remark::MoreTime { .. } | Remark::NewRun { .. } | Remark::TooNoisy { .. })
    };
    !report.is_headline(row.comparison) && row.comparison.remarks.iter().any(needs_starts)
}

/// The remarks on the rows. Each is shown once, with the measures that it is about. Secondary measures that say nothing take one line.
fn remarks(report: &Report, rows: &[ComparisonRow<'_>], language: Language) -> Vec<String> {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows {
        let remark = match says_nothing(report, row) {
            true => Some(text(&MeasuresText::StillOpen, language)),
            false => say::some_text(&Remarks(&row.comparison.remarks), language),
        };
        let Some(remark) = remark else {
            continue;
        };
        let name = row.name(language);
        match remarks.iter_mut().find(|(known, _)| *known == remark) {
            Some((_, measures)) => measures.push(name),
            None => remarks.push((remark, vec![name])),
        }
    }
    let line = |(remark, measures): (String, Vec<String>)| {
        let about_all = measures.len() > 1 && measures.len() == rows.len();
        let name = match about_all {
            true => text(&MeasuresText::AllMeasures, language),
            false => joined(&measures, language),
        };
        labelled(&name, &remark, language)
    };
    remarks.into_iter().map(line).collect()
}
