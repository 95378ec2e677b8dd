//! Findings about memory: the collector of the JVM, and the memory limit of a control group.

use super::keeper::Keeper;
use super::place::InMethod;
use super::stops::Stops;
use model::units::{Bytes, Count, Rate, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! memory_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The limit of memory of the server's control group was hit.
        MemoryLimit(MemoryShort) = "memory-limit", Explains, Application, 210;
        /// The garbage collector takes the time.
        GcPressure(Collections) = "gc-pressure", Explains, Application, 440;
        /// The heap is nearly full of what is in use, so that the collector works all the time.
        HeapNearlyFull(HeapFull) = "heap-nearly-full", Explains, Application, 220;
        /// Threads wait until the collector has freed memory.
        AllocationStall(Stalls) = "allocation-stall", Explains, Application, 230;
    } };
}

/// Collections stop the server for a good part of the time.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the collector stops the server for {share} of the time, {per_second:three} times a second, in a heap of \
          {heap}{longest?, for {} at the longest}{cpu?; it takes {} of the server's CPU, and the CPU is full}{asked}{metaspace?; {} of its pauses are for the metaspace, which is full of \
          classes, and not for the heap}{stops}{one_thread}{keeper}{garbage}",
    zh = "垃圾收集器使服务器停顿 {share} 的时间，每秒 {per_second:three} 次，堆为 {heap}{longest?，最长一次 {}}{cpu?；它占用了\
          服务器 {} 的 CPU，而 CPU 已满}{asked}{metaspace?；其中 {} 的停顿是因为元空间被类占满，而不是因为堆}{stops}{one_thread}{keeper}{garbage}"
)]
pub struct Collections {
    /// Share of the time in which they stop it.
    pub share: Share,
    /// How often they happen.
    pub per_second: Rate,
    /// Size of the heap.
    pub heap: Bytes,
    /// The longest pause; absent where no log shows it.
    pub longest: Option<Seconds>,
    /// Share of the server's CPU time that the collector takes, where that is more than the time in which it stops the
    /// server, and the CPU is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Share>,
    /// Collections that the application asks for; absent where it asks for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedFor>,
    /// Share of the pauses that come because there is no room for more classes; absent where that is less than half of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metaspace: Option<Share>,
    /// The stops that they cause; absent where they do not come at even distances, or the application asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<Stops>,
    /// What made the JVM choose a collector with one thread; absent where it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_thread: Option<OneThread>,
    /// What keeps most of what lives; absent where it is little, or was not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<Keeper>,
    /// What makes most of the garbage; absent where that was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garbage: Option<Garbage>,
}

/// What made a JVM choose Serial: it sees fewer than two CPUs, or less than 1792 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; the JVM has chosen `Serial` by itself, which collects with one thread, because it sees {processors} CPUs and {memory}",
    zh = "；JVM 自行选择了只用一个线程收集的 `Serial`，因为它看到 {processors} 个 CPU 和 {memory}"
)]
pub struct OneThread {
    pub processors: Count,
    pub memory: Bytes,
}

/// Collections that the application asks for.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; {for_direct_memory?the JDK asks for them, because direct memory has reached its limit|the application asks for them itself \
          (`System.gc`)}{at}{thread?, in thread `{}`}: every {every}, for {each}",
    zh = "；由{for_direct_memory?JDK 请求，因为直接内存已达上限|应用自己请求（`System.gc`）}{at}{thread?，线程 `{}`}：每 {every} 一次，每次 {each}"
)]
pub struct AskedFor {
    /// The method, with its line.
    #[serde(flatten)]
    pub at: InMethod,
    /// The name of its thread, with `#` for each number.
    pub thread: Option<String>,
    /// Whether the JDK asks, because no direct memory is left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_direct_memory: bool,
    /// The time from one to the next, mean.
    pub every: Seconds,
    /// The length of each.
    pub each: Seconds,
}

/// What a request allocates, and what allocates most of it.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; a request allocates {per_request}, {share} of it{at}, mostly `{class}`",
    zh = "；每个请求分配 {per_request}，其中 {share} 来自同一处{at}，主要是 `{class}`"
)]
pub struct Garbage {
    /// Bytes that a request allocates, in the mean.
    pub per_request: Bytes,
    /// The share of them that one method allocates.
    pub share: Share,
    /// The class of most of these: `byte[]`.
    pub class: String,
    /// The method: the innermost of the application, or else of a library, with its line.
    #[serde(flatten)]
    pub at: InMethod,
}

/// Threads wait until the collector has freed memory, while the others go on.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests in flight stand still until the collector{collector? ({})} has freed memory{each?, {} \
          each time}, in a heap of {heap}{live?, of which {} are in use}; no pause shows it{garbage}",
    zh = "{share} 的在途请求停滞，直到垃圾收集器{collector?（`{}`）}释放内存{each?，每次 {}}，堆为 {heap}{live?，其中 {} \
          在使用}；停顿记录中看不到它{garbage}"
)]
pub struct Stalls {
    /// Share of the requests in flight that stand still.
    pub share: Share,
    /// Length of each wait, mean; absent where the JVM does not tell.
    pub each: Option<Seconds>,
    /// The collector: `Z`.
    pub collector: Option<String>,
    /// Size of the heap.
    pub heap: Bytes,
    /// What was in use after the last collection; absent where it is not known.
    pub live: Option<Bytes>,
    /// What makes most of the garbage; absent where that was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garbage: Option<Garbage>,
}

