//! `report --format junit`: requirements and verdicts of every arm as test cases for a CI server. It is red exactly where the
//! exit code is an error: an error is a run or a headline without a result (7, 130), a failure is a loss larger than allowed (5)
//! or a bound that was missed (4). An undecided case is skipped, with the reason.

use crate::comparison::{ComparisonRow, judged_arms, rows_of_arm};
use crate::loads::load_name;
use crate::requirement::{RequirementRow, requirement_rows};
use crate::words::Label;
use record::outcome::{ArmResult, GateVerdict, Report, Verdict};
use record::remark::Remarks;
use say::{Language, Say};
use std::fmt::Write;

/// The words of test cases.
#[derive(Say)]
enum CaseText<'a> {
    #[say(en = "measured: {measured}", zh = "实测：{measured}")]
    Measured { measured: &'a str },
    #[say(en = "inconclusive; {measured}", zh = "无法判定；{measured}")]
    Inconclusive { measured: &'a str },
    #[say(en = "{count} right answers", zh = "正确应答 {count} 个")]
    RightAnswers { count: u64 },
    #[say(
        en = "{difference} against {base}: {verdict}{remark?; {}}",
        zh = "相对于 {base} {difference}：{verdict}{remark?；{}}"
    )]
    Compared { difference: &'a str, base: &'a str, verdict: &'a str, remark: Option<&'a str> },
}

/// One test case.
struct Case {
    /// The arm that it is about.
    arm: String,
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
pub fn text(report: &Report, language: Language) -> String {
    let cases = cases(report, language);
    let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|case| is(&case.outcome)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count(|outcome| matches!(outcome, Outcome::Failed(..))),
        count(|outcome| matches!(outcome, Outcome::Error(..))),
        count(|outcome| matches!(outcome, Outcome::Skipped(_))),
        report.design.elapsed.0
    );
    let name = escaped(&report.experiment);
    let mut out =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prony\" {counts}>\n");
    // The id of a run begins with its time in UTC; JUnit wants a time without a zone.
    let stamp = report.run.split('Z').next().unwrap_or_default();
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts} timestamp=\"{}\">", escaped(stamp));
    write_properties(&mut out, report, language);
    for case in &cases {
        write_case(&mut out, report, case);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Writes the properties of the run.
fn write_properties(out: &mut String, report: &Report, language: Language) {
    let properties = [
        ("run", report.run.clone()),
        ("question", report.question.text_in(language).to_owned()),
        ("repeat", report.repeat.clone()),
    ];
    let facts = report.fingerprint.iter().map(|(fact, value)| (fact.as_str(), value.clone()));
    out.push_str("    <properties>\n");
    for (name, value) in properties.into_iter().chain(facts) {
        let (name, value) = (escaped(name), escaped(&value));
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    out.push_str("    </properties>\n");
}

/// All test cases. Their names are in English in every language, because build servers follow a case from run to run by its name.
fn cases(report: &Report, language: Language) -> Vec<Case> {
    let ended = report.design.interrupted.then(|| Case {
        arm: report.design.baseline.clone(),
        name: "the run came to its end".to_owned(),
        outcome: Outcome::Error("interrupted", say::text(&Label::EndedEarly, language)),
    });
    let valid = report.arms.iter().flat_map(|arm| load_cases(report, arm, language));
    let named = requirement_rows(report, Language::En).map(|row| row.bound);
    let rows = requirement_rows(report, language);
    let required = named.zip(rows).map(|(name, row)| requirement_case(name, &row, language));
    let judged = judged_arms(report).flat_map(|arm| {
        let rows = rows_of_arm(report, &arm.name, language);
        let cases = rows.iter().map(|row| comparison_case(report, row, language));
        cases.collect::<Vec<_>>()
    });
    ended.into_iter().chain(valid).chain(required).chain(judged).collect()
}

/// A requirement; `name` is its bound in English.
fn requirement_case(name: String, row: &RequirementRow<'_>, language: Language) -> Case {
    let measured = say::text(&CaseText::Measured { measured: &row.measured }, language);
    let kind = if row.is_relative() { "regression" } else { "threshold" };
    Case {
        arm: row.required.arm.clone(),
        name,
        outcome: match (&row.required.why_invalid, row.required.verdict) {
            (Some(why), _) => Outcome::Skipped(say::text(why, language)),
            (None, GateVerdict::Pass) => Outcome::Passed(measured),
            (None, GateVerdict::Fail) => Outcome::Failed(kind, measured),
            (None, GateVerdict::Inconclusive) => {
                Outcome::Skipped(say::text(&CaseText::Inconclusive { measured: &measured }, language))
            }
        },
    }
}

/// A case for each load of an arm: whether it was the server that was measured.
fn load_cases(report: &Report, arm: &ArmResult, language: Language) -> impl Iterator<Item = Case> {
    let searched = report.searched();
    arm.levels.iter().map(move |level| Case {
        arm: arm.name.clone(),
        name: format!("valid: {}", load_name(&level.load, Language::En)),
        outcome: match &level.why_invalid {
            Some(why) if searched => Outcome::Skipped(say::text(why, language)),
            Some(why) => Outcome::Error("invalid", say::text(why, language)),
            None => Outcome::Passed(say::text(&CaseText::RightAnswers { count: level.counts.ok }, language)),
        },
    })
}

/// A comparison with the baseline.
fn comparison_case(report: &Report, row: &ComparisonRow<'_>, language: Language) -> Case {
    let comparison = row.comparison;
    let remark = say::some_text(&Remarks(&comparison.remarks), language);
    let compared = CaseText::Compared {
        difference: &row.difference,
        base: &comparison.baseline,
        verdict: &row.verdict,
        remark: remark.as_deref(),
    };
    let text = say::text(&compared, language);
    // Only requirements can fail, and the gate is one of them.
    let outcome = match comparison.verdict {
        _ if report.voids(comparison) => Outcome::Error("invalid", text),
        Verdict::Inconclusive | Verdict::Invalid => Outcome::Skipped(text),
        Verdict::Faster
        | Verdict::Slower
        | Verdict::Cheaper
        | Verdict::Costlier
        | Verdict::Smaller
        | Verdict::Larger
        | Verdict::Same => Outcome::Passed(text),
    };
    Case { arm: comparison.arm.clone(), name: row.name(Language::En), outcome }
}

/// Writes a test case.
fn write_case(out: &mut String, report: &Report, case: &Case) {
    // A dot would separate a class from its package.
    let class = |name: &str| escaped(&name.replace('.', "_"));
    let (experiment, arm) = (class(&report.experiment), class(&case.arm));
    let _ = write!(out, "    <testcase classname=\"{experiment}.{arm}\" name=\"{}\"", escaped(&case.name));
    let _ = match &case.outcome {
        Outcome::Passed(text) => {
            writeln!(out, "><system-out>{}</system-out></testcase>", escaped(text))
        }
        Outcome::Skipped(why) => writeln!(out, "><skipped message=\"{}\"/></testcase>", escaped(why)),
        Outcome::Failed(kind, why) => {
            let why = escaped(why);
            writeln!(out, "><failure type=\"{kind}\" message=\"{why}\">{why}</failure></testcase>")
        }
        Outcome::Error(kind, why) => {
            let why = escaped(why);
            writeln!(out, "><error type=\"{kind}\" message=\"{why}\">{why}</error></testcase>")
        }
    };
}

/// Text as it is written in an element or an attribute. Most control characters are left out, because XML 1.0 cannot express them.
fn escaped(text: &str) -> String {
    let allowed = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
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
