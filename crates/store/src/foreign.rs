//! Figures of other tools, as series beside the history of an experiment. They stay in the store to which they were added.

use crate::{Error, Store, StoreAct};
use model::foreign::ForeignRun;
use rusqlite::params;

/// A row of figures of another tool.
pub(crate) struct ForeignRow {
    pub(crate) experiment: String,
    pub(crate) series: String,
    pub(crate) at: String,
    /// JSON.
    pub(crate) facts: String,
}

impl Store {
    /// Adds figures of another tool to a series beside an experiment; they replace any of the same moment.
    pub fn add_foreign(&self, experiment: &str, run: &ForeignRun) -> Result<(), Error> {
        let facts = self.to_json(&run.series, run)?;
        self.add_foreign_row(&ForeignRow {
            experiment: experiment.to_owned(),
            series: run.series.clone(),
            at: run.at.clone(),
            facts,
        })
    }

    /// Stores figures as a row.
    pub(crate) fn add_foreign_row(&self, row: &ForeignRow) -> Result<(), Error> {
        let ForeignRow { experiment, series, at, facts } = row;
        self.sql(StoreAct::StoreForeign, |c| {
            c.execute(
                "INSERT OR REPLACE INTO foreign_run (experiment, series, at, facts) VALUES (?1, ?2, ?3, ?4)",
                params![experiment, series, at, facts],
            )
        })?;
        Ok(())
    }

    /// The figures of other tools beside one experiment or all (`None`), by series, the oldest first, each with its experiment.
    pub fn foreign(&self, experiment: Option<&str>) -> Result<Vec<(String, ForeignRun)>, Error> {
        let rows = self.sql(StoreAct::ReadForeign, |c| {
            let mut select = c.prepare(
                "SELECT experiment, series, facts FROM foreign_run WHERE ?1 IS NULL OR experiment = ?1 \
                 ORDER BY experiment, series, at",
            )?;
            let rows =
                select.query_map(params![experiment], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect::<Result<Vec<(String, String, String)>, _>>()
        })?;
        let read = rows
            .into_iter()
            .map(|(experiment, series, facts)| Ok((experiment, self.parse(&series, &facts)?)));
        read.collect()
    }

    /// Removes a series of another tool. Returns how many files were in it.
    pub fn forget_foreign(&self, experiment: &str, series: &str) -> Result<usize, Error> {
        self.sql(StoreAct::StoreForeign, |c| {
            c.execute(
                "DELETE FROM foreign_run WHERE experiment = ?1 AND series = ?2",
                params![experiment, series],
            )
        })
    }
}
