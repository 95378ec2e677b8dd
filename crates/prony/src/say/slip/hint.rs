//! What to do about a slip.

use super::table;
use model::slip::{Advice, ArmAdvice, ArmHint, Hint, Listing, OwnServer, Present, TableName};

pub(super) fn hint(hint: &Hint) -> String {
    match hint {
        Hint::DidYouMean(word) => format!("是否想写 {word}？"),
        Hint::Listed { what, items } => format!("{}{}", listing(what), items.join("、")),
        Hint::MeasuresOrArms { measures, arms } => {
            format!("指标：{}；对象：{}", measures.join("、"), arms.join("、"))
        }
        Hint::Write(examples) => format!("请写 {}", one_of(examples)),
        Hint::ForExample(examples) => format!("例如可写 {}", one_of(examples)),
        Hint::WriteTable { head, below } => {
            format!("请写 {head}，并在其下写 {}", below.join(" 和 "))
        }
        Hint::WriteIn { key, table } => format!("请在 {table} 中写 {key}"),
        Hint::LeaveOut(key) => format!("请去掉 `{key}`"),
        Hint::AskForInstead(measure) => format!("请改用 {measure}"),
        Hint::LevelsOfCurve(fewest) => {
            format!("请至少列出 {fewest} 个，或给出最大值：connections = 64")
        }
        Hint::Ports(lowest) => format!("例如可写 \"40000-40099\"，范围为 {lowest} 到 65535"),
        Hint::Arm(hint) => arm(hint),
        Hint::Advice(advice) => self::advice(*advice).to_owned(),
    }
}

fn listing(what: &Listing) -> String {
    match what {
        Listing::Words => "可用的值：".to_owned(),
        Listing::KeysOf(TableName::Key(key)) => format!("{key} 可用的键："),
        Listing::KeysOf(name) => format!("{}可用的键：", table(*name)),
        Listing::Applications => "可用的应用：".to_owned(),
        Listing::RoutedApplications => "不需要 servlet 的应用：".to_owned(),
        Listing::Arms => "可选的对象：".to_owned(),
        Listing::Measures => "可用的指标：".to_owned(),
        Listing::Steps => "可用的步骤：".to_owned(),
        Listing::Functions => "可用的函数：".to_owned(),
        Listing::Packages => "可用的形式：".to_owned(),
        Listing::PathsOf(app) => format!("`{app}` 响应的路径："),
        Listing::ReleasesOf(server) => format!("目录中有 {server} "),
        Listing::JakartaServers => "支持 jakarta 的有：".to_owned(),
    }
}

fn advice(advice: Advice) -> &'static str {
    match advice {
        Advice::ValidToml => "文件必须是有效的 TOML",
        Advice::QuestionForms => {
            "请写 \"…\" 或 { en = \"…\", zh = \"…\" }；不写 `question` 时，问题是哪个对象更快"
        }
        Advice::TwoArms => "请至少给出两个对象以作比较，或只给一个以查找其瓶颈",
        Advice::OwnNames => "请用 `name` 为每个对象取不同的名称",
        Advice::FewLevels => "每次启动都要测量所有档位：档位少而精更好",
        Advice::AscendingLevels => "请按升序写各档位；测量时的次序是随机的",
        Advice::OneNumber => "请只写一个连接数",
        Advice::EvenPairs => "每两对组成一组 ABBA 或 BAAB，可抵消漂移",
        Advice::MarginForms => "主指标可写 margin = \"3%\"，或写 margin = { throughput = \"2%\" }",
        Advice::PlanAlone => "prony load --jmx FILE 可单独运行该计划，并可略去不支持的元件",
        Advice::LeaveOneOut => "请去掉二者之一",
        Advice::BudgetLimitsBoth => "请去掉二者之一；`budget` 对两者都限制总时间",
        Advice::GateReplacesMargin => "请去掉主指标的等效界限：门限已取代它",
        Advice::NoMarginOfHeadline => "请去掉主指标的等效界限",
        Advice::AtLeastTwoPairs => "请去掉 `latency_pairs`，或至少设为 2",
        Advice::AddMaxRate => "请加上 find = \"max-rate\"",
        Advice::NoObjective => "请去掉 `objective`，或写 find = \"max-rate\"",
        Advice::NoQuickFlag => "请去掉 --quick，或加上 [quick]，例如在其下写 budget = \"5m\"",
        Advice::InRequireItself => "请直接写在 [require] 中",
        Advice::WholeLoad => "请直接写在 [require] 中，对全部请求一起提出要求",
        Advice::FleetServer => "请写 nats = \"nats://HOST:4222\"，即压测机等待的位置",
        Advice::FleetHosts => "请写 \"ssh://主机\"、\"local\"（本机）或 \"podman\"（本机容器）",
        Advice::FleetListen => "请写地址，例如 listen = \"10.0.0.1\"",
        Advice::FleetPlaces => {
            "请加上 nats = \"nats://HOST:4222\"（压测机在此等待），或 hosts = [\"local\"]（由 prony 启动）"
        }
        Advice::NoLink => "请去掉 [link]，或改由 prony 启动该服务器",
        Advice::NoMachine => "请去掉 [machine]，或改由 prony 启动该服务器",
        Advice::CpuLists => {
            "编号可写作 generator_cpus = \"0\", server_cpus = \"1-3,5\"；`lscpu -e` 会列出它们"
        }
        Advice::OpenQuestion => {
            "请写 { question = \"问题？\", arm = \"名称\" }；若由结论而非原因来回答，再加 measure = \"throughput\""
        }
        Advice::ReferenceArm => "请写 arm = \"名称\"：可以是本实验的对象，也可以是其他对象",
        Advice::PathForm => "路径以 / 开头，且不含空格",
        Advice::ServerForm => {
            "请完整写出，不含变量，例如 get = \"https://login.example.com:8443/token\"；服务器数须少于 64"
        }
        Advice::ScenarioForm => "请写 [[scenario]]，并在其下写 [[scenario.step]] 和 get = \"/\"",
        Advice::Variables => "变量来自 [vars]、[[data]]，以及之前步骤的 `extract` 和 `set`",
        Advice::Lists => "列表来自写有 match = \"all\" 的 `extract`",
        Advice::ConditionForm => {
            "例如可写 \"${role} == 'admin' and not ${done}\"；可用 and、or、not、==、!=、<、<=、>、>=、contains、matches"
        }
        Advice::NameForm => "请用字母、数字、`_`、`-` 和 `.`",
        Advice::OneExtractor => "请从 json、regex、header、cookie 和 between 中取一个",
        Advice::RelativePaths => "路径相对于场景文件所在的文件夹",
        Advice::CloseBrace => "请用 `}` 结束；普通的 `${` 写作 `$${`",
        Advice::SetEnvironment => "请在启动 prony 之前设置它",
    }
}

