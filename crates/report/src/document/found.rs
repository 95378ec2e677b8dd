//! The result of a search for each arm: its capacity and knee, or the highest rate that keeps an objective, and what limits the
//! arm beyond it.

use super::by_arm::{ArmRow, table_by_arm};
use super::{ColumnKind, Content, ContentBlock, SectionInput};
use crate::comparison::estimate;
use crate::loads::load_name;
use crate::units;
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use record::outcome::{ArmResult, Estimate, Report, TooWide};
use record::search::{Capacity, Curve, MaxRate, NoCurve, SearchResult};
use say::{Language, Say, text};

pub(super) const ID: &str = "found";

/// The words of the results of searches.
#[derive(Say)]
enum FoundText<'a> {
    #[say(en = "Result of the search", zh = "搜索结果")]
    Heading,
    #[say(en = "{arm}: {most} at most; {knee}; {limiter}", zh = "{arm}：最高 {most}；{knee}；{limiter}")]
    Capacity { arm: &'a str, most: &'a str, knee: &'a str, limiter: &'a str },
    #[say(
        en = "with one start, the highest of its own steps are taken, and the luckiest are among them: some per cent too high",
        zh = "只有一次启动时，取其自身最高的几级，其中含有偶然偏高的：结果会偏高百分之几"
    )]
    OneStart,
    #[say(
        en = "95 % of it from {users} users on (knee of the fitted curve)",
        zh = "自 {users} 个用户起达到其 95 %（拟合曲线的拐点）"
    )]
    Knee { users: &'a str },
    #[say(
        en = "95 % of it from {users} users on (knee of two straight lines)",
        zh = "自 {users} 个用户起达到其 95 %（两条直线的拐点）"
    )]
    KneeOfLines { users: &'a str },
    #[say(
        en = "95 % of it from {users} users on (the first step that reached it)",
        zh = "自 {users} 个用户起达到其 95 %（首个达到的用户数）"
    )]
    KneeOfSteps { users: &'a str },
    #[say(en = "no knee, because throughput was still growing", zh = "没有拐点，因为吞吐量仍在增长")]
    NoKnee,
    #[say(
        en = "beyond, at {tried} users, it is limited by {cause}",
        zh = "再往上，在 {tried} 个用户时受限于 {cause}"
    )]
    Limiter { tried: u64, cause: &'a str },
    #[say(
        en = "what limits it beyond, at {tried} users, was not found",
        zh = "再往上，在 {tried} 个用户时受限于何处未能查明"
    )]
    NoLimiter { tried: u64 },
    #[say(
        en = "{arm}, universal scalability law: one user alone {gamma}, contention {alpha}, coherency {beta}; {peak}",
        zh = "{arm}，通用可扩展性定律：单个用户 {gamma}，争用 {alpha}，一致性 {beta}；{peak}"
    )]
    Curve { arm: &'a str, gamma: &'a str, alpha: &'a str, beta: &'a str, peak: &'a str },
    #[say(en = "{arm}: no curve, because {why}", zh = "{arm}：没有曲线，因为{why}")]
    NoCurve { arm: &'a str, why: &'a NoCurve },
    #[say(en = "beyond {users} users throughput falls", zh = "超过 {users} 个用户后，用户越多吞吐量越低")]
    Peak { users: &'a str },
    #[say(en = "throughput was not seen to fall with more users", zh = "未见用户增多而吞吐量下降")]
    NoPeak,
    #[say(en = "{arm}: up to {rate} with {objective}", zh = "{arm}：在 {objective} 的要求下最高 {rate}")]
    Rate { arm: &'a str, rate: &'a str, objective: &'a str },
    #[say(en = "{highest}; {beyond}", zh = "{highest}；{beyond}")]
    RateBeyond { highest: &'a str, beyond: &'a str },
    #[say(en = "beyond, it is limited by {cause}", zh = "再往上受限于 {cause}")]
    Beyond { cause: &'a str },
    #[say(en = "what limits it beyond was not found", zh = "再往上受限于何处未能查明")]
    NoBeyond,
    #[say(
        en = "{arm}: the highest rate with {objective} is not known, because {why}; {kept}",
        zh = "{arm}：无法确定满足 {objective} 的最高速率，因为{why}；{kept}"
    )]
    NoRate { arm: &'a str, objective: &'a str, why: Option<&'a Reason>, kept: &'a str },
    #[say(en = "it was kept at {rate}", zh = "在 {rate} 时满足")]
    Kept { rate: &'a str },
    #[say(en = "it was never kept", zh = "从未满足")]
    NeverKept,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (report, language) = (source.report, source.language);
    let lines = lines(report, language);
    if lines.is_empty() {
        return None;
    }
    let mut blocks = vec![ContentBlock::list(lines)];
    // Those of an arm alone have a table with more figures.
    let steps = match source.form.capacity_steps && !report.is_of_one_arm() {
        true => steps(report, language),
        false => Vec::new(),
    };
    if !steps.is_empty() {
        blocks.push(table_by_arm(report, ColumnKind::Number, steps));
    }
    Content::of(text(&FoundText::Heading, language), blocks)
}

/// The results, arm by arm, then why the search ended.
fn lines(report: &Report, language: Language) -> Vec<String> {
    let lines_of = |arm: &ArmResult| match &arm.found {
        Some(SearchResult::Capacity(capacity)) => capacity_lines(arm, capacity, language),
        Some(SearchResult::MaxRate(found)) => vec![max_rate_line(arm, found, language)],
        None => Vec::new(),
    };
    let mut lines: Vec<String> = report.arms.iter().flat_map(lines_of).collect();
    // All arms were tried with the same users.
    if let Some(Some(SearchResult::Capacity(capacity))) = report.arms.first().map(|arm| &arm.found) {
        if capacity.most.is_some_and(|most| most.low.is_none()) {
            lines.push(text(&FoundText::OneStart, language));
        }
        lines.push(text(&capacity.ended, language));
    }
    lines
}

/// The throughput of every arm at every step of users; empty where the experiment looked for no capacity.
fn steps(report: &Report, language: Language) -> Vec<ArmRow> {
    let climbed = |arm: &&ArmResult| matches!(arm.found, Some(SearchResult::Capacity(_)));
    let Some(first) = report.arms.iter().find(climbed) else {
        return Vec::new();
    };
    let row = |load: &Load| {
        let throughput = |arm: &ArmResult| {
            let throughput = estimate(arm, Measure::Throughput, Some(load));
            throughput.map_or_else(
                || "–".to_owned(),
                |throughput| with_interval(&throughput, units::rate, language),
            )
        };
        ArmRow::new(report, load_name(load, language), throughput)
    };
    first.levels.iter().map(|level| row(&level.load)).collect()
}

/// The capacity of an arm, and the curve that was fitted to its steps or why there is none.
fn capacity_lines(arm: &ArmResult, found: &Capacity, language: Language) -> Vec<String> {
    let most = found.most.as_ref();
    let most = most.map_or_else(|| "–".to_owned(), |most| with_interval(most, units::rate, language));
    let knee = match &found.knee {
        None => text(&FoundText::NoKnee, language),
        Some(knee) => {
            let users = with_interval(&knee.users, count, language);
            let users = &users;
            let knee = match (knee.fitted, knee.corner) {
                (true, _) => FoundText::Knee { users },
                (false, true) => FoundText::KneeOfLines { users },
                (false, false) => FoundText::KneeOfSteps { users },
            };
            text(&knee, language)
        }
    };
    let tried = found.tried;
    let limiter = match &found.limiter {
        Some(cause) => FoundText::Limiter { tried, cause: cause.id() },
        None => FoundText::NoLimiter { tried },
    };
    let capacity =
        FoundText::Capacity { arm: &arm.name, most: &most, knee: &knee, limiter: &text(&limiter, language) };
    let capacity = text(&capacity, language);
    let curve = match (&found.curve, &found.no_curve) {
        (Some(curve), _) => Some(curve_line(&arm.name, curve, language)),
        (None, Some(why)) => Some(text(&FoundText::NoCurve { arm: &arm.name, why }, language)),
        (None, None) => None,
    };
    [capacity].into_iter().chain(curve).collect()
}

/// The highest rate of an arm, or why it is not known.
fn max_rate_line(arm: &ArmResult, found: &MaxRate, language: Language) -> String {
    let (arm, objective) = (&arm.name, &found.objective);
    if let Some(rate) = &found.rate {
        let rate = FoundText::Rate { arm, objective, rate: &with_interval(rate, units::rate, language) };
        let beyond = match &found.limiter {
            Some(cause) => FoundText::Beyond { cause: cause.id() },
            None => FoundText::NoBeyond,
        };
        let (highest, beyond) = (&text(&rate, language), &text(&beyond, language));
        return text(&FoundText::RateBeyond { highest, beyond }, language);
    }
    let kept = found.kept.map(|kept| units::rate(kept.0));
    let kept = kept.as_ref().map_or(FoundText::NeverKept, |rate| FoundText::Kept { rate });
    let (why, kept) = (found.why_none.as_ref(), &text(&kept, language));
    text(&FoundText::NoRate { arm, objective, why, kept }, language)
}

/// The parameters of the curve that was fitted to the steps of an arm.
fn curve_line(arm: &str, curve: &Curve, language: Language) -> String {
    let peak = match &curve.peak_users {
        Some(peak) => text(&FoundText::Peak { users: &with_interval(peak, count, language) }, language),
        None => text(&FoundText::NoPeak, language),
    };
    let said = FoundText::Curve {
        arm,
        gamma: &with_interval(&curve.gamma, units::rate, language),
        alpha: &with_interval(&curve.alpha, small, language),
        beta: &with_interval(&curve.beta, small, language),
        peak: &peak,
    };
    text(&said, language)
}

/// `7.2 [6.6, 7.9]`.
fn with_interval(estimate: &Estimate, figure: impl Fn(f64) -> String, language: Language) -> String {
    match (estimate.low, estimate.high) {
        _ if estimate.is_too_wide() => format!("{} [{}]", figure(estimate.value), text(&TooWide, language)),
        (Some(low), Some(high)) => format!("{} [{}, {}]", figure(estimate.value), figure(low), figure(high)),
        _ => figure(estimate.value),
    }
}

/// A number of users, with a decimal only if it is small.
fn count(users: f64) -> String {
    if users < 20.0 { format!("{users:.1}") } else { format!("{users:.0}") }
}

/// A parameter of the curve, which may be very small.
fn small(value: f64) -> String {
    match value {
        v if v >= 0.001 => format!("{v:.4}"),
        v if v < 1e-9 => "0".to_owned(),
        v => format!("{v:.1e}"),
    }
}
