//! Why something does not count, as a sentence.

use super::numbers::{millis, percent_of};
use super::{faults, fleet, spaced};
use crate::words::Lang;
use model::reason::{
    AnswerFault, Contradiction, DelayShare, FullLink, GeneratorLimit, LinkWay, NoRate, Reason,
};

/// The reason in this language.
pub fn reason(reason: &Reason, lang: Lang) -> String {
    match lang {
        Lang::En => english(reason),
        Lang::Zh => spaced(&chinese(reason)),
    }
}

/// The limit that the generator reached, without the word that it was saturated, and in how many slices if that is known. `None`
/// for a reason that is not about the generator.
pub(crate) fn generator_limit(reason: &Reason, lang: Lang) -> Option<String> {
    match reason {
        Reason::GeneratorSaturated(limit) => Some(match lang {
            Lang::En => generator_in_english(limit),
            Lang::Zh => spaced(&generator_in_chinese(limit)),
        }),
        Reason::InSlices { reason, slices, all } => {
            let limit = generator_limit(reason, lang)?;
            Some(match lang {
                Lang::En => format!("{limit}, in {slices} of {all} slices"),
                Lang::Zh => spaced(&format!("{limit}，见于 {all} 个切片中的 {slices} 个")),
            })
        }
        Reason::OfArm { arm, reason } => {
            let limit = generator_limit(reason, lang)?;
            Some(match lang {
                Lang::En => format!("{arm}: {limit}"),
                Lang::Zh => format!("{arm}：{limit}"),
            })
        }
        _ => None,
    }
}

/// The sentence that the link was full, without the name of the cause.
pub(crate) fn full_link(link: &FullLink, lang: Lang) -> String {
    let FullLink {
        way,
        used,
        rate,
        limit,
    } = link;
    let limit = percent_of(*limit);
    match (way, lang) {
        (LinkWay::Answers, Lang::En) => format!(
            "{used} of the {rate} that the link passes were used (limit {limit} %): it was the link that was measured"
        ),
        (LinkWay::Answers, Lang::Zh) => {
            format!("链路可通过 {rate}，已用 {used}（上限 {limit} %）：测到的是链路")
        }
        (LinkWay::Requests, Lang::En) => format!(
            "requests took {used} of the {rate} that the link passes (limit {limit} %): it was the link that was measured"
        ),
        (LinkWay::Requests, Lang::Zh) => {
            format!("链路可通过 {rate}，请求占用了 {used}（上限 {limit} %）：测到的是链路")
        }
    }
}

/// A number of requests as a share of all; 0 if there are none.
fn share(some: u64, requests: u64) -> f64 {
    some as f64 / requests.max(1) as f64
}

fn english(reason: &Reason) -> String {
    match reason {
        Reason::GeneratorSaturated(limit) => format!("generator-saturated: {}", generator_in_english(limit)),
        Reason::Inconsistent(what) => format!("inconsistent: {}", contradiction_in_english(what)),
        Reason::NoisyNeighbour { share, limit } => format!(
            "noisy-neighbour: the hypervisor took {} % of the CPU time (limit {} %)",
            percent_of(*share),
            percent_of(*limit)
        ),
        Reason::LinkSaturated(link) => format!("link-saturated: {}", full_link(link, Lang::En)),
        Reason::NoSteadyState { share, limit } => format!(
            "no steady state: users had no request in flight {} % of the time (limit {} %), connections were still being \
             opened; a longer `settle` or a `connect_rate` may help",
            percent_of(*share),
            percent_of(*limit)
        ),
        Reason::Overloaded {
            arm,
            rate,
            share,
            limit,
        } => format!(
            "overloaded: of {rate} requests per second {arm} left {} % unanswered at the end of a slice (limit {} %); a \
             lower `latency_rate` may do",
            percent_of(*share),
            percent_of(*limit)
        ),
        Reason::UnloadedArmBusy { share, limit } => format!(
            "an arm that was not loaded used {:.1} % of a core (limit {} %)",
            100.0 * share,
            percent_of(*limit)
        ),
        Reason::HostLost { host } => {
            format!("the connection to {host} was cut, or the host went down")
        }
        Reason::ClockSet { seconds } => format!("the wall clock was set by {seconds:+.2} s during the round"),
        Reason::NoValue => "a measure has no value in it".to_owned(),
        Reason::CutShort => "the start was cut short".to_owned(),
        Reason::MeasuredAgain => "its quad was measured again".to_owned(),
        Reason::Answers(fault) => answers_in_english(fault),
        Reason::NoRate(why) => no_rate_in_english(why),
        Reason::InSlices { reason, slices, all } => {
            format!("{}, in {slices} of {all} slices", english(reason))
        }
        Reason::InStarts { reason, starts, all } => {
            format!("in {starts} of {all} starts {}", english(reason))
        }
        Reason::OnlyStart { reason } => format!("the only start did not count: {}", english(reason)),
        Reason::StartsVoid { starts, all, last } => {
            format!(
                "{starts} of {all} starts did not count; the last: {}",
                english(last)
            )
        }
        Reason::AgentLost(lost) => fleet::lost(lost, Lang::En),
        Reason::AgentStopped { agent, said } => fleet::stopped(agent, said.as_deref(), Lang::En),
        Reason::AgentLate { agent, late, limit } => fleet::late(agent, *late, *limit, Lang::En),
        Reason::OfArm { arm, reason } => format!("{arm}: {}", english(reason)),
        Reason::Legacy(text) => text.clone(),
    }
}

