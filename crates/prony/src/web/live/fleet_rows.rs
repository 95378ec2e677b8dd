//! [`FleetRows`]: how the machines do that make the load, for the live page.

use super::news::PageMessage;
use load::{AgentStatus, FleetStatus};
use model::units::{Seconds, Share};
use serde::Serialize;

/// The machines that make the load.
#[derive(Serialize)]
pub(super) struct FleetRows {
    /// All of them together, in words.
    whole: PageMessage,
    rows: Vec<AgentRow>,
}

/// One machine; times are in seconds.
#[derive(Serialize)]
struct AgentRow {
    agent: String,
    /// Whether the coordinator heard from it in the last seconds.
    there: bool,
    requests: u64,
    /// Its clock minus ours, and the most by which that can be wrong.
    clock: Seconds,
    bound: Seconds,
    /// The shortest time there and back.
    link: Seconds,
    /// CPU time of its busiest event loop, as a share of a core.
    cpu: Option<Share>,
    /// 99th percentile of its generator's lag.
    lag: Option<Seconds>,
}

impl FleetRows {
    pub(super) fn new(status: &FleetStatus) -> Self {
        Self { whole: PageMessage::fleet(status), rows: status.agents.iter().map(AgentRow::new).collect() }
    }
}

impl AgentRow {
    fn new(status: &AgentStatus) -> Self {
        let facts = &status.facts;
        Self {
            agent: facts.agent.clone(),
            there: status.is_there,
            requests: facts.requests,
            clock: facts.clock_offset,
            bound: facts.clock_bound,
            link: facts.round_trip(),
            cpu: facts.cpu,
            lag: facts.lag_p99,
        }
    }
}
