//! The faults of requests with their numbers, by the kinds that the generator distinguishes.

use crate::words::Lang;
use std::collections::BTreeMap;

/// `2 reset, 1 wrong_body`; `None` when nothing went wrong.
pub fn faults(faults: &BTreeMap<String, u64>, lang: Lang) -> Option<String> {
    let kind = |(kind, count): (&String, &u64)| match lang {
        Lang::En => format!("{count} {kind}"),
        Lang::Zh => format!("{} {count}", in_chinese(kind)),
    };
    let separator = match lang {
        Lang::En => ", ",
        Lang::Zh => "，",
    };
    let kinds: Vec<String> = faults.iter().map(kind).collect();
    (!kinds.is_empty()).then(|| kinds.join(separator))
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
        other => other,
    }
}
