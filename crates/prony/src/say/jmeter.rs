//! Why JMeter plans do not run, in Chinese. The English is `jmeter::Error`'s own.

use super::{Message, hinted, plain};
use jmeter::{Error, Obstacle, ObstacleKind, Unsupported};
use model::scenario::MOST_SERVERS;
use report::Lang;
use std::fmt::Write as _;

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &Error) -> Message {
    match error {
        Error::Xml { line, column, what } => plain(format!("第 {line} 行第 {column} 列：{what}")),
        Error::NoPlan { root } => plain(format!(
            "该文件不是 JMeter 测试计划：最外层元素是 <{root}>，而不是带 <hashTree> 的 <jmeterTestPlan>"
        )),
        Error::TooDeep { line } => plain(format!("第 {line} 行：元件嵌套过深")),
        Error::Refused { file, obstacles } => hinted(
            listed(file, obstacles),
            "--skip-unsupported 略去这些元件运行计划，报告中会列出它们",
        ),
    }
}

/// Says that an element was left out, and why.
pub(crate) fn left_out(obstacle: &Obstacle, lang: Lang) -> String {
    match lang {
        Lang::En => format!("Left out: {}: {}", obstacle.place(), obstacle.what),
        Lang::Zh => format!("略去：{}：{}", obstacle.place(), kind(&obstacle.what)),
    }
}

fn listed(file: &str, obstacles: &[Obstacle]) -> String {
    let mut list = format!("计划中有 {} 个元件无法运行", obstacles.len());
    for obstacle in obstacles {
        let Obstacle {
            line,
            class,
            name,
            what,
            ..
        } = obstacle;
        let file = obstacle.file.as_deref().unwrap_or(file);
        write!(list, "\n  {file}:{line}：{class} \"{name}\"：{}", kind(what)).ok();
        if let Some(hint) = hint(what) {
            write!(list, "\n      {hint}").ok();
        }
    }
    list
}

fn kind(what: &ObstacleKind) -> String {
    match what {
        ObstacleKind::Element => "不支持这类元件".to_owned(),
        ObstacleKind::Plugin => "该元件属于不受支持的插件".to_owned(),
        ObstacleKind::Setting(setting) => unsupported(*setting).to_owned(),
        ObstacleKind::Function(name) => format!("不支持函数 `{name}`"),
        ObstacleKind::Arguments(call) => format!("不支持 `{call}` 中函数的参数"),
        ObstacleKind::Unclosed(name) => format!("对 `{name}` 的调用没有右花括号"),
        ObstacleKind::Script { language, what } => format!("{language} 脚本用到了不受支持的 {what}"),
        ObstacleKind::ScriptFile(path) => format!("脚本在单独的文件中：{path}"),
        ObstacleKind::NotFixed { property, text } => {
            format!("`{property}` 为 `{text}`，在压测开始前无法确定")
        }
        ObstacleKind::NeverSet(name) => format!("路径中的变量 `{name}` 从未被赋值"),
        ObstacleKind::NoNumber { property, text } => format!("`{property}` 为 `{text}`，不是数字"),
        ObstacleKind::File { path, why } => format!("无法读取文件 `{path}`：{why}"),
        ObstacleKind::Data { path } => format!("文件 `{path}` 不是数据表"),
        ObstacleKind::Regex { pattern, why } => format!("不支持正则表达式 `{pattern}`：{why}"),
        ObstacleKind::JsonPath(path) => format!("不支持 JSONPath `{path}`"),
        ObstacleKind::TooManyServers(server) => {
            format!("该请求发往 {server}，而计划所指定的服务器须少于 {MOST_SERVERS} 台")
        }
        ObstacleKind::NoServer => "该请求和 HTTP 请求默认值都没有指定服务器".to_owned(),
        ObstacleKind::NoModule(name) => format!("计划中没有模块控制器所指的元件 `{name}`"),
        ObstacleKind::NothingToDo => "计划中没有启用的、带请求的线程组".to_owned(),
    }
}

fn hint(what: &ObstacleKind) -> Option<&'static str> {
    Some(match what {
        ObstacleKind::Plugin => "改用 JMeter 自带的元件",
        ObstacleKind::Function(_) | ObstacleKind::Arguments(_) => "用 -Jname=value 和 ${__P(name)} 给出该值",
        ObstacleKind::Unclosed(_) => "用 )} 结束调用",
        ObstacleKind::Script { .. } => "用提取器、断言或函数代替该脚本",
        ObstacleKind::ScriptFile(_) => "把脚本写进元件",
        ObstacleKind::NotFixed { .. } => "直接写出该值，或用 -Jname=value 和 ${__P(name)} 给出",
        ObstacleKind::NeverSet(_) => "在“用户定义的变量”中定义它",
        ObstacleKind::NoNumber { .. } => "写一个数字",
        ObstacleKind::File { .. } => "路径相对于计划所在的文件夹",
        ObstacleKind::Data { .. } => "每行一条数据，单元格数与名称数相同",
        ObstacleKind::Regex { .. } => "不要使用环视和对分组的引用",
        ObstacleKind::JsonPath(_) => "可用名称、序号、[*]、.. 和比较过滤器",
        ObstacleKind::TooManyServers(_) | ObstacleKind::NoServer => "给出一个 URL：prony load URL --jmx FILE",
        ObstacleKind::Element
        | ObstacleKind::Setting(_)
        | ObstacleKind::NoModule(_)
        | ObstacleKind::NothingToDo => return None,
    })
}

fn unsupported(setting: Unsupported) -> &'static str {
    match setting {
        Unsupported::SourceAddress => "不支持指定请求的源地址",
        Unsupported::Proxy => "不支持通过代理发送请求",
        Unsupported::Authentication => "只支持基本认证",
        Unsupported::Names => "不支持自定义域名服务器和静态主机",
        Unsupported::Protocol => "只支持 http 和 https",
        Unsupported::Encoding => "只支持 UTF-8 编码",
        Unsupported::SubSamples => "只能查看主取样或变量",
        Unsupported::NetworkSize => "只能检查正文的大小",
        Unsupported::Document => "无法提取文档中的文字",
        Unsupported::PartialCookies => "Cookie 要么用于线程组的所有请求，要么不用",
        Unsupported::SeveralCookieManagers => "一个线程组只能有一个 HTTP Cookie 管理器",
        Unsupported::InterleavedControllers => "不支持逐个交替内层控制器的请求",
        Unsupported::NoDuration => "调度器需要大于 0 的持续时间",
        Unsupported::Schedule => "无法读懂到达计划",
        Unsupported::LoopVariables => "循环的变量既不来自提取器，也不来自用户定义的变量",
        Unsupported::NumberFormat => "不支持该数字格式",
        Unsupported::Delimiter => "带引号的数据的分隔符必须是一个字符",
        Unsupported::MatchNumber => "匹配序号必须在压测开始前确定",
        Unsupported::TimerMode => "不支持常数吞吐量定时器的这种模式",
    }
}
