//! [`Shard`]: one core's event loop. It serves every kind of load; what differs is only where due times come from.
//!
//! A turn: cross the edges of the window, give up what takes too long, connect what is missing, send what is due, wait,
//! handle events. A response that arrives is answered by the next request at once, without going round the loop.

mod connecting;
mod exchange;

use crate::Error;
use crate::clock::Clock;
use crate::conn::{Conn, Phase};
use crate::http1::Memo;
use crate::port::Port;
use crate::recorder::{Closing, Cohort, Recorder};
use crate::schedule::DueTimes;
use crate::slice::{Edge, Slice, Window};
use model::plan::{Arrivals, Plan};
use model::units::Nanos;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest wait, so that `stop` is seen.
const LONGEST_WAIT: Nanos = Nanos::from_millis(50);

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
    conns: Vec<Conn>,
    /// Slots that need a connection.
    missing: Vec<usize>,
    /// Open model: idle connections, the longest idle one first, each with the generation it was put here with.
    free: VecDeque<(usize, u32)>,
    /// Open model: the schedule of this slice.
    open: Option<Open>,
    recorder: Recorder,
    stage: Stage,
    /// When the present stage ends at the latest.
    stage_ends: Nanos,
    counted: Nanos,
    cpu_at_begin: Nanos,
    /// Slots in [`Phase::Busy`], [`Phase::Connecting`] and [`Phase::Resting`]: those that a sweep may have to act on.
    watched: usize,
    busy: usize,
    next_sweep: Nanos,
    /// Requests whose repetition does no harm, so that one lost to a stale connection may be sent again.
    repeatable: Vec<bool>,
    slices: u64,
    overloaded: bool,
}

/// The schedule of an open slice. The queue of requests that are due and not sent is the gap between two readers of the
/// same due times, so it takes no memory however long it gets.
#[derive(Debug)]
struct Open {
    start: Nanos,
    /// Reads ahead, to the present: counts what is due.
    ahead: DueTimes,
    /// Reads behind: the next request to be sent.
    behind: DueTimes,
    offered: u64,
    taken: u64,
    offered_at_begin: u64,
    /// Requests due at this time or later are not of this slice.
    end: Nanos,
    /// So many outstanding requests end the slice.
    cap: u64,
    /// Which of the plan's requests is next.
    turn: usize,
}

impl Open {
    /// The due time of the next request to be sent, if the slice still has one.
    fn next_due(&self) -> Option<Nanos> {
        let due = self.start + self.behind.peek();
        (due < self.end).then_some(due)
    }

    fn take(&mut self) {
        self.behind.next();
        self.taken += 1;
    }
}

impl Shard {
    pub(crate) fn new(plan: Arc<Plan>, index: usize) -> Result<Self, Error> {
        let share = |total: usize| total / plan.shards + usize::from(index < total % plan.shards);
        let connections = share(plan.arrivals.connections());
        let cohort = match plan.arrivals {
            Arrivals::Closed { .. } => Cohort::Ended,
            Arrivals::Open { .. } => Cohort::Due,
        };
        let repeatable = |bytes: &[u8]| !bytes.starts_with(b"POST ") && !bytes.starts_with(b"PATCH ");
        Ok(Self {
            index,
            port: Port::new(plan.kernel_times).map_err(Error::system("create an epoll instance"))?,
            clock: Clock::new(),
            memo: Memo::default(),
            conns: (0..connections).map(|_| Conn::new()).collect(),
            missing: Vec::with_capacity(connections),
            free: VecDeque::with_capacity(connections * 2),
            open: None,
            recorder: Recorder::new(index, cohort),
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
            self.send_due();
            let timeout = self.timeout(if self.open.is_some() { Clock::now() } else { now });
            now = self.wait_and_handle(timeout)?;
        }
        Ok(self.finish(interrupted))
    }

    fn prepare(&mut self, start: Nanos, window: Window) {
        self.stage = Stage::Settling;
        self.stage_ends = start + window.settle;
        self.counted = window.counted;
        self.overloaded = false;
        self.next_sweep = start;
        self.recorder
            .clear(window.counted.0.div_ceil(1_000_000_000) as usize + 1);
        self.missing.clear();
        self.missing.extend(
            (0..self.conns.len())
                .filter(|&slot| self.conns[slot].socket.is_none())
                .rev(),
        );
        if let Arrivals::Open {
            rate,
            poisson,
            connections,
        } = self.plan.arrivals
        {
            let shard = (self.index, self.plan.shards);
            let times = DueTimes::new(rate, poisson, shard, self.plan.seed, self.slices);
            let queue = rate.0 * self.plan.response_timeout.as_secs_f64();
            self.open = Some(Open {
                start,
                ahead: times.clone(),
                behind: times,
                offered: 0,
                taken: 0,
                offered_at_begin: 0,
                end: Nanos(u64::MAX),
                cap: (queue.max(connections as f64) / self.plan.shards as f64) as u64,
                turn: 0,
            });
        }
        self.slices += 1;
    }

    /// Puts the connections that stayed open since the last slice to work.
    fn engage_idle(&mut self, start: Nanos) {
        self.free.clear();
        for slot in 0..self.conns.len() {
            if self.conns[slot].phase == Phase::Idle {
                self.conns[slot].since = start;
                self.next_request(slot, Clock::now());
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
        if let Some(open) = &mut self.open {
            open.offered += open.ahead.take_due(now.since(open.start));
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
    }

    fn end_counting(&mut self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        let now = Clock::now();
        let generator_cpu = Clock::thread_cpu().since(self.cpu_at_begin);
        on_edge(Edge::CountedEnds);
        let mut offered = 0;
        if let Some(open) = &mut self.open {
            open.offered += open.ahead.take_due(now.since(open.start));
            offered = open.offered - open.offered_at_begin;
            open.end = now;
        }
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
                self.recorder.request_ended(now);
                self.close(slot);
            }
        }
    }

    fn finish(&mut self, interrupted: bool) -> Slice {
        for slot in 0..self.conns.len() {
            self.conns[slot].pending = false;
            if matches!(self.conns[slot].phase, Phase::Connecting | Phase::Resting) {
                self.close(slot);
            }
        }
        self.recorder
            .finish(self.clock.steps(), self.overloaded, interrupted)
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
                Phase::Connecting if now.since(conn.since) >= connect => self.connect_timed_out(slot, now),
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
        if !self.missing.is_empty() && self.may_connect() {
            return Nanos(0);
        }
        let mut until = (now + LONGEST_WAIT).min(self.stage_ends);
        if self.stage == Stage::Counting {
            until = until.min(self.recorder.second_ends());
        }
        if self.watched > 0 {
            until = until.min(self.next_sweep);
        }
        if let (Some(open), false) = (&self.open, self.free.is_empty()) {
            until = until.min(open.next_due().unwrap_or(until));
        }
        until.since(now)
    }

    /// Changes what a slot does, and the counts of slots that go with it.
    fn set_phase(&mut self, slot: usize, phase: Phase) {
        let watched = |phase| matches!(phase, Phase::Busy | Phase::Connecting | Phase::Resting);
        let conn = &mut self.conns[slot];
        self.watched = self.watched + usize::from(watched(phase)) - usize::from(watched(conn.phase));
        self.busy = self.busy + usize::from(phase == Phase::Busy) - usize::from(conn.phase == Phase::Busy);
        conn.phase = phase;
    }

    /// Closes the slot's connection, if it has one.
    fn close(&mut self, slot: usize) {
        self.set_phase(slot, Phase::Missing);
        self.conns[slot].close();
    }
}
