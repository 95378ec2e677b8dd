//! [`OverallAnswer`]: what the measures of a headline say together of an arm.

use crate::outcome::Report;
use crate::verdict::{Direction, Verdict};
use serde::{Deserialize, Serialize};

/// The answer for one arm, made from all its comparisons in the measures of the headline. It says nothing that their verdicts
/// do not say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverallAnswer {
    pub arm: String,
    /// What its comparisons say together.
    pub overall: Overall,
}

/// What several verdicts on one arm say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// At least one verdict is better, and all others are better or same.
    Better,
    /// At least one verdict is worse, and all others are worse or same.
    Worse,
    /// All verdicts are same.
    Same,
    /// At least one verdict is better and at least one is worse, whatever the others are.
    Mixed,
    /// At least one verdict is better, none is worse, and at least one is open.
    BetterInPart,
    /// At least one verdict is worse, none is better, and at least one is open.
    WorseInPart,
    /// No verdict is better or worse, and at least one is open.
    Open,
    /// The measurements of all comparisons are void.
    Invalid,
}

impl Overall {
    /// What these verdicts say together. A verdict that is inconclusive or invalid is open. Without any verdict the answer is
    /// open.
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let verdicts: Vec<Verdict> = verdicts.into_iter().collect();
        let any = |is: fn(Verdict) -> bool| verdicts.iter().any(|verdict| is(*verdict));
        if !verdicts.is_empty() && !any(|verdict| verdict != Verdict::Invalid) {
            return Self::Invalid;
        }
        let open = verdicts.is_empty() || any(is_open);
        let better = any(|verdict| verdict.direction() == Some(Direction::Better));
        let worse = any(|verdict| verdict.direction() == Some(Direction::Worse));
        match (better, worse, open) {
            (true, true, _) => Self::Mixed,
            (true, false, false) => Self::Better,
            (true, false, true) => Self::BetterInPart,
            (false, true, false) => Self::Worse,
            (false, true, true) => Self::WorseInPart,
            (false, false, false) => Self::Same,
            (false, false, true) => Self::Open,
        }
    }
}

/// Whether this verdict leaves its question open.
pub const fn is_open(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Inconclusive | Verdict::Invalid)
}

/// The answers of a report, one for each arm, in the order of the arms; empty where the headline is one measure.
pub fn answers(report: &Report) -> Vec<OverallAnswer> {
    if report.design.headline_measures.is_empty() {
        return Vec::new();
    }
    let of_arm = |arm: &String| {
        let comparisons = report.comparisons.iter();
        let of_headline =
            comparisons.filter(|comparison| comparison.arm == *arm && report.is_headline(comparison));
        OverallAnswer {
            arm: arm.clone(),
            overall: Overall::of(of_headline.map(|comparison| comparison.verdict)),
        }
    };
    let others = report.arms.iter().map(|arm| &arm.name);
    others.filter(|arm| **arm != report.design.baseline).map(of_arm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_together_say_one_way_mixed_or_open() {
        use Verdict::{Cheaper, Costlier, Faster, Inconclusive, Invalid, Same, Slower};
        for (verdicts, overall) in [
            ([Faster, Cheaper, Same], Overall::Better),
            ([Same, Costlier, Same], Overall::Worse),
            ([Same, Same, Same], Overall::Same),
            ([Slower, Cheaper, Inconclusive], Overall::Mixed),
            ([Faster, Slower, Same], Overall::Mixed),
            ([Inconclusive, Cheaper, Same], Overall::BetterInPart),
            ([Slower, Same, Invalid], Overall::WorseInPart),
            ([Same, Same, Inconclusive], Overall::Open),
            ([Inconclusive, Invalid, Invalid], Overall::Open),
            ([Invalid, Invalid, Invalid], Overall::Invalid),
        ] {
            assert_eq!(Overall::of(verdicts), overall, "{verdicts:?}");
        }
        assert_eq!(Overall::of([]), Overall::Open);
    }
}
