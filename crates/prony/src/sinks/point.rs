//! [`Point`]: figures with their labels and their time, which every format writes in its own way.

use super::trace::Trace;
use crate::web::live::RunHeader;
use ask::experiment::Experiment;
use model::load::Load;
use model::units::Nanos;
use record::outcome::{Comparison, Report};
use record::rounds::SliceRecord;
use report::slices::SliceNames;
use std::sync::Arc;

/// The names that all points of a run share.
#[derive(Debug, Default)]
pub(super) struct RunLabels {
    run: String,
    experiment: String,
    /// The names of the arms; slices refer to them by index.
    arms: Vec<String>,
    /// The users of each level.
    levels: Vec<usize>,
    /// The path that each arm is asked for.
    paths: Vec<String>,
}

/// What a point is made from. The run copies it; the thread of the sink makes the point.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A slice was measured.
    Slice(Arc<RunLabels>, Box<SliceRecord>),
    /// The run has a verdict; with the time of its end, nanoseconds since the epoch.
    Verdict(Arc<RunLabels>, Box<Comparison>, u64),
    /// The run has ended; as a trace.
    Trace(Box<Trace>),
}

/// Figures of one moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    /// `slice` or `verdict`.
    pub(super) kind: &'static str,
    /// Names and values in the order of the names; no value is empty.
    pub(super) labels: Vec<(&'static str, String)>,
    /// Names and values; every value is finite. A name tells its unit, `_seconds`; what has none is a count or a ratio, and `throughput`
    /// is right answers per second.
    pub(super) figures: Vec<(&'static str, f64)>,
    /// Nanoseconds since the epoch.
    pub(super) at_ns: u64,
}

impl RunLabels {
    /// The names of a run that begins.
    pub(super) fn new(run: &str, experiment: &Experiment) -> Self {
        Self {
            run: run.to_owned(),
            experiment: experiment.name.clone(),
            arms: experiment.arms.iter().map(|arm| arm.name.clone()).collect(),
            levels: experiment.load.connections.clone(),
            paths: experiment.arms.iter().map(|arm| experiment.workload.path_of(arm).to_owned()).collect(),
        }
    }

    /// The names of a single load.
    pub(super) fn of_load(header: &RunHeader, load: &Load) -> Self {
        Self {
            run: header.run.clone(),
            experiment: header.experiment.clone(),
            arms: header.arms.clone(),
            levels: load.users.map(|users| users as usize).into_iter().collect(),
            paths: Vec::new(),
        }
    }

    /// The names of a run that has ended.
    pub(super) fn of_report(report: &Report) -> Self {
        Self { run: report.run.clone(), experiment: report.experiment.clone(), ..Self::default() }
    }

    /// The name of the arm of a slice.
    pub(super) fn arm(&self, slice: &SliceRecord) -> &str {
        self.arms.get(slice.arm).map_or("", String::as_str)
    }

    /// The load of a slice.
    pub(super) fn load(&self, slice: &SliceRecord) -> Load {
        slice.open_load().unwrap_or_else(|| Load {
            users: self.levels.get(slice.level).map(|users| *users as u64),
            ..Load::default()
        })
    }

    /// What the lines of a slice name.
    pub(super) fn slice_names(&self, slice: &SliceRecord) -> SliceNames<'_> {
        let path = self.paths.get(slice.arm).map_or("", String::as_str);
        SliceNames { arm: self.arm(slice), load: self.load(slice), path }
    }
}

impl Source {
    pub(super) fn slice(labels: &Arc<RunLabels>, slice: &SliceRecord) -> Self {
        Self::Slice(Arc::clone(labels), Box::new(slice.clone()))
    }

    pub(super) fn verdict(labels: &Arc<RunLabels>, verdict: &Comparison, at_ns: u64) -> Self {
        Self::Verdict(Arc::clone(labels), Box::new(verdict.clone()), at_ns)
    }

    /// Its point; `None` for a trace.
    pub(super) fn point(&self) -> Option<Point> {
        match self {
            Self::Slice(labels, slice) => Some(of_slice(labels, slice)),
            Self::Verdict(labels, verdict, at_ns) => Some(of_verdict(labels, verdict, *at_ns)),
            Self::Trace(_) => None,
        }
    }

