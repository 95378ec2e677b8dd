//! The report as a comment on a pull request: the answer, what was required, and the rest folded away.

use crate::required;
use crate::rows;
use crate::units::cell;
use crate::words::{self, Lang, Words};
use model::outcome::{ArmResult, GateVerdict, Report};
use std::fmt::Write;

/// `comment.md`; its first line lets a script find the comment again and replace it.
pub fn text(report: &Report, lang: Lang) -> String {
    let words = words::of(lang);
    let mut out = format!(
        "<!-- prony: {} -->\n### {}{}\n\n",
        report.experiment,
        mark(report, words),
        words.question(&report.question)
    );
    for answer in rows::answers(report, words) {
        let _ = writeln!(out, "**{answer}**\n");
    }
    out.push_str(&required::markdown(report, words));
    let _ = writeln!(
        out,
        "<details><summary>{}{}</summary>\n",
        words.comment_measures,
        rows::circumstances(report, words)
    );
    for arm in rows::judged(report) {
        measures(&mut out, report, arm, words);
    }
    let notes = report.notes.iter().map(|note| words.sentence(note));
    for line in rows::standing(report, words).into_iter().chain(notes) {
        let _ = writeln!(out, "- {line}");
    }
    let _ = writeln!(
        out,
        "\n```\n{}\n```\n\n{} `{}`\n\n</details>",
        report.repeat, words.run, report.run
    );
    out
}

/// One glance: whether anything that was required is missed, or open.
fn mark(report: &Report, words: &Words) -> &'static str {
    let any = |verdict| report.required.iter().any(|required| required.verdict == verdict);
    match report.is_valid() && !report.design.interrupted {
        false => words.comment_none,
        true if any(GateVerdict::Fail) => words.comment_failed,
        true if any(GateVerdict::Inconclusive) => words.comment_open,
        true if report.required.is_empty() => "📊 ",
        true => words.comment_passed,
    }
}

fn measures(out: &mut String, report: &Report, arm: &ArmResult, words: &Words) {
    let rows = rows::rows(report, &arm.name, words);
    for (at, rows) in rows::by_level(&rows) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |\n|---|--:|--:|---|---|",
            at.unwrap_or(words.measure),
            cell(&report.design.baseline),
            cell(&arm.name),
            words.difference,
            words.verdict
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
