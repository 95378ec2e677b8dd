//! A stored run slice by slice, for programs that compute with the data. Slices that count in no verdict are included with the
//! reason, except where a form says otherwise.

pub mod csv;
pub mod hlog;
pub mod jsonl;
pub mod jtl;

use model::load::Load;
use model::reason::Reason;
use record::histogram::{Histogram, SparseHistogram};
use record::rounds::{RoundRecord, RunRecord, SliceRecord};

/// A stored run with its slices.
#[derive(Clone, Copy, Debug)]
pub struct StoredSlices<'a> {
    pub run: &'a RunRecord,
    /// Its rounds, whose slices are ignored.
    pub rounds: &'a [RoundRecord],
    /// Its slices in the order in which they were measured, including the slices of a round that was cut short.
    pub slices: &'a [SliceRecord],
}

/// What the lines of a slice name.
#[derive(Clone, Debug)]
pub struct SliceNames<'a> {
    pub arm: &'a str,
    pub load: Load,
    /// The path that is requested.
    pub path: &'a str,
}

impl<'a> StoredSlices<'a> {
    /// What the lines of a slice name.
    fn names(&self, slice: &SliceRecord) -> SliceNames<'a> {
        let experiment = &self.run.experiment;
        let arm = experiment.arms.get(slice.arm);
        let path = arm.map_or(experiment.workload.path.as_str(), |arm| experiment.workload.path_of(arm));
        SliceNames { arm: self.arm(slice), load: self.load(slice), path }
    }

    /// The name of the arm that a slice loaded.
    fn arm(&self, slice: &SliceRecord) -> &'a str {
        let arm = self.run.experiment.arms.get(slice.arm);
        arm.map_or("", |arm| &arm.name)
    }

    /// The load of a slice.
    fn load(&self, slice: &SliceRecord) -> Load {
        slice.open_load().unwrap_or_else(|| {
            let users = self.run.experiment.load.connections.get(slice.level);
            Load { users: users.map(|users| *users as u64), ..Load::default() }
        })
    }

    /// Why a slice counts in no verdict; `None` if it counts.
    fn void(&self, slice: &SliceRecord) -> Option<Reason> {
        let Some(round) = self.rounds.iter().find(|round| round.round == slice.round) else {
            return Some(Reason::CutShort);
        };
        let void = match slice.rate {
            Some(_) => {
                let voids = [&round.void, &round.stage_void, &round.latency_void];
                voids.into_iter().find_map(Option::as_ref)
            }
            None => round.void_of_arm(slice.level, slice.arm),
        };
        let again = round.is_repeated(slice).then_some(Reason::MeasuredAgain);
        void.cloned().or(again)
    }
}

/// The times of a slice; empty if none are stored.
fn times(stored: &Option<SparseHistogram>) -> Histogram {
    stored.clone().unwrap_or_default().to_histogram()
}

/// Nanoseconds as seconds, with all digits.
fn seconds(nanos: u64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

/// A field of a CSV file (RFC 4180), in quotes if it contains a character that would end it.
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
