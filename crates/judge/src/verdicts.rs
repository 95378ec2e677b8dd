//! Verdicts from the numbers of all rounds that count. The measures of the headline decide when to stop, as one family over all
//! arms and levels ([`crate::family`]); all other verdicts are given with Holm's correction (Holm 1979), as a second family.

use crate::d_series::{self, DSeries, equivalence_estimate, ratio_estimate, ratio_from_log};
use crate::family::{HeadlineTests, all_settled, plan_beside_gate};
use crate::numbers::{Numbers, Versus, Within};
use crate::pauses;
use crate::percentiles::Shortfall;
use crate::ranking::{self, TestsWithLooks};
use crate::remarks::{self, JudgedSeries};
use crate::requirements;
use crate::sessions;
use crate::validity::VOID_ROUNDS;
use ask::experiment::{Design, Experiment, Headline, secondary_alpha};
use model::measure::Measure;
use model::units::Seconds;
use record::outcome::{Comparison, Direction, GateVerdict, Ranking, Required, Verdict};
use record::remark::Remark;
use stats::multiplicity::secondary;
use stats::sequential::{Call, GateCall, Look, Test};
use stats::sessions::Replicate;
use stats::spending::{FIRST_LOOK, LookKind};

/// The verdicts after some rounds.
#[derive(Debug)]
pub struct Standing {
    /// The measures of the headline.
    pub headline: Vec<Measure>,
    /// Every arm against the baseline, measure by measure.
    pub comparisons: Vec<Comparison>,
    /// The arms by the headline at each level, where there are more than two and the headline is one measure.
    pub rankings: Vec<Ranking>,
    /// The headline is decided in all its measures for every arm at every level: no further round is needed.
    pub decided: bool,
    /// The requirements on measures, without the gate.
    pub required: Vec<Required>,
    /// Another round may decide a requirement that is still open.
    pub open: bool,
}

/// The newest looks at the headline, and the kind of all other looks. A run that ended at an early look, because
/// all was settled, did not end for want of time, so that no look has a larger part of alpha than the early one.
fn looks_at_headline(
    tests: &HeadlineTests<'_>,
    kind: LookKind,
    is_settled: impl Fn(&[Option<Look>]) -> bool,
) -> (Vec<Option<Look>>, LookKind) {
    let planned = tests.looks(LookKind::Running);
    match kind {
        LookKind::Running => (planned, kind),
        _ if !is_settled(&planned) => (tests.looks(kind), kind),
        _ if tests.is_at_early_look() => (planned, LookKind::Running),
        _ => (planned, kind),
    }
}

/// Judges all arms after these rounds of one plan. A comparison that is open is `inconclusive`, with the time
/// it would still need. `round_time` is how long a round takes on this machine.
pub fn judge(experiment: &Experiment, rounds: &[Numbers], round_time: Seconds, kind: LookKind) -> Standing {
    let design = &experiment.design;
    let headline = design.headline_measures(Numbers::rate_of(rounds));
    let (heads, others): (Vec<DSeries>, Vec<DSeries>) =
        all_series(experiment, rounds).into_iter().partition(|series| headline.contains(&series.measure));
    let of_headline = HeadlineTests::of(experiment, &heads);
    let is_settled = |looks: &[Option<Look>]| all_settled(&looks_waited_for(design, rounds, &heads, looks));
    let (head_looks, kind) = looks_at_headline(&of_headline, kind, is_settled);
    let pairs = match design.headline {
        Headline::One(_) => ranking::pairs_without_baseline(&heads),
        Headline::Overall => Vec::new(),
    };
    let (other_looks, pair_looks) = secondary_looks(design, &others, &pairs, kind);
    let required_looks: Vec<(&DSeries, Option<Look>)> = heads
        .iter()
        .zip(of_headline.newest(kind))
        .chain(others.iter().zip(other_looks.iter().copied()))
        .collect();
    let requirements = requirements::judge(experiment, rounds, &required_looks, kind);
    let lacks = |series: &DSeries| series.shortfall(design.baseline, rounds);
    let rankings = match heads.iter().any(|series| lacks(series).is_some()) {
        true => Vec::new(),
        false => ranking::rankings(
            experiment,
            &TestsWithLooks::new(&heads, &head_looks),
            &TestsWithLooks::new(&pairs, &pair_looks),
        ),
    };
    let decided = match experiment.arms.len() {
        1 => rounds.len() >= starts_of_one_arm(design),
        _ => is_settled(&head_looks),
    };
    let secondary_alpha = secondary_alpha(design.alpha) / (others.len() + pairs.len()).max(1) as f64;
    let of_others = others.iter().zip(other_looks);
    let of_others = of_others.map(|(series, look)| (series, look, look, secondary_alpha));
    let tested = of_headline.shown(&head_looks, kind).chain(of_others);
    let tested = tested.map(|(series, settled, look, alpha)| Tested {
        series,
        settled_at: settled.map_or(0, |look| look.k),
        look: look.map(Look::at_end),
        alpha,
        kind,
        counted: rounds.len(),
        shortfall: lacks(series),
        typical: look.and_then(|look| series.typical(rounds, look.k)),
    });
    Standing {
        headline,
        comparisons: comparisons(experiment, rounds, tested.collect(), round_time),
        rankings,
        decided,
        required: requirements.required,
        open: requirements.open,
    }
}

