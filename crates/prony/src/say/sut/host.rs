//! Errors of servers on other hosts, in Chinese. Their English is `sut::HostError`'s own.

use crate::say::{Message, hinted, plain};
use std::env::consts::ARCH;
use sut::{HostError, HostTrouble, SshTrouble};

/// An error in Chinese.
pub(super) fn chinese(error: &HostError) -> Message {
    let HostError { host, trouble } = error;
    let (text, hint) = match trouble {
        HostTrouble::NotGiven => (
            "未给出其地址".to_owned(),
            format!("请给出地址：--host {host}=ssh://USER@BOX"),
        ),
        HostTrouble::Ssh { kind, said } => (format!("ssh 失败：{said}"), ssh_hint(*kind).to_owned()),
        HostTrouble::OtherArchitecture { there } => (
            format!("其架构为 {there}，而此 prony 适用于 {ARCH}"),
            format!("请为 {there} 构建 prony，并以 prony-{there} 之名放在此程序旁"),
        ),
        HostTrouble::ForeignProgram { there } => (
            format!("其架构为 {there}，而该方案需要适用于 {ARCH} 的程序或库"),
            "请去掉方案中的 `package = \"native\"` 或使用 tcnative 的连接器，或去掉 `host`".to_owned(),
        ),
        HostTrouble::DiskFull { needed, free } => (
            format!("其磁盘容不下服务器的文件：需要 {needed}，剩余 {free}"),
            "请在该主机上腾出空间；未保留写了一半的文件，prony 以前放在那里的文件在 ~/.cache/prony/host 中"
                .to_owned(),
        ),
        HostTrouble::NoJava { release, found } => (
            format!("{}，而该方案需要 JDK {release}", jdks(found)),
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
            "该主机上的服务器会在十秒内自行结束；待机器和网络恢复后请重新运行".to_owned(),
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

/// Which JDKs a host has.
fn jdks(found: &[u32]) -> String {
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    match found.as_slice() {
        [] => "没有任何 JDK".to_owned(),
        found => format!("有 JDK {}", found.join("、")),
    }
}

const fn ssh_hint(kind: SshTrouble) -> &'static str {
    match kind {
        SshTrouble::NoSsh => "请安装 ssh 客户端；Debian 的软件包是 openssh-client",
        SshTrouble::Name => "请检查主机名，或在 ~/.ssh/config 中为其指定地址",
        SshTrouble::Silence => "请检查该机器已开机、其 sshd 监听此端口，且没有防火墙阻挡",
        SshTrouble::Key => "请先用 ssh 手工登录一次，并核对主机密钥",
        SshTrouble::Login => "ssh 必须无需密码即可登录该主机：可用 ssh -o BatchMode=yes HOST true 检查",
        SshTrouble::Program => "请用 ssh 登录该主机，检查其 shell、主目录和 tar 是否正常",
    }
}
