//! The names of loads, and the loads of a report.

use crate::units;
use model::load::Load;
use record::outcome::Report;
use say::{Language, Say, text};

/// The words of loads.
#[derive(Say)]
pub(crate) enum LoadText<'a> {
    #[say(en = "1 connection", zh = "1 个连接")]
    OneConnection,
    #[say(en = "{users} connections", zh = "{users} 个连接")]
    Connections { users: &'a str },
    #[say(en = "a fixed {rate}", zh = "固定速率 {rate}")]
    FixedRate { rate: &'a str },
    #[say(en = "a fixed {rate} each, all arms at once", zh = "各对象同时承受固定速率 {rate}")]
    FixedRateTogether { rate: &'a str },
    #[say(en = "no load", zh = "无负载")]
    NoLoad,
    #[say(en = "{others:clauses} and {last}", zh = "{others:clauses} 和 {last}")]
    Several { others: &'a [String], last: &'a str },
    #[say(en = " at {load}", zh = "（{load}）")]
    AtLoad { load: &'a str },
    #[say(en = " at {users}", zh = "（{users} 个连接）")]
    AtUsers { users: u64 },
}

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
pub(crate) fn load_name(load: &Load, language: Language) -> String {
    match (load.users, units::rate_of_load(load, language)) {
        (Some(1), _) => text(&LoadText::OneConnection, language),
        (Some(users), _) => text(&LoadText::Connections { users: &users.to_string() }, language),
        (None, Some(rate)) => {
            let rate = &rate;
            let name = match load.together {
                true => LoadText::FixedRateTogether { rate },
                false => LoadText::FixedRate { rate },
            };
            text(&name, language)
        }
        (None, None) => text(&LoadText::NoLoad, language),
    }
}

/// The names of several loads together: `10, 50 and 100 connections`.
pub(crate) fn load_names(loads: &[&Load], language: Language) -> String {
    let users: Option<Vec<String>> =
        loads.iter().map(|load| load.users.map(|users| users.to_string())).collect();
    match (loads, users) {
        ([_, _, ..], Some(users)) => {
            let users = enumerated(&users, language);
            text(&LoadText::Connections { users: &users }, language)
        }
        _ => {
            let names: Vec<String> = loads.iter().map(|load| load_name(load, language)).collect();
            enumerated(&names, language)
        }
    }
}

/// The names of several loads together, among which may be a rate; the unit of users is written once.
pub(crate) fn joined_load_names(names: &[String], language: Language) -> String {
    let Some((last, others)) = names.split_last() else {
        return String::new();
    };
    let unit = text(&LoadText::Connections { users: "" }, language);
    let without_unit = |name: &String| name.strip_suffix(unit.as_str()).unwrap_or(name).to_owned();
    let names: Vec<String> = others.iter().map(without_unit).chain([last.clone()]).collect();
    enumerated(&names, language)
}

/// `a, b and c`.
fn enumerated(names: &[String], language: Language) -> String {
    match names.split_last() {
        Some((last, others @ [_, ..])) => text(&LoadText::Several { others, last }, language),
        _ => names.concat(),
    }
}
