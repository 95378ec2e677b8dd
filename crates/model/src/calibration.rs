//! [`CalibrationRun`]: an experiment whose right answer is known, and the verdict that prony reached. It measures the
//! measurer.

use crate::outcome::{Estimate, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run of `prony calibrate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationRun {
    /// The stored run.
    pub run: String,
    /// The machine's class, [`crate::machine::class`].
    pub class: String,
    /// Which server, against itself: `tomcat:10.1.59`.
    pub server: String,
    /// What made the second arm slower; `None` when the arms were identical.
    pub injected: Option<Injected>,
    /// The error rate that `faster` and `slower` promise.
    pub alpha: f64,
    /// The verdict on the headline measure.
    pub verdict: Verdict,
    /// The other measures that were called faster or slower.
    pub also_called: Vec<String>,
    /// Second arm / first in the headline measure.
    pub ratio: Option<Estimate>,
    /// p-value of a t test over the starts of the first look: five starts, or three where at most four were planned. The
    /// number is fixed, so that correct p-values are uniform when the arms are identical.
    pub p_first: Option<f64>,
    /// Starts that counted.
    pub starts: u32,
    /// How long it took, seconds.
    pub elapsed: f64,
    /// The same slices judged as blog posts judge them, by measure: throughput and the headline.
    pub posts: BTreeMap<String, Posts>,
}

impl CalibrationRun {
    /// Returns the true ratio of the arms: 1 when they were identical, what was injected otherwise.
    pub fn truth(&self) -> Option<f64> {
        self.injected
            .as_ref()
            .map_or(Some(1.0), |injected| injected.truth)
    }

    /// Whether the interval contains the true ratio; `None` where one of the two is unknown.
    pub fn covers(&self) -> Option<bool> {
        let (ratio, truth) = (self.ratio?, self.truth()?);
        Some(ratio.low? <= truth && truth <= ratio.high?)
    }
}

/// A known slowness that was added to the second arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    /// What was asked for: extra CPU per request as a share of the unmodified server's, 0 to 1.
    pub share: f64,
    /// Turns of the loop that burns it, per request.
    pub turns: u32,
    /// CPU that the loop took by the clocks of the server's own threads, seconds per request; `None` when too little was
    /// counted.
    pub burnt: Option<f64>,
    /// The ratio that these turns cause in the compared measure ([`Dose`]).
    pub truth: Option<f64>,
}

impl Injected {
    /// Returns the relation of turns to slowness that this run has shown; later runs derive their turns from it.
    pub fn dose(&self) -> Option<Dose> {
        Dose::of(self.turns, self.truth?)
    }
}

/// How much a number of turns slows the compared measure. It is less than the CPU that the turns burn, because a busier thread
/// sleeps less often and so saves wake-ups. The effect is therefore measured where it is large; smaller numbers of turns
/// have a proportional effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dose {
    turns: u32,
    /// Share by which the measure grew.
    effect: f64,
}

impl Dose {
    /// From a run in which `turns` made the ratio of the arms `ratio`; `None` where the second arm was not slower.
    pub fn of(turns: u32, ratio: f64) -> Option<Self> {
        let effect = ratio - 1.0;
        (effect > 0.0).then_some(Self { turns, effect })
    }

    /// Returns the turns that make the measure grow by `share`.
    pub fn turns(&self, share: f64) -> u32 {
        (f64::from(self.turns) * share / self.effect).round() as u32
    }

    /// Returns the ratio of the arms that this many turns cause.
    pub fn truth(&self, turns: u32) -> f64 {
        1.0 + self.effect * f64::from(turns) / f64::from(self.turns)
    }
}

/// How often a single start of each arm would have been published as a difference, as in a blog post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posts {
    /// Starts that were judged, each one start of every arm.
    pub starts: u32,
    /// Starts in which Welch's t test between the slices of the two arms gives p < 1 %.
    pub different: u32,
    /// Starts in which the single figures of the two arms differ by more than 1 %.
    pub published: u32,
}

/// The verdicts of many runs of one kind, counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Share injected; `None` for identical arms.
    pub injected: Option<f64>,
    /// The error rate that the runs promise.
    pub alpha: f64,
    /// Runs that reached a verdict.
    pub runs: u32,
    /// Invalid runs, which count nowhere else.
    pub invalid: u32,
    /// Runs that called the headline faster.
    pub faster: u32,
    /// Runs that called the headline slower.
    pub slower: u32,
    /// Runs that called the headline the same.
    pub same: u32,
    /// Runs without a decision.
    pub inconclusive: u32,
    /// Exact one-sided 95 % bound (Clopper, Pearson, Biometrika 1934): the share of false calls is at most this when the
    /// arms are identical, the share of right ones at least this when they are not.
    pub bound: f64,
    /// Runs in which any measure was called faster or slower, the headline included.
    pub any_measure: u32,
    /// Runs whose interval contains the true ratio, and runs in which both are known.
    pub covered: (u32, u32),
    /// p-value of the Kolmogorov-Smirnov test that the values of `p_first` are uniform; needs eight runs.
    pub uniformity: Option<f64>,
    /// Mean length, seconds.
    pub elapsed: f64,
    /// Mean number of starts.
    pub starts: f64,
    /// Sums of the runs' `posts`, by measure.
    pub posts: BTreeMap<String, Posts>,
}

impl Tally {
    /// Returns the number of wrong calls: all calls when the arms are identical, else those of the wrong sign.
    pub fn false_calls(&self) -> u32 {
        match self.injected {
            None => self.faster + self.slower,
            Some(_) => self.faster,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_dose_tells_what_a_small_one_does() {
        let dose = Dose::of(3_000, 1.15).expect("it is slower");
        assert_eq!(dose.turns(0.03), 600);
        assert!((dose.truth(600) - 1.03).abs() < 1e-12);
        assert_eq!(dose.truth(0), 1.0);
        assert_eq!(Dose::of(3_000, 0.999), None);
    }

    #[test]
    fn a_later_call_goes_on_with_what_was_injected() {
        let injected = Injected {
            share: 0.03,
            turns: 600,
            burnt: None,
            truth: Some(1.03),
        };
        let dose = injected.dose().expect("it is slower");
        assert_eq!(dose.turns(0.05), 1_000);
        assert_eq!(
            Injected {
                truth: None,
                ..injected
            }
            .dose(),
            None
        );
    }
}
