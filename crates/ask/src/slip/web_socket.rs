//! What is wrong with messages of WebSocket.

use say::Say;

/// What is wrong with messages of WebSocket, in a file or on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum WebSocketSlip {
    #[say(en = "a message of WebSocket has no `{0}`", zh = "WebSocket 消息没有 `{0}`")]
    NotOfAMessage(&'static str),
    #[say(en = "`{0}` is no part of opening a WebSocket", zh = "打开 WebSocket 时没有 `{0}`")]
    NotOfOpening(&'static str),
    #[say(
        en = "requests are either of HTTP or messages of WebSocket, and here are both",
        zh = "请求要么都是 HTTP 请求，要么都是 WebSocket 消息，此处却两者都有"
    )]
    RequestsToo,
    #[say(
        en = "all messages go over the same connections, and this one has another path or other headers than the first one",
        zh = "所有消息使用相同的连接，而此消息的路径或请求头与第一条不同"
    )]
    OtherConnection,
    #[say(
        en = "WebSocket is spoken over HTTP/1.1, and the arm `{arm}` speaks HTTP/2",
        zh = "WebSocket 基于 HTTP/1.1，而对象 `{arm}` 使用 HTTP/2"
    )]
    OverHttp2 { arm: String },
    #[say(en = "no step before this one opens a WebSocket", zh = "此步骤之前没有打开 WebSocket 的步骤")]
    NotOpened,
    #[say(
        en = "`{0}` looks at a message, and this step awaits none",
        zh = "`{0}` 查看消息，而此步骤不等待消息"
    )]
    NothingAwaited(&'static str),
}
