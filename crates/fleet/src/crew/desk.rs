//! [`Desk`]: the side of a crew that talks to the agents. It takes what they send, notices who is silent, and tells them what to do.

mod orders;

use super::members::{History, Member};
use super::{CrewEvent, CrewSpec, OnEvent};
use crate::clock::Offset;
use crate::coordinator::{LOOK, connect, echoes_back, gather, subscribe};
use crate::error::Error;
use crate::frame::{Refused, RefusedCounts, decode, encode};
use crate::ledger::{AgentResult, Ledger};
use crate::link::Link;
use crate::message::{Delta, HELLO, Hello, Stored, deltas_of, echo_of, is_id};
use crate::share_result::spread;
use async_nats::{Message, Subscriber};
use futures_util::StreamExt;
use load::FleetStatus;
use model::units::Nanos;
use orders::join;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use traffic::load_note::LoadNote;

/// Hellos of a member that come so long after it joined tell that it was started again.
const JOINED: Duration = Duration::from_secs(2);

/// The side of a crew that talks to the agents.
pub(super) struct Desk {
    spec: CrewSpec,
    link: Link,
    state: Mutex<State>,
    /// Tells that a slice may be complete.
    changed: Condvar,
    /// Raised when the agents are told to go; they say hello to others then.
    leaving: AtomicBool,
    /// Raised when they were told.
    over: AtomicBool,
    on_event: OnEvent,
}

/// What comes from the server.
pub(super) struct Inbox {
    deltas: Subscriber,
    echoes: Subscriber,
    hellos: Subscriber,
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    /// Who has the shares of each session.
    sessions: BTreeMap<u64, Vec<Seat>>,
    slices: BTreeMap<u64, Pending>,
    /// Agents without a share, with when they said hello last.
    spare: BTreeMap<String, (Hello, Instant)>,
    refused: RefusedCounts,
    history: History,
    down_since: Option<Instant>,
    failed: Option<Failed>,
}

/// A member that has a share of a session.
#[derive(Clone, Copy, Debug)]
struct Seat {
    index: usize,
    generation: u64,
}

/// A slice whose results are awaited.
struct Pending {
    seats: Vec<Seat>,
    ledger: Ledger,
    /// Agents that do not run it, with what they said.
    unmade: BTreeMap<String, String>,
}

/// Why nothing more can come.
#[derive(Clone)]
enum Failed {
    NotPermitted(String),
    ServerGone,
}

/// What others need to know of a member.
#[derive(Clone, Debug)]
pub(super) struct MemberView {
    pub(super) id: String,
    pub(super) is_here: bool,
    pub(super) shares_loopback: bool,
    pub(super) offset: Offset,
    pub(super) lost: bool,
}

