//! [`Trace`]: a run as spans within spans: the run, its rounds, the starts of their arms, and the levels of load of these. A span lasts from the
//! begin of its first slice to the end of its last one. The ids come from the run's id, so that what is sent twice is one trace.

use super::point::{RunLabels, words};
use record::rounds::{RoundRecord, RunRecord, SliceRecord, TrialRecord};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A run as a trace.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trace {
    /// Sixteen bytes in hexadecimal digits.
    pub(super) id: String,
    /// The run is first; a span stands behind the span that contains it.
    pub(super) spans: Vec<Span>,
}

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    /// Eight bytes in hexadecimal digits.
    pub(super) id: String,
    /// The span that it is in; `None` for the run.
    pub(super) parent: Option<String>,
    pub(super) name: String,
    /// Nanoseconds since the epoch.
    pub(super) begin_ns: u64,
    /// Nanoseconds since the epoch.
    pub(super) end_ns: u64,
    /// Names and texts.
    pub(super) labels: Vec<(&'static str, String)>,
    /// Names and values; a name tells its unit.
    pub(super) figures: Vec<(&'static str, f64)>,
    /// Whether it does not count, because its figures do not describe the server.
    pub(super) is_void: bool,
}

/// The begin and the end of slices, nanoseconds since the epoch.
#[derive(Clone, Copy)]
struct Extent {
    begin_ns: u64,
    end_ns: u64,
}

impl Trace {
    /// The trace of a run that has ended; `None` without a slice.
    pub(super) fn of(record: &RunRecord, rounds: &[RoundRecord]) -> Option<Self> {
        let labels = RunLabels::new(&record.run, &record.experiment);
        let whole = extent(rounds.iter().flat_map(|round| &round.slices))?;
        let run = Span {
            labels: vec![("experiment", record.experiment.name.clone()), ("run", record.run.clone())],
            figures: vec![("rounds", rounds.len() as f64)],
            ..span(&record.run, None, format!("run {}", record.run), whole)
        };
        let mut spans = vec![run];
        for round in rounds {
            add_round(&mut spans, &labels, record, round);
        }
        Some(Self { id: digits(&record.run, 16), spans })
    }
}

fn add_round(spans: &mut Vec<Span>, labels: &RunLabels, record: &RunRecord, round: &RoundRecord) {
    let Some(whole) = extent(&round.slices) else {
        return;
    };
    let path = format!("{}/{}", record.run, round.round);
    spans.push(Span {
        is_void: round.void.is_some(),
        ..span(&path, Some(&record.run), format!("round {}", round.round), whole)
    });
    for trial in &round.trials {
        let of_arm = || round.slices.iter().filter(|slice| slice.arm == trial.arm);
        let Some(first) = of_arm().next() else { continue };
        let arm = labels.arm(first).to_owned();
        let start = format!("{path}/{arm}");
        if let Some(whole) = extent(of_arm()) {
            spans.push(Span {
                labels: vec![("arm", arm.clone())],
                figures: start_figures(trial),
                ..span(&start, Some(&path), format!("start of {arm}"), whole)
            });
        }
        add_levels(spans, labels, &start, of_arm());
    }
}

fn start_figures(trial: &TrialRecord) -> Vec<(&'static str, f64)> {
    vec![
        ("startup_seconds", trial.startup_ns as f64 / 1e9),
        ("warmup_seconds", trial.warmup_s.0),
        ("peak_memory_bytes", trial.peak_memory.0 as f64),
    ]
}

fn add_levels<'a>(
    spans: &mut Vec<Span>,
    labels: &RunLabels,
    start: &str,
    slices: impl Iterator<Item = &'a SliceRecord>,
) {
    let mut levels: BTreeMap<String, Vec<&SliceRecord>> = BTreeMap::new();
    for slice in slices {
        levels.entry(words(&labels.load(slice))).or_default().push(slice);
    }
    for (load, slices) in levels {
        let Some(whole) = extent(slices.iter().copied()) else {
            continue;
        };
        let sum =
            |count: fn(&SliceRecord) -> u64| slices.iter().map(|slice| count(slice)).sum::<u64>() as f64;
        spans.push(Span {
            labels: vec![("arm", labels.arm(slices[0]).to_owned()), ("load", load.clone())],
            figures: vec![
                ("slices", slices.len() as f64),
                ("requests", sum(|slice| slice.counts.requests)),
                ("ok", sum(|slice| slice.counts.ok)),
                ("loaded_seconds", sum(|slice| slice.elapsed_ns) / 1e9),
            ],
            ..span(&format!("{start}/{load}"), Some(start), format!("load {load}"), whole)
        });
    }
}

fn span(path: &str, parent: Option<&str>, name: String, whole: Extent) -> Span {
    Span {
        id: digits(path, 8),
        parent: parent.map(|parent| digits(parent, 8)),
        name,
        begin_ns: whole.begin_ns,
        end_ns: whole.end_ns,
        labels: Vec::new(),
        figures: Vec::new(),
        is_void: false,
    }
}

fn extent<'a>(slices: impl IntoIterator<Item = &'a SliceRecord>) -> Option<Extent> {
    let ends = slices.into_iter().map(|slice| Extent {
        begin_ns: slice.started_ns,
        end_ns: slice.started_ns + slice.settle_ns + slice.elapsed_ns,
    });
    ends.reduce(|one, other| Extent {
        begin_ns: one.begin_ns.min(other.begin_ns),
        end_ns: one.end_ns.max(other.end_ns),
    })
}

/// The first bytes of the hash of a text, in hexadecimal digits.
fn digits(text: &str, bytes: usize) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}
