//! The store of a team: a PostgreSQL database with the same rows as the SQLite file of each machine. Runs are measured into that file, and
//! pushed to the team's store when they have ended; so a server that is down costs no run. What is read from the team is first copied
//! into a [`Store`] in memory, with which everything works that works with the runs of one machine.

mod address;
mod decide;
mod encryption;
mod error;
mod foreign;
mod passfile;
mod read;
mod write;

use crate::{Store, schema};
pub use address::TeamAddress;
pub use error::{TeamError, TeamTrouble};
use postgres::{Client, Transaction};
use say::Say;

/// Makes the tables, which have the same rows as the SQLite file.
const TABLES: &str = include_str!("team/schema.sql");
/// The key of the lock that a prony holds while it changes the tables.
const SCHEMA_LOCK: i64 = 0x0070_726f_6e79;

/// What is done with a team's store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamAccess {
    /// Runs are read. Tables that are missing are refused.
    Read,
    /// Runs are pushed. Tables are made where there are none.
    Write,
}

/// The outcome of pushing or pulling a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Moved {
    /// It is stored there now.
    #[say(en = "stored", zh = "已保存")]
    Added,
    /// It was there in part, and is complete now.
    #[say(en = "completed: it was there in part", zh = "已补全：那里此前只有一部分")]
    Completed,
    /// It was there already.
    #[say(en = "is there already", zh = "已存在")]
    Known,
}

/// A connection to the store of a team.
pub struct Team {
    client: Client,
    at: TeamAddress,
}

impl Team {
    /// Connects to the store.
    ///
    /// # Errors
    ///
    /// [`TeamError::Connect`] and [`TeamError::Certificates`]; [`TeamError::Older`] and [`TeamError::Newer`] when the
    /// tables have the schema of another prony, and for readers [`TeamError::Empty`] when there are no tables.
    pub fn open(at: &TeamAddress, access: TeamAccess) -> Result<Self, TeamError> {
        let connected = at.with_password()?.connect(at.encryption.connector()?);
        let client = connected.map_err(|source| TeamError::Connect { at: at.clone(), source })?;
        let at = at.clone();
        let mut team = Self { client, at };
        let known = schema::VERSION;
        let stored = team.version()?;
        let at = team.at.clone();
        match (stored, access) {
            (Some(stored), _) if stored == known => Ok(team),
            (Some(stored), _) if stored > known => Err(TeamError::Newer { at, stored, known }),
            (Some(stored), _) => Err(TeamError::Older { at, stored, known }),
            (None, TeamAccess::Write) => team.make_tables().map(|()| team),
            (None, TeamAccess::Read) => Err(TeamError::Empty { at }),
        }
    }

    /// Stores a run of this machine in the team's store, without the secrets of its experiment. Several machines may do so at the same
    /// time.
    ///
    /// # Errors
    ///
    /// [`TeamError::Conflict`] when the team has another run of this id, or more of it; [`TeamError::Unknown`] when this machine has no
    /// such run.
    pub fn push(&mut self, store: &Store, run: &str) -> Result<Moved, TeamError> {
        let rows = store.rows(run)?.ok_or_else(|| TeamError::Unknown {
            run: run.to_owned(),
            place: store.path.display().to_string(),
        })?;
        let rows = rows.without_secrets(store)?;
        let at = self.at.clone();
        self.transaction(|transaction| write::push(transaction, &rows))?
            .ok_or_else(|| TeamError::Conflict { run: run.to_owned(), place: at.to_string() })
    }

    /// Stores a run of the team on this machine; `run` is its whole id.
    ///
    /// # Errors
    ///
    /// [`TeamError::Conflict`] when this machine has something else under that id.
    pub fn pull(&mut self, run: &str, store: &mut Store) -> Result<Moved, TeamError> {
        let rows = self.rows(run)?;
        let Some(known) = store.rows(run)? else {
            return store.add_rows(&rows).map(|()| Moved::Added).map_err(TeamError::from);
        };
        // A run that this machine pushed has its secrets here, and not there.
        if known == rows || known.without_secrets(store)? == rows {
            return Ok(Moved::Known);
        }
        Err(TeamError::Conflict { run: run.to_owned(), place: store.path.display().to_string() })
    }

