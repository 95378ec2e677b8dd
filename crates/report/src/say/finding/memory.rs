//! Findings on memory: the collector of the JVM, and the memory limit of a control group.

use crate::words::Lang;
use ::say::numbers::{count, percent, seconds, three};
use model::finding::{Collections, HeapFull, MemoryShort, Stalls};
use model::units::Bytes;

/// Collections stop the server for a good part of the time.
pub(super) fn collections(collections: Collections, lang: Lang) -> String {
    let (share, each_second) = (percent(collections.share), three(collections.per_second));
    let (heap, longest) = (collections.heap, collections.longest.map(seconds));
    let cpu = collections.cpu.map(percent);
    match lang {
        Lang::En => {
            let longest = longest.map_or_else(String::new, |time| format!(", for {time} at the longest"));
            let cpu = cpu.map_or_else(String::new, |share| {
                format!("; it takes {share} of the server's CPU, and the CPU is full")
            });
            format!(
                "the collector stops the server for {share} of the time, {each_second} times a second, in a heap of \
                 {heap}{longest}{cpu}"
            )
        }
        Lang::Zh => {
            let longest = longest.map_or_else(String::new, |time| format!("，最长一次 {time}"));
            let cpu =
                cpu.map_or_else(String::new, |share| format!("；它占用了服务器 {share} 的 CPU，而 CPU 已满"));
            format!("垃圾收集器使服务器停顿 {share} 的时间，每秒 {each_second} 次，堆为 {heap}{longest}{cpu}")
        }
    }
}

/// Threads wait until there is memory again.
pub(super) fn stalls(stalls: &Stalls, lang: Lang) -> String {
    let (share, heap) = (percent(stalls.share), stalls.heap);
    let each = stalls.each.map(seconds);
    match lang {
        Lang::En => {
            let collector = stalls.collector.as_ref();
            let collector = collector
                .map_or_else(|| "the collector".to_owned(), |name| format!("the collector ({name})"));
            let each = each.map_or_else(String::new, |time| format!(", {time} each time"));
            let live = stalls.live.map_or_else(String::new, |live| format!(", of which {live} are in use"));
            format!(
                "{share} of the requests in flight stand still until {collector} has freed memory{each}, in a heap of {heap}{live}; \
                 no pause shows it"
            )
        }
        Lang::Zh => {
            let collector = stalls.collector.as_ref();
            let collector = collector.map_or_else(String::new, |name| format!("（`{name}`）"));
            let each = each.map_or_else(String::new, |time| format!("，每次 {time}"));
            let live = stalls.live.map_or_else(String::new, |live| format!("，其中 {live} 在使用"));
            format!(
                "{share} 的在途请求停滞，直到垃圾收集器{collector}释放内存{each}，堆为 {heap}{live}；停顿记录中看不到它"
            )
        }
    }
}

/// The heap is nearly full of what is in use.
pub(super) fn full(full: HeapFull, lang: Lang) -> String {
    let (live, heap, collecting) = (full.live, full.heap, percent(full.collecting));
    let per_second = full.per_second.map(three);
    match lang {
        Lang::En => {
            let per_second = per_second.map_or_else(String::new, |times| format!(", {times} times a second"));
            format!(
                "after a collection {live} of the heap of {heap} are still in use: the collector takes {collecting}{per_second} and \
                 frees little"
            )
        }
        Lang::Zh => {
            let per_second = per_second.map_or_else(String::new, |times| format!("，每秒 {times} 次"));
            format!(
                "垃圾收集之后，{heap} 的堆中仍有 {live} 在使用：垃圾收集器占用 {collecting}{per_second}，却释放不了多少"
            )
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
