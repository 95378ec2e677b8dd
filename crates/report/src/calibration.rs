//! The results of calibrations: a line for every run, and the tally of all runs.

use crate::units::{self, left};
use ask::experiment::secondary_alpha;
use model::measure::Measure;
use model::units::Share;
use record::calibration::{CalibrationRun, DoseKind, Injected, Posts, Tally};
use record::outcome::{Calibration, Verdict};
use say::{Language, Say, text};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The words of calibrations.
#[derive(Say)]
enum CalibrationText<'a> {
    #[say(en = " (truth {percent} %)", zh = "（真值 {percent} %）")]
    Truth { percent: &'a str },
    #[say(en = " (truth not known)", zh = "（真值未知）")]
    NoTruth,
    #[say(en = ", {starts} starts, {time}", zh = "，启动 {starts} 次，{time}")]
    Took { starts: u32, time: &'a str },
    #[say(
        en = "counted by the application: {micros} us of CPU per request",
        zh = "应用程序自身统计：每请求多耗 CPU {micros} us"
    )]
    Burnt { micros: &'a str },
    #[say(
        en = "counted by the application: {micros} us of CPU per request in bad starts",
        zh = "应用程序自身统计：在变慢的启动中每请求多耗 CPU {micros} us"
    )]
    BurntInBadStarts { micros: &'a str },
    #[say(
        en = "counted by the application: all requests waited {percent} % of the time",
        zh = "应用程序自身统计：{percent} % 的时间内所有请求都在等待"
    )]
    Stalled { percent: &'a str },
    #[say(en = "; measured minus truth: {bias} %", zh = "；测得值减真值：{bias} %")]
    MeasuredMinusTruth { bias: &'a str },
    #[say(en = "also called different: {titles:clauses}", zh = "另外判为不同：{titles:clauses}")]
    AlsoCalled { titles: &'a [Measure] },
    #[say(en = "{runs} runs, {kind}", zh = "{runs} 次运行，{kind}")]
    Runs { runs: u32, kind: &'a str },
    #[say(en = "the same server twice", zh = "两个相同的服务器")]
    Twice,
    #[say(
        en = "one of two identical servers made to need {percent} % more CPU per request",
        zh = "其中一个被设为每请求多消耗 {percent} % CPU"
    )]
    Slowed { percent: &'a str },
    #[say(
        en = "one of two identical servers made to stand still {percent} % of the time",
        zh = "两个相同服务器之一被设为 {percent} % 的时间停顿"
    )]
    Stalls { percent: &'a str },
    #[say(
        en = "one of two identical servers made to need {percent} % more CPU for garbage",
        zh = "两个相同服务器之一被设为因垃圾回收每请求多消耗 {percent} % CPU"
    )]
    Garbage { percent: &'a str },
    #[say(
        en = "one of two identical servers made to need {percent} % more CPU, all in a quarter of its starts",
        zh = "两个相同服务器之一被设为平均每请求多消耗 {percent} % CPU，全部集中在四分之一的启动中"
    )]
    Bimodal { percent: &'a str },
    #[say(
        en = "judged as a blog post would, each start as one post:",
        zh = "按博客文章的判断方式，每次启动算一篇文章："
    )]
    Posts,
    #[say(
        en = "t test of slices: {different} of {starts} different; more than 1 %: {published} of {starts}",
        zh = "切片 t 检验：{starts} 次中 {different} 次判为不同；相差超过 1 %：{starts} 次中 {published} 次"
    )]
    Post { different: u32, starts: u32, published: u32 },
    #[say(
        en = "all on this class of machine ({class}), alpha {alpha} %:",
        zh = "此类机器（{class}）上的全部运行，alpha {alpha} %："
    )]
    Class { class: &'a str, alpha: &'a str },
    #[say(
        en = "{calls} false calls of {runs} (at most {upper} %)",
        zh = "{runs} 次中误判 {calls} 次（误判率最多 {upper} %）"
    )]
    ClassCalls { calls: u32, runs: u32, upper: &'a str },
    #[say(
        en = "bounds are exact, one-sided, with 95 % confidence (Clopper, Pearson)",
        zh = "界限为精确单侧界限，置信度 95 %（Clopper、Pearson）"
    )]
    Bounds,
    #[say(en = "{count} of {all}", zh = "{count} / {all}")]
    Of { count: u32, all: u32 },
    #[say(en = "false calls", zh = "误判")]
    FalseCalls,
    #[say(en = " (at most {bound} %; promised {promised} %)", zh = "（最多 {bound} %；承诺 {promised} %）")]
    AtMost { bound: &'a str, promised: &'a str },
    #[say(en = "any measure called", zh = "任一指标判为不同")]
    AnyMeasure,
    #[say(en = " (promised {promised} %)", zh = "（承诺 {promised} %）")]
    Promised { promised: &'a str },
    #[say(en = "called worse", zh = "判为更差")]
    Worse,
    #[say(en = " (at least {bound} %)", zh = "（至少 {bound} %）")]
    AtLeast { bound: &'a str },
    #[say(en = "called better: wrong", zh = "判为更优：错误")]
    Better,
    #[say(en = "interval holds truth", zh = "区间包含真值")]
    Covered,
    #[say(en = "measured minus truth", zh = "测得值减真值")]
    Bias,
    #[say(en = "{bias} % on average", zh = "平均 {bias} %")]
    Off { bias: &'a str },
    #[say(en = "p-values are uniform", zh = "p 值均匀分布")]
    Uniform,
    #[say(
        en = "p = {p} (Kolmogorov-Smirnov, at the first look)",
        zh = "p = {p}（Kolmogorov-Smirnov，首次查看时）"
    )]
    Uniformity { p: &'a str },
    #[say(en = "a run takes", zh = "每次运行")]
    Takes,
    #[say(en = "{time}, {starts} starts on average", zh = "平均 {time}，启动 {starts} 次")]
    Mean { time: &'a str, starts: &'a str },
    #[say(en = "left out as invalid", zh = "因无效而剔除")]
    Invalid,
}

/// The result of one run.
pub fn line(run: &CalibrationRun, language: Language) -> String {
    let mut out = format!("{}  {}", run.run, left(run.verdict.word(language), 12));
    if let Some(ratio) = &run.ratio {
        let _ = write!(out, " {}", crate::comparison::difference_text(ratio, language));
    }
    if run.injected.is_some() {
        out.push_str(&match run.truth() {
            Some(truth) => text(&CalibrationText::Truth { percent: &units::percent(truth) }, language),
            None => text(&CalibrationText::NoTruth, language),
        });
    }
    let time = &units::minutes(run.elapsed.0, language);
    let _ = writeln!(out, "{}", text(&CalibrationText::Took { starts: run.starts, time }, language));
    if let Some(counted) = run.injected.as_ref().and_then(|injected| counted(injected, language)) {
        let bias = run.ratio.zip(run.truth()).map(|(ratio, truth)| {
            let bias = units::percent(ratio.value / truth);
            text(&CalibrationText::MeasuredMinusTruth { bias: &bias }, language)
        });
        let _ = writeln!(out, "  {counted}{}", bias.unwrap_or_default());
    }
    if !run.also_called.is_empty() {
        let also = CalibrationText::AlsoCalled { titles: &run.also_called };
        let _ = writeln!(out, "  {}", text(&also, language));
    }
    posts(&mut out, &run.posts, language);
    out
}

/// What the application has counted of its dose.
fn counted(injected: &Injected, language: Language) -> Option<String> {
    let counted = injected.counted?;
    let micros = format!("{:.2}", 1e6 * counted);
    Some(match injected.dose {
        DoseKind::Cpu | DoseKind::Gc => text(&CalibrationText::Burnt { micros: &micros }, language),
        DoseKind::Bimodal => text(&CalibrationText::BurntInBadStarts { micros: &micros }, language),
        DoseKind::Stall => text(&CalibrationText::Stalled { percent: &percent(counted, 2) }, language),
    })
}

/// The tally of all runs of one kind. `standing` is the stored tally of identical servers on this `class` of machine.
pub fn tally(tally: &Tally, class: &str, standing: Option<&Calibration>, language: Language) -> String {
    let percent_of = |share: Share| percent(share.0, 1);
    let share = &tally.injected.map(percent_of).unwrap_or_default();
    let kind = match (tally.injected, tally.dose) {
        (None, _) => CalibrationText::Twice,
        (Some(_), DoseKind::Cpu) => CalibrationText::Slowed { percent: share },
        (Some(_), DoseKind::Stall) => CalibrationText::Stalls { percent: share },
        (Some(_), DoseKind::Gc) => CalibrationText::Garbage { percent: share },
        (Some(_), DoseKind::Bimodal) => CalibrationText::Bimodal { percent: share },
    };
    let runs = CalibrationText::Runs { runs: tally.runs, kind: &text(&kind, language) };
    let mut out = format!("\n{}\n", text(&runs, language));
    for (title, told) in answers(tally, language).into_iter().chain(circumstances(tally, language)) {
        let _ = writeln!(out, "  {}{told}", left(&title, TITLE));
    }
    let _ = writeln!(out, "{}", text(&CalibrationText::Posts, language));
    posts(&mut out, &tally.posts, language);
    if let Some(standing) = standing {
        let alpha = &percent(standing.alpha.unwrap_or(tally.alpha), 0);
        let calls = CalibrationText::ClassCalls {
            calls: standing.false_calls,
            runs: standing.runs,
            upper: &percent(standing.upper.0, 1),
        };
        let _ = writeln!(out, "{}", text(&CalibrationText::Class { class, alpha }, language));
        let _ = writeln!(out, "  {}", text(&calls, language));
    }
    let _ = writeln!(out, "{}", text(&CalibrationText::Bounds, language));
    out
}

/// Columns of the name of a figure.
const TITLE: usize = 22;

/// A share from 0 to 1 in per cent, with this number of decimals.
fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$}", 100.0 * share)
}

