//! A load that agents make: it is run, merged into one slice, and judged agent by agent.

use super::ticker::Ticker;
use crate::args;
use crate::failure::{Code, Failure};
use crate::home::Home;
use crate::say;
use fleet::{AgentResult, Creds, Fleet, FleetEvent, Offset, Outcome};
use load::{Slice, Window};
use model::note::{AgentFacts, LoadNote};
use model::plan::Plan;
use model::reason::{LostShare, Reason};
use report::Lang;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// The most event loops of an agent, by which the numbers of the loops of all agents are told apart.
const LOOPS: usize = 256;

/// What all agents measured together.
pub(super) struct Merged {
    /// As if one machine had measured it.
    pub(super) slice: Slice,
    /// Why the load of an agent, or its generator, spoils the result.
    pub(super) why_invalid: Option<Reason>,
    /// The fleet and each of its agents.
    pub(super) notes: Vec<LoadNote>,
    /// When the load began.
    pub(super) begun: SystemTime,
    /// 99th percentile of the lag of the agent with the greatest one, seconds.
    pub(super) lag_p99: f64,
}

/// How the load is shown while it runs.
pub(super) struct Shown {
    pub(super) ticker: Ticker,
    pub(super) quiet: bool,
    pub(super) lang: Lang,
}

/// Lets agents make the load.
pub(super) fn run(
    args: &args::FleetArgs,
    server: &str,
    plan: &Plan,
    window: Window,
    stop: &Arc<AtomicBool>,
    mut shown: Shown,
) -> Result<Merged, Failure> {
    let run = crate::run_id::new()?;
    let fleet = Fleet {
        server: server.to_owned(),
        creds: args
            .creds
            .as_deref()
            .map(Creds::read)
            .transpose()
            .map_err(usage)?,
        agents: args.agents as usize,
        file: Home::find()?.data.join("fleet").join(&run),
        run,
    };
    let mut begun = SystemTime::now();
    let outcome = fleet::run(&fleet, plan, window, stop, &mut |event| {
        match event {
            FleetEvent::Second(interval) => shown.ticker.add_second(interval),
            FleetEvent::Starts { at } => begun = at,
            _ => {}
        }
        let line = say::fleet::fleet_event(&event, shown.lang);
        if let Some(line) = line.filter(|_| !shown.quiet) {
            eprintln!("{line}");
        }
    });
    drop(shown);
    let outcome = outcome.map_err(usage)?;
    // All of it is in the result that follows; after a crash the file stays.
    std::fs::remove_file(&fleet.file).ok();
    let was_stopped = stop.load(Ordering::Relaxed);
    Ok(Merged {
        begun,
        ..merge(outcome, args.on_loss, was_stopped)
    })
}

fn usage(error: fleet::Error) -> Failure {
    Failure::new(Code::Usage, error)
}

/// Merges what the agents measured.
fn merge(outcome: Outcome, on_loss: args::OnLoss, was_stopped: bool) -> Merged {
    let of = outcome.agents.len() as u64;
    let complete = outcome.agents.iter().filter(|(result, _)| result.lost.is_none());
    let by_agents: u64 = outcome.agents.iter().map(|(result, _)| result.refused).sum();
    let mut notes = vec![LoadNote::Fleet {
        agents: complete.count() as u64,
        of,
        start_spread: outcome.start_spread.map(|nanos| nanos as f64 / 1e9),
        refused: outcome.refused.total() + by_agents,
    }];
    let mut merged: Option<Slice> = None;
    let (mut why_invalid, mut lag_p99) = (None, 0.0_f64);
    for (index, (mut result, offset)) in outcome.agents.into_iter().enumerate() {
        let facts = facts(&result, offset);
        lag_p99 = lag_p99.max(facts.lag_p99.unwrap_or(0.0));
        notes.push(LoadNote::Agent(facts));
        let lost = lost_share(&result, index as u64, of);
        match lost {
            Some(lost) if on_loss == args::OnLoss::Continue => notes.push(LoadNote::SmallerLoad(lost)),
            Some(lost) => why_invalid = why_invalid.or(Some(Reason::AgentLost(lost))),
            None => why_invalid = why_invalid.or_else(|| flaw(&result, was_stopped)),
        }
        result.slice.interrupted = was_stopped;
        for interval in &mut result.slice.intervals {
            interval.shard += index * LOOPS;
        }
        merged = Some(match merged {
            None => result.slice,
            Some(mut sum) => {
                sum.elapsed = sum.elapsed.max(result.slice.elapsed);
                // What a lost agent did not tell is not false.
                result.slice.self_check.kernel_times |= result.lost.is_some();
                sum.merge(result.slice);
                sum
            }
        });
    }
    Merged {
        slice: merged.unwrap_or_else(Slice::empty),
        why_invalid,
        notes,
        begun: SystemTime::UNIX_EPOCH,
        lag_p99,
    }
}

/// Why the load of an agent from which everything came spoils the result, if it does.
fn flaw(result: &AgentResult, was_stopped: bool) -> Option<Reason> {
    let agent = || result.agent.clone();
    if result.failed.is_some() || (result.ended_early && !was_stopped) {
        return Some(Reason::AgentStopped {
            agent: agent(),
            said: result.failed.clone(),
        });
    }
    let reason = result.slice.why_invalid()?;
    Some(Reason::OfArm {
        arm: agent(),
        reason: Box::new(reason),
    })
}

fn lost_share(result: &AgentResult, index: u64, of: u64) -> Option<LostShare> {
    let lost = result.lost.as_ref()?;
    Some(LostShare {
        agent: result.agent.clone(),
        share: index + 1,
        of,
        seq: lost.seq,
        seconds: lost.seconds,
    })
}

fn facts(result: &AgentResult, offset: Offset) -> AgentFacts {
    let is_known = result.lost.is_none() && result.failed.is_none();
    let lag = || result.slice.lag.value_at_quantile(0.99) as f64 / 1e9;
    AgentFacts {
        agent: result.agent.clone(),
        requests: result.slice.requests,
        clock_offset: offset.nanos as f64 / 1e9,
        clock_bound: offset.bound as f64 / 1e9,
        cpu: is_known.then_some(result.slice.self_check.cpu_share),
        lag_p99: is_known.then(lag),
    }
}