fn arm(hint: &ArmHint) -> String {
    match hint {
        ArmHint::WriteFor { example, server } => {
            let server = match server {
                OwnServer::Jar => "您自己的可执行 jar",
                OwnServer::Url => "已在运行的服务器",
                OwnServer::Command => "您自己的服务器",
                OwnServer::Image => "您自己的镜像",
            };
            format!("{server}请写 {example}")
        }
        ArmHint::NameVersion(example) => format!("请写明版本：{example}"),
        ArmHint::Versions {
            server,
            range,
            newest,
        } => format!("可运行 {server} {range}，例如 \"{server}:{newest}\""),
        ArmHint::Instead { present, others } => {
            let present = match present {
                Present::Nothing => "请去掉它".to_owned(),
                Present::Words(words) => format!("它可用 {}", words.join("、")),
                Present::PlatformThreads => "它可用平台线程，如 threads = 200".to_owned(),
            };
            match others.is_empty() {
                true => present,
                false => format!("{present}；支持所要求设置的有 {}", others.join("、")),
            }
        }
        ArmHint::Jdk(release) => format!("请写 jdk = {release}，或去掉它"),
        ArmHint::FurtherSettings(key) => format!("它的设置写在 `{key}` 中"),
        ArmHint::DescribeService(name) => format!("请用表 [service.{name}] 描述它，并写明其 `command`"),
        ArmHint::WriteCommand(built_in) => format!(
            "请写 command = [\"PROGRAM\", \"--port\", \"{{port}}\"]；无需 command 的服务有：{}",
            built_in.join("、")
        ),
        ArmHint::Advice(advice) => arm_advice(*advice).to_owned(),
    }
}

fn arm_advice(advice: ArmAdvice) -> &'static str {
    match advice {
        ArmAdvice::NumberOrVirtual => "请写一个数或 \"virtual\"",
        ArmAdvice::BuildNative => {
            "请用 `mvn -Pnative native:compile` 或 `gradle nativeCompile` 构建，再以 server = \"command\" 运行所得程序"
        }
        ArmAdvice::TakeOut => "请去掉它",
        ArmAdvice::KernelLength => "请去掉它：报告中会显示内核实际的队列长度",
        ArmAdvice::StartedWithIt => "请去掉它：该服务器已按其自身的设置启动",
        ArmAdvice::OwnArguments => "请去掉它，或写入命令自身的参数",
        ArmAdvice::OwnWay => "请按该 jar 自身的方式设置：用 `arguments`、`environment` 或 `jvm_options`",
        ArmAdvice::OwnProperties => "请去掉它，或用该服务器自身的 `properties` 设置",
        ArmAdvice::SmallerHeap => "请减小该对象的 `heap`（通常为 `memory` 的三分之二），或增大 `memory`",
        ArmAdvice::LeastHeap => "至少 16M；大小按 1024 进位：\"256M\"",
        ArmAdvice::BinarySizes => "大小按 1024 进位：\"1024M\" 或 \"1G\"",
        ArmAdvice::StandaloneServers => "WAR 由独立服务器部署，如 tomcat:VERSION",
        ArmAdvice::OnlyJavaxOnJakarta => "请去掉它：只有部署到 jakarta 服务器的 javax WAR 才会迁移",
        ArmAdvice::PortAndAddress => "端口用对象的 `port` 设置；地址固定为 127.0.0.1",
        ArmAdvice::JdkForms => "请写 jdk = 21、\"21.0.8\"、\"temurin-21\"，或带斜杠的 JDK 路径",
        ArmAdvice::BuildForms => {
            "请写 build = \"mvn -q -DskipTests package\"，或去掉它：Maven 和 Gradle 项目无需写命令"
        }
        ArmAdvice::RevisionForms => "请写分支、标签或提交的编号：git = \"main\"",
        ArmAdvice::PathOfTheFile => "请将路径写为文件的 `path`：它对所有对象相同",
        ArmAdvice::RunThere => {
            "需要在本机读取其进程的 CPU：请在那台机器上用回环地址运行 prony；`prony load` 可用于任意 URL"
        }
        ArmAdvice::PutPort => "请用 {port} 表示端口，用 {host} 表示地址",
        ArmAdvice::ReadyForms => {
            "请写 \"tcp\"（端口已打开）、\"http /path\"（状态码 200）或 \"line TEXT\"（输出中的一行）"
        }
    }
}

/// A list of alternatives: `A、B 或 C`.
fn one_of(examples: &[String]) -> String {
    match examples.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} 或 {last}", rest.join("、")),
        _ => examples.concat(),
    }
}
