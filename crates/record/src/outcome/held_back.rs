//! [`HeldBack`]: what the generator may have taken from an arm, and which verdicts it leaves alone.

use super::{Comparison, Verdict};
use model::reason::Reason;
use model::units::Share;
use say::Say;
use serde::{Deserialize, Serialize};

/// The generator set the rate of an arm in a part of its slices.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{reason}; this can have taken {most:percent_of} % of its figures at most, too little to change the verdict",
    zh = "{reason}；对其数值的影响至多为 {most:percent_of} %，不足以改变结论"
)]
pub struct HeldBack {
    pub reason: Reason,
    /// The largest share of its throughput that the arm may have lost by it.
    pub most: Share,
}

impl Comparison {
    /// Whether the verdict would be the same if one of the arms had lost up to this share of its figures.
    pub fn withstands(&self, loss: Share) -> bool {
        let Some(interval) = self.deciding().filter(|_| self.gate.is_none()) else {
            return false;
        };
        let kept = 1.0 - loss.0;
        let (Some(low), Some(high)) = (interval.low, interval.high) else {
            return self.verdict == Verdict::Inconclusive;
        };
        match self.verdict {
            Verdict::Inconclusive => true,
            Verdict::Same => low * kept >= 1.0 / (1.0 + self.margin) && high / kept <= 1.0 + self.margin,
            Verdict::Invalid => false,
            _ => high / kept < 1.0 || low * kept > 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;
    use model::measure::Measure;

    fn comparison(verdict: Verdict, low: f64, high: f64) -> Comparison {
        let value = (low * high).sqrt();
        Comparison {
            baseline: "a".to_owned(),
            arm: "b".to_owned(),
            level: None,
            measure: Measure::Throughput,
            ratio: Some(Estimate { value, low: Some(low), high: Some(high) }),
            equivalence: None,
            margin: 0.05,
            verdict,
            gate: None,
            starts: 5,
            per_start: Vec::new(),
            spread: None,
            remarks: Vec::new(),
        }
    }

    #[test]
    fn only_what_a_loss_could_turn_does_not_withstand_it() {
        let withstands = |verdict, low, high| comparison(verdict, low, high).withstands(Share(0.02));
        assert!(withstands(Verdict::Slower, 0.5, 0.6) && !withstands(Verdict::Slower, 0.95, 0.985));
        assert!(withstands(Verdict::Faster, 1.1, 1.2) && !withstands(Verdict::Faster, 1.015, 1.2));
        assert!(withstands(Verdict::Same, 0.98, 1.02) && !withstands(Verdict::Same, 0.98, 1.04));
        assert!(!withstands(Verdict::Same, 0.96, 1.0));
        assert!(withstands(Verdict::Inconclusive, 0.9, 1.1) && !withstands(Verdict::Invalid, 0.5, 0.6));
        let gate = Comparison {
            gate: Some(super::super::GateVerdict::Pass),
            ..comparison(Verdict::Faster, 1.1, 1.2)
        };
        assert!(
            !gate.withstands(Share(0.02)),
            "what passes a gate is not decided by figures that may be off"
        );
    }
}
