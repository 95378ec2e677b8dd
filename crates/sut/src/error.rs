//! [`Error`]: what went wrong in one sentence, what to do about it, and the end of the server's log.

mod about;
mod build;
mod configuration;
mod container;
mod host;
mod log;
mod maven;
mod reason;

pub(crate) use about::is_full;
pub use build::{BuildError, GitTask};
pub use configuration::ConfigurationError;
pub use container::ContainerError;
pub use host::{HostError, HostTrouble, SshTrouble};
use log::{is_unknown_setting, refused_option};
pub use maven::MavenTrouble;
pub use reason::{
    ArchiveFlaw, ChecksumSource, Downloader, FileAct, JarFlaw, LastSeen, MavenTask, NoLimitsReason,
    NoNetworkReason, PortHolder, Remnant, Resource, Startable, UnreadableReason,
};

use ask::origin::Origin;
use model::units::Bytes;
use reason::{ChecksumCure, Deed, abbreviate};
use say::Say;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What can go wrong from looking up a server in the catalog to stopping it. A `server` is its name and version, `asked` is what was
/// asked for, `log` is the end of the server's log, and `lines` are the relevant lines of what a tool wrote.
#[derive(Debug, Say)]
#[say(error)]
pub enum Error {
    #[say(
        en = "the catalog has no {asked}",
        zh = "目录中没有 {asked}",
        hint(
            en = "{nearest?did you mean {}?|`prony catalog` lists what there is}",
            zh = "{nearest?是否想写 {}？|`prony catalog` 列出所有可用项}"
        )
    )]
    Unknown { asked: String, nearest: Option<String> },
    #[say(
        en = "there is no application called {asked}",
        zh = "没有名为 {asked} 的应用",
        hint(en = "there is: {known:commas}", zh = "可用的应用：{known:commas}")
    )]
    UnknownApp { asked: String, known: Vec<String> },
    #[say(
        en = "Maven is missing: {program} cannot be found",
        zh = "缺少 Maven：找不到 {program}",
        hint(
            en = "install it (Debian: apt-get install maven), or set PRONY_MVN to the mvn to use",
            zh = "请安装（Debian：apt-get install maven），或将 PRONY_MVN 设为要使用的 mvn"
        )
    )]
    NoMaven { program: String },
    #[say(
        en = "native-image is not installed: it is neither in GRAALVM_HOME/bin nor in JAVA_HOME/bin nor on the PATH",
        zh = "未安装 native-image：GRAALVM_HOME/bin、JAVA_HOME/bin 和 PATH 中都没有",
        hint(
            en = "install GraalVM for the Java of the application, and set GRAALVM_HOME to its folder",
            zh = "请安装与应用的 Java 版本相符的 GraalVM，并将 GRAALVM_HOME 设为其目录"
        )
    )]
    NoNativeImage,
    #[say(
        en = "Maven could not {task}{first?: {}}",
        zh = "Maven 无法{task}{first?：{}}",
        hint(en = "{trouble}", zh = "{trouble}"),
        first = lines.first(),
        trouble = MavenTrouble::in_output(lines)
    )]
    Maven { task: MavenTask, lines: Vec<String> },
    #[say(
        en = "{downloader} {what}: it reported success and left no file",
        zh = "{downloader} {what}：它报告成功，却没有留下文件",
        hint(from = downloader)
    )]
    NothingDownloaded { downloader: Downloader, what: String },
    #[say(
        en = "there is no {asked}{nearest?; the nearest are {:commas}}",
        zh = "没有 {asked}{nearest?；最接近的有 {:commas}}",
        hint(
            en = "{nearest?choose one of these, or leave the last number out for the newest|see which versions the Maven repository in use has, or another mirror in settings.xml}",
            zh = "{nearest?请选择其中之一，或去掉最后一个数字以使用最新版本|请查看当前使用的 Maven 仓库中有哪些版本，或在 settings.xml 中换一个镜像}"
        )
    )]
    NoVersion {
        /// The release that was asked for: `tomcat:9.0.97`.
        asked: String,
        nearest: Vec<String>,
    },
    #[say(
        en = "{what} has the wrong SHA-512: {found} instead of {expected}",
        zh = "{what} 的 SHA-512 不符：实际为 {found}，应为 {expected}",
        hint(en = "{cure}", zh = "{cure}"),
        found = abbreviate(found),
        expected = abbreviate(expected),
        cure = ChecksumCure::of(*written, copy.as_deref())
    )]
    Checksum {
        what: String,
        expected: String,
        written: ChecksumSource,
        found: String,
        /// The copy in Maven's local repository that it came from, where that is known.
        copy: Option<PathBuf>,
    },
    #[say(
        en = "the archive of {what} cannot be unpacked: {problem}",
        zh = "无法解压 {what} 的归档文件：{problem}",
        hint(
            en = "the file is the one that the catalog names, so the catalog is wrong: please report it",
            zh = "文件与目录中记载的一致，因此是目录有误：请报告此问题"
        )
    )]
    Archive { what: String, problem: ArchiveFlaw },
    #[say(
        en = "no space left on the disk of {path}",
        zh = "{path} 所在的磁盘已满",
        hint(
            en = "make room, or set PRONY_HOME to a folder on a larger disk; nothing half written was kept",
            zh = "请腾出空间，或将 PRONY_HOME 设为更大磁盘上的目录；没有留下只写了一半的文件"
        )
    )]
    DiskFull { path: PathBuf },
    #[say(
        en = "no JDK {release}{or_newer? or newer} is installed ({installed?found: {:commas}|none was found at all})",
        zh = "未安装 JDK {release}{or_newer? 或更高版本}（{installed?已有：{:commas}|没有找到任何 JDK}）",
        hint(
            en = "install one, or name its folder: jdk = \"/opt/jdk\"; the releases that prony fetches by itself are {fetched:commas}",
            zh = "请安装一个，或写明其目录：jdk = \"/opt/jdk\"；prony 能自行获取的版本有 {fetched:commas}"
        )
    )]
    NoJdk { release: String, or_newer: bool, installed: Vec<String>, fetched: Vec<u32> },
    #[say(
        en = "{home} is not a JDK: it has no bin/java and release file",
        zh = "{home} 不是 JDK：其中没有 bin/java 和 release 文件",
        hint(
            en = "name the folder that `java -XshowSettings:properties` calls java.home",
            zh = "请写出 `java -XshowSettings:properties` 中 java.home 所指的目录"
        )
    )]
    NotAJdk { home: PathBuf },
    #[say(
        en = "JDK {jdk} is too old: {why} JDK {least} or newer",
        zh = "JDK {jdk} 版本过低：{why} JDK {least} 或更高版本",
        hint(en = "name another folder, or write jdk = {least}", zh = "请换一个目录，或写 jdk = {least}")
    )]
    OldJdk { jdk: String, why: ask::slip::JavaNeed, least: u32 },
    #[say(
        en = "JDK {jdk} refuses {option?`{}`|its options}: {line?{}|it does not say why}",
        zh = "JDK {jdk} 不接受{option? `{}`|所给的选项}：{line?{}|它没有说明原因}",
        hint(
            en = "take it out of `jvm_options` or `setenv`, or give the arm a `jdk` that knows it",
            zh = "请将其从 `jvm_options` 或 `setenv` 中去掉，或为该对象指定支持它的 `jdk`"
        )
    )]
    JvmOption {
        jdk: String,
        /// The option, where the JVM's message names it.
        option: Option<String>,
        /// The JVM's message, where there is one.
        line: Option<String>,
    },
    #[say(
        en = "the JDK is not installed, and pip, which could fetch it, cannot be found",
        zh = "未安装该 JDK，也找不到可以下载它的 pip",
        hint(
            en = "install the JDK, or pip (Debian: apt-get install python3-pip), or set PRONY_PIP",
            zh = "请安装该 JDK 或 pip（Debian：apt-get install python3-pip），或设置 PRONY_PIP"
        )
    )]
    NoPip,
    #[say(
        en = "pip could not download {what}{first?: {}}",
        zh = "pip 无法下载 {what}{first?：{}}",
        hint(
            en = "the first run needs the network; proxies and mirrors are those of pip.conf",
            zh = "首次运行需要网络；代理和镜像取自 pip.conf"
        ),
        first = lines.first()
    )]
    Pip { what: String, lines: Vec<String> },
    #[say(
        en = "the wheel of {what} has the wrong SHA-256: {found} instead of {expected}",
        zh = "{what} 的 wheel 的 SHA-256 不符：实际为 {found}，应为 {expected}",
        hint(
            en = "nothing was unpacked; the index or a mirror in between serves another file",
            zh = "未解压任何内容；软件包索引或中间的镜像提供的是另一个文件"
        ),
        found = abbreviate(found),
        expected = abbreviate(expected)
    )]
    Wheel { what: String, expected: String, found: String },
    #[say(
        en = "nobody whose process can be seen listens at {origin:text}",
        zh = "没有可见的进程在 {origin:text} 监听",
        hint(
            en = "start the server first; who listens can be seen by its user and by root alone, so others give its `pid` or `container`",
            zh = "请先启动服务器；只有其用户和 root 能看到谁在监听，其他用户请给出 `pid` 或 `container`"
        )
    )]
    NobodyThere { origin: Origin },
    #[say(
        en = "no process {pid} runs here",
        zh = "此处没有进程 {pid}",
        hint(
            en = "`ss -lntp` shows which process listens; without `pid`, prony looks for it by its port",
            zh = "`ss -lntp` 可显示由哪个进程监听；不写 `pid` 时，prony 按端口查找"
        )
    )]
    NoProcess { pid: u32 },
    #[say(
        en = "{origin:text} does not give the right answer to GET {path}: {answer}",
        zh = "{origin:text} 对 GET {path} 的应答不正确：{answer}",
        hint(
            en = "see what it answers: curl -ik {origin:text}{path}; it has to be status 200 and `expect`, where that is given",
            zh = "查看其应答：curl -ik {origin:text}{path}；状态码须为 200，若给出了 `expect` 还须与之相符"
        )
    )]
    NotAsAsked { origin: Origin, path: String, answer: LastSeen },
    #[say(
        en = "port {port} is taken{holder? by {}}",
        zh = "端口 {port} 已被占用{holder?（{}）}",
        hint(
            en = "end that process, or leave out `port`: prony then takes a free one",
            zh = "请结束占用它的进程，或去掉 `port`：prony 会自行选取空闲端口"
        )
    )]
    PortTaken {
        port: u16,
        /// The process that holds it, where it can be seen.
        holder: Option<PortHolder>,
    },
    #[say(
        en = "{server} listens on its machine's loopback only, and the load comes over the network to {address}",
        zh = "{server} 只监听所在机器的回环地址，而负载要经网络到达 {address}",
        hint(
            en = "let it listen on the address that it is given as {{host}}, or on 0.0.0.0",
            zh = "让它监听以 {{host}} 传给它的地址，或者 0.0.0.0"
        )
    )]
    OnlyLoopback { server: String, address: SocketAddr },
    #[say(
        en = "no free port was found",
        zh = "找不到空闲端口",
        hint(
            en = "see which process opens so many ports: ss -lntp",
            zh = "查看是哪个进程占用了这么多端口：ss -lntp"
        )
    )]
    NoPort,
    #[say(
        en = "{server} ended before it was ready ({status})",
        zh = "{server} 在就绪之前就已退出（{status}）",
        hint(
            en = "{refused?the JVM refused an option: {}|the end of its log says why}",
            zh = "{refused?JVM 不接受某个选项：{}|原因见其日志末尾}"
        ),
        refused = refused_option(log)
    )]
    Exited { server: Startable, status: String, log: Vec<String> },
    #[say(
        en = "{server} did not start as configured: {line}",
        zh = "{server} 未按配置启动：{line}",
        hint(
            en = "{unknown?this version of the server has no such setting: take it out, or correct its name|the end of its log says why}",
            zh = "{unknown?这一版本的服务器没有此设置：请去掉它，或更正其名称|原因见其日志末尾}"
        ),
        unknown = is_unknown_setting(line)
    )]
    Refused { server: String, line: String, log: Vec<String> },
    #[say(
        en = "{server} runs `{actual?{}|none}` and not `{asked}`, which was asked for",
        zh = "{server} {actual?运行的是 `{}`，而不是所要求的 `{asked}`|没有运行所要求的 `{asked}`}",
        hint(
            en = "the log may say what it lacks; a setting of the arm's own may stand against its `connector` or `tls`",
            zh = "日志可能说明了缺少什么；该对象自身的设置也可能与其 `connector` 或 `tls` 冲突"
        )
    )]
    OtherHandler {
        server: String,
        asked: String,
        /// The connector in the log, where there is one.
        actual: Option<String>,
    },
    #[say(
        en = "{server} needs tcnative {needed:or} or newer for APR and OpenSSL; it is not installed and cannot be built",
        zh = "{server} 的 APR 和 OpenSSL 需要 tcnative {needed:or} 或更高版本；它未安装，也无法构建",
        hint(
            en = "{missing?Debian: apt-get install libtcnative-1, or to build it {packages}|install it (Debian: apt-get install libtcnative-1), or write tls = \"jsse\"}",
            zh = "{missing?Debian：apt-get install libtcnative-1；若要自行构建，请安装 {packages}|请安装（Debian：apt-get install libtcnative-1），或写 tls = \"jsse\"}"
        ),
        packages = missing.join(" ")
    )]
    NoTcnative {
        server: String,
        needed: Vec<String>,
        /// The packages that a build lacks; empty where there is no source to build.
        missing: Vec<&'static str>,
    },
    #[say(
        en = "{war} is not a WAR: {problem}",
        zh = "{war} 不是 WAR：{problem}",
        hint(
            en = "name a file that `jar` or Maven made with packaging war",
            zh = "请指定由 `jar` 或 Maven 以 war 打包方式生成的文件"
        )
    )]
    NotAWar { war: PathBuf, problem: String },
    #[say(
        en = "{jar} cannot be started as a jar: {problem}",
        zh = "{jar} 无法作为 jar 启动：{problem}",
        hint(
            en = "name one that runs by `java -jar`, with Tomcat or Jetty in it if it is Spring Boot's; start others by server = \"command\"",
            zh = "请指定可用 `java -jar` 运行的 jar；若是 Spring Boot 的，其中须含 Tomcat 或 Jetty；其他的请用 server = \"command\" 启动"
        )
    )]
    NotAJar { jar: PathBuf, problem: JarFlaw },
    #[say(
        en = "the classes of {war} do not tell which Servlet API it was written for",
        zh = "从 {war} 中的类无法判断它针对哪个 Servlet API",
        hint(
            en = "say it: namespace = \"javax\" or namespace = \"jakarta\"",
            zh = "请写明：namespace = \"javax\" 或 namespace = \"jakarta\""
        )
    )]
    EitherNamespace { war: PathBuf },
    #[say(
        en = "{war} could not be migrated to jakarta{first?: {}}",
        zh = "无法将 {war} 迁移到 jakarta{first?：{}}",
        hint(
            en = "migrate it by hand and name the result, or run it on Tomcat 9",
            zh = "请手动迁移并指定结果文件，或在 Tomcat 9 上运行"
        ),
        first = lines.first()
    )]
    NotMigrated { war: PathBuf, lines: Vec<String> },
    #[say(
        en = "{jar} could not be compiled by native-image{first?: {}}",
        zh = "native-image 无法编译 {jar}{first?：{}}",
        hint(
            en = "`native-image -jar {jar}` shows all of it; reflection and resources need reachability metadata",
            zh = "`native-image -jar {jar}` 会显示全部输出；反射与资源需要可达性元数据"
        ),
        first = lines.first()
    )]
    NotCompiled { jar: PathBuf, lines: Vec<String> },
    #[say(
        en = "{what} does not compile{first?: {}}",
        zh = "{what} 编译失败{first?：{}}",
        hint(
            en = "Debian's own library may do: apt-get install libtcnative-1",
            zh = "也可使用 Debian 自带的库：apt-get install libtcnative-1"
        ),
        first = lines.first()
    )]
    Compiler { what: String, lines: Vec<String> },
    #[say(transparent)]
    Build(#[say(from)] BuildError),
    #[say(transparent)]
    Configuration(#[say(from)] ConfigurationError),
    #[say(transparent)]
    Container(#[say(from)] ContainerError),
    #[say(
        en = "{server} is up and does not give the right answer to GET {path}: {answer}",
        zh = "{server} 已启动，但对 GET {path} 的应答不正确：{answer}",
        hint(
            en = "the log may say why the application was not deployed, or at which path it is",
            zh = "日志可能说明了应用未能部署的原因，或它被部署到的路径"
        )
    )]
    WrongAnswer { server: String, path: String, answer: LastSeen, log: Vec<String> },
    #[say(
        en = "{server} was not ready after {seconds} s ({last})",
        zh = "{server} 在 {seconds} s 后仍未就绪（{last}）",
        hint(
            en = "see the log; on a busy machine it may have needed more time",
            zh = "请查看日志；在繁忙的机器上它可能需要更长时间"
        )
    )]
    NotReady { server: Startable, seconds: u64, last: LastSeen, log: Vec<String> },
    #[say(
        en = "{server} was killed by the kernel: it needed more than its limit of {limit} of memory",
        zh = "{server} 被内核终止：所需内存超过其上限 {limit}",
        hint(
            en = "give the arm more `memory`, or a smaller `heap`: threads, code and buffers of a JVM come on top of it",
            zh = "请为该对象设置更大的 `memory` 或更小的 `heap`：JVM 的线程、代码和缓冲区还要另占内存"
        )
    )]
    Overrun {
        server: String,
        /// The arm's `memory`.
        limit: Bytes,
        log: Vec<String>,
    },
    #[say(
        en = "memory and CPU cannot be limited here: {why}",
        zh = "此处无法限制内存和 CPU：{why}",
        hint(
            en = "run prony as root, or as a user whose systemd may limit memory and cpu (cgroup v2); or take `memory` and `cpus` out",
            zh = "请以 root 身份运行 prony，或使用 systemd 允许限制 memory 和 cpu（cgroup v2）的用户；也可去掉 `memory` 和 `cpus`"
        )
    )]
    NoLimits { why: NoLimitsReason },
    #[say(
        en = "the servers cannot be put behind a link here: {why}",
        zh = "此处无法将服务器置于独立链路之后：{why}",
        hint(
            en = "run prony as root, or take [link] out: without it the load comes over the loopback",
            zh = "请以 root 身份运行 prony，或去掉 [link]：这样负载经由环回接口发送"
        )
    )]
    NoNetwork { why: NoNetworkReason },
    #[say(
        en = "{what} cannot be started: {program} is not there",
        zh = "无法启动{what}：没有 {program}",
        hint(
            en = "{package?install it (Debian: apt-get install {})|install it, or write its path as the first word of `command`}",
            zh = "{package?请安装（Debian：apt-get install {}）|请安装它，或在 `command` 的第一个词中写出其路径}"
        )
    )]
    NoProgram {
        what: Startable,
        program: String,
        /// Debian's package of it, where that is known.
        package: Option<String>,
    },
    #[say(
        en = "{server} is stopped and left {what} behind",
        zh = "{server} 已停止，但留下了 {what}",
        hint(en = "`prony clean` ends what is left", zh = "`prony clean` 会清理残留")
    )]
    Leftover { server: String, what: Remnant },
    #[say(
        en = "{server} could not be asked for its settings: {problem}",
        zh = "无法读取 {server} 的设置：{problem}"
    )]
    Unreadable { server: String, problem: UnreadableReason },
    #[say(transparent)]
    Host(#[say(from)] HostError),
    #[say(en = "interrupted", zh = "已中断")]
    Interrupted,
    #[say(
        en = "cannot {deed}",
        zh = "无法{deed}",
        deed = Deed::of(*act, path)
    )]
    Io { act: FileAct, path: PathBuf, source: io::Error },
}
