//! [`LoadComplaint`]: what is wrong with a load, and what can be done about it.

use ask::slip::{GrpcSlip, Hint, Slip};
use load::Fault;
use model::faults::FaultCounts;
use say::Say;
use std::collections::BTreeMap;
use traffic::scenario::{FirstFailure, StepFailure};

/// What may cure it that no answer is right.
#[derive(Say)]
enum WrongAnswerAdvice {
    #[say(
        en = "this is how Jetty refuses a name in the handshake (SNI) that its certificate does not have, or an address: --sni NAME sends \
              another, and -H 'Host: NAME' goes with it",
        zh = "这是 Jetty 拒绝握手名称（SNI）的方式：其证书中没有该名称，或给出的是地址；可用 --sni NAME 发送另一名称，并以 -H 'Host: NAME' \
              与之一致"
    )]
    OtherName,
    #[say(
        en = "does the proxy know user and password, and does it allow CONNECT to this host and port?",
        zh = "代理是否认可用户名和密码，并允许以 CONNECT 连接该主机和端口？"
    )]
    AskProxy,
    #[say(
        en = "the TLS handshake failed: does this port speak TLS, does the server want a client certificate (--cert, --key), is its own one that --cacert or this machine \
              trusts, and does it speak this version (--tls)? `openssl s_client -connect HOST:PORT` tells",
        zh = "TLS 握手失败：该端口是否使用 TLS？服务器是否要求客户端证书（--cert、--key）？它自己的证书是否为 --cacert 或本机所信任？它是否支持该版本（--tls）？可用 \
              `openssl s_client -connect HOST:PORT` 查看"
    )]
    CheckHandshake,
    #[say(
        en = "the server writes more than its answers say: a Content-Length in characters instead of bytes, or a body after 204, 304 or HEAD",
        zh = "服务器写出的内容多于应答的声明：Content-Length 是否按字符而非字节计算，或 204、304、HEAD 的应答带有正文？"
    )]
    EndAnswers,
    #[say(
        en = "does the server have the service, and does the message ask for what it has? right means the status OK, or that of --grpc-status",
        zh = "服务器是否提供该服务？消息所请求的内容是否存在？状态码 OK（或 --grpc-status 指定的状态码）视为正确"
    )]
    CheckCall,
    #[say(
        en = "is there a WebSocket at this path? the right answer to a message is its echo, or with `expect` a message that has that text",
        zh = "该路径上是否有 WebSocket？消息的正确应答是其回显，或在指定 `expect` 时为含有该文本的消息"
    )]
    CheckWebSocket,
    #[say(
        en = "a right answer has as many events as --events says, and at least one without it",
        zh = "正确的应答须含有 --events 所指定数量的事件，未指定时至少一个"
    )]
    CheckEvents,
    #[say(
        en = "the server takes the requests and does not answer in time: how long it may take is said by --timeout, and for a call of gRPC by \
              --deadline",
        zh = "服务器接收请求，但未及时应答：--timeout 指定可用的时间，gRPC 调用由 --deadline 指定"
    )]
    AllowMoreTime,
    #[say(
        en = "is the server running, and is the path right? right means status 200 to 399, and 200 for a call of gRPC",
        zh = "服务器是否在运行？路径是否正确？状态码 200 到 399 视为正确，gRPC 调用则须为 200"
    )]
    CheckServer,
}

impl WrongAnswerAdvice {
    /// The advice that fits the first wrong answer, or where there is none, what came instead.
    fn of(first: Option<&FirstFailure>, faults: &BTreeMap<String, u64>) -> Self {
        match first.filter(|first| !first.is_of_connection()) {
            None if faults.contains_key(Fault::Proxy.id()) => Self::AskProxy,
            None if faults.contains_key(Fault::Tls.id()) => Self::CheckHandshake,
            None if faults.contains_key(Fault::ResponseTimeout.id()) => Self::AllowMoreTime,
            Some(first) if first.answer.contains("Invalid SNI") => Self::OtherName,
            Some(first) if matches!(first.why, StepFailure::Tls(_)) => Self::CheckHandshake,
            Some(first) if matches!(first.why, StepFailure::Surplus(_)) => Self::EndAnswers,
            Some(first) if matches!(first.why, StepFailure::Events { .. }) => Self::CheckEvents,
            Some(first) if matches!(first.why, StepFailure::GrpcStatus { .. } | StepFailure::Grpc(_)) => {
                Self::CheckCall
            }
            Some(first)
                if matches!(
                    first.why,
                    StepFailure::WebSocket(_)
                        | StepFailure::WebSocketClosed { .. }
                        | StepFailure::OtherMessages(_)
                ) =>
            {
                Self::CheckWebSocket
            }
            _ => Self::CheckServer,
        }
    }
}

