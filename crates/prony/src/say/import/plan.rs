//! What the import of a JMeter plan says: parts of it that a scenario file cannot say, and how its users come.

use import::{PlanPart, PlanRemark, Wave};
use report::Lang;

/// Returns a remark in words.
pub(super) fn remark(remark: &PlanRemark, lang: Lang) -> String {
    match (remark, lang) {
        (PlanRemark::Element { line, name }, Lang::En) => format!("line {line}: {name}"),
        (PlanRemark::Element { line, name }, Lang::Zh) => format!("第 {line} 行：{name}"),
        (PlanRemark::Users(users), Lang::En) => format!(
            "The plan has {users} users. How many there are and how long they go on is said to prony load, not here:"
        ),
        (PlanRemark::Users(users), Lang::Zh) => {
            format!("该计划有 {users} 个用户。用户数和时长由 prony load 指定，而不在此文件中：")
        }
        (PlanRemark::Wave(of), lang) => wave(of, lang),
        (PlanRemark::PausesNotCounted, Lang::En) => {
            "pauses are not a part of the time of a group; in the plan they are".to_owned()
        }
        (PlanRemark::PausesNotCounted, Lang::Zh) => "组的时间不含停顿；在计划中则包含".to_owned(),
        (PlanRemark::BodiesRepeated, Lang::En) => {
            "a redirect by 307 or 308 is followed here; JMeter takes it for the answer".to_owned()
        }
        (PlanRemark::BodiesRepeated, Lang::Zh) => {
            "此处会跟随 307 或 308 重定向；JMeter 则把它当作响应".to_owned()
        }
    }
}

fn wave(of: &Wave, lang: Lang) -> String {
    let Wave {
        group,
        users,
        delay,
        ramp,
        duration,
    } = of;
    let (delayed, lasting) = match lang {
        Lang::En => (
            format!(", the first after {delay}"),
            duration.as_ref().map(|time| format!(", for {time}")),
        ),
        Lang::Zh => (
            format!("，首个在 {delay} 后"),
            duration.as_ref().map(|time| format!("，持续 {time}")),
        ),
    };
    let delayed = if delay == "0s" { "" } else { &delayed };
    let lasting = lasting.unwrap_or_default();
    match lang {
        Lang::En => format!("  {group}: {users} users within {ramp}{delayed}{lasting}"),
        Lang::Zh => format!("  {group}：{ramp} 内 {users} 个用户{delayed}{lasting}"),
    }
}

/// Returns what a scenario file cannot say.
pub(super) fn part(part: PlanPart, lang: Lang) -> &'static str {
    match lang {
        Lang::En => english(part),
        Lang::Zh => chinese(part),
    }
}

/// Returns what can be done about all of them.
pub(super) const fn hint(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "prony load --jmx runs it from the plan itself",
        Lang::Zh => "prony load --jmx 可直接运行该计划",
    }
}

