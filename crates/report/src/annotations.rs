//! Annotations that a build server shows with a change: GitHub's workflow commands, one line each.

use crate::document::answers;
use crate::loads::load_name;
use crate::requirement::{RequirementRow, requirement_rows};
use crate::words::{self, fill};
use record::outcome::{GateVerdict, Report};
use record::remark::Remarks;
use say::Language;
use std::fmt::Write;

/// An error for everything that makes the exit code an error, a warning for everything undecided, and a notice with the answer.
pub fn github(report: &Report, lang: Language) -> String {
    let words = words::of(lang);
    let mut out = String::new();
    let titled = |arm: &str, text: &str| fill(words.label, &[("label", &arm), ("text", &text)]);
    let mut tell = |kind: &str, title: &str, text: &str| {
        let _ = writeln!(out, "::{kind} title={}::{}", property(title), data(text));
    };
    // A search may well pass through loads that are invalid.
    let invalid_level = if report.searched() { "warning" } else { "error" };
    for arm in &report.arms {
        for level in &arm.levels {
            if let Some(why) = &level.why_invalid {
                let load = load_name(&level.load, words);
                let why = say::text(why, words.lang);
                let why = fill(words.label, &[("label", &load), ("text", &why)]);
                tell(invalid_level, &titled(&arm.name, words.ci_not_valid), &why);
            }
        }
    }
    for voided in report.comparisons.iter().filter(|comparison| report.voids(comparison)) {
        let why = say::some_text(&Remarks(&voided.remarks), words.lang);
        let why = why.as_deref().unwrap_or(words.ci_no_start);
        tell("error", &titled(&voided.arm, words.ci_no_verdict), why);
    }
    if report.design.interrupted {
        tell("error", words.ci_not_finished, words.ci_interrupted);
    }
    let rows = requirement_rows(report, words);
    for row in rows.filter(|row| row.required.why_invalid.is_none()) {
        let RequirementRow { required, bound, measured, verdict } = &row;
        let title = titled(&required.arm, verdict);
        let text = fill(words.ci_required, &[("bound", bound), ("measured", measured)]);
        match required.verdict {
            GateVerdict::Pass => {}
            GateVerdict::Fail => tell("error", &title, &text),
            GateVerdict::Inconclusive => tell("warning", &title, &text),
        }
    }
    for answer in answers(report, words) {
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
