//! Removing old runs.

use crate::{Error, Store, StoreAct};
use rusqlite::{Connection, params};

/// A run that may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRun {
    /// Its id, which begins with its time.
    pub run: String,
    /// The name of its experiment.
    pub experiment: String,
}

impl Store {
    /// The runs that have ended, the newest first, without the calibration of this machine.
    pub fn ended_runs(&self) -> Result<Vec<EndedRun>, Error> {
        self.sql(StoreAct::ListRuns, |c| {
            let mut select = c.prepare(
                "SELECT id, experiment FROM run WHERE report IS NOT NULL \
                 AND NOT EXISTS (SELECT 1 FROM calibration WHERE calibration.run = run.id) ORDER BY id DESC",
            )?;
            let rows =
                select.query_map([], |row| Ok(EndedRun { run: row.get(0)?, experiment: row.get(1)? }))?;
            rows.collect()
        })
    }

    /// Removes runs with all their parts, all or none, and gives their space back to the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Sql`]. When the space could not be given back, the runs are gone nevertheless.
    pub fn remove(&mut self, runs: &[String]) -> Result<(), Error> {
        let path = self.path.clone();
        remove_all(&mut self.connection, runs).map_err(|source| Error::Sql {
            act: StoreAct::RemoveRuns,
            path,
            source,
        })?;
        self.sql(StoreAct::RemoveRuns, |c| c.execute_batch("VACUUM"))
    }
}

fn remove_all(connection: &mut Connection, runs: &[String]) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction()?;
    for table in ["slice", "round", "inspection", "calibration", "decision"] {
        let mut delete = transaction.prepare(&format!("DELETE FROM {table} WHERE run = ?1"))?;
        for run in runs {
            delete.execute(params![run])?;
        }
    }
    for run in runs {
        transaction.execute("DELETE FROM run WHERE id = ?1", params![run])?;
    }
    transaction.commit()
}
