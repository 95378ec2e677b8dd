//! Stored runs: SQLite, one file. Promises: a slice is stored as soon as it is measured; a prony that is killed loses at most
//! the running slice, a machine that crashes or loses its power those since the file was last synced, and the file stays whole either way;
//! an older file is brought up to date when it is opened, a newer one is refused.

mod deflate;
mod error;
mod schema;

pub use error::Error;
use model::calibration::CalibrationRun;
use model::outcome::Report;
use model::record::{RoundRecord, RunRecord, SliceRecord};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

const BEGIN: &str = "INSERT INTO run (id, experiment, source, facts) VALUES (?1, ?2, ?3, ?4)";

/// How long one prony waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run as `prony history` lists it.
#[derive(Debug)]
pub struct Entry {
    /// Its id; ids begin with the time, so they sort by it.
    pub run: String,
    /// The experiment's name.
    pub experiment: String,
    /// What was found, once it was finished; an error where it cannot be read, which is no reason not to list the others.
    pub report: Result<Option<Report>, Error>,
}

/// The stored runs of one user.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens the database in `folder`, making both where they are missing.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::open_within(folder, PATIENCE)
    }

    /// The same, waiting so long for others who write.
    pub(crate) fn open_within(folder: &Path, patience: Duration) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::Folder {
            path: folder.to_owned(),
            source,
        })?;
        let path = folder.join("history.sqlite");
        let connection = Connection::open(&path).map_err(|source| Error::Sql {
            what: "open the history",
            path: path.clone(),
            source,
        })?;
        let mut store = Self { path, connection };
        // Two pronys may write at once: wait for each other instead of failing.
        store.sql("wait for the lock", |c| c.busy_timeout(patience))?;
        schema::migrate(&mut store)?;
        Ok(store)
    }

    /// One that is forgotten: for a run that cannot be stored and goes on all the same.
    pub fn in_memory() -> Result<Self, Error> {
        let path = PathBuf::from("memory");
        let connection = Connection::open_in_memory().map_err(|source| Error::Sql {
            what: "make a history",
            path: path.clone(),
            source,
        })?;
        let mut store = Self { path, connection };
        schema::migrate(&mut store)?;
        Ok(store)
    }

    /// A run begins; `source` is the file or the command line it comes from.
    pub fn begin(&self, record: &RunRecord, source: &str) -> Result<(), Error> {
        self.insert(BEGIN, record, source)
    }

    fn insert(&self, insert: &str, record: &RunRecord, source: &str) -> Result<(), Error> {
        let facts = self.to_json(&record.run, record)?;
        self.sql("store a run", |c| {
            c.execute(insert, params![record.run, record.experiment.name, source, facts])
        })?;
        Ok(())
    }

    /// A single load: it has no rounds, and is stored when it has ended.
    pub fn load(&self, report: &Report) -> Result<(), Error> {
        let json = self.to_json(&report.run, report)?;
        self.sql("store a load", |c| {
            c.execute(
                "INSERT INTO run (id, experiment, source, report) VALUES (?1, ?2, ?3, ?4)",
                params![report.run, report.experiment, report.repeat, json],
            )
        })?;
        Ok(())
    }

    /// A slice was measured.
    pub fn slice(&self, run: &str, slice: &SliceRecord) -> Result<(), Error> {
        let (response, service, connect) = (&slice.response, &slice.service, &slice.connect);
        let facts = SliceRecord {
            response: Vec::new(),
            service: Vec::new(),
            connect: Vec::new(),
            ..slice.clone()
        };
        let facts = self.to_json(run, &facts)?;
        self.sql("store a slice", |c| {
            let mut insert = c.prepare_cached(
                "INSERT INTO slice (run, round, arm, facts, response, service, connect) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            let (round, arm) = (slice.round, slice.arm as i64);
            insert.execute(params![run, round, arm, facts, response, service, connect])
        })?;
        Ok(())
    }

    /// A round ended; its slices are stored already.
    pub fn round(&self, run: &str, round: &RoundRecord) -> Result<(), Error> {
        let facts = RoundRecord {
            slices: Vec::new(),
            telemetry: Vec::new(),
            ..round.clone()
        };
        let facts = self.to_json(run, &facts)?;
        let telemetry = deflate::deflated(&self.to_json(run, &round.telemetry)?);
        self.sql("store a round", |c| {
            c.execute(
                "INSERT INTO round (run, round, facts, telemetry) VALUES (?1, ?2, ?3, ?4)",
                params![run, round.round, facts, telemetry],
            )
        })?;
        Ok(())
    }

    /// Fails where somebody holds a lock so that nothing can be stored now.
    pub fn writable(&self) -> Result<(), Error> {
        self.sql("store a run", |c| c.execute_batch("BEGIN IMMEDIATE; ROLLBACK"))
    }

    /// Stores all rounds of a run anew: some of its slices could not be stored when they were measured, or that it began.
    pub fn again(&self, record: &RunRecord, source: &str, rounds: &[RoundRecord]) -> Result<(), Error> {
        let path = self.path.clone();
        let failed = |source| Error::Sql {
            what: "store a run again",
            path: path.clone(),
            source,
        };
        self.sql("store a run again", |c| c.execute_batch("BEGIN IMMEDIATE"))?;
        let begun = self.insert(&format!("{BEGIN} ON CONFLICT (id) DO NOTHING"), record, source);
        let stored = begun.and_then(|()| self.replaced(&record.run, rounds));
        // What failed half-way must not stay half-way.
        let end = if stored.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.connection.execute_batch(end).map_err(failed);
        stored.and(ended)
    }

    fn replaced(&self, run: &str, rounds: &[RoundRecord]) -> Result<(), Error> {
        for table in ["slice", "round"] {
            self.sql("remove what was stored in part", |c| {
                c.execute(&format!("DELETE FROM {table} WHERE run = ?1"), params![run])
            })?;
        }
        for round in rounds {
            round.slices.iter().try_for_each(|slice| self.slice(run, slice))?;
            self.round(run, round)?;
        }
        Ok(())
    }

    /// The run goes on: until it ends again, what was found of it no longer holds.
    pub fn reopen(&self, record: &RunRecord) -> Result<(), Error> {
        let facts = self.to_json(&record.run, record)?;
        self.sql("go on with a run", |c| {
            c.execute(
                "UPDATE run SET facts = ?2, report = NULL WHERE id = ?1",
                params![record.run, facts],
            )
        })?;
        Ok(())
    }

    /// The run ended, and this was found; what an earlier end of it had found is replaced.
    pub fn finish(&self, record: &RunRecord, report: &Report) -> Result<(), Error> {
        let facts = self.to_json(&record.run, record)?;
        let json = self.to_json(&record.run, report)?;
        self.sql("store a report", |c| {
            c.execute(
                "UPDATE run SET facts = ?2, report = ?3 WHERE id = ?1",
                params![record.run, facts, json],
            )
        })?;
        Ok(())
    }

    /// The newest runs first, at most `limit`, of one experiment or of all.
    pub fn runs(&self, experiment: Option<&str>, limit: u32) -> Result<Vec<Entry>, Error> {
        let rows = self.sql("list the runs", |c| {
            let mut select = c.prepare(
                "SELECT id, experiment, report FROM run WHERE ?1 IS NULL OR experiment = ?1 ORDER BY id DESC LIMIT ?2",
            )?;
            let rows = select.query_map(params![experiment, limit], columns)?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(rows.into_iter().map(|row| self.entry(row)).collect())
    }

    /// The run whose id begins with `prefix`, or the newest for `latest`.
    pub fn find(&self, prefix: &str) -> Result<Option<Entry>, Error> {
        if prefix == "latest" {
            return Ok(self.runs(None, 1)?.pop());
        }
        let mut rows = self.sql("find a run", |c| {
            let mut select = c.prepare(
                "SELECT id, experiment, report FROM run WHERE substr(id, 1, length(?1)) = ?1 LIMIT 9",
            )?;
            let rows = select.query_map(params![prefix], columns)?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        if rows.len() > 1 {
            let runs = rows.into_iter().map(|(run, ..)| run).collect();
            return Err(Error::Ambiguous {
                prefix: prefix.to_owned(),
                runs,
            });
        }
        Ok(rows.pop().map(|row| self.entry(row)))
    }

    /// The slices of a run, in the order they were measured.
    pub fn slices(&self, run: &str) -> Result<Vec<SliceRecord>, Error> {
        type Row = (String, Vec<u8>, Vec<u8>, Option<Vec<u8>>);
        let rows = self.sql("read the slices", |c| {
            let mut select = c.prepare(
                "SELECT facts, response, service, connect FROM slice WHERE run = ?1 ORDER BY rowid",
            )?;
            let rows = select.query_map(params![run], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            rows.collect::<Result<Vec<Row>, _>>()
        })?;
        let parsed = rows.into_iter().map(|(facts, response, service, connect)| {
            let slice: SliceRecord = self.parsed(run, &facts)?;
            Ok(SliceRecord {
                response,
                service,
                connect: connect.unwrap_or_default(),
                ..slice
            })
        });
        parsed.collect()
    }

    /// What is stored of a run but for its rounds; `None` for one that an early prony stored without it.
    pub fn record(&self, run: &str) -> Result<Option<RunRecord>, Error> {
        let facts: Option<Option<String>> = self.sql("read a run", |c| {
            c.query_row("SELECT facts FROM run WHERE id = ?1", params![run], |row| {
                row.get(0)
            })
            .optional()
        })?;
        facts.flatten().map(|facts| self.parsed(run, &facts)).transpose()
    }

    /// The rounds of a run with their slices, in order, and the number of the next one. A round that was cut short has
    /// slices and no record: it does not count, and its number is not used again.
    pub fn rounds(&self, run: &str) -> Result<(Vec<RoundRecord>, u32), Error> {
        let rows = self.sql("read the rounds", |c| {
            let mut select = c.prepare("SELECT facts, telemetry FROM round WHERE run = ?1 ORDER BY round")?;
            let rows = select.query_map(params![run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(String, Option<Vec<u8>>)>, _>>()
        })?;
        let parsed = rows.into_iter().map(|(facts, telemetry)| {
            let round: RoundRecord = self.parsed(run, &facts)?;
            let telemetry = telemetry.map(|bytes| self.parsed(run, &deflate::inflated(&bytes)));
            Ok(RoundRecord {
                telemetry: telemetry.transpose()?.unwrap_or_default(),
                ..round
            })
        });
        let mut rounds = parsed.collect::<Result<Vec<_>, Error>>()?;
        let mut last = rounds.last().map_or(0, |round| round.round);
        for slice in self.slices(run)? {
            last = last.max(slice.round);
            if let Some(round) = rounds.iter_mut().find(|round| round.round == slice.round) {
                round.slices.push(slice);
            }
        }
        Ok((rounds, last + 1))
    }

    /// The rounds of a run in order, without their slices and telemetry.
    pub fn rounds_without_slices(&self, run: &str) -> Result<Vec<RoundRecord>, Error> {
        let facts = self.sql("read the rounds", |c| {
            let mut select = c.prepare("SELECT facts FROM round WHERE run = ?1 ORDER BY round")?;
            let rows = select.query_map(params![run], |row| row.get::<_, String>(0))?;
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        facts.iter().map(|facts| self.parsed(run, facts)).collect()
    }

    /// A run whose right answer was known ended.
    pub fn calibrated(&self, calibration: &CalibrationRun) -> Result<(), Error> {
        let facts = self.to_json(&calibration.run, calibration)?;
        self.sql("store a calibration", |c| {
            c.execute(
                "INSERT INTO calibration (run, class, facts) VALUES (?1, ?2, ?3)",
                params![calibration.run, calibration.class, facts],
            )
        })?;
        Ok(())
    }

    /// All calibrations on machines of this class, oldest first.
    pub fn calibrations(&self, class: &str) -> Result<Vec<CalibrationRun>, Error> {
        let rows = self.sql("list the calibrations", |c| {
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

    /// The experiment file of a run, as it was.
    pub fn source(&self, run: &str) -> Result<Option<String>, Error> {
        self.sql("read a run", |c| {
            c.query_row("SELECT source FROM run WHERE id = ?1", params![run], |row| {
                row.get(0)
            })
            .optional()
        })
    }

    fn entry(&self, (run, experiment, report): Columns) -> Entry {
        Entry {
            report: report.map(|json| self.parsed(&run, &json)).transpose(),
            run,
            experiment,
        }
    }

    fn parsed<T: serde::de::DeserializeOwned>(&self, run: &str, json: &str) -> Result<T, Error> {
        serde_json::from_str(json).map_err(|source| Error::Json {
            path: self.path.clone(),
            run: run.to_owned(),
            source,
        })
    }

    fn to_json(&self, run: &str, value: &impl serde::Serialize) -> Result<String, Error> {
        serde_json::to_string(value).map_err(|source| Error::Json {
            path: self.path.clone(),
            run: run.to_owned(),
            source,
        })
    }

    fn sql<T>(
        &self,
        what: &'static str,
        act: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Error> {
        act(&self.connection).map_err(|source| Error::Sql {
            what,
            path: self.path.clone(),
            source,
        })
    }
}

type Columns = (String, String, Option<String>);

fn columns(row: &rusqlite::Row<'_>) -> Result<Columns, rusqlite::Error> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

#[cfg(test)]
mod tests;
