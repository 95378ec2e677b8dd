//! The tables of the database, and the code that makes them.

use crate::{Error, Store, StoreAct};

/// The version of the tables in the file and in a team's store, which both have the same rows. It grows with every change of the
/// tables or of the JSON in them: a store of any other version is refused.
pub(crate) const VERSION: u32 = 11;

/// The version of a file without tables.
const NEW: u32 = 0;

/// The tables. Telemetry, inspections and profiles are compressed; a load has a report and no `facts`.
const TABLES: &str = "
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        experiment TEXT NOT NULL,
        source TEXT NOT NULL,
        report TEXT,
        facts TEXT,
        profiles BLOB
    );
    CREATE INDEX run_by_experiment ON run (experiment, id);
    CREATE TABLE round (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        round INTEGER NOT NULL,
        facts TEXT NOT NULL,
        telemetry BLOB NOT NULL,
        PRIMARY KEY (run, round)
    );
    CREATE TABLE slice (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        round INTEGER NOT NULL,
        arm INTEGER NOT NULL,
        facts TEXT NOT NULL,
        response BLOB NOT NULL,
        service BLOB NOT NULL,
        connect BLOB NOT NULL,
        undelayed BLOB NOT NULL
    );
    CREATE INDEX slice_by_run ON slice (run);
    CREATE TABLE inspection (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        arm INTEGER NOT NULL,
        level INTEGER NOT NULL,
        facts BLOB NOT NULL,
        PRIMARY KEY (run, arm, level)
    );
    CREATE TABLE calibration (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        class TEXT NOT NULL,
        facts TEXT NOT NULL
    );
    CREATE INDEX calibration_by_class ON calibration (class);
    -- What was decided about changes in the history of an experiment, by the first run of the new level.
    CREATE TABLE decision (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        facts TEXT NOT NULL
    );
    -- Figures of other tools beside an experiment, a row for each file.
    CREATE TABLE foreign_run (
        experiment TEXT NOT NULL,
        series TEXT NOT NULL,
        at TEXT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (experiment, series, at)
    );
";

/// Sets the journal mode, and makes the tables of a new file in one transaction.
///
/// # Errors
///
/// [`Error::Older`] and [`Error::Newer`] when the tables have another version, [`Error::Sql`] when SQLite fails.
pub(crate) fn make(store: &mut Store) -> Result<(), Error> {
    store.sql(StoreAct::SwitchToWal, |c| c.pragma_update(None, "journal_mode", "WAL"))?;
    // With a write-ahead log, NORMAL keeps the file consistent whatever happens, and storing a slice hardly ever waits for
    // the disk. The last slices can be lost in a power cut, but not when only prony is killed.
    store.sql(StoreAct::SetSync, |c| c.pragma_update(None, "synchronous", "NORMAL"))?;
    // Most files have their tables. Then no lock is taken, so that a prony that only reads does not wait for one that writes.
    if store.sql(StoreAct::ReadVersion, version)? == VERSION {
        return Ok(());
    }
    let path = store.path.clone();
    let failed = |source| Error::Sql { act: StoreAct::MakeHistory, path: path.clone(), source };
    // An immediate transaction: when two pronys open a new database at the same time, one waits and then finds its tables.
    let behaviour = rusqlite::TransactionBehavior::Immediate;
    let transaction = store.connection.transaction_with_behavior(behaviour).map_err(failed)?;
    match version(&transaction).map_err(failed)? {
        VERSION => return Ok(()),
        NEW => {}
        stored if stored < VERSION => {
            return Err(Error::Older { path, stored, known: VERSION });
        }
        stored => {
            return Err(Error::Newer { path, stored, known: VERSION });
        }
    }
    transaction.execute_batch(TABLES).map_err(failed)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Returns the version of the tables in the database; [`NEW`] where there are none.
fn version(connection: &rusqlite::Connection) -> Result<u32, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
