//! Errors of servers on other hosts, in Chinese. Their English is `sut::HostError`'s own.

use crate::say::{Message, hinted, plain};
use sut::{HostError, HostTrouble};

/// An error in Chinese.
pub(super) fn chinese(error: &HostError) -> Message {
    let HostError { host, trouble } = error;
    let (text, hint) = match trouble {
        HostTrouble::Ssh(text) => (
            format!("ssh 失败：{text}"),
            "`ssh` 必须无需密码即可登录该主机：ssh -o BatchMode=yes HOST true".to_owned(),
        ),
        HostTrouble::OtherArchitecture(there) => (
            format!("其架构为 {there}，而此 prony 适用于 {}", std::env::consts::ARCH),
            "请在该架构的机器上运行 prony".to_owned(),
        ),
        HostTrouble::NoJava { release, found } => (
            format!("没有 JDK {release}（找到：{found:?}）"),
            format!("请在该主机上安装 JDK {release}，或为各方案指定两台机器都有的 `jdk`"),
        ),
        HostTrouble::OnlyPlainTomcat => (
            "只有不带 TLS、限制、服务、链路、手工迁移和固定端口的 Tomcat 能在其他主机上运行".to_owned(),
            "请去掉方案中的这些键，或去掉 `host`".to_owned(),
        ),
        HostTrouble::Cut => (
            "连接已断开".to_owned(),
            "该主机上的服务器已结束；网络恢复后请重新运行".to_owned(),
        ),
        HostTrouble::Failed { message, .. } => return plain(format!("主机 {host}：{message}")),
    };
    hinted(format!("主机 {host}：{text}"), hint)
}
