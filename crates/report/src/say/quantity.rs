//! The names of the numbers behind a finding.

use super::spaced;
use crate::words::Lang;
use model::finding::Quantity;

/// One row for each quantity, with its name in English and in Chinese; a missing row does not compile.
macro_rules! names {
    ($($quantity:ident => $en:literal, $zh:literal;)+) => {
        /// The name of a quantity.
        pub fn quantity(quantity: &Quantity, lang: Lang) -> String {
            let (en, zh) = match quantity {
                $(Quantity::$quantity => ($en, $zh),)+
                Quantity::GroupCpuPerRequest(group) => return cpu_of_group(group, lang),
                Quantity::Legacy(name) => return name.clone(),
            };
            match lang {
                Lang::En => en.to_owned(),
                Lang::Zh => zh.to_owned(),
            }
        }
    };
}

names! {
    SlicesSpoilt => "share of slices", "切片占比";
    StartsOverloaded => "share of starts", "启动占比";
    StartsSpoilt => "share of starts spoilt", "作废的启动占比";
    GeneratorCpus => "CPUs that the generator used", "压测端使用的 CPU 数";
    ServerCpus => "CPUs that the server used", "服务器使用的 CPU 数";
    CpusUsed => "CPUs that it used", "已使用的 CPU 数";
    CpuQuota => "CPUs that it may use", "可使用的 CPU 数";
    PeriodsThrottled => "share of periods in which it had to wait", "不得不等待的周期占比";
    CpusInUse => "share of the CPUs in use", "CPU 使用率";
    CpuOfOthers => "share of CPU time of other programs", "其他程序占用的 CPU 时间";
    CpuStolen => "share of CPU time stolen", "被虚拟机管理程序占用的 CPU 时间";
    CpuInUseStolen => "share of the CPU time in use that was stolen", "所用 CPU 时间中被虚拟机管理程序占用的比例";
    ApplicationCpu => "share of the server's CPU in the application", "应用占服务器 CPU 的比例";
    KernelCpu => "share of the server's CPU in the kernel", "内核占服务器 CPU 的比例";
    CompilerCpu => "share of the server's CPU in its compilers", "编译器占服务器 CPU 的比例";
    CollectorCpu => "share of the server's CPU in its collector", "垃圾收集器占服务器 CPU 的比例";
    CpuPerRequest => "CPU seconds per request", "每请求 CPU 秒数";
    ConnectionsWithoutPort => "connections without a port", "没有端口的连接";
    ConnectionsWithoutDescriptor => "connections without a descriptor", "没有文件描述符的连接";
    ConnectionsOpened => "connections opened", "建立的连接";
    ConnectionsMost => "connection limit", "连接数上限";
    ConnectionsPerRequest => "connections per request", "每请求连接数";
    RequestsPerConnection => "requests per connection", "每连接请求数";
    Requests => "requests", "请求数";
    RequestRate => "requests per second", "每秒请求数";
    RequestsInFlight => "requests in flight", "在途请求数";
    RequestsGivenUp => "requests given up", "被放弃的请求";
    RequestsFailed => "requests that failed", "失败的请求";
    FailureShare => "share of requests that failed", "失败的请求占比";
    FailureTime => "seconds that each failed request took", "每个失败请求的用时，s";
    Users => "users", "用户数";
    UsersServed => "users that are served (Little)", "得到服务的用户数（利特尔法则）";
    UsersNotServed => "users that are not served (Little)", "得不到服务的用户数（利特尔法则）";
    UsersConnecting => "share of users connecting", "正在建立连接的用户占比";
    FilesOpen => "files open", "已打开的文件";
    FilesMost => "files that may be open", "可打开的文件数";
    CollectionTime => "share of the time in collections", "垃圾收集占用的时间比例";
    CollectionRate => "collections per second", "每秒垃圾收集次数";
    LongestPause => "longest pause, seconds", "最长停顿，s";
    FullCollections => "full collections, each start", "每次启动的完整垃圾收集次数";
    HeapSize => "heap, bytes", "堆，字节";
    HeapLive => "heap in use after a collection, bytes", "垃圾收集之后在使用的堆，字节";
    MemoryLimit => "memory limit, bytes", "内存上限，字节";
    MemoryLimitHits => "times that the limit was hit", "达到上限的次数";
    DiskReadPerRequest => "bytes read from disk per request", "每请求从磁盘读取的字节数";
    DiskWrittenPerRequest => "bytes written per request", "每请求写入的字节数";
    ProcessesKilled => "processes killed, each start", "每次启动中被杀死的进程";
    AnswerBits => "bits of answers per second, headers of segments included", "每秒应答的比特数，含报文段首部";
    RequestBits => "bits of requests per second, headers of segments included", "每秒请求的比特数，含报文段首部";
    LinkBits => "bits per second that the link passes", "链路每秒可通过的比特数";
    Handshakes => "handshakes", "握手数";
    HandshakesPerRequest => "TLS handshakes per request", "每请求 TLS 握手数";
    HandshakesResumed => "share of handshakes resumed", "其中会话恢复的占比";
    ListenOverflows => "ListenOverflows", "ListenOverflows";
    ListenDrops => "ListenDrops", "ListenDrops";
    SynRetransmits => "SYN sent again", "重发的 SYN";
    QueueLimit => "limit of the queue", "队列长度上限";
    ConnectsLate => "share of connects of a second and more", "用时一秒以上的连接占比";
    ConnectsOnRetry => "share of late connects that retries explain", "用时一秒以上的连接中与重发间隔相符的占比";
    ListenOverflowsConnecting => "ListenOverflows while connecting, each start", "每次启动建立连接期间的 ListenOverflows";
    SynRetransmitsConnecting => "SYN sent again while connecting, each start", "每次启动建立连接期间重发的 SYN";
    SlotsMost => "requests served at once at most", "同时处理的请求数上限";
    SlotTime => "seconds that each slot is held (Little)", "每个名额被占用的时间，s（利特尔法则）";
    Throughput => "throughput", "吞吐量";
    ThroughputOfFewerUsers => "throughput of fewer users", "较少用户时的吞吐量";
    CarriersHeld => "carriers held", "被占住的载体线程";
    WaitsSeen => "waits seen", "观察到的等待次数";
    WaitTime => "seconds of each wait", "每次等待的时间，s";
    RequestsWaiting => "share of the requests in flight that wait", "在等待的在途请求占比";
    RequestsBehind => "share of them that wait behind others", "排在其他等待者之后的在途请求占比";
    Waiting => "requests that wait for it", "等待它的请求数";
    SlotsHeld => "in use at a time", "同时占用的数量";
    PeerConnections => "connections to other programs at most", "到其他程序的连接数上限";
    AnswersAwaited => "answers of other programs awaited at a time", "同时等待的其他程序的应答数";
    ConnectTime => "share of the users' time in connects that are late", "用户时间中迟到的连接占比";
}

/// CPU seconds per request of a group of the server's threads.
fn cpu_of_group(group: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("CPU seconds per request of {group}"),
        Lang::Zh => spaced(&format!("每请求 CPU 秒数：{group}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::assert_told_apart;

    #[test]
    fn every_quantity_has_a_name_of_its_own_in_both_languages() {
        let group = Quantity::GroupCpuPerRequest("workers".to_owned());
        assert_eq!(quantity(&group, Lang::En), "CPU seconds per request of workers");
        assert_eq!(quantity(&group, Lang::Zh), "每请求 CPU 秒数：workers");
        assert_told_apart(Quantity::ALL.iter().chain([&group]), quantity);
        for one in Quantity::ALL {
            let stored = serde_json::to_string(one).expect("JSON");
            assert_eq!(serde_json::from_str::<Quantity>(&stored).expect("a quantity"), *one);
        }
    }
}
