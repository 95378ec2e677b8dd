//! `report --format junit`: what was asked of every arm as test cases, for a CI server. It is red exactly where the exit
//! code is: an error is a run or a headline that says nothing (7, 130), a failure a loss larger than allowed (5) or a bound that was
//! missed (4). What was not decided is skipped, with the reason, because it was no answer.

use crate::required::{self, Line};
use crate::rows::{self, Row};
use crate::words::{self, Lang};
use model::outcome::{ArmResult, GateVerdict, Report, Verdict};
use std::fmt::Write;

/// One test case.
struct Case {
    /// What it is about: an arm.
    of: String,
    name: String,
    outcome: Outcome,
}

enum Outcome {
    Passed(String),
    Skipped(String),
    /// A kind of failure, and the reason.
    Failed(&'static str, String),
    /// A kind of error, and the reason.
    Error(&'static str, String),
}

/// The whole file.
pub fn text(report: &Report) -> String {
    let cases = cases(report);
    let count = |of: fn(&Outcome) -> bool| cases.iter().filter(|case| of(&case.outcome)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count(|outcome| matches!(outcome, Outcome::Failed(..))),
        count(|outcome| matches!(outcome, Outcome::Error(..))),
        count(|outcome| matches!(outcome, Outcome::Skipped(_))),
        report.design.elapsed
    );
    let name = escaped(&report.experiment);
    let mut out =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prony\" {counts}>\n");
    // A run's id begins with its time in UTC; the format wants it without a zone.
    let stamp = report.run.split('Z').next().unwrap_or_default();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" {counts} timestamp=\"{}\">",
        escaped(stamp)
    );
    properties(&mut out, report);
    for case in &cases {
        written(&mut out, report, case);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn properties(out: &mut String, report: &Report) {
    let own = [
        ("run", report.run.clone()),
        ("question", report.question.text.clone()),
        ("repeat", report.repeat.clone()),
    ];
    let facts = report
        .fingerprint
        .iter()
        .map(|(fact, value)| (fact.as_str(), value.clone()));
    out.push_str("    <properties>\n");
    for (name, value) in own.into_iter().chain(facts) {
        let (name, value) = (escaped(name), escaped(&value));
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    out.push_str("    </properties>\n");
}

fn cases(report: &Report) -> Vec<Case> {
    let ended = report.design.interrupted.then(|| Case {
        of: report.design.baseline.clone(),
        name: "the run came to its end".to_owned(),
        outcome: Outcome::Error("interrupted", "the run was ended before its time".to_owned()),
    });
    let valid = report.arms.iter().flat_map(|arm| levels(report, arm));
    let required = required::lines(report, required::words()).map(|line| asked(&line));
    let judged = rows::judged(report).flat_map(|arm| {
        let rows = rows::rows(report, &arm.name, words::of(Lang::En));
        rows.iter().map(|row| compared(report, row)).collect::<Vec<_>>()
    });
    ended
        .into_iter()
        .chain(valid)
        .chain(required)
        .chain(judged)
        .collect()
}

/// What was required.
fn asked(line: &Line<'_>) -> Case {
    let found = format!("found: {}", line.found);
    let kind = if line.is_relative() {
        "regression"
    } else {
        "threshold"
    };
    Case {
        of: line.required.arm.clone(),
        name: line.asks.clone(),
        outcome: match (&line.required.why_invalid, line.required.verdict) {
            (Some(why), _) => Outcome::Skipped(why.clone()),
            (None, GateVerdict::Pass) => Outcome::Passed(found),
            (None, GateVerdict::Fail) => Outcome::Failed(kind, found),
            (None, GateVerdict::Inconclusive) => Outcome::Skipped(format!("inconclusive; {found}")),
        },
    }
}

/// Whether it was the server that was measured, at each load.
fn levels(report: &Report, arm: &ArmResult) -> impl Iterator<Item = Case> {
    let searched = report.searched();
    arm.levels.iter().map(move |level| Case {
        of: arm.name.clone(),
        name: format!("valid: {}", rows::load(&level.load, words::of(Lang::En))),
        outcome: match &level.why_invalid {
            Some(why) if searched => Outcome::Skipped(why.clone()),
            Some(why) => Outcome::Error("invalid", why.clone()),
            None => Outcome::Passed(format!("{} right answers", level.counts.ok)),
        },
    })
}

fn compared(report: &Report, row: &Row<'_>) -> Case {
    let comparison = row.comparison;
    let remark = comparison.remark.as_ref();
    let remark = remark.map_or_else(String::new, |remark| format!("; {remark}"));
    let said = format!(
        "{} against {}: {}{remark}",
        row.difference, comparison.baseline, row.said
    );
    // Whether it is a failure is for what was required to say, the gate among it.
    let outcome = match comparison.verdict {
        _ if report.voids(comparison) => Outcome::Error("invalid", said),
        Verdict::Inconclusive | Verdict::Invalid => Outcome::Skipped(said),
        Verdict::Faster | Verdict::Slower | Verdict::Same => Outcome::Passed(said),
    };
    Case {
        of: comparison.arm.clone(),
        name: row.name(words::of(Lang::En)),
        outcome,
    }
}

fn written(out: &mut String, report: &Report, case: &Case) {
    // A dot would part a class from its package.
    let class = |name: &str| escaped(&name.replace('.', "_"));
    let (experiment, of) = (class(&report.experiment), class(&case.of));
    let _ = write!(
        out,
        "    <testcase classname=\"{experiment}.{of}\" name=\"{}\"",
        escaped(&case.name)
    );
    let _ = match &case.outcome {
        Outcome::Passed(said) => {
            writeln!(out, "><system-out>{}</system-out></testcase>", escaped(said))
        }
        Outcome::Skipped(why) => writeln!(out, "><skipped message=\"{}\"/></testcase>", escaped(why)),
        Outcome::Failed(kind, why) => {
            let why = escaped(why);
            writeln!(
                out,
                "><failure type=\"{kind}\" message=\"{why}\">{why}</failure></testcase>"
            )
        }
        Outcome::Error(kind, why) => {
            let why = escaped(why);
            writeln!(
                out,
                "><error type=\"{kind}\" message=\"{why}\">{why}</error></testcase>"
            )
        }
    };
}

/// Text in an element or an attribute; XML 1.0 has no way at all to write most control characters.
fn escaped(text: &str) -> String {
    let allowed = text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    let mut out = String::with_capacity(text.len());
    for c in allowed {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A line end within an attribute would be read as a space.
            '\n' => out.push_str("&#10;"),
            c => out.push(c),
        }
    }
    out
}
