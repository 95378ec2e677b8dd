//! [`Hint`]: what to do about a slip. Examples are what a file would have, and so the same in every language.

use super::{GrpcAdvice, TableName};
use say::Say;
use traffic::scenario::MOST_SERVERS;

/// What to do about a slip.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(display)]
pub enum Hint {
    /// A word that is near, in the quotes that it would have.
    #[say(en = "did you mean {0}?", zh = "是否想写 {0}？")]
    DidYouMean(String),
    /// What could stand there.
    #[say(en = "{what} {items:commas}", zh = "{what}{items:commas}")]
    Listed {
        /// What is listed.
        what: Listing,
        items: Vec<String>,
    },
    /// The measures and the arms that a requirement can name.
    #[say(
        en = "measures: {measures:commas}; arms: {arms:commas}",
        zh = "指标：{measures:commas}；对象：{arms:commas}"
    )]
    MeasuresOrArms { measures: Vec<String>, arms: Vec<String> },
    /// One of these, as it has to be written.
    #[say(en = "write {0:or}", zh = "请写 {0:or}")]
    Write(Vec<String>),
    /// One of these, as an example.
    #[say(en = "write for example {0:or}", zh = "例如可写 {0:or}")]
    ForExample(Vec<String>),
    /// The head of a table, and what to write below it.
    #[say(en = "write {head} and below it {below}", zh = "请写 {head}，并在其下写 {below}")]
    WriteTable {
        head: &'static str,
        /// What stands below it.
        below: &'static [&'static str],
    },
    /// A key of a table.
    #[say(en = "write {key} in {table}", zh = "请在 {table} 中写 {key}")]
    WriteIn {
        /// The key, with its value where one is meant.
        key: String,
        table: &'static str,
    },
    /// This key is left out.
    #[say(en = "leave `{0}` out", zh = "请去掉 `{0}`")]
    LeaveOut(&'static str),
    /// This measure takes the place of the one that was asked for.
    #[say(en = "ask for {0} instead", zh = "请改用 {0}")]
    AskForInstead(&'static str),
    /// Numbers of users for a curve: at least so many.
    #[say(
        en = "list {0} at least, or give the most: connections = 64",
        zh = "请至少列出 {0} 个，或给出最大值：connections = 64"
    )]
    LevelsOfCurve(usize),
    /// Ports: from this one on.
    #[say(
        en = "write for example \"40000-40099\", from {0} to 65535",
        zh = "例如可写 \"40000-40099\"，范围为 {0} 到 65535"
    )]
    Ports(u16),
    /// What to do about an arm, its server or a service.
    #[say(transparent)]
    Arm(#[say(from)] ArmHint),
    /// What to do about a call of gRPC.
    #[say(transparent)]
    Grpc(#[say(from)] GrpcAdvice),
    /// What is said without any data.
    #[say(transparent)]
    Advice(#[say(from)] Advice),
}

/// What is said without any data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Advice {
    #[say(en = "the file must be valid TOML", zh = "文件必须是有效的 TOML")]
    ValidToml,
    #[say(
        en = "write \"…\" or {{ en = \"…\", zh = \"…\" }}; without `question` prony asks which arm is faster",
        zh = "请写 \"…\" 或 {{ en = \"…\", zh = \"…\" }}；不写 `question` 时，问题是哪个对象更快"
    )]
    QuestionForms,
    #[say(
        en = "name at least two arms to compare them, or one to ask only what limits it",
        zh = "请至少给出两个对象以作比较，或只给一个以查找其瓶颈"
    )]
    TwoArms,
    #[say(en = "give each arm a `name` of its own", zh = "请用 `name` 为每个对象取不同的名称")]
    OwnNames,
    #[say(
        en = "every level is measured in every start: a few tell more than many",
        zh = "每次启动都要测量所有档位：档位少而精更好"
    )]
    FewLevels,
    #[say(
        en = "write the levels in ascending order; they are measured in random order",
        zh = "请按升序写各档位；测量时的次序是随机的"
    )]
    AscendingLevels,
    #[say(
        en = "take out `keepalive`; `streams = 1` gives each user a connection",
        zh = "请去掉 `keepalive`；`streams = 1` 让每个用户各有一个连接"
    )]
    KeepStreams,
    #[say(en = "write one number of connections", zh = "请只写一个连接数")]
    OneNumber,
    #[say(
        en = "two pairs make one quad, ABBA or BAAB, which cancels drift",
        zh = "每两对组成一组 ABBA 或 BAAB，可抵消漂移"
    )]
    EvenPairs,
    #[say(
        en = "write margin = \"3%\" for the headline, or margin = {{ throughput = \"2%\" }}",
        zh = "主指标可写 margin = \"3%\"，或写 margin = {{ throughput = \"2%\" }}"
    )]
    MarginForms,
    #[say(
        en = "prony load --jmx FILE runs the plan by itself, and can leave out what is not supported",
        zh = "prony load --jmx FILE 可单独运行该计划，并可略去不支持的元件"
    )]
    PlanAlone,
    #[say(en = "leave one of the two out", zh = "请去掉二者之一")]
    LeaveOneOut,
    #[say(
        en = "leave one of the two out; `budget` limits the time of either",
        zh = "请去掉二者之一；`budget` 对两者都限制总时间"
    )]
    BudgetLimitsBoth,
    #[say(
        en = "leave the margin of the headline out: the gate takes its place",
        zh = "请去掉主指标的等效界限：门限已取代它"
    )]
    GateReplacesMargin,
    #[say(en = "leave the margin of the headline out", zh = "请去掉主指标的等效界限")]
    NoMarginOfHeadline,
    #[say(
        en = "leave `latency_pairs` out, or ask for at least 2",
        zh = "请去掉 `latency_pairs`，或至少设为 2"
    )]
    AtLeastTwoPairs,
    #[say(en = "add find = \"max-rate\"", zh = "请加上 find = \"max-rate\"")]
    AddMaxRate,
    #[say(
        en = "leave `objective` out, or write find = \"max-rate\"",
        zh = "请去掉 `objective`，或写 find = \"max-rate\""
    )]
    NoObjective,
    #[say(
        en = "leave --quick out, or add for example [quick] and below it budget = \"5m\"",
        zh = "请去掉 --quick，或加上 [quick]，例如在其下写 budget = \"5m\""
    )]
    NoQuickFlag,
    #[say(en = "write it in [require] itself", zh = "请直接写在 [require] 中")]
    InRequireItself,
    #[say(
        en = "write it in [require] itself, for all requests together",
        zh = "请直接写在 [require] 中，对全部请求一起提出要求"
    )]
    WholeLoad,
    #[say(
        en = "write p95 = \"< 20ms\", errors = \"< 0.1%\" or throughput = \"> 1000/s\", and of a step [require.step.NAME] with p99 = \"< 200ms\"",
        zh = "请写 p95 = \"< 20ms\"、errors = \"< 0.1%\" 或 throughput = \"> 1000/s\"；对步骤则在 [require.step.NAME] 中写 p99 = \"< 200ms\""
    )]
    RequireForm,
    #[say(
        en = "take [link] out, or have prony start the server",
        zh = "请去掉 [link]，或改由 prony 启动该服务器"
    )]
    NoLink,
    #[say(
        en = "take [machine] out, or have prony start the server",
        zh = "请去掉 [machine]，或改由 prony 启动该服务器"
    )]
    NoMachine,
    #[say(
        en = "write the numbers as in generator_cpus = \"0\", server_cpus = \"1-3,5\"; `lscpu -e` lists them",
        zh = "编号可写作 generator_cpus = \"0\", server_cpus = \"1-3,5\"；`lscpu -e` 会列出它们"
    )]
    CpuLists,
    #[say(
        en = "write arm = \"name\": one of this experiment's arms, or another",
        zh = "请写 arm = \"名称\"：可以是本实验的对象，也可以是其他对象"
    )]
    ReferenceArm,
    #[say(
        en = "write {{ question = \"Is it?\", arm = \"name\" }}, with measure = \"throughput\" if a verdict answers it and not a cause",
        zh = "请写 {{ question = \"问题？\", arm = \"名称\" }}；若由结论而非原因来回答，再加 measure = \"throughput\""
    )]
    OpenQuestion,
    #[say(en = "it begins with / and has no spaces", zh = "路径以 / 开头，且不含空格")]
    PathForm,
    #[say(
        en = "write it out, without variables, as in get = \"https://login.example.com:8443/token\"; there may be fewer than {most}",
        zh = "请完整写出，不含变量，例如 get = \"https://login.example.com:8443/token\"；服务器数须少于 {most}",
        most = MOST_SERVERS
    )]
    ServerForm,
    #[say(
        en = "write [[scenario]] and below it [[scenario.step]] with get = \"/\"",
        zh = "请写 [[scenario]]，并在其下写 [[scenario.step]] 和 get = \"/\""
    )]
    ScenarioForm,
    #[say(
        en = "variables come from [vars], [[data]], and `extract` and `set` of the steps before",
        zh = "变量来自 [vars]、[[data]]，以及之前步骤的 `extract` 和 `set`"
    )]
    Variables,
    #[say(
        en = "lists come from `extract` with match = \"all\"",
        zh = "列表来自写有 match = \"all\" 的 `extract`"
    )]
    Lists,
    #[say(
        en = "write for example \"${{role}} == 'admin' and not ${{done}}\"; there are and, or, not, ==, !=, <, <=, >, >=, contains, matches",
        zh = "例如可写 \"${{role}} == 'admin' and not ${{done}}\"；可用 and、or、not、==、!=、<、<=、>、>=、contains、matches"
    )]
    ConditionForm,
    #[say(en = "use letters, digits, `_`, `-` and `.`", zh = "请用字母、数字、`_`、`-` 和 `.`")]
    NameForm,
    #[say(
        en = "take one of json, regex, header, cookie and between",
        zh = "请从 json、regex、header、cookie 和 between 中取一个"
    )]
    OneExtractor,
    #[say(
        en = "paths are relative to the folder of the scenario file",
        zh = "路径相对于场景文件所在的文件夹"
    )]
    RelativePaths,
    #[say(
        en = "close it with `}}`; a plain `${{` is written as `$${{`",
        zh = "请用 `}}` 结束；普通的 `${{` 写作 `$${{`"
    )]
    CloseBrace,
    #[say(
        en = "a scenario opens each connection by a step, and may have requests between its messages",
        zh = "场景用步骤打开每个连接，消息之间也可以有请求"
    )]
    MessagesInScenario,
    #[say(en = "set it before you start prony", zh = "请在启动 prony 之前设置它")]
    SetEnvironment,
    #[say(
        en = "write nats = \"nats://HOST:4222\", where the agents wait",
        zh = "请写 nats = \"nats://HOST:4222\"，即压测机等待的位置"
    )]
    FleetServer,
    #[say(
        en = "write \"ssh://HOST\", \"local\" for this machine, or \"podman\" for a container on it",
        zh = "请写 \"ssh://主机\"、\"local\"（本机）或 \"podman\"（本机容器）"
    )]
    FleetHosts,
    #[say(en = "write an address such as listen = \"10.0.0.1\"", zh = "请写地址，例如 listen = \"10.0.0.1\"")]
    FleetListen,
    #[say(
        en = "add nats = \"nats://HOST:4222\", where agents wait, or hosts = [\"local\"], where prony starts them",
        zh = "请加上 nats = \"nats://HOST:4222\"（压测机在此等待），或 hosts = [\"local\"]（由 prony 启动）"
    )]
    FleetPlaces,
}

