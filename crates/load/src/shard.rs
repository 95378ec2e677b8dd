//! [`Shard`]: one core's event loop. It serves every kind of load; what differs is only where due times come from.
//!
//! A turn: cross the edges of the window, give up what takes too long, connect what is missing, send what is due, wait,
//! handle events. A response that arrives is answered by the next request at once, without going round the loop.

mod connecting;
mod exchange;
mod open;
mod secure;
mod users;

use crate::Error;
use crate::attention::Attention;
use crate::clock::Clock;
use crate::conn::{Conn, Phase};
use crate::http1::{FirstAnswer, Memo};
use crate::port::Port;
use crate::recorder::{Closing, Cohort, Recorder};
use crate::slice::{Edge, SelfCheck, Slice, Window};
use crate::tls;
use crate::workload::Workload;
use model::plan::{Plan, Target};
use model::units::Nanos;
use open::Open;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use users::Crowd;

/// A socket with nothing in it takes so many bytes at once.
const WHOLE: usize = 16 * 1024;
/// Longest wait, so that `stop` is seen.
const LONGEST_WAIT: Nanos = Nanos::from_millis(50);
/// Decrypted bytes read at once: the longest record.
const PLAIN: usize = 16 * 1024;
/// A window without end: ten years.
const LONGEST_WINDOW: Nanos = Nanos::from_secs(10 * 365 * 86_400);
/// Intervals that get their place in memory beforehand.
const MOST_SECONDS: u64 = 3600;

/// What part of a slice the loop is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Settling,
    Counting,
    /// Nothing new is claimed; what is in flight, and what was due before the end, is finished.
    Draining,
}

/// One core's event loop with its connections and its recorder.
#[derive(Debug)]
pub(crate) struct Shard {
    plan: Arc<Plan>,
    index: usize,
    port: Port,
    clock: Clock,
    memo: Memo,
    tls: Option<Arc<tls::Config>>,
    /// Decrypted bytes of one read; empty without TLS.
    plain: Box<[u8]>,
    conns: Vec<Conn>,
    /// Slots that need a connection.
    missing: Vec<usize>,
    /// Where slots belong to nobody: idle connections, the longest idle one first, each with the generation it was put here with.
    free: VecDeque<(usize, u32)>,
    /// Open model: the schedule of this slice.
    open: Option<Open>,
    /// Closed model: the users.
    crowd: Crowd,
    workload: Workload,
    /// Requests that may still be claimed in this slice.
    left: Option<u64>,
    /// No connection is begun before.
    next_connect: Nanos,
    recorder: Recorder,
    stage: Stage,
    /// When the present stage ends at the latest.
    stage_ends: Nanos,
    counted: Nanos,
    cpu_at_begin: Nanos,
    /// Slots in [`Phase::Busy`], [`Phase::Connecting`], [`Phase::Handshaking`] and [`Phase::Resting`]: those that a sweep may have to act on.
    watched: usize,
    busy: usize,
    next_sweep: Nanos,
    /// Requests whose repetition does no harm, so that one lost to a stale connection may be sent again.
    repeatable: Vec<bool>,
    slices: u64,
    overloaded: bool,
}

