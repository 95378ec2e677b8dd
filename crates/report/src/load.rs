//! A single load on a terminal: what one run of one URL showed, and what it cannot show.

use crate::units;
use model::outcome::{ArmResult, Level, Report};
use std::fmt::Write;

/// Percentiles that are shown, as they are named in `measures`.
const SHOWN: [&str; 6] = ["p50", "p75", "p90", "p95", "p99", "p99.9"];

/// The result of `prony load`.
pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    for arm in &report.arms {
        for level in &arm.levels {
            block(&mut out, report, arm, level);
        }
    }
    out
}

fn block(out: &mut String, report: &Report, arm: &ArmResult, level: &Level) {
    let load = match (level.load.users, level.load.rate) {
        (Some(users), _) => format!("{users} connections, each sending when the last one was answered"),
        (_, Some(rate)) => format!("{} offered, whatever the server does", units::rate(rate)),
        _ => "no load".to_owned(),
    };
    let _ = writeln!(out, "{}\n{load}, {:.1} s\n", arm.name, report.design.elapsed);
    let value = |id: &str| level.measures.get(id).map(|estimate| estimate.value);
    let counts = &level.counts;
    let wrong = counts.requests - counts.ok;
    let _ = writeln!(
        out,
        "right answers   {:>10}   {}",
        counts.ok,
        value("throughput").map_or(String::new(), units::rate)
    );
    let kinds = counts.faults_in_words().unwrap_or_default();
    let _ = writeln!(out, "wrong answers   {wrong:>10}   {kinds}");
    let _ = writeln!(out, "connects        {:>10}", counts.connects);
    if counts.tls_handshakes > 0 {
        let each = counts.tls_handshakes as f64 / counts.requests.max(1) as f64;
        let _ = writeln!(
            out,
            "TLS handshakes  {:>10}   {each:.2} per request, {} of them resumed",
            counts.tls_handshakes, counts.tls_resumed
        );
    }
    let bytes = model::units::Bytes(counts.bytes);
    let _ = writeln!(out, "received        {:>10}   {bytes}", counts.bytes);
    times(out, level);
    let generator = &level.generator;
    let _ = writeln!(
        out,
        "\ngenerator       {:.0} % of a core, lag p99 {} (not part of the times above)",
        100.0 * generator.cpu,
        units::seconds(generator.lag_p99)
    );
    if let Some(why) = &level.why_invalid {
        let _ = writeln!(out, "INVALID: {why}");
    }
    for note in &report.notes {
        let _ = writeln!(out, "{note}");
    }
}

fn times(out: &mut String, level: &Level) {
    // In a closed loop a request is due when it is sent: response and service time are one thing, and it is not what a
    // user feels, because a slow server is asked less often.
    let open = level.load.rate.is_some();
    let kinds: &[(&str, &str)] = if open {
        &[
            ("response", "response time (from when it was due)"),
            ("service", "service time (from when it was sent)"),
        ]
    } else {
        &[(
            "service",
            "service time (a closed loop does not show what users feel)",
        )]
    };
    for (kind, title) in kinds {
        let _ = writeln!(out, "\n{title}");
        for name in SHOWN {
            let _ = writeln!(
                out,
                "  {name:<8}{}",
                units::percentile_in(10, level, &format!("{kind}_{name}"))
            );
        }
    }
    let intervals = "[…] 95 %, by drawing the seconds of this run again: they speak of this run only";
    let _ = writeln!(out, "{intervals}");
    if let Some(worst) = &level.worst {
        let (value, at) = (units::seconds(worst.value), worst.at);
        let _ = writeln!(
            out,
            "worst seen: {value}, {at:.1} s after the start; no statistic, it grows with the run"
        );
    }
}
