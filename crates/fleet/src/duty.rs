//! [`Duty`]: the part of an agent in an experiment. It keeps the sessions of all servers, and runs slices on them at the instants that
//! the coordinator planned.

use crate::agent::{Allowed, answer};
use crate::commands::{Commands, Received};
use crate::error::Error;
use crate::frame::encode;
use crate::instant::{monotonic, wait_until, wall_now};
use crate::link::Link;
use crate::message::{AgentRefusal, Answer, Begun, Command, Delta, PlannedSlice, TenthsWire};
use crate::outbox::{Ended, Outbox};
use crate::share_run::{LOOK, looks_in, phase};
use crate::step_wire::StepsWire;
use load::{Session, Slice};
use model::patience::Patience;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use traffic::plan::{Plan, Window};

/// The longest wait of a slice for its turn before it looks again whether it is to end.
const TURN: Duration = Duration::from_millis(20);

/// The part of an agent in an experiment.
pub(crate) struct Duty<'a> {
    pub(crate) agent: &'a str,
    pub(crate) allowed: &'a Allowed,
    pub(crate) link: &'a Link,
    /// The run of the experiment.
    pub(crate) run: &'a str,
    /// How long the coordinator and this agent wait for each other.
    pub(crate) patience: Patience,
    /// Raised when the agent is to end.
    pub(crate) stop: &'a AtomicBool,
}

/// A slice that a session is to run.
struct Work {
    number: u64,
    /// When the slice begins by the wall clock, as it was planned: the same on all sessions that are loaded together.
    planned: i64,
    /// When this session begins.
    start: Nanos,
    window: Window,
    end: Arc<AtomicBool>,
}

/// A slice that is over.
struct SliceEnd {
    number: u64,
    begun: Begun,
    result: Result<Box<Slice>, String>,
}

/// The slices that are planned or run. A slice waits until all that begin before it are over, so that no two arms are loaded at the
/// same time unless they are to be.
#[derive(Debug, Default)]
struct Turns {
    /// How many slices are not over yet, by when they are planned to begin.
    ahead: Mutex<BTreeMap<i64, usize>>,
    changed: Condvar,
}

