//! The configuration that ran: settings read from the running servers, then lag and CPU of the generator for each arm.

use super::by_arm::{ArmRow, table_by_arm};
use super::machines;
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::Label;
use ask::arm::keys;
use model::units::Cpus;
use record::outcome::{ArmResult, Effective, Generator, Report, ShownValue};
use say::{Language, Say, text};

pub(super) const ID: &str = "ran";

/// The words of the configuration.
#[derive(Say)]
enum SettingsText {
    #[say(en = "Configuration that ran", zh = "实际运行的配置")]
    Heading,
    #[say(en = "Read from the running servers.", zh = "从运行中的服务器读取。")]
    Explained,
    #[say(en = "not available (native program)", zh = "不适用（原生程序）")]
    NoJvm,
    #[say(en = "server", zh = "服务器")]
    Server,
    #[say(en = "protocol handler", zh = "协议处理器")]
    ProtocolHandler,
    #[say(en = "virtual threads", zh = "虚拟线程")]
    VirtualThreads,
    #[say(en = "collector", zh = "垃圾收集器")]
    Collector,
    #[say(en = "heap", zh = "堆")]
    Heap,
    #[say(en = "processors, chosen by the JVM", zh = "处理器数（由 JVM 决定）")]
    Processors,
    #[say(en = "memory limit", zh = "内存上限")]
    MemoryLimit,
    #[say(en = "CPU limit", zh = "CPU 上限")]
    CpuLimit,
    #[say(en = "{cpus:text} CPUs", zh = "{cpus:text} 个 CPU")]
    CpusWorth { cpus: Cpus },
    #[say(en = "limited by", zh = "限制方式")]
    LimitedBy,
    #[say(en = "generator lag p99", zh = "压测端滞后 p99")]
    GeneratorLag,
    #[say(en = "generator CPU, of one core", zh = "压测端 CPU（单核占比）")]
    GeneratorCpu,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    Content::of(
        text(&SettingsText::Heading, language),
        [
            ContentBlock::explanation(text(&SettingsText::Explained, language)),
            table_by_arm(report, ColumnKind::Text, rows(report, language)),
        ],
    )
}

/// The text of a setting of an arm; `None` if it is not known or does not apply.
type SettingText = fn(&Effective) -> Option<String>;

fn rows(report: &Report, language: Language) -> Vec<ArmRow> {
    let always: [(&dyn Say, SettingText); 3] = [
        (&SettingsText::Server, |e| e.server.clone()),
        (&SettingsText::ProtocolHandler, |e| e.protocol_handler.clone()),
        (&"maxThreads", |e| e.max_threads.map(|n| n.to_string())),
    ];
    let then: [(&dyn Say, SettingText); 2] = [
        (&"maxConnections", |e| e.max_connections.map(|n| n.to_string())),
        (&"acceptCount", |e| e.accept_count.map(|n| n.to_string())),
    ];
    let of_jvm: [(&dyn Say, SettingText); 3] = [
        (&"JDK", |e| e.jdk.clone()),
        (&SettingsText::Collector, |e| e.gc.clone()),
        (&SettingsText::Heap, |e| e.heap.map(|size| size.to_string())),
    ];
    let row = |(title, setting): (&dyn Say, SettingText)| {
        let value =
            |arm: &ArmResult| setting(&arm.effective).unwrap_or_else(|| text(&Label::Unknown, language));
        ArmRow::new(report, text(title, language), value)
    };
    let mut rows: Vec<ArmRow> = always.into_iter().map(row).collect();
    // Most servers have no virtual threads, so this row is optional.
    let virtual_threads = |arm: &ArmResult| arm.effective.virtual_threads.map(|n| n.to_string());
    rows.extend(row_if_any(
        report,
        &SettingsText::VirtualThreads,
        &Label::Unknown,
        language,
        virtual_threads,
    ));
    rows.extend(then.into_iter().map(row));
    let read_back = keys::all().filter(|key| !key.read_back.is_empty());
    rows.extend(read_back.filter_map(|key| {
        let value = |arm: &ArmResult| arm.effective.further.get(key.name).map(ShownValue::to_string);
        row_if_any(report, &key.name, &Label::Unknown, language, value)
    }));
    rows.extend(of_jvm.map(|(title, setting)| jvm_row(report, language, title, setting)));
    let processors = |arm: &ArmResult| arm.effective.processors.map(|count| count.to_string());
    rows.extend(row_if_any(report, &SettingsText::Processors, &Label::Unknown, language, processors));
    let tls = |arm: &ArmResult| arm.effective.tls.clone();
    rows.extend(row_if_any(report, &"TLS", &Label::None, language, tls));
    rows.extend(machines::rows(report, language));
    rows.extend(limits(report, language));
    rows.extend(generators(report, language));
    rows
}

/// A row of a setting of JVMs, which a native program does not have.
fn jvm_row(report: &Report, language: Language, title: &dyn Say, setting: SettingText) -> ArmRow {
    let value = |arm: &ArmResult| {
        let absent = || match report.native_image(&arm.name) {
            Some(_) => text(&SettingsText::NoJvm, language),
            None => text(&Label::Unknown, language),
        };
        setting(&arm.effective).unwrap_or_else(absent)
    };
    ArmRow::new(report, text(title, language), value)
}

/// A row that is left out if no arm has a value; arms without a value have `otherwise`.
fn row_if_any(
    report: &Report,
    title: &dyn Say,
    otherwise: &Label,
    language: Language,
    value: impl Fn(&ArmResult) -> Option<String>,
) -> Option<ArmRow> {
    let any = report.arms.iter().any(|arm| value(arm).is_some());
    let value = |arm: &ArmResult| value(arm).unwrap_or_else(|| text(otherwise, language));
    any.then(|| ArmRow::new(report, text(title, language), value))
}

/// Rows of the limits of memory and CPU, if any arm has one.
fn limits(report: &Report, language: Language) -> impl Iterator<Item = ArmRow> {
    let memory = |arm: &ArmResult| {
        let limit = arm.effective.memory_limit;
        limit.map(|size| size.to_string())
    };
    let cpu = |arm: &ArmResult| {
        let limit = arm.effective.cpu_limit;
        limit.map(|cpus| text(&SettingsText::CpusWorth { cpus }, language))
    };
    let by = |arm: &ArmResult| arm.effective.limited_by.clone();
    let rows = [
        row_if_any(report, &SettingsText::MemoryLimit, &Label::None, language, memory),
        row_if_any(report, &SettingsText::CpuLimit, &Label::None, language, cpu),
        row_if_any(report, &SettingsText::LimitedBy, &Label::None, language, by),
    ];
    rows.into_iter().flatten()
}

/// Lag and CPU of the generator for each arm, at its first load.
fn generators(report: &Report, language: Language) -> [ArmRow; 2] {
    let row = |title: SettingsText, figure: fn(&Generator) -> String| {
        let value = |arm: &ArmResult| {
            let first = arm.levels.first();
            first.map_or_else(|| "–".to_owned(), |level| figure(&level.generator))
        };
        ArmRow::new(report, text(&title, language), value)
    };
    [
        row(SettingsText::GeneratorLag, |generator| units::seconds(generator.lag_p99.0)),
        row(SettingsText::GeneratorCpu, |generator| format!("{:.0} %", generator.cpu.as_percent())),
    ]
}
