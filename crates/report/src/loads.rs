//! The names of loads, and the loads of a report.

use crate::units;
use crate::words::{Words, fill};
use model::load::Load;
use record::outcome::Report;

/// The loads of the closed loop. All arms meet the same loads, so these are the loads of the first arm.
pub(crate) fn closed_loads(report: &Report) -> impl Iterator<Item = &Load> {
    let levels = report.arms.first().into_iter().flat_map(|arm| &arm.levels);
    let loads = levels.map(|level| &level.load);
    loads.filter(|load| load.users.is_some())
}

/// Whether the closed loop has more than one load, so that loads have to be named.
pub(crate) fn has_several_loads(report: &Report) -> bool {
    closed_loads(report).count() > 1
}

/// The name of a load: `50 connections`, or `a fixed 8200 /s`.
pub(crate) fn load_name(load: &Load, words: &Words) -> String {
    match (load.users, units::rate_of_load(load, words)) {
        (Some(1), _) => words.one_connection.to_owned(),
        (Some(users), _) => fill(words.connections, &[("users", &users)]),
        (None, Some(rate)) => {
            let name = match load.together {
                true => words.fixed_rate_together,
                false => words.fixed_rate,
            };
            fill(name, &[("rate", &rate)])
        }
        (None, None) => words.no_load.to_owned(),
    }
}

/// The names of several loads together: `10, 50 and 100 connections`.
pub(crate) fn load_names(loads: &[&Load], words: &Words) -> String {
    let users: Option<Vec<String>> =
        loads.iter().map(|load| load.users.map(|users| users.to_string())).collect();
    match (loads, users) {
        ([_, _, ..], Some(users)) => {
            let users = enumerated(&users, words);
            fill(words.connections, &[("users", &users)])
        }
        _ => {
            let names: Vec<String> = loads.iter().map(|load| load_name(load, words)).collect();
            enumerated(&names, words)
        }
    }
}

/// The names of several loads together, among which may be a rate; the unit of users is written once.
pub(crate) fn joined_load_names(names: &[String], words: &Words) -> String {
    let Some((last, others)) = names.split_last() else {
        return String::new();
    };
    let unit = fill(words.connections, &[("users", &"")]);
    let without_unit = |name: &String| name.strip_suffix(unit.as_str()).unwrap_or(name).to_owned();
    let names: Vec<String> = others.iter().map(without_unit).chain([last.clone()]).collect();
    enumerated(&names, words)
}

/// `a, b and c`.
fn enumerated(names: &[String], words: &Words) -> String {
    match names.split_last() {
        Some((last, others @ [_, ..])) => {
            let others = others.join(words.separator);
            fill(words.list_and_last, &[("others", &others), ("last", last)])
        }
        _ => names.concat(),
    }
}
