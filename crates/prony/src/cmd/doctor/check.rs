//! What `prony doctor` has found out about this machine.

use super::machine::MachineCheck;
use crate::message;
use model::machine::GeneratorPriority;
use model::units::Bytes;
use say::{Language, Say, Writer};
use std::path::PathBuf;

/// How a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(super) enum CheckStatus {
    /// It is as it should be.
    #[say(en = "ok", zh = "正常")]
    Ok,
    /// Runs are possible, within limits.
    #[say(en = "warn", zh = "警告")]
    Warn,
    /// Nothing runs without it.
    #[say(en = "MISSING", zh = "缺少")]
    Missing,
}

/// One thing that was looked at. The words tell what was found, and the hint tells what to do if something is wrong.
#[derive(Debug, Say)]
pub(super) enum Check {
    /// A JDK.
    #[say(en = "{vendor} {version} in {home}", zh = "{vendor} {version}，位于 {home}")]
    Jdk {
        /// Who made it.
        vendor: String,
        version: String,
        /// Its folder.
        home: PathBuf,
    },
    /// No JDK is new enough.
    #[say(
        en = "none of version 17 or newer",
        zh = "没有 17 或更高版本",
        hint(
            en = "apt-get install default-jdk-headless, or set JAVA_HOME",
            zh = "apt-get install default-jdk-headless，或设置 JAVA_HOME"
        )
    )]
    NoJdk,
    /// Maven and its version, or why it cannot be used.
    #[say(
        en = "{found}",
        zh = "{found}",
        hint(
            en = "apt-get install maven, or set PRONY_MVN",
            zh = "apt-get install maven，或设置 PRONY_MVN"
        ),
        found = Maven(_0)
    )]
    Maven(Result<String, sut::Error>),
    /// Where pip is, if it is anywhere; and the releases of JDKs that it can fetch.
    #[say(
        en = "{path?{}|missing}, to fetch the JDKs {releases:commas} where they are not installed",
        zh = "{path?{}|缺少}，用于下载未安装的 JDK {releases:commas}",
        hint(
            en = "apt-get install python3-pip, if an arm asks for such a `jdk`",
            zh = "若有对象需要这样的 `jdk`：apt-get install python3-pip"
        )
    )]
    Pip { path: Option<PathBuf>, releases: Vec<u32> },
    /// How many CPUs there are.
    #[say(
        en = "{0} CPUs",
        zh = "{0} 个 CPU",
        hint(
            en = "server and generator share one core: expect wide intervals",
            zh = "服务器与压测端共用一个核心：置信区间会较宽"
        )
    )]
    Cpus(usize),
    /// How the CPUs are used, and what changes their speed.
    #[say(transparent)]
    Machine(MachineCheck),
    /// Memory that is free, where that can be told.
    #[say(
        en = "{0?{} free|unknown}",
        zh = "{0?空闲 {}|未知}",
        hint(
            en = "{told?two servers of 256 MiB heap need about 1 GiB|/proc/meminfo cannot be read}",
            zh = "{told?两个堆为 256 MiB 的服务器约需 1 GiB|无法读取 /proc/meminfo}"
        ),
        told = _0.is_some()
    )]
    Memory(Option<Bytes>),
    /// What else uses the CPUs, as shares of all of them.
    #[say(
        en = "{busy:.0} % of the CPUs busy, {steal:.0} % stolen by the hypervisor",
        zh = "CPU 占用 {busy:.0} %，被虚拟机管理程序挪用 {steal:.0} %",
        hint(
            en = "something else runs here; verdicts will take longer",
            zh = "机器上有其他负载；得出结论需要更长时间"
        ),
        busy = 100.0 * busy,
        steal = 100.0 * steal
    )]
    Noise {
        /// Busy with anything.
        busy: f64,
        /// Stolen by the hypervisor.
        steal: f64,
    },
    /// The priority that the generator gets.
    #[say(
        en = "{priority}",
        zh = "{priority}",
        hint(
            en = "beside busy servers requests leave late; run as root, or allow `ulimit -e 35`",
            zh = "服务器繁忙时请求会发送得晚；请以 root 运行，或允许 `ulimit -e 35`"
        ),
        priority = Priority::of(*_0)
    )]
    Priority(GeneratorPriority),
    /// Open files of a process; `None` is without a limit.
    #[say(
        en = "{now?{}|unlimited} open files, up to {most?{}|unlimited}",
        zh = "可打开的文件数 {now?{}|无限制}，上限 {most?{}|无限制}",
        hint(
            en = "more than about 9,000 connections need `ulimit -n 20000`",
            zh = "超过约 9,000 个连接时需要 `ulimit -n 20000`"
        )
    )]
    Files {
        /// The limit that holds now.
        now: Option<u64>,
        /// The highest that may be asked for.
        most: Option<u64>,
    },
    /// Ports for connections that the machine opens: the lowest and the highest, where that can be told.
    #[say(
        en = "{ports}",
        zh = "{ports}",
        hint(
            en = "widen net.ipv4.ip_local_port_range for loads that open many connections",
            zh = "若负载要建立大量连接，请扩大 net.ipv4.ip_local_port_range"
        ),
        ports = Ports::of(*_0)
    )]
    Ports(Option<[u64; 2]>),
    /// Nothing can be listened on.
    #[say(
        en = "{0}",
        zh = "{0}",
        hint(en = "prony needs to listen on 127.0.0.1", zh = "prony 需要在 127.0.0.1 上监听")
    )]
    NoPorts(std::io::Error),
    /// The kind of control groups: `v2`; `None` where there are none.
    #[say(
        en = "{0?{}|none}",
        zh = "{0?{}|无}",
        hint(en = "limits of memory and CPU per arm will not work", zh = "无法按对象限制内存和 CPU")
    )]
    Cgroup(Option<&'static str>),
    /// The folder of downloads, and why it cannot be written.
    #[say(
        en = "{path}{refused?: {}}",
        zh = "{path}{refused?：{}}",
        hint(en = "set PRONY_HOME to a folder that can be written", zh = "请将 PRONY_HOME 设为可写的目录")
    )]
    Cache {
        path: PathBuf,
        /// What the system says.
        refused: Option<std::io::Error>,
    },
    /// The kernel's cap of accept queues.
    #[say(
        en = "{0?{}|unknown}",
        zh = "{0?{}|未知}",
        hint(
            en = "caps every server's accept queue: sysctl -w net.core.somaxconn=4096",
            zh = "它限制所有服务器的 accept 队列：sysctl -w net.core.somaxconn=4096"
        )
    )]
    Somaxconn(Option<u64>),
    /// Seconds after which a SYN is sent again.
    #[say(
        en = "after {0:commas} s (a full accept queue shows as connects that long)",
        zh = "在 {0:commas} s 之后（accept 队列满时，建立连接会耗时这么久）"
    )]
    SynRetries(Vec<u64>),
    /// Whether the kernel tells how long tasks wait for a CPU.
    #[say(
        en = "{0?PSI is there|no PSI: CPU waiting cannot be seen}",
        zh = "{0?有 PSI|没有 PSI：看不到等待 CPU 的时间}"
    )]
    Pressure(bool),
}

