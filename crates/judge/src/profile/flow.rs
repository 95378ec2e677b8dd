//! Where all requests in flight are. A request with a thread of the server is where its thread is; if its
//! thread waits for another one, where the other one is; a request without a thread, at the answer that is
//! awaited for it, or at what it queues for.

use super::activity::Activity;
use super::frames::{Kind, serves_request};
use super::own_tasks::{OwnTasks, Task, is_in_worker};
use super::peers::{Awaited, BackEnd};
use super::spots::{Spot, Spots};
use model::units::Seconds;
use record::finding::Doing;
use record::inspection::{Inspection, SleepsSeen, StackSeen, ThreadSamples, ThreadState};
use std::collections::BTreeMap;

/// Fewest threads, in the mean, that count: fewer are chance.
const SEEN: f64 = 0.02;
/// Fewest threads that work for requests in the place of theirs.
const HELPERS: f64 = 0.5;
/// Smallest share of the requests in flight that are said to queue: fewer are on their way through the network.
const QUEUED: f64 = 0.1;
/// Smallest share of the requests in flight that wait for their own client although the answer has come: less is within the error of
/// the looks at connections.
const HAS_ANSWER: f64 = 0.3;
/// Share of the threads of a pool from which on all of them count as taken: some are always between two requests.
const TAKEN: f64 = 0.9;

/// Fewest threads that sleep at a time in a limiter. The sleeps of fewer end in step by chance.
const IN_TURN: f64 = 8.0;
/// Fewest sleeps that show a step.
const SLEEPS: u64 = 40;
/// Largest spread of the times between the ends of sleeps that end in step. Of eight threads whose sleeps begin at random, one case in
/// a thousand is below (times between random moments on a circle).
const IN_STEP: f64 = 0.4;
/// The fewest milliseconds between the ends of sleeps in step. Users begin a millisecond apart, and so may end sleeps of equal length.
const STEP: Seconds = Seconds(0.002);

/// What a server lets in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Most requests that it answers at a time: its threads, or its tasks on virtual threads; `None` where it is not known.
    pub slots: Option<f64>,
}

/// A stack under load, and what its threads do.
struct Seen<'a> {
    stack: &'a StackSeen,
    activity: Activity<'a>,
    /// Threads that are there because of the load, mean.
    threads: f64,
    /// Whether they are threads of requests; others may work for requests.
    is_request: bool,
}

/// The threads of a pool, by the name that they have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// All of them under load, mean.
    threads: f64,
    /// Threads that wait for work.
    idle: f64,
    /// Threads that wait for events.
    events: f64,
    /// Threads that are held in reserve.
    reserved: f64,
    /// Threads that work because of the load.
    busy: f64,
    /// Threads that work within a method of the application.
    ours: f64,
    /// Threads that answer requests.
    requests: f64,
    /// Whether a thread waited for work at any time; threads of event loops never do.
    has_idle: bool,
    /// Whether a thread waited for events at any time.
    has_events: bool,
    /// Whether a thread was held in reserve at any time.
    has_reserved: bool,
}

impl Group {
    /// Whether all of its threads are taken.
    fn is_full(&self) -> bool {
        let free = match self.has_idle || self.has_reserved {
            true => self.idle,
            false => self.events,
        };
        self.busy > HELPERS && free <= (1.0 - TAKEN) * self.threads
    }

    /// Whether they work for requests of other threads, in methods of the application.
    fn helps(&self) -> bool {
        2.0 * self.requests < self.busy && 2.0 * self.ours >= self.busy
    }

    /// Whether they are the threads that handle the events of all connections.
    const fn is_event_loop(&self) -> bool {
        !self.has_idle && !self.has_reserved && self.has_events
    }

    /// Threads that serve no request, because the server needs them itself; 0 for event loops.
    fn kept(&self) -> f64 {
        if self.is_event_loop() { 0.0 } else { self.events + self.reserved }
    }
}

/// All requests in flight.
#[derive(Debug, Default)]
pub(super) struct Flow<'a> {
    pub(super) spots: Spots<'a>,
    pub(super) awaited: Awaited,
    /// Whether the threads of the server that are all taken are its event loops.
    pub(super) on_event_loops: bool,
    /// The threads that are all busy and answer no requests themselves, by the name that they have in common.
    pub(super) busy_helpers: Option<String>,
    /// Threads of the pool that is taken which serve no request.
    pub(super) kept: f64,
    /// The pool whose threads wait for tasks of its own.
    pub(super) own_tasks: Option<OwnTasks>,
}

