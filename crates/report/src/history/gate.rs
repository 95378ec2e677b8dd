//! What a nightly job asked of the newest run, what differs at a change, and which runs are in no series.

use super::{COLUMNS, title};
use crate::units;
use crate::words::{Label, labelled};
use record::decision::DecisionKind;
use record::history::{Gate, LeftOut, LevelChange, WhyLeftOut, Worsening};
use record::pair::DifferingFact;
use say::{Language, Say, text};

/// The words of the gate, of what differs at a change, and of decisions.
#[derive(Say)]
enum GateText<'a> {
    #[say(
        en = "no stored fact differs between {before} and {run}",
        zh = "{before} 与 {run} 之间没有已保存的事实不同"
    )]
    NothingDiffers { before: &'a str, run: &'a str },
    #[say(en = "{name}: {before} → {after}", zh = "{name}：{before} → {after}")]
    Differs { name: &'a str, before: &'a str, after: &'a str },
    #[say(
        en = "{more} more facts differ: `prony diff {before} {run}` lists them",
        zh = "另有 {more} 项事实不同：`prony diff {before} {run}` 列出全部"
    )]
    MoreDiffers { more: usize, before: &'a str, run: &'a str },
    #[say(en = "accepted as the new level ({who:clauses})", zh = "已接受为新的水平（{who:clauses}）")]
    Accepted { who: &'a [&'a str] },
    #[say(
        en = "dismissed: not counted as a change ({who:clauses})",
        zh = "已驳回：不计为变化（{who:clauses}）"
    )]
    Dismissed { who: &'a [&'a str] },
    #[say(
        en = "gate: worse than before, beside {anchor}, which stayed the same build:",
        zh = "门禁：与之前相比变差，参照 {anchor}（其构建始终相同）："
    )]
    Worse { anchor: &'a str },
    #[say(
        en = "{percent} % since {run} (p {p}); the run before it is {before}",
        zh = "自 {run} 起 {percent} %（p {p}）；其前一次运行是 {before}"
    )]
    WorseSince { percent: &'a str, run: &'a str, p: &'a str, before: &'a str },
    #[say(en = "gate: no run of this experiment has ended", zh = "门禁：此实验没有已结束的运行")]
    NoRun,
    #[say(
        en = "gate: the newest run, {run}, has no valid figure of its headline: `prony report {run}` says why",
        zh = "门禁：最近一次运行 {run} 的主要指标没有有效数值：`prony report {run}` 说明原因"
    )]
    NoFigure { run: &'a str },
    #[say(
        en = "gate: no change can be shown yet, because a series of the headline has {runs} of the {needed} runs that this \
              takes (newest run: {run})",
        zh = "门禁：尚不能显示变化，因为主要指标的某个序列只有 {runs} 次运行，而需要 {needed} 次（最近一次运行：{run}）"
    )]
    TooFew { runs: usize, needed: usize, run: &'a str },
    #[say(
        en = "gate: the newest run, {run}, shows no change for the worse (series of the headline: {series}, with at least \
              {runs} runs; baseline: {anchor})",
        zh = "门禁：最近一次运行 {run} 没有显示变差（主要指标的序列：{series} 个，每个至少 {runs} 次运行；基线：{anchor}）"
    )]
    NoChange { run: &'a str, series: usize, runs: usize, anchor: &'a str },
}

/// The most facts that are listed at a change.
const MOST_FACTS: usize = 8;
/// Characters of a value of a fact.
const VALUE: usize = 44;

/// Writes how many runs are in no series, and why.
pub(super) fn write_left_out(out: &mut String, left_out: &[LeftOut], language: Language) {
    for LeftOut { why, runs } in left_out {
        let runs = runs.to_string();
        units::wrapped(out, &text(&LeftOutText::new(*why, &runs), language), 0, COLUMNS);
    }
}

/// Writes what differs between the runs before and after a change.
pub(super) fn write_differs(out: &mut String, change: &LevelChange, language: Language) {
    let LevelChange { before, run, .. } = change;
    let mut line = |words: &GateText<'_>| units::wrapped(out, &text(words, language), 4, COLUMNS);
    if change.differs.is_empty() {
        line(&GateText::NothingDiffers { before, run });
    }
    for DifferingFact { name, sides } in change.differs.iter().take(MOST_FACTS) {
        let [before, after] = sides.each_ref().map(|value| {
            let value = value.clone().unwrap_or_else(|| text(&Label::Absent, language));
            units::truncated(&value.replace('\n', " "), VALUE)
        });
        line(&GateText::Differs { name, before: &before, after: &after });
    }
    if let Some(more) = change.differs.len().checked_sub(MOST_FACTS).filter(|more| *more > 0) {
        line(&GateText::MoreDiffers { more, before, run });
    }
}

