//! Numbers as people read them: with three digits or a little more, and always with their unit.

pub(crate) use say::numbers::{difference as percent, fine_seconds as seconds, rate, rate_of};

use crate::words::{Label, joined};
use model::load::Load;
use model::measure::{Measure, MeasureUnit};
use model::units::Bytes;
use record::level_figure::LevelFigure;
use record::outcome::{Estimate, Level, Report, TooWide};
use say::{Language, Say, text};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Words around numbers.
#[derive(Say)]
enum UnitText<'a> {
    #[say(en = "{minutes} min", zh = "{minutes} 分钟")]
    Minutes { minutes: &'a str },
    #[say(en = "not estimable (needs about {needed})", zh = "无法估计（约需 {needed}）")]
    NotEstimable { needed: &'a str },
    #[say(en = " (needs about {needed})", zh = "（约需 {needed}）")]
    Needs { needed: &'a str },
    #[say(
        en = "{seen} without an interval: seen in this run only; an interval needs as much load as (…) says",
        zh = "{seen} 没有区间：只是本次运行中所见；要得到区间，压测需达到括号中的时长"
    )]
    SeenOnly { seen: char },
}

/// A value of `measure` in a unit that suits its size.
pub(crate) fn value(measure: Measure, value: f64) -> String {
    match measure.unit() {
        MeasureUnit::PerSecond => rate(value),
        MeasureUnit::Bytes => Bytes(value as u64).to_string(),
        MeasureUnit::Seconds => seconds(value),
    }
}

/// A value of `measure` in a report. Where users play sessions, a throughput says that it counts requests.
pub(crate) fn value_in(report: &Report, measure: Measure, value: f64, language: Language) -> String {
    match measure {
        Measure::Throughput if report.plays_sessions() => rate_of(value, &text(&Label::Requests, language)),
        _ => self::value(measure, value),
    }
}

/// A title with what the rates below it count, such as `throughput, requests/s`; nothing is added where that need not be said.
pub(crate) fn with_counted(title: &str, counted: &str, language: Language) -> String {
    match counted {
        "" => title.to_owned(),
        counted => joined(&[title, &format!("{counted}/s")], language),
    }
}

/// What the fixed rates of a report count, where they count sessions and no requests; otherwise empty.
pub(crate) fn counted_at_rates(report: &Report, language: Language) -> String {
    if report.plays_sessions() { text(&Label::Sessions, language) } else { String::new() }
}

/// The rate of a load of the open loop; where it counts sessions, it says so.
pub(crate) fn rate_of_load(load: &Load, language: Language) -> Option<String> {
    let counted = if load.sessions { text(&Label::Sessions, language) } else { String::new() };
    Some(rate_of(load.rate?.0, &counted))
}

/// Marks a percentile that has no interval: it was seen in this run, and says nothing about another one.
pub(crate) const SEEN: char = '†';

/// A percentile with its interval; or as it was seen, with a mark and the load that an interval would need.
pub(crate) fn percentile(level: &Level, figure: LevelFigure, language: Language) -> String {
    percentile_in(0, level, figure, language).replace("  [", " [")
}

/// Like [`percentile`]; its value takes `width` columns.
pub(crate) fn percentile_in(width: usize, level: &Level, figure: LevelFigure, language: Language) -> String {
    let needed = level.not_estimable.get(&figure);
    let needed = needed.map(|needed| minutes(needed.0.ceil(), language));
    let value = level.value(figure).map(seconds);
    let estimate = level.estimate(figure);
    match (value, needed, estimate.and_then(ends)) {
        (Some(value), _, Some(_)) if estimate.is_some_and(|estimate| estimate.is_too_wide()) => {
            format!("{value:>width$}  [{}]", text(&TooWide, language))
        }
        (Some(value), _, Some([low, high])) => format!("{value:>width$}  [{low}, {high}]"),
        (Some(value), Some(needed), None) => {
            let needed = text(&UnitText::Needs { needed: &needed }, language);
            format!("{value:>width$} {SEEN}{needed}")
        }
        (Some(value), None, None) => format!("{value:>width$} {SEEN}"),
        (None, Some(needed), _) => text(&UnitText::NotEstimable { needed: &needed }, language),
        (None, None, _) => format!("{:>width$}", "–"),
    }
}

/// Whether a percentile is shown as it was seen, because it has no interval.
pub(crate) fn is_only_seen(level: &Level, figure: LevelFigure) -> bool {
    level.measures.contains_key(&figure) && level.estimate(figure).and_then(ends).is_none()
}

/// What the mark of a percentile without an interval means.
pub(crate) fn seen_only(language: Language) -> String {
    text(&UnitText::SeenOnly { seen: SEEN }, language)
}

/// The ends of an interval in time.
fn ends(estimate: Estimate) -> Option<[String; 2]> {
    Some([seconds(estimate.low?), seconds(estimate.high?)])
}

