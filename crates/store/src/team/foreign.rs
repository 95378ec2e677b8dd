//! Figures of other tools in a team's store.

use super::{Team, TeamError};
use crate::foreign::ForeignRow;
use crate::{Error, Store};
use model::foreign::ForeignRun;

impl Team {
    /// Adds figures of another tool to a series beside an experiment; they replace any of the same moment.
    ///
    /// # Errors
    ///
    /// [`TeamError::Sql`] when this role may only read.
    pub fn add_foreign(&mut self, experiment: &str, run: &ForeignRun) -> Result<(), TeamError> {
        let facts = serde_json::to_string(run).map_err(|source| Error::Json {
            path: self.at.to_string().into(),
            run: run.series.clone(),
            source,
        })?;
        let store = "INSERT INTO prony.foreign_run (experiment, series, at, facts) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (experiment, series, at) DO UPDATE SET facts = $4";
        self.transaction(|transaction| {
            transaction.execute(store, &[&experiment, &run.series, &run.at, &facts])
        })
        .map(|_| ())
    }

    /// Removes a series of another tool. Returns how many files were in it.
    ///
    /// # Errors
    ///
    /// [`TeamError::Sql`] when this role may only read.
    pub fn forget_foreign(&mut self, experiment: &str, series: &str) -> Result<usize, TeamError> {
        let remove = "DELETE FROM prony.foreign_run WHERE experiment = $1 AND series = $2";
        let removed = self.transaction(|transaction| transaction.execute(remove, &[&experiment, &series]))?;
        Ok(usize::try_from(removed).unwrap_or(usize::MAX))
    }

    /// Copies the figures of other tools beside one experiment or all into a store.
    pub(super) fn copy_foreign(&mut self, experiment: Option<&str>, store: &Store) -> Result<(), TeamError> {
        let rows = self.transaction(|transaction| {
            let select = "SELECT experiment, series, at, facts FROM prony.foreign_run WHERE $1::TEXT IS NULL OR experiment = $1";
            let rows = transaction.query(select, &[&experiment])?;
            let parts = rows.iter().map(|row| {
                Ok(ForeignRow {
                    experiment: row.try_get(0)?,
                    series: row.try_get(1)?,
                    at: row.try_get(2)?,
                    facts: row.try_get(3)?,
                })
            });
            parts.collect::<Result<Vec<ForeignRow>, postgres::Error>>()
        })?;
        rows.iter().try_for_each(|row| Ok(store.add_foreign_row(row)?))
    }
}