/// How many starts an experiment with one arm makes, because it has no verdict that would decide it: as many
/// as were asked for, or else one. Requirements may want more.
fn starts_of_one_arm(design: &Design) -> usize {
    let asked = design.starts.filter(|_| !design.tune_starts);
    asked.map_or(1, |starts| starts as usize)
}

/// The looks at the headline that have to be settled before the run stops. A look at a percentile that cannot be estimated
/// settles nothing.
fn looks_waited_for(
    design: &Design,
    rounds: &[Numbers],
    heads: &[DSeries],
    looks: &[Option<Look>],
) -> Vec<Option<Look>> {
    let hopeful = heads.iter().zip(looks).filter(|(series, _)| !hopeless(rounds, series));
    let estimable = |series: &DSeries| series.shortfall(design.baseline, rounds).is_none();
    hopeful.map(|(series, look)| look.filter(|_| estimable(series))).collect()
}

/// Whether the level of the series, or the stage at a fixed rate, was void so often that it is invalid; no further round is
/// begun for its sake.
fn hopeless(rounds: &[Numbers], series: &DSeries) -> bool {
    let counts = |round: &&Numbers| round.d(series.arm, series.measure, series.at).is_some();
    let void = rounds.len() - rounds.iter().filter(counts).count();
    rounds.len() >= FIRST_LOOK && void as f64 > VOID_ROUNDS * rounds.len() as f64
}

/// The looks at all tests except the headline against the baseline. They are one family: first the other
/// measures of all arms at all levels, then the headline between pairs of arms without the baseline.
fn secondary_looks(
    design: &Design,
    others: &[DSeries],
    pairs: &[ranking::Pair],
    kind: LookKind,
) -> (Vec<Option<Look>>, Vec<Option<Look>>) {
    let measures = others.iter().map(DSeries::test);
    let between = pairs.iter().map(ranking::Pair::test);
    let family: Vec<Test<'_>> = measures.chain(between).collect();
    let mut looks = secondary(&family, &plan_beside_gate(design), secondary_alpha(design.alpha), kind);
    let between = looks.split_off(others.len());
    (looks, between)
}

/// `D` of every comparison that the experiment makes, in the order of arms, measures and levels.
fn all_series(experiment: &Experiment, rounds: &[Numbers]) -> Vec<DSeries> {
    let stage = Numbers::stage_loads(rounds);
    let d_by_round = |arm, measure, at| {
        let of_round = move |(round, numbers): (usize, &Numbers)| Some((round, numbers.d(arm, measure, at)?));
        rounds.iter().enumerate().filter_map(of_round).unzip()
    };
    let mut all = Vec::new();
    for arm in (0..experiment.arms.len()).filter(|arm| *arm != experiment.design.baseline) {
        for measure in Measure::ALL.into_iter().filter(|measure| experiment.compares(arm, *measure)) {
            for at in 0..experiment.comparisons_per_start(measure) {
                let (counted, d): (Vec<usize>, Vec<f64>) = d_by_round(arm, measure, at);
                let within = counted.iter().map(|round| rounds[*round].within(arm, measure, at));
                let within: Vec<Within> = within.collect::<Option<_>>().unwrap_or_default();
                all.push(DSeries {
                    arm,
                    measure,
                    at,
                    d,
                    within: within.iter().map(|within| within.variance).collect(),
                    windows: within.iter().map(|within| within.windows).sum::<usize>() as f64,
                    prior: d_series::prior(&experiment.design, measure),
                    rounds: counted,
                    margin: experiment.design.margin(measure),
                    replicate: d_series::replicate(experiment),
                    level: experiment.load_of(measure, at, &stage),
                });
            }
        }
    }
    all
}

