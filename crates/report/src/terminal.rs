//! The verdict on a terminal: at most 80 columns, colour only where asked for.

use crate::load;
use crate::reasons;
use crate::reference;
use crate::rows::{self, Row};
use crate::units;
use model::outcome::{ArmResult, Report, Verdict};
use std::fmt::Write;

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// The whole answer: question, table of every arm, remarks, notes.
pub fn text(report: &Report, colour: bool) -> String {
    if report.comparisons.is_empty() {
        return load::text(report);
    }
    let mut out = format!("{}\n", report.question);
    units::wrapped(&mut out, &rows::circumstances(report), 0, COLUMNS);
    for arm in rows::judged(report) {
        block(&mut out, report, arm, colour);
    }
    units::wrapped(&mut out, &rows::legend(report), 0, COLUMNS);
    out.push('\n');
    let below = rows::standing(report);
    for line in rows::answers(report).iter().chain(&below).chain(&report.notes) {
        units::wrapped(&mut out, line, 0, COLUMNS);
    }
    why(&mut out, report);
    beside(&mut out, report);
    out
}

/// What limited the arms, and what to change.
fn why(out: &mut String, report: &Report) {
    let (found, expected) = (reasons::reasons(report), reasons::expected(report));
    if found.is_empty() && expected.is_none() {
        return;
    }
    out.push_str("\nwhy\n");
    for reason in found {
        let (arm, diagnosis) = (&reason.arm.name, reason.diagnosis);
        let also = if reason.limits { "" } else { "also " };
        let said = format!(
            "{arm}, {}: {also}{}: {}",
            reason.at, diagnosis.cause, diagnosis.says
        );
        units::wrapped(out, &said, 2, COLUMNS);
        units::wrapped(out, &format!("try: {}", diagnosis.r#try), 4, COLUMNS);
        if let Some(proof) = reasons::proof(diagnosis) {
            units::wrapped(out, &proof, 4, COLUMNS);
        }
    }
    if let Some(said) = expected {
        units::wrapped(out, &said, 2, COLUMNS);
    }
}

/// Figures of somebody else that have one of ours beside them.
fn beside(out: &mut String, report: &Report) {
    let Some(reference) = &report.reference else {
        return;
    };
    let lines = reference::lines(report, reference);
    let both = lines.iter().filter(|line| line.here.is_some());
    let mut width = 0;
    let both: Vec<(String, &reference::Line)> = both
        .map(|line| {
            let name = shortened(&line.name(), 44);
            width = width.max(name.chars().count());
            (name, line)
        })
        .collect();
    out.push('\n');
    units::wrapped(out, &reference::heading(reference), 0, COLUMNS);
    if both.is_empty() {
        out.push_str("  none of its figures was measured here; report.md lists them\n");
        return;
    }
    let _ = writeln!(out, "{:<width$} {:>14} {:>14}", "", reference::THEIRS, "here");
    for (name, line) in both {
        let here = line.here.as_deref().unwrap_or("–");
        let _ = writeln!(out, "{name:<width$} {:>14} {here:>14}", line.there);
    }
}

fn block(out: &mut String, report: &Report, arm: &ArmResult, colour: bool) {
    let rows = rows::rows(report, &arm.name);
    let (base, name) = (shortened(&report.design.baseline, 11), shortened(&arm.name, 11));
    let _ = writeln!(
        out,
        "\n{:<17}{base:>11} {name:>11}  {:<21} verdict",
        "", "difference"
    );
    for (at, rows) in rows::by_level(&rows) {
        if let Some(at) = at {
            let _ = writeln!(out, "{at}");
        }
        for row in rows {
            line(out, row, colour);
        }
    }
    for remark in rows::remarks(&rows) {
        units::wrapped(out, &remark, 2, COLUMNS);
    }
}

fn line(out: &mut String, row: &Row<'_>, colour: bool) {
    let verdict = row.comparison.verdict;
    let word = if colour {
        painted(verdict, &row.said)
    } else {
        row.said.clone()
    };
    let (title, difference) = (&row.title, &row.difference);
    let _ = writeln!(
        out,
        "{title:<17}{:>11} {:>11}  {difference:<21} {word}",
        row.baseline, row.arm
    );
}

fn painted(verdict: Verdict, said: &str) -> String {
    let code = match verdict {
        Verdict::Faster => 32,
        Verdict::Slower | Verdict::Invalid => 31,
        Verdict::Same => 36,
        Verdict::Inconclusive => 33,
    };
    format!("\x1b[{code}m{said}\x1b[0m")
}

fn shortened(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    // The end of an arm's name tells it from its siblings: keep it.
    let skip = name.chars().count() - (width - 1);
    std::iter::once('…').chain(name.chars().skip(skip)).collect()
}
