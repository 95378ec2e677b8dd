//! What limits an arm that ran alone, in one paragraph: what it does under the most users, how many of them are enough for that,
//! the limit, what to do about it, and what a trial of that brought.

use super::diagnoses::tried_changes;
use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units;
use crate::words::Label;
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use record::finding::Remedy;
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Diagnosis, Effective, FoundCause, Level, Report};
use record::search::{Capacity, CapacityEnd, SearchResult};
use say::{Language, Say, text};

pub(super) const ID: &str = "conclusion";

/// The sentences of the conclusion.
#[derive(Say)]
enum ConclusionText<'a> {
    #[say(
        en = "With {load} {arm} answers {rate}, half of the requests within {p50}.",
        zh = "{arm} 在 {load}下的吞吐量为 {rate}，半数请求在 {p50} 以内得到应答。"
    )]
    Measured { load: &'a str, arm: &'a str, rate: &'a str, p50: &'a str },
    #[say(en = "With {load} {arm} was not measured: {why}.", zh = "{arm} 在 {load}下未能测得：{why}。")]
    NotMeasured { load: &'a str, arm: &'a str, why: &'a str },
    #[say(
        en = "{knee:text} connections are enough for that: any more only wait longer.",
        zh = "达到这一吞吐量只需 {knee:text} 个连接：更多的连接只会等待更久。"
    )]
    Knee { knee: f64 },
    #[say(en = "Throughput was still growing with the number of connections.", zh = "吞吐量仍随连接数增长。")]
    Growing,
    #[say(en = "What limits it there is {cause}: {says}.", zh = "此时的瓶颈是 {cause}：{says}。")]
    Limit { cause: &'a str, says: FoundCause<'a> },
    #[say(
        en = "What limits it there is the CPU ({cause}), as expected of a load that asks as fast as it is answered: {says}.",
        zh = "此时的瓶颈是 CPU（{cause}），这对收到应答即再次请求的负载是正常的：{says}。"
    )]
    ExpectedLimit { cause: &'a str, says: FoundCause<'a> },
    #[say(
        en = "No limit was found up to there: more connections may show one.",
        zh = "到此为止未发现瓶颈：更多的连接或许会显出瓶颈。"
    )]
    NoLimit,
    #[say(en = "What to do: {change}.", zh = "建议：{change}。")]
    Try { change: &'a Remedy },
    #[say(
        en = "Tried: with {change:clauses} throughput is {times} times as high{ends}.",
        zh = "已试验：设 {change:clauses} 后，吞吐量为原来的 {times} 倍{ends}。"
    )]
    Tried { change: &'a [String], times: &'a str, ends: &'a str },
    #[say(
        en = "Tried in vain: with {change:clauses} throughput is {times} times as high{ends}.",
        zh = "试验无效：设 {change:clauses} 后，吞吐量为原来的 {times} 倍{ends}。"
    )]
    TriedInVain { change: &'a [String], times: &'a str, ends: &'a str },
    #[say(
        en = "All of this was seen from outside: CPU, collections, pools and threads of {arm} are unknown. `metrics` in its arm, by which it \
              tells of them, and `host`, by which its process is seen, would add some; the causes within the server need prony to start it.",
        zh = "以上均从外部观测得出：{arm} 的 CPU、垃圾回收、连接池与线程未知。在其对象中用 `metrics` 读取它自报的指标，或用 `host` 观测其进程，可获知其中一部分；\
              服务器内部的原因则需由 prony 启动它才能得知。"
    )]
    NotSeen { arm: &'a str },
    #[say(
        en = "The process of {arm} was not seen: what is said of its CPU, heap and pools is what it tells of them, as means over seconds. The \
              causes within the server need prony to start it.",
        zh = "看不到 {arm} 的进程：关于其 CPU、堆与各种池的说法来自它自报的指标，为若干秒内的平均值。服务器内部的原因则需由 prony 启动它才能得知。"
    )]
    OnlyTold { arm: &'a str },
    #[say(en = "Also found: {causes:clauses}.", zh = "另外发现：{causes:clauses}。")]
    Also { causes: &'a [&'a str] },
}

/// Share of the most users up to which a knee says that fewer users are enough.
const FEWER: f64 = 0.9;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let report = source.report;
    let [arm] = report.arms.as_slice() else {
        return None;
    };
    let paragraph = ContentBlock::paragraph(paragraph(report, arm, source.language));
    let blocks = report.is_of_one_arm().then_some(paragraph);
    Content::unless_empty("", blocks.into_iter().collect())
}

