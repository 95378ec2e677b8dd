//! A load that agents make: it is run, merged into one slice, and judged agent by agent.

use super::viewers::LoadViewers;
use crate::args::{FleetComplaint, OnLoss};
use crate::failure::Failure;
use crate::home::Home;
use crate::load_machines::PlacedAgents;
use ask::load_machines::{AgentHost, AgentPlace, LoadMachines};
use clap::Args;
use fleet::{Creds, Fleet, FleetEvent, Outcome};
use load::{Slice, Window};
use model::patience::Patience;
use model::reason::Reason;
use model::units::Seconds;
use say::{Language, Say};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use traffic::load_note::LoadNote;
use traffic::plan::Plan;

/// Other machines that make a load.
#[derive(Debug, Args)]
pub(super) struct FleetArgs {
    /// Let agents make the load, which they share: the NATS server where they wait, such as nats://10.0.0.1:4222, or the hosts on which
    /// prony starts them, such as ssh://a,ssh://me@b; `local` and `podman` are this machine.
    #[arg(long = "fleet", value_name = "WHERE", value_parser = AgentPlace::parse, conflicts_with = "unix_socket")]
    pub(super) place: Option<AgentPlace>,
    /// The number of agents; connections, rate and requests are divided among them [default: one on each host]
    #[arg(long, value_name = "N", requires = "place", value_parser = clap::value_parser!(u32).range(1..=3000))]
    pub(super) agents: Option<u32>,
    /// A TOML file of mode 0600 with user, password, and optionally ca (a PEM file) and inbox.
    #[arg(long, value_name = "FILE", requires = "place")]
    pub(super) creds: Option<PathBuf>,
    /// What the result is when an agent was lost.
    #[arg(long, value_name = "HOW", requires = "place", default_value = "invalid")]
    pub(super) on_loss: OnLoss,
    /// Take up the load of a coordinator that died, with the same arguments; its run is printed when the load starts.
    #[arg(long, value_name = "RUN", requires = "place")]
    pub(super) resume: Option<String>,
}

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
    pub(super) lag_p99: Seconds,
}

/// How the load is shown while it runs.
pub(super) struct Shown<'a, 'b> {
    pub(super) viewers: &'a mut LoadViewers<'b>,
    pub(super) quiet: bool,
    pub(super) lang: Language,
}

/// That the agents start, and how another prony can take up their load.
#[derive(Say)]
#[say(
    en = "{event}; if this prony dies, add --resume {run} to take up the load",
    zh = "{event}；若本 prony 意外终止，可加上 --resume {run} 接续负载"
)]
struct StartsResumable<'a> {
    event: &'a FleetEvent<'a>,
    run: &'a str,
}

/// A line about what happened to a fleet in a run; `None` for what the progress shows in other ways. `resumes` is the run by which another
/// prony can take up the load; agents that this one has started end with it, and leave nothing to take up.
pub(crate) fn fleet_event(event: &FleetEvent<'_>, resumes: Option<&str>, lang: Language) -> Option<String> {
    match (event, resumes) {
        (FleetEvent::Second(_), _) => None,
        (FleetEvent::Starts { .. }, Some(run)) => Some(say::text(&StartsResumable { event, run }, lang)),
        _ => Some(say::text(event, lang)),
    }
}

/// Lets agents make the load.
pub(super) fn run(
    args: &FleetArgs,
    place: &AgentPlace,
    plan: &Plan,
    window: Window,
    patience: Patience,
    stop: &Arc<AtomicBool>,
    shown: Shown<'_, '_>,
) -> Result<Merged, Failure> {
    let run = args.resume.clone().map_or_else(crate::run_id::new, Ok)?;
    let agents = LoadMachines::new(place.clone(), args.agents.map(|agents| agents as usize)).agents;
    let (server, creds, placed) = match place {
        AgentPlace::Nats(server) => {
            let creds = args.creds.as_deref().map(Creds::read).transpose();
            (server.clone(), creds.map_err(Failure::usage)?, None)
        }
        AgentPlace::Hosts(hosts) => {
            let placed = place_agents(args, hosts, agents, plan, patience, &shown)?;
            let (server, creds) = placed.server();
            (server, Some(creds), Some(placed))
        }
    };
    let fleet =
        Fleet { server, creds, agents, file: Home::find()?.data.join("fleet").join(&run), run, patience };
    let mut begun = SystemTime::now();
    let load = match args.resume {
        Some(_) => fleet::resume,
        None => fleet::run,
    };
    let outcome = load(&fleet, plan, window, stop, &mut |event| {
        match event {
            FleetEvent::Second(interval) => shown.viewers.add_second(interval, stop),
            FleetEvent::Starts { at } => {
                begun = at;
                shown.viewers.begin(at);
            }
            _ => {}
        }
        let resumes = placed.is_none().then_some(fleet.run.as_str());
        let line = fleet_event(&event, resumes, shown.lang);
        if let Some(line) = line.filter(|_| !shown.quiet) {
            eprintln!("{line}");
        }
    });
    shown.viewers.end();
    let outcome = outcome.map_err(Failure::usage)?;
    // All of it is in the result that follows; after a crash the file stays.
    std::fs::remove_file(&fleet.file).ok();
    let was_stopped = stop.load(Ordering::Relaxed);
    Ok(Merged { begun, ..merge(outcome, args.on_loss, was_stopped) })
}

/// Starts agents on hosts, for this load alone.
fn place_agents(
    args: &FleetArgs,
    hosts: &[AgentHost],
    agents: usize,
    plan: &Plan,
    patience: Patience,
    shown: &Shown<'_, '_>,
) -> Result<PlacedAgents, Failure> {
    if args.resume.is_some() || args.creds.is_some() {
        return Err(Failure::usage(FleetComplaint::PlacedAgentsEnd));
    }
    PlacedAgents::for_plan(hosts, agents, plan, patience, shown.quiet, shown.lang)
}

/// Merges what the agents measured.
fn merge(outcome: Outcome, on_loss: OnLoss, was_stopped: bool) -> Merged {
    let of = outcome.agents.len() as u64;
    let complete = outcome.agents.iter().filter(|(result, _)| result.lost.is_none());
    let by_agents: u64 = outcome.agents.iter().map(|(result, _)| result.refused).sum();
    let mut notes = vec![LoadNote::Fleet {
        agents: complete.count() as u64,
        of,
        start_spread: outcome.start_spread.map(Seconds::from_nanos),
        refused: outcome.refused.total() + by_agents,
    }];
    let (mut why_invalid, mut lag_p99) = (None, Seconds::ZERO);
    for (index, (result, offset)) in outcome.agents.iter().enumerate() {
        let facts = result.facts(*offset);
        lag_p99 = lag_p99.max(facts.lag_p99.unwrap_or_default());
        notes.push(LoadNote::Agent(facts));
        match result.lost_share(index as u64, of) {
            Some(lost) if on_loss == OnLoss::Continue => notes.push(LoadNote::SmallerLoad(lost)),
            Some(lost) => why_invalid = why_invalid.or(Some(Reason::AgentLost(lost))),
            None => why_invalid = why_invalid.or_else(|| result.flaw(was_stopped)),
        }
    }
    let mut slice = fleet::merged(outcome.agents.into_iter().map(|(result, _)| result));
    slice.interrupted = was_stopped;
    Merged { slice, why_invalid, notes, begun: SystemTime::UNIX_EPOCH, lag_p99 }
}
