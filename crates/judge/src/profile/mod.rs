//! [`Profile`]: where the requests in flight are, from an inspection of a server under load.
//!
//! ```text
//! frames       what methods on a stack tell: data
//!   -> activity     what the threads with one stack do
//!   -> flow         where all requests in flight are: with a thread, without one, or with another thread that works for them
//!   -> attribution  what those who queue wait for in truth
//! Profile
//! ```
//!
//! By Little's law the mean number of requests at a place, divided by their rate, is the time that each spends there. So shares of
//! the requests in flight are shares of the time that a request takes.

mod activity;
mod attribution;
mod flow;
mod frames;
mod garbage;
mod kernel;
mod narrower;
mod own_tasks;
mod owners;
mod peers;
mod spots;
#[cfg(test)]
pub(crate) mod tests;
mod work;

pub(crate) use attribution::Charged;
pub use flow::Limits;
pub(crate) use frames::{Kind, driver, is_cache, is_handshake, pool};
pub(crate) use garbage::garbage;
pub(crate) use own_tasks::OwnTasks;
pub(crate) use owners::{builder_of, lock_owner};
pub(crate) use peers::{Awaited, BackEnd};
pub(crate) use work::{CpuParts, cpu_uses};

use flow::Flow;
use frames::{Owner, opens_for_pool, owner, retry_library};
use model::units::{Seconds, Share};
use record::finding::{DearFrame, Doing, InMethod, RequestPlace};
use record::inspection::{Inspection, StackSeen, ThreadState};
use std::collections::BTreeMap;

/// Smallest share of the requests, or of the CPU time, with which a place is shown.
const TOLD: Share = Share(0.05);
/// The number of places that are shown.
const PLACES: usize = 3;
/// The number of methods that are shown.
const METHODS: usize = 5;
/// The end of the names of functions of the kernel.
const KERNEL: &str = "_[k]";
/// Fewest permits in use while requests wait for one: with fewer, somebody else than requests gives them back.
const HELD: f64 = 0.5;

/// Where the requests in flight are.
#[derive(Debug)]
pub(crate) struct Profile<'a> {
    /// Requests in flight, mean.
    pub(crate) in_flight: f64,
    /// Right answers per second; where there was none, requests that were given up or answered wrongly.
    pub(crate) rate: f64,
    /// Whether no answer was right.
    pub(crate) is_silent: bool,
    /// How long it was looked at.
    watched: Seconds,
    /// Whether the server waits with its event loops.
    pub(crate) on_event_loops: bool,
    /// The answers that the server awaits, as the kernel sees them.
    pub(crate) awaited: Awaited,
    /// The threads that are all busy for requests and are none of the server, by the name that they have in common.
    pub(crate) busy_helpers: Option<String>,
    /// Threads of the server's pool that serve no request, where all of its others are taken.
    pub(crate) kept: f64,
    /// The pool whose threads wait for tasks of its own; `None` where there is none.
    pub(crate) own_tasks: Option<OwnTasks>,
    /// The pool whose own threads were seen to open connections; `None` where none were.
    pub(crate) opening_pool: Option<&'static str>,
    /// Connections to other programs that are opened, per second; `None` where they were not counted.
    pub(crate) opened: Option<f64>,
    /// All places, with requests charged to where they wait in truth.
    pub(crate) places: Vec<Charged<'a>>,
}

impl<'a> Profile<'a> {
    /// The profile of an inspection; `None` where neither threads nor connections were looked at, or there were no requests.
    pub(crate) fn of(inspection: &'a Inspection, limits: Limits) -> Option<Self> {
        let in_flight = inspection.mean_in_flight().0;
        let is_seen = inspection.loaded.as_ref().is_some_and(|loaded| loaded.dumps > 0);
        if !is_seen && inspection.peers.is_empty() || in_flight <= 0.0 {
            return None;
        }
        let is_silent = inspection.ok == 0;
        let ended = if is_silent { inspection.wrong } else { inspection.ok };
        let flow = Flow::of(inspection, limits);
        let mut places = attribution::charged(&flow);
        // Where nothing goes on, nobody gives anything back.
        places.iter_mut().filter(|_| !is_silent).for_each(refilled);
        Some(Self {
            in_flight,
            rate: ended as f64 / inspection.seconds.0.max(1e-9),
            is_silent,
            watched: inspection.seconds,
            on_event_loops: flow.on_event_loops,
            awaited: flow.awaited,
            busy_helpers: flow.busy_helpers,
            kept: flow.kept,
            own_tasks: flow.own_tasks,
            opening_pool: loaded_stacks(inspection).find_map(|stack| opens_for_pool(&stack.frames)),
            opened: inspection.opened.map(|opened| opened as f64 / inspection.seconds.0.max(1e-9)),
            places,
        })
    }

