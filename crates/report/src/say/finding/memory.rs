//! Findings on memory: the collector of the JVM, and the memory limit of a control group.

use crate::say::numbers::{count, percent, seconds, three};
use crate::words::Lang;
use model::finding::{Collections, MemoryShort};
use model::units::Bytes;

/// Collections stop the server for a good part of the time.
pub(super) fn collections(collections: Collections, lang: Lang) -> String {
    let (share, each_second) = (percent(collections.share), three(collections.per_second));
    let (heap, longest) = (collections.heap, collections.longest.map(seconds));
    match lang {
        Lang::En => {
            let longest = longest.map_or_else(String::new, |time| format!(", for {time} at the longest"));
            format!(
                "the collector stops the server for {share} of the time, {each_second} times a second, in a heap of \
                 {heap}{longest}"
            )
        }
        Lang::Zh => {
            let longest = longest.map_or_else(String::new, |time| format!("，最长一次 {time}"));
            format!("垃圾收集器使服务器停顿 {share} 的时间，每秒 {each_second} 次，堆为 {heap}{longest}")
        }
    }
}

/// The memory limit is hit.
pub(super) fn short(short: MemoryShort, lang: Lang) -> String {
    let limit = short.limit;
    let [hits, read, kills] = [short.hits, short.read, short.kills].map(count);
    match lang {
        Lang::En => format!(
            "the server hit its limit of {limit} {hits} times under load, and {read} bytes were read from disk per request; \
             processes killed for it: {kills}"
        ),
        Lang::Zh => format!(
            "服务器在负载下 {hits} 次达到其上限 {limit}，每个请求从磁盘读取 {read} 字节；因此被杀死的进程：{kills}"
        ),
    }
}

/// The advice to raise the heap to this size.
pub(in crate::say) fn enlarge_heap(to: Bytes, lang: Lang) -> String {
    let to = mebibytes(to);
    match lang {
        Lang::En => format!("give it more heap (`heap = \"{to}\"`), or allocate less per request"),
        Lang::Zh => format!("加大堆（`heap = \"{to}\"`），或减少每个请求分配的内存"),
    }
}

/// The advice to raise the memory limit to this size.
pub(in crate::say) fn raise_limit(to: Bytes, lang: Lang) -> String {
    let to = mebibytes(to);
    match lang {
        Lang::En => format!("allow it more memory (`memory = \"{to}\"`), or give it a smaller heap"),
        Lang::Zh => format!("允许它使用更多内存（`memory = \"{to}\"`），或给它更小的堆"),
    }
}

/// A size as it is written in experiment files: `570M`.
fn mebibytes(size: Bytes) -> String {
    format!("{}M", size.0 >> 20)
}
