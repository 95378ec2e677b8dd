//! The measures that are totals over slices: what an arm spent, and how many right answers it gave for that.

use model::measure::Measure;
use record::rounds::SliceRecord;

/// How such a measure is computed.
#[derive(Clone, Copy)]
pub(crate) struct Total {
    /// What the arm of a slice spent in it, nanoseconds.
    pub(crate) spent: fn(&SliceRecord) -> u64,
    /// By how much starts usually differ beyond what their windows explain, as a standard deviation on the log scale: an upper bound by
    /// 100 stored runs of Tomcat.
    pub(crate) deviation: f64,
    more_is_better: bool,
}

impl Total {
    /// How a measure is computed; `None` for a measure that is no total.
    pub(crate) fn of(measure: Measure) -> Option<Self> {
        let (spent, deviation): (fn(&SliceRecord) -> u64, f64) = match measure {
            Measure::Throughput => (|slice| slice.elapsed_ns, 0.015),
            Measure::CpuPerRequest => (|slice| slice.cpu_ns_arm, 0.012),
            _ => return None,
        };
        Some(Self { spent, deviation, more_is_better: measure.more_is_better() })
    }

    /// The value over these slices: right answers per second, or seconds per right answer. It need not be finite.
    pub(crate) fn value<'a>(&self, slices: impl Iterator<Item = &'a SliceRecord> + Clone) -> f64 {
        let ok: u64 = slices.clone().map(|slice| slice.counts.ok).sum();
        let spent: u64 = slices.map(self.spent).sum();
        let seconds = spent as f64 / 1e9;
        if self.more_is_better { ok as f64 / seconds } else { seconds / ok as f64 }
    }
}
