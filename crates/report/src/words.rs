//! Words that several parts of reports and pages show. All other words stand beside the code that shows them.

use say::{Language, Say, Writer, lists, text};

/// A word that several parts of reports and pages show.
#[derive(Say)]
pub(crate) enum Label {
    #[say(en = "passes", zh = "通过")]
    Passes,
    #[say(en = "fails", zh = "未通过")]
    Fails,
    #[say(en = "too few starts", zh = "启动次数不足")]
    TooFewStarts,
    #[say(en = "too short a load", zh = "压测时间不足")]
    TooShort,
    #[say(en = "service p50", zh = "服务时间 p50")]
    ServiceP50,
    #[say(en = "service p99", zh = "服务时间 p99")]
    ServiceP99,
    #[say(en = "arm", zh = "对象")]
    Arm,
    #[say(en = "load", zh = "负载")]
    Load,
    #[say(en = "measure", zh = "指标")]
    Measure,
    #[say(en = "difference", zh = "差异")]
    Difference,
    #[say(en = "verdict", zh = "判定")]
    Verdict,
    #[say(en = "value", zh = "值")]
    Value,
    #[say(en = "run", zh = "运行")]
    Run,
    #[say(en = "experiment", zh = "实验")]
    Experiment,
    #[say(en = "requests", zh = "请求")]
    Requests,
    #[say(en = "sessions", zh = "会话")]
    Sessions,
    #[say(en = "steps", zh = "步骤")]
    Steps,
    #[say(en = "groups", zh = "组")]
    Groups,
    #[say(en = "wrong", zh = "错误")]
    Wrong,
    #[say(en = "connects", zh = "建立连接")]
    Connects,
    #[say(en = "unknown", zh = "未知")]
    Unknown,
    #[say(en = "none", zh = "无")]
    None,
    #[say(en = "absent", zh = "无")]
    Absent,
    #[say(en = "the run was ended before its time", zh = "运行被提前结束")]
    EndedEarly,
    #[say(en = "not finished", zh = "未完成")]
    NotFinished,
    #[say(en = "no start counted", zh = "没有有效的启动")]
    NoStart,
    #[say(en = "CPU and response time by rate", zh = "各速率下的 CPU 与响应时间")]
    RateCurve,
    #[say(en = "See all", zh = "显示全部")]
    SeeAll,
}

/// The parts of a line one after the other: `a, b, c`.
pub(crate) fn joined<T: Say>(parts: &[T], language: Language) -> String {
    let mut out = Writer::new(language);
    lists::clauses(parts, &mut out);
    out.into_text()
}

/// What is told of something, behind its name.
#[derive(Say)]
#[say(en = "{name}: {told}", zh = "{name}：{told}")]
struct Labelled<'a> {
    name: &'a str,
    told: &'a str,
}

/// What is told of something, behind its name: `tomcat-10.1: faster`.
pub(crate) fn labelled(name: &str, told: &str, language: Language) -> String {
    text(&Labelled { name, told }, language)
}

/// The name of a group of steps, which stands among steps.
#[derive(Say)]
#[say(en = "{name} (group)", zh = "{name}（组）")]
pub(crate) struct StepGroup<'a> {
    pub(crate) name: &'a str,
}
