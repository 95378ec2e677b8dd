//! A report as a comment on a pull request: the answer, the requirements, and the rest folded away.

use crate::document::{self, COMMENT, Region};
use crate::markdown::write_section;
use crate::words::{self, Words};
use record::outcome::{GateVerdict, Report};
use say::Language;
use std::fmt::Write;

/// `comment.md`. By its first line, a script can find the comment again and replace it.
pub fn text(report: &Report, lang: Language) -> String {
    let words = words::of(lang);
    let document = document::build(report, None, lang, &COMMENT);
    let mut out = format!(
        "<!-- prony: {} -->\n### {}{}\n\n",
        report.experiment,
        outcome(report, words),
        document.title
    );
    let is_on_top = |section: &&document::Section| section.region == Region::Top;
    for section in document.sections.iter().filter(is_on_top) {
        write_section(&mut out, section);
    }
    let circumstances = document::circumstances(report, words);
    let _ = writeln!(out, "<details><summary>{}{circumstances}</summary>\n", words.comment_measures);
    for section in document.sections.iter().filter(|section| !is_on_top(section)) {
        write_section(&mut out, section);
    }
    out.push_str("</details>\n");
    out
}

/// The sign of the heading, which tells at a glance whether a requirement failed or is open.
fn outcome(report: &Report, words: &Words) -> &'static str {
    let any = |verdict| report.required.iter().any(|required| required.verdict == verdict);
    match report.is_valid() && !report.design.interrupted {
        false => words.comment_none,
        true if any(GateVerdict::Fail) => words.comment_failed,
        true if any(GateVerdict::Inconclusive) => words.comment_open,
        true if report.required.is_empty() => "📊 ",
        true => words.comment_passed,
    }
}
