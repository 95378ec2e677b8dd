//! Loads that cannot be made, and loads that nobody answered.

use crate::say::{Message, hinted};
use model::slip::FleetSlip;
use report::Lang;
use std::collections::BTreeMap;

/// What is wrong with a load.
#[derive(Debug)]
pub(crate) enum LoadComplaint {
    /// It would last no time.
    NoTime,
    /// A JMeter plan of which nothing is left that names a server.
    NoServer,
    /// `-H` without a colon.
    NotAHeader {
        /// What was given.
        text: String,
    },
    /// `--allow` with something that is no address.
    NotAnAddress {
        /// What was given.
        text: String,
        /// What the system says.
        said: String,
    },
    /// Flags of a fleet without one.
    NoFleet,
    /// `--resume` or `--creds` with agents that prony starts.
    PlacedAgentsEnd,
    /// A fleet for servers behind a link that is in this machine.
    FleetBehindLink,
    /// No answer was right.
    NoRightAnswer {
        /// What came instead: how often each kind of fault.
        faults: BTreeMap<String, u64>,
    },
}

impl LoadComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::NoTime => hinted("a load of no time measures nothing", "write for example -d 10s"),
            Self::NoServer => hinted(
                "no request of the plan names a server",
                "give the URL: prony load URL --jmx FILE",
            ),
            Self::NotAHeader { text } => {
                hinted(format!("`{text}` is not a header"), "write -H \"Name: value\"")
            }
            Self::NotAnAddress { text, said } => hinted(
                format!("`{text}` is not an address: {said}"),
                "write HOST:PORT, such as 10.0.0.5:8080",
            ),
            Self::NoFleet => hinted(
                "these are flags of a fleet, and there is none",
                "add --fleet nats://HOST:4222, or --fleet local for agents on this machine",
            ),
            Self::PlacedAgentsEnd => hinted(
                "--resume and --creds are for agents that wait at a NATS server; those that prony starts end with it",
                "leave the flag out, or name the server: --fleet nats://HOST:4222",
            ),
            Self::FleetBehindLink => hinted(FleetSlip::BehindLink.to_string(), "leave --fleet or [link] out"),
            Self::NoRightAnswer { faults } => {
                let faults = report::say::faults(faults, Lang::En);
                let faults = faults.unwrap_or_else(|| "no answer came in time".to_owned());
                hinted(
                    format!("no right answer: {faults}"),
                    "is the server running, and is the path right? right means status 200 to 399",
                )
            }
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::NoTime => hinted("时长为零的负载测不出任何结果", "例如可写 -d 10s"),
            Self::NoServer => hinted("计划中没有请求指定服务器", "给出 URL：prony load URL --jmx FILE"),
            Self::NotAHeader { text } => hinted(format!("`{text}` 不是请求头"), "请写 -H \"Name: value\""),
            Self::NoFleet => hinted(
                "给出了压测机的参数，却没有压测机",
                "请加上 --fleet nats://HOST:4222，或 --fleet local（在本机启动压测机）",
            ),
            Self::PlacedAgentsEnd => hinted(
                "--resume 和 --creds 只用于在 NATS 服务器等候的压测机；prony 启动的压测机会随它一起结束",
                "请去掉该参数，或指定服务器：--fleet nats://HOST:4222",
            ),
            Self::FleetBehindLink => hinted(
                "[link] 的链路在本机之内，而压测机在链路之外",
                "请去掉 --fleet 或 [link]",
            ),
            Self::NotAnAddress { text, said } => hinted(
                format!("`{text}` 不是地址：{said}"),
                "请写 HOST:PORT，例如 10.0.0.5:8080",
            ),
            Self::NoRightAnswer { faults } => {
                let faults = report::say::faults(faults, Lang::Zh);
                let faults = faults.unwrap_or_else(|| "在规定时间内没有收到应答".to_owned());
                hinted(
                    format!("没有正确的应答：{faults}"),
                    "服务器是否在运行？路径是否正确？状态码 200 到 399 视为正确",
                )
            }
        }
    }
}
