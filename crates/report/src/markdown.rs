//! The report as Markdown: for a pull request, a wiki, or a reader without a browser.

use crate::load;
use crate::reasons;
use crate::reference;
use crate::rows;
use crate::units;
use model::outcome::{ArmResult, Effective, Report};
use std::collections::BTreeSet;
use std::fmt::Write;

/// `report.md`.
pub fn text(report: &Report) -> String {
    let mut out = format!("# {}\n\n", report.question);
    if report.comparisons.is_empty() {
        let _ = writeln!(out, "```\n{}```\n", load::text(report));
        fingerprint(&mut out, report);
        return out;
    }
    for answer in rows::answers(report) {
        let _ = writeln!(out, "**{answer}**\n");
    }
    let _ = writeln!(out, "{}. Run `{}`.\n", rows::circumstances(report), report.run);
    for arm in rows::judged(report) {
        verdicts(&mut out, report, arm);
    }
    let _ = writeln!(out, "{}\n", rows::legend(report).replace('*', "\\*"));
    for line in rows::standing(report) {
        let _ = writeln!(out, "{}\n", cell(&line));
    }
    why(&mut out, report);
    beside(&mut out, report);
    settings(&mut out, report);
    starts(&mut out, report);
    counts(&mut out, report);
    facts(&mut out, report);
    if !report.notes.is_empty() {
        out.push_str("## Notes\n\n");
        for note in &report.notes {
            let _ = writeln!(out, "- {note}");
        }
        out.push('\n');
    }
    fingerprint(&mut out, report);
    out
}

fn verdicts(out: &mut String, report: &Report, arm: &ArmResult) {
    let (base, name) = (&report.design.baseline, &arm.name);
    let rows = rows::rows(report, name);
    for (at, rows) in rows::by_level(&rows) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | difference | verdict |",
            at.unwrap_or("measure"),
            cell(base),
            cell(name)
        );
        out.push_str("|---|--:|--:|---|---|\n");
        for row in rows {
            let verdict = &row.said;
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | **{verdict}** |",
                row.title.replace('*', "\\*"),
                row.baseline,
                row.arm,
                row.difference
            );
        }
        out.push('\n');
    }
    for remark in rows::remarks(&rows) {
        let _ = writeln!(out, "- {remark}");
    }
    out.push('\n');
}

/// What limited the arms, with the numbers behind it.
fn why(out: &mut String, report: &Report) {
    let (found, expected) = (reasons::reasons(report), reasons::expected(report));
    if found.is_empty() && expected.is_none() {
        return;
    }
    out.push_str("## Why\n\n");
    for reason in found {
        let diagnosis = reason.diagnosis;
        let also = if reason.limits { "" } else { "also " };
        let _ = writeln!(
            out,
            "- **{}, {}: {also}{}.** {}. *Try:* {}.",
            reason.arm.name, reason.at, diagnosis.cause, diagnosis.says, diagnosis.r#try
        );
        if let Some(proof) = reasons::proof(diagnosis) {
            let _ = writeln!(out, "  *{proof}.*");
        }
        let evidence = diagnosis.evidence.iter();
        let evidence = evidence.map(|number| format!("{} {}", number.what, reasons::value(number.value)));
        let _ = writeln!(out, "  ({})", evidence.collect::<Vec<_>>().join("; "));
    }
    if let Some(said) = expected {
        let _ = writeln!(out, "- {said}");
    }
    out.push('\n');
}

/// What somebody else measured.
fn beside(out: &mut String, report: &Report) {
    let Some(reference) = &report.reference else {
        return;
    };
    let heading = cell(&reference::heading(reference));
    let _ = writeln!(
        out,
        "## {}, on its own machines\n\n{heading}\n\n| arm | connections | figure | {} | here |\n|---|--:|---|--:|--:|",
        reference::THEIRS,
        reference::THEIRS
    );
    for line in reference::lines(report, reference) {
        let level = line.level.map_or_else(String::new, |level| level.to_string());
        let here = line.here.as_deref().unwrap_or("–");
        let _ = writeln!(
            out,
            "| {} | {level} | {} | {} | {here} |",
            cell(&line.arm),
            cell(&line.what),
            line.there
        );
    }
    out.push('\n');
}

/// What encrypted connections agreed on, where there are any.
fn encryption(out: &mut String, report: &Report) {
    let agreed = |arm: &ArmResult| arm.effective.tls.clone();
    if report.arms.iter().any(|arm| agreed(arm).is_some()) {
        let values = report
            .arms
            .iter()
            .map(|arm| agreed(arm).unwrap_or_else(|| "none".to_owned()));
        let _ = writeln!(out, "| TLS | {} |", values.collect::<Vec<_>>().join(" | "));
    }
}

