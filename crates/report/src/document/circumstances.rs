//! The circumstances of a run in one line: the request, the loads, the machine, the number of starts, the duration.

use super::{Content, ContentBlock, SectionInput, Text};
use crate::loads::{closed_loads, load_name, load_names};
use crate::units;
use crate::words::joined;
use model::cpus::listed;
use model::load::Load;
use model::machine::GeneratorPriority;
use record::outcome::{Level, RateOrigin, Report, StageRate};
use say::{Language, Say, text};

pub(super) const ID: &str = "circumstances";

/// The words of the circumstances.
#[derive(Say)]
enum CircumstancesText<'a> {
    #[say(en = "quick profile", zh = "快速配置")]
    Profile,
    #[say(en = "a connection for each request", zh = "每个请求新建连接")]
    ConnectionEach,
    #[say(en = "think time {think}", zh = "思考时间 {think}")]
    ThinkTime { think: &'a str },
    #[say(en = "{rate} ({origin})", zh = "{rate}（{origin}）")]
    RateFrom { rate: &'a str, origin: &'a RateOrigin },
    #[say(en = "{cpus} CPUs", zh = "{cpus} 个 CPU")]
    Cpus { cpus: &'a str },
    #[say(
        en = "{cpus} CPUs (servers {servers}; generator {generator})",
        zh = "{cpus} 个 CPU（服务器 {servers}；压测端 {generator}）"
    )]
    CpusSplit { cpus: &'a str, servers: &'a str, generator: &'a str },
    #[say(en = "generator: {priority}", zh = "压测端：{priority}")]
    Generator { priority: GeneratorPriority },
    #[say(en = "{starts} {starts|start|starts} each", zh = "各启动 {starts} 次")]
    StartsEach { starts: u32 },
    #[say(en = ". Run `{run}`.", zh = "。运行 `{run}`。")]
    RunNamed { run: &'a str },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let mut text = Text::from(circumstances(source.report, source.language));
    if source.form.run_in_circumstances {
        let run = Text::with_marks(&CircumstancesText::RunNamed { run: &source.report.run }, source.language);
        text.spans.extend(run.spans);
    }
    Content::of("", [ContentBlock::paragraph(text)])
}

/// The circumstances of a run in one line.
pub(crate) fn circumstances(report: &Report, language: Language) -> String {
    let design = &report.design;
    let levels: &[Level] = report.arms.first().map_or(&[], |arm| &arm.levels);
    let closed: Vec<&Load> = closed_loads(report).collect();
    let mut parts: Vec<String> = Vec::new();
    if design.profile.is_some() {
        parts.push(text(&CircumstancesText::Profile, language));
    }
    let request = report.asked.get("request");
    parts.extend(request.map(|request| units::truncated(request, 60)));
    if !closed.is_empty() {
        parts.push(load_names(&closed, language));
    }
    if report.asked.get("load/keepalive").is_some_and(|kept| kept == "false") {
        parts.push(text(&CircumstancesText::ConnectionEach, language));
    }
    if let Some(think) = report.asked.get("load/think") {
        parts.push(text(&CircumstancesText::ThinkTime { think }, language));
    }
    let open = levels.iter().filter(|level| level.load.users.is_none());
    parts.extend(open.map(|level| fixed_rate(&level.load, design.rate.as_ref(), language)));
    let cpus = report.fingerprint.get("cpus").map_or("?", String::as_str);
    parts.push(match report.cpu_split() {
        None => text(&CircumstancesText::Cpus { cpus }, language),
        Some(split) => {
            let [servers, generator] = [split.servers, split.generator].map(|cpus| listed(&cpus));
            text(&CircumstancesText::CpusSplit { cpus, servers: &servers, generator: &generator }, language)
        }
    });
    let priority = GeneratorPriority::of(&report.fingerprint);
    parts.extend(priority.map(|priority| text(&CircumstancesText::Generator { priority }, language)));
    parts.push(text(&CircumstancesText::StartsEach { starts: design.starts }, language));
    parts.push(units::minutes(design.elapsed.0, language));
    joined(&parts, language)
}

/// The load at a fixed rate. If the rate is the rate of the run and not a part of it, the text tells where the rate
/// comes from.
fn fixed_rate(load: &Load, rate: Option<&StageRate>, language: Language) -> String {
    let name = load_name(load, language);
    let Some(rate) = rate.filter(|rate| load.rate == Some(rate.value)) else {
        return name;
    };
    text(&CircumstancesText::RateFrom { rate: &name, origin: &rate.origin }, language)
}
