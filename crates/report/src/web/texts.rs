//! The texts of the live page and of the lists of stored runs, by the keys that their scripts use. Texts that reports have, too,
//! come from the words of reports; all others are here, in both languages side by side.

use crate::history::{ForeignText, HistoryText, LeftOutText};
use crate::progress::ProgressText;
use crate::words::{Label, StepGroup};
use model::measure::Measure;
use record::history::WhyLeftOut;
use record::outcome::{TooWide, Verdict};
use say::{Language, Say, text};
use serde_json::{Map, Value, json};

/// A text of the pages; gaps are `{name}`.
struct PageText {
    key: &'static str,
    en: &'static str,
    zh: &'static str,
}

const fn page_text(key: &'static str, en: &'static str, zh: &'static str) -> PageText {
    PageText { key, en, zh }
}

/// All texts of the pages in all languages: `{"stop": {"en": "End this run", "zh": "…"}}`.
pub(super) fn json() -> String {
    let mut all = Map::new();
    for PageText { key, en, zh } in TEXTS {
        all.insert(key.to_owned(), json!({ "en": en, "zh": zh }));
    }
    let mut add = |key: String, words: &dyn Say| {
        let [en, zh] = [Language::En, Language::Zh].map(|language| text(words, language));
        all.insert(key, json!({ "en": en, "zh": zh }));
    };
    for (key, words) in SHARED {
        add(key.to_owned(), words);
    }
    for measure in Measure::ALL {
        add(format!("measure.{}", measure.id()), &measure);
    }
    for verdict in Verdict::ALL {
        add(format!("verdict.{}", verdict.code()), &verdict);
    }
    for why in WhyLeftOut::ALL {
        add(format!("left.{}", why.id()), &LeftOutText::new(why, "{runs}"));
    }
    Value::Object(all).to_string()
}

/// Words of reports by the keys of the pages.
const SHARED: [(&str, &dyn Say); 22] = [
    ("interval.wide", &TooWide),
    ("unlimited", &ProgressText::Unlimited),
    ("arm", &Label::Arm),
    ("step", &Label::Steps),
    ("steps.wrong", &Label::Wrong),
    ("steps.group", &StepGroup { name: "{name}" }),
    ("counted.sessions", &Label::Sessions),
    ("counted.steps", &Label::Steps),
    ("counted.groups", &Label::Groups),
    ("measure", &Label::Measure),
    ("load", &Label::Load),
    ("difference", &Label::Difference),
    ("verdict", &Label::Verdict),
    ("run", &Label::Run),
    ("experiment", &Label::Experiment),
    ("agents.requests", &Label::Requests),
    ("run.unfinished", &Label::NotFinished),
    ("history.absent", &Label::Absent),
    ("history.confirmed", &HistoryText::Confirmed),
    ("history.suspected", &HistoryText::Suspected),
    ("foreign.errors", &ForeignText::Errors),
    ("foreign.mean", &ForeignText::Mean),
];

