//! The pauses of an arm, counted over all seconds in which it was loaded and counted: the closed loop, and the stage at a fixed rate. Few of
//! them lie in the slices of throughput, which are a quarter of a start, so their count is evidence of its own.

use crate::d_series::DSeries;
use crate::histogram::merged_times;
use crate::numbers::Numbers;
use ask::experiment::Experiment;
use model::measure::Measure;
use model::units::Seconds;
use record::outcome::{Comparison, Estimate, Verdict};
use record::remark::{Pauses, Remark};
use record::rounds::{RoundRecord, SliceRecord};
use stats::counts::{poisson_interval, same_rate};

/// Seconds of the parts of a slice whose longest response times are recorded. A part in which nothing was answered has none.
const PART: f64 = 0.1;
/// The shortest pause, in seconds.
const SHORTEST: f64 = 0.1;
/// How many times as long as usual a request has to have waited.
const UNUSUAL: f64 = 10.0;
/// The quantile of the service times that requests usually stay below.
const USUAL: f64 = 0.95;
/// The error rate at which two counts differ. They take away a `same` and give no verdict, so that this costs no error rate.
const DIFFER: f64 = 0.05;
/// The confidence of the share of time.
const CONFIDENCE: f64 = 0.95;
/// The longest time between two windows of an arm for a pause to go on from one to the next, in nanoseconds.
const GAP: u64 = 50_000_000;

/// How often an arm stood still in a start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stood {
    count: u64,
    /// For how many seconds in all.
    still: f64,
    /// In how many seconds of load.
    loaded: f64,
}

impl Stood {
    /// How often an arm stood still in these slices, which are in order.
    pub(crate) fn of_slices<'a>(slices: impl Iterator<Item = &'a SliceRecord> + Clone) -> Self {
        let times = merged_times(slices.clone().map(|slice| slice.service.as_ref()));
        let usual = times.map_or(0.0, |times| times.value_at_quantile(USUAL) as f64 / 1e9);
        of_row(slices, |_| Some(usual))
    }

    /// How long it stood still, in seconds.
    pub(crate) const fn still(&self) -> f64 {
        self.still
    }

    /// How long it was loaded, in seconds.
    pub(crate) const fn loaded(&self) -> f64 {
        self.loaded
    }

    /// The share of the time in which it stood still.
    pub(crate) fn share(&self) -> f64 {
        self.still / self.loaded.max(1e-9)
    }

    /// The mean time from one stop to the next; `None` where there were fewer than two.
    pub(crate) fn every(&self) -> Option<Seconds> {
        (self.count >= 2).then(|| Seconds(self.loaded / self.count as f64))
    }

    fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            still: self.still + other.still,
            loaded: self.loaded + other.loaded,
        }
    }
}

/// By arm: how often it stood still in a round that counts. `usual` tells the time in seconds that few requests of an arm exceed at a level;
/// where it is `None`, nothing is counted.
pub(crate) fn of_round(
    experiment: &Experiment,
    round: &RoundRecord,
    usual: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<Stood> {
    let of_arm = |arm: usize| {
        let counts = |slice: &&SliceRecord| {
            slice.arm == arm
                && slice.why_invalid.is_none()
                && !slice.probe
                && !slice.curve
                && !round.is_repeated(slice)
        };
        of_row(round.slices.iter().filter(counts), |slice| usual(arm, slice.level))
    };
    (0..experiment.arms.len()).map(of_arm).collect()
}

/// How often an arm stood still in these slices, which are in order; `usual` is as in [`of_round`].
fn of_row<'a>(
    slices: impl Iterator<Item = &'a SliceRecord>,
    usual: impl Fn(&SliceRecord) -> Option<f64>,
) -> Stood {
    let mut stood = Stood::default();
    let mut went_on_until = 0;
    for slice in slices {
        let Some(usual) = usual(slice) else {
            continue;
        };
        let goes_on = slice.started_ns <= went_on_until + GAP && went_on_until > 0;
        let (here, ends_still) = of_slice(slice, SHORTEST.max(UNUSUAL * usual), goes_on);
        stood = stood.plus(here);
        let end = slice.started_ns + slice.settle_ns + slice.elapsed_ns;
        went_on_until = if ends_still { end } else { 0 };
    }
    stood
}

