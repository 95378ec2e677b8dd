//! Reading runs from a team's store.

use crate::rows::{InspectionRow, RoundRow, RunHead, RunRows, SliceRow};
use postgres::{Row, Transaction};

/// The ids that begin with `prefix`, at most nine; for `latest` the newest run's id.
pub(super) fn find(t: &mut Transaction<'_>, prefix: &str) -> Result<Vec<String>, postgres::Error> {
    let rows = match prefix {
        "latest" => t.query("SELECT id FROM prony.run ORDER BY id DESC LIMIT 1", &[])?,
        _ => t.query("SELECT id FROM prony.run WHERE starts_with(id, $1) ORDER BY id LIMIT 9", &[&prefix])?,
    };
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// Those of these runs that are stored.
pub(super) fn known(t: &mut Transaction<'_>, runs: &[String]) -> Result<Vec<String>, postgres::Error> {
    let rows = t.query("SELECT id FROM prony.run WHERE id = ANY($1)", &[&runs])?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// The newest runs without their parts.
pub(super) fn heads(
    t: &mut Transaction<'_>,
    experiment: Option<&str>,
    limit: u32,
) -> Result<Vec<RunRows>, postgres::Error> {
    let rows = t.query(
        "SELECT id, experiment, source, report, NULL::TEXT, NULL::BYTEA FROM prony.run \
         WHERE $1::TEXT IS NULL OR experiment = $1 ORDER BY id DESC LIMIT $2",
        &[&experiment, &i64::from(limit)],
    )?;
    let without_parts = |row: &Row| Ok(RunRows { head: head(row)?, ..RunRows::default() });
    rows.iter().map(without_parts).collect()
}

/// All rows of a run; `None` when there is no such run.
pub(super) fn rows(t: &mut Transaction<'_>, run: &str) -> Result<Option<RunRows>, postgres::Error> {
    // A writer that replaces the run meanwhile waits for this reader.
    let select = "SELECT id, experiment, source, report, facts, profiles FROM prony.run WHERE id = $1";
    let Some(row) = t.query_opt(select, &[&run])? else {
        return Ok(None);
    };
    let select = "SELECT round, facts, telemetry FROM prony.round WHERE run = $1 ORDER BY round";
    let rounds = t.query(select, &[&run])?;
    let select = "SELECT round, arm, facts, response, service, connect, undelayed FROM prony.slice WHERE run = $1 ORDER BY number";
    let slices = t.query(select, &[&run])?;
    let select = "SELECT arm, level, facts FROM prony.inspection WHERE run = $1 ORDER BY arm, level";
    let inspections = t.query(select, &[&run])?;
    let calibration = t.query_opt("SELECT class, facts FROM prony.calibration WHERE run = $1", &[&run])?;
    let class_and_facts = |row: Row| Ok((row.try_get(0)?, row.try_get(1)?));
    Ok(Some(RunRows {
        head: head(&row)?,
        rounds: rounds.iter().map(round).collect::<Result<_, _>>()?,
        slices: slices.iter().map(slice).collect::<Result<_, _>>()?,
        inspections: inspections.iter().map(inspection).collect::<Result<_, _>>()?,
        calibration: calibration.map(class_and_facts).transpose()?,
    }))
}

fn head(row: &Row) -> Result<RunHead, postgres::Error> {
    Ok(RunHead {
        id: row.try_get(0)?,
        experiment: row.try_get(1)?,
        source: row.try_get(2)?,
        report: row.try_get(3)?,
        facts: row.try_get(4)?,
        profiles: row.try_get(5)?,
    })
}

fn round(row: &Row) -> Result<RoundRow, postgres::Error> {
    Ok(RoundRow { round: row.try_get(0)?, facts: row.try_get(1)?, telemetry: row.try_get(2)? })
}

fn slice(row: &Row) -> Result<SliceRow, postgres::Error> {
    Ok(SliceRow {
        round: row.try_get(0)?,
        arm: row.try_get(1)?,
        facts: row.try_get(2)?,
        response: row.try_get(3)?,
        service: row.try_get(4)?,
        connect: row.try_get(5)?,
        undelayed: row.try_get(6)?,
    })
}

fn inspection(row: &Row) -> Result<InspectionRow, postgres::Error> {
    Ok(InspectionRow { arm: row.try_get(0)?, level: row.try_get(1)?, facts: row.try_get(2)? })
}
