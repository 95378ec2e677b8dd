//! What can go wrong with a server on another host.

use model::units::Bytes;
use say::{Say, Writer};
use std::env::consts::ARCH;
use std::net::IpAddr;

/// Another host cannot be used.
#[derive(Debug, Say)]
#[say(
    error,
    en = "host {host}: {trouble}",
    zh = "主机 {host}：{trouble}",
    hint(
        en = "{is_name?give it: --host {host}=ssh://USER@BOX|{cure}}",
        zh = "{is_name?请给出地址：--host {host}=ssh://USER@BOX|{cure}}"
    ),
    is_name = matches!(trouble, HostTrouble::NotGiven),
    cure = Cure(trouble)
)]
pub struct HostError {
    /// Its address, as the arm names it.
    pub host: String,
    pub trouble: HostTrouble,
}

/// What can be done about a trouble.
struct Cure<'a>(&'a HostTrouble);

impl Say for Cure<'_> {
    fn say(&self, out: &mut Writer) {
        self.0.hint(out);
    }
}

/// What is wrong with another host.
#[derive(Debug, Say)]
pub enum HostTrouble {
    /// It is a name, and nobody has given its address.
    #[say(en = "its address was not given", zh = "未给出其地址")]
    NotGiven,
    /// A command over ssh failed.
    #[say(en = "ssh failed: {said}", zh = "ssh 失败：{said}", hint(en = "{kind}", zh = "{kind}"))]
    Ssh { kind: SshTrouble, said: String },
    /// Its processors are of another architecture than the processors here, and there is no prony for it.
    #[say(
        en = "it is {there}, and this prony is for {here}",
        zh = "其架构为 {there}，而此 prony 适用于 {here}",
        hint(
            en = "build prony for {there}, and put it beside this one as prony-{there}",
            zh = "请为 {there} 构建 prony，并以 prony-{there} 之名放在此程序旁"
        ),
        here = ARCH
    )]
    OtherArchitecture { there: String },
    /// Its processors are of another architecture than a program that the server needs.
    #[say(
        en = "it is {there}, and the arm needs a program or library for {here}",
        zh = "其架构为 {there}，而该方案需要适用于 {here} 的程序或库",
        hint(
            en = "take `package = \"native\"` or the connector with tcnative out of the arm, or its `host`",
            zh = "请去掉方案中的 `package = \"native\"` 或使用 tcnative 的连接器，或去掉 `host`"
        ),
        here = ARCH
    )]
    ForeignProgram { there: String },
    /// Its disk is too full.
    #[say(
        en = "its disk has no room for the files of the server: {needed} are needed, {free} are free",
        zh = "其磁盘容不下服务器的文件：需要 {needed}，剩余 {free}",
        hint(
            en = "make room there; nothing half written was kept, and what prony has put there before is in ~/.cache/prony/host",
            zh = "请在该主机上腾出空间；未保留写了一半的文件，prony 以前放在那里的文件在 ~/.cache/prony/host 中"
        )
    )]
    DiskFull { needed: Bytes, free: Bytes },
    /// It has no Java of the release that the arm runs on.
    #[say(
        en = "it has {found?JDK {:commas}|no JDK at all}, and the arm runs on JDK {release}",
        zh = "{found?有 JDK {:commas}|没有任何 JDK}，而该方案需要 JDK {release}",
        hint(
            en = "install JDK {release} there, or give the arms a `jdk` that both machines have",
            zh = "请在该主机上安装 JDK {release}，或为各方案指定两台机器都有的 `jdk`"
        )
    )]
    NoJava { release: u32, found: Vec<u32> },
    /// The arm runs in a container.
    #[say(
        en = "containers run on this machine only",
        zh = "容器只能在本机运行",
        hint(
            en = "take `container` or the image out of the arm, or its `host`",
            zh = "请去掉方案中的 `container` 或镜像，或去掉 `host`"
        )
    )]
    Container,
    /// The experiment has a link of its own.
    #[say(
        en = "a `[link]` is between processes of this machine, and the way to another host is a real one",
        zh = "`[link]` 位于本机进程之间，而通往其他主机的路是真实的",
        hint(
            en = "take `[link]` out of the file, or `host` out of its arms",
            zh = "请去掉文件中的 `[link]`，或去掉各方案的 `host`"
        )
    )]
    Link,
    /// The servers there cannot be reached.
    #[say(
        en = "its servers cannot be reached at {address}: {why}",
        zh = "无法通过 {address} 连接其服务器：{why}",
        hint(
            en = "ssh comes through, so a firewall may be in the way: open the ports from 10240 up to this machine",
            zh = "ssh 可以连通，因此可能有防火墙阻挡：请向本机开放 10240 以上的端口"
        )
    )]
    Unreachable { address: IpAddr, why: String },
    /// What answers there is not the prony that was put there.
    #[say(
        en = "the program there gave an answer that this prony does not understand",
        zh = "那里的程序给出了此 prony 无法理解的回答",
        hint(
            en = "remove the folder ~/.cache/prony/host there, and run this again",
            zh = "请删除该主机上的文件夹 ~/.cache/prony/host，然后重新运行"
        )
    )]
    Strange,
    /// The connection has ended.
    #[say(
        en = "the connection was cut",
        zh = "连接已断开",
        hint(
            en = "the server there ends by itself within ten seconds; run this again when the machine and the network are up",
            zh = "该主机上的服务器会在十秒内自行结束；待机器和网络恢复后请重新运行"
        )
    )]
    Cut,
    /// The prony there could not do what it was asked for.
    #[say(en = "{message}", zh = "{message}", hint(en = "{hint}", zh = "{hint}"))]
    Failed { message: String, hint: Option<String>, log: Vec<String> },
}

