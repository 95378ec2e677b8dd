//! Findings on what serves requests inside the server: its pool of threads, or a limit of tasks on virtual threads.

use super::place::does;
use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{count, percent, seconds, three};
use model::finding::{Ceiling, PoolFull, RequestPlace, Slots, TasksFull};

/// All worker threads, or all tasks that the configuration allows, are in use.
pub(super) fn pool(pool: &PoolFull, lang: Lang) -> String {
    let slots = count(pool.ceiling.slots);
    let slots = match (pool.slots_are, lang) {
        (Slots::EventLoops, Lang::En) => format!("{slots} event loops"),
        (Slots::EventLoops, Lang::Zh) => format!("{slots} 个事件循环"),
        (Slots::Threads, Lang::En) => format!("{slots} threads"),
        (Slots::Threads, Lang::Zh) => format!("{slots} 个线程"),
        (Slots::Tasks, Lang::En) => format!("{slots} requests at once on virtual threads"),
        (Slots::Tasks, Lang::Zh) => format!("同时 {slots} 个请求（虚拟线程）"),
    };
    let holders = holders(pool.holders.as_ref(), lang);
    format!("{}{holders}", ceiling(pool.ceiling, &slots, lang))
}

/// What most of the threads do; empty where it is not known.
fn holders(holders: Option<&RequestPlace>, lang: Lang) -> String {
    let Some(place) = holders else {
        return String::new();
    };
    let (share, does) = (percent(place.share), does(place, lang));
    match lang {
        Lang::En => format!("; of those who have one {share} {does}"),
        Lang::Zh => format!("；占用者中 {share} {does}"),
    }
}

/// All tasks that a default allows on virtual threads are in use.
pub(super) fn default_tasks(tasks: TasksFull, lang: Lang) -> String {
    let slots = count(tasks.ceiling.slots);
    let slots = match lang {
        Lang::En => format!("{slots} requests at once, its default on virtual threads"),
        Lang::Zh => format!("同时 {slots} 个请求（虚拟线程的默认值）"),
    };
    ceiling(tasks.ceiling, &slots, lang)
}

/// Little's law as an equation with its meaning; `slots` is the number of slots with its noun.
fn ceiling(ceiling: Ceiling, slots: &str, lang: Lang) -> String {
    let (rate, each, busy) = (three(ceiling.rate), seconds(ceiling.each), percent(ceiling.busy));
    let (all, waiting) = (count(ceiling.in_flight), count(ceiling.waiting));
    match lang {
        Lang::En => format!(
            "ceiling {rate}/s = {slots} / {each}: of {all} requests in flight {waiting} wait for their turn, and the CPU is \
             {busy} in use"
        ),
        Lang::Zh => format!(
            "上限 {rate}/s = {slots} / {each}：{all} 个在途请求中有 {waiting} 个在排队，而 CPU 使用率为 {busy}"
        ),
    }
}

pub(in crate::say) const WAIT_ELSEWHERE: BilingualText = BilingualText {
    en: "do not wait on these threads: use clients that do not block, or other threads for what does (`boundedElastic`, virtual \
         threads)",
    zh: "不要在这些线程上等待：使用非阻塞的客户端，或把会阻塞的工作交给其他线程（`boundedElastic`、虚拟线程）",
};

pub(in crate::say) const RAISE_TASKS: BilingualText = BilingualText {
    en: "raise the limit of tasks of its virtual threads",
    zh: "提高其虚拟线程的任务数上限",
};

/// The advice to set a property, with a warning if the arm's release of Spring Boot ignores it.
pub(in crate::say) fn set_property(property: &str, to: u64, ignored_by: Option<&str>, lang: Lang) -> String {
    match lang {
        Lang::En => {
            let newer = ignored_by.map_or_else(String::new, |version| {
                format!("; Spring Boot {version} ignores it, 4.0.3 and newer do not")
            });
            format!("set `{property}` to {to}{newer}")
        }
        Lang::Zh => {
            let newer = ignored_by.map_or_else(String::new, |version| {
                format!("；Spring Boot {version} 会忽略它，4.0.3 及更新的版本不会")
            });
            format!("将 `{property}` 设为 {to}{newer}")
        }
    }
}
