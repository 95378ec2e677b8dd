//! Findings about the generator and its resources, and about wrong answers.

use model::faults::FaultCounts;
use model::reason::Reason;
use model::units::{Count, Cpus, Seconds, Share};
use say::Say;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use traffic::scenario::FirstFailure;

/// The causes of this family; the head of [`crate::finding`] explains a row.
#[doc(hidden)]
#[macro_export]
macro_rules! client_causes {
    ($($before:tt)*) => { $crate::causes_of! { $($before)*
        /// The generator could not keep up: its own figures are no longer about the server.
        GeneratorSaturated(LateGenerator) = "generator-saturated", Voids, Outside, 110;
        /// The generator has no local port left for another connection.
        EphemeralPortsExhausted(PortsExhausted) = "ephemeral-ports-exhausted", Voids, Outside, 120;
        /// No descriptor is left for another connection, of the server or of the generator.
        FileDescriptorLimit(DescriptorsExhausted) = "file-descriptor-limit", Explains, Outside, 150;
        /// Errors are answered faster than work is done, so that failing looks fast.
        ErrorsFast(FastErrors) = "errors-fast", Voids, Outside, 130;
        /// Answers are wrong, and take as long as right ones.
        WrongAnswers(AnswersWrong) = "wrong-answers", Explains, Outside, 135;
    } };
}

/// The generator could not keep up.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "the generator could not keep up in {share} of the {in_starts?starts|slices}{why?: {}}{starved}",
    zh = "压测端在 {share} 的{in_starts?启动|切片}中跟不上{why?：{}}{starved}",
    share = if share_of_starts > share_of_slices { *share_of_starts } else { *share_of_slices },
    in_starts = share_of_starts > share_of_slices,
    why = why.as_ref().and_then(Reason::limit_reached)
)]
pub struct LateGenerator {
    /// Share of the slices in which it reported that it could not keep up.
    pub share_of_slices: Share,
    /// Share of the starts that do not count because of it.
    pub share_of_starts: Share,
    /// Why the last start that did not count is void; absent where all starts counted.
    pub why: Option<Reason>,
    /// Present where it was late although it used little CPU: somebody else had its CPU.
    pub starved: Option<Starved>,
}

/// A generator that was late although it used little of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "; it used {cpus:three} CPUs only and {idle?was woken too late, though {} of the CPU time was idle|got none when it \
          needed one: others had them}",
    zh = "；它只用了 {cpus:three} 个 CPU，{idle?却被唤醒得太晚，而 {} 的 CPU 时间是空闲的|需要时却得不到：CPU 被别人占用}"
)]
pub struct Starved {
    /// What it used.
    pub cpus: Cpus,
    /// Share of the machine's CPU time that was idle, where that is most of it: then nobody here kept the generator from a
    /// CPU, and it was woken too late.
    pub idle: Option<Share>,
}

/// Connections found no free local port.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{failed:count} connections could not be opened because no local port was free ({share} of the requests): a port \
          stays unusable for a minute after its connection was closed",
    zh = "{failed:count} 个连接因没有本地端口而无法建立（占请求的 {share}）：连接关闭后，其端口要闲置一分钟"
)]
pub struct PortsExhausted {
    /// Connections that could not be opened.
    pub failed: u64,
    /// The same per request.
    pub share: Share,
}

/// No file descriptor was left.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum DescriptorsExhausted {
    /// The generator's are all in use.
    #[say(
        en = "{failed:count} connections could not be opened, because the generator had no descriptor left ({share} of the \
              requests)",
        zh = "{failed:count} 个连接因压测端的文件描述符用尽而无法建立（占请求的 {share}）"
    )]
    OfGenerator {
        /// Connections that could not be opened.
        failed: u64,
        /// The same per request.
        share: Share,
    },
    /// The server's are all in use.
    #[say(
        en = "the server has {open} of {limit} files and sockets open, and {lacking}: it accepts no more connections",
        zh = "服务器已打开 {limit} 个文件与套接字中的 {open} 个，{lacking}：它不再接受新的连接"
    )]
    OfServer {
        /// Files and sockets that it has open.
        open: Count,
        /// How many it may have open.
        limit: Count,
        /// The sign that it accepts no more connections.
        lacking: Lacking,
    },
}

/// The sign that a server accepts no more connections.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[serde(tag = "code", content = "values", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Lacking {
    /// Users are not served.
    #[say(
        en = "{left_out} of {users} users are not served",
        zh = "{users} 个用户中有 {left_out} 个得不到服务"
    )]
    Users {
        /// Number of users that are not served, by Little's law.
        left_out: Count,
        users: Count,
    },
    /// Requests failed.
    #[say(en = "{failed} of the requests failed", zh = "{failed} 的请求失败")]
    Requests {
        /// Share of all requests.
        failed: Share,
    },
}