fn chinese(reason: &Reason) -> String {
    match reason {
        Reason::GeneratorSaturated(limit) => format!("压测端饱和：{}", generator_in_chinese(limit)),
        Reason::Inconsistent(what) => format!("数据自相矛盾：{}", contradiction_in_chinese(what)),
        Reason::NoisyNeighbour { share, limit } => format!(
            "邻居干扰：虚拟机管理程序占用了 {} % 的 CPU 时间（上限 {} %）",
            percent_of(*share),
            percent_of(*limit)
        ),
        Reason::LinkSaturated(link) => format!("链路饱和：{}", full_link(link, Lang::Zh)),
        Reason::NoSteadyState { share, limit } => format!(
            "未达稳态：用户有 {} % 的时间没有在途请求（上限 {} %），连接仍在建立；加长 `settle` 或设置 `connect_rate` 或有帮助",
            percent_of(*share),
            percent_of(*limit)
        ),
        Reason::Overloaded {
            arm,
            rate,
            share,
            limit,
        } => format!(
            "过载：每秒 {rate} 个请求中，{arm} 在切片结束时有 {} % 未应答（上限 {} %）；可试用较低的 `latency_rate`",
            percent_of(*share),
            percent_of(*limit)
        ),
        Reason::UnloadedArmBusy { share, limit } => format!(
            "未加负载的对象占用了单核的 {:.1} %（上限 {} %）",
            100.0 * share,
            percent_of(*limit)
        ),
        Reason::HostLost { host } => format!("与 {host} 的连接断开，或该主机停机"),
        Reason::ClockSet { seconds } => format!("本轮期间系统时钟被调整了 {seconds:+.2} s"),
        Reason::NoValue => "其中有一个指标没有数值".to_owned(),
        Reason::CutShort => "该次启动未测完就结束了".to_owned(),
        Reason::MeasuredAgain => "所在的一组切片已重新测量".to_owned(),
        Reason::Answers(fault) => answers_in_chinese(fault),
        Reason::NoRate(why) => no_rate_in_chinese(why),
        Reason::InSlices { reason, slices, all } => {
            format!("{}，见于 {all} 个切片中的 {slices} 个", chinese(reason))
        }
        Reason::InStarts { reason, starts, all } => {
            format!("在 {all} 次启动中的 {starts} 次，{}", chinese(reason))
        }
        Reason::OnlyStart { reason } => format!("唯一的一次启动未计入：{}", chinese(reason)),
        Reason::StartsVoid { starts, all, last } => {
            format!(
                "{all} 次启动中有 {starts} 次未计入；最后一次的原因：{}",
                chinese(last)
            )
        }
        Reason::AgentLost(lost) => fleet::lost(lost, Lang::Zh),
        Reason::AgentStopped { agent, said } => fleet::stopped(agent, said.as_deref(), Lang::Zh),
        Reason::AgentLate { agent, late, limit } => fleet::late(agent, *late, *limit, Lang::Zh),
        Reason::OfArm { arm, reason } => format!("{arm}：{}", chinese(reason)),
        Reason::Legacy(text) => text.clone(),
    }
}

