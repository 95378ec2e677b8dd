//! What can be wrong with the machines that make a load.

use say::Say;

/// `[fleet]` asks for what cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum FleetSlip {
    #[say(en = "`{0}` is not the address of a NATS server", zh = "`{0}` 不是 NATS 服务器的地址")]
    NotAServer(String),
    #[say(en = "`{0}` is not a host on which agents can be started", zh = "不能在 `{0}` 上启动压测机")]
    NotAHost(String),
    #[say(
        en = "`{0}` is not the address of an interface of this machine",
        zh = "`{0}` 不是本机网络接口的地址"
    )]
    NotAnAddress(String),
    #[say(en = "[fleet] does not say where its agents are", zh = "[fleet] 没有说明压测机在哪里")]
    NoPlace,
    #[say(
        en = "agents either wait at a NATS server, or prony starts them on hosts",
        zh = "压测机要么在 NATS 服务器处等待，要么由 prony 在主机上启动"
    )]
    TwoPlaces,
    #[say(
        en = "the link of [link] is in this machine, and agents of a fleet are outside of it",
        zh = "[link] 的链路在本机之内，而压测机在链路之外"
    )]
    BehindLink,
}
