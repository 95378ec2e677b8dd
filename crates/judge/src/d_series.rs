//! `D` of one comparison over the starts, and what it is in the measure's own unit.

use model::measure::Measure;
use model::outcome::{Estimate, Load};
use stats::sequential::Look;

/// One arm's rounds in one measure, at one level where it is measured at each.
pub(crate) struct Series {
    pub(crate) arm: usize,
    pub(crate) measure: Measure,
    /// Index of the level; 0 for what is measured once a start.
    pub(crate) at: usize,
    pub(crate) d: Vec<f64>,
    pub(crate) margin: f64,
    /// The load it was measured at, where load plays a part.
    pub(crate) level: Option<Load>,
}

/// Arm / baseline in the measure's own unit, from a log ratio that is positive when the arm is better.
pub(crate) fn in_unit(measure: Measure, d: f64) -> f64 {
    if measure.more_is_better() {
        d.exp()
    } else {
        (-d).exp()
    }
}

/// Arm / baseline after a look at a series, with its interval.
pub(crate) fn ratio(measure: Measure, look: Look) -> Estimate {
    let interval = look.rci.map(|rci| {
        if measure.more_is_better() {
            rci
        } else {
            rci.negated()
        }
        .exp()
    });
    Estimate {
        value: in_unit(measure, look.mean),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    }
}
