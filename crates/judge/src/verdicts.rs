//! Verdicts from the numbers of all rounds that count. The headline measure decides when to stop; all other verdicts are
//! given with Holm's correction (Holm 1979), as one family over all arms.

use crate::d_series::{DSeries, ratio_estimate, ratio_from_log};
use crate::numbers::Numbers;
use crate::percentiles::Shortfall;
use crate::ranking::{self, TestsWithLooks};
use crate::remarks::{self, JudgedSeries};
use crate::requirements;
use crate::validity::VOID_ROUNDS;
use model::experiment::{Design, Experiment};
use model::measure::Measure;
use model::outcome::{Comparison, GateVerdict, Ranking, Required, Verdict};
use model::remark::Remark;
use stats::boundary::FIRST_LOOK;
use stats::multiplicity::{Test, primary, secondary};
use stats::sequential::{Call, GateCall, Look, Rule};

/// The verdicts after some rounds.
#[derive(Debug)]
pub struct Standing {
    /// Every arm against the baseline, measure by measure.
    pub comparisons: Vec<Comparison>,
    /// The arms by the headline at each level, where there are more than two.
    pub rankings: Vec<Ranking>,
    /// The headline is decided for every arm at every level: no further round is needed.
    pub decided: bool,
    /// The requirements on measures, without the gate.
    pub required: Vec<Required>,
    /// Another round may decide a requirement that is still open.
    pub open: bool,
}

/// The decision rules of the headline, fixed by the design: `rules[s - 1]` is for a test that shares alpha with `s - 1` other
/// tests. Each arm at each level is a test.
pub(crate) fn rules(design: &Design, tests: usize) -> Vec<Rule> {
    let cap = design.starts.map(|cap| cap as usize);
    let margin = design.margin(design.headline);
    let rule = match design.gate {
        Some(_) => Rule::gate,
        None => Rule::new,
    };
    (1..=tests)
        .map(|share| rule(cap, design.alpha, share, margin))
        .collect()
}

/// The last look at each of the headline's series. A look that settles an arm stays its last, whatever later rounds show.
pub(crate) fn headline_looks(rules: &[Rule], heads: &[DSeries]) -> Vec<Option<Look>> {
    let tests: Vec<Test<'_>> = heads.iter().map(DSeries::test).collect();
    primary(&tests, rules)
}

/// Whether every look is settled.
pub(crate) fn all_settled(looks: &[Option<Look>]) -> bool {
    looks
        .iter()
        .all(|look| look.is_some_and(|look| look.is_settled()))
}

/// Judges all arms as if no further round came: a comparison that is open is `inconclusive`, with the time it would still need.
/// `round_seconds` is how long a round takes on this machine.
pub fn judge(experiment: &Experiment, rounds: &[Numbers], round_seconds: f64) -> Standing {
    let design = &experiment.design;
    let (heads, others): (Vec<DSeries>, Vec<DSeries>) = all_series(experiment, rounds)
        .into_iter()
        .partition(|series| series.measure == design.headline);
    let head_looks = headline_looks(&rules(design, heads.len()), &heads);
    let pairs = ranking::pairs_without_baseline(&heads);
    let (other_looks, pair_looks) = secondary_looks(design, &others, &pairs);
    let ranked = TestsWithLooks {
        tests: &heads,
        looks: &head_looks,
    };
    let between = TestsWithLooks {
        tests: &pairs,
        looks: &pair_looks,
    };
    let mut rankings = ranking::rankings(experiment, &ranked, &between);
    let shares = (heads.len(), others.len() + pairs.len());
    let lacks = |series: &DSeries| series.shortfall(design.baseline, rounds);
    if heads.iter().any(|series| lacks(series).is_some()) {
        rankings.clear();
    }
    let decided = all_settled(&looks_waited_for(design, rounds, &heads, &head_looks));
    let judged: Vec<(&DSeries, Option<Look>)> = heads
        .iter()
        .zip(head_looks)
        .chain(others.iter().zip(other_looks))
        .collect();
    let requirements = requirements::judge(experiment, rounds, &judged);
    let mut comparisons: Vec<((usize, Measure, usize), Comparison)> = judged
        .into_iter()
        .map(|(series, look)| {
            let look = look.map(Look::at_end);
            let tests = match series.measure == design.headline {
                true => shares.0,
                false => shares.1,
            };
            let tested = Tested {
                series,
                look,
                tests,
                counted: rounds.len(),
                shortfall: lacks(series),
            };
            let comparison = comparison(experiment, &tested, round_seconds);
            ((series.arm, series.measure, series.at), comparison)
        })
        .collect();
    comparisons.sort_by_key(|(place, _)| *place);
    Standing {
        comparisons: comparisons
            .into_iter()
            .map(|(_, comparison)| comparison)
            .collect(),
        rankings,
        decided,
        required: requirements.required,
        open: requirements.open,
    }
}

