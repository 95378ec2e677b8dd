//! [`Error`]: why a fleet does not make its load.

use crate::message::AgentRefusal;
use say::Say;
use std::path::PathBuf;

/// The part of a plan that is too small to give every machine a share of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Missing {
    /// Users, or connections of a rate.
    #[say(en = "connections", zh = "连接")]
    Users,
    /// Connections that users share.
    #[say(en = "shared connections", zh = "共享连接")]
    Connections,
    /// Requests.
    #[say(en = "requests", zh = "请求")]
    Requests,
}

/// Why an agent refused its share.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(display)]
pub enum Refusal {
    /// It may not load this target.
    #[say(
        en = "{0} is not on its --allow list",
        zh = "{0} 不在其 --allow 列表中",
        hint(en = "start the agent with --allow HOST:PORT", zh = "启动压测机时请加 --allow HOST:PORT")
    )]
    Target(String),
    /// It was told to begin in the past.
    #[say(
        en = "it was told too late to begin",
        zh = "开始的通知到得太晚",
        hint(en = "is the network slow, or was a clock set?", zh = "网络是否很慢？时钟是否被调整？")
    )]
    TooLate,
    /// It has another load, or none to start.
    #[say(en = "it has another load", zh = "它正在执行另一个负载")]
    Busy,
    /// Its generator refused the plan, in its own words.
    #[say(transparent)]
    Plan(String),
}

