//! The measures of the headline of a design.

use super::Design;
use crate::headline::Headline;
use model::measure::Measure;
use model::units::Rate;

/// A percentile that may belong to [`Headline::Overall`], and what the whole plan needs to estimate it.
struct Tail {
    measure: Measure,
    /// The share of the requests that lies beyond it.
    beyond: f64,
    /// Seconds for which each arm has to be loaded. An estimate needs 30 episodes, and two of them are at least two windows of a tenth of
    /// a second apart, which makes 6 s. Beyond p99, episodes of a server that answers quickly are rarer: in ten runs of
    /// `experiments/first-run.toml` 11 s were too few four times, and 19 to 26 s would have been enough.
    load: f64,
}

/// The percentile that is preferred comes first.
const TAILS: [Tail; 2] = [
    Tail { measure: Measure::ResponseP99, beyond: 0.01, load: 25.0 },
    Tail { measure: Measure::ResponseP90, beyond: 0.1, load: 6.0 },
];

/// Requests beyond a percentile that the whole planned load has to have. An estimate needs 100; a run may stop before its last
/// planned start, and may move time from the stage at a fixed rate to the closed loop.
const BEYOND: f64 = 200.0;

/// Starts that are counted with where the design sets no maximum.
const STARTS_UNTIL_SURE: u32 = 8;

impl Design {
    /// The fixed rate as far as it is known before the first start.
    fn expected_rate(&self) -> Option<Rate> {
        let kept = self.kept_rate.as_ref().map(|kept| kept.rate);
        self.latency_rate.or(kept)
    }

    /// Seconds for which the stage at the fixed rate is planned to load each arm, over all starts.
    fn planned_load(&self) -> f64 {
        let starts = self.starts.unwrap_or(STARTS_UNTIL_SURE);
        f64::from(starts * self.latency_pairs) * self.latency_slice.as_secs_f64()
    }

    /// The lowest rate at which the plan estimates each percentile that may belong to the headline, the preferred one
    /// first. Empty where nothing is measured at a fixed rate, or for too short a time.
    pub fn tails(&self) -> Vec<(Measure, Rate)> {
        let load = self.planned_load();
        let is_planned = |tail: &Tail| {
            self.headline == Headline::Overall && load >= tail.load && self.measures(tail.measure)
        };
        TAILS
            .into_iter()
            .filter(is_planned)
            .map(|tail| (tail.measure, Rate(BEYOND / (tail.beyond * load))))
            .collect()
    }

    /// The measures of the headline, in the order of [`Measure::ALL`]. `rate` is the fixed rate of the run, once a start
    /// has come to that stage. Until the rate is known, the percentile is the one that is preferred.
    pub fn headline_measures(&self, rate: Option<Rate>) -> Vec<Measure> {
        let Headline::Overall = self.headline else {
            return self.headline.one().into_iter().collect();
        };
        let rate = rate.or_else(|| self.expected_rate());
        let is_estimable = |(_, least): &(Measure, Rate)| rate.is_none_or(|rate| rate >= *least);
        let tail = self.tails().into_iter().find(is_estimable).map(|(tail, _)| tail);
        let always = [Measure::Throughput, Measure::CpuPerRequest].map(Some);
        let all = always.into_iter().chain([tail]).flatten();
        all.filter(|measure| !(self.unseen && *measure == Measure::CpuPerRequest)).collect()
    }

    /// Whether the percentile of the headline depends on a rate that the first start chooses.
    pub fn tail_is_open(&self) -> bool {
        self.expected_rate().is_none() && !self.tails().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;

    fn tail(design: &Design, rate: f64) -> Option<Measure> {
        let measures = design.headline_measures(Some(Rate(rate)));
        assert_eq!(measures[..2], [Measure::Throughput, Measure::CpuPerRequest]);
        measures.get(2).copied()
    }

    #[test]
    fn the_rate_and_the_planned_load_choose_the_percentile() {
        let design = Design {
            starts: Some(8),
            latency_pairs: 16,
            latency_slice: Nanos::from_millis(500),
            ..Design::default()
        };
        // 64 s of load: 200 of 20,000 requests lie beyond p99, 200 of 2,000 beyond p90.
        assert_eq!(tail(&design, 313.0), Some(Measure::ResponseP99));
        assert_eq!(tail(&design, 312.0), Some(Measure::ResponseP90));
        assert_eq!(tail(&design, 31.0), None);
        let longer = Design { starts: Some(16), ..design.clone() };
        assert_eq!(tail(&longer, 157.0), Some(Measure::ResponseP99));
        let quick = Design { starts: Some(12), latency_pairs: 4, ..design.clone() };
        assert_eq!(
            tail(&quick, 4300.0),
            Some(Measure::ResponseP90),
            "24 s may have too few episodes beyond p99"
        );
        let short = Design { starts: Some(3), latency_pairs: 2, ..design.clone() };
        assert_eq!(tail(&short, 1e6), None, "3 s are too few for 30 episodes");
        let without_stage = Design { latency_pairs: 0, ..design };
        assert_eq!(tail(&without_stage, 1e6), None);
    }

    #[test]
    fn before_the_first_start_a_rate_that_is_given_or_kept_chooses() {
        let design = Design { starts: Some(8), latency_pairs: 16, ..Design::default() };
        assert!(design.tail_is_open());
        assert_eq!(design.headline_measures(None)[2], Measure::ResponseP99);
        let given = Design { latency_rate: Some(Rate(200.0)), ..design };
        assert!(!given.tail_is_open());
        assert_eq!(given.headline_measures(None)[2], Measure::ResponseP90);
        assert_eq!(given.headline_measures(Some(Rate(1e4)))[2], Measure::ResponseP99);
    }
}
