//! Findings on requests that wait inside the server while there are enough CPUs and threads.

use super::place::{does, in_method};
use crate::say::setting::called;
use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{percent, seconds, three};
use model::finding::{BackendWait, DiskWait, LockWait, Pinning, RequestPlace, SyncWait};
use model::kind::Kind;

/// Threads wait for one lock.
pub(super) fn lock(wait: &LockWait, lang: Lang) -> String {
    let (lock, share, each, busy) = (&wait.lock, percent(wait.share), seconds(wait.each), percent(wait.busy));
    let method = in_method(wait.method.as_deref(), wait.caller.as_deref(), lang);
    let holder = holder(wait.holder.as_ref(), lang);
    match lang {
        Lang::En => format!(
            "{share} of the requests in flight wait for one lock, {lock}{method}, {each} each time{holder}; the CPU is {busy} in \
             use"
        ),
        Lang::Zh => format!(
            "{share} 的在途请求在等待同一把锁 {lock}{method}，每次 {each}{holder}；CPU 使用率为 {busy}"
        ),
    }
}

/// What the holder of a lock does most of the time; empty where it was not seen.
fn holder(holder: Option<&RequestPlace>, lang: Lang) -> String {
    let Some(place) = holder else {
        return String::new();
    };
    let (share, does) = (percent(place.share), does(place, lang));
    match lang {
        Lang::En => format!("; of those who hold it {share} {does}"),
        Lang::Zh => format!("；持锁者中 {share} {does}"),
    }
}

/// Virtual threads hold on to their carriers while they wait.
pub(super) fn pinning(pinning: &Pinning, lang: Lang) -> String {
    let (held, carriers, busy) = (three(pinning.held), pinning.carriers, percent(pinning.busy));
    let wait = &pinning.wait;
    match lang {
        Lang::En => format!(
            "virtual threads hold {held} of {carriers} carriers while they wait ({wait}): the others cannot run, and the CPU \
             is {busy} in use"
        ),
        Lang::Zh => format!(
            "虚拟线程在等待时占住了 {carriers} 个载体线程中的 {held} 个（{wait}）：其他虚拟线程无法运行，而 CPU 使用率为 {busy}"
        ),
    }
}

/// Requests wait for a service that the server asks.
pub(super) fn backend(wait: &BackendWait, lang: Lang) -> String {
    let (backend, share, each, busy) =
        (&wait.backend, percent(wait.share), seconds(wait.each), percent(wait.busy));
    let method = in_method(wait.method.as_deref(), None, lang);
    let others = match (wait.addresses.saturating_sub(1), lang) {
        (0, _) => String::new(),
        (others, Lang::En) => format!(" and {others} other addresses"),
        (others, Lang::Zh) => format!("（及另外 {others} 个地址）"),
    };
    match lang {
        Lang::En => format!(
            "{share} of the requests in flight wait for {backend}{others}{method}, which takes {each} to answer; the CPU is {busy} \
             in use"
        ),
        Lang::Zh => format!(
            "{share} 的在途请求在等待 {backend}{others}{method}，它的应答用时 {each}；CPU 使用率为 {busy}"
        ),
    }
}

/// Requests wait until what they wrote is on the disk.
pub(super) fn sync(wait: &SyncWait, lang: Lang) -> String {
    let [share, behind, busy] = [wait.share, wait.behind, wait.busy].map(percent);
    let each = seconds(wait.each);
    let method = in_method(wait.method.as_deref(), None, lang);
    let file = wait.file.as_ref();
    match lang {
        Lang::En => {
            let file = file.map_or_else(|| "a file".to_owned(), Clone::clone);
            let behind = match wait.behind > 0.0 {
                true => format!(", {behind} behind others that do"),
                false => String::new(),
            };
            format!(
                "{share} of the requests in flight wait until {file} is on the disk{method}{behind}, {each} each; the CPU is {busy} \
                 in use"
            )
        }
        Lang::Zh => {
            let file = file.map_or_else(|| "文件".to_owned(), |file| format!(" {file} "));
            let behind = match wait.behind > 0.0 {
                true => format!("，其中 {behind} 排在其他等待者之后"),
                false => String::new(),
            };
            format!("{share} 的在途请求在等待{file}落盘{method}{behind}，每个 {each}；CPU 使用率为 {busy}")
        }
    }
}

/// Requests wait until a file is written.
pub(super) fn disk(wait: &DiskWait, lang: Lang) -> String {
    let (file, share, each, bytes) =
        (&wait.file, percent(wait.share), seconds(wait.each), three(wait.written));
    let method = in_method(wait.method.as_deref(), None, lang);
    match lang {
        Lang::En => format!(
            "{share} of the requests in flight wait until {file} is written{method}, {each} each time, {bytes} bytes per request"
        ),
        Lang::Zh => {
            format!("{share} 的在途请求在等待写入 {file}{method}，每次 {each}，每个请求 {bytes} 字节")
        }
    }
}

pub(in crate::say) const HOLD_LOCK_SHORTER: BilingualText = BilingualText {
    en: "hold the lock for less, or not at all: another structure, a lock for each key, ReentrantReadWriteLock",
    zh: "缩短持锁时间，或不用锁：换用其他结构、每个键一把锁、ReentrantReadWriteLock",
};

pub(in crate::say) const USE_NEWER_JDK: BilingualText = BilingualText {
    en: "use JDK 24 or newer (`jdk = 25`), where virtual threads release their carriers within `synchronized`; on an older \
         one use ReentrantLock",
    zh: "使用 JDK 24 或更新的版本（`jdk = 25`），虚拟线程在 `synchronized` 中会释放载体线程；在更旧的版本上请使用 ReentrantLock",
};

pub(in crate::say) const RELIEVE_BACKEND: BilingualText = BilingualText {
    en: "make that service faster, ask it less often (a cache, several keys at once), or send it more requests at the \
         same time",
    zh: "提高该服务的速度、减少对它的请求（缓存、一次取多个键），或提高对它的并发请求数",
};

pub(in crate::say) const BUFFER_ACCESS_LOG: BilingualText = BilingualText {
    en: "write the access log buffered (`access_log = true`), or to a faster disk",
    zh: "为访问日志启用缓冲（`access_log = true`），或使用更快的磁盘",
};

/// The advice to write with a buffer or from another thread, with the name of the setting in this kind of server.
pub(in crate::say) fn write_later(server: Kind, lang: Lang) -> String {
    let how = server.facts().buffered_log.map(|how| called(how, lang));
    match (how, lang) {
        (Some(how), Lang::En) => {
            format!("write buffered or from a thread of its own (an access log: {how}), or to a faster disk")
        }
        (Some(how), Lang::Zh) => {
            format!("使用缓冲或由单独的线程写入（访问日志：{how}），或使用更快的磁盘")
        }
        (None, Lang::En) => "write buffered or from a thread of its own, or to a faster disk".to_owned(),
        (None, Lang::Zh) => "使用缓冲或由单独的线程写入，或使用更快的磁盘".to_owned(),
    }
}

pub(in crate::say) const SYNC_TOGETHER: BilingualText = BilingualText {
    en: "wait for the disk once for what many requests wrote (group commit), or do not wait for it, or use a disk with a protected \
         cache",
    zh: "让多个请求写入的内容一起落盘（组提交）、不等待落盘，或使用带掉电保护缓存的磁盘",
};
