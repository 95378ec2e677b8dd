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
        HostTrouble::Container => (
            "容器只能在本机运行".to_owned(),
            "请去掉方案中的 `container` 或镜像，或去掉 `host`".to_owned(),
        ),
        HostTrouble::Link => (
            "`[link]` 位于本机进程之间，而通往其他主机的路是真实的".to_owned(),
            "请去掉文件中的 `[link]`，或去掉各方案的 `host`".to_owned(),
        ),
        HostTrouble::Unreachable { address, why } => (
            format!("无法通过 {address} 连接其服务器：{why}"),
            "ssh 可以连通，因此可能有防火墙阻挡：请向本机开放 10240 以上的端口".to_owned(),
        ),
        HostTrouble::Strange => (
            "那里的程序给出了此 prony 无法理解的回答".to_owned(),
            "请删除该主机上的文件夹 ~/.cache/prony/host，然后重新运行".to_owned(),
        ),
        HostTrouble::Cut => (
            "连接已断开".to_owned(),
            "该主机上的服务器已结束；网络恢复后请重新运行".to_owned(),
        ),
        HostTrouble::Failed { message, hint, .. } => {
            let text = format!("主机 {host}：{message}");
            return match hint {
                Some(hint) => hinted(text, hint.clone()),
                None => plain(text),
            };
        }
    };
    hinted(format!("主机 {host}：{text}"), hint)
}
