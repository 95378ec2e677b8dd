//! Results that are not verdicts on single measures: the ranking of many arms, response times at the fixed rate, and how often
//! calibrations on this class of machine were wrong.

use super::{Content, ContentBlock, SectionInput};
use crate::loads::load_name;
use crate::units;
use crate::words::{Words, fill};
use model::measure::Measure;
use model::outcome::{ArmResult, Level, Ranking, Report};

pub(super) const ID: &str = "standing";

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let lines = standing(source.report, source.words).into_iter();
    Content::unless_empty("", lines.map(ContentBlock::paragraph).collect())
}

/// The ranking, response times and calibrations, one line each.
pub(crate) fn standing(report: &Report, words: &Words) -> Vec<String> {
    let rankings = report.ranking.iter().chain(&report.rankings);
    let rankings = rankings.map(|ranking| ranking_text(ranking, words));
    let times = report.arms.iter().filter_map(|arm| response_times(arm, words));
    rankings.chain(times).chain(calibration(report, words)).collect()
}

fn ranking_text(ranking: &Ranking, words: &Words) -> String {
    let title = Measure::from_id(&ranking.measure).map_or("", |measure| words.measure(measure));
    let load = ranking.level.as_ref().map(|level| load_name(level, words));
    let at = load.map_or_else(String::new, |load| fill(words.at_load, &[("load", &load)]));
    let title = format!("{title}{at}");
    let groups: Vec<String> = ranking.groups.iter().map(|group| group.join(", ")).collect();
    match groups.as_slice() {
        [all] => fill(words.ranking_none, &[("title", &title), ("all", all)]),
        _ => fill(
            words.ranking,
            &[("title", &title), ("groups", &groups.join(" | "))],
        ),
    }
}

/// The response times of an arm at the fixed rate, each with its interval or the load that it would need.
fn response_times(arm: &ArmResult, words: &Words) -> Option<String> {
    let is_known =
        |level: &Level, id: &str| level.measures.contains_key(id) || level.not_estimable.contains_key(id);
    let times_at = |level: &Level| {
        let times = ["p50", "p90", "p99", "p99.9"].map(|name| {
            let id = format!("response_{name}");
            is_known(level, &id).then(|| format!("{name} {}", units::percentile(level, &id, words)))
        });
        let times: Vec<String> = times.into_iter().flatten().collect();
        (!times.is_empty()).then(|| times.join(words.separator))
    };
    let times = arm.levels.iter().find_map(times_at)?;
    Some(fill(words.times, &[("arm", &arm.name), ("times", &times)]))
}

/// How often identical servers were called different on this class of machine, as far as calibrations are stored.
fn calibration(report: &Report, words: &Words) -> Option<String> {
    let tally = report.calibration?;
    let calls = match tally.false_calls {
        1 => words.false_call.to_owned(),
        calls => fill(words.false_calls, &[("calls", &calls)]),
    };
    let [upper, alpha] = [tally.upper, tally.alpha.unwrap_or(report.design.alpha)].map(units::share);
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("calls", &calls),
        ("runs", &tally.runs),
        ("upper", &upper),
        ("alpha", &alpha),
    ];
    Some(fill(words.calibration, &values))
}