/// Why a fleet does not make its load.
#[derive(Debug, Say)]
#[say(error)]
pub enum Error {
    /// There is not one for each machine.
    #[say(
        en = "{whole} {what} cannot be divided among {agents} agents",
        zh = "{whole} 个{what}无法分给 {agents} 台压测机",
        hint(en = "ask for fewer agents, or for more load", zh = "请减少压测机，或加大负载")
    )]
    TooSmall {
        /// Which part is too small.
        what: Missing,
        /// How many there are.
        whole: u64,
        /// How many agents want a share.
        agents: u64,
    },
    /// Agents would have to wait for each other's users.
    #[say(
        en = "some users begin when others have ended, and the users of one agent do not wait for those of \
              others",
        zh = "有些用户要等其他用户结束后才开始，而各压测机的用户互不等待",
        hint(
            en = "leave out groups that run before or after the others, and groups that run one after the \
                  other; or use one agent",
            zh = "请去掉在其他组之前、之后或依次运行的组，或只用一台压测机"
        )
    )]
    InStages,
    /// The NATS server refuses the user or password.
    #[say(
        en = "the NATS server at {server} does not accept these credentials",
        zh = "位于 {server} 的 NATS 服务器不接受该凭据",
        hint(
            en = "give the file with user and password with --creds",
            zh = "请用 --creds 给出含用户名和密码的文件"
        )
    )]
    NotAuthorized { server: String },
    /// The NATS server does not permit what is needed.
    #[say(
        en = "the NATS server does not permit it: {said}",
        zh = "NATS 服务器不允许：{said}",
        hint(
            en = "docs/guide/fleet.md shows the permissions that are needed",
            zh = "所需权限见 docs/guide/fleet.md"
        )
    )]
    NotPermitted {
        /// What the server said.
        said: String,
    },
    /// The NATS server cannot be reached.
    #[say(
        en = "cannot connect to the NATS server at {server}: {said}",
        zh = "无法连接位于 {server} 的 NATS 服务器：{said}",
        hint(
            en = "is nats-server running there, and is the port open?",
            zh = "nats-server 是否在那里运行？端口是否开放？"
        )
    )]
    NoServer {
        server: String,
        /// What the client said.
        said: String,
    },
    /// Fewer agents said hello than were asked for.
    #[say(
        en = "{found} of {wanted} agents are there after {seconds} s",
        zh = "{seconds} 秒后只有 {found} 台压测机就绪，需要 {wanted} 台",
        hint(
            en = "start more with: prony agent --nats URL; of hosts in [fleet], does a firewall keep them \
                  from this machine?",
            zh = "请启动更多：prony agent --nats URL；若主机写在 [fleet] 中，\
                  请检查防火墙是否挡住了它们到本机的连接"
        )
    )]
    TooFewAgents {
        /// Agents that said hello.
        found: usize,
        /// Agents that were asked for.
        wanted: usize,
        /// How long they were awaited.
        seconds: u64,
    },
    /// An agent has another version.
    #[say(
        en = "an agent speaks version {theirs} of the protocol, and this prony version {ours}",
        zh = "某压测机的协议版本为 {theirs}，而本 prony 为 {ours}",
        hint(
            en = "install the same version of prony on all machines",
            zh = "请在所有机器上安装同一版本的 prony"
        )
    )]
    OtherVersion {
        /// Its version.
        theirs: u16,
        /// Ours.
        ours: u16,
    },
    /// An agent does not answer.
    #[say(en = "agent {agent} does not answer", zh = "压测机 {agent} 没有回答")]
    NoAnswer { agent: String },
    /// An agent refuses its share.
    #[say(
        en = "agent {agent} refuses: {refusal}",
        zh = "压测机 {agent} 拒绝：{refusal}",
        hint(from = refusal)
    )]
    Refused { agent: String, refusal: Refusal },
    /// The share does not fit into a message.
    #[say(
        en = "the requests take {bytes} bytes, and a message has at most {limit}",
        zh = "请求共 {bytes} 字节，而一条消息最多 {limit} 字节",
        hint(en = "use smaller bodies or fewer requests", zh = "请使用更小的请求体或更少的请求")
    )]
    PlanTooLarge {
        /// Bytes of the share.
        bytes: usize,
        /// The most.
        limit: usize,
    },
    /// An id that cannot be part of a subject.
    #[say(
        en = "`{id}` cannot be the id of an agent",
        zh = "`{id}` 不能作为压测机的名称",
        hint(en = "use at most 64 letters, digits, - and _", zh = "最多 64 个字母、数字、- 和 _")
    )]
    BadId { id: String },
    /// A file cannot be read or written.
    #[say(en = "cannot use {path}", zh = "无法使用 {path}")]
    File {
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Others can read the credentials.
    #[say(
        en = "others than its owner can read {path} (mode {mode:o})",
        zh = "除所有者外还有人可以读取 {path}（权限 {mode:o}）",
        hint(en = "run chmod 600 on it", zh = "请对它执行 chmod 600")
    )]
    CredsOpen {
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The credentials cannot be read.
    #[say(
        en = "{path} is not a file of credentials",
        zh = "{path} 不是凭据文件",
        hint(
            en = "write user = \"…\" and password = \"…\", one a line",
            zh = "请写 user = \"…\" 和 password = \"…\"，每行一个"
        )
    )]
    BadCreds { path: PathBuf },
    /// There is no load of this run that could be taken up.
    #[say(
        en = "there is no load of run {run} to be taken up",
        zh = "没有可以接续的负载：运行 {run}",
        hint(
            en = "a load that has ended is in `prony history`",
            zh = "已结束的负载可用 `prony history` 查看"
        )
    )]
    NothingToResume { run: String },
    /// The load of the run was another one.
    #[say(
        en = "the load of run {run} was started with other arguments",
        zh = "运行 {run} 的负载以其他参数启动",
        hint(en = "repeat its command line, and add --resume", zh = "请重复原来的命令行，并加上 --resume")
    )]
    OtherLoad { run: String },
    /// There is no NATS server that could be started.
    #[say(
        en = "nats-server is not installed",
        zh = "未安装 nats-server",
        hint(
            en = "install it (in Debian: apt-get install nats-server), or give the address of one that runs",
            zh = "请安装它（Debian：apt-get install nats-server），或给出正在运行的 NATS 服务器的地址"
        )
    )]
    NoNatsServer,
    /// A program that was started for the run does not run.
    #[say(en = "{program} does not start: {said}", zh = "{program} 无法启动：{said}")]
    NotStarted {
        program: String,
        /// What it or the system said.
        said: String,
    },
    /// An agent elsewhere would have to load a server that only this machine reaches.
    #[say(
        en = "agent {agent} is on another machine, and cannot reach the server at {target}, which is the \
              loopback of this one",
        zh = "压测机 {agent} 在另一台机器上，无法访问只在本机回环地址 {target} 上的服务器",
        hint(
            en = "write listen = \"ADDRESS\" into [fleet]: the address of this machine at which agents \
                  reach its servers",
            zh = "请在 [fleet] 中写 listen = \"地址\"，即压测机访问本机服务器所用的地址"
        )
    )]
    OnlyLoopback {
        agent: String,
        /// The server.
        target: String,
    },
    /// The hosts do not tell at which address they reach this machine, or at different ones.
    #[say(
        en = "it is not known at which address of this machine all hosts of the fleet reach it (seen: \
              {seen})",
        zh = "无法确定各主机都能访问本机的地址（所见：{seen}）",
        hint(
            en = "write listen = \"ADDRESS\" into [fleet]: the address of this machine at which all of \
                  them reach it",
            zh = "请在 [fleet] 中写 listen = \"地址\"，即各主机访问本机所用的地址"
        )
    )]
    NoCommonAddress {
        /// The addresses by which hosts see this machine.
        seen: String,
    },
    /// The system does not give what is needed to talk to a NATS server.
    #[say(en = "cannot prepare for a connection", zh = "无法为连接做准备")]
    System(#[say(from)] std::io::Error),
}

impl From<AgentRefusal> for Refusal {
    fn from(refusal: AgentRefusal) -> Self {
        match refusal {
            AgentRefusal::Target(target) => Self::Target(target),
            AgentRefusal::TooLate => Self::TooLate,
            AgentRefusal::Busy => Self::Busy,
            AgentRefusal::Plan(said) => Self::Plan(said),
        }
    }
}