/// Writes what was decided about a change.
pub(super) fn write_decision(out: &mut String, change: &LevelChange, language: Language) {
    let Some(decision) = &change.decision else {
        return;
    };
    let who = [decision.by.as_str(), decision.at.as_str()];
    let who: Vec<&str> = who.into_iter().filter(|part| !part.is_empty()).collect();
    let decided = match decision.kind {
        DecisionKind::Accepted => GateText::Accepted { who: &who },
        DecisionKind::Dismissed => GateText::Dismissed { who: &who },
    };
    let mut line = text(&decided, language);
    if !decision.comment.is_empty() {
        line = labelled(&line, &decision.comment.replace('\n', " "), language);
    }
    units::wrapped(out, &line, 4, COLUMNS);
}

/// Writes the answer of the gate.
pub(super) fn write(out: &mut String, gate: &Gate, language: Language) {
    out.push('\n');
    let anchor = gate.anchor.as_deref().unwrap_or_default();
    if !gate.worse.is_empty() {
        units::wrapped(out, &text(&GateText::Worse { anchor }, language), 0, COLUMNS);
        gate.worse.iter().for_each(|worse| write_worse(out, worse, language));
        return;
    }
    let run = gate.newest.as_deref().unwrap_or_default();
    let answer = match *gate {
        Gate { newest: None, .. } => GateText::NoRun,
        Gate { series: 0, .. } => GateText::NoFigure { run },
        Gate { runs, needed, .. } if runs < needed => GateText::TooFew { runs, needed, run },
        Gate { series, runs, .. } => GateText::NoChange { run, series, runs, anchor },
    };
    units::wrapped(out, &text(&answer, language), 0, COLUMNS);
}

fn write_worse(out: &mut String, worse: &Worsening, language: Language) {
    let change = &worse.change;
    let since = GateText::WorseSince {
        percent: &units::percent(change.ratio),
        run: &change.run,
        p: &format!("{:.3}", change.p),
        before: &change.before,
    };
    let title = title(worse.measure, worse.level.as_ref(), language);
    let line = format!("{title} {}", text(&since, language));
    units::wrapped(out, &labelled(&worse.arm, &line, language), 2, COLUMNS);
    write_differs(out, change, language);
}

/// How many runs are in no series, and why.
#[derive(Say)]
pub(crate) enum LeftOutText<'a> {
    #[say(
        en = "runs on machines of another class than the newest, which are not in these series: {runs}",
        zh = "另有 {runs} 次运行的机器类别与最近一次不同，未计入这些序列"
    )]
    MachineClass { runs: &'a str },
    #[say(
        en = "runs of other versions of prony, which are not in these series: {runs}",
        zh = "另有 {runs} 次运行来自其他版本的 prony，未计入这些序列"
    )]
    Method { runs: &'a str },
    #[say(
        en = "runs with other requests or another load, which are not in these series: {runs}",
        zh = "另有 {runs} 次运行的请求或负载不同，未计入这些序列"
    )]
    Workload { runs: &'a str },
    #[say(
        en = "runs with another build or other settings of the baseline, which are not in these series: {runs}. A ratio to \
              another build means something else: pin the baseline to a version, a tag or a commit",
        zh = "另有 {runs} 次运行的基线构建或设置不同，未计入这些序列。与另一个构建之比含义不同：请把基线固定到一个版本、标签或提交"
    )]
    Anchor { runs: &'a str },
}

impl<'a> LeftOutText<'a> {
    pub(crate) const fn new(why: WhyLeftOut, runs: &'a str) -> Self {
        match why {
            WhyLeftOut::MachineClass => Self::MachineClass { runs },
            WhyLeftOut::Method => Self::Method { runs },
            WhyLeftOut::Workload => Self::Workload { runs },
            WhyLeftOut::Anchor => Self::Anchor { runs },
        }
    }
}
