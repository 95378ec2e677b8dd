//! The report as a comment on a pull request: the answer, what was required, and the rest folded away.

use crate::required;
use crate::required::words;
use crate::rows;
use crate::units::cell;
use model::outcome::{ArmResult, GateVerdict, Report};
use std::fmt::Write;

/// `comment.md`; its first line lets a script find the comment again and replace it.
pub fn text(report: &Report) -> String {
    let mut out = format!(
        "<!-- prony: {} -->\n### {} {}\n\n",
        report.experiment,
        mark(report),
        report.question
    );
    for answer in rows::answers(report, words()) {
        let _ = writeln!(out, "**{answer}**\n");
    }
    out.push_str(&required::markdown(report, words()));
    let _ = writeln!(
        out,
        "<details><summary>All measures: {}</summary>\n",
        rows::circumstances(report, words())
    );
    for arm in rows::judged(report) {
        measures(&mut out, report, arm);
    }
    for line in rows::standing(report, words()).iter().chain(&report.notes) {
        let _ = writeln!(out, "- {line}");
    }
    let _ = writeln!(
        out,
        "\n```\n{}\n```\n\nRun `{}`.\n\n</details>",
        report.repeat, report.run
    );
    out
}

/// One glance: whether anything that was required is missed, or open.
fn mark(report: &Report) -> &'static str {
    let any = |verdict| report.required.iter().any(|required| required.verdict == verdict);
    match report.is_valid() && !report.design.interrupted {
        false => "⚠️ no verdict:",
        true if any(GateVerdict::Fail) => "❌ failed:",
        true if any(GateVerdict::Inconclusive) => "❔ not decided:",
        true if report.required.is_empty() => "📊",
        true => "✅ passed:",
    }
}

fn measures(out: &mut String, report: &Report, arm: &ArmResult) {
    let rows = rows::rows(report, &arm.name, words());
    for (at, rows) in rows::by_level(&rows) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | difference | verdict |\n|---|--:|--:|---|---|",
            at.unwrap_or("measure"),
            cell(&report.design.baseline),
            cell(&arm.name)
        );
        for row in rows {
            let title = row.title.replace('*', "\\*");
            let _ = writeln!(
                out,
                "| {title} | {} | {} | {} | {} |",
                row.baseline, row.arm, row.difference, row.said
            );
        }
        out.push('\n');
    }
}
