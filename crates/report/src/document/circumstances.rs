//! The circumstances of a run in one line: the request, the loads, the machine, the number of starts, the duration.

use super::{Content, ContentBlock, SectionInput, Text};
use crate::loads::{closed_loads, load_name, load_names};
use crate::units;
use crate::words::{Words, fill};
use model::cpus::listed;
use model::load::Load;
use model::machine::GeneratorPriority;
use record::outcome::{Level, Report, StageRate};

pub(super) const ID: &str = "circumstances";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let mut text = Text::from(circumstances(source.report, source.words));
    if source.form.run_in_circumstances {
        let run = Text::filled(source.words.run_named, &[("run", &source.report.run)]);
        text.spans.extend(run.spans);
    }
    Content::of("", [ContentBlock::paragraph(text)])
}

/// The circumstances of a run in one line.
pub(crate) fn circumstances(report: &Report, words: &Words) -> String {
    let design = &report.design;
    let levels: &[Level] = report.arms.first().map_or(&[], |arm| &arm.levels);
    let closed: Vec<&Load> = closed_loads(report).collect();
    let mut parts: Vec<String> = Vec::new();
    if design.profile.is_some() {
        parts.push(words.profile.to_owned());
    }
    let request = report.asked.get("request");
    parts.extend(request.map(|request| units::truncated(request, 60)));
    if !closed.is_empty() {
        parts.push(load_names(&closed, words));
    }
    if report.asked.get("load/keepalive").is_some_and(|kept| kept == "false") {
        parts.push(words.connection_each.to_owned());
    }
    if let Some(think) = report.asked.get("load/think") {
        parts.push(fill(words.think_time, &[("think", think)]));
    }
    let open = levels.iter().filter(|level| level.load.users.is_none());
    parts.extend(open.map(|level| fixed_rate(&level.load, design.rate.as_ref(), words)));
    let cpus = report.fingerprint.get("cpus").map_or("?", String::as_str);
    parts.push(match report.cpu_split() {
        None => fill(words.cpus, &[("cpus", &cpus)]),
        Some(split) => {
            let [servers, generator] = [split.servers, split.generator].map(|cpus| listed(&cpus));
            fill(words.cpus_split, &[("cpus", &cpus), ("servers", &servers), ("generator", &generator)])
        }
    });
    parts.extend(GeneratorPriority::of(&report.fingerprint).map(|priority| {
        let priority = words.generator_priority(priority);
        fill(words.generator_at, &[("priority", &priority)])
    }));
    parts.push(match design.starts {
        1 => words.start_each.to_owned(),
        starts => fill(words.starts_each, &[("starts", &starts)]),
    });
    parts.push(units::minutes(design.elapsed.0, words));
    parts.join(words.separator)
}

/// The load at a fixed rate. If the rate is the rate of the run and not a part of it, the text tells where the rate
/// comes from.
fn fixed_rate(load: &Load, rate: Option<&StageRate>, words: &Words) -> String {
    let name = load_name(load, words);
    let Some(rate) = rate.filter(|rate| load.rate == Some(rate.value)) else {
        return name;
    };
    let origin = say::text(&rate.origin, words.lang);
    fill(words.rate_from, &[("rate", &name), ("origin", &origin)])
}
