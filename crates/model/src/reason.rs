//! [`Reason`]: why something that was measured does not count, with the numbers behind it. A run stores this value.

use crate::faults::FaultCounts;
use crate::units::{BitRate, Rate, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a slice, a level, a stage, a start, a rate or a requirement does not count. `limit` is the largest value
/// that would have been accepted.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Reason {
    /// The generator reached a limit of its own, so that the figures are not the server's.
    #[say(en = "generator-saturated: {0}", zh = "压测端饱和：{0}")]
    GeneratorSaturated(GeneratorLimit),
    /// The figures of a slice contradict each other.
    #[say(en = "inconsistent: {0}", zh = "数据自相矛盾：{0}")]
    Inconsistent(Contradiction),
    /// The hypervisor took this share of the machine's CPU time.
    #[say(
        en = "noisy-neighbour: the hypervisor took {share:percent_of} % of the CPU time (limit {limit:percent_of} %)",
        zh = "邻居干扰：虚拟机管理程序占用了 {share:percent_of} % 的 CPU 时间（上限 {limit:percent_of} %）"
    )]
    NoisyNeighbour { share: Share, limit: Share },
    /// The link to the servers passed nearly all that it can.
    #[say(en = "link-saturated: {0}", zh = "链路饱和：{0}")]
    LinkSaturated(FullLink),
    /// The users had no request in flight for this share of their time, because connections were still being opened.
    #[say(
        en = "no steady state: users had no request in flight {share:percent_of} % of the time (limit {limit:percent_of} %), \
              connections were still being opened; a longer `settle` or a `connect_rate` may help",
        zh = "未达稳态：用户有 {share:percent_of} % 的时间没有在途请求（上限 {limit:percent_of} %），连接仍在建立；加长 `settle` 或设置 \
              `connect_rate` 或有帮助"
    )]
    NoSteadyState { share: Share, limit: Share },
    /// At the end of a slice at a fixed rate (per second), an arm had not answered this share of the requests that were due.
    #[say(
        en = "overloaded: of {per_second:text} requests per second {arm} left {share:percent_of} % unanswered at the end of a slice \
              (limit {limit:percent_of} %); a lower `latency_rate` may do",
        zh = "过载：每秒 {per_second:text} 个请求中，{arm} 在切片结束时有 {share:percent_of} % 未应答（上限 {limit:percent_of} %）；可试用较低的 \
              `latency_rate`",
        per_second = rate.0
    )]
    Overloaded { arm: String, rate: Rate, share: Share, limit: Share },
    /// An arm that was not loaded used this share of one core.
    #[say(
        en = "an arm that was not loaded used {used:.1} % of a core (limit {limit:percent_of} %)",
        zh = "未加负载的对象占用了单核的 {used:.1} %（上限 {limit:percent_of} %）",
        used = share.as_percent()
    )]
    UnloadedArmBusy { share: Share, limit: Share },
    /// The wall clock was moved by so many seconds, forwards or backwards, while the round ran.
    #[say(
        en = "the wall clock was set by {seconds:+.2} s during the round",
        zh = "本轮期间系统时钟被调整了 {seconds:+.2} s"
    )]
    ClockSet { seconds: Seconds },
    /// The connection to the host of a server was cut, or the host went down.
    #[say(
        en = "the connection to {host} was cut, or the host went down",
        zh = "与 {host} 的连接断开，或该主机停机"
    )]
    HostLost { host: String },
    /// A measure has no value in the round or the level.
    #[say(en = "a measure has no value in it", zh = "其中有一个指标没有数值")]
    NoValue,
    /// The start ended before all of it was measured.
    #[say(en = "the start was cut short", zh = "该次启动未测完就结束了")]
    CutShort,
    /// The slice belongs to a quad that was measured again.
    #[say(en = "its quad was measured again", zh = "所在的一组切片已重新测量")]
    MeasuredAgain,
    /// The answers are wrong, or differ from the answers of the baseline.
    #[say(transparent)]
    Answers(AnswerFault),
    /// The probes of a start do not show the highest rate that keeps an objective.
    #[say(transparent)]
    NoRate(NoRate),
    /// The reason holds in so many of all slices.
    #[say(en = "{reason}, in {slices} of {all} slices", zh = "{reason}，见于 {all} 个切片中的 {slices} 个")]
    InSlices { reason: Box<Self>, slices: u64, all: u64 },
    /// The reason holds in so many of all starts.
    #[say(en = "in {starts} of {all} starts {reason}", zh = "在 {all} 次启动中的 {starts} 次，{reason}")]
    InStarts { reason: Box<Self>, starts: u64, all: u64 },
    /// There is one start, and it does not count.
    #[say(en = "the only start did not count: {reason}", zh = "唯一的一次启动未计入：{reason}")]
    OnlyStart { reason: Box<Self> },
    /// So many of all starts do not count; `last` is the reason of the last of them.
    #[say(
        en = "{starts} of {all} starts did not count; the last: {last}",
        zh = "{all} 次启动中有 {starts} 次未计入；最后一次的原因：{last}"
    )]
    StartsVoid { starts: u64, all: u64, last: Box<Self> },
    /// Not everything came from an agent of a fleet.
    #[say(transparent)]
    AgentLost(LostShare),
    /// The load of an agent of a fleet ended before its time; `said` is what its generator said.
    #[say(
        en = "{said?the load of agent {agent} failed: {}|agent {agent} ended its load before the time}",
        zh = "压测机 {agent} {said?的负载失败：{}|提前结束了负载}"
    )]
    AgentStopped { agent: String, said: Option<String> },
    /// An agent of a fleet began a slice so many seconds after the time of all, so that its window differs from the other windows.
    #[say(
        en = "agent {agent} began {late_ms:.0} ms after the others (more than {limit_ms:.0} ms)",
        zh = "压测机 {agent} 比其他压测机晚开始 {late_ms:.0} ms（超过 {limit_ms:.0} ms）",
        late_ms = late.as_millis(),
        limit_ms = limit.as_millis()
    )]
    AgentLate { agent: String, late: Seconds, limit: Seconds },
    /// The reason concerns this arm.
    #[say(en = "{arm}: {reason}", zh = "{arm}：{reason}")]
    OfArm { arm: String, reason: Box<Self> },
}

