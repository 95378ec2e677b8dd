//! What `prony doctor` has found out about this machine.

mod machine;

pub(crate) use machine::MachineCheck;

use model::machine::GeneratorPriority;
use model::units::Bytes;
use report::Lang;
use std::path::PathBuf;

/// How a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckStatus {
    /// It is as it should be.
    Ok,
    /// Runs are possible, within limits.
    Warn,
    /// Nothing runs without it.
    Missing,
}

/// One thing that was looked at.
#[derive(Debug)]
pub(crate) enum Check {
    /// A JDK.
    Jdk {
        /// Who made it.
        vendor: String,
        /// Its version.
        version: String,
        /// Its folder.
        home: PathBuf,
    },
    /// No JDK is new enough.
    NoJdk,
    /// Maven and its version, or why it cannot be used.
    Maven(Result<String, ::sut::Error>),
    /// Where pip is, if it is anywhere; and the releases of JDKs that it can fetch.
    Pip {
        /// Its path.
        path: Option<PathBuf>,
        /// The releases.
        releases: Vec<u32>,
    },
    /// How many CPUs there are.
    Cpus(usize),
    /// How the CPUs are used, and what changes their speed.
    Machine(MachineCheck),
    /// Memory that is free, where that can be told.
    Memory(Option<Bytes>),
    /// What else uses the CPUs, as shares of all of them.
    Noise {
        /// Busy with anything.
        busy: f64,
        /// Stolen by the hypervisor.
        steal: f64,
    },
    /// The priority that the generator gets.
    Priority(GeneratorPriority),
    /// Open files of a process; `None` is without a limit.
    Files {
        /// The limit that holds now.
        now: Option<u64>,
        /// The highest that may be asked for.
        most: Option<u64>,
    },
    /// Ports for connections that the machine opens: the lowest and the highest, where that can be told.
    Ports(Option<[u64; 2]>),
    /// Nothing can be listened on.
    NoPorts(std::io::Error),
    /// The kind of control groups: `v2`; `None` where there are none.
    Cgroup(Option<&'static str>),
    /// The folder of downloads, and why it cannot be written.
    Cache {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        refused: Option<std::io::Error>,
    },
    /// The kernel's cap of accept queues.
    Somaxconn(Option<u64>),
    /// Seconds after which a SYN is sent again.
    SynRetries(Vec<u64>),
    /// Whether the kernel tells how long tasks wait for a CPU.
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
    pub(crate) fn mark(&self) -> CheckStatus {
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
    pub(crate) fn text(&self, lang: Lang) -> String {
        let (title, text, hint) = match lang {
            Lang::En => (self.english_title(), self.english(), self.english_hint()),
            Lang::Zh => (self.chinese_title(), self.chinese(), self.chinese_hint()),
        };
        let mark = report::padded(mark(self.mark(), lang), 7);
        let line = format!("{mark} {} {text}\n", report::padded(title, 12));
        match hint.filter(|_| self.mark() != CheckStatus::Ok) {
            Some(hint) => format!("{line}{:<20} {}\n", "", super::hint(hint, lang)),
            None => line,
        }
    }

    fn english_title(&self) -> &'static str {
        match self {
            Self::Jdk { .. } | Self::NoJdk => "JDK",
            Self::Maven(_) => "Maven",
            Self::Pip { .. } => "pip",
            Self::Cpus(_) => "CPUs",
            Self::Machine(check) => check.title(Lang::En),
            Self::Memory(_) => "memory",
            Self::Noise { .. } => "noise",
            Self::Priority(_) => "priority",
            Self::Files { .. } => "descriptors",
            Self::Ports(_) | Self::NoPorts(_) => "ports",
            Self::Cgroup(_) => "cgroup",
            Self::Cache { .. } => "cache",
            Self::Somaxconn(_) => "somaxconn",
            Self::SynRetries(_) => "SYN retries",
            Self::Pressure(_) => "pressure",
        }
    }

    fn chinese_title(&self) -> &'static str {
        match self {
            Self::Jdk { .. } | Self::NoJdk => "JDK",
            Self::Maven(_) => "Maven",
            Self::Pip { .. } => "pip",
            Self::Cpus(_) => "CPU",
            Self::Machine(check) => check.title(Lang::Zh),
            Self::Memory(_) => "内存",
            Self::Noise { .. } => "噪声",
            Self::Priority(_) => "优先级",
            Self::Files { .. } => "文件描述符",
            Self::Ports(_) | Self::NoPorts(_) => "端口",
            Self::Cgroup(_) => "cgroup",
            Self::Cache { .. } => "缓存目录",
            Self::Somaxconn(_) => "somaxconn",
            Self::SynRetries(_) => "SYN 重发",
            Self::Pressure(_) => "压力指标",
        }
    }

