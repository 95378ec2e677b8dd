//! Percentiles over all starts of an arm: each with its interval, or with the seconds of load that it would need.

use crate::histogram::{cells, merged};
use model::measure::Measure;
use model::units::Seconds;
use record::histogram::{Histogram, new_histogram};
use record::level_figure::LevelFigure;
use record::outcome::{Estimate, Level};
use record::rounds::SliceRecord;
use stats::bootstrap::Resampling;
use stats::percentile::{REPLICATES, Recording, estimate_percentiles};

/// Median and 99th percentile of the times of one slice, in seconds: for the live page, not for verdicts. At a fixed rate
/// they are response times; in the closed loop service times, because a slow server is asked less often there.
pub fn glimpse(slice: &SliceRecord) -> Option<[f64; 2]> {
    let times = match slice.rate {
        Some(_) => &slice.response,
        None => &slice.service,
    };
    let times = times.as_ref().filter(|times| !times.is_empty())?;
    Some([0.5, 0.99].map(|q| times.value_at_quantile(q) as f64 / 1e9))
}

/// Converts an estimate in nanoseconds to seconds.
pub fn in_seconds(nanos: stats::summary::SampleEstimate) -> Estimate {
    Estimate {
        value: nanos.value / 1e9,
        low: nanos.interval.map(|interval| interval.low / 1e9),
        high: nanos.interval.map(|interval| interval.high / 1e9),
    }
}

/// Rounds exact values up to the cells of the histogram, so that they compare with percentiles read from it.
pub fn in_cells(histogram: &Histogram, values: &[u64]) -> Vec<u64> {
    values.iter().map(|value| histogram.highest_equivalent(*value)).collect()
}

/// The percentiles of the response times at a fixed rate, with their quantiles.
fn at_rate() -> impl Iterator<Item = (LevelFigure, f64)> {
    LevelFigure::response_times().filter_map(|figure| Some((figure, figure.statistic()?.quantile()?)))
}

/// The response times of an arm at the fixed rate in one start.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ResponseTimes {
    recording: Recording,
    /// How long the arm was loaded.
    seconds: Seconds,
}

impl ResponseTimes {
    /// The response times of slices.
    pub(crate) fn of<'a>(slices: impl Iterator<Item = &'a SliceRecord> + Clone) -> Self {
        let mut times = Self::default();
        // One block for the whole start: blocks are for resampling, and nothing is resampled from these.
        let Some(all) = merged(slices.clone().map(|slice| slice.response.as_ref())) else {
            return times;
        };
        for slice in slices {
            times.recording.windows.push(in_cells(&all, &slice.longest_ns));
            times.seconds += Seconds::from_nanos(slice.elapsed_ns);
        }
        times.recording.blocks = vec![cells(&all)];
        times
    }
}

/// Too little was recorded of an arm to estimate a percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shortfall {
    /// Load that the percentile needs in all.
    pub(crate) needed: Seconds,
    /// Load that there was.
    pub(crate) seconds: Seconds,
}

/// What these starts of an arm lack to estimate a percentile of its response times; `None` where it can be
/// estimated, and for measures that are none. The rule is in [`add_pooled_percentiles`].
pub(crate) fn shortfall(starts: &[&ResponseTimes], measure: Measure) -> Option<Shortfall> {
    let q = measure.quantile()?;
    let recordings: Vec<Recording> = starts.iter().map(|times| times.recording.clone()).collect();
    let enough = (recordings.len() as f64).max(REPLICATES);
    // The percentile itself is needed, and not its interval.
    let without_draws = Resampling { draws: 0, ..Resampling::with_seed(SEED) };
    let estimates = estimate_percentiles(&recordings, enough, &[q], without_draws)?;
    let factor = estimates.into_iter().next()?.err()?;
    let seconds: Seconds = starts.iter().map(|times| times.seconds).sum();
    Some(Shortfall { needed: factor * seconds, seconds })
}

/// Seed of the resampling: fixed, so that judging a run again gives the same report.
const SEED: u64 = 1;

/// Adds to the level what all starts of an arm (a list of slices each) together say of its response times at the fixed rate.
/// A percentile with too few requests goes to `not_estimable`, with the seconds of load that it would need in all. p99.9 gets
/// an interval by a two-stage bootstrap, which draws starts and then slices; it describes the arm, and no verdict rests on
/// it. The other percentiles already have intervals over the starts.
pub(crate) fn add_pooled_percentiles(starts: &[Vec<&SliceRecord>], level: &mut Level) {
    let bounds = new_histogram();
    let recording = |slices: &Vec<&SliceRecord>| {
        let block = |slice: &&SliceRecord| Some(slice.response.as_ref()?.cells().to_vec());
        Some(Recording {
            windows: slices.iter().map(|slice| in_cells(&bounds, &slice.longest_ns)).collect(),
            blocks: slices.iter().map(block).collect::<Option<_>>()?,
        })
    };
    let Some(recordings) = starts.iter().map(recording).collect::<Option<Vec<_>>>() else {
        return;
    };
    let replicates = recordings.len() as f64;
    let (figures, qs): (Vec<LevelFigure>, Vec<f64>) = at_rate().unzip();
    // A t interval over few starts is wide; a bootstrap interval over few starts is too narrow, so it needs enough of them.
    let enough = replicates.max(REPLICATES);
    let Some(estimates) = estimate_percentiles(&recordings, enough, &qs, Resampling::with_seed(SEED)) else {
        return;
    };
    let elapsed: u64 = starts.iter().flatten().map(|slice| slice.elapsed_ns).sum();
    for (figure, percentile) in figures.into_iter().zip(estimates) {
        let pooled = figure == LevelFigure::POOLED;
        let too_few = Some(REPLICATES / replicates).filter(|factor| pooled && *factor > 1.0);
        match (percentile, too_few) {
            (Ok(estimate), None) if pooled => {
                level.measures.insert(figure, in_seconds(estimate));
            }
            (Ok(_), None) => {}
            (percentile, too_few) => {
                let factor = percentile.err().unwrap_or(1.0).max(too_few.unwrap_or(1.0));
                let needed = factor * elapsed as f64 / 1e9;
                level.not_estimable.insert(figure, Seconds(needed));
            }
        }
    }
}
