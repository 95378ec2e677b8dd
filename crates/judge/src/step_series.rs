//! The values of each step of sessions, over the rounds that count: its throughput in the closed loop, and percentiles of its times at the
//! fixed rate.

use crate::d_series::{self, DSeries};
use ask::experiment::Experiment;
use model::load::Load;
use model::measure::Measure;
use model::units::Seconds;
use record::remark::Remark;
use record::rounds::{RoundRecord, SliceRecord};
use traffic::scenario::StepRecord;

/// A percentile of a step is compared if at least this number of right ends of the step took longer than it says.
const BEYOND: f64 = 10.0;

/// What an arm did in one step at one load in one round that counts.
struct StepDone {
    record: StepRecord,
    /// How long it was loaded.
    loaded: Seconds,
}

/// `D` of one arm in one measure of one step.
pub(crate) struct StepSeries {
    /// Index of the step.
    pub(crate) step: usize,
    pub(crate) d: DSeries,
    /// The values of the baseline and of the arm, start by start.
    pub(crate) values: [Vec<f64>; 2],
    /// What a percentile lacks to be compared.
    pub(crate) lacks: Option<Remark>,
}

/// What is measured of a step: its throughput at every load of the closed loop, and its times at the fixed rate.
pub(crate) fn rounds_of_step(
    experiment: &Experiment,
    rounds: &[&RoundRecord],
    step: usize,
) -> Vec<StepRounds> {
    let mut all = Vec::new();
    for at in 0..experiment.load.connections.len() {
        let counted = rounds.iter().filter(|round| round.void_at(at).is_none());
        all.push(StepRounds {
            step,
            measure: Measure::Throughput,
            load: experiment.load.level(at),
            at,
            quantile: None,
            by_round: counted.map(|round| by_arm(experiment, step, || round.closed_at(at))).collect(),
        });
    }
    // No start may have come to the fixed rate.
    let Some(load) = rounds.iter().find_map(|round| round.open().next()?.open_load()) else {
        return all;
    };
    for (measure, quantile) in Measure::response_times() {
        let counts =
            |round: &&&RoundRecord| round.stage_void.is_none() && round.times_void(measure).is_none();
        all.push(StepRounds {
            step,
            measure,
            load: load.clone(),
            at: 0,
            quantile: Some(quantile),
            by_round: rounds
                .iter()
                .filter(counts)
                .map(|round| by_arm(experiment, step, || round.staged()))
                .collect(),
        });
    }
    all
}

/// What each arm did in a step during these slices.
fn by_arm<'a, Slices: Iterator<Item = &'a SliceRecord>>(
    experiment: &Experiment,
    step: usize,
    slices: impl Fn() -> Slices,
) -> Vec<StepDone> {
    let arms = 0..experiment.arms.len();
    arms.map(|arm| done(slices(), arm, step)).collect()
}

/// A measure of a step at one load, with what each arm did in each round that counts.
pub(crate) struct StepRounds {
    /// Index of the step.
    pub(crate) step: usize,
    pub(crate) measure: Measure,
    pub(crate) load: Load,
    at: usize,
    /// The quantile of a percentile; `None` for throughput.
    quantile: Option<f64>,
    by_round: Vec<Vec<StepDone>>,
}

impl StepRounds {
    /// The value of an arm in a round.
    fn value(&self, done: &StepDone) -> f64 {
        match self.quantile {
            Some(quantile) => done.record.time_at(quantile).0,
            None => done.record.ok as f64 / done.loaded.0,
        }
    }

    /// The values of an arm in all rounds in which the step ended rightly.
    pub(crate) fn values(&self, arm: usize) -> Vec<f64> {
        let values = self.by_round.iter().map(|arms| self.value(&arms[arm]));
        values.filter(|value| value.is_finite() && *value > 0.0).collect()
    }

    /// What a percentile lacks to be judged for an arm.
    pub(crate) fn lacks(&self, arm: usize) -> Option<Remark> {
        lacks(self.by_round.iter().map(|arms| &arms[arm]), self.quantile?)
    }

    /// The series of values over the rounds, of every arm but the baseline; none of a measure that is not compared.
    pub(crate) fn series(&self, experiment: &Experiment) -> Vec<StepSeries> {
        if !experiment.asks_for(self.measure) {
            return Vec::new();
        }
        let arms = (0..experiment.arms.len()).filter(|arm| *arm != experiment.design.baseline);
        arms.filter_map(|arm| self.series_of_arm(experiment, arm)).collect()
    }

    /// The series of an arm; `None` where the step ended rightly in no round with both arms.
    fn series_of_arm(&self, experiment: &Experiment, arm: usize) -> Option<StepSeries> {
        let baseline = experiment.design.baseline;
        let d = |(index, arms): (usize, &Vec<StepDone>)| {
            let d = (self.value(&arms[arm]) / self.value(&arms[baseline])).ln();
            let d = if self.measure.more_is_better() { d } else { -d };
            d.is_finite().then_some((index, d))
        };
        let (rounds, d): (Vec<usize>, Vec<f64>) = self.by_round.iter().enumerate().filter_map(d).unzip();
        (!d.is_empty()).then(|| StepSeries {
            step: self.step,
            values: [baseline, arm].map(|arm| self.values(arm)),
            d: DSeries {
                arm,
                measure: self.measure,
                at: self.at,
                d,
                within: Vec::new(),
                windows: 0.0,
                prior: None,
                rounds,
                margin: experiment.design.margin(self.measure),
                replicate: d_series::replicate(experiment),
                level: Some(self.load.clone()),
            },
            lacks: self.lacks(arm).or_else(|| self.lacks(baseline)),
        })
    }
}

/// What an arm did in a step during these slices.
fn done<'a>(slices: impl Iterator<Item = &'a SliceRecord>, arm: usize, step: usize) -> StepDone {
    let mut done = StepDone { record: StepRecord::default(), loaded: Seconds::ZERO };
    for slice in slices.filter(|slice| slice.arm == arm) {
        done.loaded += Seconds::from_nanos(slice.elapsed_ns);
        if let Some(of_slice) = slice.steps.get(step) {
            done.record.add(of_slice);
        }
    }
    done
}

/// What a percentile lacks where too few ends took longer.
fn lacks<'a>(starts: impl Iterator<Item = &'a StepDone>, quantile: f64) -> Option<Remark> {
    let add = |(ok, loaded): (u64, Seconds), done: &StepDone| (ok + done.record.ok, loaded + done.loaded);
    let (ok, seconds) = starts.fold((0, Seconds::ZERO), add);
    let factor = BEYOND / ((1.0 - quantile) * ok as f64);
    (factor > 1.0 && ok > 0).then_some(Remark::NotEstimable { needed: factor * seconds, seconds })
}
