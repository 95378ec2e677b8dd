//! The lines that a run prints while it lasts.

use crate::units;
use crate::words::{self, Lang, Words, fill};
use ask::experiment::{Design, Headline};
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Nanos, Rate, Seconds, Share};
use record::outcome::Comparison;
use record::step::Step;
use traffic::load_note::LoadNote;

/// The line before the first start: how long the run takes at most, and usually. The first start is made even if it takes longer
/// than the run may: how long it takes is not known before it has shown how slow the servers are. `cap` is the most starts.
pub fn planned(at_most: Option<Nanos>, typically: Nanos, cap: Option<u32>, lang: Lang) -> String {
    let time = planned_time(at_most, typically, cap, lang);
    fill(words::of(lang).progress_planned, &[("time", &time)])
}

/// How long a run takes at most, and usually, as [`planned`] says it.
pub fn planned_time(at_most: Option<Nanos>, typically: Nanos, cap: Option<u32>, lang: Lang) -> String {
    let words = words::of(lang);
    let limit = match (at_most, cap) {
        (None, _) => words.progress_unlimited.to_owned(),
        (Some(most), Some(1)) => fill(words.progress_about, &[("time", &span(most))]),
        (Some(most), _) => fill(words.progress_at_most, &[("time", &span(most))]),
    };
    // A usual duration above the limit does not help before the first start has shown how long one takes.
    let usual = match at_most {
        Some(most) if typically >= most => String::new(),
        _ => fill(words.progress_usual, &[("time", &span(typically))]),
    };
    limit + &usual
}

/// A start waits, because only this share of the machine is idle.
pub fn waiting(start: u32, idle: Share, lang: Lang) -> String {
    let idle = format!("{:.0}", idle.as_percent());
    fill(words::of(lang).progress_waits, &[("n", &start), ("idle", &idle)])
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
pub fn fleet(there: u64, of: u64, start_spread: Option<Nanos>, lang: Lang) -> String {
    let fleet =
        LoadNote::Fleet { agents: there, of, start_spread: start_spread.map(Seconds::from), refused: 0 };
    say::text(&fleet, lang)
}

/// What a run is doing within a start; `left` is the longest time that it may still take.
pub fn step(start: StartNumber, step: &Step, left: Option<Nanos>, lang: Lang) -> String {
    let words = words::of(lang);
    let number = start.number;
    let start = match start.most {
        Some(most) => fill(words.progress_start_of, &[("n", &number), ("cap", &most)]),
        None => fill(words.progress_start, &[("n", &number)]),
    };
    let what = say::text(step, lang);
    let line = fill(words.progress_step, &[("start", &start), ("what", &what)]);
    // Before the first start has ended, nobody knows how long one takes.
    let template = match number {
        1 => words.progress_left_about,
        _ => words.progress_left,
    };
    line + &time_left(left, template)
}

/// Everything is measured; servers are looked into next, which takes this long.
pub fn inspections(takes: Nanos, lang: Lang) -> String {
    fill(words::of(lang).progress_inspections, &[("time", &span(takes))])
}

/// Everything is measured under load; every server is started alone next for its start-up time, so often, which takes this long.
pub fn startups(cycles: usize, takes: Nanos, lang: Lang) -> String {
    let values: [(&str, &dyn std::fmt::Display); 2] = [("starts", &cycles), ("time", &span(takes))];
    fill(words::of(lang).progress_startups, &values)
}

/// Everything is measured; CPU time is profiled next in so many starts, which takes this long.
pub fn profiles(starts: u32, takes: Nanos, lang: Lang) -> String {
    let values: [(&str, &dyn std::fmt::Display); 2] = [("starts", &starts), ("time", &span(takes))];
    fill(words::of(lang).progress_profiles, &values)
}

/// What is done while servers are looked into or profiled; `left` is the time that it may still take.
pub fn inspecting(step: &Step, left: Option<Nanos>, lang: Lang) -> String {
    say::text(step, lang) + &time_left(left, words::of(lang).progress_left)
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
pub fn ended(start: EndedStart<'_>, left: Option<Nanos>, lang: Lang) -> String {
    let words = words::of(lang);
    let EndedStart { number, took, state } = start;
    let state =
        state.unwrap_or_else(|why| fill(words.progress_void, &[("why", &say::text(why, words.lang))]));
    let took = format!("{:.0}", took.0);
    let values: [(&str, &dyn std::fmt::Display); 3] = [("n", &number), ("took", &took), ("state", &state)];
    fill(words.progress_ended, &values) + &time_left(left, words.progress_left)
}

/// What the answer will be about, where that is more than one measure; `rate` is the fixed rate, once it is known.
pub fn headline(design: &Design, rate: Option<Rate>, lang: Lang) -> Option<String> {
    let words = words::of(lang);
    let measures = design.headline_measures(rate);
    let tails = design.tails();
    let name = |measure: &Measure| match tails.as_slice() {
        [(tail, least), others @ ..] if rate.is_none() && design.tail_is_open() && tail == measure => {
            let template = match others {
                [] => words.progress_tail,
                _ => words.progress_tail_or,
            };
            let other = others.first().map_or("", |(other, _)| words.measure(*other));
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("tail", &words.measure(*tail)), ("rate", &units::rate(least.0.ceil())), ("other", &other)];
            fill(template, &values)
        }
        _ => words.measure(*measure).to_owned(),
    };
    let names: Vec<String> = measures.iter().map(name).collect();
    let names = names.join(words.separator);
    let several = design.headline == Headline::Overall;
    several.then(|| fill(words.progress_headline, &[("measures", &names)]))
}

/// The differences in the measures of the headline so far; if there are `several` levels, each is named.
pub fn standing(verdicts: &[Comparison], headline: &[Measure], several: bool, lang: Lang) -> String {
    let words = words::of(lang);
    let differences: Vec<String> = verdicts
        .iter()
        .filter_map(|comparison| {
            let measure = headline.iter().find(|one| **one == comparison.measure)?;
            headline_difference(comparison, *measure, several, words)
        })
        .collect();
    if differences.is_empty() {
        words.progress_measured.to_owned()
    } else {
        differences.join(words.separator)
    }
}

fn headline_difference(
    comparison: &Comparison,
    headline: Measure,
    several: bool,
    words: &Words,
) -> Option<String> {
    let ratio = comparison.ratio?;
    let interval = ratio.low.zip(ratio.high).map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", units::percent(low), units::percent(high))
    });
    let users = comparison.level.as_ref().and_then(|level| level.users);
    let at = users.filter(|_| several);
    let at = at.map_or_else(String::new, |users| fill(words.progress_at, &[("users", &users)]));
    let (arm, title) = (&comparison.arm, words.measure(headline));
    Some(format!("{arm} {title}{at} {} %{interval}", units::percent(ratio.value)))
}