impl Turns {
    fn locked(&self) -> MutexGuard<'_, BTreeMap<i64, usize>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, planned: i64) {
        *self.locked().entry(planned).or_default() += 1;
    }

    fn finish(&self, planned: i64) {
        let mut ahead = self.locked();
        if let Some(left) = ahead.get_mut(&planned) {
            *left -= 1;
            if *left == 0 {
                ahead.remove(&planned);
            }
        }
        self.changed.notify_all();
    }

    /// Waits until no slice that begins before this one is left, unless `end` is raised.
    fn wait(&self, planned: i64, end: &AtomicBool) {
        let mut ahead = self.locked();
        while ahead.range(..planned).next().is_some() && !end.load(Ordering::Relaxed) {
            let waited = self.changed.wait_timeout(ahead, TURN);
            ahead = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A session with the thread that runs its slices, which ends when there can be no more of them.
struct OpenSession {
    work: mpsc::Sender<Work>,
    phase: Nanos,
    /// The slices that it was told to run, each with the flag that ends it.
    slices: BTreeMap<u64, Arc<AtomicBool>>,
}

impl OpenSession {
    fn end_slices(&self) {
        self.slices.values().for_each(|end| end.store(true, Ordering::Relaxed));
    }
}

/// All sessions.
struct Sessions<'a> {
    allowed: &'a Allowed,
    open: BTreeMap<u64, OpenSession>,
    turns: Arc<Turns>,
    over: UnboundedSender<SliceEnd>,
}

impl Sessions<'_> {
    /// Opens a session, unless it is open already: the answer may have been lost.
    fn open(&mut self, id: u64, plan: Plan) -> Result<(), AgentRefusal> {
        if self.open.contains_key(&id) {
            return Ok(());
        }
        let phase = phase(&plan);
        let session = self.allowed.open(plan)?;
        let (work, orders) = mpsc::channel();
        let (turns, over) = (Arc::clone(&self.turns), self.over.clone());
        std::thread::spawn(move || run_slices(session, orders, &turns, &over));
        let slices = BTreeMap::new();
        self.open.insert(id, OpenSession { work, phase, slices });
        Ok(())
    }

    /// Plans slices, all of them or none. Those that are planned already stay as they are.
    fn plan(&mut self, slices: &[PlannedSlice], now: i64) -> Result<(), AgentRefusal> {
        let is_new = |slice: &&PlannedSlice| {
            let session = self.open.get(&slice.session);
            session.is_none_or(|session| !session.slices.contains_key(&slice.number))
        };
        let new: Vec<PlannedSlice> = slices.iter().filter(is_new).copied().collect();
        if new.iter().any(|slice| !self.open.contains_key(&slice.session)) {
            return Err(AgentRefusal::Busy);
        }
        if new.iter().any(|slice| slice.at <= now) {
            return Err(AgentRefusal::TooLate);
        }
        for slice in new {
            let Some(session) = self.open.get_mut(&slice.session) else {
                continue;
            };
            let end = Arc::new(AtomicBool::new(false));
            session.slices.insert(slice.number, Arc::clone(&end));
            self.turns.add(slice.at);
            // The thread lives as long as the session.
            let work = Work {
                number: slice.number,
                planned: slice.at,
                start: monotonic(slice.at) + session.phase,
                window: slice.window,
                end,
            };
            session.work.send(work).ok();
        }
        Ok(())
    }

    fn cancel(&self, numbers: &[u64]) {
        for session in self.open.values() {
            for end in numbers.iter().filter_map(|number| session.slices.get(number)) {
                end.store(true, Ordering::Relaxed);
            }
        }
    }

    fn close(&mut self, id: u64) {
        if let Some(session) = self.open.remove(&id) {
            session.end_slices();
        }
    }

    fn close_all(&mut self) {
        self.open.values().for_each(OpenSession::end_slices);
        self.open.clear();
    }

    /// Obeys a command. Returns the answer.
    fn obey(&mut self, command: Command, received: i64) -> Answer {
        let done = match command {
            Command::Clock => {
                let answered = wall_now();
                return Answer::Clock { received, answered };
            }
            Command::Open { session, plan } => self.open(session, *plan),
            Command::Slices(slices) => self.plan(&slices, received),
            Command::Cancel(numbers) => {
                self.cancel(&numbers);
                Ok(())
            }
            Command::Close { session } => {
                self.close(session);
                Ok(())
            }
            Command::Leave | Command::Stop => {
                self.close_all();
                Ok(())
            }
            // It is there already: the answer was lost.
            Command::Join { .. } => Ok(()),
            Command::Prepare { .. } | Command::Start { .. } | Command::Resume => Err(AgentRefusal::Busy),
        };
        done.map_or_else(Answer::Refused, |()| Answer::Done)
    }
}

