//! [`Remedy`]: what to change, with its numbers and the setting of the server that it concerns.

mod setting;

pub use setting::{ServerSetting, SettingName};

use super::backends::Store;
use super::connections::ClosedBy;
use super::leak::{Leaked, Mended};
use super::pools::{Bounded, More};
use super::sizing::{Brings, Sizing};
use super::work::{CpuWork, Spared};
use ask::kind::Kind;
use model::units::{Bytes, Cpus, Seconds};
use say::Say;
use serde::{Deserialize, Serialize};
use setting::{how_to_find_leaks, idle_setting, mebibytes, requests_per_connection};

/// What to change.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Remedy {
    /// Measure again: the generator was woken too late, because a hypervisor lets the machine wait or its CPU saves power.
    #[say(
        en = "measure again, or use a dedicated machine: a hypervisor that makes this machine wait has this effect, and so has a CPU that \
              saves power",
        zh = "请重新测量：虚拟机管理程序让本机等待，或 CPU 处于节能状态时都会如此；或者使用专用的机器"
    )]
    MeasureAgain,
    /// Free CPUs: other programs had the CPU that the generator needed.
    #[say(
        en = "give the generator CPUs of its own, lower the load, or use a machine that nobody else uses",
        zh = "为压测端保留专用的 CPU、降低负载，或使用没有别人使用的机器"
    )]
    FreeCpusForGenerator,
    /// Give the generator more resources, because it is the limit itself.
    #[say(
        en = "use more event loops (`shards`), give the generator CPUs of its own, or use fewer connections",
        zh = "增加事件循环（`shards`）、为压测端保留专用的 CPU，或减少连接"
    )]
    EnlargeGenerator,
    /// Use fewer local ports, or allow more.
    #[say(
        en = "keep connections (`keepalive = true`), widen net.ipv4.ip_local_port_range, or limit `connect_rate`",
        zh = "保持连接（`keepalive = true`）、扩大 net.ipv4.ip_local_port_range，或限制 `connect_rate`"
    )]
    SparePorts,
    /// Let the generator open more files.
    #[say(
        en = "raise the limit of open files of prony (`ulimit -n`)",
        zh = "提高 prony 可打开的文件数上限（`ulimit -n`）"
    )]
    RaiseGeneratorFiles,
    /// Let the server open more files.
    #[say(
        en = "raise its limit of open files (`open_files` of the arm; LimitNOFILE of a unit, `ulimit -n`)",
        zh = "提高其可打开的文件数上限（对象的 `open_files`；systemd 单元的 LimitNOFILE，`ulimit -n`）"
    )]
    RaiseServerFiles,
    /// Find out what fails, from the log of the server.
    #[say(
        en = "look into the server's log for what fails; no throughput counts while answers are wrong",
        zh = "请从服务器日志中查明失败的原因；应答正确之前，任何吞吐量都不算数"
    )]
    ReadServerLog,
    /// Let answers end where they say that they do.
    #[say(
        en = "let answers end where they say that they do: what follows is taken for the begin of the next one. Look for a Content-Length in \
              characters instead of bytes, a body after 204 or 304 or of HEAD, and what writes behind the answer",
        zh = "让应答在其声明之处结束：其后的字节会被当作下一个应答的开头。请检查 Content-Length 是否按字符而非字节计算、204、304 或 HEAD \
              的应答是否带有正文，以及是什么在应答之后继续写入"
    )]
    EndAnswers,
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
        /// The limit.
        setting: ServerSetting,
        /// The new limit; absent where it is not known how much is needed.
        to: Option<u64>,
        /// What the new number brings; absent where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sizing: Option<Sizing>,
    },
    /// Let clients have more connections of HTTP/2.
    #[say(
        en = "let clients open more connections (`streams` of the load): what serves a connection does not share its work",
        zh = "让客户端打开更多连接（负载的 `streams`）：处理一个连接的工作不会由多个线程分担"
    )]
    UseMoreConnections,
    /// Let the server take more of a body before it has read it.
    #[say(
        en = "enlarge the server's window of {of_connection?a connection|a stream}{setting? (`{}`)}, or read bodies sooner",
        zh = "增大服务器{of_connection?连接|流}的窗口{setting?（`{}`）}，或更快地读取正文"
    )]
    WidenWindow {
        /// Whether the window is that of the connection.
        of_connection: bool,
        /// What the server calls its size; absent where that is not known.
        setting: Option<String>,
    },
    /// Let connections of HTTP/2 live on.
    #[say(
        en = "{is_defence?the server takes the load for an attack: send larger frames and fewer resets, or allow more of \
              them{is_tomcat? (`overheadCountFactor`, `overheadDataThreshold` and others of the UpgradeProtocol)}|let a connection serve any \
              number of requests, and live as long as clients need it}",
        zh = "{is_defence?服务器将负载视为攻击：发送更大的帧、减少重置，或放宽限制{is_tomcat?（UpgradeProtocol 的 \
              `overheadCountFactor`、`overheadDataThreshold` 等）}|让一个连接处理任意多的请求，并按客户端的需要保持}",
        is_tomcat = *server == Kind::Tomcat
    )]
    LetConnectionsLive {
        /// The server that ends them.
        server: Kind,
        /// Whether it ends them with an error.
        is_defence: bool,
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
    /// Keep connections after a request.
    #[say(
        en = "let clients keep their connections (`keepalive = true`)",
        zh = "让客户端保持连接（`keepalive = true`）"
    )]
    KeepConnections,
    /// Find out who closes connections.
    #[say(
        en = "look for `Connection: close` in its answers: a filter, a proxy, HTTP/1.0, or keep-alive switched off",
        zh = "检查其应答中的 `Connection: close`：可能来自过滤器、代理、HTTP/1.0，或 keep-alive 被关闭"
    )]
    FindWhoCloses,
    /// Keep connections open for longer than users pause.
    #[say(
        en = "keep idle connections for longer than users pause (`keepAliveTimeout`, an idle timeout), or look for `Connection: close` in \
              its answers",
        zh = "让空闲连接保持得比用户的停顿更久（`keepAliveTimeout`、空闲超时），或检查其应答中是否有 `Connection: close`"
    )]
    KeepIdleConnections,
    /// Let a connection serve any number of requests.
    #[say(
        en = "{limit?set {} to -1|let a connection serve any number of requests}",
        zh = "{limit?将 {} 设为 -1|让一个连接处理任意多的请求}",
        limit = requests_per_connection(*server)
    )]
    LiftRequestsPerConnection {
        /// The server that limits them.
        server: Kind,
    },
    /// Keep connections, so that fewer handshakes are needed.
    #[say(
        en = "keep connections open{by_server?: the server closes them, see keepalive-not-effective| (`keepalive = true`), as browsers and \
              proxies do}",
        zh = "保持连接{by_server?：连接由服务器关闭，见 keepalive-not-effective|（`keepalive = true`），浏览器与代理都是如此}",
        by_server = *closed_by == ClosedBy::Server
    )]
    SpareHandshakes {
        /// The side that ends them.
        closed_by: ClosedBy,
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
    /// Measure while the machine is quiet.
    #[say(
        en = "measure when the host is quiet, on a dedicated machine, or for longer: the arms meet the same noise in turn",
        zh = "请在主机空闲时测量、使用专用机器，或延长时间：各对象轮流面对同样的噪声"
    )]
    MeasureWhenQuiet,
    /// Let the warm-up last longer.
    #[say(en = "set a longer `warmup` and `warmup_cap`", zh = "加长 `warmup` 与 `warmup_cap`")]
    WarmUpLonger,
    /// Change nothing: the CPU is full because a closed loop asks as fast as it is answered.
    #[say(
        en = "nothing is wrong: this is what it can do; less CPU per request or more CPUs raise it",
        zh = "没有问题：这就是它的能力；降低每请求 CPU 或增加 CPU 可以提高"
    )]
    AcceptFullCpu,
    /// Do not let Redis go through all of its keys.
    #[say(
        en = "do not ask for `KEYS` in a request: Redis goes through all of its keys for it, in its only thread, and every other client waits; \
              keep a set of what is asked for (`SADD`, `SCARD`), or `SCAN` beside the requests",
        zh = "不要在请求中使用 `KEYS`：Redis 要在唯一的线程中遍历所有键，其他客户端都得等待；请用集合保存要查询的内容（`SADD`、`SCARD`），\
              或在请求之外使用 `SCAN`"
    )]
    AvoidKeys,
    /// Send each question in one piece.
    #[say(
        en = "40 ms is how long the other side may wait with its acknowledgement: a client that writes a question in two small pieces has to wait \
              for it before the second one (Nagle's algorithm); write it in one piece, or set TCP_NODELAY; only if that is not it, make the \
              service faster",
        zh = "40 ms 正是对方可能延迟确认的时间：客户端若分两小段写出请求，第二段要等到前一段被确认（Nagle 算法）；请一次写出，或设置 \
              TCP_NODELAY；若不是这个原因，再去加快该服务"
    )]
    WriteAtOnce,
    /// Change nothing: a service that answers quickly takes its time all the same.
    #[say(
        en = "nothing is wrong: so quick a service takes its time, and more users at the same time get more answers",
        zh = "没有问题：响应这么快的服务也需要时间，同时的用户更多，得到的应答就更多"
    )]
    AcceptAnswers,
    /// Nothing is wrong, but the generator uses much of the same CPUs.
    #[say(
        en = "nothing is wrong, but the generator uses a part of the same CPUs: the server alone could do more; on a machine with four \
              CPUs or more the generator has its own",
        zh = "没有问题，但压测端占用了同一批 CPU 的一部分：服务器单独运行时能做得更多；机器有四个或更多 CPU 时，压测端会使用专用的 CPU"
    )]
    AcceptSharedCpu,
    /// Use less CPU or add some: the server cannot hold the load with the CPU that it has.
    #[say(
        en = "it cannot hold this rate: less CPU per request or more CPUs raise it",
        zh = "它承受不了这个速率：降低每请求 CPU 或增加 CPU 可以提高"
    )]
    SpareCpu,
    /// Do less of what the CPU time is used for.
    #[say(
        en = "{spared}; without it at most {times:.1} times as many requests",
        zh = "{spared}；若完全去掉，请求数最多为原来的 {times:.1} 倍",
        spared = Spared { work: *work, method: method.as_deref() }
    )]
    SpareWork {
        /// The kind of work; absent where no rule knows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        work: Option<CpuWork>,
        /// The method of the application that does it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<String>,
        /// How many times as many requests the same CPU would answer without it (Amdahl's law).
        times: f64,
    },
    /// Let go of what requests leave behind.
    #[say(en = "{mended}", zh = "{mended}", mended = Mended(*what))]
    MendLeak {
        /// What they leave behind.
        what: Leaked,
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
    /// Give the code of the JVM's compilers more room.
    #[say(
        en = "give the compiled code more room (`-XX:ReservedCodeCacheSize`; 240 MiB are the default, and takes memory only as it fills), and leave `-XX:+UseCodeCacheFlushing` on",
        zh = "给编译后的代码更多空间（`-XX:ReservedCodeCacheSize`；默认 240 MiB，只在填充时才占用内存），并保持 `-XX:+UseCodeCacheFlushing` 开启"
    )]
    EnlargeCodeCache,
    /// Widen the link, or send less over it.
    #[say(
        en = "use a wider link or smaller answers (compression); servers can only be compared where the link is not full",
        zh = "使用带宽更大的链路，或减小应答（压缩）；只有在链路未满时才能比较服务器"
    )]
    WidenLink,
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
    /// Ask the service behind the server less often, or make it faster.
    #[say(
        en = "make that service faster, ask it less often (a cache, several keys at once), or send it more requests at the same time",
        zh = "提高该服务的速度、减少对它的请求（缓存、一次取多个键），或提高对它的并发请求数"
    )]
    RelieveBackend,
    /// Ask another program for many things at once.
    #[say(
        en = "{store}{at_most?; without these round trips there would be at most {:.1} times as many requests}",
        zh = "{store}{at_most?；若没有这些往返，吞吐量最多为现在的 {:.1} 倍}"
    )]
    AskTogether {
        /// What it is.
        store: Store,
        /// The most by which throughput would grow, as a factor (Amdahl's law); absent where requests do nothing else.
        at_most: Option<f64>,
    },
    /// Ask other programs at the same time.
    #[say(
        en = "ask side by side what does not depend on one another (`CompletableFuture`, structured concurrency): then the slowest answer \
              counts, and not the sum; or ask less often (a cache, several keys at once)",
        zh = "并行发出互不依赖的调用（`CompletableFuture`、结构化并发）：这样只计最慢的应答，而不是总和；或减少请求（缓存、一次取多个键）"
    )]
    AskSideBySide,
    /// Keep the addresses of names.
    #[say(
        en = "keep its connections open, or the addresses that were found: the JVM does so for 30 s, but not with \
              `networkaddress.cache.ttl=0`, and names that do not exist for 10 s; let the resolver be near (a local cache), and end full names \
              with a dot where search domains are tried first (`ndots`)",
        zh = "保持连接，或缓存解析到的地址：JVM 默认缓存 30 s，但设置 `networkaddress.cache.ttl=0` \
              时不缓存，不存在的主机名只缓存 10 s；就近使用解析器（本地缓存），若先尝试搜索域（`ndots`），完整域名请以点结尾"
    )]
    KeepAddresses,
    /// Keep the connections to another program.
    #[say(
        en = "{pool?let {} keep as many idle connections as are used at a time{idle?: `{}` as large as the pool|, and for longer than users pause}; what it gets back beyond that it closes, and the next request has to open it again|{is_sql?take connections from a pool (HikariCP, DBCP) and give them back|make the client once, not for each call, and let it keep its connections: no \
              `Connection: close`, answers read to their end, enough idle connections{tls?, sessions of TLS that are resumed}}}",
        zh = "{pool?让 {} 保留的空闲连接与同时使用的一样多{idle?：将 `{}` 设为与池一样大|，且保留得比用户的停顿更久}；超出的连接一归还就被关闭，\
              下一个请求又得重新建立|{is_sql?从连接池（HikariCP、DBCP）获取连接并归还|只创建一次客户端，而不是每次调用都创建，并让它保持连接：\
              不使用 `Connection: close`，把应答读完，保留足够的空闲连接{tls?，恢复 TLS 会话}}}",
        is_sql = *store == Store::Sql,
        idle = pool.as_deref().and_then(idle_setting)
    )]
    KeepBackendConnections {
        /// What the connections go to.
        store: Store,
        /// Whether each begins with a TLS handshake.
        tls: bool,
        /// The library of a pool that closes what it gets back; absent where none does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pool: Option<String>,
    },
    /// Let one request compute what many want.
    #[say(
        en = "let one of them compute it while the others wait for that one or take the old value: a cache that loads once for a key (`LoadingCache`, `computeIfAbsent`, `@Cacheable(sync = true)`), or a refresh ahead of its end (`refreshAfterWrite`)",
        zh = "只让其中一个去计算，其他的等待它的结果或使用旧值：每个键只加载一次的缓存（`LoadingCache`、`computeIfAbsent`、`@Cacheable(sync = true)`），或在到期之前刷新（`refreshAfterWrite`）"
    )]
    ComputeOnce,
    /// Repeat fewer calls, and later.
    #[say(
        en = "repeat less and later: wait longer after each refusal, by a random part (and as long as `Retry-After` says), repeat only a small share of all calls (a budget, a circuit breaker), and have no more calls in flight than it takes",
        zh = "少重试、晚重试：每次被拒后等待更久并加入随机量（若有 `Retry-After` 则照做），只允许小部分调用重试（重试预算、熔断器），且同时在途的调用不超过它能接受的数量"
    )]
    RetryLess,
    /// Find out how a database executes a statement.
    #[say(
        en = "look at its plan (`EXPLAIN (ANALYZE, BUFFERS)`): {table?an index of `{}` for what it asks for|an index, fewer rows, fresh \
              statistics (`ANALYZE`)}; or ask it less often",
        zh = "查看它的执行计划（`EXPLAIN (ANALYZE, BUFFERS)`）：{table?为 `{}` 的查询条件建立索引|建立索引、减少行数、更新统计信息（`ANALYZE`）}；或减少执行次数"
    )]
    ExplainStatement {
        /// The table that is read without an index.
        table: Option<String>,
    },
    /// Hold locks of a database for less time.
    #[say(
        en = "end the transaction sooner: change what all share last, and do nothing else between that and the commit; or let each change a \
              row of its own (an append, a sum over several counters)",
        zh = "尽早结束事务：最后才修改共享的行，并且在修改与提交之间不做别的事；或让每个请求修改各自的行（追加、多个计数器求和）"
    )]
    EndTransactionSooner,
    /// Let the client of the application do its work.
    #[say(
        en = "give the client threads enough (its executor), do nothing slow in its callbacks, and share one client instead of many",
        zh = "为该客户端提供足够的线程（其执行器），不要在其回调中做耗时的工作，并共用一个客户端，而不是创建多个"
    )]
    FreeClient,
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
    /// Give the load and other programs CPUs of their own.
    #[say(
        en = "the load and what else runs here take more CPU than the server: give them CPUs of their own, or run fewer arms at once",
        zh = "压测端和机器上的其他程序比服务器占用更多 CPU：请为它们提供各自的 CPU，或减少同时运行的对象"
    )]
    SeparateCpus,
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
}

impl Remedy {
    /// Whether it only accepts what was found.
    pub const fn accepts(&self) -> bool {
        matches!(self, Self::AcceptFullCpu | Self::AcceptSharedCpu | Self::AcceptAnswers)
    }
}

#[cfg(test)]
mod tests;
