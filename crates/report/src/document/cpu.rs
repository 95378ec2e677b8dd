//! Why a request of one arm needs more CPU time than one of another: the methods and the packages that differ, and a flame graph of
//! both. Where no profile was taken, how to take one.

use super::block::{Column, Text};
use super::shown_as::CpuRows;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::plot;
use crate::units;
use crate::words::Label;
use model::units::Seconds;
use record::cpu_profile::{CpuDifference, FrameDifference, FrameDifferences, FrameName};
use say::{Language, Say, text};

pub(super) const ID: &str = "cpu";

/// The words of the section.
#[derive(Say)]
enum CpuText<'a> {
    #[say(en = "Where the CPU time of a request goes", zh = "每请求 CPU 时间的去向")]
    Heading,
    #[say(
        en = "{arm} against {base} at {load}: CPU per request {difference} ({before} and {after}), {starts} profiled starts of each.",
        zh = "{arm} 对比 {base}，{load}：每请求 CPU {difference}（{before} 与 {after}），各剖析 {starts} 次启动。"
    )]
    Whole {
        arm: &'a str,
        base: &'a str,
        load: &'a str,
        difference: &'a str,
        before: &'a str,
        after: &'a str,
        starts: u32,
    },
    #[say(
        en = "Profiled in extra starts after all measured ones. The intervals of a table hold together with 95 % confidence. \
              Every sample counts once: for the kernel, for a part of the JVM, or for the innermost method outside the JDK, \
              whose calls into the JDK are its own cost.",
        zh = "剖析在全部测量之后的额外启动中进行。同一张表的各区间合起来有 95 % 的置信度。每个样本只计一次：计入内核、JVM 的某个部分，或最内层的非 JDK 方法；方法在 JDK 中的调用计入它自身。"
    )]
    Explained,
    #[say(
        en = "CPU per request differs. `prony run --resume {run} --profile` shows in which methods: it profiles a few more \
              starts of each arm.",
        zh = "每请求 CPU 不同。`prony run --resume {run} --profile` 会再剖析每个对象的几次启动，指出差异在哪些方法中。"
    )]
    Offer { run: &'a str },
    #[say(
        en = "No method and no package was shown to differ; a difference of {resolution} or more would have been.",
        zh = "未能证明任何方法或包有差异；若差异达到 {resolution}，则会被发现。"
    )]
    NoneDiffers { resolution: &'a str },
    #[say(en = "method", zh = "方法")]
    Method,
    #[say(en = "package", zh = "包")]
    Package,
    #[say(en = "By {what}:", zh = "按{what}：")]
    By { what: &'a str },
    #[say(
        en = "One profiled start does not show how starts differ: these differences have no intervals, and only exceed what \
              sampling noise alone explains.",
        zh = "只剖析一次启动看不出各次启动的差别：这些差异没有区间，仅仅大于采样偶然性所能解释的范围。"
    )]
    OneStart,
    #[say(en = "mostly in or for", zh = "主要在（或为）")]
    Mostly,
    #[say(en = "{difference}: {name}", zh = "{difference}：{name}")]
    Row { difference: &'a str, name: FrameName<'a> },
    #[say(
        en = "{difference}: {name} (mostly in or for {mostly})",
        zh = "{difference}：{name}（主要在或为 {mostly}）"
    )]
    RowMostly { difference: &'a str, name: FrameName<'a>, mostly: FrameName<'a> },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let mut blocks = Vec::new();
    for difference in &report.cpu_differences {
        blocks.push(ContentBlock::paragraph(whole(difference, language)));
        blocks.extend(rows(difference, source.form.cpu_rows, language));
    }
    if !blocks.is_empty() {
        blocks.push(ContentBlock::explanation(text(&CpuText::Explained, language)));
    }
    let flames = source.series.map(|series| plot::flames(report, series, source.language));
    blocks.extend(flames.into_iter().flatten().map(ContentBlock::Figure));
    if report.offers_profile {
        let offer = Text::with_marks(&CpuText::Offer { run: &report.run }, language);
        blocks.push(ContentBlock::paragraph(offer));
    }
    Content::unless_empty(text(&CpuText::Heading, language), blocks)
}

/// A sentence on the whole difference.
fn whole(difference: &CpuDifference, language: Language) -> String {
    let [before, after] = difference.seconds.map(|time| units::seconds(time.0));
    let [of_baseline, of_arm] = difference.starts;
    let whole = CpuText::Whole {
        base: &difference.baseline,
        arm: &difference.arm,
        load: &load_name(&difference.level, language),
        before: &before,
        after: &after,
        difference: &difference.difference.as_signed_seconds(),
        starts: of_baseline.min(of_arm),
    };
    text(&whole, language)
}

/// The methods and packages that differ; or that none was shown to.
fn rows(difference: &CpuDifference, shown_as: CpuRows, language: Language) -> Vec<ContentBlock> {
    let (methods, packages) = (&difference.methods, &difference.packages);
    let is_single = difference.starts.contains(&1);
    let mut blocks = Vec::new();
    if methods.rows.is_empty() && packages.rows.is_empty() {
        let resolution = methods.resolution.into_iter().chain(packages.resolution);
        let resolution = units::seconds(resolution.fold(Seconds::ZERO, Seconds::max).0);
        let none = text(&CpuText::NoneDiffers { resolution: &resolution }, language);
        blocks.push(ContentBlock::paragraph(none));
    }
    for (heading, differences) in [(CpuText::Method, methods), (CpuText::Package, packages)] {
        let heading = text(&heading, language);
        match shown_as {
            _ if differences.rows.is_empty() => {}
            CpuRows::Points => {
                let points = differences.rows.iter().map(|row| point(row, language));
                blocks.push(ContentBlock::paragraph(text(&CpuText::By { what: &heading }, language)));
                blocks.push(ContentBlock::list(points));
            }
            CpuRows::Tables => blocks.push(table(difference, heading, differences, language)),
        }
    }
    if is_single {
        blocks.push(ContentBlock::explanation(text(&CpuText::OneStart, language)));
    }
    blocks
}

fn table(
    difference: &CpuDifference,
    heading: String,
    differences: &FrameDifferences,
    language: Language,
) -> ContentBlock {
    let columns = vec![
        Column::new(ColumnKind::RowHeading, heading),
        Column::of_arm(&difference.baseline),
        Column::of_arm(&difference.arm),
        Column::new(ColumnKind::Number, text(&Label::Difference, language)),
        Column::new(ColumnKind::Text, text(&CpuText::Mostly, language)),
    ];
    let row = |row: &FrameDifference| {
        let [before, after] = row.seconds.map(|time| units::seconds(time.0));
        let mostly = row.mostly.as_ref().map(|name| text(&FrameName(name), language));
        vec![
            text(&FrameName(&row.name), language),
            before,
            after,
            row.difference.as_signed_seconds(),
            mostly.unwrap_or_default(),
        ]
    };
    ContentBlock::table(columns, differences.rows.iter().map(row).collect())
}

/// A row in a line of text.
fn point(row: &FrameDifference, language: Language) -> String {
    let (name, difference) = (FrameName(&row.name), &row.difference.as_signed_seconds());
    let point = match &row.mostly {
        None => CpuText::Row { difference, name },
        Some(mostly) => CpuText::RowMostly { difference, name, mostly: FrameName(mostly) },
    };
    text(&point, language)
}
