//! Percentiles that may be printed: each with its interval, or with what it lacks.

use crate::numbers::decoded;
use load::{Histogram, Interval, Slice, SparseHistogram};
use model::outcome::{Estimate, Level, Worst};
use model::record::SliceRecord;
use stats::bootstrap::{Block, Resampling};
use stats::percentile::{REPLICATES, Recording, judged};
use std::collections::BTreeMap;

/// The percentiles of a load and their names.
const SHOWN: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99.9", 0.999),
];
/// Blocks at most that are resampled: the seconds of longer loads are joined, which errs towards caution.
const BLOCKS: usize = 300;

/// What can be said of the times of one load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Percentiles with their 95 % intervals, seconds; they speak of this load only, because it has one start. Mean and
    /// maximum beside them have none.
    pub measures: BTreeMap<String, Estimate>,
    /// Percentiles that too little lies behind, with the seconds of load they would need in all: they were seen, so they
    /// are among the measures, but say nothing beyond this load, so no form of the report prints them.
    pub not_estimable: BTreeMap<String, f64>,
    /// The longest response time.
    pub worst: Option<Worst>,
}

/// The times of one load, as `response_p50`, `service_p99.9` and so on. `seed` is that of the resampling.
pub fn times(slice: &Slice, seed: u64) -> Times {
    let mut times = Times {
        worst: worst(slice),
        ..Times::default()
    };
    let response: fn(&Interval) -> &SparseHistogram = |interval| &interval.response;
    let service: fn(&Interval) -> &SparseHistogram = |interval| &interval.service;
    for (kind, all, of) in [
        ("response", &slice.response, response),
        ("service", &slice.service, service),
    ] {
        add(&mut times, kind, slice, all, of, seed);
    }
    times
}

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

fn add(
    times: &mut Times,
    kind: &str,
    slice: &Slice,
    all: &Histogram,
    of: impl Fn(&Interval) -> &SparseHistogram,
    seed: u64,
) {
    let seconds = slice.elapsed.as_secs_f64();
    let recording = Recording {
        blocks: joined(blocks(slice, all, of)),
        windows: in_cells(all, &longest(slice)),
    };
    let qs = SHOWN.map(|(_, q)| q);
    let Some(found) = judged(&[recording], seconds, &qs, Resampling::with_seed(seed)) else {
        return;
    };
    let bare = |value: f64| Estimate {
        value: value / 1e9,
        low: None,
        high: None,
    };
    for ((name, q), percentile) in SHOWN.into_iter().zip(found) {
        let id = format!("{kind}_{name}");
        match percentile {
            Ok(estimate) => {
                times.measures.insert(id, in_seconds(estimate));
            }
            Err(factor) => {
                let seen = bare(all.value_at_quantile(q) as f64);
                times.measures.insert(id.clone(), seen);
                let needed = factor * seconds;
                // Nothing that is not a number may get into report.json.
                times
                    .not_estimable
                    .extend(needed.is_finite().then_some((id, needed)));
            }
        }
    }
    times
        .measures
        .insert(format!("{kind}_max"), bare(all.max() as f64));
    times.measures.insert(format!("{kind}_mean"), bare(all.mean()));
}

fn in_seconds(nanos: stats::summary::Estimate) -> Estimate {
    Estimate {
        value: nanos.value / 1e9,
        low: nanos.interval.map(|interval| interval.low / 1e9),
        high: nanos.interval.map(|interval| interval.high / 1e9),
    }
}

/// Exact values as the histogram has them, so that they compare with what was read from it.
fn in_cells(histogram: &Histogram, values: &[u64]) -> Vec<u64> {
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
            blocks: histograms
                .iter()
                .map(|histogram| SparseHistogram::from(histogram).cells().to_vec())
                .collect(),
        })
    };
    let Some(recordings) = starts.iter().map(recording).collect::<Option<Vec<_>>>() else {
        return;
    };
    let replicates = recordings.len() as f64;
    let qs = AT_RATE.map(|(_, q)| q);
    // An interval over starts tells by its width how few they are; drawing from too few does not.
    let enough = replicates.max(REPLICATES);
    let Some(found) = judged(&recordings, enough, &qs, Resampling::with_seed(DRAWS)) else {
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

/// Times by second, over all event loops. What no second holds (answers that came after the last one) goes with the last.
fn blocks(slice: &Slice, all: &Histogram, of: impl Fn(&Interval) -> &SparseHistogram) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut rest: BTreeMap<u64, u64> = SparseHistogram::from(all).cells().iter().copied().collect();
    for interval in &slice.intervals {
        let second = (interval.start.as_secs_f64().round()) as usize;
        blocks.resize(blocks.len().max(second + 1), Vec::new());
        for &(value, count) in of(interval).cells() {
            blocks[second].push((value, count));
            if let Some(left) = rest.get_mut(&value) {
                *left = left.saturating_sub(count);
            }
        }
    }
    let late = rest.into_iter().filter(|(_, count)| *count > 0);
    match blocks.last_mut() {
        Some(last) => last.extend(late),
        None => blocks.push(late.collect()),
    }
    blocks
}

/// Not more than [`BLOCKS`] blocks of equal length.
fn joined(blocks: Vec<Block>) -> Vec<Block> {
    let each = blocks.len().div_ceil(BLOCKS).max(1);
    blocks.chunks(each).map(<[Block]>::concat).collect()
}

/// The longest response time of each tenth of a second, over all event loops, nanoseconds.
pub(crate) fn longest(slice: &Slice) -> Vec<u64> {
    let mut longest = Vec::new();
    for tenths in &slice.tenths {
        longest.resize(longest.len().max(tenths.len()), 0);
        for (most, tenth) in longest.iter_mut().zip(tenths) {
            *most = tenth.longest.0.max(*most);
        }
    }
    longest
}

fn worst(slice: &Slice) -> Option<Worst> {
    let windows = longest(slice);
    // Of equal ones the first.
    let (at, value) = windows
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, longest)| **longest)?;
    (*value > 0).then(|| Worst {
        value: *value as f64 / 1e9,
        at: at as f64 / 10.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seconds_of_a_long_load_are_joined() {
        let one = |value| vec![(value, 1)];
        let blocks: Vec<Block> = (0..3600).map(one).collect();
        let joined = joined(blocks);
        assert_eq!((joined.len(), joined[0].len()), (300, 12));
        assert_eq!(super::joined(vec![one(1)]).len(), 1);
    }
}
