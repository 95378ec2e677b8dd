//! A single load: the figures of one run on one URL, with their limits, laid out for a terminal.

use super::session_steps::write_steps;
use super::{Content, ContentBlock, SectionInput};
use crate::units::{self, left};
use crate::words::{Words, fill};
use model::faults::FaultCounts;
use model::machine::GeneratorPriority;
use model::measure::Measure;
use model::times::{Clock, TimeStatistic};
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Level, Report};
use std::fmt::Write;

pub(super) const ID: &str = "load";

/// The section that says that nothing was compared.
pub(super) const UNCOMPARED: &str = "uncompared";

/// Columns of the name of a figure.
const TITLE: usize = 16;

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, words) = (source.report, source.words);
    if !report.comparisons.is_empty() || report.is_of_one_arm() {
        return None;
    }
    let mut text = String::new();
    for arm in &report.arms {
        for level in &arm.levels {
            write_load(&mut text, report, arm, level, words);
        }
    }
    Content::of("", [ContentBlock::Preformatted(text)])
}

pub(super) fn uncompared(source: &SectionInput<'_>) -> Option<Content> {
    let report = source.report;
    let is_load = report.comparisons.is_empty() && !report.is_of_one_arm();
    let blocks = is_load.then(|| ContentBlock::explanation(source.words.page_no_verdict));
    Content::unless_empty("", blocks.into_iter().collect())
}

/// The figures of an arm at one load.
fn write_load(out: &mut String, report: &Report, arm: &ArmResult, level: &Level, words: &Words) {
    let load = match (level.load.users, units::rate_of_load(&level.load, words)) {
        (Some(1), _) if !level.steps.is_empty() => words.load_user.to_owned(),
        (Some(1), _) => words.load_connection.to_owned(),
        (Some(users), _) if !level.steps.is_empty() => fill(words.load_users, &[("users", &users)]),
        (_, Some(rate)) if level.load.sessions => fill(words.load_sessions, &[("rate", &rate)]),
        (Some(users), _) => fill(words.load_closed, &[("users", &users)]),
        (_, Some(rate)) => fill(words.load_open, &[("rate", &rate)]),
        _ => words.no_load.to_owned(),
    };
    let _ = writeln!(out, "{}\n{load}{}{:.1} s\n", arm.name, words.separator, report.design.elapsed);
    write_counts(out, report, level, words);
    write_times(out, level, words);
    write_steps(out, level, words);
    let generator = generator_line(report, level, words);
    let _ = writeln!(out, "\n{}{generator}", left(words.generator, TITLE));
    if let Some(why) = &level.why_invalid {
        let why = say::text(why, words.lang);
        let _ = writeln!(out, "{}", fill(words.invalid_load, &[("why", &why)]));
    }
    for note in &report.notes {
        let _ = writeln!(out, "{}", say::text(note, words.lang));
    }
}

/// CPU, lag, send delay and priority of the generator.
fn generator_line(report: &Report, level: &Level, words: &Words) -> String {
    let (cpu, lag) = (level.generator.cpu, units::seconds(level.generator.lag_p99.0));
    let cpu = format!("{:.0}", cpu.as_percent());
    let figures = fill(words.generator_line, &[("cpu", &cpu), ("lag", &lag)]);
    let sent = level.generator.send_delay.map(|delay| {
        let (p50, p99) = (units::seconds(delay.p50.0), units::seconds(delay.p99.0));
        fill(words.generator_sent, &[("p50", &p50), ("p99", &p99)])
    });
    let priority = GeneratorPriority::of(&report.fingerprint)
        .map(|priority| words.generator_priority(priority.during(level.load.rate.is_some())));
    let parts: Vec<String> = std::iter::once(figures).chain(sent).chain(priority).collect();
    parts.join(words.separator)
}

fn write_counts(out: &mut String, report: &Report, level: &Level, words: &Words) {
    let counts = &level.counts;
    let mut line = |title: &str, count: u64, detail: &str| {
        let line = format!("{}{count:>10}   {detail}", left(title, TITLE));
        let _ = writeln!(out, "{}", if detail.is_empty() { line.trim_end() } else { &line });
    };
    let rate = level
        .value(Measure::Throughput)
        .map(|value| units::value_in(report, Measure::Throughput, value, words));
    line(words.right_answers, counts.ok, &rate.unwrap_or_default());
    let kinds = say::text(&FaultCounts(&counts.faults), words.lang);
    line(words.wrong_answers, counts.requests - counts.ok, &kinds);
    line(words.connects, counts.connects, "");
    if counts.tls_handshakes > 0 {
        let each = format!("{:.2}", counts.tls_handshakes as f64 / counts.requests.max(1) as f64);
        let detail = fill(words.tls_line, &[("each", &each), ("resumed", &counts.tls_resumed)]);
        line(words.handshakes, counts.tls_handshakes, &detail);
    }
    let bytes = model::units::Bytes(counts.bytes).to_string();
    line(words.received, counts.bytes, &bytes);
}

fn write_times(out: &mut String, level: &Level, words: &Words) {
    // In a closed loop a request is due when it is sent, so response and service time are the same. It is not what a user feels,
    // because a slow server is asked less often.
    let kinds: &[(Clock, &str)] = match level.load.rate {
        Some(_) => &[(Clock::Response, words.response_time_open), (Clock::Service, words.service_time_open)],
        None => &[(Clock::Service, words.service_time_closed)],
    };
    for (clock, title) in kinds {
        let _ = writeln!(out, "\n{title}");
        for percentile in TimeStatistic::PERCENTILES {
            let time = units::percentile_in(10, level, LevelFigure::time(*clock, percentile), words);
            let _ = writeln!(out, "  {:<8}{time}", percentile.id());
        }
    }
    let shown = || {
        let of_clock = |(clock, _): &(Clock, &str)| {
            TimeStatistic::PERCENTILES.map(|percentile| LevelFigure::time(*clock, percentile))
        };
        kinds.iter().flat_map(of_clock)
    };
    let has_interval = |figure| level.estimate(figure).is_some_and(|estimate| estimate.low.is_some());
    if shown().any(has_interval) {
        let _ = writeln!(out, "{}", words.load_intervals);
    }
    if shown().any(|figure| units::is_only_seen(level, figure)) {
        let _ = writeln!(out, "{}", units::seen_only(words));
    }
    if let Some(worst) = &level.worst {
        let (value, at) = (units::seconds(worst.value.0), format!("{:.1}", worst.at.0));
        let _ = writeln!(out, "{}", fill(words.worst_seen, &[("value", &value), ("at", &at)]));
    }
}
