//! What a build server shows beside a change: GitHub's workflow commands, one line each.

use crate::required::words;
use crate::required::{self, Line};
use crate::rows;
use model::outcome::{GateVerdict, Report};
use std::fmt::Write;

/// An error for everything that makes the exit code one, a warning for what was not decided, a notice for the answer.
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    let mut say = |kind: &str, title: &str, text: &str| {
        let _ = writeln!(out, "::{kind} title={}::{}", property(title), data(text));
    };
    let on_the_way = if report.searched() { "warning" } else { "error" };
    for arm in &report.arms {
        for level in &arm.levels {
            if let Some(why) = &level.why_invalid {
                let why = format!("{}: {why}", rows::load(&level.load, words()));
                say(on_the_way, &format!("{}: not valid", arm.name), &why);
            }
        }
    }
    for voided in report
        .comparisons
        .iter()
        .filter(|comparison| report.voids(comparison))
    {
        let why = voided.remark.as_deref().unwrap_or("no start counted");
        say("error", &format!("{}: no verdict", voided.arm), why);
    }
    if report.design.interrupted {
        say("error", "not finished", "the run was ended before its time");
    }
    for line in required::lines(report, words()).filter(|line| line.required.why_invalid.is_none()) {
        let Line {
            required,
            asks,
            found,
            word,
        } = &line;
        let text = format!("required: {asks}; found: {found}");
        match required.verdict {
            GateVerdict::Pass => {}
            GateVerdict::Fail => say("error", &format!("{}: {word}", required.arm), &text),
            GateVerdict::Inconclusive => say("warning", &format!("{}: {word}", required.arm), &text),
        }
    }
    for answer in rows::answers(report, words()) {
        say("notice", &report.experiment, &answer);
    }
    out
}

/// A message may have any character but a line end, which ends the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Within a property the characters that part properties have to be written otherwise, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
