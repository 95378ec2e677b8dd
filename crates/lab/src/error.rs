//! [`Error`]: what ends an experiment before its verdict.

use ask::arm::Arm;
use model::faults::FaultCounts;
use model::isolation::CpuRefusal;
use model::units::Bytes;
use say::{Language, Say};
use std::collections::BTreeMap;
use traffic::scenario::FirstFailure;

/// What went wrong.
#[derive(Debug, Say)]
#[say(error)]
pub enum Error {
    /// An arm could not be fetched, built, configured, started or stopped.
    #[say(
        en = "arm `{arm}`: {source}",
        zh = "对象 `{arm}`：{source}",
        hint(from = source)
    )]
    Arm {
        /// The name of the arm.
        arm: String,
        /// The error of its server.
        source: Box<sut::Error>,
    },
    /// An error that belongs to no arm: of a work folder, the catalog, the link.
    #[say(transparent)]
    Sut(#[say(from)] Box<sut::Error>),
    /// A server ended under load.
    #[say(
        en = "arm `{arm}`: its server ended under load",
        zh = "对象 `{arm}`：其服务器在负载下退出",
        hint(
            en = "its log above says why; a larger `heap` is a common cure",
            zh = "原因见上面的日志；通常加大 `heap` 即可解决"
        )
    )]
    Died {
        /// The name of the arm.
        arm: String,
        /// The end of its log.
        log: Vec<String>,
    },
    /// The first answers of an arm, to a few requests before any load, are all wrong.
    #[say(
        en = "arm `{arm}` gives no right answer ({faults}){first?. {}}",
        zh = "对象 `{arm}` 没有给出任何正确的应答（{faults}）{first?。{}}",
        hint(
            en = "`status`, `expect` and `check` in the file say what is right; is the path right, and does the server's log tell more?",
            zh = "文件中的 `status`、`expect` 和 `check` 决定什么是正确的应答；请检查路径是否正确，并查看服务器日志"
        ),
        faults = FaultCounts(faults)
    )]
    NoRightAnswer {
        /// The name of the arm.
        arm: String,
        /// What came instead: how often each kind of fault.
        faults: BTreeMap<String, u64>,
        /// The first wrong answer, with its request.
        first: Option<Box<FirstFailure>>,
        /// What its log has said meanwhile.
        log: Vec<String>,
    },
    /// The server of an arm that runs already cannot be reached as the arm says.
    #[say(
        en = "arm `{arm}`: {source}",
        zh = "对象 `{arm}`：{source}",
        hint(from = source)
    )]
    Way {
        /// The name of the arm.
        arm: String,
        source: Box<crate::way::WayError>,
    },
    /// A server does not tell figures of itself where the arm says.
    #[say(
        en = "arm `{arm}`: there are no figures at {url}: {why}",
        zh = "对象 `{arm}`：{url} 处没有指标数据：{why}",
        hint(
            en = "`metrics` names a page in the text format of Prometheus, such as /actuator/prometheus of Spring Boot, or a Prometheus server with \
                  what selects the series of one process; without the key they stay unknown",
            zh = "`metrics` 应指向 Prometheus 文本格式的页面，例如 Spring Boot 的 /actuator/prometheus，或一个 Prometheus 服务器以及选出某一进程的时间\
                  序列的条件；去掉该键则这些数据保持未知"
        )
    )]
    Metrics { arm: String, url: String, why: MetricsFlaw },
    /// The load generator failed.
    #[say(en = "the load generator failed", zh = "压测端失败")]
    Load(#[say(from)] load::Error),
    /// A server could not be read; most often because it has died.
    #[say(en = "the server cannot be observed any more", zh = "无法再观测服务器")]
    Probe(#[say(from)] probe::Error),
    /// A slice ended without reporting both edges of its counted window.
    #[say(
        en = "a slice ended without both edges of its counted window",
        zh = "有一个切片结束时缺少其计数窗口的起点或终点"
    )]
    Edges,
    /// The heaps of all arms, which run at the same time, leave too little memory.
    #[say(
        en = "the heaps of {arms} arms need {heaps}, more than 70 % of this machine's {memory}",
        zh = "{arms} 个对象的堆共需 {heaps}，超过本机 {memory} 内存的 70 %",
        hint(
            en = "all arms are up at once, so that they meet the same noise: give them a smaller `heap`, or choose some with --arm",
            zh = "所有对象同时运行，以便承受相同的噪声：请设置更小的 `heap`，或用 --arm 只选其中几个"
        )
    )]
    Memory {
        /// The number of arms.
        arms: usize,
        /// The sum of their heaps.
        heaps: Bytes,
        /// The memory of this machine.
        memory: Bytes,
    },
    /// The CPUs that the file names cannot be used.
    #[say(
        en = "{0}",
        zh = "{0}",
        hint(
            en = "`lscpu -e` lists the CPUs and their cores; name one CPU for each event loop, and others for the servers",
            zh = "`lscpu -e` 会列出各 CPU 及其核心；请为每个事件循环指定一个 CPU，其余的留给服务器"
        )
    )]
    Cpus(#[say(from)] CpuRefusal),
    /// Two arms are the same although they should differ, or differ in an A/A experiment.
    #[say(
        en = "the arms `{one}` and `{other}` are {same?|not }the same",
        zh = "对象 `{one}` 与 `{other}` {same?|不}相同",
        hint(
            en = "{same?name a difference; to see how much identical arms differ set `aa = true` in [design], or run `prony calibrate aa`|with `aa = true` all arms have to be the same but for name and port}",
            zh = "{same?请写明差异；若要了解相同对象之间相差多少，请在 [design] 中设置 `aa = true`，或运行 `prony calibrate aa`|设置 `aa = true` 时，所有对象除名称和端口外必须相同}"
        )
    )]
    Arms {
        one: String,
        other: String,
        /// Whether they are the same.
        same: bool,
    },
    /// The JVMs of the arms differ in something that no arm sets.
    #[say(
        en = "the arms differ in their {fact} though none of them names it: `{one}` runs with {one_value}, `{other}` with {other_value}",
        zh = "各对象的{fact}不同，但没有任何对象写明：`{one}` 运行时为 {one_value}，`{other}` 为 {other_value}",
        hint(
            en = "name it in each arm: `heap`, `jdk`, or the collector in `jvm_options`",
            zh = "请在每个对象中写明：`heap`、`jdk`，或在 `jvm_options` 中写明垃圾收集器"
        )
    )]
    UnnamedDifference {
        /// In what they differ.
        fact: JvmFact,
        /// The name of an arm.
        one: String,
        /// The value in that arm.
        one_value: String,
        /// The name of an arm with another value.
        other: String,
        /// The value in the other arm.
        other_value: String,
    },
    /// The prony on another host gave an answer that is not understood.
    #[say(
        en = "the prony on another host gave an answer that is not understood: {0}",
        zh = "另一台主机上的 prony 给出了无法理解的回答：{0}"
    )]
    Strange(String),
    /// The user ended the run by Ctrl-C or SIGTERM.
    #[say(en = "interrupted", zh = "已中断")]
    Interrupted,
}