fn settings(out: &mut String, report: &Report) {
    out.push_str("## What ran\n\nRead off the running servers.\n\n| | ");
    let names: Vec<String> = report.arms.iter().map(|arm| cell(&arm.name)).collect();
    let _ = writeln!(
        out,
        "{} |\n|---|{}",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    type Field = fn(&Effective) -> Option<String>;
    let fields: [(&str, Field); 9] = [
        ("server", |e| e.server.clone()),
        ("protocol handler", |e| e.protocol_handler.clone()),
        ("maxThreads", |e| e.max_threads.map(|n| n.to_string())),
        ("virtual threads", |e| e.virtual_threads.map(|n| n.to_string())),
        ("maxConnections", |e| e.max_connections.map(|n| n.to_string())),
        ("acceptCount", |e| e.accept_count.map(|n| n.to_string())),
        ("JDK", |e| e.jdk.clone()),
        ("collector", |e| e.gc.clone()),
        ("heap", |e| {
            e.heap.map(|bytes| model::units::Bytes(bytes).to_string())
        }),
    ];
    // Most servers have no virtual threads to speak of.
    let spoken_of = |(title, field): &(&str, Field)| {
        *title != "virtual threads" || report.arms.iter().any(|arm| field(&arm.effective).is_some())
    };
    for (title, field) in fields.into_iter().filter(spoken_of) {
        let values: Vec<String> = report
            .arms
            .iter()
            .map(|arm| field(&arm.effective).unwrap_or_else(|| "unknown".to_owned()))
            .collect();
        let _ = writeln!(out, "| {title} | {} |", values.join(" | "));
    }
    encryption(out, report);
    limits(out, report);
    generators(out, report);
    out.push('\n');
}

/// What the generator says of itself under each arm.
fn generators(out: &mut String, report: &Report) {
    let lag = |arm: &ArmResult| {
        arm.levels
            .first()
            .map(|level| units::seconds(level.generator.lag_p99))
    };
    let cpu = |arm: &ArmResult| {
        arm.levels
            .first()
            .map(|level| format!("{:.0} %", 100.0 * level.generator.cpu))
    };
    for (title, values) in [
        (
            "generator lag p99",
            report.arms.iter().map(lag).collect::<Vec<_>>(),
        ),
        (
            "generator CPU, of one core",
            report.arms.iter().map(cpu).collect(),
        ),
    ] {
        let values: Vec<String> = values
            .into_iter()
            .map(|v| v.unwrap_or_else(|| "–".to_owned()))
            .collect();
        let _ = writeln!(out, "| {title} | {} |", values.join(" | "));
    }
}

/// Limits of memory and CPU, where any arm has one.
fn limits(out: &mut String, report: &Report) {
    type Field = fn(&Effective) -> Option<String>;
    let fields: [(&str, Field); 3] = [
        ("limit of memory", |e| {
            e.memory_limit.map(|bytes| model::units::Bytes(bytes).to_string())
        }),
        ("limit of CPU", |e| e.cpu_limit.map(|cpus| format!("{cpus} CPUs"))),
        ("limited by", |e| e.limited_by.clone()),
    ];
    for (title, field) in fields {
        let values: Vec<Option<String>> = report.arms.iter().map(|arm| field(&arm.effective)).collect();
        if values.iter().any(Option::is_some) {
            let values = values
                .into_iter()
                .map(|value| value.unwrap_or_else(|| "none".to_owned()));
            let _ = writeln!(out, "| {title} | {} |", values.collect::<Vec<_>>().join(" | "));
        }
    }
}

/// What control groups and services counted in each start.
fn facts(out: &mut String, report: &Report) {
    let names: BTreeSet<&String> = report.arms.iter().flat_map(|arm| arm.facts.keys()).collect();
    if names.is_empty() {
        return;
    }
    out.push_str(
        "## Beside the load\n\nCounted from the start of a server to its end, warm-up included; mean over the starts.\n\n| |",
    );
    for arm in &report.arms {
        let _ = write!(out, " {} |", cell(&arm.name));
    }
    let _ = writeln!(out, "\n|---|{}", "--:|".repeat(report.arms.len()));
    for name in names {
        let value = |arm: &ArmResult| {
            arm.facts
                .get(name)
                .map_or("–".to_owned(), |fact| fact_text(*fact))
        };
        let values: Vec<String> = report.arms.iter().map(value).collect();
        let _ = writeln!(out, "| {name} | {} |", values.join(" | "));
    }
    out.push('\n');
}

/// A count, or a mean of counts.
fn fact_text(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix(".00").unwrap_or(&text).to_owned()
}

/// Every start's own ratio: whether the answer rests on all of them or on one.
fn starts(out: &mut String, report: &Report) {
    let longest = report
        .comparisons
        .iter()
        .map(|comparison| comparison.per_start.len())
        .max()
        .unwrap_or(0);
    if longest == 0 {
        return;
    }
    out.push_str(
        "## Every start\n\nDifference of the arm from the baseline in each fresh start, per cent.\n\n",
    );
    let numbers: Vec<String> = (1..=longest).map(|number| number.to_string()).collect();
    let _ = writeln!(
        out,
        "| arm, measure | {} |\n|---|{}",
        numbers.join(" | "),
        "--:|".repeat(longest)
    );
    for comparison in &report.comparisons {
        let Some(title) = rows::title(report, comparison) else {
            continue;
        };
        let values: Vec<String> = comparison
            .per_start
            .iter()
            .map(|ratio| units::percent(*ratio))
            .collect();
        let _ = writeln!(
            out,
            "| {}, {title} | {} |",
            cell(&comparison.arm),
            values.join(" | ")
        );
    }
    out.push('\n');
}

fn counts(out: &mut String, report: &Report) {
    out.push_str(
        "## Counted\n\n| arm | load | requests | right | faults | connects |\n|---|---|--:|--:|---|--:|\n",
    );
    for arm in &report.arms {
        for level in &arm.levels {
            let faults = level.counts.faults_in_words();
            let faults = faults.unwrap_or_else(|| "none".to_owned());
            let counts = &level.counts;
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {faults} | {} |",
                cell(&arm.name),
                rows::load(&level.load),
                counts.requests,
                counts.ok,
                counts.connects
            );
        }
    }
    out.push('\n');
}

fn fingerprint(out: &mut String, report: &Report) {
    let _ = writeln!(out, "## To repeat\n\n```\n{}\n```\n", report.repeat);
    out.push_str("<details><summary>Fingerprint of the machine</summary>\n\n| fact | value |\n|---|---|\n");
    for (fact, value) in &report.fingerprint {
        let _ = writeln!(out, "| {} | {} |", cell(fact), cell(value));
    }
    out.push_str("\n</details>\n");
}

/// Text inside a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