/// Requests that are not seen at a place of their own.
#[derive(Debug, Default)]
struct Open {
    /// Requests whose thread waits for another thread.
    waiting: f64,
    /// Requests without a thread.
    without: f64,
}

impl Open {
    const fn all(&self) -> f64 {
        self.waiting + self.without
    }

    /// Takes away requests that are seen elsewhere, first those with a thread.
    fn take(&mut self, requests: f64) {
        let waiting = requests.min(self.waiting);
        self.waiting -= waiting;
        self.without = (self.without - (requests - waiting)).max(0.0);
    }
}

impl<'a> Flow<'a> {
    /// Where the requests were during an inspection.
    pub(super) fn of(inspection: &'a Inspection, limits: Limits) -> Self {
        let in_flight = inspection.mean_in_flight().0;
        let seen = seen(inspection);
        let groups = groups(inspection, &seen);
        let busy = groups.iter().filter(|(_, group)| group.requests <= 0.0 && group.is_full());
        let busiest = busy.max_by(|one, other| one.1.busy.total_cmp(&other.1.busy));
        let mut flow = Self {
            awaited: Awaited::of(inspection),
            busy_helpers: busiest.map(|(names, _)| (*names).to_owned()),
            ..Self::default()
        };
        flow.own_tasks = own_tasks(&seen, &groups, flow.awaited.answers);
        let mut open = flow.add_requests(&seen);
        flow.settle_sleeps(inspection);
        let with_threads = flow.spots.requests() + open.waiting;
        open.without = (in_flight - with_threads).max(0.0);
        flow.settle_sockets();
        flow.add_server_queue(&seen, &groups, limits, (in_flight, with_threads), &mut open);
        flow.add_helpers(&seen, &mut open, in_flight);
        flow.settle_answers(in_flight);
        flow.add_awaited(&seen, &mut open);
        flow.add_queued(&groups, open, in_flight);
        flow
    }