impl Shard {
    pub(crate) fn new(plan: Arc<Plan>, tls: Option<Arc<tls::Config>>, index: usize) -> Result<Self, Error> {
        let share = |total: usize| total / plan.shards + usize::from(index < total % plan.shards);
        let connections = share(plan.connections());
        let users = if plan.arrivals.open() {
            0
        } else {
            share(plan.arrivals.connections())
        };
        let cohort = if plan.arrivals.open() {
            Cohort::Due
        } else {
            Cohort::Ended
        };
        let longest = Workload::longest(&plan);
        let whole = |bytes: &[u8]| bytes.len() <= WHOLE;
        let single_writes =
            tls.is_none() && plan.pipeline == 1 && plan.requests.iter().all(|request| whole(&request.bytes));
        let repeatable = |bytes: &[u8]| !bytes.starts_with(b"POST ") && !bytes.starts_with(b"PATCH ");
        Ok(Self {
            index,
            port: Port::new(plan.kernel_times, single_writes)
                .map_err(Error::system("create an epoll instance"))?,
            clock: Clock::new(),
            memo: Memo::default(),
            plain: vec![0; if tls.is_some() { PLAIN } else { 0 }].into_boxed_slice(),
            tls,
            conns: (0..connections)
                .map(|_| Conn::new(plan.pipeline, longest))
                .collect(),
            missing: Vec::with_capacity(connections),
            free: VecDeque::with_capacity(connections * 2),
            open: None,
            crowd: Crowd::new(&plan, users, index),
            workload: Workload::new(&plan, index),
            left: None,
            next_connect: Nanos(0),
            recorder: Recorder::new(index, cohort, plan.time_wrong),
            stage: Stage::Draining,
            stage_ends: Nanos(0),
            counted: Nanos(0),
            cpu_at_begin: Nanos(0),
            watched: 0,
            busy: 0,
            next_sweep: Nanos(0),
            repeatable: plan
                .requests
                .iter()
                .map(|request| repeatable(&request.bytes))
                .collect(),
            slices: 0,
            overloaded: false,
            plan,
        })
    }

