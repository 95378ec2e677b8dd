//! What the results of several agents say together: one slice, as if one machine had measured it, and why it may not be believed.

use crate::clock::Offset;
use crate::ledger::AgentResult;
use load::Slice;
use model::reason::{LostShare, Reason};
use model::units::Seconds;
use traffic::load_note::AgentFacts;

/// The most event loops of an agent, by which the numbers of the loops of all agents are told apart.
const LOOPS: usize = 256;

impl AgentResult {
    /// Why the load of the agent, or its generator, spoils the whole; `None` when it does not, or when not everything came.
    /// `was_stopped` tells that all agents were asked to end before the time.
    pub fn flaw(&self, was_stopped: bool) -> Option<Reason> {
        if self.lost.is_some() {
            return None;
        }
        if self.failed.is_some() || (self.ended_early && !was_stopped) {
            return Some(Reason::AgentStopped { agent: self.agent.clone(), said: self.failed.clone() });
        }
        Some(Reason::OfArm { arm: self.agent.clone(), reason: Box::new(self.slice.why_invalid()?) })
    }

    /// What was lost with the agent, which had share `index` (from 0) of `of`; `None` when everything came.
    pub fn lost_share(&self, index: u64, of: u64) -> Option<LostShare> {
        let lost = self.lost.as_ref()?;
        Some(LostShare {
            agent: self.agent.clone(),
            share: index + 1,
            of,
            seq: lost.seq,
            seconds: lost.seconds,
        })
    }

    /// How the agent, whose clock is so far off, did.
    pub fn facts(&self, offset: Offset) -> AgentFacts {
        let is_known = self.lost.is_none() && self.failed.is_none();
        let lag = || Seconds::from_nanos(self.slice.lag.value_at_quantile(0.99));
        AgentFacts {
            agent: self.agent.clone(),
            requests: self.slice.requests,
            clock_offset: Seconds(offset.nanos as f64 / 1e9),
            clock_bound: Seconds(offset.bound as f64 / 1e9),
            cpu: is_known.then_some(self.slice.self_check.cpu_share),
            lag_p99: is_known.then(lag),
        }
    }

    /// When the agent began, nanoseconds of the coordinator's wall clock; `None` when it did not.
    pub(crate) fn began(&self, offset: Offset) -> Option<i64> {
        let (planned, late) = self.begun?;
        Some(offset.here(planned).saturating_add_unsigned(late))
    }
}

/// Returns the slices of all agents as one.
pub fn merged(results: impl IntoIterator<Item = AgentResult>) -> Slice {
    let mut merged: Option<Slice> = None;
    for (index, mut result) in results.into_iter().enumerate() {
        for interval in &mut result.slice.intervals {
            interval.shard += index * LOOPS;
        }
        // What a lost agent did not tell is not false.
        result.slice.self_check.kernel_times |= result.lost.is_some();
        let Some(sum) = &mut merged else {
            merged = Some(result.slice);
            continue;
        };
        sum.elapsed = sum.elapsed.max(result.slice.elapsed);
        sum.merge(result.slice);
    }
    merged.unwrap_or_else(Slice::empty)
}

/// Returns the time between the first and the last of these begins, nanoseconds; `None` when there are none.
pub(crate) fn spread(begins: impl Iterator<Item = i64> + Clone) -> Option<u64> {
    let (first, last) = begins.clone().min().zip(begins.max())?;
    Some(last.abs_diff(first))
}