/// In what ssh failed, as its messages show it; the words are what to do about it. The messages are English in every language of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum SshTrouble {
    /// There is no ssh on this machine.
    #[say(
        en = "install an ssh client; Debian's package is openssh-client",
        zh = "请安装 ssh 客户端；Debian 的软件包是 openssh-client"
    )]
    NoSsh,
    /// Nobody knows the name of the host.
    #[say(
        en = "check the name of the host, or give it an address in ~/.ssh/config",
        zh = "请检查主机名，或在 ~/.ssh/config 中为其指定地址"
    )]
    Name,
    /// Nobody answers at its address and port.
    #[say(
        en = "check that the machine is on, that its sshd listens at this port, and that no firewall is in the way",
        zh = "请检查该机器已开机、其 sshd 监听此端口，且没有防火墙阻挡"
    )]
    Silence,
    /// Its key is not known, or has changed.
    #[say(
        en = "log in there once by hand with ssh, and check the key of the host",
        zh = "请先用 ssh 手工登录一次，并核对主机密钥"
    )]
    Key,
    /// It lets us not in.
    #[say(
        en = "ssh must be able to log in there without a password: ssh -o BatchMode=yes HOST true shows whether it can",
        zh = "ssh 必须无需密码即可登录该主机：可用 ssh -o BatchMode=yes HOST true 检查"
    )]
    Login,
    /// The program that was started there failed.
    #[say(
        en = "log in there with ssh, and look whether its shell, its home folder and tar are in order",
        zh = "请用 ssh 登录该主机，检查其 shell、主目录和 tar 是否正常"
    )]
    Program,
}

impl SshTrouble {
    /// The trouble that a message of ssh tells of.
    pub(crate) fn of(said: &str) -> Self {
        let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
        let silences = ["Connection refused", "No route to host", "timed out", "Network is unreachable"];
        match said {
            _ if says(&["Could not resolve hostname"]) => Self::Name,
            _ if says(&silences) => Self::Silence,
            _ if says(&["Host key verification failed", "IDENTIFICATION HAS CHANGED"]) => Self::Key,
            _ if says(&["Permission denied (", "Too many authentication failures"]) => Self::Login,
            _ => Self::Program,
        }
    }
}

impl HostError {
    /// Whether the connection has ended, so that another start may go well.
    pub const fn is_cut(&self) -> bool {
        matches!(self.trouble, HostTrouble::Cut)
    }

    /// The end of the log of the server there.
    pub(super) fn log(&self) -> &[String] {
        match &self.trouble {
            HostTrouble::Failed { log, .. } => log,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ssh_says_tells_what_to_do() {
        let said = [
            ("ssh: Could not resolve hostname bxo: Name or service not known", SshTrouble::Name),
            ("ssh: connect to host 10.0.0.2 port 22: Connection refused", SshTrouble::Silence),
            ("ssh: connect to host 10.0.0.2 port 22: Connection timed out", SshTrouble::Silence),
            ("No ED25519 host key is known for box.\nHost key verification failed.", SshTrouble::Key),
            ("me@box: Permission denied (publickey).", SshTrouble::Login),
            ("mkdir: cannot create directory: Permission denied", SshTrouble::Program),
        ];
        for (said, kind) in said {
            assert_eq!(SshTrouble::of(said), kind, "{said}");
        }
    }

    #[test]
    fn the_jdks_of_a_host_are_named() {
        let said = |found: &[u32]| {
            let found = found.to_vec();
            say::text(&HostTrouble::NoJava { release: 25, found }, say::Language::En)
        };
        assert_eq!(said(&[]), "it has no JDK at all, and the arm runs on JDK 25");
        assert_eq!(said(&[11, 17]), "it has JDK 11, 17, and the arm runs on JDK 25");
    }
}
