//! [`Shard`]: one core's event loop with its connections. It runs every kind of load; only the origin of the due times
//! differs.
//!
//! A turn of the loop crosses the edges of the counted window, handles timeouts, opens missing connections, sends the
//! requests that are due, waits for events and handles them. When a response is complete, its connection sends the next
//! request at once, within the same turn.

mod connecting;
mod edges;
mod exchange;
mod frames;
mod links;
mod open;
mod play;
mod secure;
mod server;
mod slots;
mod streams;
mod users;
mod wake;
mod web_socket;

use crate::clock::{self, ClockOffset};
use crate::conn::{Conn, ConnState};
use crate::error::{Act, Error};
use crate::http1::{FirstAnswer, Memo};
use crate::port::{Port, Token};
use crate::priority::LoopPriority;
use crate::recorder::{Cohort, Recorder};
use crate::request_picker::RequestPicker;
use crate::slice::{Edge, SelfCheck, Slice};
use crate::users::Traffic;
use links::Links;
use model::units::Nanos;
use open::OpenSchedule;
use play::Play;
pub(crate) use server::ServerLink;
use slots::all_slots;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use traffic::plan::{Http, Plan, Target, Window};
use users::ShardUsers;
use wake::WakeLead;

/// An empty send buffer takes at least this many bytes in one write.
const SINGLE_WRITE: usize = 16 * 1024;
/// The longest wait for events. After it the loop looks at `stop` again.
const LONGEST_WAIT: Nanos = Nanos::from_millis(50);
/// Size of the buffer for decrypted bytes: the longest TLS record.
const TLS_RECORD: usize = 16 * 1024;
/// Windows are limited to ten years, so that sums of times cannot overflow.
const LONGEST_WINDOW: Nanos = Nanos::from_secs(10 * 365 * 86_400);
/// Memory is reserved in advance for the intervals of at most this many seconds.
const MOST_SECONDS: u64 = 3600;

/// The part of a slice in which the loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SliceStage {
    /// Before the counted window.
    Settling,
    /// Within the counted window.
    Counting,
    /// After the counted window: the loop finishes requests in flight or due before the window's end, and
    /// begins no others.
    Draining,
}

/// One core's event loop with its connections and its recorder.
///
/// Connections are addressed by their slot, an index into `conns`. Without a pool, slot and user of a closed
/// model have the same number. Users who play sessions have such a slot for each server: first all slots for
/// the first server, in the order of the users, then all slots for the next one.
#[derive(Debug)]
pub(crate) struct Shard {
    plan: Arc<Plan>,
    /// The number of this shard, from 0.
    index: usize,
    port: Port,
    clock: ClockOffset,
    memo: Memo,
    /// The servers, the one that is loaded first.
    servers: Arc<[ServerLink]>,
    /// The decrypted bytes of one read; empty without TLS.
    decrypted: Box<[u8]>,
    conns: Vec<Conn>,
    /// The connections of HTTP/2, whose slots are behind all others; `None` with HTTP/1.
    links: Option<Links>,
    /// Slots that need a connection.
    missing: Vec<usize>,
    /// Idle connections where connections are shared, the one that has been idle longest first. An entry is
    /// outdated when its slot has another generation.
    free: VecDeque<Token>,
    /// Connections of WebSocket whose exchange is complete although nothing was received.
    ready: VecDeque<Token>,
    /// The schedule of the present slice; `None` in a closed model.
    open: Option<OpenSchedule>,
    /// How much earlier than a request of an open model is due the loop asks to be woken.
    wake_lead: WakeLead,
    /// The users of a closed model; empty in an open model.
    users: ShardUsers,
    picker: RequestPicker,
    /// The users who play sessions; `None` where the plan has requests instead.
    play: Option<Play>,
    /// Requests that may still be claimed in this slice; `None` without a limit.
    requests_left: Option<u64>,
    /// The time before which no further connection may be begun.
    next_connect: Nanos,
    /// How many connects were begun, and the number of the shard: sources and addresses take turns by it.
    connects_begun: usize,
    recorder: Recorder,
    stage: SliceStage,
    /// When the present stage ends, or the next answer after that ([`Plan::edges_at_answers`]).
    stage_ends: Nanos,
    /// The number of requests that had ended when the time of an edge came that waits for the next answer; `None` while none waits.
    edge_waits_at: Option<u64>,
    /// Length of the counted window.
    window_length: Nanos,
    /// CPU time of this thread when the counted window began.
    cpu_at_begin: Nanos,
    /// Number of slots that [`Shard::check_timeouts`] may have to act on: their state is [`ConnState::Busy`],
    /// [`ConnState::Connecting`], [`ConnState::Tunnelling`], [`ConnState::Handshaking`], [`ConnState::Upgrading`] or
    /// [`ConnState::Resting`].
    watched: usize,
    /// Number of slots that are [`ConnState::Busy`].
    busy: usize,
    next_timeout_check: Nanos,
    /// For each request of the plan, whether it is idempotent. If it is, it may be sent again after it was lost on a
    /// connection that the server had closed.
    idempotent: Vec<bool>,
    /// Number of slices begun; each has its own random arrivals.
    slices: u64,
    /// The slice is ended because too many requests are outstanding.
    overloaded: bool,
}

