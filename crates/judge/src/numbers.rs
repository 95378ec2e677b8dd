//! The numbers of a round: one value per arm and measure, and one `D` per comparison and measure. `D` is the log ratio of an
//! arm to the baseline, positive when the arm is better.

use crate::pauses::Stood;
use crate::percentiles::ResponseTimes;
use model::load::StageLoads;
use model::measure::Measure;

/// How many measures there are.
pub(crate) const MEASURES: usize = Measure::ALL.len();

/// A number for each measure, in the order of [`Measure::ALL`]; `None` for a measure that has no value.
pub(crate) type PerMeasure = [Option<f64>; MEASURES];

/// Which arm is compared with which; both are indices into the arms of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Versus {
    pub(crate) arm: usize,
    pub(crate) baseline: usize,
}

/// The numbers of one valid round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// What was measured at each level of the closed loop; `None` for a level that does not count.
    pub(crate) levels: Vec<Option<ClosedLevel>>,
    /// The measures that have one value per start.
    pub(crate) per_start: ArmValues,
    /// For each measure, whether it is compared at every level, and so found in `levels` instead of `per_start`.
    pub(crate) by_level: [bool; MEASURES],
    /// The loads of the stage at a fixed rate, where there was one.
    pub(crate) stage_loads: StageLoads,
    /// By arm: the response times at that rate; empty where they do not count.
    pub(crate) response_times: Vec<ResponseTimes>,
    /// By arm: median and 99th percentile of the service time at that rate, in seconds.
    pub(crate) service_at_rate: Vec<Option<[f64; 2]>>,
    /// By arm: how often it stood still while it was loaded.
    pub(crate) stood: Vec<Stood>,
}

/// What was measured in the closed loop at one level. An arm whose slices do not count has no values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClosedLevel {
    pub(crate) values: ArmValues,
    /// By arm: its times.
    pub(crate) times: Vec<Option<ServiceTimes>>,
}

/// The service times of an arm at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ServiceTimes {
    /// Median and 99th percentile, in seconds.
    pub(crate) percentiles: [f64; 2],
    /// The time that one request of 20 exceeds, in seconds.
    pub(crate) usual: f64,
    /// Throughput times the mean. By Little's law (Little 1961) these are the requests in flight, once their number is steady.
    pub(crate) in_flight: f64,
}

/// How much `D` of a start varies by what its own windows show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Within {
    /// The variance of `D`, on the squared log scale.
    pub(crate) variance: f64,
    /// The windows: quads of slices.
    pub(crate) windows: usize,
}

/// Values and differences of all measures, by arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ArmValues {
    /// The value of each measure, in its own unit.
    pub(crate) value: Vec<PerMeasure>,
    /// `D` of each measure: the log ratio to the baseline, positive when the arm is better; 0 for the baseline itself.
    pub(crate) d: Vec<PerMeasure>,
    /// How much `D` varies by what the windows of the start show; `None` for a measure that is no total over windows.
    pub(crate) within: Vec<[Option<Within>; MEASURES]>,
    /// The same for the typical row of slices (Hodges and Lehmann), as a check: it differs from `D` where rare slices weigh.
    /// `None` for a measure that is no total over slices.
    pub(crate) typical: Vec<PerMeasure>,
}

impl ArmValues {
    /// Sets `D` of all measures and arms from the values, which are complete.
    pub(crate) fn set_differences(&mut self, baseline: usize) {
        let theirs = self.value[baseline];
        let d_of_arm = |ours: &PerMeasure| {
            Measure::ALL
                .map(|measure| log_advantage(measure, ours[measure as usize]?, theirs[measure as usize]?))
        };
        self.d = self.value.iter().map(d_of_arm).collect();
        self.typical = vec![[None; MEASURES]; self.value.len()];
        self.within = vec![[None; MEASURES]; self.value.len()];
    }

    /// Adds a measure: `value_of` gives the value of an arm, and `D` follows from the values.
    pub(crate) fn add(&mut self, measure: Measure, baseline: usize, value_of: impl Fn(usize) -> Option<f64>) {
        let all: Vec<Option<f64>> = (0..self.value.len()).map(value_of).collect();
        let theirs = all[baseline];
        for (ours, (value, d)) in all.into_iter().zip(self.value.iter_mut().zip(&mut self.d)) {
            value[measure as usize] = ours;
            let both = ours.zip(theirs);
            d[measure as usize] = both.and_then(|(ours, theirs)| log_advantage(measure, ours, theirs));
        }
    }
}

impl Numbers {
    /// The value of a measure for an arm; `level` is ignored where the measure has one value per start.
    pub(crate) fn value(&self, arm: usize, measure: Measure, level: usize) -> Option<f64> {
        self.values(measure, level)?.value.get(arm)?[measure as usize]
    }

    /// `D` of a measure for an arm; `level` as in [`Self::value`].
    pub(crate) fn d(&self, arm: usize, measure: Measure, level: usize) -> Option<f64> {
        self.values(measure, level)?.d[arm][measure as usize]
    }

    /// The difference of the typical row of slices, where `D` of the measure is made of rows; `level` as in [`Self::value`].
    pub(crate) fn typical(&self, arm: usize, measure: Measure, level: usize) -> Option<f64> {
        self.values(measure, level)?.typical.get(arm)?[measure as usize]
    }

    /// How much `D` varies by what the windows of the start show; `level` as in [`Self::value`].
    pub(crate) fn within(&self, arm: usize, measure: Measure, level: usize) -> Option<Within> {
        self.values(measure, level)?.within.get(arm)?[measure as usize]
    }

    /// Whether a measure is 0 for one of two arms only, so that they have no ratio; `level` as in [`Self::value`].
    pub(crate) fn lacks_ratio(&self, versus: Versus, measure: Measure, level: usize) -> bool {
        let is_zero = |arm: usize| Some(self.value(arm, measure, level)? == 0.0);
        is_zero(versus.arm).zip(is_zero(versus.baseline)).is_some_and(|(ours, theirs)| ours != theirs)
    }

    fn values(&self, measure: Measure, level: usize) -> Option<&ArmValues> {
        if !self.by_level[measure as usize] {
            return Some(&self.per_start);
        }
        Some(&self.levels.get(level)?.as_ref()?.values)
    }
}

/// The log ratio of two values of a measure, with the sign that makes it positive when `ours` is better. Two values of 0 are equal; `None` where
/// only one of them is 0, because there is no ratio then.
fn log_advantage(measure: Measure, ours: f64, theirs: f64) -> Option<f64> {
    match (ours == 0.0, theirs == 0.0) {
        (true, true) => return Some(0.0),
        (false, false) => {}
        _ => return None,
    }
    // A difference of logarithms, so that swapping the arms flips the sign to the bit.
    let ratio = ours.ln() - theirs.ln();
    Some(if measure.more_is_better() { ratio } else { -ratio })
}