/// Requests failed in less time than right answers took.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} of the requests failed, in {each} each{right?; right answers took {}}: {kinds}{first?; the first: {}}",
    zh = "{share} 的请求失败，每个用时 {each}{right?，正确应答用时 {}}：{kinds}{first?；第一个：{}}",
    kinds = FaultCounts(faults)
)]
pub struct FastErrors {
    /// Share of all requests.
    pub share: Share,
    /// How long a failed request took, mean.
    pub each: Seconds,
    /// How long a right answer took, mean; absent where there was none.
    pub right: Option<Seconds>,
    /// How often each kind of fault happened, by the names that `report.json` gives them.
    pub faults: BTreeMap<String, u64>,
    /// The first wrong answer; absent where none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstFailure>,
}

/// Answers are wrong, and take as long as right ones; or there are none.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{silent?no request gets a right answer|{share} of the requests are answered wrongly}: {kinds?{}|none was answered}{first?; the \
          first answer: {}}",
    zh = "{silent?没有请求得到正确的应答|{share} 的请求得到错误的应答}：{kinds?{}|完全没有应答}{first?；第一个应答：{}}",
    kinds = FaultCounts(faults)
)]
pub struct AnswersWrong {
    /// Share of all requests.
    pub share: Share,
    /// How often each kind of fault happened, by the names that `report.json` gives them.
    pub faults: BTreeMap<String, u64>,
    /// The first wrong answer; absent where it was not kept. Where requests were given up, it is one that came later, while the server was
    /// looked into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstFailure>,
    /// Whether no answer is right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
}

#[cfg(test)]
mod examples {
    use super::*;
    use crate::finding::Examples;
    use model::reason::GeneratorLimit;
    use traffic::scenario::StepFailure;

    impl Examples for LateGenerator {
        fn examples() -> Vec<Self> {
            let limit = GeneratorLimit::EventLoopBusy { share: Share(0.93), limit: Share(0.8) };
            let why =
                Reason::InSlices { reason: Box::new(Reason::GeneratorSaturated(limit)), slices: 5, all: 9 };
            let late = |why: Option<&Reason>, starved| Self {
                share_of_slices: Share(0.87),
                share_of_starts: Share(0.0),
                why: why.cloned(),
                starved,
            };
            let starved = |idle| Some(Starved { cpus: Cpus(0.21), idle });
            vec![
                Self { share_of_slices: Share(0.0), share_of_starts: Share(0.5), ..late(Some(&why), None) },
                late(None, None),
                late(Some(&why), None),
                late(Some(&why), starved(Some(Share(0.71)))),
                late(None, starved(None)),
            ]
        }
    }

    impl Examples for PortsExhausted {
        fn examples() -> Vec<Self> {
            vec![Self { failed: 28_231, share: Share(0.012) }]
        }
    }

    impl Examples for DescriptorsExhausted {
        fn examples() -> Vec<Self> {
            let of_server = |lacking| Self::OfServer { open: Count(199.0), limit: Count(205.0), lacking };
            vec![
                Self::OfGenerator { failed: 17, share: Share(0.03) },
                of_server(Lacking::Users { left_out: Count(96.0), users: Count(300.0) }),
                of_server(Lacking::Requests { failed: Share(0.07) }),
            ]
        }
    }

    impl Examples for FastErrors {
        fn examples() -> Vec<Self> {
            let faults = [("reset".to_owned(), 12), ("wrong_status".to_owned(), 34)];
            let errors = |right, first| Self {
                share: Share(0.02),
                each: Seconds(1e-4),
                right,
                faults: faults.clone().into(),
                first,
            };
            let first = FirstFailure {
                why: StepFailure::Status(503),
                request: "GET /cart HTTP/1.1".to_owned(),
                answer: String::new(),
            };
            vec![errors(None, None), errors(Some(Seconds(0.0153)), Some(first))]
        }
    }

    impl Examples for AnswersWrong {
        fn examples() -> Vec<Self> {
            let first = FirstFailure {
                why: StepFailure::Surplus(12),
                request: "GET /cart HTTP/1.1".to_owned(),
                answer: "\r\n".to_owned(),
            };
            let faults = [("malformed".to_owned(), 34)];
            let wrong =
                |first| Self { share: Share(0.5), faults: faults.clone().into(), first, silent: false };
            let faults = [("response_timeout".to_owned(), 34)].into();
            let silent = Self { share: Share(1.0), faults, first: None, silent: true };
            let dead = Self { faults: BTreeMap::new(), ..silent.clone() };
            vec![wrong(None), wrong(Some(first)), silent, dead]
        }
    }
}
