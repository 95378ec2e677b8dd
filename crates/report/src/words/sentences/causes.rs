//! What limited a server, the numbers behind it, what to change.

/// English and Chinese. Where two fit, the earlier one is taken.
pub(super) const PAIRS: &[(&str, &str)] = &[
    // lab::diagnose::client
    (
        "the generator could not keep up in {share} of the slices{why}",
        "压测端在 {share} 的切片中跟不上{why}",
    ),
    (": {why}", "：{why}"),
    (
        "it used {used} CPUs only and got none when it needed one: others had them",
        "它只用了 {used} 个 CPU，需要时却得不到：CPU 被别人占用",
    ),
    (
        "it used {used} CPUs only and was woken too late, though {idle} of the CPU time was idle",
        "它只用了 {used} 个 CPU，却被唤醒得太晚，而 {idle} 的 CPU 时间是空闲的",
    ),
    (
        "measure again: so does a hypervisor that lets this machine wait, and a CPU that saves power; or use a machine of its own",
        "请重新测量：虚拟机管理程序让本机等待，或 CPU 处于节能状态时都会如此；或者使用专用的机器",
    ),
    (
        "CPUs of its own for the generator, less load, or a machine that nobody else uses",
        "为压测端保留专用的 CPU、降低负载，或使用没有别人使用的机器",
    ),
    (
        "more event loops (`shards`), CPUs of its own for the generator, or fewer connections",
        "更多事件循环（`shards`）、为压测端保留专用的 CPU，或减少连接",
    ),
    (
        "{failed} connections could not be opened for want of a local port ({share} of the requests): each port rests for a minute after its connection was closed",
        "{failed} 个连接因没有本地端口而无法建立（占请求的 {share}）：连接关闭后，其端口要闲置一分钟",
    ),
    (
        "keep connections (`keepalive = true`), widen net.ipv4.ip_local_port_range, or limit `connect_rate`",
        "保持连接（`keepalive = true`）、扩大 net.ipv4.ip_local_port_range，或限制 `connect_rate`",
    ),
    (
        "{failed} connections could not be opened, because the generator had no descriptor left ({share} of the requests)",
        "{failed} 个连接因压测端的文件描述符用尽而无法建立（占请求的 {share}）",
    ),
    (
        "raise the limit of open files of prony (`ulimit -n`)",
        "提高 prony 可打开的文件数上限（`ulimit -n`）",
    ),
    (
        "the server has {open} of {limit} files and sockets open, and {what}: it accepts no connection more",
        "服务器已打开 {limit} 个文件与套接字中的 {open} 个，{what}：它不再接受新的连接",
    ),
    (
        "{left_out} of {users} users are not served",
        "{users} 个用户中有 {left_out} 个得不到服务",
    ),
    ("{share} of the requests failed", "{share} 的请求失败"),
    (
        "raise its limit of open files (`open_files` of the arm; LimitNOFILE of a unit, `ulimit -n`)",
        "提高其可打开的文件数上限（对象的 `open_files`；systemd 单元的 LimitNOFILE，`ulimit -n`）",
    ),
    (
        "{share} of the requests failed, in {each} each{slower}: {kinds}",
        "{share} 的请求失败，每个用时 {each}{slower}：{kinds}",
    ),
    ("; right answers took {time}", "，正确应答用时 {time}"),
    (
        "look into the server's log for what fails; no throughput counts before it is right",
        "请从服务器日志中查明失败的原因；应答正确之前，任何吞吐量都不算数",
    ),
    // lab::diagnose::connections
    (
        "the server holds {most} connections and there are {users} users: {waiting} of them wait outside, {given_up} requests were given up",
        "服务器最多保持 {most} 个连接，而用户有 {users} 个：其中 {waiting} 个在外面等待，{given_up} 个请求被放弃",
    ),
    (
        "raise {what} to {wanted} (`max_connections = {wanted}`), or use fewer connections",
        "将{what}提高到 {wanted}（`max_connections = {wanted}`），或减少连接",
    ),
    (
        "{per} connections per request: the load asks for `keepalive = false`",
        "每个请求 {per} 个连接：负载设置了 `keepalive = false`",
    ),
    (
        "let clients keep their connections (`keepalive = true`)",
        "让客户端保持连接（`keepalive = true`）",
    ),
    (
        "{per} connections per request, although the load keeps them: the server closes each",
        "每个请求 {per} 个连接，尽管负载保持连接：服务器每次都将其关闭",
    ),
    (
        "look for `Connection: close` in its answers: a filter, a proxy, HTTP/1.0, or keep-alive switched off",
        "检查其应答中的 `Connection: close`：可能来自过滤器、代理、HTTP/1.0，或 keep-alive 被关闭",
    ),
    (
        "the server closes a connection after {each} requests: {opened} were opened again for {requests} requests",
        "服务器在 {each} 个请求之后关闭连接：{requests} 个请求重新建立了 {opened} 个连接",
    ),
    (
        "let a connection serve any number of requests",
        "让一个连接处理任意多的请求",
    ),
    (
        "set the Connector's `maxKeepAliveRequests` to -1",
        "将 Connector 的 `maxKeepAliveRequests` 设为 -1",
    ),
    (
        "set `server.tomcat.max-keep-alive-requests` to -1",
        "将 `server.tomcat.max-keep-alive-requests` 设为 -1",
    ),
    // lab::diagnose::cpu
    (
        "the server used {used} of the {quota} CPUs of its quota{waited}; the machine has {cpus}",
        "服务器用了 {quota} 个 CPU 配额中的 {used} 个{waited}；机器有 {cpus} 个",
    ),
    (
        " and had to wait in {share} of all periods",
        "，并在 {share} 的周期中不得不等待",
    ),
    (
        "allow it more CPU (`cpus = {wanted}`): in a container `--cpus` or the quota of its control group",
        "给它更多 CPU（`cpus = {wanted}`）：容器的 `--cpus`，或其控制组的配额",
    ),
    (
        "programs that are no part of this run took {share} of the CPU time",
        "与本次运行无关的程序占用了 {share} 的 CPU 时间",
    ),
    (
        "the hypervisor took {share} of the CPU time that was wanted here, and the generator was late for it",
        "虚拟机管理程序占用了本机所需 CPU 时间的 {share}，压测端因此迟到",
    ),
    (
        "the hypervisor took {share} of the CPU time for somebody else",
        "虚拟机管理程序将 {share} 的 CPU 时间给了别人",
    ),
    (
        "the hypervisor spoilt {share} of the starts",
        "虚拟机管理程序使 {share} 的启动作废",
    ),
    (
        "measure when the host is quiet, on a dedicated machine, or for longer: the arms meet the same noise in turn",
        "请在主机空闲时测量、使用专用机器，或延长时间：各对象轮流面对同样的噪声",
    ),
    (
        "compilers use {share} of the server's CPU: the JVM is still warming up",
        "编译器占用了服务器 {share} 的 CPU：JVM 仍在预热",
    ),
    (
        "a longer `warmup` and `warmup_cap`",
        "加长 `warmup` 与 `warmup_cap`",
    ),
    (
        "the CPU is full: the server uses {used} of {cpus} CPUs{groups} at {each} a request, the generator {generator}",
        "CPU 已满：服务器用了 {cpus} 个 CPU 中的 {used} 个{groups}，每请求 {each}，压测端 {generator} 个",
    ),
    (
        " ({application} application, {kernel} kernel, {jit} JIT, {gc} GC)",
        "（应用 {application}，内核 {kernel}，JIT {jit}，GC {gc}）",
    ),
    (
        "nothing is wrong: this is what it can do",
        "没有问题：这就是它的能力",
    ),
    ("it cannot hold this rate: {more}", "它承受不了这个速率：{more}"),
    (
        "less CPU per request or more CPUs raise it",
        "降低每请求 CPU 或增加 CPU 可以提高",
    ),
    // lab::diagnose::memory
    (
        "the collector stops the server for {share} of the time, {collections} times a second, in a heap of {heap}, for {longest} at the longest",
        "垃圾收集器使服务器停顿 {share} 的时间，每秒 {collections} 次，堆为 {heap}，最长一次 {longest}",
    ),
    (
        "the collector stops the server for {share} of the time, {collections} times a second, in a heap of {heap}",
        "垃圾收集器使服务器停顿 {share} 的时间，每秒 {collections} 次，堆为 {heap}",
    ),
    (
        "give it more heap (`heap = \"{wanted}\"`), or allocate less per request",
        "加大堆（`heap = \"{wanted}\"`），或减少每个请求分配的内存",
    ),
    (
        "the server hit its limit of {size} {unit} {hits} times under load, and {read} bytes were read from disk per request; processes killed for it: {kills}",
        "服务器在负载下 {hits} 次达到其上限 {size} {unit}，每个请求从磁盘读取 {read} 字节；因此被杀死的进程：{kills}",
    ),
    (
        "allow it more memory (`memory = \"{wanted}\"`), or give it a smaller heap",
        "允许它使用更多内存（`memory = \"{wanted}\"`），或给它更小的堆",
    ),
    // lab::diagnose::network
    (
        "a wider link, or smaller answers (compression)",
        "更宽的链路，或更小的应答（压缩）",
    ),
    (
        "servers are compared where it is not full",
        "比较服务器应在链路未满时进行",
    ),
    (
        "{each} TLS handshakes per request ({resumed} of them resumed): handshakes were measured, not requests",
        "每个请求 {each} 次 TLS 握手（其中 {resumed} 为会话恢复）：测到的是握手，不是请求",
    ),
    (
        "keep connections open: the server closes them, see keepalive-not-effective",
        "保持连接：连接由服务器关闭，见 keepalive-not-effective",
    ),
    (
        "keep connections open (`keepalive = true`), as browsers and proxies do",
        "保持连接（`keepalive = true`），浏览器与代理都是如此",
    ),
    // lab::diagnose::queue
    (
        "the accept queue of {limit} overflowed {overflows} times: {late} of the connects took a second or more, {on_time} of them as long as this kernel waits before it sends SYN again ({times} s); {missing} of the users were connecting at any moment",
        "长度为 {limit} 的 accept 队列溢出了 {overflows} 次：{late} 的连接用时一秒以上，其中 {on_time} 与本机内核重发 SYN 的间隔（{times} s）相符；任一时刻有 {missing} 的用户正在建立连接",
    ),
    (
        "while {users} users connected at once the accept queue of {limit} overflowed {overflows} times: SYN was sent again {again} times, a second and more later ({times} s); all were connected before anything was counted",
        "{users} 个用户同时建立连接时，长度为 {limit} 的 accept 队列溢出了 {overflows} 次：SYN 在一秒以上之后（{times} s）重发了 {again} 次；计数开始之前全部连接均已建立",
    ),
    (
        "raise {what} to {wanted} (`accept_count = {wanted}`; net.core.somaxconn caps it), keep connections, or connect more slowly",
        "将{what}提高到 {wanted}（`accept_count = {wanted}`，受 net.core.somaxconn 限制）、保持连接，或放慢建立连接",
    ),
    // lab::diagnose::threads
    (
        "ceiling {rate}/s = {slots} / {each}: of {all} requests in flight {waiting} wait for their turn, and the CPU is {busy} in use",
        "上限 {rate}/s = {slots} / {each}：{all} 个在途请求中有 {waiting} 个在排队，而 CPU 使用率为 {busy}",
    ),
    (
        "{slots} requests at once, its default on virtual threads",
        "同时 {slots} 个请求（虚拟线程的默认值）",
    ),
    (
        "{slots} requests at once on virtual threads",
        "同时 {slots} 个请求（虚拟线程）",
    ),
    ("{slots} threads", "{slots} 个线程"),
    (
        "raise {what} to {wanted} (`threads = {wanted}`)",
        "将{what}提高到 {wanted}（`threads = {wanted}`）",
    ),
    ("set `{property}` to {wanted}", "将 `{property}` 设为 {wanted}"),
    (
        "Spring Boot {version} ignores it, 4.0.3 and newer do not",
        "Spring Boot {version} 会忽略它，4.0.3 及更新的版本不会",
    ),
    (
        "raise the limit of tasks of its virtual threads",
        "提高其虚拟线程的任务数上限",
    ),
    // lab::diagnose::unknown
    (
        "limit not found: {now} users get {rate}/s where {users} got {before}/s",
        "未找到瓶颈：{now} 个用户得到 {rate}/s，{users} 个用户时为 {before}/s",
    ),
    (
        "limit not found: at {rate}/s {objective} is missed",
        "未找到瓶颈：在 {rate}/s 时未满足 {objective}",
    ),
    (
        "ruled out: CPU ({busy} in use), generator ({generator} of a core), collector ({collector}), connections ({opened} opened), errors ({wrong})",
        "已排除：CPU（使用率 {busy}）、压测端（单核的 {generator}）、垃圾收集器（{collector}）、连接（建立了 {opened} 个）、错误（{wrong} 个）",
    ),
    (
        "ruled out: generator ({generator} of a core), collector ({collector}), connections ({opened} opened), errors ({wrong})",
        "已排除：压测端（单核的 {generator}）、垃圾收集器（{collector}）、连接（建立了 {opened} 个）、错误（{wrong} 个）",
    ),
    (
        "the CPU is {busy} in use, and the server uses {own} of the machine",
        "CPU 使用率 {busy}，服务器占整机的 {own}",
    ),
    (
        "the load and what else runs here take more CPU than the server: give them CPUs of their own, or run fewer arms at once",
        "压测端和机器上的其他程序比服务器占用更多 CPU：请为它们提供各自的 CPU，或减少同时运行的对象",
    ),
    ("no JVM", "没有 JVM"),
    (
        "a thread dump under this load shows what its threads wait for (`jcmd PID Thread.print`)",
        "在此负载下做一次线程转储，可看到线程在等待什么（`jcmd PID Thread.print`）",
    ),
    // lab::diagnose::waits
    (
        "{share} of the requests in flight wait for one lock, {lock}, {each} each time; the CPU is {busy} in use",
        "{share} 的在途请求在等待同一把锁 {lock}，每次 {each}；CPU 使用率为 {busy}",
    ),
    (
        "hold the lock for less, or not at all: another structure, a lock for each key, ReentrantReadWriteLock",
        "缩短持锁时间，或不用锁：换用其他结构、每个键一把锁、ReentrantReadWriteLock",
    ),
    (
        "virtual threads hold {held} of {carriers} carriers while they wait ({lock}): the others cannot run, and the CPU is {busy} in use",
        "虚拟线程在等待时占住了 {carriers} 个载体线程中的 {held} 个（{lock}）：其他虚拟线程无法运行，而 CPU 使用率为 {busy}",
    ),
    (
        "JDK 24 or newer (`jdk = 25`) lets go within `synchronized`",
        "JDK 24 及更新的版本（`jdk = 25`）在 `synchronized` 中会让出载体线程",
    ),
    (
        "on older ones use ReentrantLock",
        "在更旧的版本上请使用 ReentrantLock",
    ),
    (
        "{share} of the requests in flight wait for {backend}, which takes {each} to answer; the CPU is {busy} in use",
        "{share} 的在途请求在等待 {backend}，它的应答用时 {each}；CPU 使用率为 {busy}",
    ),
    (
        "make that faster, ask it less often (a cache, several keys at once), or more of it at the same time",
        "使其更快、减少对它的请求（缓存、一次取多个键），或同时多发一些请求",
    ),
    (
        "{share} of the requests in flight wait until {file} is written, {each} each time, {bytes} bytes per request",
        "{share} 的在途请求在等待写入 {file}，每次 {each}，每个请求 {bytes} 字节",
    ),
    (
        "write the access log buffered (`access_log = true`), or to a faster disk",
        "为访问日志启用缓冲（`access_log = true`），或使用更快的磁盘",
    ),
    (
        "write buffered or from a thread of its own (an access log: {how}), or to a faster disk",
        "使用缓冲或由单独的线程写入（访问日志：{how}），或使用更快的磁盘",
    ),
    (
        "write buffered or from a thread of its own, or to a faster disk",
        "使用缓冲或由单独的线程写入，或使用更快的磁盘",
    ),
    // lab::diagnose::remedy, after all that begins alike
    ("raise {what}", "提高{what}"),
    (
        "the AccessLogValve's `buffered=\"true\"`",
        "AccessLogValve 的 `buffered=\"true\"`",
    ),
    ("the Connector's `maxThreads`", "Connector 的 `maxThreads`"),
    (
        "`jetty.threadPool.maxThreads` (QueuedThreadPool maxThreads)",
        "`jetty.threadPool.maxThreads`（QueuedThreadPool 的 maxThreads）",
    ),
    (
        "the worker's threads (`Undertow.Builder.setWorkerThreads`)",
        "工作线程数（`Undertow.Builder.setWorkerThreads`）",
    ),
    ("the limit of its worker threads", "其工作线程数上限"),
    (
        "the Connector's `maxConnections`",
        "Connector 的 `maxConnections`",
    ),
    (
        "the worker's `Options.CONNECTION_HIGH_WATER`",
        "工作线程的 `Options.CONNECTION_HIGH_WATER`",
    ),
    ("the limit of its connections", "其连接数上限"),
    ("the Connector's `acceptCount`", "Connector 的 `acceptCount`"),
    (
        "the accept queue (`ServerConnector.setAcceptQueueSize`: Spring Boot has no property for it)",
        "accept 队列（`ServerConnector.setAcceptQueueSize`：Spring Boot 没有对应的属性）",
    ),
    ("the backlog (`Options.BACKLOG`)", "backlog（`Options.BACKLOG`）"),
    ("the backlog of its listener", "其监听套接字的 backlog"),
];

