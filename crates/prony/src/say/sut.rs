//! Errors of servers and of the tools around them, in Chinese. Their English is `sut::Error`'s own. What other programs wrote
//! (a log, Maven, pip, the system) stays as it is.

use super::{Message, hinted, plain};
use model::slip::JavaNeed;
use std::fmt::Display;
use std::path::Path;
use sut::{
    ChecksumSource, Downloader, Error, LastSeen, MavenTask, MavenTrouble, PortHolder, Startable,
    is_unknown_setting, refused_option,
};

mod build;
mod container;
mod host;
mod reason;

const LOG_TELLS: &str = "原因见其日志末尾";
const NOTHING_UNPACKED: &str = "未解压任何内容";
const PIP_NETWORK: &str = "首次运行需要网络；代理和镜像取自 pip.conf";

/// An error in Chinese, with what to do about it: a line for each.
#[rustfmt::skip]
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::Unknown { asked, nearest } => unknown(asked, nearest.as_deref()),
        Error::UnknownApp { asked, known } => unknown_app(asked, known),
        Error::NoMaven { program } => no_maven(program),
        Error::NoNativeImage => no_native_image(),
        Error::NotCompiled { jar, lines } => not_compiled(jar, lines),
        Error::Maven { task, lines } => maven(task, lines),
        Error::NothingDownloaded { downloader, what } => nothing_downloaded(*downloader, what),
        Error::NoVersion { asked, nearest } => no_version(asked, nearest),
        Error::Checksum { what, expected, written: ChecksumSource::LockFile, found, .. } => changed(what, expected, found),
        Error::Checksum { what, expected, found, copy, .. } => checksum(what, expected, found, copy.as_deref()),
        Error::Archive { what, problem } => archive(what, &reason::archive_flaw(problem)),
        Error::DiskFull { path } => disk_full(path),
        Error::NoJdk { release, or_newer, installed, fetched } => no_jdk(release, *or_newer, installed, fetched),
        Error::NotAJdk { home } => not_a_jdk(home),
        Error::OldJdk { jdk, why, least } => old_jdk(jdk, *why, *least),
        Error::JvmOption { jdk, option, line } => jvm_option(jdk, option.as_deref(), line.as_deref()),
        Error::NoPip => no_pip(),
        Error::Pip { what, lines } => pip(what, lines),
        Error::Wheel { what, expected, found } => wheel(what, expected, found),
        Error::NobodyThere { origin } => nobody_there(origin),
        Error::NotAsAsked { origin, path, answer } => not_as_asked(origin, path, answer),
        Error::PortTaken { port, holder } => port_taken(*port, holder.as_ref()),
        Error::OnlyLoopback { server, address } => hinted(
            format!("{server} 只监听所在机器的回环地址，而负载要经网络到达 {address}"),
            "让它监听以 {host} 传给它的地址，或者 0.0.0.0",
        ),
        Error::NoPort => hinted("找不到空闲端口", "查看是哪个进程占用了这么多端口：ss -lntp"),
        Error::Exited { server, status, log } => exited(server, status, log),
        Error::Refused { server, line, .. } => refused(server, line),
        Error::OtherHandler { server, asked, actual } => other_handler(server, asked, actual.as_deref()),
        Error::NoTcnative { server, needed, missing } => no_tcnative(server, needed, missing),
        Error::NotAWar { war, problem } => not_a_war(war, problem),
        Error::NotAJar { jar, problem } => not_a_jar(jar, &reason::jar_flaw(problem)),
        Error::EitherNamespace { war } => either_namespace(war),
        Error::NotMigrated { war, lines } => not_migrated(war, lines),
        Error::Compiler { what, lines } => compiler(what, lines),
        Error::Build(error) => build::chinese(error),
        Error::Container(error) => container::chinese(error),
        Error::WrongAnswer { server, path, answer, .. } => wrong_answer(server, path, answer),
        Error::NotReady { server, seconds, last, .. } => not_ready(server, *seconds, last),
        Error::Overrun { server, limit, .. } => overrun(server, limit),
        Error::NoLimits { why } => no_limits(&reason::no_limits(why)),
        Error::NoNetwork { why } => no_network(&reason::no_network(why)),
        Error::NoProgram { what, program, package } => no_program(what, program, package.as_deref()),
        Error::Leftover { server, what } => leftover(server, &reason::remnant(what)),
        Error::Unreadable { server, problem } => plain(format!("无法读取 {server} 的设置：{}", reason::unreadable(problem))),
        Error::Host(error) => host::chinese(error),
        Error::Interrupted => plain("已中断"),
        Error::Io { act, path, .. } => plain(reason::cannot(*act, path)),
    }
}

