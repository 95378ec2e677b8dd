//! `prony history`: the stored runs, and how their results change from run to run.

mod foreign;
mod gate;

pub(crate) use foreign::ForeignText;
pub(crate) use gate::LeftOutText;

use crate::loads::has_several_loads;
use crate::units::{self, left, right, width};
use crate::words::{Label, labelled};
use model::load::Load;
use model::measure::Measure;
use record::history::{Drift, Gate, History, LevelChange, Past, PastLimiter, PastVerdict, State};
use record::outcome::{ArmResult, Diagnosis, Report};
use say::{Language, Say};
use std::fmt::Write;

/// The words of the table of runs and of changes.
#[derive(Say)]
pub(crate) enum HistoryText<'a> {
    #[say(en = "verdicts", zh = "判定")]
    Verdicts,
    #[say(en = "{arm} against {baseline}, run by run", zh = "{arm} 对比 {baseline}，逐次运行")]
    Against { arm: &'a str, baseline: &'a str },
    #[say(en = "runs", zh = "次数")]
    Runs,
    #[say(en = "first", zh = "首次")]
    First,
    #[say(en = "last", zh = "末次")]
    Last,
    #[say(en = "drift", zh = "漂移")]
    Drift,
    #[say(
        en = "These are differences between the arms of a run, which met the same noise; figures of one arm alone drift with \
              the machine. A change is listed if chance explains it in at most 5 % of random orders (confirmed: a t test \
              agrees at 0.15 %, and the change is at least 2 %); this takes eight runs. It does not say which arm changed: \
              compare the old and the new one in one run.",
        zh = "这里列出的是同一次运行中各对象之间的差异，它们遇到的噪声相同；单个对象的数值会随机器漂移。若随机排列中至多 5 % 能以偶然解释，则列为变化（已确认：t 检验在 0.15 % 水\
              平上一致，且变化至少 2 %），这需要八次运行。它不说明是哪一个对象变了：请在同一次运行中比较新旧两者。"
    )]
    Legend,
    #[say(en = "{title} at {users}", zh = "{title}（{users} 个连接）")]
    AtUsers { title: &'a str, users: u64 },
    #[say(en = "{title}, {rate}", zh = "{title}，{rate}")]
    AtRate { title: &'a str, rate: &'a str },
    #[say(en = "{arm}: limited by {cause}", zh = "{arm}：受限于 {cause}")]
    Limiter { arm: &'a str, cause: &'a str },
    #[say(en = "{arm}: no limit found", zh = "{arm}：未发现瓶颈")]
    NoLimiter { arm: &'a str },
    #[say(en = "{verdict} (interrupted)", zh = "{verdict}（已中断）")]
    Interrupted { verdict: &'a str },
    #[say(en = "not finished", zh = "未结束")]
    NotFinished,
    #[say(en = "a single load", zh = "单次压测")]
    SingleLoad,
    #[say(en = "cannot be read by this prony", zh = "此版本的 prony 无法读取")]
    Unreadable,
    #[say(en = "the last run differs", zh = "最近一次与之前不同")]
    LastDiffers,
    #[say(en = "too few runs", zh = "运行次数太少")]
    TooFewRuns,
    #[say(en = "none found", zh = "未发现")]
    NoChange,
    #[say(en = "one change", zh = "一处变化")]
    OneChange,
    #[say(en = "changes", zh = "多处变化")]
    Changes,
    #[say(
        en = "runs at other rates or with another `pace`, which are not in this series: {runs}",
        zh = "另有 {runs} 次运行采用其他速率或其他 `pace`，未计入此序列"
    )]
    OtherRates { runs: usize },
    #[say(en = "{percent} % since {run} ({how}, p {p})", zh = "自 {run} 起 {percent} %（{how}，p {p}）")]
    Changed { percent: &'a str, run: &'a str, how: &'a HistoryText<'a>, p: &'a str },
    #[say(en = "confirmed", zh = "已确认")]
    Confirmed,
    #[say(en = "suspected", zh = "疑似")]
    Suspected,
}

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// The summary of a stored run, from its report.
pub fn past(run: &str, experiment: &str, report: &Report) -> Past {
    let state = match report.design.interrupted {
        _ if report.comparisons.is_empty() && !report.is_of_one_arm() => State::Load,
        true => State::Interrupted,
        false => State::Finished,
    };
    Past {
        verdicts: verdicts(report),
        limiter: report.arms.first().filter(|_| report.is_of_one_arm()).map(limiter),
        ..without_report(run, experiment, state)
    }
}

/// The summary of a stored run without a report.
pub fn without_report(run: &str, experiment: &str, state: State) -> Past {
    Past {
        run: run.to_owned(),
        experiment: experiment.to_owned(),
        state,
        verdicts: Vec::new(),
        limiter: None,
    }
}

fn limiter(arm: &ArmResult) -> PastLimiter {
    let first = arm.diagnoses_at_highest_load().next();
    PastLimiter { arm: arm.name.clone(), cause: first.map(Diagnosis::cause) }
}

fn verdicts(report: &Report) -> Vec<PastVerdict> {
    let several = has_several_loads(report);
    let heads = report.comparisons.iter().filter(|comparison| report.is_headline(comparison));
    let short = heads.map(|comparison| PastVerdict {
        arm: comparison.arm.clone(),
        measure: comparison.measure,
        level: comparison.level.clone().filter(|_| several),
        ratio: comparison.ratio.map(|ratio| ratio.value),
        verdict: comparison.verdict,
    });
    short.collect()
}

/// `prony history --json`.
pub fn json(history: &History) -> String {
    // It has only strings and finite numbers, so it always has a JSON form.
    let mut text = serde_json::to_string_pretty(history).unwrap_or_default();
    text.push('\n');
    text
}

/// The table of the terminal.
pub fn text(history: &History, language: Language) -> String {
    let mut out = String::new();
    let names = run_names(&say::text(&Label::Run, language), &say::text(&Label::Experiment, language));
    write_run(&mut out, &names, &[say::text(&HistoryText::Verdicts, language)]);
    for past in &history.runs {
        let names = run_names(&past.run, &past.experiment);
        write_run(&mut out, &names, &summary(past, language));
    }
    let mut previous: Option<(&str, &str)> = None;
    for series in &history.drift {
        let arms = (series.arm.as_str(), series.baseline.as_str());
        if previous != Some(arms) {
            let heading = say::text(&HistoryText::Against { arm: arms.0, baseline: arms.1 }, language);
            let _ = write!(out, "\n{heading}\n");
            let headings: [&dyn Say; 3] = [&HistoryText::Runs, &HistoryText::First, &HistoryText::Last];
            write_columns(&mut out, "", headings, &HistoryText::Drift, language);
        }
        previous = Some(arms);
        write_drift(&mut out, series, language);
    }
    if !history.drift.is_empty() || !history.left_out.is_empty() {
        out.push('\n');
    }
    gate::write_left_out(&mut out, &history.left_out, language);
    if !history.drift.is_empty() {
        units::wrapped(&mut out, &say::text(&HistoryText::Legend, language), 0, COLUMNS);
    }
    foreign::write(&mut out, &history.foreign, language);
    if let Some(asked) = &history.gate {
        gate::write(&mut out, asked, language);
    }
    out
}

/// What the gate says of the newest run, as it stands below the table.
pub fn gate_text(gate: &Gate, language: Language) -> String {
    let mut out = String::new();
    gate::write(&mut out, gate, language);
    out.trim_start().to_owned()
}

/// The first two columns of the table of runs.
fn run_names(run: &str, experiment: &str) -> String {
    format!("{} {} ", left(run, 26), left(experiment, 20))
}

/// Writes a row of the table of runs. Verdicts that do not fit on the line of the names are written below it.
fn write_run(out: &mut String, names: &str, verdicts: &[String]) {
    match verdicts {
        [] => out.push_str(names.trim_end()),
        [verdict] if width(names) + width(verdict) <= COLUMNS => {
            out.push_str(names);
            out.push_str(verdict);
        }
        _ => {
            let mut below = String::new();
            verdicts.iter().for_each(|line| units::wrapped(&mut below, line, 4, COLUMNS));
            let _ = write!(out, "{}\n{}", names.trim_end(), below.trim_end());
        }
    }
    out.push('\n');
}

/// Writes a row of the table of drifts.
fn write_columns(
    out: &mut String,
    title: &str,
    [runs, first, last]: [&dyn Say; 3],
    drift: &HistoryText<'_>,
    language: Language,
) {
    let cells = [(runs, 5), (first, 10), (last, 10)];
    let [runs, first, last] = cells.map(|(words, width)| right(&say::text(words, language), width));
    let drift = say::text(drift, language);
    let _ = writeln!(out, "{}{runs} {first} {last}  {drift}", left(title, 28));
}

/// The name of a measure with the number of users or the fixed rate at which it was compared.
fn title(measure: Measure, level: Option<&Load>, language: Language) -> String {
    let title = measure.name(language);
    let users = level.and_then(|level| level.users);
    match (users, level.and_then(|level| units::rate_of_load(level, language))) {
        (Some(users), _) => say::text(&HistoryText::AtUsers { title, users }, language),
        (None, Some(rate)) => say::text(&HistoryText::AtRate { title, rate: &rate }, language),
        (None, None) => title.to_owned(),
    }
}

/// A line for each arm, or one line with the reason why there are none.
fn summary(past: &Past, language: Language) -> Vec<String> {
    let verdicts = past.verdicts.iter().map(|verdict| {
        let title = title(verdict.measure, verdict.level.as_ref(), language);
        let ratio = verdict.ratio.map_or_else(String::new, |ratio| format!(" {} %", units::percent(ratio)));
        let text = format!("{title}{ratio} {}", verdict.verdict.word(language));
        labelled(&verdict.arm, &text, language)
    });
    let limiter = past.limiter.iter().map(|PastLimiter { arm, cause }| match cause {
        Some(cause) => say::text(&HistoryText::Limiter { arm, cause: cause.id() }, language),
        None => say::text(&HistoryText::NoLimiter { arm }, language),
    });
    let results = verdicts.chain(limiter);
    match past.state {
        State::Finished => results.collect(),
        State::Interrupted => results
            .map(|verdict| say::text(&HistoryText::Interrupted { verdict: &verdict }, language))
            .collect(),
        State::NotFinished => vec![say::text(&HistoryText::NotFinished, language)],
        State::Load => vec![say::text(&HistoryText::SingleLoad, language)],
        State::Unreadable => vec![say::text(&HistoryText::Unreadable, language)],
    }
}

/// Writes the drift of one comparison, and below it every change.
fn write_drift(out: &mut String, series: &Drift, language: Language) {
    let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
        return;
    };
    let result = match (series.changes.as_slice(), series.last_is_odd) {
        ([], Some(true)) => HistoryText::LastDiffers,
        ([], Some(false)) => HistoryText::TooFewRuns,
        ([], None) if series.points.len() < 3 => HistoryText::TooFewRuns,
        ([], None) => HistoryText::NoChange,
        ([_], _) => HistoryText::OneChange,
        _ => HistoryText::Changes,
    };
    let title = title(series.measure, series.level.as_ref(), language);
    let [first, last] = [first, last].map(|point| format!("{} %", units::percent(point.ratio)));
    write_columns(out, &title, [&series.points.len(), &first, &last], &result, language);
    if series.at_other_rates > 0 {
        let left_out = say::text(&HistoryText::OtherRates { runs: series.at_other_rates }, language);
        let _ = writeln!(out, "  {left_out}");
    }
    for change in &series.changes {
        let _ = writeln!(out, "  {}", change_text(change, language));
        gate::write_differs(out, change, language);
        gate::write_decision(out, change, language);
    }
}

fn change_text(change: &LevelChange, language: Language) -> String {
    let how = match change.confirmed {
        true => HistoryText::Confirmed,
        false => HistoryText::Suspected,
    };
    let changed = HistoryText::Changed {
        percent: &units::percent(change.ratio),
        run: &change.run,
        how: &how,
        p: &format!("{:.3}", change.p),
    };
    say::text(&changed, language)
}