/// Under which name a run is stored when it has ended, and how to see or resume it.
pub fn stored(run: &str, interrupted: bool, lang: Lang) -> String {
    let words = words::of(lang);
    let stored = fill(words.progress_stored, &[("run", &run)]);
    match interrupted {
        false => stored,
        true => format!("{stored}\n{}", fill(words.progress_resume, &[("run", &run)])),
    }
}

/// `; 1m20s left at most`, or nothing if no limit is known.
fn time_left(left: Option<Nanos>, template: &str) -> String {
    left.map_or_else(String::new, |left| fill(template, &[("time", &span(left))]))
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
        let said = |design: &Design, rate| headline(design, rate, Lang::En).expect("several measures");
        assert_eq!(
            said(&chosen, None),
            "the answer is about throughput, CPU per request, response p99 (below 782 /s: response p90)"
        );
        let told = "the answer is about throughput, CPU per request, response ";
        assert_eq!(said(&chosen, Some(Rate(19_000.0))), format!("{told}p99"));
        assert_eq!(said(&chosen, Some(Rate(200.0))), format!("{told}p90"));
        let one = Design { headline: Headline::One(Measure::Throughput), ..chosen };
        assert_eq!(headline(&one, None, Lang::En), None);
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
        lang: Lang,
    ) -> String {
        let start = EndedStart { number, took: Seconds(seconds), state };
        ended(start, left, lang)
    }

    /// The progress of some starts.
    fn said(lang: Lang) -> [String; 9] {
        let left = Some(Nanos::from_secs(143));
        let why = Reason::ClockSet { seconds: Seconds(0.02) };
        let number = |number, most| StartNumber { number, most };
        [
            planned(left, Nanos::from_secs(60), Some(30), lang),
            planned(None, Nanos::from_secs(60), None, lang),
            planned(left, Nanos::from_secs(143), Some(1), lang),
            step(number(1, None), &Step::WarmingUp, left, lang),
            step(number(2, Some(12)), &Step::WarmingUp, left, lang),
            start_ended(2, 31.4, Err(&why), left, lang),
            start_ended(3, 30.0, Ok(standing(&[], &[Measure::Throughput], false, lang)), None, lang),
            inspections(Nanos::from_secs(40), lang),
            inspecting(&Step::Inspecting { arm: "ten".to_owned() }, Some(Nanos::from_secs(9)), lang),
        ]
    }

    #[test]
    fn the_progress_of_a_start_is_said_in_both_languages() {
        assert_eq!(
            said(Lang::En),
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
            said(Lang::Zh),
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