    fn english(&self) -> String {
        match self {
            Self::Jdk {
                vendor,
                version,
                home,
            } => format!("{vendor} {version} in {}", home.display()),
            Self::NoJdk => "none of version 17 or newer".to_owned(),
            Self::Maven(Ok(version)) => version.clone(),
            Self::Maven(Err(error)) => error.to_string(),
            Self::Pip { path, releases } => {
                let path = shown_or(path.as_ref().map(|path| path.display()), "missing");
                format!(
                    "{path}, to fetch the JDKs {} where they are not installed",
                    listed(releases, ", ")
                )
            }
            Self::Cpus(cpus) => format!("{cpus} CPUs"),
            Self::Machine(check) => check.english(),
            Self::Memory(Some(free)) => format!("{free} free"),
            Self::Memory(None) | Self::Somaxconn(None) => "unknown".to_owned(),
            Self::Noise { busy, steal } => format!(
                "{:.0} % of the CPUs busy, {:.0} % stolen by the hypervisor",
                100.0 * busy,
                100.0 * steal
            ),
            Self::Priority(priority) => english_priority(*priority),
            Self::Files { now, most } => {
                let [now, most] = [now, most].map(|limit| shown_or(*limit, "unlimited"));
                format!("{now} open files, up to {most}")
            }
            Self::Ports(Some([low, high])) if high - low < PORTS => {
                format!("{} ephemeral ports ({low} to {high})", high - low + 1)
            }
            Self::Ports(Some([low, high])) => format!("ephemeral {low} to {high}"),
            Self::Ports(None) => "ephemeral".to_owned(),
            Self::NoPorts(error) => error.to_string(),
            Self::Cgroup(kind) => kind.unwrap_or("none").to_owned(),
            Self::Cache { path, refused: None } => path.display().to_string(),
            Self::Cache {
                path,
                refused: Some(error),
            } => format!("{}: {error}", path.display()),
            Self::Somaxconn(Some(limit)) => limit.to_string(),
            Self::SynRetries(seconds) => format!(
                "after {} s (a full accept queue shows as connects that long)",
                listed(seconds, ", ")
            ),
            Self::Pressure(true) => "PSI is there".to_owned(),
            Self::Pressure(false) => "no PSI: CPU waiting cannot be seen".to_owned(),
        }
    }

    fn chinese(&self) -> String {
        match self {
            Self::Jdk {
                vendor,
                version,
                home,
            } => format!("{vendor} {version}，位于 {}", home.display()),
            Self::NoJdk => "没有 17 或更高版本".to_owned(),
            Self::Maven(Ok(version)) => version.clone(),
            Self::Maven(Err(error)) => ::say::text(error, Lang::Zh),
            Self::Pip { path, releases } => {
                let path = shown_or(path.as_ref().map(|path| path.display()), "缺少");
                format!("{path}，用于下载未安装的 JDK {}", listed(releases, "、"))
            }
            Self::Cpus(cpus) => format!("{cpus} 个 CPU"),
            Self::Machine(check) => check.chinese(),
            Self::Memory(Some(free)) => format!("空闲 {free}"),
            Self::Memory(None) | Self::Somaxconn(None) => "未知".to_owned(),
            Self::Noise { busy, steal } => format!(
                "CPU 占用 {:.0} %，被虚拟机管理程序挪用 {:.0} %",
                100.0 * busy,
                100.0 * steal
            ),
            Self::Priority(priority) => chinese_priority(*priority),
            Self::Files { now, most } => {
                let [now, most] = [now, most].map(|limit| shown_or(*limit, "无限制"));
                format!("可打开的文件数 {now}，上限 {most}")
            }
            Self::Ports(Some([low, high])) if high - low < PORTS => {
                format!("{} 个临时端口（{low} 至 {high}）", high - low + 1)
            }
            Self::Ports(Some([low, high])) => format!("临时端口 {low} 至 {high}"),
            Self::Ports(None) => "临时端口范围未知".to_owned(),
            Self::NoPorts(error) => error.to_string(),
            Self::Cgroup(kind) => kind.unwrap_or("无").to_owned(),
            Self::Cache { path, refused: None } => path.display().to_string(),
            Self::Cache {
                path,
                refused: Some(error),
            } => format!("{}：{error}", path.display()),
            Self::Somaxconn(Some(limit)) => limit.to_string(),
            Self::SynRetries(seconds) => format!(
                "在 {} s 之后（accept 队列满时，建立连接会耗时这么久）",
                listed(seconds, "、")
            ),
            Self::Pressure(true) => "有 PSI".to_owned(),
            Self::Pressure(false) => "没有 PSI：看不到等待 CPU 的时间".to_owned(),
        }
    }

