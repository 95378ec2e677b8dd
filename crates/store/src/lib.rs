//! The history of runs, in one SQLite file; and the store of a team, in PostgreSQL.
//!
//! A slice is stored as soon as it is measured. A prony that is killed loses at most the running slice; a machine that
//! crashes or loses its power loses the slices since the file was last synchronised. The file stays consistent in both
//! cases. A file with tables of another version is refused.

mod compression;
mod decisions;
mod error;
mod foreign;
mod prune;
mod rows;
mod schema;
mod team;
mod unfinished;

pub use error::{Error, SqlTrouble, StoreAct};
pub use prune::EndedRun;
use record::calibration::CalibrationRun;
use record::histogram::SparseHistogram;
use record::inspection::ArmInspection;
use record::outcome::Report;
use record::rounds::{RoundRecord, RunRecord, SliceRecord};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use team::{Moved, Team, TeamAccess, TeamAddress, TeamError, TeamTrouble};

/// Inserts a run that begins.
const INSERT_RUN: &str = "INSERT INTO run (id, experiment, source, facts) VALUES (?1, ?2, ?3, ?4)";

/// How long a prony waits for a lock that another program holds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The part of a stored run that `prony history` lists.
#[derive(Debug)]
pub struct StoredRun {
    /// Its id. Ids begin with the time, so they sort by it.
    pub run: String,
    /// The name of the experiment.
    pub experiment: String,
    /// The report; `None` when the run has not been finished. An error when this report cannot be read, so that the other
    /// runs can be listed nevertheless.
    pub report: Result<Option<Report>, Error>,
}