/// The texts that only these pages have.
const TEXTS: [PageText; 105] = [
    page_text("stop", "End this run", "结束本次运行"),
    page_text(
        "stop.sure",
        "End the run now? It stops its servers and reports what it has measured so far, as Ctrl-C does.",
        "现在结束运行吗？它会停止所有服务器，并报告到目前为止的测量结果，与 Ctrl-C 相同。",
    ),
    page_text("stop.yes", "End it", "结束"),
    page_text("stop.no", "Go on", "继续"),
    page_text("stop.failed", "the run could not be reached", "无法连接到本次运行"),
    page_text("stopping", "Ending: the servers are being stopped.", "正在结束：正在停止服务器。"),
    page_text("preparing", "Preparing.", "正在准备。"),
    page_text("start", "Start {n}: ", "第 {n} 次启动："),
    page_text("start.of", "Start {n} of at most {cap}: ", "第 {n} 次启动（最多 {cap} 次）："),
    page_text("start.counts", "start {n} took {time}", "第 {n} 次启动用时 {time}"),
    page_text(
        "start.void",
        "start {n} took {time} and does not count: {why}",
        "第 {n} 次启动用时 {time}，不计入结果：{why}",
    ),
    page_text("steps", "Steps of the sessions, in this start", "本次启动中会话的步骤"),
    page_text("faults", "Errors by kind", "各类错误"),
    page_text("faults.kind", "what went wrong", "错误类型"),
    page_text("faults.count", "so far", "累计"),
    page_text("faults.share", "of all requests", "占全部请求"),
    page_text("faults.newest", "in the newest slice", "最近一个切片中"),
    page_text("agents", "Machines that make the load", "施加负载的机器"),
    page_text("agents.agent", "agent", "压测机"),
    page_text("agents.gone", "{agent} (silent)", "{agent}（无消息）"),
    page_text("agents.clock", "clock", "时钟偏差"),
    page_text("agents.link", "link, there and back", "链路往返"),
    page_text("agents.cpu", "busiest loop, of a core", "最忙的事件循环，占单核"),
    page_text("agents.lag", "lag p99", "滞后 p99"),
    page_text("starts", "Starts", "各次启动"),
    page_text(
        "waiting",
        "waiting, because other work uses the machine ({idle} of it is idle)",
        "正在等待：机器上有其他负载（空闲 {idle}）",
    ),
    page_text(
        "trying",
        "Trying what a diagnosis suggests. {question} ",
        "正在尝试诊断建议的更改。{question} ",
    ),
    page_text("elapsed", "{time} so far", "已用时 {time}"),
    page_text("left", "{time} left at most", "最多还需 {time}"),
    page_text("left.trying", "{time} left at most of this trial", "本次尝试最多还需 {time}"),
    page_text(
        "lost",
        "The run cannot be reached: it has ended, or the connection is lost.",
        "无法连接到本次运行：它已结束，或连接已断开。",
    ),
    page_text("ended", "Ended after {n} starts that count.", "已结束，共有 {n} 次有效启动。"),
    page_text(
        "ended.stopped",
        "Ended before its time, after {n} starts that count.",
        "提前结束，共有 {n} 次有效启动。",
    ),
    page_text(
        "ended.without",
        "Ended without a result: the terminal says why.",
        "已结束，没有结果：原因见终端。",
    ),
    page_text(
        "ended.where",
        "`prony report {run}` shows all of it, `prony serve` in a browser.",
        "`prony report {run}` 显示全部结果，`prony serve` 可在浏览器中查看。",
    ),
    page_text("standing", "Results so far", "当前结果"),
    page_text(
        "standing.how",
        "* headline: it decides when to stop. Differences are against the baseline. Before the fourth start there are no intervals; while the run goes on they are wider than at its end.",
        "* 主指标：由它决定何时停止。差异均相对于基线。第四次启动之前没有区间；运行期间的区间比结束时更宽。",
    ),
    page_text("interval", "interval, %", "区间，%"),
    page_text("interval.none", "not yet", "尚无"),
    page_text("load.users", "{n} connections", "{n} 个连接"),
    page_text("load.rate", "at {rate}", "固定速率 {rate}"),
    page_text("load.all", "all", "全部"),
    page_text("load.fixed", "fixed rate", "固定速率"),
    page_text("narrowing", "Intervals, start by start", "各次启动后的置信区间"),
    page_text(
        "narrowing.how",
        "Each line is the interval after one more start, each dot the estimate. Shaded: differences that count as the same. A verdict needs the whole interval on one side of 0, or within the shade.",
        "每条线是又一次启动之后的置信区间，圆点是估计值。阴影：视为相同的差异。结论要求整个区间位于 0 的一侧，或全部落在阴影内。",
    ),
    page_text("pulse", "Live", "实时数据"),
    page_text("pulse.throughput", "Throughput in the closed loop", "闭环吞吐量"),
    page_text(
        "pulse.response",
        "Response time at a fixed rate, p50 and p99 (dashed)",
        "固定速率下的响应时间 p50 与 p99（虚线）",
    ),
    page_text(
        "pulse.service",
        "Service time in the closed loop, p50 and p99 (dashed)",
        "闭环服务时间 p50 与 p99（虚线）",
    ),
    page_text(
        "pulse.gone",
        "The newest {kept} slices are shown; {gone} older ones no longer are.",
        "图中为最新的 {kept} 个切片；更早的 {gone} 个不再显示。",
    ),
    page_text(
        "pulse.how",
        "A point is one slice of load on one arm. Drag to zoom, or spread two fingers; double-click or two taps show everything. No verdict comes from these plots: slices of one start are not independent.",
        "每个点是对一个对象的一个负载切片。拖动或用两指张开可放大，双击恢复全图。结论不由这些图得出：同一次启动的切片并不相互独立。",
    ),
    page_text("runs", "Stored runs", "已保存的运行"),
    page_text(
        "runs.more",
        "These are the newest {count}; `prony history -n N` lists the others, `prony report RUN` shows them.",
        "以上为最新的 {count} 次；`prony history -n N` 列出其余运行，`prony report RUN` 可查看。",
    ),
    page_text(
        "runs.none",
        "There is no stored run yet: `prony run FILE` makes one.",
        "尚无已保存的运行：`prony run 文件` 会创建一个。",
    ),
    page_text("run.interrupted", "ended before its time", "提前结束"),
    page_text("run.load", "a single load", "单次负载"),
    page_text("time", "time", "用时"),
    page_text("pair", "Two runs side by side", "两次运行对照"),
    page_text("pair.open", "Side by side", "并排对照"),
    page_text("pair.choose", "choose two runs", "请选择两次运行"),
    page_text("pair.this", "put {run} beside another", "将 {run} 与另一次运行对照"),
    page_text(
        "pair.how",
        "What differs between two runs need not come from what they measured: they never met the same noise. A verdict compares the arms of one run.",
        "两次运行之间的差异不一定来自被测对象：它们所处的噪声从不相同。只有同一次运行中的对象才能比较并得出结论。",
    ),
    page_text("pair.side", "{n} starts, {time}", "{n} 次启动，用时 {time}"),
    page_text("pair.differ", "Differences between the runs", "不同之处"),
    page_text(
        "pair.alike",
        "{n} other facts of machine, arms and design are the same.",
        "机器、对象与设计的其余 {n} 项事实相同。",
    ),
    page_text("pair.verdicts", "Verdicts of each run, against its own baseline", "各自相对于自身基线的结论"),
    page_text("pair.values", "Values of each run", "各自的测量值"),
    page_text("run.live", "running: open the live page", "正在运行：查看实时页面"),
    page_text(
        "run.live.token",
        "running: open the address that its terminal shows, including the token",
        "正在运行：请用其终端显示的完整地址（含令牌）查看",
    ),
    page_text("time.of.day", "time", "时刻"),
    page_text("history", "History of {experiment}", "{experiment} 的历史"),
    page_text("history.open", "night by night", "逐夜变化"),
    page_text(
        "history.how",
        "Each dot is a run: the arm's figure relative to the baseline of the same run, with its 95 % interval. Thick lines are levels, dashed lines are changes of the level.",
        "每个点是一次运行：对象的数值相对于同一次运行中的基线，附 95 % 区间。粗线是水平，虚线是水平的变化。",
    ),
    page_text(
        "history.reader",
        "You may read this store, but not decide about changes in it.",
        "您可以读取此存储，但不能对其中的变化作出决定。",
    ),
    page_text("history.others", "Other measures", "其他指标"),
    page_text(
        "history.picture",
        "{title} relative to {baseline}: {runs} runs, the last one {last} %, changes: {changes}",
        "{title}，相对于 {baseline}：{runs} 次运行，最近一次 {last} %，变化：{changes}",
    ),
    page_text("history.against", "relative to {baseline}", "相对于 {baseline}"),
    page_text(
        "history.rates",
        "{runs} runs at another rate are not in this series.",
        "另有 {runs} 次运行的速率不同，未计入此序列。",
    ),
    page_text("history.beside", "beside {before}", "与 {before} 对照"),
    page_text("history.nothing", "no stored fact differs", "没有已保存的事实不同"),
    page_text("history.more", "and {more} more", "另有 {more} 项"),
    page_text("history.since", "change since", "变化始于"),
    page_text("history.facts", "what changed", "有何改变"),
    page_text("history.decision", "decision", "决定"),
    page_text("history.accepted", "accepted as the new level", "已接受为新的水平"),
    page_text("history.dismissed", "dismissed: not counted as a change", "已驳回：不计为变化"),
    page_text("history.accept", "Accept", "接受"),
    page_text("history.dismiss", "Dismiss", "驳回"),
    page_text("history.undecide", "Take back", "撤回"),
    page_text("history.comment", "comment on {run}", "对 {run} 的备注"),
    page_text("history.why", "why", "原因"),
    page_text("history.points", "All {runs} runs", "全部 {runs} 次运行"),
    page_text("history.none", "No run of this experiment has ended.", "此实验没有已结束的运行。"),
    page_text(
        "history.worse",
        "Worse than before, beside {anchor}, which stayed the same build:",
        "与之前相比变差，参照 {anchor}（其构建始终相同）：",
    ),
    page_text("history.worse.since", "{percent} % since {run}", "自 {run} 起 {percent} %"),
    page_text(
        "history.void",
        "The newest run, {run}, has no valid figure of its headline.",
        "最近一次运行 {run} 的主要指标没有有效数值。",
    ),
    page_text(
        "history.few",
        "No change can be shown yet: a series of the headline has {runs} of the {needed} runs that this takes.",
        "尚不能显示变化：主要指标的某个序列只有 {runs} 次运行，而需要 {needed} 次。",
    ),
    page_text(
        "history.fine",
        "The newest run, {run}, shows no change for the worse that is still to be decided.",
        "最近一次运行 {run} 没有显示尚待决定的变差。",
    ),
    page_text("foreign", "Foreign series", "外部序列"),
    page_text(
        "foreign.how",
        "prony has not measured them, and they take part in no verdict.",
        "它们并非由 prony 测得，不参与任何结论。",
    ),
    page_text("foreign.throughput", "throughput", "吞吐量"),
    page_text("tool.jmeter", "JMeter", "JMeter"),
    page_text("tool.ab", "ApacheBench", "ApacheBench"),
    page_text("tool.gatling", "Gatling", "Gatling"),
    page_text("tool.jmh", "JMH", "JMH"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_key_stands_for_one_text_in_each_language() {
        let all: Value = serde_json::from_str(&json()).expect("JSON");
        let all = all.as_object().expect("an object");
        let keys =
            TEXTS.len() + SHARED.len() + Measure::ALL.len() + Verdict::ALL.len() + WhyLeftOut::ALL.len();
        assert_eq!(all.len(), keys, "a key is given twice");
        assert_eq!(all["stop"], json!({ "en": "End this run", "zh": "结束本次运行" }));
        assert_eq!(all["verdict.faster"]["zh"], text(&Verdict::Faster, Language::Zh));
        assert_eq!(all["measure.startup"]["en"], "start-up");
        assert_eq!(all["difference"]["zh"], text(&Label::Difference, Language::Zh));
    }

    #[test]
    fn both_languages_have_the_same_gaps() {
        let gaps = |text: &str| -> BTreeSet<String> {
            let behind = text.split('{').skip(1);
            behind.filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect()
        };
        for PageText { key, en, zh } in TEXTS {
            assert_eq!(gaps(en), gaps(zh), "{key}");
        }
    }
}
