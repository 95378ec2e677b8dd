//! What is wrong in a scenario.

use say::Say;
use traffic::scenario::Server;

/// What is wrong in a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ScenarioSlip {
    #[say(en = "no scenario is listed", zh = "没有列出任何场景")]
    NoScenario,
    #[say(en = "this scenario has no step", zh = "该场景没有步骤")]
    NoStep,
    #[say(en = "this step does nothing", zh = "该步骤不做任何事")]
    IdleStep,
    #[say(
        en = "a step does one thing, and this one has `{0}` and `{1}`",
        zh = "一个步骤只做一件事，此处却有 `{0}` 和 `{1}`"
    )]
    TwoDeeds(&'static str, &'static str),
    #[say(
        en = "a request has one body, and this one has `{0}` and `{1}`",
        zh = "一个请求只有一个正文，此处却有 `{0}` 和 `{1}`"
    )]
    TwoBodies(&'static str, &'static str),
    #[say(
        en = "nothing sets the variable `{0}` before it is used here",
        zh = "变量 `{0}` 在此处使用之前没有被赋值"
    )]
    UnknownVariable(String),
    #[say(en = "no list is called `{0}`", zh = "没有名为 `{0}` 的列表")]
    UnknownList(String),
    #[say(en = "`${{` has no `}}`", zh = "`${{` 缺少 `}}`")]
    Unclosed,
    #[say(en = "`${{}}` names no variable", zh = "`${{}}` 没有写变量名")]
    NoName,
    #[say(en = "there is no function `{0}`", zh = "没有函数 `{0}`")]
    UnknownFunction(String),
    #[say(en = "the function has other arguments", zh = "该函数的参数不是这样")]
    Arguments,
    #[say(en = "the variable `{0}` of the environment is not set", zh = "环境变量 `{0}` 没有设置")]
    NoEnvironment(String),
    #[say(en = "this is no condition from `{0}` on", zh = "从 `{0}` 起不是条件")]
    Condition(String),
    #[say(
        en = "this is no JSONPath that prony knows, from `{0}` on",
        zh = "从 `{0}` 起不是 prony 支持的 JSONPath"
    )]
    JsonPath(String),
    #[say(en = "this is no regular expression: {0}", zh = "不是正则表达式：{0}")]
    Regex(String),
    #[say(en = "cannot read `{path}`: {why}", zh = "无法读取 `{path}`：{why}")]
    File { path: String, why: String },
    #[say(en = "`{path}` has no rows", zh = "`{path}` 中没有数据行")]
    NoRows { path: String },
    #[say(
        en = "line {line} of `{path}` has {found} cells instead of {expected}",
        zh = "`{path}` 第 {line} 行有 {found} 个单元格，应为 {expected} 个"
    )]
    Cells { path: String, line: usize, found: usize, expected: usize },
    #[say(
        en = "line {line} of `{path}` has a quote that does not end",
        zh = "`{path}` 第 {line} 行的引号没有结束"
    )]
    Quote { path: String, line: usize },
    #[say(en = "line {line} of `{path}` is no JSON object", zh = "`{path}` 第 {line} 行不是 JSON 对象")]
    NotAnObject { path: String, line: usize },
    #[say(en = "`{path}` is larger than 4 GiB", zh = "`{path}` 超过 4 GiB")]
    TooLarge { path: String },
    #[say(en = "`{0}` is no name for a variable", zh = "`{0}` 不能作变量名")]
    BadName(String),
    #[say(
        en = "an experiment sends requests or plays scenarios, and this one does both",
        zh = "一个实验或发送请求，或执行场景，此处却两者都有"
    )]
    RequestsToo,
    #[say(
        en = "a step goes to {0:text}, and in an experiment all requests go to the server of the arm; `prony load` loads several servers",
        zh = "有步骤发往 {0:text}，而实验的所有请求都发往对象的服务器；`prony load` 可同时压测多台服务器"
    )]
    OtherServer(Server),
    #[say(
        en = "`{0}` is for single requests, and this experiment plays scenarios",
        zh = "`{0}` 用于单个请求，而该实验执行场景"
    )]
    OfRequests(&'static str),
    #[say(en = "the JMeter plan cannot be used: {0}", zh = "无法使用该 JMeter 测试计划：{0}")]
    Plan(String),
    #[say(
        en = "the JMeter plan has groups that run before or after the others, which the repeated starts of an experiment leave no place for",
        zh = "该 JMeter 测试计划有在其他线程组之前或之后运行的线程组，而实验反复启动服务器，没有它们的位置"
    )]
    PlanPhases,
    #[say(
        en = "properties are a table of texts, such as {{ users = \"20\" }}",
        zh = "属性应为文本表，例如 {{ users = \"20\" }}"
    )]
    PlanProperties,
    #[say(en = "an extractor finds something in one way", zh = "一个提取器只用一种方式查找")]
    Extractor,
}