/// What to do about an arm, its server or a service.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ArmHint {
    /// How an arm names a server that is not of the catalog.
    #[say(en = "write {example} for {server}", zh = "{server}请写 {example}")]
    WriteFor {
        /// What to write.
        example: String,
        /// For which server.
        server: OwnServer,
    },
    /// How prony starts a server that it does not configure.
    #[say(
        en = "prony does not configure {called}, but starts it as you do: write for example {arm}",
        zh = "prony 不配置 {called}，但可按您的方式启动它：例如写 {arm}"
    )]
    Otherwise {
        /// The server.
        called: &'static str,
        /// An arm, as a file writes it.
        arm: String,
    },
    /// The servers that prony configures, and how it starts any other.
    #[say(
        en = "write for example {0:or}; any other server is started as you do, with server = \"jar\" and its `jar`, \
              server = \"command\" and its `command`, or server = \"image\" and its `image`",
        zh = "例如可写 {0:or}；其他服务器按您的方式启动：server = \"jar\" 加 `jar`，server = \"command\" 加 `command`，\
              或 server = \"image\" 加 `image`"
    )]
    OtherWays(Vec<String>),
    /// A server with its newest version, in quotes.
    #[say(en = "name a version: {0}", zh = "请写明版本：{0}")]
    NameVersion(String),
    /// The versions of a server that prony runs, in Maven's notation, and one of them.
    #[say(
        en = "it runs {server} {range}, for example \"{server}:{newest}\"",
        zh = "可运行 {server} {range}，例如 \"{server}:{newest}\""
    )]
    Versions {
        server: String,
        /// The versions.
        range: String,
        newest: String,
    },
    /// What the release has instead, and the releases that have what was asked for.
    #[say(
        en = "{present}{others?; what is asked for works on {:commas}}",
        zh = "{present}{others?；支持所要求设置的有 {:commas}}"
    )]
    Instead {
        /// What the release has.
        present: Present,
        /// The releases that have what was asked for.
        others: Vec<String>,
    },
    /// The releases that speak HTTP/2 in the way that is asked for, and where that is written.
    #[say(
        en = "take it out{others?, or take one of {:commas}}{sources?; see {:commas}}",
        zh = "请去掉它{others?，或改用 {:commas}}{sources?；参见 {:commas}}"
    )]
    OtherHttp2 { others: Vec<String>, sources: Vec<String> },
    /// A release of Java that is new enough.
    #[say(en = "write jdk = {0}, or leave it out", zh = "请写 jdk = {0}，或去掉它")]
    Jdk(u32),
    /// The key that holds the further settings of the server.
    #[say(en = "its settings are its `{0}`", zh = "它的设置写在 `{0}` 中")]
    FurtherSettings(&'static str),
    /// A service that is not described.
    #[say(
        en = "describe it in a table: [service.{0}] with its `command`",
        zh = "请用表 [service.{0}] 描述它，并写明其 `command`"
    )]
    DescribeService(String),
    /// The services that need no command.
    #[say(
        en = "write command = [\"PROGRAM\", \"--port\", \"{{port}}\"]; without one prony knows: {0:commas}",
        zh = "请写 command = [\"PROGRAM\", \"--port\", \"{{port}}\"]；无需 command 的服务有：{0:commas}"
    )]
    WriteCommand(Vec<String>),
    /// What is said without any data.
    #[say(transparent)]
    Advice(#[say(from)] ArmAdvice),
}

