//! Notes on what a start does: compilers that work, arms that are loaded at once, a budget that is too short for it.

use crate::say::Lang;
use crate::units;
use model::note::{LoadNote, RunNote};

/// A note on compilers, on the budget, or on how arms were started. Empty for other notes.
pub(super) fn run(note: &RunNote, lang: Lang) -> String {
    match *note {
        RunNote::CompilersBusy {
            compiled,
            all,
            starts,
        } => compilers_busy([compiled, all, starts], lang),
        RunNote::BudgetTooShort {
            budget,
            start,
            inspections,
        } => budget_too_short([budget, start, inspections], lang),
        RunNote::StartedAtOnce { .. } => started_at_once(note, lang),
        _ => String::new(),
    }
}

/// Why arms were started at once, and from what their start-up is known. Empty for other notes.
fn started_at_once(note: &RunNote, lang: Lang) -> String {
    let RunNote::StartedAtOnce {
        starts,
        all,
        in_turn,
        timed,
        needed,
        lacks,
    } = note
    else {
        return String::new();
    };
    let why = match lang {
        Lang::En => format!(
            "the arms were started at once in {starts} of {all} starts, because one after the other took {in_turn:.0} s of a start; start-up \
             was timed with each arm alone, for {timed} of them all"
        ),
        Lang::Zh => format!(
            "{all} 次启动中有 {starts} 次同时启动所有对象，因为逐个启动要占去一次启动的 {in_turn:.0} s；启动时间在每个对象单独启动时测得，共 {timed} 次"
        ),
    };
    if timed >= needed || all < needed {
        return why;
    }
    match lang {
        Lang::En => format!(
            "{why}; a verdict needs {needed}, and timing the rest takes {lacks:.0} s, for which the budget had no room"
        ),
        Lang::Zh => format!("{why}；结论需要 {needed} 次，测得其余的需要 {lacks:.0} s，时间预算不足"),
    }
}

/// In how many groups of slices compilers were at work, of how many, and in how many starts.
fn compilers_busy([compiled, all, starts]: [usize; 3], lang: Lang) -> String {
    match lang {
        Lang::En => format!(
            "in {compiled} of {all} groups of slices, of {starts} {}, compilers took more than 10 % of a server's CPU time; they count, and \
             later starts warmed up for longer",
            if starts == 1 { "start" } else { "starts" }
        ),
        Lang::Zh => format!(
            "{all} 组切片中有 {compiled} 组（属于 {starts} 次启动）的编译器占用了某服务器超过 10 % 的 CPU 时间；这些切片照常计入，后续启动的预热更长"
        ),
    }
}

/// Why a budget cannot be kept: what a start and the look into the servers take, in seconds.
fn budget_too_short(seconds: [f64; 3], lang: Lang) -> String {
    let has_looks = seconds[2] > 0.0;
    let [budget, start, looks] = seconds.map(|seconds| format!("{} s", seconds.round()));
    match (lang, has_looks) {
        (Lang::En, true) => format!(
            "the budget of {budget} cannot be kept: one start takes about {start}, and looking into the servers after it about {looks} \
             (`explain = \"off\"` leaves that out)"
        ),
        (Lang::En, false) => {
            format!("the budget of {budget} cannot be kept: one start takes about {start}")
        }
        (Lang::Zh, true) => format!(
            "无法遵守 {budget} 的时间预算：一次启动约需 {start}，其后查看服务器内部约需 {looks}（`explain = \"off\"` 可省去后者）"
        ),
        (Lang::Zh, false) => format!("无法遵守 {budget} 的时间预算：一次启动约需 {start}"),
    }
}

/// A note on arms that were loaded at once. Empty for other notes.
pub(super) fn load(note: &LoadNote, lang: Lang) -> String {
    let LoadNote::ArmsAtOnce {
        users,
        service,
        window,
        windows,
    } = note
    else {
        return String::new();
    };
    let service = units::seconds(*service);
    match lang {
        Lang::En => format!(
            "at {users} connections a request takes {service} and less than half of the machine is used: all arms were loaded at once and \
             without a break, in {windows} windows of {window:.2} s a start"
        ),
        Lang::Zh => format!(
            "{users} 个连接下一个请求耗时 {service}，机器使用不到一半：所有对象同时且不间断地承受负载，每次启动 {windows} 个 {window:.2} s 的窗口"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_start_up_is_not_judged_is_said_where_the_run_had_enough_starts() {
        let said = |all: usize, timed: usize, lang| {
            let note = RunNote::StartedAtOnce {
                starts: all - 1,
                all,
                in_turn: 16.7,
                timed,
                needed: 4,
                lacks: 51.2,
            };
            run(&note, lang)
        };
        let whole = said(5, 1, Lang::En);
        assert!(
            whole.contains("in 4 of 5 starts") && whole.contains("17 s of a start"),
            "{whole}"
        );
        assert!(
            whole.ends_with("51 s, for which the budget had no room"),
            "{whole}"
        );
        assert!(said(5, 1, Lang::Zh).contains("51 s"));
        for enough in [said(5, 4, Lang::En), said(3, 1, Lang::En)] {
            assert!(!enough.contains("51"), "{enough}");
        }
    }
}