    /// Requests without a thread wait for one, if all threads of the server are taken.
    fn add_server_queue(
        &mut self,
        seen: &[Seen<'a>],
        groups: &BTreeMap<&str, Group>,
        limits: Limits,
        (in_flight, with_threads): (f64, f64),
        open: &mut Open,
    ) {
        let fullest = server_group(groups).filter(|(names, group)| {
            let all = group.threads + renamed(groups, names);
            // The limit of a pool is none of event loops, which may do the work of its threads.
            let grown = limits.slots.is_none_or(|slots| all >= TAKEN * slots);
            group.is_full() && (grown || group.is_event_loop())
        });
        let tasks = limits.slots.filter(|slots| with_threads >= TAKEN * slots);
        if tasks.is_none() && fullest.is_none() || open.without < QUEUED * in_flight {
            return;
        }
        let serves = |one: &Seen<'_>| one.stack.frames.iter().any(|method| serves_request(method));
        let is_event_loop = fullest.is_some_and(|(_, group)| group.is_event_loop());
        let of_server = is_event_loop || limits.slots.is_some() || seen.iter().any(serves);
        let doing = if of_server { Doing::ServerThread } else { Doing::Thread };
        let names = fullest.map(|(names, _)| names.to_owned());
        let kept = |(names, group): (&str, Group)| (group.kept(), renamed(groups, names));
        let (kept, renamed) = fullest.filter(|_| tasks.is_none()).map_or((0.0, 0.0), kept);
        self.kept = kept + renamed;
        let slots = tasks.or(fullest.map(|(_, group)| group.threads - kept));
        self.on_event_loops = is_event_loop;
        self.queue(doing, names, open.without, slots);
        open.without = 0.0;
    }

    /// Adds requests by what their threads do, and returns requests whose threads wait for others.
    fn add_requests(&mut self, seen: &[Seen<'a>]) -> Open {
        let helpers = seen.iter().filter(|one| !one.is_request && one.activity.method.is_some());
        let working = helpers.filter(|one| one.activity.is_work());
        let helped = working.map(|one| one.threads).sum::<f64>() >= HELPERS;
        let mut open = Open::default();
        for one in seen.iter().filter(|one| one.is_request && one.activity.is_work()) {
            match one.activity.kind {
                Kind::Result => open.waiting += one.threads,
                Kind::Queue | Kind::Signal if helped => open.waiting += one.threads,
                _ => self.spots.add(one.stack, &one.activity, one.threads),
            }
        }
        open
    }

    /// Threads that sleep in turn, so that their sleeps end in step, wait in a limiter of rates, whoever has written it.
    fn settle_sleeps(&mut self, inspection: &Inspection) {
        for spot in self.spots.all.iter_mut().filter(|spot| spot.kind == Kind::Sleep) {
            if spot.requests >= IN_TURN
                && spot.method.is_some_and(|method| sleeps_in_turn(inspection, method))
            {
                (spot.kind, spot.doing) = (Kind::Limiter, Doing::Limiter);
            }
        }
    }

    /// A thread that waits at a socket waits for an answer, if the kernel knows of one, and otherwise for its own client.
    fn settle_sockets(&mut self) {
        let (answers, sockets) = (self.spots.doing(Kind::Answer), self.spots.doing(Kind::Socket));
        let confirmed = (self.awaited.answers - answers).clamp(0.0, sockets);
        let share = confirmed / sockets.max(1e-9);
        let (unsettled, settled) = std::mem::take(&mut self.spots.all)
            .into_iter()
            .partition(|spot: &Spot<'_>| spot.kind == Kind::Socket);
        self.spots.all = settled;
        for spot in unsettled {
            let part = |kind, doing, share: f64| Spot {
                kind,
                doing,
                requests: spot.requests * share,
                stacks: spot.stacks.iter().map(|(stack, n)| (*stack, n * share)).collect(),
                ..spot.clone()
            };
            self.spots.put(part(Kind::Answer, Doing::Answer, share));
            self.spots.put(part(Kind::Client, Doing::Client, 1.0 - share));
        }
    }

    /// Threads that are parked until a client has an answer wait for the client itself, as far as the kernel knows of fewer answers
    /// that have still to come. Where several requests share a connection, it tells of one answer for all of them.
    fn settle_answers(&mut self, in_flight: f64) {
        let is_parked = |(stack, _): &(&StackSeen, f64)| stack.state == ThreadState::Waiting;
        let answers = self.spots.all.iter().filter(|spot| spot.kind == Kind::Answer);
        let stacks = answers.flat_map(|spot| spot.stacks.iter().copied().filter(is_parked));
        let parked: f64 = stacks.map(|(_, requests)| requests).sum();
        let beyond = self.spots.doing(Kind::Answer) - self.awaited.answers;
        let has_free = |back_end: &BackEnd| back_end.exchanges.is_some() && back_end.has_free_connections();
        let are_counted = self.awaited.all_awaited().all(has_free) && self.awaited.most_awaited().is_some();
        if !are_counted || beyond < HAS_ANSWER * in_flight || parked < beyond {
            return;
        }
        let share = beyond / parked;
        let mut own = Vec::new();
        for spot in self.spots.all.iter_mut().filter(|spot| spot.kind == Kind::Answer) {
            let (waiting, others): (Vec<_>, Vec<_>) = spot.stacks.drain(..).partition(is_parked);
            let moved: Vec<_> = waiting.iter().map(|(stack, n)| (*stack, n * share)).collect();
            let stay = waiting.iter().map(|(stack, n)| (*stack, n * (1.0 - share)));
            spot.stacks = others.into_iter().chain(stay).collect();
            let requests: f64 = moved.iter().map(|(_, n)| n).sum();
            spot.requests -= requests;
            let (kind, doing) = (Kind::OwnClient, Doing::OwnClient);
            own.push(Spot { kind, doing, requests, stacks: moved, ..spot.clone() });
        }
        own.into_iter().for_each(|spot| self.spots.put(spot));
    }

    /// Threads that work for requests stand for these. Where there are more of them, a request has several.
    fn add_helpers(&mut self, seen: &[Seen<'a>], open: &mut Open, in_flight: f64) {
        let works = |one: &&Seen<'_>| {
            let kind = one.activity.kind;
            !one.is_request && one.activity.is_work() && !matches!(kind, Kind::Client | Kind::Result)
        };
        let working: f64 = seen.iter().filter(works).map(|one| one.threads).sum();
        if working <= 0.0 || open.all() < QUEUED * in_flight {
            return;
        }
        let share = (open.all() / working).min(1.0);
        for one in seen.iter().filter(works) {
            self.spots.add(one.stack, &one.activity, one.threads * share);
        }
        open.take(working * share);
        self.settle_sockets();
    }

    /// Requests for which an answer is awaited by other threads than theirs, or without any. Threads that wait for another thread tell where in
    /// the application that is.
    fn add_awaited(&mut self, seen: &[Seen<'a>], open: &mut Open) {
        let in_threads = self.spots.doing(Kind::Answer);
        let elsewhere = (self.awaited.answers - in_threads).clamp(0.0, open.all());
        let address = || self.awaited.address.clone();
        let answer = |requests| Spot::without_threads(Kind::Answer, Doing::Answer, address(), requests);
        let waits = |one: &&Seen<'_>| one.is_request && one.activity.kind == Kind::Result;
        let threads: f64 = seen.iter().filter(waits).map(|one| one.threads).sum();
        let waiting = elsewhere.min(open.waiting).min(threads);
        let of_threads = seen.iter().filter(waits).map(|one| {
            let of_thread = Spot::of(one.stack, &one.activity, one.threads * waiting / threads);
            Spot { kind: Kind::Answer, doing: Doing::Answer, what: address(), ..of_thread }
        });
        let all: Vec<Spot<'a>> = of_threads.chain([answer(elsewhere - waiting)]).collect();
        all.into_iter().for_each(|spot| self.spots.put(spot));
        open.take(elsewhere);
    }

    /// The rest waits for a thread of an executor, for a connection of a client, or for something that is not seen.
    fn add_queued(&mut self, groups: &BTreeMap<&str, Group>, open: Open, in_flight: f64) {
        let helpers = groups.iter().filter(|(_, group)| group.helps() && group.is_full());
        let fullest = helpers.max_by(|one, other| one.1.busy.total_cmp(&other.1.busy));
        let used_up = self.awaited.used_up;
        if open.all() < QUEUED * in_flight {
            self.leave(&open);
        } else if let Some((names, group)) = fullest.filter(|(_, group)| !group.is_event_loop()) {
            self.queue(Doing::Thread, Some((*names).to_owned()), open.all(), Some(group.threads));
        } else if used_up > 0.0 {
            let address = self.awaited.address.clone();
            let mut spot = Spot::without_threads(Kind::Pool, Doing::Pool, address, open.all());
            spot.slots = Some(used_up);
            self.spots.put(spot);
        } else if let Some((names, group)) = fullest {
            self.on_event_loops = true;
            self.queue(Doing::ServerThread, Some((*names).to_owned()), open.all(), Some(group.threads));
        } else {
            self.leave(&open);
        }
    }

    /// Requests that wait for what is not seen.
    fn leave(&mut self, open: &Open) {
        let waiting = Spot::without_threads(Kind::Result, Doing::Result, None, open.waiting);
        let without = Spot::without_threads(Kind::Other, Doing::NoThread, None, open.without);
        self.spots.put(waiting);
        self.spots.put(without);
    }

    /// Requests that wait for a thread.
    fn queue(&mut self, doing: Doing, names: Option<String>, requests: f64, slots: Option<f64>) {
        let mut spot = Spot::without_threads(Kind::Other, doing, names, requests);
        spot.slots = slots;
        self.spots.put(spot);
    }
}

/// Whether the sleeps in a method end one after the other in even steps.
fn sleeps_in_turn(inspection: &Inspection, method: &str) -> bool {
    let seen = inspection.jfr.as_ref().and_then(|jfr| jfr.sleeps.get(method));
    let in_step = |sleeps: &&SleepsSeen| sleeps.spread.is_some_and(|spread| spread <= IN_STEP);
    seen.filter(in_step)
        .is_some_and(|sleeps| sleeps.count >= SLEEPS && inspection.seconds >= STEP * sleeps.count as f64)
}

/// The stacks that are there because of the load.
fn seen(inspection: &Inspection) -> Vec<Seen<'_>> {
    let Some(loaded) = &inspection.loaded else {
        return Vec::new();
    };
    let mut seen: Vec<Seen<'_>> = Vec::new();
    for stack in loaded.stacks.iter().filter(|stack| !stack.frames.is_empty()) {
        // Threads with one stack that wait for objects of several classes are counted together.
        if seen.iter().any(|one| one.stack.is_same(stack)) {
            continue;
        }
        let is_request = stack.frames.iter().any(|method| serves_request(method));
        let activity = Activity::of(stack);
        let may_never_end = is_request || activity.kind == Kind::Result && is_in_worker(stack);
        let threads = match may_never_end && inspection.ok == 0 {
            // Requests that never end are there without load, too, and so are the tasks that work for them.
            true => inspection.threads_under_load(stack).0,
            false => inspection.threads_by_load(stack).0,
        };
        if threads >= SEEN || !activity.is_work() {
            seen.push(Seen { stack, activity, threads: threads.max(0.0), is_request });
        }
    }
    let work = || seen.iter().filter(|one| one.activity.is_work());
    if !work().any(|one| one.is_request) {
        // A server of the application's own: its requests are where its methods are.
        for one in &mut seen {
            one.is_request = one.activity.is_work() && one.activity.method.is_some();
        }
    }
    seen
}

/// The pool whose threads wait for tasks of its own.
fn own_tasks(seen: &[Seen<'_>], groups: &BTreeMap<&str, Group>, answers: f64) -> Option<OwnTasks> {
    let full = groups.iter().filter(|(_, group)| group.is_full());
    let full = full.map(|(names, group)| (*names, group.threads)).collect();
    let all = seen.iter().filter(|one| one.threads > 0.0);
    let all = all.map(|one| Task { stack: one.stack, activity: &one.activity, threads: one.threads });
    OwnTasks::of(&all.collect::<Vec<Task<'_, '_>>>(), &full, answers)
}

/// The threads by the names of their pools.
fn groups<'a>(inspection: &'a Inspection, seen: &[Seen<'a>]) -> BTreeMap<&'a str, Group> {
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    let add_idle =
        |groups: &mut BTreeMap<&'a str, Group>, samples: &'a Option<ThreadSamples>, is_loaded: bool| {
            let Some(samples) = samples else { return };
            for stack in samples.stacks.iter().filter(|stack| !stack.is_virtual) {
                let group = groups.entry(stack.group.as_str()).or_default();
                let threads = stack.threads as f64 / f64::from(samples.dumps.max(1));
                let kind = Activity::of(stack).kind;
                group.has_idle |= kind == Kind::Idle;
                group.has_events |= kind == Kind::Events;
                group.has_reserved |= kind == Kind::Reserved;
                if is_loaded {
                    group.threads += threads;
                    group.idle += if kind == Kind::Idle { threads } else { 0.0 };
                    group.events += if kind == Kind::Events { threads } else { 0.0 };
                    group.reserved += if kind == Kind::Reserved { threads } else { 0.0 };
                }
            }
        };
    add_idle(&mut groups, &inspection.loaded, true);
    add_idle(&mut groups, &inspection.idle, false);
    for one in seen.iter().filter(|one| !one.stack.is_virtual && one.activity.is_work()) {
        let group = groups.entry(one.stack.group.as_str()).or_default();
        group.busy += one.threads;
        group.ours += if one.activity.method.is_some() { one.threads } else { 0.0 };
        group.requests += if one.is_request { one.threads } else { 0.0 };
    }
    groups
}

/// Counts the threads of a pool that work for the server itself. Jetty, for one, gives a thread a longer name while it accepts connections.
fn renamed(groups: &BTreeMap<&str, Group>, names: &str) -> f64 {
    let others = groups.iter().filter(|(other, _)| other.len() > names.len() && other.starts_with(names));
    others.map(|(_, group)| group.threads).sum()
}

/// The pool whose threads answer most requests.
fn server_group<'a>(groups: &BTreeMap<&'a str, Group>) -> Option<(&'a str, Group)> {
    let all = groups.iter().filter(|(_, group)| group.requests > 0.0);
    let most = all.max_by(|one, other| one.1.requests.total_cmp(&other.1.requests));
    most.map(|(names, group)| (*names, *group))
}
