//! The sentence about an arm where the headline has several measures. It uses the words of the table and no others.

use super::answer::AnswerText;
use crate::comparison::{ComparisonRow, judged_arms, rows_of_arm};
use crate::loads::LoadText;
use crate::units;
use crate::words::joined;
use record::answer::{Overall, OverallAnswer};
use record::outcome::{Direction, Report, Verdict};
use record::remark::Remarks;
use say::{Language, Say, text};

/// The answers about several measures, and their parts.
#[derive(Say)]
enum OverallText<'a> {
    #[say(
        en = "{arm} is {verdict} than {base}: {parts:clauses}.{rest}",
        zh = "{arm} 比 {base} {verdict}：{parts:clauses}。{rest}"
    )]
    Shown { arm: &'a str, verdict: &'a str, base: &'a str, parts: &'a [String], rest: &'a str },
    #[say(
        en = "mixed: {arm} is {better} than {base} ({parts:clauses}) but {worse} ({worse_parts:clauses}).{rest}",
        zh = "互有优劣：{arm} 比 {base} {better}（{parts:clauses}），但{worse}（{worse_parts:clauses}）。{rest}"
    )]
    Mixed {
        arm: &'a str,
        better: &'a str,
        base: &'a str,
        parts: &'a [String],
        worse: &'a str,
        worse_parts: &'a [String],
        rest: &'a str,
    },
    #[say(
        en = "{arm} and {base} are the same: {parts:clauses}.",
        zh = "{arm} 与 {base} 相同：{parts:clauses}。"
    )]
    Same { arm: &'a str, base: &'a str, parts: &'a [String] },
    #[say(
        en = "{arm} against {base}: inconclusive in the available time.{rest}",
        zh = "{arm} 与 {base}：在可用时间内无法判定。{rest}"
    )]
    Open { arm: &'a str, base: &'a str, rest: &'a str },
    #[say(en = "{others:clauses} and {last}", zh = "{others:clauses}、{last}")]
    Verdicts { others: &'a [Verdict], last: Verdict },
    #[say(en = "{title} {difference}", zh = "{title} {difference}")]
    Part { title: &'a str, difference: &'a str },
    #[say(en = "{part} ({effort})", zh = "{part}（{effort}）")]
    WithEffort { part: &'a str, effort: &'a str },
    #[say(en = "{title} within {margin} ({difference})", zh = "{title}（±{margin} 内，{difference}）")]
    SamePart { title: &'a str, margin: &'a str, difference: &'a str },
    #[say(en = " The same: {parts:clauses}.", zh = "相同：{parts:clauses}。")]
    SameIn { parts: &'a [String] },
    #[say(en = " Open: {parts:clauses}.", zh = "尚未判定：{parts:clauses}。")]
    OpenIn { parts: &'a [String] },
    #[say(en = " Not valid: {parts:clauses}.", zh = "无效：{parts:clauses}。")]
    InvalidIn { parts: &'a [String] },
}

/// The answers of a report, each with its sentence.
pub(crate) fn sentences(
    report: &Report,
    language: Language,
) -> impl Iterator<Item = (&OverallAnswer, String)> {
    report.answers.iter().filter_map(move |answer| {
        let arm = judged_arms(report).find(|arm| arm.name == answer.arm)?;
        let mut rows = rows_of_arm(report, &arm.name, language);
        rows.retain(|row| report.is_headline(row.comparison));
        Some((answer, sentence(report, answer, &rows, language)))
    })
}

fn sentence(
    report: &Report,
    answer: &OverallAnswer,
    rows: &[ComparisonRow<'_>],
    language: Language,
) -> String {
    let (arm, base) = (answer.arm.as_str(), report.design.baseline.as_str());
    let about = Parts { rows, language };
    let of_direction = |direction| (about.verdicts(direction), about.shown(direction));
    let (better, worse) = (of_direction(Direction::Better), of_direction(Direction::Worse));
    let (same, rest) = (about.same(), about.rest());
    let shown = |(verdict, parts): &'_ (String, Vec<String>)| {
        text(&OverallText::Shown { arm, verdict, base, parts, rest: &rest }, language)
    };
    match answer.overall {
        Overall::Better | Overall::BetterInPart => shown(&better),
        Overall::Worse | Overall::WorseInPart => shown(&worse),
        Overall::Mixed => {
            let ((better, parts), (worse, worse_parts)) = (&better, &worse);
            let mixed = OverallText::Mixed { arm, better, base, parts, worse, worse_parts, rest: &rest };
            text(&mixed, language)
        }
        Overall::Same => text(&OverallText::Same { arm, base, parts: &same }, language),
        Overall::Open => text(&OverallText::Open { arm, base, rest: &rest }, language),
        Overall::Invalid => text(&AnswerText::Invalid { arm, base }, language),
    }
}

/// The comparisons of an arm that its sentence is about.
struct Parts<'a> {
    rows: &'a [ComparisonRow<'a>],
    language: Language,
}

impl Parts<'_> {
    /// What `text` says of the rows that `is` selects.
    fn of(
        &self,
        is: impl Fn(&ComparisonRow<'_>) -> bool,
        text: impl Fn(&ComparisonRow<'_>) -> String,
    ) -> Vec<String> {
        self.rows.iter().filter(|row| is(row)).map(text).collect()
    }

    /// The verdicts in this direction, each once: `faster and cheaper`.
    fn verdicts(&self, direction: Direction) -> String {
        let mut verdicts: Vec<Verdict> = Vec::new();
        for row in self.rows {
            let verdict = row.comparison.verdict;
            if verdict.direction() == Some(direction) && !verdicts.contains(&verdict) {
                verdicts.push(verdict);
            }
        }
        match verdicts.as_slice() {
            [others @ .., last] if !others.is_empty() => {
                text(&OverallText::Verdicts { others, last: *last }, self.language)
            }
            all => joined(all, self.language),
        }
    }

    /// The measures in which a difference in this direction was shown.
    fn shown(&self, direction: Direction) -> Vec<String> {
        self.of(|row| row.comparison.verdict.direction() == Some(direction), |row| self.with_difference(row))
    }

    /// The measures in which the arms are the same.
    fn same(&self) -> Vec<String> {
        let same = |row: &ComparisonRow<'_>| {
            let (title, margin) = (&self.title(row), &units::share(row.comparison.margin));
            let part = OverallText::SamePart { title, margin, difference: &row.difference };
            text(&part, self.language)
        };
        self.of(|row| row.comparison.verdict == Verdict::Same, same)
    }

    /// What is neither better nor worse: what is the same, what is open, and what is not valid.
    fn rest(&self) -> String {
        let is = |verdict: Verdict| move |row: &ComparisonRow<'_>| row.comparison.verdict == verdict;
        let open = self.of(is(Verdict::Inconclusive), |row| self.open(row));
        let invalid = self.of(is(Verdict::Invalid), |row| self.title(row));
        let same = self.same();
        let lists = [
            (!same.is_empty()).then_some(OverallText::SameIn { parts: &same }),
            (!open.is_empty()).then_some(OverallText::OpenIn { parts: &open }),
            (!invalid.is_empty()).then_some(OverallText::InvalidIn { parts: &invalid }),
        ];
        lists.into_iter().flatten().map(|list| text(&list, self.language)).collect()
    }

    /// A measure that is open, with what it would take to decide it.
    fn open(&self, row: &ComparisonRow<'_>) -> String {
        let part = self.with_difference(row);
        match say::some_text(&Remarks(&row.comparison.remarks).effort(), self.language) {
            Some(effort) => text(&OverallText::WithEffort { part: &part, effort: &effort }, self.language),
            None => part,
        }
    }

    fn with_difference(&self, row: &ComparisonRow<'_>) -> String {
        let part = OverallText::Part { title: &self.title(row), difference: &row.difference };
        text(&part, self.language)
    }

    /// The measure with the load at which it was compared, where that is a fixed rate or one of several.
    fn title(&self, row: &ComparisonRow<'_>) -> String {
        let name = row.name(self.language);
        let level = row.comparison.level.as_ref();
        match level.and_then(|level| units::rate_of_load(level, self.language)) {
            Some(rate) => name + &text(&LoadText::AtLoad { load: &rate }, self.language),
            None => name,
        }
    }
}
