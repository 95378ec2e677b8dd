//! How to read the table of verdicts, in plain words: the rule, the kind of interval, what is secondary.

use super::block::Text;
use super::{Content, ContentBlock, SectionInput};
use crate::units;
use crate::words::Label;
use ask::experiment::secondary_alpha;
use record::outcome::{Report, Verdict};
use say::{Language, Say, text};

pub(super) const ID: &str = "legend";

/// The words of the legend.
#[derive(Say)]
enum LegendText<'a> {
    #[say(
        en = "* is the headline, which decides when to stop ({limit}{gate?, gate: not worse by more than {}}); the others are secondary (Holm-corrected). {intervals}",
        zh = "* 为主指标，由它决定何时停止（{limit}{gate?，门限：不得差 {} 以上}）；其余为次要指标（Holm 校正）。{intervals}"
    )]
    One { limit: &'a str, gate: Option<&'a str>, intervals: &'a str },
    #[say(
        en = "* is the headline: its measures decide together when to stop ({limit}); the others are secondary \
              (Holm-corrected). {intervals}",
        zh = "* 为主指标，由它们共同决定何时停止（{limit}）；其余为次要指标（Holm 校正）。{intervals}"
    )]
    Overall { limit: &'a str, intervals: &'a str },
    #[say(en = "{cap} starts at most", zh = "最多启动 {cap} 次")]
    Cap { cap: u32 },
    #[say(en = "until it is decided", zh = "直到得出结论")]
    UntilSure,
    #[say(
        en = "Intervals ({kind}): those of * hold together at {percent}, and those of the others together at {others}{own?; \
              beside `{}` stands that of its own test, at 90 %}.",
        zh = "区间（{kind}）：带 * 的各区间以 {percent} 的置信度同时成立，其余各区间另以 {others} 的置信度同时成立{own?；“{}”旁为其自身检验的 90 % 区间}。"
    )]
    Intervals { kind: &'a str, percent: &'a str, others: &'a str, own: Option<&'a str> },
    #[say(en = "group-sequential", zh = "成组序贯")]
    GroupSequential,
    #[say(en = "anytime-valid", zh = "任意时刻有效")]
    AnytimeValid,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    let (design, language) = (&source.report.design, source.language);
    let (limit, kind) = match design.starts_cap {
        Some(cap) => (LegendText::Cap { cap }, LegendText::GroupSequential),
        None => (LegendText::UntilSure, LegendText::AnytimeValid),
    };
    let (limit, kind) = (&text(&limit, language), &text(&kind, language));
    let percent = &units::share(1.0 - design.alpha);
    let others = &units::share(1.0 - secondary_alpha(design.alpha));
    let own = word_of_own_test(source.report, language);
    let intervals = LegendText::Intervals { kind, percent, others, own: own.as_deref() };
    let intervals = &text(&intervals, language);
    let gate = design.gate.map(units::share);
    let legend = match design.headline_measures.is_empty() {
        true => LegendText::One { limit, gate: gate.as_deref(), intervals },
        false => LegendText::Overall { limit, intervals },
    };
    let text = Text::with_stars(&text(&legend, language));
    Content::of("", [ContentBlock::explanation(text)])
}

/// The verdict that is shown by an interval of its own, if there is one: `same`, or `passes` of a gate.
fn word_of_own_test(report: &Report, language: Language) -> Option<String> {
    let mut by_own_test = report.comparisons.iter().filter(|one| one.is_by_equivalence());
    let is_gate = by_own_test.next()?.gate.is_some();
    Some(if is_gate { text(&Label::Passes, language) } else { Verdict::Same.word(language).to_owned() })
}
