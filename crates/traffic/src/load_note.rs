//! [`LoadNote`]: what a reader has to know about the load, and how the servers took it.

use crate::scenario::{PlanDifference, Program};
use model::reason::LostShare;
use model::units::{Rate, Seconds, Share};
use say::{Say, numbers};
use serde::{Deserialize, Serialize};

/// What a reader has to know about the load, and how the servers took it. "Users" is a level of the closed loop.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum LoadNote {
    /// How a slow service was measured.
    #[say(transparent)]
    SlowService(SlowService),
    /// Less than half of the machine was used at a level, so all arms were loaded at once and without a break.
    #[say(
        en = "at {users} connections a request takes {time} and less than half of the machine is used: all arms were loaded at once and \
              without a break, in {windows} windows of {window:.2} s a start",
        zh = "{users} 个连接下一个请求耗时 {time}，机器使用不到一半：所有对象同时且不间断地承受负载，每次启动 {windows} 个 {window:.2} s 的窗口",
        time = numbers::fine_seconds(service.0)
    )]
    ArmsAtOnce {
        /// Users of the level.
        users: usize,
        /// Median service time of the quickest arm.
        service: Seconds,
        /// Length of a window.
        window: Seconds,
        /// Windows of a start.
        windows: u32,
    },
    /// Throughput and service time of a slow level do not agree with Little's law: there was no steady state yet.
    #[say(
        en = "no steady state at {users} connections: throughput times service time makes {arms:clauses} users; throughput counts, but \
              service times would still grow (a longer `settle` shows them)",
        zh = "{users} 个连接下未达稳态：吞吐量乘以服务时间得到的用户数为 {arms:clauses}；吞吐量有效，但服务时间还会增长（加长 `settle` 可见）"
    )]
    NoSteadyState {
        /// Users of the level.
        users: usize,
        /// Arms, each with its users by Little's law: throughput times service time.
        arms: Vec<ArmCount>,
    },
    /// Servers closed idle connections between the slices of a slow level.
    #[say(
        en = "at {users} connections servers closed idle connections between slices; opened again before the counted parts: \
              {each:clauses}",
        zh = "{users} 个连接下，服务器在切片之间关闭了空闲连接；在计入部分之前重新建立：{each:clauses}",
        each = arms.iter().map(Reopened).collect::<Vec<_>>()
    )]
    ConnectionsReopened {
        /// Users of the level.
        users: usize,
        /// Arms, each with the number of connections that were opened again.
        arms: Vec<ArmCount>,
    },
    /// Generator and servers used up the CPUs that they share, so that throughput is of both together.
    #[say(transparent)]
    SharedCpus(SharedCpus),
    /// All arms had the fixed rate at the same time.
    #[say(
        en = "{for_cpu?CPU per request was measured while all arms were loaded at once, with {rate} each: it is that of an arm beside the \
              others|at the fixed rate all {arms} arms were loaded at once, with {rate} each: figures there are those of an arm beside the \
              others, and what one arm takes from the machine changes the response times of all}",
        zh = "{for_cpu?每请求 CPU 是在所有对象同时承受负载时测得的，每个 {rate}：所得数值是该对象与其他对象并行时的数值|固定速率下 {arms} \
              个对象同时承受负载，每个 {rate}：所得数值是该对象与其他对象并行时的数值，任一对象占用机器都会改变所有对象的响应时间}"
    )]
    LoadedTogether {
        /// Number of arms.
        arms: usize,
        /// Requests to each.
        rate: Rate,
        /// Whether only CPU per request was measured so, and response times with the arms in turn.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        for_cpu: bool,
    },
    /// Arms that were not loaded used some of the CPUs all the time, beside each arm alike.
    #[say(
        en = "while an arm was loaded, the others used {least} to {most} of a core, so that throughput is that of an arm beside them; as each arm \
              had such neighbours, comparisons count",
        zh = "对象承受负载时，其他对象占用了单核的 {least} 到 {most}，因此吞吐量是该对象与它们并行时的数值；各对象的处境相同，比较有效"
    )]
    WorkingArms {
        /// The smallest use beside an arm, as a share of one core.
        least: Share,
        /// The largest one.
        most: Share,
    },
    /// A load at a rate was ended, because the server fell behind.
    #[say(
        en = "the server fell behind the rate: too many requests were outstanding, so the load was ended",
        zh = "服务器跟不上该速率：未完成的请求过多，压测已终止"
    )]
    FellBehind,
    /// `--fail-fast` ended the load.
    #[say(
        en = "the load was ended after {after:.0} s, because a requirement was surely broken (at 99.9 %)",
        zh = "压测在 {after:.0} s 后终止：某项要求已确定不成立（99.9 %）"
    )]
    BoundBroken {
        /// How long it had lasted.
        after: Seconds,
    },
    /// These elements of a JMeter plan were left out, because they cannot run here.
    #[say(
        en = "these elements of the plan were left out, because they are not supported: {0:commas}",
        zh = "计划中的以下元件不受支持，已略去：{0:commas}"
    )]
    LeftOut(Vec<String>),
    /// Some requests go to these servers, and not to the one that is loaded.
    #[say(
        en = "some requests go to other servers ({0:commas}): the totals count all requests, and each step has figures of its own",
        zh = "部分请求发往其他服务器：{0:commas}；合计包含所有请求，各步骤另有自己的数据"
    )]
    OtherServers(Vec<String>),
    /// This is done otherwise than the JMeter plan asks for.
    #[say(transparent)]
    PlanDiffers(PlanDifference),
    /// Several machines made the load.
    #[say(
        en = "agents: {agents} of {of}{spread?, start spread {:.1} ms}{strangers?; {refused} messages of strangers were refused}",
        zh = "压测机：{agents}/{of}{spread?，开始时刻相差 {:.1} ms}{strangers?；拒绝了 {refused} 条外来消息}",
        spread = start_spread.map(Seconds::as_millis),
        strangers = *refused > 0
    )]
    Fleet {
        /// Agents from which everything came.
        agents: u64,
        /// All agents.
        of: u64,
        /// Between the first and the last begin.
        start_spread: Option<Seconds>,
        /// Messages that were refused.
        refused: u64,
    },
    /// Several machines began each slice of an experiment together.
    #[say(
        en = "all agents changed arms together: they began each of {slices} slices within {median:millis} in the median, and within \
              {p99:millis} in 99 % of them",
        zh = "所有压测机同时切换对象：{slices} 个切片中，开始时刻之差的中位数为 {median:millis}，99 % 不超过 {p99:millis}"
    )]
    SlicesTogether {
        /// How many slices.
        slices: u64,
        /// The median of the time between the first and the last begin.
        median: Seconds,
        /// Its 99th percentile.
        p99: Seconds,
    },
    /// One of the machines that made the load.
    #[say(transparent)]
    Agent(AgentFacts),
    /// The share of an agent was lost, and the load was smaller.
    #[say(en = "the load was smaller than asked: {0}", zh = "实际负载小于所要求的负载：{0}")]
    SmallerLoad(LostShare),
    /// Less than 1 % of the requests took most of the time, so that no usual percentile shows them.
    #[say(
        en = "less than 1 % of the requests took most of the time: the mean, {mean:millis}, is beyond the 99th percentile, {p99:millis}",
        zh = "不到 1 % 的请求占去了大部分时间：均值 {mean:millis} 超过了 p99 {p99:millis}"
    )]
    HiddenTail {
        /// Mean response time.
        mean: Seconds,
        /// 99th percentile of the response time.
        p99: Seconds,
    },
}