/// The share of a load that was lost with an agent of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
#[say(
    en = "agent {agent} was lost with share {share} of {of}: of its messages, those after {seq} are missing, and {seconds} of its \
          seconds came",
    zh = "压测机 {agent} 失联，其份额为第 {share} 份（共 {of} 份）：第 {seq} 条之后的消息缺失，只收到 {seconds} 秒的数据"
)]
pub struct LostShare {
    pub agent: String,
    /// The number of its share, from 1.
    pub share: u64,
    /// The number of shares.
    pub of: u64,
    /// The number of the last message before the first that is missing.
    pub seq: u64,
    /// How many seconds it measured that came.
    pub seconds: u64,
}

/// The limit of its own that the generator reached.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum GeneratorLimit {
    /// The busiest event loop used this share of its core.
    #[say(
        en = "an event loop used {share:percent_of} % of its core (limit {limit:percent_of} %); use more shards or less load",
        zh = "一个事件循环占用了其核的 {share:percent_of} %（上限 {limit:percent_of} %）；请增加 shards 或降低负载"
    )]
    EventLoopBusy { share: Share, limit: Share },
    /// This share of the requests left more than `delay` seconds after they could have; 99 % of them left within `p99` seconds.
    #[say(
        en = "{late:.1} % of the requests left more than {delay:millis} after they could have (limit {limit:percent_of} %), 99 % of them \
              within {p99:millis}",
        zh = "{late:.1} % 的请求比可发送时刻晚了 {delay:millis} 以上（上限 {limit:percent_of} %），其中 99 % 在 {p99:millis} 以内",
        late = share.as_percent()
    )]
    SentLate { share: Share, delay: Seconds, p99: Seconds, limit: Share },
    /// The delay with which requests were sent is too large a share of a percentile of the response times.
    #[say(transparent)]
    DelayInPercentile(DelayShare),
    /// For this share of the time that requests were in flight, answers lay in the kernel for more than `delay` seconds.
    #[say(
        en = "for {share:percent_of} % of the time requests were in flight, answers lay unseen for more than {delay:millis} (limit \
              {limit:percent_of} %)",
        zh = "有在途请求时，已到达的应答未被读取超过 {delay:millis} 的时间占 {share:percent_of} %（上限 {limit:percent_of} %）"
    )]
    AnswersUnseen { share: Share, delay: Seconds, limit: Share },
    /// For this share of the time, one turn of the event loop took more than `delay` seconds. It stands for
    /// `AnswersUnseen` where the kernel does not say when an answer arrived.
    #[say(
        en = "for {share:percent_of} % of the time, answers may have lain unseen in turns of the event loop for more than \
              {delay:millis} (limit {limit:percent_of} %)",
        zh = "应答可能在事件循环的一轮中未被读取超过 {delay:millis} 的时间占 {share:percent_of} %（上限 {limit:percent_of} %）"
    )]
    LongTurns { share: Share, delay: Seconds, limit: Share },
    /// For this share of the time that requests were in flight, the send buffer was full.
    #[say(
        en = "for {share:percent_of} % of the time requests were in flight the send buffer was too small (limit {limit:percent_of} %)",
        zh = "在有在途请求的时间中，{share:percent_of} % 的时间里发送缓冲区太小（上限 {limit:percent_of} %）"
    )]
    SendBufferFull { share: Share, limit: Share },
    /// The kernel dropped segments before the receive queues; `limit` is their largest share of those that answers took at least, one for
    /// each request or more.
    #[say(
        en = "the kernel dropped {segments} segments on their way into the receive queues (limit {limit:percent_of} % of the {requests} \
              that answers took at least)",
        zh = "内核在放入接收队列之前丢弃了 {segments} 个报文段（上限为应答至少所用 {requests} 个报文段的 {limit:percent_of} %）"
    )]
    SegmentsDropped { segments: u64, requests: u64, limit: Share },
    /// So many connections were not opened, because no local port was free.
    #[say(
        en = "{connections} connects found no free local port (limit 0)",
        zh = "{connections} 次建立连接时没有空闲的本地端口（上限 0）"
    )]
    NoLocalPort { connections: u64 },
    /// So many connections were not opened, because no file descriptor was free.
    #[say(
        en = "{connections} connects found no free file descriptor (limit 0)",
        zh = "{connections} 次建立连接时没有空闲的文件描述符（上限 0）"
    )]
    NoDescriptor { connections: u64 },
    /// For this share of their time the users waited for the generator to send their next request.
    #[say(
        en = "users waited for the generator {share:percent_of} % of the time (limit {limit:percent_of} %)",
        zh = "用户有 {share:percent_of} % 的时间在等待压测端（上限 {limit:percent_of} %）"
    )]
    UsersWaited { share: Share, limit: Share },
}

