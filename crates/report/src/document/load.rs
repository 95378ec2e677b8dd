//! A single load: the figures of one run on one URL, with their limits, laid out for a terminal.

use super::session_steps::write_steps;
use super::{Content, ContentBlock, SectionInput};
use crate::loads::LoadText;
use crate::units::{self, left};
use crate::words::Label;
use crate::words::joined;
use model::faults::FaultCounts;
use model::machine::GeneratorPriority;
use model::measure::Measure;
use model::reason::Reason;
use model::times::{Clock, TimeStatistic};
use record::events::EventTimes;
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Level, Report, StreamCounts};
use say::{Language, Say, numbers, text};
use std::collections::BTreeMap;
use std::fmt::Write;
use traffic::scenario::FirstFailure;

pub(super) const ID: &str = "load";

/// The section that says that nothing was compared.
pub(super) const UNCOMPARED: &str = "uncompared";

/// The words of a single load.
#[derive(Say)]
enum SingleLoadText<'a> {
    #[say(en = "A single load: nothing was compared.", zh = "单次压测：没有比较。")]
    NoVerdict,
    #[say(en = "1 user, who plays one session after the other", zh = "1 个用户，依次执行会话")]
    OneUser,
    #[say(
        en = "1 connection, which sends a request when the last one was answered",
        zh = "1 个连接，收到上一个应答后才发送下一个请求"
    )]
    OneConnection,
    #[say(
        en = "{users} users, each of whom plays one session after the other",
        zh = "{users} 个用户，各自依次执行会话"
    )]
    Users { users: u64 },
    #[say(
        en = "sessions begin at {rate}, whatever the server does",
        zh = "无论服务器如何，会话以 {rate} 的速率开始"
    )]
    Sessions { rate: &'a str },
    #[say(
        en = "{users} connections, each sends a request when the last one was answered",
        zh = "{users} 个连接，收到上一个应答后才发送下一个请求"
    )]
    Closed { users: u64 },
    #[say(en = "{rate} offered, however fast the server answers", zh = "固定速率 {rate}，与服务器快慢无关")]
    Open { rate: &'a str },
    #[say(en = "generator", zh = "压测端")]
    Generator,
    #[say(
        en = "{cpu} % of a core, lag p99 {lag} (not part of the times above)",
        zh = "单核的 {cpu} %，滞后 p99 {lag}（不计入以上时间）"
    )]
    GeneratorLine { cpu: &'a str, lag: &'a str },
    #[say(
        en = "send delay p50 {p50}, p99 {p99} (part of the response times above)",
        zh = "发送延迟 p50 {p50}，p99 {p99}（已计入以上响应时间）"
    )]
    SendDelay { p50: &'a str, p99: &'a str },
    #[say(en = "INVALID: {why}", zh = "无效：{why}")]
    Invalid { why: &'a Reason },
    #[say(en = "right answers", zh = "正确应答")]
    RightAnswers,
    #[say(en = "wrong answers", zh = "错误应答")]
    WrongAnswers,
    #[say(en = "TLS handshakes", zh = "TLS 握手")]
    Handshakes,
    #[say(
        en = "{each} per request, {resumed} of them resumed",
        zh = "每请求 {each} 次，其中 {resumed} 次为会话恢复"
    )]
    TlsLine { each: &'a str, resumed: u64 },
    #[say(en = "HTTP/2", zh = "HTTP/2")]
    Http2,
    #[say(
        en = "{connections} {connections|connection|connections} at once, with {streams} streams open on each{most?; the server allows {}}",
        zh = "同时 {connections} 个连接，每个连接上有 {streams} 个打开的流{most?；服务器最多允许 {} 个}"
    )]
    Http2Line { connections: u64, streams: &'a str, most: Option<u64> },
    #[say(en = "streams reset", zh = "被重置的流")]
    StreamResets,
    #[say(en = "GOAWAYs", zh = "GOAWAY")]
    GoAways,
    #[say(en = "stream waits", zh = "等待流")]
    StreamWaits,
    #[say(
        en = "requests waited for a stream: the server allows no more at a time",
        zh = "个请求等待流：服务器不允许同时打开更多"
    )]
    StreamLimit,
    #[say(en = "window waits", zh = "等待窗口")]
    WindowWaits,
    #[say(
        en = "requests waited for a window: the server's flow control held their bodies up",
        zh = "个请求等待窗口：其正文受到服务器流量控制的限制"
    )]
    WindowLimit,
    #[say(en = "events", zh = "事件")]
    Events,
    #[say(en = "{rate}{left?; the rest of {} answers was not read}", zh = "{rate}{left?；{} 个应答未读完}")]
    EventsLine { rate: &'a str, left: Option<u64> },
    #[say(
        en = "first event of an answer: p50 {p50}, p99 {p99}, longest {longest}",
        zh = "应答的首个事件：p50 {p50}，p99 {p99}，最长 {longest}"
    )]
    FirstEvent { p50: &'a str, p99: &'a str, longest: &'a str },
    #[say(
        en = "gap between events: p50 {p50}, p99 {p99}, longest {longest}",
        zh = "事件间隔：p50 {p50}，p99 {p99}，最长 {longest}"
    )]
    EventGap { p50: &'a str, p99: &'a str, longest: &'a str },
    #[say(en = "received", zh = "接收")]
    Received,
    #[say(en = "response time (from when it was due)", zh = "响应时间（从应发送时刻算起）")]
    ResponseOpen,
    #[say(en = "service time (from when it was sent)", zh = "服务时间（从实际发送时刻算起）")]
    ServiceOpen,
    #[say(
        en = "service time (a closed loop does not show what users feel)",
        zh = "服务时间（闭环负载不能反映用户感受）"
    )]
    ServiceClosed,
    #[say(en = "to the first byte", zh = "至首字节")]
    FirstByte,
    #[say(en = "from first to last byte", zh = "首字节至末字节")]
    Body,
    #[say(
        en = "its parts, as seen: {title} p50 {p50}, p95 {p95}, p99 {p99}",
        zh = "其组成（所见）：{title} p50 {p50}，p95 {p95}，p99 {p99}"
    )]
    Part { title: &'a str, p50: &'a str, p95: &'a str, p99: &'a str },
    #[say(
        en = "[…] 95 %, from resampling the seconds of this run; they describe this run only",
        zh = "[…] 为 95 % 区间，由本次运行的各秒重抽样得到，只说明本次运行"
    )]
    Intervals,
    #[say(
        en = "longest: {value}, {at} s after the start; no statistic, because it grows with the run",
        zh = "最长一次：{value}，出现在开始后 {at} s；它随运行时长增长，不是统计量"
    )]
    Longest { value: &'a str, at: &'a str },
}

