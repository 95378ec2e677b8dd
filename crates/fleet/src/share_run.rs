//! [`ShareRun`]: an agent makes its share of the load, and sends what it measured until the coordinator has all of it.

use crate::agent::answer;
use crate::commands::Commands;
use crate::error::Error;
use crate::frame::encode;
use crate::instant::{monotonic, wait_until, wall_now};
use crate::link::Link;
use crate::message::{AgentRefusal, Answer, Begun, Command, Delta, TenthsWire, Totals};
use crate::outbox::{Ended, Outbox};
use crate::step_wire::StepsWire;
use crate::wire::IntervalWire;
use load::{Edge, Interval, Session, Slice};
use model::patience::Patience;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use traffic::plan::{Arrivals, Plan, Window};

/// Between two looks at what the generator has measured, and at the flag that ends the agent.
pub(crate) const LOOK: Duration = Duration::from_millis(100);
/// The most seconds of shards in a delta, so that it fits into a message.
const INTERVALS: usize = 40;

/// One load of an agent.
pub(crate) struct ShareRun<'a> {
    pub(crate) agent: &'a str,
    pub(crate) link: &'a Link,
    /// The run to which it belongs.
    pub(crate) run: &'a str,
    /// How long the coordinator and this agent wait for each other.
    pub(crate) patience: Patience,
    /// Raised when the agent is to end.
    pub(crate) stop: &'a AtomicBool,
}

/// What the thread that makes the load reports.
enum LoadEvent {
    /// The load begins, so much later than planned, nanoseconds.
    Begins(u64),
    Second(Box<Interval>),
    Over(Result<Box<Slice>, String>),
}

impl ShareRun<'_> {
    /// Makes the load from `begun.planned` on, a time of this machine's wall clock, and sends what it measures.
    pub(crate) async fn make(
        &self,
        session: Session,
        plan: &Plan,
        window: Window,
        begun: Begun,
        commands: &mut Commands,
    ) -> Result<(Ended, Outbox), Error> {
        let end = Arc::new(AtomicBool::new(false));
        let (sender, events) = mpsc::channel();
        let start = monotonic(begun.planned) + phase(plan);
        let stop = Arc::clone(&end);
        let thread = std::thread::spawn(move || make_load(session, start, window, &stop, &sender));
        let outbox = Outbox::default();
        let ended = {
            let collected = Deltas::new(self, begun, events, &end, &outbox).collect(commands);
            tokio::pin!(collected);
            let ended = tokio::select! {
                ended = outbox.send_all(self.link, self.agent, self.run, self.patience) => ended,
                error = &mut collected => Err(error),
            };
            end.store(true, Ordering::Relaxed);
            if matches!(ended, Ok(Ended::CoordinatorLost)) {
                // A coordinator that comes back gets all that was measured.
                tokio::select! {
                    () = closed(&outbox) => {}
                    error = &mut collected => return Err(error),
                }
            }
            ended
        };
        thread.join().expect("the generator does not panic");
        Ok((ended?, outbox))
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

    /// Makes a delta at each beat, and the last ones when the load is over. Ends only when the connection ends.
    async fn collect(mut self, commands: &mut Commands) -> Error {
        let mut looks = tokio::time::interval(LOOK);
        let (mut looked, every) = (0, looks_in(self.share.patience.beat()));
        loop {
            tokio::select! {
                _ = looks.tick() => {
                    looked += 1;
                    if self.share.stop.load(Ordering::Relaxed) && !self.asked_to_end {
                        self.ended_early = true;
                        self.end.store(true, Ordering::Relaxed);
                    }
                    let over = self.take_events();
                    if self.outbox.is_closed() {
                        continue;
                    }
                    if let Some(result) = over {
                        self.close(result);
                    } else if looked % every == 0 {
                        self.push_seconds(true);
                    }
                }
                message = commands.next() => {
                    let Some(message) = message else {
                        return Error::NotPermitted { said: "the connection was closed".to_owned() };
                    };
                    let received = wall_now();
                    let run = self.share.run;
                    let said = match message.command(run) {
                        Ok(Command::Stop) => {
                            self.asked_to_end = true;
                            self.end.store(true, Ordering::Relaxed);
                            Answer::Done
                        }
                        // The load goes on, and its deltas find the new coordinator.
                        Ok(Command::Resume) => Answer::Done,
                        Ok(Command::Clock) => Answer::Clock { received, answered: wall_now() },
                        Ok(_) => Answer::Refused(AgentRefusal::Busy),
                        Err(_) => {
                            self.refused += 1;
                            Answer::Refused(AgentRefusal::Busy)
                        }
                    };
                    answer(self.share.link, &message.message, &said).await;
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
                let before = self.sent.insert((interval.start, interval.shard), interval.clone());
                delta.totals.count +=
                    interval.requests.saturating_sub(before.map_or(0, |before| before.requests));
            }
            self.push(delta, parts);
        }
    }

    /// Makes the last deltas.
    fn close(&mut self, result: Result<Box<Slice>, String>) {
        let mut parts = Vec::new();
        let mut last = Delta { last: true, ..Delta::default() };
        match result {
            Ok(mut slice) => {
                // Late answers were added to seconds that are sent already.
                let is_new = |interval: &&Interval| {
                    self.sent.get(&(interval.start, interval.shard)) != Some(*interval)
                };
                self.fresh = slice.intervals.iter().filter(is_new).cloned().collect();
                self.push_seconds(false);
                for tenths in TenthsWire::all_of(&slice) {
                    self.push(Delta::of_tenths(tenths), Vec::new());
                }
                for (steps, times) in StepsWire::all_of(&slice) {
                    self.push(Delta::of_steps(steps), times);
                }
                last.summarize(&mut slice, &mut parts);
            }
            Err(said) => {
                self.push_seconds(false);
                last.failed = Some(said);
            }
        }
        self.push(last, parts);
        self.outbox.close();
    }

    /// Numbers a delta and puts it into the spool.
    fn push(&mut self, mut delta: Delta, parts: Vec<Vec<u8>>) {
        self.seq += 1;
        self.total += delta.totals.count;
        delta.agent = self.share.agent.to_owned();
        delta.seq = self.seq;
        delta.totals = Totals { total: self.total, ..delta.totals };
        delta.begun = self.begun;
        delta.refused = self.refused;
        delta.ended_early = self.ended_early || self.outbox.is_orphaned();
        let bytes = encode(self.share.run, &delta, &parts);
        self.outbox.push(self.seq, bytes);
    }
}

/// The number of looks in a span, at least one.
pub(crate) fn looks_in(span: Duration) -> u32 {
    let looks = span.as_millis() / LOOK.as_millis();
    u32::try_from(looks).unwrap_or(u32::MAX).max(1)
}

/// How much later a share begins than the others so that equal gaps stay equal when all shares are laid together.
pub(crate) fn phase(plan: &Plan) -> Nanos {
    match plan.arrivals {
        Arrivals::Open { rate, poisson: false, .. } => {
            Nanos::from_secs_f64(plan.share.index as f64 / (rate.0 * plan.share.of as f64))
        }
        _ => Nanos(0),
    }
}

/// Ends when the last delta is in the outbox.
async fn closed(outbox: &Outbox) {
    while !outbox.is_closed() {
        tokio::time::sleep(LOOK).await;
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
    wait_until(start, end);
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