/// A series with the newest look at it that says what settled it.
struct Tested<'a> {
    series: &'a DSeries,
    look: Option<Look>,
    /// The number of rounds at the look that settled it, or at the last one.
    settled_at: usize,
    /// Its part of the error rate.
    alpha: f64,
    /// Where the run is.
    kind: LookKind,
    /// Rounds that count, whether or not they have a value of the series.
    counted: usize,
    /// What a percentile lacks to be estimated, of the arm or the baseline.
    shortfall: Option<Shortfall>,
    /// The mean difference of the typical rows of slices in the rounds of the look.
    typical: Option<f64>,
}

/// The comparisons in the order of arms, measures and levels.
fn comparisons(
    experiment: &Experiment,
    rounds: &[Numbers],
    mut tested: Vec<Tested<'_>>,
    round_time: Seconds,
) -> Vec<Comparison> {
    tested.sort_by_key(|Tested { series, .. }| (series.arm, series.measure, series.at));
    let comparison = |tested: &Tested<'_>| comparison(experiment, rounds, tested, round_time);
    tested.iter().map(comparison).collect()
}

fn comparison(
    experiment: &Experiment,
    rounds: &[Numbers],
    tested: &Tested<'_>,
    round_time: Seconds,
) -> Comparison {
    let design = &experiment.design;
    let (series, look) = (tested.series, tested.look);
    let measure = series.measure;
    let verdict = look.map_or(Verdict::Inconclusive, |look| verdict(measure, look.call));
    let judged = look.map(|look| JudgedSeries {
        design,
        measure,
        d: &series.d[..look.k],
        typical: tested.typical,
        rounds: series.d.len(),
        counted: tested.counted,
        margin: series.margin,
        alpha: tested.alpha,
        kind: tested.kind,
        look,
        settled_at: tested.settled_at,
        round_time,
    });
    let mut comparison = Comparison {
        baseline: experiment.arms[design.baseline].name.clone(),
        arm: experiment.arms[series.arm].name.clone(),
        level: series.level.clone(),
        measure,
        ratio: look.map(|look| ratio_estimate(measure, look)),
        equivalence: look.and_then(|look| equivalence_estimate(measure, look)),
        margin: series.margin,
        verdict,
        gate: look.and_then(|look| look.gate).map(gate),
        starts: look.map_or(0, |look| look.k) as u32,
        per_start: series.d.iter().map(|d| ratio_from_log(measure, *d)).collect(),
        spread: series.spread(),
        remarks: judged.map_or_else(Vec::new, |judged| remarks::remarks_on(&judged)),
    };
    if let Some(look) = look.filter(|_| series.replicate == Replicate::Session) {
        comparison.remarks.extend(sessions::remark(&look, &series.d[..look.k]));
    }
    pauses::add_to(&mut comparison, experiment, rounds, series);
    let versus = Versus { arm: series.arm, baseline: design.baseline };
    if rounds.iter().any(|numbers| numbers.lacks_ratio(versus, measure, series.at)) {
        return without_ratio(comparison);
    }
    match tested.shortfall {
        Some(shortfall) => without_verdict(comparison, shortfall),
        None => comparison,
    }
}

/// The comparison of a measure that is 0 for one of the two arms in a start: whatever the other starts show, there is no ratio of all of them.
fn without_ratio(comparison: Comparison) -> Comparison {
    Comparison {
        ratio: None,
        equivalence: None,
        verdict: Verdict::Inconclusive,
        gate: comparison.gate.map(|_| GateVerdict::Inconclusive),
        remarks: vec![Remark::OneIsZero],
        ..comparison
    }
}

/// The comparison of a percentile that cannot be estimated: it has differences, but nobody knows what differs.
fn without_verdict(comparison: Comparison, shortfall: Shortfall) -> Comparison {
    let Shortfall { needed, seconds } = shortfall;
    Comparison {
        verdict: Verdict::Inconclusive,
        gate: comparison.gate.map(|_| GateVerdict::Inconclusive),
        remarks: vec![Remark::NotEstimable { needed, seconds }],
        ..comparison
    }
}

/// The verdict that a call on a measure is.
pub(crate) const fn verdict(measure: Measure, call: Call) -> Verdict {
    match call {
        Call::Better => Verdict::shown(measure, Direction::Better),
        Call::Worse => Verdict::shown(measure, Direction::Worse),
        Call::Same => Verdict::Same,
        Call::GoOn | Call::Inconclusive => Verdict::Inconclusive,
    }
}

const fn gate(call: GateCall) -> GateVerdict {
    match call {
        GateCall::Pass => GateVerdict::Pass,
        GateCall::Fail => GateVerdict::Fail,
        GateCall::GoOn | GateCall::Inconclusive => GateVerdict::Inconclusive,
    }
}

#[cfg(test)]
mod tests;