/// Columns of the name of a figure.
const TITLE: usize = 16;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    if !report.comparisons.is_empty() || report.is_of_one_arm() {
        return None;
    }
    let mut text = String::new();
    for arm in &report.arms {
        for level in &arm.levels {
            write_load(&mut text, report, arm, level, language);
        }
    }
    Content::of("", [ContentBlock::Preformatted(text)])
}

pub(super) fn uncompared(source: &SectionInput<'_>) -> Option<Content> {
    let report = source.report;
    let is_load = report.comparisons.is_empty() && !report.is_of_one_arm();
    let blocks = is_load.then(|| ContentBlock::explanation(source.say(&SingleLoadText::NoVerdict)));
    Content::unless_empty("", blocks.into_iter().collect())
}

/// The figures of an arm at one load.
fn write_load(out: &mut String, report: &Report, arm: &ArmResult, level: &Level, language: Language) {
    let load = match (level.load.users, units::rate_of_load(&level.load, language)) {
        (Some(1), _) if !level.steps.is_empty() => text(&SingleLoadText::OneUser, language),
        (Some(1), _) => text(&SingleLoadText::OneConnection, language),
        (Some(users), _) if !level.steps.is_empty() => text(&SingleLoadText::Users { users }, language),
        (_, Some(rate)) if level.load.sessions => text(&SingleLoadText::Sessions { rate: &rate }, language),
        (Some(users), _) => text(&SingleLoadText::Closed { users }, language),
        (_, Some(rate)) => text(&SingleLoadText::Open { rate: &rate }, language),
        _ => text(&LoadText::NoLoad, language),
    };
    let elapsed = format!("{:.1} s", report.design.elapsed);
    let _ = writeln!(out, "{}\n{}\n", arm.name, joined(&[load, elapsed], language));
    write_counts(out, report, level, language);
    // What went wrong and what was slow comes first; whoever reads on wants to know the figures of the whole.
    write_steps(out, level, language);
    write_times(out, level, language);
    write_parts(out, level, language);
    write_events(out, level, language);
    let generator = generator_line(report, level, language);
    let _ = writeln!(out, "\n{}{generator}", left(&text(&SingleLoadText::Generator, language), TITLE));
    if let Some(why) = &level.why_invalid {
        let _ = writeln!(out, "{}", text(&SingleLoadText::Invalid { why }, language));
    }
    for note in &report.notes {
        let _ = writeln!(out, "{}", text(note, language));
    }
}

