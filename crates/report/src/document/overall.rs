//! The sentence about an arm where the headline has several measures. It uses the words of the table and no others.

use crate::comparison::{ComparisonRow, judged_arms, rows_of_arm};
use crate::units;
use crate::words::{Words, fill};
use record::answer::{Overall, OverallAnswer};
use record::outcome::{Direction, Report, Verdict};
use record::remark::Remarks;
use std::fmt::Display;

/// The answers of a report, each with its sentence.
pub(crate) fn sentences<'a>(
    report: &'a Report,
    words: &'a Words,
) -> impl Iterator<Item = (&'a OverallAnswer, String)> {
    report.answers.iter().filter_map(move |answer| {
        let arm = judged_arms(report).find(|arm| arm.name == answer.arm)?;
        let mut rows = rows_of_arm(report, &arm.name, words);
        rows.retain(|row| report.is_headline(row.comparison));
        Some((answer, sentence(report, answer, &rows, words)))
    })
}

fn sentence(report: &Report, answer: &OverallAnswer, rows: &[ComparisonRow<'_>], words: &Words) -> String {
    let base = report.design.baseline.as_str();
    let arm = answer.arm.as_str();
    let about = Parts { rows, words };
    let shown = |template: &str, direction: Direction| {
        let values: [(&str, &dyn Display); 5] = [
            ("arm", &arm),
            ("base", &base),
            ("verdict", &about.verdicts(direction)),
            ("parts", &about.shown(direction)),
            ("rest", &about.rest()),
        ];
        fill(template, &values)
    };
    match answer.overall {
        Overall::Better => shown(words.overall_one_way, Direction::Better),
        Overall::Worse => shown(words.overall_one_way, Direction::Worse),
        Overall::BetterInPart => shown(words.overall_in_part, Direction::Better),
        Overall::WorseInPart => shown(words.overall_in_part, Direction::Worse),
        Overall::Mixed => {
            let values: [(&str, &dyn Display); 7] = [
                ("arm", &arm),
                ("base", &base),
                ("better", &about.verdicts(Direction::Better)),
                ("parts", &about.shown(Direction::Better)),
                ("worse", &about.verdicts(Direction::Worse)),
                ("worse_parts", &about.shown(Direction::Worse)),
                ("rest", &about.rest()),
            ];
            fill(words.overall_mixed, &values)
        }
        Overall::Same => {
            let values: [(&str, &dyn Display); 3] =
                [("arm", &arm), ("base", &base), ("parts", &about.same())];
            fill(words.overall_same, &values)
        }
        Overall::Open => {
            let values: [(&str, &dyn Display); 3] = [("arm", &arm), ("base", &base), ("rest", &about.rest())];
            fill(words.overall_open, &values)
        }
        Overall::Invalid => fill(words.answer_invalid, &[("arm", &arm), ("base", &base)]),
    }
}

/// The comparisons of an arm that its sentence is about.
struct Parts<'a> {
    rows: &'a [ComparisonRow<'a>],
    words: &'a Words,
}

impl Parts<'_> {
    /// What `text` says of the rows that `is` selects, as a list.
    fn of(
        &self,
        is: impl Fn(&ComparisonRow<'_>) -> bool,
        text: impl Fn(&ComparisonRow<'_>) -> String,
    ) -> String {
        let texts: Vec<String> = self.rows.iter().filter(|row| is(row)).map(text).collect();
        texts.join(self.words.separator)
    }

    /// The verdicts in this direction, each once: `faster and cheaper`.
    fn verdicts(&self, direction: Direction) -> String {
        let mut verdicts: Vec<&str> = Vec::new();
        for row in self.rows {
            let verdict = row.comparison.verdict;
            let word = self.words.verdict(verdict);
            if verdict.direction() == Some(direction) && !verdicts.contains(&word) {
                verdicts.push(word);
            }
        }
        match verdicts.as_slice() {
            [others @ .., last] if !others.is_empty() => {
                let others = others.join(self.words.separator);
                fill(self.words.overall_verdicts, &[("others", &others), ("last", last)])
            }
            all => all.concat(),
        }
    }

    /// The measures in which a difference in this direction was shown.
    fn shown(&self, direction: Direction) -> String {
        self.of(|row| row.comparison.verdict.direction() == Some(direction), |row| self.with_difference(row))
    }

    /// The measures in which the arms are the same.
    fn same(&self) -> String {
        let same = |row: &ComparisonRow<'_>| {
            let margin = units::share(row.comparison.margin);
            let values: [(&str, &dyn Display); 3] =
                [("title", &self.title(row)), ("margin", &margin), ("difference", &row.difference)];
            fill(self.words.overall_same_part, &values)
        };
        self.of(|row| row.comparison.verdict == Verdict::Same, same)
    }

    /// What is neither better nor worse: what is the same, what is open, and what is not valid.
    fn rest(&self) -> String {
        let is = |verdict: Verdict| move |row: &ComparisonRow<'_>| row.comparison.verdict == verdict;
        let open = self.of(is(Verdict::Inconclusive), |row| self.open(row));
        let invalid = self.of(is(Verdict::Invalid), |row| self.title(row));
        let lists = [
            (self.words.overall_same_in, self.same()),
            (self.words.overall_open_in, open),
            (self.words.overall_invalid_in, invalid),
        ];
        let known = lists.into_iter().filter(|(_, parts)| !parts.is_empty());
        known.map(|(template, parts)| fill(template, &[("parts", &parts)])).collect()
    }

    /// A measure that is open, with what it would take to decide it.
    fn open(&self, row: &ComparisonRow<'_>) -> String {
        let part = self.with_difference(row);
        match say::some_text(&Remarks(&row.comparison.remarks).effort(), self.words.lang) {
            Some(effort) => fill(self.words.overall_with_effort, &[("part", &part), ("effort", &effort)]),
            None => part,
        }
    }

    fn with_difference(&self, row: &ComparisonRow<'_>) -> String {
        let values: [(&str, &dyn Display); 2] =
            [("title", &self.title(row)), ("difference", &row.difference)];
        fill(self.words.overall_part, &values)
    }

    /// The measure with the load at which it was compared, where that is a fixed rate or one of several.
    fn title(&self, row: &ComparisonRow<'_>) -> String {
        let name = row.name(self.words);
        let level = row.comparison.level.as_ref();
        match level.and_then(|level| units::rate_of_load(level, self.words)) {
            Some(rate) => name + &fill(self.words.at_load, &[("load", &rate)]),
            None => name,
        }
    }
}
