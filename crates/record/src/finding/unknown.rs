//! The finding that something limits a load although no known cause fits.

use super::place::{DearFrame, RequestPlace};
use ask::experiment::Objective;
use model::units::{Count, Rate, Share};
use say::Say;
use serde::{Deserialize, Serialize};

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! unknown_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// Throughput has stopped growing, and nothing above explains it.
        LimitNotFound(NotFound) = "limit-not-found", Last, Application, 500;
    } };
}

/// Something limits the load, and no known cause fits.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "limit not found: {shown}; {ruled_out}{service?; {}}{places?; of the requests in flight {:clauses}}{frames?; the server's CPU is used by \
          {:clauses}}",
    zh = "未找到瓶颈：{shown}；{ruled_out}{service?；{}}{places?；在途请求中 {:clauses}}{frames?；服务器的 CPU 用于 {:clauses}}"
)]
pub struct NotFound {
    /// What shows that there is one.
    pub shown: Shown,
    /// What does not limit it.
    pub ruled_out: RuledOut,
    /// The service of the arm that uses more of a full CPU than the server does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<BusyService>,
    /// Where most requests are; empty where that was not seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<RequestPlace>,
    /// The methods that use most of the server's CPU time; empty where that was not seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<DearFrame>,
}

impl NotFound {
    /// Whether nobody looked into the server.
    pub fn was_not_looked_at(&self) -> bool {
        self.places.is_empty() && self.frames.is_empty()
    }
}

/// A service of an arm that uses much CPU on the machine of the server.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(en = "the service `{name}` uses {share} of the machine", zh = "服务 `{name}` 占整机的 {share}")]
pub struct BusyService {
    pub name: String,
    /// Its share of the CPU time of the machine.
    pub share: Share,
}

/// What shows that there is a limit.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Shown {
    /// An objective was missed.
    #[say(
        en = "at {rate:three}/s {objective} is missed",
        zh = "在 {rate:three}/s 时未满足 {objective}",
        objective = objective.text()
    )]
    ByObjective {
        /// Requests at which it was missed.
        rate: Rate,
        objective: Objective,
    },
    /// More users did not bring more throughput.
    #[say(
        en = "{users} users get {rate:three}/s where {fewer_users} got {fewer_rate:three}/s",
        zh = "{users} 个用户得到 {rate:three}/s，{fewer_users} 个用户时为 {fewer_rate:three}/s"
    )]
    ByUsers {
        users: Count,
        /// Right answers that they got.
        rate: Rate,
        fewer_users: Count,
        /// Right answers that the fewer users got.
        fewer_rate: Rate,
    },
}

/// Figures of what does not limit the load.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{server?the CPU is {busy} in use, and the server uses {:percent} of the machine; ruled out: |ruled out: CPU \
          ({busy} in use), }generator ({generator} of a core), collector ({collector?{}|no JVM}), connections \
          ({opened} opened), errors ({wrong})",
    zh = "{server?CPU 使用率 {busy}，服务器占整机的 {:percent}；已排除：|已排除：CPU（使用率 {busy}）、}压测端（单核的 \
          {generator}）、垃圾收集器（{collector?{}|没有 JVM}）、连接（建立了 {opened} 个）、错误（{wrong} 个）"
)]
pub struct RuledOut {
    /// Share of the machine's CPU time in use.
    pub busy: Share,
    /// Share of the machine's CPU time that the server used, where the CPU is full: then the CPU is not ruled out.
    pub server: Option<Share>,
    /// CPU time of the generator as a share of one core.
    pub generator: Share,
    /// Share of the time in which collections stopped the server; absent for what is no JVM.
    pub collector: Option<Share>,
    /// Connections that were opened.
    pub opened: u64,
    /// Requests that ended without a right answer.
    pub wrong: u64,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;
    use model::measure::Measure;
    use model::units::Nanos;

    impl Examples for NotFound {
        fn examples() -> Vec<Self> {
            let by_users = Shown::ByUsers {
                users: Count(64.0),
                rate: Rate(20_200.0),
                fewer_users: Count(4.0),
                fewer_rate: Rate(19_900.0),
            };
            let objective = Objective { measure: Measure::ResponseP99, limit: Nanos::from_millis(20) };
            let by_objective = Shown::ByObjective { rate: Rate(1100.0), objective };
            let not_found = |shown, server, collector| Self {
                shown,
                ruled_out: RuledOut {
                    busy: Share(0.51),
                    server,
                    generator: Share(0.12),
                    collector,
                    opened: 32,
                    wrong: 6,
                },
                service: None,
                places: Vec::new(),
                frames: Vec::new(),
            };
            let frame = |method: &str, share| DearFrame { method: method.to_owned(), share };
            vec![
                not_found(by_users, None, None),
                not_found(by_users, Some(Share(0.41)), Some(Share(0.02))),
                Self {
                    service: Some(BusyService { name: "db".to_owned(), share: Share(0.95) }),
                    ..not_found(by_users, Some(Share(0.02)), Some(Share(0.02)))
                },
                Self {
                    places: RequestPlace::examples(),
                    frames: vec![
                        frame("shop.Trim.all", Share(0.71)),
                        frame("java.util.HashMap.get", Share(0.12)),
                    ],
                    ..not_found(by_objective, None, Some(Share(0.02)))
                },
            ]
        }
    }
}