/// The delay with which an arm's requests were sent, as a share of a percentile of the response times, as a mean over the arms.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the delay with which requests were sent is {share:percent_of} % of p{percentile:text}, as a mean over the arms (limit \
          {limit:percent_of} %)",
    zh = "请求发送的延迟占第 {percentile:text} 百分位数（各对象的平均）的 {share:percent_of} %（上限 {limit:percent_of} %）"
)]
pub struct DelayShare {
    /// 50, 90 or 99.
    pub percentile: f64,
    pub share: Share,
    /// The largest share that would have been accepted.
    pub limit: Share,
}

/// Figures of a slice that contradict each other.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Contradiction {
    /// The sum of the service times is this multiple of what Little's law makes of the requests in flight.
    #[say(
        en = "by Little's law the number in flight is off by a factor of {factor:.3} (limit {limit:percent_of} %)",
        zh = "按利特尔法则，在途请求数相差 {factor:.3} 倍（上限 {limit:percent_of} %）"
    )]
    LittlesLaw { factor: f64, limit: Share },
    /// The mean times until the first byte and of the body add up to `sum` seconds; the mean service time is `mean` seconds.
    #[say(
        en = "first byte and body add up to {sum_ns:.0} ns, the service time is {mean_ns:.0} ns (limit {limit:percent_of} %)",
        zh = "首字节与正文之和为 {sum_ns:.0} ns，而服务时间为 {mean_ns:.0} ns（上限 {limit:percent_of} %）",
        sum_ns = sum.as_nanos(),
        mean_ns = mean.as_nanos()
    )]
    ServicePhases { sum: Seconds, mean: Seconds, limit: Share },
    /// The mean times of waiting, until the first byte and of the body add up to `sum` seconds; the mean response time is
    /// `mean` seconds.
    #[say(
        en = "waiting, first byte and body add up to {sum_ns:.0} ns, the response time is {mean_ns:.0} ns (limit \
              {limit:percent_of} %)",
        zh = "等待、首字节与正文之和为 {sum_ns:.0} ns，而响应时间为 {mean_ns:.0} ns（上限 {limit:percent_of} %）",
        sum_ns = sum.as_nanos(),
        mean_ns = mean.as_nanos()
    )]
    ResponsePhases { sum: Seconds, mean: Seconds, limit: Share },
}