/// The accept queue that a busy server needs.
const ACCEPT_QUEUE: u64 = 1024;
/// Descriptors that a load with many connections needs.
const DESCRIPTORS: u64 = 10_000;
/// Ports that a load with many connections needs.
const PORTS: u64 = 20_000;

impl Check {
    /// How it weighs.
    pub(super) fn mark(&self) -> CheckStatus {
        let warn = |bad| if bad { CheckStatus::Warn } else { CheckStatus::Ok };
        match self {
            Self::Jdk { .. } | Self::Maven(Ok(_)) | Self::SynRetries(_) | Self::Pressure(_) => {
                CheckStatus::Ok
            }
            Self::NoJdk | Self::Maven(Err(_)) | Self::NoPorts(_) => CheckStatus::Missing,
            Self::Pip { path, .. } => warn(path.is_none()),
            Self::Cpus(cpus) => warn(*cpus < 2),
            Self::Machine(check) => check.mark(),
            Self::Memory(free) => warn(free.is_none_or(|free| free.0 < 1 << 30)),
            Self::Noise { busy, .. } => warn(*busy > 0.4),
            Self::Priority(priority) => warn(matches!(priority, GeneratorPriority::Usual { .. })),
            Self::Files { most, .. } => warn(most.is_some_and(|most| most < DESCRIPTORS)),
            Self::Ports(range) => warn(range.is_some_and(|[low, high]| high - low < PORTS)),
            Self::Cgroup(kind) => warn(kind.is_none()),
            Self::Cache { refused: None, .. } => CheckStatus::Ok,
            Self::Cache { refused: Some(_), .. } => CheckStatus::Missing,
            Self::Somaxconn(limit) => warn(limit.is_some_and(|limit| limit < ACCEPT_QUEUE)),
        }
    }

