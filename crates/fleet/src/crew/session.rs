//! [`CrewSession`]: a plan that a crew runs slice by slice.

use super::schedule::Slot;
use super::{Core, elsewhere};
use crate::error::Error;
use crate::ledger::AgentResult;
use crate::message::{Command, PlannedSlice};
use crate::share_result::merged;
use load::{Announced, Edge, LoadSession, MadeSlice, Slice, Window};
use model::reason::Reason;
use model::units::{Nanos, Seconds};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How far ahead a slice begins at least, and for each agent that has to be told.
const LEAD: Nanos = Nanos::from_millis(100);
const LEAD_PER_AGENT: u64 = 500_000;
/// An announced slice that begins sooner than this can no longer be awaited exactly.
const MARGIN: Nanos = Nanos::from_millis(2);
/// The share of the counted window that an agent may miss.
const LATE: f64 = 0.05;
/// Between two looks at the flag that ends a run.
const LOOK: Nanos = Nanos::from_millis(50);

/// A plan that a crew runs slice by slice. Its connections are closed when it is dropped.
#[derive(Debug)]
pub(super) struct CrewSession {
    crew: Arc<Core>,
    id: u64,
    /// The members that have shares.
    members: Vec<usize>,
}

impl CrewSession {
    pub(super) const fn new(crew: Arc<Core>, id: u64, members: Vec<usize>) -> Self {
        Self { crew, id, members }
    }

    /// Merges what the agents measured in a slice.
    fn made(&self, results: Vec<AgentResult>, window: Window) -> MadeSlice {
        let here = self.crew.desk.add_results(&self.members, &results);
        let lost = results.iter().zip(0_u64..).find_map(|(result, index)| {
            let lost = result.lost_share(index, self.members.len() as u64)?;
            Some(Reason::AgentLost(lost))
        });
        let lost = lost.filter(|_| !self.crew.desk.continues());
        let flaw = || results.iter().find_map(|result| result.flaw(false));
        let why_invalid = lost.or_else(|| late(&results, window)).or_else(flaw);
        let lags = results.iter().map(|result| result.slice.lag.value_at_quantile(0.99));
        MadeSlice {
            why_invalid,
            lag_p99: Nanos(lags.max().unwrap_or(0)),
            cpu_here: here,
            slice: merged(results),
        }
    }
}

impl LoadSession for CrewSession {
    fn id(&self) -> u64 {
        self.id
    }

    fn next_start(&self) -> Result<Nanos, load::Error> {
        let desk = Arc::clone(&self.crew.desk);
        self.crew.wait(async move { desk.connected().await }).map_err(elsewhere)?;
        let mut schedule = self.crew.schedule();
        if let Some(start) = schedule.next(self.id, load::now() + MARGIN) {
            return Ok(start);
        }
        // The announced slices cannot be kept; agents must not begin them together with what comes now.
        let left = schedule.clear();
        drop(schedule);
        cancel(&self.crew, left);
        Ok(load::now() + lead(&self.crew))
    }