/// A share as a percentage: `3 %`, `4.5 %`.
pub(crate) fn share(share: f64) -> String {
    // It is rounded, because 3 % would be printed as 3.0000000000000004 % otherwise.
    format!("{} %", (1000.0 * share).round() / 10.0)
}

/// A duration: `3.4 min`, `40 s`.
pub(crate) fn minutes(seconds: f64, language: Language) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else {
        text(&UnitText::Minutes { minutes: &format!("{:.1}", seconds / 60.0) }, language)
    }
}

/// Text escaped for a cell of a table in Markdown.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Writes `text` in lines of at most `columns` columns; all lines but the first are indented by two more columns.
pub(crate) fn wrapped(out: &mut String, text: &str, indent: usize, columns: usize) {
    let mut column = indent;
    out.push_str(&" ".repeat(indent));
    for (index, (spaced, piece)) in pieces(text).into_iter().enumerate() {
        let (gap, width) = (usize::from(spaced), width(piece));
        if index > 0 && column + gap + width > columns {
            out.push('\n');
            column = indent + 2;
            out.push_str(&" ".repeat(column));
        } else if spaced {
            out.push(' ');
            column += 1;
        }
        out.push_str(piece);
        column += width;
    }
    out.push('\n');
}

/// The pieces between which a line may be broken, each with whether a space comes before it: words, and single Chinese characters with the
/// punctuation that must stay with them.
fn pieces(text: &str) -> Vec<(bool, &str)> {
    let mut pieces = Vec::new();
    for (index, word) in text.split(' ').enumerate() {
        let (mut from, mut before) = (0, None);
        for (at, c) in word.char_indices() {
            let may_break = before.is_some_and(|before| (wide(before) || wide(c)) && !opens(before));
            if may_break && !closes(c) {
                pieces.push((index > 0 && from == 0, &word[from..at]));
                from = at;
            }
            before = Some(c);
        }
        pieces.push((index > 0 && from == 0, &word[from..]));
    }
    pieces
}

/// Whether a character takes two columns of a terminal, as Chinese characters and their punctuation do.
fn wide(c: char) -> bool {
    c.width() == Some(2)
}

/// Whether a character must not begin a line.
fn closes(c: char) -> bool {
    "，。；：、！？）」”".contains(c)
}

/// Whether a character must not end a line.
fn opens(c: char) -> bool {
    "（「“".contains(c)
}

/// Columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text, filled up with blanks on its right to `columns` columns.
pub(crate) fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, filled up with blanks on its left to `columns` columns.
pub(crate) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A name shortened to `width` columns. Its end is kept, which distinguishes an arm from its siblings, without the rest of a word if
/// whole ones are left.
pub(crate) fn shortened(name: &str, width: usize) -> String {
    if self::width(name) <= width {
        return name.to_owned();
    }
    let mut end = name;
    while self::width(end) > width - 1 {
        let mut rest = end.chars();
        rest.next();
        end = rest.as_str();
    }
    let after_a_word = end.find([':', '-', ',', '=', '/', '_']).map(|place| place + 1);
    let whole = after_a_word.filter(|place| *place <= end.len() / 2);
    format!("…{}", &end[whole.unwrap_or(0)..])
}

/// A text shortened to `width` characters; its beginning is kept.
pub(crate) fn truncated(text: &str, width: usize) -> String {
    match text.chars().count() <= width {
        true => text.to_owned(),
        false => text.chars().take(width - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_three_digits_and_a_unit() {
        assert_eq!(value(Measure::CpuPerRequest, 23.14e-6), "23.1 µs");
        assert_eq!(value(Measure::ResponseP99, 0.0120), "12.0 ms");
        assert_eq!(value(Measure::StartUp, 1.8), "1.80 s");
        assert_eq!(value(Measure::Throughput, 21_034.1), "21.0 k/s");
        assert_eq!(value(Measure::Throughput, 947.7), "948 /s");
        assert_eq!(value(Measure::PeakMemory, 220.0 * 1048576.0), "220 MiB");
    }

    #[test]
    fn chinese_wraps_between_characters_and_keeps_punctuation_behind_them() {
        let mut out = String::new();
        wrapped(&mut out, "吞吐量 p99 为 12 ms，优于（基线）。", 0, 12);
        assert_eq!(out, "吞吐量 p99\n  为 12 ms，\n  优于（基\n  线）。\n");
        assert!(out.lines().all(|line| width(line) <= 12), "{out}");
        assert_eq!((left("吞吐", 6), right("吞吐", 6)), ("吞吐  ".into(), "  吞吐".into()));
    }

    #[test]
    fn a_name_keeps_its_end_within_its_columns() {
        assert_eq!(shortened("tomcat-10.1", 11), "tomcat-10.1");
        assert_eq!(shortened("tomcat-10.1.29", 11), "…10.1.29");
        assert_eq!(shortened("tomcat:9.0.95,threads=virtual", 11), "…virtual");
        assert_eq!(shortened("pauses-for-a-long-time", 11), "…long-time");
        assert_eq!(shortened("默认线程池与虚拟线程", 11), "…与虚拟线程");
    }
}
