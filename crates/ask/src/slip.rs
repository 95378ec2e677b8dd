//! [`Slip`]: what can be wrong with an experiment file, a mix of requests or an arm of the command line, as a value with its
//! data; [`Hint`]: what to do about it.
//!
//! Each variant has its words in both languages. Numbers are texts where they are shown with their unit.

mod arm;
mod design;
mod fleet;
mod grpc;
mod hint;
mod network;
mod scenario;
mod shape;
mod web_socket;

pub use arm::{ArmSlip, ComposeFlaw, JavaNeed, Misplacement, ServiceSlip, UnfitSlip};
pub use design::{DesignSlip, NotMeasured, RequirementSlip};
pub use fleet::FleetSlip;
pub use grpc::{GrpcAdvice, GrpcSlip};
pub use hint::{Advice, ArmAdvice, ArmHint, Hint, Listing, OwnServer, Present};
pub use network::NetworkSlip;
pub use scenario::ScenarioSlip;
pub use shape::{ExpectedValue, FoundValue, Owner, ShapeSlip, TableName};
pub use web_socket::WebSocketSlip;

use crate::values::BadQuantity;
use say::Say;

/// One thing that is wrong, by family.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(display)]
pub enum Slip {
    /// The text is no TOML; the TOML parser says why in its own words.
    #[say(en = "{0}", zh = "TOML 语法错误：{0}")]
    Toml(String),
    /// A key or a value of the wrong shape.
    #[say(transparent)]
    Shape(#[say(from)] ShapeSlip),
    /// A quantity that is not written as one.
    #[say(transparent)]
    Quantity(#[say(from)] BadQuantity),
    /// A name that stands for nothing, or for two things.
    #[say(transparent)]
    Name(#[say(from)] NameSlip),
    /// A value that an arm cannot have.
    #[say(transparent)]
    Arm(#[say(from)] ArmSlip),
    /// A command or a service that cannot be run.
    #[say(transparent)]
    Service(#[say(from)] ServiceSlip),
    /// A key that does not fit the server of its arm.
    #[say(transparent)]
    Unfit(#[say(from)] UnfitSlip),
    /// `[load]`, `[design]`, `[quick]`, `[link]`, `[machine]` or `[tune]` ask for what cannot be.
    #[say(transparent)]
    Design(#[say(from)] DesignSlip),
    /// `[fleet]` asks for what cannot be.
    #[say(transparent)]
    Fleet(#[say(from)] FleetSlip),
    /// The way to a server that runs already.
    #[say(transparent)]
    Network(#[say(from)] NetworkSlip),
    /// A measure that this experiment does not take.
    #[say(transparent)]
    NotMeasured(#[say(from)] NotMeasured),
    /// An objective or a requirement that cannot be judged.
    #[say(transparent)]
    Requirement(#[say(from)] RequirementSlip),
    /// A request that cannot be sent, or a question that asks nothing.
    #[say(transparent)]
    Request(#[say(from)] RequestSlip),
    /// A call of gRPC that cannot be made.
    #[say(transparent)]
    Grpc(#[say(from)] GrpcSlip),
    /// Messages of WebSocket that cannot be sent.
    #[say(transparent)]
    WebSocket(#[say(from)] WebSocketSlip),
    /// A scenario that cannot be played.
    #[say(transparent)]
    Scenario(#[say(from)] ScenarioSlip),
}

/// A name that stands for nothing, or for two things.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum NameSlip {
    #[say(en = "unknown application `{0}`", zh = "没有名为 `{0}` 的应用")]
    UnknownApp(String),
    #[say(en = "unknown server `{0}`", zh = "没有名为 `{0}` 的服务器")]
    UnknownServer(String),
    #[say(en = "prony does not run {server} {version}", zh = "prony 不能运行 {server} {version}")]
    UnknownRelease { server: String, version: String },
    #[say(en = "unknown measure `{0}`", zh = "没有名为 `{0}` 的指标")]
    UnknownMeasure(String),
    #[say(en = "no arm is called `{0}`", zh = "没有名为 `{0}` 的对象")]
    UnknownArm(String),
    #[say(en = "no service is called `{0}`", zh = "没有名为 `{0}` 的服务")]
    UnknownService(String),
    #[say(
        en = "`{0}` is no measure and no arm, so nothing can be required of it",
        zh = "`{0}` 既不是指标也不是对象，无法对其提出要求"
    )]
    NothingToRequire(String),
    #[say(en = "no step is called `{0}`", zh = "没有名为 `{0}` 的步骤")]
    UnknownStep(String),
    #[say(en = "`{0}` is not measured step by step", zh = "`{0}` 不按步骤测量")]
    NotOfAStep(String),
    #[say(en = "`{0}` is not SERVER:VERSION", zh = "`{0}` 不符合“服务器:版本”的格式")]
    NotARelease(String),
    #[say(
        en = "`{server}` runs no servlets, and the application `{app}` needs them",
        zh = "`{server}` 不支持 servlet，而应用 `{app}` 需要 servlet"
    )]
    NeedsServlets { app: String, server: String },
    #[say(
        en = "`{server}` deploys no WAR, and the application `{app}` takes what it needs from the server that does",
        zh = "`{server}` 不部署 WAR，而应用 `{app}` 需要由部署它的服务器提供所需的库"
    )]
    NeedsDeployment { app: String, server: String },
    #[say(en = "`{app}` does not answer `{path}`", zh = "`{app}` 不响应 `{path}`")]
    UnknownPath { app: String, path: String },
    #[say(en = "two arms are called `{0}`", zh = "有两个对象都名为 `{0}`")]
    SameName(String),
    #[say(en = "the list of arms is empty", zh = "对象列表为空")]
    NoArms,
    #[say(en = "one arm alone cannot be compared", zh = "只有一个对象，无从比较")]
    OneArm,
}

/// A request that cannot be sent, or a question that asks nothing.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum RequestSlip {
    #[say(en = "no request is listed", zh = "没有列出任何请求")]
    NoRequest,
    #[say(en = "a path begins with a slash", zh = "路径必须以斜杠开头")]
    NoSlash,
    #[say(en = "`{0}` is not a path", zh = "`{0}` 不是路径")]
    NotAPath(String),
    #[say(en = "`{0}` is no server that a step can name", zh = "`{0}` 不能作为步骤的服务器")]
    NotAServer(String),
    #[say(en = "`{0}` is not a method", zh = "`{0}` 不是请求方法")]
    NotAMethod(String),
    #[say(
        en = "`expect` is for servers of your own: what the application answers is known",
        zh = "`expect` 只用于您自己的服务器：内置应用的应答是已知的"
    )]
    AnswerKnown,
    #[say(
        en = "`events` and `until` are for an answer that streams",
        zh = "`events` 和 `until` 只用于流式应答"
    )]
    EventsWithoutStream,
    #[say(en = "`until` says already how many events are read", zh = "`until` 已给出读取的事件数")]
    TwoEventCounts,
    #[say(en = "the question is empty", zh = "问题为空")]
    NoQuestion,
}
