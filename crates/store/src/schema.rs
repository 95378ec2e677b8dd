//! The schema and its history: step n brings a database of version n - 1 to version n.

use crate::{Error, Store};

pub(crate) const STEPS: [&str; 4] = [RUNS, CALIBRATIONS, RECORDS, TELEMETRY];

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

const CALIBRATIONS: &str = "
    CREATE TABLE calibration (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        class TEXT NOT NULL,
        facts TEXT NOT NULL
    );
    CREATE INDEX calibration_by_class ON calibration (class);
";

const RECORDS: &str = "ALTER TABLE run ADD COLUMN facts TEXT;";

/// Of a round its readings, deflated; of a slice the histogram of its connects.
const TELEMETRY: &str = "
    ALTER TABLE round ADD COLUMN telemetry BLOB;
    ALTER TABLE slice ADD COLUMN connect BLOB;
";

/// Brings the database up to date, all steps or none.
pub(crate) fn migrate(store: &mut Store) -> Result<(), Error> {
    store.sql("switch to WAL", |c| c.pragma_update(None, "journal_mode", "WAL"))?;
    // With WAL: the file is whole whatever happens, and a slice hardly ever waits for the disk. What was stored last may be gone after a
    // power cut, not after the death of prony alone.
    store.sql("set how it syncs", |c| {
        c.pragma_update(None, "synchronous", "NORMAL")
    })?;
    let known = STEPS.len() as u32;
    // Who only reads must not wait for one who writes: most files are up to date.
    if store.sql("read the schema's version", version)? == known {
        return Ok(());
    }
    let path = store.path.clone();
    let failed = |source| Error::Sql {
        what: "bring the schema up to date",
        path: path.clone(),
        source,
    };
    // Immediate: of two pronys that open a new database at once, one waits and then finds it up to date.
    let behaviour = rusqlite::TransactionBehavior::Immediate;
    let transaction = store
        .connection
        .transaction_with_behavior(behaviour)
        .map_err(failed)?;
    let found = version(&transaction).map_err(failed)?;
    if found > known {
        return Err(Error::Newer { path, found, known });
    }
    for step in &STEPS[found as usize..] {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction
        .pragma_update(None, "user_version", known)
        .map_err(failed)?;
    transaction.commit().map_err(failed)
}

fn version(connection: &rusqlite::Connection) -> Result<u32, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
