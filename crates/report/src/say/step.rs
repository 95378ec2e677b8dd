//! The steps of a run as texts.

use super::Lang;
use model::step::Step;

/// What the run is doing: `warming up`.
pub fn step(step: &Step, lang: Lang) -> String {
    match lang {
        Lang::En => english(step),
        Lang::Zh => chinese(step),
    }
}

fn english(step: &Step) -> String {
    match step {
        Step::FetchingServer { server } => format!("fetching {server} with Maven"),
        Step::FetchingJdk { release } => format!("fetching JDK {release} with pip"),
        Step::FetchingProfiler => "fetching the profiler with Maven".to_owned(),
        Step::BuildingApplication { application, label } => {
            format!("building the application {application} ({label}) with Maven")
        }
        Step::BuildingOwn { command, revision: Some(revision) } => format!("building {revision}: {command}"),
        Step::BuildingOwn { command, revision: None } => format!("building: {command}"),
        Step::CompilingNative { application, label } => {
            format!("compiling the application {application} ({label}) with native-image")
        }
        Step::Sending { host, size } => format!("sending {size} to {host}"),
        Step::MigratingApplication => "migrating the application from javax to jakarta".to_owned(),
        Step::TrustingFirstAnswer { arm, path } => {
            format!("{arm}: its first answer to GET {path} is taken as the right one")
        }
        Step::JarWithoutPort { arm } => {
            format!("{arm}: no `arguments` name {{port}}: the jar has to listen on the environment's PORT")
        }
        Step::Starting { arm } => format!("starting {arm}"),
        Step::StartingAtOnce { arms } => format!("starting {}", arms.join(", ")),
        Step::WarmingUp => "warming up".to_owned(),
        Step::MeasuringPace => "measuring how slow the service is".to_owned(),
        Step::ChoosingRate => "finding a rate at which the generator is on time".to_owned(),
        Step::Probing { arm, rate } => format!("probing {arm} at {rate:.0}/s"),
        Step::Connecting { users } => format!("connecting {users} users"),
        Step::MeasuringLevel { users } => format!("measuring at {users} connections"),
        Step::Measuring => "measuring".to_owned(),
        Step::MeasuringAtRate => "measuring at a fixed rate".to_owned(),
        Step::ReadingSettings => "reading settings".to_owned(),
        Step::Inspecting { arm } => format!("inspecting {arm}"),
        Step::Profiling { arm, start, starts } => format!("profiling {arm} (start {start} of {starts})"),
        Step::Stopping => "stopping".to_owned(),
    }
}

fn chinese(step: &Step) -> String {
    match step {
        Step::FetchingServer { server } => format!("正在用 Maven 获取 {server}"),
        Step::FetchingJdk { release } => format!("正在用 pip 获取 JDK {release}"),
        Step::FetchingProfiler => "正在用 Maven 获取剖析器".to_owned(),
        Step::BuildingApplication { application, label } => {
            format!("正在用 Maven 构建应用 {application}（{label}）")
        }
        Step::BuildingOwn { command, revision: Some(revision) } => format!("正在构建 {revision}：{command}"),
        Step::BuildingOwn { command, revision: None } => format!("正在构建：{command}"),
        Step::CompilingNative { application, label } => {
            format!("正在用 native-image 编译应用 {application}（{label}）")
        }
        Step::Sending { host, size } => format!("正在向 {host} 发送 {size}"),
        Step::MigratingApplication => "正在将应用从 javax 迁移到 jakarta".to_owned(),
        Step::TrustingFirstAnswer { arm, path } => {
            format!("{arm}：将其对 GET {path} 的首个应答视为正确应答")
        }
        Step::JarWithoutPort { arm } => {
            format!("{arm}：`arguments` 中没有 {{port}}：该 jar 须监听环境变量 PORT 指定的端口")
        }
        Step::Starting { arm } => format!("正在启动 {arm}"),
        Step::StartingAtOnce { arms } => format!("正在启动 {}", arms.join("、")),
        Step::WarmingUp => "正在预热".to_owned(),
        Step::MeasuringPace => "正在测量服务的快慢".to_owned(),
        Step::ChoosingRate => "正在寻找压测端能够准时发送的速率".to_owned(),
        Step::Probing { arm, rate } => format!("正在以 {rate:.0}/s 探测 {arm}"),
        Step::Connecting { users } => format!("正在建立 {users} 个用户的连接"),
        Step::MeasuringLevel { users } => format!("正在以 {users} 个连接测量"),
        Step::Measuring => "正在测量".to_owned(),
        Step::MeasuringAtRate => "正在以固定速率测量".to_owned(),
        Step::ReadingSettings => "正在读取生效的配置".to_owned(),
        Step::Inspecting { arm } => format!("正在检查 {arm}"),
        Step::Profiling { arm, start, starts } => {
            format!("正在剖析 {arm}（第 {start} 次启动，共 {starts} 次）")
        }
        Step::Stopping => "正在停止服务器".to_owned(),
    }
}