/// What goes over a link in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkWay {
    /// Answers of the servers.
    #[default]
    Answers,
    /// Requests of the clients.
    Requests,
}

impl LinkWay {
    /// Whether it is the usual way, which files do not tell.
    fn is_usual(&self) -> bool {
        *self == Self::Answers
    }
}

/// A link that passed nearly all that it can: `used` of `rate`.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{requests?requests took {used} of the {rate} that the link passes|{used} of the {rate} that the link passes were used} \
          (limit {limit:percent_of} %): this measured the link, not the server",
    zh = "链路可通过 {rate}，{requests?请求占用了 {used}|已用 {used}}（上限 {limit:percent_of} %）：测到的是链路，而不是服务器",
    requests = *way == LinkWay::Requests
)]
pub struct FullLink {
    /// What fills it.
    #[serde(default, skip_serializing_if = "LinkWay::is_usual")]
    pub way: LinkWay,
    /// What went over it, bits per second.
    pub used: BitRate,
    /// What it can pass, bits per second.
    pub rate: BitRate,
    /// The largest share of it that may be used.
    pub limit: Share,
}

/// What is wrong with the answers of an arm. Faults are counts by kind, as in [`Counts`](record::outcome::Counts).
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum AnswerFault {
    /// A slice has no right answer; without faults it has no answer at all. `said` is the first wrong answer.
    #[say(
        en = "no right answer ({faults?{}|no answer at all}{said?; the first: `{}`})",
        zh = "没有任何正确应答（{faults?{}|完全没有应答}{said?；第一个：`{}`}）",
        faults = FaultCounts(faults)
    )]
    NoneRight {
        faults: BTreeMap<String, u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
    },
    /// Too large a share of the requests was answered wrongly.
    #[say(
        en = "{arm} answered {wrong} of {requests} requests wrongly ({share:.2} %, limit {most:.2} %): {faults}",
        zh = "{arm} 的 {requests} 个请求中有 {wrong} 个应答错误（{share:.2} %，上限 {most:.2} %）：{faults}",
        share = 100.0 * *wrong as f64 / (*requests).max(1) as f64,
        most = limit.as_percent(),
        faults = FaultCounts(faults)
    )]
    TooManyWrong { arm: String, wrong: u64, requests: u64, limit: Share, faults: BTreeMap<String, u64> },
    /// The arm and the baseline fail with different probabilities: `p` comes from Fisher's exact test.
    #[say(
        en = "{arm} answered {wrong} of {requests} requests wrongly, {baseline} {baseline_wrong} of {baseline_requests}: more than \
              chance explains (Fisher's exact p = {p:.1e}, limit {limit:text})",
        zh = "{arm} 的 {requests} 个请求中有 {wrong} 个应答错误，{baseline} 的 {baseline_requests} 个中有 {baseline_wrong} 个：超出偶然（Fisher \
              精确检验 p = {p:.1e}，上限 {limit:text}）"
    )]
    UnlikeErrors {
        arm: String,
        wrong: u64,
        requests: u64,
        baseline: String,
        baseline_wrong: u64,
        baseline_requests: u64,
        p: f64,
        limit: f64,
    },
    /// The mean sizes of the bodies differ, in bytes.
    #[say(
        en = "an answer of {arm} has a body of {bytes:.0} bytes, of {baseline} {baseline_bytes:.0}: they do not answer alike; where \
              that is meant, write `unlike_answers = true`",
        zh = "{arm} 的一个应答正文为 {bytes:.0} 字节，{baseline} 为 {baseline_bytes:.0} 字节：二者的应答不同；若有意如此，请写 \
              `unlike_answers = true`"
    )]
    UnlikeBodies { arm: String, bytes: f64, baseline: String, baseline_bytes: f64 },
}