    /// The share of the requests in flight that wait at places of this kind, or for such requests, 0 to 1.
    pub(crate) fn share(&self, kind: Kind) -> f64 {
        let all = self.places.iter().filter(|place| place.spot.kind == kind);
        self.part(all.map(|place| place.requests).sum())
    }

    /// Whether requests wait at this place for a thread of a pool that waits for tasks of its own.
    pub(crate) fn is_behind_own_tasks(&self, place: &Charged<'_>) -> bool {
        let is_queue = matches!(place.spot.doing, Doing::Thread | Doing::ServerThread);
        is_queue && self.own_tasks.as_ref().is_some_and(|own| place.spot.what.as_deref() == Some(&own.names))
    }

    /// A number of requests as a share of all in flight, 0 to 1.
    pub(crate) fn part(&self, requests: f64) -> f64 {
        (requests / self.in_flight).min(1.0)
    }

    /// The place of this kind that most requests wait for.
    pub(crate) fn largest(&self, kind: Kind) -> Option<&Charged<'a>> {
        self.largest_of(|place| place.spot.kind == kind)
    }

    /// The place among these that most requests wait for.
    pub(crate) fn largest_of(&self, is_one: impl Fn(&Charged<'a>) -> bool) -> Option<&Charged<'a>> {
        let all = self.places.iter().filter(|place| is_one(place) && place.requests > 0.0);
        all.max_by(|one, other| one.requests.total_cmp(&other.requests))
    }

    /// The requests that are themselves at places of this kind.
    pub(crate) fn requests(&self, kind: Kind) -> f64 {
        let all = self.places.iter().filter(|place| place.spot.kind == kind);
        all.map(|place| place.spot.requests).sum()
    }

    /// The requests with such a method on the stacks of their threads, whatever they do there.
    pub(crate) fn requests_within(&self, is_one: impl Fn(&str) -> bool) -> f64 {
        let stacks = self.places.iter().flat_map(|place| &place.spot.stacks);
        let within = stacks.filter(|(stack, _)| stack.frames.iter().any(|method| is_one(method)));
        within.map(|(_, requests)| requests).sum()
    }

    /// The requests that wait in a library until they call another program again, with the library and the stack of most of them.
    pub(crate) fn waiting_to_retry(&self) -> Option<(&'static str, &'a StackSeen, f64)> {
        let sleeping =
            self.places.iter().filter(|place| matches!(place.spot.kind, Kind::Sleep | Kind::Limiter));
        let stacks = sleeping.flat_map(|place| place.spot.stacks.iter().copied());
        let waiting: Vec<_> =
            stacks.filter_map(|(stack, n)| Some((retry_library(&stack.frames)?, stack, n))).collect();
        let all = waiting.iter().map(|(_, _, requests)| requests).sum();
        let (library, stack, _) = waiting.into_iter().max_by(|one, other| one.2.total_cmp(&other.2))?;
        Some((library, stack, all))
    }

    /// Connections to other programs that were opened while it was watched; `None` where they were not counted.
    pub(crate) fn opened_in_all(&self) -> Option<f64> {
        Some(self.opened? * self.watched.0)
    }

    /// How long a request is there, by Little's law; where no request ended, as long as it was watched.
    pub(crate) fn seconds(&self, requests: f64) -> Seconds {
        match self.rate > 0.0 {
            true => Seconds(requests / self.rate),
            false => self.watched,
        }
    }

    /// The places with most requests, without requests that run.
    pub(crate) fn largest_waits(&self) -> Vec<RequestPlace> {
        self.largest_places().into_iter().filter(|place| place.doing != Doing::Runs).collect()
    }

    /// The places with most requests.
    pub(crate) fn largest_places(&self) -> Vec<RequestPlace> {
        let all = self.places.iter().map(|place| place.spot.place(self.in_flight));
        let mut all: Vec<RequestPlace> = all.filter(|place| place.share >= TOLD).collect();
        all.sort_by(|one, other| other.share.total_cmp(&one.share));
        all.truncate(PLACES);
        all
    }
}

/// The stacks of all threads under load.
fn loaded_stacks(inspection: &Inspection) -> impl Iterator<Item = &StackSeen> {
    inspection.loaded.iter().flat_map(|loaded| &loaded.stacks)
}

/// Permits that hardly any request holds while others wait for one are given back by somebody else, as in a limiter of rates.
fn refilled(place: &mut Charged<'_>) {
    let spot = &mut place.spot;
    if spot.kind == Kind::Permit && place.requests >= 2.0 && place.held < HELD {
        (spot.kind, spot.doing) = (Kind::Limiter, Doing::Limiter);
    }
}

/// The innermost two methods of the application on a stack: the one that a thread is in, and the one that called it.
pub(crate) fn application_methods(frames: &[String]) -> [Option<&str>; 2] {
    let mut ours = frames.iter().map(String::as_str).filter(|method| owner(method) == Owner::Application);
    let method = ours.next();
    [method, ours.find(|other| Some(*other) != method)]
}

/// Where a stack is in the application; `place_of` gives a method with its line.
pub(crate) fn in_application(frames: &[String], place_of: impl Fn(&str) -> Option<String>) -> InMethod {
    let [method, caller] = application_methods(frames).map(|method| method.and_then(&place_of));
    InMethod { method, caller }
}

/// Whether a class is the application's.
pub(crate) fn is_own_class(name: &str) -> bool {
    let is_of_jvm = !name.contains('.') || name.starts_with('<');
    !is_of_jvm && owner(name) == Owner::Application
}

/// The names that most of the threads have which are there under load, and were not there before, and do nothing.
pub(crate) fn newest_threads(inspection: &Inspection) -> Option<String> {
    let loaded = inspection.loaded.as_ref()?;
    let mut groups: BTreeMap<&str, f64> = BTreeMap::new();
    for stack in loaded.stacks.iter().filter(|stack| !stack.is_virtual) {
        let waits = stack.state != ThreadState::Runnable;
        let more = inspection.threads_by_load(stack).0;
        *groups.entry(stack.group.as_str()).or_default() += if waits { more } else { 0.0 };
    }
    let most = groups.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    most.filter(|(name, more)| *more >= 1.0 && !name.is_empty()).map(|(name, _)| name.to_owned())
}

/// Threads that wait for locks because of the load, in the mean of all dumps.
pub(crate) fn requests_at_locks(inspection: &Inspection) -> f64 {
    let waiting = loaded_stacks(inspection).filter(|stack| activity::Activity::of(stack).kind == Kind::Lock);
    let dumps = f64::from(inspection.loaded.as_ref().map_or(1, |loaded| loaded.dumps.max(1)));
    waiting.map(|stack| stack.threads as f64).sum::<f64>() / dumps
}

/// The places where most requests were during an inspection, the largest first; empty where its threads were not looked at.
pub fn largest_places(inspection: &Inspection, limits: Limits) -> Vec<RequestPlace> {
    Profile::of(inspection, limits).map_or_else(Vec::new, |profile| profile.largest_places())
}

/// The methods that used most of the server's CPU time during an inspection, costliest first; empty where
/// that was not seen. Time within the JDK counts for the method that called it.
pub fn dearest_methods(inspection: &Inspection) -> Vec<DearFrame> {
    let mut times: BTreeMap<&str, Seconds> = BTreeMap::new();
    let mut all = Seconds::ZERO;
    for stack in &inspection.cpu {
        let ours = |method: &&String| !method.ends_with(KERNEL) && owner(method) != Owner::Jdk;
        let innermost = stack.frames.iter().rfind(ours);
        let Some(method) = innermost.or(stack.frames.last()) else {
            continue;
        };
        *times.entry(method.as_str()).or_default() += stack.seconds;
        all += stack.seconds;
    }
    let frames = times
        .into_iter()
        .map(|(method, time)| DearFrame { method: method.to_owned(), share: Share(time / all) });
    let mut frames: Vec<DearFrame> = frames.filter(|frame| frame.share >= TOLD).collect();
    frames.sort_by(|one, other| other.share.total_cmp(&one.share));
    frames.truncate(METHODS);
    frames
}
