//! The members of a crew: which agents make the loads, and how each of them did so far.

use crate::clock::Offset;
use crate::ledger::AgentResult;
use load::{AgentStatus, Histogram};
use model::reason::LostShare;
use model::units::{Seconds, Share};
use std::time::Instant;
use traffic::load_note::{AgentFacts, LoadNote};

/// An agent that has a share of every load.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) id: String,
    /// Whether it runs on the machine of the coordinator.
    pub(super) is_here: bool,
    /// Whether 127.0.0.1 is the same there as here.
    pub(super) shares_loopback: bool,
    pub(super) offset: Offset,
    /// When its clock was compared last.
    pub(super) compared: Instant,
    /// When something came from it last.
    pub(super) heard: Instant,
    pub(super) silent: bool,
    pub(super) lost: bool,
    /// How many agents had its share before it. Sessions that were opened with another one are not its own.
    pub(super) generation: u64,
    /// How it did so far.
    tally: Tally,
}

/// How an agent did in all slices.
#[derive(Clone, Debug)]
struct Tally {
    requests: u64,
    /// The largest share of a core that an event loop of this agent used in any slice.
    cpu: Share,
    lag: Histogram,
}

impl Member {
    pub(super) fn new(id: String, is_here: bool, offset: Offset) -> Self {
        Self {
            id,
            is_here,
            shares_loopback: is_here,
            offset,
            compared: Instant::now(),
            heard: Instant::now(),
            silent: false,
            lost: false,
            generation: 0,
            tally: Tally { requests: 0, cpu: Share(0.0), lag: load::new_histogram() },
        }
    }

    /// Adds what it did in a slice.
    pub(super) fn add(&mut self, result: &AgentResult) {
        self.tally.requests += result.slice.requests;
        self.tally.cpu = self.tally.cpu.max(result.slice.self_check.cpu_share);
        let added = self.tally.lag.add(&result.slice.lag);
        added.expect("all histograms have the same bounds");
    }

    /// How it does, for people who watch the run.
    pub(super) fn status(&self) -> AgentStatus {
        AgentStatus { facts: self.facts(), is_there: !self.lost && !self.silent }
    }

    /// How it did in all slices.
    pub(super) fn facts(&self) -> AgentFacts {
        let Tally { requests, cpu, lag } = &self.tally;
        AgentFacts {
            agent: self.id.clone(),
            requests: *requests,
            clock_offset: Seconds(self.offset.nanos as f64 / 1e9),
            clock_bound: Seconds(self.offset.bound as f64 / 1e9),
            cpu: Some(*cpu),
            lag_p99: Some(Seconds::from_nanos(lag.value_at_quantile(0.99))),
        }
    }
}

/// What is known of the whole crew over all slices.
#[derive(Debug)]
pub(super) struct History {
    /// How far apart agents began, nanoseconds, one value a slice.
    pub(super) spreads: Histogram,
    pub(super) last_spread: Option<u64>,
    /// Shares that were lost, with agents that nobody replaced or that somebody did.
    pub(super) lost: Vec<LostShare>,
    /// How agents did that were replaced.
    pub(super) replaced: Vec<AgentFacts>,
}

impl Default for History {
    fn default() -> Self {
        Self { spreads: load::new_histogram(), last_spread: None, lost: Vec::new(), replaced: Vec::new() }
    }
}

impl History {
    /// What a report says: the crew, when its slices began, each agent, and what was lost.
    pub(super) fn notes(&self, members: &[Member], refused: u64, continues: bool) -> Vec<LoadNote> {
        let spread = |quantile: f64| Seconds::from_nanos(self.spreads.value_at_quantile(quantile));
        let mut notes = vec![LoadNote::Fleet {
            agents: members.iter().filter(|member| !member.lost).count() as u64,
            of: members.len() as u64,
            start_spread: (!self.spreads.is_empty()).then(|| spread(0.5)),
            refused,
        }];
        if !self.spreads.is_empty() {
            notes.push(LoadNote::SlicesTogether {
                slices: self.spreads.len(),
                median: spread(0.5),
                p99: spread(0.99),
            });
        }
        let facts = self.replaced.iter().cloned();
        let facts = facts.chain(members.iter().map(Member::facts));
        notes.extend(facts.map(LoadNote::Agent));
        let lost = self.lost.iter().filter(|_| continues).cloned();
        notes.extend(lost.map(LoadNote::SmallerLoad));
        notes
    }
}