/// The looks at the headline that have to be settled before the run stops. A look at a percentile that cannot be estimated
/// settles nothing.
fn looks_waited_for(
    design: &Design,
    rounds: &[Numbers],
    heads: &[DSeries],
    looks: &[Option<Look>],
) -> Vec<Option<Look>> {
    let hopeful = heads
        .iter()
        .zip(looks)
        .filter(|(series, _)| !hopeless(rounds, series));
    let estimable = |series: &DSeries| series.shortfall(design.baseline, rounds).is_none();
    hopeful
        .map(|(series, look)| look.filter(|_| estimable(series)))
        .collect()
}

/// Whether the level of the series, or the stage at a fixed rate, was void so often that it is invalid; no further round is
/// begun for its sake.
fn hopeless(rounds: &[Numbers], series: &DSeries) -> bool {
    let counts = |round: &&Numbers| round.d(series.arm, series.measure, series.at).is_some();
    let void = rounds.len() - rounds.iter().filter(counts).count();
    rounds.len() >= FIRST_LOOK && void as f64 > VOID_ROUNDS * rounds.len() as f64
}

/// The looks at all tests except those of the headline against the baseline. They are one family: first the other measures
/// of all arms at all levels, then the headline between arms neither of which is the baseline.
fn secondary_looks(
    design: &Design,
    others: &[DSeries],
    pairs: &[ranking::Pair],
) -> (Vec<Option<Look>>, Vec<Option<Look>>) {
    let measures = others.iter().map(DSeries::test);
    let between = pairs.iter().map(|pair| Test {
        d: &pair.d,
        margin: design.margin(design.headline),
    });
    let family: Vec<Test<'_>> = measures.chain(between).collect();
    let cap = design.starts.map(|cap| cap as usize);
    let mut looks = secondary(&family, cap, design.alpha);
    let between = looks.split_off(others.len());
    (looks, between)
}

/// `D` of every comparison that the experiment makes, in the order of arms, measures and levels.
fn all_series(experiment: &Experiment, rounds: &[Numbers]) -> Vec<DSeries> {
    let rate = rounds.iter().find_map(|numbers| numbers.rate);
    let design = &experiment.design;
    let load = |measure: Measure, at: usize| {
        if design.compares_at_a_rate(measure) {
            return Some(design.stage_load(rate));
        }
        design
            .compares_by_level(measure)
            .then(|| experiment.load.level(at))
    };
    let d_by_round = |arm, measure, at| {
        let of_round = move |(round, numbers): (usize, &Numbers)| Some((round, numbers.d(arm, measure, at)?));
        rounds.iter().enumerate().filter_map(of_round).unzip()
    };
    let mut all = Vec::new();
    for arm in (0..experiment.arms.len()).filter(|arm| *arm != experiment.design.baseline) {
        for measure in Measure::ALL
            .into_iter()
            .filter(|measure| experiment.compares(arm, *measure))
        {
            for at in 0..experiment.comparisons_per_start(measure) {
                let (rounds, d) = d_by_round(arm, measure, at);
                all.push(DSeries {
                    arm,
                    measure,
                    at,
                    d,
                    rounds,
                    margin: experiment.design.margin(measure),
                    level: load(measure, at),
                });
            }
        }
    }
    all
}

