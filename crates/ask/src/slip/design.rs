//! What an experiment cannot ask for: keys that contradict each other, measures that are not taken, requirements that
//! cannot be judged.

use model::measure::Measure;
use say::{Say, Writer};

/// `[load]`, `[design]`, `[quick]`, `[link]`, `[machine]` or `[tune]` ask for what cannot be. `find` is the value of that key.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum DesignSlip {
    #[say(
        en = "`until_sure` means no cap of starts, but `starts` sets one",
        zh = "`until_sure` 表示启动次数不设上限，而 `starts` 设了上限"
    )]
    CapUntilSure,
    #[say(
        en = "a gate and a margin of the headline would answer two questions with one rule",
        zh = "主指标的门限与等效界限会用同一规则回答两个问题"
    )]
    TwoMargins,
    #[say(en = "the number of pairs must be even", zh = "配对数必须为偶数")]
    OddPairs,
    #[say(
        en = "the level {level} is not greater than {before} before it",
        zh = "档位 {level} 不大于它前面的 {before}"
    )]
    LevelOrder { level: usize, before: usize },
    #[say(en = "`objective` is for find = \"max-rate\" only", zh = "`objective` 只用于 find = \"max-rate\"")]
    ObjectiveWithoutFind,
    #[say(
        en = "find = \"capacity\" takes no objective: a capacity is the highest throughput, whatever the response time",
        zh = "find = \"capacity\" 不需要 objective：容量是不计响应时间的最高吞吐量"
    )]
    ObjectiveOfCapacity,
    #[say(
        en = "`max-rate` needs an objective that the rate has to keep",
        zh = "`max-rate` 需要一个速率必须满足的 objective"
    )]
    NoObjective,
    #[say(
        en = "{0} numbers of users are too few for a capacity curve",
        zh = "{0} 种用户数不足以得出容量曲线"
    )]
    FewLevels(usize),
    #[say(
        en = "find = \"max-rate\" takes one number of connections, not several",
        zh = "find = \"max-rate\" 只接受一个连接数，不能给出多个"
    )]
    LevelsOfMaxRate,
    #[say(
        en = "with find = \"{0}\" there is no stage at a fixed rate",
        zh = "find = \"{0}\" 时没有固定速率测量"
    )]
    NoFixedRate(&'static str),
    #[say(
        en = "with `latency_pairs = 0` there is no stage at a fixed rate, so `{0}` has no effect",
        zh = "`latency_pairs = 0` 时没有固定速率测量，因此 `{0}` 不起作用"
    )]
    WithoutFixedRate(&'static str),
    #[say(
        en = "[quick] cannot look for anything else than [load] does",
        zh = "[quick] 的 `find` 不能与 [load] 的不同"
    )]
    OtherFindInQuick,
    #[say(
        en = "[quick] cannot speak another version of HTTP than [load] does",
        zh = "[quick] 的 `http` 不能与 [load] 的不同"
    )]
    OtherHttpInQuick,
    /// An arm whose streams share connections, and a load that closes each connection.
    #[say(
        en = "the load speaks HTTP/2 with {arm}, where streams of several users share a connection, and `keepalive = false` closes it after each \
              request",
        zh = "负载与 {arm} 使用 HTTP/2，多个用户的流共用一个连接，而 `keepalive = false` 会在每个请求之后关闭连接"
    )]
    ClosesStreams { arm: String },
    #[say(en = "`{0}` is no range of ports", zh = "`{0}` 不是端口范围")]
    Ports(String),
    #[say(en = "`{0}` is no list of CPUs", zh = "`{0}` 不是 CPU 列表")]
    CpuList(String),
    #[say(
        en = "the CPU {0} cannot belong to both the generator and the servers",
        zh = "CPU {0} 不能既属于压测端又属于服务器"
    )]
    CpuOnBothSides(usize),
    #[say(
        en = "`shared_cpus` in [load] lets both sides share all CPUs, and [machine] divides them",
        zh = "[load] 的 `shared_cpus` 让双方共用全部 CPU，而 [machine] 将其分开"
    )]
    SharedAndDivided,
    #[say(en = "`{0}` runs already, so its CPUs cannot be chosen", zh = "`{0}` 已在运行，无法选择它的 CPU")]
    CpusOfRunning(String),
    #[say(
        en = "`{0}` needs either `env` or `property`, by which the application gets it",
        zh = "`{0}` 需要 `env` 或 `property` 之一，说明应用从何处得到它"
    )]
    TunedBy(String),
    #[say(
        en = "no arm can get `{0}`: prony starts none, or none in a JVM",
        zh = "没有对象能得到 `{0}`：服务器不由 prony 启动，或不在 JVM 中"
    )]
    NothingToTune(String),
}

