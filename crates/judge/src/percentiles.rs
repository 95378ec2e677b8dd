//! Percentiles that may be printed: each with its interval, or with what it lacks.

use crate::histogram::{Histogram, cells, decoded};
use model::outcome::{Estimate, Level};
use model::record::SliceRecord;
use stats::bootstrap::Resampling;
use stats::percentile::{REPLICATES, Recording, estimate_percentiles};

/// Median and 99th percentile of a slice's times, seconds: to look at while a run lasts, not to judge by. At a fixed rate
/// they are response times; in the closed loop service times, for there a slow server is asked less often.
pub fn glimpse(slice: &SliceRecord) -> Option<[f64; 2]> {
    let times = match slice.rate {
        Some(_) => &slice.response,
        None => &slice.service,
    };
    let times = decoded(times).filter(|times| !times.is_empty())?;
    Some([0.5, 0.99].map(|q| times.value_at_quantile(q) as f64 / 1e9))
}

/// An estimate in nanoseconds as one in seconds.
pub fn in_seconds(nanos: stats::summary::Estimate) -> Estimate {
    Estimate {
        value: nanos.value / 1e9,
        low: nanos.interval.map(|interval| interval.low / 1e9),
        high: nanos.interval.map(|interval| interval.high / 1e9),
    }
}

/// Exact values as the histogram has them, so that they compare with what was read from it.
pub fn in_cells(histogram: &Histogram, values: &[u64]) -> Vec<u64> {
    values
        .iter()
        .map(|value| histogram.highest_equivalent(*value))
        .collect()
}

/// The percentiles of the response times at a fixed rate. For the last no single start has enough behind it.
const AT_RATE: [(&str, f64); 4] = [
    ("response_p50", 0.5),
    ("response_p90", 0.9),
    ("response_p99", 0.99),
    POOLED,
];
const POOLED: (&str, f64) = ("response_p99.9", 0.999);
/// Seed of the resampling: fixed, so that a report judged again says the same.
const DRAWS: u64 = 1;

/// What the starts of an arm (a list of slices each) say together of the percentiles of its response times at the fixed rate,
/// into the level: those that too little lies behind, with the seconds they would need in all, and p99.9 with its interval by
/// drawing starts and then slices. That is a description of the arm, from which no verdict is drawn; the others have theirs
/// over the starts.
pub(crate) fn pooled(starts: &[Vec<&SliceRecord>], level: &mut Level) {
    let recording = |slices: &Vec<&SliceRecord>| {
        let histograms = slices
            .iter()
            .map(|slice| decoded(&slice.response))
            .collect::<Option<Vec<_>>>()?;
        let windows = slices.iter().zip(&histograms);
        Some(Recording {
            windows: windows
                .flat_map(|(slice, histogram)| in_cells(histogram, &slice.longest_ns))
                .collect(),
            blocks: histograms.iter().map(cells).collect(),
        })
    };
    let Some(recordings) = starts.iter().map(recording).collect::<Option<Vec<_>>>() else {
        return;
    };
    let replicates = recordings.len() as f64;
    let qs = AT_RATE.map(|(_, q)| q);
    // An interval over starts tells by its width how few they are; drawing from too few does not.
    let enough = replicates.max(REPLICATES);
    let Some(found) = estimate_percentiles(&recordings, enough, &qs, Resampling::with_seed(DRAWS)) else {
        return;
    };
    let elapsed: u64 = starts.iter().flatten().map(|slice| slice.elapsed_ns).sum();
    for ((id, _), percentile) in AT_RATE.into_iter().zip(found) {
        let pooled = id == POOLED.0;
        let too_few = Some(REPLICATES / replicates).filter(|factor| pooled && *factor > 1.0);
        match (percentile, too_few) {
            (Ok(estimate), None) if pooled => {
                level.measures.insert(id.to_owned(), in_seconds(estimate));
            }
            (Ok(_), None) => {}
            (percentile, too_few) => {
                let factor = percentile.err().unwrap_or(1.0).max(too_few.unwrap_or(1.0));
                let needed = factor * elapsed as f64 / 1e9;
                level.not_estimable.insert(id.to_owned(), needed);
            }
        }
    }
}
