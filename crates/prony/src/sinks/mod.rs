//! Sinks: other programs that get the figures of a run while it lasts, and its verdicts at its end. Each has a thread of the lowest
//! priority and a queue that holds a limited number of points. The run puts copies of its slices into the queue and never waits: what does
//! not fit is dropped, counted, and told at the end.

mod http;
mod kind;
mod kinds;
mod point;
mod target;
mod trace;
mod udp;
mod worker;

use crate::failure::Failure;
use crate::user_config::SinkEntry;
use crate::web::live::RunHeader;
use ask::experiment::Experiment;
#[cfg(test)]
pub(crate) use kinds::examples;
use model::load::Load;
use point::{RunLabels, Source};
use record::outcome::Report;
use record::rounds::{RoundRecord, RunRecord, SliceRecord};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use target::SinkTarget;
use trace::Trace;
pub(crate) use worker::Delivery;
use worker::Sink;

/// How long a run that has ended waits for all its sinks together.
const GRACE: Duration = Duration::from_secs(3);

/// What `--help` says of `--sink`.
pub(crate) fn help() -> String {
    format!(
        "Send the figures of the run there while it lasts, and its verdicts at its end; may be repeated. FORMAT is {}, as in \
         influx=http://127.0.0.1:8086/write?db=perf",
        kinds::names()
    )
}

/// The sinks of a run. Without any, everything here does nothing.
#[derive(Default)]
pub(crate) struct Sinks {
    sinks: Vec<Arc<Sink>>,
}

/// Sends the events of one run to the sinks.
pub(crate) struct SinkSender {
    sinks: Vec<Arc<Sink>>,
    labels: Arc<RunLabels>,
}

impl Sinks {
    /// Starts the sinks that the command line names (`FORMAT=ADDRESS`), and the sinks of the user's configuration.
    pub(crate) fn start(named: &[String], configured: &[SinkEntry]) -> Result<Self, Failure> {
        let configured = configured.iter().map(|entry| {
            let target = SinkTarget::parse(&entry.to).map_err(Failure::usage)?;
            match &entry.authorization_file {
                Some(file) => target.with_authorization(file).map_err(Failure::usage),
                None => Ok(target),
            }
        });
        let named = named.iter().map(|sink| SinkTarget::parse(sink).map_err(Failure::usage));
        let targets = named.chain(configured).collect::<Result<Vec<_>, Failure>>()?;
        let sinks = targets.into_iter().map(|target| Ok(Arc::new(Sink::start(target)?)));
        Ok(Self { sinks: sinks.collect::<Result<_, Failure>>()? })
    }

    /// The sender of the events of a run.
    pub(crate) fn sender(&self, run: &str, experiment: &Experiment) -> SinkSender {
        SinkSender { sinks: self.sinks.clone(), labels: Arc::new(RunLabels::new(run, experiment)) }
    }

    /// The sender of the seconds of a single load.
    pub(crate) fn sender_of_load(&self, header: &RunHeader, load: &Load) -> SinkSender {
        SinkSender { sinks: self.sinks.clone(), labels: Arc::new(RunLabels::of_load(header, load)) }
    }

    /// Sends the verdicts of a run and, where it has records, its trace, waits a little for what is under way, and tells what became of
    /// all points.
    pub(crate) fn end(self, report: &Report, records: Option<(&RunRecord, &[RoundRecord])>) -> Vec<Delivery> {
        let labels = Arc::new(RunLabels::of_report(report));
        let at_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        for sink in self.sinks.iter().filter(|sink| sink.kind().takes_verdicts) {
            for verdict in &report.comparisons {
                sink.offer(Source::verdict(&labels, verdict, at_ns));
            }
        }
        for sink in self.sinks.iter().filter(|sink| sink.kind().takes_traces) {
            if let Some(trace) = records.and_then(|(record, rounds)| Trace::of(record, rounds)) {
                sink.offer(Source::Trace(Box::new(trace)));
            }
        }
        let deadline = Instant::now() + GRACE;
        self.sinks.iter().for_each(|sink| sink.close());
        self.sinks.iter().map(|sink| sink.wait_until(deadline)).collect()
    }
}

impl SinkSender {
    /// Sends a slice. It never waits.
    pub(crate) fn send(&self, slice: &SliceRecord) {
        for sink in &self.sinks {
            sink.offer(Source::slice(&self.labels, slice));
        }
    }
}
