//! [`Slip`]: what can be wrong with an experiment file, a mix of requests or an arm of the command line, as a value with its
//! data; [`Hint`]: what to do about it.
//!
//! The English of each variant is its own (`Display`); the Chinese is in `prony::say::slip`, where a variant without Chinese
//! does not compile. Numbers are texts where they are shown with their unit.

mod arm;
mod design;
mod fleet;
mod hint;
mod scenario;
mod shape;

pub use arm::{ArmSlip, JavaNeed, Misplacement, ServiceSlip, UnfitSlip};
pub use design::{DesignSlip, NotMeasured, RequirementSlip};
pub use fleet::FleetSlip;
pub use hint::{Advice, ArmAdvice, ArmHint, Hint, Listing, OwnServer, Present};
pub use scenario::ScenarioSlip;
pub use shape::{ExpectedValue, FoundValue, Owner, ShapeSlip, TableName};

use crate::values::BadQuantity;

/// One thing that is wrong, by family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Slip {
    /// The text is no TOML; the words are those of the TOML parser.
    #[error("{0}")]
    Toml(String),
    /// A key or a value of the wrong shape.
    #[error(transparent)]
    Shape(#[from] ShapeSlip),
    /// A quantity that is not written as one.
    #[error(transparent)]
    Quantity(#[from] BadQuantity),
    /// A name that stands for nothing, or for two things.
    #[error(transparent)]
    Name(#[from] NameSlip),
    /// A value that an arm cannot have.
    #[error(transparent)]
    Arm(#[from] ArmSlip),
    /// A command or a service that cannot be run.
    #[error(transparent)]
    Service(#[from] ServiceSlip),
    /// A key that does not fit the server of its arm.
    #[error(transparent)]
    Unfit(#[from] UnfitSlip),
    /// `[load]`, `[design]`, `[quick]`, `[link]`, `[machine]` or `[tune]` ask for what cannot be.
    #[error(transparent)]
    Design(#[from] DesignSlip),
    /// `[fleet]` asks for what cannot be.
    #[error(transparent)]
    Fleet(#[from] FleetSlip),
    /// A measure that this experiment does not take.
    #[error(transparent)]
    NotMeasured(#[from] NotMeasured),
    /// An objective or a requirement that cannot be judged.
    #[error(transparent)]
    Requirement(#[from] RequirementSlip),
    /// A request that cannot be sent, or a question that asks nothing.
    #[error(transparent)]
    Request(#[from] RequestSlip),
    /// A scenario that cannot be played.
    #[error(transparent)]
    Scenario(#[from] ScenarioSlip),
}

/// A name that stands for nothing, or for two things.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameSlip {
    #[error("unknown application `{0}`")]
    UnknownApp(String),
    #[error("unknown server `{0}`")]
    UnknownServer(String),
    #[error("prony does not run {server} {version}")]
    UnknownRelease { server: String, version: String },
    #[error("unknown measure `{0}`")]
    UnknownMeasure(String),
    #[error("no arm is called `{0}`")]
    UnknownArm(String),
    #[error("no service is called `{0}`")]
    UnknownService(String),
    #[error("`{0}` is no measure and no arm, so nothing can be required of it")]
    NothingToRequire(String),
    #[error("no step is called `{0}`")]
    UnknownStep(String),
    #[error("`{0}` is not measured step by step")]
    NotOfAStep(String),
    #[error("`{0}` is not SERVER:VERSION")]
    NotARelease(String),
    #[error("`{server}` runs no servlets, and the application `{app}` needs them")]
    NeedsServlets { app: String, server: String },
    #[error("`{app}` does not answer `{path}`")]
    UnknownPath { app: String, path: String },
    #[error("two arms are called `{0}`")]
    SameName(String),
    #[error("the list of arms is empty")]
    NoArms,
    #[error("one arm alone cannot be compared")]
    OneArm,
}

/// A request that cannot be sent, or a question that asks nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestSlip {
    #[error("no request is listed")]
    NoRequest,
    #[error("a path begins with a slash")]
    NoSlash,
    #[error("`{0}` is not a path")]
    NotAPath(String),
    #[error("`{0}` is no server that a step can name")]
    NotAServer(String),
    #[error("`{0}` is not a method")]
    NotAMethod(String),
    #[error("`expect` is for servers of your own: what the application answers is known")]
    AnswerKnown,
    #[error("the question is empty")]
    NoQuestion,
}