fn unknown(asked: &str, nearest: Option<&str>) -> Message {
    let hint = match nearest {
        Some(nearest) => format!("是否想写 {nearest}？"),
        None => "`prony catalog` 列出所有可用项".to_owned(),
    };
    hinted(format!("目录中没有 {asked}"), hint)
}

fn unknown_app(asked: &str, known: &[String]) -> Message {
    hinted(
        format!("没有名为 {asked} 的应用"),
        format!("可用的应用：{}", known.join("、")),
    )
}

fn no_maven(program: &str) -> Message {
    hinted(
        format!("缺少 Maven：找不到 {program}"),
        "请安装（Debian：apt-get install maven），或将 PRONY_MVN 设为要使用的 mvn",
    )
}

fn no_native_image() -> Message {
    hinted(
        "未安装 native-image：GRAALVM_HOME/bin、JAVA_HOME/bin 和 PATH 中都没有",
        "请安装与应用的 Java 版本相符的 GraalVM，并将 GRAALVM_HOME 设为其目录",
    )
}

fn not_compiled(jar: &Path, lines: &[String]) -> Message {
    let jar = jar.display();
    hinted(
        format!("native-image 无法编译 {jar}{}", first_line(lines)),
        format!("`native-image -jar {jar}` 会显示全部输出；反射与资源需要可达性元数据"),
    )
}

fn maven(task: &MavenTask, lines: &[String]) -> Message {
    hinted(
        format!("Maven 无法{}{}", reason::maven_task(task), first_line(lines)),
        maven_hint(lines),
    )
}

fn maven_hint(lines: &[String]) -> &'static str {
    match MavenTrouble::in_output(lines) {
        MavenTrouble::Offline => {
            "Maven 处于离线模式：首次运行时请从其 settings.xml 或 MAVEN_ARGS 中去掉 `offline`"
        }
        MavenTrouble::Network => "首次运行需要网络；代理和镜像取自 Maven 的 settings.xml",
        MavenTrouble::NotHeld => {
            "当前使用的 Maven 仓库中没有它：请换一个版本，或在 settings.xml 中换一个镜像"
        }
        MavenTrouble::NoJdk => "Maven 需要完整的 JDK：请将 JAVA_HOME 设为一个 JDK",
        MavenTrouble::Unknown => "直接用 mvn 执行同样的任务，可看到全部输出",
    }
}

fn nothing_downloaded(downloader: Downloader, what: &str) -> Message {
    let (name, hint) = match downloader {
        Downloader::Maven => ("Maven", maven_hint(&[])),
        Downloader::Pip => ("pip", PIP_NETWORK),
    };
    hinted(
        format!("{name} 无法下载 {what}：它报告成功，却没有留下文件"),
        hint,
    )
}

fn checksum(what: &str, expected: &str, found: &str, copy: Option<&Path>) -> Message {
    let hint = match copy {
        Some(copy) => format!("{NOTHING_UNPACKED}；请删除 {} 后重试", copy.display()),
        None => format!(
            "{NOTHING_UNPACKED}；请删除 Maven 本地仓库中的这一版本后重试；若再次出现，说明仓库或中间的镜像提供的是另一个文件"
        ),
    };
    hinted(
        format!("{what} 的 SHA-512 不符：{}", instead_of(found, expected)),
        hint,
    )
}

fn no_version(asked: &str, nearest: &[String]) -> Message {
    match nearest {
        [] => hinted(
            format!("没有 {asked}"),
            "请查看当前使用的 Maven 仓库中有哪些版本，或在 settings.xml 中换一个镜像",
        ),
        nearest => hinted(
            format!("没有 {asked}；最接近的有 {}", nearest.join("、")),
            "请选择其中之一，或去掉最后一个数字以使用最新版本",
        ),
    }
}

fn changed(what: &str, expected: &str, found: &str) -> Message {
    hinted(
        format!("{what} 的 SHA-512 不符：{}", instead_of(found, expected)),
        "实验的锁文件中记载的是另一个文件：请查明变化的原因；`--update` 会重写锁文件",
    )
}

fn archive(what: &str, problem: &str) -> Message {
    hinted(
        format!("无法解压 {what} 的归档文件：{problem}"),
        "文件与目录中记载的一致，因此是目录有误：请报告此问题",
    )
}

