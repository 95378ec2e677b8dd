//! [`FaultCounts`]: the faults of requests with their numbers, by the kinds that the generator distinguishes.

use say::{Present, Say, Writer, lists};
use std::collections::BTreeMap;

/// The faults of requests with their numbers, by kind: `2 reset, 1 wrong_body`. Nothing is said where nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultCounts<'a>(pub &'a BTreeMap<String, u64>);

impl Present for FaultCounts<'_> {
    type Value = Self;

    fn present(&self) -> Option<&Self> {
        (!self.0.is_empty()).then_some(self)
    }
}

impl Say for FaultCounts<'_> {
    fn say(&self, out: &mut Writer) {
        let counts = self.0.iter().map(|(kind, count)| FaultCount { kind: FaultName(kind), count: *count });
        lists::clauses(&counts.collect::<Vec<_>>(), out);
    }
}

/// The faults of one kind.
#[derive(Say)]
#[say(en = "{count} {kind}", zh = "{kind} {count}")]
struct FaultCount<'a> {
    kind: FaultName<'a>,
    count: u64,
}

/// The name of a kind of fault: in English as files have it.
#[derive(Clone, Copy, Debug)]
pub struct FaultName<'a>(pub &'a str);

impl Say for FaultName<'_> {
    fn say(&self, out: &mut Writer) {
        out.words(out.language().choose(self.0, in_chinese(self.0)));
    }
}

/// The Chinese name of a kind of fault; an unknown kind stays as it is.
fn in_chinese(kind: &str) -> &str {
    match kind {
        "connect_refused" => "连接被拒绝",
        "connect_timeout" => "连接超时",
        "connect_failed" => "连接失败",
        "ports_exhausted" => "本地端口用尽",
        "descriptors_exhausted" => "文件描述符用尽",
        "reset" => "连接被重置",
        "closed_early" => "连接提前关闭",
        "response_timeout" => "响应超时",
        "malformed" => "应答格式错误",
        "wrong_status" => "状态码错误",
        "wrong_body" => "应答内容错误",
        "wrong_status_and_body" => "状态码与内容错误",
        "tls" => "TLS 错误",
        "failed_check" => "检查未通过",
        "not_extracted" => "未提取到变量",
        "stream_reset" => "流被服务器重置",
        "stream_refused" => "流被服务器拒绝",
        "not_http2" => "服务器不支持 HTTP/2",
        "proxy" => "代理拒绝连接",
        "wrong_events" => "事件数错误",
        "wrong_grpc_status" => "gRPC 状态码错误",
        "not_websocket" => "WebSocket 握手失败",
        "websocket_closed" => "WebSocket 已关闭",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use say::{Language, some_text, text};

    #[test]
    fn faults_have_names_in_both_languages() {
        assert_eq!(some_text(&FaultCounts(&BTreeMap::new()), Language::Zh), None);
        let faults = [("response_timeout".to_owned(), 2), ("reset".to_owned(), 1)].into();
        assert_eq!(text(&FaultCounts(&faults), Language::En), "1 reset, 2 response_timeout");
        assert_eq!(text(&FaultCounts(&faults), Language::Zh), "连接被重置 1，响应超时 2");
    }
}
