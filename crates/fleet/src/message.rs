//! The messages: what agents and coordinator say to each other, as JSON values in a [frame](crate::frame).

use crate::wire::{IntervalWire, SliceWire};
use load::Window;
use model::plan::Plan;
use model::units::Nanos;
use serde::{Deserialize, Serialize};

/// The subject on which agents without a share say hello.
pub(crate) const HELLO: &str = "prony.hello";

/// The subject on which an agent takes commands.
pub(crate) fn commands_of(agent: &str) -> String {
    format!("prony.cmd.{agent}")
}

/// The subject on which an agent's deltas come; `*` stands for every agent.
pub(crate) fn deltas_of(agent: &str) -> String {
    format!("prony.d.{agent}")
}

/// Whether a text can be the id of an agent: letters, digits, `-` and `_`, at most 64.
pub(crate) fn is_id(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !id.is_empty() && id.len() <= 64 && id.chars().all(allowed)
}

/// An agent is there and has no share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// Its id.
    pub(crate) agent: String,
}

/// What the coordinator asks of an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Command {
    /// What its clock shows.
    Clock,
    /// To prepare its share.
    Prepare {
        /// The share.
        plan: Box<Plan>,
        /// How long it loads.
        window: Window,
        /// The run, which every later message names.
        run: String,
    },
    /// To begin at this time of its own wall clock, nanoseconds since the epoch.
    Start {
        /// When.
        at: i64,
    },
    /// To end its load now, and to send what it has.
    Stop,
}

/// What an agent answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// Its clock when it got the question and when it answered.
    Clock { received: i64, answered: i64 },
    /// It does what it was asked.
    Done,
    /// It does not.
    Refused(AgentRefusal),
}

/// Why an agent does not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum AgentRefusal {
    /// The target is not on its list.
    Target(String),
    /// The start is in the past by its clock.
    TooLate,
    /// It makes a load already, or has nothing to start.
    Busy,
    /// Its generator refuses the plan.
    Plan(String),
}

/// How an agent began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// When it was to begin, nanoseconds of its wall clock.
    pub(crate) planned: i64,
    /// How much later it began, nanoseconds of its monotonic clock.
    pub(crate) late: u64,
}

/// What an agent measured since its last delta. The histograms are the binary parts of the frame: two for each interval, and those of the
/// summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Delta {
    /// The agent.
    pub agent: String,
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// What is counted in it, and in all so far.
    pub totals: Totals,
    /// Whether it is the last one.
    pub last: bool,
    /// How it began; in every delta after that.
    pub(crate) begun: Option<Begun>,
    /// The seconds that are over.
    pub(crate) intervals: Vec<IntervalWire>,
    /// Tenths of seconds of one shard, each with its answers and its longest response time; after the load.
    pub(crate) tenths: Option<TenthsWire>,
    /// What is known at the end only.
    pub(crate) summary: Option<SliceWire>,
    /// Why the load failed.
    pub(crate) failed: Option<String>,
    /// How many messages the agent has refused since the load began.
    #[serde(default)]
    pub(crate) refused: u64,
    /// Whether the agent ended the load by itself, before the time.
    pub(crate) ended_early: bool,
}

/// Requests that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// In this delta.
    pub count: u64,
    /// In this and all before it.
    pub total: u64,
}

/// Tenths of a second of one shard, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TenthsWire {
    /// The shard.
    pub(crate) shard: usize,
    /// Answers and longest response time of each.
    pub(crate) tenths: Vec<(u64, Nanos)>,
}

/// The coordinator has stored a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// The number of the delta.
    pub(crate) seq: u64,
}
