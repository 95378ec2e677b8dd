//! Findings about when requests ask other programs, or compute something: all at once, or again and again.

use super::place::InMethod;
use model::units::{Count, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// Many requests ask another program for the same at once, or compute it, and hardly any request does so otherwise.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{backend?only one request in {one_in:count} asks {}, but then|hardly any request computes it, but then} up to {at_once} do at the same \
          time{statement?, for `{}`}{at}: what is kept {backend?of its answers |}ends for all of them at once, each computes it again{each? \
          ({})}, and {share} of the {backend?requests in flight wait for that|time nothing is answered}; the CPU is {busy} in use",
    zh = "{backend?每 {one_in:count} 个请求中只有一个询问 {}，但一问就|几乎没有请求计算它，但一算就}多达 {at_once} 个同时{statement?，内容是 \
          `{}`}{at}：缓存的结果对所有请求同时到期，每个都重新计算{each?（{}）}，{share} 的{backend?在途请求在等待它|时间里没有任何应答}；CPU 使用率为 {busy}",
    one_in = (1.0 / per_request.0.max(1e-9)).round() as u64,
)]
pub struct Stampede {
    /// The program: its address; absent where they compute it themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Questions per request; 0 where no program is asked.
    pub per_request: Count,
    /// The most requests that were seen at it at a time.
    pub at_once: Count,
    /// How long an answer takes, or a stop, mean; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Seconds>,
    /// Share of the requests in flight that wait for an answer, or of the time in which nothing is answered.
    pub share: Share,
    /// The statement that a database runs then; absent where none was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The method of the application that asks, or computes.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

/// Requests repeat calls that another program refuses.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{refused?{backend} refuses {} of the calls ({statuses}), and they are repeated|calls to {backend} fail, and {library} repeats \
          them}{at}{per_request?: {:three} calls a request}{right?, of which {:three} are answered}{waiting?; {} of the requests in flight wait \
          to call again}; the CPU is {busy} in use",
    zh = "{refused?{backend} 拒绝了 {} 的调用（{statuses}），而它们被重试|对 {backend} 的调用失败，`{library}` \
          将其重试}{at}{per_request?：每个请求 {:three} 次调用}{right?，其中 {:three} 次得到应答}{waiting?；{} 的在途请求在等待再次调用}；CPU \
          使用率为 {busy}",
    statuses = statuses.iter().map(|status| status.to_string()).collect::<Vec<_>>().join(", "),
)]
pub struct Retries {
    /// The program: its address.
    pub backend: String,
    /// Share of its answers that refuse; absent where they were not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Share>,
    /// The statuses of these answers, the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<u16>,
    /// Calls per request; absent where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_request: Option<Count>,
    /// Calls per request that it does not refuse; absent where that was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<Count>,
    /// The library that repeats them, as people call it; absent where none was seen to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Share of the requests in flight that wait in that library until they call again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Share>,
    /// The method of the application that calls.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the machine's CPU time in use.
    pub busy: Share,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;

    const BUSY: Share = Share(0.17);

    impl Examples for Stampede {
        fn examples() -> Vec<Self> {
            let known = Self {
                backend: Some("127.0.0.1:5432".to_owned()),
                per_request: Count(0.0006),
                at_once: Count(16.0),
                each: Some(Seconds(0.92)),
                share: Share(0.43),
                statement: Some("select turbine, sum(kwh) from yield group by turbine".to_owned()),
                at: InMethod::example(),
                busy: Share(0.98),
            };
            let computed =
                Self { backend: None, per_request: Count(0.0), each: None, statement: None, ..known.clone() };
            let lasting = Self { each: Some(Seconds(0.41)), ..computed.clone() };
            let unseen = Self { statement: None, at: InMethod::default(), ..known.clone() };
            vec![unseen, known, computed, lasting]
        }
    }

    impl Examples for Retries {
        fn examples() -> Vec<Self> {
            let known = Self {
                backend: "10.0.0.9:80".to_owned(),
                refused: Some(Share(0.97)),
                statuses: vec![503, 429],
                per_request: Some(Count(34.5)),
                right: Some(Count(1.0)),
                library: None,
                waiting: None,
                at: InMethod::example(),
                busy: BUSY,
            };
            let by_library = Self {
                refused: None,
                statuses: Vec::new(),
                right: None,
                library: Some("Resilience4j".to_owned()),
                waiting: Some(Share(0.41)),
                ..known.clone()
            };
            let uncounted = Self { per_request: None, ..by_library.clone() };
            let seen = Self { statuses: vec![503], at: InMethod::default(), ..known.clone() };
            vec![seen, known, by_library, uncounted]
        }
    }
}
