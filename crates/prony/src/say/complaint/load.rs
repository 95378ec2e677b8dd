//! Loads that cannot be made, and loads that nobody answered.

use ::say::Say;
use model::faults::FaultCounts;
use model::slip::FleetSlip;
use std::collections::BTreeMap;

/// What is wrong with a load.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum LoadComplaint {
    /// It would last no time.
    #[say(
        en = "a load of no time measures nothing",
        zh = "时长为零的负载测不出任何结果",
        hint(en = "write for example -d 10s", zh = "例如可写 -d 10s")
    )]
    NoTime,
    /// A JMeter plan of which nothing is left that names a server.
    #[say(
        en = "no request of the plan names a server",
        zh = "计划中没有请求指定服务器",
        hint(en = "give the URL: prony load URL --jmx FILE", zh = "给出 URL：prony load URL --jmx FILE")
    )]
    NoServer,
    /// `-H` without a colon.
    #[say(
        en = "`{text}` is not a header",
        zh = "`{text}` 不是请求头",
        hint(en = "write -H \"Name: value\"", zh = "请写 -H \"Name: value\"")
    )]
    NotAHeader {
        /// What was given.
        text: String,
    },
    /// `--allow` with something that is no address.
    #[say(
        en = "`{text}` is not an address: {said}",
        zh = "`{text}` 不是地址：{said}",
        hint(en = "write HOST:PORT, such as 10.0.0.5:8080", zh = "请写 HOST:PORT，例如 10.0.0.5:8080")
    )]
    NotAnAddress {
        /// What was given.
        text: String,
        /// What the system says.
        said: String,
    },
    /// Flags of a fleet without one.
    #[say(
        en = "these are flags of a fleet, and there is none",
        zh = "给出了压测机的参数，却没有压测机",
        hint(
            en = "add --fleet nats://HOST:4222, or --fleet local for agents on this machine",
            zh = "请加上 --fleet nats://HOST:4222，或 --fleet local（在本机启动压测机）"
        )
    )]
    NoFleet,
    /// `--resume` or `--creds` with agents that prony starts.
    #[say(
        en = "--resume and --creds are for agents that wait at a NATS server; those that prony starts end \
              with it",
        zh = "--resume 和 --creds 只用于在 NATS 服务器等候的压测机；prony 启动的压测机会随它一起结束",
        hint(
            en = "leave the flag out, or name the server: --fleet nats://HOST:4222",
            zh = "请去掉该参数，或指定服务器：--fleet nats://HOST:4222"
        )
    )]
    PlacedAgentsEnd,
    /// A fleet for servers behind a link that is in this machine.
    #[say(
        en = "{slip}",
        zh = "{slip}",
        hint(en = "leave --fleet or [link] out", zh = "请去掉 --fleet 或 [link]"),
        slip = FleetSlip::BehindLink
    )]
    FleetBehindLink,
    /// No answer was right.
    #[say(
        en = "no right answer: {faults?{}|no answer came in time}",
        zh = "没有正确的应答：{faults?{}|在规定时间内没有收到应答}",
        hint(
            en = "is the server running, and is the path right? right means status 200 to 399",
            zh = "服务器是否在运行？路径是否正确？状态码 200 到 399 视为正确"
        ),
        faults = FaultCounts(faults)
    )]
    NoRightAnswer {
        /// What came instead: how often each kind of fault.
        faults: BTreeMap<String, u64>,
    },
}
