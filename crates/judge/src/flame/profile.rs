//! [`Profile`]: the CPU profile of one start, and what becomes of several of them.

use super::estimate_of;
use super::stack::CountedStack;
use model::units::Seconds;
use record::inspection::Inspection;
use record::outcome::Estimate;
use stats::summary::{self, CountedSample};
use std::collections::BTreeMap;

/// The CPU profile of one start. Times are CPU times per right answer.
pub(super) struct Profile<'a> {
    /// The stacks, each with its time.
    pub(super) stacks: Vec<(CountedStack<'a>, Seconds)>,
    /// The time that one sample stands for.
    sample: Seconds,
}

impl<'a> Profile<'a> {
    /// The profile of an inspection; `None` without samples or without right answers.
    pub(super) fn of(inspection: &'a Inspection) -> Option<Self> {
        let ok = (inspection.ok > 0).then_some(inspection.ok as f64)?;
        let taken = inspection.cpu.iter().filter(|stack| stack.seconds > Seconds::ZERO);
        let sample = taken.clone().map(|stack| stack.seconds).reduce(Seconds::min)?;
        Some(Self {
            stacks: taken.map(|stack| (CountedStack::of(stack), stack.seconds / ok)).collect(),
            sample: sample / ok,
        })
    }
}

/// The time of one thing in every profiled start of an arm.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampled {
    /// Its time in each start, in seconds.
    values: Vec<f64>,
    /// The time that one sample stands for, a mean over the starts.
    sample: Seconds,
}

impl Sampled {
    /// Zero in all starts of these profiles.
    pub(super) fn nothing(profiles: &[Profile<'_>]) -> Self {
        let samples: Seconds = profiles.iter().map(|profile| profile.sample).sum();
        Self { values: vec![0.0; profiles.len()], sample: samples / profiles.len().max(1) as f64 }
    }

    /// The time of all stacks.
    pub(super) fn whole(profiles: &[Profile<'_>]) -> Self {
        let mut whole = Self::nothing(profiles);
        for (start, profile) in profiles.iter().enumerate() {
            profile.stacks.iter().for_each(|(_, seconds)| whole.add(start, *seconds));
        }
        whole
    }

    /// The time of the stacks by a name that each has.
    pub(super) fn by(
        profiles: &[Profile<'_>],
        name: impl Fn(&CountedStack<'_>) -> String,
    ) -> BTreeMap<String, Self> {
        let mut sums: BTreeMap<String, Self> = BTreeMap::new();
        for (start, profile) in profiles.iter().enumerate() {
            for (stack, time) in &profile.stacks {
                let sum = sums.entry(name(stack)).or_insert_with(|| Self::nothing(profiles));
                sum.add(start, *time);
            }
        }
        sums
    }

    /// Adds the time of a stack to a start.
    pub(super) fn add(&mut self, start: usize, time: Seconds) {
        self.values[start] += time.0;
    }

    /// Its mean over the starts.
    pub(super) fn mean(&self) -> Seconds {
        Seconds(self.values.iter().sum::<f64>() / self.values.len().max(1) as f64)
    }

    /// Its values with the noise of counting: a sum of n samples has the variance n (Poisson), each sample being this long.
    fn counted(&self) -> CountedSample<'_> {
        CountedSample { values: &self.values, least_variance: self.mean().0 * self.sample.0 }
    }
}

/// How a thing differs between two arms.
pub(super) struct Difference {
    /// Arm minus baseline.
    pub(super) estimate: Estimate,
    /// Differences up to this size are explained by the spread of the starts, or with one start by counting.
    pub(super) noise: f64,
}

impl Difference {
    /// Whether chance does not explain it.
    pub(super) fn is_shown(&self) -> bool {
        self.estimate.value.abs() > self.noise
    }
}

/// The difference of a thing between baseline and arm.
pub(super) fn difference(arms: [&Sampled; 2], confidence: f64) -> Difference {
    let [baseline, arm] = arms.map(Sampled::counted);
    let estimate = summary::difference(baseline, arm, confidence)
        .map_or(Estimate { value: 0.0, low: None, high: None }, estimate_of);
    let noise = match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => (high - low) / 2.0,
        _ => summary::counting_noise(baseline, arm, confidence),
    };
    Difference { estimate, noise }
}

/// The confidence with which each of `compared` things is compared, so that all intervals hold together (Bonferroni).
pub(super) fn confidence_of_each(compared: usize) -> f64 {
    1.0 - (1.0 - super::CONFIDENCE) / compared.max(1) as f64
}
