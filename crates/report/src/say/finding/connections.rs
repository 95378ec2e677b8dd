//! Findings on connections: how many the server holds, and how long it keeps each.

use crate::say::setting::called;
use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{count, three};
use model::finding::{ClosedBy, ConnectionsFull, ConnectionsNotKept, RequestsPerConnection};
use model::kind::{Called, Kind};

/// The server holds no more connections than its limit.
pub(super) fn full(full: ConnectionsFull, lang: Lang) -> String {
    let [most, users, left_out, given_up] =
        [full.most, full.users, full.left_out, full.given_up as f64].map(count);
    match lang {
        Lang::En => format!(
            "the server holds {most} connections and there are {users} users: {left_out} of them wait outside, {given_up} \
             requests were given up"
        ),
        Lang::Zh => format!(
            "服务器最多保持 {most} 个连接，而用户有 {users} 个：其中 {left_out} 个在外面等待，{given_up} 个请求被放弃"
        ),
    }
}

/// Connections are not kept.
pub(super) fn not_kept(not_kept: ConnectionsNotKept, lang: Lang) -> String {
    let per = three(not_kept.per_request);
    match (not_kept.closed_by, lang) {
        (ClosedBy::Load, Lang::En) => {
            format!("{per} connections per request: the load asks for `keepalive = false`")
        }
        (ClosedBy::Load, Lang::Zh) => format!("每个请求 {per} 个连接：负载设置了 `keepalive = false`"),
        (ClosedBy::Server, Lang::En) => {
            format!("{per} connections per request, although the load keeps them: the server closes each")
        }
        (ClosedBy::Server, Lang::Zh) => {
            format!("每个请求 {per} 个连接，尽管负载保持连接：服务器每次都将其关闭")
        }
    }
}

/// The server closes each connection after a number of requests.
pub(super) fn requests_each(of: RequestsPerConnection, lang: Lang) -> String {
    let [each, opened, requests] = [of.each, of.opened as f64, of.requests as f64].map(count);
    match lang {
        Lang::En => format!(
            "the server closes a connection after {each} requests: {opened} were opened again for {requests} requests"
        ),
        Lang::Zh => {
            format!("服务器在 {each} 个请求之后关闭连接：{requests} 个请求重新建立了 {opened} 个连接")
        }
    }
}

pub(in crate::say) const KEEP_CONNECTIONS: BilingualText = BilingualText {
    en: "let clients keep their connections (`keepalive = true`)",
    zh: "让客户端保持连接（`keepalive = true`）",
};

pub(in crate::say) const FIND_WHO_CLOSES: BilingualText = BilingualText {
    en: "look for `Connection: close` in its answers: a filter, a proxy, HTTP/1.0, or keep-alive switched off",
    zh: "检查其应答中的 `Connection: close`：可能来自过滤器、代理、HTTP/1.0，或 keep-alive 被关闭",
};

/// The advice to let a connection serve any number of requests, with the name of the setting in this kind of server.
pub(in crate::say) fn lift_requests(server: Kind, lang: Lang) -> String {
    let key = server.facts().keep_alive_requests;
    let name = key.map(|key| match key.split_once('.') {
        Some(("attributes", name)) => called(Called::Attribute(name), lang),
        Some((_, name)) => called(Called::Property(name), lang),
        None => called(Called::Property(key), lang),
    });
    match (name, lang) {
        (Some(name), Lang::En) => format!("set {name} to -1"),
        (Some(name), Lang::Zh) => format!("将 {name} 设为 -1"),
        (None, Lang::En) => "let a connection serve any number of requests".to_owned(),
        (None, Lang::Zh) => "让一个连接处理任意多的请求".to_owned(),
    }
}
