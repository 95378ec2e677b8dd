//! Findings on what an application has a limited number of: connections, permits, threads of its own, requests a second.

use super::place::{does, in_method};
use crate::words::Lang;
use ::say::numbers::{count, percent, seconds, three};
use model::finding::{Bounded, Lent, PoolUsedUp, RateLimit, RequestPlace};

/// Requests wait for something of which the application has a limited number.
pub(super) fn used_up(pool: &PoolUsedUp, lang: Lang) -> String {
    let (waiting, all) = (count(pool.waiting), count(pool.in_flight));
    let (slots, each, busy) = (count(pool.slots), seconds(pool.each), percent(pool.busy));
    let what = one_of(&pool.pool, lang);
    let method = in_method(pool.method.as_deref(), pool.caller.as_deref(), lang);
    let holders = holders(pool.holders.as_ref(), lang);
    match lang {
        Lang::En => format!(
            "{waiting} of {all} requests in flight wait for {what}{method}: {slots} are in use at a time, each for {each}{holders}; \
             the CPU is {busy} in use"
        ),
        Lang::Zh => format!(
            "{all} 个在途请求中有 {waiting} 个在等待{what}{method}：同时占用 {slots} 个，每次占用 {each}{holders}；CPU 使用率为 {busy}"
        ),
    }
}

/// What those do who have what others wait for; empty where it is not known.
fn holders(holders: Option<&RequestPlace>, lang: Lang) -> String {
    let Some(place) = holders else {
        return String::new();
    };
    let (share, does) = (percent(place.share), does(place, lang));
    match lang {
        Lang::En => format!(", and {share} of those who have one {does}"),
        Lang::Zh => format!("，占用者中 {share} {does}"),
    }
}

/// One of what there is a limited number of.
fn one_of(pool: &Bounded, lang: Lang) -> String {
    match (pool, lang) {
        (Bounded::Library { product, lends, .. }, Lang::En) => match lends {
            Lent::Connections => format!("a connection of the pool of {product}"),
            Lent::Objects => format!("an object of a pool of {product}"),
            Lent::Calls => format!("their turn at the limit of concurrent calls of {product}"),
        },
        (Bounded::Library { product, lends, .. }, Lang::Zh) => match lends {
            Lent::Connections => format!(" {product} 连接池中的连接"),
            Lent::Objects => format!(" {product} 对象池中的对象"),
            Lent::Calls => format!(" {product} 的并发调用名额"),
        },
        (Bounded::Permits, Lang::En) => "a permit".to_owned(),
        (Bounded::Permits, Lang::Zh) => "许可".to_owned(),
        (Bounded::Queue, Lang::En) => "something from a queue of the application".to_owned(),
        (Bounded::Queue, Lang::Zh) => "应用的队列中的资源".to_owned(),
        (Bounded::Threads { names }, Lang::En) => format!("a thread of `{names}`"),
        (Bounded::Threads { names }, Lang::Zh) => format!("线程 `{names}`"),
        (Bounded::Client { peer }, Lang::En) => format!("a connection of a client to {peer}"),
        (Bounded::Client { peer }, Lang::Zh) => format!("客户端到 {peer} 的连接"),
        (Bounded::OneConnection { product }, Lang::En) => {
            format!("the one connection of {product} that they share")
        }
        (Bounded::OneConnection { product }, Lang::Zh) => format!("共用的一个 {product} 连接"),
    }
}

/// A limiter lets only so many requests through in a second.
pub(super) fn limited(limit: &RateLimit, lang: Lang) -> String {
    let (share, rate, each, busy) =
        (percent(limit.share), three(limit.rate), seconds(limit.each), percent(limit.busy));
    let method = in_method(limit.method.as_deref(), limit.caller.as_deref(), lang);
    match lang {
        Lang::En => {
            let product = limit.product.as_ref();
            let product = product.map_or_else(String::new, |product| format!(" of {product}"));
            format!(
                "{share} of the requests in flight wait for their turn at a limiter{product}{method}, {each} each: it lets \
                 {rate}/s through; the CPU is {busy} in use"
            )
        }
        Lang::Zh => {
            let product = limit.product.as_ref();
            let product = product.map_or_else(String::new, |product| format!(" {product} 的"));
            format!(
                "{share} 的在途请求在等待{product}限流器{method}，每次 {each}：它只放行 {rate}/s；CPU 使用率为 {busy}"
            )
        }
    }
}

/// The advice to have more of what is used up, to a number if it is known, or to hold each for less time.
pub(in crate::say) fn enlarge(pool: &Bounded, to: Option<u64>, lang: Lang) -> String {
    match lang {
        Lang::En => {
            let more = more_in_english(pool, to);
            format!("{more}, or hold each for less time: give it back before waiting for something else")
        }
        Lang::Zh => {
            let more = more_in_chinese(pool, to);
            format!("{more}，或缩短每次占用的时间：在等待其他事物之前归还")
        }
    }
}

fn more_in_english(pool: &Bounded, to: Option<u64>) -> String {
    let to_number = to.map_or_else(String::new, |to| format!(" to {to}"));
    let number = to.map_or_else(|| "more".to_owned(), |to| to.to_string());
    match pool {
        Bounded::Library { product, setting: Some(setting), .. } => {
            format!("raise `{setting}` of {product}{to_number}")
        }
        Bounded::Library { product, .. } => format!("enlarge the pool of {product}{to_number}"),
        Bounded::Permits => format!("let {number} through at a time"),
        Bounded::Queue => format!("keep {number} of them"),
        Bounded::Threads { names } => format!("give `{names}` {number} threads"),
        Bounded::Client { peer } => format!("let the client open {number} connections to {peer}"),
        Bounded::OneConnection { product } => {
            format!("use a pool of {number} connections of {product} instead of one connection")
        }
    }
}

fn more_in_chinese(pool: &Bounded, to: Option<u64>) -> String {
    let to_number = to.map_or_else(String::new, |to| format!("到 {to}"));
    let number = to.map_or_else(|| "更多".to_owned(), |to| to.to_string());
    match pool {
        Bounded::Library { product, setting: Some(setting), .. } => {
            format!("将 {product} 的 `{setting}` 提高{to_number}")
        }
        Bounded::Library { product, .. } => format!("将 {product} 的池扩大{to_number}"),
        Bounded::Permits => format!("同时放行 {number} 个"),
        Bounded::Queue => format!("备有 {number} 个"),
        Bounded::Threads { names } => format!("给 `{names}` {number} 个线程"),
        Bounded::Client { peer } => format!("允许客户端建立 {number} 个到 {peer} 的连接"),
        Bounded::OneConnection { product } => {
            format!("使用有 {number} 个连接的 {product} 连接池，而不是一个连接")
        }
    }
}

/// The advice to let more requests through in a second.
pub(in crate::say) fn raise_rate(setting: Option<&str>, lang: Lang) -> String {
    match (setting, lang) {
        (Some(setting), Lang::En) => format!(
            "raise the rate (`{setting}`), or answer at once and do the limited work later, in a queue"
        ),
        (None, Lang::En) => {
            "raise the rate, or answer at once and do the limited work later, in a queue".to_owned()
        }
        (Some(setting), Lang::Zh) => {
            format!("提高速率（`{setting}`），或立即应答，把受限的工作放入队列稍后处理")
        }
        (None, Lang::Zh) => "提高速率，或立即应答，把受限的工作放入队列稍后处理".to_owned(),
    }
}