/// A series with the last look at it.
struct Tested<'a> {
    series: &'a DSeries,
    look: Option<Look>,
    /// How many tests share the error rate with it, itself included.
    tests: usize,
    /// Rounds that count, whether or not they have a value of the series.
    counted: usize,
    /// What a percentile lacks to be estimated, of the arm or the baseline.
    shortfall: Option<Shortfall>,
}

fn comparison(experiment: &Experiment, tested: &Tested<'_>, round_seconds: f64) -> Comparison {
    let design = &experiment.design;
    let (series, look) = (tested.series, tested.look);
    let measure = series.measure;
    let verdict = look.map_or(Verdict::Inconclusive, |look| verdict(look.call));
    let judged = look.map(|look| JudgedSeries {
        design,
        measure,
        d: &series.d[..look.k],
        rounds: series.d.len(),
        counted: tested.counted,
        margin: series.margin,
        tests: tested.tests,
        look,
        round_seconds,
    });
    let comparison = Comparison {
        baseline: experiment.arms[design.baseline].name.clone(),
        arm: experiment.arms[series.arm].name.clone(),
        level: series.level.clone(),
        measure: measure.id().to_owned(),
        ratio: look.map(|look| ratio_estimate(measure, look)),
        margin: series.margin,
        verdict,
        gate: look.and_then(|look| look.gate).map(gate),
        starts: look.map_or(0, |look| look.k) as u32,
        per_start: series.d.iter().map(|d| ratio_from_log(measure, *d)).collect(),
        remarks: judged.map_or_else(Vec::new, |judged| remarks::remarks_on(&judged)),
    };
    match tested.shortfall {
        Some(shortfall) => without_verdict(comparison, shortfall),
        None => comparison,
    }
}

/// The comparison of a percentile that cannot be estimated: whatever its differences are, nobody knows of what.
fn without_verdict(comparison: Comparison, shortfall: Shortfall) -> Comparison {
    let Shortfall { needed, seconds } = shortfall;
    Comparison {
        verdict: Verdict::Inconclusive,
        gate: comparison.gate.map(|_| GateVerdict::Inconclusive),
        remarks: vec![Remark::NotEstimable { needed, seconds }],
        ..comparison
    }
}

