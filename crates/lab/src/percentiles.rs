//! The percentiles of a single load: each with its interval, or with the load time that it would need for one.

use judge::percentiles::{in_cells, in_seconds};
use load::{Histogram, Interval, Slice, SparseHistogram};
use model::times::{Clock, TimeStatistic};
use model::units::Seconds;
use record::level_figure::LevelFigure;
use record::outcome::{Estimate, Worst};
use stats::bootstrap::{Block, Resampling};
use stats::percentile::{Recording, estimate_percentiles};
use std::collections::BTreeMap;

/// The largest number of blocks that are resampled. Seconds of longer loads are joined, which makes intervals wider rather
/// than narrower.
const BLOCKS: usize = 300;

/// The response and service times of a single load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadTimes {
    /// Percentiles in seconds with their 95 % intervals, which hold for this load only, because it has one start. Mean and
    /// maximum have no interval.
    pub measures: BTreeMap<LevelFigure, Estimate>,
    /// Percentiles with too little data for an interval, with the seconds of load that one would need. Their values are
    /// among the measures. Reports mark them, because they hold for this load only.
    pub not_estimable: BTreeMap<LevelFigure, Seconds>,
    /// The longest response time.
    pub worst: Option<Worst>,
}

/// The times of a single load. `seed` is for the resampling.
pub fn load_times(slice: &Slice, seed: u64) -> LoadTimes {
    let mut times = LoadTimes { worst: worst(slice), ..LoadTimes::default() };
    let response: fn(&Interval) -> &SparseHistogram = |interval| &interval.response;
    let service: fn(&Interval) -> &SparseHistogram = |interval| &interval.service;
    for (clock, all, per_second) in
        [(Clock::Response, &slice.response, response), (Clock::Service, &slice.service, service)]
    {
        let histograms = Histograms { clock, slice, all, per_second };
        times.add(&histograms, seed);
    }
    times.add_seen(Clock::FirstByte, &slice.first_byte);
    times.add_seen(Clock::Body, &slice.body);
    times
}

/// The histograms of one kind of time.
struct Histograms<'a> {
    clock: Clock,
    slice: &'a Slice,
    /// The histogram of the whole load.
    all: &'a Histogram,
    /// Selects the histogram of one second.
    per_second: fn(&Interval) -> &SparseHistogram,
}

impl LoadTimes {
    /// Adds the parts of the service time as they were seen. They are not recorded by second, so they have no intervals.
    fn add_seen(&mut self, clock: Clock, all: &Histogram) {
        if all.is_empty() {
            return;
        }
        for (statistic, q) in
            [(TimeStatistic::P50, 0.5), (TimeStatistic::P95, 0.95), (TimeStatistic::P99, 0.99)]
        {
            let value = all.value_at_quantile(q) as f64 / 1e9;
            self.measures
                .insert(LevelFigure::time(clock, statistic), Estimate { value, low: None, high: None });
        }
    }

    fn add(&mut self, histograms: &Histograms<'_>, seed: u64) {
        let Histograms { clock, slice, all, per_second } = *histograms;
        let seconds = slice.elapsed.as_secs_f64();
        let recording = Recording {
            blocks: joined(blocks(slice, all, per_second)),
            windows: vec![in_cells(all, &longest(slice))],
        };
        let known =
            TimeStatistic::PERCENTILES.into_iter().filter_map(|shown| Some((shown, shown.quantile()?)));
        let (shown, qs): (Vec<TimeStatistic>, Vec<f64>) = known.unzip();
        let Some(estimates) = estimate_percentiles(&[recording], seconds, &qs, Resampling::with_seed(seed))
        else {
            return;
        };
        let bare = |value: f64| Estimate { value: value / 1e9, low: None, high: None };
        for ((statistic, q), percentile) in shown.into_iter().zip(&qs).zip(estimates) {
            let figure = LevelFigure::time(clock, statistic);
            match percentile {
                Ok(estimate) => {
                    self.measures.insert(figure, in_seconds(estimate));
                }
                Err(factor) => {
                    let value = bare(all.value_at_quantile(*q) as f64);
                    self.measures.insert(figure, value);
                    let needed = factor * seconds;
                    // JSON has no infinity, so an infinite time must not get into report.json.
                    self.not_estimable.extend(needed.is_finite().then_some((figure, Seconds(needed))));
                }
            }
        }
        self.measures.insert(LevelFigure::time(clock, TimeStatistic::Max), bare(all.max() as f64));
        self.measures.insert(LevelFigure::time(clock, TimeStatistic::Mean), bare(all.mean()));
    }
}

/// The times by second, over all event loops. Answers that came after the last second are added to it.
fn blocks(slice: &Slice, all: &Histogram, per_second: fn(&Interval) -> &SparseHistogram) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut rest: BTreeMap<u64, u64> = SparseHistogram::from(all).cells().iter().copied().collect();
    for interval in &slice.intervals {
        let second = (interval.start.as_secs_f64().round()) as usize;
        blocks.resize(blocks.len().max(second + 1), Vec::new());
        for &(value, count) in per_second(interval).cells() {
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

/// The blocks joined to at most [`BLOCKS`] blocks of equal length.
fn joined(blocks: Vec<Block>) -> Vec<Block> {
    let each = blocks.len().div_ceil(BLOCKS).max(1);
    blocks.chunks(each).map(<[Block]>::concat).collect()
}

/// The longest response time of each tenth of a second over all event loops, in nanoseconds.
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

/// The requests that ended in each tenth of a second, over all event loops.
pub(crate) fn ended(slice: &Slice) -> Vec<u64> {
    let mut ended = Vec::new();
    for tenths in &slice.tenths {
        ended.resize(ended.len().max(tenths.len()), 0);
        for (all, tenth) in ended.iter_mut().zip(tenths) {
            *all += tenth.answers;
        }
    }
    ended
}

fn worst(slice: &Slice) -> Option<Worst> {
    let windows = longest(slice);
    // Reversed, so that the first of equal ones is taken.
    let (at, value) = windows.iter().enumerate().rev().max_by_key(|(_, longest)| **longest)?;
    (*value > 0).then(|| Worst { value: Seconds::from_nanos(*value), at: Seconds(at as f64 / 10.0) })
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