/// How often the runs gave which verdict.
fn answers(tally: &Tally, language: Language) -> Vec<(String, String)> {
    let n = tally.runs;
    let of_n = |count: u32| text(&CalibrationText::Of { count, all: n }, language);
    let (bound, promised) = (percent(tally.bound.0, 1), percent(tally.alpha, 0));
    let with_others = percent(tally.alpha + secondary_alpha(tally.alpha), 0);
    let mut rows = match tally.injected {
        None => vec![
            (
                text(&CalibrationText::FalseCalls, language),
                of_n(tally.false_calls())
                    + &text(&CalibrationText::AtMost { bound: &bound, promised: &promised }, language),
            ),
            (
                text(&CalibrationText::AnyMeasure, language),
                of_n(tally.any_measure)
                    + &text(&CalibrationText::Promised { promised: &with_others }, language),
            ),
        ],
        Some(_) => vec![
            (
                text(&CalibrationText::Worse, language),
                of_n(tally.slower) + &text(&CalibrationText::AtLeast { bound: &bound }, language),
            ),
            (text(&CalibrationText::Better, language), of_n(tally.false_calls())),
        ],
    };
    rows.push((text(&Verdict::Same, language), of_n(tally.same)));
    rows.push((text(&Verdict::Inconclusive, language), of_n(tally.inconclusive)));
    rows
}

