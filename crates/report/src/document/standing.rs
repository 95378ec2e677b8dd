//! Results that are not verdicts on single measures: the ranking of many arms, response times at the fixed rate, and how often
//! calibrations on this class of machine were wrong.

use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units;
use crate::words::{Words, fill};
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Level, Ranking, Report};

pub(super) const ID: &str = "standing";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let lines = standing(source.report, source.words).into_iter();
    Content::unless_empty(source.words.standing, lines.map(ContentBlock::paragraph).collect())
}

/// The ranking, response times and calibrations, one line each.
pub(crate) fn standing(report: &Report, words: &Words) -> Vec<String> {
    let rankings = report.ranking.iter().chain(&report.rankings);
    let rankings = rankings.map(|ranking| ranking_text(ranking, words));
    let times = report.arms.iter().filter_map(|arm| response_times(arm, words));
    let delays = send_delays(report, words);
    let seen = report.arms.iter().any(has_only_seen).then(|| units::seen_only(words));
    rankings.chain(times).chain(delays).chain(seen).chain(calibration(report, words)).collect()
}

fn ranking_text(ranking: &Ranking, words: &Words) -> String {
    let title = words.measure(ranking.measure);
    let load = ranking.level.as_ref().map(|level| load_name(level, words));
    let at = load.map_or_else(String::new, |load| fill(words.at_load, &[("load", &load)]));
    let title = format!("{title}{at}");
    let groups: Vec<String> = ranking.groups.iter().map(|group| group.join(", ")).collect();
    match groups.as_slice() {
        [all] => fill(words.ranking_none, &[("title", &title), ("all", all)]),
        _ => fill(words.ranking, &[("title", &title), ("groups", &groups.join(" | "))]),
    }
}

/// The response times of an arm at the fixed rate, each with its interval; or as it was seen, with the load that an interval
/// would need.
fn response_times(arm: &ArmResult, words: &Words) -> Option<String> {
    let level = level_with_times(arm)?;
    let time = |figure: LevelFigure| {
        let name = figure.statistic()?.id();
        is_known(level, figure).then(|| format!("{name} {}", units::percentile(level, figure, words)))
    };
    let times: Vec<String> = LevelFigure::response_times().filter_map(time).collect();
    let times = times.join(words.separator);
    Some(fill(words.times, &[("arm", &arm.name), ("times", &times)]))
}

/// How late requests were sent at the fixed rate, for each arm; `None` where there was no such rate.
fn send_delays(report: &Report, words: &Words) -> Option<String> {
    let delay = |arm: &ArmResult| {
        let delay = arm.levels.iter().find_map(|level| level.generator.send_delay)?;
        let (p50, p99) = (units::seconds(delay.p50.0), units::seconds(delay.p99.0));
        Some(fill(words.send_delays, &[("arm", &arm.name), ("p50", &p50), ("p99", &p99)]))
    };
    let delays: Vec<String> = report.arms.iter().filter_map(delay).collect();
    let delays = (!delays.is_empty()).then(|| delays.join(words.separator));
    delays.map(|delays| fill(words.send_delay, &[("delays", &delays)]))
}

/// The first level of an arm that has response times.
fn level_with_times(arm: &ArmResult) -> Option<&Level> {
    let has_times = |level: &&Level| LevelFigure::response_times().any(|figure| is_known(level, figure));
    arm.levels.iter().find(has_times)
}

fn is_known(level: &Level, figure: LevelFigure) -> bool {
    level.measures.contains_key(&figure) || level.not_estimable.contains_key(&figure)
}

/// Whether a response time of the arm is shown without an interval.
fn has_only_seen(arm: &ArmResult) -> bool {
    let only_seen =
        |level: &Level| LevelFigure::response_times().any(|figure| units::is_only_seen(level, figure));
    level_with_times(arm).is_some_and(only_seen)
}

/// How often identical servers were called different on this class of machine, as far as calibrations are stored.
fn calibration(report: &Report, words: &Words) -> Option<String> {
    let tally = report.calibration?;
    let calls = match tally.false_calls {
        1 => words.false_call.to_owned(),
        calls => fill(words.false_calls, &[("calls", &calls)]),
    };
    let [upper, alpha] = [tally.upper.0, tally.alpha.unwrap_or(report.design.alpha)].map(units::share);
    let values: [(&str, &dyn std::fmt::Display); 4] =
        [("calls", &calls), ("runs", &tally.runs), ("upper", &upper), ("alpha", &alpha)];
    Some(fill(words.calibration, &values))
}