/// Whether each request is written alone, and is short enough to be written at once.
fn fits_single_writes(plan: &Plan) -> bool {
    let is_short = |bytes: &[u8]| bytes.len() <= SINGLE_WRITE;
    plan.pipeline == 1 && plan.requests.iter().all(|request| is_short(&request.bytes))
}

/// For each request of the plan, whether its method is idempotent (RFC 9110, section 9.2.2).
fn idempotent_requests(plan: &Plan) -> Vec<bool> {
    let is_idempotent = |bytes: &[u8]| !bytes.starts_with(b"POST ") && !bytes.starts_with(b"PATCH ");
    let requests = plan.requests.iter();
    requests.map(|request| is_idempotent(&request.bytes)).collect()
}

impl Shard {
    /// Takes all memory that the shard needs; connects nothing yet.
    ///
    /// # Errors
    ///
    /// [`Error::System`] when no epoll instance can be created.
    pub(crate) fn new(
        plan: Arc<Plan>,
        servers: Arc<[ServerLink]>,
        traffic: Option<Arc<Traffic>>,
        index: usize,
    ) -> Result<Self, Error> {
        let share = |total: usize| total / plan.shards + usize::from(index < total % plan.shards);
        let connections = share(plan.connections());
        let play = traffic.map(|traffic| Play::new(traffic, &plan, index));
        let is_open = plan.arrivals.open() && play.is_none();
        let users = if is_open { 0 } else { share(plan.arrivals.connections()) };
        let cohort = Cohort::of(&plan.arrivals);
        let steps = plan.sessions.as_ref().map_or(0, |sessions| sessions.program.steps.len());
        let streams = plan.requests.iter().any(|request| request.streaming.is_some());
        let encrypts = servers.iter().any(|server| server.tls.is_some());
        let is_http1 = plan.http == Http::One && plan.opening.is_none();
        let single_writes = is_http1 && !encrypts && play.is_none() && fits_single_writes(&plan);
        let (conns, links) = all_slots(&plan, &servers, connections, index, play.as_ref());
        Ok(Self {
            index,
            port: Port::new(plan.kernel_times, single_writes).map_err(Error::system(Act::CreateEpoll))?,
            clock: ClockOffset::measure(),
            memo: Memo::default(),
            decrypted: vec![0; if encrypts { TLS_RECORD } else { 0 }].into_boxed_slice(),
            missing: Vec::with_capacity(conns.len()),
            conns,
            links,
            servers,
            free: VecDeque::with_capacity(connections * 2),
            ready: VecDeque::new(),
            open: None,
            wake_lead: WakeLead::default(),
            users: ShardUsers::new(&plan, users, index),
            picker: RequestPicker::new(&plan, index),
            requests_left: None,
            next_connect: Nanos(0),
            connects_begun: index,
            recorder: Recorder::new(index, cohort, plan.time_wrong).with_steps(steps).with_events(streams),
            play,
            stage: SliceStage::Draining,
            stage_ends: Nanos(0),
            edge_waits_at: None,
            window_length: Nanos(0),
            cpu_at_begin: Nanos(0),
            watched: 0,
            busy: 0,
            next_timeout_check: Nanos(0),
            idempotent: idempotent_requests(&plan),
            slices: 0,
            overloaded: false,
            plan,
        })
    }

