//! Errors of the load generator, in Chinese. Their English is `load::Error`'s own.

use super::{Message, hinted, plain};
use load::{Act, Error, PlanPart, TlsFlaw};
use model::url::UrlFlaw;

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::EmptyPlan(part) => plain(format!("负载计划中没有{}", plan_part(*part))),
        Error::BadWeights => plain("权重的个数必须与请求的个数相同，且至少有一个大于零"),
        Error::BadPipeline => plain("流水线需要按用户数而不是按速率施加负载，且每个用户保持自己的连接"),
        Error::TooFewRows { file, rows, users } => plain(format!(
            "{users} 个用户各需要 `{file}` 中的一行，而它只有 {rows} 行"
        )),
        Error::SessionsShare => plain("执行会话的用户不共用连接，也不使用流水线"),
        Error::BadRate(rate) => plain(format!("每秒 {rate} 不是有效的速率")),
        Error::Descriptors { connections, limit } => plain(format!(
            "{connections} 个连接需要同样多的文件描述符，而上限是 {limit}"
        )),
        Error::System { act, .. } => plain(system(*act)),
        Error::BadUrl(bad) => plain(format!("`{}` 不是 URL：{}", bad.url, url_flaw(bad.reason))),
        Error::Resolve { host, .. } => {
            hinted(format!("无法解析 `{host}`"), "主机名是否正确？本机能否解析它？")
        }
        Error::BadTls(problem) => plain(format!("无法设置 TLS：{}", tls_flaw(problem))),
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

/// What is wrong with a URL.
fn url_flaw(flaw: UrlFlaw) -> &'static str {
    match flaw {
        UrlFlaw::OtherScheme => "只支持 http 和 https",
        UrlFlaw::Space => "其中含有空格或控制字符",
        UrlFlaw::Credentials => "用户名和密码应写在请求头中",
        UrlFlaw::OpenBracket => "IPv6 地址的方括号没有闭合",
        UrlFlaw::NotIpv6 => "方括号中不是 IPv6 地址",
        UrlFlaw::AfterBracket => "方括号之后只能是端口",
        UrlFlaw::BareIpv6 => "IPv6 地址需要方括号：[::1]:8080",
        UrlFlaw::NoHost => "其中没有主机名",
        UrlFlaw::PortRange => "端口不在 1 到 65535 之间",
        UrlFlaw::NotAPort => "端口不是数字",
    }
}

/// What is wrong with the settings of TLS.
fn tls_flaw(flaw: &TlsFlaw) -> String {
    match flaw {
        TlsFlaw::ServerName(name) => format!("`{name}` 不是服务器名称"),
        TlsFlaw::NoHandshake => "无法开始握手".to_owned(),
        TlsFlaw::Library(error) => error.clone(),
        TlsFlaw::NotACaFile(error) => format!("不是 CA 文件：{error}"),
        TlsFlaw::NoCaCertificate => "其中没有可用来验证服务器的 CA 证书".to_owned(),
    }
}
