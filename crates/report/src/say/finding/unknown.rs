//! The finding that there is a limit, but no known cause fits.

use super::place::places;
use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{count, percent, three};
use model::finding::{DearFrame, NotFound, RequestPlace, RuledOut, Shown};

/// What shows that there is a limit, and what was ruled out.
pub(super) fn not_found(not_found: &NotFound, lang: Lang) -> String {
    let (shown, ruled_out) = (shown(not_found.shown, lang), ruled_out(not_found.ruled_out, lang));
    let seen = seen(&not_found.places, &not_found.frames, lang);
    match lang {
        Lang::En => format!("limit not found: {shown}; {ruled_out}{seen}"),
        Lang::Zh => format!("未找到瓶颈：{shown}；{ruled_out}{seen}"),
    }
}

/// Where most requests were seen, and what uses most CPU time; empty where nobody looked.
fn seen(all: &[RequestPlace], frames: &[DearFrame], lang: Lang) -> String {
    let (mut seen, between) = match lang {
        Lang::En => (String::new(), ", "),
        Lang::Zh => (String::new(), "，"),
    };
    if !all.is_empty() {
        let all = places(all, lang);
        seen += &match lang {
            Lang::En => format!("; of the requests in flight {all}"),
            Lang::Zh => format!("；在途请求中 {all}"),
        };
    }
    let frames = frames.iter().map(|frame| format!("{} {}", frame.method, percent(frame.share)));
    let frames: Vec<String> = frames.collect();
    if !frames.is_empty() {
        let frames = frames.join(between);
        seen += &match lang {
            Lang::En => format!("; the server's CPU is used by {frames}"),
            Lang::Zh => format!("；服务器的 CPU 用于 {frames}"),
        };
    }
    seen
}

/// What shows that there is a limit.
fn shown(shown: Shown, lang: Lang) -> String {
    match shown {
        Shown::ByObjective { rate, objective } => {
            let (rate, objective) = (three(rate), objective.text());
            match lang {
                Lang::En => format!("at {rate}/s {objective} is missed"),
                Lang::Zh => format!("在 {rate}/s 时未满足 {objective}"),
            }
        }
        Shown::ByUsers { users, rate, fewer_users, fewer_rate } => {
            let ([users, fewer], [rate, before]) =
                ([users, fewer_users].map(count), [rate, fewer_rate].map(three));
            match lang {
                Lang::En => format!("{users} users get {rate}/s where {fewer} got {before}/s"),
                Lang::Zh => format!("{users} 个用户得到 {rate}/s，{fewer} 个用户时为 {before}/s"),
            }
        }
    }
}

/// What was ruled out as the limit.
fn ruled_out(ruled_out: RuledOut, lang: Lang) -> String {
    let [busy, generator] = [ruled_out.busy, ruled_out.generator].map(percent);
    let (server, collector) = (ruled_out.server.map(percent), ruled_out.collector.map(percent));
    let (opened, wrong) = (ruled_out.opened, ruled_out.wrong);
    match lang {
        Lang::En => {
            let collector = collector.unwrap_or_else(|| "no JVM".to_owned());
            let cpu = server.map_or_else(
                || format!("ruled out: CPU ({busy} in use), "),
                |own| {
                    format!("the CPU is {busy} in use, and the server uses {own} of the machine; ruled out: ")
                },
            );
            format!(
                "{cpu}generator ({generator} of a core), collector ({collector}), connections ({opened} opened), errors \
                 ({wrong})"
            )
        }
        Lang::Zh => {
            let collector = collector.unwrap_or_else(|| "没有 JVM".to_owned());
            let cpu = server.map_or_else(
                || format!("已排除：CPU（使用率 {busy}）、"),
                |own| format!("CPU 使用率 {busy}，服务器占整机的 {own}；已排除："),
            );
            format!(
                "{cpu}压测端（单核的 {generator}）、垃圾收集器（{collector}）、连接（建立了 {opened} 个）、错误（{wrong} 个）"
            )
        }
    }
}

pub(in crate::say) const SEPARATE_CPUS: BilingualText = BilingualText {
    en: "the load and what else runs here take more CPU than the server: give them CPUs of their own, or run fewer arms at once",
    zh: "压测端和机器上的其他程序比服务器占用更多 CPU：请为它们提供各自的 CPU，或减少同时运行的对象",
};

pub(in crate::say) const DUMP_THREADS: BilingualText = BilingualText {
    en: "a thread dump under this load shows what its threads wait for (`jcmd PID Thread.print`)",
    zh: "在此负载下做一次线程转储，可看到线程在等待什么（`jcmd PID Thread.print`）",
};

pub(in crate::say) const LOOK_AT_PLACES: BilingualText = BilingualText {
    en: "look at what the largest of these waits for: only the application knows why",
    zh: "请查看其中占比最大的在等待什么：原因只有应用自己知道",
};
