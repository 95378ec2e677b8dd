//! Rows of [`super::Remedy`]: what to do about what requests wait for inside the server.

macro_rules! waits_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Hold a lock for less time.
        #[say(
            en = "hold the lock for less, or not at all: another structure, a lock for each key, ReentrantReadWriteLock",
            zh = "缩短持锁时间，或不用锁：换用其他结构、每个键一把锁、ReentrantReadWriteLock"
        )]
        HoldLockShorter,
        /// Hold a write lock for less time.
        #[say(
            en = "hold the write lock for less: prepare the new state outside it and only put it in place under it, or keep an immutable \
                  copy in a `volatile` field, which readers need no lock for",
            zh = "缩短持有写锁的时间：在锁外准备好新状态，持锁时只做替换；或用 `volatile` 字段保存不可变副本，读取时无需加锁"
        )]
        HoldWriteLockShorter,
        /// Let a task hold a lock for less time.
        #[say(
            en = "let this task prepare its result without the lock and take the lock only to put it in place, or keep an immutable copy in a \
                  `volatile` field, which needs no lock",
            zh = "让该任务在锁外准备结果，持锁时只做替换；或用 `volatile` 字段保存不可变副本，无需加锁"
        )]
        PrepareOutsideLock,
        /// Do not ask another program under a lock.
        #[say(
            en = "do not ask another program under the lock: keep the old value in a `volatile` field and serve it until the new one is there, renew it \
                  ahead of its end in a task of its own (check that it is not renewed earlier than it has to be), or ask before the lock is taken and \
                  only put the answer in place under it",
            zh = "不要在持锁时请求其他程序：用 `volatile` 字段保存旧值，新值到达之前继续使用旧值，由单独的任务在到期之前更新（并检查它是否被\
                  不必要地提前更新），或在获取锁之前请求，持锁时只放入结果"
        )]
        AskOutsideLock,
        /// Find out what runs at even distances.
        #[say(
            en = "look for what runs every {every}: a scheduled task, a refresh of a cache, the rotation of a log; thread dumps during a stop \
                  show who works meanwhile",
            zh = "查找每 {every} 运行一次的工作：定时任务、缓存刷新、日志轮转；停顿期间的线程转储会显示其间谁在工作"
        )]
        FindPeriodic {
            /// The time from one stop to the next.
            every: Seconds,
        },
        /// Take locks in one order.
        #[say(
            en = "take these locks in one order everywhere (by an id, say), or hold only one of them at a time; until then only a restart \
                  frees the threads",
            zh = "在所有地方以同一顺序获取这些锁（例如按编号），或同时只持有一把；在此之前只有重启才能释放这些线程"
        )]
        OrderLocks,
        /// Use a JDK whose virtual threads release their carriers.
        #[say(
            en = "use JDK 24 or newer (`jdk = 25`), where virtual threads release their carriers within `synchronized`; on an older one use \
                  ReentrantLock",
            zh = "使用 JDK 24 或更新的版本（`jdk = 25`），虚拟线程在 `synchronized` 中会释放载体线程；在更旧的版本上请使用 ReentrantLock"
        )]
        UseNewerJdk,
        /// Write the access log buffered, by a key of the arm.
        #[say(
            en = "write the access log buffered (`access_log = true`), or to a faster disk",
            zh = "为访问日志启用缓冲（`access_log = true`），或使用更快的磁盘"
        )]
        BufferAccessLog,
        /// Do not let requests wait for whoever takes the log.
        #[say(
            en = "next to nothing is written, so it is not the disk: the log waits for whoever takes it (a collector, a socket, a full queue); put it \
                  behind an asynchronous appender that drops lines instead of waiting (`neverBlock`, `discardingThreshold`), or write to a file and \
                  ship it from there",
            zh = "几乎没有写出内容，因此不是磁盘的问题：日志在等待接收方（收集器、套接字或已满的队列）；请放到异步 appender 之后，并让它丢弃而不是等待\
                  （`neverBlock`、`discardingThreshold`），或写入文件后再转发"
        )]
        LogWithoutWaiting,
        /// Write files buffered, or in another thread.
        #[say(
            en = "write buffered or from a thread of its own{how? (an access log: {})}, or to a faster disk",
            zh = "使用缓冲或由单独的线程写入{how?（访问日志：{}）}，或使用更快的磁盘",
            how = server.facts().buffered_log
        )]
        WriteLater {
            /// The server that writes.
            server: Kind,
        },
        /// Wait for the disk once for what several requests wrote.
        #[say(
            en = "wait for the disk once for what many requests wrote (group commit), or do not wait for it, or use a disk with a protected \
                  cache",
            zh = "让多个请求写入的内容一起落盘（组提交）、不等待落盘，或使用带掉电保护缓存的磁盘"
        )]
        SyncTogether,
        /// Look at what the server's threads wait for.
        #[say(
            en = "a thread dump under this load shows what its threads wait for (`jcmd PID Thread.print`)",
            zh = "在此负载下做一次线程转储，可看到线程在等待什么（`jcmd PID Thread.print`）"
        )]
        DumpThreads,
        /// Look at the places where most requests are.
        #[say(
            en = "look at what the largest of these waits for: only the application knows why",
            zh = "请查看其中占比最大的在等待什么：原因只有应用自己知道"
        )]
        LookAtPlaces,
    } };
}
pub(super) use waits_rows;