impl Desk {
    /// Awaits as many agents as are wanted, and has them join.
    pub(super) async fn gather(
        spec: CrewSpec,
        stop: &AtomicBool,
        on_event: OnEvent,
    ) -> Result<(Self, Inbox), Error> {
        let link = connect(&spec.server, spec.creds.as_ref(), spec.patience).await?;
        let deltas = subscribe(&link, deltas_of("*")).await?;
        let echoes = subscribe(&link, echo_of(&spec.run)).await?;
        let mut refused = RefusedCounts::default();
        let hellos = gather(spec.agents, &link, &mut refused, stop, &mut |event| {
            if let crate::coordinator::FleetEvent::Gathered { found, wanted } = event {
                on_event(CrewEvent::Gathered { found, wanted });
            }
        })
        .await?;
        let mut members = Vec::new();
        for hello in &hellos {
            members.push(join(&link, &spec, hello).await?);
        }
        // Only now, because from now on a hello of a member tells that it was started again.
        let hellos = subscribe(&link, HELLO.to_owned()).await?;
        let inbox = Inbox { deltas, echoes, hellos };
        let state = State { members, refused, ..State::default() };
        let desk = Self {
            spec,
            link,
            state: Mutex::new(state),
            changed: Condvar::new(),
            leaving: AtomicBool::new(false),
            over: AtomicBool::new(false),
            on_event,
        };
        Ok((desk, inbox))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what comes until the agents are dismissed.
    pub(super) async fn serve(&self, mut inbox: Inbox) {
        let mut looks = tokio::time::interval(LOOK);
        while !self.over.load(Ordering::Relaxed) {
            tokio::select! {
                message = inbox.deltas.next() => match message {
                    Some(message) => self.take(&message).await,
                    None => break,
                },
                message = inbox.hellos.next() => {
                    if let Some(message) = message {
                        self.greet(&message);
                    }
                }
                _ = looks.tick() => self.look(&mut inbox.echoes).await,
            }
        }
        self.changed.notify_all();
    }

    /// Adds a delta to its slice, and then acknowledges it. It is kept in memory only: when this process dies, so do the servers that
    /// are measured, and the round is repeated.
    async fn take(&self, message: &Message) {
        let Some(seq) = self.add(message) else {
            return;
        };
        if let Some(reply) = &message.reply {
            let stored = encode(&self.spec.run, &Stored { seq }, &[]);
            // An acknowledgement that does not arrive is asked for again.
            self.link.client.publish(reply.clone(), stored.into()).await.ok();
        }
    }

    /// Adds a delta to its slice. Returns its number for the acknowledgement; `None` when it is refused.
    fn add(&self, message: &Message) -> Option<u64> {
        let mut state = self.state();
        let (mut delta, parts) = match decode::<Delta>(&self.spec.run, &message.payload) {
            Ok(frame) => frame,
            Err(refused) => {
                state.refused.add(refused);
                return None;
            }
        };
        // Rights of the server concern subjects, so an agent can send for no other one.
        let is_its_own = *message.subject == *deltas_of(&delta.agent);
        let member = state.members.iter_mut().find(|member| member.id == delta.agent);
        let Some(member) = member.filter(|member| is_its_own && !member.lost) else {
            state.refused.add(Refused::Replayed);
            return None;
        };
        member.heard = Instant::now();
        if std::mem::take(&mut member.silent) {
            (self.on_event)(CrewEvent::Back(delta.agent.clone()));
        }
        let seq = delta.seq;
        // Nobody needs more of a slice that is over or was forgotten.
        if let Some(pending) = state.slices.get_mut(&delta.slice) {
            delta.seq = delta.part;
            if let Err(refused) = pending.ledger.add(&delta, &parts) {
                state.refused.add(refused);
                return None;
            }
            self.changed.notify_all();
        }
        Some(seq)
    }

    /// Notes an agent that says hello. A member that does so was started again, and knows nothing of its shares.
    fn greet(&self, message: &Message) {
        let mut state = self.state();
        let hello = match decode::<Hello>("", &message.payload) {
            Ok((hello, _)) if is_id(&hello.agent) => hello,
            Ok(_) => return state.refused.add(Refused::Garbage),
            Err(refused) => return state.refused.add(refused),
        };
        let known = state.members.iter().position(|member| member.id == hello.agent);
        match known {
            Some(index) if !state.members[index].lost => {
                let is_leaving = self.leaving.load(Ordering::Relaxed);
                if !is_leaving && state.members[index].compared.elapsed() >= JOINED {
                    self.lose(&mut state, index);
                }
            }
            _ => {
                state.spare.insert(hello.agent.clone(), (hello, Instant::now()));
            }
        }
    }

    fn lose(&self, state: &mut State, index: usize) {
        let member = &mut state.members[index];
        member.lost = true;
        (self.on_event)(CrewEvent::Lost(member.id.clone()));
        self.changed.notify_all();
    }

    /// Notices who is silent, and gives up who was so for too long. Nobody is called silent while our own connection is down or does
    /// not bring our own message back.
    async fn look(&self, echoes: &mut Subscriber) {
        if let Err(Error::NotPermitted { said }) = self.link.check() {
            self.fail(Failed::NotPermitted(said));
        }
        let patience = self.spec.patience;
        let Some(up_since) = self.link.up_since() else {
            let mut state = self.state();
            if state.down_since.is_none() {
                (self.on_event)(CrewEvent::ServerLost);
            }
            let since = *state.down_since.get_or_insert_with(Instant::now);
            drop(state);
            if since.elapsed() >= patience.server_given_up() {
                self.fail(Failed::ServerGone);
            }
            return;
        };
        let silence = |member: &Member| member.heard.max(up_since).elapsed();
        let newly = |member: &Member| !member.lost && !member.silent && silence(member) >= patience.silent();
        let is_new = {
            let mut state = self.state();
            state.down_since = None;
            state.members.iter().any(newly)
        };
        if is_new && !echoes_back(&self.link, &self.spec.run, echoes).await {
            return;
        }
        let mut state = self.state();
        for index in 0..state.members.len() {
            let member = &mut state.members[index];
            if newly(member) {
                member.silent = true;
                (self.on_event)(CrewEvent::Silent(member.id.clone()));
            }
            if !member.lost && silence(member) >= patience.given_up() {
                self.lose(&mut state, index);
            }
        }
    }

    fn fail(&self, why: Failed) {
        self.state().failed = Some(why);
        self.changed.notify_all();
    }

    fn check(&self) -> Result<(), Error> {
        match self.state().failed.clone() {
            None => Ok(()),
            Some(Failed::NotPermitted(said)) => Err(Error::NotPermitted { said }),
            Some(Failed::ServerGone) => Err(Error::NoServer {
                server: self.spec.server.clone(),
                said: format!(
                    "the connection is lost for {} s",
                    self.spec.patience.server_given_up().as_secs()
                ),
            }),
        }
    }

    /// Notes which members have shares of a session.
    pub(super) fn register(&self, session: u64, members: &[usize]) {
        let mut state = self.state();
        let seat = |index: &usize| Seat { index: *index, generation: state.members[*index].generation };
        let seats = members.iter().map(seat).collect();
        state.sessions.insert(session, seats);
    }

    pub(super) fn forget(&self, session: u64) {
        self.state().sessions.remove(&session);
    }

    /// Expects the results of a slice. Returns the members that are to be told of it.
    pub(super) fn expect(&self, session: u64, number: u64) -> Vec<usize> {
        let mut state = self.state();
        let seats = state.sessions.get(&session).cloned().unwrap_or_default();
        let ids: Vec<String> = seats.iter().map(|seat| state.members[seat.index].id.clone()).collect();
        let told = seats.iter().filter(|seat| state.has(**seat));
        let told = told.map(|seat| seat.index).collect();
        let pending = Pending { ledger: Ledger::new(&ids), seats, unmade: BTreeMap::new() };
        state.slices.insert(number, pending);
        told
    }

    pub(super) fn drop_slices(&self, numbers: &[u64]) {
        let mut state = self.state();
        for number in numbers {
            state.slices.remove(number);
        }
    }

    /// Waits for the results of a slice, in the order of the shares; `None` when `stop` is raised.
    pub(super) fn await_slice(
        &self,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<AgentResult>>, Error> {
        let mut state = self.state();
        while !state.is_complete(number) {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if state.failed.is_some() {
                drop(state);
                self.check()?;
                state = self.state();
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let pending = state.slices.remove(&number).expect("it is complete");
        let mut results = pending.ledger.results();
        for result in &mut results {
            if let Some(said) = pending.unmade.get(&result.agent) {
                (result.lost, result.failed) = (None, Some(said.clone()));
            }
        }
        Ok(Some(results))
    }

    /// Adds what members did in a slice. Returns the CPU time of the event loops on this machine.
    pub(super) fn add_results(&self, members: &[usize], results: &[AgentResult]) -> Nanos {
        let mut state = self.state();
        let (mut here, of) = (Nanos(0), members.len() as u64);
        let mut begins = Vec::new();
        for ((index, result), share) in members.iter().zip(results).zip(0..) {
            let member = &mut state.members[*index];
            member.add(result);
            begins.extend(result.began(member.offset));
            if member.is_here {
                here = here + result.slice.generator_cpu;
            }
            let lost = result.lost_share(share, of);
            let lost = lost.filter(|lost| !state.history.lost.iter().any(|known| known.agent == lost.agent));
            state.history.lost.extend(lost);
        }
        if let Some(spread) = spread(begins.into_iter()) {
            state.history.last_spread = Some(spread);
            state.history.spreads.saturating_record(spread);
        }
        here
    }

    /// What others need to know of the members.
    pub(super) fn members(&self) -> Vec<MemberView> {
        let view = |member: &Member| MemberView {
            id: member.id.clone(),
            is_here: member.is_here,
            shares_loopback: member.shares_loopback,
            offset: member.offset,
            lost: member.lost,
        };
        self.state().members.iter().map(view).collect()
    }

    pub(super) fn status(&self) -> FleetStatus {
        let state = self.state();
        let there = state.members.iter().filter(|member| !member.lost && !member.silent);
        FleetStatus {
            there: there.count() as u64,
            of: state.members.len() as u64,
            start_spread: state.history.last_spread.map(Nanos),
            agents: state.members.iter().map(Member::status).collect(),
        }
    }

    pub(super) const fn continues(&self) -> bool {
        self.spec.continues
    }

    pub(super) fn notes(&self) -> Vec<LoadNote> {
        let state = self.state();
        let refused = state.refused.total();
        state.history.notes(&state.members, refused, self.spec.continues)
    }
}

impl State {
    /// Whether everything of a slice came from every member that still can send it.
    fn is_complete(&self, number: u64) -> bool {
        let Some(pending) = self.slices.get(&number) else {
            return false;
        };
        pending.seats.iter().all(|seat| {
            let id = &self.members[seat.index].id;
            !self.has(*seat) || pending.unmade.contains_key(id) || pending.ledger.is_complete(id)
        })
    }

    /// Whether the member with this share is still there.
    fn has(&self, seat: Seat) -> bool {
        let member = &self.members[seat.index];
        !member.lost && member.generation == seat.generation
    }
}
