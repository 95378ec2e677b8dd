//! [`Sink`]: the queue of a sink, and the thread that sends what is in it.

use super::kind::{Sending, SinkKind};
use super::point::Source;
use super::target::SinkTarget;
use crate::failure::Failure;
use crate::outgoing::Trouble;
use say::Say;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of points that wait; with 0.3 s for a slice, five minutes of a run.
const QUEUE: usize = 1000;
/// The largest number of points that are sent at once.
const BATCH: usize = 200;
/// How often points are sent.
const INTERVAL: Duration = Duration::from_secs(1);
/// How soon a pause learns that the run has ended.
const PAUSE: Duration = Duration::from_millis(50);
/// The nice value of the lowest priority.
const LOWEST_PRIORITY: i32 = 19;

/// A sink with its queue.
pub(super) struct Sink {
    target: SinkTarget,
    /// `None` when nothing is sent any more.
    queue: Mutex<Option<SyncSender<Source>>>,
    tally: Arc<Tally>,
}

/// What became of the points of a sink.
#[derive(Debug, Default)]
struct Tally {
    /// Points that the run had for the sink.
    offered: AtomicU64,
    /// Points that the sink has accepted.
    accepted: AtomicU64,
    /// Whether the run has ended.
    is_last: AtomicBool,
    state: Mutex<TallyState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct TallyState {
    has_ended: bool,
    trouble: Option<Trouble>,
}

/// What a sink got of a run.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(
    en = "sink {sink}: {losses?{} of {points} points were lost{trouble}; the results are complete|{points} points}",
    zh = "输出目标 {sink}：{losses?{points} 个数据点中丢失 {} 个{trouble}；结果完整|{points} 个数据点}",
    losses = (*lost > 0).then_some(lost)
)]
pub(crate) struct Delivery {
    /// The format and the place of the sink.
    pub(crate) sink: String,
    /// How many points the run had for it.
    pub(crate) points: u64,
    /// How many of them it did not get.
    pub(crate) lost: u64,
    /// The last thing that went wrong.
    pub(crate) trouble: Option<Trouble>,
}

impl Sink {
    /// Starts the thread of a sink.
    pub(super) fn start(target: SinkTarget) -> Result<Self, Failure> {
        let (queue, waiting) = sync_channel(QUEUE);
        let tally = Arc::new(Tally::default());
        let worker = Worker { sending: target.open()?, waiting, tally: Arc::clone(&tally) };
        std::thread::Builder::new().name("sink".to_owned()).spawn(move || {
            // If it fails, the sink only disturbs the run more.
            let _ = rustix::process::setpriority_process(None, LOWEST_PRIORITY);
            worker.run();
        })?;
        Ok(Self { target, queue: Mutex::new(Some(queue)), tally })
    }

    /// What kind of sink it is.
    pub(super) const fn kind(&self) -> SinkKind {
        self.target.kind
    }

    /// Puts something into the queue, or drops it if the queue is full. It never waits.
    pub(super) fn offer(&self, source: Source) {
        self.tally.offered.fetch_add(1, Ordering::Relaxed);
        if let Some(queue) = &*lock(&self.queue) {
            // What does not fit is missing from what was accepted.
            let _ = queue.try_send(source);
        }
    }

    /// Tells the thread that nothing more comes.
    pub(super) fn close(&self) {
        self.tally.is_last.store(true, Ordering::Relaxed);
        lock(&self.queue).take();
    }

    /// Waits until the thread has ended, or until this time, and tells what became of the points.
    pub(super) fn wait_until(&self, deadline: Instant) -> Delivery {
        let mut state = lock(&self.tally.state);
        while !state.has_ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.trouble.get_or_insert(Trouble::Slow);
                break;
            }
            let waited = self.tally.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let points = self.tally.offered.load(Ordering::Relaxed);
        let accepted = self.tally.accepted.load(Ordering::Relaxed);
        Delivery {
            sink: self.target.to_string(),
            points,
            lost: points.saturating_sub(accepted),
            trouble: state.trouble.clone(),
        }
    }
}

/// The thread of a sink.
struct Worker {
    sending: Box<dyn Sending>,
    waiting: Receiver<Source>,
    tally: Arc<Tally>,
}