    /// The whole id of the run whose id begins with `prefix`, or of the newest one for `latest`.
    pub fn find(&mut self, prefix: &str) -> Result<String, TeamError> {
        let mut runs = self.transaction(|transaction| read::find(transaction, prefix))?;
        match runs.len() {
            1 => Ok(runs.remove(0)),
            0 => Err(TeamError::Unknown { run: prefix.to_owned(), place: self.at.to_string() }),
            _ => Err(TeamError::ManyFit { prefix: prefix.to_owned(), runs }),
        }
    }

    /// Returns which of these runs the team does not have.
    pub fn missing(&mut self, runs: Vec<String>) -> Result<Vec<String>, TeamError> {
        let known = self.transaction(|transaction| read::known(transaction, &runs))?;
        Ok(runs.into_iter().filter(|run| !known.contains(run)).collect())
    }

    /// A store in memory with the newest runs of one experiment or of all, without their rounds, and with the decisions about them and the figures of
    /// other tools; at most `limit`.
    pub fn listing(&mut self, experiment: Option<&str>, limit: u32) -> Result<Store, TeamError> {
        let heads = self.transaction(|transaction| read::heads(transaction, experiment, limit))?;
        let mut store = Store::in_memory()?;
        for rows in &heads {
            store.add_rows(rows)?;
        }
        let runs: Vec<String> = heads.into_iter().map(|rows| rows.head.id).collect();
        self.copy_decisions(&runs, &store)?;
        self.copy_foreign(experiment, &store)?;
        Ok(store)
    }

    /// A store in memory with these runs, each given by its whole id, and with the decisions about them.
    pub fn copy(&mut self, runs: &[&str]) -> Result<Store, TeamError> {
        let mut store = Store::in_memory()?;
        for run in runs {
            if store.rows(run)?.is_none() {
                store.add_rows(&self.rows(run)?)?;
            }
        }
        let runs: Vec<String> = runs.iter().map(|run| (*run).to_owned()).collect();
        self.copy_decisions(&runs, &store)?;
        Ok(store)
    }

    fn rows(&mut self, run: &str) -> Result<crate::rows::RunRows, TeamError> {
        let rows = self.transaction(|transaction| read::rows(transaction, run))?;
        rows.ok_or_else(|| TeamError::Unknown { run: run.to_owned(), place: self.at.to_string() })
    }

    /// The version of the tables; `None` when there are none.
    fn version(&mut self) -> Result<Option<u32>, TeamError> {
        self.transaction(read_version)
    }

    /// Makes the tables. When two pronys do so at the same time, one waits and then has nothing to do.
    fn make_tables(&mut self) -> Result<(), TeamError> {
        self.transaction(|transaction| {
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&SCHEMA_LOCK])?;
            if read_version(transaction)?.is_none() {
                transaction.batch_execute(TABLES)?;
                let set = "INSERT INTO prony.schema_version VALUES ($1)";
                transaction.execute(set, &[&i64::from(schema::VERSION)])?;
            }
            Ok(())
        })
    }

    /// Does all of `act` or nothing, and reads the tables as of one instant.
    fn transaction<T>(
        &mut self,
        act: impl FnOnce(&mut Transaction<'_>) -> Result<T, postgres::Error>,
    ) -> Result<T, TeamError> {
        let in_transaction = || {
            let mut transaction = self.client.transaction()?;
            let done = act(&mut transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        in_transaction().map_err(|source| TeamError::Sql { at: self.at.clone(), source })
    }
}

fn read_version(transaction: &mut Transaction<'_>) -> Result<Option<u32>, postgres::Error> {
    let exists = "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'prony' AND tablename = 'schema_version')";
    if !transaction.query_one(exists, &[])?.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let row = transaction.query_one("SELECT version FROM prony.schema_version", &[])?;
    Ok(Some(row.try_get::<_, i64>(0)?.try_into().unwrap_or(u32::MAX)))
}
