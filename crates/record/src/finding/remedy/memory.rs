//! Rows of [`super::Remedy`]: what to change in the memory.

macro_rules! memory_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Let go of what requests leave behind.
        #[say(en = "{mended}", zh = "{mended}", mended = Mended(*what))]
        MendLeak {
            /// What they leave behind.
            what: Leaked,
        },
        /// Bound what keeps most of the heap.
        #[say(
            en = "{bound}{to?; a larger heap ({}) only gives it more room}",
            zh = "{bound}{to?；更大的堆（{}）只是给它更多空间}",
            bound = BoundTo(*kind)
        )]
        BoundKeeper {
            /// What keeps it.
            kind: KeeperKind,
            /// The heap that would be tried otherwise; absent where it would not last either.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            to: Option<Bytes>,
        },
        /// Enlarge the heap.
        #[say(
            en = "give it more heap (`heap = \"{size}\"`), or allocate less per request",
            zh = "加大堆（`heap = \"{size}\"`），或减少每个请求分配的内存",
            size = mebibytes(*to)
        )]
        EnlargeHeap {
            /// Its size, whole MiB.
            to: Bytes,
        },
        /// Do not ask for collections.
        #[say(
            en = "do not call `System.gc()`: each call stops the server for a whole collection (`-XX:+DisableExplicitGC` ignores it)",
            zh = "不要调用 `System.gc()`：每次调用都会让服务器停下来做一次完整的收集（`-XX:+DisableExplicitGC` 可忽略它）"
        )]
        StopAskingForCollections,
        /// Do not take and leave direct memory for each request.
        #[say(
            en = "keep direct buffers and use them again (one for each thread, or a pool), or use arrays: only a collection frees direct memory; \
                  a larger `-XX:MaxDirectMemorySize` puts it off, and `-XX:+DisableExplicitGC` ends in `OutOfMemoryError`",
            zh = "保留并重复使用直接缓冲区（每线程一个，或用池），或改用数组：直接内存只能由垃圾收集释放；增大 `-XX:MaxDirectMemorySize` 只能推迟，\
                  而 `-XX:+DisableExplicitGC` 会导致 `OutOfMemoryError`"
        )]
        ReuseDirectBuffers,
        /// Give the heap more of the memory than the JVM takes by itself.
        #[say(
            en = "set the heap (`-XX:MaxRAMPercentage={percent}`, {to}): by itself the JVM takes {heap}, a quarter of the {memory} that it \
                  sees{collector?, and {}, because it sees fewer than two CPUs or less than 1792 MiB}{parallel?; `-XX:+UseParallelGC` collects with all {} \
                  CPUs that it sees}; or allocate less per request",
            zh = "设置堆大小（`-XX:MaxRAMPercentage={percent}`，即 {to}）：JVM 自行只取 {heap}，即它看到的 {memory} 的四分之一{collector?，并选择了 {}，因为它看到的 CPU 少于两个或内存少于 1792 MiB}{parallel?；`-XX:+UseParallelGC` 用它看到的 {} 个 CPU 一起收集}；或减少每个请求分配的内存"
        )]
        SizeHeap {
            /// Percent of the memory.
            percent: u64,
            /// The heap with it.
            to: Bytes,
            /// The heap that the JVM has taken.
            heap: Bytes,
            /// The memory that the JVM sees.
            memory: Bytes,
            /// The collector that it has chosen, where that is the one for small machines.
            collector: Option<String>,
            /// The CPUs that it sees, where the collector uses only one of several.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            parallel: Option<u64>,
        },
        /// Raise the limit of memory.
        #[say(
            en = "allow it more memory (`memory = \"{size}\"`), or give it a smaller heap",
            zh = "允许它使用更多内存（`memory = \"{size}\"`），或给它更小的堆",
            size = mebibytes(*to)
        )]
        RaiseMemoryLimit {
            /// The limit, whole MiB.
            to: Bytes,
        },
    } };
}
pub(super) use memory_rows;
