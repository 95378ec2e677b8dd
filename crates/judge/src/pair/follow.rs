//! What two runs need to have in common to be points of one series, and what differs between two points of it.

use super::facts::{Facts, differing_facts, facts, is_same_build};
use super::why_not;
use record::history::WhyLeftOut;
use record::outcome::Report;
use record::pair::{DifferingFact, NotComparable};

/// Returns why a run is no point of the series that the newest run of its experiment continues; `None` if it is one.
pub(crate) fn why_left_out(report: &Report, newest: &Report) -> Option<WhyLeftOut> {
    let facts = both_facts(report, newest);
    let of_runs = why_not([report, newest], &facts).into_iter().find_map(|why| match why {
        NotComparable::MachineClass => Some(WhyLeftOut::MachineClass),
        NotComparable::Method => Some(WhyLeftOut::Method),
        NotComparable::Workload => Some(WhyLeftOut::Workload),
        // Each number of users has a series of its own, as each fixed rate has.
        NotComparable::Users
        | NotComparable::SameRun
        | NotComparable::OneRunOnly
        | NotComparable::Invalid
        | NotComparable::Rate
        | NotComparable::Pace => None,
    });
    let anchor = &newest.design.baseline;
    let is_anchored = *anchor == report.design.baseline && is_same_build(&facts, anchor);
    of_runs.or((!is_anchored).then_some(WhyLeftOut::Anchor))
}

/// Returns the facts of machine and arms that differ between two runs of a series. What every run draws or finds anew is left out.
pub(crate) fn differences(one: &Report, other: &Report) -> Vec<DifferingFact> {
    let (mut differ, _) = differing_facts(&both_facts(one, other));
    differ.retain(|fact| fact.name != "seed" && !fact.name.starts_with("design/"));
    differ
}

fn both_facts(one: &Report, other: &Report) -> [Facts; 2] {
    [facts(one), facts(other)]
}
