//! What ran, and what was counted: tables with a column for each arm, the same in every form of the report.

use crate::rows;
use crate::units;
use crate::words::{Words, fill};
use model::outcome::{ArmResult, Effective, Level, Report};
use model::units::Bytes;
use std::collections::BTreeSet;

/// What stands before a row, and its value for every arm.
pub(crate) type Row = (String, Vec<String>);

type Field = fn(&Effective) -> Option<String>;

/// Settings read off the running servers, then what the generator says of itself under each.
pub(crate) fn effective(report: &Report, words: &Words) -> Vec<Row> {
    let always: [(&str, Field); 3] = [
        (words.server, |e| e.server.clone()),
        (words.protocol_handler, |e| e.protocol_handler.clone()),
        (words.max_threads, |e| e.max_threads.map(|n| n.to_string())),
    ];
    let then: [(&str, Field); 5] = [
        (words.max_connections, |e| {
            e.max_connections.map(|n| n.to_string())
        }),
        (words.accept_count, |e| e.accept_count.map(|n| n.to_string())),
        (words.jdk, |e| e.jdk.clone()),
        (words.collector, |e| e.gc.clone()),
        (words.heap, |e| e.heap.map(|bytes| Bytes(bytes).to_string())),
    ];
    let row = |(title, field): (&str, Field)| row(report, title, field, words.unknown);
    let mut rows: Vec<Row> = always.into_iter().map(row).collect();
    // Most servers have no virtual threads to speak of.
    let virtual_threads: Field = |e| e.virtual_threads.map(|n| n.to_string());
    rows.extend(spoken_of(
        report,
        words.virtual_threads,
        virtual_threads,
        words.unknown,
    ));
    rows.extend(then.into_iter().map(row));
    rows.extend(spoken_of(report, words.tls, |e| e.tls.clone(), words.none));
    rows.extend(limits(report, words));
    rows.extend(generators(report, words));
    rows
}

fn row(report: &Report, title: &str, field: Field, otherwise: &str) -> Row {
    let value = |arm: &ArmResult| field(&arm.effective).unwrap_or_else(|| otherwise.to_owned());
    (title.to_owned(), report.arms.iter().map(value).collect())
}

/// A row that is there only where an arm has a value.
fn spoken_of(report: &Report, title: &str, field: Field, otherwise: &str) -> Option<Row> {
    let any = report.arms.iter().any(|arm| field(&arm.effective).is_some());
    any.then(|| row(report, title, field, otherwise))
}

/// Limits of memory and CPU, where any arm has one.
fn limits(report: &Report, words: &Words) -> Vec<Row> {
    let memory: Field = |e| e.memory_limit.map(|bytes| Bytes(bytes).to_string());
    let cpu = |arm: &ArmResult| {
        let limit = arm.effective.cpu_limit;
        limit.map(|cpus| fill(words.cpus_worth, &[("cpus", &cpus)]))
    };
    let cpus: Vec<Option<String>> = report.arms.iter().map(cpu).collect();
    let any = cpus.iter().any(Option::is_some);
    let or_none = |value: Option<String>| value.unwrap_or_else(|| words.none.to_owned());
    let cpu = any.then(|| {
        (
            words.cpu_limit.to_owned(),
            cpus.into_iter().map(or_none).collect(),
        )
    });
    let by: Field = |e| e.limited_by.clone();
    spoken_of(report, words.memory_limit, memory, words.none)
        .into_iter()
        .chain(cpu)
        .chain(spoken_of(report, words.limited_by, by, words.none))
        .collect()
}

/// What the generator says of itself under each arm.
fn generators(report: &Report, words: &Words) -> [Row; 2] {
    let of_first = |said: fn(f64) -> String, field: fn(&model::outcome::Generator) -> f64| {
        let value = |arm: &ArmResult| {
            let first = arm.levels.first();
            first.map_or_else(|| "–".to_owned(), |level| said(field(&level.generator)))
        };
        report.arms.iter().map(value).collect()
    };
    let percent: fn(f64) -> String = |share| format!("{:.0} %", 100.0 * share);
    [
        (
            words.generator_lag.to_owned(),
            of_first(units::seconds, |g| g.lag_p99),
        ),
        (words.generator_cpu.to_owned(), of_first(percent, |g| g.cpu)),
    ]
}

/// What control groups and services counted in each start.
pub(crate) fn facts(report: &Report) -> Vec<Row> {
    let names: BTreeSet<&String> = report.arms.iter().flat_map(|arm| arm.facts.keys()).collect();
    let row = |name: &String| {
        let value = |arm: &ArmResult| {
            let fact = arm.facts.get(name);
            fact.map_or_else(|| "–".to_owned(), |fact| fact_text(*fact))
        };
        (name.clone(), report.arms.iter().map(value).collect())
    };
    names.into_iter().map(row).collect()
}

/// A count, or a mean of counts.
fn fact_text(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix(".00").unwrap_or(&text).to_owned()
}

/// What requests of each arm took under each load: arm, load, response p50 and p99, service p50 and p99.
pub(crate) fn times(report: &Report, words: &Words) -> Vec<[String; 6]> {
    by_level(report, words, |arm, load, level| {
        let time = |id: &str| {
            let estimate = level.measures.get(id);
            estimate.map_or_else(|| "–".to_owned(), |estimate| units::seconds(estimate.value))
        };
        let [p50, p99] = ["response_p50", "response_p99"].map(time);
        [arm, load, p50, p99, time("service_p50"), time("service_p99")]
    })
}

/// What was counted of each arm under each load: arm, load, requests, right, faults, connects.
pub(crate) fn counts(report: &Report, words: &Words) -> Vec<[String; 6]> {
    by_level(report, words, |arm, load, level| {
        let counts = &level.counts;
        let faults = words.faults(counts);
        [
            arm,
            load,
            counts.requests.to_string(),
            counts.ok.to_string(),
            faults.unwrap_or_else(|| words.none.to_owned()),
            counts.connects.to_string(),
        ]
    })
}

/// A row for each arm under each load, which begins with the names of both.
fn by_level(
    report: &Report,
    words: &Words,
    row: impl Fn(String, String, &Level) -> [String; 6],
) -> Vec<[String; 6]> {
    let levels = report
        .arms
        .iter()
        .flat_map(|arm| arm.levels.iter().map(move |level| (arm, level)));
    levels
        .map(|(arm, level)| row(arm.name.clone(), rows::load(&level.load, words), level))
        .collect()
}
