//! Why a request of one arm needs more CPU time than one of another: the methods and the packages that differ, and a flame graph of
//! both. Where no profile was taken, how to take one.

use super::block::{Column, Text};
use super::shown_as::CpuRows;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::plot;
use crate::units;
use crate::words::{Words, fill};
use model::units::Seconds;
use record::cpu_profile::{CpuDifference, FrameDifference, FrameDifferences, FrameName};
use std::fmt::Display;

pub(super) const ID: &str = "cpu";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    let mut blocks = Vec::new();
    for difference in &report.cpu_differences {
        blocks.push(ContentBlock::paragraph(whole(difference, words)));
        blocks.extend(rows(difference, source.form.cpu_rows, words));
    }
    if !blocks.is_empty() {
        blocks.push(ContentBlock::explanation(words.flame_says));
    }
    let flames = source.series.map(|series| plot::flames(report, series, source.lang));
    blocks.extend(flames.into_iter().flatten().map(ContentBlock::Figure));
    if report.offers_profile {
        let offer = Text::filled(words.flame_offer, &[("run", &report.run)]);
        blocks.push(ContentBlock::paragraph(offer));
    }
    Content::unless_empty(words.flame_heading, blocks)
}

/// A sentence on the whole difference.
fn whole(difference: &CpuDifference, words: &Words) -> String {
    let [before, after] = difference.seconds.map(|time| units::seconds(time.0));
    let [of_baseline, of_arm] = difference.starts;
    let values: [(&str, &dyn Display); 7] = [
        ("base", &difference.baseline),
        ("arm", &difference.arm),
        ("load", &load_name(&difference.level, words)),
        ("before", &before),
        ("after", &after),
        ("difference", &difference.difference.as_signed_seconds()),
        ("starts", &of_baseline.min(of_arm)),
    ];
    fill(words.flame_whole, &values)
}

/// The methods and packages that differ; or that none was shown to.
fn rows(difference: &CpuDifference, shown_as: CpuRows, words: &Words) -> Vec<ContentBlock> {
    let (methods, packages) = (&difference.methods, &difference.packages);
    let is_single = difference.starts.contains(&1);
    let mut blocks = Vec::new();
    if methods.rows.is_empty() && packages.rows.is_empty() {
        let resolution = methods.resolution.into_iter().chain(packages.resolution);
        let resolution = units::seconds(resolution.fold(Seconds::ZERO, Seconds::max).0);
        let none = fill(words.flame_none, &[("resolution", &resolution)]);
        blocks.push(ContentBlock::paragraph(none));
    }
    for (heading, differences) in [(words.flame_method, methods), (words.flame_package, packages)] {
        match shown_as {
            _ if differences.rows.is_empty() => {}
            CpuRows::Points => {
                let points = differences.rows.iter().map(|row| point(row, words));
                blocks.push(ContentBlock::paragraph(fill(words.flame_by, &[("what", &heading)])));
                blocks.push(ContentBlock::list(points));
            }
            CpuRows::Tables => blocks.push(table(difference, heading, differences, words)),
        }
    }
    if is_single {
        blocks.push(ContentBlock::explanation(words.flame_one_start));
    }
    blocks
}

fn table(
    difference: &CpuDifference,
    heading: &str,
    differences: &FrameDifferences,
    words: &Words,
) -> ContentBlock {
    let columns = vec![
        Column::new(ColumnKind::RowHeading, heading),
        Column::of_arm(&difference.baseline),
        Column::of_arm(&difference.arm),
        Column::new(ColumnKind::Number, words.difference),
        Column::new(ColumnKind::Text, words.flame_mostly),
    ];
    let row = |row: &FrameDifference| {
        let [before, after] = row.seconds.map(|time| units::seconds(time.0));
        let mostly = row.mostly.as_ref().map(|name| say::text(&FrameName(name), words.lang));
        vec![
            say::text(&FrameName(&row.name), words.lang),
            before,
            after,
            row.difference.as_signed_seconds(),
            mostly.unwrap_or_default(),
        ]
    };
    ContentBlock::table(columns, differences.rows.iter().map(row).collect())
}

/// A row in a line of text.
fn point(row: &FrameDifference, words: &Words) -> String {
    let name = say::text(&FrameName(&row.name), words.lang);
    let difference = row.difference.as_signed_seconds();
    match &row.mostly {
        None => fill(words.flame_row, &[("name", &name), ("difference", &difference)]),
        Some(mostly) => {
            let mostly = say::text(&FrameName(mostly), words.lang);
            let values: [(&str, &dyn Display); 3] =
                [("name", &name), ("difference", &difference), ("mostly", &mostly)];
            fill(words.flame_row_mostly, &values)
        }
    }
}