const fn english(part: PlanPart) -> &'static str {
    match part {
        PlanPart::Phase => "a scenario file has no groups that run before or behind the load",
        PlanPart::Serial => "a scenario file has no groups that run one after the other",
        PlanPart::Arrivals => "a scenario file does not say when sessions begin",
        PlanPart::OnFailure => "a scenario file cannot say this for what a failure does",
        PlanPart::OwnCookies => "a scenario file has no cookies from the start",
        PlanPart::Script => "a scenario file has no scripts",
        PlanPart::Function => "a scenario file does not have this function, or not with these arguments",
        PlanPart::Encoded => "a scenario file cannot encode what a function gives",
        PlanPart::Dollar => "a scenario file cannot have a dollar sign before a variable",
        PlanPart::List => "a scenario file has no lists but those that extractors make in steps above",
        PlanPart::Index => "a scenario file does not number the passes of a loop",
        PlanPart::Else => "a scenario file has no steps for a condition that does not hold",
        PlanPart::SetTest => "a scenario file cannot ask whether a variable is set",
        PlanPart::LastOk => "a scenario file cannot ask whether the last request was right",
        PlanPart::Quotes => "a condition of a scenario file cannot have quotes of both kinds",
        PlanPart::Share => "a scenario file knows only a percentage of the passes of all users",
        PlanPart::Branches => "a scenario file does not choose among steps",
        PlanPart::Stop => "a scenario file does not stop users, loops or passes",
        PlanPart::Row => "in a scenario file, rows of data are taken at the begin of a session only",
        PlanPart::EndMark => "a scenario file does not mark the end of data",
        PlanPart::Table => "a scenario file cannot read this table of data as the plan does",
        PlanPart::Counter => "counters of a scenario file count 1, 2, 3 over all users",
        PlanPart::Pause => "a scenario file cannot say this pause",
        PlanPart::Method => "a scenario file does not have this method",
        PlanPart::Path => "a path of a scenario file begins with a slash",
        PlanPart::HeaderName => "names of headers have no variables in a scenario file",
        PlanPart::HeaderTwice => "a scenario file sends a header once",
        PlanPart::File => "a scenario file takes bytes from files only",
        PlanPart::PartName => "a scenario file cannot say this part of a multipart form",
        PlanPart::AnswerPart => "extractors of a scenario file look at the body, headers and cookies",
        PlanPart::Groups => "a scenario file takes one group of a regular expression",
        PlanPart::ExtractTwice => "a step of a scenario file takes one value into a variable",
        PlanPart::Check => "a scenario file does not have this check",
    }
}

const fn chinese(part: PlanPart) -> &'static str {
    match part {
        PlanPart::Phase => "场景文件没有在负载之前或之后运行的组",
        PlanPart::Serial => "场景文件没有依次运行的组",
        PlanPart::Arrivals => "场景文件不规定会话何时开始",
        PlanPart::OnFailure => "场景文件无法规定失败时这样做",
        PlanPart::OwnCookies => "场景文件没有初始 Cookie",
        PlanPart::Script => "场景文件没有脚本",
        PlanPart::Function => "场景文件没有此函数，或不支持这些参数",
        PlanPart::Encoded => "场景文件无法对函数的结果编码",
        PlanPart::Dollar => "场景文件的变量之前不能有美元符号",
        PlanPart::List => "场景文件只有由前面步骤的提取器产生的列表",
        PlanPart::Index => "场景文件不为循环的各遍编号",
        PlanPart::Else => "场景文件没有条件不成立时的步骤",
        PlanPart::SetTest => "场景文件无法判断变量是否已设置",
        PlanPart::LastOk => "场景文件无法判断上一请求是否正确",
        PlanPart::Quotes => "场景文件的条件不能同时含有两种引号",
        PlanPart::Share => "场景文件只支持所有用户各遍的百分比",
        PlanPart::Branches => "场景文件不在步骤之间选择",
        PlanPart::Stop => "场景文件不停止用户、循环或某一遍",
        PlanPart::Row => "在场景文件中，数据行只在会话开始时取用",
        PlanPart::EndMark => "场景文件不标记数据的结尾",
        PlanPart::Table => "场景文件无法像计划那样读取该数据表",
        PlanPart::Counter => "场景文件的计数器对所有用户按 1、2、3 计数",
        PlanPart::Pause => "场景文件无法表达此停顿",
        PlanPart::Method => "场景文件没有此方法",
        PlanPart::Path => "场景文件的路径以斜杠开头",
        PlanPart::HeaderName => "场景文件的请求头名不含变量",
        PlanPart::HeaderTwice => "场景文件每个请求头只发送一次",
        PlanPart::File => "场景文件的字节只来自文件",
        PlanPart::PartName => "场景文件无法表达 multipart 表单的这一部分",
        PlanPart::AnswerPart => "场景文件的提取器只查看响应体、响应头和 Cookie",
        PlanPart::Groups => "场景文件只取正则表达式的一个组",
        PlanPart::ExtractTwice => "场景文件的一个步骤只向一个变量取一个值",
        PlanPart::Check => "场景文件没有此检查",
    }
}