fn paragraph(report: &Report, arm: &ArmResult, language: Language) -> String {
    let load = arm.highest_load();
    let figures = load.map(|load| figures(report, arm, load, language));
    let knee = capacity(arm).and_then(|found| knee(found, load?, language));
    let unseen = arm.unseen.then(|| text(&view(arm), language));
    let sentences = figures.into_iter().chain(knee).chain(limit(arm, language)).chain(unseen);
    sentences.collect::<Vec<_>>().join(language.choose(" ", ""))
}

/// What could be seen of an arm whose process nobody sees. One that tells figures of itself tells settings, too.
fn view(arm: &ArmResult) -> ConclusionText<'_> {
    match arm.effective == Effective::default() {
        true => ConclusionText::NotSeen { arm: &arm.name },
        false => ConclusionText::OnlyTold { arm: &arm.name },
    }
}

fn capacity(arm: &ArmResult) -> Option<&Capacity> {
    match arm.found.as_ref()? {
        SearchResult::Capacity(found) => Some(found),
        SearchResult::MaxRate(_) => None,
    }
}

/// What the arm does under the load, or why that was not measured.
fn figures(report: &Report, arm: &ArmResult, load: &Load, language: Language) -> String {
    let level = arm.levels.iter().find(|level| level.load == *load);
    let measured = level.and_then(|level| rate_and_time(report, level, arm, language));
    measured.unwrap_or_else(|| {
        let why = match level {
            Some(level) => level.why_invalid.as_ref(),
            // The search ended at a load that is not among its steps.
            None => capacity(arm).and_then(|found| why_ended(&found.ended)),
        };
        let why = &why.map_or_else(|| text(&Label::NoStart, language), |why| text(why, language));
        let load = &load_name(load, language);
        text(&ConclusionText::NotMeasured { load, arm: &arm.name, why }, language)
    })
}

/// Throughput and median time at a valid load.
fn rate_and_time(report: &Report, level: &Level, arm: &ArmResult, language: Language) -> Option<String> {
    let rate = level.value(Measure::Throughput).filter(|_| level.valid)?;
    let p50 = level.value(LevelFigure::SERVICE_P50).or_else(|| level.value(Measure::ResponseP50))?;
    let load = &load_name(&level.load, language);
    let rate = &units::value_in(report, Measure::Throughput, rate, language);
    let p50 = &units::seconds(p50);
    Some(text(&ConclusionText::Measured { load, arm: &arm.name, rate, p50 }, language))
}

const fn why_ended(ended: &CapacityEnd) -> Option<&Reason> {
    match ended {
        CapacityEnd::Generator { reason, .. } | CapacityEnd::Errors { reason, .. } => Some(reason),
        CapacityEnd::Flat { .. } | CapacityEnd::AllTried { .. } => None,
    }
}

/// How many users are enough for the throughput, where a search has shown that.
fn knee(found: &Capacity, load: &Load, language: Language) -> Option<String> {
    found.most.as_ref()?;
    let most = load.users? as f64;
    let knee = found.knee.map(|knee| knee.users.value.ceil());
    Some(match knee.filter(|knee| *knee < FEWER * most) {
        Some(knee) => text(&ConclusionText::Knee { knee }, language),
        None => text(&ConclusionText::Growing, language),
    })
}

/// The limit at the highest load, what to do about it, and what else was found there.
fn limit(arm: &ArmResult, language: Language) -> Vec<String> {
    let mut found = arm.diagnoses_at_highest_load();
    let Some(first) = found.next() else {
        return vec![text(&ConclusionText::NoLimit, language)];
    };
    let (cause, says) = (first.cause().id(), first.found());
    let limit = match first.expected {
        true => ConclusionText::ExpectedLimit { cause, says },
        false => ConclusionText::Limit { cause, says },
    };
    let limit = text(&limit, language);
    let is_advised = !first.remedy.accepts() && !first.is_refuted();
    let change = is_advised.then(|| text(&ConclusionText::Try { change: &first.remedy }, language));
    let causes: Vec<&str> = found.map(|other| other.cause().id()).collect();
    let also = (!causes.is_empty()).then(|| text(&ConclusionText::Also { causes: &causes }, language));
    let sentences = [Some(limit), change, trial(first, language), also];
    sentences.into_iter().flatten().collect()
}

/// What a trial of the change has brought; `None` without a trial.
fn trial(diagnosis: &Diagnosis, language: Language) -> Option<String> {
    let [times, ends] = &diagnosis.proved?.as_factor();
    let change = &tried_changes(diagnosis);
    let result = match diagnosis.is_refuted() {
        true => ConclusionText::TriedInVain { change, times, ends },
        false => ConclusionText::Tried { change, times, ends },
    };
    Some(text(&result, language))
}