const fn verdict(call: Call) -> Verdict {
    match call {
        Call::Better => Verdict::Faster,
        Call::Worse => Verdict::Slower,
        Call::Same { .. } => Verdict::Same,
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
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, levels, round, two_levels};
    use model::outcome::Load;
    use model::remark::Goal;

    /// Rounds in which `ten` is better by `factors[i]`.
    fn rounds(factors: &[f64]) -> Vec<Numbers> {
        let numbers = |(i, factor): (usize, &f64)| {
            Numbers::of(
                &experiment(),
                &round(i as u32 + 1, &[PLAIN, PLAIN.better(*factor)]),
            )
            .expect("numbers")
        };
        factors.iter().enumerate().map(numbers).collect()
    }

    fn headline_comparisons(standing: &Standing) -> impl Iterator<Item = &Comparison> {
        standing
            .comparisons
            .iter()
            .filter(|c| c.measure == "cpu_per_request")
    }

    fn headline(standing: &Standing) -> &Comparison {
        headline_comparisons(standing).next().expect("the headline")
    }

    fn remark(comparison: &Comparison) -> &Remark {
        comparison.remarks.first().expect("a remark")
    }

    #[test]
    fn where_four_starts_are_planned_three_decide_a_difference_far_above_the_spread() {
        let mut few = experiment();
        few.design.starts = Some(4);
        let judged = |factors: &[f64]| {
            let standing = judge(&few, &rounds(factors), 20.0);
            (standing.decided, headline(&standing).verdict)
        };
        assert_eq!(judged(&[2.50, 2.51, 2.49]), (true, Verdict::Faster));
        assert_eq!(judged(&[2.50, 2.51]), (false, Verdict::Inconclusive));
        assert_eq!(judged(&[1.05, 1.06, 1.04]), (false, Verdict::Inconclusive));
    }

    #[test]
    fn a_clear_difference_is_decided_after_five_rounds_in_the_unit_of_the_measure() {
        let rounds = rounds(&[1.10, 1.11, 1.09, 1.10, 1.10]);
        let four = judge(&experiment(), &rounds[..4], 20.0);
        assert!(!four.decided);
        let few = Remark::TooFewStarts { needed: 5, starts: 4 };
        assert_eq!(remark(headline(&four)), &few);
        let five = judge(&experiment(), &rounds, 20.0);
        assert!(five.decided);
        for comparison in &five.comparisons {
            assert_eq!(comparison.verdict, Verdict::Faster, "{}", comparison.measure);
            let ratio = comparison.ratio.expect("a ratio");
            let expected = if comparison.measure == "throughput" {
                1.10
            } else {
                1.0 / 1.10
            };
            assert!(
                (ratio.value - expected).abs() < 0.005,
                "{} {}",
                comparison.measure,
                ratio.value
            );
            let (low, high) = (ratio.low.expect("an end"), ratio.high.expect("an end"));
            assert!(low < ratio.value && ratio.value < high);
        }
    }

    #[test]
    fn equal_arms_are_the_same_and_a_small_real_difference_says_so() {
        let equal = [1.0, 1.001, 0.999, 1.0, 1.0, 1.001, 0.999, 1.0];
        let same = judge(&experiment(), &rounds(&equal), 20.0);
        assert!(same.decided);
        assert_eq!(headline(&same).verdict, Verdict::Same);
        let small = judge(&experiment(), &rounds(&equal.map(|factor| 1.008 * factor)), 20.0);
        assert_eq!(headline(&small).verdict, Verdict::Same);
        let within = Remark::DifferenceWithinMargin { margin: 0.02 };
        assert_eq!(remark(headline(&small)), &within);
        let seven = judge(&experiment(), &rounds(&equal[..7]), 20.0);
        assert!(!seven.decided);
        assert_eq!(headline(&seven).verdict, Verdict::Inconclusive);
        let few = Remark::TooFewForSame {
            margin: 0.02,
            needed: 8,
            starts: 7,
        };
        assert_eq!(remark(headline(&seven)), &few);
    }

    #[test]
    fn noise_is_inconclusive_and_a_remark_says_how_much_time_it_would_take() {
        let noisy = judge(&experiment(), &rounds(&[1.1, 0.9, 1.05, 0.95, 1.08, 0.92]), 20.0);
        assert!(!noisy.decided);
        assert_eq!(headline(&noisy).verdict, Verdict::Inconclusive);
        let remark = remark(headline(&noisy));
        assert!(
            matches!(remark, Remark::NewRun { starts, .. } if *starts > 12),
            "{remark:?}"
        );
    }

    #[test]
    fn without_a_round_there_is_no_ratio_and_no_verdict() {
        let none = judge(&experiment(), &[], 20.0);
        assert_eq!(none.comparisons.len(), Measure::USUAL.len());
        assert!(
            none.comparisons
                .iter()
                .all(|c| c.ratio.is_none() && c.verdict == Verdict::Inconclusive)
        );
    }

    /// Three arms, the third of which is better by `factor`; each arm has independent noise of the size `noise`.
    fn three(noise: f64, factor: f64) -> (Experiment, Vec<Numbers>) {
        let mut experiment = experiment();
        let mut third = experiment.arms[1].clone();
        third.name = "third".to_owned();
        experiment.arms.push(third);
        let wave = |i: u32, step: u32| 1.0 + noise * f64::from((i * step) % 5) - 2.0 * noise;
        let numbers = |i: u32| {
            let speeds = [PLAIN, PLAIN.better(wave(i, 2)), PLAIN.better(factor * wave(i, 3))];
            Numbers::of(&experiment, &round(i + 1, &speeds)).expect("numbers")
        };
        let rounds = (0..10).map(numbers).collect();
        (experiment, rounds)
    }

    #[test]
    fn many_arms_are_ranked_in_groups() {
        let (experiment, rounds) = three(0.001, 1.1);
        let clear = judge(&experiment, &rounds, 20.0);
        assert!(clear.decided);
        let groups = &clear.rankings[0].groups;
        assert_eq!(groups, &[vec!["third"], vec!["nine", "ten"]]);
        let (experiment, rounds) = three(0.05, 1.02);
        let noisy = judge(&experiment, &rounds, 20.0);
        assert!(!noisy.decided);
        assert_eq!(noisy.rankings[0].groups, [["nine", "ten", "third"]]);
        assert_eq!(judge(&self::experiment(), &rounds, 20.0).rankings, []);
    }

    #[test]
    fn a_gate_passes_or_fails_and_a_remark_tells_of_an_allowed_loss() {
        let gated = |factors: &[f64]| {
            let mut experiment = experiment();
            experiment.design.gate = Some(0.03);
            let standing = judge(&experiment, &rounds(factors), 20.0);
            let head = headline(&standing);
            (
                head.gate.expect("a gate"),
                head.remarks.first().cloned(),
                standing.decided,
            )
        };
        let (gate, remark, decided) = gated(&[0.980, 0.981, 0.979, 0.980, 0.980]);
        assert_eq!((gate, decided), (GateVerdict::Pass, true));
        assert_eq!(remark, Some(Remark::LossWithinMargin { margin: 0.03 }));
        assert_eq!(
            gated(&[0.90, 0.91, 0.89, 0.90, 0.90]),
            (GateVerdict::Fail, None, true)
        );
        let (gate, remark, decided) = gated(&[0.93, 1.02, 0.95, 1.03, 0.94]);
        assert_eq!((gate, decided), (GateVerdict::Inconclusive, false));
        assert!(
            matches!(
                remark,
                Some(Remark::NewRun {
                    goal: Goal::SettleGate,
                    ..
                })
            ),
            "{remark:?}"
        );
    }

    #[test]
    fn a_percentile_that_cannot_be_estimated_is_not_judged_and_the_run_goes_on_for_it() {
        let mut experiment = experiment();
        experiment.design.headline = Measure::ResponseP99;
        let judged = |windows: usize| {
            let numbers = |number: u32| {
                let mut round = round(number, &[PLAIN, PLAIN.better(1.5)]);
                for slice in round.slices.iter_mut().filter(|slice| slice.arm == 0) {
                    slice.longest_ns.truncate(windows);
                }
                Numbers::of(&experiment, &round).expect("numbers")
            };
            let standing = judge(&experiment, &(1..=6).map(numbers).collect::<Vec<_>>(), 20.0);
            let of_p99 = standing.comparisons.iter().find(|c| c.measure == "response_p99");
            (of_p99.expect("compared").clone(), standing.decided)
        };
        let (enough, decided) = judged(25);
        assert_eq!((enough.verdict, decided), (Verdict::Faster, true));
        // Two slices a start with one window each are 12 episodes, and 30 are needed.
        let (few, decided) = judged(1);
        assert_eq!((few.verdict, decided), (Verdict::Inconclusive, false));
        assert_eq!(few.per_start, enough.per_start);
        let [Remark::NotEstimable { needed, seconds }] = few.remarks.as_slice() else {
            panic!("{:?}", few.remarks)
        };
        assert!((needed / seconds - 2.5).abs() < 1e-9 && (seconds - 6.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_cap_the_run_goes_on_until_it_is_sure() {
        let mut experiment = experiment();
        experiment.design.starts = None;
        let clear = [1.10, 1.11, 1.09, 1.10, 1.10, 1.11, 1.09, 1.10];
        // Five starts that agree are no proof yet where any number of looks may follow.
        assert!(!judge(&experiment, &rounds(&clear[..5]), 20.0).decided);
        assert!(judge(&experiment, &rounds(&clear), 20.0).decided);
    }

    /// Two levels, and a headline that is compared at each.
    fn by_level() -> Experiment {
        let mut experiment = two_levels();
        experiment.design.headline = Measure::Throughput;
        experiment
    }

    fn throughput_comparisons(standing: &Standing) -> impl Iterator<Item = &Comparison> {
        standing.comparisons.iter().filter(|c| c.measure == "throughput")
    }

    /// Two levels: the arm is better by one factor at the first and by another at the second.
    fn at_two_levels(factors: &[[f64; 2]]) -> Standing {
        let round = |(i, [low, high]): (usize, &[f64; 2])| {
            let speeds = [[PLAIN, PLAIN.better(*low)], [PLAIN, PLAIN.better(*high)]];
            Numbers::of(&by_level(), &levels(i as u32 + 1, &speeds)).expect("numbers")
        };
        let rounds: Vec<Numbers> = factors.iter().enumerate().map(round).collect();
        judge(&by_level(), &rounds, 20.0)
    }

    #[test]
    fn every_level_has_its_verdict_and_the_run_continues_until_all_are_decided() {
        let wave = [1.10, 1.11, 1.09, 1.10, 1.10];
        let clear = at_two_levels(&wave.map(|up| [1.0 / up, up]));
        let heads: Vec<&Comparison> = throughput_comparisons(&clear).collect();
        let found: Vec<_> = heads.iter().map(|c| (c.level.clone(), c.verdict)).collect();
        let at = |users: u64| {
            Some(Load {
                users: Some(users),
                ..Load::default()
            })
        };
        assert_eq!(found, [(at(4), Verdict::Slower), (at(8), Verdict::Faster)]);
        assert!(clear.decided);
        let noise = [1.1, 0.9, 1.05, 0.95, 1.08];
        let half = at_two_levels(&[0, 1, 2, 3, 4].map(|i| [wave[i], noise[i]]));
        let words: Vec<Verdict> = throughput_comparisons(&half).map(|c| c.verdict).collect();
        assert_eq!(
            (words, half.decided),
            (vec![Verdict::Faster, Verdict::Inconclusive], false)
        );
        // What is measured once a start, or at the fixed rate, is compared once.
        let once = half.comparisons.iter().filter(|c| c.measure == "startup").count();
        assert_eq!((once, half.comparisons.len()), (1, Measure::USUAL.len() + 1));
    }

    #[test]
    fn a_run_does_not_continue_for_a_level_that_never_counts() {
        let of = |i: u32, counts: bool| {
            let up = [1.10, 1.11, 1.09, 1.10, 1.10][i as usize];
            let mut round = levels(i + 1, &[[PLAIN, PLAIN.better(up)], [PLAIN, PLAIN]]);
            round.levels[1].void = (!counts).then(crate::testing::unsteady);
            Numbers::of(&by_level(), &round).expect("numbers")
        };
        let never: Vec<Numbers> = (0..5).map(|i| of(i, false)).collect();
        assert!(judge(&by_level(), &never, 20.0).decided);
        assert!(!judge(&by_level(), &never[..4], 20.0).decided);
        let once: Vec<Numbers> = (0..5).map(|i| of(i, i > 0)).collect();
        assert!(
            !judge(&by_level(), &once, 20.0).decided,
            "it has four starts and needs five"
        );
    }

    #[test]
    fn levels_share_the_error_rate() {
        // Just enough for an arm at one level; at two levels it is not, unless the other one rejects.
        let rules = rules(&by_level().design, 2);
        let noise = [0.012, -0.01, 0.011, -0.009, 0.0];
        let half = |rule: &Rule| rule.look(&noise).expect("rounds").rci.expect("five").width() / 2.0;
        let shift = 1.1 * half(&rules[0]);
        assert!(shift < half(&rules[1]), "sharing costs width");
        let alone: Vec<[f64; 2]> = noise.map(|d| [(d + shift).exp(), 1.0 + 8.0 * d]).into();
        let with_a_sure_one: Vec<[f64; 2]> = noise.map(|d| [(d + shift).exp(), 1.3 + 0.1 * d]).into();
        let first = |factors: &[[f64; 2]]| {
            throughput_comparisons(&at_two_levels(factors))
                .next()
                .expect("a level")
                .verdict
        };
        assert_eq!(first(&alone), Verdict::Inconclusive);
        assert_eq!(first(&with_a_sure_one), Verdict::Faster);
    }
}
