//! [`Step`]: what a run is doing at the moment.

use crate::configuration::ConfigurationChange;
use model::units::{Bytes, Rate};
use say::Say;
use serde::{Deserialize, Serialize};

/// What a run is doing at the moment, for its progress display. It is not stored.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Step {
    /// Maven fetches the distribution of a server.
    #[say(en = "fetching {server} with Maven", zh = "正在用 Maven 获取 {server}")]
    FetchingServer {
        /// Server and version: `tomcat:10.1.29`.
        server: String,
    },
    /// pip fetches a JDK.
    #[say(en = "fetching JDK {release} with pip", zh = "正在用 pip 获取 JDK {release}")]
    FetchingJdk {
        /// Its feature release: `25`.
        release: String,
    },
    /// Maven fetches the profiler of CPU time.
    #[say(en = "fetching the profiler with Maven", zh = "正在用 Maven 获取剖析器")]
    FetchingProfiler,
    /// Maven builds an application.
    #[say(
        en = "building the application {application} ({label}) with Maven",
        zh = "正在用 Maven 构建应用 {application}（{label}）"
    )]
    BuildingApplication {
        application: String,
        /// The server that it is built for.
        label: String,
    },
    /// A WAR or jar of the user's own is built.
    #[say(en = "building{revision? {}}: {command}", zh = "正在构建{revision? {}}：{command}")]
    BuildingOwn {
        command: String,
        /// The revision that is built and the beginning of its commit, as `main (1a2b3c4d5e6f)`; `None` where the user's folder is
        /// built as it is.
        revision: Option<String>,
    },
    /// The application is compiled to a native image.
    #[say(
        en = "compiling the application {application} ({label}) with native-image",
        zh = "正在用 native-image 编译应用 {application}（{label}）"
    )]
    CompilingNative {
        application: String,
        /// The server that it is compiled for.
        label: String,
    },
    /// Files of a server are sent to the host of its arm.
    #[say(en = "sending {size} to {host}", zh = "正在向 {host} 发送 {size}")]
    Sending { host: String, size: Bytes },
    /// A WAR is migrated from javax to jakarta.
    #[say(en = "migrating the application from javax to jakarta", zh = "正在将应用从 javax 迁移到 jakarta")]
    MigratingApplication,
    /// A server starts with the user's own configuration, in which this is changed.
    #[say(
        en = "{arm}: of your configuration, {changes:semicolons}; everything else is as you wrote it",
        zh = "{arm}：您的配置中，{changes:semicolons}；其余保持原样"
    )]
    ChangingConfiguration { arm: String, changes: Vec<ConfigurationChange> },
    /// The file does not say what a right answer is: the first one is taken for right.
    #[say(
        en = "{arm}: its first answer to GET {path} is taken as the right one",
        zh = "{arm}：将其对 GET {path} 的首个应答视为正确应答"
    )]
    TrustingFirstAnswer {
        arm: String,
        /// The path that is requested.
        path: String,
    },
    /// The arguments of a jar do not say on which port it listens.
    #[say(
        en = "{arm}: no `arguments` name {{port}}: the jar has to listen on the environment's PORT",
        zh = "{arm}：`arguments` 中没有 {{port}}：该 jar 须监听环境变量 PORT 指定的端口"
    )]
    JarWithoutPort { arm: String },
    /// A server starts.
    #[say(en = "starting {arm}", zh = "正在启动 {arm}")]
    Starting { arm: String },
    /// Several servers start at once.
    #[say(en = "starting {arms:commas}", zh = "正在启动 {arms:commas}")]
    StartingAtOnce {
        /// The arms that are not ready yet.
        arms: Vec<String>,
    },
    /// The servers are loaded, and nothing counts yet.
    #[say(en = "warming up", zh = "正在预热")]
    WarmingUp,
    /// A single load lasts.
    #[say(en = "loading {url}", zh = "正在压测 {url}")]
    Loading { url: String },
    /// A short load shows how slow the service is, so that slices can be long enough.
    #[say(en = "measuring how slow the service is", zh = "正在测量服务的快慢")]
    MeasuringPace,
    /// A fixed rate is chosen at which the generator is on time.
    #[say(en = "finding a rate at which the generator is on time", zh = "正在寻找压测端能够准时发送的速率")]
    ChoosingRate,
    /// The search for the highest rate tests one rate.
    #[say(en = "probing {arm} at {rate:.0}/s", zh = "正在以 {rate:.0}/s 探测 {arm}")]
    Probing { arm: String, rate: Rate },
    /// Users of the closed loop connect.
    #[say(en = "connecting {users} users", zh = "正在建立 {users} 个用户的连接")]
    Connecting { users: usize },
    /// Slices of the closed loop are measured, at one of several levels.
    #[say(en = "measuring at {users} connections", zh = "正在以 {users} 个连接测量")]
    MeasuringLevel {
        /// Users of the level.
        users: usize,
    },
    /// Slices of the closed loop are measured, at its only level.
    #[say(en = "measuring", zh = "正在测量")]
    Measuring,
    /// Slices at a fixed rate are measured.
    #[say(en = "measuring at a fixed rate", zh = "正在以固定速率测量")]
    MeasuringAtRate,
    /// The effective settings of the servers are read.
    #[say(en = "reading settings", zh = "正在读取生效的配置")]
    ReadingSettings,
    /// A server is inspected for what its threads wait for.
    #[say(en = "inspecting {arm}", zh = "正在检查 {arm}")]
    Inspecting { arm: String },
    /// The CPU time of a server is profiled.
    #[say(
        en = "profiling {arm} (start {start} of {starts})",
        zh = "正在剖析 {arm}（第 {start} 次启动，共 {starts} 次）"
    )]
    Profiling {
        arm: String,
        /// Which of the profiled starts this is, from 1.
        start: u32,
        /// How many there are.
        starts: u32,
    },
    /// The servers stop.
    #[say(en = "stopping", zh = "正在停止服务器")]
    Stopping,
}