fn disk_full(path: &Path) -> Message {
    hinted(
        format!("{} 所在的磁盘已满", path.display()),
        "请腾出空间，或将 PRONY_HOME 设为更大磁盘上的目录；没有留下只写了一半的文件",
    )
}

fn no_jdk(release: &str, or_newer: bool, versions: &[String], fetched: &[u32]) -> Message {
    let newer = if or_newer { " 或更高版本" } else { "" };
    let installed = match versions.is_empty() {
        true => "没有找到任何 JDK".to_owned(),
        false => format!("已有：{}", versions.join("、")),
    };
    let fetched: Vec<String> = fetched.iter().map(u32::to_string).collect();
    hinted(
        format!("未安装 JDK {release}{newer}（{installed}）"),
        format!(
            "请安装一个，或写明其目录：jdk = \"/opt/jdk\"；prony 能自行获取的版本有 {}",
            fetched.join("、")
        ),
    )
}

fn not_a_jdk(home: &Path) -> Message {
    hinted(
        format!("{} 不是 JDK：其中没有 bin/java 和 release 文件", home.display()),
        "请写出 `java -XshowSettings:properties` 中 java.home 所指的目录",
    )
}

fn old_jdk(jdk: &str, why: JavaNeed, least: u32) -> Message {
    hinted(
        format!(
            "JDK {jdk} 版本过低：{} JDK {least} 或更高版本",
            ::say::text(&why, report::Lang::Zh)
        ),
        format!("请换一个目录，或写 jdk = {least}"),
    )
}

fn jvm_option(jdk: &str, option: Option<&str>, line: Option<&str>) -> Message {
    let line = line.unwrap_or("它没有说明原因");
    let option = option.map_or_else(|| "所给的选项".to_owned(), |option| format!(" `{option}`"));
    hinted(
        format!("JDK {jdk} 不接受{option}：{line}"),
        "请将其从 `jvm_options` 中去掉，或为该对象指定支持它的 `jdk`",
    )
}

fn no_pip() -> Message {
    hinted(
        "未安装该 JDK，也找不到可以下载它的 pip",
        "请安装该 JDK 或 pip（Debian：apt-get install python3-pip），或设置 PRONY_PIP",
    )
}

fn pip(what: &str, lines: &[String]) -> Message {
    hinted(format!("pip 无法下载 {what}{}", first_line(lines)), PIP_NETWORK)
}

fn wheel(what: &str, expected: &str, found: &str) -> Message {
    hinted(
        format!("{what} 的 wheel 的 SHA-256 不符：{}", instead_of(found, expected)),
        format!("{NOTHING_UNPACKED}；软件包索引或中间的镜像提供的是另一个文件"),
    )
}

fn nobody_there(origin: &impl Display) -> Message {
    plain(format!(
        "没有可见的进程在 {origin} 监听：请先启动服务器，或以其用户身份运行 prony"
    ))
}

fn not_as_asked(origin: &impl Display, path: &str, answer: &LastSeen) -> Message {
    hinted(
        format!(
            "{origin} 对 GET {path} 的应答不正确：{}",
            reason::last_seen(answer)
        ),
        format!("查看其应答：curl -ik {origin}{path}；状态码须为 200，若给出了 `expect` 还须与之相符"),
    )
}

fn port_taken(port: u16, holder: Option<&PortHolder>) -> Message {
    let holder = holder.map_or_else(String::new, |holder| {
        format!("（{}，进程 {}）", holder.name, holder.pid)
    });
    hinted(
        format!("端口 {port} 已被占用{holder}"),
        "请结束占用它的进程，或去掉 `port`：prony 会自行选取空闲端口",
    )
}

fn exited(server: &Startable, status: &str, log: &[String]) -> Message {
    let server = reason::startable(server);
    let hint = match refused_option(log) {
        Some(line) => format!("JVM 不接受某个选项：{line}"),
        None => LOG_TELLS.to_owned(),
    };
    hinted(format!("{server} 在就绪之前就已退出（{status}）"), hint)
}

fn refused(server: &str, line: &str) -> Message {
    let hint = match is_unknown_setting(line) {
        true => "这一版本的服务器没有此设置：请去掉它，或更正其名称",
        false => LOG_TELLS,
    };
    hinted(format!("{server} 未按配置启动：{line}"), hint)
}

fn other_handler(server: &str, asked: &str, running: Option<&str>) -> Message {
    let message = match running {
        Some(running) => format!("{server} 运行的是 `{running}`，而不是所要求的 `{asked}`"),
        None => format!("{server} 没有运行所要求的 `{asked}`"),
    };
    hinted(
        message,
        "日志可能说明了缺少什么；该对象自身的设置也可能与其 `connector` 或 `tls` 冲突",
    )
}