/// How often an arm stood still in a slice for longer than `bound` seconds, and whether it did so when the slice ended. A pause is a row of
/// parts without an answer that ends with a request that has waited for that long. `goes_on` tells that the slice before ended in a pause,
/// which then is no other one.
fn of_slice(slice: &SliceRecord, bound: f64, goes_on: bool) -> (Stood, bool) {
    let mut stood = Stood { loaded: slice.elapsed_ns as f64 / 1e9, ..Stood::default() };
    let mut silent = 0;
    for (index, longest) in slice.longest_ns.iter().enumerate() {
        if *longest == 0 {
            silent += 1;
            continue;
        }
        let (waited, here) = (*longest as f64 / 1e9, (index + 1) as f64 * PART);
        if silent > 0 && waited > bound {
            let is_same = goes_on && silent == index;
            stood.count += u64::from(!is_same);
            stood.still += waited.min(here);
        }
        silent = 0;
    }
    let at_end = silent as f64 * PART;
    let ends_still = at_end > bound;
    if ends_still {
        let is_same = goes_on && silent == slice.longest_ns.len();
        stood.count += u64::from(!is_same);
        stood.still += at_end;
    }
    (stood, ends_still)
}

/// How often two arms stood still in these rounds, if their rates surely differ.
fn compared(experiment: &Experiment, rounds: &[Numbers], arm: usize) -> Option<Pauses> {
    let baseline = experiment.design.baseline;
    let of = |arm: usize| {
        let of_arm = rounds.iter().filter_map(|numbers| numbers.stood.get(arm));
        of_arm.copied().fold(Stood::default(), Stood::plus)
    };
    let [ours, theirs] = [of(arm), of(baseline)];
    if ours.loaded <= 0.0 || theirs.loaded <= 0.0 {
        return None;
    }
    let p = same_rate([ours.count, theirs.count], [ours.loaded, theirs.loaded]);
    if p > DIFFER {
        return None;
    }
    let is_ours = ours.count as f64 / ours.loaded > theirs.count as f64 / theirs.loaded;
    let ((more, paused), (less, other)) = match is_ours {
        true => ((ours, arm), (theirs, baseline)),
        false => ((theirs, baseline), (ours, arm)),
    };
    let interval = poisson_interval(more.count, CONFIDENCE);
    let each = more.still / more.count as f64;
    let share = |count: f64| (count * each / more.loaded).min(1.0);
    Some(Pauses {
        arm: experiment.arms[paused].name.clone(),
        count: more.count,
        seconds: Seconds(more.loaded),
        each: Seconds(each),
        share: Estimate {
            value: share(more.count as f64),
            low: Some(share(interval.low)),
            high: Some(share(interval.high)),
        },
        other: experiment.arms[other].name.clone(),
        other_count: less.count,
        other_seconds: Seconds(less.loaded),
        opens: false,
    })
}