/// The stored runs of one user.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens the database in `folder`. Makes the folder and the database if they are missing.
    ///
    /// # Errors
    ///
    /// [`Error::Folder`], [`Error::Older`], [`Error::Newer`], or [`Error::Sql`] for everything that SQLite refuses.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::open_with_timeout(folder, LOCK_TIMEOUT)
    }

    /// [`Store::open`] with a timeout for locks that other programs hold; it holds for all later calls too.
    pub(crate) fn open_with_timeout(folder: &Path, lock_timeout: Duration) -> Result<Self, Error> {
        std::fs::create_dir_all(folder)
            .map_err(|source| Error::Folder { path: folder.to_owned(), source })?;
        let path = folder.join("history.sqlite");
        let connection = Connection::open(&path).map_err(|source| Error::Sql {
            act: StoreAct::OpenHistory,
            path: path.clone(),
            source,
        })?;
        let mut store = Self { path, connection };
        // When two pronys write at the same time, one waits instead of failing.
        store.sql(StoreAct::SetPatience, |c| c.busy_timeout(lock_timeout))?;
        schema::make(&mut store)?;
        Ok(store)
    }

    /// A store in memory, which is lost when it is dropped. It serves runs that continue although they cannot be stored.
    pub fn in_memory() -> Result<Self, Error> {
        let path = PathBuf::from("memory");
        let connection = Connection::open_in_memory().map_err(|source| Error::Sql {
            act: StoreAct::MakeHistory,
            path: path.clone(),
            source,
        })?;
        let mut store = Self { path, connection };
        schema::make(&mut store)?;
        Ok(store)
    }

    /// Stores a run that begins. `source` is the text of its experiment file, or its command line.
    pub fn begin(&self, record: &RunRecord, source: &str) -> Result<(), Error> {
        self.insert(INSERT_RUN, record, source)
    }

    /// Stores a run with an `INSERT` statement for the columns id, experiment, source and facts.
    fn insert(&self, insert: &str, record: &RunRecord, source: &str) -> Result<(), Error> {
        let facts = self.facts(record)?;
        self.sql(StoreAct::StoreRun, |c| {
            c.execute(insert, params![record.run, record.experiment.name, source, facts])
        })?;
        Ok(())
    }

    /// The record of a run for its column, as JSON without the inspections, which have a table of their own, without the CPU
    /// profiles, which have a column of their own, and without values of prony's environment, which may be secrets.
    fn facts(&self, record: &RunRecord) -> Result<String, Error> {
        let mut facts = RunRecord { inspections: Vec::new(), cpu_profiles: Vec::new(), ..record.clone() };
        if let Some(sessions) = &mut facts.experiment.workload.sessions {
            sessions.forget_environment();
        }
        self.to_json(&record.run, &facts)
    }

    /// Stores a single load (`prony load`) that has ended. It has a report, but no rounds.
    pub fn store_load(&self, report: &Report) -> Result<(), Error> {
        let json = self.to_json(&report.run, report)?;
        self.sql(StoreAct::StoreLoad, |c| {
            c.execute(
                "INSERT INTO run (id, experiment, source, report) VALUES (?1, ?2, ?3, ?4)",
                params![report.run, report.experiment, report.repeat, json],
            )
        })?;
        Ok(())
    }

    /// Stores a slice. Its histograms have columns of their own; the rest is JSON.
    pub fn store_slice(&self, run: &str, slice: &SliceRecord) -> Result<(), Error> {
        let bytes =
            |times: &Option<SparseHistogram>| times.as_ref().map_or_else(Vec::new, SparseHistogram::to_bytes);
        let [response, service, connect, undelayed] =
            [&slice.response, &slice.service, &slice.connect, &slice.undelayed].map(bytes);
        let facts = self.to_json(run, slice)?;
        self.sql(StoreAct::StoreSlice, |c| {
            let mut insert = c.prepare_cached(
                "INSERT INTO slice (run, round, arm, facts, response, service, connect, undelayed) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let (round, arm) = (slice.round, slice.arm as i64);
            insert.execute(params![run, round, arm, facts, response, service, connect, undelayed])
        })?;
        Ok(())
    }

    /// Stores a round without its slices, which [`Store::store_slice`] has stored; it replaces what was stored of it before it ended.
    pub fn store_round(&self, run: &str, round: &RoundRecord) -> Result<(), Error> {
        let facts = RoundRecord { slices: Vec::new(), telemetry: Vec::new(), ..round.clone() };
        let facts = self.to_json(run, &facts)?;
        let telemetry = compression::deflate(&self.to_json(run, &round.telemetry)?);
        self.sql(StoreAct::StoreRound, |c| {
            c.execute(
                "INSERT OR REPLACE INTO round (run, round, facts, telemetry) VALUES (?1, ?2, ?3, ?4)",
                params![run, round.round, facts, telemetry],
            )
        })?;
        Ok(())
    }

    /// Stores what was seen in a server after the rounds of a run; it replaces what was seen earlier of that arm at that level.
    pub fn store_inspection(&self, run: &str, seen: &ArmInspection) -> Result<(), Error> {
        let facts = compression::deflate(&self.to_json(run, &seen.inspection)?);
        let (arm, level) = (seen.arm as i64, seen.inspection.level as i64);
        self.sql(StoreAct::StoreInspection, |c| {
            c.execute(
                "INSERT OR REPLACE INTO inspection (run, arm, level, facts) VALUES (?1, ?2, ?3, ?4)",
                params![run, arm, level, facts],
            )
        })?;
        Ok(())
    }

    /// What was seen in the servers of a run after its rounds, in the order of arms and levels.
    fn inspections(&self, run: &str) -> Result<Vec<ArmInspection>, Error> {
        let rows = self.sql(StoreAct::ReadInspections, |c| {
            let mut select =
                c.prepare("SELECT arm, facts FROM inspection WHERE run = ?1 ORDER BY arm, level")?;
            let rows = select.query_map(params![run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(u32, Vec<u8>)>, _>>()
        })?;
        let parsed = rows.into_iter().map(|(arm, facts)| {
            Ok(ArmInspection {
                arm: arm as usize,
                inspection: self.parse(run, &compression::inflate(&facts))?,
            })
        });
        parsed.collect()
    }

    /// Checks that runs can be stored now.
    ///
    /// # Errors
    ///
    /// [`Error::Sql`] when another program holds a lock for longer than the timeout, or the file cannot be written.
    pub fn check_writable(&self) -> Result<(), Error> {
        self.sql(StoreAct::StoreRun, |c| c.execute_batch("BEGIN IMMEDIATE; ROLLBACK"))
    }

    /// Stores a whole run again, in one transaction, and replaces what is stored of its rounds. It is for
    /// runs whose begin, or some slices, could not be stored when they were measured.
    pub fn store_again(&self, record: &RunRecord, source: &str, rounds: &[RoundRecord]) -> Result<(), Error> {
        let path = self.path.clone();
        let failed = |source| Error::Sql { act: StoreAct::StoreRunAgain, path: path.clone(), source };
        self.sql(StoreAct::StoreRunAgain, |c| c.execute_batch("BEGIN IMMEDIATE"))?;
        let begun = self.insert(&format!("{INSERT_RUN} ON CONFLICT (id) DO NOTHING"), record, source);
        let stored = begun.and_then(|()| self.replace_parts(record, rounds));
        // Without the rollback, a failure half-way would leave a part of the run.
        let end = if stored.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.connection.execute_batch(end).map_err(failed);
        stored.and(ended)
    }

    /// Replaces the stored rounds, slices and inspections of a run.
    fn replace_parts(&self, record: &RunRecord, rounds: &[RoundRecord]) -> Result<(), Error> {
        let run = &record.run;
        for table in ["slice", "round", "inspection"] {
            self.sql(StoreAct::RemovePart, |c| {
                c.execute(&format!("DELETE FROM {table} WHERE run = ?1"), params![run])
            })?;
        }
        for round in rounds {
            round.slices.iter().try_for_each(|slice| self.store_slice(run, slice))?;
            self.store_round(run, round)?;
        }
        record.inspections.iter().try_for_each(|seen| self.store_inspection(run, seen))
    }

    /// Stores that a finished run is continued, and removes its report, which no longer holds.
    pub fn reopen(&self, record: &RunRecord) -> Result<(), Error> {
        let facts = self.facts(record)?;
        self.sql(StoreAct::GoOn, |c| {
            c.execute("UPDATE run SET facts = ?2, report = NULL WHERE id = ?1", params![record.run, facts])
        })?;
        Ok(())
    }

    /// Stores the report of a run that has ended; it replaces an earlier one.
    pub fn finish(&self, record: &RunRecord, report: &Report) -> Result<(), Error> {
        let facts = self.facts(record)?;
        let json = self.to_json(&record.run, report)?;
        let profiles = match record.cpu_profiles.as_slice() {
            [] => None,
            profiles => Some(compression::deflate(&self.to_json(&record.run, &profiles)?)),
        };
        self.sql(StoreAct::StoreReport, |c| {
            c.execute(
                "UPDATE run SET facts = ?2, report = ?3, profiles = ?4 WHERE id = ?1",
                params![record.run, facts, json, profiles],
            )
        })?;
        Ok(())
    }

    /// The runs of one experiment or of all (`None`), the newest first, at most `limit`.
    pub fn runs(&self, experiment: Option<&str>, limit: u32) -> Result<Vec<StoredRun>, Error> {
        let rows = self.sql(StoreAct::ListRuns, |c| {
            let mut select = c.prepare(
                "SELECT id, experiment, report FROM run WHERE ?1 IS NULL OR experiment = ?1 ORDER BY id DESC LIMIT ?2",
            )?;
            let rows = select.query_map(params![experiment, limit], read_row)?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(rows.into_iter().map(|row| self.stored_run(row)).collect())
    }

    /// The run whose id begins with `prefix`, or the newest one for `latest`. `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Ambiguous`] when several ids begin with `prefix`.
    pub fn find(&self, prefix: &str) -> Result<Option<StoredRun>, Error> {
        if prefix == "latest" {
            return Ok(self.runs(None, 1)?.pop());
        }
        let mut rows = self.sql(StoreAct::FindRun, |c| {
            let mut select = c.prepare(
                "SELECT id, experiment, report FROM run WHERE substr(id, 1, length(?1)) = ?1 LIMIT 9",
            )?;
            let rows = select.query_map(params![prefix], read_row)?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        if rows.len() > 1 {
            let runs = rows.into_iter().map(|row| row.run).collect();
            return Err(Error::Ambiguous { prefix: prefix.to_owned(), runs });
        }
        Ok(rows.pop().map(|row| self.stored_run(row)))
    }

    /// The slices of a run in the order in which they were measured.
    pub fn slices(&self, run: &str) -> Result<Vec<SliceRecord>, Error> {
        type SliceRow = (String, [Vec<u8>; 4]);
        let rows = self.sql(StoreAct::ReadSlices, |c| {
            let mut select = c.prepare(
                "SELECT facts, response, service, connect, undelayed FROM slice WHERE run = ?1 ORDER BY rowid",
            )?;
            let rows = select.query_map(params![run], |row| {
                let histograms = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
                Ok((row.get(0)?, histograms))
            })?;
            rows.collect::<Result<Vec<SliceRow>, _>>()
        })?;
        let parsed = rows.into_iter().map(|(facts, histograms)| {
            let [response, service, connect, undelayed] =
                histograms.map(|bytes| SparseHistogram::from_bytes(&bytes));
            let slice: SliceRecord = self.parse(run, &facts)?;
            Ok(SliceRecord { response, service, connect, undelayed, ..slice })
        });
        parsed.collect()
    }

    /// The record of a run without its rounds; `None` when there is no such run, and for a load.
    pub fn record(&self, run: &str) -> Result<Option<RunRecord>, Error> {
        type Columns = (Option<String>, Option<Vec<u8>>);
        let columns: Option<Columns> = self.sql(StoreAct::ReadRun, |c| {
            let select = "SELECT facts, profiles FROM run WHERE id = ?1";
            c.query_row(select, params![run], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })?;
        let Some((Some(facts), profiles)) = columns else {
            return Ok(None);
        };
        let profiles = profiles.map(|bytes| self.parse(run, &compression::inflate(&bytes)));
        Ok(Some(RunRecord {
            inspections: self.inspections(run)?,
            cpu_profiles: profiles.transpose()?.unwrap_or_default(),
            ..self.parse(run, &facts)?
        }))
    }

    /// The rounds of a run that have ended, in order, with their slices, and the number of a new round. A round that was cut short has
    /// slices and at most an [unfinished](Store::unfinished_round) record. It is left out, and a new round does not have its number.
    pub fn rounds(&self, run: &str) -> Result<(Vec<RoundRecord>, u32), Error> {
        let mut rounds = self.all_rounds(run)?;
        rounds.retain(|round| !round.unfinished);
        let mut last = rounds.last().map_or(0, |round| round.round);
        for slice in self.slices(run)? {
            last = last.max(slice.round);
            if let Some(round) = rounds.iter_mut().find(|round| round.round == slice.round) {
                round.slices.push(slice);
            }
        }
        Ok((rounds, last + 1))
    }

    /// The rounds of a run in order, with one that has not ended, without their slices.
    fn all_rounds(&self, run: &str) -> Result<Vec<RoundRecord>, Error> {
        let rows = self.sql(StoreAct::ReadRounds, |c| {
            let mut select = c.prepare("SELECT facts, telemetry FROM round WHERE run = ?1 ORDER BY round")?;
            let rows = select.query_map(params![run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(String, Vec<u8>)>, _>>()
        })?;
        let parsed = rows.into_iter().map(|(facts, telemetry)| {
            let round: RoundRecord = self.parse(run, &facts)?;
            Ok(RoundRecord { telemetry: self.parse(run, &compression::inflate(&telemetry))?, ..round })
        });
        parsed.collect()
    }

    /// The rounds of a run that have ended, in order, without their slices and telemetry.
    pub fn rounds_without_slices(&self, run: &str) -> Result<Vec<RoundRecord>, Error> {
        let facts = self.sql(StoreAct::ReadRounds, |c| {
            let mut select = c.prepare("SELECT facts FROM round WHERE run = ?1 ORDER BY round")?;
            let rows = select.query_map(params![run], |row| row.get::<_, String>(0))?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        let rounds = facts.iter().map(|facts| self.parse(run, facts));
        let mut rounds = rounds.collect::<Result<Vec<RoundRecord>, Error>>()?;
        rounds.retain(|round| !round.unfinished);
        Ok(rounds)
    }

    /// Stores the result of a calibration run.
    pub fn store_calibration(&self, calibration: &CalibrationRun) -> Result<(), Error> {
        let facts = self.to_json(&calibration.run, calibration)?;
        self.sql(StoreAct::StoreCalibration, |c| {
            c.execute(
                "INSERT INTO calibration (run, class, facts) VALUES (?1, ?2, ?3)",
                params![calibration.run, calibration.class, facts],
            )
        })?;
        Ok(())
    }

    /// All calibration runs on machines of this class, the oldest first.
    pub fn calibrations(&self, class: &str) -> Result<Vec<CalibrationRun>, Error> {
        let rows = self.sql(StoreAct::ListCalibrations, |c| {
            let mut select = c.prepare("SELECT run, facts FROM calibration WHERE class = ?1 ORDER BY run")?;
            let rows = select.query_map(params![class], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(String, String)>, _>>()
        })?;
        let parse = |(run, facts): (String, String)| {
            serde_json::from_str(&facts).map_err(|source| Error::Json {
                path: self.path.clone(),
                run,
                source,
            })
        };
        rows.into_iter().map(parse).collect()
    }

    /// The text of the experiment file of a run, or its command line, as it was when the run began; `None` when there is no
    /// such run.
    pub fn source(&self, run: &str) -> Result<Option<String>, Error> {
        self.sql(StoreAct::ReadRun, |c| {
            c.query_row("SELECT source FROM run WHERE id = ?1", params![run], |row| row.get(0)).optional()
        })
    }

    /// A row with its report read from JSON.
    fn stored_run(&self, row: RunRow) -> StoredRun {
        let RunRow { run, experiment, report } = row;
        StoredRun { report: report.map(|json| self.parse(&run, &json)).transpose(), run, experiment }
    }

    /// Reads a stored value of a run from JSON.
    fn parse<T: serde::de::DeserializeOwned>(&self, run: &str, json: &str) -> Result<T, Error> {
        serde_json::from_str(json).map_err(|source| Error::Json {
            path: self.path.clone(),
            run: run.to_owned(),
            source,
        })
    }

    /// Writes a value of a run as JSON.
    fn to_json(&self, run: &str, value: &impl serde::Serialize) -> Result<String, Error> {
        serde_json::to_string(value).map_err(|source| Error::Json {
            path: self.path.clone(),
            run: run.to_owned(),
            source,
        })
    }

    /// Calls SQLite; `act` is what an error says cannot be done.
    fn sql<T>(
        &self,
        act: StoreAct,
        statement: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Error> {
        statement(&self.connection).map_err(|source| Error::Sql { act, path: self.path.clone(), source })
    }
}

/// The columns id, experiment and report (JSON) of a run.
struct RunRow {
    run: String,
    experiment: String,
    report: Option<String>,
}

/// Reads a row that was selected in the order of [`RunRow`].
fn read_row(row: &rusqlite::Row<'_>) -> Result<RunRow, rusqlite::Error> {
    Ok(RunRow { run: row.get(0)?, experiment: row.get(1)?, report: row.get(2)? })
}

#[cfg(test)]
mod tests;
