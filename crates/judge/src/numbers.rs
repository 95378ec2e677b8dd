//! The numbers of a round: one value per arm and measure, and one `D` per comparison and measure.

use model::measure::Measure;

/// How many measures there are.
pub(crate) const MEASURES: usize = Measure::ALL.len();

/// A number for each measure, in the order of [`Measure::ALL`]; `None` for what was not measured.
pub(crate) type PerMeasure = [Option<f64>; MEASURES];

/// Which arm is compared with which, by their places in the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Versus {
    pub(crate) arm: usize,
    pub(crate) baseline: usize,
}

/// The numbers of one valid round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// What is measured at every level; `None` for one that does not count.
    pub(crate) levels: Vec<Option<Closed>>,
    /// What is compared once a start.
    pub(crate) once: Values,
    /// Which measures are compared at every level.
    pub(crate) by_level: [bool; MEASURES],
    /// Requests per second of the stage at a fixed rate, where there was one.
    pub(crate) rate: Option<f64>,
    /// Median and 99th percentile of the service time at that rate, seconds, by arm.
    pub(crate) service_at_rate: Vec<Option<[f64; 2]>>,
}

/// The closed loop at one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Closed {
    pub(crate) values: Values,
    /// Median and 99th percentile of the service time, seconds, by arm.
    pub(crate) service: Vec<[f64; 2]>,
    /// Throughput times mean service time, by arm: by Little's law the requests in flight, once their number is steady.
    pub(crate) in_flight: Vec<f64>,
}

/// By arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Values {
    /// Value of each measure.
    pub(crate) own: Vec<PerMeasure>,
    /// `D`: log ratio of each arm to the baseline, positive = better; 0 for the baseline itself.
    pub(crate) d: Vec<PerMeasure>,
}

impl Values {
    /// A measure that each arm has one number of: `of` tells an arm's.
    pub(crate) fn add(&mut self, measure: Measure, baseline: usize, of: impl Fn(usize) -> Option<f64>) {
        let all: Vec<Option<f64>> = (0..self.own.len()).map(of).collect();
        let theirs = all[baseline];
        for (ours, (own, d)) in all.into_iter().zip(self.own.iter_mut().zip(&mut self.d)) {
            own[measure as usize] = ours;
            d[measure as usize] = ours
                .zip(theirs)
                .map(|(ours, theirs)| better(measure, ours, theirs));
        }
    }
}

impl Numbers {
    /// An arm's value of a measure; `level` matters to those that are compared at each.
    pub(crate) fn value(&self, arm: usize, measure: Measure, level: usize) -> Option<f64> {
        self.values(measure, level)?.own[arm][measure as usize]
    }

    /// An arm's `D` of a measure.
    pub(crate) fn d(&self, arm: usize, measure: Measure, level: usize) -> Option<f64> {
        self.values(measure, level)?.d[arm][measure as usize]
    }

    fn values(&self, measure: Measure, level: usize) -> Option<&Values> {
        if !self.by_level[measure as usize] {
            return Some(&self.once);
        }
        Some(&self.levels.get(level)?.as_ref()?.values)
    }
}

/// Log ratio of two values of a measure, positive when `ours` is better.
pub(crate) fn better(measure: Measure, ours: f64, theirs: f64) -> f64 {
    // A difference of logarithms, so that swapping the arms flips the sign to the bit.
    let ratio = ours.ln() - theirs.ln();
    if measure.more_is_better() { ratio } else { -ratio }
}