impl LoadNote {
    /// What a reader has to know of a program: what was left out of a JMeter plan or is done otherwise, and
    /// which other servers get requests.
    pub fn of_program(program: &Program) -> Vec<Self> {
        let left_out = &program.left_out;
        let left_out = (!left_out.is_empty()).then(|| Self::LeftOut(left_out.clone()));
        let differences = program.differences.iter().copied().map(Self::PlanDiffers);
        let servers = program.servers.iter().map(ToString::to_string).collect::<Vec<_>>();
        let servers = (!servers.is_empty()).then_some(Self::OtherServers(servers));
        left_out.into_iter().chain(servers).chain(differences).collect()
    }
}

/// What is known of an agent of a fleet.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "agent {agent}: {requests} requests, clock {offset:+.3} ms off (± {bound:.3} ms), link {link:.3} ms there and back{loop_cpu?, \
          busiest loop {:.0} % of a core, lag p99 {lag:.3} ms}",
    zh = "压测机 {agent}：{requests} 个请求，时钟偏差 {offset:+.3} ms（± {bound:.3} ms），链路往返 {link:.3} ms{loop_cpu?，最忙的事件循环占单核 \
          {:.0} %，滞后 p99 {lag:.3} ms}",
    offset = clock_offset.as_millis(),
    bound = clock_bound.as_millis(),
    link = self.round_trip().as_millis(),
    loop_cpu = cpu.zip(*lag_p99).map(|(cpu, _)| cpu.as_percent()),
    lag = lag_p99.unwrap_or_default().as_millis()
)]
pub struct AgentFacts {
    pub agent: String,
    /// Requests of its share that ended.
    pub requests: u64,
    /// Its clock minus the coordinator's.
    pub clock_offset: Seconds,
    /// The most by which this can be wrong.
    pub clock_bound: Seconds,
    /// CPU time of its busiest event loop as a share of one core; `None` when it did not send it.
    pub cpu: Option<Share>,
    /// 99th percentile of its generator's lag; `None` when it did not send it.
    pub lag_p99: Option<Seconds>,
}

