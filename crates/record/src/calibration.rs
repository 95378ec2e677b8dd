//! [`CalibrationRun`]: an experiment whose right answer is known, and the verdict that prony reached. It measures the
//! measurer.

use crate::outcome::{Estimate, Verdict};
use model::measure::Measure;
use model::units::{Count, Seconds, Share};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run of `prony calibrate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationRun {
    /// The stored run.
    pub run: String,
    /// The machine's class, [`model::machine::class`].
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
    pub also_called: Vec<Measure>,
    /// Second arm / first in the headline measure.
    pub ratio: Option<Estimate>,
    /// p-value of a t test over the starts of the first look. The
    /// number is fixed, so that correct p-values are uniform when the arms are identical.
    pub p_first: Option<f64>,
    /// Starts that counted.
    pub starts: u32,
    /// How long it took.
    pub elapsed: Seconds,
    /// The outcome of every measure of the headline; empty in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headline: Vec<CalibratedMeasure>,
    /// The outcome of every other measure; empty in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<CalibratedMeasure>,
    /// The same slices judged as blog posts judge them, by measure: throughput and the headline.
    pub posts: BTreeMap<Measure, Posts>,
}

/// The outcome of one measure in a calibration run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibratedMeasure {
    pub measure: Measure,
    pub verdict: Verdict,
    /// Second arm / first.
    pub ratio: Option<Estimate>,
}

impl CalibrationRun {
    /// Returns the true ratio of the arms: 1 when they were identical, what was injected otherwise.
    pub fn truth(&self) -> Option<f64> {
        self.injected.as_ref().map_or(Some(1.0), |injected| injected.truth)
    }

    /// Whether any measure of the headline was called better or worse: the error rate is promised for all of them together.
    pub fn calls_headline(&self) -> bool {
        let of_headline = self.headline.iter().map(|outcome| outcome.verdict);
        of_headline.chain([self.verdict]).any(|verdict| verdict.direction().is_some())
    }

    /// Whether the interval contains the true ratio, and with identical arms the intervals of all measures of the headline, which are
    /// promised together; `None` where no interval or no truth is known.
    pub fn covers(&self) -> Option<bool> {
        let truth = self.truth()?;
        let together = self.headline.iter().filter(|_| self.injected.is_none());
        let ratios = together.map(|outcome| outcome.ratio).chain([self.ratio]).flatten();
        let covered = ratios.filter_map(|ratio| Some(ratio.low? <= truth && truth <= ratio.high?));
        covered.reduce(|one, other| one && other)
    }
}

/// What makes an application slower by a known amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DoseKind {
    /// Every request burns CPU; the amount is turns of a loop.
    #[default]
    Cpu,
    /// All requests wait during stalls; the amount is microseconds of one stall. On average a stall begins every
    /// [`STALL_EVERY`] seconds.
    Stall,
    /// Every request allocates garbage and keeps it for a while; the amount is bytes.
    Gc,
    /// As `Cpu`, but only a random quarter of the starts burns.
    Bimodal,
}

/// Time from the begin of one stall to the begin of the next, on average.
pub const STALL_EVERY: Seconds = Seconds(5.0);
/// Share of the starts that are bad with [`DoseKind::Bimodal`].
pub const BAD_STARTS: Share = Share(0.25);

impl DoseKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Stall, Self::Gc, Self::Bimodal];

    /// Returns its name on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Stall => "stall",
            Self::Gc => "gc",
            Self::Bimodal => "bimodal",
        }
    }

    /// Returns the measure in which it shows. A server that stalls spends no CPU on it.
    pub const fn measure(self) -> Measure {
        match self {
            Self::Stall => Measure::Throughput,
            Self::Cpu | Self::Gc | Self::Bimodal => Measure::CpuPerRequest,
        }
    }
}

/// A known slowness that was added to the second arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    /// What makes it slower. Earlier versions only burnt CPU.
    #[serde(default)]
    pub dose: DoseKind,
    /// What was asked for: extra CPU per request as a share of the unmodified server's, on average over the starts;
    /// for stalls the share of time.
    pub share: Share,
    /// How much of it, in the unit of the dose.
    #[serde(rename = "turns")]
    pub amount: u32,
    /// What that took by the application's own count: CPU seconds per request (where only some starts burn, in those), or for
    /// stalls the share of time; `None` when too little was counted.
    #[serde(rename = "burnt")]
    pub counted: Option<f64>,
    /// The ratio that this causes in the compared measure, by the application's own count. Earlier versions took it from
    /// prony's measure of a larger dose instead.
    pub truth: Option<f64>,
}

impl Injected {
    /// Returns the relation of amount to slowness that this run has shown; later runs derive their amount from it.
    pub fn dose(&self) -> Option<Dose> {
        let truth = self.truth?;
        let in_slow_starts = match self.dose {
            DoseKind::Bimodal => (truth.ln() / BAD_STARTS.0).exp(),
            _ => truth,
        };
        Dose::of(self.amount, in_slow_starts)
    }
}

/// How much CPU an amount costs, as the application counts it, in shares of what the unmodified server needs. Other amounts
/// cost proportionally much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dose {
    amount: u32,
    /// Share by which the need of CPU grew.
    effect: f64,
}

impl Dose {
    /// From a run in which the need of CPU with this amount was `ratio` times the need without it; `None` where the
    /// need was not larger.
    pub fn of(amount: u32, ratio: f64) -> Option<Self> {
        let effect = ratio - 1.0;
        (effect > 0.0).then_some(Self { amount, effect })
    }

    /// Returns the amount that makes the need of CPU grow by `share`.
    pub fn amount(&self, share: Share) -> u32 {
        (f64::from(self.amount) * share.0 / self.effect).round() as u32
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
    pub injected: Option<Share>,
    /// What it was injected as.
    #[serde(default)]
    pub dose: DoseKind,
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
    /// Runs that called any measure of the headline faster or slower.
    #[serde(default)]
    pub called: u32,
    /// Runs that called the headline the same.
    pub same: u32,
    /// Runs without a decision.
    pub inconclusive: u32,
    /// Exact one-sided 95 % bound (Clopper, Pearson, Biometrika 1934): the share of false calls is at most this when the
    /// arms are identical, the share of right ones at least this when they are not.
    pub bound: Share,
    /// Runs in which any measure was called faster or slower, the headline included.
    pub any_measure: u32,
    /// Runs whose intervals contain the true ratio, and runs in which both are known.
    pub covered: (u32, u32),
    /// The measured difference minus the true one, as a log ratio averaged over the runs in which both are known.
    #[serde(default)]
    pub bias: Option<f64>,
    /// p-value of the Kolmogorov-Smirnov test that the values of `p_first` are uniform; needs eight runs.
    pub uniformity: Option<f64>,
    /// Mean length.
    pub elapsed: Seconds,
    /// Mean number of starts.
    pub starts: Count,
    /// Sums of the runs' `posts`, by measure.
    pub posts: BTreeMap<Measure, Posts>,
}

impl Tally {
    /// Returns the number of wrong calls: runs with any call in the headline when the arms are identical, else calls with the wrong sign.
    pub fn false_calls(&self) -> u32 {
        match self.injected {
            None => self.called,
            Some(_) => self.faster,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_dose_tells_what_a_small_one_takes() {
        let dose = Dose::of(3_000, 1.15).expect("it is slower");
        assert_eq!(dose.amount(Share(0.03)), 600);
        assert_eq!(Dose::of(3_000, 0.999), None);
    }

    #[test]
    fn a_later_call_goes_on_with_what_was_injected() {
        let injected = Injected {
            dose: DoseKind::Cpu,
            share: Share(0.03),
            amount: 600,
            counted: None,
            truth: Some(1.03),
        };
        let dose = injected.dose().expect("it is slower");
        assert_eq!(dose.amount(Share(0.05)), 1_000);
        let bimodal =
            Injected { dose: DoseKind::Bimodal, truth: Some(1.12f64.powf(BAD_STARTS.0)), ..injected.clone() };
        assert_eq!(bimodal.dose().expect("it is slower").amount(Share(0.12)), 600);
        let unknown = Injected { truth: None, ..injected };
        assert_eq!(unknown.dose(), None);
    }
}
