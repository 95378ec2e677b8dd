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

/// Percentiles of the times of one slice, in seconds: for the live page and for sinks, not for verdicts. At a fixed rate
/// they are response times; in the closed loop service times, because a slow server is asked less often there.
pub fn glimpse<const N: usize>(slice: &SliceRecord, quantiles: [f64; N]) -> Option<[f64; N]> {
    let times = match slice.rate {
        Some(_) => &slice.response,
        None => &slice.service,
    };
    let times = times.as_ref().filter(|times| !times.is_empty())?;
    Some(quantiles.map(|q| times.value_at_quantile(q) as f64 / 1e9))
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
/// estimated, and for measures that are none. The rule is that of [`add_not_estimable`].
pub(crate) fn shortfall(starts: &[&ResponseTimes], measure: Measure) -> Option<Shortfall> {
    let q = measure.quantile()?;
    let recordings: Vec<Recording> = starts.iter().map(|times| times.recording.clone()).collect();
    let enough = (recordings.len() as f64).max(REPLICATES);
    let estimates = estimate_percentiles(&recordings, enough, &[q], without_draws())?;
    let factor = estimates.into_iter().next()?.err()?;
    let seconds: Seconds = starts.iter().map(|times| times.seconds).sum();
    Some(Shortfall { needed: factor * seconds, seconds })
}

/// Tells which percentiles of the response times at the fixed rate have too few requests, of all starts of an arm (a list of slices
/// each) together: those go to `not_estimable`, with the seconds of load that they would need in all. The intervals of the others are
/// over the starts.
pub(crate) fn add_not_estimable(starts: &[Vec<&SliceRecord>], level: &mut Level) {
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
    let (figures, qs): (Vec<LevelFigure>, Vec<f64>) = at_rate().unzip();
    // A t interval over few starts is wide, so few starts are no reason against it.
    let enough = (recordings.len() as f64).max(REPLICATES);
    let Some(estimates) = estimate_percentiles(&recordings, enough, &qs, without_draws()) else {
        return;
    };
    let elapsed: u64 = starts.iter().flatten().map(|slice| slice.elapsed_ns).sum();
    for (figure, percentile) in figures.into_iter().zip(estimates) {
        if let Err(factor) = percentile {
            level.not_estimable.insert(figure, Seconds(factor * elapsed as f64 / 1e9));
        }
    }
}

/// The percentile itself is needed, and not its interval.
fn without_draws() -> Resampling {
    Resampling { draws: 0, ..Resampling::with_seed(1) }
}
