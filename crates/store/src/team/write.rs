//! Storing a run in a team's store.

use super::Moved;
use crate::rows::{RunHead, RunRows};
use postgres::Transaction;

/// Stores a run; `None` when another run of this id is there, or more of it.
pub(super) fn push(t: &mut Transaction<'_>, rows: &RunRows) -> Result<Option<Moved>, postgres::Error> {
    let RunHead { id, experiment, source, report, facts, profiles } = &rows.head;
    // The row of the run is the lock: another push of the same run waits for the end of this transaction.
    let insert =
        "INSERT INTO prony.run (id, experiment, source) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING";
    let is_new = t.execute(insert, &[id, experiment, source])? == 1;
    if !is_new {
        t.execute("SELECT FROM prony.run WHERE id = $1 FOR UPDATE", &[id])?;
        let Some(there) = super::read::rows(t, id)? else {
            return Ok(None);
        };
        if there == *rows {
            return Ok(Some(Moved::Known));
        }
        if !is_earlier(&there, rows) {
            return Ok(None);
        }
    }
    t.execute(
        "UPDATE prony.run SET report = $2, facts = $3, profiles = $4 WHERE id = $1",
        &[id, report, facts, profiles],
    )?;
    write_parts(t, rows)?;
    Ok(Some(if is_new { Moved::Added } else { Moved::Completed }))
}

/// Whether what is there is an earlier state of the run, which was continued since.
fn is_earlier(there: &RunRows, rows: &RunRows) -> bool {
    let is_same_run = there.head.experiment == rows.head.experiment && there.head.source == rows.head.source;
    is_same_run && rows.rounds.starts_with(&there.rounds) && rows.slices.starts_with(&there.slices)
}

/// Replaces the parts of a run.
fn write_parts(t: &mut Transaction<'_>, rows: &RunRows) -> Result<(), postgres::Error> {
    let id = &rows.head.id;
    for table in ["round", "slice", "inspection", "calibration"] {
        t.execute(&format!("DELETE FROM prony.{table} WHERE run = $1"), &[id])?;
    }
    let insert = t.prepare("INSERT INTO prony.round VALUES ($1, $2, $3, $4)")?;
    for row in &rows.rounds {
        t.execute(&insert, &[id, &row.round, &row.facts, &row.telemetry])?;
    }
    let insert = t.prepare("INSERT INTO prony.slice VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)")?;
    for (number, row) in (0_i64..).zip(&rows.slices) {
        let (response, service) = (&row.response, &row.service);
        let (connect, undelayed) = (&row.connect, &row.undelayed);
        t.execute(
            &insert,
            &[id, &number, &row.round, &row.arm, &row.facts, response, service, connect, undelayed],
        )?;
    }
    let insert = t.prepare("INSERT INTO prony.inspection VALUES ($1, $2, $3, $4)")?;
    for row in &rows.inspections {
        t.execute(&insert, &[id, &row.arm, &row.level, &row.facts])?;
    }
    if let Some((class, facts)) = &rows.calibration {
        t.execute("INSERT INTO prony.calibration VALUES ($1, $2, $3)", &[id, class, facts])?;
    }
    Ok(())
}