/// Why a page has no figures.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum MetricsFlaw {
    /// It could not be got; the words are those of the system.
    #[say(en = "{0}", zh = "{0}")]
    Unreachable(String),
    /// It has none that prony knows.
    #[say(en = "none that prony knows is there", zh = "其中没有 prony 认识的指标")]
    NoFigures,
}

/// A setting in which JVMs may differ although nobody asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum JvmFact {
    /// The garbage collector.
    #[say(en = "garbage collector", zh = "垃圾收集器")]
    Collector,
    /// The size of the heap.
    #[say(en = "heap", zh = "堆大小")]
    Heap,
    /// The version of the JDK.
    #[say(en = "JDK", zh = "JDK")]
    Jdk,
}

impl Error {
    /// Whether an arm caused the error: it could not be fetched, built or started, it ended, or it answers nothing right.
    pub fn is_of_arm(&self) -> bool {
        let is_of_arm = matches!(self, Self::Arm { .. } | Self::Died { .. } | Self::NoRightAnswer { .. });
        is_of_arm && !self.asks_for_what_is_missing()
    }

    /// The host whose connection was cut, if that is the error: another start may go well.
    pub(crate) fn lost_host(&self) -> Option<&str> {
        let source = match self {
            Self::Arm { source, .. } | Self::Sut(source) => source,
            _ => return None,
        };
        match &**source {
            sut::Error::Host(error) if error.is_cut() => Some(&error.host),
            _ => None,
        }
    }

    /// Whether an arm asks for a version of a server or for a JDK that does not exist.
    fn asks_for_what_is_missing(&self) -> bool {
        match self {
            Self::Arm { source, .. } => {
                matches!(
                    **source,
                    sut::Error::NoVersion { .. } | sut::Error::NoJdk { .. } | sut::Error::NotAJdk { .. }
                )
            }
            _ => false,
        }
    }

    /// Whether the experiment asks for something that cannot be done here, which is a usage error.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Memory { .. }
            | Self::Cpus(_)
            | Self::Arms { .. }
            | Self::UnnamedDifference { .. }
            | Self::Way { .. }
            | Self::Metrics { .. } => true,
            Self::Sut(source) => matches!(**source, sut::Error::NoNetwork { .. }),
            _ => self.asks_for_what_is_missing(),
        }
    }

    /// The end of the server's log; empty where there is none.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Arm { source, .. } | Self::Sut(source) => source.log(),
            Self::Died { log, .. } | Self::NoRightAnswer { log, .. } => log,
            _ => &[],
        }
    }

    /// What the user can do about it, in English.
    pub fn hint(&self) -> Option<String> {
        say::hint(self, Language::En)
    }
}

/// Adds the name of the arm to an error.
pub(crate) fn at(arm: &Arm) -> impl FnOnce(sut::Error) -> Error {
    let arm = arm.name.clone();
    move |source| Error::Arm { arm, source: Box::new(source) }
}
