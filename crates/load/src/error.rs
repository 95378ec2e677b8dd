//! Errors that keep a load from running. What goes wrong with a single request is a [`Fault`](crate::Fault).

use say::{Say, SayError};

/// The reason why a session could not be opened or a slice could not be run.
#[derive(Debug, Say)]
#[say(error)]
pub enum Error {
    /// The plan would send nothing; the text names what it lacks.
    #[say(en = "the plan has no {0}", zh = "负载计划中没有{0}")]
    EmptyPlan(PlanPart),
    /// The weights of the requests do not fit the requests, or all of them are 0.
    #[say(
        en = "there must be as many weights as requests, and one above zero",
        zh = "权重的个数必须与请求的个数相同，且至少有一个大于零"
    )]
    BadWeights,
    /// The plan pipelines requests although its users do not keep a connection each.
    #[say(
        en = "pipelining needs users, not a rate, each with a connection that it keeps",
        zh = "流水线需要按用户数而不是按速率施加负载，且每个用户保持自己的连接"
    )]
    BadPipeline,
    /// A rate is not positive or exceeds 10^9 per second.
    #[say(en = "{0:text} per second is not a rate", zh = "每秒 {0:text} 不是有效的速率")]
    BadRate(f64),
    /// The plan has more connections than the process may have file descriptors.
    #[say(
        en = "{connections} connections need as many file descriptors, the limit is {limit}",
        zh = "{connections} 个连接需要同样多的文件描述符，而上限是 {limit}"
    )]
    Descriptors {
        /// Connections of the plan.
        connections: usize,
        /// The hard limit of file descriptors of this process.
        limit: u64,
    },
    /// Users need rows of data that no other user has, and there are more users than rows.
    #[say(
        en = "{users} users need a row of `{file}` each, and it has {rows}",
        zh = "{users} 个用户各需要 `{file}` 中的一行，而它只有 {rows} 行"
    )]
    TooFewRows {
        file: String,
        rows: u64,
        /// The users on all machines.
        users: u64,
    },
    /// Sessions need a connection for each user.
    #[say(
        en = "users who play sessions do not share connections and do not pipeline",
        zh = "执行会话的用户不共用连接，也不使用流水线"
    )]
    SessionsShare,
    /// HTTP/2 is combined with what it does not have.
    #[say(
        en = "HTTP/2 keeps its connections and sends many requests at once on streams, so it goes neither with a new connection for each request nor with pipelining",
        zh = "HTTP/2 保持连接，并通过流同时发送多个请求，因此既不能为每个请求新建连接，也不能使用流水线",
        hint(en = "leave one of them out", zh = "请去掉其中之一")
    )]
    BadHttp2,
    /// A call of gRPC is to be sent over HTTP/1.1.
    #[say(
        en = "gRPC needs HTTP/2, and the plan speaks HTTP/1.1",
        zh = "gRPC 需要 HTTP/2，而负载计划使用 HTTP/1.1",
        hint(
            en = "add --http 2, or http = \"2\" in [load]",
            zh = "请加上 --http 2，或在 [load] 中写 http = \"2\""
        )
    )]
    GrpcWithoutHttp2,
    /// Messages of WebSocket are to be sent over HTTP/2.
    #[say(
        en = "WebSocket is spoken over HTTP/1.1, and the plan speaks HTTP/2",
        zh = "WebSocket 基于 HTTP/1.1，而负载计划使用 HTTP/2",
        hint(en = "leave out --http 2, or http = \"2\"", zh = "请去掉 --http 2 或 http = \"2\"")
    )]
    WebSocketOverHttp2,
    /// Some requests are messages of WebSocket and others are not.
    #[say(
        en = "requests are either of HTTP or messages of WebSocket, and here are both",
        zh = "请求要么都是 HTTP 请求，要么都是 WebSocket 消息，此处却两者都有",
        hint(en = "a scenario has both as steps", zh = "场景的步骤可以两者兼有")
    )]
    MixedMessages,
    /// A system call failed that should not fail.
    #[say(en = "cannot {act}", zh = "无法{act}")]
    System {
        act: Act,
        /// The system's error.
        source: std::io::Error,
    },
    /// A URL that cannot be loaded.
    #[say(transparent)]
    BadUrl(#[say(from)] model::url::BadUrl),
    /// A host name has no address.
    #[say(
        en = "cannot resolve `{host}`",
        zh = "无法解析 `{host}`",
        hint(
            en = "is the host's name right, and can this machine look it up?",
            zh = "主机名是否正确？本机能否解析它？"
        )
    )]
    Resolve {
        /// The host name.
        host: String,
        /// The resolver's error.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[say(en = "cannot set up TLS: {0}", zh = "无法设置 TLS：{0}")]
    BadTls(TlsFlaw),
    /// A method, path or header would break the framing of the request.
    #[say(en = "`{0}` cannot be sent in a request", zh = "`{0}` 不能在请求中发送")]
    BadRequest(String),
    /// Other machines make the load, and one of them, or the way to it, failed.
    #[say(transparent)]
    Elsewhere(Box<dyn SayError>),
}

