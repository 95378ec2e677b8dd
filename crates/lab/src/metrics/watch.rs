//! [`MetricsWatch`]: reads what a server tells of itself while it is loaded.

use super::collected::Collected;
use super::source::ToldAt;
use super::{CpuAddedUp, Told};
use model::units::Nanos;
use record::telemetry::{Mark, Reading, ServerReading};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Reads the figures of a server while it is loaded.
pub(crate) enum MetricsWatch {
    /// By a thread that asks for a page.
    Page { tell: Sender<(Mark, u64)>, thread: JoinHandle<Vec<Reading>> },
    /// From a Prometheus server, after the load.
    Collected { from: Box<Collected>, span: LoadSpan },
}

/// The time from the first to the last moment of the load, in nanoseconds since the epoch; 0 before the first.
#[derive(Debug, Default)]
pub(crate) struct LoadSpan {
    first: AtomicU64,
    last: AtomicU64,
}

impl MetricsWatch {
    /// Begins; `None` where there can be no thread.
    pub(crate) fn start(source: ToldAt, period: Duration) -> Option<Self> {
        match source {
            ToldAt::Page(page) => Self::of_page(move || page.text(), period),
            ToldAt::Collected(from) => {
                Some(Self::Collected { from: Box::new(from), span: LoadSpan::default() })
            }
        }
    }

    fn of_page(ask: impl Fn() -> io::Result<String> + Send + 'static, period: Duration) -> Option<Self> {
        let (tell, marks) = mpsc::channel();
        let thread = thread::Builder::new().name("metrics".to_owned());
        let thread = thread.spawn(move || watch(&ask, &marks, period)).ok()?;
        Some(Self::Page { tell, thread })
    }

    /// Notes a moment of a slice with its time in nanoseconds since the epoch.
    pub(crate) fn mark(&self, mark: Mark, at_ns: u64) {
        match self {
            // If the thread has ended, `finish` returns what it has read.
            Self::Page { tell, .. } => {
                let _ = tell.send((mark, at_ns));
            }
            Self::Collected { span, .. } => {
                let _ = span.first.compare_exchange(0, at_ns, Ordering::Relaxed, Ordering::Relaxed);
                span.last.fetch_max(at_ns, Ordering::Relaxed);
            }
        }
    }

    /// Ends it and returns the readings.
    pub(crate) fn finish(self) -> Vec<Reading> {
        match self {
            Self::Page { tell, thread } => {
                drop(tell);
                thread.join().unwrap_or_default()
            }
            Self::Collected { from, span } => {
                let (first, last) = (span.first.into_inner(), span.last.into_inner());
                // No verdict depends on telemetry.
                let moments = (first > 0).then(|| from.between(first, last)).and_then(Result::ok);
                let mut used = CpuAddedUp::default();
                let read =
                    |(at_ns, text): (u64, String)| reading(at_ns, used.reading(&Told::parse(&text), at_ns));
                moments.into_iter().flatten().map(read).collect()
            }
        }
    }
}

fn reading(at_ns: u64, server: ServerReading) -> Reading {
    Reading { at_ns, mark: Mark::Within, servers: vec![Some(server)], ..Reading::default() }
}

/// Asks once in each period, whatever the length of the slices: an answer costs the server some milliseconds. It asks in counted windows only,
/// when all users are there.
fn watch(
    ask: &impl Fn() -> io::Result<String>,
    marks: &Receiver<(Mark, u64)>,
    period: Duration,
) -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut used = CpuAddedUp::default();
    // In a counted window: the time of its begin, and when we learned of it.
    let mut counted: Option<(u64, Instant)> = None;
    let mut due = Instant::now();
    loop {
        let next = match counted {
            Some(_) => marks.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => marks.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok((mark, at_ns)) => counted = (mark == Mark::Begins).then(|| (at_ns, Instant::now())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return readings,
        }
        let Some((at_ns, told)) = counted.filter(|_| Instant::now() >= due) else { continue };
        due = Instant::now() + period;
        let asked_ns = at_ns + Nanos::from(told.elapsed()).0;
        if let Ok(text) = ask() {
            readings.push(reading(asked_ns, used.reading(&Told::parse(&text), asked_ns)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_asked_for_only_in_counted_windows_and_once_in_a_period() {
        let period = Duration::from_millis(60);
        let ask = || Ok("jvm_threads_current 9.0\n".to_owned());
        let watch = MetricsWatch::of_page(ask, period).expect("a thread");
        watch.mark(Mark::Loads, 1);
        thread::sleep(2 * period);
        for at_ns in 1..=20 {
            watch.mark(if at_ns % 2 == 1 { Mark::Begins } else { Mark::Ends }, at_ns);
            thread::sleep(period / 10);
        }
        thread::sleep(2 * period);
        let readings = watch.finish();
        assert!((1..=6).contains(&readings.len()), "twenty moments in two periods: {}", readings.len());
        assert!(readings.iter().all(|reading| reading.mark == Mark::Within));
    }
}