/// Why an experiment does not take a measure.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum NotMeasured {
    /// The CPU of a server that runs where its process cannot be seen.
    #[say(
        en = "there is no {name}: a server on another machine that prony did not start cannot be seen",
        zh = "没有{name}：不是由 prony 启动、又在另一台机器上的服务器无法被观测",
        name = Named(*_0)
    )]
    OfAnUnseenArm(Measure),
    /// Only a `find` takes it, which the experiment does not ask for.
    #[say(
        en = "without find = \"{find}\" there is no {measure}",
        zh = "没有 find = \"{find}\" 就不测量 {measure}",
        measure = Named(*measure)
    )]
    WithoutFind {
        /// The value of `find` that takes it.
        find: String,
        measure: Measure,
    },
    /// What the experiment looks for leaves it out.
    #[say(
        en = "with find = \"{find}\" no {measure} is compared",
        zh = "find = \"{find}\" 时不比较 {measure}",
        measure = Named(*measure)
    )]
    WithFind {
        /// The value of `find`.
        find: &'static str,
        measure: Measure,
    },
    /// It is taken at a fixed rate, and that stage is left out.
    #[say(
        en = "with `latency_pairs = 0` there is no {measure}",
        zh = "`latency_pairs = 0` 时不测量 {measure}",
        measure = Named(*_0)
    )]
    WithoutFixedRate(Measure),
    /// It is a time of events, and no answer streams.
    #[say(en = "no answer streams, so there is no {measure}", zh = "没有流式应答，因此没有 {measure}", measure = Named(*_0))]
    WithoutStreams(Measure),
}

/// What a message calls a measure: its title, in Chinese the name that files use.
struct Named(Measure);

impl Say for Named {
    fn say(&self, out: &mut Writer) {
        out.words(out.language().choose(self.0.title(), self.0.id()));
    }
}

/// An objective or a requirement that cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum RequirementSlip {
    #[say(en = "`{0}` is no objective", zh = "`{0}` 不是有效的 objective")]
    NotAnObjective(String),
    #[say(
        en = "`{0}` is no percentile of the response time: response_p50, response_p90, response_p95, response_p99 or \
              response_p99.9",
        zh = "`{0}` 不是响应时间的百分位数：可用 response_p50、response_p90、response_p95、response_p99 或 response_p99.9"
    )]
    NotAPercentile(String),
    /// The throughput of a step, which a single load does not count by time.
    #[say(
        en = "a single load has no interval for the throughput of a step",
        zh = "单次压测无法给出步骤吞吐量的区间"
    )]
    ThroughputOfAStep,
    /// A table in the place of a bound, as TOML reads `response_p99.9 = …`.
    #[say(
        en = "what is required of {0} is a text; a key with a dot has to be in quotes",
        zh = "对 {0} 的要求应为文本；含有点号的键须加引号"
    )]
    NotABound(&'static str),
    #[say(en = "`{0}` has no unit", zh = "`{0}` 没有单位")]
    NoUnit(String),
    #[say(en = "the limit has to be greater than 0", zh = "界限必须大于 0")]
    ZeroLimit,
    #[say(en = "errors cannot be required relative to the baseline", zh = "不能相对于基线对错误提出要求")]
    RelativeErrors,
    #[say(en = "`{0}` is not understood here", zh = "无法理解此处的 `{0}`")]
    NotUnderstood(String),
    #[say(en = "`{0}` is no requirement", zh = "`{0}` 不是有效的要求")]
    NotARequirement(String),
    #[say(
        en = "more is better here, and \"{0}\" asks for the opposite",
        zh = "此指标越大越好，而 \"{0}\" 的要求相反"
    )]
    UpperBound(String),
    #[say(
        en = "less is better here, and \"{0}\" asks for the opposite",
        zh = "此指标越小越好，而 \"{0}\" 的要求相反"
    )]
    LowerBound(String),
    #[say(en = "the baseline cannot be worse than itself", zh = "基线不可能比自身差")]
    OfTheBaseline,
    #[say(
        en = "a requirement of the headline relative to the baseline is the gate, and that is for all arms",
        zh = "相对于基线对主指标的要求就是门限，它适用于所有对象"
    )]
    GateOfOneArm,
    #[say(en = "`gate` requires this already", zh = "`gate` 已经提出了这一要求")]
    GateTwice,
    #[say(
        en = "this experiment plays no scenario, so there is no step of which anything could be required",
        zh = "本实验没有场景，因此没有可以提出要求的步骤"
    )]
    NoSteps,
}
