//! The report as Markdown: for a pull request, a wiki, or a reader without a browser.

use crate::found;
use crate::load;
use crate::reasons;
use crate::reference;
use crate::required;
use crate::rows;
use crate::settings::{self, Row};
use crate::units;
use crate::units::cell;
use crate::words::{self, Lang, Words, fill};
use model::outcome::{ArmResult, Report};
use std::fmt::Write;

/// `report.md`.
pub fn text(report: &Report, lang: Lang) -> String {
    let words = words::of(lang);
    let mut out = format!("# {}\n\n", words.question(&report.question));
    if report.comparisons.is_empty() {
        let _ = writeln!(out, "```\n{}```\n", load::text(report, words));
        fingerprint(&mut out, report, words);
        return out;
    }
    for answer in rows::answers(report, words) {
        let _ = writeln!(out, "**{answer}**\n");
    }
    if let Some(sure) = rows::sure(report, words) {
        let _ = writeln!(out, "{sure}\n");
    }
    let circumstances = rows::circumstances(report, words);
    let named = fill(words.run_named, &[("run", &report.run)]);
    let _ = writeln!(out, "{circumstances}{named}\n");
    out.push_str(&required::markdown(report, words));
    for arm in rows::judged(report) {
        verdicts(&mut out, report, arm, words);
    }
    let _ = writeln!(out, "{}\n", rows::legend(report, words).replace('*', "\\*"));
    for line in rows::standing(report, words) {
        let _ = writeln!(out, "{}\n", cell(&line));
    }
    searched(&mut out, report, words);
    why(&mut out, report, words);
    beside(&mut out, report, words);
    what_ran(&mut out, report, words);
    starts(&mut out, report, words);
    times(&mut out, report, words);
    counts(&mut out, report, words);
    facts(&mut out, report, words);
    if !report.notes.is_empty() {
        let _ = writeln!(out, "## {}\n", words.notes);
        for note in &report.notes {
            let _ = writeln!(out, "- {}", words.sentence(note));
        }
        out.push('\n');
    }
    let how = words.how().map(|text| format!("- {text}"));
    folded(&mut out, words.page_how, &how.join("\n"));
    fingerprint(&mut out, report, words);
    out
}

/// Behind the report: its plots, where they are files beside it, by title and path.
pub fn pictures<'a>(plots: impl Iterator<Item = (&'a str, String)>) -> String {
    let links = plots.map(|(title, path)| format!("\n![{}]({path})\n", cell(title)));
    links.collect()
}

fn verdicts(out: &mut String, report: &Report, arm: &ArmResult, words: &Words) {
    let (base, name) = (&report.design.baseline, &arm.name);
    let rows = rows::rows(report, name, words);
    for (at, rows) in rows::by_level(&rows) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            at.unwrap_or(words.measure),
            cell(base),
            cell(name),
            words.difference,
            words.verdict
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
    for remark in rows::remarks(&rows, words) {
        let _ = writeln!(out, "- {remark}");
    }
    out.push('\n');
}

/// What was looked for, with what every step brought.
fn searched(out: &mut String, report: &Report, words: &Words) {
    let lines = found::lines(report, words);
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "## {}\n", words.found_heading);
    for line in lines {
        let _ = writeln!(out, "- {line}");
    }
    out.push('\n');
    let rows = found::steps(report, words);
    if !rows.is_empty() {
        by_arm(out, report, &rows, "--:");
    }
}

