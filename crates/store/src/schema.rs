//! The database schema as a list of migrations, and the code that applies them.

mod texts;
mod values;

use crate::{Error, Store, StoreAct};
use rusqlite::Connection;

/// The migrations in order: the one at index n brings a database of version n to version n + 1. Databases of every version
/// exist, so a migration is never changed; a new one is added.
pub(crate) const MIGRATIONS: [Migration; 10] = [
    Migration::Sql(RUNS),
    Migration::Sql(CALIBRATIONS),
    Migration::Sql(RECORDS),
    Migration::Sql(TELEMETRY),
    Migration::Rows(values::replace_texts),
    Migration::Sql(UNDELAYED),
    Migration::Sql(INSPECTIONS),
    Migration::Sql(PROFILES),
    Migration::Sql(DECISIONS),
    Migration::Sql(FOREIGN),
];

/// What brings a database from one version to the next.
pub(crate) enum Migration {
    /// Statements that change its tables.
    Sql(&'static str),
    /// A change of what its rows hold.
    Rows(fn(&Connection) -> Result<(), rusqlite::Error>),
}

impl Migration {
    /// Changes the database.
    pub(crate) fn apply(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        match self {
            Self::Sql(statements) => connection.execute_batch(statements),
            Self::Rows(change) => change(connection),
        }
    }
}

/// Runs, rounds and slices.
const RUNS: &str = "
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        experiment TEXT NOT NULL,
        source TEXT NOT NULL,
        report TEXT
    );
    CREATE INDEX run_by_experiment ON run (experiment, id);
    CREATE TABLE round (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        round INTEGER NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (run, round)
    );
    CREATE TABLE slice (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        round INTEGER NOT NULL,
        arm INTEGER NOT NULL,
        facts TEXT NOT NULL,
        response BLOB NOT NULL,
        service BLOB NOT NULL
    );
    CREATE INDEX slice_by_run ON slice (run);
";

/// Results of calibration runs.
const CALIBRATIONS: &str = "
    CREATE TABLE calibration (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        class TEXT NOT NULL,
        facts TEXT NOT NULL
    );
    CREATE INDEX calibration_by_class ON calibration (class);
";

/// The record of a run, with which its report can be computed again.
const RECORDS: &str = "ALTER TABLE run ADD COLUMN facts TEXT;";

/// The compressed telemetry of a round, and the histogram of connect times of a slice.
const TELEMETRY: &str = "
    ALTER TABLE round ADD COLUMN telemetry BLOB;
    ALTER TABLE slice ADD COLUMN connect BLOB;
";

/// The histogram of the response times of a slice without the generator's delay.
const UNDELAYED: &str = "ALTER TABLE slice ADD COLUMN undelayed BLOB;";

/// The inspections of a run after its rounds, compressed.
const INSPECTIONS: &str = "
    CREATE TABLE inspection (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        arm INTEGER NOT NULL,
        level INTEGER NOT NULL,
        facts BLOB NOT NULL,
        PRIMARY KEY (run, arm, level)
    );
";

/// The CPU profiles of a run, compressed.
const PROFILES: &str = "ALTER TABLE run ADD COLUMN profiles BLOB;";

/// What was decided about changes in the history of an experiment, by the first run of the new level.
const DECISIONS: &str = "
    CREATE TABLE decision (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        facts TEXT NOT NULL
    );
";

/// Figures of other tools beside an experiment, a row for each file.
const FOREIGN: &str = "
    CREATE TABLE foreign_run (
        experiment TEXT NOT NULL,
        series TEXT NOT NULL,
        at TEXT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (experiment, series, at)
    );
";

/// Sets the journal mode and brings the schema up to date, in one transaction.
///
/// # Errors
///
/// [`Error::Newer`] when the database has a later version than this prony knows, [`Error::Sql`] when SQLite fails.
pub(crate) fn migrate(store: &mut Store) -> Result<(), Error> {
    store.sql(StoreAct::SwitchToWal, |c| {
        c.pragma_update(None, "journal_mode", "WAL")
    })?;
    // With a write-ahead log, NORMAL keeps the file consistent whatever happens, and storing a slice hardly ever waits for
    // the disk. The last slices can be lost in a power cut, but not when only prony is killed.
    store.sql(StoreAct::SetSync, |c| {
        c.pragma_update(None, "synchronous", "NORMAL")
    })?;
    let known = MIGRATIONS.len() as u32;
    // Most files are up to date. Then no lock is taken, so that a prony that only reads does not wait for one that writes.
    if store.sql(StoreAct::ReadVersion, version)? == known {
        return Ok(());
    }
    let path = store.path.clone();
    let failed = |source| Error::Sql {
        act: StoreAct::UpdateSchema,
        path: path.clone(),
        source,
    };
    // An immediate transaction: when two pronys open a new database at the same time, one waits and then finds it up to
    // date.
    let behaviour = rusqlite::TransactionBehavior::Immediate;
    let transaction = store
        .connection
        .transaction_with_behavior(behaviour)
        .map_err(failed)?;
    let stored = version(&transaction).map_err(failed)?;
    if stored > known {
        return Err(Error::Newer { path, stored, known });
    }
    for migration in &MIGRATIONS[stored as usize..] {
        migration.apply(&transaction).map_err(failed)?;
    }
    transaction
        .pragma_update(None, "user_version", known)
        .map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// The schema version of the database; 0 for a new one.
fn version(connection: &rusqlite::Connection) -> Result<u32, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
