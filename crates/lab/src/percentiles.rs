//! Percentiles of one load that may be printed: each with its interval, or with what it lacks.

use judge::percentiles::{in_cells, in_seconds};
use load::{Histogram, Interval, Slice, SparseHistogram};
use model::outcome::{Estimate, Worst};
use stats::bootstrap::{Block, Resampling};
use stats::percentile::{Recording, estimate_percentiles};
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
    let Some(found) = estimate_percentiles(&[recording], seconds, &qs, Resampling::with_seed(seed)) else {
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
