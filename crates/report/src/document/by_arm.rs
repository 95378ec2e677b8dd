//! Tables with a column for each arm, and tables with a row for each arm under each load.

use super::block::Column;
use super::{ColumnKind, ContentBlock};
use crate::loads::load_name;
use crate::words::Label;
use record::outcome::{ArmResult, Level, Report};
use say::{Language, text};

/// A row with a value for each arm.
pub(super) struct ArmRow {
    /// The heading of the row.
    pub(super) title: String,
    /// One value for each arm, in the order of the report.
    pub(super) values: Vec<String>,
}

impl ArmRow {
    /// A row with `value` of each arm.
    pub(super) fn new(
        report: &Report,
        title: impl Into<String>,
        value: impl Fn(&ArmResult) -> String,
    ) -> Self {
        Self { title: title.into(), values: report.arms.iter().map(value).collect() }
    }
}

/// A table with a column of this kind for each arm.
pub(super) fn table_by_arm(report: &Report, kind: ColumnKind, rows: Vec<ArmRow>) -> ContentBlock {
    let arms = report.arms.iter().map(|arm| Column::new(kind, arm.name.as_str()));
    let columns = [Column::bare(ColumnKind::RowHeading)].into_iter().chain(arms).collect();
    let cells = |row: ArmRow| [row.title].into_iter().chain(row.values).collect();
    ContentBlock::table(columns, rows.into_iter().map(cells).collect())
}

/// A table with a row for each arm at each load. It begins with columns for arm and load; `cells` gives the others.
pub(super) fn table_by_load<const N: usize>(
    report: &Report,
    language: Language,
    columns: [Column; N],
    cells: impl Fn(&Level) -> [String; N],
) -> ContentBlock {
    let names = [text(&Label::Arm, language), text(&Label::Load, language)]
        .map(|heading| Column::new(ColumnKind::Text, heading));
    let rows_of = |arm: &ArmResult| {
        let row = |level: &Level| {
            let names = [arm.name.clone(), load_name(&level.load, language)];
            names.into_iter().chain(cells(level)).collect()
        };
        arm.levels.iter().map(row).collect::<Vec<_>>()
    };
    let rows = report.arms.iter().flat_map(rows_of).collect();
    ContentBlock::table(names.into_iter().chain(columns).collect(), rows)
}
