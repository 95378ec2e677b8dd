//! The lines that a run prints while it lasts.

use crate::loads::LoadText;
use crate::units;
use crate::words::joined;
use ask::experiment::{Design, Headline};
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Nanos, Rate, Seconds, Share};
use record::outcome::{Comparison, DifferenceOf};
use record::step::Step;
use say::{Language, Say, text};
use traffic::load_note::LoadNote;

/// The words of progress.
#[derive(Say)]
pub(crate) enum ProgressText<'a> {
    #[say(en = "the answer is about {measures:clauses}", zh = "结论依据：{measures:clauses}")]
    Headline { measures: &'a [String] },
    #[say(en = "{tail} (from {rate} on)", zh = "{tail}（速率不低于 {rate} 时）")]
    Tail { tail: Measure, rate: &'a str },
    #[say(en = "{tail} (below {rate}: {other})", zh = "{tail}（速率低于 {rate} 时改用 {other}）")]
    TailOr { tail: Measure, rate: &'a str, other: Measure },
    #[say(en = "measuring; {time}", zh = "开始测量；{time}")]
    Planned { time: &'a str },
    #[say(
        en = "{time} at most (or one start, if that takes longer)",
        zh = "最多 {time}（若一次启动耗时更长，则以一次为限）"
    )]
    AtMost { time: &'a str },
    #[say(en = "about {time}", zh = "约 {time}")]
    About { time: &'a str },
    #[say(en = ", about {time} on a quiet machine", zh = "，机器空闲时约 {time}")]
    Usual { time: &'a str },
    #[say(en = "until it is decided, without a time limit", zh = "直到得出结论，无时间上限")]
    Unlimited,
    #[say(
        en = "start {n} waits: other work uses the machine, {idle} % of it is idle",
        zh = "第 {n} 次启动等待中：其他工作正占用机器，空闲 {idle} %"
    )]
    Waits { n: u32, idle: &'a str },
    #[say(en = "start {n}", zh = "第 {n} 次启动")]
    Start { n: u32 },
    #[say(en = "start {n} of {cap}", zh = "第 {n} 次启动（最多 {cap} 次）")]
    StartOf { n: u32, cap: u32 },
    #[say(en = "{start}: {what}", zh = "{start}：{what}")]
    Step { start: &'a str, what: &'a Step },
    #[say(
        en = "every server is started once more to see where its requests wait, which takes about {time}",
        zh = "再启动每个服务器一次，查看请求在何处等待，约需 {time}"
    )]
    Inspections { time: &'a str },
    #[say(
        en = "every server is started alone {starts} times more to time its start-up, which takes about {time}",
        zh = "再单独启动每个服务器 {starts} 次以测量其启动时间，约需 {time}"
    )]
    StartUps { starts: usize, time: &'a str },
    #[say(
        en = "every server is started {starts} times more and its CPU time is profiled, which takes about {time}",
        zh = "再启动每个服务器 {starts} 次并剖析其 CPU 时间，约需 {time}"
    )]
    Profiles { starts: u32, time: &'a str },
    #[say(en = "; {time} left at most", zh = "；最多还需 {time}")]
    Left { time: &'a str },
    #[say(en = "; about {time} left", zh = "；约还需 {time}")]
    LeftAbout { time: &'a str },
    #[say(en = "does not count: {why}", zh = "未计入：{why}")]
    Void { why: &'a Reason },
    #[say(en = "measured", zh = "已测量")]
    Measured,
    #[say(en = "start {n} ({took} s): {state}", zh = "第 {n} 次启动（{took} s）：{state}")]
    Ended { n: u32, took: &'a str, state: &'a str },
    #[say(
        en = "stored as {run}; `prony report {run} --format md` shows all of it",
        zh = "已保存为 {run}；`prony report {run} --format md` 显示全部内容"
    )]
    Stored { run: &'a str },
    #[say(
        en = "hint: `prony run --resume {run}` continues it",
        zh = "提示：`prony run --resume {run}` 可继续"
    )]
    Resume { run: &'a str },
}

/// The line before the first start: how long the run takes at most, and usually. The first start is made even if it takes longer
/// than the run may: how long it takes is not known before it has shown how slow the servers are. `cap` is the most starts.
pub fn planned(at_most: Option<Nanos>, typically: Nanos, cap: Option<u32>, language: Language) -> String {
    let time = planned_time(at_most, typically, cap, language);
    text(&ProgressText::Planned { time: &time }, language)
}

/// How long a run takes at most, and usually, as [`planned`] says it.
pub fn planned_time(
    at_most: Option<Nanos>,
    typically: Nanos,
    cap: Option<u32>,
    language: Language,
) -> String {
    let limit = match (at_most, cap) {
        (None, _) => text(&ProgressText::Unlimited, language),
        (Some(most), Some(1)) => text(&ProgressText::About { time: &span(most) }, language),
        (Some(most), _) => text(&ProgressText::AtMost { time: &span(most) }, language),
    };
    // A usual duration above the limit does not help before the first start has shown how long one takes.
    let usual = match at_most {
        Some(most) if typically >= most => String::new(),
        _ => text(&ProgressText::Usual { time: &span(typically) }, language),
    };
    limit + &usual
}

/// A start waits, because only this share of the machine is idle.
pub fn waiting(start: u32, idle: Share, language: Language) -> String {
    let idle = format!("{:.0}", idle.as_percent());
    text(&ProgressText::Waits { n: start, idle: &idle }, language)
}

/// Which of how many starts a run is in.
#[derive(Clone, Copy, Debug)]
pub struct StartNumber {
    /// Its number, from 1.
    pub number: u32,
    /// The most starts that there can be; `None` where the run has no cap.
    pub most: Option<u32>,
}

/// How many agents make the load of how many that were asked for, and how far apart they began last.
pub fn fleet(there: u64, of: u64, start_spread: Option<Nanos>, language: Language) -> String {
    let fleet =
        LoadNote::Fleet { agents: there, of, start_spread: start_spread.map(Seconds::from), refused: 0 };
    text(&fleet, language)
}

/// What a run is doing within a start; `left` is the longest time that it may still take.
pub fn step(start: StartNumber, step: &Step, left: Option<Nanos>, language: Language) -> String {
    let StartNumber { number: n, most } = start;
    let start = most.map_or(ProgressText::Start { n }, |cap| ProgressText::StartOf { n, cap });
    let line = text(&ProgressText::Step { start: &text(&start, language), what: step }, language);
    // Before the first start has ended, nobody knows how long one takes.
    line + &time_left(left, if n == 1 { Limit::About } else { Limit::AtMost }, language)
}

/// Everything is measured; servers are looked into next, which takes this long.
pub fn inspections(takes: Nanos, language: Language) -> String {
    text(&ProgressText::Inspections { time: &span(takes) }, language)
}

/// Everything is measured under load; every server is started alone next for its start-up time, so often, which takes this long.
pub fn startups(cycles: usize, takes: Nanos, language: Language) -> String {
    text(&ProgressText::StartUps { starts: cycles, time: &span(takes) }, language)
}

/// Everything is measured; CPU time is profiled next in so many starts, which takes this long.
pub fn profiles(starts: u32, takes: Nanos, language: Language) -> String {
    text(&ProgressText::Profiles { starts, time: &span(takes) }, language)
}

/// What is done while servers are looked into or profiled; `left` is the time that it may still take.
pub fn inspecting(step: &Step, left: Option<Nanos>, language: Language) -> String {
    text(step, language) + &time_left(left, Limit::AtMost, language)
}

/// How a start ended.
#[derive(Clone, Debug)]
pub struct EndedStart<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// How long it took.
    pub took: Seconds,
    /// The headline after it ([`standing`]), or why the start does not count.
    pub state: Result<String, &'a Reason>,
}

