//! Step 5 of the schema: where rows held English sentences they hold values. A sentence that is known becomes
//! the value that it was made of, so that an old run is judged as it was and is shown in every language; any
//! other one stays a text: `{"code": "legacy", "values": "the sentence"}`.
//!
//! This is how pronies up to version 4 of the schema wrote. It is frozen: what they wrote does not change any more.

use super::texts::{self, TextForm};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// Replaces the sentences in all rows. A row that cannot be read stays as it is: the store tells of it when it is asked for.
pub(super) fn replace_texts(connection: &Connection) -> Result<(), rusqlite::Error> {
    replace_in(
        connection,
        "SELECT rowid, facts FROM slice WHERE facts LIKE '%\"why_invalid\":\"%'",
        "UPDATE slice SET facts = ?2 WHERE rowid = ?1",
        slice,
    )?;
    replace_in(
        connection,
        "SELECT rowid, facts FROM round",
        "UPDATE round SET facts = ?2 WHERE rowid = ?1",
        round,
    )?;
    replace_in(
        connection,
        "SELECT rowid, report FROM run WHERE report IS NOT NULL",
        "UPDATE run SET report = ?2 WHERE rowid = ?1",
        report,
    )
}

/// Changes the JSON that a query finds, row by row.
fn replace_in(
    connection: &Connection,
    select: &str,
    update: &str,
    change: fn(&mut Value),
) -> Result<(), rusqlite::Error> {
    let mut select = connection.prepare(select)?;
    let mut update = connection.prepare(update)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // All are read first: a statement must not see the rows that it leads to changing.
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    for (id, text) in rows {
        if let Ok(mut value) = serde_json::from_str::<Value>(&text) {
            change(&mut value);
            update.execute(params![id, value.to_string()])?;
        }
    }
    Ok(())
}

fn slice(slice: &mut Value) {
    replace(slice, "why_invalid", reason);
}

fn round(round: &mut Value) {
    for key in ["void", "stage_void", "latency_void"] {
        replace(round, key, reason);
    }
    for level in elements(round, "levels") {
        replace(level, "void", reason);
        replace(level, "cpu_void", reason);
    }
}

fn report(report: &mut Value) {
    for arm in elements(report, "arms") {
        for level in elements(arm, "levels") {
            replace(level, "why_invalid", reason);
        }
        elements(arm, "diagnoses").for_each(diagnosis);
        found(arm);
    }
    for comparison in elements(report, "comparisons") {
        remarks(comparison);
    }
    for required in elements(report, "required") {
        replace(required, "why_invalid", reason);
    }
    for text in elements(report, "notes") {
        *text = text.as_str().map_or(Value::Null, note);
    }
}

/// The sentence of a cause, its advice and the names of its numbers stay texts; the cause is known.
fn diagnosis(diagnosis: &mut Value) {
    for number in elements(diagnosis, "evidence") {
        replace(number, "what", legacy);
    }
    let Some(fields) = diagnosis.as_object_mut() else {
        return;
    };
    if let (Some(cause), Some(says)) = (fields.remove("cause"), fields.remove("says")) {
        fields.insert("cause".to_owned(), json!("legacy"));
        fields.insert("values".to_owned(), json!({"cause": cause, "says": says}));
    }
    if let Some(Value::String(advice)) = fields.remove("try") {
        fields.insert("remedy".to_owned(), legacy(&advice));
    }
}

/// What was looked for, and found.
fn found(arm: &mut Value) {
    if let Some(capacity) = arm.pointer_mut("/found/capacity") {
        replace(capacity, "no_curve", |text| read(&texts::NO_CURVE, text));
        replace(capacity, "ended", |text| read(&texts::CAPACITY_END, text));
    }
    if let Some(max_rate) = arm.pointer_mut("/found/max_rate") {
        replace(max_rate, "why_none", reason);
    }
}

/// One text was what are several remarks now.
fn remarks(comparison: &mut Value) {
    let Some(fields) = comparison.as_object_mut() else {
        return;
    };
    if let Some(Value::String(text)) = fields.remove("remark") {
        fields.insert("remarks".to_owned(), json!([remark(&text)]));
    }
}

fn remark(text: &str) -> Value {
    known_reason(text).map_or_else(|| legacy(text), |reason| coded("invalid", reason))
}

fn note(text: &str) -> Value {
    read(&texts::NOTES, text)
}

fn reason(text: &str) -> Value {
    known_reason(text).unwrap_or_else(|| legacy(text))
}

/// The reason that a text says; `None` for one that is not known.
fn known_reason(text: &str) -> Option<Value> {
    if let Some(limit) = text.strip_prefix("generator-saturated: ")
        && !limit.ends_with(" slices")
    {
        return Some(coded(
            "generator-saturated",
            read(&texts::GENERATOR_LIMITS, limit),
        ));
    }
    if let Some(what) = text.strip_prefix("inconsistent: ")
        && let Some(what) = known(&texts::CONTRADICTIONS, what)
    {
        return Some(coded("inconsistent", what));
    }
    known(&texts::REASONS, text)
        .or_else(|| Some(coded("no-rate", known(&texts::NO_RATES, text)?)))
        .or_else(|| Some(coded("answers", known(&texts::ANSWERS, text)?)))
}

/// The value of the first form that fits, else the text as it is.
fn read(forms: &[TextForm], text: &str) -> Value {
    known(forms, text).unwrap_or_else(|| legacy(text))
}

/// The value of the first form that fits.
fn known(forms: &[TextForm], text: &str) -> Option<Value> {
    forms.iter().find_map(|form| form.read(text, &known_reason))
}

fn coded(code: &str, values: Value) -> Value {
    json!({"code": code, "values": values})
}

fn legacy(text: &str) -> Value {
    coded("legacy", json!(text))
}

/// Replaces a text of that name; what is absent, null or no text stays.
fn replace(of: &mut Value, name: &str, value: fn(&str) -> Value) {
    if let Some(field) = of.get_mut(name)
        && let Some(text) = field.as_str()
    {
        *field = value(text);
    }
}

/// The elements of a list of that name; none where there is no such list.
fn elements<'a>(of: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = of.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

#[cfg(test)]
mod tests;
