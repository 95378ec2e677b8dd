//! The finding that something limits a load although no known cause fits.

use super::place::{DearFrame, RequestPlace};
use ask::experiment::Objective;
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
    en = "limit not found: {shown}; {ruled_out}{places?; of the requests in flight {:clauses}}{frames?; the server's CPU is used by \
          {:clauses}}",
    zh = "未找到瓶颈：{shown}；{ruled_out}{places?；在途请求中 {:clauses}}{frames?；服务器的 CPU 用于 {:clauses}}"
)]
pub struct NotFound {
    /// What shows that there is one.
    pub shown: Shown,
    /// What does not limit it.
    pub ruled_out: RuledOut,
    /// Where most requests are; empty where that was not seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<RequestPlace>,
    /// The methods that use most of the server's CPU time; empty where that was not seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<DearFrame>,
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
        /// Requests per second at which it was missed.
        rate: f64,
        objective: Objective,
    },
    /// More users did not bring more throughput.
    #[say(
        en = "{users:count} users get {rate:three}/s where {fewer_users:count} got {fewer_rate:three}/s",
        zh = "{users:count} 个用户得到 {rate:three}/s，{fewer_users:count} 个用户时为 {fewer_rate:three}/s"
    )]
    ByUsers {
        users: f64,
        /// Right answers per second that they got.
        rate: f64,
        fewer_users: f64,
        /// Right answers per second that the fewer users got.
        fewer_rate: f64,
    },
}

/// Figures of what does not limit the load.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{server?the CPU is {busy:percent} in use, and the server uses {:percent} of the machine; ruled out: |ruled out: CPU \
          ({busy:percent} in use), }generator ({generator:percent} of a core), collector ({collector?{:percent}|no JVM}), connections \
          ({opened} opened), errors ({wrong})",
    zh = "{server?CPU 使用率 {busy:percent}，服务器占整机的 {:percent}；已排除：|已排除：CPU（使用率 {busy:percent}）、}压测端（单核的 \
          {generator:percent}）、垃圾收集器（{collector?{:percent}|没有 JVM}）、连接（建立了 {opened} 个）、错误（{wrong} 个）"
)]
pub struct RuledOut {
    /// Share of the machine's CPU time in use, 0 to 1.
    pub busy: f64,
    /// Share of the machine's CPU time that the server used, 0 to 1, where the CPU is full: then the CPU is not ruled out.
    pub server: Option<f64>,
    /// CPUs that the generator used.
    pub generator: f64,
    /// Share of the time in which collections stopped the server, 0 to 1; absent for what is no JVM.
    pub collector: Option<f64>,
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
            let by_users =
                Shown::ByUsers { users: 64.0, rate: 20_200.0, fewer_users: 4.0, fewer_rate: 19_900.0 };
            let objective = Objective { measure: Measure::ResponseP99, limit: Nanos::from_millis(20) };
            let by_objective = Shown::ByObjective { rate: 1100.0, objective };
            let not_found = |shown, server, collector| Self {
                shown,
                ruled_out: RuledOut { busy: 0.51, server, generator: 0.12, collector, opened: 32, wrong: 6 },
                places: Vec::new(),
                frames: Vec::new(),
            };
            let frame = |method: &str, share| DearFrame { method: method.to_owned(), share };
            vec![
                not_found(by_users, None, None),
                not_found(by_users, Some(0.41), Some(0.02)),
                Self {
                    places: RequestPlace::examples(),
                    frames: vec![frame("shop.Trim.all", 0.71), frame("java.util.HashMap.get", 0.12)],
                    ..not_found(by_objective, None, Some(0.02))
                },
            ]
        }
    }
}