/// A start has ended.
pub fn ended(start: EndedStart<'_>, left: Option<Nanos>, language: Language) -> String {
    let EndedStart { number, took, state } = start;
    let state = state.unwrap_or_else(|why| text(&ProgressText::Void { why }, language));
    let ended = ProgressText::Ended { n: number, took: &format!("{:.0}", took.0), state: &state };
    text(&ended, language) + &time_left(left, Limit::AtMost, language)
}

/// What the answer will be about, where that is more than one measure; `rate` is the fixed rate, per second, once it is known.
pub fn headline(design: &Design, rate: Option<Rate>, language: Language) -> Option<String> {
    let measures = design.headline_measures(rate);
    let tails = design.tails();
    let name = |measure: &Measure| match tails.as_slice() {
        [(tail, least), others @ ..] if rate.is_none() && design.tail_is_open() && tail == measure => {
            let (tail, rate) = (*tail, &units::rate(least.0.ceil()));
            let tail = match others {
                [] => ProgressText::Tail { tail, rate },
                [(other, _), ..] => ProgressText::TailOr { tail, rate, other: *other },
            };
            text(&tail, language)
        }
        _ => text(measure, language),
    };
    let names: Vec<String> = measures.iter().map(name).collect();
    let several = design.headline == Headline::Overall;
    several.then(|| text(&ProgressText::Headline { measures: &names }, language))
}

/// The differences in the measures of the headline so far; if there are `several` levels, each is named.
pub fn standing(verdicts: &[Comparison], headline: &[Measure], several: bool, language: Language) -> String {
    let differences: Vec<String> = verdicts
        .iter()
        .filter_map(|comparison| {
            let measure = headline.iter().find(|one| **one == comparison.measure)?;
            headline_difference(comparison, *measure, several, language)
        })
        .collect();
    if differences.is_empty() {
        text(&ProgressText::Measured, language)
    } else {
        joined(&differences, language)
    }
}

fn headline_difference(
    comparison: &Comparison,
    headline: Measure,
    several: bool,
    language: Language,
) -> Option<String> {
    let ratio = comparison.deciding()?;
    let users = comparison.level.as_ref().and_then(|level| level.users);
    let at = users.filter(|_| several);
    let at = at.map_or_else(String::new, |users| text(&LoadText::AtUsers { users }, language));
    let (arm, title) = (&comparison.arm, headline.name(language));
    Some(format!("{arm} {title}{at} {}", text(&DifferenceOf(ratio), language)))
}