/// Remarks at an arm's throughput how often it stood still, where that surely differs from the baseline, and
/// takes back that their throughput or response times are the same: too few pauses lie in the compared slices.
pub(crate) fn add_to(
    comparison: &mut Comparison,
    experiment: &Experiment,
    rounds: &[Numbers],
    series: &DSeries,
) {
    let (measure, at) = (series.measure, series.at);
    let depends = measure == Measure::Throughput || measure.at_a_rate();
    let opens = comparison.verdict == Verdict::Same;
    // It is shown once: with throughput, and where it changes a verdict.
    if !depends || !(opens || measure == Measure::Throughput && at == 0) {
        return;
    }
    let Some(pauses) = compared(experiment, rounds, series.arm) else {
        return;
    };
    if opens {
        comparison.verdict = Verdict::Inconclusive;
        comparison.remarks.retain(|remark| !matches!(remark, Remark::DiffersByLess { .. }));
    }
    comparison.remarks.push(Remark::Pauses(Pauses { opens, ..pauses }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;
    use crate::testing::{PLAIN, experiment, record, round};

    /// A slice with these longest response times in its tenths of a second, in milliseconds.
    fn slice(longest: &[u64]) -> SliceRecord {
        SliceRecord {
            elapsed_ns: longest.len() as u64 * 100_000_000,
            longest_ns: longest.iter().map(|millis| millis * 1_000_000).collect(),
            ..SliceRecord::default()
        }
    }

    #[test]
    fn silence_that_ends_with_a_request_that_waited_is_a_pause() {
        let of = |longest: &[u64]| of_slice(&slice(longest), 0.1, false);
        let (stood, at_end) = of(&[1, 0, 0, 250, 1]);
        assert_eq!((stood.count, at_end), (1, false));
        assert!((stood.still - 0.25).abs() < 1e-9 && (stood.loaded - 0.5).abs() < 1e-9, "{stood:?}");
        assert_eq!(of(&[1, 0, 0, 1, 1]).0.count, 0, "nobody asked");
        assert_eq!(of(&[1, 300, 300, 1]).0.count, 0, "others were answered meanwhile");
        assert_eq!(of(&[0, 150, 0, 170]).0.count, 2);
        let (stood, at_end) = of(&[1, 0, 0, 0]);
        assert_eq!((stood.count, at_end), (1, true));
        let (stood, _) = of_slice(&slice(&[0, 400, 1]), 0.1, true);
        assert_eq!(stood.count, 0, "it went on from the slice before");
        assert!((stood.still - 0.2).abs() < 1e-9, "{stood:?}");
        assert_eq!(of_slice(&slice(&[1, 0, 0, 250]), 0.5, false).0.count, 0, "usual there");
    }

    /// The verdict on the throughput of equal arms after twelve starts, and the remark on it. The second arm
    /// stood still so many times in each start.
    fn judged(pauses: usize) -> (Verdict, Option<Pauses>) {
        let mut rounds: Vec<RoundRecord> = (1..=12).map(|number| round(number, &[PLAIN, PLAIN])).collect();
        for round in &mut rounds {
            let slices = round.slices.iter_mut().filter(|slice| slice.arm == 1);
            for slice in slices.take(pauses) {
                slice.longest_ns[3..6].copy_from_slice(&[0, 0, 250_000_000]);
            }
        }
        let mut asked = experiment();
        asked.design.starts = Some(12);
        let report = report::report(&record(asked), &rounds);
        let mut found = report.comparisons.into_iter();
        let found = found.find(|of| of.measure == Measure::Throughput).expect("compared");
        let pauses = found.remarks.into_iter().find_map(|remark| match remark {
            Remark::Pauses(pauses) => Some(pauses),
            _ => None,
        });
        (found.verdict, pauses)
    }

    #[test]
    fn an_arm_that_stands_still_more_often_is_not_called_the_same() {
        assert_eq!(judged(0), (Verdict::Same, None));
        let (verdict, pauses) = judged(1);
        let pauses = pauses.expect("told");
        assert_eq!(verdict, Verdict::Inconclusive);
        assert_eq!((pauses.arm.as_str(), pauses.count, pauses.other_count), ("ten", 12, 0));
        assert!(pauses.opens && (pauses.each.0 - 0.25).abs() < 1e-9, "{pauses:?}");
        let share = pauses.share;
        assert!((share.value - 3.0 / pauses.seconds.0).abs() < 1e-9, "{share:?}");
        assert!(share.low < Some(share.value) && share.high > Some(share.value), "{share:?}");
    }
}
