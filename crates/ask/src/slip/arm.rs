//! What an arm cannot have: values that are none, and keys that do not fit its server.

use model::units::Bytes;
use say::Say;

/// A value that an arm cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ArmSlip {
    #[say(en = "an arm's name has 1 to 60 printable characters", zh = "对象的名称须为 1 到 60 个可打印字符")]
    Name,
    #[say(
        en = "`{0}` is neither a version of a JDK nor a folder",
        zh = "`{0}` 既不是 JDK 版本号，也不是目录"
    )]
    Jdk(String),
    #[say(en = "a heap of {0} is too small for a server", zh = "堆大小 {0} 对服务器来说太小")]
    SmallHeap(Bytes),
    #[say(en = "no server starts within {0} of memory", zh = "任何服务器都无法在 {0} 内存内启动")]
    SmallMemory(Bytes),
    #[say(
        en = "`memory`: a heap of {heap} leaves nothing of {memory} for the JVM itself",
        zh = "`memory`：堆占 {heap}，{memory} 中没有余量留给 JVM 自身"
    )]
    HeapFillsMemory { heap: Bytes, memory: Bytes },
    #[say(
        en = "`heap` and `jvm_options` both set the size of the heap",
        zh = "`heap` 和 `jvm_options` 都设置了堆大小"
    )]
    HeapTwice,
    #[say(en = "`{0}` is set by prony", zh = "`{0}` 由 prony 设置")]
    SetByProny(String),
    /// Arms are asked for different paths, and the file does not say that this is meant.
    #[say(
        en = "an arm with its own `path` answers something else than the others",
        zh = "带有自己的 `path` 的对象，其应答与其他对象不同"
    )]
    OwnPath,
    /// Several kinds of request, or sessions, which have their paths.
    #[say(
        en = "an arm's `path` and the requests of the file exclude each other",
        zh = "对象的 `path` 与文件中的请求不能同时使用"
    )]
    OwnPathBesideRequests,
    #[say(en = "`{0}` is not an HTTP address", zh = "`{0}` 不是 HTTP 地址")]
    NotAnAddress(String),
    /// Neither the address nor the name of another machine.
    #[say(
        en = "`{0}` is no host: write ssh://USER@BOX, ssh://USER@BOX:PORT, or a name such as arm64",
        zh = "`{0}` 不是主机：应写作 ssh://USER@BOX、ssh://USER@BOX:PORT，或 arm64 这样的名称"
    )]
    NotAHost(String),
    /// The arm is on another machine, and the link on this one.
    #[say(
        en = "`{0}` is on another host, and a `[link]` is between processes of this machine",
        zh = "`{0}` 在另一台主机上，而 `[link]` 位于本机进程之间"
    )]
    BeyondLink(String),
    /// A container on another machine.
    #[say(
        en = "`container` and `host` exclude each other: containers run on this machine",
        zh = "`container` 与 `host` 不能同时使用：容器在本机运行"
    )]
    ContainerElsewhere,
    /// A Prometheus server without what tells the figures of the arm from those of others.
    #[say(
        en = "`metrics` needs `prometheus`, and `select` or a query for a figure: the server has the figures of others, too",
        zh = "`metrics` 需要 `prometheus`，以及 `select` 或某个指标的查询：该服务器上还有其他服务的指标"
    )]
    WhoseFigures,
    #[say(
        en = "`{0}` is no selector of series: write matchers, such as instance=\"10.0.0.5:8080\"",
        zh = "`{0}` 不是时间序列的选择条件：应写匹配条件，例如 instance=\"10.0.0.5:8080\""
    )]
    NotMatchers(String),
    #[say(en = "`{0}` has a path", zh = "`{0}` 带有路径")]
    AddressWithPath(String),
    #[say(en = "the command is empty", zh = "构建命令为空")]
    NoBuildCommand,
    #[say(en = "`{0}` is not a revision", zh = "`{0}` 不是修订版本")]
    NotARevision(String),
    #[say(en = "`{0}` is not the name of an image", zh = "`{0}` 不是镜像名称")]
    Image(String),
    #[say(
        en = "`{0}` does not say what the container gets, and where",
        zh = "`{0}` 没有说明容器得到什么、放在何处"
    )]
    Volume(String),
    #[say(en = "`{0}` is no path of a context", zh = "`{0}` 不是上下文路径")]
    ContextPath(String),
    #[say(en = "`{0}` cannot be set in an environment", zh = "`{0}` 不能设为环境变量")]
    Variable(String),
    #[say(
        en = "`{0}` runs already, and cannot be put behind a link",
        zh = "`{0}` 已在运行，无法置于独立链路之后"
    )]
    RunsBeforeLink(String),
}