/// CPU, lag, send delay and priority of the generator.
fn generator_line(report: &Report, level: &Level, language: Language) -> String {
    let (cpu, lag) = (level.generator.cpu, units::seconds(level.generator.lag_p99.0));
    let cpu = format!("{:.0}", cpu.as_percent());
    let figures = text(&SingleLoadText::GeneratorLine { cpu: &cpu, lag: &lag }, language);
    let sent = level.generator.send_delay.map(|delay| {
        let (p50, p99) = (units::seconds(delay.p50.0), units::seconds(delay.p99.0));
        text(&SingleLoadText::SendDelay { p50: &p50, p99: &p99 }, language)
    });
    let priority = GeneratorPriority::of(&report.fingerprint)
        .map(|priority| text(&priority.during(level.load.rate.is_some()), language));
    let parts: Vec<String> = std::iter::once(figures).chain(sent).chain(priority).collect();
    joined(&parts, language)
}

/// What was wrong with answers: how often, and the first of them.
#[derive(Say)]
#[say(en = "{kinds}{first?; the first: {}}", zh = "{kinds}{first?；第一个：{}}")]
struct WrongAnswers<'a> {
    kinds: FaultCounts<'a>,
    first: Option<&'a FirstFailure>,
}

fn write_counts(out: &mut String, report: &Report, level: &Level, language: Language) {
    let counts = &level.counts;
    let mut line = |title: &dyn Say, count: u64, detail: &str| {
        let title = left(&text(title, language), TITLE);
        let line = format!("{title}{count:>10}   {detail}");
        let _ = writeln!(out, "{}", if detail.is_empty() { line.trim_end() } else { &line });
    };
    let rate = level
        .value(Measure::Throughput)
        .map(|value| units::value_in(report, Measure::Throughput, value, language));
    line(&SingleLoadText::RightAnswers, counts.ok, &rate.unwrap_or_default());
    // Steps show their first wrong answers below.
    let first = counts.first_wrong.as_ref().filter(|_| level.steps.is_empty());
    let wrong = WrongAnswers { kinds: FaultCounts(&counts.faults), first };
    line(&SingleLoadText::WrongAnswers, counts.requests - counts.ok, &text(&wrong, language));
    line(&Label::Connects, counts.connects, "");
    if counts.tls_handshakes > 0 {
        let each = format!("{:.2}", counts.tls_handshakes as f64 / counts.requests.max(1) as f64);
        let detail = text(&SingleLoadText::TlsLine { each: &each, resumed: counts.tls_resumed }, language);
        line(&SingleLoadText::Handshakes, counts.tls_handshakes, &detail);
    }
    let streams = &counts.http2;
    if streams.connections > 0 {
        let each = format!("{:.1}", streams.streams.0);
        let (connections, most) = (streams.connections, streams.stream_limit);
        let detail = text(&SingleLoadText::Http2Line { connections, streams: &each, most }, language);
        line(&SingleLoadText::Http2, streams.connections, &detail);
    }
    for (title, count, detail) in http2_counts(&counts.http2, language) {
        line(&title, count, &detail);
    }
    if let Some(events) = &level.events {
        let rate = events.per_second.map_or_else(String::new, |rate| numbers::rate(rate.value));
        let left = Some(events.left).filter(|left| *left > 0);
        let detail = text(&SingleLoadText::EventsLine { rate: &rate, left }, language);
        line(&SingleLoadText::Events, events.events, &detail);
    }
    let bytes = model::units::Bytes(counts.bytes).to_string();
    line(&SingleLoadText::Received, counts.bytes, &bytes);
}

