//! Where requests are, as a part of a sentence: what they do there, and in which method.

use crate::words::Lang;
use ::say::numbers::percent;
use model::finding::{Doing, RequestPlace};

/// Places with their shares, as a list.
pub(super) fn places(places: &[RequestPlace], lang: Lang) -> String {
    let each = places.iter().map(|place| {
        let (share, does) = (percent(place.share), does(place, lang));
        match lang {
            Lang::En => format!("{share} {does}"),
            Lang::Zh => format!("{share} {does}"),
        }
    });
    let between = match lang {
        Lang::En => ", ",
        Lang::Zh => "，",
    };
    each.collect::<Vec<_>>().join(between)
}

/// What requests do at a place, and in which method.
pub(super) fn does(place: &RequestPlace, lang: Lang) -> String {
    let method = in_method(place.method.as_deref(), place.caller.as_deref(), lang);
    let what = place.what.as_deref();
    match lang {
        Lang::En => format!("{}{method}", in_english(place.doing, what)),
        Lang::Zh => format!("{}{method}", in_chinese(place.doing, what)),
    }
}

/// The method in which requests are, and the one that called it; empty where it is not known.
pub(super) fn in_method(method: Option<&str>, caller: Option<&str>, lang: Lang) -> String {
    match (method, caller, lang) {
        (None, _, _) => String::new(),
        (Some(method), None, Lang::En) => format!(" in {method}"),
        (Some(method), None, Lang::Zh) => format!("（位于 {method}）"),
        (Some(method), Some(caller), Lang::En) => format!(" in {method} (called from {caller})"),
        (Some(method), Some(caller), Lang::Zh) => format!("（位于 {method}，由 {caller} 调用）"),
    }
}

fn in_english(doing: Doing, what: Option<&str>) -> String {
    let of = |what: Option<&str>| what.map_or_else(String::new, |what| format!(" of {what}"));
    let named = |what: Option<&str>| what.map_or_else(String::new, |what| format!(" ({what})"));
    match doing {
        Doing::Runs => "run on a CPU or wait for one".to_owned(),
        Doing::ServerThread => "wait for a thread of the server".to_owned(),
        Doing::Thread => format!("wait for a thread{}", named(what)),
        Doing::Permit => "wait for a permit".to_owned(),
        Doing::Pool => format!("wait for a pool{}", named(what)),
        Doing::Limiter => format!("wait for a limiter of rates{}", named(what)),
        Doing::Lock => format!("wait for a lock{}", named(what)),
        Doing::Answer => format!("wait for an answer{}", of(what)),
        Doing::Client => "read from their client or write to it".to_owned(),
        Doing::File => "read or write a file".to_owned(),
        Doing::Sync => "wait until a file is on the disk".to_owned(),
        Doing::Log => format!("wait for a log{}", named(what)),
        Doing::Result => "wait for another thread".to_owned(),
        Doing::Sleep => "sleep".to_owned(),
        Doing::Stalled => "stand still in the JVM".to_owned(),
        Doing::Other => "wait for something else".to_owned(),
        Doing::NoThread => "have no thread".to_owned(),
    }
}

fn in_chinese(doing: Doing, what: Option<&str>) -> String {
    let named = |what: Option<&str>| what.map_or_else(String::new, |what| format!("（{what}）"));
    match doing {
        Doing::Runs => "在运行或等待 CPU".to_owned(),
        Doing::ServerThread => "在等待服务器的线程".to_owned(),
        Doing::Thread => format!("在等待线程{}", named(what)),
        Doing::Permit => "在等待许可".to_owned(),
        Doing::Pool => format!("在等待池{}", named(what)),
        Doing::Limiter => format!("在等待限流器{}", named(what)),
        Doing::Lock => format!("在等待锁{}", named(what)),
        Doing::Answer => format!("在等待应答{}", named(what)),
        Doing::Client => "在读写自己的客户端".to_owned(),
        Doing::File => "在读写文件".to_owned(),
        Doing::Sync => "在等待文件落盘".to_owned(),
        Doing::Log => format!("在等待日志{}", named(what)),
        Doing::Result => "在等待另一个线程".to_owned(),
        Doing::Sleep => "在休眠".to_owned(),
        Doing::Stalled => "停滞在虚拟机中".to_owned(),
        Doing::Other => "在等待其他事物".to_owned(),
        Doing::NoThread => "没有线程".to_owned(),
    }
}
