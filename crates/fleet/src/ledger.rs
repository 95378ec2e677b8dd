//! [`Ledger`]: what the coordinator has of each agent, and whether that is everything.

use crate::frame::Refused;
use crate::message::{Begun, Delta};
use load::{Interval, Slice, StepSlice, Tenth};
use model::units::Nanos;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the deltas of all agents say together. Each delta counts once, whatever order they come in and however often.
#[derive(Debug)]
pub struct Ledger {
    agents: Vec<Account>,
    /// Where the account of an agent is; agents are looked up many times a second.
    places: BTreeMap<String, usize>,
}

/// What came from one agent.
#[derive(Debug, Default)]
struct Account {
    agent: String,
    /// The numbers of the deltas that came, each with a hash of its bytes.
    seen: BTreeMap<u64, u64>,
    /// The number of the last delta, when it came.
    last: Option<u64>,
    counted: u64,
    /// The highest running total that a delta claimed.
    claimed: u64,
    intervals: BTreeMap<(Nanos, usize), Interval>,
    /// By the number of their delta.
    tenths: BTreeMap<u64, (usize, Vec<Tenth>)>,
    /// By the number of their delta; in this order they are the program's steps.
    steps: BTreeMap<u64, Vec<StepSlice>>,
    summary: Option<Slice>,
    begun: Option<Begun>,
    failed: Option<String>,
    refused: u64,
    ended_early: bool,
}

/// What is missing of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The number of the last delta before the first gap.
    pub seq: u64,
    /// How many seconds were measured.
    pub seconds: u64,
}

/// What an agent did.
#[derive(Debug)]
pub struct AgentResult {
    pub agent: String,
    /// What it measured, or as much of it as came.
    pub slice: Slice,
    /// What is missing; `None` when everything came.
    pub lost: Option<Lost>,
    /// When it was to begin, nanoseconds of its own wall clock, and how much later it began, nanoseconds; `None` when it did not.
    pub begun: Option<(i64, u64)>,
    /// Why its load failed, if it did.
    pub failed: Option<String>,
    /// How many messages it refused while it loaded.
    pub refused: u64,
    /// Whether it ended its load before the time, without being asked.
    pub ended_early: bool,
}

impl Ledger {
    /// A ledger for these agents.
    pub fn new(agents: &[String]) -> Self {
        let account = |agent: &String| Account { agent: agent.clone(), ..Account::default() };
        Self {
            agents: agents.iter().map(account).collect(),
            places: agents.iter().cloned().zip(0..).collect(),
        }
    }

    /// Adds a delta with its frame's parts. Returns false when it is here already.
    ///
    /// # Errors
    ///
    /// [`Refused::Replayed`] for a number that is here with other content, or an agent that has no share; [`Refused::Garbage`]
    /// when its histograms cannot be read.
    pub fn add(&mut self, delta: &Delta, parts: &[&[u8]]) -> Result<bool, Refused> {
        let place = self.places.get(&delta.agent).ok_or(Refused::Replayed)?;
        self.agents[*place].add(delta, parts)
    }

    /// Whether the last delta of an agent came, and all before it.
    pub fn is_complete(&self, agent: &str) -> bool {
        let place = self.places.get(agent);
        place.is_some_and(|place| self.agents[*place].is_complete())
    }

    /// Whether everything came from every agent.
    pub fn is_whole(&self) -> bool {
        self.agents.iter().all(Account::is_complete)
    }

    /// Returns what each agent did, in the order of the shares.
    pub fn results(self) -> Vec<AgentResult> {
        self.agents.into_iter().map(Account::result).collect()
    }
}