    /// One slice of load; see [`Session::run`](crate::Session::run).
    pub(crate) fn run(
        &mut self,
        start: Nanos,
        window: Window,
        stop: &AtomicBool,
        on_edge: &mut dyn FnMut(Edge<'_>),
    ) -> Result<Slice, Error> {
        let _attention = Attention::pay();
        self.prepare(start, window);
        // The server may have closed connections while nothing was asked of it.
        self.wait_and_handle(Nanos(0))?;
        self.engage_idle(start);
        let mut interrupted = false;
        let mut now = Clock::now();
        loop {
            self.clock.refresh(now);
            if stop.load(Ordering::Relaxed) {
                interrupted = true;
                self.finish_early(now, on_edge);
                break;
            }
            self.cross_edges(now, on_edge);
            if self.drained(now) {
                break;
            }
            self.sweep(now);
            self.connect_missing(now);
            self.wake_users(now);
            self.send_due();
            // Due times are met to the microsecond; a closed loop without them saves the reading.
            let exact = self.shared() || self.crowd.next_wake().is_some();
            let timeout = self.timeout(if exact { Clock::now() } else { now });
            now = self.wait_and_handle(timeout)?;
        }
        Ok(self.finish(interrupted))
    }

    /// What this shard was answered first.
    pub(crate) const fn first_answer(&self) -> &FirstAnswer {
        &self.memo.first
    }

    /// This shard's part of something counted over all.
    fn share(&self, total: u64) -> u64 {
        let shards = self.plan.shards as u64;
        total / shards + u64::from((self.index as u64) < total % shards)
    }

    fn prepare(&mut self, start: Nanos, window: Window) {
        self.stage = Stage::Settling;
        self.stage_ends = start + window.settle;
        self.counted = window.counted.min(LONGEST_WINDOW);
        self.overloaded = false;
        self.left = self.plan.limit.map(|limit| self.share(limit));
        self.crowd.prepare(&self.plan, start, self.index);
        self.next_sweep = start;
        self.recorder
            .clear(self.counted.0.div_ceil(1_000_000_000).min(MOST_SECONDS) as usize + 1);
        self.missing.clear();
        self.missing.extend(
            (0..self.conns.len())
                .filter(|&slot| self.conns[slot].socket.is_none())
                .filter(|&slot| {
                    !self.crowd.users.get(slot).is_some_and(|user| user.away) || self.crowd.pool.is_some()
                })
                .rev(),
        );
        let left = self.left;
        self.open = Open::new(&self.plan, start, self.index, self.slices).map(|open| open.limited(left));
        self.slices += 1;
    }

    /// Puts the connections that stayed open since the last slice to work.
    fn engage_idle(&mut self, start: Nanos) {
        self.free.clear();
        for slot in 0..self.conns.len() {
            if self.conns[slot].phase == Phase::Idle {
                self.conns[slot].since = start;
                if self.shared() || !self.crowd.users[slot].away {
                    self.next_request(slot, Clock::now());
                }
            }
        }
    }

    /// Waits for events and handles them; the time this takes is what an answer may have waited to be seen. Returns the
    /// present time.
    fn wait_and_handle(&mut self, timeout: Nanos) -> Result<Nanos, Error> {
        let events = self
            .port
            .wait(timeout)
            .map_err(Error::system("wait for events"))?;
        let woke = Clock::now();
        for index in 0..events {
            self.handle(self.port.event(index));
        }
        if events == 0 {
            return Ok(woke);
        }
        let now = Clock::now();
        self.recorder.record_turn(now.since(woke));
        Ok(now)
    }

    /// Moves on to the next stage when its time has come, and ends a second.
    fn cross_edges(&mut self, now: Nanos, on_edge: &mut dyn FnMut(Edge<'_>)) {
        if self.stage != Stage::Draining && self.over() {
            if self.stage == Stage::Settling {
                self.begin_counting(on_edge);
            }
            return self.end_counting(on_edge);
        }
        if let Some(open) = &mut self.open {
            open.look_ahead(now);
            let waiting = open.offered - open.taken.min(open.offered);
            self.overloaded |= self.stage != Stage::Draining && waiting + self.busy as u64 > open.cap;
        }
        match self.stage {
            Stage::Settling if now >= self.stage_ends => self.begin_counting(on_edge),
            Stage::Counting if now >= self.stage_ends || self.overloaded => self.end_counting(on_edge),
            Stage::Counting if now >= self.recorder.second_ends() => {
                self.recorder.roll(now);
                self.tell_interval(on_edge);
            }
            _ => {}
        }
    }

    fn begin_counting(&mut self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        self.stage = Stage::Counting;
        if let Some(open) = &mut self.open {
            open.offered_at_begin = open.offered;
        }
        on_edge(Edge::CountedBegins);
        let now = Clock::now();
        self.stage_ends = now + self.counted;
        self.cpu_at_begin = Clock::thread_cpu();
        self.recorder.begin(now);
        self.tell_edge(now);
    }

    fn end_counting(&mut self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        let now = Clock::now();
        let generator_cpu = Clock::thread_cpu().since(self.cpu_at_begin);
        on_edge(Edge::CountedEnds);
        let mut offered = 0;
        if let Some(open) = &mut self.open {
            open.look_ahead(now);
            offered = open.offered - open.offered_at_begin;
            open.end = now;
        }
        self.tell_edge(now);
        self.recorder.end(
            now,
            Closing {
                generator_cpu,
                offered,
            },
        );
        self.tell_interval(on_edge);
        self.stage = Stage::Draining;
        self.stage_ends = if self.overloaded {
            now
        } else {
            now + self.plan.response_timeout
        };
    }

    fn tell_edge(&mut self, now: Nanos) {
        let busy = self.conns.iter().filter(|conn| conn.phase == Phase::Busy);
        let sent = busy.flat_map(|conn| std::iter::repeat_n(conn.sent, conn.asked()));
        self.recorder.cross_edge(now, sent);
    }

    fn tell_interval(&self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        if let Some(interval) = self.recorder.last_interval() {
            on_edge(Edge::Interval(interval));
        }
    }

    /// Whether the slice is over. Requests that were due and could not be sent in time are given up, and say so.
    fn drained(&mut self, now: Nanos) -> bool {
        if self.stage != Stage::Draining {
            return false;
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
        self.busy == 0
    }

    /// Ends the slice now: what is in flight is dropped.
    fn finish_early(&mut self, now: Nanos, on_edge: &mut dyn FnMut(Edge<'_>)) {
        if self.stage == Stage::Counting {
            self.end_counting(on_edge);
        }
        self.stage = Stage::Draining;
        for slot in 0..self.conns.len() {
            if self.conns[slot].phase == Phase::Busy {
                self.give_up(slot, now);
                self.close(slot);
            }
        }
    }

    fn finish(&mut self, interrupted: bool) -> Slice {
        for slot in 0..self.conns.len() {
            self.conns[slot].pending = false;
            self.conns[slot].behind.clear();
            if matches!(
                self.conns[slot].phase,
                Phase::Connecting | Phase::Handshaking | Phase::Resting
            ) {
                self.close(slot);
            }
        }
        let mut slice = self
            .recorder
            .finish(self.clock.steps(), self.overloaded, interrupted);
        let tcp = matches!(self.plan.target, Target::Tcp(_));
        slice.self_check.kernel_times = self.plan.kernel_times && tcp;
        if tcp {
            self.look_into_buffers(&mut slice.self_check);
        }
        slice
    }

    /// What the buffers of the open connections held up since the last slice.
    fn look_into_buffers(&mut self, found: &mut SelfCheck) {
        for conn in &mut self.conns {
            let Some(socket) = &conn.socket else { continue };
            let before = std::mem::replace(&mut conn.buffers, Port::buffers(socket));
            found.send_buffer_full = found.send_buffer_full + conn.buffers.send_full.since(before.send_full);
            found.receive_drops += u64::from(conn.buffers.drops.wrapping_sub(before.drops));
        }
    }

    /// Gives up what takes too long, and ends rests. All timeouts are alike, so a sweep now and then is cheaper than timers.
    fn sweep(&mut self, now: Nanos) {
        if now < self.next_sweep {
            return;
        }
        self.next_sweep = now + self.sweep_period();
        if self.watched == 0 {
            return;
        }
        let (connect, response) = (self.plan.connect_timeout, self.plan.response_timeout);
        for slot in 0..self.conns.len() {
            let conn = &self.conns[slot];
            match conn.phase {
                Phase::Busy if now.since(conn.sent) >= response => self.response_timed_out(slot, now),
                Phase::Connecting | Phase::Handshaking if now.since(conn.since) >= connect => {
                    self.connect_timed_out(slot, now)
                }
                Phase::Resting if now >= conn.since => {
                    self.set_phase(slot, Phase::Missing);
                    self.missing.push(slot);
                }
                _ => {}
            }
        }
    }

    /// A sixteenth of the shorter timeout, from 1 to 20 ms.
    fn sweep_period(&self) -> Nanos {
        let shorter = self.plan.connect_timeout.min(self.plan.response_timeout);
        Nanos((shorter.0 / 16).clamp(1_000_000, 20_000_000))
    }

    /// How long nothing has to be done unless an event comes.
    fn timeout(&self, now: Nanos) -> Nanos {
        let mut until = (now + LONGEST_WAIT).min(self.stage_ends);
        if !self.missing.is_empty() && self.may_connect() {
            until = until.min(self.next_connect);
        }
        if let Some(wake) = self.crowd.next_wake() {
            until = until.min(wake);
        }
        if self.stage == Stage::Counting {
            until = until.min(self.recorder.second_ends());
        }
        if self.watched > 0 {
            until = until.min(self.next_sweep);
        }
        if !self.free.is_empty() {
            until = until.min(self.next_due().unwrap_or(until));
        }
        until.since(now)
    }

    /// Changes what a slot does, and the counts of slots that go with it.
    fn set_phase(&mut self, slot: usize, phase: Phase) {
        let watched = |phase| {
            matches!(
                phase,
                Phase::Busy | Phase::Connecting | Phase::Handshaking | Phase::Resting
            )
        };
        let conn = &mut self.conns[slot];
        self.watched = self.watched + usize::from(watched(phase)) - usize::from(watched(conn.phase));
        self.busy = self.busy + usize::from(phase == Phase::Busy) - usize::from(conn.phase == Phase::Busy);
        conn.phase = phase;
    }

    /// Closes the slot's connection, if it has one.
    fn close(&mut self, slot: usize) {
        self.conns[slot].say_goodbye();
        self.set_phase(slot, Phase::Missing);
        self.conns[slot].close();
    }
}
