//! Tables with a column for each arm, and tables with a row for each arm under each load.

use super::block::Column;
use super::{Block, ColumnKind};
use crate::loads::load_name;
use crate::words::Words;
use model::outcome::{ArmResult, Level, Report};

/// A row with a value for each arm.
pub(super) struct ArmRow {
    /// What the values are.
    pub(super) title: String,
    /// One for each arm, in the order of the report.
    pub(super) values: Vec<String>,
}

impl ArmRow {
    /// The row with what `value` says of each arm.
    pub(super) fn new(
        report: &Report,
        title: impl Into<String>,
        value: impl Fn(&ArmResult) -> String,
    ) -> Self {
        Self {
            title: title.into(),
            values: report.arms.iter().map(value).collect(),
        }
    }
}

/// A table with a column of this kind for each arm.
pub(super) fn table_by_arm(report: &Report, kind: ColumnKind, rows: Vec<ArmRow>) -> Block {
    let arms = report.arms.iter().map(|arm| Column::new(kind, arm.name.as_str()));
    let columns = [Column::bare(ColumnKind::RowHeading)]
        .into_iter()
        .chain(arms)
        .collect();
    let cells = |row: ArmRow| [row.title].into_iter().chain(row.values).collect();
    Block::table(columns, rows.into_iter().map(cells).collect())
}

/// A table that begins with the columns of arm and load, with a row for each arm under each load: what `cells` says of it.
pub(super) fn table_by_load<const N: usize>(
    report: &Report,
    words: &Words,
    columns: [Column; N],
    cells: impl Fn(&Level) -> [String; N],
) -> Block {
    let names = [words.arm, words.load].map(|heading| Column::new(ColumnKind::Text, heading));
    let rows_of = |arm: &ArmResult| {
        let row = |level: &Level| {
            let names = [arm.name.clone(), load_name(&level.load, words)];
            names.into_iter().chain(cells(level)).collect()
        };
        arm.levels.iter().map(row).collect::<Vec<_>>()
    };
    let rows = report.arms.iter().flat_map(rows_of).collect();
    Block::table(names.into_iter().chain(columns).collect(), rows)
}