/// Why the probes of a start do not show the highest rate that keeps an objective.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum NoRate {
    /// The generator could not send more than `rate` requests per second.
    #[say(
        en = "the generator could do no more than {rate:.0} requests per second: {reason}",
        zh = "压测端每秒最多只能发送 {rate:.0} 个请求：{reason}"
    )]
    Generator { rate: Rate, reason: Box<Reason> },
    /// The lowest rate that was tried does not keep the objective.
    #[say(
        en = "the objective was not kept at the lowest rate that was tried",
        zh = "在试过的最低速率下也未满足要求"
    )]
    NeverKept,
    /// The highest rate that was tried still keeps the objective.
    #[say(
        en = "the objective was kept at the highest rate that was tried",
        zh = "在试过的最高速率下仍满足要求"
    )]
    AlwaysKept,
}

/// The limit of its own that the generator reached, and where: a reason without the word that the generator was saturated.
#[derive(Clone, Debug, PartialEq, Say)]
pub enum LimitReached<'a> {
    /// The limit.
    #[say(transparent)]
    Limit(&'a GeneratorLimit),
    /// It was reached in so many of all slices.
    #[say(en = "{limit}, in {slices} of {all} slices", zh = "{limit}，见于 {all} 个切片中的 {slices} 个")]
    InSlices { limit: Box<Self>, slices: u64, all: u64 },
    /// It was reached with this arm.
    #[say(en = "{arm}: {limit}", zh = "{arm}：{limit}")]
    OfArm { arm: &'a str, limit: Box<Self> },
}

impl Reason {
    /// Returns the limit of its own that the generator reached, with where that was; `None` for other reasons.
    pub fn limit_reached(&self) -> Option<LimitReached<'_>> {
        match self {
            Self::GeneratorSaturated(limit) => Some(LimitReached::Limit(limit)),
            Self::InSlices { reason, slices, all } => Some(LimitReached::InSlices {
                limit: Box::new(reason.limit_reached()?),
                slices: *slices,
                all: *all,
            }),
            Self::OfArm { arm, reason } => {
                Some(LimitReached::OfArm { arm, limit: Box::new(reason.limit_reached()?) })
            }
            _ => None,
        }
    }

    /// Returns the limit of its own that the generator reached, in one slice or in several, or with one arm;
    /// `None` for other reasons.
    pub fn generator_limit(&self) -> Option<&GeneratorLimit> {
        match self {
            Self::GeneratorSaturated(limit) => Some(limit),
            Self::InSlices { reason, .. } | Self::OfArm { reason, .. } => reason.generator_limit(),
            _ => None,
        }
    }

    /// Whether the generator was saturated.
    pub fn is_of_generator(&self) -> bool {
        self.generator_limit().is_some()
    }

    /// Whether an arm worked that was not loaded.
    pub fn is_of_unloaded_arm(&self) -> bool {
        match self {
            Self::UnloadedArmBusy { .. } => true,
            Self::OfArm { reason, .. } => reason.is_of_unloaded_arm(),
            _ => false,
        }
    }

    /// Whether the hypervisor took too much of the machine.
    pub fn is_noisy_neighbour(&self) -> bool {
        match self {
            Self::NoisyNeighbour { .. } => true,
            Self::InSlices { reason, .. } | Self::OfArm { reason, .. } => reason.is_noisy_neighbour(),
            _ => false,
        }
    }

    /// Whether the loading machine spoilt the measurement, and not the servers that it loaded: at a lower rate, or a moment
    /// later, the measurement may be valid.
    pub fn is_of_machine(&self) -> bool {
        self.is_of_generator() || self.is_noisy_neighbour()
    }

    /// Whether the generator did something later than it could have. It need not have been short of anything of its own.
    pub fn is_late(&self) -> bool {
        self.generator_limit().is_some_and(GeneratorLimit::is_late)
    }

    /// Whether users waited for the generator, which need not have been short of anything of its own.
    pub fn delays_users(&self) -> bool {
        self.generator_limit().is_some_and(GeneratorLimit::delays_users)
    }
}

