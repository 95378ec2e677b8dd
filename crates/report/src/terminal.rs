//! The verdict on a terminal: at most 80 columns, colour only where asked for.

use crate::found;
use crate::load;
use crate::reasons;
use crate::reference;
use crate::required;
use crate::rows::{self, Row};
use crate::units::{self, left, right, shortened};
use crate::words::{self, Lang, Words, fill};
use model::outcome::{ArmResult, Report, Verdict};
use std::fmt::Write;

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// The whole answer: question, table of every arm, remarks, notes.
pub fn text(report: &Report, colour: bool, lang: Lang) -> String {
    let words = words::of(lang);
    if report.comparisons.is_empty() {
        return load::text(report, words);
    }
    let mut out = String::new();
    units::wrapped(&mut out, words.question(&report.question), 0, COLUMNS);
    units::wrapped(&mut out, &rows::circumstances(report, words), 0, COLUMNS);
    for arm in rows::judged(report) {
        block(&mut out, report, arm, (colour, words));
    }
    if !report.required.is_empty() {
        out.push_str(&required::text(report, words, COLUMNS));
        out.push('\n');
    }
    units::wrapped(&mut out, &rows::legend(report, words), 0, COLUMNS);
    out.push('\n');
    let notes = report.notes.iter().map(|note| words.sentence(note));
    let answers = rows::answers(report, words).into_iter();
    for line in answers.chain(rows::standing(report, words)).chain(notes) {
        units::wrapped(&mut out, &line, 0, COLUMNS);
    }
    let found = found::lines(report, words);
    if !found.is_empty() {
        out.push('\n');
    }
    for line in found {
        units::wrapped(&mut out, &line, 0, COLUMNS);
    }
    why(&mut out, report, words);
    beside(&mut out, report, words);
    out
}

/// What limited the arms, and what to change.
fn why(out: &mut String, report: &Report, words: &Words) {
    let found = reasons::reasons(report, words);
    let expected = reasons::expected(report, words);
    if found.is_empty() && expected.is_none() {
        return;
    }
    let _ = writeln!(out, "\n{}", words.why);
    for reason in found {
        let diagnosis = reason.diagnosis;
        let also = if reason.limits { "" } else { words.why_also };
        let values: [(&str, &dyn std::fmt::Display); 5] = [
            ("arm", &reason.arm.name),
            ("at", &reason.at),
            ("also", &also),
            ("cause", &diagnosis.cause),
            ("says", &words.sentence(&diagnosis.says)),
        ];
        units::wrapped(out, &fill(words.why_line, &values), 2, COLUMNS);
        let change = words.sentence(&diagnosis.r#try);
        units::wrapped(out, &fill(words.why_try, &[("change", &change)]), 4, COLUMNS);
        if let Some(proof) = reasons::proof(diagnosis, words) {
            units::wrapped(out, &proof, 4, COLUMNS);
        }
    }
    if let Some(said) = expected {
        units::wrapped(out, &said, 2, COLUMNS);
    }
}

/// Figures of somebody else that have one of ours beside them.
fn beside(out: &mut String, report: &Report, words: &Words) {
    let Some(reference) = &report.reference else {
        return;
    };
    let lines = reference::lines(report, reference, words);
    let both = lines.iter().filter(|line| line.here.is_some());
    let both: Vec<(String, &reference::Line)> =
        both.map(|line| (shortened(&line.name(), 44), line)).collect();
    out.push('\n');
    units::wrapped(out, &reference::heading(reference, words), 0, COLUMNS);
    if both.is_empty() {
        let _ = writeln!(out, "  {}", words.reference_none);
        return;
    }
    let width = both.iter().map(|(name, _)| units::width(name)).max().unwrap_or(0);
    let mut row = |name: &str, there: &str, here: &str| {
        let (name, there, here) = (left(name, width), right(there, 14), right(here, 14));
        let _ = writeln!(out, "{name} {there} {here}");
    };
    row("", words.the_post, words.here);
    for (name, line) in both {
        row(&name, &line.there, line.here.as_deref().unwrap_or("–"));
    }
}

fn block(out: &mut String, report: &Report, arm: &ArmResult, (colour, words): (bool, &Words)) {
    let rows = rows::rows(report, &arm.name, words);
    let (base, name) = (shortened(&report.design.baseline, 11), shortened(&arm.name, 11));
    let _ = writeln!(
        out,
        "\n{:<17}{} {}  {} {}",
        "",
        right(&base, 11),
        right(&name, 11),
        left(words.difference, 21),
        words.verdict
    );
    for (at, rows) in rows::by_level(&rows) {
        if let Some(at) = at {
            let _ = writeln!(out, "{at}");
        }
        for row in rows {
            line(out, row, colour);
        }
    }
    for remark in rows::remarks(&rows, words) {
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
    // What is longer than its column takes the blanks before it.
    let difference = left(&row.difference, 21);
    let over = (64 - 21 + units::width(&difference) + units::width(&row.said)).saturating_sub(COLUMNS);
    let gap = 2 - over.min(1);
    let column = 11usize.saturating_sub(over.saturating_sub(1));
    let _ = writeln!(
        out,
        "{}{} {}{:gap$}{difference} {word}",
        left(&row.title, 17),
        right(&row.baseline, column),
        right(&row.arm, 11),
        "",
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