/// What is wrong with a load.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum LoadComplaint {
    /// It would last no time.
    #[say(
        en = "a load of no time measures nothing",
        zh = "时长为零的负载测不出任何结果",
        hint(en = "write for example -d 10s", zh = "例如可写 -d 10s")
    )]
    NoTime,
    /// A JMeter plan in which nothing that is left names a server.
    #[say(
        en = "no request of the plan names a server",
        zh = "计划中没有请求指定服务器",
        hint(en = "give the URL: prony load URL --jmx FILE", zh = "给出 URL：prony load URL --jmx FILE")
    )]
    NoServer,
    /// `-H` without a colon.
    #[say(
        en = "`{text}` is not a header",
        zh = "`{text}` 不是请求头",
        hint(en = "write -H \"Name: value\"", zh = "请写 -H \"Name: value\"")
    )]
    NotAHeader {
        /// What was given.
        text: String,
    },
    /// A method of gRPC that cannot be called.
    #[say(
        en = "cannot call `{method}`: {why}",
        zh = "无法调用 `{method}`：{why}",
        hint(en = "{advice}", zh = "{advice}")
    )]
    NotCallable {
        /// What was given.
        method: String,
        why: GrpcSlip,
        /// What to do about it.
        advice: Hint,
    },
    /// A URL of WebSocket, and nothing that is sent there.
    #[say(
        en = "nothing says which messages are sent to {url}",
        zh = "没有说明要向 {url} 发送哪些消息",
        hint(
            en = "--send TEXT sends one and awaits its echo, --hold TIME keeps connections open, --mix FILE lists several; a scenario opens \
                  WebSockets by its steps, and its URL has http:// or https://",
            zh = "--send TEXT 发送消息并等待回显，--hold TIME 只保持连接，--mix FILE 列出多条消息；场景用步骤打开 WebSocket，其 URL 为 http:// 或 https://"
        )
    )]
    NoMessage {
        /// What was given.
        url: String,
    },
    /// Messages for a URL that is none of WebSocket.
    #[say(
        en = "`{url}` is no URL of WebSocket, and --send and --hold are for these",
        zh = "`{url}` 不是 WebSocket 的 URL，而 --send 和 --hold 只用于 WebSocket",
        hint(en = "write ws://HOST/PATH or wss://HOST/PATH", zh = "请写 ws://HOST/PATH 或 wss://HOST/PATH")
    )]
    NotOfWebSocket {
        /// What was given.
        url: String,
    },
    /// A value of `--require` that is none.
    #[say(
        en = "cannot require `{text}`: {why}",
        zh = "无法要求 `{text}`：{why}",
        hint(
            en = "write for example 'p95<20ms', 'p99.9<1s', 'errors<0.1%', 'throughput>1000' or, for a step, 'checkout: p99<200ms'",
            zh = "例如可写 'p95<20ms'、'p99.9<1s'、'errors<0.1%'、'throughput>1000'，对步骤则写 'checkout: p99<200ms'"
        )
    )]
    NotRequirable {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: Slip,
    },
    /// No answer was right.
    #[say(
        en = "no right answer: {faults?{}|no answer came in time}{first?. {}}",
        zh = "没有正确的应答：{faults?{}|在规定时间内没有收到应答}{first?。{}}",
        hint(
            en = "{advice}",
            zh = "{advice}"
        ),
        advice = WrongAnswerAdvice::of(first.as_ref(), faults),
        faults = FaultCounts(faults)
    )]
    NoRightAnswer {
        /// What came instead: how often each kind of fault.
        faults: BTreeMap<String, u64>,
        /// The first wrong answer, with its request.
        first: Option<FirstFailure>,
    },
}