/// Under which name a run is stored when it has ended, and how to see or resume it.
pub fn stored(run: &str, interrupted: bool, language: Language) -> String {
    let stored = text(&ProgressText::Stored { run }, language);
    match interrupted {
        false => stored,
        true => format!("{stored}\n{}", text(&ProgressText::Resume { run }, language)),
    }
}

/// What is known of the time that is left.
#[derive(Clone, Copy)]
enum Limit {
    AtMost,
    About,
}

/// `; 1m20s left at most`, or nothing if no limit is known.
fn time_left(left: Option<Nanos>, limit: Limit, language: Language) -> String {
    let said = |left| {
        let time = &span(left);
        let left = match limit {
            Limit::AtMost => ProgressText::Left { time },
            Limit::About => ProgressText::LeftAbout { time },
        };
        text(&left, language)
    };
    left.map_or_else(String::new, said)
}

/// A span of time: `1m20s`.
pub fn span(nanos: Nanos) -> String {
    let seconds = nanos.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, s) => format!("{s}s"),
        (m, 0) => format!("{m}m"),
        (m, s) => format!("{m}m{s}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_tell_which_percentile_it_will_be() {
        let chosen = Design { starts: Some(8), latency_pairs: 16, ..Design::default() };
        let said = |design: &Design, rate| headline(design, rate, Language::En).expect("several measures");
        assert_eq!(
            said(&chosen, None),
            "the answer is about throughput, CPU per request, response p99 (below 782 /s: response p90)"
        );
        let told = "the answer is about throughput, CPU per request, response ";
        assert_eq!(said(&chosen, Some(Rate(19_000.0))), format!("{told}p99"));
        assert_eq!(said(&chosen, Some(Rate(200.0))), format!("{told}p90"));
        let one = Design { headline: Headline::One(Measure::Throughput), ..chosen };
        assert_eq!(headline(&one, None, Language::En), None);
    }

    #[test]
    fn spans_read_as_people_say_them() {
        let said = [5, 60, 210].map(|seconds| span(Nanos::from_secs(seconds)));
        assert_eq!(said, ["5s", "1m", "3m30s"]);
    }

    fn start_ended(
        number: u32,
        seconds: f64,
        state: Result<String, &Reason>,
        left: Option<Nanos>,
        language: Language,
    ) -> String {
        let start = EndedStart { number, took: Seconds(seconds), state };
        ended(start, left, language)
    }

    /// The progress of some starts.
    fn said(language: Language) -> [String; 9] {
        let left = Some(Nanos::from_secs(143));
        let why = Reason::ClockSet { seconds: Seconds(0.02) };
        let number = |number, most| StartNumber { number, most };
        [
            planned(left, Nanos::from_secs(60), Some(30), language),
            planned(None, Nanos::from_secs(60), None, language),
            planned(left, Nanos::from_secs(143), Some(1), language),
            step(number(1, None), &Step::WarmingUp, left, language),
            step(number(2, Some(12)), &Step::WarmingUp, left, language),
            start_ended(2, 31.4, Err(&why), left, language),
            start_ended(3, 30.0, Ok(standing(&[], &[Measure::Throughput], false, language)), None, language),
            inspections(Nanos::from_secs(40), language),
            inspecting(&Step::Inspecting { arm: "ten".to_owned() }, Some(Nanos::from_secs(9)), language),
        ]
    }

    #[test]
    fn the_progress_of_a_start_is_said_in_both_languages() {
        assert_eq!(
            said(Language::En),
            [
                "measuring; 2m23s at most (or one start, if that takes longer), about 1m on a quiet machine",
                "measuring; until it is decided, without a time limit, about 1m on a quiet machine",
                "measuring; about 2m23s",
                "start 1: warming up; about 2m23s left",
                "start 2 of 12: warming up; 2m23s left at most",
                "start 2 (31 s): does not count: the wall clock was set by +0.02 s during the round; 2m23s left at most",
                "start 3 (30 s): measured",
                "every server is started once more to see where its requests wait, which takes about 40s",
                "inspecting ten; 9s left at most",
            ]
        );
        assert_eq!(
            said(Language::Zh),
            [
                "开始测量；最多 2m23s（若一次启动耗时更长，则以一次为限），机器空闲时约 1m",
                "开始测量；直到得出结论，无时间上限，机器空闲时约 1m",
                "开始测量；约 2m23s",
                "第 1 次启动：正在预热；约还需 2m23s",
                "第 2 次启动（最多 12 次）：正在预热；最多还需 2m23s",
                "第 2 次启动（31 s）：未计入：本轮期间系统时钟被调整了 +0.02 s；最多还需 2m23s",
                "第 3 次启动（30 s）：已测量",
                "再启动每个服务器一次，查看请求在何处等待，约需 40s",
                "正在检查 ten；最多还需 9s",
            ]
        );
    }
}