    /// Runs one slice of load that begins at `start`; see [`Session::run`](crate::Session::run).
    pub(crate) fn run(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<Slice, Error> {
        // A closed loop at full speed would use its CPU up, and takes no real-time priority.
        let real_time = self.plan.real_time && self.plan.arrivals.open();
        let cpu = self.plan.cpus.get(self.index).copied();
        let mut priority = LoopPriority::raise(real_time, cpu);
        let goes_on = self.goes_on();
        self.prepare(start, window);
        // The server may have closed connections since the last slice; these events are handled first.
        self.wait_and_handle(start, Nanos(0))?;
        if !goes_on {
            self.use_idle_connections(start);
        }
        let mut interrupted = false;
        let mut now = clock::now();
        loop {
            self.clock.refresh(now);
            priority.keep_within_bound(now, clock::thread_cpu_time);
            if stop.load(Ordering::Relaxed) {
                interrupted = true;
                self.abort(now, on_edge);
                break;
            }
            self.cross_edges(now, on_edge);
            if self.finish_draining(now) {
                break;
            }
            self.check_timeouts(now);
            self.connect_missing(now);
            self.begin_stages(now);
            self.wake_users(now);
            self.begin_sessions();
            self.send_due();
            self.flush_links();
            self.conclude_ready();
            // Due times are met to the microsecond. A closed loop without them does not need to read the clock again.
            let has_due_times = self.shares_connections() || self.users.next_wake().is_some();
            let before = if has_due_times { clock::now() } else { now };
            let timeout = self.wait_time(before);
            now = self.wait_and_handle(before, timeout)?;
        }
        Ok(self.finish(interrupted))
    }

    /// What the first response to this shard said.
    pub(crate) const fn first_answer(&self) -> &FirstAnswer {
        &self.memo.first
    }

    /// This shard's share of a number that is divided among all shards.
    fn share_of(&self, total: u64) -> u64 {
        let shards = self.plan.shards as u64;
        total / shards + u64::from((self.index as u64) < total % shards)
    }

    /// Whether the next slice goes on with the requests in flight and the users of the last one.
    fn goes_on(&self) -> bool {
        self.plan.continuous && self.slices > 0 && !self.plan.arrivals.open()
    }

    /// Resets everything that belongs to a slice.
    fn prepare(&mut self, start: Nanos, window: Window) {
        self.stage = SliceStage::Settling;
        self.stage_ends = start + window.settle;
        self.edge_waits_at = None;
        self.window_length = window.counted.min(LONGEST_WINDOW);
        self.overloaded = false;
        self.requests_left = self.plan.limit.map(|limit| self.share_of(limit));
        self.next_timeout_check = start;
        let seconds = self.window_length.0.div_ceil(1_000_000_000).min(MOST_SECONDS);
        let busy = self.conns.iter().filter(|conn| conn.state == ConnState::Busy);
        let in_flight = busy.map(|conn| conn.request_count() as u64).sum();
        self.recorder.prepare(seconds as usize + 1, in_flight);
        if !self.goes_on() {
            self.prepare_users(start);
        }
        self.slices += 1;
    }

    /// Begins a slice anew: with all its users and without requests in flight.
    fn prepare_users(&mut self, start: Nanos) {
        if self.play.is_some() {
            self.prepare_play(start);
        } else {
            self.users.prepare(&self.plan, start, self.index);
        }
        let lanes = if self.links.is_some() { self.request_slots() } else { 0 };
        self.missing.clear();
        self.missing.extend(
            (lanes..self.conns.len())
                .filter(|&slot| self.conns[slot].socket.is_none())
                .filter(|&slot| {
                    let user = self.users.list.get(self.conns[slot].user);
                    !user.is_some_and(|user| user.away) || self.users.pool.is_some()
                })
                .rev(),
        );
        let limit = self.requests_left;
        let is_open = self.play.is_none();
        let open = || OpenSchedule::new(&self.plan, start, self.index, self.slices);
        self.open = is_open.then(open).flatten().map(|open| open.with_limit(limit));
    }

    /// Lets the connections that stayed open since the last slice send their first requests.
    fn use_idle_connections(&mut self, start: Nanos) {
        self.free.clear();
        for slot in 0..self.conns.len() {
            if self.conns[slot].state == ConnState::Idle {
                self.conns[slot].since = start;
                if self.shares_connections() || !self.users.list[self.user_of(slot)].away {
                    self.next_request(slot, clock::now());
                }
            }
        }
    }

    /// Waits for events from `now` on, at most `timeout`, and handles them. Returns the time after that. The time that handling takes
    /// is recorded, because a response may have waited as long to be seen.
    fn wait_and_handle(&mut self, now: Nanos, timeout: Nanos) -> Result<Nanos, Error> {
        let events = self.port.wait(timeout).map_err(Error::system(Act::WaitForEvents))?;
        let woke = clock::now();
        for index in 0..events {
            self.handle(self.port.event(index));
        }
        if events == 0 {
            self.wake_lead.learn(timeout, woke.since(now));
            return Ok(woke);
        }
        let now = clock::now();
        self.recorder.record_turn(now.since(woke));
        Ok(now)
    }

    /// True when the slice is over. After the drain time, requests that were due and could not be sent are given up and
    /// recorded as unsent.
    fn finish_draining(&mut self, now: Nanos) -> bool {
        if self.stage != SliceStage::Draining {
            return false;
        }
        if self.plan.continuous && !self.plan.arrivals.open() {
            return true;
        }
        if let Some(open) = &mut self.open {
            while now >= self.stage_ends
                && let Some(due) = open.next_due()
            {
                open.take();
                self.recorder.record_unsent(due, now);
            }
            if open.next_due().is_some() {
                return false;
            }
        }
        let is_done = self.busy == 0 && !self.is_waited();
        if is_done {
            self.give_up_sessions(now);
        }
        is_done
    }

    /// Ends the slice at once and drops the requests in flight.
    fn abort(&mut self, now: Nanos, on_edge: &mut dyn FnMut(Edge<'_>)) {
        if self.stage == SliceStage::Counting {
            self.end_counting(on_edge);
        }
        self.stage = SliceStage::Draining;
        for slot in 0..self.conns.len() {
            if self.conns[slot].state == ConnState::Busy {
                self.abandon_requests(slot, now);
                self.close(slot);
            }
        }
    }

    /// Waits for the requests in flight after the last of several slices that went on with each other, and records nothing of them.
    ///
    /// # Errors
    ///
    /// [`Error::System`] when waiting for events fails.
    pub(crate) fn drain(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        let mut now = clock::now();
        self.stage = SliceStage::Draining;
        self.stage_ends = now + self.plan.response_timeout;
        while self.busy > 0 && now < self.stage_ends && !stop.load(Ordering::Relaxed) {
            self.check_timeouts(now);
            self.flush_links();
            self.conclude_ready();
            let timeout = self.wait_time(now);
            now = self.wait_and_handle(now, timeout)?;
        }
        Ok(())
    }

    /// Closes connections that are not ready yet, and forgets what they were to send.
    fn close_unready(&mut self) {
        for slot in 0..self.conns.len() {
            self.conns[slot].pending = false;
            self.conns[slot].behind.clear();
            if matches!(
                self.conns[slot].state,
                ConnState::Connecting
                    | ConnState::Tunnelling
                    | ConnState::Handshaking
                    | ConnState::Greeting
                    | ConnState::Upgrading
                    | ConnState::Resting
            ) {
                self.close(slot);
            }
        }
    }

    /// Returns the results of the slice.
    fn finish(&mut self, interrupted: bool) -> Slice {
        if !self.plan.continuous {
            self.close_unready();
        }
        let mut slice = self.recorder.finish(self.clock.steps(), self.overloaded, interrupted);
        let is_tcp = matches!(self.plan.target, Target::Tcp(_));
        slice.self_check.kernel_times = self.plan.kernel_times && is_tcp;
        if !self.plan.arrivals.open() {
            slice.think = self.plan.users.think.mean();
        }
        if let Some(pause) = self.stop_play(clock::now(), slice.requests) {
            slice.think = pause;
            slice.sessions = self.counted_sessions();
        }
        if is_tcp {
            self.add_buffer_statistics(&mut slice.self_check);
        }
        slice
    }

    /// Adds the time that the socket buffers of the open connections held up requests, and the segments that they dropped,
    /// since the last slice.
    fn add_buffer_statistics(&mut self, check: &mut SelfCheck) {
        for conn in &mut self.conns {
            let Some(socket) = &conn.socket else { continue };
            let before = std::mem::replace(&mut conn.buffers, Port::buffer_statistics(socket));
            check.send_buffer_full = check.send_buffer_full + conn.buffers.send_full.since(before.send_full);
            check.receive_drops += u64::from(conn.buffers.drops.wrapping_sub(before.drops));
        }
    }

    /// Ends requests and connects that take too long, and the rest after failed connects. All timeouts of a kind are
    /// equal, so checking all slots now and then is cheaper than a timer for each.
    fn check_timeouts(&mut self, now: Nanos) {
        if now < self.next_timeout_check {
            return;
        }
        self.next_timeout_check = now + self.timeout_check_period();
        if self.watched == 0 {
            return;
        }
        let (connect, response) = (self.plan.connect_timeout, self.plan.response_timeout);
        for slot in 0..self.conns.len() {
            let conn = &self.conns[slot];
            match conn.state {
                ConnState::Busy if now.since(conn.sent) >= conn.timeout.unwrap_or(response) => {
                    self.response_timed_out(slot, now)
                }
                ConnState::Connecting
                | ConnState::Tunnelling
                | ConnState::Handshaking
                | ConnState::Greeting
                | ConnState::Upgrading
                    if now.since(conn.since) >= connect =>
                {
                    self.connect_timed_out(slot, now)
                }
                ConnState::Queued if now.since(conn.since) >= response => self.wait_timed_out(slot, now),
                ConnState::Resting if now >= conn.since => {
                    self.set_state(slot, ConnState::Missing);
                    self.missing.push(slot);
                }
                _ => {}
            }
        }
    }

    /// The time between two checks of the timeouts: a sixteenth of the shorter timeout, at least 1 and at most 20 ms.
    fn timeout_check_period(&self) -> Nanos {
        let shorter = self.plan.connect_timeout.min(self.plan.response_timeout);
        Nanos((shorter.0 / 16).clamp(1_000_000, 20_000_000))
    }

    /// How long the loop may wait for events before something else has to be done.
    fn wait_time(&self, now: Nanos) -> Nanos {
        if !self.ready.is_empty() {
            return Nanos(0);
        }
        let mut until = now + LONGEST_WAIT;
        if self.edge_waits_at.is_none() {
            until = until.min(self.stage_ends);
        }
        if !self.missing.is_empty() && self.may_connect() {
            until = until.min(self.next_connect);
        }
        if self.stage == SliceStage::Counting {
            until = until.min(self.recorder.second_ends());
        }
        if self.watched > 0 {
            until = until.min(self.next_timeout_check);
        }
        // Whatever else ends the wait need not be met so exactly as a due time.
        let due = self.next_due_time().map_or(LONGEST_WAIT, |due| self.wake_lead.wait(now, due));
        until.since(now).min(due)
    }

    /// When the next request, session or user of this shard is due; `None` where none waits for a time.
    fn next_due_time(&self) -> Option<Nanos> {
        let request = (!self.free.is_empty()).then(|| self.next_due()).flatten();
        let session = self.play.as_ref().and_then(Play::next_session);
        [request, self.users.next_wake(), session].into_iter().flatten().min()
    }

    /// Changes the state of a slot and updates the numbers of slots in each state.
    fn set_state(&mut self, slot: usize, state: ConnState) {
        let is_watched = |state| {
            matches!(
                state,
                ConnState::Busy
                    | ConnState::Connecting
                    | ConnState::Tunnelling
                    | ConnState::Handshaking
                    | ConnState::Greeting
                    | ConnState::Upgrading
                    | ConnState::Queued
                    | ConnState::Resting
            )
        };
        let conn = &mut self.conns[slot];
        if (state == ConnState::Queued) != (conn.state == ConnState::Queued) {
            self.recorder.stream_waiters_changed(state == ConnState::Queued, clock::now());
        }
        self.watched = self.watched + usize::from(is_watched(state)) - usize::from(is_watched(conn.state));
        self.busy =
            self.busy + usize::from(state == ConnState::Busy) - usize::from(conn.state == ConnState::Busy);
        conn.state = state;
    }

    /// Closes the connection of a slot if it has one.
    fn close(&mut self, slot: usize) {
        if self.is_lane(slot) {
            return self.end_stream(slot);
        }
        self.keep_tls_failure(slot);
        self.close_channel(slot);
        self.conns[slot].send_close_notify();
        self.set_state(slot, ConnState::Missing);
        self.conns[slot].close();
    }
}
