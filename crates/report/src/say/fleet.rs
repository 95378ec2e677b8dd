//! What is said of a fleet: of all its agents, of one, and of a share that was lost.

use crate::say::{Lang, text};
use model::note::AgentFacts;
use model::reason::LostShare;

/// How many agents made the load, and how well they began together.
pub(crate) fn whole(agents: u64, of: u64, start_spread: Option<f64>, refused: u64, lang: Lang) -> String {
    let millis = start_spread.map(|spread| format!("{:.1} ms", 1e3 * spread));
    let (mut text, refusal) = match lang {
        Lang::En => (
            format!("agents: {agents} of {of}"),
            format!("; {refused} messages of strangers were refused"),
        ),
        Lang::Zh => (
            format!("压测机：{agents}/{of}"),
            format!("；拒绝了 {refused} 条外来消息"),
        ),
    };
    if let Some(millis) = millis {
        text.push_str(&match lang {
            Lang::En => format!(", start spread {millis}"),
            Lang::Zh => format!("，开始时刻相差 {millis}"),
        });
    }
    if refused > 0 {
        text.push_str(&refusal);
    }
    text
}

/// How well the agents began each slice of an experiment together; times in seconds.
pub(crate) fn together(slices: u64, median: f64, p99: f64, lang: Lang) -> String {
    let (median, p99) = (1e3 * median, 1e3 * p99);
    match lang {
        Lang::En => format!(
            "all agents changed arms together: they began each of {slices} slices within {median:.1} ms in the median, and \
             within {p99:.1} ms in 99 % of them"
        ),
        Lang::Zh => format!(
            "所有压测机同时切换对象：{slices} 个切片中，开始时刻之差的中位数为 {median:.1} ms，99 % 不超过 {p99:.1} ms"
        ),
    }
}

/// One agent with its clock and its generator.
pub(crate) fn agent(facts: &AgentFacts, lang: Lang) -> String {
    let AgentFacts { agent, requests, .. } = facts;
    let (offset, bound) = (1e3 * facts.clock_offset, 1e3 * facts.clock_bound);
    let link = 1e3 * facts.round_trip();
    let mut text = match lang {
        Lang::En => {
            format!(
                "agent {agent}: {requests} requests, clock {offset:+.3} ms off (± {bound:.3} ms), link {link:.3} ms there and back"
            )
        }
        Lang::Zh => format!(
            "压测机 {agent}：{requests} 个请求，时钟偏差 {offset:+.3} ms（± {bound:.3} ms），链路往返 {link:.3} ms"
        ),
    };
    if let (Some(cpu), Some(lag)) = (facts.cpu, facts.lag_p99) {
        let (cpu, lag) = (100.0 * cpu, 1e3 * lag);
        text.push_str(&match lang {
            Lang::En => format!(", busiest loop {cpu:.0} % of a core, lag p99 {lag:.3} ms"),
            Lang::Zh => format!("，最忙的事件循环占单核 {cpu:.0} %，滞后 p99 {lag:.3} ms"),
        });
    }
    text
}

/// A load that was smaller because a share was lost.
pub(crate) fn smaller(share: &LostShare, lang: Lang) -> String {
    let lost = text(share, lang);
    match lang {
        Lang::En => format!("the load was smaller than asked: {lost}"),
        Lang::Zh => format!("实际负载小于所要求的负载：{lost}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fleet_is_said_with_its_spread() {
        let spread = Some(0.000_41);
        assert_eq!(
            whole(3, 3, spread, 0, Lang::En),
            "agents: 3 of 3, start spread 0.4 ms"
        );
        assert_eq!(
            whole(2, 3, None, 5, Lang::En),
            "agents: 2 of 3; 5 messages of strangers were refused"
        );
        assert_eq!(
            whole(3, 3, spread, 0, Lang::Zh),
            "压测机：3/3，开始时刻相差 0.4 ms"
        );
    }
}