/// What limited the arms, with the numbers behind it.
fn why(out: &mut String, report: &Report, words: &Words) {
    let found = reasons::reasons(report, words);
    let expected = reasons::expected(report, words);
    if found.is_empty() && expected.is_none() {
        return;
    }
    let _ = writeln!(out, "## {}\n", words.why_heading);
    for reason in found {
        let diagnosis = reason.diagnosis;
        let also = if reason.limits { "" } else { words.why_also };
        let values: [(&str, &dyn std::fmt::Display); 6] = [
            ("arm", &reason.arm.name),
            ("at", &reason.at),
            ("also", &also),
            ("cause", &diagnosis.cause),
            ("says", &words.sentence(&diagnosis.says)),
            ("change", &words.sentence(&diagnosis.r#try)),
        ];
        let _ = writeln!(out, "- {}", fill(words.why_marked, &values));
        if let Some(proof) = reasons::proof(diagnosis, words) {
            let _ = writeln!(out, "  *{proof}.*");
        }
        let evidence = diagnosis.evidence.iter();
        let evidence = evidence.map(|number| {
            format!(
                "{} {}",
                words.sentence(&number.what),
                reasons::value(number.value)
            )
        });
        let _ = writeln!(out, "  ({})", evidence.collect::<Vec<_>>().join("; "));
    }
    if let Some(said) = expected {
        let _ = writeln!(out, "- {said}");
    }
    out.push('\n');
}

/// What somebody else measured.
fn beside(out: &mut String, report: &Report, words: &Words) {
    let Some(reference) = &report.reference else {
        return;
    };
    let heading = cell(&reference::heading(reference, words));
    let _ = writeln!(
        out,
        "## {}\n\n{heading}\n\n| {} | {} | {} | {} | {} |\n|---|--:|---|--:|--:|",
        words.reference_title, words.arm, words.connections_column, words.figure, words.the_post, words.here
    );
    for line in reference::lines(report, reference, words) {
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

fn what_ran(out: &mut String, report: &Report, words: &Words) {
    let _ = writeln!(out, "## {}\n\n{}\n", words.what_ran, words.read_off);
    by_arm(out, report, &settings::effective(report, words), "---");
}

/// What control groups and services counted in each start.
fn facts(out: &mut String, report: &Report, words: &Words) {
    let rows = settings::facts(report);
    if !rows.is_empty() {
        let _ = writeln!(out, "## {}\n\n{}\n", words.beside_load, words.beside_load_says);
        by_arm(out, report, &rows, "--:");
    }
}

/// A table with a column for each arm.
fn by_arm(out: &mut String, report: &Report, rows: &[Row], align: &str) {
    let names: Vec<String> = report.arms.iter().map(|arm| cell(&arm.name)).collect();
    let columns = format!("{align}|").repeat(names.len());
    let _ = writeln!(out, "| | {} |\n|---|{columns}", names.join(" | "));
    for (title, values) in rows {
        let values: Vec<String> = values.iter().map(|value| cell(value)).collect();
        let _ = writeln!(out, "| {} | {} |", cell(title), values.join(" | "));
    }
    out.push('\n');
}

/// Every start's own ratio: whether the answer rests on all of them or on one.
fn starts(out: &mut String, report: &Report, words: &Words) {
    let per_start = report
        .comparisons
        .iter()
        .map(|comparison| comparison.per_start.len());
    let longest = per_start.max().unwrap_or(0);
    if longest == 0 {
        return;
    }
    let numbers: Vec<String> = (1..=longest).map(|number| number.to_string()).collect();
    let _ = writeln!(
        out,
        "## {}\n\n{}\n\n| {} | {} |\n|---|{}",
        words.every_start,
        words.every_start_says,
        words.arm_and_measure,
        numbers.join(" | "),
        "--:|".repeat(longest)
    );
    for comparison in &report.comparisons {
        let Some(title) = rows::title(report, comparison, words) else {
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

/// What requests took under each load, the closed loop's too: there only the service time means something.
fn times(out: &mut String, report: &Report, words: &Words) {
    let heads = [
        words.arm,
        words.load,
        words.response_p50,
        words.response_p99,
        words.service_p50,
        words.service_p99,
    ];
    let rows = settings::times(report, words);
    by_level(out, words.times_by_load, (heads, "--:|--:|--:|--:|"), rows);
}

fn counts(out: &mut String, report: &Report, words: &Words) {
    let heads = [
        words.arm,
        words.load,
        words.requests,
        words.right,
        words.faults,
        words.connects,
    ];
    let rows = settings::counts(report, words);
    by_level(out, words.counted, (heads, "--:|--:|---|--:|"), rows);
}

/// A table with a row for each arm under each load.
fn by_level(out: &mut String, heading: &str, (heads, align): ([&str; 6], &str), rows: Vec<[String; 6]>) {
    let _ = writeln!(out, "## {heading}\n\n| {} |\n|---|---|{align}", heads.join(" | "));
    for cells in rows {
        let cells = cells.map(|text| cell(&text));
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
}

fn fingerprint(out: &mut String, report: &Report, words: &Words) {
    let _ = writeln!(out, "## {}\n\n```\n{}\n```\n", words.to_repeat, report.repeat);
    for (heading, facts) in [
        (words.asked, &report.asked),
        (words.fingerprint, &report.fingerprint),
    ] {
        if facts.is_empty() {
            continue;
        }
        let mut table = format!("| {} | {} |\n|---|---|", words.fact, words.value);
        for (fact, value) in facts {
            let _ = write!(table, "\n| {} | {} |", cell(fact), cell(value));
        }
        folded(out, heading, &table);
    }
}

/// What most readers pass over.
fn folded(out: &mut String, heading: &str, text: &str) {
    let _ = writeln!(
        out,
        "<details><summary>{heading}</summary>\n\n{text}\n\n</details>\n"
    );
}
