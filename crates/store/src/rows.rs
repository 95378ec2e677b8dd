//! The rows of a run as they are stored, so that they can be moved to another store without being read: what is computed from them is
//! equal to the byte there.

use crate::{Error, Store, StoreAct};
use ask::hidden::hidden_in_file;
use record::rounds::RunRecord;
use rusqlite::{Connection, OptionalExtension, params};

/// All rows of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunRows {
    pub(crate) head: RunHead,
    pub(crate) rounds: Vec<RoundRow>,
    /// In the order in which they were measured.
    pub(crate) slices: Vec<SliceRow>,
    pub(crate) inspections: Vec<InspectionRow>,
    /// The class of the machine and the result, for a run of a calibration.
    pub(crate) calibration: Option<(String, String)>,
}

/// The row of the run itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunHead {
    pub(crate) id: String,
    pub(crate) experiment: String,
    pub(crate) source: String,
    /// JSON, as `facts` are everywhere.
    pub(crate) report: Option<String>,
    pub(crate) facts: Option<String>,
    pub(crate) profiles: Option<Vec<u8>>,
}

/// A row of a round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RoundRow {
    pub(crate) round: i64,
    pub(crate) facts: String,
    pub(crate) telemetry: Vec<u8>,
}

/// A row of a slice, with its histograms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SliceRow {
    pub(crate) round: i64,
    pub(crate) arm: i64,
    pub(crate) facts: String,
    pub(crate) response: Vec<u8>,
    pub(crate) service: Vec<u8>,
    pub(crate) connect: Vec<u8>,
    pub(crate) undelayed: Vec<u8>,
}

/// A row of what was seen in a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InspectionRow {
    pub(crate) arm: i64,
    pub(crate) level: i64,
    pub(crate) facts: Vec<u8>,
}

impl RunRows {
    /// The rows as others may have them: without the secrets of the experiment and its file.
    ///
    /// # Errors
    ///
    /// When the record of the run cannot be read.
    pub(crate) fn without_secrets(mut self, store: &Store) -> Result<Self, Error> {
        if let Some(facts) = &self.head.facts {
            let record: RunRecord = store.parse(&self.head.id, facts)?;
            self.head.facts = Some(store.to_json(&self.head.id, &record.without_secrets())?);
        }
        self.head.source = hidden_in_file(&self.head.source);
        Ok(self)
    }
}

impl Store {
    /// All rows of the run with exactly this id; `None` when there is no such run.
    pub(crate) fn rows(&self, run: &str) -> Result<Option<RunRows>, Error> {
        self.sql(StoreAct::ReadRun, |c| {
            let Some(head) = read_head(c, run)? else {
                return Ok(None);
            };
            Ok(Some(RunRows {
                head,
                rounds: read_rounds(c, run)?,
                slices: read_slices(c, run)?,
                inspections: read_inspections(c, run)?,
                calibration: c
                    .query_row("SELECT class, facts FROM calibration WHERE run = ?1", params![run], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .optional()?,
            }))
        })
    }

    /// Adds the rows of a run that is not stored here, in one transaction.
    pub(crate) fn add_rows(&mut self, rows: &RunRows) -> Result<(), Error> {
        let path = self.path.clone();
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            write_rows(&transaction, rows)?;
            transaction.commit()
        };
        write(&mut self.connection).map_err(|source| Error::Sql { act: StoreAct::StoreRun, path, source })
    }

    /// The ids of the runs that have a report, the oldest first.
    pub fn finished_runs(&self) -> Result<Vec<String>, Error> {
        self.sql(StoreAct::ListRuns, |c| {
            let mut select = c.prepare("SELECT id FROM run WHERE report IS NOT NULL ORDER BY id")?;
            let rows = select.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }
}

fn read_head(c: &Connection, run: &str) -> Result<Option<RunHead>, rusqlite::Error> {
    let select = "SELECT id, experiment, source, report, facts, profiles FROM run WHERE id = ?1";
    c.query_row(select, params![run], |row| {
        Ok(RunHead {
            id: row.get(0)?,
            experiment: row.get(1)?,
            source: row.get(2)?,
            report: row.get(3)?,
            facts: row.get(4)?,
            profiles: row.get(5)?,
        })
    })
    .optional()
}

fn read_rounds(c: &Connection, run: &str) -> Result<Vec<RoundRow>, rusqlite::Error> {
    let mut select = c.prepare("SELECT round, facts, telemetry FROM round WHERE run = ?1 ORDER BY round")?;
    let rows = select.query_map(params![run], |row| {
        Ok(RoundRow { round: row.get(0)?, facts: row.get(1)?, telemetry: row.get(2)? })
    })?;
    rows.collect()
}

fn read_slices(c: &Connection, run: &str) -> Result<Vec<SliceRow>, rusqlite::Error> {
    let mut select = c.prepare(
        "SELECT round, arm, facts, response, service, connect, undelayed FROM slice WHERE run = ?1 ORDER BY rowid",
    )?;
    let rows = select.query_map(params![run], |row| {
        Ok(SliceRow {
            round: row.get(0)?,
            arm: row.get(1)?,
            facts: row.get(2)?,
            response: row.get(3)?,
            service: row.get(4)?,
            connect: row.get(5)?,
            undelayed: row.get(6)?,
        })
    })?;
    rows.collect()
}

fn read_inspections(c: &Connection, run: &str) -> Result<Vec<InspectionRow>, rusqlite::Error> {
    let mut select =
        c.prepare("SELECT arm, level, facts FROM inspection WHERE run = ?1 ORDER BY arm, level")?;
    let rows = select.query_map(params![run], |row| {
        Ok(InspectionRow { arm: row.get(0)?, level: row.get(1)?, facts: row.get(2)? })
    })?;
    rows.collect()
}

fn write_rows(c: &Connection, rows: &RunRows) -> Result<(), rusqlite::Error> {
    let RunHead { id, experiment, source, report, facts, profiles } = &rows.head;
    c.execute(
        "INSERT INTO run (id, experiment, source, report, facts, profiles) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![id, experiment, source, report, facts, profiles],
    )?;
    let mut insert = c.prepare("INSERT INTO round (run, round, facts, telemetry) VALUES (?1, ?2, ?3, ?4)")?;
    for row in &rows.rounds {
        insert.execute(params![id, row.round, row.facts, row.telemetry])?;
    }
    let mut insert = c.prepare(
        "INSERT INTO slice (run, round, arm, facts, response, service, connect, undelayed) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for row in &rows.slices {
        let (response, service) = (&row.response, &row.service);
        let (connect, undelayed) = (&row.connect, &row.undelayed);
        insert.execute(params![id, row.round, row.arm, row.facts, response, service, connect, undelayed])?;
    }
    let mut insert = c.prepare("INSERT INTO inspection (run, arm, level, facts) VALUES (?1, ?2, ?3, ?4)")?;
    for row in &rows.inspections {
        insert.execute(params![id, row.arm, row.level, row.facts])?;
    }
    if let Some((class, facts)) = &rows.calibration {
        c.execute(
            "INSERT INTO calibration (run, class, facts) VALUES (?1, ?2, ?3)",
            params![id, class, facts],
        )?;
    }
    Ok(())
}
