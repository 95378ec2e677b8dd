//! `D` of one comparison over the starts, and its conversion back to a ratio of the measure's values.

use crate::numbers::Numbers;
use crate::percentiles::{self, Shortfall};
use crate::totals::Total;
use ask::experiment::{Design, Experiment};
use model::load::Load;
use model::measure::Measure;
use record::outcome::{Estimate, StartSpread};
use stats::ConfidenceInterval;
use stats::moderated::{Prior, WithinStarts};
use stats::robust::{mean, variance};
use stats::sequential::{Look, Test};
use stats::sessions::Replicate;
use stats::spending::FIRST_LOOK;

/// The degrees of freedom of the prior variance: in 100 stored runs of Tomcat, quiet and beside a neighbour,
/// the variances of starts differed by no more from what their windows explain.
const PRIOR_WEIGHT: f64 = 6.0;

/// What the rounds of an experiment are: sessions where nothing starts an arm anew, whether or not its process can be seen.
pub(crate) fn replicate(experiment: &Experiment) -> Replicate {
    match experiment.arms.iter().any(|arm| arm.origin.is_some()) {
        true => Replicate::Session,
        false => Replicate::Start,
    }
}

/// The prior of a measure in a run of this design: the one that was learnt before its first start, or else the usual one.
pub(crate) fn prior(design: &Design, measure: Measure) -> Option<Prior> {
    let learnt = design.learnt_priors.iter().find(|learnt| learnt.measure == measure);
    let learnt =
        learnt.map(|learnt| Prior { between: learnt.deviation * learnt.deviation, weight: learnt.weight });
    let usual = usual_prior(measure)?;
    Some(learnt.unwrap_or(usual))
}

/// What is known without earlier runs of how starts differ beyond what their windows explain; `None` for a measure that is no total over
/// windows.
pub(crate) fn usual_prior(measure: Measure) -> Option<Prior> {
    let sd = Total::of(measure)?.deviation;
    Some(Prior { between: sd * sd, weight: PRIOR_WEIGHT })
}

/// `D` of one arm in one measure, round by round, at one level if the measure is compared at every level.
pub(crate) struct DSeries {
    pub(crate) arm: usize,
    pub(crate) measure: Measure,
    /// Index of the level; 0 for a measure with one value per start.
    pub(crate) at: usize,
    /// One `D` for each round that has a value.
    pub(crate) d: Vec<f64>,
    /// For each `D` the variance that the windows of its round explain; empty where a round has no windows.
    pub(crate) within: Vec<f64>,
    /// How many windows there were in all rounds.
    pub(crate) windows: f64,
    /// What is known of how starts differ; `None` for a measure that is no total over windows.
    pub(crate) prior: Option<Prior>,
    /// For each `D` the index of its round among the counted ones. Series of two arms may lack different rounds.
    pub(crate) rounds: Vec<usize>,
    /// Differences up to this share count as the same.
    pub(crate) margin: f64,
    /// What each `D` is of.
    pub(crate) replicate: Replicate,
    /// The load at which it was measured; `None` for a measure that does not depend on load.
    pub(crate) level: Option<Load>,
}

impl DSeries {
    /// Its values and margin, as one test of several.
    pub(crate) fn test(&self) -> Test<'_> {
        Test { d: &self.d, within: self.within_starts(), margin: self.margin, replicate: self.replicate }
    }

    /// What the windows within its starts show; `None` for a measure that is no total over windows.
    fn within_starts(&self) -> Option<WithinStarts<'_>> {
        self.prior.map(|prior| WithinStarts { variances: &self.within, windows: self.windows, prior })
    }

    /// How its starts differ, for later runs to learn from; `None` where there are too few starts or windows to tell.
    pub(crate) fn spread(&self) -> Option<StartSpread> {
        let within = self.within_starts()?;
        let tells = self.d.len() >= FIRST_LOOK && within.is_usable(self.d.len());
        tells.then_some(StartSpread {
            variance: variance(&self.d)?,
            within: mean(&self.within)?,
            starts: self.d.len() as u32,
        })
    }

    /// By how much `D` of this series exceeds another's in each round in which both have one.
    pub(crate) fn minus(&self, other: &Self) -> Vec<f64> {
        let in_both = |(round, d): (&usize, &f64)| {
            let index = other.rounds.binary_search(round).ok()?;
            Some(d - other.d[index])
        };
        self.rounds.iter().zip(&self.d).filter_map(in_both).collect()
    }

    /// The mean difference of the typical rows of slices over its first `looked_at` rounds, to compare with the mean of its `D`.
    /// `None` where `D` is not made of rows.
    pub(crate) fn typical(&self, rounds: &[Numbers], looked_at: usize) -> Option<f64> {
        let of_round = |round: &usize| rounds[*round].typical(self.arm, self.measure, self.at);
        let typical: Option<Vec<f64>> = self.rounds[..looked_at].iter().map(of_round).collect();
        mean(&typical?)
    }

    /// What its percentile lacks to be estimated, in the arm that lacks more. `None` where it can be
    /// estimated, and where its measure is no percentile.
    pub(crate) fn shortfall(&self, baseline: usize, rounds: &[Numbers]) -> Option<Shortfall> {
        let lacks = |arm: usize| {
            let times = rounds.iter().filter_map(|numbers| numbers.response_times.get(arm));
            percentiles::shortfall(&times.collect::<Vec<_>>(), self.measure)
        };
        let both = [baseline, self.arm].into_iter().filter_map(lacks);
        both.max_by(|one, other| one.needed.total_cmp(&other.needed))
    }
}

/// The ratio of the arm's value to the baseline's, from `D`: a log ratio that is positive when the arm is better.
pub(crate) fn ratio_from_log(measure: Measure, d: f64) -> f64 {
    if measure.more_is_better() { d.exp() } else { (-d).exp() }
}

/// The ratio of the arm's value to the baseline's, as a look at the series estimates it, with the interval that tests "no difference".
pub(crate) fn ratio_estimate(measure: Measure, look: Look) -> Estimate {
    ratio_within(measure, look, look.rci)
}

/// The ratio of two arms with the interval of the equivalence test; `None` before the first look.
pub(crate) fn equivalence_estimate(measure: Measure, look: Look) -> Option<Estimate> {
    look.req.map(|req| ratio_within(measure, look, Some(req)))
}

fn ratio_within(measure: Measure, look: Look, interval: Option<ConfidenceInterval>) -> Estimate {
    let interval = interval.map(|of_d| if measure.more_is_better() { of_d } else { of_d.negated() }.exp());
    Estimate {
        value: ratio_from_log(measure, look.mean),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    }
}
