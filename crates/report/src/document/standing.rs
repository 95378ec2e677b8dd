//! Results that are not verdicts on single measures: the ranking of many arms, response times at the fixed rate, and how often
//! calibrations on this class of machine were wrong.

use super::{Content, ContentBlock, SectionInput};
use crate::loads::{LoadText, load_name};
use crate::units;
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Level, Ranking, Report};
use say::{Language, Say, text};

pub(super) const ID: &str = "standing";

/// The words of the section.
#[derive(Say)]
enum StandingText<'a> {
    #[say(en = "Response times, ranking and calibration", zh = "响应时间、排名与校准")]
    Heading,
    #[say(
        en = "ranking by {title}: no two arms could be distinguished ({all})",
        zh = "排名（{title}）：各对象之间未能分出高下（{all}）"
    )]
    NoRanking { title: &'a str, all: &'a str },
    #[say(
        en = "ranking by {title}, best first; arms within a group could not be distinguished: {groups}",
        zh = "排名（{title}），优者在前，同组之间未能分出高下：{groups}"
    )]
    Ranking { title: &'a str, groups: &'a str },
    #[say(
        en = "response times of {arm}, each with its 95 % interval: {times:clauses}",
        zh = "{arm} 的响应时间（各附 95 % 区间）：{times:clauses}"
    )]
    Times { arm: &'a str, times: &'a [String] },
    #[say(
        en = "send delay (the generator's part of these response times): {delays:clauses}",
        zh = "发送延迟（上述响应时间中由压测端造成的部分）：{delays:clauses}"
    )]
    SendDelay { delays: &'a [String] },
    #[say(en = "{arm} p50 {p50} and p99 {p99}", zh = "{arm} p50 {p50}、p99 {p99}")]
    OfArm { arm: &'a str, p50: &'a str, p99: &'a str },
    #[say(
        en = "CPU per request of identical servers on this class of machine, alpha {alpha}: {calls} {calls|false call|false calls} in {runs} runs (a rate of \
              at most {upper})",
        zh = "在此类机器上用相同的服务器校准（每请求 CPU，alpha {alpha}）：{runs} 次运行中误判 {calls} 次（误判率至多 {upper}）"
    )]
    Calibration { alpha: &'a str, calls: u32, runs: u32, upper: &'a str },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let lines = standing(source.report, source.language).into_iter();
    Content::unless_empty(source.say(&StandingText::Heading), lines.map(ContentBlock::paragraph).collect())
}

/// The ranking, response times and calibrations, one line each.
pub(crate) fn standing(report: &Report, language: Language) -> Vec<String> {
    let rankings = report.ranking.iter().chain(&report.rankings);
    let rankings = rankings.map(|ranking| ranking_text(ranking, language));
    let times = report.arms.iter().filter_map(|arm| response_times(arm, language));
    let delays = send_delays(report, language);
    let seen = report.arms.iter().any(has_only_seen).then(|| units::seen_only(language));
    rankings.chain(times).chain(delays).chain(seen).chain(calibration(report, language)).collect()
}

fn ranking_text(ranking: &Ranking, language: Language) -> String {
    let title = ranking.measure.name(language);
    let load = ranking.level.as_ref().map(|level| load_name(level, language));
    let at = load.map_or_else(String::new, |load| text(&LoadText::AtLoad { load: &load }, language));
    let title = format!("{title}{at}");
    let groups: Vec<String> = ranking.groups.iter().map(|group| group.join(", ")).collect();
    match groups.as_slice() {
        [all] => text(&StandingText::NoRanking { title: &title, all }, language),
        _ => text(&StandingText::Ranking { title: &title, groups: &groups.join(" | ") }, language),
    }
}

/// The response times of an arm at the fixed rate, each with its interval; or as it was seen, with the load that an interval
/// would need.
fn response_times(arm: &ArmResult, language: Language) -> Option<String> {
    let level = level_with_times(arm)?;
    let time = |figure: LevelFigure| {
        let name = figure.statistic()?.id();
        is_known(level, figure).then(|| format!("{name} {}", units::percentile(level, figure, language)))
    };
    let times: Vec<String> = LevelFigure::response_times().filter_map(time).collect();
    Some(text(&StandingText::Times { arm: &arm.name, times: &times }, language))
}

/// How late requests were sent at the fixed rate, for each arm; `None` where there was no such rate.
fn send_delays(report: &Report, language: Language) -> Option<String> {
    let delay = |arm: &ArmResult| {
        let delay = arm.levels.iter().find_map(|level| level.generator.send_delay)?;
        let (p50, p99) = (units::seconds(delay.p50.0), units::seconds(delay.p99.0));
        Some(text(&StandingText::OfArm { arm: &arm.name, p50: &p50, p99: &p99 }, language))
    };
    let delays: Vec<String> = report.arms.iter().filter_map(delay).collect();
    (!delays.is_empty()).then(|| text(&StandingText::SendDelay { delays: &delays }, language))
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
fn calibration(report: &Report, language: Language) -> Option<String> {
    let tally = report.calibration?;
    let [upper, alpha] = [tally.upper.0, tally.alpha.unwrap_or(report.design.alpha)].map(units::share);
    let calibration = StandingText::Calibration {
        alpha: &alpha,
        calls: tally.false_calls,
        runs: tally.runs,
        upper: &upper,
    };
    Some(text(&calibration, language))
}
