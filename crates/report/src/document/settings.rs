//! The configuration that ran: settings read from the running servers, then lag and CPU of the generator for each arm.

use super::by_arm::{ArmRow, table_by_arm};
use super::machines;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::{Words, fill};
use ask::arm::keys;
use record::outcome::{ArmResult, Effective, Generator, Report, ShownValue};

pub(super) const ID: &str = "ran";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    Content::of(
        words.what_ran,
        [
            ContentBlock::explanation(words.read_off),
            table_by_arm(report, ColumnKind::Text, rows(report, words)),
        ],
    )
}

/// The text of a setting of an arm; `None` if it is not known or does not apply.
type SettingText = fn(&Effective) -> Option<String>;

fn rows(report: &Report, words: &Words) -> Vec<ArmRow> {
    let always: [(&str, SettingText); 3] = [
        (words.server, |e| e.server.clone()),
        (words.protocol_handler, |e| e.protocol_handler.clone()),
        (words.max_threads, |e| e.max_threads.map(|n| n.to_string())),
    ];
    let then: [(&str, SettingText); 2] = [
        (words.max_connections, |e| e.max_connections.map(|n| n.to_string())),
        (words.accept_count, |e| e.accept_count.map(|n| n.to_string())),
    ];
    let of_jvm: [(&str, SettingText); 3] = [
        (words.jdk, |e| e.jdk.clone()),
        (words.collector, |e| e.gc.clone()),
        (words.heap, |e| e.heap.map(|size| size.to_string())),
    ];
    let row = |(title, setting): (&str, SettingText)| {
        let value = |arm: &ArmResult| setting(&arm.effective).unwrap_or_else(|| words.unknown.to_owned());
        ArmRow::new(report, title, value)
    };
    let mut rows: Vec<ArmRow> = always.into_iter().map(row).collect();
    // Most servers have no virtual threads, so this row is optional.
    let virtual_threads = |arm: &ArmResult| arm.effective.virtual_threads.map(|n| n.to_string());
    rows.extend(row_if_any(report, words.virtual_threads, words.unknown, virtual_threads));
    rows.extend(then.into_iter().map(row));
    let read_back = keys::all().filter(|key| !key.read_back.is_empty());
    rows.extend(read_back.filter_map(|key| {
        let value = |arm: &ArmResult| arm.effective.further.get(key.name).map(ShownValue::to_string);
        row_if_any(report, key.name, words.unknown, value)
    }));
    rows.extend(of_jvm.map(|(title, setting)| jvm_row(report, words, title, setting)));
    let tls = |arm: &ArmResult| arm.effective.tls.clone();
    rows.extend(row_if_any(report, words.tls, words.none, tls));
    rows.extend(machines::rows(report, words));
    rows.extend(limits(report, words));
    rows.extend(generators(report, words));
    rows
}

/// A row of a setting of JVMs, which a native program does not have.
fn jvm_row(report: &Report, words: &Words, title: &str, setting: SettingText) -> ArmRow {
    let value = |arm: &ArmResult| {
        let absent = match report.native_image(&arm.name) {
            Some(_) => words.no_jvm,
            None => words.unknown,
        };
        setting(&arm.effective).unwrap_or_else(|| absent.to_owned())
    };
    ArmRow::new(report, title, value)
}

/// A row that is left out if no arm has a value; arms without a value have `otherwise`.
fn row_if_any(
    report: &Report,
    title: &str,
    otherwise: &str,
    value: impl Fn(&ArmResult) -> Option<String>,
) -> Option<ArmRow> {
    let any = report.arms.iter().any(|arm| value(arm).is_some());
    let value = |arm: &ArmResult| value(arm).unwrap_or_else(|| otherwise.to_owned());
    any.then(|| ArmRow::new(report, title, value))
}

/// Rows of the limits of memory and CPU, if any arm has one.
fn limits(report: &Report, words: &Words) -> impl Iterator<Item = ArmRow> {
    let memory = |arm: &ArmResult| {
        let limit = arm.effective.memory_limit;
        limit.map(|size| size.to_string())
    };
    let cpu = |arm: &ArmResult| {
        let limit = arm.effective.cpu_limit;
        limit.map(|cpus| fill(words.cpus_worth, &[("cpus", &cpus)]))
    };
    let by = |arm: &ArmResult| arm.effective.limited_by.clone();
    let rows = [
        row_if_any(report, words.memory_limit, words.none, memory),
        row_if_any(report, words.cpu_limit, words.none, cpu),
        row_if_any(report, words.limited_by, words.none, by),
    ];
    rows.into_iter().flatten()
}

/// Lag and CPU of the generator for each arm, at its first load.
fn generators(report: &Report, words: &Words) -> [ArmRow; 2] {
    let row = |title: &str, text: fn(&Generator) -> String| {
        let value = |arm: &ArmResult| {
            let first = arm.levels.first();
            first.map_or_else(|| "–".to_owned(), |level| text(&level.generator))
        };
        ArmRow::new(report, title, value)
    };
    [
        row(words.generator_lag, |generator| units::seconds(generator.lag_p99.0)),
        row(words.generator_cpu, |generator| format!("{:.0} %", generator.cpu.as_percent())),
    ]
}