impl Duty<'_> {
    /// Makes loads until the coordinator lets it go, is lost, or the agent is to end.
    pub(crate) async fn serve(&self, commands: &mut Commands) -> Result<Ended, Error> {
        let (over, ends) = unbounded_channel();
        let mut sessions =
            Sessions { allowed: self.allowed, open: BTreeMap::new(), turns: Arc::default(), over };
        let outbox = Outbox::default();
        let ended = tokio::select! {
            ended = outbox.send_all(self.link, self.agent, self.run, self.patience) => ended,
            ended = self.work(&mut sessions, ends, &outbox, commands) => ended,
        };
        sessions.close_all();
        ended
    }

    /// Obeys commands, and puts what was measured into the outbox, with a sign of life when there was nothing else for a while.
    async fn work(
        &self,
        sessions: &mut Sessions<'_>,
        mut ends: UnboundedReceiver<SliceEnd>,
        outbox: &Outbox,
        commands: &mut Commands,
    ) -> Result<Ended, Error> {
        let (mut looks, mut looked, mut seq) = (tokio::time::interval(LOOK), 0, 0);
        let every = looks_in(self.patience.beat());
        let mut push = |delta: Delta, parts: &[Vec<u8>]| {
            seq += 1;
            let agent = self.agent.to_owned();
            outbox.push(seq, encode(self.run, &Delta { agent, seq, ..delta }, parts));
        };
        loop {
            tokio::select! {
                _ = looks.tick() => {
                    looked += 1;
                    if self.stop.load(Ordering::Relaxed) {
                        return Ok(Ended::Finished);
                    }
                    if looked % every == 0 && outbox.is_empty() && !outbox.is_closed() {
                        push(Delta::default(), &[]);
                    }
                }
                over = ends.recv() => {
                    let deltas = over.map(deltas_of).unwrap_or_default();
                    deltas.into_iter().for_each(|(delta, parts)| push(delta, &parts));
                }
                message = commands.next() => {
                    let Some(message) = message else {
                        return Err(Error::NotPermitted { said: "the connection was closed".to_owned() });
                    };
                    if self.obey(sessions, &message).await {
                        outbox.close();
                    }
                }
            }
        }
    }

    /// Obeys a command; returns whether it lets the agent go.
    async fn obey(&self, sessions: &mut Sessions<'_>, message: &Received) -> bool {
        let received = wall_now();
        // Another coordinator asks for an agent that is taken.
        let Ok(command) = message.command(self.run) else {
            answer(self.link, &message.message, &Answer::Refused(AgentRefusal::Busy)).await;
            return false;
        };
        let leaves = matches!(command, Command::Leave | Command::Stop);
        let said = sessions.obey(command, received);
        answer(self.link, &message.message, &said).await;
        leaves
    }
}

/// Returns what is sent of a slice. Its seconds are left out: nobody reads them in an experiment.
fn deltas_of(over: SliceEnd) -> Vec<(Delta, Vec<Vec<u8>>)> {
    let (mut deltas, mut last) = (Vec::new(), Vec::new());
    let mut closing = Delta { last: true, ..Delta::default() };
    match over.result {
        Ok(mut slice) => {
            deltas.extend(TenthsWire::all_of(&slice).map(|tenths| (Delta::of_tenths(tenths), Vec::new())));
            deltas.extend(StepsWire::all_of(&slice).map(|(steps, times)| (Delta::of_steps(steps), times)));
            closing.summarize(&mut slice, &mut last);
        }
        Err(said) => closing.failed = Some(said),
    }
    deltas.push((closing, last));
    for ((delta, _), part) in deltas.iter_mut().zip(1..) {
        (delta.slice, delta.part, delta.begun) = (over.number, part, Some(over.begun));
    }
    deltas
}

/// Runs the slices of a session in order, each at its instant. What comes of a slice that was ended is dropped.
fn run_slices(
    mut session: Session,
    orders: mpsc::Receiver<Work>,
    turns: &Turns,
    over: &UnboundedSender<SliceEnd>,
) {
    for work in orders {
        wait_until(work.start, &work.end);
        turns.wait(work.planned, &work.end);
        let late = load::now().since(work.start).0;
        if work.end.load(Ordering::Relaxed) {
            turns.finish(work.planned);
            continue;
        }
        let result = session.run_from(work.start, work.window, &work.end, &mut |_| ());
        turns.finish(work.planned);
        if work.end.load(Ordering::Relaxed) {
            continue;
        }
        // The receiver is gone when the coordinator was lost.
        let planned = work.planned;
        over.send(SliceEnd {
            number: work.number,
            begun: Begun { planned, late },
            result: result.map(Box::new).map_err(|error| error.to_string()),
        })
        .ok();
    }
}