/// What was counted of HTTP/2: title, count and what belongs to it. What did not happen is left out.
fn http2_counts(counts: &StreamCounts, language: Language) -> Vec<(SingleLoadText<'static>, u64, String)> {
    let by_code = |title, counts: &BTreeMap<String, u64>| {
        let codes: Vec<String> = counts.iter().map(|(code, count)| format!("{count} {code}")).collect();
        (title, counts.values().sum(), codes.join(", "))
    };
    let limited = |title, count, why| (title, count, text(&why, language));
    let all = [
        by_code(SingleLoadText::StreamResets, &counts.resets),
        by_code(SingleLoadText::GoAways, &counts.goaways),
        limited(SingleLoadText::StreamWaits, counts.stream_waits, SingleLoadText::StreamLimit),
        limited(SingleLoadText::WindowWaits, counts.window_waits, SingleLoadText::WindowLimit),
    ];
    all.into_iter().filter(|(_, count, _)| *count > 0).collect()
}

/// The service time in two parts: until the first byte of an answer, and from there to its last.
fn write_parts(out: &mut String, level: &Level, language: Language) {
    for (clock, title) in [(Clock::FirstByte, SingleLoadText::FirstByte), (Clock::Body, SingleLoadText::Body)]
    {
        // Answers that came in one piece have nothing between their first byte and their last.
        let is_one_piece = level.value(LevelFigure::time(clock, TimeStatistic::P99)) == Some(0.0);
        if is_one_piece {
            continue;
        }
        let at = |statistic| level.value(LevelFigure::time(clock, statistic)).map(units::seconds);
        let times = [TimeStatistic::P50, TimeStatistic::P95, TimeStatistic::P99].map(at);
        let [Some(p50), Some(p95), Some(p99)] = &times else { continue };
        let title = text(&title, language);
        let _ = writeln!(out, "{}", text(&SingleLoadText::Part { title: &title, p50, p95, p99 }, language));
    }
}

/// When the events of answers that stream came.
fn write_events(out: &mut String, level: &Level, language: Language) {
    let Some(events) = &level.events else { return };
    let texts = |times: EventTimes| [times.p50.value, times.p99.value, times.max.0].map(units::seconds);
    if let Some([p50, p99, longest]) = events.first.map(texts).as_ref() {
        let _ = writeln!(out, "\n{}", text(&SingleLoadText::FirstEvent { p50, p99, longest }, language));
    }
    if let Some([p50, p99, longest]) = events.gap.map(texts).as_ref() {
        let _ = writeln!(out, "{}", text(&SingleLoadText::EventGap { p50, p99, longest }, language));
    }
}

fn write_times(out: &mut String, level: &Level, language: Language) {
    // In a closed loop a request is due when it is sent, so response and service time are the same. It is not what a user feels,
    // because a slow server is asked less often.
    let kinds: &[(Clock, SingleLoadText<'_>)] = match level.load.rate {
        Some(_) => {
            &[(Clock::Response, SingleLoadText::ResponseOpen), (Clock::Service, SingleLoadText::ServiceOpen)]
        }
        None => &[(Clock::Service, SingleLoadText::ServiceClosed)],
    };
    for (clock, title) in kinds {
        let _ = writeln!(out, "\n{}", text(title, language));
        for percentile in TimeStatistic::PERCENTILES {
            let time = units::percentile_in(10, level, LevelFigure::time(*clock, percentile), language);
            let _ = writeln!(out, "  {:<8}{time}", percentile.id());
        }
    }
    let shown = || {
        let of_clock = |(clock, _): &(Clock, SingleLoadText<'_>)| {
            TimeStatistic::PERCENTILES.map(|percentile| LevelFigure::time(*clock, percentile))
        };
        kinds.iter().flat_map(of_clock)
    };
    let has_interval = |figure| level.estimate(figure).is_some_and(|estimate| estimate.low.is_some());
    if shown().any(has_interval) {
        let _ = writeln!(out, "{}", text(&SingleLoadText::Intervals, language));
    }
    if shown().any(|figure| units::is_only_seen(level, figure)) {
        let _ = writeln!(out, "{}", units::seen_only(language));
    }
    if let Some(worst) = &level.worst {
        let (value, at) = (units::seconds(worst.value.0), format!("{:.1}", worst.at.0));
        let _ = writeln!(out, "{}", text(&SingleLoadText::Longest { value: &value, at: &at }, language));
    }
}