impl Worker {
    fn run(mut self) {
        let mut batch = Vec::new();
        loop {
            let is_all = self.collect(&mut batch);
            let is_done = self.send(&batch);
            if is_done {
                batch.clear();
            }
            match is_done {
                true if is_all => break,
                true => {}
                // What cannot be sent after the end is lost.
                false if self.tally.is_last.load(Ordering::Relaxed) => break,
                false => self.pause(),
            }
        }
        if let Some(unread) = self.sending.finish() {
            self.tally.accepted.fetch_sub(unread.items, Ordering::Relaxed);
            lock(&self.tally.state).trouble = Some(unread.trouble);
        }
        lock(&self.tally.state).has_ended = true;
        self.tally.ended.notify_all();
    }

    /// Takes points out of the queue for one interval, at most until the batch is full; returns whether none will come any more.
    fn collect(&self, batch: &mut Vec<Source>) -> bool {
        let end = Instant::now() + INTERVAL;
        while batch.len() < BATCH {
            let left = end.saturating_duration_since(Instant::now());
            match self.waiting.recv_timeout(left) {
                Ok(source) => batch.push(source),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => return true,
            }
        }
        false
    }

    /// Waits for one interval, or until the run has ended.
    fn pause(&self) {
        let end = Instant::now() + INTERVAL;
        while Instant::now() < end && !self.tally.is_last.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
        }
    }

    /// Sends points; returns whether they need not be sent again.
    fn send(&mut self, batch: &[Source]) -> bool {
        if batch.is_empty() {
            return true;
        }
        let sent = self.sending.send(batch);
        let points = batch.len() as u64;
        let (accepted, trouble) = match sent {
            Ok(None) => (points, None),
            Ok(Some(rest)) => (points.saturating_sub(rest.items), Some(rest.trouble)),
            Err(trouble) => (0, Some(trouble)),
        };
        self.tally.accepted.fetch_add(accepted, Ordering::Relaxed);
        let is_worth_another_try = accepted == 0 && trouble.as_ref().is_some_and(Trouble::may_pass);
        if trouble.is_some() {
            lock(&self.tally.state).trouble = trouble;
        }
        !is_worth_another_try
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::point::RunLabels;
    use record::rounds::SliceRecord;
    use std::net::TcpListener;
    use testkit::{Answered, AnsweringServer};

    fn sink(at: impl std::fmt::Display) -> Sink {
        let target = SinkTarget::parse(&format!("influx=http://{at}/write?db=perf")).expect("a sink");
        Sink::start(target).expect("a thread")
    }

    fn offer(sink: &Sink, points: u64) {
        let labels = Arc::new(RunLabels::default());
        for at in 0..points {
            let slice = SliceRecord { started_ns: at, elapsed_ns: 1, ..SliceRecord::default() };
            sink.offer(Source::slice(&labels, &slice));
        }
    }

    /// More points than the queue and a batch hold are dropped and counted, and the end waits no longer than it may.
    #[test]
    fn what_a_silent_sink_cannot_take_is_dropped_and_counted() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let sink = sink(silent.local_addr().expect("an address"));
        let points = 3 * (QUEUE + BATCH) as u64;
        offer(&sink, points);
        sink.close();
        let told = sink.wait_until(Instant::now() + Duration::from_millis(200));
        assert_eq!((told.points, told.lost, told.trouble), (points, points, Some(Trouble::Slow)));
    }

    #[test]
    fn figures_that_nobody_has_read_are_lost() {
        let target = SinkTarget::parse("prometheus-scrape=127.0.0.1:0").expect("a sink");
        let sink = Sink::start(target).expect("a thread");
        offer(&sink, 3);
        sink.close();
        let told = sink.wait_until(Instant::now() + Duration::from_secs(30));
        assert_eq!((told.points, told.lost, told.trouble), (3, 3, Some(Trouble::Unread)));
    }

    #[test]
    fn a_sink_that_recovers_gets_what_it_has_missed() {
        let asked = AtomicU64::new(0);
        let server = AnsweringServer::start(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
            0 => Answered::ok("later").status(503),
            _ => Answered::ok(""),
        });
        let server = server.expect("a server");
        let sink = sink(server.address());
        offer(&sink, 300);
        let deadline = Instant::now() + Duration::from_secs(30);
        while server.log().len() < 3 && Instant::now() < deadline {
            std::thread::sleep(PAUSE);
        }
        sink.close();
        let told = sink.wait_until(deadline);
        assert_eq!((told.points, told.lost), (300, 0));
        let log = server.log();
        assert_eq!(log[0].body, log[1].body, "the first batch is sent again");
        let lines: usize = log.iter().skip(1).map(|asked| asked.body.lines().count()).sum();
        assert_eq!(lines, 300);
    }
}
