//! Annotations that a build server shows with a change: GitHub's workflow commands, one line each.

use crate::document::answers;
use crate::loads::load_name;
use crate::requirement::{RequirementRow, requirement_rows};
use crate::words::{Label, labelled};
use record::outcome::{GateVerdict, Report};
use record::remark::Remarks;
use say::{Language, Say, some_text, text};
use std::fmt::Write;

/// The words of annotations.
#[derive(Say)]
enum AnnotationText<'a> {
    #[say(en = "not valid", zh = "无效")]
    NotValid,
    #[say(en = "no verdict", zh = "无判定")]
    NoVerdict,
    #[say(en = "required: {bound}; measured: {measured}", zh = "要求：{bound}；实测：{measured}")]
    Required { bound: &'a str, measured: &'a str },
}

/// An error for everything that makes the exit code an error, a warning for everything undecided, and a notice with the answer.
pub fn github(report: &Report, language: Language) -> String {
    let mut out = String::new();
    let titled = |arm: &str, told: &dyn Say| labelled(arm, &text(told, language), language);
    let mut tell = |kind: &str, title: &str, told: &str| {
        let _ = writeln!(out, "::{kind} title={}::{}", property(title), data(told));
    };
    // A search may well pass through loads that are invalid.
    let invalid_level = if report.searched() { "warning" } else { "error" };
    for arm in &report.arms {
        for level in &arm.levels {
            if let Some(why) = &level.why_invalid {
                let load = load_name(&level.load, language);
                let why = text(why, language);
                let why = labelled(&load, &why, language);
                tell(invalid_level, &titled(&arm.name, &AnnotationText::NotValid), &why);
            }
        }
    }
    for voided in report.comparisons.iter().filter(|comparison| report.voids(comparison)) {
        let why = some_text(&Remarks(&voided.remarks), language);
        let why = why.unwrap_or_else(|| text(&Label::NoStart, language));
        tell("error", &titled(&voided.arm, &AnnotationText::NoVerdict), &why);
    }
    if report.design.interrupted {
        tell("error", &text(&Label::NotFinished, language), &text(&Label::EndedEarly, language));
    }
    let rows = requirement_rows(report, language);
    for row in rows.filter(|row| row.required.why_invalid.is_none()) {
        let RequirementRow { required, bound, measured, verdict } = &row;
        let title = titled(&required.arm, verdict);
        let told = text(&AnnotationText::Required { bound, measured }, language);
        match required.verdict {
            GateVerdict::Pass => {}
            GateVerdict::Fail => tell("error", &title, &told),
            GateVerdict::Inconclusive => tell("warning", &title, &told),
        }
    }
    for answer in answers(report, language) {
        tell("notice", &report.experiment, &answer);
    }
    out
}

/// A message in which line ends are escaped, because they would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, in which the characters that separate properties are escaped, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