/// What the numbers behind a cause are.
pub(super) const NUMBERS: &[(&str, &str)] = &[
    ("share of slices", "切片占比"),
    ("share of starts", "启动占比"),
    ("share of starts spoilt", "作废的启动占比"),
    ("CPUs that the generator used", "压测端使用的 CPU 数"),
    ("CPUs that the server used", "服务器使用的 CPU 数"),
    ("CPUs that it may use", "可使用的 CPU 数"),
    ("CPUs that it used", "已使用的 CPU 数"),
    ("CPU seconds per request of {group}", "每请求 CPU 秒数：{group}"),
    ("CPU seconds per request", "每请求 CPU 秒数"),
    ("share of the CPUs in use", "CPU 使用率"),
    ("share of CPU time of other programs", "其他程序占用的 CPU 时间"),
    (
        "share of the CPU time in use that was stolen",
        "所用 CPU 时间中被虚拟机管理程序占用的比例",
    ),
    ("share of CPU time stolen", "被虚拟机管理程序占用的 CPU 时间"),
    ("share of periods in which it had to wait", "不得不等待的周期占比"),
    (
        "share of the server's CPU in its compilers",
        "编译器占服务器 CPU 的比例",
    ),
    (
        "share of the server's CPU in its collector",
        "垃圾收集器占服务器 CPU 的比例",
    ),
    (
        "share of the server's CPU in the application",
        "应用占服务器 CPU 的比例",
    ),
    (
        "share of the server's CPU in the kernel",
        "内核占服务器 CPU 的比例",
    ),
    ("connections without a port", "没有端口的连接"),
    ("connections without a descriptor", "没有文件描述符的连接"),
    ("connections opened", "建立的连接"),
    ("connections at most", "连接数上限"),
    ("connections per request", "每请求连接数"),
    ("requests per connection", "每连接请求数"),
    ("requests per second", "每秒请求数"),
    ("requests in flight", "在途请求数"),
    ("requests given up", "被放弃的请求"),
    ("requests that failed", "失败的请求"),
    ("requests", "请求数"),
    (
        "users that are not served (Little)",
        "得不到服务的用户数（利特尔法则）",
    ),
    ("users that are served (Little)", "得到服务的用户数（利特尔法则）"),
    ("users", "用户数"),
    ("files open", "已打开的文件"),
    ("files that may be open", "可打开的文件数"),
    ("share of requests that failed", "失败的请求占比"),
    ("seconds that each took", "每个用时，s"),
    ("share of the time in collections", "垃圾收集占用的时间比例"),
    ("collections per second", "每秒垃圾收集次数"),
    ("longest pause, seconds", "最长停顿，s"),
    ("full collections, each start", "每次启动的完整垃圾收集次数"),
    ("heap, bytes", "堆，字节"),
    ("limit, bytes", "上限，字节"),
    ("times that it was hit", "达到上限的次数"),
    ("bytes read from disk per request", "每请求从磁盘读取的字节数"),
    ("processes killed, each start", "每次启动中被杀死的进程"),
    (
        "bits of answers per second, headers of segments included",
        "每秒应答的比特数，含报文段首部",
    ),
    ("bits per second that the link passes", "链路每秒可通过的比特数"),
    ("TLS handshakes per request", "每请求 TLS 握手数"),
    ("share of them resumed", "其中会话恢复的占比"),
    ("handshakes", "握手数"),
    (
        "ListenOverflows while connecting, each start",
        "每次启动建立连接期间的 ListenOverflows",
    ),
    (
        "SYN sent again while connecting, each start",
        "每次启动建立连接期间重发的 SYN",
    ),
    ("SYN sent again", "重发的 SYN"),
    ("limit of the queue", "队列长度上限"),
    ("share of connects of a second and more", "用时一秒以上的连接占比"),
    (
        "share of them on the schedule of retries",
        "其中与重发间隔相符的占比",
    ),
    ("share of users connecting", "正在建立连接的用户占比"),
    ("run at once at most", "同时运行的上限"),
    (
        "seconds that each is held (Little)",
        "每个占用的时间，s（利特尔法则）",
    ),
    ("throughput of fewer users", "较少用户时的吞吐量"),
    ("carriers held", "被占住的载体线程"),
    ("waits seen", "观察到的等待次数"),
    ("seconds of each", "每次用时，s"),
    (
        "share of the requests in flight that wait",
        "在等待的在途请求占比",
    ),
    ("bytes written per request", "每请求写入的字节数"),
];