/// The heap is nearly full of what is in use.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "after a collection {live} of the heap of {heap} are still in use: the collector takes {collecting}{per_second?, \
          {:three} times a second} and frees little{keeper}",
    zh = "垃圾收集之后，{heap} 的堆中仍有 {live} 在使用：垃圾收集器占用 {collecting}{per_second?，每秒 {:three} 次}，却释放不了多少{keeper}"
)]
pub struct HeapFull {
    /// What was in use after the last collection.
    pub live: Bytes,
    /// What there may be at most.
    pub heap: Bytes,
    /// Share of the time, or of the server's CPU time, that collections take.
    pub collecting: Share,
    /// How often collections happen; absent where they are not counted.
    pub per_second: Option<Rate>,
    /// What keeps most of it; absent where nothing does, or it was not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<Keeper>,
}

/// The limit of memory is hit, and what the kernel took back is read from disk again.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the server hit its limit of {limit} {hits} times under load, and {read:count} bytes were read from disk per request; \
          processes killed for it: {kills}{heap?; the heap may take {} of it}",
    zh = "服务器在负载下 {hits} 次达到其上限 {limit}，每个请求从磁盘读取 {read:count} 字节；因此被杀死的进程：{kills}{heap?；堆最多可占其中 {}}"
)]
pub struct MemoryShort {
    pub limit: Bytes,
    /// How often it was hit under load.
    pub hits: Count,
    /// Bytes read from disk per request.
    pub read: f64,
    /// Processes that the kernel killed for it, mean over starts.
    pub kills: Count,
    /// The most that the heap may take; absent where it is no JVM, or does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<Bytes>,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    const HEAP: Bytes = Bytes(256 << 20);

    fn garbage() -> Garbage {
        Garbage {
            per_request: Bytes(900 << 10),
            share: Share(0.63),
            class: "byte[]".to_owned(),
            at: InMethod::example(),
        }
    }

    impl Examples for Collections {
        fn examples() -> Vec<Self> {
            let collections = |longest, cpu| Self {
                share: Share(0.12),
                per_second: Rate(40.0),
                heap: HEAP,
                longest,
                cpu,
                asked: None,
                metaspace: None,
                stops: None,
                one_thread: None,
                keeper: None,
                garbage: None,
            };
            let one_thread = OneThread { processors: Count(2.0), memory: Bytes(900 << 20) };
            let asked = AskedFor {
                at: InMethod::alone(Some("shop.Cache.refresh:26".to_owned())),
                thread: Some("cache-refresh-#".to_owned()),
                for_direct_memory: false,
                every: Seconds(2.1),
                each: Seconds(0.38),
            };
            let for_direct_memory = AskedFor { for_direct_memory: true, ..asked.clone() };
            vec![
                Self { asked: Some(asked), ..collections(None, None) },
                Self { asked: Some(for_direct_memory), ..collections(None, None) },
                Self { metaspace: Some(Share(0.93)), ..collections(None, None) },
                Self { stops: Some(Stops::example()), ..collections(None, None) },
                Self { one_thread: Some(one_thread), ..collections(None, None) },
                Self { garbage: Some(garbage()), ..collections(None, None) },
                Self { keeper: Some(Keeper::example()), ..collections(None, None) },
                collections(None, None),
                collections(Some(Seconds(0.033)), None),
                collections(None, Some(Share(0.37))),
            ]
        }
    }

    impl Examples for Stalls {
        fn examples() -> Vec<Self> {
            let known = Self {
                share: Share(0.61),
                each: Some(Seconds(0.24)),
                collector: Some("Z".to_owned()),
                heap: HEAP,
                live: Some(Bytes(140 << 20)),
                garbage: None,
            };
            vec![
                Self { garbage: Some(garbage()), ..known.clone() },
                Self { each: None, collector: None, live: None, ..known.clone() },
                known,
            ]
        }
    }

    impl Examples for HeapFull {
        fn examples() -> Vec<Self> {
            let (live, collecting) = (Bytes(240 << 20), Share(0.44));
            let full = |per_second, keeper| Self { live, heap: HEAP, collecting, per_second, keeper };
            let keeper = Keeper { objects: None, ..Keeper::example() };
            vec![full(None, None), full(Some(Rate(12.0)), None), full(None, Some(keeper))]
        }
    }

    impl Examples for MemoryShort {
        fn examples() -> Vec<Self> {
            let short = Self {
                limit: Bytes(300 << 20),
                hits: Count(800.0),
                read: 8192.0,
                kills: Count(1.0),
                heap: None,
            };
            vec![short, Self { heap: Some(HEAP), ..short }]
        }
    }
}
