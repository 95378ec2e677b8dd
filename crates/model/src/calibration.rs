//! [`CalibrationRun`]: a whole experiment whose right answer is known, and what was answered. The measurer measured.

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
    /// Promised error rate of `faster` and `slower`.
    pub alpha: f64,
    /// The verdict on the headline measure.
    pub verdict: Verdict,
    /// The other measures that were called faster or slower.
    pub also_called: Vec<String>,
    /// Second arm / first in the headline measure.
    pub ratio: Option<Estimate>,
    /// p-value of a t test over the starts of the first look, five, or three where at most four were planned: a fixed number,
    /// so that honest ones are uniform when the arms are identical.
    pub p_first: Option<f64>,
    /// Starts that counted.
    pub starts: u32,
    /// How long it took, seconds.
    pub elapsed: f64,
    /// The same slices judged the way blog posts do, by measure: throughput and the headline.
    pub posts: BTreeMap<String, Posts>,
}

impl CalibrationRun {
    /// The ratio that was really there: 1 when the arms were identical, what was injected otherwise.
    pub fn truth(&self) -> Option<f64> {
        self.injected
            .as_ref()
            .map_or(Some(1.0), |injected| injected.truth)
    }

    /// Whether the interval holds the truth; `None` without either.
    pub fn covers(&self) -> Option<bool> {
        let (ratio, truth) = (self.ratio?, self.truth()?);
        Some(ratio.low? <= truth && truth <= ratio.high?)
    }
}

/// A known slowness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    /// What was asked for: extra CPU per request as a share of the unmodified server's, 0 to 1.
    pub share: f64,
    /// Turns of the loop that burns it, per request.
    pub turns: u32,
    /// CPU that the loop took by the clocks of the server's own threads, seconds per request; `None` when too little was
    /// counted.
    pub burnt: Option<f64>,
    /// The ratio of the compared measure that these turns make ([`Dose`]).
    pub truth: Option<f64>,
}

impl Injected {
    /// What it says of the next run's turns.
    pub fn dose(&self) -> Option<Dose> {
        Dose::of(self.turns, self.truth?)
    }
}

/// What a number of turns does to the compared measure. It is less than what they burn: a thread that is busier sleeps less
/// often, and saves wake-ups. So it is measured where it is large, and smaller numbers of turns do in proportion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dose {
    turns: u32,
    /// Share by which the measure grew.
    effect: f64,
}

impl Dose {
    /// `turns` made the ratio of the arms `ratio`; `None` where that is not slower.
    pub fn of(turns: u32, ratio: f64) -> Option<Self> {
        let effect = ratio - 1.0;
        (effect > 0.0).then_some(Self { turns, effect })
    }

    /// The turns that add so large a share.
    pub fn turns(&self, share: f64) -> u32 {
        (f64::from(self.turns) * share / self.effect).round() as u32
    }

    /// The ratio that so many turns make.
    pub fn truth(&self, turns: u32) -> f64 {
        1.0 + self.effect * f64::from(turns) / f64::from(self.turns)
    }
}

/// How often starts would have been published as different, were each of them a blog post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posts {
    /// Starts judged: one of each arm.
    pub starts: u32,
    /// Welch's t test of the slices of one start against those of the other says p < 1 %.
    pub different: u32,
    /// One number each, and they differ by more than 1 %.
    pub published: u32,
}

/// What many runs of one kind say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Share injected; `None` for identical arms.
    pub injected: Option<f64>,
    /// Promised error rate.
    pub alpha: f64,
    /// Runs that reached a verdict.
    pub runs: u32,
    /// Runs that were no measurement of the server, left out of all else.
    pub invalid: u32,
    /// Headline called faster.
    pub faster: u32,
    /// Headline called slower.
    pub slower: u32,
    /// Headline called the same.
    pub same: u32,
    /// Neither.
    pub inconclusive: u32,
    /// Exact one-sided 95 % bound (Clopper, Pearson, Biometrika 1934): the share of false calls is at most this when the
    /// arms are identical, the share of right ones at least this when they are not.
    pub bound: f64,
    /// Runs in which any measure was called faster or slower, the headline included.
    pub any_measure: u32,
    /// Runs whose interval holds the truth, of those that have both: (holds, all).
    pub covered: (u32, u32),
    /// p-value of the Kolmogorov-Smirnov test that the p-values of the starts of the first look are uniform; needs eight runs.
    pub uniformity: Option<f64>,
    /// Mean length, seconds.
    pub elapsed: f64,
    /// Mean number of starts.
    pub starts: f64,
    /// The way of blog posts, by measure, summed.
    pub posts: BTreeMap<String, Posts>,
}

impl Tally {
    /// Calls that contradict the truth: any, when the arms are identical; of the wrong sign, when they are not.
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
