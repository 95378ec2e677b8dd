//! Errors of the load generator, in Chinese. Their English is `load::Error`'s own.

use super::{Message, hinted, plain};
use load::{Act, Error, PlanPart};

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::EmptyPlan(part) => plain(format!("负载计划中没有{}", plan_part(*part))),
        Error::BadWeights => plain("权重的个数必须与请求的个数相同，且至少有一个大于零"),
        Error::BadPipeline => plain("流水线需要按用户数而不是按速率施加负载，且每个用户保持自己的连接"),
        Error::BadRate(rate) => plain(format!("每秒 {rate} 不是有效的速率")),
        Error::Descriptors { connections, limit } => plain(format!(
            "{connections} 个连接需要同样多的文件描述符，而上限是 {limit}"
        )),
        Error::System { act, .. } => plain(system(*act)),
        Error::BadUrl(bad) => plain(format!("`{}` 不是 URL：{}", bad.url, bad.reason)),
        Error::Resolve { host, .. } => {
            hinted(format!("无法解析 `{host}`"), "主机名是否正确？本机能否解析它？")
        }
        Error::BadTls(problem) => plain(format!("无法设置 TLS：{problem}")),
        Error::BadRequest(text) => plain(format!("`{text}` 不能在请求中发送")),
    }
}

fn plan_part(part: PlanPart) -> &'static str {
    match part {
        PlanPart::Shards => "事件循环",
        PlanPart::Requests => "请求",
        PlanPart::Connections => "连接",
        PlanPart::Rate => "速率",
    }
}

fn system(act: Act) -> &'static str {
    match act {
        Act::RaiseDescriptors => "无法提高文件描述符的上限",
        Act::CreateEpoll => "无法创建 epoll 实例",
        Act::WaitForEvents => "无法等待事件",
    }
}
