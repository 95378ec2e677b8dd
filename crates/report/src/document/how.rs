//! How to read a report, in plain words.

use super::{Content, ContentBlock, SectionInput};
use say::Say;

pub(super) const ID: &str = "how";

/// How to read a report.
#[derive(Say)]
enum HowText {
    #[say(en = "How to read this", zh = "如何阅读本报告")]
    Heading,
    #[say(
        en = "The sentence on top answers the question for the measure marked with *. That measure was chosen before the run \
              and decided when to stop. The others are secondary: they are judged too, but more cautiously.",
        zh = "开头的句子就带 * 的主指标回答所提的问题。主指标在运行前选定，并决定何时停止；其余是次要指标，也作判定，但更为谨慎。"
    )]
    Question,
    #[say(
        en = "The sentence on top answers the question from all measures marked with *. They were chosen before the run, share \
              its error rate and decided together when to stop. Mixed means that one was shown to be better and another worse; \
              open in part means that one was shown to differ and another needs more starts. The other measures are secondary: \
              they are judged too, but more cautiously.",
        zh = "开头的句子综合所有带 * 的主指标回答所提的问题。它们在运行前选定，共享错误率，并共同决定何时停止。互有优劣：已证明一个指标更好而另一个更差；部分未定：已证明某个指标有差异，\
              而另一个还需要更多次启动。其余是次要指标，也作判定，但更为谨慎。"
    )]
    OverallQuestion,
    #[say(
        en = "A JVM compiles itself differently at every start and keeps that for as long as it lives. So the unit is a fresh \
              start of all servers, not a request: 12 starts are 12 observations, however many requests were sent.",
        zh = "JVM 每次启动的编译结果都不同，并保持到进程结束。因此统计单位是所有服务器的一次全新启动，而不是一个请求：12 次启动就是 12 个观测值，不论发送了多少请求。"
    )]
    Start,
    #[say(
        en = "+3.1 % [+1.2, +5.0] reads: our best estimate is 3.1 % more than the baseline, and anything from 1.2 % to 5.0 % \
              is compatible with what was measured. A narrower interval takes more starts.",
        zh = "+3.1 % [+1.2, +5.0] 的意思是：最佳估计比基线高 3.1 %，而 1.2 % 到 5.0 % 之间的值都与测量结果相容。要缩小区间，需要更多次启动。"
    )]
    Interval,
    #[say(
        en = "faster and slower (of throughput and times), cheaper and costlier (of CPU), smaller and larger (of memory): the \
              whole interval lies on one side of zero. same: shown to differ by less than the margin. inconclusive: neither \
              could be shown in the time there was, which is not the same as no difference. invalid: it was not the server \
              that was measured.",
        zh = "更快、更慢（吞吐量与时间），更省、更耗 CPU，更小、更大（内存）：整个区间位于零的一侧。相同：已证明差异小于界限。无法判定：在可用时间内两者都未能证明，这不等于没有差异。无效：测到的并不是服务器本身。"
    )]
    Verdicts,
    #[say(
        en = "The grey band in the plot of differences is the margin: a difference within it counts as the same. A real \
              difference may lie within it; then a remark says so.",
        zh = "差异图中的灰色带是等效界限：落在其中的差异视为相同。真实的差异也可能落在其中，此时会有附注。"
    )]
    Margin,
    #[say(
        en = "Response time counts from the moment a request was due, service time from the moment it was sent. Where the \
              server stalls the two part: users who had to wait in line feel the response time.",
        zh = "响应时间从请求应发送的时刻算起，服务时间从实际发送的时刻算起。服务器停顿时两者会分开：排队等待的用户感受到的是响应时间。"
    )]
    Clocks,
    #[say(
        en = "p99 = 12 ms means that 99 of 100 requests took at most 12 ms. A percentile with † has too few requests behind it \
              for an interval and was seen in this run only; the longest time is no statistic, because it grows with the \
              length of the run.",
        zh = "p99 = 12 ms 表示 100 个请求中有 99 个不超过 12 ms。带 † 的分位数请求数不足，没有区间，只是本次运行中所见；最长时间随运行时长增长，不是统计量。"
    )]
    Percentile,
    #[say(
        en = "In the closed loop each user sends the next request when the last one was answered. A slow server is then asked \
              less often, so its service times there flatter it and are not compared; response times come from a fixed rate, \
              the same for all arms.",
        zh = "闭环负载中，每个用户收到应答后才发送下一个请求。服务器慢时请求随之减少，所得服务时间偏于好看，因此不作比较；响应时间在固定速率下测量，各对象速率相同。"
    )]
    ClosedLoop,
    #[say(
        en = "Notes say what a reader has to know before trusting the rest: starts that did not count and why, a busy machine, \
              a generator at its limit. Figures of one machine say little about another.",
        zh = "“说明”列出采信结果之前需要知道的事：哪些启动未计入及其原因、机器是否繁忙、压测端是否到达极限。一台机器上的数据很少能说明另一台机器。"
    )]
    Trust,
}

pub(super) fn section(source: &SectionInput<'_>) -> Option<Content> {
    // The headline is one measure, or several.
    let question = match source.report.answers.is_empty() {
        true => HowText::Question,
        false => HowText::OverallQuestion,
    };
    let points = [
        question,
        HowText::Start,
        HowText::Interval,
        HowText::Verdicts,
        HowText::Margin,
        HowText::Clocks,
        HowText::Percentile,
        HowText::ClosedLoop,
        HowText::Trust,
    ];
    let points = points.map(|point| source.say(&point));
    Content::of(source.say(&HowText::Heading), [ContentBlock::list(points)])
}