fn no_tcnative(server: &str, needed: &[String], missing: &[&str]) -> Message {
    let needed = needed.join(" 或 ");
    let hint = match missing.is_empty() {
        true => "请安装（Debian：apt-get install libtcnative-1），或写 tls = \"jsse\"".to_owned(),
        false => format!(
            "Debian：apt-get install libtcnative-1；若要自行构建，请安装 {}",
            missing.join(" ")
        ),
    };
    hinted(
        format!("{server} 的 APR 和 OpenSSL 需要 tcnative {needed} 或更高版本；它未安装，也无法构建"),
        hint,
    )
}

fn not_a_war(war: &Path, problem: &str) -> Message {
    hinted(
        format!("{} 不是 WAR：{problem}", war.display()),
        "请指定由 `jar` 或 Maven 以 war 打包方式生成的文件",
    )
}

fn not_a_jar(jar: &Path, problem: &str) -> Message {
    hinted(
        format!("{} 无法作为 jar 启动：{problem}", jar.display()),
        "请指定可用 `java -jar` 运行的 jar；若是 Spring Boot 的，其中须含 Tomcat 或 Jetty；其他的请用 server = \"command\" 启动",
    )
}

fn either_namespace(war: &Path) -> Message {
    hinted(
        format!("从 {} 中的类无法判断它针对哪个 Servlet API", war.display()),
        "请写明：namespace = \"javax\" 或 namespace = \"jakarta\"",
    )
}

fn not_migrated(war: &Path, lines: &[String]) -> Message {
    hinted(
        format!("无法将 {} 迁移到 jakarta{}", war.display(), first_line(lines)),
        "请手动迁移并指定结果文件，或在 Tomcat 9 上运行",
    )
}

fn compiler(what: &str, lines: &[String]) -> Message {
    hinted(
        format!("{what} 编译失败{}", first_line(lines)),
        "也可使用 Debian 自带的库：apt-get install libtcnative-1",
    )
}

fn wrong_answer(server: &str, path: &str, answer: &LastSeen) -> Message {
    hinted(
        format!(
            "{server} 已启动，但对 GET {path} 的应答不正确：{}",
            reason::last_seen(answer)
        ),
        "日志可能说明了应用未能部署的原因",
    )
}

fn not_ready(server: &Startable, seconds: u64, last: &LastSeen) -> Message {
    let (server, last) = (reason::startable(server), reason::last_seen(last));
    hinted(
        format!("{server} 在 {seconds} s 后仍未就绪（{last}）"),
        "请查看日志；在繁忙的机器上它可能需要更长时间",
    )
}

fn overrun(server: &str, limit: &impl Display) -> Message {
    hinted(
        format!("{server} 被内核终止：所需内存超过其上限 {limit}"),
        "请为该对象设置更大的 `memory` 或更小的 `heap`：JVM 的线程、代码和缓冲区还要另占内存",
    )
}

fn no_limits(why: &str) -> Message {
    hinted(
        format!("此处无法限制内存和 CPU：{why}"),
        "请以 root 身份运行 prony，或使用 systemd 允许限制 memory 和 cpu（cgroup v2）的用户；也可去掉 `memory` 和 `cpus`",
    )
}

fn no_network(why: &str) -> Message {
    hinted(
        format!("此处无法将服务器置于独立链路之后：{why}"),
        "请以 root 身份运行 prony，或去掉 [link]：这样负载经由环回接口发送",
    )
}

fn no_program(what: &Startable, program: &str, package: Option<&str>) -> Message {
    let hint = match package {
        Some(package) => format!("请安装（Debian：apt-get install {package}）"),
        None => "请安装它，或在 `command` 的第一个词中写出其路径".to_owned(),
    };
    hinted(
        format!("无法启动{}：没有 {program}", reason::startable(what)),
        hint,
    )
}

fn leftover(server: &str, what: &str) -> Message {
    hinted(
        format!("{server} 已停止，但留下了 {what}"),
        "`prony clean` 会清理残留",
    )
}

fn first_line(lines: &[String]) -> String {
    lines.first().map(|line| format!("：{line}")).unwrap_or_default()
}

/// Two checksums, abbreviated.
fn instead_of(actual: &str, expected: &str) -> String {
    let short = |sum: &str| format!("{}…", sum.get(..16).unwrap_or(sum));
    format!("实际为 {}，应为 {}", short(actual), short(expected))
}
