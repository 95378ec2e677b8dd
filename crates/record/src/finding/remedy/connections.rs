//! Rows of [`super::Remedy`]: what to change in how clients connect to the server.

macro_rules! connections_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Let clients have more connections of HTTP/2.
        #[say(
            en = "let clients open more connections (`streams` of the load): what serves a connection does not share its work",
            zh = "让客户端打开更多连接（负载的 `streams`）：处理一个连接的工作不会由多个线程分担"
        )]
        UseMoreConnections,
        /// Let the server take more of a body before it has read it.
        #[say(
            en = "enlarge the server's window of {of_connection?a connection|a stream}{setting? (`{}`)}, or read bodies sooner",
            zh = "增大服务器{of_connection?连接|流}的窗口{setting?（`{}`）}，或更快地读取正文"
        )]
        WidenWindow {
            /// Whether the window is that of the connection.
            of_connection: bool,
            /// What the server calls its size; absent where that is not known.
            setting: Option<String>,
        },
        /// Let connections of HTTP/2 live on.
        #[say(
            en = "{is_defence?the server takes the load for an attack: send larger frames and fewer resets, or allow more of \
                  them{is_tomcat? (`overheadCountFactor`, `overheadDataThreshold` and others of the UpgradeProtocol)}|let a connection serve any \
                  number of requests, and live as long as clients need it}",
            zh = "{is_defence?服务器将负载视为攻击：发送更大的帧、减少重置，或放宽限制{is_tomcat?（UpgradeProtocol 的 \
                  `overheadCountFactor`、`overheadDataThreshold` 等）}|让一个连接处理任意多的请求，并按客户端的需要保持}",
            is_tomcat = *server == Kind::Tomcat
        )]
        LetConnectionsLive {
            /// The server that ends them.
            server: Kind,
            /// Whether it ends them with an error.
            is_defence: bool,
        },
        /// Keep connections after a request.
        #[say(
            en = "let clients keep their connections (`keepalive = true`)",
            zh = "让客户端保持连接（`keepalive = true`）"
        )]
        KeepConnections,
        /// Find out who closes connections.
        #[say(
            en = "look for `Connection: close` in its answers: a filter, a proxy, HTTP/1.0, or keep-alive switched off",
            zh = "检查其应答中的 `Connection: close`：可能来自过滤器、代理、HTTP/1.0，或 keep-alive 被关闭"
        )]
        FindWhoCloses,
        /// Keep connections open for longer than users pause.
        #[say(
            en = "keep idle connections for longer than users pause (`keepAliveTimeout`, an idle timeout), or look for `Connection: close` in \
                  its answers",
            zh = "让空闲连接保持得比用户的停顿更久（`keepAliveTimeout`、空闲超时），或检查其应答中是否有 `Connection: close`"
        )]
        KeepIdleConnections,
        /// Let a connection serve any number of requests.
        #[say(
            en = "{limit?set {} to -1|let a connection serve any number of requests}",
            zh = "{limit?将 {} 设为 -1|让一个连接处理任意多的请求}",
            limit = requests_per_connection(*server)
        )]
        LiftRequestsPerConnection {
            /// The server that limits them.
            server: Kind,
        },
        /// Keep connections, so that fewer handshakes are needed.
        #[say(
            en = "keep connections open{by_server?: the server closes them, see keepalive-not-effective| (`keepalive = true`), as browsers and \
                  proxies do}",
            zh = "保持连接{by_server?：连接由服务器关闭，见 keepalive-not-effective|（`keepalive = true`），浏览器与代理都是如此}",
            by_server = *closed_by == ClosedBy::Server
        )]
        SpareHandshakes {
            /// The side that ends them.
            closed_by: ClosedBy,
        },
    } };
}
pub(super) use connections_rows;
