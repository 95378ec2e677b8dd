//! [`Quantity`]: the kinds of numbers that are evidence for a finding.

use say::Say;
use serde::{Deserialize, Serialize};

/// What a quantity is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A number of things.
    Count,
    /// A part of a whole, 0 to 1.
    Share,
    /// CPUs: CPU seconds per second.
    Cpus,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bits per second.
    BitsPerSecond,
    /// A number per second.
    PerSecond,
    /// A number per request.
    PerRequest,
}

/// One row for each quantity: what it is, its unit, and its name in both languages.
macro_rules! quantities {
    ($($(#[$doc:meta])* $quantity:ident, $unit:ident, $en:literal, $zh:literal;)+) => {
        /// What a number of the evidence is. Codes are stable: reports and scripts rely on them.
        #[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
        #[serde(tag = "code", content = "values", rename_all = "kebab-case")]
        pub enum Quantity {
            $($(#[$doc])* #[say(en = $en, zh = $zh)] $quantity,)+
            /// CPU seconds per request of the server's threads of that group.
            #[say(en = "CPU seconds per request of {0}", zh = "每请求 CPU 秒数：{0}")]
            GroupCpuPerRequest(String),
        }

        impl Quantity {
            /// Its unit.
            pub const fn unit(&self) -> Unit {
                match self {
                    $(Self::$quantity => Unit::$unit,)+
                    Self::GroupCpuPerRequest(_) => Unit::Seconds,
                }
            }

            /// All quantities except texts.
            pub const ALL: &'static [Self] = &[$(Self::$quantity),+];
        }
    };
}

quantities! {
    /// Slices that do not measure the server, because the generator could not keep up.
    SlicesSpoilt, Share, "share of slices", "切片占比";
    /// Starts that do not count for that reason.
    StartsOverloaded, Share, "share of starts", "启动占比";
    /// Starts that do not count because of the hypervisor.
    StartsSpoilt, Share, "share of starts spoilt", "作废的启动占比";
    /// CPU of the generator.
    GeneratorCpus, Cpus, "CPUs that the generator used", "压测端使用的 CPU 数";
    /// CPU of the server.
    ServerCpus, Cpus, "CPUs that the server used", "服务器使用的 CPU 数";
    /// CPU that the server used of its quota.
    CpusUsed, Cpus, "CPUs that it used", "已使用的 CPU 数";
    /// The quota.
    CpuQuota, Cpus, "CPUs that it may use", "可使用的 CPU 数";
    /// Periods of the quota in which the server had to wait.
    PeriodsThrottled, Share, "share of periods in which it had to wait", "不得不等待的周期占比";
    /// CPU of the machine that was in use, by anybody.
    CpusInUse, Share, "share of the CPUs in use", "CPU 使用率";
    /// CPU of the machine that programs outside the run used.
    CpuOfOthers, Share, "share of CPU time of other programs", "其他程序占用的 CPU 时间";
    /// CPU of the machine that the hypervisor took.
    CpuStolen, Share, "share of CPU time stolen", "被虚拟机管理程序占用的 CPU 时间";
    /// The part of the CPU time in use that the hypervisor took.
    CpuInUseStolen, Share, "share of the CPU time in use that was stolen", "所用 CPU 时间中被虚拟机管理程序占用的比例";
    /// The part of the server's CPU that the application used.
    ApplicationCpu, Share, "share of the server's CPU in the application", "应用占服务器 CPU 的比例";
    /// The part of the server's CPU that the kernel used.
    KernelCpu, Share, "share of the server's CPU in the kernel", "内核占服务器 CPU 的比例";
    /// The part of the server's CPU that its compilers used.
    CompilerCpu, Share, "share of the server's CPU in its compilers", "编译器占服务器 CPU 的比例";
    /// The part of the server's CPU that its collector used.
    CollectorCpu, Share, "share of the server's CPU in its collector", "垃圾收集器占服务器 CPU 的比例";
    /// CPU seconds of the server per request.
    CpuPerRequest, Seconds, "CPU seconds per request", "每请求 CPU 秒数";
    /// Connections that found no free local port.
    ConnectionsWithoutPort, Count, "connections without a port", "没有端口的连接";
    /// Connections that found no free descriptor.
    ConnectionsWithoutDescriptor, Count, "connections without a descriptor", "没有文件描述符的连接";
    /// Connections that were opened.
    ConnectionsOpened, Count, "connections opened", "建立的连接";
    /// Connections that are open at once.
    Connections, Count, "connections", "连接数";
    /// The server's limit of streams of a connection.
    StreamsMost, Count, "streams of a connection at most", "每个连接的流数上限";
    /// Requests that wait for a stream, mean.
    StreamsWaiting, Count, "requests that wait for a stream", "等待流的请求数";
    /// The part of the requests whose bodies wait for a window.
    WindowWaits, Share, "share of requests whose bodies wait for a window", "正文等待窗口的请求占比";
    /// How long a body waits for a window, mean.
    WindowWaitTime, Seconds, "seconds that each body waits", "每个正文等待的时间，s";
    /// The server's limit of connections.
    ConnectionsMost, Count, "connection limit", "连接数上限";
    /// Connections opened per request.
    ConnectionsPerRequest, PerRequest, "connections per request", "每请求连接数";
    /// Requests per connection.
    RequestsPerConnection, Count, "requests per connection", "每连接请求数";
    /// Requests that were sent.
    Requests, Count, "requests", "请求数";
    /// Requests that were sent, per second.
    RequestRate, PerSecond, "requests per second", "每秒请求数";
    /// Requests in flight, mean.
    RequestsInFlight, Count, "requests in flight", "在途请求数";
    /// Requests that were given up.
    RequestsGivenUp, Count, "requests given up", "被放弃的请求";
    /// Requests that ended without a right answer.
    RequestsFailed, Count, "requests that failed", "失败的请求";
    /// Requests that ended without a right answer, as a part of all.
    FailureShare, Share, "share of requests that failed", "失败的请求占比";
    /// How long a failed request took, mean.
    FailureTime, Seconds, "seconds that each failed request took", "每个失败请求的用时，s";
    /// Users.
    Users, Count, "users", "用户数";
    /// Users that are served, by Little's law.
    UsersServed, Count, "users that are served (Little)", "得到服务的用户数（利特尔法则）";
    /// Users that are not served, by Little's law.
    UsersNotServed, Count, "users that are not served (Little)", "得不到服务的用户数（利特尔法则）";
    /// Share of the users that were connecting at any moment.
    UsersConnecting, Share, "share of users connecting", "正在建立连接的用户占比";
    /// Files and sockets that the server has open.
    FilesOpen, Count, "files open", "已打开的文件";
    /// Files and sockets that it may have open.
    FilesMost, Count, "files that may be open", "可打开的文件数";
    /// Time in which collections stopped the server.
    CollectionTime, Share, "share of the time in collections", "垃圾收集占用的时间比例";
    /// Collections.
    CollectionRate, PerSecond, "collections per second", "每秒垃圾收集次数";
    /// The longest stop for a collection.
    LongestPause, Seconds, "longest pause, seconds", "最长停顿，s";
    /// Full collections of each start.
    FullCollections, Count, "full collections, each start", "每次启动的完整垃圾收集次数";
    /// Size of the heap.
    HeapSize, Bytes, "heap, bytes", "堆，字节";
    /// What is in use of the heap after a collection.
    HeapLive, Bytes, "heap in use after a collection, bytes", "垃圾收集之后在使用的堆，字节";
    /// Errors for lack of memory in the log of a start.
    MemoryErrors, Count, "OutOfMemoryError in the log, each start", "每次启动日志中的 OutOfMemoryError 数";
    /// Lines of the log of a start by which the JVM says that its compilers are off.
    CompilersOff, Count, "lines of the log about compilers that are off, each start", "每次启动日志中关于编译器停用的行数";
    /// Size of the room for compiled code.
    CodeCacheSize, Bytes, "code cache, bytes", "代码缓存，字节";
    /// The part of the collector's pauses that come because there is no room for more classes.
    PausesForClasses, Share, "share of pauses for the metaspace", "因元空间而停顿的占比";
    /// Limit of memory of the server's control group.
    MemoryLimit, Bytes, "memory limit, bytes", "内存上限，字节";
    /// How often that limit was hit.
    MemoryLimitHits, Count, "times that the limit was hit", "达到上限的次数";
    /// Threads that never go on.
    ThreadsStuck, Count, "threads that never go on", "永远无法继续的线程";
    /// Bytes read from disk per request.
    DiskReadPerRequest, Bytes, "bytes read from disk per request", "每请求从磁盘读取的字节数";
    /// Bytes written to disk per request.
    DiskWrittenPerRequest, Bytes, "bytes written per request", "每请求写入的字节数";
    /// Processes of each start that the kernel killed for lack of memory.
    ProcessesKilled, Count, "processes killed, each start", "每次启动中被杀死的进程";
    /// Bits of answers that went over the link, with the headers of their segments.
    AnswerBits, BitsPerSecond, "bits of answers per second, headers of segments included", "每秒应答的比特数，含报文段首部";
    /// Bits of requests that went over the link, with the headers of their segments.
    RequestBits, BitsPerSecond, "bits of requests per second, headers of segments included", "每秒请求的比特数，含报文段首部";
    /// Bits that the link can pass.
    LinkBits, BitsPerSecond, "bits per second that the link passes", "链路每秒可通过的比特数";
    /// TLS handshakes.
    Handshakes, Count, "handshakes", "握手数";
    /// TLS handshakes per request.
    HandshakesPerRequest, PerRequest, "TLS handshakes per request", "每请求 TLS 握手数";
    /// Handshakes that resumed a session.
    HandshakesResumed, Share, "share of handshakes resumed", "其中会话恢复的占比";
    /// The kernel's counter of accept queues that overflowed.
    ListenOverflows, Count, "ListenOverflows", "ListenOverflows";
    /// The kernel's counter of connections dropped at a listening socket.
    ListenDrops, Count, "ListenDrops", "ListenDrops";
    /// SYN segments that were sent again.
    SynRetransmits, Count, "SYN sent again", "重发的 SYN";
    /// Length of the accept queue.
    QueueLimit, Count, "limit of the queue", "队列长度上限";
    /// Connects that took a second or more.
    ConnectsLate, Share, "share of connects of a second and more", "用时一秒以上的连接占比";
    /// Late connects that the kernel's retries explain.
    ConnectsOnRetry, Share, "share of late connects that retries explain", "用时一秒以上的连接中与重发间隔相符的占比";
    /// Overflows of the accept queue in each start while users connected.
    ListenOverflowsConnecting, Count, "ListenOverflows while connecting, each start", "每次启动建立连接期间的 ListenOverflows";
    /// SYN segments sent again in each start while users connected.
    SynRetransmitsConnecting, Count, "SYN sent again while connecting, each start", "每次启动建立连接期间重发的 SYN";
    /// Requests that can be served at once.
    SlotsMost, Count, "requests served at once at most", "同时处理的请求数上限";
    /// How long a request holds its slot, by Little's law.
    SlotTime, Seconds, "seconds that each slot is held (Little)", "每个名额被占用的时间，s（利特尔法则）";
    /// Right answers per second.
    Throughput, PerSecond, "throughput", "吞吐量";
    /// Right answers per second of fewer users.
    ThroughputOfFewerUsers, PerSecond, "throughput of fewer users", "较少用户时的吞吐量";
    /// Carriers that virtual threads held while they waited, mean.
    CarriersHeld, Count, "carriers held", "被占住的载体线程";
    /// Waits that the flight recorder saw.
    WaitsSeen, Count, "waits seen", "观察到的等待次数";
    /// How long a wait took that the flight recorder saw, mean.
    WaitTime, Seconds, "seconds of each wait", "每次等待的时间，s";
    /// The part of the requests in flight that waited.
    RequestsWaiting, Share, "share of the requests in flight that wait", "在等待的在途请求占比";
    /// The part of the requests in flight that waited behind others, which had what they waited for.
    RequestsBehind, Share, "share of them that wait behind others", "排在其他等待者之后的在途请求占比";
    /// Requests that waited for the same thing, mean.
    Waiting, Count, "requests that wait for it", "等待它的请求数";
    /// How many of a bounded thing were in use, mean.
    SlotsHeld, Count, "in use at a time", "同时占用的数量";
    /// Connections that the server had opened to that address, at most.
    PeerConnections, Count, "connections to other programs at most", "到其他程序的连接数上限";
    /// Connections on which the server waited for an answer, mean.
    AnswersAwaited, Count, "answers of other programs awaited at a time", "同时等待的其他程序的应答数";
    /// Answers of other programs that a request awaits, one after another or at a time.
    AnswersPerRequest, PerRequest, "answers of other programs per request", "每个请求等待其他程序应答的次数";
    /// The part of the answers of another program that refuse.
    CallsRefused, Share, "share of calls that are refused", "被拒绝的调用占比";
    /// Small segments that a question to another program takes, or its answer, whichever takes more.
    SegmentsPerExchange, Count, "small segments of each question, or of its answer", "每次提问（或其应答）的小报文段数";
    /// Connections to other programs that were seen to be new.
    BackendConnectionsFresh, Count, "new connections to other programs seen", "观察到的到其他程序的新连接";
    /// How long another program takes to answer, mean.
    AnswerTime, Seconds, "seconds of each answer", "每次应答的时间，s";
    /// The part of what a database runs that is one statement.
    StatementShare, Share, "share of the statement in what the database runs", "该语句在数据库所执行语句中的占比";
    /// Statements that a database runs at a time, mean.
    StatementsRunning, Count, "statements that the database runs at a time", "数据库同时执行的语句数";
    /// Statements that wait for a lock of another transaction, mean.
    StatementsLocked, Count, "statements that wait for a lock at a time", "同时等待锁的语句数";
    /// Connections that are opened to other programs per request.
    BackendConnectionsPerRequest, PerRequest, "connections to other programs opened per request", "每个请求新建的到其他程序的连接数";
    /// The part of the time in which nothing is answered.
    StillTime, Share, "share of the time without any answer", "没有任何应答的时间占比";
    /// The time from one stop to the next, mean.
    StopPeriod, Seconds, "seconds from one stop to the next", "相邻两次停顿的间隔，s";
    /// The length of a stop, mean.
    StopTime, Seconds, "seconds of each stop", "每次停顿的时间，s";
    /// The part of the users' time that connects took.
    ConnectTime, Share, "share of the users' time in connects that are late", "用户时间中迟到的连接占比";
}
