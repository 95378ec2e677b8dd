//! A fleet: one [`Plan`](traffic::plan::Plan) made by many load machines, over NATS.
//!
//! An **agent** (`prony agent`) is `load` behind messages: it gets a share of the plan, starts at an instant of its own clock,
//! and sends what it measured each second. The **coordinator** divides the plan, starts all agents together, keeps what they send
//! in a file, and only then acknowledges it. What the agents measured is merged into one slice, as if one machine had made
//! the load; what is missing is named.
//!
//! ```text
//! coordinator ── shares, clock ──► agent ── load::Session
//!      ▲ ledger, file                 │ spool
//!      └────────── deltas ◄───────────┘
//! ```
//! For an experiment, a [`Crew`] of agents stands where the event loops of one process would: it is a [`load::Generator`], whose
//! slices begin on all agents at the same instants.
//!
//! `shares`, `clock`, `frame`, `ledger` and `spool` are values without I/O. Only `agent`, `duty`, `outbox`, `coordinator`, `crew` and `link` talk to NATS.

mod agent;
mod clock;
mod commands;
mod coordinator;
mod creds;
mod crew;
mod duty;
mod error;
mod frame;
mod instant;
mod ledger;
mod link;
mod message;
mod order;
mod outbox;
mod parts;
mod place;
mod resume;
mod share_result;
mod share_run;
mod shares;
mod spool;
mod step_wire;
mod store;
mod wire;

#[cfg(test)]
mod merge_tests;

pub use agent::{Agent, AgentEvent, Allowed};
pub use clock::{ClockReading, Offset};
pub use coordinator::{Fleet, FleetEvent, Outcome, run};
pub use creds::Creds;
pub use crew::{Crew, CrewEvent, CrewSpec, OnEvent};
pub use error::{Error, Missing, Refusal};
pub use frame::{MAX_FRAME, Refused, RefusedCounts, VERSION, decode, encode};
pub use ledger::{AgentResult, Ledger, Lost};
pub use message::{Delta, Totals};
pub use order::serve_as_ordered;
pub use place::{AgentPlace, Placed, Places};
pub use resume::resume;
pub use share_result::merged;
pub use shares::share;
pub use store::{ResultFile, read_results};
