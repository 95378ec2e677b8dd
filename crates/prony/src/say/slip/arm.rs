//! Slips in arms and services.

use model::slip::{ArmSlip, JavaNeed, Misplacement, ServiceSlip, UnfitSlip};

pub(super) fn value(slip: &ArmSlip) -> String {
    match slip {
        ArmSlip::Name => "对象的名称须为 1 到 60 个可打印字符".to_owned(),
        ArmSlip::Jdk(text) => format!("`{text}` 既不是 JDK 版本号，也不是目录"),
        ArmSlip::SmallHeap(heap) => format!("堆大小 {heap} 对服务器来说太小"),
        ArmSlip::SmallMemory(memory) => format!("任何服务器都无法在 {memory} 内存内启动"),
        ArmSlip::HeapFillsMemory { heap, memory } => {
            format!("`memory`：堆占 {heap}，{memory} 中没有余量留给 JVM 自身")
        }
        ArmSlip::HeapTwice => "`heap` 和 `jvm_options` 都设置了堆大小".to_owned(),
        ArmSlip::SetByProny(name) => format!("`{name}` 由 prony 设置"),
        ArmSlip::NotAHost(text) => {
            format!("`{text}` 不是主机：应写作 ssh://USER@BOX、ssh://USER@BOX:PORT，或 arm64 这样的名称")
        }
        ArmSlip::BeyondLink(name) => {
            format!("`{name}` 在另一台主机上，而 `[link]` 位于本机进程之间")
        }
        ArmSlip::ContainerElsewhere => "`container` 与 `host` 不能同时使用：容器在本机运行".to_owned(),
        ArmSlip::NotAnAddress(text) => format!("`{text}` 不是 HTTP 地址"),
        ArmSlip::AddressWithPath(text) => format!("`{text}` 带有路径"),
        ArmSlip::OtherMachine(text) => format!("`{text}` 不在本机上"),
        ArmSlip::NoBuildCommand => "构建命令为空".to_owned(),
        ArmSlip::NotARevision(text) => format!("`{text}` 不是修订版本"),
        ArmSlip::Image(name) => format!("`{name}` 不是镜像名称"),
        ArmSlip::Volume(volume) => format!("`{volume}` 没有说明容器得到什么、放在何处"),
        ArmSlip::Variable(name) => format!("`{name}` 不能设为环境变量"),
        ArmSlip::RunsBeforeLink(name) => format!("`{name}` 已在运行，无法置于独立链路之后"),
    }
}

pub(super) fn service(slip: &ServiceSlip) -> String {
    match slip {
        ServiceSlip::NoProgram => "命令必须以程序开头".to_owned(),
        ServiceSlip::NoPort => "命令中没有写明监听的端口".to_owned(),
        ServiceSlip::Ready(text) => format!("`{text}` 没有说明何时就绪"),
    }
}

pub(super) fn unfit(slip: &UnfitSlip) -> String {
    match slip {
        UnfitSlip::Misplaced { key, why } => format!("`{key}` {}", misplacement(why)),
        UnfitSlip::AcceptCountInBoot(inside) => {
            format!("`accept_count` 在使用 {inside} 的 Spring Boot 中没有对应的属性")
        }
        UnfitSlip::Package { server, package } => format!("`{server}` 不能以 `{package}` 形式运行"),
        UnfitSlip::FurtherSettings { server, key } => format!("`{server}` 没有 `{key}`"),
        UnfitSlip::AccessLog(server) => format!("prony 无法让 `{server}` 写这样的访问日志"),
        UnfitSlip::NoSetting { server, key } => format!("`{server}` 没有与 `{key}` 对应的设置"),
        UnfitSlip::Connector { release, connector } => format!("{release} 没有连接器 `{connector}`"),
        UnfitSlip::Tls { release, tls } => format!("{release} 不能用 `{tls}` 加密"),
        UnfitSlip::VirtualThreads(release) => format!("{release} 不支持虚拟线程"),
        UnfitSlip::NothingToBuild(key) => {
            format!("`{key}` 用于构建您自己的 `war` 或 `jar`，而此对象没有指定")
        }
        UnfitSlip::NoWar(release) => format!("{release} 不能部署 WAR"),
        UnfitSlip::JakartaOnJavax(release) => format!("{release} 使用 javax，而此 WAR 使用 jakarta"),
        UnfitSlip::NothingToMigrate(release) => format!("{release} 没有需要迁移的内容"),
        UnfitSlip::DoesNotMigrate(release) => format!("{release} 自身不迁移 WAR"),
        UnfitSlip::AprWithoutOpenSsl => "连接器 `apr` 只能用 OpenSSL 加密".to_owned(),
        UnfitSlip::OldJava { need, least, asked } => {
            format!("{} JDK {least} 或更高版本，而不是 {asked}", java_need(*need))
        }
    }
}

fn misplacement(why: &Misplacement) -> String {
    match why {
        Misplacement::ForJars => "只用于 server = \"jar\"".to_owned(),
        Misplacement::ForSpringBoot => "只用于 Spring Boot，而此 jar 不是".to_owned(),
        Misplacement::NotForServer(server) => format!("不适用于 `{server}`"),
        Misplacement::NotForUrls => "不适用于已在运行的服务器".to_owned(),
        Misplacement::NotForCommands => "不适用于命令".to_owned(),
        Misplacement::NotForBootJars => "不适用于 Spring Boot 的 jar：它须从源代码构建为原生程序".to_owned(),
        Misplacement::NotForJars => "不适用于 jar".to_owned(),
    }
}

/// What needs a certain release of Java, with the verb.
pub(in crate::say) fn java_need(need: JavaNeed) -> &'static str {
    match need {
        JavaNeed::Server => "此服务器需要",
        JavaNeed::VirtualThreads => "虚拟线程需要",
        JavaNeed::OpenSslFfm => "通过 FFM 使用 OpenSSL 需要",
    }
}