/// What is said about an arm without any data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum ArmAdvice {
    #[say(en = "write a number or \"virtual\"", zh = "请写一个数或 \"virtual\"")]
    NumberOrVirtual,
    #[say(en = "take it out", zh = "请去掉它")]
    TakeOut,
    #[say(
        en = "build it with `mvn -Pnative native:compile` or `gradle nativeCompile`, and run the program with server = \"command\"",
        zh = "请用 `mvn -Pnative native:compile` 或 `gradle nativeCompile` 构建，再以 server = \"command\" 运行所得程序"
    )]
    BuildNative,
    #[say(
        en = "take it out: the report shows the length that the kernel has",
        zh = "请去掉它：报告中会显示内核实际的队列长度"
    )]
    KernelLength,
    #[say(
        en = "take it out: the server was started with what it has",
        zh = "请去掉它：该服务器已按其自身的设置启动"
    )]
    StartedWithIt,
    #[say(
        en = "take it out, or put it into the command's own arguments",
        zh = "请去掉它，或写入命令自身的参数"
    )]
    OwnArguments,
    #[say(
        en = "set it in the jar's own way: by `arguments`, `environment` or `jvm_options`",
        zh = "请按该 jar 自身的方式设置：用 `arguments`、`environment` 或 `jvm_options`"
    )]
    OwnWay,
    #[say(
        en = "leave it out, or set it by the server's own `properties`",
        zh = "请去掉它，或用该服务器自身的 `properties` 设置"
    )]
    OwnProperties,
    #[say(
        en = "give the arm a smaller `heap` (two thirds of `memory` are usual), or more `memory`",
        zh = "请减小该对象的 `heap`（通常为 `memory` 的三分之二），或增大 `memory`"
    )]
    SmallerHeap,
    #[say(en = "at least 16M; sizes are 1024-based: \"256M\"", zh = "至少 16M；大小按 1024 进位：\"256M\"")]
    LeastHeap,
    #[say(en = "sizes are 1024-based: \"1024M\" or \"1G\"", zh = "大小按 1024 进位：\"1024M\" 或 \"1G\"")]
    BinarySizes,
    #[say(
        en = "WARs are deployed by standalone servers, as tomcat:VERSION",
        zh = "WAR 由独立服务器部署，如 tomcat:VERSION"
    )]
    StandaloneServers,
    #[say(
        en = "leave it out: only a javax WAR on a server that speaks jakarta is migrated",
        zh = "请去掉它：只有部署到 jakarta 服务器的 javax WAR 才会迁移"
    )]
    OnlyJavaxOnJakarta,
    #[say(
        en = "an arm's `port` sets its port; the address is 127.0.0.1",
        zh = "端口用对象的 `port` 设置；地址固定为 127.0.0.1"
    )]
    PortAndAddress,
    #[say(
        en = "write jdk = 21, \"21.0.8\", \"temurin-21\", or the path of a JDK with its slashes",
        zh = "请写 jdk = 21、\"21.0.8\"、\"temurin-21\"，或带斜杠的 JDK 路径"
    )]
    JdkForms,
    #[say(
        en = "write build = \"mvn -q -DskipTests package\", or leave it out: Maven and Gradle projects need no command",
        zh = "请写 build = \"mvn -q -DskipTests package\"，或去掉它：Maven 和 Gradle 项目无需写命令"
    )]
    BuildForms,
    #[say(
        en = "write a branch, a tag or the id of a commit: git = \"main\"",
        zh = "请写分支、标签或提交的编号：git = \"main\""
    )]
    RevisionForms,
    #[say(
        en = "write the path as `path` of the file: it is the same for all arms",
        zh = "请将路径写为文件的 `path`：它对所有对象相同"
    )]
    PathOfTheFile,
    #[say(
        en = "put {{port}} where the port belongs, and {{host}} where the address does",
        zh = "请用 {{port}} 表示端口，用 {{host}} 表示地址"
    )]
    PutPort,
    #[say(
        en = "write \"tcp\" (its port is open), \"http /path\" (status 200), \"line TEXT\" (in its output), \
              or for an image \"exec COMMAND\" (which ends well in its container)",
        zh = "请写 \"tcp\"（端口已打开）、\"http /path\"（状态码 200）、\"line TEXT\"（输出中的一行），\
              镜像还可写 \"exec 命令\"（在其容器中成功结束）"
    )]
    ReadyForms,
}

