//! [`ShareRun`]: an agent makes its share of the load, and sends what it measured until the coordinator has all of it.

use crate::agent::{answer, wall_now};
use crate::error::Error;
use crate::frame::{decode, encode};
use crate::link::Link;
use crate::message::{AgentRefusal, Answer, Begun, Command, Delta, Stored, TenthsWire, Totals, deltas_of};
use crate::spool::Spool;
use crate::wire::{IntervalWire, SliceWire};
use async_nats::{RequestErrorKind, Subscriber};
use futures_util::StreamExt;
use load::{Edge, Interval, Session, Slice};
use model::plan::{Arrivals, Plan, Window};
use model::units::Nanos;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long an acknowledgement is awaited.
const ACK: Duration = Duration::from_secs(2);
/// Between two attempts to send a delta.
const AGAIN: Duration = Duration::from_millis(100);
/// Between two looks at what the generator has measured.
const LOOK: Duration = Duration::from_millis(100);
/// Between two deltas, in looks.
const LOOKS: u32 = 10;
/// The load ends when the server has said for so long that nobody takes the deltas: nobody could end it any more.
const NOBODY: Duration = Duration::from_secs(5);
/// The load ends when no delta was acknowledged for so long, for instance because this machine's link is cut. It is longer,
/// because a restart of the server must not end a load.
const CUT_OFF: Duration = Duration::from_secs(10);
/// The most seconds of shards in a delta, so that it fits into a message.
const INTERVALS: usize = 40;
/// The most tenths of seconds in a delta.
const TENTHS: usize = 20_000;
/// How long before the start the thread stops sleeping, because a sleep can last longer than it should.
const SPIN: Nanos = Nanos::from_millis(2);

/// One load of an agent.
pub(crate) struct ShareRun<'a> {
    pub(crate) agent: &'a str,
    pub(crate) link: &'a Link,
    /// The run to which it belongs.
    pub(crate) run: &'a str,
    /// Raised when the agent is to end.
    pub(crate) stop: &'a AtomicBool,
}

/// How a load of an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The coordinator has everything.
    Finished,
    /// The coordinator was lost.
    CoordinatorLost,
}

/// What the thread that makes the load reports.
enum LoadEvent {
    /// The load begins, so much later than planned, nanoseconds.
    Begins(u64),
    Second(Box<Interval>),
    Over(Result<Box<Slice>, String>),
}

/// The deltas that are made, and those that are not acknowledged.
#[derive(Default)]
struct Outbox {
    spool: RefCell<Spool>,
    /// Whether the last delta is in the spool.
    closed: Cell<bool>,
}