impl Account {
    fn add(&mut self, delta: &Delta, parts: &[&[u8]]) -> Result<bool, Refused> {
        let hash = hash_of(delta, parts);
        match self.seen.get(&delta.seq) {
            Some(seen) if *seen == hash => return Ok(false),
            Some(_) => return Err(Refused::Replayed),
            None => {}
        }
        // Everything is read before anything is added.
        let mut parts = parts.iter().copied();
        let read = |wire: &crate::wire::IntervalWire| wire.read(&mut parts);
        let intervals: Vec<Interval> = delta.intervals.iter().map(read).collect::<Result<_, _>>()?;
        let steps = delta.steps.as_ref().map(|wire| wire.read(&mut parts));
        let steps = steps.transpose()?;
        let summary = delta.summary.as_ref().map(|wire| wire.read(&mut parts));
        let summary = summary.transpose()?;
        if parts.next().is_some() || delta.seq == 0 {
            return Err(Refused::Garbage);
        }
        self.seen.insert(delta.seq, hash);
        self.counted = self.counted.saturating_add(delta.totals.count);
        self.claimed = self.claimed.max(delta.totals.total);
        for interval in intervals {
            self.intervals.insert((interval.start, interval.shard), interval);
        }
        if let Some(wire) = &delta.tenths {
            let tenth = |&(answers, longest): &(u64, Nanos)| Tenth { answers, longest };
            let tenths = wire.tenths.iter().map(tenth).collect();
            self.tenths.insert(delta.seq, (wire.shard, tenths));
        }
        if let Some(steps) = steps {
            self.steps.insert(delta.seq, steps);
        }
        self.begun = self.begun.or(delta.begun);
        self.last = self.last.or(delta.last.then_some(delta.seq));
        self.summary = self.summary.take().or(summary);
        self.failed = self.failed.take().or_else(|| delta.failed.clone());
        self.refused = self.refused.max(delta.refused);
        self.ended_early |= delta.ended_early;
        Ok(true)
    }

    /// Everything came only if the last delta did, no number is missing, and as much is counted as was claimed. The claim alone
    /// proves nothing, because it travels in the deltas.
    fn is_complete(&self) -> bool {
        // The numbers are counted only at the end: this is asked of every agent ten times a second.
        self.last.is_some_and(|last| last == self.without_gap()) && self.counted == self.claimed
    }

    /// The number of the last delta before the first gap.
    fn without_gap(&self) -> u64 {
        let numbers = self.seen.keys().zip(1..);
        numbers.take_while(|(seen, number)| *seen == number).count() as u64
    }

    fn result(self) -> AgentResult {
        let is_complete = self.is_complete();
        let lost = Lost {
            seq: self.without_gap(),
            seconds: self.intervals.keys().filter(|(_, shard)| *shard == 0).count() as u64,
        };
        let mut slice = match self.summary {
            Some(mut slice) if is_complete => {
                slice.steps = self.steps.into_values().flatten().collect();
                slice
            }
            _ => sum_of(self.intervals.values()),
        };
        slice.intervals = self.intervals.into_values().collect();
        let mut tenths: BTreeMap<usize, Vec<Tenth>> = BTreeMap::new();
        for (shard, more) in self.tenths.into_values() {
            tenths.entry(shard).or_default().extend(more);
        }
        slice.tenths = tenths.into_values().collect();
        AgentResult {
            agent: self.agent,
            slice,
            lost: (!is_complete).then_some(lost),
            begun: self.begun.map(|begun| (begun.planned, begun.late)),
            failed: self.failed,
            refused: self.refused,
            ended_early: self.ended_early,
        }
    }
}

/// Returns a hash of a delta; equal ones were sent twice.
fn hash_of(delta: &Delta, parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let json = serde_json::to_vec(delta).expect("a delta was JSON before");
    (json, parts).hash(&mut hasher);
    hasher.finish()
}

/// Returns what seconds say of a slice whose summary did not come: no more than its counts, response and service times.
fn sum_of<'a>(intervals: impl Iterator<Item = &'a Interval>) -> Slice {
    let mut slice = Slice::empty();
    for interval in intervals {
        slice.elapsed = slice.elapsed.max(interval.start + interval.elapsed);
        slice.requests += interval.requests;
        slice.ok += interval.ok;
        slice.bytes += interval.bytes;
        slice.body_bytes += interval.body_bytes;
        slice.connects += interval.connects;
        slice.faults.merge(&interval.faults);
        interval.response.add_to(&mut slice.response);
        interval.service.add_to(&mut slice.service);
    }
    slice
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