/// A command or a service that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ServiceSlip {
    #[say(en = "a command begins with its program", zh = "命令必须以程序开头")]
    NoProgram,
    #[say(en = "the command does not say where to listen", zh = "命令中没有写明监听的端口")]
    NoPort,
    #[say(en = "`{0}` does not say when it is ready", zh = "`{0}` 没有说明何时就绪")]
    Ready(String),
    /// Services are programs, have an image, or are taken from a compose file.
    #[say(
        en = "`{0}` does not apply to this service: `port`, `environment` and `volumes` belong to an `image`",
        zh = "`{0}` 不适用于此服务：`port`、`environment` 和 `volumes` 用于 `image`"
    )]
    Misplaced(&'static str),
    #[say(en = "{file}: {flaw}", zh = "{file}：{flaw}")]
    Compose { file: String, flaw: ComposeFlaw },
}

/// Why a service cannot be taken from a compose file.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ComposeFlaw {
    /// It cannot be read; the reason is the system's or that of the YAML parser.
    #[say(en = "it cannot be read: {0}", zh = "无法读取：{0}")]
    Unreadable(String),
    #[say(
        en = "it has no service `{name}`{known?; its services are {:commas}}",
        zh = "其中没有服务 `{name}`{known?；已有服务：{:commas}}"
    )]
    NoService { name: String, known: Vec<String> },
    #[say(
        en = "the service has no `image`; build one, and name it by `image`",
        zh = "该服务没有 `image`；请先构建镜像，并用 `image` 指定"
    )]
    NoImage,
    #[say(
        en = "prony does not support `{0}` of a service; describe the service by `image` and its other keys instead",
        zh = "prony 不支持服务的 `{0}`；请改用 `image` 及其他键描述该服务"
    )]
    Unsupported(String),
    #[say(
        en = "prony does not read this form of `{0}`; describe the service by `image` and its other keys instead",
        zh = "prony 无法读取这种形式的 `{0}`；请改用 `image` 及其他键描述该服务"
    )]
    Value(String),
    #[say(en = "the variable `{0}` is not set", zh = "未设置变量 `{0}`")]
    Unset(String),
    #[say(
        en = "the service has the ports {ports:commas}: say which the application uses, as port = {first}",
        zh = "该服务有端口 {ports:commas}：请写明应用使用哪一个，例如 port = {first}",
        first = ports.first().map(String::as_str).unwrap_or_default()
    )]
    SeveralPorts { ports: Vec<String> },
}