impl ShareRun<'_> {
    /// Makes the load from `begun.planned` on, a time of this machine's wall clock, and sends what it measures.
    pub(crate) async fn make(
        &self,
        session: Session,
        plan: &Plan,
        window: Window,
        begun: Begun,
        commands: &mut Subscriber,
    ) -> Result<Ended, Error> {
        let end = Arc::new(AtomicBool::new(false));
        let (sender, events) = mpsc::channel();
        // The wall clock is read once; what becomes of it later does not matter.
        let ahead = u64::try_from(begun.planned - wall_now()).unwrap_or(0);
        let start = load::now() + Nanos(ahead) + phase(plan);
        let stop = Arc::clone(&end);
        let thread = std::thread::spawn(move || make_load(session, start, window, &stop, &sender));
        let outbox = Outbox::default();
        let deltas = Deltas::new(self, begun, events, &end, &outbox);
        let ended = tokio::select! {
            ended = self.send_all(&outbox) => ended,
            error = deltas.collect(commands) => Err(error),
        };
        end.store(true, Ordering::Relaxed);
        thread.join().expect("the generator does not panic");
        ended
    }

    /// Sends the deltas in order until the last one is acknowledged, or the coordinator is lost.
    async fn send_all(&self, outbox: &Outbox) -> Result<Ended, Error> {
        let (mut heard, mut nobody): (Instant, Option<Instant>) = (Instant::now(), None);
        loop {
            let oldest = outbox.spool.borrow().oldest().cloned();
            let Some((seq, bytes)) = oldest else {
                if outbox.closed.get() {
                    return Ok(Ended::Finished);
                }
                tokio::time::sleep(LOOK).await;
                continue;
            };
            let sent = self.link.client.request(deltas_of(self.agent), bytes.into());
            match tokio::time::timeout(ACK, sent).await {
                Ok(Ok(reply)) => {
                    (heard, nobody) = (Instant::now(), None);
                    if let Ok((stored, _)) = decode::<Stored>(self.run, &reply.payload) {
                        outbox.spool.borrow_mut().acknowledge(stored.seq);
                        if stored.seq == seq {
                            continue;
                        }
                    }
                }
                Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders => {
                    nobody = nobody.or_else(|| Some(Instant::now()));
                }
                Ok(Err(_)) | Err(_) => nobody = None,
            }
            self.link.check()?;
            let is_alone = nobody.is_some_and(|since| since.elapsed() >= NOBODY);
            if is_alone || heard.elapsed() >= CUT_OFF {
                return Ok(Ended::CoordinatorLost);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// Turns what the generator reports into deltas.
struct Deltas<'a> {
    share: &'a ShareRun<'a>,
    events: mpsc::Receiver<LoadEvent>,
    end: &'a AtomicBool,
    outbox: &'a Outbox,
    planned: Begun,
    begun: Option<Begun>,
    seq: u64,
    total: u64,
    /// Seconds that are over and in no delta yet.
    fresh: Vec<Interval>,
    /// Those that are in a delta.
    sent: BTreeMap<(Nanos, usize), Interval>,
    /// Messages that were refused.
    refused: u64,
    ended_early: bool,
    asked_to_end: bool,
}

impl<'a> Deltas<'a> {
    fn new(
        share: &'a ShareRun<'a>,
        planned: Begun,
        events: mpsc::Receiver<LoadEvent>,
        end: &'a AtomicBool,
        outbox: &'a Outbox,
    ) -> Self {
        Self {
            share,
            events,
            end,
            outbox,
            planned,
            begun: None,
            seq: 0,
            total: 0,
            fresh: Vec::new(),
            sent: BTreeMap::new(),
            refused: 0,
            ended_early: false,
            asked_to_end: false,
        }
    }

    /// Makes a delta each second, and the last ones when the load is over. Ends only when the connection ends.
    async fn collect(mut self, commands: &mut Subscriber) -> Error {
        let mut looks = tokio::time::interval(LOOK);
        let mut looked = 0;
        loop {
            tokio::select! {
                _ = looks.tick() => {
                    looked += 1;
                    if self.share.stop.load(Ordering::Relaxed) && !self.asked_to_end {
                        self.ended_early = true;
                        self.end.store(true, Ordering::Relaxed);
                    }
                    let over = self.take_events();
                    if self.outbox.closed.get() {
                        continue;
                    }
                    if let Some(result) = over {
                        self.close(result);
                    } else if looked % LOOKS == 0 {
                        self.push_seconds(true);
                    }
                }
                message = commands.next() => {
                    let Some(message) = message else {
                        return Error::NotPermitted { said: "the connection was closed".to_owned() };
                    };
                    let received = wall_now();
                    let run = self.share.run;
                    let said = match decode::<Command>(run, &message.payload) {
                        Ok((Command::Stop, _)) => {
                            self.asked_to_end = true;
                            self.end.store(true, Ordering::Relaxed);
                            Answer::Done
                        }
                        Ok((Command::Clock, _)) => Answer::Clock { received, answered: wall_now() },
                        Ok(_) => Answer::Refused(AgentRefusal::Busy),
                        Err(_) => {
                            self.refused += 1;
                            Answer::Refused(AgentRefusal::Busy)
                        }
                    };
                    answer(self.share.link, &message, &said).await;
                }
            }
        }
    }

    /// Takes what the generator reported; returns its result when it is over.
    fn take_events(&mut self) -> Option<Result<Box<Slice>, String>> {
        while let Ok(event) = self.events.try_recv() {
            match event {
                LoadEvent::Begins(late) => self.begun = Some(Begun { late, ..self.planned }),
                LoadEvent::Second(interval) => self.fresh.push(*interval),
                LoadEvent::Over(result) => return Some(result),
            }
        }
        None
    }

    /// Puts the fresh seconds into deltas; with `always`, makes one even if there are none, as a sign of life.
    fn push_seconds(&mut self, always: bool) {
        let fresh = std::mem::take(&mut self.fresh);
        if fresh.is_empty() && always {
            self.push(Delta::default(), Vec::new());
        }
        for some in fresh.chunks(INTERVALS) {
            let mut parts = Vec::new();
            let mut delta = Delta::default();
            for interval in some {
                delta.intervals.push(IntervalWire::new(interval, &mut parts));
                let before = self
                    .sent
                    .insert((interval.start, interval.shard), interval.clone());
                delta.totals.count += interval
                    .requests
                    .saturating_sub(before.map_or(0, |before| before.requests));
            }
            self.push(delta, parts);
        }
    }

    /// Makes the last deltas.
    fn close(&mut self, result: Result<Box<Slice>, String>) {
        let mut parts = Vec::new();
        let mut last = Delta {
            last: true,
            ..Delta::default()
        };
        match result {
            Ok(mut slice) => {
                // Late answers were added to seconds that are sent already.
                let is_new = |interval: &&Interval| {
                    self.sent.get(&(interval.start, interval.shard)) != Some(*interval)
                };
                self.fresh = slice.intervals.iter().filter(is_new).cloned().collect();
                self.push_seconds(false);
                for (shard, tenths) in slice.tenths.iter().enumerate() {
                    for some in tenths.chunks(TENTHS) {
                        let tenths = some.iter().map(|tenth| (tenth.answers, tenth.longest)).collect();
                        let tenths = Some(TenthsWire { shard, tenths });
                        self.push(
                            Delta {
                                tenths,
                                ..Delta::default()
                            },
                            Vec::new(),
                        );
                    }
                }
                last.summary = Some(SliceWire::new(&mut slice, &mut parts));
            }
            Err(said) => {
                self.push_seconds(false);
                last.failed = Some(said);
            }
        }
        self.push(last, parts);
        self.outbox.closed.set(true);
    }

    /// Numbers a delta and puts it into the spool.
    fn push(&mut self, mut delta: Delta, parts: Vec<Vec<u8>>) {
        self.seq += 1;
        self.total += delta.totals.count;
        delta.agent = self.share.agent.to_owned();
        delta.seq = self.seq;
        delta.totals = Totals {
            total: self.total,
            ..delta.totals
        };
        delta.begun = self.begun;
        delta.refused = self.refused;
        delta.ended_early = self.ended_early;
        let bytes = encode(self.share.run, &delta, &parts);
        self.outbox.spool.borrow_mut().push(self.seq, bytes);
    }
}

/// How much later a share begins than the others so that equal gaps stay equal when all shares are laid together.
fn phase(plan: &Plan) -> Nanos {
    match plan.arrivals {
        Arrivals::Open {
            rate, poisson: false, ..
        } => Nanos::from_secs_f64(plan.share.index as f64 / (rate.0 * plan.share.of as f64)),
        _ => Nanos(0),
    }
}

/// Waits for the start, and makes the load.
fn make_load(
    mut session: Session,
    start: Nanos,
    window: Window,
    end: &AtomicBool,
    events: &mpsc::Sender<LoadEvent>,
) {
    while load::now() + SPIN < start && !end.load(Ordering::Relaxed) {
        let left = start.since(load::now() + SPIN);
        std::thread::sleep(Duration::from(left.min(Nanos::from_millis(50))));
    }
    while load::now() < start && !end.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
    // The receiver lives as long as this thread is waited for; a load whose coordinator was lost has none.
    events.send(LoadEvent::Begins(load::now().since(start).0)).ok();
    let result = session.run_from(start, window, end, &mut |edge| {
        if let Edge::Interval(interval) = edge {
            events.send(LoadEvent::Second(Box::new(interval.clone()))).ok();
        }
    });
    let result = result.map(Box::new).map_err(|error| error.to_string());
    events.send(LoadEvent::Over(result)).ok();
}