/// What a hint lists, as the words before the list.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Listing {
    #[say(en = "known:", zh = "可用的值：")]
    Words,
    #[say(en = "{0} knows:", zh = "{0}可用的键：")]
    KeysOf(TableName),
    #[say(en = "known applications:", zh = "可用的应用：")]
    Applications,
    #[say(en = "applications without servlets:", zh = "不需要 servlet 的应用：")]
    RoutedApplications,
    #[say(en = "the arms are:", zh = "可选的对象：")]
    Arms,
    #[say(en = "measures:", zh = "可用的指标：")]
    Measures,
    #[say(en = "steps:", zh = "可用的步骤：")]
    Steps,
    #[say(en = "functions:", zh = "可用的函数：")]
    Functions,
    #[say(en = "services:", zh = "可用的服务：")]
    Services,
    #[say(en = "methods:", zh = "可用的方法：")]
    Methods,
    #[say(en = "it takes:", zh = "可用的形式：")]
    Packages,
    #[say(en = "`{0}` answers", zh = "`{0}` 响应的路径：")]
    PathsOf(String),
    #[say(en = "the catalog has {0}", zh = "目录中有 {0} ")]
    ReleasesOf(String),
    #[say(en = "jakarta runs on", zh = "支持 jakarta 的有：")]
    JakartaServers,
}

