//! Findings on requests that wait inside the server while there are enough CPUs and threads.

use crate::say::numbers::{percent, seconds, three};
use crate::say::setting::called;
use crate::say::text::BilingualText;
use crate::words::Lang;
use model::finding::{BackendWait, DiskWait, LockWait, Pinning};
use model::kind::Kind;

/// Threads wait for one lock.
pub(super) fn lock(wait: &LockWait, lang: Lang) -> String {
    let (lock, share, each, busy) = (
        &wait.lock,
        percent(wait.share),
        seconds(wait.each),
        percent(wait.busy),
    );
    match lang {
        Lang::En => format!(
            "{share} of the requests in flight wait for one lock, {lock}, {each} each time; the CPU is {busy} in use"
        ),
        Lang::Zh => format!("{share} 的在途请求在等待同一把锁 {lock}，每次 {each}；CPU 使用率为 {busy}"),
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
    let (backend, share, each, busy) = (
        &wait.backend,
        percent(wait.share),
        seconds(wait.each),
        percent(wait.busy),
    );
    match lang {
        Lang::En => format!(
            "{share} of the requests in flight wait for {backend}, which takes {each} to answer; the CPU is {busy} in use"
        ),
        Lang::Zh => {
            format!("{share} 的在途请求在等待 {backend}，它的应答用时 {each}；CPU 使用率为 {busy}")
        }
    }
}

/// Requests wait until a file is written.
pub(super) fn disk(wait: &DiskWait, lang: Lang) -> String {
    let (file, share, each, bytes) = (
        &wait.file,
        percent(wait.share),
        seconds(wait.each),
        three(wait.written),
    );
    match lang {
        Lang::En => format!(
            "{share} of the requests in flight wait until {file} is written, {each} each time, {bytes} bytes per request"
        ),
        Lang::Zh => format!("{share} 的在途请求在等待写入 {file}，每次 {each}，每个请求 {bytes} 字节"),
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