impl AgentFacts {
    /// The shortest time to the agent and back: a clock that was read in such a time can be wrong by half of it.
    pub fn round_trip(&self) -> Seconds {
        self.clock_bound * 2.0
    }
}

/// How much of the CPU time that a request of an arm costs more or less than a request of the baseline is spent in the
/// server, and how much in the generator, in a closed loop in which both together use all CPUs. Times are CPU times
/// per request, arm minus baseline.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "at {users} connections generator and servers share {cpus} CPUs and use all of them, so throughput is that of both together: \
          {alike?of the {total:.1} µs of CPU that {arm} costs {more} per request than {baseline}, {in_generator:.1} µs were spent in the \
          generator|per request, {arm} costs the server {in_server:.1} µs {server_more} than {baseline}, and the generator \
          {in_generator:.1} µs {generator_more}}",
    zh = "在 {users} 个连接下，压测端与服务器共用 {cpus} 个 CPU 且已用满，因此吞吐量由两者共同决定：{alike?{arm} 每请求比 {baseline} \
          {more}用 {total:.1} µs CPU，其中 {in_generator:.1} µs 用在压测端|与 {baseline} 相比，{arm} 的每个请求在服务器上{server_more}用 \
          {in_server:.1} µs CPU，在压测端{generator_more}用 {in_generator:.1} µs}",
    alike = server.0 * generator.0 >= 0.0,
    total = (*server + *generator).as_micros().abs(),
    in_server = server.as_micros().abs(),
    in_generator = generator.as_micros().abs(),
    more = Difference::of(*server + *generator),
    server_more = Difference::of(*server),
    generator_more = Difference::of(*generator)
)]
pub struct SharedCpus {
    /// Users of the level.
    pub users: usize,
    /// CPUs that they share.
    pub cpus: usize,
    pub arm: String,
    pub baseline: String,
    /// The difference in the server.
    pub server: Seconds,
    /// The difference in the generator.
    pub generator: Seconds,
}

/// A number that belongs to an arm.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "{arm} {count}", zh = "{arm} {count}")]
pub struct ArmCount {
    pub arm: String,
    /// The number.
    pub count: u64,
}

/// How a slow service was measured at one level of the closed loop.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "at {users} connections a request takes {service:.2} s: slices last {slice:.1} s, of which {counted:.1} s count, {pairs|one row \
          of slices a start|{pairs} pairs a start}{few_rounds?; a slice holds only {:.0} rounds of requests, so its throughput may be off by \
          up to {off:.0} % at its edges}{total?; {:.0} s in all}",
    zh = "{users} 个连接下一个请求需 {service:.2} s：切片长 {slice:.1} s，其中 {counted:.1} s 计入，{pairs|每次启动一行切片|每次启动 {pairs} \
          对}{few_rounds?；一个切片只容得下 {:.0} 轮请求，其吞吐量在边缘处可能偏差至多 {off:.0} %}{total?；共 {:.0} s}",
    off = 100.0 / few_rounds.unwrap_or(1.0)
)]
pub struct SlowService {
    /// Users of the level.
    pub users: usize,
    /// Median service time of the quickest arm.
    pub service: Seconds,
    /// Length of a slice.
    pub slice: Seconds,
    /// Its counted part.
    pub counted: Seconds,
    /// Pairs of slices in a start; 1 is a row of slices without its mirror image.
    pub pairs: u32,
    /// Time that the level takes in a start; absent after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Seconds>,
    /// How many requests, one after the other, fit into the counted part; present only where these are so few that the edges
    /// of the part bias throughput by up to 1 / this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub few_rounds: Option<f64>,
}

/// An arm with the connections that were opened again to it.
#[derive(Say)]
#[say(
    en = "{count} of {arm}",
    zh = "{arm} {count} 个",
    count = _0.count,
    arm = &_0.arm
)]
struct Reopened<'a>(&'a ArmCount);

/// On which side of another cost one is.
#[derive(Say)]
enum Difference {
    #[say(en = "more", zh = "多")]
    More,
    #[say(en = "less", zh = "少")]
    Less,
}

impl Difference {
    fn of(difference: Seconds) -> Self {
        if difference > Seconds::ZERO { Self::More } else { Self::Less }
    }
}
