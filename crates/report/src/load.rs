//! A single load on a terminal: what one run of one URL showed, and what it cannot show.

use crate::units::{self, left};
use crate::words::{Words, fill};
use model::outcome::{ArmResult, Level, Report};
use std::fmt::Write;

/// Percentiles that are shown, as they are named in `measures`.
const SHOWN: [&str; 6] = ["p50", "p75", "p90", "p95", "p99", "p99.9"];

/// Columns of what a figure is.
const TITLE: usize = 16;

/// The result of `prony load`.
pub(crate) fn text(report: &Report, words: &Words) -> String {
    let mut out = String::new();
    for arm in &report.arms {
        for level in &arm.levels {
            block(&mut out, report, (arm, level), words);
        }
    }
    out
}

fn block(out: &mut String, report: &Report, (arm, level): (&ArmResult, &Level), words: &Words) {
    let load = match (level.load.users, level.load.rate) {
        (Some(users), _) => fill(words.load_closed, &[("users", &users)]),
        (_, Some(rate)) => fill(words.load_open, &[("rate", &units::rate(rate))]),
        _ => words.no_load.to_owned(),
    };
    let _ = writeln!(
        out,
        "{}\n{load}{}{:.1} s\n",
        arm.name, words.separator, report.design.elapsed
    );
    counts(out, level, words);
    times(out, level, words);
    let (cpu, lag) = (level.generator.cpu, units::seconds(level.generator.lag_p99));
    let cpu = format!("{:.0}", 100.0 * cpu);
    let said = fill(words.generator_line, &[("cpu", &cpu), ("lag", &lag)]);
    let _ = writeln!(out, "\n{}{said}", left(words.generator, TITLE));
    if let Some(why) = &level.why_invalid {
        let why = words.sentence(why);
        let _ = writeln!(out, "{}", fill(words.invalid_load, &[("why", &why)]));
    }
    for note in &report.notes {
        let _ = writeln!(out, "{}", words.sentence(note));
    }
}

fn counts(out: &mut String, level: &Level, words: &Words) {
    let counts = &level.counts;
    let mut line = |title: &str, count: u64, said: &str| {
        let line = format!("{}{count:>10}   {said}", left(title, TITLE));
        let _ = writeln!(out, "{}", if said.is_empty() { line.trim_end() } else { &line });
    };
    let rate = level
        .measures
        .get("throughput")
        .map(|estimate| units::rate(estimate.value));
    line(words.right_answers, counts.ok, &rate.unwrap_or_default());
    let kinds = words.faults(counts).unwrap_or_default();
    line(words.wrong_answers, counts.requests - counts.ok, &kinds);
    line(words.connects, counts.connects, "");
    if counts.tls_handshakes > 0 {
        let each = format!(
            "{:.2}",
            counts.tls_handshakes as f64 / counts.requests.max(1) as f64
        );
        let said = fill(
            words.tls_line,
            &[("each", &each), ("resumed", &counts.tls_resumed)],
        );
        line(words.handshakes, counts.tls_handshakes, &said);
    }
    let bytes = model::units::Bytes(counts.bytes).to_string();
    line(words.received, counts.bytes, &bytes);
}

fn times(out: &mut String, level: &Level, words: &Words) {
    // In a closed loop a request is due when it is sent: response and service time are one thing, and it is not what a
    // user feels, because a slow server is asked less often.
    let kinds: &[(&str, &str)] = match level.load.rate {
        Some(_) => &[
            ("response", words.response_time_open),
            ("service", words.service_time_open),
        ],
        None => &[("service", words.service_time_closed)],
    };
    for (kind, title) in kinds {
        let _ = writeln!(out, "\n{title}");
        for name in SHOWN {
            let said = units::percentile_in(10, level, &format!("{kind}_{name}"), words);
            let _ = writeln!(out, "  {name:<8}{said}");
        }
    }
    let _ = writeln!(out, "{}", words.load_intervals);
    if let Some(worst) = &level.worst {
        let (value, at) = (units::seconds(worst.value), format!("{:.1}", worst.at));
        let _ = writeln!(
            out,
            "{}",
            fill(words.worst_seen, &[("value", &value), ("at", &at)])
        );
    }
}