    /// What to do where it is not as it should be.
    fn english_hint(&self) -> Option<&'static str> {
        match self {
            Self::NoJdk => Some("apt-get install default-jdk-headless, or set JAVA_HOME"),
            Self::Maven(_) => Some("apt-get install maven, or set PRONY_MVN"),
            Self::Pip { .. } => Some("apt-get install python3-pip, if an arm asks for such a `jdk`"),
            Self::Machine(check) => check.hint(Lang::En),
            Self::Cpus(_) => Some("server and generator share one core: expect wide intervals"),
            Self::Memory(Some(_)) => Some("two servers of 256 MiB heap need about 1 GiB"),
            Self::Memory(None) => Some("/proc/meminfo cannot be read"),
            Self::Noise { .. } => Some("something else runs here; verdicts will take longer"),
            Self::Priority(_) => {
                Some("beside busy servers requests leave late; run as root, or allow `ulimit -e 35`")
            }
            Self::Files { .. } => Some("more than about 9,000 connections need `ulimit -n 20000`"),
            Self::Ports(_) => Some("widen net.ipv4.ip_local_port_range for loads that open many connections"),
            Self::NoPorts(_) => Some("prony needs to listen on 127.0.0.1"),
            Self::Cgroup(_) => Some("limits of memory and CPU per arm will not work"),
            Self::Cache { .. } => Some("set PRONY_HOME to a folder that can be written"),
            Self::Somaxconn(_) => Some("caps every server's accept queue: sysctl -w net.core.somaxconn=4096"),
            Self::Jdk { .. } | Self::SynRetries(_) | Self::Pressure(_) => None,
        }
    }

    fn chinese_hint(&self) -> Option<&'static str> {
        match self {
            Self::NoJdk => Some("apt-get install default-jdk-headless，或设置 JAVA_HOME"),
            Self::Maven(_) => Some("apt-get install maven，或设置 PRONY_MVN"),
            Self::Pip { .. } => Some("若有对象需要这样的 `jdk`：apt-get install python3-pip"),
            Self::Machine(check) => check.hint(Lang::Zh),
            Self::Cpus(_) => Some("服务器与压测端共用一个核心：置信区间会较宽"),
            Self::Memory(Some(_)) => Some("两个堆为 256 MiB 的服务器约需 1 GiB"),
            Self::Memory(None) => Some("无法读取 /proc/meminfo"),
            Self::Noise { .. } => Some("机器上有其他负载；得出结论需要更长时间"),
            Self::Priority(_) => Some("服务器繁忙时请求会发送得晚；请以 root 运行，或允许 `ulimit -e 35`"),
            Self::Files { .. } => Some("超过约 9,000 个连接时需要 `ulimit -n 20000`"),
            Self::Ports(_) => Some("若负载要建立大量连接，请扩大 net.ipv4.ip_local_port_range"),
            Self::NoPorts(_) => Some("prony 需要在 127.0.0.1 上监听"),
            Self::Cgroup(_) => Some("无法按对象限制内存和 CPU"),
            Self::Cache { .. } => Some("请将 PRONY_HOME 设为可写的目录"),
            Self::Somaxconn(_) => Some("它限制所有服务器的 accept 队列：sysctl -w net.core.somaxconn=4096"),
            Self::Jdk { .. } | Self::SynRetries(_) | Self::Pressure(_) => None,
        }
    }
}

fn english_priority(priority: GeneratorPriority) -> String {
    match priority {
        GeneratorPriority::Raised { nice } => format!("the generator runs at nice {nice}"),
        GeneratorPriority::RealTimeAtRates { priority, nice } => {
            format!(
                "the generator runs at real-time priority {priority} at fixed rates, at nice {nice} in closed loops"
            )
        }
        GeneratorPriority::RealTime { priority } => {
            format!("the generator runs at real-time priority {priority}, as prony was started")
        }
        GeneratorPriority::Usual { nice } => {
            format!("the generator runs at nice {nice}: a higher priority is not permitted")
        }
    }
}

fn chinese_priority(priority: GeneratorPriority) -> String {
    match priority {
        GeneratorPriority::Raised { nice } => format!("压测端以 nice {nice} 运行"),
        GeneratorPriority::RealTimeAtRates { priority, nice } => {
            format!("压测端在固定速率下以实时优先级 {priority} 运行，在闭环中以 nice {nice} 运行")
        }
        GeneratorPriority::RealTime { priority } => {
            format!("压测端以实时优先级 {priority} 运行（由 prony 的启动方式决定）")
        }
        GeneratorPriority::Usual { nice } => {
            format!("压测端以 nice {nice} 运行：系统不允许更高的优先级")
        }
    }
}

fn mark(mark: CheckStatus, lang: Lang) -> &'static str {
    match (mark, lang) {
        (CheckStatus::Ok, Lang::En) => "ok",
        (CheckStatus::Warn, Lang::En) => "warn",
        (CheckStatus::Missing, Lang::En) => "MISSING",
        (CheckStatus::Ok, Lang::Zh) => "正常",
        (CheckStatus::Warn, Lang::Zh) => "警告",
        (CheckStatus::Missing, Lang::Zh) => "缺少",
    }
}

fn shown_or(value: Option<impl ToString>, otherwise: &str) -> String {
    value.map_or_else(|| otherwise.to_owned(), |value| value.to_string())
}

fn listed(numbers: &[impl ToString], separator: &str) -> String {
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.join(separator)
}
