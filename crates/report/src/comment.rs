//! A report as a comment on a pull request: the answer, the requirements, and the rest folded away.

use crate::document::{self, COMMENT, Region};
use crate::markdown::write_section;
use record::outcome::{GateVerdict, Report};
use say::{Language, Say};
use std::fmt::Write;

/// The words of a comment.
#[derive(Say)]
enum CommentText {
    #[say(en = "⚠️ no verdict: ", zh = "⚠️ 无判定：")]
    NoVerdict,
    #[say(en = "❌ failed: ", zh = "❌ 未通过：")]
    Failed,
    #[say(en = "❔ not decided: ", zh = "❔ 未能判定：")]
    Open,
    #[say(en = "✅ passed: ", zh = "✅ 通过：")]
    Passed,
    #[say(en = "All measures: ", zh = "全部指标：")]
    AllMeasures,
}

/// `comment.md`. By its first line, a script can find the comment again and replace it.
pub fn text(report: &Report, language: Language) -> String {
    let document = document::build(report, None, language, &COMMENT);
    let mut out = format!(
        "<!-- prony: {} -->\n### {}{}\n\n",
        report.experiment,
        outcome(report, language),
        document.title
    );
    let is_on_top = |section: &&document::Section| section.region == Region::Top;
    for section in document.sections.iter().filter(is_on_top) {
        write_section(&mut out, section, "");
    }
    let circumstances = document::circumstances(report, language);
    let _ = writeln!(
        out,
        "<details><summary>{}{circumstances}</summary>\n",
        say::text(&CommentText::AllMeasures, language)
    );
    for section in document.sections.iter().filter(|section| !is_on_top(section)) {
        write_section(&mut out, section, "");
    }
    out.push_str("</details>\n");
    out
}

/// The sign of the heading, which tells at a glance whether a requirement failed or is open.
fn outcome(report: &Report, language: Language) -> String {
    let any = |verdict| report.required.iter().any(|required| required.verdict == verdict);
    match report.is_valid() && !report.design.interrupted {
        false => say::text(&CommentText::NoVerdict, language),
        true if any(GateVerdict::Fail) => say::text(&CommentText::Failed, language),
        true if any(GateVerdict::Inconclusive) => say::text(&CommentText::Open, language),
        true if report.required.is_empty() => "📊 ".to_owned(),
        true => say::text(&CommentText::Passed, language),
    }
}
