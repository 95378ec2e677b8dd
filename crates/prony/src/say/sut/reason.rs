//! What the errors of servers are about, in Chinese. Text of other programs, libraries and the system stays as it is.

use std::path::Path;
use sut::{
    ArchiveFlaw, FileAct, JarFlaw, LastSeen, MavenTask, NoLimitsReason, NoNetworkReason, Remnant, Resource,
    Startable, UnreadableReason,
};

/// Says that an operation on a file or a program failed.
pub(super) fn cannot(act: FileAct, path: &Path) -> String {
    let path = path.display();
    let act = match act {
        FileAct::Await => "等待",
        FileAct::Copy => "复制",
        FileAct::Find => "找到",
        FileAct::Keep => "保存",
        FileAct::Link => "链接",
        FileAct::Lock => "锁定",
        FileAct::Make => "创建",
        FileAct::MakeCertificate => return format!("无法在 {path} 中生成证书"),
        FileAct::MoveTo => "移动到",
        FileAct::Open => "打开",
        FileAct::Read => "读取",
        FileAct::Remove => "删除",
        FileAct::Start => "启动",
        FileAct::Trust => "信任",
        FileAct::Write => "写入",
    };
    format!("无法{act} {path}")
}

/// What Maven was to do; follows “Maven 无法”.
pub(super) fn maven_task(task: &MavenTask) -> String {
    match task {
        MavenTask::Fetch(artifact) => format!("下载 {artifact}"),
        MavenTask::FetchJars { count, release } => format!("下载 {release} 的 {count} 个 jar"),
        MavenTask::Build {
            application,
            packaging,
        } => format!("构建应用 {application}（{packaging}）"),
        MavenTask::ListVersions(artifact) => format!("列出 {artifact} 的版本"),
        MavenTask::ShowVersion => "显示版本".to_owned(),
    }
}

pub(super) fn archive_flaw(flaw: &ArchiveFlaw) -> String {
    match flaw {
        ArchiveFlaw::Cut => "文件不完整".to_owned(),
        ArchiveFlaw::LeavesFolder(entry) => format!("有条目超出其目录（{entry}）"),
        ArchiveFlaw::NoFile(kind) => format!("其中有链接或设备（{kind}）"),
        ArchiveFlaw::NoJava => "其中没有 Java".to_owned(),
        ArchiveFlaw::NoClass(class) => format!("bin/bootstrap.jar：新的 jar 中都没有 {class}"),
        ArchiveFlaw::Unreadable(error) => error.clone(),
    }
}

pub(super) fn jar_flaw(flaw: &JarFlaw) -> String {
    match flaw {
        JarFlaw::NoMainClass => "其清单中没有 Main-Class".to_owned(),
        JarFlaw::Unreadable(error) => error.clone(),
    }
}

pub(super) fn last_seen(seen: &LastSeen) -> String {
    match seen {
        LastSeen::Closed => "端口一直没有打开".to_owned(),
        LastSeen::Silent => "端口已打开，但没有应答".to_owned(),
        LastSeen::Ended(error) => format!("连接已断开而没有应答：{error}"),
        LastSeen::Answer {
            status,
            length,
            start,
        } => {
            format!("状态码 {status}，响应体 {length} 字节：{start:?}")
        }
        LastSeen::NoAnswer => "没有应答".to_owned(),
        LastSeen::Unreachable(error) => format!("没有应答：{error}"),
        LastSeen::Late(seconds) => format!("{seconds} s 内没有应答"),
        LastSeen::Asked(address) => format!("询问地址为 {address}"),
    }
}

pub(super) fn startable(what: &Startable) -> String {
    match what {
        Startable::Server(name) => name.clone(),
        Startable::Service(name) => format!("服务 {name}"),
        Startable::Command => "该命令".to_owned(),
        Startable::Link => "该链路".to_owned(),
    }
}

pub(super) fn remnant(remnant: &Remnant) -> String {
    match remnant {
        Remnant::Processes(pids) => format!("进程 {pids:?}"),
        Remnant::Listener(port) => format!("端口 {port} 上的监听"),
    }
}

pub(super) fn no_limits(reason: &NoLimitsReason) -> String {
    match reason {
        NoLimitsReason::NoController(controller) => format!("此内核没有用于 {controller} 的控制组"),
        NoLimitsReason::Indivisible(group) => format!("{} 无法划分为带限制的子组", group.display()),
        NoLimitsReason::Refused { folder, error } => format!("{}：{error}", folder.display()),
        NoLimitsReason::NoEffect { by, resource } => {
            let resource = match resource {
                Resource::Memory => "内存",
                Resource::Cpu => " CPU ",
            };
            format!("对服务器的{resource}限制没有生效（{by}）")
        }
    }
}

pub(super) fn no_network(reason: &NoNetworkReason) -> String {
    match reason {
        NoNetworkReason::NotRoot => "只有 root 可以创建网络命名空间".to_owned(),
        NoNetworkReason::Ended(status) => format!("unshare 已退出（{status}）"),
        NoNetworkReason::NoNamespace => "unshare 没有创建命名空间".to_owned(),
        NoNetworkReason::NoEntry(error) => error.clone(),
        NoNetworkReason::Command { command, output } => format!("`{command}`：{output}"),
    }
}

pub(super) fn unreadable(reason: &UnreadableReason) -> String {
    match reason {
        UnreadableReason::Output(text) => text.clone(),
        UnreadableReason::NoAnswer => "读取设置的程序没有应答".to_owned(),
    }
}