    fn run_from(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<MadeSlice, load::Error> {
        let taken = self.crew.schedule().take(self.id, start, window);
        let number = match taken {
            Some(number) => number,
            None => {
                let numbers = number_slices(&self.crew, &[self.id]);
                let slot = Slot { start, window, numbers };
                send(&self.crew, std::slice::from_ref(&slot)).map_err(elsewhere)?;
                slot.numbers[&self.id]
            }
        };
        let begins = start + window.settle;
        let ends = begins + window.counted;
        for (at, edge) in [(begins, Edge::CountedBegins), (ends, Edge::CountedEnds)] {
            sleep_until(at, stop);
            on_edge(edge);
        }
        let results = self.crew.desk.await_slice(number, stop).map_err(elsewhere)?;
        let Some(results) = results else {
            cancel(&self.crew, vec![number]);
            return Ok(interrupted());
        };
        self.crew.schedule().learn(load::now().since(ends));
        Ok(self.made(results, window))
    }
}

impl Drop for CrewSession {
    fn drop(&mut self) {
        let id = self.id;
        let left = self.crew.schedule().clear();
        cancel(&self.crew, left);
        let desk = Arc::clone(&self.crew.desk);
        let orders = self.members.iter().map(|index| (*index, Command::Close { session: id }));
        let orders: Vec<(usize, Command)> = orders.collect();
        // An agent that is lost has closed its connections itself.
        self.crew.wait(async move { desk.tell(orders).await });
        self.crew.desk.forget(id);
    }
}

/// Tells all agents which slices come next, and when each begins.
pub(super) fn announce(crew: &Arc<Core>, slices: &[Announced]) -> Result<(), Error> {
    let mut start = load::now() + lead(crew);
    let (gap, left) = {
        let mut schedule = crew.schedule();
        (schedule.gap(), schedule.clear())
    };
    cancel(crew, left);
    let mut slots = Vec::new();
    for Announced { sessions, window } in slices {
        slots.push(Slot { start, window: *window, numbers: number_slices(crew, sessions) });
        start = start + window.settle + window.counted + gap;
    }
    send(crew, &slots)?;
    let mut schedule = crew.schedule();
    slots.into_iter().for_each(|slot| schedule.push(slot));
    Ok(())
}

/// Gives a slice of each of these sessions its number, and expects its results.
fn number_slices(crew: &Core, sessions: &[u64]) -> BTreeMap<u64, u64> {
    let number = |session: &u64| (*session, crew.slices.fetch_add(1, Ordering::Relaxed));
    sessions.iter().map(number).collect()
}

/// Sends slices to every agent that has a share of one of them, with the instants of its own clock.
fn send(crew: &Arc<Core>, slots: &[Slot]) -> Result<(), Error> {
    let mut orders: BTreeMap<usize, Vec<PlannedSlice>> = BTreeMap::new();
    let members = crew.desk.members();
    for slot in slots {
        let at = crew.schedule().wall_of(slot.start);
        for (&session, &number) in &slot.numbers {
            for index in crew.desk.expect(session, number) {
                let at = members[index].offset.there(at);
                orders.entry(index).or_default().push(PlannedSlice {
                    number,
                    session,
                    at,
                    window: slot.window,
                });
            }
        }
    }
    let numbers: Vec<u64> = slots.iter().flat_map(|slot| slot.numbers.values().copied()).collect();
    let orders: Vec<(usize, Command)> =
        orders.into_iter().map(|(index, slices)| (index, Command::Slices(slices))).collect();
    let desk = Arc::clone(&crew.desk);
    let in_time = crew.wait(async move { desk.send_slices(orders, &numbers).await })?;
    if !in_time {
        crew.schedule().miss();
    }
    Ok(())
}

/// Has all agents forget slices.
fn cancel(crew: &Arc<Core>, numbers: Vec<u64>) {
    if numbers.is_empty() {
        return;
    }
    crew.desk.drop_slices(&numbers);
    let orders = (0..crew.desk.members().len()).map(|index| (index, Command::Cancel(numbers.clone())));
    let orders: Vec<(usize, Command)> = orders.collect();
    let desk = Arc::clone(&crew.desk);
    crew.wait(async move { desk.tell(orders).await });
}

/// The first agent that began so late that it did not count what the others counted. Users have the settling time to begin.
fn late(results: &[AgentResult], window: Window) -> Option<Reason> {
    let limit = Seconds::from(window.settle) + LATE * Seconds::from(window.counted);
    results.iter().find_map(|result| {
        let (_, late) = result.begun?;
        let late = Seconds::from_nanos(late);
        (late > limit).then(|| Reason::AgentLate { agent: result.agent.clone(), late, limit })
    })
}

/// How far ahead the next slice has to be so that all agents learn of it in time.
fn lead(crew: &Core) -> Nanos {
    let members = crew.desk.members();
    let bounds = members.iter().map(|member| member.offset.bound.unsigned_abs());
    let farthest = bounds.max().unwrap_or(0);
    let least = LEAD + Nanos(LEAD_PER_AGENT * members.len() as u64 + 4 * farthest.min(100_000_000));
    crew.schedule().lead(least)
}

/// Sleeps until an instant, unless `stop` is raised.
fn sleep_until(at: Nanos, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let left = at.since(load::now()).min(LOOK);
        if left == Nanos(0) {
            break;
        }
        std::thread::sleep(Duration::from(left));
    }
}

/// A slice that the user ended.
fn interrupted() -> MadeSlice {
    let mut slice = Slice::empty();
    slice.interrupted = true;
    MadeSlice { slice, why_invalid: None, lag_p99: Nanos(0), cpu_here: Nanos(0) }
}
