//! Rows of [`super::Remedy`]: limits to raise, and what is lent to come back.

macro_rules! limits_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Let the server open more files.
        #[say(
            en = "raise its limit of open files (`open_files` of the arm; LimitNOFILE of a unit, `ulimit -n`)",
            zh = "提高其可打开的文件数上限（对象的 `open_files`；systemd 单元的 LimitNOFILE，`ulimit -n`）"
        )]
        RaiseServerFiles,
        /// Raise a limit of the server.
        #[say(
            en = "raise {setting}{to? to {}{key? (`{} = {to}`{is_queue?; net.core.somaxconn caps it})|{is_queue? (net.core.somaxconn caps \
                  it)}}{is_connections?, or use fewer connections}{is_streams?, or let clients open more connections}{is_queue?, keep connections, or connect more slowly}}{brings}",
            zh = "{to?将{setting}提高到 {}{key?（`{} = {to}`{is_queue?，受 net.core.somaxconn 限制}）|{is_queue?（受 net.core.somaxconn \
                  限制）}}{is_connections?，或减少连接}{is_streams?，或让客户端打开更多连接}{is_queue?、保持连接，或放慢建立连接}|提高{setting}}{brings}",
            key = setting.arm_key(),
            is_queue = setting.name == SettingName::AcceptCount,
            is_connections = setting.name == SettingName::MaxConnections,
            is_streams = setting.name == SettingName::MaxStreams,
            brings = Brings::of(*to, *sizing, None)
        )]
        RaiseLimit {
            setting: ServerSetting,
            /// The new limit; absent where it is not known how much is needed.
            to: Option<u64>,
            /// What the new number brings; absent where that is not known.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            sizing: Option<Sizing>,
        },
        /// Raise the limit of tasks on virtual threads, on a server whose name for it is not known.
        #[say(en = "raise the limit of tasks of its virtual threads", zh = "提高其虚拟线程的任务数上限")]
        RaiseTasks,
        /// Set a property of the server.
        #[say(
            en = "set `{property}` to {to}{ignored_by?; Spring Boot {} ignores it, 4.0.3 and newer do not}{brings}",
            zh = "将 `{property}` 设为 {to}{ignored_by?；Spring Boot {} 会忽略它，4.0.3 及更新的版本不会}{brings}",
            brings = Brings::of(Some(*to), *sizing, None)
        )]
        SetProperty {
            property: String,
            to: u64,
            /// The arm's release of Spring Boot, where that ignores the property.
            ignored_by: Option<String>,
            /// What the new number brings; absent where that is not known.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            sizing: Option<Sizing>,
        },
        /// Raise the quota of CPU time.
        #[say(
            en = "allow it more CPU (`cpus = {to}`): in a container `--cpus` or the quota of its control group",
            zh = "给它更多 CPU（`cpus = {to}`）：容器的 `--cpus`，或其控制组的配额"
        )]
        RaiseCpuQuota {
            /// CPUs.
            to: Cpus,
        },
        /// Tell a JVM how many CPUs it has.
        #[say(
            en = "tell the JVM how many CPUs it has (`-XX:ActiveProcessorCount={count}`), so that its collector and compilers start no more \
                  threads than that; or allow it more CPU (`cpus = {to}`)",
            zh = "告诉 JVM 它有多少 CPU（`-XX:ActiveProcessorCount={count}`），使其收集器与编译器不会启动更多线程；或给它更多 CPU（`cpus = {to}`）"
        )]
        TellProcessors {
            /// The CPUs of its quota, rounded up.
            count: u64,
            /// CPUs.
            to: Cpus,
        },
        /// Let the application have more of what is used up, or hold each for less time.
        #[say(
            en = "{more}, or hold each for less time: give it back before waiting for something else{brings}",
            zh = "{more}，或缩短每次占用的时间：在等待其他事物之前归还{brings}",
            more = More::of(pool, *to),
            brings = Brings::of(*to, *sizing, Some(pool))
        )]
        EnlargePool {
            /// What is used up.
            pool: Bounded,
            /// How many there should be; absent where that is not known.
            to: Option<u64>,
            /// What the new number brings; absent where that is not known.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            sizing: Option<Sizing>,
        },
        /// Give back what was taken.
        #[say(
            en = "give each connection back, after an error, too (try-with-resources); a larger pool would only leak later{how?; {} tells \
                  where those were taken that nobody gave back}",
            zh = "每个连接都要归还，出错时也不例外（try-with-resources）；更大的池只会推迟泄漏{how?；{} 可指出未归还的连接是在哪里取出的}",
            how = how_to_find_leaks(product)
        )]
        GiveBack {
            /// The library of the pool.
            product: String,
        },
        /// Find out who has what was taken and not given back.
        #[say(
            en = "find out who has them: give each back in `finally`, after an error, too, and do not wait for a second one while holding one; a \
                  larger number would only be used up later{how?; {} tells where those were taken that nobody gave back}",
            zh = "找出谁占着它们：在 `finally` 中归还，出错时也不例外，且不要在持有一个时再等待第二个；更大的数量只会晚一些用尽{how?；{} \
                  可指出未归还的是在哪里取出的}",
            how = product.as_deref().and_then(how_to_find_leaks)
        )]
        FindHolders {
            /// The library that lends them; absent where it is none.
            product: Option<String>,
        },
        /// Do not wait in a pool for its own tasks.
        #[say(
            en = "do not wait in a pool for its own tasks: compose them without waiting (`CompletableFuture.thenCombine`), run them in the thread that needs them, or give them to another pool; more threads only need more requests to be used up",
            zh = "不要在线程池中等待该池自己的任务：用不等待的方式组合它们（`CompletableFuture.thenCombine`），在需要结果的线程中直接执行，或交给另一个线程池；增加线程只会在请求更多时再次用尽"
        )]
        SeparateTasks,
        /// Do not wait on the threads that handle the events of all connections.
        #[say(
            en = "do not wait on these threads: use clients that do not block, or other threads for what does (`boundedElastic`, virtual \
                  threads)",
            zh = "不要在这些线程上等待：使用非阻塞的客户端，或把会阻塞的工作交给其他线程（`boundedElastic`、虚拟线程）"
        )]
        WaitElsewhere,
        /// Let more requests through in a second.
        #[say(
            en = "raise the rate{setting? (`{}`)}, or answer at once and do the limited work later, in a queue",
            zh = "提高速率{setting?（`{}`）}，或立即应答，把受限的工作放入队列稍后处理"
        )]
        RaiseRate {
            /// The setting of the rate, where the library has one.
            setting: Option<String>,
        },
    } };
}
pub(super) use limits_rows;
