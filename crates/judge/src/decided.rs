//! The decisions about changes, as a series sees them.

use crate::drift::Series;
use record::decision::{Decision, DecisionKind};
use stats::changepoint::{Decided, SAME_CHANGE};

/// The nights of a series on which something was decided.
pub(crate) fn nights(series: &Series<'_>, decisions: &[Decision]) -> Decided {
    let of = |kind: DecisionKind| {
        let decisions = decisions.iter().filter(|decision| decision.kind == kind);
        decisions.filter_map(|decision| night(series, decision)).collect()
    };
    Decided { accepted: of(DecisionKind::Accepted), dismissed: of(DecisionKind::Dismissed) }
}

/// The decision about the change that begins on this night of a series.
pub(crate) fn about(series: &Series<'_>, change: usize, decisions: &[Decision]) -> Option<Decision> {
    let distance = |decision: &Decision| {
        let apart = night(series, decision)?.abs_diff(change);
        (apart < SAME_CHANGE).then_some(apart)
    };
    let near = decisions.iter().filter(|decision| distance(decision).is_some());
    near.min_by_key(|decision| distance(decision)).cloned()
}

/// The night of a series with the run of a decision, or the first one after it, because the run may have no figure in this series; `None`
/// if the run is newer than the series.
fn night(series: &Series<'_>, decision: &Decision) -> Option<usize> {
    // Ids begin with the time, so they sort by it.
    let points = series.points.iter();
    points.map(|point| point.report.run.as_str()).position(|run| run >= decision.run.as_str())
}