/// Intervals, p-values and duration of the runs.
fn circumstances(tally: &Tally, language: Language) -> Vec<(String, String)> {
    let (holds, all) = tally.covered;
    let covered = text(&CalibrationText::Of { count: holds, all }, language);
    let mut rows = vec![(text(&CalibrationText::Covered, language), covered)];
    if let Some(bias) = tally.bias {
        let bias = units::percent(bias.exp());
        rows.push((
            text(&CalibrationText::Bias, language),
            text(&CalibrationText::Off { bias: &bias }, language),
        ));
    }
    if let Some(p) = tally.uniformity {
        let p = format!("{p:.2}");
        rows.push((
            text(&CalibrationText::Uniform, language),
            text(&CalibrationText::Uniformity { p: &p }, language),
        ));
    }
    let mean = CalibrationText::Mean {
        time: &units::minutes(tally.elapsed.0, language),
        starts: &format!("{:.1}", tally.starts),
    };
    rows.push((text(&CalibrationText::Takes, language), text(&mean, language)));
    if tally.invalid > 0 {
        rows.push((text(&CalibrationText::Invalid, language), tally.invalid.to_string()));
    }
    rows
}

fn posts(out: &mut String, posts: &BTreeMap<Measure, Posts>, language: Language) {
    let mut by_name: Vec<(&Measure, &Posts)> = posts.iter().collect();
    by_name.sort_by_key(|(measure, _)| measure.id());
    for (measure, posts) in by_name {
        let title = measure.name(language);
        let post = CalibrationText::Post {
            different: posts.different,
            starts: posts.starts,
            published: posts.published,
        };
        let _ = writeln!(out, "  {}{}", left(title, TITLE), text(&post, language));
    }
}