/// A server that does not come from the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum OwnServer {
    #[say(en = "an executable jar of your own", zh = "您自己的可执行 jar")]
    Jar,
    #[say(en = "a server that runs already", zh = "已在运行的服务器")]
    Url,
    #[say(en = "a server of your own", zh = "您自己的服务器")]
    Command,
    #[say(en = "an image of your own", zh = "您自己的镜像")]
    Image,
}

/// What a release has in the place of what was asked for, as the beginning of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Present {
    /// There is nothing of the kind.
    #[say(en = "leave it out", zh = "请去掉它")]
    Nothing,
    /// One of these words, in their quotes.
    #[say(en = "it has {0:commas}", zh = "它可用 {0:commas}")]
    Words(Vec<String>),
    /// Threads of a pool.
    #[say(en = "it has platform threads, as threads = 200", zh = "它可用平台线程，如 threads = 200")]
    PlatformThreads,
}

impl Hint {
    /// One thing that has to be written so.
    pub(crate) fn write(example: impl Into<String>) -> Self {
        Self::Write(vec![example.into()])
    }

    /// One of several things that has to be written so.
    pub(crate) fn write_one_of<const N: usize>(examples: [&str; N]) -> Self {
        Self::Write(examples.map(str::to_owned).into())
    }

    /// One thing that could be written.
    pub(crate) fn for_example(example: impl Into<String>) -> Self {
        Self::ForExample(vec![example.into()])
    }

    /// A list of what could stand there.
    pub(crate) fn listed<T: Into<String>>(what: Listing, items: impl IntoIterator<Item = T>) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Self::Listed { what, items }
    }
}

impl From<ArmAdvice> for Hint {
    fn from(advice: ArmAdvice) -> Self {
        Self::Arm(advice.into())
    }
}
