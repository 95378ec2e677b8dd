//! What is wrong with a call of gRPC.

use say::Say;

/// What is wrong with a call of gRPC, in a file or on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum GrpcSlip {
    #[say(en = "cannot read `{path}`: {why}", zh = "无法读取 `{path}`：{why}")]
    File { path: String, why: String },
    #[say(
        en = "`{import}` was not found, which is imported by `{path}` or by a file that it imports",
        zh = "未找到 `{import}`，它由 `{path}` 或其导入的文件导入"
    )]
    NoImport { import: String, path: String },
    /// The compiler says why in its own words.
    #[say(en = "`{path}` cannot be compiled: {why}", zh = "`{path}` 无法编译：{why}")]
    NotProto { path: String, why: String },
    /// The library says why in its own words.
    #[say(en = "`{path}` is no set of descriptors: {why}", zh = "`{path}` 不是描述符集合：{why}")]
    NotDescriptors { path: String, why: String },
    #[say(en = "`{0}` is not PACKAGE.SERVICE/METHOD", zh = "`{0}` 不符合“包.服务/方法”的格式")]
    NotAMethod(String),
    #[say(en = "no service is called `{name}`", zh = "没有名为 `{name}` 的服务")]
    UnknownService { name: String, known: Vec<String> },
    #[say(en = "`{service}` has no method `{name}`", zh = "`{service}` 没有方法 `{name}`")]
    UnknownMethod { service: String, name: String, known: Vec<String> },
    #[say(
        en = "`{0}` takes a stream of messages, and prony sends one message in each call",
        zh = "`{0}` 接收消息流，而 prony 的每次调用只发送一条消息"
    )]
    ClientStreams(String),
    /// The library says why in its own words.
    #[say(en = "the message is no {kind}: {why}", zh = "该消息不是 {kind}：{why}")]
    NotAMessage { kind: String, why: String },
    #[say(
        en = "`{0}` is in the message, which is the same in all calls",
        zh = "消息中有 `{0}`，而所有调用的消息都相同"
    )]
    Changing(&'static str),
    #[say(
        en = "nothing describes the method: there is neither `proto` nor `descriptors`",
        zh = "没有描述该方法的文件：既无 `proto`，也无 `descriptors`"
    )]
    NoSchema,
    #[say(
        en = "one file describes the method, and here are two: `proto` and `descriptors`",
        zh = "方法只由一个文件描述，此处却有 `proto` 和 `descriptors` 两个"
    )]
    TwoSchemas,
    #[say(en = "a call of gRPC has no `{0}`", zh = "gRPC 调用没有 `{0}`")]
    NotOfACall(&'static str),
    #[say(en = "`{0}` is for a call of gRPC", zh = "`{0}` 只用于 gRPC 调用")]
    OnlyOfACall(&'static str),
    #[say(
        en = "`{0}` is for an answer that streams, and this method answers with one message",
        zh = "`{0}` 只用于流式应答，而该方法只应答一条消息"
    )]
    Unary(&'static str),
    #[say(
        en = "gRPC needs HTTP/2, and the arm `{arm}` speaks HTTP/1.1",
        zh = "gRPC 需要 HTTP/2，而对象 `{arm}` 使用 HTTP/1.1"
    )]
    NeedsHttp2 { arm: String },
    #[say(
        en = "the arm `{arm}` runs an application of prony's, which answers no gRPC",
        zh = "对象 `{arm}` 运行 prony 的应用，它不响应 gRPC"
    )]
    NoService { arm: String },
}

/// What to do about it, where nothing in particular has to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum GrpcAdvice {
    #[say(
        en = "a path in a file begins at that file; imports are looked for in the folder of the .proto file and in those above it",
        zh = "文件中的路径相对于该文件；导入的文件在 .proto 文件所在的文件夹及其上级文件夹中查找"
    )]
    ProtoPaths,
    #[say(
        en = "`protoc --include_imports --descriptor_set_out=x.binpb x.proto` writes a set of descriptors, for `descriptors`",
        zh = "`protoc --include_imports --descriptor_set_out=x.binpb x.proto` 可生成用于 `descriptors` 的描述符集合"
    )]
    Protoc,
    #[say(
        en = "the message is written as JSON has it for protobuf, such as {{ name = \"Ann\", ids = [1, 2] }} or '{{\"name\": \"Ann\"}}'",
        zh = "消息按 protobuf 的 JSON 映射书写，例如 {{ name = \"Ann\", ids = [1, 2] }} 或 '{{\"name\": \"Ann\"}}'"
    )]
    MessageForm,
    #[say(
        en = "call a method that takes one message and answers with one or with a stream",
        zh = "请调用接收一条消息、并应答一条消息或消息流的方法"
    )]
    OneMessage,
    #[say(en = "list several messages as several [[request]]", zh = "多条消息请写成多个 [[request]]")]
    SeveralCalls,
    #[say(
        en = "give the arm a server of your own: `jar`, `command`, `image` or `url`",
        zh = "请为对象指定您自己的服务器：`jar`、`command`、`image` 或 `url`"
    )]
    ServerOfYourOwn,
}
