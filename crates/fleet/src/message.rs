//! The messages: what agents and coordinator say to each other, as JSON values in a [frame](crate::frame).

use crate::step_wire::StepsWire;
use crate::wire::{IntervalWire, SliceWire};
use load::{Slice, Window};
use model::patience::Patience;
use model::units::Nanos;
use serde::{Deserialize, Serialize};
use traffic::plan::Plan;

/// The most tenths of seconds in a delta, so that it fits into a message.
const TENTHS: usize = 20_000;

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

/// The subject on which the coordinator of a run hears itself, to know that its connection works.
pub(crate) fn echo_of(run: &str) -> String {
    format!("prony.echo.{run}")
}

/// Whether a text can be the id of an agent: letters, digits, `-` and `_`, at most 64.
pub(crate) fn is_id(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !id.is_empty() && id.len() <= 64 && id.chars().all(allowed)
}

/// An agent is there and has no share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) agent: String,
    /// What tells its machine from others until it is started again; agents on one machine have the same.
    #[serde(default)]
    pub(crate) machine: String,
    /// What tells its network from others; agents with the same reach the same servers at 127.0.0.1.
    #[serde(default)]
    pub(crate) network: String,
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
        /// How long the coordinator and the agent wait for each other.
        #[serde(default)]
        patience: Patience,
    },
    /// To begin at this time of its own wall clock, nanoseconds since the epoch.
    Start { at: i64 },
    /// To end its load now, and to send what it has.
    Stop,
    /// To send what it kept of a load of this run whose coordinator was lost.
    Resume,
    /// To make loads for an experiment from now on.
    Join {
        /// The run, which every later message names.
        run: String,
        /// How long the coordinator and the agent wait for each other.
        #[serde(default)]
        patience: Patience,
    },
    /// To prepare its share of a plan that is run slice by slice.
    Open {
        /// The number of the session.
        session: u64,
        /// The share.
        plan: Box<Plan>,
    },
    /// To close the connections of a session.
    Close {
        /// The number of the session.
        session: u64,
    },
    /// To run slices, each at its instant.
    Slices(Vec<PlannedSlice>),
    /// To forget these slices, and to end the running ones.
    Cancel(Vec<u64>),
    /// To end all loads of the experiment, and to wait for others.
    Leave,
}

/// A slice that an agent is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlannedSlice {
    /// Its number, from 1, which no other slice of the run has.
    pub(crate) number: u64,
    /// The number of the session.
    pub(crate) session: u64,
    /// When it begins, nanoseconds since the epoch by the agent's own wall clock.
    pub(crate) at: i64,
    /// How long it settles and counts.
    pub(crate) window: Window,
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

/// What an agent measured since its last delta. The histograms are the binary parts of the frame: two for
/// each interval, one for each step, and the summary's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Delta {
    pub agent: String,
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// What is counted in it, and in all so far.
    pub totals: Totals,
    /// Whether it is the last one, of the load or of the slice.
    pub last: bool,
    /// The slice of an experiment to which it belongs; 0 in a load of one slice, and in a sign of life.
    #[serde(default)]
    pub(crate) slice: u64,
    /// Its number among the deltas of that slice, from 1.
    #[serde(default)]
    pub(crate) part: u64,
    /// How it began; in every delta after that.
    pub(crate) begun: Option<Begun>,
    /// The seconds that are over.
    pub(crate) intervals: Vec<IntervalWire>,
    /// Tenths of seconds of one shard, each with its answers and its longest response time; after the load.
    pub(crate) tenths: Option<TenthsWire>,
    /// Steps of sessions; after the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<StepsWire>,
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

impl Delta {
    /// A delta that has tenths of seconds and nothing else.
    pub(crate) fn of_tenths(tenths: TenthsWire) -> Self {
        Self { tenths: Some(tenths), ..Self::default() }
    }

    /// A delta that has steps and nothing else.
    pub(crate) fn of_steps(steps: StepsWire) -> Self {
        Self { steps: Some(steps), ..Self::default() }
    }

    /// Adds what is known at the end of a load, and the slice's histograms to the binary parts of the message. Tenths, steps and
    /// seconds have deltas of their own.
    pub fn summarize(&mut self, slice: &mut Slice, parts: &mut Vec<Vec<u8>>) {
        self.summary = Some(SliceWire::new(slice, parts));
    }
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
    pub(crate) shard: usize,
    /// Answers and longest response time of each.
    pub(crate) tenths: Vec<(u64, Nanos)>,
}

impl TenthsWire {
    /// Returns the tenths of a slice in parts that fit into a message each.
    pub(crate) fn all_of(slice: &Slice) -> impl Iterator<Item = Self> {
        let shards = slice.tenths.iter().enumerate();
        shards.flat_map(|(shard, tenths)| {
            tenths.chunks(TENTHS).map(move |some| Self {
                shard,
                tenths: some.iter().map(|tenth| (tenth.answers, tenth.longest)).collect(),
            })
        })
    }
}

/// The coordinator has stored a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// The number of the delta.
    pub(crate) seq: u64,
}