/// A part without which a plan asks for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum PlanPart {
    /// Event loops that send.
    #[say(en = "shards", zh = "事件循环")]
    Shards,
    /// Requests to send.
    #[say(en = "requests", zh = "请求")]
    Requests,
    /// Connections to send them on.
    #[say(en = "connections", zh = "连接")]
    Connections,
    /// A rate that is above zero at some time.
    #[say(en = "rate", zh = "速率")]
    Rate,
}

/// What the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Act {
    /// Raise the limit of open files of this process.
    #[say(en = "raise the limit of file descriptors", zh = "提高文件描述符的上限")]
    RaiseDescriptors,
    /// Create what an event loop waits on.
    #[say(en = "create an epoll instance", zh = "创建 epoll 实例")]
    CreateEpoll,
    /// Wait for events of connections.
    #[say(en = "wait for events", zh = "等待事件")]
    WaitForEvents,
}

impl Error {
    /// Wraps a system error; `act` is what was tried.
    pub(crate) fn system(act: Act) -> impl FnOnce(rustix::io::Errno) -> Self {
        move |errno| Self::System { act, source: errno.into() }
    }
}

/// What is wrong with the TLS settings of a plan. The library's own texts are English in every language.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum TlsFlaw {
    /// The text is neither a host name nor an address, so no certificate can have it.
    #[say(en = "`{0}` is not the name of a server", zh = "`{0}` 不是服务器名称")]
    ServerName(String),
    /// The library cannot begin a handshake.
    #[say(en = "no handshake can be begun", zh = "无法开始握手")]
    NoHandshake,
    /// The library refuses its own settings.
    #[say(transparent)]
    Library(String),
    /// The client certificate or its key cannot be used.
    #[say(
        en = "the client certificate or its key cannot be used: {0}",
        zh = "客户端证书或其私钥无法使用：{0}"
    )]
    NotAnIdentity(String),
    /// A client certificate is neither PEM nor a PKCS #12 store that the password opens.
    #[say(
        en = "the client certificate is neither PEM with a key nor a PKCS #12 store with one that the password in PRONY_CERT_PASSWORD opens",
        zh = "客户端证书既不是带私钥的 PEM，也不是可由 PRONY_CERT_PASSWORD 中的密码打开且含私钥的 PKCS #12 库"
    )]
    NotAStore,
    /// No cipher suite has this name.
    #[say(
        en = "there is no cipher suite `{name}`; there are {known:commas}",
        zh = "没有名为 `{name}` 的密码套件；可用的有 {known:commas}"
    )]
    UnknownCipher { name: String, known: Vec<String> },
    /// The file of CA certificates cannot be read as PEM.
    #[say(en = "not a CA file: {0}", zh = "不是 CA 文件：{0}")]
    NotACaFile(String),
    /// The file of CA certificates contains none that the library accepts.
    #[say(
        en = "there is no CA certificate to verify the server by",
        zh = "其中没有可用来验证服务器的 CA 证书"
    )]
    NoCaCertificate,
}