    /// Its trace; `None` for a point.
    pub(super) fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Trace(trace) => Some(trace),
            Self::Slice(..) | Self::Verdict(..) => None,
        }
    }
}

impl Point {
    /// Leaves out what has no value.
    fn new(
        kind: &'static str,
        at_ns: u64,
        mut labels: Vec<(&'static str, String)>,
        mut figures: Vec<(&'static str, f64)>,
    ) -> Self {
        labels.retain(|(_, value)| !value.is_empty());
        labels.sort_unstable();
        figures.retain(|(_, value)| value.is_finite());
        Self { kind, labels, figures, at_ns }
    }

    /// A name that no other point of any run has.
    pub(super) fn id(&self) -> String {
        let values: Vec<&str> = self.labels.iter().map(|(_, value)| value.as_str()).collect();
        format!("{}/{}/{}", self.kind, values.join("/"), self.at_ns)
    }
}

fn of_slice(labels: &RunLabels, slice: &SliceRecord) -> Point {
    let seconds = Nanos(slice.elapsed_ns).as_secs_f64();
    let ok = slice.counts.ok as f64;
    let times = judge::glimpse(slice, [0.5, 0.95, 0.99, 0.999]);
    let [p50, p95, p99, p999] = times.unwrap_or([f64::NAN; 4]);
    Point::new(
        "slice",
        slice.started_ns + slice.settle_ns + slice.elapsed_ns,
        vec![
            ("arm", labels.arm(slice).to_owned()),
            ("experiment", labels.experiment.clone()),
            ("load", words(&labels.load(slice))),
            ("run", labels.run.clone()),
        ],
        vec![
            ("throughput", ok / seconds),
            ("requests", slice.counts.requests as f64),
            ("faults", slice.counts.faults.values().sum::<u64>() as f64),
            ("time_p50_seconds", p50),
            ("time_p95_seconds", p95),
            ("time_p99_seconds", p99),
            ("time_p999_seconds", p999),
            ("cpu_per_request_seconds", Nanos(slice.cpu_ns_arm).as_secs_f64() / ok),
            ("invalid", f64::from(u8::from(slice.why_invalid.is_some()))),
        ],
    )
}

fn of_verdict(labels: &RunLabels, verdict: &Comparison, at_ns: u64) -> Point {
    let ratio = verdict.deciding();
    let of = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let word = serde_json::to_value(verdict.verdict).ok();
    Point::new(
        "verdict",
        at_ns,
        vec![
            ("arm", verdict.arm.clone()),
            ("baseline", verdict.baseline.clone()),
            ("experiment", labels.experiment.clone()),
            ("load", verdict.level.as_ref().map(words).unwrap_or_default()),
            ("measure", verdict.measure.id().to_owned()),
            ("run", labels.run.clone()),
            ("verdict", word.as_ref().and_then(|word| word.as_str()).unwrap_or_default().to_owned()),
        ],
        vec![
            ("ratio", of(ratio.map(|ratio| ratio.value))),
            ("ratio_low", of(ratio.and_then(|ratio| ratio.low))),
            ("ratio_high", of(ratio.and_then(|ratio| ratio.high))),
            ("starts", f64::from(verdict.starts)),
        ],
    )
}

/// A load in one word, such as `users=16`, `rate=1200`, or `sessions=40` for sessions that begin in a second.
pub(super) fn words(load: &Load) -> String {
    match (load.users, load.rate) {
        (Some(users), _) => format!("users={users}"),
        (None, Some(rate)) if load.sessions => format!("sessions={:.0}", rate.0),
        (None, Some(rate)) => format!("rate={:.0}", rate.0),
        (None, None) => String::new(),
    }
}

/// A point whose names have what formats have to escape.
#[cfg(test)]
pub(super) fn awkward_point() -> Point {
    Point {
        kind: "slice",
        labels: vec![
            ("arm", "tom cat,10=\"a\"".to_owned()),
            ("load", "users=16".to_owned()),
            ("run", "r\\1".to_owned()),
        ],
        figures: vec![("throughput", 1200.5), ("faults", 0.0)],
        at_ns: 1_700_000_000_123_456_789,
    }
}