impl GeneratorLimit {
    /// The share of its core from which on an event loop has no time left, so that the generator sets the rate.
    /// Below it, a busy loop may let answers wait, which is judged by half of the slices of a start, but it caps no
    /// throughput. In slices of 0.1 s of a fast server on shared CPUs, a fifth were above 80 % and few above this.
    pub const FULL_LOOP: Share = Share(0.9);

    /// Whether it did something later than it could have.
    pub const fn is_late(&self) -> bool {
        matches!(
            self,
            Self::SentLate { .. }
                | Self::DelayInPercentile(_)
                | Self::AnswersUnseen { .. }
                | Self::LongTurns { .. }
        )
    }

    /// Whether users waited for it, because it was late or data had to wait or to be sent again.
    pub const fn delays_users(&self) -> bool {
        self.is_late() || matches!(self, Self::SendBufferFull { .. } | Self::SegmentsDropped { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_written_as_its_code_and_its_values() {
        let reason = Reason::InSlices {
            reason: Box::new(Reason::GeneratorSaturated(GeneratorLimit::EventLoopBusy {
                share: Share(0.93),
                limit: Share(0.8),
            })),
            slices: 3,
            all: 8,
        };
        let text = serde_json::to_string(&reason).expect("JSON");
        assert_eq!(
            text,
            r#"{"code":"in-slices","values":{"reason":{"code":"generator-saturated","values":{"code":"event-loop-busy","values":{"share":0.93,"limit":0.8}}},"slices":3,"all":8}}"#
        );
        assert_eq!(serde_json::from_str::<Reason>(&text).expect("a reason"), reason);
        let bare = serde_json::to_string(&Reason::NoValue).expect("JSON");
        assert_eq!(bare, r#"{"code":"no-value"}"#);
    }

    #[test]
    fn who_spoilt_a_measurement_is_known_through_slices_and_not_through_starts() {
        let late = Reason::GeneratorSaturated(GeneratorLimit::LongTurns {
            share: Share(0.2),
            delay: Seconds(0.001),
            limit: Share(0.1),
        });
        let in_slices = Reason::InSlices { reason: Box::new(late.clone()), slices: 3, all: 4 };
        let stolen = Reason::NoisyNeighbour { share: Share(0.2), limit: Share(0.1) };
        let only = Reason::OnlyStart { reason: Box::new(late.clone()) };
        let port = Reason::GeneratorSaturated(GeneratorLimit::NoLocalPort { connections: 1 });
        let of_arm = Reason::OfArm { arm: "ten".to_owned(), reason: Box::new(in_slices.clone()) };
        let all = [late, in_slices, of_arm, stolen, only, port, Reason::NoValue];
        let asked = |of: fn(&Reason) -> bool| all.iter().map(of).collect::<Vec<_>>();
        assert_eq!(asked(Reason::is_of_generator), [true, true, true, false, false, true, false]);
        assert_eq!(asked(Reason::is_of_machine), [true, true, true, true, false, true, false]);
        assert_eq!(asked(Reason::is_late), [true, true, true, false, false, false, false]);
        assert_eq!(asked(Reason::delays_users), [true, true, true, false, false, false, false]);
    }
}