fn generator_in_english(limit: &GeneratorLimit) -> String {
    match limit {
        GeneratorLimit::EventLoopBusy { share, limit } => format!(
            "an event loop used {} % of its core (limit {} %); use more shards or less load",
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::SentLate {
            share,
            delay,
            p99,
            limit,
        } => format!(
            "{:.1} % of the requests left more than {} after they could have (limit {} %), 99 % of them within {}",
            100.0 * share,
            millis(*delay),
            percent_of(*limit),
            millis(*p99)
        ),
        GeneratorLimit::DelayInPercentile(delay) => delay_share(*delay, Lang::En),
        GeneratorLimit::AnswersUnseen { share, delay, limit } => format!(
            "for {} % of the time requests were in flight, answers lay unseen for more than {} (limit {} %)",
            percent_of(*share),
            millis(*delay),
            percent_of(*limit)
        ),
        GeneratorLimit::LongTurns { share, delay, limit } => format!(
            "for {} % of the time, answers may have lain unseen in turns of the event loop for more than {} (limit {} %)",
            percent_of(*share),
            millis(*delay),
            percent_of(*limit)
        ),
        GeneratorLimit::SendBufferFull { share, limit } => format!(
            "for {} % of the time requests were in flight the send buffer was too small (limit {} %)",
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::SegmentsDropped {
            segments,
            requests,
            limit,
        } => format!(
            "the kernel dropped {segments} segments on their way into the receive queues (limit {} % of {requests} requests)",
            percent_of(*limit)
        ),
        GeneratorLimit::NoLocalPort { connections } => {
            format!("{connections} connects found no free local port (limit 0)")
        }
        GeneratorLimit::NoDescriptor { connections } => {
            format!("{connections} connects found no free file descriptor (limit 0)")
        }
        GeneratorLimit::UsersWaited { share, limit } => format!(
            "users waited for the generator {} % of the time (limit {} %)",
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::Legacy(text) => text.clone(),
    }
}

fn generator_in_chinese(limit: &GeneratorLimit) -> String {
    match limit {
        GeneratorLimit::EventLoopBusy { share, limit } => format!(
            "一个事件循环占用了其核的 {} %（上限 {} %）；请增加 shards 或降低负载",
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::SentLate {
            share,
            delay,
            p99,
            limit,
        } => format!(
            "{:.1} % 的请求比可发送时刻晚了 {} 以上（上限 {} %），其中 99 % 在 {} 以内",
            100.0 * share,
            millis(*delay),
            percent_of(*limit),
            millis(*p99)
        ),
        GeneratorLimit::DelayInPercentile(delay) => delay_share(*delay, Lang::Zh),
        GeneratorLimit::AnswersUnseen { share, delay, limit } => format!(
            "有在途请求时，已到达的应答未被读取超过 {} 的时间占 {} %（上限 {} %）",
            millis(*delay),
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::LongTurns { share, delay, limit } => format!(
            "应答可能在事件循环的一轮中未被读取超过 {} 的时间占 {} %（上限 {} %）",
            millis(*delay),
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::SendBufferFull { share, limit } => format!(
            "在有在途请求的时间中，{} % 的时间里发送缓冲区太小（上限 {} %）",
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::SegmentsDropped {
            segments,
            requests,
            limit,
        } => format!(
            "内核在放入接收队列之前丢弃了 {segments} 个报文段（上限为 {requests} 个请求的 {} %）",
            percent_of(*limit)
        ),
        GeneratorLimit::NoLocalPort { connections } => {
            format!("{connections} 次建立连接时没有空闲的本地端口（上限 0）")
        }
        GeneratorLimit::NoDescriptor { connections } => {
            format!("{connections} 次建立连接时没有空闲的文件描述符（上限 0）")
        }
        GeneratorLimit::UsersWaited { share, limit } => format!(
            "用户有 {} % 的时间在等待压测端（上限 {} %）",
            percent_of(*share),
            percent_of(*limit)
        ),
        GeneratorLimit::Legacy(text) => text.clone(),
    }
}

fn delay_share(delay: DelayShare, lang: Lang) -> String {
    let percentile = delay.percentile;
    let [share, limit] = [delay.share, delay.limit].map(percent_of);
    match lang {
        Lang::En => {
            format!(
                "the delay with which requests were sent is {share} % of p{percentile}, as a mean over the arms (limit {limit} %)"
            )
        }
        Lang::Zh => {
            format!("请求发送的延迟占第 {percentile} 百分位数（各对象的平均）的 {share} %（上限 {limit} %）")
        }
    }
}

fn contradiction_in_english(what: &Contradiction) -> String {
    match what {
        Contradiction::LittlesLaw { factor, limit } => format!(
            "by Little's law the number in flight is off by a factor of {factor:.3} (limit {} %)",
            percent_of(*limit)
        ),
        Contradiction::ServicePhases { sum, mean, limit } => format!(
            "first byte and body add up to {:.0} ns, the service time is {:.0} ns (limit {} %)",
            1e9 * sum,
            1e9 * mean,
            percent_of(*limit)
        ),
        Contradiction::ResponsePhases { sum, mean, limit } => format!(
            "waiting, first byte and body add up to {:.0} ns, the response time is {:.0} ns (limit {} %)",
            1e9 * sum,
            1e9 * mean,
            percent_of(*limit)
        ),
    }
}

fn contradiction_in_chinese(what: &Contradiction) -> String {
    match what {
        Contradiction::LittlesLaw { factor, limit } => format!(
            "按利特尔法则，在途请求数相差 {factor:.3} 倍（上限 {} %）",
            percent_of(*limit)
        ),
        Contradiction::ServicePhases { sum, mean, limit } => format!(
            "首字节与正文之和为 {:.0} ns，而服务时间为 {:.0} ns（上限 {} %）",
            1e9 * sum,
            1e9 * mean,
            percent_of(*limit)
        ),
        Contradiction::ResponsePhases { sum, mean, limit } => format!(
            "等待、首字节与正文之和为 {:.0} ns，而响应时间为 {:.0} ns（上限 {} %）",
            1e9 * sum,
            1e9 * mean,
            percent_of(*limit)
        ),
    }
}

fn answers_in_english(fault: &AnswerFault) -> String {
    match fault {
        AnswerFault::NoneRight { faults } => format!(
            "no right answer ({})",
            faults::faults(faults, Lang::En).unwrap_or_else(|| "no answer at all".to_owned())
        ),
        AnswerFault::TooManyWrong {
            arm,
            wrong,
            requests,
            limit,
            faults,
        } => format!(
            "{arm} answered {wrong} of {requests} requests wrongly ({:.2} %, limit {:.2} %): {}",
            100.0 * share(*wrong, *requests),
            100.0 * limit,
            faults::faults(faults, Lang::En).unwrap_or_default()
        ),
        AnswerFault::UnlikeErrors {
            arm,
            wrong,
            requests,
            baseline,
            baseline_wrong,
            baseline_requests,
            p,
            limit,
        } => format!(
            "{arm} answered {wrong} of {requests} requests wrongly, {baseline} {baseline_wrong} of {baseline_requests}: \
             more than chance explains (Fisher's exact p = {p:.1e}, limit {limit})"
        ),
        AnswerFault::UnlikeBodies {
            arm,
            bytes,
            baseline,
            baseline_bytes,
        } => format!(
            "an answer of {arm} has a body of {bytes:.0} bytes, of {baseline} {baseline_bytes:.0}: they do not answer alike; \
             where that is meant, write `unlike_answers = true`"
        ),
    }
}

fn answers_in_chinese(fault: &AnswerFault) -> String {
    match fault {
        AnswerFault::NoneRight { faults } => format!(
            "没有任何正确应答（{}）",
            faults::faults(faults, Lang::Zh).unwrap_or_else(|| "完全没有应答".to_owned())
        ),
        AnswerFault::TooManyWrong {
            arm,
            wrong,
            requests,
            limit,
            faults,
        } => format!(
            "{arm} 的 {requests} 个请求中有 {wrong} 个应答错误（{:.2} %，上限 {:.2} %）：{}",
            100.0 * share(*wrong, *requests),
            100.0 * limit,
            faults::faults(faults, Lang::Zh).unwrap_or_default()
        ),
        AnswerFault::UnlikeErrors {
            arm,
            wrong,
            requests,
            baseline,
            baseline_wrong,
            baseline_requests,
            p,
            limit,
        } => format!(
            "{arm} 的 {requests} 个请求中有 {wrong} 个应答错误，{baseline} 的 {baseline_requests} 个中有 {baseline_wrong} \
             个：超出偶然（Fisher 精确检验 p = {p:.1e}，上限 {limit}）"
        ),
        AnswerFault::UnlikeBodies {
            arm,
            bytes,
            baseline,
            baseline_bytes,
        } => format!(
            "{arm} 的一个应答正文为 {bytes:.0} 字节，{baseline} 为 {baseline_bytes:.0} 字节：二者的应答不同；若有意如此，\
             请写 `unlike_answers = true`"
        ),
    }
}

fn no_rate_in_english(why: &NoRate) -> String {
    match why {
        NoRate::Generator { rate, reason } => format!(
            "the generator could do no more than {rate:.0} requests per second: {}",
            english(reason)
        ),
        NoRate::NeverKept => "the objective was not kept at the lowest rate that was tried".to_owned(),
        NoRate::AlwaysKept => "the objective was kept at the highest rate that was tried".to_owned(),
    }
}

fn no_rate_in_chinese(why: &NoRate) -> String {
    match why {
        NoRate::Generator { rate, reason } => {
            format!("压测端每秒最多只能发送 {rate:.0} 个请求：{}", chinese(reason))
        }
        NoRate::NeverKept => "在试过的最低速率下也未满足要求".to_owned(),
        NoRate::AlwaysKept => "在试过的最高速率下仍满足要求".to_owned(),
    }
}

#[cfg(test)]
mod tests;
