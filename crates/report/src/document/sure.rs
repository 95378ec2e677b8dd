//! The confidence of the intervals in the answers.

use super::{Content, ContentBlock, SectionInput};
use crate::comparison::has_interval;
use ask::experiment::GATE_ALPHA;
use say::Say;

pub(super) const ID: &str = "sure";

/// The words of the confidence.
#[derive(Say)]
enum SureText<'a> {
    #[say(
        en = "In {sure} of 100 such runs these intervals hold the truth{own?, and beside a `same` in 90}. A second run that agrees makes chance about 1 in \
              {chance}.{stricter? `--alpha 1%` makes the intervals about a third wider.}",
        zh = "在 100 次这样的运行中，这些区间有 {sure} 次包含真值{own?（“相同”旁的为 90 次）}。若第二次运行结果一致，则出于偶然的可能约为 {chance} 分之一。{stricter?使用 `--alpha 1%` 时，区间约宽三分之一。}"
    )]
    Capped { sure: &'a str, own: bool, chance: &'a str, stricter: bool },
    #[say(
        en = "In {sure} of 100 such runs these intervals hold the truth at every look, however many there are.",
        zh = "在 100 次这样的运行中，无论查看多少次，这些区间有 {sure} 次包含真值。"
    )]
    Uncapped { sure: &'a str },
    #[say(
        en = "In {sure} of 100 such runs all intervals of the sentence on top hold the truth together{own? (beside `same` \
              each in 90)}; in at most {wrong} of \
              100 runs of two equal servers one of its measures is called different. A second run that agrees makes chance \
              about 1 in {chance}.{stricter? `--alpha 1%` makes the intervals about a third wider.}",
        zh = "在 100 次这样的运行中，开头句子中的各区间有 {sure} 次同时包含真值{own?（“相同”旁的各为 90 次）}；在 100 次两个相同服务器的运行中，至多 {wrong} 次会把其中某个指标判为不同。若第二\
              次运行结果一致，则出于偶然的可能约为 {chance} 分之一。{stricter?使用 `--alpha 1%` 时，区间约宽三分之一。}"
    )]
    Overall { sure: &'a str, own: bool, wrong: &'a str, chance: &'a str, stricter: bool },
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let design = &source.report.design;
    if !has_interval(source.report) {
        return None;
    }
    let [sure, wrong] = [1.0 - design.alpha, design.alpha].map(|share| format!("{:.0}", 100.0 * share));
    // Equal arms are called different twice in the same direction once in 2 / alpha^2 pairs of runs.
    let chance = (2.0 / design.alpha.powi(2)).round();
    let (sure, wrong, chance) = (&sure, &wrong, &format!("{chance}"));
    let mut of_headline = source.report.comparisons.iter().filter(|one| source.report.is_headline(one));
    // The interval of a gate that passed is of another kind, and tells a loss and not a difference.
    let own = of_headline.any(|one| one.is_by_equivalence() && one.gate.is_none());
    let stricter = design.alpha > GATE_ALPHA;
    let explanation = match design.starts_cap {
        _ if !design.headline_measures.is_empty() => SureText::Overall { sure, own, wrong, chance, stricter },
        Some(_) => SureText::Capped { sure, own, chance, stricter },
        None => SureText::Uncapped { sure },
    };
    Content::of("", [ContentBlock::explanation(source.say(&explanation))])
}