    /// A line, and one with what to do below it.
    pub(super) fn text(&self, lang: Language) -> String {
        let mark = report::padded(&say::text(&self.mark(), lang), 7);
        let title = report::padded(&say::text(&Title(self), lang), 12);
        let line = format!("{mark} {title} {}\n", say::text(self, lang));
        let hint = say::hint(self, lang).filter(|_| self.mark() != CheckStatus::Ok);
        match hint {
            Some(hint) => format!("{line}{:<20} {}\n", "", message::hint(&hint, lang)),
            None => line,
        }
    }
}

/// What a check is called.
struct Title<'a>(&'a Check);

impl Say for Title<'_> {
    fn say(&self, out: &mut Writer) {
        let (english, chinese) = match self.0 {
            Check::Jdk { .. } | Check::NoJdk => ("JDK", "JDK"),
            Check::Maven(_) => ("Maven", "Maven"),
            Check::Pip { .. } => ("pip", "pip"),
            Check::Cpus(_) => ("CPUs", "CPU"),
            Check::Machine(check) => check.title(),
            Check::Memory(_) => ("memory", "内存"),
            Check::Noise { .. } => ("noise", "噪声"),
            Check::Priority(_) => ("priority", "优先级"),
            Check::Files { .. } => ("descriptors", "文件描述符"),
            Check::Ports(_) | Check::NoPorts(_) => ("ports", "端口"),
            Check::Cgroup(_) => ("cgroup", "cgroup"),
            Check::Cache { .. } => ("cache", "缓存目录"),
            Check::Somaxconn(_) => ("somaxconn", "somaxconn"),
            Check::SynRetries(_) => ("SYN retries", "SYN 重发"),
            Check::Pressure(_) => ("pressure", "压力指标"),
        };
        out.words(out.language().choose(english, chinese));
    }
}

/// The version of Maven, or why it cannot be used.
struct Maven<'a>(&'a Result<String, sut::Error>);

impl Say for Maven<'_> {
    fn say(&self, out: &mut Writer) {
        match self.0 {
            Ok(version) => version.say(out),
            Err(error) => error.say(out),
        }
    }
}

/// What a priority of the generator means.
#[derive(Say)]
enum Priority {
    #[say(en = "the generator runs at nice {nice}", zh = "压测端以 nice {nice} 运行")]
    Raised { nice: i32 },
    #[say(
        en = "the generator runs at real-time priority {priority} at fixed rates, at nice {nice} in closed loops",
        zh = "压测端在固定速率下以实时优先级 {priority} 运行，在闭环中以 nice {nice} 运行"
    )]
    RealTimeAtRates { priority: u32, nice: i32 },
    #[say(
        en = "the generator runs at real-time priority {priority}, as prony was started",
        zh = "压测端以实时优先级 {priority} 运行（由 prony 的启动方式决定）"
    )]
    RealTime { priority: u32 },
    #[say(
        en = "the generator runs at nice {nice}: a higher priority is not permitted",
        zh = "压测端以 nice {nice} 运行：系统不允许更高的优先级"
    )]
    Usual { nice: i32 },
}

impl Priority {
    const fn of(priority: GeneratorPriority) -> Self {
        match priority {
            GeneratorPriority::Raised { nice } => Self::Raised { nice },
            GeneratorPriority::RealTimeAtRates { priority, nice } => Self::RealTimeAtRates { priority, nice },
            GeneratorPriority::RealTime { priority } => Self::RealTime { priority },
            GeneratorPriority::Usual { nice } => Self::Usual { nice },
        }
    }
}

/// Ports for connections that the machine opens.
#[derive(Say)]
enum Ports {
    #[say(
        en = "{count} ephemeral ports ({low} to {high})",
        zh = "{count} 个临时端口（{low} 至 {high}）",
        count = high - low + 1
    )]
    Few { low: u64, high: u64 },
    #[say(en = "ephemeral {low} to {high}", zh = "临时端口 {low} 至 {high}")]
    Enough { low: u64, high: u64 },
    #[say(en = "ephemeral", zh = "临时端口范围未知")]
    Unknown,
}

impl Ports {
    const fn of(range: Option<[u64; 2]>) -> Self {
        match range {
            Some([low, high]) if high - low < PORTS => Self::Few { low, high },
            Some([low, high]) => Self::Enough { low, high },
            None => Self::Unknown,
        }
    }
}
