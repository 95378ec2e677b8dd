//! What is wrong in a scenario.

use model::slip::ScenarioSlip;

pub(super) fn scenario(slip: &ScenarioSlip) -> String {
    match slip {
        ScenarioSlip::NoScenario => "没有列出任何场景".to_owned(),
        ScenarioSlip::NoStep => "该场景没有步骤".to_owned(),
        ScenarioSlip::IdleStep => "该步骤不做任何事".to_owned(),
        ScenarioSlip::TwoDeeds(one, other) => format!("一个步骤只做一件事，此处却有 `{one}` 和 `{other}`"),
        ScenarioSlip::TwoBodies(one, other) => format!("一个请求只有一个正文，此处却有 `{one}` 和 `{other}`"),
        ScenarioSlip::UnknownVariable(name) => format!("变量 `{name}` 在此处使用之前没有被赋值"),
        ScenarioSlip::UnknownList(name) => format!("没有名为 `{name}` 的列表"),
        ScenarioSlip::Unclosed => "`${` 缺少 `}`".to_owned(),
        ScenarioSlip::NoName => "`${}` 没有写变量名".to_owned(),
        ScenarioSlip::UnknownFunction(name) => format!("没有函数 `{name}`"),
        ScenarioSlip::Arguments => "该函数的参数不是这样".to_owned(),
        ScenarioSlip::NoEnvironment(name) => format!("环境变量 `{name}` 没有设置"),
        ScenarioSlip::Condition(rest) => format!("从 `{rest}` 起不是条件"),
        ScenarioSlip::JsonPath(rest) => format!("从 `{rest}` 起不是 prony 支持的 JSONPath"),
        ScenarioSlip::Regex(why) => format!("不是正则表达式：{why}"),
        ScenarioSlip::File { path, why } => format!("无法读取 `{path}`：{why}"),
        ScenarioSlip::NoRows { path } => format!("`{path}` 中没有数据行"),
        ScenarioSlip::Cells {
            path,
            line,
            found,
            expected,
        } => format!("`{path}` 第 {line} 行有 {found} 个单元格，应为 {expected} 个"),
        ScenarioSlip::Quote { path, line } => format!("`{path}` 第 {line} 行的引号没有结束"),
        ScenarioSlip::NotAnObject { path, line } => format!("`{path}` 第 {line} 行不是 JSON 对象"),
        ScenarioSlip::TooLarge { path } => format!("`{path}` 超过 4 GiB"),
        ScenarioSlip::BadName(name) => format!("`{name}` 不能作变量名"),
        ScenarioSlip::Plan(why) => format!("无法使用该 JMeter 测试计划：{why}"),
        ScenarioSlip::PlanPhases => {
            "该 JMeter 测试计划有在其他线程组之前或之后运行的线程组，而实验反复启动服务器，没有它们的位置"
                .to_owned()
        }
        ScenarioSlip::PlanProperties => "属性应为文本表，例如 { users = \"20\" }".to_owned(),
        ScenarioSlip::RequestsToo => "一个实验或发送请求，或执行场景，此处却两者都有".to_owned(),
        ScenarioSlip::OtherServer(server) => {
            format!(
                "有步骤发往 {server}，而实验的所有请求都发往对象的服务器；`prony load` 可同时压测多台服务器"
            )
        }
        ScenarioSlip::OfRequests(key) => format!("`{key}` 用于单个请求，而该实验执行场景"),
        ScenarioSlip::Extractor => "一个提取器只用一种方式查找".to_owned(),
    }
}