/// A key that does not fit the server of its arm. `release` is `NAME:VERSION`.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum UnfitSlip {
    #[say(en = "`{key}` {why}", zh = "`{key}` {why}")]
    Misplaced { key: &'static str, why: Misplacement },
    #[say(
        en = "`accept_count` has no property in Spring Boot with {0}",
        zh = "`accept_count` 在使用 {0} 的 Spring Boot 中没有对应的属性"
    )]
    AcceptCountInBoot(&'static str),
    #[say(en = "`{server}` does not run a `{package}`", zh = "`{server}` 不能以 `{package}` 形式运行")]
    Package { server: String, package: &'static str },
    #[say(en = "`{server}` has no `{key}`", zh = "`{server}` 没有 `{key}`")]
    FurtherSettings { server: String, key: &'static str },
    #[say(
        en = "prony cannot have `{0}` write such an access log",
        zh = "prony 无法让 `{0}` 写这样的访问日志"
    )]
    AccessLog(String),
    #[say(en = "`{server}` has no setting for `{key}`", zh = "`{server}` 没有与 `{key}` 对应的设置")]
    NoSetting { server: String, key: &'static str },
    #[say(en = "{release} has no connector `{connector}`", zh = "{release} 没有连接器 `{connector}`")]
    Connector { release: String, connector: &'static str },
    #[say(en = "{release} cannot encrypt by `{tls}`", zh = "{release} 不能用 `{tls}` 加密")]
    Tls { release: String, tls: &'static str },
    #[say(en = "nothing tells this server where its certificate is", zh = "没有告知该服务器其证书的位置")]
    NoCertificate,
    #[say(
        en = "{release} does not speak HTTP/2 {over_tls?over TLS|over clear text}",
        zh = "{release} 不支持{over_tls?基于 TLS|基于明文}的 HTTP/2"
    )]
    Http2 { release: String, over_tls: bool },
    #[say(
        en = "only HTTP/2 has streams, and the load speaks HTTP/1.1 with this arm",
        zh = "只有 HTTP/2 才有流，而负载与此对象使用 HTTP/1.1"
    )]
    StreamsOfHttp1,
    #[say(en = "{0} has no virtual threads", zh = "{0} 不支持虚拟线程")]
    VirtualThreads(String),
    #[say(
        en = "`{0}` builds a `war` or `jar` of your own, and this arm names none",
        zh = "`{0}` 用于构建您自己的 `war` 或 `jar`，而此对象没有指定"
    )]
    NothingToBuild(&'static str),
    /// The user's own configuration of another kind of server.
    #[say(en = "`{key}` is not for `{server}`", zh = "`{key}` 不用于 `{server}`")]
    OtherConfiguration { server: String, key: &'static str },
    /// A context path of several parts, on a server that takes it from the name of the WAR.
    #[say(
        en = "{0} deploys a WAR by its name, and so at a path of one part",
        zh = "{0} 按 WAR 的名称部署，因此路径只能有一段"
    )]
    DeepContextPath(String),
    /// A setting that the user's own configuration has.
    #[say(en = "`{key}` is set by your own `{own}`", zh = "`{key}` 由您自己的 `{own}` 设置")]
    InOwnConfiguration { key: &'static str, own: &'static str },
    #[say(en = "{0} deploys no WAR", zh = "{0} 不能部署 WAR")]
    NoWar(String),
    #[say(en = "{0} speaks javax, and this WAR jakarta", zh = "{0} 使用 javax，而此 WAR 使用 jakarta")]
    JakartaOnJavax(String),
    #[say(en = "there is nothing to migrate for {0}", zh = "{0} 没有需要迁移的内容")]
    NothingToMigrate(String),
    #[say(en = "{0} does not migrate WARs itself", zh = "{0} 自身不迁移 WAR")]
    DoesNotMigrate(String),
    #[say(en = "the connector `apr` encrypts by OpenSSL only", zh = "连接器 `apr` 只能用 OpenSSL 加密")]
    AprWithoutOpenSsl,
    #[say(
        en = "{need} JDK {least} or newer, and not {asked}",
        zh = "{need} JDK {least} 或更高版本，而不是 {asked}"
    )]
    OldJava { need: JavaNeed, least: u32, asked: u32 },
}

/// Why an arm does not take a key, as the rest of a sentence that begins with the key.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Misplacement {
    #[say(en = "belongs to server = \"jar\"", zh = "只用于 server = \"jar\"")]
    ForJars,
    #[say(en = "is for Spring Boot, which this jar is not", zh = "只用于 Spring Boot，而此 jar 不是")]
    ForSpringBoot,
    #[say(en = "does not apply to `{0}`", zh = "不适用于 `{0}`")]
    NotForServer(String),
    #[say(en = "does not apply to a server that runs already", zh = "不适用于已在运行的服务器")]
    NotForUrls,
    #[say(en = "does not apply to a command", zh = "不适用于命令")]
    NotForCommands,
    #[say(en = "does not apply to a jar", zh = "不适用于 jar")]
    NotForJars,
    #[say(
        en = "does not apply to a Spring Boot jar, which is made native from its sources",
        zh = "不适用于 Spring Boot 的 jar：它须从源代码构建为原生程序"
    )]
    NotForBootJars,
}

/// What needs a certain release of Java at least, as the beginning of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum JavaNeed {
    #[say(en = "this server needs", zh = "此服务器需要")]
    Server,
    #[say(en = "virtual threads need", zh = "虚拟线程需要")]
    VirtualThreads,
    #[say(en = "OpenSSL by FFM needs", zh = "通过 FFM 使用 OpenSSL 需要")]
    OpenSslFfm,
    #[say(en = "HTTP/2 over TLS needs", zh = "通过 TLS 使用 HTTP/2 需要")]
    Alpn,
}
